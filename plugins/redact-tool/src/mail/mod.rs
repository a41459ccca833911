//! Mails (RFC 5322, MIME): every header and every part without its hits. What has none keeps its bytes.

mod body;
mod fields;
mod parameters;
mod split;
mod verify;
mod words;

use crate::error::{Error, Result, nothing};
use crate::matcher::{Matcher, STAR};
use crate::places::{Places, Redacted};
use crate::text::Editor;
use body::Content;
use fields::{Field, Head};

/// Most parts of a mail with those of the mails in it, and how deep parts may be in parts.
pub const MAX_PARTS: usize = 10_000;
pub const MAX_LEVELS: usize = 30;
/// Most bytes of one header, because each character of it is read with its place.
pub const MAX_FIELD: usize = 1 << 20;
/// Most names of removed parts in a warning.
const MAX_NAMES: usize = 40;

/// Headers that sign others or the text. None fits after a change, and its digest confirms a guess of what was removed.
/// `Autocrypt` has a key with the address of its owner.
const SIGNED: [&str; 8] = [
    "dkim-signature",
    "domainkey-signature",
    "x-google-dkim-signature",
    "arc-seal",
    "arc-message-signature",
    "arc-authentication-results",
    "content-md5",
    "autocrypt",
];

/// How a mail is redacted.
#[derive(Clone, Copy, Debug, Default)]
pub struct MailOptions {
    /// What cannot be searched stays.
    pub accepts_unread: bool,
    /// Parts that are removed because they cannot be searched are enough: a rule may have found something there and nowhere else.
    pub without_hits: bool,
}

/// Takes words and matches of patterns out of a mail.
///
/// # Errors
/// [`Error::Invalid`] - a word or a pattern cannot be used. [`Error::NotFound`] - there is no hit. [`Error::Unsupported`] - the
/// mail is encrypted or has too many parts, or the second reader found a hit in the result.
pub fn redact_email(
    bytes: &[u8],
    words: &[String],
    patterns: &[String],
    accepts_unread: bool,
) -> Result<Redacted> {
    redact_email_with(
        bytes,
        words,
        patterns,
        MailOptions { accepts_unread, ..MailOptions::default() },
    )
}

/// Does what [`redact_email`] does, with options.
///
/// # Errors
/// Those of [`redact_email`].
pub fn redact_email_with(
    bytes: &[u8],
    words: &[String],
    patterns: &[String],
    options: MailOptions,
) -> Result<Redacted> {
    let matcher = Matcher::new(words, patterns)?;
    if matcher.is_sign(STAR) {
        return Err(Error::Unsupported(format!(
            "a word or pattern is the sign `{STAR}`, which stands for redacted text in headers"
        )));
    }
    let mut work = Work::new(bytes, &matcher, options.accepts_unread);
    let new = work.entity(bytes, &Place::root(), true)?;
    let is_enough = options.without_hits && !work.removed.is_empty();
    if work.places.total() == 0 && !is_enough {
        return nothing("");
    }
    let bytes = new.unwrap_or_else(|| bytes.to_vec());
    verify::mail(&bytes, &matcher)?;
    let warnings = work.warnings();
    Ok(work.places.finish(bytes, warnings))
}

/// Searches a mail with a matcher that lists its texts.
///
/// # Errors
/// [`Error::Unsupported`] - the mail is encrypted or has too many parts.
pub(crate) fn list(bytes: &[u8], matcher: &Matcher) -> Result<()> {
    Work::new(bytes, matcher, true).entity(bytes, &Place::root(), true).map(drop)
}

/// Where a part is, for people.
#[derive(Clone, Debug)]
struct Place {
    /// Empty for the mail itself, `2.1` for the first part of the second one.
    number: String,
    level: usize,
}

impl Place {
    fn root() -> Self {
        Self { number: String::new(), level: 0 }
    }

    fn part(&self, index: usize) -> Self {
        let number = if self.number.is_empty() {
            (index + 1).to_string()
        } else {
            format!("{}.{}", self.number, index + 1)
        };
        Self { number, level: self.level + 1 }
    }

    /// Returns the place of the mail that a part is.
    fn message(&self) -> Self {
        Self { number: self.number.clone(), level: self.level + 1 }
    }

    fn say(&self, what: &str) -> String {
        if self.number.is_empty() {
            what.to_owned()
        } else {
            format!("part {}: {what}", self.number)
        }
    }
}

