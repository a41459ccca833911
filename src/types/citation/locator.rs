//! What stands behind the `#` of a citation: a page, rows, cells, a paragraph, or a name.
//!
//! Knows no documents; only whether a name is plausible depends on the document, which the caller knows.

use std::ops::RangeInclusive;

/// Most bytes of a locator.
const MAX_BYTES: usize = 300;

/// Most bytes of the name of a sheet. Spreadsheets allow 31 characters.
const MAX_SHEET_BYTES: usize = 128;

/// Parts of documents that are cited by their number: `page=3`.
const PARTS: [&str; 5] = ["page", "slide", "chapter", "cell", "mail"];

/// A place in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Locator {
    /// Parts with these numbers, from 1: `page=3`, `slide=2-4`.
    Parts { kind: &'static str, numbers: RangeInclusive<u64> },
    /// Rows of a table as a spreadsheet counts them, from 1: `row=12`.
    Rows(RangeInclusive<u64>),
    /// Lines of a text, from 1: `line=12`, `L12-L15`.
    Lines(RangeInclusive<u64>),
    /// A paragraph or a table with its number, and the hash of its text: `p12`, `p12-3fa9`, `t0-77b1`.
    Anchor { letter: char, number: u64, hash: Option<String> },
    /// Cells: `Sheet1!B7`, `B2:C5`.
    Cells(CellRange),
    /// A sheet, a table or a heading.
    Name(String),
}

/// A rectangle of cells. Rows and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CellRange {
    pub(super) sheet: Option<String>,
    pub(super) rows: RangeInclusive<u64>,
    pub(super) columns: RangeInclusive<u64>,
}

/// Reads the locator at the beginning of a text. Returns it with its length in bytes, or `None` if there is none. `sheets` are
/// the names of the document's sheets, which may then have spaces. `is_known` is `true` if the document exists: then any other
/// word is a name.
pub(super) fn read<'s>(
    text: &str,
    sheets: impl Iterator<Item = &'s str>,
    is_known: bool,
) -> Option<(Locator, usize)> {
    let text = mitt_base::text::cut_bytes(text, MAX_BYTES);
    named_sheet(text, sheets)
        .or_else(|| lines(text))
        .or_else(|| cells(text))
        .or_else(|| pairs(text))
        .or_else(|| anchor(text))
        .or_else(|| is_known.then(|| name(text)).flatten())
}

/// Reads a sheet of the document, with cells or without.
fn named_sheet<'s>(text: &str, sheets: impl Iterator<Item = &'s str>) -> Option<(Locator, usize)> {
    let begins = |sheet: &&str| {
        let beginning = text.get(..sheet.len());
        !sheet.is_empty() && beginning.is_some_and(|it| it.eq_ignore_ascii_case(sheet))
    };
    let sheet = sheets.filter(begins).max_by_key(|sheet| sheet.len())?;
    let rest = &text[sheet.len()..];
    if let Some(after) = rest.strip_prefix(['!', '！']) {
        let bang = rest.len() - after.len();
        let (mut range, length) = cell_range(after)?;
        range.sheet = Some(sheet.to_owned());
        return Some((Locator::Cells(range), sheet.len() + bang + length));
    }
    let is_end = rest
        .chars()
        .next()
        .is_none_or(|it| !it.is_alphanumeric() && !matches!(it, '_' | '-' | '='));
    is_end.then(|| (Locator::Name(sheet.to_owned()), sheet.len()))
}

/// Reads cells, with the name of a sheet or without.
fn cells(text: &str) -> Option<(Locator, usize)> {
    let (sheet, length) = match text.strip_prefix('\'') {
        Some(quoted) => {
            let (sheet, length) = quoted_sheet(quoted)?;
            (Some(sheet), length + 1)
        }
        None => match unquoted_sheet(text) {
            Some(sheet) => (Some(sheet.to_owned()), sheet.len()),
            None => (None, 0),
        },
    };
    let rest = &text[length..];
    let bang = match sheet {
        Some(_) => rest.len() - rest.strip_prefix(['!', '！'])?.len(),
        None => 0,
    };
    let (range, of_range) = cell_range(&rest[bang..])?;
    Some((Locator::Cells(CellRange { sheet, ..range }), length + bang + of_range))
}

