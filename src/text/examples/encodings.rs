//! Prints what texts say: the name of each file, the first warning, and the text, each with a zero behind it. Names come one a line.
//! `tests/bench/encodings/score.py` compares them with the truth.

use std::io::{BufRead, Write, stdin, stdout};

#[expect(
    clippy::disallowed_methods,
    reason = "a program for a script; texts are told apart by zeros"
)]
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
