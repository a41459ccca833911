//! Functions of texts.

use super::Single;
use super::math::{half_up, rounded};
use crate::calc::coerce::{self, finite, integer, number, text, truth};
use crate::calc::criteria::{matches, pattern};
use crate::display;
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;

/// Most characters of a text in a cell.
const MAX_TEXT: usize = 32_767;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "LEN" => (1, 1, |_, a| finite(text(&a[0])?.encode_utf16().count() as f64)),
        "LEFT" => (1, 2, |_, a| {
            let count = count(a.get(1), 1)?;
            Ok(Scalar::text(text(&a[0])?.chars().take(count).collect::<String>()))
        }),
        "RIGHT" => (1, 2, |_, a| {
            let (all, count) = (text(&a[0])?, count(a.get(1), 1)?);
            let skip = all.chars().count().saturating_sub(count);
            Ok(Scalar::text(all.chars().skip(skip).collect::<String>()))
        }),
        "MID" => (3, 3, |_, a| {
            let (start, count) = (integer(&a[1])?, count(Some(&a[2]), 0)?);
            if start < 1 {
                return Err(ErrorCode::Value);
            }
            Ok(Scalar::text(
                text(&a[0])?.chars().skip(start as usize - 1).take(count).collect::<String>(),
            ))
        }),
        "UPPER" => (1, 1, |_, a| Ok(Scalar::text(text(&a[0])?.to_uppercase()))),
        "LOWER" => (1, 1, |_, a| Ok(Scalar::text(text(&a[0])?.to_lowercase()))),
        "PROPER" => (1, 1, |_, a| Ok(Scalar::text(proper(&text(&a[0])?)))),
        "TRIM" => (1, 1, |_, a| {
            let all = text(&a[0])?;
            Ok(Scalar::text(
                all.split(' ').filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" "),
            ))
        }),
        "CLEAN" => (1, 1, |_, a| {
            Ok(Scalar::text(text(&a[0])?.chars().filter(|it| *it >= ' ').collect::<String>()))
        }),
        "CONCATENATE" => (1, 255, |_, a| {
            let mut all = String::new();
            for it in a {
                all.push_str(&text(it)?);
            }
            bounded(all)
        }),
        "REPT" => (2, 2, |_, a| {
            let (all, count) = (text(&a[0])?, count(Some(&a[1]), 0)?);
            if all.len().saturating_mul(count) > MAX_TEXT * 4 {
                Err(ErrorCode::Value)
            } else {
                bounded(all.repeat(count))
            }
        }),
        "EXACT" => (2, 2, |_, a| Ok(Scalar::Bool(text(&a[0])? == text(&a[1])?))),
        "FIND" => (2, 3, |_, a| found(a, false)),
        "SEARCH" => (2, 3, |_, a| found(a, true)),
        "REPLACE" => (4, 4, |_, a| {
            let (old, start, count) = (text(&a[0])?, integer(&a[1])?, count(Some(&a[2]), 0)?);
            if start < 1 {
                return Err(ErrorCode::Value);
            }
            let start = start as usize - 1;
            let head: String = old.chars().take(start).collect();
            let tail: String = old.chars().skip(start + count).collect();
            bounded(head + &text(&a[3])? + &tail)
        }),
        "SUBSTITUTE" => (3, 4, |_, a| {
            let (all, old, new) = (text(&a[0])?, text(&a[1])?, text(&a[2])?);
            if old.is_empty() {
                return Ok(Scalar::text(all));
            }
            match a.get(3) {
                None => bounded(all.replace(&old, &new)),
                Some(which) => {
                    let which = integer(which)?;
                    if which < 1 {
                        return Err(ErrorCode::Value);
                    }
                    match all.match_indices(&old).nth(which as usize - 1) {
                        Some((at, _)) => {
                            bounded(format!("{}{new}{}", &all[..at], &all[at + old.len()..]))
                        }
                        None => Ok(Scalar::text(all)),
                    }
                }
            }
        }),
        "TEXT" => (2, 2, |environment, a| {
            let code = text(&a[1])?;
            if let Scalar::Error(code) = &a[0] {
                return Err(*code);
            }
            if code.is_empty() {
                return Ok(Scalar::text(""));
            }
            // Excel's limit of a format.
            if code.chars().count() > 255 {
                return Err(ErrorCode::Value);
            }
            let value = match &a[0] {
                Scalar::Text(text) => coerce::parse(text).map_or(a[0].clone(), Scalar::Number),
                Scalar::Empty => Scalar::Number(0.0),
                other => other.clone(),
            };
            Ok(Scalar::text(display::formatted(&value, &code, environment.from_1904)))
        }),
        "VALUE" => (1, 1, |_, a| match &a[0] {
            Scalar::Bool(_) => Err(ErrorCode::Value),
            other => finite(number(other)?),
        }),
        "NUMBERVALUE" => (1, 3, |_, a| {
            let decimal = a.get(1).map_or(Ok(".".to_owned()), text)?;
            let group = a.get(2).map_or(Ok(",".to_owned()), text)?;
            let plain: String = text(&a[0])?
                .chars()
                .filter(|it| !it.is_whitespace() && !group.contains(*it))
                .collect();
            let plain = plain.replace(&decimal, ".");
            if plain.is_empty() {
                finite(0.0)
            } else {
                coerce::parse(&plain).map(Scalar::Number).ok_or(ErrorCode::Value)
            }
        }),
        "FIXED" => (1, 3, |_, a| {
            let digits = a.get(1).map_or(Ok(2), integer)?.clamp(-15, 15) as i32;
            let value = rounded(number(&a[0])?, digits, half_up);
            let plain = a.get(2).map_or(Ok(false), truth)?;
            let zeros = "0".repeat(digits.max(0) as usize);
            let point = if digits > 0 { "." } else { "" };
            let code = format!("{}{point}{zeros}", if plain { "0" } else { "#,##0" });
            Ok(Scalar::text(display::formatted(&Scalar::Number(value), &code, false)))
        }),
        "DOLLAR" => (1, 2, |_, a| {
            let digits = a.get(1).map_or(Ok(2), integer)?.clamp(0, 15) as usize;
            let zeros = if digits > 0 { format!(".{}", "0".repeat(digits)) } else { String::new() };
            let code = format!("$#,##0{zeros};($#,##0{zeros})");
            Ok(Scalar::text(display::formatted(&Scalar::Number(number(&a[0])?), &code, false)))
        }),
        "CHAR" => (1, 1, |_, a| match integer(&a[0])? {
            n @ 1..=255 => Ok(Scalar::text(windows(n as u8).to_string())),
            _ => Err(ErrorCode::Value),
        }),
        "UNICHAR" => (1, 1, |_, a| {
            let c =
                u32::try_from(integer(&a[0])?).ok().filter(|it| *it > 0).and_then(char::from_u32);
            c.map(|it| Scalar::text(it.to_string())).ok_or(ErrorCode::Value)
        }),
        "CODE" => (1, 1, |_, a| match text(&a[0])?.chars().next() {
            Some(c) => finite((1..=255).find(|it| windows(*it) == c).map_or(63.0, f64::from)),
            None => Err(ErrorCode::Value),
        }),
        "UNICODE" => (1, 1, |_, a| match text(&a[0])?.chars().next() {
            Some(c) => finite(f64::from(u32::from(c))),
            None => Err(ErrorCode::Value),
        }),
        "ADDRESS" => (2, 5, |_, a| {
            let (row, column) = (integer(&a[0])?, integer(&a[1])?);
            let kind = a.get(2).filter(|it| **it != Scalar::Empty).map_or(Ok(1), integer)?;
            if !(1..=1_048_576).contains(&row)
                || !(1..=16_384).contains(&column)
                || !(1..=4).contains(&kind)
            {
                return Err(ErrorCode::Value);
            }
            let letters = crate::refs::column_name(column as u32);
            let row_sign = if matches!(kind, 1 | 2) { "$" } else { "" };
            let column_sign = if matches!(kind, 1 | 3) { "$" } else { "" };
            let sheet = match a.get(4) {
                Some(sheet) if *sheet != Scalar::Empty => {
                    crate::refs::quoted_sheet(&text(sheet)?) + "!"
                }
                _ => String::new(),
            };
            Ok(Scalar::text(format!("{sheet}{column_sign}{letters}{row_sign}{row}")))
        }),
        _ => return None,
    })
}

