//! File names that a model gives.

/// Checks that `filename` is a plain name with one of `extensions` (without dots).
///
/// The host checks names again, with the rules of its artifact store. This check lets a plugin report a wrong name together
/// with the other problems of a call.
///
/// # Errors
///
/// One sentence: the expected name, then the actual one.
pub fn check_filename(filename: &str, extensions: &[&str]) -> Result<(), String> {
    let wanted =
        extensions.iter().map(|extension| format!("`.{extension}`")).collect::<Vec<_>>().join(", ");
    let (stem, extension) = filename.rsplit_once('.').unwrap_or((filename, ""));
    if filename.contains(['/', '\\', ':', '\0']) {
        return Err(format!("expected a file name without any folder, got `{filename}`"));
    }
    if !extensions.iter().any(|known| known.eq_ignore_ascii_case(extension)) {
        return Err(format!("expected a name that ends in {wanted}, got `{filename}`"));
    }
    if stem.trim().is_empty() {
        return Err(format!("expected a name before the extension, got `{filename}`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_filename;

    #[test]
    fn names() {
        for (name, expected) in [
            ("report.pdf", Ok(())),
            ("季度 报告.v2.PDF", Ok(())),
            ("../report.pdf", Err("expected a file name without any folder, got `../report.pdf`")),
            (
                "C:\\report.pdf",
                Err("expected a file name without any folder, got `C:\\report.pdf`"),
            ),
            ("report.docx", Err("expected a name that ends in `.pdf`, `.md`, got `report.docx`")),
            ("report", Err("expected a name that ends in `.pdf`, `.md`, got `report`")),
            ("", Err("expected a name that ends in `.pdf`, `.md`, got ``")),
            (".pdf", Err("expected a name before the extension, got `.pdf`")),
        ] {
            assert_eq!(
                check_filename(name, &["pdf", "md"]),
                expected.map_err(str::to_owned),
                "{name}"
            );
        }
    }
}
