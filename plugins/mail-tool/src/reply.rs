//! The mail that a draft replies to: its conversation, its sender and its text. Nothing in it is trusted.

use mail_parser::{Address as Addresses, HeaderValue, Message, MessageParser};

use crate::address::Address;
use crate::error::{Error, Result};
use crate::names::cleaned;

/// Most earlier mails of a conversation that a reply names.
const MAX_REFERENCES: usize = 20;
/// Most bytes of a message ID, which stands on one line.
const MAX_ID_BYTES: usize = 250;
/// Most bytes that are quoted.
const MAX_QUOTE_BYTES: usize = 64 * 1024;
/// Most characters of its subject.
const MAX_SUBJECT: usize = 500;
/// Most addresses of its sender.
const MAX_SENDERS: usize = 20;

/// What a reply takes from a mail.
#[derive(Debug)]
pub(crate) struct Original {
    /// With angle brackets.
    pub(crate) message_id: Option<String>,
    /// The conversation, this mail last.
    pub(crate) references: Vec<String>,
    pub(crate) subject: String,
    /// Who gets a reply.
    pub(crate) recipients: Vec<Address>,
    date: Option<String>,
    sender: String,
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

/// Reads a mail.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Original> {
    let message = MessageParser::default()
        .parse(bytes)
        .filter(|it| it.from().is_some() || it.subject().is_some() || it.message_id().is_some())
        .ok_or_else(|| {
            Error::Malformed(format!("reply-to-mail: `{name}` is not a mail in the format `.eml`"))
        })?;
    let mut warnings = Vec::new();
    let message_id = message.message_id().and_then(id);
    if message_id.is_none() {
        warnings.push(
            "The mail has no valid message ID: the reply does not appear in its conversation."
                .into(),
        );
    }
    let mut references = references(&message);
    references.extend(message_id.clone());
    let (recipients, sender) = people(&message, &mut warnings);
    let mut text = message.body_text(0).map(|text| text.replace('\r', "")).unwrap_or_default();
    if text.len() > MAX_QUOTE_BYTES {
        text.truncate(text.floor_char_boundary(MAX_QUOTE_BYTES));
        text.push_str("\n[…]");
        warnings
            .push(format!("Only the first {} KiB of the mail are quoted.", MAX_QUOTE_BYTES / 1024));
    }
    let is_bad = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    let text = text.replace(is_bad, "").trim().to_owned();
    let date = message.date().filter(|date| date.is_valid()).map(|date| {
        format!(
            "{:04}-{:02}-{:02} {:02}:{:02}",
            date.year, date.month, date.day, date.hour, date.minute
        )
    });
    let subject = cleaned(message.subject().unwrap_or_default());
    Ok(Original {
        message_id,
        references,
        subject: subject.chars().take(MAX_SUBJECT).collect(),
        recipients,
        date,
        sender,
        text,
        warnings,
    })
}

impl Original {
    /// Returns the subject of a reply.
    pub(crate) fn reply_subject(&self) -> String {
        let lower = self.subject.to_lowercase();
        let is_reply =
            ["re:", "re：", "回复:", "回复：", "aw:"].iter().any(|it| lower.starts_with(it));
        if is_reply {
            self.subject.clone()
        } else {
            format!("Re: {}", self.subject).trim().to_owned()
        }
    }

    /// Returns the line above the quoted text, in Chinese if the reply is.
    pub(crate) fn introduction(&self, body: &str) -> String {
        let is_chinese = body.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}'))
            && !body
                .chars()
                .any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7a3}'));
        match (is_chinese, &self.date) {
            (true, Some(date)) => format!("{date}，{}写道：", spaced(&self.sender)),
            (true, None) => format!("{}写道：", spaced(&self.sender)),
            (false, Some(date)) => format!("On {date}, {} wrote:", self.sender),
            (false, None) => format!("{} wrote:", self.sender),
        }
    }
}

/// Returns a name with a space behind it if it ends in a Latin letter.
fn spaced(name: &str) -> String {
    if name.ends_with(|c: char| c.is_ascii()) { format!("{name} ") } else { name.to_owned() }
}

/// Returns a message ID with angle brackets if it is one.
fn id(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('<').trim_end_matches('>');
    let is_valid = !text.is_empty()
        && text.len() <= MAX_ID_BYTES
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>'));
    is_valid.then(|| format!("<{text}>"))
}

/// Returns the earlier mails of the conversation: its first, and the last ones.
fn references(message: &Message<'_>) -> Vec<String> {
    let listed = |value: &HeaderValue<'_>| -> Vec<String> {
        match value {
            HeaderValue::Text(text) => id(text).into_iter().collect(),
            HeaderValue::TextList(texts) => texts.iter().filter_map(|text| id(text)).collect(),
            _ => Vec::new(),
        }
    };
    let mut found = listed(message.references());
    if found.is_empty() {
        found = listed(message.in_reply_to());
    }
    if found.len() > MAX_REFERENCES {
        found.drain(1..=found.len() - MAX_REFERENCES);
    }
    found
}

