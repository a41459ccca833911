//! Every text in which a redaction searches, for rules that the host applies: it finds words with them, and has these redacted.
//!
//! One piece of code searches and lists, so the list has every text that is searched.

use crate::coding;
use crate::error::{Error, Result};
use crate::kind::TextKind;
use crate::mail;
use crate::matcher::Matcher;
use crate::text::Editor;
use mitt_listing::MAX_BYTES;

/// A file whose texts are listed.
#[derive(Clone, Copy, Debug)]
pub enum Searched {
    /// A text.
    Text(TextKind),
    /// A mail.
    Mail,
}

/// Returns every text in which [`crate::redact_text`] or [`crate::redact_email`] searches.
///
/// # Errors
/// [`Error::Unsupported`] - the encoding is not known, a mail is encrypted or has too many parts, or there is more text than can be
/// listed.
pub fn searched_texts(bytes: &[u8], kind: Searched) -> Result<Vec<String>> {
    let matcher = Matcher::listing();
    match kind {
        Searched::Text(kind) => {
            let encoding = coding::detect(bytes)?;
            let editor = Editor { matcher: &matcher, keeps_data: true };
            // Nothing is found, so nothing is edited.
            editor.edit(bytes, encoding, kind, false)?;
        }
        Searched::Mail => mail::list(bytes, &matcher)?,
    }
    let listing = matcher.into_listing();
    if listing.is_full() {
        let most = MAX_BYTES >> 20;
        return Err(Error::Unsupported(format!(
            "it has more than {most} MiB of text; split it before"
        )));
    }
    Ok(listing.into_texts())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_escapes_and_headers_say_is_listed() {
        let text = "caf\u{e9}, %E5%BC%A0%E4%BC%9F and &#24352;\u{4e09}".as_bytes();
        let listed = searched_texts(text, Searched::Text(TextKind::Plain)).unwrap().join("\n");
        assert!(
            listed.contains("caf\u{e9}") && listed.contains("张伟") && listed.contains("张三"),
            "{listed}"
        );
        let mail = "From: =?utf-8?B?5byg5Lyf?= <a@b.example>\r\nSubject: Hello\r\nX-Tel: 13800138000\r\n\
            MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n\
            --b\r\nContent-Type: text/plain\r\n\r\nplain\r\n\
            --b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPGI+Y2FsbDwvYj4gbWU=\r\n--b--\r\n";
        let listed = searched_texts(mail.as_bytes(), Searched::Mail).unwrap().join("\n");
        for text in ["张伟", "a@b.example", "Hello", "13800138000", "plain", "call me"] {
            assert!(listed.contains(text), "{text}: {listed}");
        }
    }
}
