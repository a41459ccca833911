//! Names of sheets in a form that Excel accepts: invalid ones are repaired, with a warning. Names for formulas.

use std::collections::BTreeSet;

use super::is_legal;
use super::problems::shown;
use crate::model::workbook::Workbook;

const MAX_UNITS: usize = 31;
/// Most repairs in warnings. More would say nothing new.
const MAX_WARNINGS: usize = 20;

/// Names of the sheets in lower case, for formulas, and defined names behind [`DEFINED`].
pub(super) type Names = BTreeSet<String>;

/// Prefix of a defined name. No name of a sheet begins with it.
pub(super) const DEFINED: char = '\0';

/// Returns the names of a workbook with these sheets.
pub(super) fn of(book: &Workbook, sheets: &[String]) -> Names {
    let sheets = sheets.iter().map(|name| name.to_lowercase());
    let defined = book.names.iter().map(|it| format!("{DEFINED}{}", it.name.to_lowercase()));
    sheets.chain(defined).collect()
}

/// Returns the names of the sheets of a workbook, from left to right, and warnings.
pub(super) fn repaired(book: &Workbook) -> (Vec<String>, Vec<String>) {
    let mut taken = BTreeSet::new();
    let (mut names, mut warnings, mut more) = (Vec::new(), Vec::new(), 0);
    for (index, sheet) in book.sheets.iter().enumerate() {
        let number = index + 1;
        let name = unique(legal(&sheet.name, number), &mut taken);
        if name != sheet.name {
            if warnings.len() < MAX_WARNINGS {
                let given = shown(&sheet.name).replace(|c: char| c == '`' || c.is_control(), " ");
                warnings.push(format!(
                    "sheet {number} is named `{name}`, as Excel does not take `{given}`: 1 to {MAX_UNITS} characters, \
                     none of `[ ] : * ? / \\`, each name once"
                ));
            } else {
                more += 1
            }
        }
        names.push(name);
    }
    if more > 0 {
        warnings.push(format!("{more} more sheets have another name than they were given"));
    }
    (names, warnings)
}

/// Replaces or removes characters that no name may have.
fn legal(name: &str, number: usize) -> String {
    let plain = name.chars().filter(|c| is_legal(*c)).map(|c| match c {
        '[' => '(',
        ']' => ')',
        ':' | '*' | '?' | '/' | '\\' => '-',
        c if c.is_control() => ' ',
        c => c,
    });
    let plain: String = plain.collect();
    let name = cut(&plain, MAX_UNITS).trim_matches('\'');
    match name.trim() {
        "" => format!("Sheet{number}"),
        // Excel reserves this name.
        trimmed if trimmed.eq_ignore_ascii_case("history") => format!("{trimmed} {number}"),
        _ => name.to_owned(),
    }
}

/// Returns another name if an earlier sheet has this one, without regard to case.
fn unique(name: String, taken: &mut BTreeSet<String>) -> String {
    let mut unique = name.clone();
    let mut number = 2;
    while !taken.insert(unique.to_lowercase()) {
        let end = format!(" ({number})");
        unique = format!("{}{end}", cut(&name, MAX_UNITS - end.len()).trim_end_matches('\''));
        number += 1;
    }
    unique
}

/// Returns the beginning of a text with at most `units` UTF-16 units.
fn cut(text: &str, units: usize) -> &str {
    let mut left = units;
    let end = text.chars().take_while(|c| match left.checked_sub(c.len_utf16()) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    let bytes: usize = end.map(char::len_utf8).sum();
    &text[..bytes]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::workbook::Sheet;

    #[test]
    fn names_that_excel_does_not_take_are_repaired_and_told() {
        let given = [
            "收入/成本",
            "收入-成本",
            "",
            "'甲'",
            "History",
            "a\u{1}b\nc",
            &"年".repeat(40),
            &"年".repeat(32),
            "[x]:*?",
            "Data",
            "DATA",
            &"😀".repeat(16),
        ];
        let sheet = |name: &&str| Sheet { name: (*name).to_owned(), ..Sheet::default() };
        let sheets = given.iter().map(sheet).collect();
        let (names, warnings) = repaired(&Workbook { sheets, ..Workbook::default() });
        let long = "年".repeat(31);
        let cut = format!("{} (2)", "年".repeat(27));
        let faces = "😀".repeat(15);
        let expected = [
            "收入-成本",
            "收入-成本 (2)",
            "Sheet3",
            "甲",
            "History 5",
            "ab c",
            &long,
            &cut,
            "(x)---",
            "Data",
            "DATA (2)",
            &faces,
        ];
        assert_eq!(names, expected);
        assert!(names.iter().all(|name| name.encode_utf16().count() <= MAX_UNITS));
        assert_eq!(warnings.len(), 11);
        assert_eq!(
            warnings[0],
            "sheet 1 is named `收入-成本`, as Excel does not take `收入/成本`: 1 to 31 characters, none of \
             `[ ] : * ? / \\`, each name once"
        );
        let many = vec![Sheet { name: "a/b".into(), ..Sheet::default() }; 30];
        let (names, warnings) = repaired(&Workbook { sheets: many, ..Workbook::default() });
        assert_eq!((names[29].as_str(), warnings.len()), ("a-b (30)", 21));
        assert_eq!(warnings[20], "10 more sheets have another name than they were given");
    }
}
