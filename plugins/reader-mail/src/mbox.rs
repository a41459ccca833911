//! Mailboxes: mails in sequence, each with a place.

use mitt_reader_kit::{Content, ENCRYPTED, Error, Part, Place};

use crate::letter::Bound;
use crate::{damaged, mime};

/// Most mails of a mailbox that are read.
const MAX_MAILS: usize = 2_000;
/// Most warnings that name their mail; the rest is counted.
const MAX_WARNINGS: usize = 50;

pub(crate) fn read(bytes: &[u8]) -> Result<Content, Error> {
    let mut content = Content::default();
    let mut bound = Bound::default();
    let (mut count, mut unread, mut untold) = (0_usize, 0_usize, 0_usize);
    for mail in (Mails { rest: bytes }) {
        count += 1;
        if count > MAX_MAILS {
            unread += 1;
            continue;
        }
        let label = format!("mail {count}");
        let letter = match mime::letter(&unquoted(mail)) {
            Ok(letter) => letter,
            Err(error) => {
                let why = match error {
                    Error::Unsupported(text) if text == ENCRYPTED => "it is encrypted".to_owned(),
                    Error::Unsupported(text) | Error::Malformed(text) => text,
                    error => return Err(error),
                };
                warn(&mut content.warnings, &mut untold, format!("{label} was not read: {why}"));
                continue;
            }
        };
        if !content.markdown.is_empty() {
            content.markdown.push_str("\n---\n\n");
        }
        let at = content.markdown.len();
        content.places.push(Place { at, label: label.clone() });
        letter.write(&mut content.markdown, 2);
        bound.text(content.markdown.len() - at)?;
        let mut warnings = letter.warnings;
        let parts = bound.parts(letter.parts, &mut warnings);
        let name = |part: Part| Part { name: format!("{count}/{}", part.name), ..part };
        content.parts.extend(parts.into_iter().map(name));
        for mut table in letter.tables {
            table.place = Some(label.clone());
            content.tables.push(table);
        }
        for warning in warnings {
            warn(&mut content.warnings, &mut untold, format!("{label}: {warning}"));
        }
    }
    if count == 0 {
        return Err(damaged("there is no line `From ` in it"));
    }
    if unread > 0 {
        content
            .warnings
            .push(format!("{unread} mails were left out: the first {MAX_MAILS} of a box are read"));
    }
    if untold > 0 {
        content.warnings.push(format!("{untold} more warnings of single mails"));
    }
    content.metadata.push(("mails".into(), count.to_string()));
    Ok(content)
}

fn warn(warnings: &mut Vec<String>, untold: &mut usize, text: String) {
    if warnings.len() < MAX_WARNINGS { warnings.push(text) } else { *untold += 1 }
}

/// An iterator over the mails of a mailbox, without the lines that separate them.
struct Mails<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Mails<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while !begins(self.rest) {
            self.rest = behind_line(self.rest)?;
        }
        let start = behind_line(self.rest)?;
        let mut end = start;
        let mut was_empty = false;
        while !(end.is_empty() || was_empty && begins(end)) {
            was_empty = matches!(end, [b'\n', ..] | [b'\r', b'\n', ..]);
            end = behind_line(end).unwrap_or_default();
        }
        self.rest = end;
        start.get(..start.len() - end.len())
    }
}

fn behind_line(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    bytes.get(end + 1..)
}

/// Returns `true` if a mail begins here. Unquoted text may have a line `From ` too, but no header field after it.
fn begins(bytes: &[u8]) -> bool {
    let Some(next) = bytes.strip_prefix(b"From ").and_then(behind_line) else { return false };
    let name = next.strip_prefix(b">").unwrap_or(next);
    let length =
        name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    length > 0 && matches!(name.get(length), Some(b':')) || name.starts_with(b"From ")
}

/// Restores the lines `From ` of a mail, which a mailbox has as `>From `.
fn unquoted(mail: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(mail.len());
    for line in mail.split_inclusive(|byte| *byte == b'\n') {
        let bare = line.iter().position(|byte| *byte != b'>').and_then(|at| line.get(at..));
        let is_quoted =
            line.starts_with(b">") && bare.is_some_and(|bare| bare.starts_with(b"From "));
        out.extend_from_slice(line.get(usize::from(is_quoted)..).unwrap_or_default());
    }
    out
}
