//! Mails in transport format (RFC 5322, MIME), and web pages saved in it.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{
    Address, ContentType, Encoding, Message, MessageParser, MessagePart, MimeHeaders, PartType,
};
use mitt_reader_kit::{Error, single_line};

use crate::html::{Page, Viewer};
use crate::inside::{Inside, extension_of};
use crate::letter::{Letter, push_block};
use crate::richer::{Shown, shown, unshown};
use crate::signed::{Cms, open};
use crate::{damaged, encrypted, fields, html, plain, raw};

/// Most nested signed mails that are opened.
const MAX_SIGNED: usize = 3;

pub(crate) fn letter(bytes: &[u8]) -> Result<Letter, Error> {
    letter_at(bytes, 0)
}

fn letter_at(bytes: &[u8], depth: usize) -> Result<Letter, Error> {
    let bytes = fields::legible(bytes);
    let message =
        MessageParser::default().parse(&bytes).ok_or_else(|| damaged("it has no fields"))?;
    let mut letter = head(&message);
    if is_encrypted(&message) {
        return Err(encrypted());
    }
    if let Some(part) = message.parts.first().filter(|part| is_cms(part)) {
        match open(part.contents()) {
            Cms::Signed(inner) if depth < MAX_SIGNED => {
                let inner = letter_at(&inner, depth + 1)?;
                letter.warnings.push("the signature was not checked".into());
                letter.warnings.extend(inner.warnings);
                return Ok(Letter {
                    body: inner.body,
                    tables: inner.tables,
                    parts: inner.parts,
                    ..letter
                });
            }
            Cms::Encrypted => return Err(encrypted()),
            _ => {}
        }
    }
    let page = body(&message, &bytes, &mut letter)?;
    let mut inside = Inside::new(&page.pictures);
    for id in &message.attachments {
        let Some(part) = message.parts.get(*id as usize) else { continue };
        attach(part, &bytes, &mut letter, &mut inside);
    }
    inside.warn(&mut letter.warnings);
    Ok(letter)
}

/// Reads a web page saved with its files.
pub(crate) fn page(bytes: &[u8]) -> Result<Letter, Error> {
    let bytes = fields::legible(bytes);
    let message =
        MessageParser::default().parse(&bytes).ok_or_else(|| damaged("it has no fields"))?;
    let mut pages = message.parts.iter().filter(|part| part.is_text_html());
    let Some(first) = pages.next() else { return letter(&bytes) };
    let frames = pages.count();
    let mut read = html::read(&text_of(first, &bytes), Viewer::Browser);
    read.warnings.append(&mut read.hidden);
    let mut letter = Letter {
        subject: read.title.or_else(|| message.subject().map(str::to_owned)),
        date: date(&message),
        url: message
            .header_raw("Snapshot-Content-Location")
            .or_else(|| first.content_location())
            .map(single_line)
            .filter(|url| url.starts_with("http")),
        body: read.markdown,
        tables: read.tables,
        warnings: read.warnings,
        ..Letter::default()
    };
    let others = message.parts.iter().filter(|part| !part.is_multipart()).count() - 1 - frames;
    if others > 0 {
        letter
            .warnings
            .push(format!("pictures and styles of the page that were left out: {others}"));
    }
    if frames > 0 {
        letter.warnings.push(format!("frames of the page that were left out: {frames}"));
    }
    Ok(letter)
}

/// Returns the metadata of a mail.
fn head(message: &Message<'_>) -> Letter {
    Letter {
        subject: message.subject().map(str::to_owned),
        from: addresses(message.from().or_else(|| message.sender())),
        to: addresses(message.to()),
        cc: addresses(message.cc()),
        date: date(message),
        message_id: message.message_id().map(str::to_owned),
        ..Letter::default()
    }
}

fn date(message: &Message<'_>) -> Option<String> {
    message.date().filter(|date| date.is_valid()).map(|date| date.to_rfc3339())
}

