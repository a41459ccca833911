//! Decodes the files that standard input names, one per line. Prints the name, the first warning and the text of each, and a
//! zero after each of these. `tests/bench/encodings/score.py` compares the texts with the expected ones.

use std::io::{BufRead, Write, stdin, stdout};

#[expect(clippy::disallowed_methods, reason = "a program for a script; zeros separate the texts")]
fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(stdout().lock());
    for name in stdin().lock().lines() {
        let name = name?;
        let decoded = mitt_text::decode::decode(std::fs::read(&name)?);
        let warning = decoded.warnings.first().map_or("", String::as_str);
        write!(out, "{name}\0{warning}\0{}\0", decoded.text)?;
    }
    out.flush()
}
