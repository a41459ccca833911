//! The package of a Word document: its parts, their types and their relationships.
//!
//! Parts are parsed when they are needed, and written only if they were changed.

use crate::error::{Error, Result};
use crate::xml::{DOCUMENT, Id, R_URI, Tree, escape_attr};
use crate::zip::Zip;
use std::collections::{BTreeMap, BTreeSet};

const CONTENT_TYPES: &str = "[Content_Types].xml";
/// Most bytes of XML of one document, 96 MiB, so that its trees and the new file fit into 512 MB. 10 000 pages have about
/// as much.
const MAX_XML_BYTES: usize = 96 << 20;
/// Most parts that belong to a document: headers, footers, notes.
const MAX_RELATED: usize = 4_000;

/// A relationship of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) id: String,
    /// The last segment of its type: `header`, `hyperlink`.
    pub(crate) kind: String,
    /// The target as written.
    pub(crate) target: String,
    pub(crate) is_external: bool,
}

#[derive(Debug)]
pub(crate) struct Package {
    zip: Zip,
    /// Parsed parts by their names.
    trees: BTreeMap<String, Tree>,
    /// Names of parts that were removed.
    removed: BTreeSet<String>,
    /// New or replaced parts that are not XML.
    blobs: BTreeMap<String, Vec<u8>>,
    /// Name of the main part: `word/document.xml`.
    pub(crate) main: String,
    /// Media type of the main part.
    pub(crate) media_type: String,
    xml_bytes: usize,
}

