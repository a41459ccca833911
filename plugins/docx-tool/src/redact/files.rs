//! Parts that are not XML: pictures, embedded files, anything else. They are searched, and never changed.

use super::matcher::Matcher;
use crate::xml::unescape;
use crate::zip::Zip;

/// Bytes that are searched at once, and how many of them the next piece has again. A hit is shorter.
const WINDOW: usize = 1 << 20;
const OVERLAP: usize = 4 << 10;
/// Shortest run of signs that is text and not chance.
const MIN_RUN: usize = 4;
/// Deepest level of archives in archives.
const MAX_LEVELS: usize = 4;
/// Most bytes of all files in embedded archives.
const MAX_INNER: usize = 256 << 20;

/// What is known of a part without looking into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Xml,
    Picture,
    Font,
    Other,
}

pub(super) fn kind(name: &str) -> FileKind {
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "xml" | "rels" | "vml" | "svg" => FileKind::Xml,
        "png" | "jpg" | "jpeg" | "jfif" | "gif" | "bmp" | "tif" | "tiff" | "emf" | "wmf"
        | "wdp" | "webp" | "ico" | "emz" | "wmz" | "pcz" | "heic" => FileKind::Picture,
        "odttf" | "ttf" | "otf" => FileKind::Font,
        _ => FileKind::Other,
    }
}

/// Where a file has a hit; `None` if it has none.
///
/// # Errors
/// One phrase: the file cannot be searched to its end.
pub(super) fn search(bytes: &[u8], matcher: &Matcher) -> Result<Option<String>, String> {
    let mut budget = MAX_INNER;
    search_level(bytes, matcher, 0, &mut budget)
}

fn search_level(
    bytes: &[u8],
    matcher: &Matcher,
    level: usize,
    budget: &mut usize,
) -> Result<Option<String>, String> {
    if has(bytes, &|text| matcher.is_in(text)) {
        return Ok(Some("its bytes".to_owned()));
    }
    // An object of OLE may have an archive behind its head.
    let start = bytes.windows(4).position(|it| it == b"PK\x03\x04");
    let Some(zip) = start.and_then(|at| Zip::open(bytes[at..].to_vec()).ok()) else {
        return Ok(None);
    };
    if level >= MAX_LEVELS {
        return Err(format!("it has archives nested deeper than {MAX_LEVELS}"));
    }
    for name in zip.names() {
        if matcher.is_in(name) {
            return Ok(Some(format!("the name of `{name}`")));
        }
        let content = zip.read(name)?.unwrap_or_default();
        *budget = budget.checked_sub(content.len()).ok_or("its archive is too large")?;
        let text = std::str::from_utf8(&content)
            .ok()
            .filter(|it| it.trim_start_matches('\u{feff}').starts_with('<'));
        if let Some(text) = text
            && without_tags(text).iter().any(|it| matcher.is_in(it))
        {
            return Ok(Some(format!("`{name}`")));
        }
        if search_level(&content, matcher, level + 1, budget)?.is_some() {
            return Ok(Some(format!("`{name}`")));
        }
    }
    Ok(None)
}

/// Returns the text of XML with the tags taken out, with and without a sign in their place.
fn without_tags(xml: &str) -> [String; 2] {
    let mut out = [String::new(), String::new()];
    let mut rest = xml;
    loop {
        let end = rest.find('<').unwrap_or(rest.len());
        let text = unescape(&rest[..end]);
        out[0].push_str(&text);
        out[1].push_str(&text);
        if end == rest.len() {
            return out;
        }
        let tag = &rest[end..];
        let close = tag.find('>').map_or(tag.len(), |it| it + 1);
        // Values of attributes are words too.
        out[1].push('\n');
        out[1].push_str(&unescape(&tag[..close]));
        out[1].push('\n');
        rest = &tag[close..];
    }
}

/// Returns `true` if a picture has a long word in its data, such as its description by a camera.
pub(super) fn is_in_picture(bytes: &[u8], matcher: &Matcher) -> bool {
    has(bytes, &|text| matcher.is_long_word_in(text))
}

/// Searches the runs of signs in bytes, read as UTF-8, as Latin-1 and as UTF-16 in both orders and at both offsets.
fn has(bytes: &[u8], is_hit: &dyn Fn(&str) -> bool) -> bool {
    let mut at = 0;
    loop {
        let end = (at + WINDOW).min(bytes.len());
        let piece = &bytes[at..end];
        if is_hit(&runs(String::from_utf8_lossy(piece).chars()))
            || is_hit(&runs(piece.iter().map(|&it| char::from(it))))
        {
            return true;
        }
        for offset in 0..2 {
            for is_little in [true, false] {
                let units = piece.get(offset..).unwrap_or_default().chunks_exact(2).map(|it| {
                    let pair = [it[0], it[1]];
                    if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
                });
                let chars = char::decode_utf16(units).map(|it| it.unwrap_or('\u{fffd}'));
                if is_hit(&runs(chars)) {
                    return true;
                }
            }
        }
        if end == bytes.len() {
            return false;
        }
        at = end - OVERLAP;
    }
}

/// Returns the runs of signs that are long enough to be text, each on a line.
fn runs(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    let mut run = String::new();
    let mut count = 0;
    let mut push = |run: &mut String, count: &mut usize| {
        if *count >= MIN_RUN {
            out.push_str(run);
            out.push('\n');
        }
        run.clear();
        *count = 0;
    };
    for it in chars {
        let is_text = it == '\t' || !it.is_control() && it != '\u{fffd}';
        if is_text {
            run.push(it);
            count += 1;
        } else {
            push(&mut run, &mut count)
        }
    }
    push(&mut run, &mut count);
    out
}
