//! Checks how deeply the objects of a file are nested, before the library reads them: the library calls itself for each
//! level, and a sandbox has a small stack.

use unpdf::parser::raw::stream;
use unpdf::parser::raw::tokenizer::{self, PdfObject, dict_get};

/// The deepest nesting of arrays and dictionaries. Programs write a few levels.
const MAX_DEPTH: usize = 256;

/// How often each byte of a file may be read, on average. Strings may hold text that looks like objects.
const MAX_LOOKS: usize = 8;

/// The most bytes that are unpacked from streams of objects for this check.
const MAX_UNPACKED: usize = 128 << 20;

/// What is wrong with a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The objects are nested too deeply.
    Deep,
    /// The objects overlap, so that reading them takes too long.
    Tangled,
}

impl Fault {
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Fault::Deep => "its arrays and dictionaries are nested more than 256 levels deep",
            Fault::Tangled => "its objects overlap",
        }
    }
}

/// Checks every object of a file.
pub(crate) fn check(file: &[u8]) -> Result<(), Fault> {
    let mut look =
        NestingCheck { left: file.len().saturating_mul(MAX_LOOKS) + (1 << 20), unpacked: 0 };
    let is_encrypted = find(file, b"/Encrypt", 0).is_some();
    let mut at = 0;
    // Objects and tables begin here. Everything else is reached from them.
    while let Some(word) = find(file, b"obj", at) {
        at = word + 3;
        if word.checked_sub(3).and_then(|from| file.get(from..word)) == Some(b"end") {
            continue;
        }
        let end = look.value(file, at)?;
        // Encrypted streams cannot be unpacked here.
        if !is_encrypted && file.get(at..end).is_some_and(|head| find(head, b"ObjStm", 0).is_some())
        {
            look.packed(file, at)?;
        }
    }
    for word in [&b"trailer"[..], b"startxref", b"/Prev"] {
        let mut at = 0;
        while let Some(found) = find(file, word, at) {
            at = found + word.len();
            let from = match word {
                b"trailer" => Some(at),
                _ => number(file, at),
            };
            if let Some(from) = from {
                look.value(file, from)?;
            }
        }
    }
    Ok(())
}

struct NestingCheck {
    /// How many bytes may still be read.
    left: usize,
    unpacked: usize,
}

impl NestingCheck {
    /// Follows a value and returns where it ends.
    fn value(&mut self, data: &[u8], from: usize) -> Result<usize, Fault> {
        let mut open: usize = 0;
        let mut at = from;
        while let Some(byte) = data.get(at) {
            let next = match byte {
                b'(' => literal(data, at),
                b'%' => line(data, at),
                b'[' => {
                    open += 1;
                    at + 1
                }
                b'<' if data.get(at + 1) == Some(&b'<') => {
                    open += 1;
                    at + 2
                }
                b'<' => at + 1 + length(data, at + 1, |byte| *byte != b'>'),
                b']' => {
                    open = open.saturating_sub(1);
                    at + 1
                }
                b'>' if data.get(at + 1) == Some(&b'>') => {
                    open = open.saturating_sub(1);
                    at + 2
                }
                // No object has such bytes outside of strings. The library stops here too.
                0x80.. | 1..=8 | 14..=31 if open > 0 => return Ok(at),
                _ => at + 1,
            };
            if open > MAX_DEPTH {
                return Err(Fault::Deep);
            }
            self.left = self.left.checked_sub(next - at).ok_or(Fault::Tangled)?;
            at = next;
            let is_over = open == 0 && matches!(byte, b']' | b'>' | b'(' | b'e' | b's');
            if is_over {
                break;
            }
        }
        Ok(at)
    }

    /// Checks the objects in a stream of objects.
    fn packed(&mut self, file: &[u8], at: usize) -> Result<(), Fault> {
        let Ok((PdfObject::Stream(packed), _)) = tokenizer::parse_object(file, at) else {
            return Ok(());
        };
        let number = |key: &[u8]| {
            dict_get(&packed.dict, key)
                .and_then(PdfObject::as_i64)
                .and_then(|it| it.try_into().ok())
        };
        let is_type = dict_get(&packed.dict, b"Type").and_then(PdfObject::as_name);
        let (Some(b"ObjStm"), Some(count), Some(first)) = (is_type, number(b"N"), number(b"First"))
        else {
            return Ok(());
        };
        let (count, first): (usize, usize) = (count, first);
        if self.unpacked > MAX_UNPACKED {
            return Ok(());
        }
        let Ok(data) = stream::decompress(&packed) else { return Ok(()) };
        self.unpacked += data.len();
        self.left += data.len().saturating_mul(MAX_LOOKS);
        // The head has pairs: the number of an object and its place.
        let head = data.get(..first.min(data.len())).unwrap_or_default();
        let numbers = head.split(|byte| !byte.is_ascii_digit()).filter(|word| !word.is_empty());
        let places = numbers.skip(1).step_by(2).take(count);
        for place in places {
            let place =
                std::str::from_utf8(place).ok().and_then(|place| place.parse::<usize>().ok());
            if let Some(place) = place {
                self.value(&data, first.saturating_add(place))?;
            }
        }
        Ok(())
    }
}

