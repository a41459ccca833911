//! Finds fields of CSV files that a spreadsheet would calculate: a field with `=HYPERLINK(…)` is a formula when the file is
//! opened.
//!
//! Does not know who writes the file, nor what its columns mean.

use std::borrow::Cow;

/// What happens to such fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulas {
    /// Each gets an apostrophe in front, and they are counted.
    #[default]
    Harmless,
    /// The file is not written.
    Refused,
    /// They stay as they are.
    Kept,
}

/// Returns `true` if a spreadsheet would take the text of a field for a formula: it begins with `=`, `+`, `-`, `@`, a tab or
/// a carriage return and is not a number such as `-12.5`, `+1,200` or `-3 %`. Full-width forms of these signs count too. A
/// field of dashes alone is not a formula.
pub fn is_formula(field: &str) -> bool {
    let mut chars = field.chars();
    match chars.next() {
        Some('\t' | '\r') => true,
        Some('=' | '@' | '＝' | '＠') => true,
        Some('+' | '-' | '＋' | '－') => !is_number(chars.as_str()),
        _ => false,
    }
}

/// Returns `true` for text that may follow a sign: digits, perhaps in groups, with a fraction, an exponent or a per cent
/// sign; or only dashes, which stand for an empty value.
fn is_number(rest: &str) -> bool {
    let rest = rest.trim_end();
    if rest.chars().all(|c| c == '-') {
        return true;
    }
    let rest = rest.trim_start_matches(['¥', '$', '€', '£']);
    let rest = rest.strip_suffix(['%', '％']).unwrap_or(rest).trim_end();
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.trim_start_matches(['+', '-'])),
        None => (rest, "0"),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_whole = whole.is_empty() && !fraction.is_empty()
        || !whole.is_empty() && whole.split(',').all(is_digits);
    is_whole && (fraction.is_empty() || is_digits(fraction)) && is_digits(exponent)
}

/// Returns the text of a field, with an apostrophe in front if a spreadsheet would calculate it.
pub fn harmless(field: &str) -> Cow<'_, str> {
    if is_formula(field) { Cow::Owned(format!("'{field}")) } else { Cow::Borrowed(field) }
}

/// Fields of a CSV file that a spreadsheet would calculate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaFields {
    /// Number of such fields.
    pub count: u64,
    /// Line and field of the first one, both from 1.
    pub first: (u64, u64),
    /// The file, with an apostrophe in front of each such field.
    pub harmless: String,
}

/// Searches a CSV file for fields that a spreadsheet would calculate. `None` if it has none. Fields are separated by the
/// comma, semicolon or tab, whichever is most frequent in the first line.
pub fn in_csv(text: &str) -> Option<FormulaFields> {
    let bytes = text.as_bytes();
    let separator = separator(bytes);
    let mut found: Option<FormulaFields> = None;
    let mut copied = 0;
    let (mut at, mut line, mut number) = (if text.starts_with('\u{FEFF}') { 3 } else { 0 }, 1, 1);
    while at < bytes.len() {
        let is_quoted = bytes[at] == b'"';
        let start = at + usize::from(is_quoted);
        let end =
            if is_quoted { closing(bytes, start) } else { plain_end(bytes, start, separator) };
        // `is_formula` may see the raw text: doubled quotation marks inside do not change its answer.
        if text.get(start..end).is_some_and(is_formula) {
            let found = found.get_or_insert_with(|| FormulaFields {
                count: 0,
                first: (line, number),
                harmless: String::with_capacity(text.len() + text.len() / 64),
            });
            found.count += 1;
            found.harmless.push_str(&text[copied..start]);
            found.harmless.push('\'');
            copied = start;
        }
        line += bytes[start..end].iter().filter(|byte| **byte == b'\n').count() as u64;
        // Skip to the end of the field, whatever follows the closing quotation mark.
        at = plain_end(bytes, end, separator);
        match bytes.get(at) {
            Some(byte) if *byte == separator => {
                (at, number) = (at + 1, number + 1);
            }
            Some(_) => {
                let is_pair = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
                (at, line, number) = (at + 1 + usize::from(is_pair), line + 1, 1);
            }
            None => {}
        }
    }
    if let Some(found) = &mut found {
        found.harmless.push_str(&text[copied..]);
    }
    found
}