struct Work<'a> {
    editor: Editor<'a>,
    accepts_unread: bool,
    eol: &'static str,
    places: Places,
    n_parts: usize,
    n_data: usize,
    /// Parts that were removed and that stay though nobody searched them.
    removed: Vec<String>,
    kept: Vec<String>,
    signatures: Vec<String>,
}

impl<'a> Work<'a> {
    fn new(bytes: &[u8], matcher: &'a Matcher, accepts_unread: bool) -> Self {
        let eol = if bytes.windows(2).any(|it| it == b"\r\n") { "\r\n" } else { "\n" };
        Work {
            editor: Editor { matcher, keeps_data: accepts_unread },
            accepts_unread,
            eol,
            places: Places::default(),
            n_parts: 0,
            n_data: 0,
            removed: Vec::new(),
            kept: Vec::new(),
            signatures: Vec::new(),
        }
    }
}

impl Work<'_> {
    /// Redacts a message or a part. Returns `None` if nothing changed.
    fn entity(&mut self, bytes: &[u8], place: &Place, is_message: bool) -> Result<Option<Vec<u8>>> {
        self.n_parts += 1;
        if self.n_parts > MAX_PARTS || place.level > MAX_LEVELS {
            return Err(Error::Unsupported(format!(
                "expected at most {MAX_PARTS} parts and {MAX_LEVELS} levels of parts, got more; redact its attachments one by one"
            )));
        }
        let (head, body) = split::head(bytes);
        let mut head = Head::new(head)?;
        let mut is_changed = false;
        for field in &mut head.fields {
            let hits = field.redact(self.editor.matcher, self.eol);
            if hits > 0 {
                is_changed = true;
                self.places.add(&place.say(&format!("header {}", field.shown_name())), hits);
            }
        }
        let content = Content::of(&head);
        let new = self.body(&mut head, &content, body, place, is_message)?;
        let body = match new {
            Body::Same => body.to_vec(),
            Body::New(new) => {
                is_changed = true;
                new
            }
            Body::Gone => {
                is_changed = true;
                self.placeholder(&mut head, is_message)
            }
        };
        if !is_changed {
            return Ok(None);
        }
        self.unsign(&mut head, place);
        let mut out = head.to_bytes(self.eol);
        out.extend(body);
        Ok(Some(out))
    }

    /// Removes headers with signatures.
    fn unsign(&mut self, head: &mut Head, place: &Place) {
        head.fields.retain(|field| {
            let name = field.name.to_ascii_lowercase();
            let is_signed = SIGNED.contains(&name.as_str());
            if is_signed {
                self.signatures.push(place.say(&format!("header {}", field.shown_name())));
            }
            !is_signed
        });
    }

    /// Returns the text of a part whose content was removed, and makes its headers fit.
    fn placeholder(&self, head: &mut Head, is_message: bool) -> Vec<u8> {
        head.fields
            .retain(|it| is_message && !it.name.to_ascii_lowercase().starts_with("content-"));
        head.fields.push(Field::new("Content-Type", " text/plain; charset=us-ascii", self.eol));
        format!("{}[Redacted: a part of this mail was removed.]{}", self.eol, self.eol).into_bytes()
    }

    fn body(
        &mut self,
        head: &mut Head,
        content: &Content,
        body: &[u8],
        place: &Place,
        is_message: bool,
    ) -> Result<Body> {
        match content {
            Content::Multipart { boundary, is_signed, .. } => {
                self.multipart(head, boundary, *is_signed, body, place)
            }
            Content::Encrypted if is_message => Err(Error::Unsupported(
                "the mail is encrypted, or signed as one block; open it in a mail program, save its text as a file and redact that one"
                    .to_owned(),
            )),
            Content::Encrypted | Content::Unread => self.unread(head, body, place),
            Content::Message => {
                let Some(inner) = body::decoded(head, split::without_blank(body)) else {
                    return self.unread(head, body, place);
                };
                let new = self.entity(&inner, &place.message(), true)?;
                Ok(match new {
                    Some(new) => Body::New(self.joined(body::encoded(head, &new, self.eol))),
                    None => Body::Same,
                })
            }
            Content::Text { .. } => self.text(head, content, body, place),
        }
    }

    fn joined(&self, body: Vec<u8>) -> Vec<u8> {
        [self.eol.as_bytes(), &body].concat()
    }

    fn text(&mut self, head: &Head, content: &Content, body: &[u8], place: &Place) -> Result<Body> {
        let Content::Text { kind, label } = content else { return Ok(Body::Same) };
        let Some(bytes) = body::decoded(head, split::without_blank(body)) else {
            return self.unread(head, body, place);
        };
        let Some((encoding, is_ascii)) = body::charset(head, label.as_deref(), &bytes) else {
            return self.unread(head, body, place);
        };
        if body::has_uuencoded(&bytes) && !self.accepts_unread {
            return self.unread(head, body, place);
        }
        let Some(edited) = self.editor.edit(&bytes, encoding, *kind, is_ascii)? else {
            return Ok(Body::Same);
        };
        self.n_data += edited.n_cut;
        if !edited.lines.is_empty() {
            let what = if *kind == crate::kind::TextKind::Html { "HTML text" } else { "text" };
            self.places.add(&place.say(what), edited.lines.len());
        }
        Ok(Body::New(self.joined(body::encoded(head, &edited.bytes, self.eol))))
    }

    /// Removes a part that cannot be searched, or keeps it if the caller accepts that and its bytes have no hit.
    fn unread(&mut self, head: &Head, body: &[u8], place: &Place) -> Result<Body> {
        let bytes = body::decoded(head, split::without_blank(body));
        let has_hit = body::has_word(bytes.as_deref().unwrap_or(body), self.editor.matcher);
        let name = place.say(&format!("`{}`", head.shown_file()));
        if self.accepts_unread && !has_hit {
            self.kept.push(name);
            return Ok(Body::Same);
        }
        if has_hit {
            self.places.add(&place.say("file"), 1);
        }
        self.removed.push(name);
        Ok(Body::Gone)
    }

    fn multipart(
        &mut self,
        head: &mut Head,
        boundary: &str,
        is_signed: bool,
        body: &[u8],
        place: &Place,
    ) -> Result<Body> {
        let mut parts = split::parts(body, boundary);
        let mut is_changed = false;
        // Texts around the parts, which mail programs do not show.
        for (text, what) in [(&mut parts.before, "preamble"), (&mut parts.after, "epilogue")] {
            let shown = String::from_utf8_lossy(text).into_owned();
            let hits = self.editor.matcher.hits(&shown).len();
            if hits > 0 {
                self.places.add(&place.say(what), hits);
                *text = self.eol.as_bytes().to_vec();
                is_changed = true;
            }
        }
        for (index, part) in parts.list.iter_mut().enumerate() {
            if let Some(new) = self.entity(&part.content, &place.part(index), false)? {
                part.content = new;
                is_changed = true;
            }
        }
        let has_word = self.editor.matcher.is_in(boundary);
        if has_word {
            self.places.add(&place.say("boundary"), 1);
            let mut number = 0;
            let new = loop {
                let new = format!("=_part_{}_{number}", self.n_parts);
                let is_free = !body.windows(new.len()).any(|it| it == new.as_bytes());
                if is_free && !self.editor.matcher.is_in(&new) {
                    break new;
                }
                number += 1;
            };
            head.set_boundary(&new, self.eol);
            parts.boundary = new;
            is_changed = true;
        }
        if is_changed && is_signed {
            self.signatures.push(place.say("signature of its parts"));
            let is_signature = |it: &split::Part| {
                Head::new(split::head(&it.content).0).is_ok_and(|it| it.is_signature())
            };
            for (index, _) in parts.list.iter().enumerate().filter(|(_, it)| is_signature(it)) {
                let name = place.part(index).say("");
                self.kept.retain(|it| !it.starts_with(&name));
            }
            parts.list.retain(|it| !is_signature(it));
            head.set_mixed(self.eol);
        }
        Ok(if is_changed { Body::New(parts.to_bytes(self.eol)) } else { Body::Same })
    }

    fn warnings(&self) -> Vec<String> {
        let listed = |names: &[String]| {
            let more = match names.len().saturating_sub(MAX_NAMES) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
            format!("{}{more}", names.join(", "))
        };
        let mut out = Vec::new();
        for (names, what) in [
            (&self.removed, "parts that cannot be searched were removed"),
            (&self.kept, "parts stay that were searched for plain text only; look at them"),
            (&self.signatures, "signatures that no longer fit were removed"),
        ] {
            if !names.is_empty() {
                out.push(format!("{what}: {}", listed(names)));
            }
        }
        if self.n_data > 0 {
            out.push(match self.n_data {
                1 => "1 picture within HTML text was removed".to_owned(),
                count => format!("{count} pictures within HTML text were removed"),
            });
        }
        out
    }
}

/// What became of a body.
enum Body {
    Same,
    New(Vec<u8>),
    Gone,
}