/// Reads the rest of a quoted name, in which two quotes stand for one. Returns it with its length up to its last quote.
fn quoted_sheet(text: &str) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if at > MAX_SHEET_BYTES || character == '\n' {
            return None;
        }
        // Two quotes stand for one in the name.
        if character == '\'' && characters.next_if(|(_, next)| *next == '\'').is_none() {
            return Some((name, at + 1));
        }
        name.push(character);
    }
    None
}

/// Returns the name before a `!`. It may have spaces, as models leave the quotes out.
fn unquoted_sheet(text: &str) -> Option<&str> {
    const NEVER: [char; 14] =
        ['[', ']', ':', '*', '?', '/', '\\', '|', '<', '>', '"', '\'', '#', '\n'];
    let end = text.find(|it: char| matches!(it, '!' | '！') || NEVER.contains(&it))?;
    let is_name = (1..=MAX_SHEET_BYTES).contains(&end) && text[end..].starts_with(['!', '！']);
    is_name.then(|| &text[..end])
}

/// Reads `B7` or `B2:C5`, with `$` or without.
fn cell_range(text: &str) -> Option<(CellRange, usize)> {
    let (first, mut length) = cell(text)?;
    let mut last = first;
    if let Some(rest) = text[length..].strip_prefix(':') {
        let (end, of_end) = cell(rest)?;
        (last, length) = (end, length + 1 + of_end);
    }
    if text[length..].starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_') {
        return None;
    }
    let rows = first.0.min(last.0)..=first.0.max(last.0);
    let columns = first.1.min(last.1)..=first.1.max(last.1);
    Some((CellRange { sheet: None, rows, columns }, length))
}

/// Reads a cell. Returns its row and column, and its length.
fn cell(text: &str) -> Option<((u64, u64), usize)> {
    let dollar = usize::from(text.starts_with('$'));
    let letters = text[dollar..].bytes().take_while(u8::is_ascii_uppercase).count();
    if !(1..=3).contains(&letters) {
        return None;
    }
    let column = text[dollar..dollar + letters]
        .bytes()
        .fold(0, |column, letter| column * 26 + u64::from(letter - b'A') + 1);
    let at = dollar + letters;
    let at = at + usize::from(text[at..].starts_with('$'));
    let (row, digits) = number(&text[at..])?;
    (row > 0).then_some(((row, column), at + digits))
}

/// Reads pairs such as `page=3&rect=1,2,3,4`. The first that names a place counts.
fn pairs(text: &str) -> Option<(Locator, usize)> {
    let (mut at, mut locator) = (0, None);
    loop {
        let key = text[at..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let name = text[at..at + key].to_ascii_lowercase();
        if key == 0 || !text[at + key..].starts_with('=') {
            break;
        }
        let value = &text[at + key + 1..];
        let length = value.find(ends_value).unwrap_or(value.len());
        let value = value[..length].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        if value.is_empty() {
            break;
        }
        locator = locator.or_else(|| of_pair(&name, value));
        at += key + 1 + value.len();
        if !text[at..].starts_with('&') || value.len() < length {
            return locator.map(|it| (it, at));
        }
        at += 1;
    }
    // A separator without a pair behind it is no part of the locator.
    locator.map(|it| (it, at.saturating_sub(1)))
}

/// Returns `true` for a character that ends a value.
fn ends_value(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, '&' | '#' | '"' | '\'' | '`' | '|' | '<' | '>')
        || is_bracket(character)
        || is_wide_punctuation(character)
}

