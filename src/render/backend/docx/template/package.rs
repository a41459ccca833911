//! The package of a template: an untrusted file, checked before anything of it is unpacked. Unchanged parts are copied in
//! their compressed form, byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read as _, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::fields;
use super::tree::{Element, MAX_ELEMENTS, Node, Tree};
use mitt_base::{Error, ErrorKind, Result, text};

/// Most bytes of a template.
const MAX_BYTES: usize = 32 << 20;
/// Most parts.
const MAX_ENTRIES: usize = 2_000;
/// Most bytes of all unpacked parts.
const MAX_UNPACKED: u64 = 512 << 20;
/// Most bytes of one part that is read and changed.
const MAX_PART: u64 = 16 << 20;
/// Largest ratio of unpacked to packed size for a part of more than a mebibyte.
const MAX_RATIO: u64 = 300;

/// Parts with programs, or with embedded documents of other programs.
const ACTIVE: [(&str, &str); 4] = [
    ("oleObject", "an embedded object (OLE)"),
    ("control", "a control (ActiveX)"),
    ("activeXControlBinary", "a control (ActiveX)"),
    ("aFChunk", "another document inside (altChunk)"),
];

const KINDS: &str = "[Content_Types].xml";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
pub(super) const OFFICE: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";

/// A template that passed all checks.
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    names: BTreeSet<String>,
    kinds: Tree,
    /// Name of the main part.
    pub(super) main: String,
    /// Parts that were changed or added.
    changed: BTreeMap<String, Vec<u8>>,
    /// Elements that may still be read.
    left: usize,
    pub(super) warnings: Vec<String>,
}

#[cold]
fn refused(what: impl std::fmt::Display, hint: &str) -> Error {
    Error::new(ErrorKind::Input, format!("template: {what}")).hint(hint)
}

const SAVE_AGAIN: &str = "open the template in Word and save it again as `.docx`";

