//! Joins values of header fields that were split: encoded words (RFC 2047) and numbered parameters (RFC 2231).
//!
//! Many programs split in a character or in a group of Base64. The library decodes each piece alone, so the pieces are
//! joined first.

use std::borrow::Cow;
use std::fmt::Write as _;

use encoding_rs::{Encoding, ISO_2022_JP};
use mail_parser::decoders::base64::base64_decode;

use crate::raw;

/// Most bytes of the name of an encoding.
const MAX_LABEL: usize = 60;

/// Returns the mail with fields that the library can decode: in UTF-8, with split values joined.
pub(crate) fn legible(bytes: &[u8]) -> Cow<'_, [u8]> {
    match raw::with_legible_fields(bytes) {
        Cow::Borrowed(bytes) => joined(bytes).map_or(Cow::Borrowed(bytes), Cow::Owned),
        Cow::Owned(bytes) => Cow::Owned(joined(&bytes).unwrap_or(bytes)),
    }
}

/// Returns the mail with joined fields in its header and the headers of its parts; `None` if no field was split.
fn joined(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out: Option<Vec<u8>> = None;
    // Start and end of the current field.
    let (mut start, mut at) = (0, 0);
    let mut in_fields = true;
    let mut copied = 0;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let is_field = in_fields;
        in_fields = raw::fields_go_on(in_fields, line, lines.peek().copied());
        at += line.len();
        let goes_on =
            lines.peek().is_some_and(|next| next.starts_with(b" ") || next.starts_with(b"\t"));
        if is_field && in_fields && goes_on {
            continue;
        }
        if is_field && let Some(field) = bytes.get(start..at).and_then(join) {
            let out = out.get_or_insert_with(|| Vec::with_capacity(bytes.len() + 256));
            out.extend_from_slice(bytes.get(copied..start)?);
            out.extend_from_slice(field.as_bytes());
            copied = at;
        }
        start = at;
    }
    let mut out = out?;
    out.extend_from_slice(bytes.get(copied..)?);
    Some(out)
}

/// Returns a field with its pieces joined; `None` if it has no pieces.
fn join(field: &[u8]) -> Option<String> {
    let field = std::str::from_utf8(field).ok()?;
    let parameters = join_parameters(field);
    let words = join_words(parameters.as_deref().unwrap_or(field));
    words.or(parameters)
}

/// An encoded word: `=?gbk?B?xOO6ww==?=`.
struct Word<'a> {
    encoding: &'static Encoding,
    is_base64: bool,
    data: &'a str,
}

/// Returns the encoded word at the start of a text, and the rest.
fn word(text: &str) -> Option<(Word<'_>, &str)> {
    let (label, rest) = text.strip_prefix("=?")?.split_once('?')?;
    if label.len() > MAX_LABEL {
        return None;
    }
    // The language follows an asterisk.
    let label = label.split('*').next().unwrap_or(label);
    let encoding = Encoding::for_label(label.as_bytes())?;
    let (kind, rest) = rest.split_once('?')?;
    let is_base64 = kind.eq_ignore_ascii_case("b");
    if !is_base64 && !kind.eq_ignore_ascii_case("q") {
        return None;
    }
    // A word has neither a question mark nor a line break, so each character is read once.
    let (data, rest) = rest.split_once('?')?;
    let rest = rest.strip_prefix('=').filter(|_| !data.contains('\n'))?;
    Some((Word { encoding, is_base64, data }, rest))
}

/// Joins adjacent words of one encoding that cannot be decoded alone.
fn join_words(field: &str) -> Option<String> {
    let mut out = String::new();
    let mut has_joined = false;
    let mut rest = field;
    while let Some(at) = rest.find("=?") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let Some((first, mut behind)) = word(from) else {
            out.push_str("=?");
            rest = from.get(2..)?;
            continue;
        };
        let encoding = first.encoding;
        let mut run = vec![first];
        while let Some((next, after)) = word(behind.trim_start()) {
            if next.encoding != encoding {
                break;
            }
            run.push(next);
            behind = after;
        }
        match decoded(&run) {
            Some(text) => {
                has_joined = true;
                push_word(&mut out, &text);
            }
            None => out.push_str(from.get(..from.len() - behind.len())?),
        }
        rest = behind;
    }
    out.push_str(rest);
    has_joined.then_some(out)
}

