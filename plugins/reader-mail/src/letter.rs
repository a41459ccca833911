//! A mail from any source format, and its conversion to Markdown and metadata.

use mitt_reader_kit::{
    Content, Error, MAX_TEXT_BYTES, NamedTable, Part, clean, escape, single_line,
};

/// Most bytes of all nested files of a file.
const MAX_PART_BYTES: usize = 128 << 20;
/// Most nested files of a file. The host reads at most a thousand documents.
const MAX_PARTS: usize = 1_000;
/// Most addresses of a field that are shown.
const MAX_ADDRESSES: usize = 100;
/// Most characters of a field that are shown.
const MAX_FIELD: usize = 4_000;

/// One mail.
#[derive(Default)]
pub(crate) struct Letter {
    pub(crate) subject: Option<String>,
    pub(crate) from: Vec<String>,
    pub(crate) to: Vec<String>,
    pub(crate) cc: Vec<String>,
    /// ISO 8601, with its offset.
    pub(crate) date: Option<String>,
    pub(crate) message_id: Option<String>,
    /// The address of a saved page.
    pub(crate) url: Option<String>,
    /// Markdown.
    pub(crate) body: String,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) parts: Vec<Part>,
    pub(crate) warnings: Vec<String>,
}

impl Letter {
    /// Adds a nested file. The host makes names unique.
    pub(crate) fn attach(&mut self, name: &str, bytes: Vec<u8>) {
        let name = single_line(&clean(name));
        let name = if name.is_empty() { "attachment".to_owned() } else { name };
        self.parts.push(Part { name, bytes });
    }

    /// Returns the metadata with the names that documents use.
    pub(crate) fn metadata(&self) -> Vec<(String, String)> {
        let list = |addresses: &[String]| shown_list(addresses, str::to_owned);
        let fields = [
            ("subject", self.subject.clone()),
            ("from", list(&self.from)),
            ("to", list(&self.to)),
            ("cc", list(&self.cc)),
            ("date", self.date.clone()),
            ("message-id", self.message_id.clone()),
            ("url", self.url.clone()),
        ];
        let field = |(name, value): (&str, Option<String>)| {
            let value = short(&single_line(&clean(&value?)));
            (!value.is_empty()).then(|| (name.to_owned(), value))
        };
        fields.into_iter().filter_map(field).collect()
    }

    pub(crate) fn title(&self) -> Option<String> {
        let title = short(&single_line(&clean(self.subject.as_deref()?)));
        (!title.is_empty()).then_some(title)
    }

    /// Writes the mail as Markdown: a header, its text, the names of its attachments. Its headings begin at `level`.
    pub(crate) fn write(&self, out: &mut String, level: usize) {
        if let Some(title) = self.title() {
            out.push_str(&format!("{} {}\n\n", "#".repeat(level), escape(&title)));
        }
        let mut lines = Vec::new();
        for (name, addresses) in [("From", &self.from), ("To", &self.to), ("Cc", &self.cc)] {
            if let Some(list) = shown_list(addresses, shown_address) {
                lines.push(format!("{name}: {list}"));
            }
        }
        let others = [("Date", &self.date), ("Saved from", &self.url)];
        for (name, value) in others {
            if let Some(value) = value.as_deref().map(|value| short(&single_line(&clean(value)))) {
                lines.push(format!("{name}: {value}"));
            }
        }
        // Editors that trim lines keep a line break with a backslash.
        push_block(out, &lines.join("\\\n"));
        push_block(out, self.body.trim_matches('\n'));
        let names: Vec<String> = self
            .parts
            .iter()
            .map(|part| format!("- {} ({} bytes)", escape(&short(&part.name)), part.bytes.len()))
            .collect();
        if !names.is_empty() {
            push_block(out, &format!("Attached:\n\n{}", names.join("\n")));
        }
    }

    /// Returns the content of a file with only this mail.
    pub(crate) fn into_content(self) -> Result<Content, Error> {
        let mut markdown = String::new();
        self.write(&mut markdown, 1);
        let (title, metadata) = (self.title(), self.metadata());
        let Letter { tables, parts, mut warnings, .. } = self;
        let mut bound = Bound::default();
        bound.text(markdown.len())?;
        let parts = bound.parts(parts, &mut warnings);
        Ok(Content { title, metadata, markdown, tables, parts, warnings, ..Content::default() })
    }
}

/// The size of the content of a file so far.
#[derive(Default)]
pub(crate) struct Bound {
    text: usize,
    parts: usize,
    bytes: usize,
}

impl Bound {
    /// Adds `bytes` of text.
    ///
    /// # Errors
    /// `quota` - the text is too long.
    pub(crate) fn text(&mut self, bytes: usize) -> Result<(), Error> {
        self.text += bytes;
        if self.text > MAX_TEXT_BYTES {
            return Err(Error::Quota(format!(
                "the text has more than {MAX_TEXT_BYTES} bytes: split the file"
            )));
        }
        Ok(())
    }

    /// Returns the files that can still be kept, and warns of the others.
    pub(crate) fn parts(&mut self, parts: Vec<Part>, warnings: &mut Vec<String>) -> Vec<Part> {
        let mut kept = Vec::with_capacity(parts.len());
        let mut left_out = 0;
        for part in parts {
            if self.parts < MAX_PARTS && self.bytes + part.bytes.len() <= MAX_PART_BYTES {
                self.parts += 1;
                self.bytes += part.bytes.len();
                kept.push(part);
            } else {
                left_out += 1;
            }
        }
        if left_out > 0 {
            warnings.push(format!(
                "{left_out} files inside were left out: at most {MAX_PARTS} of together {MAX_PART_BYTES} bytes are kept"
            ));
        }
        kept
    }
}

/// Writes a block after an empty line.
pub(crate) fn push_block(out: &mut String, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
    out.push_str(text.trim_matches('\n'));
    out.push('\n');
}

fn shown_list(addresses: &[String], show: impl Fn(&str) -> String) -> Option<String> {
    let mut shown: Vec<String> = addresses
        .iter()
        .take(MAX_ADDRESSES)
        .map(|address| show(&short(&single_line(&clean(address)))))
        .collect();
    match addresses.len().saturating_sub(MAX_ADDRESSES) {
        0 => {}
        more => shown.push(format!("and {more} more")),
    }
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// Formats `Name <a@b>`. The address is a link in Markdown; the name is escaped.
fn shown_address(address: &str) -> String {
    match address.strip_suffix('>').and_then(|start| start.rsplit_once('<')) {
        Some((name, mailbox)) if !mailbox.contains([' ', '<']) && mailbox.contains('@') => {
            format!("{}<{mailbox}>", escape(name))
        }
        _ => escape(address),
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_FIELD) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
