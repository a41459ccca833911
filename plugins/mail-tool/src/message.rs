//! The parts of a message, and how they are put together (MIME).

use sha2::{Digest as _, Sha256};

use crate::encode;
use crate::header;

/// What a part is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Plain text.
    Text,
    /// The page.
    Html,
    /// A picture in the page.
    Picture,
    /// An attached file.
    Attachment,
}

impl PartKind {
    /// Returns its name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Html => "html",
            Self::Picture => "picture",
            Self::Attachment => "attachment",
        }
    }
}

/// A part of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is for.
    pub kind: PartKind,
    /// Its file name; empty for texts.
    pub name: String,
    /// Its media type without parameters.
    pub media_type: String,
    /// Its size before it is encoded.
    pub size: usize,
}

/// A part with its fields and its encoded content.
pub(crate) struct Encoded {
    pub(crate) part: Part,
    head: String,
    body: String,
}

impl Encoded {
    /// Encodes a text with line ends `\n`.
    pub(crate) fn text(kind: PartKind, text: &str) -> Self {
        let media_type = if kind == PartKind::Html { "text/html" } else { "text/plain" };
        let (encoding, body) = encode::text(text);
        let head = format!(
            "Content-Type: {media_type}; charset=UTF-8\r\nContent-Transfer-Encoding: {encoding}\r\n"
        );
        let part =
            Part { kind, name: String::new(), media_type: media_type.into(), size: text.len() };
        Self { part, head, body }
    }

    /// Encodes a picture of the page.
    pub(crate) fn picture(name: &str, media_type: &str, content_id: &str, bytes: &[u8]) -> Self {
        let mut file = Self::file(PartKind::Picture, name, media_type, bytes);
        file.head.push_str(&format!("Content-ID: <{content_id}>\r\n"));
        file
    }

    /// Encodes an attached file.
    pub(crate) fn attachment(name: &str, media_type: &str, bytes: &[u8]) -> Self {
        Self::file(PartKind::Attachment, name, media_type, bytes)
    }

    fn file(kind: PartKind, name: &str, media_type: &str, bytes: &[u8]) -> Self {
        let disposition = if kind == PartKind::Picture { "inline" } else { "attachment" };
        let mut head = header::content_type(media_type, name);
        head.push_str("Content-Transfer-Encoding: base64\r\n");
        head.push_str(&header::disposition(disposition, name));
        let plain = media_type.split(';').next().unwrap_or(media_type);
        let part =
            Part { kind, name: name.to_owned(), media_type: plain.to_owned(), size: bytes.len() };
        Self { part, head, body: encode::base64_lines(bytes) }
    }

    /// Returns about how many bytes it adds to the message.
    pub(crate) fn size(&self) -> usize {
        self.head.len() + self.body.len() + 64
    }
}

/// Returns a hash of content in 32 hexadecimal digits.
pub(crate) fn hash<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for piece in pieces {
        // The length comes first, so that no two lists of pieces are the same bytes.
        hasher.update((piece.len() as u64).to_le_bytes());
        hasher.update(piece);
    }
    hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// A message before its last fields are known.
pub(crate) struct Message {
    /// All fields except those that follow from the content.
    pub(crate) head: String,
    /// The domain of its ID.
    pub(crate) domain: String,
    pub(crate) text: Encoded,
    pub(crate) html: Encoded,
    pub(crate) pictures: Vec<Encoded>,
    pub(crate) attachments: Vec<Encoded>,
}

impl Message {
    /// Returns the message in transport format, with an ID and boundaries that follow from its content.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let parts =
            [&self.text, &self.html].into_iter().chain(&self.pictures).chain(&self.attachments);
        let pieces = parts.flat_map(|part| [part.head.as_bytes(), part.body.as_bytes()]);
        let hash = hash(std::iter::once(self.head.as_bytes()).chain(pieces));
        let size: usize = self.head.len()
            + 2_000
            + [&self.text, &self.html]
                .into_iter()
                .chain(&self.pictures)
                .chain(&self.attachments)
                .map(Encoded::size)
                .sum::<usize>();
        let mut out = Out { text: String::with_capacity(size), hash };
        out.text.push_str(&self.head);
        let id = format!("<{}@{}>", out.hash, self.domain);
        out.text.push_str(&header::tokens("Message-ID", [&*id]));
        out.text.push_str("MIME-Version: 1.0\r\n");
        if self.attachments.is_empty() {
            out.body(self.text, self.html, self.pictures);
        } else {
            let boundary = out.open("mixed", "");
            out.next(&boundary);
            out.body(self.text, self.html, self.pictures);
            for file in self.attachments {
                out.next(&boundary);
                out.part(file);
            }
            out.close(&boundary);
        }
        out.text.into_bytes()
    }
}

struct Out {
    text: String,
    hash: String,
}

impl Out {
    /// Writes both texts, and the pictures with the page.
    fn body(&mut self, text: Encoded, html: Encoded, pictures: Vec<Encoded>) {
        let boundary = self.open("alternative", "");
        self.next(&boundary);
        self.part(text);
        self.next(&boundary);
        if pictures.is_empty() {
            self.part(html);
        } else {
            let related = self.open("related", "; type=\"text/html\"");
            self.next(&related);
            self.part(html);
            for picture in pictures {
                self.next(&related);
                self.part(picture);
            }
            self.close(&related);
        }
        self.close(&boundary);
    }

    /// Writes the fields of a part that has parts, and returns their boundary. No encoded text contains `=_`.
    fn open(&mut self, kind: &str, parameter: &str) -> String {
        let boundary = format!("=_{kind}_{}", self.hash);
        self.text.push_str(&format!(
            "Content-Type: multipart/{kind}{parameter};\r\n boundary=\"{boundary}\"\r\n\r\n"
        ));
        boundary
    }

    fn next(&mut self, boundary: &str) {
        self.text.push_str(&format!("--{boundary}\r\n"));
    }

    fn close(&mut self, boundary: &str) {
        self.text.push_str(&format!("--{boundary}--\r\n"));
    }

    fn part(&mut self, part: Encoded) {
        self.text.push_str(&part.head);
        self.text.push_str("\r\n");
        self.text.push_str(&part.body);
        // The line end before a boundary belongs to the boundary.
        if part.body.is_empty() {
            self.text.push_str("\r\n");
        }
    }
}
