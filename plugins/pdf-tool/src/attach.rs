//! Attached files and metadata.

use crate::error::{Error, Result, invalid};
use crate::file::Pdf;
use crate::object::{Dict, Object, Stream};
use crate::text::line;

/// Largest file that is attached.
const MAX_ATTACHMENT: usize = 32 << 20;
/// Most attached files that are listed or kept.
const MAX_ATTACHMENTS: usize = 1_000;
/// Said where the XMP packet is removed.
const XMP_REMOVED: &str = "The XMP metadata is removed, because it would contradict the new value; \
    a claim of PDF/A in it is gone too.";
/// Names of the metadata and their keys.
pub(crate) const METADATA: [(&str, &str); 8] = [
    ("title", "Title"),
    ("author", "Author"),
    ("subject", "Subject"),
    ("keywords", "Keywords"),
    ("creator", "Creator"),
    ("producer", "Producer"),
    ("created", "CreationDate"),
    ("modified", "ModDate"),
];

/// An attached file.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// Its size, if the file says it.
    pub size: Option<u64>,
    /// What it is.
    pub description: String,
    /// Page of the annotation that it hangs on, from 1.
    pub page: Option<usize>,
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) annotation: Option<u32>,
}

impl Pdf {
    fn attachment(&self, spec: &Object) -> Option<Attachment> {
        let spec = self.resolve(spec).as_dict()?;
        let name = self.text(spec, "UF").or_else(|| self.text(spec, "F")).unwrap_or_default();
        let file =
            self.dict(spec, "EF").map(|it| if it.has("F") { it.get("F") } else { it.get("UF") });
        let stream = file.and_then(|it| self.resolve(it).as_stream());
        let size = stream
            .and_then(|it| self.dict(&it.dict, "Params"))
            .and_then(|it| self.value(it, "Size").as_int());
        let description = self.text(spec, "Desc").unwrap_or_default();
        let size = size.and_then(|it| u64::try_from(it).ok());
        Some(Attachment { name, size, description, page: None, key: None, annotation: None })
    }

    /// Returns the attached files.
    pub fn attachments(&self) -> Vec<Attachment> {
        let mut found = Vec::new();
        for (key, spec) in self.names("EmbeddedFiles").into_iter().take(MAX_ATTACHMENTS) {
            if let Some(mut attachment) = self.attachment(&spec) {
                attachment.key = Some(key);
                found.push(attachment);
            }
        }
        for (at, page) in self.pages.iter().enumerate() {
            for annotation in self.annotations(*page) {
                let Some(dict) = self.object(annotation) else { continue };
                if self.value(dict, "Subtype").is_name("FileAttachment")
                    && found.len() < MAX_ATTACHMENTS
                    && let Some(mut attachment) = self.attachment(dict.get("FS"))
                {
                    attachment.page = Some(at + 1);
                    attachment.annotation = Some(annotation);
                    found.push(attachment);
                }
            }
        }
        found
    }

    /// Attaches a file.
    ///
    /// # Errors
    ///
    /// `invalid-argument` - its name is in use, or it is too large.
    pub(crate) fn attach(&mut self, name: &str, content: &[u8], description: &str) -> Result<()> {
        if content.len() > MAX_ATTACHMENT {
            return invalid(format!("`{name}` is larger than {} MiB", MAX_ATTACHMENT >> 20));
        }
        let attached = self.attachments();
        if attached.len() >= MAX_ATTACHMENTS {
            return invalid(format!(
                "the document has {MAX_ATTACHMENTS} attachments; remove some first"
            ));
        }
        if attached.iter().any(|it| it.name == name) {
            return invalid(format!("there is an attachment `{name}`; remove it first"));
        }
        let size = i64::try_from(content.len()).unwrap_or(0);
        let dict = Dict::new()
            .with("Type", Object::name("EmbeddedFile"))
            .with("Params", Dict::new().with("Size", size));
        let stream = self.add(Stream::deflated(dict, content));
        let mut spec = Dict::new()
            .with("Type", Object::name("Filespec"))
            .with("F", Object::text(name))
            .with("UF", Object::text(name))
            .with("AFRelationship", Object::name("Unspecified"))
            .with("EF", Dict::new().with("F", Object::Ref(stream)));
        if !description.is_empty() {
            spec.set("Desc", Object::text(description));
        }
        let spec = self.add(spec);
        let mut names = self.names("EmbeddedFiles");
        let Object::Str(key) = Object::text(name) else { return Ok(()) };
        names.push((key, Object::Ref(spec)));
        self.set_names("EmbeddedFiles", names);
        Ok(())
    }

