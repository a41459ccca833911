//! Reads documents of other projects, if they are beside this one. Tests that none panics, and that their letters are
//! right for the encoding of their folder.

#[path = "../../reader-kit/tests/support/corpora.rs"]
mod others;

use encoding_rs::Encoding;
use mitt_reader_kit::File;
use others::{corpora, files};
use std::panic::catch_unwind;

/// The extensions of the reader.
const EXTENSIONS: [(&str, &str); 6] = [
    ("html", "html"),
    ("htm", "html"),
    ("epub", "epub"),
    ("ipynb", "ipynb"),
    ("json", "json"),
    ("xml", "xml"),
];

#[test]
fn documents_of_others_are_read() {
    let Some(folder) = corpora() else { return };
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let (mut read, mut damaged, mut panicked) = (0, 0, 0);
    let (mut compared, mut legible) = (0, 0);
    for path in &paths {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let Some((_, extension)) = EXTENSIONS.iter().find(|(known, _)| *known == extension) else {
            continue;
        };
        let bytes = std::fs::read(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = File { name: name.clone(), extension: (*extension).into(), password: None };
        let Ok(result) = catch_unwind(|| reader_web::read(&bytes, &file)) else {
            println!("panicked: {name}");
            panicked += 1;
            continue;
        };
        let content = match result {
            Ok(content) => content,
            Err(error) => {
                println!("{name}: {error:?}");
                continue;
            }
        };
        read += 1;
        let is_damaged = content.warnings.iter().any(|it| it.contains("damaged at line"));
        damaged += usize::from(is_damaged);
        assert!(
            !content.markdown.trim().is_empty() || !content.tables.is_empty(),
            "{name}: nothing"
        );
        for table in &content.tables {
            let width = table.data.columns.len();
            assert!(table.data.rows.iter().all(|row| row.len() == width), "{name}: ragged rows");
        }
        // The folder is the encoding. All letters of the text beyond ASCII are in the file when it is decoded with it.
        let label = path.parent().unwrap().file_name().unwrap().to_string_lossy().to_lowercase();
        let label = label
            .split("-hungarian")
            .next()
            .unwrap()
            .split("-russian")
            .next()
            .unwrap()
            .split("-bulgarian")
            .next()
            .unwrap();
        if let Some(encoding) =
            Encoding::for_label(label.as_bytes()).filter(|_| *extension == "xml")
        {
            let truth = encoding.decode(&bytes).0;
            let is_wide = |it: &char| !it.is_ascii() && it.is_alphanumeric();
            let known: std::collections::HashSet<char> = truth.chars().filter(is_wide).collect();
            let strange =
                content.markdown.chars().filter(is_wide).filter(|it| !known.contains(it)).count();
            compared += 1;
            if strange * 50 <= content.markdown.chars().filter(is_wide).count() {
                legible += 1;
            } else {
                println!("{label}/{name}: letters that are not in it: {strange}");
            }
        }
    }
    println!(
        "{read} read, {damaged} of them as damaged; {legible} of {compared} with the letters of their encoding"
    );
    assert_eq!(panicked, 0);
    assert!(
        read >= 300 && legible * 100 >= compared * 95,
        "{read} read, {legible} of {compared} legible"
    );
}
