//! The rules for file names that a model may choose. No other module decides this.

use crate::visible::{self, Lines};

/// Longest file name, in bytes, that every common file system accepts.
const MAX_BYTES: usize = 255;

/// Names that Windows reserves for devices, with any extension.
const RESERVED: [&str; 22] = [
    "CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8",
    "COM9", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9",
];

/// Refuses a name that is a path, that some system cannot store, or that looks like another name.
///
/// The rules are the same on every system, so that a run makes the same files everywhere.
///
/// # Errors
///
/// The text says what is wrong and what to use instead.
pub fn check_file_name(name: &str) -> Result<(), String> {
    let shown = crate::text::one_line(crate::text::cut_bytes(name, 80));
    let wrong = |what: &str| {
        Err(format!("file name `{shown}` {what}; use a plain name such as `report.xlsx`"))
    };
    if name.is_empty() {
        return wrong("is empty");
    }
    if name.len() > MAX_BYTES {
        return Err(format!(
            "file name `{shown}…` has {} bytes, at most {MAX_BYTES} are allowed",
            name.len()
        ));
    }
    if name.contains(['/', '\\']) {
        return wrong("is a path");
    }
    if name == "." || name == ".." {
        return wrong("is a folder");
    }
    if name.contains(':') {
        return wrong("holds `:`, which begins a drive or a stream on Windows");
    }
    if let Some(c) = name.chars().find(|c| matches!(c, '<' | '>' | '"' | '|' | '?' | '*')) {
        return wrong(&format!("holds `{c}`, which Windows does not allow"));
    }
    // `exe.fdp` could be displayed as `pdf.exe`.
    if visible::first(name, Lines::One).is_some() {
        return wrong("holds control or invisible characters");
    }
    if name.starts_with('.') {
        return wrong("is hidden, as it begins with a dot");
    }
    if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        return wrong("begins or ends with a space or ends with a dot");
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(stem)) {
        return wrong("is a device on Windows");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_pass() {
        let longest = "年".repeat(85);
        for name in [
            "report.xlsx",
            "经营报告 2024–2025.pdf",
            "a",
            "a..b",
            "x.tar.gz",
            "console.txt",
            "É.md",
            &longest,
        ] {
            assert_eq!(check_file_name(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn paths_and_traps_do_not() {
        let too_long = "a".repeat(256);
        for name in [
            "",
            ".",
            "..",
            "../escape.xlsx",
            "/etc/passwd",
            "a/b",
            "a\\b",
            "C:x",
            "C:\\x",
            "a\0b",
            "a\nb",
            "CON",
            "con.txt",
            "Lpt1.pdf",
            "NUL .txt",
            ".bashrc",
            "a.",
            "a ",
            " a",
            "a<b",
            "a|b",
            "a?b",
            "a*b",
            "a\"b",
            "a:stream",
            "pdf\u{202E}exe",
            "a\u{200B}b",
            "a\u{E0041}b",
            "a\u{FE0F}.md",
            "a\u{9B}2Jb",
            &too_long,
        ] {
            assert!(check_file_name(name).is_err(), "{name:?}");
        }
        assert_eq!(
            check_file_name("../escape.xlsx").unwrap_err(),
            "file name `../escape.xlsx` is a path; use a plain name such as `report.xlsx`"
        );
    }
}
