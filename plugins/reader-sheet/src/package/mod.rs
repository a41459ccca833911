//! Reads Office packages: parts in a ZIP archive that refer to each other by relationships.

mod drawing;
mod remarks;
mod xml;

pub(crate) use drawing::chart_title;
pub(crate) use remarks::{chart_sheet_title, read_asides};
pub(crate) use xml::{attribute, elements, events, push_reference, text_of, texts_of};

use crate::properties::Properties;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Most bytes of a part that is read as a whole. Sheets and shared strings are streamed.
const MAX_PART: u64 = 32 << 20;

/// A package. Paths have no leading `/` and ignore case.
pub(crate) struct Package<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Index in the archive by path in lower case.
    parts: HashMap<String, usize>,
}

/// A reference from a part to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Relationship {
    pub(crate) id: String,
    /// Last segment of its type, such as `worksheet`. The segments before it differ between editions.
    pub(crate) kind: String,
    /// Path of the other part. A target outside of the package is unchanged.
    pub(crate) target: String,
}

impl<'a> Package<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, zip::result::ZipError> {
        let mut zip = ZipArchive::new(Cursor::new(bytes))?;
        let mut parts = HashMap::new();
        for index in 0..zip.len() {
            let Ok(file) = zip.by_index_raw(index) else { continue };
            parts.insert(key(&String::from_utf8_lossy(file.name_raw())), index);
        }
        Ok(Self { zip, parts })
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.parts.contains_key(&key(path))
    }

    /// Returns the bytes of a part; `None` if it is missing, damaged or too large.
    pub(crate) fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        let file = self.zip.by_index(*self.parts.get(&key(path))?).ok()?;
        let mut content = Vec::new();
        file.take(MAX_PART + 1).read_to_end(&mut content).ok()?;
        (content.len() as u64 <= MAX_PART).then_some(content)
    }

    /// Returns a part as a stream.
    pub(crate) fn stream(&mut self, path: &str) -> Option<impl Read> {
        self.zip.by_index(*self.parts.get(&key(path))?).ok()
    }

    /// Returns the relationships of a part, or of the package itself for an empty path.
    pub(crate) fn relationships(&mut self, part: &str) -> Option<Vec<Relationship>> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let slash = if folder.is_empty() { "" } else { "/" };
        let xml = self.read(&format!("{folder}{slash}_rels/{name}.rels"))?;
        let mut found = Vec::new();
        elements(&xml, |element| {
            if element.local_name().as_ref() == "Relationship" {
                let text = |name| attribute(element, name).unwrap_or_default();
                let target = text("Target");
                found.push(Relationship {
                    id: text("Id"),
                    kind: text("Type").rsplit('/').next().unwrap_or_default().to_owned(),
                    target: match text("TargetMode").as_str() {
                        "External" => target,
                        _ => resolve(folder, &target),
                    },
                });
            }
        });
        Some(found)
    }

    /// Returns the metadata of the package: the core and the extended properties.
    pub(crate) fn properties(&mut self) -> Properties {
        let found = self.relationships("").unwrap_or_default();
        let mut part = |kind: &str| {
            let named = found.iter().find(|one| one.kind == kind);
            named.and_then(|one| self.read(&one.target)).unwrap_or_default()
        };
        let (core, program) = (part("core-properties"), part("extended-properties"));
        Properties {
            title: text_of(&core, "title"),
            author: text_of(&core, "creator"),
            subject: text_of(&core, "subject"),
            keywords: text_of(&core, "keywords"),
            company: text_of(&program, "Company"),
            created: text_of(&core, "created"),
            modified: text_of(&core, "modified"),
        }
    }

    /// Returns the workbook part: the one that the package names, or else the one with its content type.
    pub(crate) fn workbook(&mut self) -> Option<String> {
        let named = self
            .relationships("")
            .unwrap_or_default()
            .into_iter()
            .find(|relationship| relationship.kind == "officeDocument")
            .map(|relationship| relationship.target);
        if let Some(path) = named.filter(|path| self.has(path)) {
            return Some(path);
        }
        let xml = self.read("[Content_Types].xml")?;
        let mut found = None;
        elements(&xml, |element| {
            let is_main = attribute(element, "ContentType").is_some_and(|kind| {
                kind.contains("main") && ["sheet", "excel"].iter().any(|word| kind.contains(word))
            });
            if let Some(path) = attribute(element, "PartName").filter(|_| is_main) {
                found.get_or_insert(resolve("", &path));
            }
        });
        found.filter(|path| self.has(path))
    }
}

fn key(path: &str) -> String {
    path.trim_start_matches('/').replace('\\', "/").to_lowercase()
}

/// Resolves a target relative to a folder.
fn resolve(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let mut path: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = path.pop(),
            part => path.push(part),
        }
    }
    path.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_seen_from_their_folder() {
        for (folder, target, expected) in [
            ("xl", "worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("xl/worksheets", "../comments1.xml", "xl/comments1.xml"),
            ("xl", "/other/sheet.xml", "other/sheet.xml"),
            ("", "./book.xml", "book.xml"),
            ("a", "..\\..\\b.xml", "b.xml"),
        ] {
            assert_eq!(resolve(folder, target), expected, "{folder} {target}");
        }
    }
}
