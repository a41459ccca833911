//! Pages that the parser cannot take as they are: elements in one another without end, of which it looks at all for each new one, and
//! more of them than there is memory for.

use std::borrow::Cow;

/// Elements in one another that are handed to the parser. Browsers stop at 512.
const MAX_DEPTH: usize = 500;

/// Elements and texts that are handed to the parser: its tree grows by doubling, and the next step would be more than half of the
/// memory that a reader has.
const MAX_NODES: usize = 1_600_000;

/// Elements that need no end, or have none: each one more is no deeper.
const ENDLESS: [&str; 34] = [
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html",
    "img", "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source",
    "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr", "path", "frame",
];

/// The beginning of a page that is small enough to be read.
pub(super) fn beginning(html: &str) -> &str {
    let mut nodes = 0;
    let mut from = 0;
    while let Some(found) = html.get(from..).and_then(|it| it.find('<')) {
        let begin = from + found;
        nodes += usize::from(found > 0);
        if nodes >= MAX_NODES {
            return html.get(..begin).unwrap_or(html);
        }
        let tag = html.get(begin..).unwrap_or_default();
        let is_element = tag.bytes().nth(1).is_some_and(|it| it.is_ascii_alphabetic());
        nodes += usize::from(is_element);
        // A sign of its own may be followed by any quotes.
        from = begin + if is_element { crate::epub::tag_end(tag) } else { 1 };
    }
    html
}

/// The page without the marks of elements that lie deeper; their text stays.
pub(super) fn bounded(html: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut depth = 0_usize;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = html.get(at..).and_then(|it| it.find('<')) {
        let begin = at + found;
        let tag = html.get(begin..).unwrap_or_default();
        let is_end = tag.starts_with("</");
        let name = tag.get(if is_end { 2 } else { 1 }..).unwrap_or_default();
        let length =
            name.bytes().take_while(|it| it.is_ascii_alphanumeric() || *it == b'-').count();
        let name = name.get(..length).unwrap_or_default().to_ascii_lowercase();
        at = begin + 1;
        if name.is_empty() || ENDLESS.contains(&name.as_str()) {
            continue;
        }
        let is_too_deep = depth > MAX_DEPTH;
        if is_end {
            depth = depth.saturating_sub(1);
        } else {
            depth += 1;
        }
        if is_too_deep {
            out.push_str(html.get(copied..begin).unwrap_or_default());
            at = begin + crate::epub::tag_end(tag);
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    out.push_str(html.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}
