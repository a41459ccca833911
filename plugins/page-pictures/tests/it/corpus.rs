//! Files of others, which are not part of the repository. Without them the tests do nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::support::Pixels;
use page_pictures::{Format, NoFonts, Options, PdfFile, Size};

/// Longest time for the first page of a file. Nothing here is optimised.
const LONGEST: Duration = Duration::from_secs(60);

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/pdfjs");
    let folder = std::env::var_os("PDFJS_CORPUS").map_or(folder, PathBuf::from);
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "pdf"));
    files.sort();
    files
}

#[test]
fn files_of_others_are_drawn_or_refused_in_time() {
    let mut drawn = 0;
    let mut failed = Vec::new();
    for path in files() {
        let bytes = std::fs::read(&path).unwrap();
        let (sent, received) = mpsc::channel();
        let start = Instant::now();
        let work = move || {
            let result = PdfFile::open(bytes, None, Arc::new(NoFonts)).and_then(|file| {
                let options = Options { size: Size::Width(300), format: Format::Png };
                file.draw(0, &options)
            });
            let _ = sent.send(result.map(drop));
        };
        // Unoptimised code needs more stack than the sandbox gives: a deep file must not end the test.
        std::thread::Builder::new().stack_size(64 << 20).spawn(work).unwrap();
        match received.recv_timeout(LONGEST) {
            Ok(Ok(())) => drawn += 1,
            Ok(Err(error)) => println!("{}: {error}", path.display()),
            Err(error) => failed.push(format!("{}: {error}", path.display())),
        }
        if start.elapsed() > Duration::from_secs(5) {
            println!("{}: {:?}", path.display(), start.elapsed());
        }
    }
    println!("{drawn} drawn");
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(files().is_empty() || drawn > 650, "{drawn}");
}

/// Returns the first page as `pdftoppm` draws it, with this width and height.
fn by_poppler(path: &Path, (width, height): (u32, u32)) -> Option<Vec<u8>> {
    let size = [width.to_string(), height.to_string()];
    let output = Command::new("pdftoppm")
        .args(["-f", "1", "-l", "1", "-cropbox", "-scale-to-x", &size[0], "-scale-to-y", &size[1]])
        .arg(path)
        .output()
        .ok()?;
    let length = 3 * (width * height) as usize;
    let start = output.stdout.len().checked_sub(length)?;
    output.stdout.starts_with(b"P6").then(|| output.stdout[start..].to_vec())
}

#[test]
fn pages_look_as_poppler_draws_them() {
    let mut differences = Vec::new();
    // Every thirtieth of those that both draw.
    for path in files().iter().step_by(30) {
        let bytes = std::fs::read(path).unwrap();
        let opened = PdfFile::open(bytes, None, Arc::new(NoFonts));
        let options = Options { size: Size::Width(300), format: Format::Png };
        let Ok(picture) = opened.and_then(|file| file.draw(0, &options)) else { continue };
        let pixels = Pixels::of(&picture);
        let Some(other) = by_poppler(path, (pixels.width, pixels.height)) else { continue };
        let sum: u64 =
            pixels.rgb().iter().zip(&other).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        let mean = sum as f64 / other.len() as f64;
        println!("{mean:6.2} {}", path.display());
        differences.push(mean);
    }
    let Some(count) = std::num::NonZero::new(differences.len()) else { return };
    let close = differences.iter().filter(|it| **it < 8.0).count();
    assert!(close * 10 >= count.get() * 8, "{close} of {count} are close");
}
