//! Properties of Outlook's mails (MAPI) in any container.

use std::collections::HashMap;

use encoding_rs::{Encoding, GB18030, UTF_8, UTF_16LE};
use mitt_reader_kit::Error;

use crate::{date, html, letter::Letter, plain, raw, rich};

pub(crate) const SUBJECT: u16 = 0x0037;
pub(crate) const CLASS: u16 = 0x001A;
pub(crate) const BODY: u16 = 0x1000;
pub(crate) const RTF: u16 = 0x1009;
pub(crate) const HTML: u16 = 0x1013;
pub(crate) const DATA: u16 = 0x3701;
pub(crate) const FILE_NAME: u16 = 0x3704;
pub(crate) const LONG_NAME: u16 = 0x3707;
pub(crate) const MEDIA_TYPE: u16 = 0x370E;
pub(crate) const CONTENT_ID: u16 = 0x3712;
pub(crate) const DISPLAY_NAME: u16 = 0x3001;
const SENDER_NAME: u16 = 0x0C1A;
const SENDER_ADDRESS: u16 = 0x0C1F;
const SENDER_SMTP: u16 = 0x5D01;
const DISPLAY_CC: u16 = 0x0E03;
const DISPLAY_TO: u16 = 0x0E04;
const MESSAGE_ID: u16 = 0x1035;
const SUBMITTED: u16 = 0x0039;
const DELIVERED: u16 = 0x0E06;
pub(crate) const PAGE: u16 = 0x3FFD;
const INTERNET_PAGE: u16 = 0x3FDE;
const RECIPIENT_TYPE: u16 = 0x0C15;
const ADDRESS: u16 = 0x3003;
const SMTP: u16 = 0x39FE;

/// Most bytes of compressed text, and of its uncompressed form.
const MAX_RICH: usize = 64 << 20;

/// The value of a property.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Text in a code page, or bytes.
    Bytes(Vec<u8>),
    /// Text in UTF-16.
    Wide(Vec<u8>),
    /// A number or a time.
    Number(u64),
}

/// The properties of one mail, one recipient or one attachment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Properties(pub(crate) HashMap<u16, Value>);

