//! Formats in marks and merge fields: `{{amount|#,##0.00}}` in Excel's syntax, `{{amount \# "#,##0.00"}}` in that of Word's
//! merge fields. Splits marks and selects the writer for a value.
//!
//! Knows no document: `scope` looks names up.

mod chinese;
mod date;
mod number;

use crate::FillValue;
use mitt_base::text;

/// Most characters of a format.
const MAX_FORMAT: usize = 200;

/// Formats that write an amount in formal Chinese numerals, as on invoices: `壹仟贰佰叁拾肆元伍角陆分`.
const CAPITAL: [&str; 3] = ["大写", "rmb", "RMB"];

/// The format of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Format<'t> {
    /// A format in Excel's syntax, for numbers or dates.
    excel: Option<&'t str>,
    /// Word's `\#` and `\@`.
    number: Option<&'t str>,
    date: Option<&'t str>,
    /// Word's `\*`, in order.
    general: Vec<&'t str>,
    /// Word's `\b` and `\f`: texts before and after a value that is not empty.
    before: Option<&'t str>,
    after: Option<&'t str>,
}

/// Splits a mark into name and format. The error describes a mistake in the format.
pub(crate) fn split(mark: &str) -> (&str, Option<Result<Format<'_>, String>>) {
    let switch = mark.char_indices().find(|(at, c)| {
        let next = || mark[at + c.len_utf8()..].chars().next();
        matches!(c, '|' | '｜') || (*c == '\\' && next().is_some_and(|it| "#@*bf".contains(it)))
    });
    let Some((at, sign)) = switch else { return (mark, None) };
    let (name, rest) = mark.split_at(at);
    let read = match rest.chars().count() > MAX_FORMAT {
        true => Err(format!("expected a format of at most {MAX_FORMAT} characters")),
        false if sign == '\\' => switches(rest),
        false => match rest[sign.len_utf8()..].trim() {
            "" => {
                Err("expected a format such as `#,##0.00` or `yyyy-mm-dd` behind the line".into())
            }
            excel => Ok(Format { excel: Some(unquoted(excel)), ..Format::default() }),
        },
    };
    (name.trim(), Some(read))
}

/// Splits a mark at its first line into a name and what is behind it, if it has one.
pub(crate) fn parts(mark: &str) -> Option<(&str, &str)> {
    let (name, rest) = mark.split_once(['|', '｜'])?;
    Some((name.trim(), rest.trim()))
}

/// Removes quotation marks around the whole text, which Word makes curly while they are typed.
fn unquoted(text: &str) -> &str {
    let inner = ['"', '“', '”'].iter().find_map(|open| {
        let inner = text.strip_prefix(*open)?;
        inner.strip_suffix(['"', '”', '“'])
    });
    // `"a"0"b"` is not one quoted text.
    inner.filter(|inner| !inner.contains(['"', '“', '”'])).unwrap_or(text)
}

/// Parses Word's switches.
fn switches(text: &str) -> Result<Format<'_>, String> {
    let mut format = Format::default();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let Some(behind) = rest.strip_prefix('\\') else {
            return Err(format!(
                "expected a switch such as `\\# \"#,##0.00\"`, got `{}`",
                text::shortened(rest, 40)
            ));
        };
        let Some(switch) = behind.chars().next() else {
            return Err("expected a switch behind `\\`".into());
        };
        let behind = behind[switch.len_utf8()..].trim_start();
        // These take no argument.
        if matches!(switch, 'm' | 'v') {
            rest = behind;
            continue;
        }
        let (argument, left) = argument(behind).ok_or_else(|| {
            format!("expected a format behind `\\{switch}`, such as `\\# \"0.00\"`")
        })?;
        match switch {
            '#' => format.number = Some(argument),
            '@' => format.date = Some(argument),
            '*' => format.general.push(argument),
            'b' => format.before = Some(argument),
            'f' => format.after = Some(argument),
            _ => {
                return Err(format!(
                    "the switch `\\{switch}` is not known: there are `\\#`, `\\@`, `\\*`, `\\b` and `\\f`"
                ));
            }
        }
        rest = left.trim_start();
    }
    Ok(format)
}