fn is_bracket(character: char) -> bool {
    matches!(
        character,
        '(' | ')' | '[' | ']' | '{' | '}' | '（' | '）' | '【' | '】' | '「' | '」' | '《' | '》'
    )
}

fn is_wide_punctuation(character: char) -> bool {
    matches!(character, '，' | '。' | '；' | '：' | '、' | '！' | '？' | '“' | '”' | '’' | '…')
}

fn of_pair(name: &str, value: &str) -> Option<Locator> {
    if let Some(kind) = PARTS.iter().find(|kind| **kind == name) {
        // RFC 7111: the cell in this row and column.
        if *kind == "cell"
            && let Some((row, column)) = value.split_once(',')
        {
            let (row, column) = (all_number(row)?, all_number(column)?);
            let (rows, columns) = (row..=row, column..=column);
            return Some(Locator::Cells(CellRange { sheet: None, rows, columns }));
        }
        if *kind == "cell"
            && let Some((range, length)) = cell_range(value)
            && length == value.len()
        {
            return Some(Locator::Cells(range));
        }
        return Some(Locator::Parts { kind, numbers: numbers(value)? });
    }
    match name {
        "p" => Some(Locator::Parts { kind: "page", numbers: numbers(value)? }),
        "row" => numbers(value).map(Locator::Rows),
        "line" => numbers(value).map(Locator::Lines),
        "col" => numbers(value)
            .map(|columns| Locator::Cells(CellRange { sheet: None, rows: 1..=u64::MAX, columns })),
        "sheet" => Some(Locator::Name(value.to_owned())),
        _ => None,
    }
}

/// Reads `3`, `3-5` or `3–5`.
fn numbers(value: &str) -> Option<RangeInclusive<u64>> {
    let (first, last) = value.split_once(['-', '–']).unwrap_or((value, value));
    let (first, last) = (all_number(first)?, all_number(last)?);
    (first <= last).then_some(first..=last)
}

fn all_number(text: &str) -> Option<u64> {
    number(text).filter(|(_, length)| *length == text.len()).map(|(number, _)| number)
}

/// Reads a number of at most nine digits. Returns it with its length.
fn number(text: &str) -> Option<(u64, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = (1..=9).contains(&length).then(|| text[..length].parse().ok()).flatten()?;
    Some((number, length))
}

/// Reads `p12` or `p12-3fa9`.
fn anchor(text: &str) -> Option<(Locator, usize)> {
    let letter = text.chars().next().filter(char::is_ascii_lowercase)?;
    let (number, digits) = number(&text[1..])?;
    let mut length = 1 + digits;
    let mut hash = None;
    if let Some(rest) = text[length..].strip_prefix('-') {
        let n_hex = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if n_hex == 4 {
            hash = Some(rest[..4].to_ascii_lowercase());
            length += 5;
        }
    }
    ends_word(&text[length..]).then_some((Locator::Anchor { letter, number, hash }, length))
}

/// Reads `L12-L15`. A single line reads like a cell.
fn lines(text: &str) -> Option<(Locator, usize)> {
    let (first, digits) = number(text.strip_prefix('L')?)?;
    let rest = text[1 + digits..].strip_prefix('-')?;
    let (last, of_last) = number(rest.strip_prefix('L').unwrap_or(rest))?;
    let length = text.len() - rest.len() + usize::from(rest.starts_with('L')) + of_last;
    (first <= last && ends_word(&text[length..])).then_some((Locator::Lines(first..=last), length))
}

fn ends_word(rest: &str) -> bool {
    !rest.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_' || it == '=')
}

