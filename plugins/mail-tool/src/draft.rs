//! From the arguments of a call to the draft: checks, texts, pictures and files.

use crate::address::Address;
use crate::date::mail_date;
use crate::encode::base64_size;
use crate::error::{Error, Result, invalid};
use crate::header;
use crate::html::{self, PagePicture};
use crate::markdown;
use crate::media::{is_blocked, media_type};
use crate::message::{Encoded, Message, Part, PartKind, hash};
use crate::names::{check_field, file_name};
use crate::picture::format;
use crate::reply::{self, Original};
use crate::text;

/// Most bytes of a draft: what common mail servers take. Files are a third larger in it.
pub const MAX_DRAFT_BYTES: usize = 25 * 1024 * 1024;
/// Most bytes of Markdown.
pub const MAX_BODY_BYTES: usize = 1024 * 1024;
/// Most recipients, which is the limit of common mail servers.
const MAX_RECIPIENTS: usize = 500;
/// Most attached files, and most pictures.
const MAX_FILES: usize = 50;
/// Most characters of a subject.
const MAX_SUBJECT: usize = 1_000;
/// Characters of a subject that Outlook keeps.
const SHOWN_SUBJECT: usize = 255;
/// Bytes of a page that Gmail shows.
const SHOWN_HTML: usize = 102 * 1024;
/// Most problems that one error lists.
const MAX_PROBLEMS: usize = 20;

/// Reads a file of the session by its name.
pub type Read<'a> = dyn Fn(&str) -> Result<Vec<u8>> + 'a;

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The text as Markdown.
    pub body: String,
    /// The subject; that of the mail if this is a reply.
    pub subject: Option<String>,
    /// Recipients; the sender of the mail if this is a reply.
    pub to: Vec<String>,
    /// Recipients of a copy.
    pub cc: Vec<String>,
    /// Recipients of a copy that the others do not see.
    pub bcc: Vec<String>,
    /// The address of the user.
    pub sender: Option<String>,
    /// Names of files of the session.
    pub attachments: Vec<String>,
    /// The name of a mail of the session.
    pub reply_to_mail: Option<String>,
    /// A date of RFC 3339.
    pub date: Option<String>,
}

