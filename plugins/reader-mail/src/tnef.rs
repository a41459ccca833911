//! Reads `winmail.dat` (TNEF), the format of Outlook for mails to other users of Outlook. It comes in a mail or as a
//! file of its own.

use std::collections::HashMap;

use mitt_reader_kit::{NamedTable, Part};

use crate::letter::Letter;
use crate::properties::{
    BODY, DATA, LONG_NAME, PAGE, Properties, SUBJECT, Value, named, of_number,
};

const SIGNATURE: &[u8] = &[0x78, 0x9f, 0x3e, 0x22];
/// Most attributes and properties that are read.
const MAX_ATTRIBUTES: usize = 20_000;

const PROPERTIES: u32 = 0x0006_9003;
const CODE_PAGE: u32 = 0x0006_9007;
const BODY_TEXT: u32 = 0x0002_800C;
const OLD_SUBJECT: u32 = 0x0001_8004;
const FROM: u32 = 0x0000_8000;
const SENT: u32 = 0x0003_8005;
const RECIPIENTS: u32 = 0x0006_9004;
const BEGINS: u32 = 0x0006_9002;
const TITLE: u32 = 0x0001_8010;
const CONTENT: u32 = 0x0006_800F;
const ATTACHMENT: u32 = 0x0006_9005;

/// The content of a file.
#[derive(Default)]
pub(crate) struct Unpacked {
    pub(crate) body: String,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) parts: Vec<Part>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Default)]
struct File {
    title: Option<Vec<u8>>,
    bytes: Option<Vec<u8>>,
    properties: Properties,
}

/// Returns the content without the fields, which the enclosing mail has.
pub(crate) fn read(bytes: &[u8]) -> Option<Unpacked> {
    let Letter { body, tables, parts, warnings, .. } = letter(bytes)?;
    Some(Unpacked { body, tables, parts, warnings })
}

/// Returns the whole mail; `None` if the bytes are not a mail.
pub(crate) fn letter(bytes: &[u8]) -> Option<Letter> {
    let mut rest = bytes.strip_prefix(SIGNATURE)?.get(2..)?;
    let mut own = Properties::default();
    let mut recipients = Vec::new();
    let (mut from, mut sent) = (None, None);
    let mut files: Vec<File> = Vec::new();
    let mut page = None;
    let mut is_whole = false;
    for _ in 0..MAX_ATTRIBUTES {
        if rest.is_empty() {
            is_whole = true;
            break;
        }
        let Some((id, content, next)) = attribute(rest) else { break };
        rest = next;
        let text = || Value::Bytes(content.to_vec());
        match id {
            CODE_PAGE => page = u32_at(content, 0),
            PROPERTIES => own.0.extend(properties(content)),
            RECIPIENTS => recipients = rows(content),
            FROM => from = Some(content),
            SENT => sent = date(content),
            OLD_SUBJECT => {
                own.0.entry(SUBJECT).or_insert_with(text);
            }
            BODY_TEXT => {
                own.0.entry(BODY).or_insert_with(text);
            }
            BEGINS => files.push(File::default()),
            _ => {
                if let Some(file) = files.last_mut() {
                    match id {
                        TITLE => file.title = Some(content.to_vec()),
                        CONTENT => file.bytes = Some(content.to_vec()),
                        ATTACHMENT => file.properties = Properties(properties(content)),
                        _ => {}
                    }
                }
            }
        }
    }
    if let Some(page) = page {
        own.0.entry(PAGE).or_insert(Value::Number(page.into()));
    }
    let page = page.and_then(|page| of_number(page.into()));
    let mut letter = own.letter(&recipients).map(|(letter, _)| letter).unwrap_or_default();
    if letter.from.is_empty() {
        letter.from.extend(from.and_then(|from| sender(from, page)));
    }
    letter.date = letter.date.or(sent);
    for file in files {
        let title = file.title.map(|title| Properties(HashMap::from([(0, Value::Bytes(title))])));
        let name = file
            .properties
            .text(LONG_NAME, page)
            .or_else(|| title.and_then(|title| title.text(0, page)))
            .unwrap_or_default();
        let own = file.properties.bytes(DATA).map(<[u8]>::to_vec);
        match file.bytes.or(own) {
            Some(bytes) => letter.attach(&name, bytes),
            None => letter.warnings.push("an object in winmail.dat was left out".into()),
        }
    }
    if !is_whole {
        letter
            .warnings
            .push("winmail.dat is damaged: the part behind the damage was not read".into());
    }
    Some(letter)
}

