//! Recognises mails: their bytes are text, but the content is encoded and unreadable as it is.

/// Most bytes of the header fields that are examined.
const FIELD_BYTES: usize = 8 << 10;

/// Names of header fields at the beginning of mails.
const FIELDS: [&str; 16] = [
    "bcc",
    "cc",
    "content-type",
    "date",
    "delivered-to",
    "dkim-signature",
    "from",
    "message-id",
    "mime-version",
    "received",
    "reply-to",
    "return-path",
    "sender",
    "subject",
    "to",
    "x-mailer",
];

/// Header fields that are never written by hand.
const TECHNICAL: [&str; 4] = ["message-id", "mime-version", "received", "return-path"];

/// Header fields of web pages that a browser saved with their resources.
const PAGES: [&str; 1] = ["snapshot-content-location"];

/// Returns extension and media type of a mail, a mailbox or a web page saved as a mail; `None` for any other file.
///
/// A text that only begins with `From:` and `To:` is a mail only if its name says so.
pub(super) fn kind(extension: &str, bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(FIELD_BYTES)]);
    let mut lines = start.lines().peekable();
    // Line before each mail of a mailbox.
    let is_box = lines.peek().is_some_and(|line| line.starts_with("From ") && line.contains(':'));
    if is_box {
        lines.next();
    }
    let mut known = 0;
    let (mut is_technical, mut is_page) = (false, false);
    for line in lines {
        if line.trim().is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) && known > 0 {
            continue;
        }
        let name = match line.split_once(':') {
            Some((name, _)) if is_field_name(name) => name.to_ascii_lowercase(),
            _ => return None,
        };
        known += usize::from(FIELDS.contains(&name.as_str()));
        is_technical |= TECHNICAL.contains(&name.as_str());
        is_page |= PAGES.contains(&name.as_str())
            || name == "from" && line.to_ascii_lowercase().contains("<saved by ");
    }
    let is_named = matches!(extension, "eml" | "mbox" | "mht" | "mhtml");
    (known >= 2 && (is_named || is_technical)).then_some(match extension {
        _ if is_box => ("mbox", "application/mbox"),
        "mht" | "mhtml" => ("mhtml", "multipart/related"),
        _ if is_page => ("mhtml", "multipart/related"),
        _ => ("eml", "message/rfc822"),
    })
}

fn is_field_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_are_told_from_texts_about_them() {
        for (extension, text, expected) in [
            ("", "Received: by x\r\n\tfor y\r\nSubject: z\r\n\r\nbody", "eml"),
            ("txt", "MIME-Version: 1.0\nContent-Type: multipart/related\n\n", "eml"),
            ("mht", "MIME-Version: 1.0\nContent-Type: multipart/related\n\n", "mhtml"),
            ("", "From: <Saved by Blink>\nSubject: a\nMIME-Version: 1.0\n\n", "mhtml"),
            ("eml", "From: a\nTo: b\n\nhello", "eml"),
            ("", "From a@b Sat Jan  3 01:05:34 1996\nFrom: a\nMessage-ID: <x>\n\nhello", "mbox"),
            ("txt", "From: a\nTo: b\n\nhello", ""),
            ("txt", "Subject: about Received: and others", ""),
            ("md", "---\ntitle: x\n---\n", ""),
            ("eml", "plain words", ""),
            ("", "", ""),
        ] {
            let found = kind(extension, text.as_bytes()).map_or("", |(extension, _)| extension);
            assert_eq!(found, expected, "{text}");
        }
    }
}