impl Properties {
    pub(crate) fn number(&self, id: u16) -> Option<u64> {
        match self.0.get(&id)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn bytes(&self, id: u16) -> Option<&[u8]> {
        match self.0.get(&id)? {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns a text. `page` is the encoding of texts in a code page.
    pub(crate) fn text(&self, id: u16, page: Option<&'static Encoding>) -> Option<String> {
        let text = match self.0.get(&id)? {
            Value::Wide(bytes) => UTF_16LE.decode_without_bom_handling(bytes).0.into_owned(),
            Value::Bytes(bytes) => match (std::str::from_utf8(bytes), page) {
                (Ok(text), _) => text.to_owned(),
                (Err(_), Some(page)) => page.decode_without_bom_handling(bytes).0.into_owned(),
                (Err(_), None) => raw::decode(bytes, None, bytes),
            },
            Value::Number(_) => return None,
        };
        let text = text.trim_end_matches('\0').to_owned();
        (!text.trim().is_empty()).then_some(text)
    }

    /// Returns the encoding of texts in a code page.
    pub(crate) fn page(&self) -> Option<&'static Encoding> {
        self.number(PAGE).or_else(|| self.number(INTERNET_PAGE)).and_then(of_number)
    }

    /// Returns the mail with its metadata and text.
    pub(crate) fn letter(&self, recipients: &[Properties]) -> Result<(Letter, html::Page), Error> {
        let page = self.page();
        let text = |id: u16| self.text(id, page);
        let mut letter = Letter {
            subject: text(SUBJECT),
            from: named(text(SENDER_NAME), text(SENDER_SMTP).or_else(|| text(SENDER_ADDRESS)))
                .into_iter()
                .collect(),
            to: self.recipients(recipients, 1, DISPLAY_TO),
            cc: self.recipients(recipients, 2, DISPLAY_CC),
            date: self
                .number(SUBMITTED)
                .or_else(|| self.number(DELIVERED))
                .and_then(date::of_windows),
            message_id: text(MESSAGE_ID).map(|id| id.trim_matches(['<', '>']).to_owned()),
            ..Letter::default()
        };
        let body = self.body(&mut letter);
        Ok((letter, body))
    }

    fn recipients(&self, recipients: &[Properties], kind: u64, shown: u16) -> Vec<String> {
        let page = self.page();
        let found: Vec<String> = recipients
            .iter()
            .filter(|one| one.number(RECIPIENT_TYPE).unwrap_or(1) & 0xF == kind)
            .filter_map(|one| {
                let text = |id: u16| one.text(id, page);
                named(text(DISPLAY_NAME), text(SMTP).or_else(|| text(ADDRESS)))
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
        let names = self.text(shown, page).unwrap_or_default();
        names.split(';').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }

    /// Writes the text: the page if it has tables or if the plain text is too short.
    fn body(&self, letter: &mut Letter) -> html::Page {
        let bare = self.text(BODY, self.page()).map(|text| plain::to_markdown(&text));
        let rich = self.bytes(RTF).and_then(|packed| unpack(packed, &mut letter.warnings));
        let (mut source, mut only_text) = (self.html(), None);
        if source.is_none()
            && let Some(rich) = &rich
        {
            match rich::read(rich) {
                rich::Body::Page(page) => source = Some(page),
                rich::Body::Text(text) => only_text = Some(plain::to_markdown(&text)),
            }
        }
        let mut page =
            source.map(|source| html::read(&source, html::Viewer::Mail)).unwrap_or_default();
        let bare = bare.or(only_text).unwrap_or_default();
        let letters = |text: &str| text.chars().filter(|it| it.is_alphanumeric()).count();
        let (plain, rich) = (letters(&bare), letters(&page.markdown));
        // The plain text of Outlook is the page without its structure.
        if rich > 0 && (rich * 2 > plain || !page.tables.is_empty()) {
            letter.body = std::mem::take(&mut page.markdown);
            letter.tables = std::mem::take(&mut page.tables);
            letter.warnings.append(&mut page.warnings);
        } else {
            letter.body = bare;
        }
        letter.warnings.append(&mut page.hidden);
        page
    }

    fn html(&self) -> Option<String> {
        let text = match self.0.get(&HTML)? {
            Value::Wide(_) => self.text(HTML, None)?,
            Value::Bytes(bytes) => {
                let page = self.number(INTERNET_PAGE).and_then(of_number);
                raw::decode(bytes, page.map(Encoding::name), bytes)
            }
            Value::Number(_) => return None,
        };
        (!text.trim().is_empty()).then_some(text)
    }
}

/// Returns a name, with the address if it is an Internet address.
pub(crate) fn named(name: Option<String>, address: Option<String>) -> Option<String> {
    let address = address.filter(|address| address.contains('@'));
    match (name, address) {
        (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
        (Some(one), _) | (None, Some(one)) => Some(one),
        (None, None) => None,
    }
}

/// Returns the encoding of a code page.
pub(crate) fn of_number(number: u64) -> Option<&'static Encoding> {
    let label = match number {
        936 | 54_936 | 52_936 => return Some(GB18030),
        65_001 => return Some(UTF_8),
        932 | 50_220..=50_222 => "shift_jis",
        949 => "euc-kr",
        950 => "big5",
        874 => "windows-874",
        20_866 => "koi8-r",
        51_932 => "euc-jp",
        28_591..=28_606 => {
            return Encoding::for_label(format!("iso-8859-{}", number - 28_590).as_bytes());
        }
        1_250..=1_258 => return Encoding::for_label(format!("windows-{number}").as_bytes()),
        _ => return None,
    };
    Encoding::for_label(label.as_bytes())
}

/// Decompresses RTF.
fn unpack(packed: &[u8], warnings: &mut Vec<String>) -> Option<Vec<u8>> {
    let number = |at: usize| {
        let bytes = packed.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes) as usize)
    };
    if packed.get(8..12) == Some(b"MELA") {
        return packed.get(16..).map(<[u8]>::to_vec);
    }
    // The library trusts the size in the header.
    let kept = number(0).and_then(|length| packed.get(..length.checked_add(4)?));
    let is_sound = number(4).is_some_and(|size| size <= MAX_RICH);
    match kept.filter(|kept| is_sound && kept.len() >= 16).map(compressed_rtf::decompress_rtf) {
        // Each character is a byte.
        Some(Ok(text)) => Some(text.chars().map(|character| character as u32 as u8).collect()),
        _ => {
            warnings.push("the text of Outlook (RTF) is damaged".into());
            None
        }
    }
}