/// Returns the sender. The record has the lengths of the name and of the address, then both texts.
fn sender(content: &[u8], page: Option<&'static encoding_rs::Encoding>) -> Option<String> {
    let name_length = usize::from(u16_at(content, 4)?);
    let length = usize::from(u16_at(content, 6)?);
    let text = |bytes: Option<&[u8]>| {
        Properties(HashMap::from([(0, Value::Bytes(bytes?.to_vec()))])).text(0, page)
    };
    let name = text(content.get(8..8 + name_length));
    let address = text(content.get(8 + name_length..8 + name_length + length));
    let address = address.map(|address| match address.split_once(':') {
        Some((_, address)) => address.to_owned(),
        None => address,
    });
    named(name, address)
}

/// Returns a time without offset. The record has seven numbers: year, month, day, hour, minute, second, day of the week.
fn date(content: &[u8]) -> Option<String> {
    let part = |index: usize| u16_at(content, 2 * index);
    let (year, month, day) = (part(0)?, part(1)?, part(2)?);
    let (hour, minute, second) = (part(3)?, part(4)?, part(5)?);
    let is_one = (1601..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    is_one.then(|| format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

/// Returns the properties of each recipient.
fn rows(bytes: &[u8]) -> Vec<Properties> {
    let mut found = Vec::new();
    let mut at = 4;
    let mut left = MAX_ATTRIBUTES;
    for _ in 0..u32_at(bytes, 0).unwrap_or(0) {
        let Some(count) = u32_at(bytes, at) else { break };
        at += 4;
        let mut one = HashMap::new();
        for _ in 0..count {
            let Some((id, value, next)) = property(bytes, at).filter(|_| left > 0) else {
                return found;
            };
            left -= 1;
            one.extend(value.map(|value| (id, value)));
            at = next;
        }
        found.push(Properties(one));
    }
    found
}

/// Returns an attribute, and the rest.
fn attribute(bytes: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let id = u32_at(bytes, 1)?;
    let length = u32_at(bytes, 5)? as usize;
    let content = bytes.get(9..9_usize.checked_add(length)?)?;
    // A checksum follows the content.
    Some((id, content, bytes.get(9 + length + 2..)?))
}

/// Parses properties in sequence.
fn properties(bytes: &[u8]) -> HashMap<u16, Value> {
    let mut found = HashMap::new();
    let mut at = 4;
    let count = u32_at(bytes, 0).unwrap_or(0) as usize;
    for _ in 0..count.min(MAX_ATTRIBUTES) {
        let Some((id, value, next)) = property(bytes, at) else { break };
        if let Some(value) = value {
            found.insert(id, value);
        }
        at = next;
    }
    found
}

fn property(bytes: &[u8], at: usize) -> Option<(u16, Option<Value>, usize)> {
    let tag = u32_at(bytes, at)?;
    let (id, kind) = ((tag >> 16) as u16, tag as u16);
    let mut at = at + 4;
    if id >= 0x8000 {
        // A named property has a set of 16 bytes, and a number or a text.
        let is_text = u32_at(bytes, at + 16)? == 1;
        let second = u32_at(bytes, at + 20)? as usize;
        at += 24 + if is_text { second.checked_next_multiple_of(4)? } else { 0 };
    }
    let fixed = |size: usize| {
        let bytes = bytes.get(at..at + size)?;
        let mut number = [0; 8];
        number.get_mut(..size.min(8))?.copy_from_slice(bytes.get(..size.min(8))?);
        Some((u64::from_le_bytes(number), at + size))
    };
    match kind {
        0x0002 | 0x0003 | 0x0004 | 0x000A | 0x000B => {
            fixed(4).map(|(number, next)| (id, Some(Value::Number(number)), next))
        }
        0x0005..=0x0007 | 0x0014 | 0x0040 => {
            fixed(8).map(|(number, next)| (id, Some(Value::Number(number)), next))
        }
        0x0048 => fixed(16).map(|(_, next)| (id, None, next)),
        _ => {
            // The number of values, each with its length, padded to four bytes.
            let count = u32_at(bytes, at)? as usize;
            at += 4;
            let mut first = None;
            for _ in 0..count.min(MAX_ATTRIBUTES) {
                let length = u32_at(bytes, at)? as usize;
                let content = bytes.get(at + 4..(at + 4).checked_add(length)?)?;
                first.get_or_insert(content);
                at += 4 + length.checked_next_multiple_of(4)?;
            }
            let value = first.and_then(|content| match kind & 0x0FFF {
                0x001F => Some(Value::Wide(content.to_vec())),
                0x001E | 0x0102 => Some(Value::Bytes(content.to_vec())),
                // An object, after the identifier of its class.
                0x000D => Some(Value::Bytes(content.get(16..)?.to_vec())),
                _ => None,
            });
            Some((id, value, at))
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}