/// Returns the separator that is most frequent in the first line, outside of quotation marks.
fn separator(bytes: &[u8]) -> u8 {
    let mut counts = [(b',', 0_usize), (b';', 0), (b'\t', 0)];
    let mut is_quoted = false;
    for byte in bytes {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => break,
            byte if !is_quoted => {
                if let Some((_, count)) = counts.iter_mut().find(|(separator, _)| separator == byte)
                {
                    *count += 1;
                }
            }
            _ => {}
        }
    }
    // If several are equally frequent, the first one wins.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(separator, _)| *separator)
}

/// Returns the position of the quotation mark that closes a field; a doubled one stands for one inside the field.
fn closing(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        if bytes[at] == b'"' {
            if bytes.get(at + 1) != Some(&b'"') {
                return at;
            }
            at += 1;
        }
        at += 1;
    }
    bytes.len()
}

fn plain_end(bytes: &[u8], start: usize, separator: u8) -> usize {
    let is_end = |byte: &u8| *byte == separator || matches!(byte, b'\n' | b'\r');
    bytes[start..].iter().position(is_end).map_or(bytes.len(), |length| start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_no_formulas() {
        for field in [
            "",
            "a",
            "1",
            "-12.5",
            "+1",
            "-1,234.50",
            "-3%",
            "- ",
            "-",
            "--",
            "-1e-7",
            "+.5",
            "-¥12",
            "a=1",
            " =1",
            "-12 %",
            "1-2",
        ] {
            assert!(!is_formula(field), "{field}");
            assert_eq!(harmless(field), field);
        }
        for field in [
            "=1+1",
            "@SUM(A1)",
            "+1+1",
            "-1-cmd|' /C calc'!A0",
            "-a",
            "+86 138",
            "\t=1",
            "\r=1",
            "＝1",
            "－A1",
            "-1,",
            "-.",
            "-1e",
            "+$",
        ] {
            assert!(is_formula(field), "{field}");
            assert_eq!(harmless(field), format!("'{field}"));
        }
    }

    #[test]
    fn fields_of_a_file_are_found_wherever_they_stand() {
        for (text, expected, count, first) in [
            ("a,b\n=1,2\n", "a,b\n'=1,2\n", 1, (2, 1)),
            (
                "a,b\r\n1,\"=HYPERLINK(\"\"x\"\")\"\r\n",
                "a,b\r\n1,\"'=HYPERLINK(\"\"x\"\")\"\r\n",
                1,
                (2, 2),
            ),
            ("a;b\n-1;@x", "a;b\n-1;'@x", 1, (2, 2)),
            ("=a\t+b", "'=a\t'+b", 2, (1, 1)),
            ("a,\"x\ny\"\n,-1-2", "a,\"x\ny\"\n,'-1-2", 1, (3, 2)),
            ("\u{FEFF}=a,b", "\u{FEFF}'=a,b", 1, (1, 1)),
            ("a\n\"\t=1\"\n\"\r=1\"", "a\n\"'\t=1\"\n\"'\r=1\"", 2, (2, 1)),
            ("a,b\n\"=x", "a,b\n\"'=x", 1, (2, 1)),
        ] {
            let found = in_csv(text).unwrap_or_else(|| panic!("{text:?}"));
            let found = (found.harmless.as_str(), found.count, found.first);
            assert_eq!(found, (expected, count, first), "{text:?}");
        }
        for text in ["", "a,b\n-12.5,\"-1,200\"\n", "a\n\n\r\n", "a,\"b\n=c\"\n", "甲，=乙"] {
            assert_eq!(in_csv(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_large_file_takes_time_in_proportion_to_its_length() {
        let text = "\"".repeat(2_000_000);
        assert_eq!(in_csv(&text), None);
        let text = ",".repeat(2_000_000);
        assert_eq!(in_csv(&text), None);
    }
}
