//! Redacts a file without the host: `cargo run --example redact -- FILE TARGET WORD...`. `--accept-unread` keeps what cannot be
//! searched in a mail.

use redact_tool::{TextKind, redact_email, redact_text};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let before = arguments.len();
    arguments.retain(|it| it != "--accept-unread");
    let accepts_unread = arguments.len() < before;
    let [file, target, words @ ..] = arguments.as_slice() else {
        return Err("expected a file, a target and words".into());
    };
    let bytes = std::fs::read(file)?;
    let kind = match file.rsplit('.').next() {
        Some("md") => TextKind::Markdown,
        Some("csv" | "tsv") => TextKind::Values,
        _ => TextKind::Plain,
    };
    let found = if file.ends_with(".eml") {
        redact_email(&bytes, words, &[], accepts_unread)?
    } else {
        redact_text(&bytes, kind, words, &[])?
    };
    std::fs::write(target, &found.bytes)?;
    for (place, count) in &found.places {
        println!("{place} ({count})");
    }
    for warning in &found.warnings {
        println!("warning: {warning}");
    }
    Ok(())
}