fn bounded(all: String) -> Done {
    if all.chars().count() > MAX_TEXT { Err(ErrorCode::Value) } else { Ok(Scalar::text(all)) }
}

fn count(value: Option<&Scalar>, default: usize) -> Result<usize, ErrorCode> {
    match value {
        None => Ok(default),
        Some(value) => usize::try_from(integer(value)?).map_err(|_| ErrorCode::Value),
    }
}

fn proper(text: &str) -> String {
    let mut out = String::new();
    let mut is_start = true;
    for c in text.chars() {
        if is_start {
            out.extend(c.to_uppercase())
        } else {
            out.extend(c.to_lowercase())
        }
        is_start = !c.is_alphabetic();
    }
    out
}

fn found(a: &[Scalar], has_patterns: bool) -> Done {
    let (wanted, all) = (text(&a[0])?, text(&a[1])?);
    let start = a.get(2).map_or(Ok(1), integer)?;
    let chars: Vec<char> = all.chars().collect();
    if start < 1 || start as usize > chars.len() + 1 {
        return Err(ErrorCode::Value);
    }
    let start = start as usize - 1;
    let lower = |it: &str| it.to_lowercase();
    let pieces = if has_patterns {
        pattern(&format!("{wanted}*")).filter(|_| wanted.contains(['*', '?', '~']))
    } else {
        None
    };
    for at in start..=chars.len() {
        let rest: String = chars[at..].iter().collect();
        let is_here = match (&pieces, has_patterns) {
            (Some(pieces), _) => matches(pieces, &rest),
            (None, true) => lower(&rest).starts_with(&lower(&wanted)),
            (None, false) => rest.starts_with(&wanted),
        };
        if is_here {
            return finite(at as f64 + 1.0);
        }
    }
    Err(ErrorCode::Value)
}

/// Returns a character of Windows-1252.
fn windows(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}
