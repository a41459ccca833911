//! 7-bit encodings, whose bytes are all ASCII: ISO-2022-KR, ISO-2022-CN, HZ and UTF-7.

use encoding_rs::{EUC_KR, Encoding, GBK};

/// Most bytes that are examined.
const SAMPLE_BYTES: usize = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seven {
    /// ISO-2022-KR.
    Korean,
    /// ISO-2022-CN. Only its simplified characters are decoded.
    Chinese,
    /// HZ-GB-2312.
    Hz,
    /// UTF-7.
    Utf7,
}

impl Seven {
    /// Detects the encoding of a text. `None` for other texts, and if a byte is not ASCII.
    pub(super) fn of(bytes: &[u8]) -> Option<Seven> {
        let start = &bytes[..bytes.len().min(1024)];
        let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
        let has = |mark: &[u8]| memchr::memmem::find(start, mark).is_some();
        let found = if has(b"\x1b$)C") {
            Seven::Korean
        } else if has(b"\x1b$)A") {
            Seven::Chinese
        } else if is_hz(sample) {
            Seven::Hz
        } else if is_utf7(sample) {
            Seven::Utf7
        } else {
            return None;
        };
        bytes.is_ascii().then_some(found)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Seven::Korean => "ISO-2022-KR",
            Seven::Chinese => "ISO-2022-CN",
            Seven::Hz => "HZ",
            Seven::Utf7 => "UTF-7",
        }
    }

    /// Returns the text, and `true` if some bytes are not valid.
    pub(super) fn decode(self, bytes: &[u8]) -> (String, bool) {
        match self {
            Seven::Korean => shifted(bytes, EUC_KR),
            Seven::Chinese => shifted(bytes, GBK),
            Seven::Hz => hz(bytes),
            Seven::Utf7 => utf7(bytes),
        }
    }
}

/// Decodes a text in which `SO` and `SI` switch between ASCII and `encoding`.
fn shifted(bytes: &[u8], encoding: &'static Encoding) -> (String, bool) {
    let mut eight = Vec::with_capacity(bytes.len());
    let mut is_wide = false;
    let mut has_errors = false;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            0x1B if after.starts_with(b"$)") => {
                // A character set that is not decoded.
                has_errors |= after.get(2).is_some_and(|set| !b"AC".contains(set));
                rest = after.get(3..).unwrap_or_default();
            }
            0x0E => is_wide = true,
            0x0F => is_wide = false,
            b'\n' | b'\r' => {
                is_wide = false;
                eight.push(byte);
            }
            0x21..=0x7E if is_wide => eight.push(byte | 0x80),
            _ => eight.push(byte),
        }
    }
    let (text, is_lossy) = encoding.decode_without_bom_handling(&eight);
    (text.into_owned(), has_errors || is_lossy)
}

/// Returns `true` if a text has runs between `~{` and `~}`, all are valid, and half of the characters are common.
fn is_hz(sample: &[u8]) -> bool {
    let (mut pairs, mut common) = (0, 0);
    let mut rest = sample;
    while let Some(start) = memchr::memmem::find(rest, b"~{") {
        rest = &rest[start + 2..];
        let Some(end) = memchr::memmem::find(rest, b"~}") else { break };
        let run = &rest[..end];
        let is_pair = |pair: &[u8]| matches!(pair, [0x21..=0x77, 0x21..=0x7E]);
        if run.is_empty() || end % 2 == 1 || !run.chunks(2).all(is_pair) {
            return false;
        }
        pairs += end / 2;
        common += run.chunks_exact(2).filter(|pair| (0x30..=0x57).contains(&pair[0])).count();
        rest = &rest[end + 2..];
    }
    // These rows have the common characters.
    pairs > 0 && common * 2 >= pairs
}

fn hz(bytes: &[u8]) -> (String, bool) {
    let mut eight = Vec::with_capacity(bytes.len());
    let mut is_wide = false;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.first()) {
            (b'~', Some(b'{')) => is_wide = true,
            (b'~', Some(b'}')) => is_wide = false,
            // A line continuation.
            (b'~', Some(b'\n')) => {}
            (b'~', Some(b'~')) if !is_wide => eight.push(b'~'),
            (0x21..=0x7E, Some(second @ 0x21..=0x7E)) if is_wide => {
                eight.extend([byte | 0x80, second | 0x80]);
            }
            _ => {
                is_wide &= byte != b'\n';
                eight.push(byte);
                continue;
            }
        }
        rest = &after[1..];
    }
    let (text, has_errors) = GBK.decode_without_bom_handling(&eight);
    (text.into_owned(), has_errors)
}

