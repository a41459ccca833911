//! Texts with several formats, in which placeholders are replaced.

use super::book::{decoded, encoded, plain};
use crate::shared::xml_tokens::{TagKind, XmlToken, escape, set_attribute, unescape, xml_tokens};

/// Returns a text with replaced ranges: start, end in bytes of the plain text, and the new text, in order. A new text has
/// the format of
/// the beginning of its range.
pub(super) fn rich(xml: &str, spans: &[(usize, usize, String)]) -> String {
    let (whole, _) = plain(xml);
    let (mut out, mut in_text, mut reading, mut at) = (String::new(), false, 0_u32, 0);
    for token in xml_tokens(xml) {
        match token {
            XmlToken::Tag(tag) if tag.name == "t" => {
                in_text = tag.kind == TagKind::Open;
                out.push_str(&if in_text && reading == 0 {
                    set_attribute(tag.raw, "xml:space", "preserve")
                } else {
                    tag.raw.to_owned()
                });
            }
            XmlToken::Tag(tag) => {
                if tag.name == "rPh" {
                    match tag.kind {
                        TagKind::Open => reading += 1,
                        TagKind::Close => reading = reading.saturating_sub(1),
                        TagKind::Empty => {}
                    }
                }
                out.push_str(tag.raw);
            }
            XmlToken::Text(raw) if in_text && reading == 0 => {
                let text = decoded(&unescape(raw));
                let end = at + text.len();
                let mut kept = at;
                for (from, to, new) in spans.iter().filter(|it| it.1 > at && it.0 < end) {
                    if *from >= at {
                        out.push_str(&escape(&encoded(&whole[kept..*from])));
                        out.push_str(&escape(&encoded(new)));
                    }
                    kept = (*to).min(end);
                }
                out.push_str(&escape(&encoded(whole.get(kept..end).unwrap_or_default())));
                at = end;
            }
            XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
        }
    }
    out
}