/// A draft that was written.
#[derive(Debug)]
pub struct Draft {
    /// The message in transport format.
    pub content: Vec<u8>,
    /// Its subject.
    pub subject: String,
    /// Field and address of each recipient.
    pub recipients: Vec<String>,
    /// Its parts.
    pub parts: Vec<Part>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Writes a draft.
///
/// # Errors
///
/// [`Error::Invalid`] - an argument cannot be used. [`Error::NotFound`] - the session has no such file.
/// [`Error::Malformed`] - the mail that is replied to is none.
/// [`Error::Quota`] - the draft would be larger than [`MAX_DRAFT_BYTES`]. Others are those of `read`.
pub fn draft(request: &Request, read: &Read<'_>) -> Result<Draft> {
    if request.body.len() > MAX_BODY_BYTES {
        return invalid(format!(
            "body: expected at most {} KiB, got {}; attach long texts as a file",
            MAX_BODY_BYTES / 1024,
            request.body.len() / 1024
        ));
    }
    let head = Head::check(request)?;
    let body = markdown::parse(&request.body)?;
    let original = match &request.reply_to_mail {
        Some(name) => Some(original(name, read)?),
        None => None,
    };
    let mut warnings = Vec::new();
    let head = head.completed(original.as_ref(), &mut warnings)?;
    warnings.extend(body.warnings.iter().cloned());
    if request.body.trim().is_empty() {
        warnings.push("The mail has no text.".into());
    }

    let mut files = Files { read, size: 0, missing: Vec::new() };
    let mut pictures = Vec::new();
    let names = body.pictures(MAX_FILES + 1);
    if names.len() > MAX_FILES {
        return invalid(format!("body: expected at most {MAX_FILES} pictures"));
    }
    for name in names {
        if let Some(bytes) = files.get("body: picture", name)? {
            pictures.push(picture(name, &bytes)?);
        }
    }
    let mut attachments = Vec::new();
    for (place, name, shown) in attached(&request.attachments, &mut warnings)? {
        if let Some(bytes) = files.get(&place, name)? {
            if is_blocked(&shown) {
                warnings.push(format!("Mail programs often block files such as {shown}."));
            }
            if bytes.is_empty() {
                warnings.push(format!("The file {shown} is empty."));
            }
            attachments.push(Encoded::attachment(&shown, media_type(&shown), &bytes));
        }
    }
    files.check()?;

    let quotes = original.as_ref().filter(|it| !it.text.is_empty()).map(|it| {
        let introduction = it.introduction(&request.body);
        (text::quoted(&introduction, &it.text), html::quoted(&introduction, &it.text))
    });
    let (text_quote, html_quote) = quotes.unwrap_or_default();
    let plain = text::write(&body.pieces)? + &text_quote;
    let on_page: Vec<PagePicture<'_>> = pictures.iter().map(Picture::on_page).collect();
    let page = html::write(&body.pieces, &on_page, &html_quote)?;
    if page.len() > SHOWN_HTML {
        warnings.push(format!(
            "The text has {} KiB as HTML, of which Gmail shows the first {}.",
            page.len() / 1024,
            SHOWN_HTML / 1024
        ));
    }
    let message = Message {
        head: head.fields(original.as_ref()),
        domain: head.sender.as_ref().map_or("draft.invalid", Address::domain).to_owned(),
        text: Encoded::text(PartKind::Text, &plain),
        html: Encoded::text(PartKind::Html, &page),
        pictures: pictures.into_iter().map(|it| it.encoded).collect(),
        attachments,
    };
    let all = [&message.text, &message.html].into_iter();
    let all = all.chain(&message.pictures).chain(&message.attachments);
    let parts = all.map(|it| it.part.clone()).collect();
    let content = message.into_bytes();
    if content.len() > MAX_DRAFT_BYTES {
        return Err(too_large("its texts"));
    }
    Ok(Draft { content, subject: head.subject.clone(), recipients: head.shown(), parts, warnings })
}

fn too_large(what: &str) -> Error {
    Error::Quota(format!(
        "the draft would have more than {} MiB with {what}, and mail servers refuse that; files are a third larger in a mail; attach fewer or smaller files, or give a link",
        MAX_DRAFT_BYTES / 1024 / 1024
    ))
}

/// The fields of a draft.
struct Head {
    sender: Option<Address>,
    /// `To`, `Cc` and `Bcc`.
    recipients: [(&'static str, Vec<Address>); 3],
    subject: String,
    date: Option<String>,
    warnings: Vec<String>,
}

impl Head {
    /// Checks all arguments that become fields.
    fn check(request: &Request) -> Result<Self> {
        let mut problems = Vec::new();
        let mut warnings = Vec::new();
        let count = request.to.len() + request.cc.len() + request.bcc.len();
        if count > MAX_RECIPIENTS {
            return invalid(format!(
                "to, cc, bcc: expected at most {MAX_RECIPIENTS} recipients, got {count}; use a mailing list"
            ));
        }
        let mut one = |place: &str, text: &str| match Address::parse(place, text) {
            Ok(address) => {
                warnings.extend(address.warning.clone());
                Some(address)
            }
            Err(problem) => {
                problems.push(problem);
                None
            }
        };
        let sender = request.sender.as_deref().and_then(|text| one("sender", text));
        let lists =
            [("To", "to", &request.to), ("Cc", "cc", &request.cc), ("Bcc", "bcc", &request.bcc)];
        let recipients = lists.map(|(field, argument, texts)| {
            let each = texts.iter().enumerate();
            let found = each.filter_map(|(index, text)| one(&format!("{argument}[{index}]"), text));
            (field, found.collect())
        });
        let subject = request.subject.clone().unwrap_or_default();
        if let Err(problem) = check_field("subject", &subject) {
            problems.push(problem);
        } else if subject.trim().is_empty() && request.reply_to_mail.is_none() {
            problems.push("subject: expected a text, got none".into());
        }
        let length = subject.chars().count();
        if length > MAX_SUBJECT {
            problems
                .push(format!("subject: expected at most {MAX_SUBJECT} characters, got {length}"));
        } else if length > SHOWN_SUBJECT {
            warnings.push(format!(
                "The subject has {length} characters, of which Outlook keeps {SHOWN_SUBJECT}."
            ));
        }
        let date = request.date.as_deref().and_then(|text| {
            let date = mail_date(text);
            if date.is_none() {
                let shown: String = text.chars().take(40).collect();
                problems.push(format!(
                    "date: expected RFC 3339 such as `2026-11-27T09:30:00+08:00`, got {shown:?}"
                ));
            }
            date
        });
        if problems.is_empty() {
            return Ok(Self {
                sender,
                recipients,
                subject: subject.trim().to_owned(),
                date,
                warnings,
            });
        }
        invalid(listed(problems))
    }

    /// Adds what a reply takes from its mail, and leaves out addresses that are there twice.
    fn completed(
        mut self,
        original: Option<&Original>,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        warnings.append(&mut self.warnings);
        if let Some(original) = original {
            warnings.extend(original.warnings.iter().cloned());
            if self.subject.is_empty() {
                self.subject = original.reply_subject();
            }
            if self.recipients[0].1.is_empty() {
                for address in &original.recipients {
                    warnings.extend(address.warning.clone());
                    self.recipients[0].1.push(address.clone());
                }
            }
        }
        let mut known: Vec<(String, &'static str)> = Vec::new();
        for (field, list) in &mut self.recipients {
            list.retain(|address| {
                let key = address.key();
                if let Some((_, first)) = known.iter().find(|(other, _)| *other == key) {
                    warnings.push(format!(
                        "{} is given twice: it stays in {first} and not again in {field}.",
                        address.mailbox()
                    ));
                    return false;
                }
                known.push((key, field));
                true
            });
        }
        if known.is_empty() {
            warnings.push("The draft has no recipient: add one before it is sent.".into());
        }
        Ok(self)
    }

    /// Returns the fields in their usual order.
    fn fields(&self, original: Option<&Original>) -> String {
        let mut out = String::new();
        if let Some(sender) = &self.sender {
            out.push_str(&header::addresses("From", std::slice::from_ref(sender)));
        }
        for (field, list) in self.recipients.iter().filter(|(_, list)| !list.is_empty()) {
            out.push_str(&header::addresses(field, list));
        }
        out.push_str(&header::text("Subject", &self.subject));
        if let Some(date) = &self.date {
            out.push_str(&format!("Date: {date}\r\n"));
        }
        if let Some(original) = original {
            if let Some(id) = &original.message_id {
                out.push_str(&header::tokens("In-Reply-To", [&**id]));
            }
            if !original.references.is_empty() {
                let references = original.references.iter().map(String::as_str);
                out.push_str(&header::tokens("References", references));
            }
        }
        // Outlook opens such a mail for writing.
        out.push_str("X-Unsent: 1\r\n");
        out
    }

    fn shown(&self) -> Vec<String> {
        let fields = self.recipients.iter();
        fields
            .flat_map(|(field, list)| {
                let field = field.to_ascii_lowercase();
                list.iter().map(move |address| format!("{field}: {}", address.shown()))
            })
            .collect()
    }
}

/// Returns problems as lines.
fn listed(mut problems: Vec<String>) -> String {
    if problems.len() > MAX_PROBLEMS {
        let more = problems.len() - MAX_PROBLEMS;
        problems.truncate(MAX_PROBLEMS);
        problems.push(format!("{more} more problems"));
    }
    problems.join("\n")
}

fn original(name: &str, read: &Read<'_>) -> Result<Original> {
    if name.to_ascii_lowercase().ends_with(".msg") {
        return Err(Error::Unsupported(format!(
            "reply-to-mail: expected an `.eml`, got `{name}`; save it as `.eml`, or leave this out and give `to` and `subject`"
        )));
    }
    check_field("reply-to-mail", name).map_err(Error::Invalid)?;
    reply::read(name, &read(name).map_err(|error| error.at("reply-to-mail"))?)
}

/// Files of the session, whose sum is limited.
struct Files<'a> {
    read: &'a Read<'a>,
    /// Bytes of all files as base64.
    size: usize,
    /// Errors about files that cannot be read.
    missing: Vec<Error>,
}

impl Files<'_> {
    /// Reads a file; `None` if that failed, which [`Self::check`] reports.
    fn get(&mut self, place: &str, name: &str) -> Result<Option<Vec<u8>>> {
        file_name(place, name).map_err(Error::Invalid)?;
        let mut found = (self.read)(name);
        // Markdown often has `%20` for a space.
        if let (Err(Error::NotFound(_)), Some(decoded)) = (&found, percent_decoded(name)) {
            file_name(place, &decoded).map_err(Error::Invalid)?;
            found = (self.read)(&decoded).or(found);
        }
        match found {
            Ok(bytes) => {
                self.size += base64_size(bytes.len());
                if self.size > MAX_DRAFT_BYTES {
                    return Err(too_large(&format!("`{name}`")));
                }
                Ok(Some(bytes))
            }
            Err(error) => {
                // The host lists all names, and once is enough.
                let error = if self.missing.iter().any(|it| matches!(it, Error::NotFound(_)))
                    && matches!(error, Error::NotFound(_))
                {
                    Error::NotFound("no such file either".into())
                } else {
                    error
                };
                self.missing.push(error.at(&format!("{place} `{name}`")));
                Ok(None)
            }
        }
    }

    fn check(self) -> Result<()> {
        let all = listed(self.missing.iter().map(|it| it.text().to_owned()).collect());
        match self.missing.into_iter().next() {
            Some(first) => Err(first.with(all)),
            None => Ok(()),
        }
    }
}

/// Returns a name with `%20` and others as characters; `None` if it has none.
fn percent_decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, after @ ..] = rest {
        let hex =
            after.get(..2).filter(|hex| *first == b'%' && hex.iter().all(u8::is_ascii_hexdigit));
        let value = hex.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok());
        bytes.push(value.unwrap_or(*first));
        rest = if value.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok().filter(|decoded| decoded != name)
}

