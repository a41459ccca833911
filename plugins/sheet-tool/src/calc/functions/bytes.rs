//! Texts by their bytes, as the Chinese Excel counts them, and functions that change the width of letters.

use super::Single;
use super::arguments::whole;
use crate::calc::coerce::{finite, text};
use crate::calc::criteria::{matches, pattern};
use crate::calc::evaluate::Environment;
use crate::value::{ErrorCode, Scalar};
use crate::width::{narrow, wide};

type Done = Result<Scalar, ErrorCode>;

/// Letters below the punctuation that code page 936 (GBK) has, with two bytes each.
const IN_GBK: &str = "¤§¨°±·×àáèéêìíòó÷ùúüāēěīńňōūǎǐǒǔǖǘǚǜǹɑɡˇˉˊˋ˙";

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "LENB" => (1, 1, |e, a| finite(bytes(e, a, 0)?.chars().map(width).sum::<usize>() as f64)),
        "LEFTB" => (1, 2, |e, a| part(&bytes(e, a, 0)?, 0, count(a, 1, 1.0)?)),
        "RIGHTB" => (1, 2, |e, a| {
            let (all, count) = (bytes(e, a, 0)?, count(a, 1, 1.0)?);
            let length: usize = all.chars().map(width).sum();
            part(&all, length.saturating_sub(count), count)
        }),
        "MIDB" => (3, 3, |e, a| {
            let start = count(a, 1, 1.0)?.checked_sub(1).ok_or(ErrorCode::Value)?;
            part(&bytes(e, a, 0)?, start, count(a, 2, 0.0)?)
        }),
        "REPLACEB" => (4, 4, |e, a| {
            let (all, start) = (bytes(e, a, 0)?, count(a, 1, 1.0)?);
            let start = start.checked_sub(1).ok_or(ErrorCode::Value)?;
            let end = start.saturating_add(count(a, 2, 0.0)?);
            let joined = cut(&all, 0, start) + &text(&a[3])? + &cut(&all, end, usize::MAX - end);
            if joined.chars().count() > 32_767 {
                Err(ErrorCode::Value)
            } else {
                Ok(Scalar::text(joined))
            }
        }),
        "FINDB" => (2, 3, |e, a| found(e, a, false)),
        "SEARCHB" => (2, 3, |e, a| found(e, a, true)),
        "ENCODEURL" => (1, 1, |_, a| {
            let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-_.~".contains(&it);
            let mut out = String::new();
            for byte in text(&a[0])?.bytes() {
                if is_plain(byte) {
                    out.push(char::from(byte))
                } else {
                    out += &format!("%{byte:02X}")
                }
            }
            if out.len() > 32_767 { Err(ErrorCode::Value) } else { Ok(Scalar::text(out)) }
        }),
        "ASC" => (1, 1, |_, a| Ok(Scalar::text(narrow(&text(&a[0])?)))),
        "DBCS" | "JIS" => (1, 1, |_, a| Ok(Scalar::text(wide(&text(&a[0])?)))),
        _ => return None,
    })
}

/// Returns a text whose bytes are counted, and notes if another Excel counts others.
fn bytes(e: &Environment, a: &[Scalar], at: usize) -> Result<String, ErrorCode> {
    let text = text(&a[at])?;
    if text.chars().any(|it| width(it) > 1) {
        e.has_counted_bytes.set(true);
    }
    Ok(text)
}

fn count(a: &[Scalar], at: usize, default: f64) -> Result<usize, ErrorCode> {
    match whole(a, at, default)? {
        count if count < 0.0 => Err(ErrorCode::Value),
        count => Ok(count.min(1e9) as usize),
    }
}

/// Returns the bytes of a letter.
fn width(c: char) -> usize {
    match u32::from(c) {
        0..=0x7f => 1,
        0x80..=0x2ff => 1 + usize::from(IN_GBK.contains(c)),
        // The sign of the euro and the half-width forms.
        0x20ac | 0xff61..=0xffdc | 0xffe8..=0xffee => 1,
        _ => 2,
    }
}

/// Returns some bytes of a text. Half of a letter is a blank.
fn cut(all: &str, start: usize, count: usize) -> String {
    let end = start.saturating_add(count);
    let (mut out, mut at) = (String::new(), 0);
    for c in all.chars() {
        let next = at + width(c);
        if at >= start && next <= end {
            out.push(c);
        } else if next > start && at < end {
            out.push(' ');
        }
        at = next;
    }
    out
}

fn part(all: &str, start: usize, count: usize) -> Done {
    Ok(Scalar::text(cut(all, start, count)))
}

fn found(e: &Environment, a: &[Scalar], has_patterns: bool) -> Done {
    let (wanted, all) = (text(&a[0])?, bytes(e, a, 1)?);
    let start = count(a, 2, 1.0)?.checked_sub(1).ok_or(ErrorCode::Value)?;
    if start > all.chars().map(width).sum::<usize>() {
        return Err(ErrorCode::Value);
    }
    let pieces = if has_patterns && wanted.contains(['*', '?', '~']) {
        pattern(&format!("{wanted}*"))
    } else {
        None
    };
    let lower = wanted.to_lowercase();
    let mut at = 0;
    let places = all.char_indices().map(|it| (it.0, width(it.1)));
    for (index, step) in places.chain([(all.len(), 0)]) {
        let rest = &all[index..];
        let is_here = match &pieces {
            _ if at < start => false,
            Some(pieces) => matches(pieces, rest),
            None if has_patterns => rest.to_lowercase().starts_with(&lower),
            None => rest.starts_with(&wanted),
        };
        if is_here {
            return finite(at as f64 + 1.0);
        }
        at += step;
    }
    Err(ErrorCode::Value)
}