/// Returns who gets a reply, and the name of the sender.
fn people(message: &Message<'_>, warnings: &mut Vec<String>) -> (Vec<Address>, String) {
    let from = message.from().or_else(|| message.sender());
    let reply_to = message.reply_to();
    let sender = from.and_then(Addresses::first).and_then(|it| it.name().or(it.address()));
    let sender: String = cleaned(sender.unwrap_or("?")).chars().take(100).collect();
    let mut recipients: Vec<Address> = Vec::new();
    for one in reply_to.or(from).iter().flat_map(|list| list.iter()).take(MAX_SENDERS) {
        let mailbox = cleaned(one.address().unwrap_or_default());
        let name: String = cleaned(one.name().unwrap_or_default()).chars().take(100).collect();
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        match Address::parse("reply-to-mail", &format!("\"{quoted}\" <{mailbox}>")) {
            Ok(address) => recipients.push(address),
            Err(_) => {
                let shown: String = mailbox.chars().take(100).collect();
                warnings.push(format!(
                    "The address of the sender is not valid: `{shown}`. Give the recipient in `to`."
                ));
            }
        }
    }
    let first = from.and_then(Addresses::first).and_then(|it| it.address()).unwrap_or_default();
    if let (Some(_), Some(address)) = (reply_to, recipients.first())
        && !recipients.iter().any(|it| it.key() == first.to_ascii_lowercase())
    {
        warnings.push(format!(
            "The mail asks for replies to {}, not to its sender {}.",
            address.mailbox(),
            cleaned(first).chars().take(100).collect::<String>()
        ));
    }
    (recipients, sender)
}

#[cfg(test)]
mod tests {
    use super::{MAX_QUOTE_BYTES, read};

    const MAIL: &str = "From: =?UTF-8?B?5p2O5aic?= <li@example.com>\r\nTo: me@example.com\r\nSubject: Budget\r\nDate: Fri, 20 Nov 2026 10:05:00 +0800\r\nMessage-ID: <m3@example.com>\r\nReferences: <m1@example.com> <m2@example.com>\r\n\r\nHello,\r\n\r\nplease send it.\r\n";

    #[test]
    fn a_reply_knows_its_conversation() {
        let mail = read("a.eml", MAIL.as_bytes()).unwrap();
        assert_eq!(mail.message_id.as_deref(), Some("<m3@example.com>"));
        assert_eq!(mail.references, ["<m1@example.com>", "<m2@example.com>", "<m3@example.com>"]);
        assert_eq!(mail.reply_subject(), "Re: Budget");
        assert_eq!(mail.recipients[0].shown(), "李娜 <li@example.com>");
        assert_eq!(mail.text, "Hello,\n\nplease send it.");
        assert_eq!(mail.introduction("Thanks"), "On 2026-11-20 10:05, 李娜 wrote:");
        assert_eq!(mail.introduction("谢谢"), "2026-11-20 10:05，李娜写道：");
        assert!(mail.warnings.is_empty(), "{:?}", mail.warnings);
    }

    #[test]
    fn prefixes_are_not_repeated() {
        for subject in ["Re: a", "RE: a", "回复：a", "AW: a"] {
            let mail = read("a.eml", MAIL.replace("Budget", subject).as_bytes()).unwrap();
            assert_eq!(mail.reply_subject(), subject);
        }
    }

    #[test]
    fn a_page_is_quoted_as_text() {
        let mail = "From: a@b.com\r\nContent-Type: text/html\r\n\r\n<p>One &amp; <b>two</b></p><script>x</script><p>three</p>";
        let mail = read("a.eml", mail.as_bytes()).unwrap();
        assert!(mail.text.contains("One & two") && !mail.text.contains('<'), "{}", mail.text);
    }

    #[test]
    fn old_chinese_encodings_are_read() {
        let mut mail =
            b"From: a@b.com\r\nContent-Type: text/plain; charset=gb2312\r\n\r\n".to_vec();
        mail.extend([0xc4, 0xe3, 0xba, 0xc3]);
        assert_eq!(read("a.eml", &mail).unwrap().text, "你好");
    }

    #[test]
    fn another_address_for_replies_is_reported() {
        let mail = read("a.eml", format!("Reply-To: x@evil.com\r\n{MAIL}").as_bytes()).unwrap();
        assert_eq!(mail.recipients[0].mailbox(), "x@evil.com");
        assert!(mail.warnings[0].contains("x@evil.com, not to its sender li@example.com"));
        let same = read("a.eml", format!("Reply-To: Li@example.com\r\n{MAIL}").as_bytes()).unwrap();
        assert!(same.warnings.is_empty());
    }

    #[test]
    fn hostile_fields_are_harmless() {
        let mail = "From: \"a\u{202e}b\" <no address>\r\nSubject: =?UTF-8?B?YQ0KQmNjOiB4QHkueg==?=\r\nMessage-ID: <a b>\r\n\r\nx\0\u{7}y\n";
        let mail = read("a.eml", mail.as_bytes()).unwrap();
        assert_eq!(mail.subject, "a Bcc: x@y.z");
        assert!(mail.recipients.is_empty() && mail.message_id.is_none());
        assert_eq!(mail.text, "xy");
        assert_eq!(mail.warnings.len(), 2, "{:?}", mail.warnings);
    }

    #[test]
    fn long_mails_are_cut_with_a_warning() {
        let references: String = (0..99).map(|n| format!(" <{n}@x>\r\n")).collect();
        let mail = MAIL.replace(" <m1@example.com> <m2@example.com>\r\n", &references);
        let mail = format!("{mail}{}", "你".repeat(30_000));
        let mail = read("a.eml", mail.as_bytes()).unwrap();
        assert_eq!(mail.references.len(), 21);
        assert_eq!((&*mail.references[0], &*mail.references[1]), ("<0@x>", "<80@x>"));
        assert!(mail.text.len() < MAX_QUOTE_BYTES + 10 && mail.warnings[0].contains("64 KiB"));
    }

    #[test]
    fn what_is_no_mail_is_refused() {
        for bad in [&b""[..], b"%PDF-1.7", b"just text\n", b"\0\0\0"] {
            assert!(read("a.eml", bad).unwrap_err().to_string().contains("a.eml"));
        }
    }
}
