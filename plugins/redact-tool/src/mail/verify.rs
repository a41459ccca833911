//! The proof: the new mail is read again by the parser of `reader-mail`, which shares no code with the one that redacted it.

use super::parameters::is_fixed;
use crate::error::{Error, Result, left, shorten};
use crate::matcher::Matcher;
use crate::verify::unescaped;
use mail_parser::{
    Address, HeaderName, HeaderValue, Message, MessageParser, MimeHeaders as _, PartType,
};

/// # Errors
/// [`Error::Unsupported`] - a hit is left, with its place.
pub(super) fn mail(bytes: &[u8], matcher: &Matcher) -> Result<()> {
    let Some(message) = MessageParser::default().parse(bytes) else {
        return Err(Error::Malformed("the redacted mail cannot be read again".to_owned()));
    };
    Reader { matcher }.message(&message, 0)
}

struct Reader<'a> {
    matcher: &'a Matcher,
}

impl Reader<'_> {
    fn message(&self, message: &Message<'_>, level: usize) -> Result<()> {
        if level > super::MAX_LEVELS {
            return Err(Error::Unsupported(
                "mails are nested too deep to be read again".to_owned(),
            ));
        }
        for (number, part) in message.parts.iter().enumerate() {
            let place = if number == 0 { "the mail".to_owned() } else { format!("part {number}") };
            for header in &part.headers {
                let name = shorten(header.name.as_str(), 60);
                if name.starts_with("X-") && self.is_in(&name) {
                    return left(&format!("the name of a header of {place}"));
                }
                let raw = message
                    .raw_message
                    .get(header.offset_start as usize..header.offset_end as usize);
                let is_typed =
                    matches!(header.name, HeaderName::ContentType | HeaderName::ContentDisposition);
                let raw = String::from_utf8_lossy(raw.filter(|_| !is_typed).unwrap_or_default());
                let unfolded = raw.replace(['\r', '\n'], "");
                let mut texts = vec![unfolded];
                shown(&header.value, &mut texts);
                if texts.iter().any(|it| self.is_in(it)) {
                    return left(&format!("the header `{name}` of {place}"));
                }
            }
            if part.attachment_name().is_some_and(|it| self.is_in(it)) {
                return left(&format!("the name of {place}"));
            }
            match &part.body {
                PartType::Text(text) if self.is_in(text) => {
                    return left(&format!("the text of {place}"));
                }
                PartType::Html(page) => {
                    let seen = mail_parser::decoders::html::html_to_text(page);
                    if self.is_in(&seen) || self.is_in(&without_names(page)) {
                        return left(&format!("the HTML text of {place}"));
                    }
                }
                PartType::Binary(bytes) | PartType::InlineBinary(bytes)
                    if super::body::has_word(bytes, self.matcher) =>
                {
                    return left(&format!("the file of {place}"));
                }
                PartType::Message(inner) => self.message(inner, level + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn is_in(&self, text: &str) -> bool {
        self.matcher.is_in(text)
            || text.contains(['&', '%']) && self.matcher.is_in(&unescaped(text))
    }
}

/// Adds the texts of a header as people see them.
fn shown(value: &HeaderValue<'_>, out: &mut Vec<String>) {
    match value {
        HeaderValue::Text(text) => out.push(text.to_string()),
        HeaderValue::TextList(texts) => {
            out.extend(texts.iter().map(ToString::to_string));
            out.push(texts.join(" "));
        }
        HeaderValue::Address(Address::List(list)) => address(list, out),
        HeaderValue::Address(Address::Group(groups)) => {
            for group in groups {
                out.extend(group.name.iter().map(ToString::to_string));
                address(&group.addresses, out);
            }
        }
        HeaderValue::ContentType(found) => {
            let all = found.attributes.iter().flatten();
            let free = all.filter(|it| !is_fixed(&it.name.to_ascii_lowercase()));
            out.extend(free.map(|it| it.value.to_string()));
        }
        _ => {}
    }
}

fn address(list: &[mail_parser::Addr<'_>], out: &mut Vec<String>) {
    for it in list {
        out.extend(it.name.iter().map(ToString::to_string));
        out.extend(it.address.iter().map(ToString::to_string));
    }
}

/// Returns a page without the names of its elements and attributes. Values stay.
fn without_names(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let (mut is_tag, mut quote) = (false, None);
    let mut signs = page.chars().peekable();
    while let Some(it) = signs.next() {
        match (is_tag, quote, it) {
            (false, _, '<') => {
                let next = signs.peek().copied().unwrap_or(' ');
                is_tag = next.is_ascii_alphabetic() || next == '/';
                out.push('\n');
            }
            (true, None, '>') => {
                is_tag = false;
                out.push('\n');
            }
            (true, None, '"' | '\'') => quote = Some(it),
            (true, Some(open), _) if open == it => {
                quote = None;
                out.push('\n');
            }
            (true, Some(_), _) | (false, ..) => out.push(it),
            (true, None, _) => {}
        }
    }
    out
}
