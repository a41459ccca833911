//! The package of a workbook: its parts, their types and their relationships.
//!
//! Parts are read when they are needed, and written only if they differ. Knows nothing of sheets.

use crate::error::{Error, Result};
use crate::xml::{TagKind, XmlToken, escape, unescape, xml_tokens};
use crate::zip::Zip;
use std::collections::BTreeMap;

pub(crate) const CONTENT_TYPES: &str = "[Content_Types].xml";
/// Parts from this size on are not compared with their old content, 4 MiB.
const LARGE_BYTES: usize = 4 << 20;
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A relationship of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) id: String,
    /// The last segment of its type: `worksheet`, `drawing`.
    pub(crate) kind: String,
    /// The name of the part that it leads to, or the address outside.
    pub(crate) target: String,
    pub(crate) is_external: bool,
}

#[derive(Debug)]
pub(crate) struct Package {
    zip: Zip,
    /// Parts that were set; `None` for those that were removed.
    changed: BTreeMap<String, Option<Vec<u8>>>,
}

impl Package {
    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self> {
        if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
            return Err(Error::Unsupported(
                "expected a workbook (.xlsx), got a file of Excel 97 to 2003 or one with a password".to_owned(),
            ));
        }
        let zip = Zip::open(bytes).map_err(Error::Malformed)?;
        if !zip.has(CONTENT_TYPES) {
            return Err(Error::Unsupported(
                "expected a workbook (.xlsx), got another kind of archive".to_owned(),
            ));
        }
        Ok(Self { zip, changed: BTreeMap::new() })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        match self.changed.get(name) {
            Some(content) => content.is_some(),
            None => self.zip.has(name),
        }
    }

    /// Returns the names of all parts of the file as it came.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.zip.names()
    }

    /// Returns a part of XML; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the part is damaged or is not UTF-8.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>> {
        let bytes = match self.changed.get(name) {
            Some(content) => content.clone(),
            None => self.zip.read(name).map_err(Error::Malformed)?,
        };
        let Some(bytes) = bytes else { return Ok(None) };
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(Error::Malformed(format!("the part `{name}` is UTF-16")));
        }
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| Error::Malformed(format!("the part `{name}` is not UTF-8")))
    }

    /// Returns the content of a part of the file; `None` if there is none.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.zip.read(name).map_err(Error::Malformed)
    }

    pub(crate) fn set(&mut self, name: &str, content: impl Into<Vec<u8>>) {
        self.changed.insert(name.to_owned(), Some(content.into()));
    }

    /// Removes a part with its relationships and its content type.
    pub(crate) fn remove(&mut self, name: &str) -> Result<()> {
        let relations = relations_name(name);
        for name in [name, relations.as_str()] {
            if self.zip.has(name) || self.changed.contains_key(name) {
                self.changed.insert(name.to_owned(), None);
            }
        }
        if let Some(types) = self.text(CONTENT_TYPES)? {
            let types = without(&types, "Override", "PartName", &format!("/{name}"));
            self.set(CONTENT_TYPES, types);
        }
        Ok(())
    }

    /// Adds a part with its content type.
    pub(crate) fn add(
        &mut self,
        name: &str,
        content: impl Into<Vec<u8>>,
        media_type: &str,
    ) -> Result<()> {
        self.set(name, content);
        let types = self.text(CONTENT_TYPES)?.unwrap_or_default();
        let entry =
            format!("<Override PartName=\"/{}\" ContentType=\"{media_type}\"/>", escape(name));
        self.set(CONTENT_TYPES, with_child(&types, "Types", &entry));
        Ok(())
    }

    /// Adds the content type of an extension if it has none.
    pub(crate) fn add_default(&mut self, extension: &str, media_type: &str) -> Result<()> {
        let types = self.text(CONTENT_TYPES)?.unwrap_or_default();
        let has = xml_tokens(&types).any(|token| {
            matches!(token, XmlToken::Tag(tag) if tag.opens("Default")
                && tag.text("Extension").is_some_and(|it| it.eq_ignore_ascii_case(extension)))
        });
        if !has {
            let entry =
                format!("<Default Extension=\"{extension}\" ContentType=\"{media_type}\"/>");
            self.set(CONTENT_TYPES, with_child(&types, "Types", &entry));
        }
        Ok(())
    }

    /// Returns the content type of a part.
    pub(crate) fn type_of(&self, name: &str) -> Result<Option<String>> {
        let types = self.text(CONTENT_TYPES)?.unwrap_or_default();
        let extension = name.rsplit('.').next().unwrap_or_default();
        let mut by_extension = None;
        for token in xml_tokens(&types) {
            let XmlToken::Tag(tag) = token else { continue };
            let is = |attribute: &str, wanted: &str| {
                tag.text(attribute)
                    .is_some_and(|it| it.trim_start_matches('/').eq_ignore_ascii_case(wanted))
            };
            if tag.opens("Override") && is("PartName", name) {
                return Ok(tag.text("ContentType"));
            }
            if tag.opens("Default") && is("Extension", extension) {
                by_extension = tag.text("ContentType");
            }
        }
        Ok(by_extension)
    }

    /// Returns the relationships of a part; those of the package for an empty name.
    pub(crate) fn relations(&self, part: &str) -> Result<Vec<Relation>> {
        let Some(xml) = self.text(&relations_name(part))? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for token in xml_tokens(&xml) {
            let XmlToken::Tag(tag) = token else { continue };
            if !tag.opens("Relationship") {
                continue;
            }
            let is_external =
                tag.attribute("TargetMode").is_some_and(|it| it.eq_ignore_ascii_case("external"));
            let target = tag.text("Target").unwrap_or_default();
            let kind = tag.text("Type").unwrap_or_default();
            found.push(Relation {
                id: tag.text("Id").unwrap_or_default(),
                kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                target: if is_external { target } else { resolve(part, &target) },
                is_external,
            });
        }
        Ok(found)
    }

    /// Returns the part of the first relationship of a kind.
    pub(crate) fn related(&self, part: &str, kind: &str) -> Result<Option<String>> {
        let all = self.relations(part)?;
        Ok(all.into_iter().find(|it| it.kind == kind && !it.is_external).map(|it| it.target))
    }

    /// Adds a relationship to a part of this package, and returns its id.
    pub(crate) fn relate(&mut self, part: &str, kind: &str, target: &str) -> Result<String> {
        let name = relations_name(part);
        let xml = self.text(&name)?.unwrap_or_else(|| {
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>".to_owned()
        });
        let taken: Vec<String> = self.relations(part)?.into_iter().map(|it| it.id).collect();
        let id = (taken.len() + 1..)
            .map(|number| format!("rId{number}"))
            .find(|id| !taken.contains(id))
            .unwrap_or_default();
        // Names that begin with a slash count from the root of the package.
        let entry = format!(
            "<Relationship Id=\"{id}\" Type=\"{}/{kind}\" Target=\"/{}\"/>",
            if xml.contains("purl.oclc.org/ooxml") {
                "http://purl.oclc.org/ooxml/officeDocument/relationships"
            } else {
                OFFICE
            },
            escape(target)
        );
        self.set(&name, with_child(&xml, "Relationships", &entry));
        Ok(id)
    }

    /// Removes the relationship of a part with this id.
    pub(crate) fn unrelate(&mut self, part: &str, id: &str) -> Result<()> {
        let name = relations_name(part);
        if let Some(xml) = self.text(&name)? {
            let xml = without(&xml, "Relationship", "Id", id);
            self.set(&name, xml);
        }
        Ok(())
    }

    /// Returns a name that no part has: `xl/comments7.xml` for `xl/comments` and `.xml`.
    pub(crate) fn free_name(&self, stem: &str, extension: &str) -> String {
        (1..)
            .map(|number| format!("{stem}{number}{extension}"))
            .find(|name| !self.has(name) && !self.changed.contains_key(name))
            .unwrap_or_default()
    }

    /// Returns the file with another content of one part.
    pub(crate) fn with_part(&self, name: &str, content: String) -> Result<Vec<u8>> {
        self.zip.rewrite(&[(name.to_owned(), content.into_bytes())], &[]).map_err(Error::Malformed)
    }

    /// Writes the package. Changed parts are moved out of it, because one alone may have a hundred megabytes.
    pub(crate) fn save(&mut self) -> Result<Vec<u8>> {
        let (mut parts, mut removed) = (Vec::new(), Vec::new());
        for (name, content) in std::mem::take(&mut self.changed) {
            match content {
                Some(content) if !self.is_same(&name, &content)? => parts.push((name, content)),
                None if self.zip.has(&name) => removed.push(name),
                _ => {}
            }
        }
        self.zip.rewrite(&parts, &removed).map_err(Error::Malformed)
    }

    /// Returns `true` if the file has this content under this name.
    fn is_same(&self, name: &str, content: &[u8]) -> Result<bool> {
        // Large parts are set only if they differ, and unpacking one again would double the memory.
        if content.len() > LARGE_BYTES {
            return Ok(false);
        }
        let old = self.zip.read(name).map_err(Error::Malformed)?;
        Ok(old.is_some_and(|it| it == content))
    }
}