impl<'a> Package<'a> {
    /// Checks a template.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it is no Word file, has macros or a signature, refers to other files, or exceeds a limit.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Package<'a>> {
        if bytes.len() > MAX_BYTES {
            let what = format!("expected at most {MAX_BYTES} bytes, got {}", bytes.len());
            return Err(refused(what, "make the pictures in it smaller"));
        }
        if bytes.starts_with(b"\xD0\xCF\x11\xE0") {
            let what = "it is encrypted, or in the format of Word 97 (`.doc`)";
            return Err(refused(what, "save it as `.docx` without a password"));
        }
        // Entries are counted before the directory is read, because an entry of 46 bytes takes hundreds in memory.
        let entries = bytes.windows(4).filter(|it| it == b"PK\x01\x02").count();
        if entries > MAX_ENTRIES {
            let what = format!("expected at most {MAX_ENTRIES} parts, got {entries}");
            return Err(refused(what, SAVE_AGAIN));
        }
        let archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| refused(format!("it is no Word file: {error}"), SAVE_AGAIN))?;
        let mut package = Package {
            archive,
            names: BTreeSet::new(),
            kinds: Tree::read(KINDS, b"<Types/>", &mut 1)?,
            main: String::new(),
            changed: BTreeMap::new(),
            left: MAX_ELEMENTS,
            warnings: Vec::new(),
        };
        package.look_at_entries()?;
        if !package.names.contains(KINDS) {
            return Err(refused(
                format!("it is no Word file: it has no part `{KINDS}`"),
                SAVE_AGAIN,
            ));
        }
        package.kinds = package.tree(KINDS)?;
        package.find_main()?;
        package.look_at_relationships()?;
        package.look_at_fields()?;
        Ok(package)
    }

    /// Checks names and sizes of the entries in the directory.
    fn look_at_entries(&mut self) -> Result<()> {
        let mut unpacked = 0_u64;
        for index in 0..self.archive.len() {
            let entry = self
                .archive
                .by_index_raw(index)
                .map_err(|error| refused(format!("part {}: {error}", index + 1), SAVE_AGAIN))?;
            let name = entry
                .name()
                .map_err(|error| refused(format!("part {}: {error}", index + 1), SAVE_AGAIN))?
                .into_owned();
            let shown = text::one_line(text::cut_bytes(&name, 80));
            let is_plain = !name.is_empty()
                && !name.contains(['\\', ':', '\0'])
                && name.split('/').all(|part| part != ".." && part != ".")
                && !name.starts_with('/');
            if !is_plain {
                let what = format!("the name of a part is a path that leads out of it: `{shown}`");
                return Err(refused(what, SAVE_AGAIN));
            }
            if entry.encrypted() {
                return Err(refused(format!("part `{shown}` is encrypted"), SAVE_AGAIN));
            }
            let (size, packed) = (entry.size(), entry.compressed_size());
            unpacked = unpacked.saturating_add(size);
            let is_bomb = size > 1 << 20 && size / packed.max(1) > MAX_RATIO;
            if unpacked > MAX_UNPACKED || is_bomb {
                let what = format!("part `{shown}` unpacks to {size} bytes out of {packed}");
                return Err(refused(
                    what,
                    "take another template: this one is made to exhaust memory",
                ));
            }
            let lower = name.to_ascii_lowercase();
            if lower.ends_with("vbaproject.bin") || lower.ends_with("vbadata.xml") {
                let what = format!("it has macros (`{shown}`), which are not carried over");
                return Err(refused(what, "save it as `.docx`, which has none"));
            }
            if lower.starts_with("_xmlsignatures/") {
                let what = format!(
                    "it is signed (`{shown}`), and a filled file would not be what was signed"
                );
                return Err(refused(
                    what,
                    "remove the signature in Word, and sign the filled file",
                ));
            }
            if !entry.is_dir() && !self.names.insert(name) {
                return Err(refused(format!("it has two parts `{shown}`"), SAVE_AGAIN));
            }
        }
        Ok(())
    }

    fn find_main(&mut self) -> Result<()> {
        let relationships = self.relationships("")?;
        let main = relationships
            .root
            .elements()
            .find(|it| it.get("Type").is_some_and(|kind| kind.ends_with("/officeDocument")));
        let name = main.and_then(|it| it.get("Target")).and_then(|it| resolved("", &it));
        let name = name.filter(|name| self.names.contains(name));
        let Some(name) = name else {
            return Err(refused("it is no Word file: it has no main part", SAVE_AGAIN));
        };
        let kind = self.kind(&name).unwrap_or_default();
        let dotx = format!("{WORD}.template.main+xml");
        if kind.contains("macroEnabled") {
            let what = "it is of a kind that holds macros (`.docm`, `.dotm`)";
            return Err(refused(what, "save it as `.docx`"));
        }
        if kind != format!("{WORD}.document.main+xml") && kind != dotx {
            let what = format!(
                "it is no Word file: its main part is of the kind `{}`",
                text::cut_bytes(&kind, 120)
            );
            return Err(refused(what, "give a `.docx` or `.dotx`"));
        }
        if kind == dotx {
            self.set_kind(&name, &format!("{WORD}.document.main+xml"));
        }
        self.main = name;
        Ok(())
    }

    /// Refuses references to anything outside of the file, except for links that a reader clicks.
    fn look_at_relationships(&mut self) -> Result<()> {
        let all: Vec<_> =
            self.names.iter().filter(|name| name.ends_with(".rels")).cloned().collect();
        for name in all {
            let mut tree = self.tree(&name)?;
            let mut detached = Vec::new();
            for relationship in tree.root.elements() {
                let kind = relationship.get("Type").unwrap_or_default();
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                let is_external = relationship
                    .get("TargetMode")
                    .is_some_and(|mode| mode.eq_ignore_ascii_case("external"));
                let target = relationship.get("Target").unwrap_or_default();
                if let Some((_, what)) = ACTIVE.iter().find(|(active, _)| kind == *active) {
                    let what = format!("it has {what}, which is not carried over");
                    return Err(refused(what, "replace it by a picture or by text"));
                }
                if !is_external {
                    continue;
                }
                let shown = text::one_line(text::cut_bytes(&target, 80));
                match kind.as_str() {
                    "hyperlink" => {
                        if crate::shared::link::target(&target).is_none()
                            && !target.starts_with('#')
                        {
                            let what = format!("it has a link to `{shown}`");
                            let hint =
                                "links lead to `http`, `https` and `mailto`; remove the others";
                            return Err(refused(what, hint));
                        }
                    }
                    "attachedTemplate" => {
                        detached.push(relationship.get("Id").unwrap_or_default());
                        self.warnings.push(format!(
                            "template: it named another template, `{shown}`, which is not passed on"
                        ));
                    }
                    _ => {
                        let what = format!("it refers to another file (`{kind}`): `{shown}`");
                        return Err(refused(
                            what,
                            "put into the template what it refers to (in Word: break the link)",
                        ));
                    }
                }
            }
            if !detached.is_empty() {
                tree.root.children.retain(|node| {
                    let id = node.element().and_then(|it| it.get("Id"));
                    !id.is_some_and(|id| detached.contains(&id))
                });
                self.set(&name, tree.to_xml().into_bytes());
                self.detach(&name)?;
            }
        }
        Ok(())
    }

    /// Refuses fields that fetch files or start programs when the document is opened.
    fn look_at_fields(&mut self) -> Result<()> {
        let is_part = |name: &&String| {
            let name = name.to_ascii_lowercase();
            name.ends_with(".xml")
                && !name.starts_with("customxml/")
                && !name.starts_with("docprops/")
        };
        let parts: Vec<_> = self.names.iter().filter(is_part).cloned().collect();
        for name in parts {
            let bytes = self.content(&name)?;
            let has = |word: &[u8]| bytes.windows(word.len()).any(|it| it == word);
            if !(has(b"instrText") || has(b"fldSimple")) {
                continue;
            }
            // Counted separately, because the part may be read again to be filled.
            let tree = Tree::read(&name, &bytes, &mut { MAX_ELEMENTS })?;
            if let Some(field) = fields::refused(&tree.root) {
                let what = format!("it has a field that may fetch or start something: `{field}`");
                return Err(refused(what, "turn the field into text (in Word: Ctrl+Shift+F9)"));
            }
        }
        Ok(())
    }

    /// Removes the name of another template from the settings to which these relationships belong.
    fn detach(&mut self, relationships: &str) -> Result<()> {
        let owner = relationships.replace("_rels/", "");
        let owner = owner.strip_suffix(".rels").unwrap_or_default().to_owned();
        if !self.has(&owner) {
            return Ok(());
        }
        let mut tree = self.tree(&owner)?;
        tree.root
            .children
            .retain(|node| !node.element().is_some_and(|it| it.is("w:attachedTemplate")));
        self.set(&owner, tree.to_xml().into_bytes());
        Ok(())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns the current state of a part as a tree.
    pub(super) fn tree(&mut self, name: &str) -> Result<Tree> {
        let bytes = self.content(name)?;
        Tree::read(name, &bytes, &mut self.left)
    }

    /// Returns the name of the part with title, author and times.
    pub(super) fn properties(&mut self) -> Result<Option<String>> {
        let tree = self.relationships("")?;
        let is_it = |it: &&Element| {
            it.get("Type").is_some_and(|kind| kind.ends_with("/metadata/core-properties"))
        };
        let target = tree.root.elements().find(is_it).and_then(|it| it.get("Target"));
        Ok(target.and_then(|it| resolved("", &it)).filter(|name| self.has(name)))
    }

    /// Copies a part of another package for `to`, under a free name beside it. Returns its name, and its target as `to`
    /// refers to it.
    pub(super) fn copy(
        &mut self,
        other: &mut Package<'_>,
        name: &str,
        to: &str,
    ) -> Result<(String, String)> {
        let content = other.content(name)?;
        let kind = other.kind(name).unwrap_or_default();
        let folder = to.rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = name.rsplit('/').next().unwrap_or(name);
        let (stem, extension) = file.rsplit_once('.').unwrap_or((file, "bin"));
        let files = (1..).map(|n| format!("mitt/{stem}-{n}.{extension}"));
        let free =
            files.map(|file| (joined(folder, &file), file)).find(|(name, _)| !self.has(name));
        let (name, file) = free.unwrap_or_default();
        self.set(&name, content);
        self.set_kind(&name, &kind);
        Ok((name, file))
    }

    /// Adds a part under a free name beside the main one, and returns its name.
    pub(super) fn store(
        &mut self,
        stem: &str,
        extension: &str,
        content: &[u8],
        kind: &str,
    ) -> String {
        let folder = self.main.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let names = (1..).map(|n| joined(&folder, &format!("mitt/{stem}-{n}.{extension}")));
        let name = names.into_iter().find(|name| !self.has(name)).unwrap_or_default();
        self.set(&name, content.to_vec());
        self.set_kind(&name, kind);
        name
    }

    /// Returns the current bytes of a part.
    fn content(&mut self, name: &str) -> Result<Vec<u8>> {
        if let Some(bytes) = self.changed.get(name) {
            return Ok(bytes.clone());
        }
        let entry = self
            .archive
            .by_name(name)
            .map_err(|error| refused(format!("part `{name}`: {error}"), SAVE_AGAIN))?;
        let mut bytes = Vec::new();
        let read = entry.take(MAX_PART + 1).read_to_end(&mut bytes);
        read.map_err(|error| refused(format!("part `{name}` is damaged: {error}"), SAVE_AGAIN))?;
        if bytes.len() as u64 > MAX_PART {
            let what = format!("part `{name}`: expected at most {MAX_PART} bytes, got more");
            return Err(refused(what, "shorten the template"));
        }
        Ok(bytes)
    }

    /// Sets the content of a part, which may be new.
    pub(super) fn set(&mut self, name: &str, content: Vec<u8>) {
        self.names.insert(name.to_owned());
        self.changed.insert(name.to_owned(), content);
    }

    /// Returns the name of the part with the relationships of `part`; an empty name means the package itself.
    pub(super) fn relationships_of(part: &str) -> String {
        let (folder, name) =
            part.rsplit_once('/').map_or(("", part), |(folder, name)| (folder, name));
        match folder {
            "" => format!("_rels/{name}.rels"),
            folder => format!("{folder}/_rels/{name}.rels"),
        }
    }

    /// Returns the relationships of a part; empty if it has none.
    pub(super) fn relationships(&mut self, part: &str) -> Result<Tree> {
        let name = Self::relationships_of(part);
        if self.has(&name) {
            self.tree(&name)
        } else {
            let none = format!(
                "{}<Relationships xmlns=\"{RELATIONSHIPS}\"></Relationships>",
                crate::shared::ooxml::HEAD
            );
            Tree::read(&name, none.as_bytes(), &mut 1)
        }
    }

    /// Returns the part of a kind to which the main part refers, such as `styles`.
    pub(super) fn part_of_kind(&mut self, kind: &str) -> Result<Option<String>> {
        let main = self.main.clone();
        let tree = self.relationships(&main)?;
        let ending = format!("/{kind}");
        let found =
            tree.root.elements().find(|it| it.get("Type").is_some_and(|it| it.ends_with(&ending)));
        let target = found.and_then(|it| it.get("Target"));
        Ok(target.and_then(|it| resolved(&main, &it)).filter(|name| self.has(name)))
    }

    /// Adds relationships to `from`, and returns their identifiers.
    pub(super) fn refer(
        &mut self,
        from: &str,
        kind: &str,
        targets: &[String],
        is_external: bool,
    ) -> Result<Vec<String>> {
        if targets.is_empty() {
            return Ok(Vec::new());
        }
        let mut tree = self.relationships(from)?;
        let taken: BTreeSet<_> = tree.root.elements().filter_map(|it| it.get("Id")).collect();
        let free = (taken.len()..).map(|n| format!("rIdM{n}")).filter(|id| !taken.contains(id));
        let mut ids = Vec::new();
        for (id, target) in free.zip(targets) {
            let mut relationship = Element::new("Relationship", "");
            relationship.set("Id", Some(&id));
            relationship.set("Type", Some(&format!("{OFFICE}/{kind}")));
            relationship.set("Target", Some(target));
            if is_external {
                relationship.set("TargetMode", Some("External"));
            }
            tree.root.children.push(Node::Element(relationship));
            ids.push(id);
        }
        self.set(&Self::relationships_of(from), tree.to_xml().into_bytes());
        Ok(ids)
    }

    /// Adds a part beside the main one, with a relationship of the main one. Returns its name.
    pub(super) fn add(&mut self, kind: &str, content: String) -> Result<String> {
        let main = self.main.clone();
        let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = (0..)
            .map(|n| if n == 0 { format!("{kind}.xml") } else { format!("{kind}{n}.xml") })
            .find(|file| !self.has(&joined(folder, file)))
            .unwrap_or_default();
        let name = joined(folder, &file);
        self.set(&name, content.into_bytes());
        self.set_kind(&name, &format!("{WORD}.{kind}+xml"));
        self.refer(&main, kind, &[file], false)?;
        Ok(name)
    }

    /// Returns the parts with text for readers, and their names in messages.
    pub(super) fn text_parts(&self) -> Vec<(String, &'static str)> {
        let overrides = self.kinds.root.elements().filter(|it| it.is("Override"));
        let kinds: BTreeMap<String, String> = overrides
            .filter_map(|it| {
                Some((it.get("PartName")?.to_ascii_lowercase(), it.get("ContentType")?))
            })
            .collect();
        let mut parts = vec![(self.main.clone(), "text")];
        for name in &self.names {
            let kind = kinds.get(&format!("/{}", name.to_ascii_lowercase()));
            let called = match kind.and_then(|kind| kind.strip_prefix(WORD)) {
                Some(".header+xml") => "header",
                Some(".footer+xml") => "footer",
                Some(".footnotes+xml") => "footnotes",
                Some(".endnotes+xml") => "endnotes",
                _ => continue,
            };
            parts.push((name.clone(), called));
        }
        parts
    }

    fn kind(&self, name: &str) -> Option<String> {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let named = |it: &&Element| {
            let part = it.get("PartName").unwrap_or_default();
            it.is("Override") && part.trim_start_matches('/').eq_ignore_ascii_case(name)
        };
        let by_extension = |it: &&Element| {
            it.is("Default")
                && it.get("Extension").is_some_and(|it| it.eq_ignore_ascii_case(extension))
        };
        let kinds = &self.kinds.root;
        let own = kinds.elements().find(named);
        own.or_else(|| kinds.elements().find(by_extension))?.get("ContentType")
    }

    fn set_kind(&mut self, name: &str, kind: &str) {
        let part = format!("/{name}");
        let root = &mut self.kinds.root;
        let own = root
            .elements_mut()
            .find(|it| it.is("Override") && it.get("PartName").as_deref() == Some(&part));
        match own {
            Some(own) => own.set("ContentType", Some(kind)),
            None => {
                let mut own = Element::new("Override", "");
                own.set("PartName", Some(&part));
                own.set("ContentType", Some(kind));
                root.children.push(Node::Element(own));
            }
        }
        self.changed.insert(KINDS.to_owned(), self.kinds.to_xml().into_bytes());
    }

    /// Returns the file: parts in their order, changed ones replaced, new ones at the end.
    pub(super) fn pack(mut self) -> Result<Vec<u8>> {
        let failed = |error: &dyn std::fmt::Display| {
            refused(format!("it cannot be packed again: {error}"), SAVE_AGAIN)
        };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::DEFAULT);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let write = |zip: &mut ZipWriter<_>, name: &str, content: &[u8]| {
            zip.start_file(name, options).map_err(|error| failed(&error))?;
            zip.write_all(content).map_err(|error| failed(&error))
        };
        for index in 0..self.archive.len() {
            let entry = self.archive.by_index_raw(index).map_err(|error| failed(&error))?;
            if entry.is_dir() {
                continue;
            }
            let name = entry.name().map_err(|error| failed(&error))?.into_owned();
            match self.changed.remove(&name) {
                Some(content) => {
                    drop(entry);
                    write(&mut zip, &name, &content)?;
                }
                None => zip.raw_copy_file(entry).map_err(|error| failed(&error))?,
            }
        }
        for (name, content) in &self.changed {
            write(&mut zip, name, content)?;
        }
        Ok(zip.finish().map_err(|error| failed(&error))?.into_inner())
    }
}

fn joined(folder: &str, file: &str) -> String {
    if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") }
}

/// Returns the name of the part that `target` means in `part`.
pub(super) fn resolved(part: &str, target: &str) -> Option<String> {
    if let Some(absolute) = target.strip_prefix('/') {
        return Some(absolute.to_owned());
    }
    let mut folders: Vec<&str> = part.split('/').collect();
    folders.pop();
    for step in target.split('/') {
        match step {
            ".." => {
                folders.pop()?;
            }
            "." | "" => {}
            step => folders.push(step),
        }
    }
    Some(folders.join("/"))
}
