//! Damaged mails and texts, for the reader of mails and the tool that redacts.

use crate::bounded;
use crate::damage::{Choices, damaged};
use redact_tool::{TextKind, redact_email, redact_text};

macro_rules! mails {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../../reader-mail/tests/files/", $name)).as_slice())),*]
    };
}

static MAILS: [(&str, &[u8]); 13] = mails![
    "bare.eml",
    "big5.eml",
    "box.mbox",
    "clear.eml",
    "flowed.eml",
    "gbk.eml",
    "jp.eml",
    "opaque.eml",
    "page.mhtml",
    "sales.eml",
    "secret.eml",
    "shell.eml",
    "stream.eml",
];

const WORDS: [&str; 16] = [
    "\r\n\r\n",
    "\r\n ",
    "--",
    "boundary=\"--\"",
    "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n",
    "Content-Type: message/rfc822",
    "Content-Transfer-Encoding: base64",
    "=?utf-8?B?",
    "=?gbk?Q?=D6?=",
    "charset=utf-16",
    "filename*=utf-8''%",
    "<div style=\"display:none\">",
    "</table>",
    "<a href=",
    "From ",
    ";",
];

/// A damaged mail is read or refused; redacted, what is written has no such word.
pub fn mail(data: &[u8]) {
    let mut choices = Choices(data);
    let (name, seed) = MAILS[choices.below(MAILS.len())];
    let is_redacted = choices.flip();
    let bytes = damaged(seed, &mut choices, &WORDS);
    let extension = name.rsplit('.').next().unwrap_or_default();
    if !is_redacted || extension != "eml" {
        let extension = if choices.below(16) == 0 { "tnef" } else { extension };
        if let Err(error) = reader_mail::read(&bytes, extension) {
            bounded(&error.to_string());
        }
        return;
    }
    let words = ["the".to_owned(), "销售".to_owned()];
    match redact_email(&bytes, &words, &["[0-9]{3}".to_owned()], choices.flip()) {
        Ok(redacted) => assert!(!redacted.bytes.is_empty()),
        Err(error) => bounded(&error),
    }
}

/// A text of any encoding is redacted or refused. A second redaction finds nothing.
pub fn redacted_text(data: &[u8]) {
    let mut choices = Choices(data);
    let kind = [TextKind::Plain, TextKind::Markdown, TextKind::Values][choices.below(3)];
    let (_, seed) = MAILS[choices.below(MAILS.len())];
    let bytes = if choices.flip() {
        damaged(&seed[..seed.len().min(8_000)], &mut choices, &WORDS)
    } else {
        choices.rest().to_vec()
    };
    let words = ["the".to_owned(), "ab".to_owned()];
    match redact_text(&bytes, kind, &words, &[]) {
        Ok(redacted) => {
            let again = redact_text(&redacted.bytes, kind, &words, &[]);
            assert!(again.is_err(), "a second redaction found something");
        }
        Err(error) => bounded(&error),
    }
}