/// Puts an element behind the last child of the root element.
fn with_child(xml: &str, root: &str, child: &str) -> String {
    let mut all = xml_tokens(xml);
    loop {
        let at = all.offset();
        let Some(token) = all.next() else { return xml.to_owned() };
        let XmlToken::Tag(tag) = token else { continue };
        if tag.name != root {
            continue;
        }
        let child = child.replacen('<', &format!("<{}", tag.prefix()), 1);
        match tag.kind {
            TagKind::Open => {}
            TagKind::Close => return format!("{}{child}{}", &xml[..at], &xml[at..]),
            TagKind::Empty => {
                let open = format!("{}>", tag.raw.trim_end_matches(['>', '/']).trim_end());
                let close = format!("</{}{root}>", tag.prefix());
                return format!("{}{open}{child}{close}{}", &xml[..at], &xml[all.offset()..]);
            }
        }
    }
}

/// Removes empty elements with an attribute of this value.
fn without(xml: &str, element: &str, attribute: &str, value: &str) -> String {
    let mut out = String::with_capacity(xml.len());
    for token in xml_tokens(xml) {
        match token {
            XmlToken::Tag(tag)
                if tag.opens(element)
                    && tag.kind == TagKind::Empty
                    && tag
                        .attribute(attribute)
                        .map(unescape)
                        .is_some_and(|it| it.eq_ignore_ascii_case(value)) => {}
            XmlToken::Tag(tag) => out.push_str(tag.raw),
            XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
        }
    }
    out
}

pub(crate) fn relations_name(part: &str) -> String {
    match part.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/_rels/{name}.rels"),
        None => format!("_rels/{part}.rels"),
    }
}

/// Returns the name of the part that a relationship of `part` leads to.
pub(crate) fn resolve(part: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let mut segments: Vec<&str> = if target.starts_with('/') {
        Vec::new()
    } else {
        part.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect())
    };
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            other => segments.push(other),
        }
    }
    segments.join("/")
}
