//! Readers without their sandbox: `native-readers LIST` reads the files that LIST names, one after the other, and prints in JSON how
//! long each took, in the form that the bench `ingest` understands.

use std::panic::{catch_unwind, set_hook};
use std::path::Path;
use std::time::Instant;

use serde_json::json;

fn main() {
    let list = std::env::args().nth(1).expect("the name of a list of files");
    let list = std::fs::read_to_string(list).expect("a list of files");
    set_hook(Box::new(|_| ()));
    let begun = Instant::now();
    let files: Vec<_> = list.lines().filter_map(|line| read(Path::new(line))).collect();
    let wall = begun.elapsed().as_secs_f64();
    println!("{}", json!({ "files": files, "wall": wall, "cpu": wall, "memory": 0 }));
}

/// What came of a file that one of the readers takes.
fn read(path: &Path) -> Option<serde_json::Value> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let bytes = std::fs::read(path).ok()?;
    let begun = Instant::now();
    let done = catch_unwind(|| match extension.as_str() {
        "docx" | "pptx" | "doc" | "ppt" | "odt" | "odp" | "rtf" => {
            Some(reader_office::read(&bytes, &extension).is_ok())
        }
        "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => {
            Some(reader_sheet::read(&bytes, &extension).is_ok())
        }
        "pdf" => Some(reader_pdf::read(&bytes, "pdf", None).is_ok()),
        _ => None,
    });
    let seconds = begun.elapsed().as_secs_f64();
    let outcome = match done {
        Ok(None) => return None,
        Ok(Some(true)) => "read",
        Ok(Some(false)) => "refused",
        Err(_) => "panicked",
    };
    Some(
        json!({ "path": path, "outcome": outcome, "seconds": seconds, "in_reader": seconds, "memory": 0 }),
    )
}