    /// Removes an attached file.
    ///
    /// # Errors
    ///
    /// `not-found` - the document has no attachment of this name.
    pub(crate) fn detach(&mut self, name: &str) -> Result<()> {
        let all = self.attachments();
        let Some(found) = all.iter().find(|it| it.name == name) else {
            let names: Vec<String> =
                all.iter().take(20).map(|it| format!("`{}`", line(&it.name, 60))).collect();
            let there = if names.is_empty() {
                "there are none".to_owned()
            } else {
                format!("there are: {}", names.join(", "))
            };
            return Err(Error::NotFound(format!("no attachment `{}`; {there}", line(name, 60))));
        };
        if let Some(key) = &found.key {
            let names = self.names("EmbeddedFiles").into_iter().filter(|it| it.0 != *key).collect();
            self.set_names("EmbeddedFiles", names);
        }
        if let Some(annotation) = found.annotation {
            for page in self.pages.clone() {
                self.remove_annotations(page, |it| it == annotation);
            }
        }
        // Lists of files that belong to the whole document refer to it too.
        self.catalog_mut().remove("AF");
        Ok(())
    }

    /// Returns the metadata: name and value.
    pub fn metadata(&self) -> Vec<(String, String)> {
        let Some(info) = self.dict(&self.trailer, "Info") else { return Vec::new() };
        let mut out = Vec::new();
        for (key, value) in info.iter().take(100) {
            let key = String::from_utf8_lossy(key).into_owned();
            let name =
                METADATA.iter().find(|it| it.1 == key).map_or(key.clone(), |it| it.0.to_owned());
            if let Object::Str(bytes) = self.resolve(value) {
                out.push((name, crate::text::decode(bytes)));
            }
        }
        out
    }

    /// Returns the XMP packet.
    pub(crate) fn xmp(&self) -> Option<String> {
        let stream = self.value(self.catalog(), "Metadata").as_stream()?;
        let bytes = self.decode(stream).ok()?.bytes;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Sets a value of the metadata; an empty one removes it. The XMP packet, which would contradict it, is removed.
    /// Returns a warning if there was one.
    ///
    /// # Errors
    ///
    /// `invalid-argument` - the name is not known.
    pub(crate) fn set_metadata(&mut self, name: &str, value: &str) -> Result<Option<String>> {
        let Some((_, key)) = METADATA.iter().find(|it| it.0 == name.to_lowercase()) else {
            let names: Vec<String> = METADATA.iter().map(|it| format!("`{}`", it.0)).collect();
            return invalid(format!(
                "no metadata `{}`; there are: {}",
                line(name, 60),
                names.join(", ")
            ));
        };
        let info = self.dict(&self.trailer, "Info").cloned().unwrap_or_default();
        let mut info = info;
        if value.is_empty() {
            info.remove(key);
        } else {
            info.set(key, Object::text(value));
        }
        let number = match self.trailer.get("Info").as_ref() {
            Some(number) => {
                self.objects.insert(number, info.into());
                number
            }
            None => self.add(info),
        };
        self.trailer.set("Info", Object::Ref(number));
        let had = self.catalog_mut().remove("Metadata").is_some();
        Ok(had.then(|| XMP_REMOVED.to_owned()))
    }
}