/// A picture of the page.
struct Picture {
    /// Its name in the body.
    name: String,
    content_id: String,
    width: u32,
    encoded: Encoded,
}

impl Picture {
    fn on_page(&self) -> PagePicture<'_> {
        PagePicture { name: &self.name, content_id: &self.content_id, width: self.width }
    }
}

fn picture(name: &str, bytes: &[u8]) -> Result<Picture> {
    let Some(found) = format(bytes) else {
        return invalid(format!(
            "body: expected a PNG, JPEG or GIF, which every mail program shows, got `{name}`; make a `.png` of it, or attach it"
        ));
    };
    let id = hash([name.as_bytes(), bytes]);
    let content_id = format!("{id}@picture.invalid");
    let shown = percent_decoded(name).unwrap_or_else(|| name.to_owned());
    let shown = file_name("body: picture", &shown).map_err(Error::Invalid)?;
    let encoded = Encoded::picture(shown, found.media_type, &content_id, bytes);
    Ok(Picture { name: name.to_owned(), content_id, width: found.width, encoded })
}

/// Returns place, name and name in the mail of each attached file.
fn attached<'a>(
    names: &'a [String],
    warnings: &mut Vec<String>,
) -> Result<Vec<(String, &'a str, String)>> {
    if names.len() > MAX_FILES {
        return invalid(format!(
            "attachments: expected at most {MAX_FILES} files, got {}; put them into an archive",
            names.len()
        ));
    }
    let mut problems = Vec::new();
    let mut files: Vec<(String, &str, String)> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let place = format!("attachments[{index}]");
        let shown = match file_name(&place, name) {
            Ok(shown) => shown,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        if files.iter().any(|(_, other, _)| other == name) {
            warnings.push(format!("The file {name} is given twice: it is attached once."));
            continue;
        }
        let (stem, extension) = match shown.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
            _ => (shown, String::new()),
        };
        let mut unique = shown.to_owned();
        let mut number = 2;
        while files.iter().any(|(_, _, other)| other.to_lowercase() == unique.to_lowercase()) {
            unique = format!("{stem} ({number}){extension}");
            number += 1;
        }
        if unique != shown {
            warnings.push(format!(
                "The file {name} is attached as {unique}, because another one has its name."
            ));
        }
        files.push((place, name, unique));
    }
    if problems.is_empty() { Ok(files) } else { invalid(listed(problems)) }
}

#[cfg(test)]
mod tests {
    use super::{attached, percent_decoded};

    #[test]
    fn names_are_decoded() {
        for (name, expected) in [
            ("a%20b.png", Some("a b.png")),
            ("%E5%9B%BE", Some("图")),
            ("100%", None),
            ("%zz", None),
            ("%+1", None),
            ("%ff", None),
        ] {
            assert_eq!(percent_decoded(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn equal_names_of_files_get_numbers() {
        let names =
            ["a/x.pdf", "b/X.pdf", "a/x.pdf", "c/x.pdf", "README", "d/README"].map(str::to_owned);
        let mut warnings = Vec::new();
        let files = attached(&names, &mut warnings).unwrap();
        let shown: Vec<_> = files.iter().map(|(.., shown)| &**shown).collect();
        assert_eq!(shown, ["x.pdf", "X (2).pdf", "x (3).pdf", "README", "README (2)"]);
        assert_eq!(warnings.len(), 4);
    }
}