/// Returns the text of joined words; `None` if each can be decoded alone.
fn decoded(run: &[Word<'_>]) -> Option<String> {
    let encoding = run.first().filter(|_| run.len() > 1)?.encoding;
    let decode = |bytes: &[u8]| encoding.decode_without_bom_handling(bytes).0.into_owned();
    let alone: String =
        run.iter().map(|word| decode(&bytes_of(word.data, word.is_base64))).collect();
    let whole = decode(&bytes_of_run(run, encoding));
    let errors = |text: &str| text.matches('\u{fffd}').count();
    // Japanese words that do not return to ASCII decode without errors, but to wrong characters.
    let is_cut = errors(&whole) < errors(&alone)
        || errors(&whole) == errors(&alone)
            && whole != alone
            && (encoding == ISO_2022_JP || run.iter().any(is_cut));
    is_cut.then_some(whole)
}

/// Returns `true` if a group of Base64, or a byte in hexadecimal digits, continues in the next word.
fn is_cut(word: &Word<'_>) -> bool {
    if !word.is_base64 {
        let tail = word.data.as_bytes().iter().rev().take(2).position(|byte| *byte == b'=');
        return tail.is_some();
    }
    let last = word.data.as_bytes().last().copied().and_then(value_of);
    match (word.data.len() % 4, last) {
        (1, Some(_)) => true,
        // In a complete word, the bits that pad the last byte are zero.
        (2, Some(last)) => last & 0b1111 != 0,
        (3, Some(last)) => last & 0b11 != 0,
        _ => false,
    }
}

fn value_of(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Returns the bytes of all words. A split group is joined before it is decoded.
fn bytes_of_run(run: &[Word<'_>], encoding: &'static Encoding) -> Vec<u8> {
    let mut out = Vec::new();
    let mut open = String::new();
    let mut words = run.iter().peekable();
    while let Some(word) = words.next() {
        open.push_str(word.data);
        let whole = Word { data: &open, ..*word };
        if is_cut(&whole) && words.peek().is_some_and(|next| next.is_base64 == word.is_base64) {
            continue;
        }
        let bytes = bytes_of(&open, word.is_base64);
        open.clear();
        // The decoder reports an error for two shifts in sequence.
        const ASCII: &[u8] = b"\x1B(B";
        if encoding == ISO_2022_JP && bytes.starts_with(b"\x1B") && out.ends_with(ASCII) {
            out.truncate(out.len() - ASCII.len());
            if bytes.starts_with(ASCII) {
                out.extend_from_slice(ASCII);
                out.extend_from_slice(bytes.get(ASCII.len()..).unwrap_or_default());
                continue;
            }
        }
        out.extend_from_slice(&bytes);
    }
    out
}

fn bytes_of(data: &str, is_base64: bool) -> Vec<u8> {
    if is_base64 {
        let mut padded = data.trim_end_matches('=').to_owned();
        // One character of Base64 is less than a byte.
        if padded.len() % 4 == 1 {
            padded.pop();
        }
        while !padded.len().is_multiple_of(4) {
            padded.push('=');
        }
        return base64_decode(padded.as_bytes()).unwrap_or_default();
    }
    unescape(&data.replace('_', " "), b'=')
}

/// Decodes bytes that are written as a mark and two hexadecimal digits.
fn unescape(text: &str, mark: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits
            .filter(|digits| {
                *first == mark && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
            })
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    out
}

/// Writes text as one encoded word, so that no character has a meaning for the parser.
fn push_word(out: &mut String, text: &str) {
    out.push_str("=?utf-8?Q?");
    push_escaped(out, text, '=');
    out.push_str("?=");
}

fn push_escaped(out: &mut String, text: &str, mark: char) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "{mark}{byte:02X}");
        }
    }
}

/// A part of a parameter: `filename*1*=%AD.csv`.
struct Piece<'a> {
    name: &'a str,
    number: u32,
    is_escaped: bool,
    value: String,
}

/// Joins numbered parameters in the order of their numbers.
fn join_parameters(field: &str) -> Option<String> {
    let (name, _) = field.split_once(':')?;
    let has_parameters = ["content-type", "content-disposition"]
        .iter()
        .any(|known| name.trim_end().eq_ignore_ascii_case(known));
    if !has_parameters || !field.contains('*') {
        return None;
    }
    let mut segments = segments(field);
    let mut pieces: Vec<Piece<'_>> = segments.iter().filter_map(|segment| piece(segment)).collect();
    pieces.sort_by(|a, b| {
        let key = |piece: &Piece<'_>| (piece.name.to_ascii_lowercase(), piece.number);
        key(a).cmp(&key(b))
    });
    let first = pieces.first()?;
    let end = if field.ends_with("\r\n") { "\r\n" } else { "\n" };
    let mut added = String::new();
    let mut group = vec![first];
    for piece in pieces.iter().skip(1) {
        let is_same =
            group.first().is_some_and(|first| first.name.eq_ignore_ascii_case(piece.name));
        if !is_same {
            push_parameter(&mut added, &group);
            group.clear();
        }
        group.push(piece);
    }
    push_parameter(&mut added, &group);
    let names: std::collections::HashSet<String> =
        pieces.iter().map(|piece| piece.name.to_ascii_lowercase()).collect();
    // The plain form of a parameter is for programs that cannot join.
    segments.retain(|segment| {
        piece(segment).is_none()
            && !segment
                .split_once('=')
                .is_some_and(|(name, _)| names.contains(&name.trim().to_ascii_lowercase()))
    });
    let kept = segments.join(";");
    Some(format!("{}{added}{end}", kept.trim_end_matches([' ', '\t', '\r', '\n', ';'])))
}