fn find(data: &[u8], word: &[u8], from: usize) -> Option<usize> {
    let first = *word.first()?;
    let mut at = from;
    loop {
        at += data.get(at..)?.iter().position(|byte| *byte == first)?;
        if data.get(at..at + word.len())? == word {
            return Some(at);
        }
        at += 1;
    }
}

fn number(data: &[u8], at: usize) -> Option<usize> {
    let rest = data.get(at..)?.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
}

fn length(data: &[u8], at: usize, is_such: impl Fn(&u8) -> bool) -> usize {
    data.get(at..).unwrap_or_default().iter().take_while(|byte| is_such(byte)).count()
}

fn line(data: &[u8], at: usize) -> usize {
    at + length(data, at, |byte| !matches!(byte, b'\n' | b'\r')).max(1)
}

/// Returns where a string in round brackets ends.
fn literal(data: &[u8], at: usize) -> usize {
    let (mut depth, mut at) = (0_usize, at);
    while let Some(byte) = data.get(at) {
        at += 1;
        match byte {
            b'\\' => at += usize::from(at < data.len()),
            b'(' => depth += 1,
            b')' if depth <= 1 => return at,
            b')' => depth -= 1,
            _ => {}
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        "[".repeat(levels) + &"]".repeat(levels)
    }

    #[test]
    fn deep_objects_are_found_wherever_the_library_meets_them() {
        let deep = nested(5_000);
        let half = "<</A[".repeat(3_000);
        for file in [
            format!("%PDF-1.4\n1 0 obj\n{deep}\nendobj\n"),
            format!("%PDF-1.4\n1 0 obj\n<</A {deep}>>\nendobj\n"),
            format!("%PDF-1.4\n1 0 obj\n{half}"),
            format!("%PDF-1.4\n1 0 obj<</Length 9>>stream\n(2 0 obj {deep}\nendstream endobj\n"),
            format!("%PDF-1.4\n1 0 obj[(a]) <5d> % ]\n{deep}]\nendobj\n"),
            format!("%PDF-1.4\ntrailer\n{half}"),
            format!("%PDF-1.4\n{half}\nstartxref\n9\n"),
        ] {
            assert_eq!(check(file.as_bytes()), Err(Fault::Deep), "{}", &file[..40]);
        }
        let packed = format!("7 0 8 1 {deep}");
        let file = format!(
            "%PDF-1.5\n1 0 obj<</Type/ObjStm/N 2/First 8/Length {}>>stream\n{packed}\nendstream endobj\n",
            packed.len()
        );
        assert_eq!(check(file.as_bytes()), Err(Fault::Deep));
    }

    #[test]
    fn other_files_are_not_refused() {
        let many = (1..2_000).map(|at| format!("{at} 0 obj\n<</A[[1 2]]/B(>>obj)>>\nendobj\n"));
        for file in [
            nested(MAX_DEPTH),
            format!("1 0 obj {} endobj", nested(MAX_DEPTH)),
            many.collect(),
            // Brackets in a stream have no meaning.
            format!("1 0 obj<</Length 9>>stream\n{}\nendstream endobj", "[".repeat(9_000)),
            "1 0 obj((((((((((((((".to_owned() + &"(".repeat(9_000),
        ] {
            assert_eq!(check(file.as_bytes()), Ok(()), "{}", file.get(..40).unwrap_or(&file));
        }
        for name in ["weasy-text.pdf", "mitt.pdf", "letters.pdf", "scan.pdf", "aes-256.pdf"] {
            let file = format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"));
            assert_eq!(check(&std::fs::read(file).unwrap()), Ok(()), "{name}");
        }
    }

    #[test]
    fn the_look_is_linear() {
        let tangled = "obj[(".repeat(200_000);
        assert_eq!(check(tangled.as_bytes()), Err(Fault::Tangled));
    }
}