impl Package {
    /// Opens a Word document.
    ///
    /// # Errors
    /// [`Error::Malformed`] - it is damaged; [`Error::Unsupported`] - it is another kind of file.
    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self> {
        if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
            return Err(Error::Unsupported(
                "expected a Word document (.docx), got a file of Word 97 to 2003 or one with a password"
                    .to_owned(),
            ));
        }
        let zip = Zip::open(bytes).map_err(|why| {
            let is_large = why.contains("bytes unpacked") || why.contains("files in the archive");
            Error::Malformed(if is_large {
                format!("{why}; save it in Word without its largest pictures and files")
            } else {
                why
            })
        })?;
        let mut package = Self {
            zip,
            trees: BTreeMap::new(),
            removed: BTreeSet::new(),
            blobs: BTreeMap::new(),
            main: String::new(),
            media_type: String::new(),
            xml_bytes: 0,
        };
        let unsupported = |got: &str| {
            Err(Error::Unsupported(format!("expected a Word document (.docx), got {got}")))
        };
        if !package.zip.has(CONTENT_TYPES) {
            return unsupported("another kind of archive");
        }
        let main = package.relations("")?.into_iter().find(|it| it.kind == "officeDocument");
        let Some(main) = main else { return unsupported("a package without a main part") };
        package.main = resolve("", &main.target);
        package.media_type = package.type_of(&package.main.clone())?.unwrap_or_default();
        match package.media_type.as_str() {
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
            | "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml"
            | "application/vnd.ms-word.document.macroEnabled.main+xml"
            | "application/vnd.ms-word.template.macroEnabledTemplate.main+xml" => {}
            other => return unsupported(&format!("a package of the type `{other}`")),
        }
        let main = package.main.clone();
        let tree = package
            .tree(&main)?
            .ok_or_else(|| Error::Malformed(format!("the part `{main}` is missing")))?;
        if !tree.root().is_some_and(|root| tree.is(root, "document")) {
            return Err(Error::Malformed(format!("the part `{main}` is no Word document")));
        }
        Ok(package)
    }

    pub(crate) fn has_macros(&self) -> bool {
        self.media_type.contains("macroEnabled")
    }

    pub(crate) fn is_signed(&self) -> bool {
        self.zip.names().any(|name| name.starts_with("_xmlsignatures/"))
    }

    /// Removes a part, and every relationship and type that names it.
    pub(crate) fn remove(&mut self, name: &str) -> Result<()> {
        let is_same = |part: &str| part.trim_start_matches('/').eq_ignore_ascii_case(name);
        for file in self.names().into_iter().filter(|it| it.ends_with(".rels")) {
            let Some((folder, own)) = file.split_once("_rels/") else { continue };
            let source = format!("{folder}{}", own.trim_end_matches(".rels"));
            let Some(tree) = self.tree(&file)? else { continue };
            let Some(root) = tree.root() else { continue };
            let gone: Vec<Id> = tree
                .elements(root)
                .filter(|&it| tree.attr(it, "TargetMode").is_none_or(|it| it != "External"))
                .filter(|&it| {
                    tree.attr(it, "Target").is_some_and(|it| is_same(&resolve(&source, &it)))
                })
                .collect();
            for it in gone {
                tree.detach(it);
            }
        }
        let types = self.types()?;
        let root = types.root().unwrap_or(DOCUMENT);
        let gone: Vec<Id> = types
            .elements(root)
            .filter(|&it| types.attr(it, "PartName").is_some_and(|it| is_same(&it)))
            .collect();
        for it in gone {
            types.detach(it);
        }
        self.trees.remove(name);
        self.blobs.remove(name);
        self.removed.insert(name.to_owned());
        Ok(())
    }

    /// Writes the package as a new archive, so that no byte of the old one is left between its files.
    ///
    /// # Errors
    /// [`Error::Malformed`] - a part cannot be read, or the archive cannot be written.
    pub(crate) fn save_anew(&self) -> Result<Vec<u8>> {
        let mut parts = Vec::new();
        for name in self.names() {
            let bytes = match self.trees.get(&name) {
                Some(tree) if tree.is_changed() => tree.serialize().into_bytes(),
                _ => self.bytes(&name)?.unwrap_or_default(),
            };
            parts.push((name, bytes));
        }
        Zip::empty().rewrite(&parts, &[]).map_err(Error::Malformed)
    }

    /// Returns the names of the parts of the file that was opened, without those that were removed.
    pub(crate) fn names(&self) -> Vec<String> {
        let all = self.zip.names().filter(|it| !it.ends_with('/'));
        all.filter(|it| !self.removed.contains(*it)).map(str::to_owned).collect()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.zip.has(name) || self.trees.contains_key(name) || self.blobs.contains_key(name)
    }

    /// Returns the parsed part; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the part cannot be read.
    pub(crate) fn tree(&mut self, name: &str) -> Result<Option<&mut Tree>> {
        if !self.trees.contains_key(name) {
            let read = self.zip.read(name).map_err(Error::Malformed)?;
            let Some(bytes) = read else { return Ok(None) };
            self.xml_bytes += bytes.len();
            if self.xml_bytes > MAX_XML_BYTES {
                return Err(Error::Malformed(format!(
                    "the document has more than {MAX_XML_BYTES} bytes of XML, counted up to the part `{name}`; cut it into several documents"
                )));
            }
            let malformed = |why: String| {
                Error::Malformed(format!(
                    "the part `{name}` cannot be read: {why}; open the document in Word, repair or simplify this part, and save it again"
                ))
            };
            if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
                return Err(malformed("it is UTF-16".to_owned()));
            }
            let mut text =
                String::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8".to_owned()))?;
            text.shrink_to_fit();
            let tree = Tree::parse(text).map_err(malformed)?;
            self.trees.insert(name.to_owned(), tree);
        }
        Ok(self.trees.get_mut(name))
    }

    /// Returns the content of a part that is no XML, such as a picture.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the part cannot be read.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match self.blobs.get(name) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => self.zip.read(name).map_err(Error::Malformed),
        }
    }

    /// Returns a part that was parsed before.
    pub(crate) fn get(&self, name: &str) -> Option<&Tree> {
        self.trees.get(name)
    }

    /// Returns a part that was parsed before, to change it.
    ///
    /// # Panics
    /// The part was not parsed.
    pub(crate) fn get_mut(&mut self, name: &str) -> &mut Tree {
        self.trees.get_mut(name).expect("the part was parsed")
    }

    /// Adds a part of XML with its media type.
    pub(crate) fn add_xml(&mut self, name: &str, xml: &str, media_type: &str) -> Result<()> {
        let tree = Tree::parse(xml.to_owned()).map_err(Error::Malformed)?;
        self.trees.insert(name.to_owned(), tree);
        let types = self.types()?;
        let root = types.root().unwrap_or(DOCUMENT);
        let entry =
            format!("<Override PartName=\"/{}\" ContentType=\"{media_type}\"/>", escape_attr(name));
        let entry = types.element(&with_prefix(types, root, &entry));
        types.append(root, entry);
        Ok(())
    }

    /// Adds a file such as a picture, with the media type of its extension.
    pub(crate) fn add_blob(&mut self, name: &str, bytes: Vec<u8>, media_type: &str) -> Result<()> {
        self.blobs.insert(name.to_owned(), bytes);
        let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let types = self.types()?;
        let root = types.root().unwrap_or(DOCUMENT);
        let has = types.elements(root).any(|it| {
            types.local(it) == "Default"
                && types.attr(it, "Extension").is_some_and(|it| it.eq_ignore_ascii_case(&extension))
        });
        if !has {
            let entry =
                format!("<Default Extension=\"{extension}\" ContentType=\"{media_type}\"/>");
            let entry = types.element(&with_prefix(types, root, &entry));
            // Entries for extensions stand in front of those for names.
            types.prepend(root, entry);
        }
        Ok(())
    }

    fn types(&mut self) -> Result<&mut Tree> {
        self.tree(CONTENT_TYPES)?
            .ok_or_else(|| Error::Malformed(format!("the part `{CONTENT_TYPES}` is missing")))
    }

    fn type_of(&mut self, name: &str) -> Result<Option<String>> {
        let types = self.types()?;
        let Some(root) = types.root() else { return Ok(None) };
        let extension = name.rsplit('.').next().unwrap_or_default();
        let mut by_extension = None;
        for it in types.elements(root) {
            let is = |attribute: &str, wanted: &str| {
                types
                    .attr(it, attribute)
                    .is_some_and(|value| value.trim_start_matches('/').eq_ignore_ascii_case(wanted))
            };
            if types.local(it) == "Override" && is("PartName", name) {
                return Ok(types.attr(it, "ContentType").map(Into::into));
            }
            if types.local(it) == "Default" && is("Extension", extension) {
                by_extension = types.attr(it, "ContentType").map(|it| it.into_owned());
            }
        }
        Ok(by_extension)
    }

    /// Returns the relationships of a part; those of the package for an empty name.
    pub(crate) fn relations(&mut self, part: &str) -> Result<Vec<Relation>> {
        let Some(tree) = self.tree(&relations_name(part))? else { return Ok(Vec::new()) };
        let Some(root) = tree.root() else { return Ok(Vec::new()) };
        let attribute = |id: Id, name: &str| tree.attr(id, name).unwrap_or_default().into_owned();
        Ok(tree
            .elements(root)
            .filter(|&it| tree.local(it) == "Relationship")
            .take(100_000)
            .map(|it| Relation {
                id: attribute(it, "Id"),
                kind: attribute(it, "Type").rsplit('/').next().unwrap_or_default().to_owned(),
                target: attribute(it, "Target"),
                is_external: attribute(it, "TargetMode").eq_ignore_ascii_case("external"),
            })
            .collect())
    }

    /// Returns the names of the parts that the main part refers to with this kind of relationship, each once.
    pub(crate) fn related(&mut self, kind: &str) -> Result<Vec<String>> {
        let main = self.main.clone();
        let mut names: Vec<String> = Vec::new();
        for relation in self.relations(&main)? {
            if relation.kind == kind && !relation.is_external && names.len() < MAX_RELATED {
                let name = resolve(&main, &relation.target);
                if self.has(&name) && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        Ok(names)
    }

    /// Returns the part of a relationship of the main part.
    pub(crate) fn related_by_id(&mut self, part: &str, id: &str) -> Result<Option<String>> {
        let relations = self.relations(part)?;
        Ok(relations
            .into_iter()
            .find(|it| it.id == id && !it.is_external)
            .map(|it| resolve(part, &it.target)))
    }

    /// Adds a relationship, and returns its id. `kind` is a whole URI, or the last segment of one of Office.
    pub(crate) fn relate(
        &mut self,
        part: &str,
        kind: &str,
        target: &str,
        is_external: bool,
    ) -> Result<String> {
        let name = relations_name(part);
        if self.tree(&name)?.is_none() {
            let xml = concat!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
                "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>"
            );
            let tree = Tree::parse(xml.to_owned()).map_err(Error::Malformed)?;
            self.trees.insert(name.clone(), tree);
        }
        let taken: Vec<String> = self.relations(part)?.into_iter().map(|it| it.id).collect();
        // Two relationships with one id would be a damaged file.
        let id = (taken.len() + 1..)
            .map(|number| format!("rId{number}"))
            .find(|id| !taken.contains(id))
            .unwrap_or_default();
        let kind = if kind.contains("://") {
            kind.to_owned()
        } else if self.is_strict() {
            format!("http://purl.oclc.org/ooxml/officeDocument/relationships/{kind}")
        } else {
            format!("{R_URI}/{kind}")
        };
        let mode = if is_external { " TargetMode=\"External\"" } else { "" };
        let entry = format!(
            "<Relationship Id=\"{id}\" Type=\"{kind}\" Target=\"{}\"{mode}/>",
            escape_attr(target)
        );
        let tree = self.get_mut(&name);
        let root = tree.root().unwrap_or(DOCUMENT);
        let entry = tree.element(&with_prefix(tree, root, &entry));
        tree.append(root, entry);
        Ok(id)
    }

    /// Makes a template a document, because a file that ends in `.docx` must not be a template.
    pub(crate) fn make_document(&mut self) -> Result<()> {
        if !self.media_type.ends_with("template.main+xml") {
            return Ok(());
        }
        let main = self.main.clone();
        let types = self.types()?;
        let root = types.root().unwrap_or(DOCUMENT);
        let entry = types.elements(root).find(|&it| {
            types
                .attr(it, "PartName")
                .is_some_and(|name| name.trim_start_matches('/').eq_ignore_ascii_case(&main))
        });
        if let Some(entry) = entry {
            types.set_attr(
                entry,
                "ContentType",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
            );
        }
        Ok(())
    }

    /// Returns `true` for a document of ISO 29500 Strict, whose namespaces have other names.
    pub(crate) fn is_strict(&self) -> bool {
        self.trees.get(&self.main).is_some_and(|tree| {
            tree.root().is_some_and(|root| {
                tree.attrs(root).any(|(name, value)| {
                    name.starts_with("xmlns") && value.starts_with("http://purl.oclc.org/ooxml/")
                })
            })
        })
    }

    /// Returns a name that no part has: `word/media/image7.png` for `word/media/image` and `.png`.
    pub(crate) fn free_name(&self, stem: &str, extension: &str) -> String {
        (1..)
            .map(|number| format!("{stem}{number}{extension}"))
            .find(|name| !self.has(name))
            .unwrap_or_default()
    }

    /// Returns the folder of the main part with a slash at its end: `word/`.
    pub(crate) fn folder(&self) -> &str {
        self.main.rfind('/').map_or("", |at| &self.main[..=at])
    }

    /// Returns `true` if every parsed part would be written as it was.
    pub(crate) fn is_lossless(&self) -> bool {
        self.trees.iter().all(|(name, tree)| {
            self.zip.read(name).ok().flatten().as_deref() == Some(tree.serialize().as_bytes())
        })
    }

    /// Writes the package.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the archive cannot be written.
    pub(crate) fn save(&self) -> Result<Vec<u8>> {
        let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
        for (name, tree) in &self.trees {
            if tree.is_changed() || !self.zip.has(name) {
                parts.push((name.clone(), tree.serialize().into_bytes()));
            }
        }
        for (name, bytes) in &self.blobs {
            parts.push((name.clone(), bytes.clone()));
        }
        let removed: Vec<String> = self.removed.iter().cloned().collect();
        self.zip.rewrite(&parts, &removed).map_err(Error::Malformed)
    }
}

/// Gives a new element the prefix of the root element, whose namespace it belongs to.
fn with_prefix(tree: &Tree, root: Id, xml: &str) -> String {
    match tree.prefix(root) {
        "" => xml.to_owned(),
        prefix => xml.replacen('<', &format!("<{prefix}:"), 1),
    }
}

pub(crate) fn relations_name(part: &str) -> String {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    format!("{folder}_rels/{name}.rels")
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
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    segments.join("/")
}
