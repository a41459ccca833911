//! What no field of a draft may contain, and names of attached files.

/// Most bytes of the name of an attached file, which is the limit of file systems.
const MAX_NAME_BYTES: usize = 255;

/// Returns `true` for characters that reorder the text around them, so that a reader sees another name than there is.
pub(crate) fn is_reordering(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns `true` for characters that end a line or control a terminal.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Returns `true` for characters that cannot be seen in a name or an address.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// Checks a value that becomes a header. `place` names the argument.
pub(crate) fn check_field(place: &str, value: &str) -> Result<(), String> {
    match value.chars().find(|&c| is_control(c) || is_reordering(c)) {
        Some('\r' | '\n') => Err(format!("{place}: expected one line, got a line break")),
        Some(c) => Err(format!(
            "{place}: expected visible characters, got U+{:04X}; remove it",
            u32::from(c)
        )),
        None => Ok(()),
    }
}

/// Returns a foreign value as one line of visible characters.
pub(crate) fn cleaned(value: &str) -> String {
    let visible = value.chars().filter(|&c| !is_reordering(c));
    let spaced: String = visible.map(|c| if is_control(c) { ' ' } else { c }).collect();
    spaced.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Checks the name of a file of the session, and returns its name in the mail: without folders.
pub(crate) fn file_name<'a>(place: &str, name: &'a str) -> Result<&'a str, String> {
    check_field(place, name)?;
    if let Some(c) = name.chars().find(|&c| is_invisible(c)) {
        return Err(format!(
            "{place}: expected visible characters, got U+{:04X}; rename the file",
            u32::from(c)
        ));
    }
    let parts: Vec<_> = name.split(['/', '\\']).collect();
    let last = parts.last().copied().unwrap_or_default();
    if parts.contains(&"..") || name.starts_with(['/', '\\']) || name.contains(':') {
        return Err(format!("{place}: expected the name of a file of this session, got `{name}`"));
    }
    if last.trim_matches(['.', ' ']).is_empty() {
        return Err(format!("{place}: expected a file name, got `{name}`"));
    }
    if last.len() > MAX_NAME_BYTES {
        return Err(format!(
            "{place}: expected a name of at most {MAX_NAME_BYTES} bytes, got {}; rename the file",
            last.len()
        ));
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::{check_field, cleaned, file_name};

    #[test]
    fn fields_are_one_line_of_visible_characters() {
        assert_eq!(check_field("subject", "季度 report\u{200f}"), Ok(()));
        for bad in
            ["a\r\nBcc: x@y.z", "a\nb", "a\rb", "a\0", "a\u{85}b", "a\u{2028}b", "a\u{202e}b"]
        {
            assert!(check_field("subject", bad).unwrap_err().starts_with("subject: "), "{bad:?}");
        }
        assert_eq!(cleaned(" a\r\n\tb\u{202e} c"), "a b c");
    }

    #[test]
    fn names_of_files_have_no_tricks() {
        for (name, expected) in
            [("报告.xlsx", "报告.xlsx"), ("mail.zip/a b.pdf", "a b.pdf"), (".profile", ".profile")]
        {
            assert_eq!(file_name("x", name), Ok(expected));
        }
        for bad in [
            "../a.pdf",
            "a/../b.pdf",
            "..\\a.pdf",
            "/etc/passwd",
            "C:\\a.pdf",
            "",
            "a/",
            "..",
            "invoice\u{202e}fdp.exe",
            "a\u{200b}.pdf",
            "a\r\n.pdf",
        ] {
            assert!(file_name("attachments[0]", bad).is_err(), "{bad:?}");
        }
        assert!(file_name("x", &"a".repeat(255)).is_ok());
        assert!(file_name("x", &"a".repeat(256)).unwrap_err().contains("255"));
    }
}
