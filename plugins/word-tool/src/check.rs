//! Checks a call before the host is called, and reports all problems at once. Knows no Word files.

use std::collections::BTreeSet;

const EXTENSIONS: [&str; 1] = ["docx"];

/// Returns a name without surrounding white space, and without the braces of its place.
pub(crate) fn plain(name: &str) -> &str {
    let name = name.trim();
    let inner = name.strip_prefix("{{").and_then(|name| name.strip_suffix("}}"));
    inner.unwrap_or(name).trim_start_matches(['#', '^']).trim()
}

/// Checks a call.
///
/// # Errors
/// All problems, one per line.
pub(crate) fn check<'a>(
    template: &str,
    filename: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), String> {
    let mut problems = Vec::new();
    if template.trim().is_empty() {
        problems.push("template: expected the name of a Word document, got nothing".to_owned());
    }
    if let Err(problem) = mitt_guest::check_filename(filename, &EXTENSIONS) {
        problems.push(format!("filename: {problem}"));
    }
    let mut known = BTreeSet::new();
    for name in names.map(plain) {
        if name.is_empty() {
            problems.push("values: expected a name for each, got an empty one".to_owned());
        } else if !known.insert(name) {
            problems.push(format!("values: expected each name once, got `{name}` twice"));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_have_the_braces_of_their_places() {
        for name in ["甲方", " {{ 甲方 }} ", "{{#甲方}}", "{{甲方}}"] {
            assert_eq!(plain(name), "甲方", "{name}");
        }
        assert_eq!(plain("{{a"), "{{a");
    }

    #[test]
    fn all_problems_at_once() {
        assert_eq!(check("a.docx", "b.docx", ["a", "b"].into_iter()), Ok(()));
        assert_eq!(
            check(" ", "b.pdf", ["a", "{{a}}", ""].into_iter()).unwrap_err(),
            "template: expected the name of a Word document, got nothing\n\
             filename: expected a name that ends in `.docx`, got `b.pdf`\n\
             values: expected each name once, got `a` twice\n\
             values: expected a name for each, got an empty one"
        );
    }
}