/// Splits off a word or a quoted text, and returns the rest.
fn argument(text: &str) -> Option<(&str, &str)> {
    let quotes = ['"', '“', '”'];
    if let Some(inner) = text.strip_prefix(quotes) {
        let end = inner.find(quotes)?;
        let mark = inner[end..].chars().next().map_or(0, char::len_utf8);
        return Some((&inner[..end], &inner[end + mark..]));
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

impl Format<'_> {
    /// Returns the format in Excel's syntax, unless it writes numerals that no cell shows by itself.
    pub(crate) fn in_excel(&self) -> Option<&str> {
        self.excel.filter(|name| !CAPITAL.contains(name) && !name.eq_ignore_ascii_case("general"))
    }

    /// Writes a value. The error describes a mistake in the value or the format.
    pub(crate) fn write(&self, value: &FillValue) -> Result<String, String> {
        let mut written = self.value(value)?;
        if written.is_empty() {
            return Ok(written);
        }
        for general in &self.general {
            written = in_general(general, value, written)?;
        }
        let around = |text: Option<&str>| text.unwrap_or_default().to_owned();
        Ok(around(self.before) + &written + &around(self.after))
    }

    fn value(&self, value: &FillValue) -> Result<String, String> {
        let plain = value.as_text().unwrap_or_default();
        if plain.is_empty() {
            return Ok(String::new());
        }
        if let Some(picture) = self.excel {
            return match picture {
                name if CAPITAL.contains(&name) => {
                    let amount = number::Decimal::of(value, picture)?;
                    chinese::amount(&amount)
                }
                name if name.eq_ignore_ascii_case("general") => Ok(plain.to_owned()),
                _ if date::is_picture(picture) => {
                    date::write(value, picture, date::DateSyntax::Excel)
                }
                _ => number::write(value, picture, number::NumberSyntax::Excel),
            };
        }
        match (self.number, self.date) {
            (Some(_), Some(_)) => Err("expected one of `\\#` and `\\@`, got both".into()),
            (Some(picture), None) => number::write(value, picture, number::NumberSyntax::Word),
            (None, Some(picture)) => date::write(value, picture, date::DateSyntax::Word),
            (None, None) => Ok(plain.to_owned()),
        }
    }
}

/// Applies one of Word's `\*` switches.
fn in_general(name: &str, value: &FillValue, written: String) -> Result<String, String> {
    let capitalised = |words: &str, all: bool| {
        let mut starts = true;
        let upper = |c: char| {
            let is_first = std::mem::replace(&mut starts, all && c.is_whitespace());
            if is_first { c.to_uppercase().collect::<String>() } else { c.to_string() }
        };
        words.chars().map(upper).collect::<String>()
    };
    Ok(match name.to_lowercase().as_str() {
        "upper" => written.to_uppercase(),
        "lower" => written.to_lowercase(),
        "firstcap" => capitalised(&written, false),
        "caps" => capitalised(&written, true),
        // These concern the formatting of the field, which the run keeps.
        "mergeformat" | "charformat" => written,
        "chinesenum2" => chinese::figures(&number::Decimal::of(value, name)?, true)?,
        "chinesenum3" => chinese::figures(&number::Decimal::of(value, name)?, false)?,
        _ => {
            return Err(format!(
                "`\\* {}` is not known: there are Upper, Lower, FirstCap, Caps, CHINESENUM2, CHINESENUM3, MERGEFORMAT and CHARFORMAT",
                text::shortened(name, 40)
            ));
        }
    })
}

/// Returns the error for a value of the wrong kind for a format.
fn wanted(what: &str, picture: &str, value: &FillValue) -> String {
    let shown = text::shortened(value.as_text().unwrap_or_default(), 40);
    format!("expected {what} for the format `{picture}`, got {} `{shown}`", value.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> FillValue {
        FillValue::Number(text.to_owned())
    }

    fn text(text: &str) -> FillValue {
        FillValue::Text(text.to_owned())
    }

    fn written(mark: &str, value: &FillValue) -> Result<String, String> {
        let (name, format) = split(mark);
        assert_eq!(name, "a", "{mark}");
        format.expect(mark).and_then(|format| format.write(value))
    }

    #[test]
    fn names_are_parted_from_formats() {
        assert_eq!(split("a.b"), ("a.b", None));
        assert_eq!(split("a\\c").1, None);
        for (mark, value, expected) in [
            ("a|#,##0.00", number("1234.5"), "1,234.50"),
            ("a ｜ #,##0.00", number("1234.5"), "1,234.50"),
            ("a|\"0.0\"", number("1.25"), "1.3"),
            ("a \\# \"#,##0.00\"", number("1234.5"), "1,234.50"),
            ("a \\# “#,##0.00” \\* MERGEFORMAT", number("1234.5"), "1,234.50"),
            ("a \\# 0.0", number("1"), "1.0"),
            ("a \\@ \"yyyy年M月d日\"", text("2026-01-31"), "2026年1月31日"),
            ("a \\* Upper", text("abc d"), "ABC D"),
            ("a \\* Caps", text("abc d"), "Abc D"),
            ("a \\* FirstCap", text("abc d"), "Abc d"),
            ("a \\* CHINESENUM3", number("26"), "二十六"),
            ("a \\b \"Tel. \" \\f \"!\"", text("5"), "Tel. 5!"),
            ("a \\b \"Tel. \" \\f \"!\"", text(""), ""),
            ("a|大写", number("1234.56"), "壹仟贰佰叁拾肆元伍角陆分"),
        ] {
            assert_eq!(written(mark, &value).as_deref(), Ok(expected), "{mark}");
        }
        assert_eq!(written("a|0.00", &FillValue::Empty).as_deref(), Ok(""));
    }

    #[test]
    fn what_is_wrong_with_a_format_is_said() {
        let long = format!("a|{}", "0".repeat(300));
        for (mark, value, expected) in [
            ("a|", number("1"), "behind the line"),
            ("a \\# ", number("1"), "expected a format behind `\\#`"),
            ("a \\# \"0", number("1"), "expected a format behind `\\#`"),
            ("a \\# 0 x", number("1"), "a switch such as"),
            ("a \\# 0 \\q 1", number("1"), "the switch `\\q` is not known"),
            ("a \\* Roman", number("1"), "`\\* Roman` is not known"),
            ("a \\# 0 \\@ d", number("1"), "got both"),
            ("a|0.00", text("abc"), "expected a number for the format `0.00`, got a text `abc`"),
            ("a|yyyy-mm-dd", number("5"), "a date"),
            ("a|0.00", FillValue::Bool(true), "got a boolean `true`"),
            (&long, number("1"), "at most 200 characters"),
        ] {
            let error = written(mark, &value).unwrap_err();
            assert!(error.contains(expected), "{mark}: {error}");
        }
    }
}