/// Splits a field at its semicolons, except those in quotation marks.
fn segments(field: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (at, byte) in field.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => {
                found.extend(field.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.extend(field.get(start..));
    found
}

fn piece(segment: &str) -> Option<Piece<'_>> {
    let (name, value) = segment.split_once('=')?;
    let (name, number) = name.trim().split_once('*')?;
    let (number, is_escaped) = match number.strip_suffix('*') {
        Some(number) => (number, true),
        None => (number, false),
    };
    if !number.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    Some(Piece { name, number: number.parse().ok()?, is_escaped, value: unquoted(value.trim()) })
}

/// Returns the text of a value, which may be in quotation marks and in several lines.
fn unquoted(value: &str) -> String {
    let value: String =
        value.chars().filter(|character| !matches!(character, '\r' | '\n')).collect();
    let Some(inner) = value.strip_prefix('"') else { return value };
    let mut out = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => out.extend(characters.next()),
            other => out.push(other),
        }
    }
    out
}

fn push_parameter(out: &mut String, pieces: &[&Piece<'_>]) {
    let Some(first) = pieces.first() else { return };
    if pieces.iter().all(|piece| !piece.is_escaped) {
        let value: String = pieces.iter().map(|piece| piece.value.as_str()).collect();
        let _ = write!(
            out,
            "; {}=\"{}\"",
            first.name,
            value.replace('\\', "\\\\").replace('"', "\\\"")
        );
        return;
    }
    let mut label = None;
    let mut bytes = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let mut value = piece.value.as_str();
        // The first piece has the encoding and the language.
        if index == 0
            && piece.is_escaped
            && let Some((said, (_, rest))) =
                value.split_once('\'').and_then(|(said, rest)| Some((said, rest.split_once('\'')?)))
        {
            (label, value) = (Some(said), rest);
        }
        if piece.is_escaped {
            bytes.extend(unescape(value, b'%'))
        } else {
            bytes.extend_from_slice(value.as_bytes())
        }
    }
    let known = label.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let text = known
        .and_then(|encoding| encoding.decode_without_bom_handling_and_without_replacement(&bytes))
        .map_or_else(|| raw::decode(&bytes, label, b""), Cow::into_owned);
    let _ = write!(out, "; {}*=utf-8''", first.name);
    push_escaped(out, &text, '%');
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{EUC_KR, GBK, SHIFT_JIS, UTF_8};
    use mail_parser::{MessageParser, MimeHeaders};

    const TEXT: &str = "关于合同续签及付款安排的通知";

    fn subject(field: &str) -> String {
        let mail = format!("Subject: {field}\r\nTo: a@b.c\r\n\r\nbody\r\n");
        let bytes = legible(mail.as_bytes()).into_owned();
        MessageParser::default().parse(&bytes).unwrap().subject().unwrap().to_owned()
    }

    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for three in bytes.chunks(3) {
            let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
            let bits = at(0) << 16 | at(1) << 8 | at(2);
            for index in 0..4_usize {
                let value = bits >> (18 - 6 * index) & 63;
                out.push(if index > three.len() {
                    '='
                } else {
                    char::from(LETTERS[value as usize])
                });
            }
        }
        out
    }

    fn quoted(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("={byte:02X}")).collect()
    }

    #[test]
    fn words_that_are_cut_anywhere_are_joined() {
        let japanese = "報告書の件について";
        for (encoding, label, text) in [
            (UTF_8, "utf-8", TEXT),
            (GBK, "GB2312", TEXT),
            (SHIFT_JIS, "Shift_JIS", japanese),
            (EUC_KR, "euc-kr", "계약서 통지"),
            (ISO_2022_JP, "iso-2022-jp", japanese),
        ] {
            let bytes = encoding.encode(text).0;
            for at in 1..bytes.len() {
                let (one, two) = bytes.split_at(at);
                let b = |bytes: &[u8]| format!("=?{label}?B?{}?=", base64(bytes));
                let q = |bytes: &[u8]| format!("=?{}?q?{}?=", label.to_uppercase(), quoted(bytes));
                // There is no split before or after a shift to another character set.
                if encoding == ISO_2022_JP && (at < 3 || at > bytes.len() - 3) {
                    continue;
                }
                for field in [
                    format!("{}\r\n {}", b(one), b(two)),
                    format!("{} {}", q(one), q(two)),
                    format!("{}\r\n\t{}", b(one), q(two)),
                    format!("{}{}", q(one), b(two)),
                ] {
                    assert_eq!(subject(&field), text, "{field}");
                }
            }
            let whole = base64(&bytes);
            for at in (1..whole.trim_end_matches('=').len()).filter(|at| at % 4 == 1) {
                let (one, two) = whole.split_at(at);
                let field = format!("=?{label}?B?{one}?=\r\n =?{label}?B?{two}?=");
                assert_eq!(subject(&field), text, "{field}");
            }
        }
    }

    #[test]
    fn words_that_are_whole_stay() {
        for (field, text) in [
            ("=?utf-8?B?5ZCI?= and =?utf-8?Q?x_=3F?=", "合 and x ?"),
            ("=?gbk?B?xOM=?= =?utf-8?B?5ZCI?=", "你合"),
            ("=?utf-8?B?5ZCI", "=?utf-8?B?5ZCI"),
            ("=?iso-2022-jp?B?GyRCSnMbKEI=?= =?iso-2022-jp?B?GyRCSnMbKEI=?=", "報報"),
        ] {
            assert_eq!(subject(field), text, "{field}");
        }
        for field in
            ["=?nothing?B?x?= =?nothing?B?x?=", "=?utf-8?X?x?= =?utf-8?", "=?", "=?utf-8?B?="]
        {
            assert!(join(field.as_bytes()).is_none(), "{field}");
        }
        for piece in ["=?", "=?utf-8?B?x", "=?utf-8?B?x?= ", "=?utf-8?Q?=?= ", "=?utf-8?Q?=?=\n"] {
            let _ = join(format!("Subject: {}", piece.repeat(20_000)).as_bytes());
        }
        let mail = b"Subject: x\r\n\r\n=?utf-8?B?5ZCI5w==?= =?utf-8?B?u60=?=\r\nContent-Type: a; b*0*=c\r\n";
        assert!(joined(mail).is_none());
    }

    fn name(field: &str) -> String {
        let mail = format!(
            "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\nx\r\n--B\r\n\
             Content-Disposition: attachment; {field}\r\n\r\na,b\r\n--B--\r\n"
        );
        let bytes = legible(mail.as_bytes()).into_owned();
        let message = MessageParser::default().parse(&bytes).unwrap();
        message.attachment(0).unwrap().attachment_name().unwrap_or_default().to_owned()
    }

    #[test]
    fn numbered_parameters_are_joined_before_they_are_decoded() {
        for field in [
            "filename*0*=UTF-8''%E5%90%88%E5; filename*1*=%90%8C%E7%BB%AD%E7%AD%BE%2E%63%73%76",
            "filename*1*=%90%8C%E7%BB%AD%E7%AD%BE; filename*2=\".csv\";\r\n FileName*0*=UTF-8'zh'%E5%90%88%E5",
            "filename*0*=gb2312''%BA%CF%CD; filename*1*=%AC%D0%F8%C7; filename*2*=%A9.csv",
            "filename=\"plain.csv\"; filename*0*=utf-8''%E5%90; filename*1*=%88%E5%90%8C%E7%BB%AD%E7%AD%BE.csv",
            "filename*0=\"=?utf-8?B?5ZCI5ZCM57ut\"; filename*1=\"562+?=.csv\"",
            "filename=\"=?utf-8?B?5ZCI5ZCM57ut5w==?=\r\n =?utf-8?B?rb4uY3N2?=\"",
        ] {
            assert_eq!(name(field), "合同续签.csv", "{field}");
        }
        assert_eq!(
            name("filename*0*=ISO-2022-JP''%1B%24%42%4A%73%39; filename*1*=%70%3D%71%1B%28%42.csv"),
            "報告書.csv"
        );
        assert_eq!(name("filename*0=\"a; \\\"b\"; filename*1=\"*1*=c.csv\""), "a; \"b*1*=c.csv");
        let mut many: String = (0..100).map(|at| format!("filename*{at}*=%61; ")).collect();
        many.push_str("x=y");
        assert_eq!(name(&many), "a".repeat(100));
    }
}