/// Reads the name of a sheet, a table or a heading up to the end of the word or of the brackets.
fn name(text: &str) -> Option<(Locator, usize)> {
    if let Some(quoted) = text.strip_prefix('\'') {
        let (sheet, length) = quoted_sheet(quoted)?;
        return Some((Locator::Name(sheet), length + 1));
    }
    let length = text.find(ends_value).unwrap_or(text.len());
    let name = text[..length].trim_end_matches(['.', ',', ';', ':', '!', '?']);
    (!name.is_empty()).then(|| (Locator::Name(name.to_owned()), name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str) -> Option<(Locator, &str)> {
        let (locator, length) = read(text, ["Sales 2024", "收入表"].into_iter(), true)?;
        Some((locator, &text[length..]))
    }

    fn at(sheet: Option<&str>, rows: RangeInclusive<u64>, columns: RangeInclusive<u64>) -> Locator {
        Locator::Cells(CellRange { sheet: sheet.map(str::to_owned), rows, columns })
    }

    fn part(kind: &'static str, numbers: RangeInclusive<u64>) -> Locator {
        Locator::Parts { kind, numbers }
    }

    #[test]
    fn places_have_the_notations_of_their_formats() {
        let anchor = |letter, number, hash: Option<&str>| {
            let hash = hash.map(str::to_owned);
            Locator::Anchor { letter, number, hash }
        };
        for (text, locator, rest) in [
            ("page=3", part("page", 3..=3), ""),
            ("page=3&rect=1.5,2,30,4.2]", part("page", 3..=3), "]"),
            ("rect=1,2,3,4&page=2) and", part("page", 2..=2), ") and"),
            ("page=3.", part("page", 3..=3), "."),
            ("page=3，而", part("page", 3..=3), "，而"),
            ("page=3-5&", part("page", 3..=5), "&"),
            ("p=4", part("page", 4..=4), ""),
            ("slide=4", part("slide", 4..=4), ""),
            ("row=12", Locator::Rows(12..=12), ""),
            ("line=12", Locator::Lines(12..=12), ""),
            ("L12-L15,", Locator::Lines(12..=15), ","),
            ("L7", at(None, 7..=7, 12..=12), ""),
            ("cell=4,2", at(None, 4..=4, 2..=2), ""),
            ("col=3", at(None, 1..=u64::MAX, 3..=3), ""),
            ("p12", anchor('p', 12, None), ""),
            ("p12-3FA9 and", anchor('p', 12, Some("3fa9")), " and"),
            ("t0-77b1", anchor('t', 0, Some("77b1")), ""),
            ("Sheet1!B7", at(Some("Sheet1"), 7..=7, 2..=2), ""),
            ("Sheet1!$AB$12.", at(Some("Sheet1"), 12..=12, 28..=28), "."),
            ("'Q1''s sheet'!C5:B2)", at(Some("Q1's sheet"), 2..=5, 2..=3), ")"),
            ("'a b'", Locator::Name("a b".to_owned()), ""),
            ("收入表!B7，", at(Some("收入表"), 7..=7, 2..=2), "，"),
            ("利润表！B7", at(Some("利润表"), 7..=7, 2..=2), ""),
            ("Other sheet!B7", at(Some("Other sheet"), 7..=7, 2..=2), ""),
            ("sales 2024!B7", at(Some("Sales 2024"), 7..=7, 2..=2), ""),
            ("Sales 2024]", Locator::Name("Sales 2024".to_owned()), "]"),
            ("B7", at(None, 7..=7, 2..=2), ""),
            ("sheet=Costs", Locator::Name("Costs".to_owned()), ""),
            ("revenue-by-region)", Locator::Name("revenue-by-region".to_owned()), ")"),
        ] {
            assert_eq!(known(text), Some((locator, rest)), "{text}");
        }
    }

    #[test]
    fn what_is_no_place_is_none() {
        for text in ["", " page=3", "page=", "page=x", "page=5-3", "row=1234567890", "Sheet1!", "1"]
        {
            let found = read(text, std::iter::empty(), false);
            assert_eq!(found, None, "{text}");
        }
        // Only a document that exists has headings.
        assert_eq!(read("summary", std::iter::empty(), false), None);
        let long = format!("{}!B7", "x".repeat(MAX_SHEET_BYTES + 1));
        assert_eq!(read(&long, std::iter::empty(), false), None);
    }
}