/// Returns `true` if a text has runs of UTF-7, all are valid, and they have enough letters.
fn is_utf7(sample: &[u8]) -> bool {
    let is_marked = matches!(sample, [b'+', b'/', b'v', b'8' | b'9' | b'+' | b'/', ..]);
    let (mut runs, mut letters) = (0, 0);
    let mut rest = sample;
    while let Some(start) = memchr::memchr(b'+', rest) {
        rest = &rest[start + 1..];
        let length = rest.iter().position(|byte| sextet(*byte).is_none()).unwrap_or(rest.len());
        if length == rest.len() && runs > 0 {
            // The sample ends within the run.
            break;
        }
        let run = &rest[..length];
        let is_closed = rest.get(length) == Some(&b'-');
        rest = &rest[length..];
        if run.is_empty() && is_closed {
            continue;
        }
        let Some(text) = units(run) else { return false };
        // Programs do not encode ASCII letters. Phone numbers have no letters.
        if run.len() < 3
            || !run.iter().any(u8::is_ascii_alphabetic)
            || text.chars().any(|c| c.is_ascii_alphanumeric() || !is_written(c))
        {
            return false;
        }
        runs += 1;
        letters += text.chars().filter(|c| c.is_alphabetic()).count();
    }
    runs > 0 && (is_marked || runs >= 3 || letters >= 6)
}

/// Returns `true` for a character that mails and web pages have.
fn is_written(character: char) -> bool {
    matches!(character,
        '\0'..='\u{7f}' | '\u{a0}'..='\u{52f}' | '\u{590}'..='\u{6ff}' | '\u{900}'..='\u{e7f}' | '\u{1e00}'..='\u{206f}'
        | '\u{20a0}'..='\u{26ff}' | '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{feff}'..='\u{ffee}' | '\u{1f300}'..='\u{1faff}')
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

/// Decodes a run of UTF-7. `None` if it is not valid UTF-16, or has unused bits that are not zero.
fn units(run: &[u8]) -> Option<String> {
    let mut units = Vec::with_capacity(run.len() * 3 / 8 + 1);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in run {
        bits = bits << 6 | sextet(*byte)?;
        count += 6;
        if count >= 16 {
            count -= 16;
            units.push((bits >> count & 0xFFFF) as u16);
            bits &= (1 << count) - 1;
        }
    }
    if count >= 6 || bits != 0 {
        return None;
    }
    String::from_utf16(&units).ok()
}

fn utf7(bytes: &[u8]) -> (String, bool) {
    let mut out = String::with_capacity(bytes.len());
    let mut has_errors = false;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'+' {
            out.push(char::from(byte));
            continue;
        }
        let length = rest.iter().position(|byte| sextet(*byte).is_none()).unwrap_or(rest.len());
        let run = &rest[..length];
        rest = &rest[length..];
        let is_closed = rest.first() == Some(&b'-');
        if is_closed {
            rest = &rest[1..];
        }
        match units(run) {
            _ if run.is_empty() => out.push('+'),
            Some(text) => out.push_str(&text),
            None => {
                out.push(char::REPLACEMENT_CHARACTER);
                has_errors = true;
            }
        }
    }
    (out, has_errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(bytes: &[u8]) -> Option<String> {
        Seven::of(bytes).map(|seven| seven.decode(bytes).0)
    }

    #[test]
    fn chinese_between_signs_is_read() {
        let text = b"This is ~{<:Ky2;S{#,NpJ)l6HK!#~}Bye.\n~~ ~{VPND~}\n";
        assert_eq!(text_of(text).unwrap(), "This is 己所不欲，勿施於人。Bye.\n~ 中文\n");
        for text in ["~{name} is ${name}", "a ~{ b ~} c", "x~{}~}", "~{abc~}", "~/notes ~{a,b}"] {
            assert_eq!(Seven::of(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn runs_of_utf7_are_read() {
        for (bytes, text) in [
            ("Hi Mom +Jjo--+Jjo-! +AOQ-", "Hi Mom ☺-☺! ä"),
            ("+BB8EQAQ4BDIENQRC, 1+-1", "Привет, 1+1"),
            ("+ZeVnLIqe, +ZeVnLIqe.", "日本語, 日本語."),
            ("+/v8-+AOQ-", "\u{feff}ä"),
            ("+2D3cSg- +2D3cSg- +2D3cSg-", "👊 👊 👊"),
        ] {
            assert_eq!(text_of(bytes.as_bytes()).as_deref(), Some(text), "{bytes}");
        }
        for text in [
            "a+b-c",
            "+15550100, +15550104, +15550108, +15550100, +15550104",
            "call +49-30-1234567 or +1-800-555-0100",
            "C++ and g++-12, 1+1=2",
            "c2VjcmV0+dGV4dA==",
            "x+=1; y+AAA-",
            "+AGEAYgBj- +AGEAYgBj- +AGEAYgBj-",
            "name+tag@host.example, other+more@host.example",
            "+",
            "+-",
        ] {
            assert_eq!(Seven::of(text.as_bytes()), None, "{text}");
        }
    }
}
