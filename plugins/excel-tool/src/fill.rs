//! Checks a call that changes a workbook, and reports all problems at once. The host keeps the files and fills them.

use std::collections::BTreeSet;

use crate::problems::{Problems, quoted};

const EXTENSIONS: [&str; 1] = ["xlsx"];

/// Returns a name without surrounding white space and without the braces that a model may have copied with it.
pub(crate) fn plain(name: &str) -> String {
    let name = name.trim();
    let inner = name.strip_prefix("{{").and_then(|name| name.strip_suffix("}}"));
    inner.map_or(name, |inner| inner.trim().trim_start_matches('#')).trim().to_owned()
}

/// Checks a call that fills. The error has one problem per line.
pub(crate) fn check(
    template: &str,
    filename: &str,
    values: &[&str],
    rows: &[&str],
) -> Result<(), String> {
    let mut problems = named("template", template, filename);
    let mut known = BTreeSet::new();
    for (list, names) in [("values", values), ("rows", rows)] {
        for (index, name) in names.iter().enumerate() {
            let (place, name) = (format!("{list}[{index}].name"), plain(name));
            if name.is_empty() {
                problems.add(place, "expected the name of a place, got nothing");
            } else if !known.insert(name.clone()) {
                problems
                    .add(place, format!("expected each name once, got {} twice", quoted(&name)));
            }
        }
    }
    problems.into_result()
}

/// Checks a call that appends.
pub(crate) fn check_append(workbook: &str, filename: &str) -> Result<(), String> {
    named("workbook", workbook, filename).into_result()
}

fn named(place: &str, file: &str, filename: &str) -> Problems {
    let mut problems = Problems::default();
    if file.trim().is_empty() {
        problems.add(place, "expected the name of a workbook, got nothing");
    } else if let Err(problem) = mitt_guest::check_filename(filename, &EXTENSIONS) {
        problems.add("filename", problem);
    }
    problems
}

/// Returns the name of the new file. Default: that of the workbook, with `.xlsx` for a template of Excel (`.xltx`).
pub(crate) fn filename(workbook: &str, given: Option<&str>) -> String {
    let own = match workbook.rsplit_once('.') {
        Some((stem, extension)) if extension.eq_ignore_ascii_case("xltx") => format!("{stem}.xlsx"),
        _ => workbook.to_owned(),
    };
    given.map_or(own, str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_have_the_braces_of_their_places() {
        for name in ["客户", " {{ 客户 }} ", "{{#客户}}", "{{客户}}"] {
            assert_eq!(plain(name), "客户", "{name}");
        }
        assert_eq!(plain("Sheet1!B2"), "Sheet1!B2");
        assert_eq!(plain("{{a"), "{{a");
        assert_eq!(plain("#a"), "#a");
    }

    #[test]
    fn all_problems_at_once() {
        assert_eq!(check("a.xlsx", "b.xlsx", &["a"], &["b"]), Ok(()));
        assert_eq!(
            check("a.xlsx", "b.pdf", &["a", "{{a}}", ""], &["a"]).unwrap_err(),
            "filename: expected a name that ends in `.xlsx`, got `b.pdf`\n\
             values[1].name: expected each name once, got `a` twice\n\
             values[2].name: expected the name of a place, got nothing\n\
             rows[0].name: expected each name once, got `a` twice"
        );
        assert_eq!(
            check_append(" ", " ").unwrap_err(),
            "workbook: expected the name of a workbook, got nothing"
        );
        assert!(check_append("a.xls", "a.xls").unwrap_err().starts_with("filename: "));
    }

    #[test]
    fn a_longer_workbook_keeps_its_name() {
        assert_eq!(filename("订单.xlsx", None), "订单.xlsx");
        assert_eq!(filename("a.XLTX", None), "a.xlsx");
        assert_eq!(filename("a.xlsx", Some("b.xlsx")), "b.xlsx");
    }
}