fn addresses(address: Option<&Address<'_>>) -> Vec<String> {
    let Some(address) = address else { return Vec::new() };
    address
        .iter()
        .filter_map(|one| match (one.name(), one.address()) {
            (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
            (Some(one), _) | (None, Some(one)) => Some(one.to_owned()),
            (None, None) => None,
        })
        .collect()
}

fn is_cms(part: &MessagePart<'_>) -> bool {
    ["pkcs7-mime", "x-pkcs7-mime"].iter().any(|kind| part.is_content_type("application", kind))
}

fn is_encrypted(message: &Message<'_>) -> bool {
    message.parts.iter().any(|part| part.is_content_type("multipart", "encrypted"))
        || message.text_bodies().next().is_some_and(|part| {
            part.text_contents()
                .is_some_and(|text| text.trim_start().starts_with("-----BEGIN PGP MESSAGE-----"))
        })
}

/// Writes the text of a mail: the plain text, unless the page has more content or tables.
fn body(message: &Message<'_>, bytes: &[u8], letter: &mut Letter) -> Result<Page, Error> {
    let part = |id: &u32| message.parts.get(*id as usize);
    let texts: Vec<_> = message.text_body.iter().filter_map(part).collect();
    let pages: Vec<_> = message.html_body.iter().filter_map(part).collect();
    let has_text = texts.iter().any(|part| matches!(part.body, PartType::Text(_)));
    let has_page = pages.iter().any(|part| part.is_text_html());
    let mut as_text = String::new();
    if has_text {
        as_text = write(&texts, bytes, letter, &mut Page::default());
    }
    if !has_page {
        letter.body = as_text;
        return Ok(Page::default());
    }
    let mut page = Page::default();
    // Files in the text were taken from the plain form.
    let mut unused = Letter::default();
    let as_page = write(&pages, bytes, if has_text { &mut unused } else { letter }, &mut page);
    let shown =
        if has_text { shown(&as_text, &as_page, !page.tables.is_empty()) } else { Shown::Page };
    if shown != Shown::Page {
        push_block(&mut letter.body, &as_text);
    }
    if shown != Shown::Text {
        push_block(&mut letter.body, &as_page);
        letter.tables = std::mem::take(&mut page.tables);
        letter.warnings.append(&mut page.warnings);
    }
    if has_text {
        letter.warnings.extend(unshown(&shown, &as_text, &as_page));
    }
    // People see the page, even if its plain text is shown here.
    letter.warnings.append(&mut page.hidden);
    if shown == Shown::Both {
        letter.warnings.push(
            "the plain text and the page of the mail say different things: both are shown".into(),
        );
    }
    Ok(page)
}

/// Writes the text parts, and records what pages refer to.
fn write(parts: &[&MessagePart<'_>], bytes: &[u8], letter: &mut Letter, page: &mut Page) -> String {
    let mut out = String::new();
    for part in parts {
        match &part.body {
            PartType::Html(_) => {
                let read = html::read(&text_of(part, bytes), Viewer::Mail);
                push_block(&mut out, &read.markdown);
                page.tables.extend(read.tables);
                page.pictures.extend(read.pictures);
                page.warnings.extend(read.warnings);
                page.hidden.extend(read.hidden);
            }
            PartType::Text(_) => {
                let mut text = text_of(part, bytes);
                if let Some(rest) = plain::take_encoded(&text, &mut letter.parts) {
                    text = rest;
                }
                let says = |name: &str| part.content_type().and_then(|kind| kind.attribute(name));
                if says("format").is_some_and(|format| format.eq_ignore_ascii_case("flowed")) {
                    let deletes = says("delsp").is_some_and(|it| it.eq_ignore_ascii_case("yes"));
                    text = plain::unflow(&text, deletes);
                }
                push_block(&mut out, &plain::to_markdown(unarmoured(&text)));
            }
            _ => {}
        }
    }
    out
}

/// Removes the lines that PGP puts around a signed text.
fn unarmoured(text: &str) -> &str {
    let Some(rest) = text.trim_start().strip_prefix("-----BEGIN PGP SIGNED MESSAGE-----") else {
        return text;
    };
    // The text follows the fields of the armour, which end with an empty line.
    let body = rest.find("\n\n").or_else(|| rest.find("\n\r\n"));
    let rest = body.and_then(|at| rest.get(at..)).unwrap_or(rest);
    rest.split("-----BEGIN PGP SIGNATURE-----").next().unwrap_or(rest)
}

/// Returns the text of a part, even if its declared encoding is wrong.
fn text_of(part: &MessagePart<'_>, bytes: &[u8]) -> String {
    let label = charset(part.content_type());
    match bytes_of(part, bytes) {
        Some(own) => raw::decode(&own, label, if part.is_text_html() { &own } else { bytes }),
        None => part.text_contents().unwrap_or_default().to_owned(),
    }
}

fn charset<'a>(kind: Option<&'a ContentType<'_>>) -> Option<&'a str> {
    kind?.attribute("charset")
}

/// Returns the decoded bytes of a part.
fn bytes_of(part: &MessagePart<'_>, bytes: &[u8]) -> Option<Vec<u8>> {
    let sent = bytes.get(part.raw_body_offset() as usize..part.raw_end_offset() as usize)?;
    match part.encoding {
        Encoding::None => Some(sent.to_vec()),
        Encoding::QuotedPrintable => quoted_printable_decode(sent),
        Encoding::Base64 => base64_decode(sent),
    }
}

/// Returns the subject of a nested mail. Its fields are joined only when that mail is read.
fn subject_of(content: &[u8], inner: &Message<'_>) -> Option<String> {
    let content = fields::legible(content);
    let own = MessageParser::default().parse_headers(content.as_ref());
    let subject = own.as_ref().unwrap_or(inner).subject().or_else(|| inner.subject());
    subject.map(single_line).filter(|subject| !subject.is_empty())
}

/// Keeps a part as a file.
fn attach(part: &MessagePart<'_>, bytes: &[u8], letter: &mut Letter, inside: &mut Inside<'_>) {
    let kind = part
        .content_type()
        .map(|kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()))
        .unwrap_or_default()
        .to_ascii_lowercase();
    let name = part.attachment_name().map(str::to_owned);
    let content = match &part.body {
        PartType::Text(_) | PartType::Html(_) => {
            let own = bytes_of(part, bytes);
            match (own, charset(part.content_type())) {
                // The file itself may not declare its encoding.
                (Some(own), Some(label)) if !own.is_ascii() => {
                    let text = raw::decode(&own, Some(label), bytes);
                    [b"\xEF\xBB\xBF", text.as_bytes()].concat()
                }
                (Some(own), _) => own,
                (None, _) => part.contents().to_vec(),
            }
        }
        PartType::Message(inner) => {
            let content = match part.encoding {
                Encoding::None => bytes
                    .get(part.raw_body_offset() as usize..part.raw_end_offset() as usize)
                    .unwrap_or_default()
                    .to_vec(),
                _ => part.contents().to_vec(),
            };
            let subject = || subject_of(&content, inner);
            let name = name.or_else(subject).unwrap_or_else(|| "mail".into());
            let ends = name.to_ascii_lowercase().ends_with(".eml");
            let name = if ends { name } else { format!("{}.eml", name.replace(['/', '\\'], "_")) };
            return letter.attach(&name, content);
        }
        _ => part.contents().to_vec(),
    };
    let number = letter.parts.len() + 1;
    let name = name
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| format!("attachment-{number}{}", extension_of(&kind)));
    let id = part.content_id().or_else(|| part.content_location());
    inside.take(letter, (&name, &kind, id), content);
}
