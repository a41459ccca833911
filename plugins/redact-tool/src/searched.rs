//! Every text in which a redaction searches, for rules that the host applies: it finds words with them, and has these redacted.
//!
//! The same code searches and lists, so that no text is searched which is not listed.

use crate::coding;
use crate::error::{Error, Result};
use crate::kind::TextKind;
use crate::listing::MAX_BYTES;
use crate::mail;
use crate::matcher::Matcher;
use crate::text::Editor;

/// Most bytes of the texts of one window, beside its first text.
const MAX_WINDOW: usize = 4 << 20;

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
    Ok(listing.texts)
}

/// Returns the texts from `start` on that one result takes, at least one, and where the next window begins.
pub(crate) fn window(mut texts: Vec<String>, start: usize) -> (Vec<String>, Option<usize>) {
    let mut rest = texts.split_off(start.min(texts.len()));
    let mut bytes = 0;
    let fits = |text: &&String| {
        bytes += text.len();
        bytes <= MAX_WINDOW
    };
    let count = rest.iter().take_while(fits).count().max(1);
    let next = (count < rest.len()).then_some(start + count);
    rest.truncate(count);
    (rest, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_in_windows() {
        let texts: Vec<String> = (0..3).map(|it| it.to_string().repeat(3 << 20)).collect();
        for (start, count, next) in [(0, 1, Some(1)), (2, 1, None), (3, 0, None), (9, 0, None)] {
            let (window, then) = window(texts.clone(), start);
            assert_eq!((window.len(), then), (count, next), "{start}");
        }
        let (small, next) = window(vec!["ab".to_owned(); 5], 1);
        assert_eq!((small.len(), next), (4, None));
    }

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
