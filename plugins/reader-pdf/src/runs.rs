//! Joins text that is painted letter by letter, before the library reads it.
//!
//! Some producers (Pango, Skia) write a string for every letter: `[<0057> 0 <0048> 0 <0051>] TJ`. The library looks the
//! font up for each string, which takes most of the time of such a document. Strings with next to no room between them
//! become one.

/// Most room between letters of one string in total, in thousandths of the font size. It is far less than a space
/// between words.
const MAX_SHIFT: f64 = 25.0;

/// Copies operators with their strings joined. Returns how many strings were saved.
pub(crate) fn join(content: &[u8], out: &mut Vec<u8>) -> usize {
    let mut saved = 0;
    let mut rest = content;
    while let Some(at) = rest.iter().position(|byte| *byte == b'[') {
        let (before, from) = rest.split_at(at);
        out.extend_from_slice(before);
        match array(from) {
            Some((items, end)) => {
                saved += write(&items, out);
                rest = from.get(end..).unwrap_or_default();
            }
            None => {
                out.push(b'[');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.extend_from_slice(rest);
    saved
}

/// An item of the array of `TJ`.
enum Item<'a> {
    /// A string as it is written, with its brackets.
    Text(&'a [u8]),
    Shift(f64),
}

/// Returns the items of an array that `TJ` follows, and its end; `None` for any other array.
fn array(text: &[u8]) -> Option<(Vec<Item<'_>>, usize)> {
    let mut items = Vec::new();
    let mut at = 1;
    loop {
        at += text.get(at..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let rest = text.get(at..)?;
        let length = match rest.first()? {
            b']' => {
                at += 1;
                break;
            }
            b'<' => {
                let length = rest.iter().position(|byte| *byte == b'>')? + 1;
                let digits = rest.get(1..length - 1)?;
                // An odd last digit counts as if a zero followed it.
                let is_whole =
                    digits.len().is_multiple_of(2) && digits.iter().all(u8::is_ascii_hexdigit);
                if !is_whole {
                    return None;
                }
                items.push(Item::Text(rest.get(..length)?));
                length
            }
            b'(' => {
                let length = literal(rest)?;
                items.push(Item::Text(rest.get(..length)?));
                length
            }
            _ => {
                let length = rest
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit() || b"+-.".contains(byte))
                    .count();
                let number = std::str::from_utf8(rest.get(..length)?).ok()?.parse().ok()?;
                items.push(Item::Shift(number));
                length
            }
        };
        at += length;
    }
    let blank = text.get(at..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    text.get(at + blank..)?.starts_with(b"TJ").then_some((items, at))
}

/// Returns the length of a literal string.
fn literal(text: &[u8]) -> Option<usize> {
    let mut depth = 0;
    let mut is_escaped = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Writes an array with its strings joined. Returns how many were saved.
fn write(items: &[Item<'_>], out: &mut Vec<u8>) -> usize {
    let mut saved = 0;
    // The string that is still open, and the room after it.
    let mut open: Option<u8> = None;
    let mut room = 0.0;
    let close = |open: &mut Option<u8>, room: &mut f64, out: &mut Vec<u8>| {
        out.extend(open.take().map(|bracket| if bracket == b'<' { b'>' } else { b')' }));
        if *room != 0.0 {
            out.extend_from_slice(format!("{room} ").as_bytes());
            *room = 0.0;
        }
    };
    out.push(b'[');
    for item in items {
        match item {
            Item::Shift(shift) => {
                if (room + shift).abs() > MAX_SHIFT {
                    close(&mut open, &mut room, out);
                }
                room += shift;
                if open.is_none() {
                    close(&mut open, &mut room, out);
                }
            }
            Item::Text(text) => {
                let [bracket, inner @ .., _] = text else { continue };
                if open == Some(*bracket) && !(*bracket == b'(' && ends_in_digits(out)) {
                    saved += 1;
                } else {
                    close(&mut open, &mut room, out);
                    out.push(*bracket);
                    open = Some(*bracket);
                }
                out.extend_from_slice(inner);
            }
        }
    }
    close(&mut open, &mut room, out);
    out.push(b']');
    saved
}

/// Returns whether a string ends in `\1` or `\12`. A digit after it would make another letter of it.
fn ends_in_digits(out: &[u8]) -> bool {
    let tail = out.get(out.len().saturating_sub(3)..).unwrap_or_default();
    matches!(tail, [b'\\', b'0'..=b'7', b'0'..=b'7'] | [_, b'\\', b'0'..=b'7'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_without_room_between_them_become_one() {
        for (text, expected, count) in [
            ("[<0057>0<0048> 0 <0051>] TJ", "[<005700480051>] TJ", 2),
            ("q [(th)-10(e)] TJ Q", "q [(the)-10 ] TJ Q", 1),
            ("[(a)-20(b)-20(c)]TJ", "[(ab)-20 -20 (c)]TJ", 1),
            ("[(a)-250(b)0(c)] TJ", "[(a)-250 (bc)] TJ", 1),
            ("[(a\\1)0(2)0(\\(x)] TJ", "[(a\\1)(2\\(x)] TJ", 1),
            ("[(a)0<62>] TJ", "[(a)<62>] TJ", 0),
            ("[3 5] 0 d [(a)0(b)] TJ", "[3 5] 0 d [(ab)] TJ", 1),
            ("[(unfinished", "[(unfinished", 0),
            ("[<1>0<2>] TJ", "[<1>0<2>] TJ", 0),
            ("[ [ (a) 0 (b) ] TJ", "[ [(ab)] TJ", 1),
            ("[] TJ [- (a)] TJ", "[] TJ [- (a)] TJ", 0),
        ] {
            let mut out = Vec::new();
            let saved = join(text.as_bytes(), &mut out);
            assert_eq!(
                (String::from_utf8_lossy(&out).as_ref(), saved),
                (expected, count),
                "{text}"
            );
        }
    }
}
