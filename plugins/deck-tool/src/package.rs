//! The package of a file: its parts, their types and their relationships.
//!
//! Parts are parsed when they are needed, and written only if they were changed. Knows no presentations.

use crate::error::{Error, Result, malformed, unsupported};
use crate::escape::escape;
use crate::xml::{A_URI, C_URI, Ns, P_URI, R_URI, Splices, Xml};
use mitt_package::Zip;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const TYPES: &str = "[Content_Types].xml";
const RELATIONS: &str = concat!(
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n",
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>"
);
const RELATIONS_TYPE: &str = "application/vnd.openxmlformats-package.relationships+xml";
/// Most bytes of XML of one file, so that its parts fit into the memory of a call.
const MAX_XML_BYTES: usize = 96 << 20;

/// A relationship of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) id: String,
    /// Its whole type.
    pub(crate) uri: String,
    /// The part it leads to; the target as written if it is external.
    pub(crate) target: String,
    pub(crate) is_external: bool,
}

impl Relation {
    /// Returns the last segment of the type: `slideLayout`, `hyperlink`.
    pub(crate) fn kind(&self) -> &str {
        self.uri.rsplit('/').next().unwrap_or_default()
    }
}

#[derive(Debug)]
pub(crate) struct Package {
    zip: Zip,
    parsed: RefCell<BTreeMap<String, Rc<Xml>>>,
    /// Bytes of XML that were parsed.
    read: Cell<usize>,
    /// New contents by name; `None` for parts that are removed.
    changed: BTreeMap<String, Option<Vec<u8>>>,
}

impl Package {
    /// Opens a package.
    ///
    /// # Errors
    /// [`Error::Malformed`] - it is damaged; [`Error::Unsupported`] - it is another kind of file.
    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self> {
        if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
            return unsupported("it is a file of Office 97 to 2003, or has a password");
        }
        if !bytes.starts_with(b"PK") {
            return unsupported("it is no file of Office");
        }
        let zip = Zip::open(bytes).map_err(Error::Malformed)?;
        if zip.name(TYPES).is_none() {
            return unsupported("it is another kind of archive");
        }
        let parsed = RefCell::default();
        Ok(Self { zip, parsed, read: Cell::new(0), changed: BTreeMap::new() })
    }

    /// Returns the name of a part as it is written; `None` if there is none.
    pub(crate) fn name(&self, name: &str) -> Option<String> {
        let name = self.zip.name(name).unwrap_or(name);
        match self.changed.get(name) {
            Some(content) => content.as_ref().map(|_| name.to_owned()),
            None => self.zip.name(name).map(str::to_owned),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.name(name).is_some()
    }

    /// Returns the names of all parts.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let new = self.changed.keys().map(String::as_str);
        let names = self.zip.names().chain(new).filter(|name| self.has(name));
        names.map(str::to_owned).collect()
    }

    /// Returns the content of a part.
    ///
    /// # Errors
    /// [`Error::Malformed`] - there is none, or it cannot be unpacked.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let content = match self.name(name) {
            None => None,
            Some(name) => match self.changed.get(&name) {
                Some(content) => content.clone(),
                None => self.zip.read(&name).map_err(Error::Malformed)?,
            },
        };
        content.ok_or_else(|| Error::Malformed(format!("the part `{name}` is missing")))
    }

    /// Returns a parsed part.
    ///
    /// # Errors
    /// [`Error::Malformed`] - there is none, or it cannot be read.
    pub(crate) fn xml(&self, name: &str) -> Result<Rc<Xml>> {
        let name = self.name(name).unwrap_or_else(|| name.to_owned());
        if let Some(xml) = self.parsed.borrow().get(&name) {
            return Ok(Rc::clone(xml));
        }
        let bytes = self.bytes(&name)?;
        self.read.set(self.read.get() + bytes.len());
        if self.read.get() > MAX_XML_BYTES {
            return malformed(format!("the file has more than {MAX_XML_BYTES} bytes of XML"));
        }
        let wrong =
            |why: &str| Error::Malformed(format!("the part `{name}` cannot be read: {why}"));
        let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8"))?;
        let xml = Rc::new(Xml::parse(text).map_err(|why| wrong(&why))?);
        self.parsed.borrow_mut().insert(name, Rc::clone(&xml));
        Ok(xml)
    }

    /// Applies changes to a part.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the part would no longer be well-formed, which is a mistake in this crate.
    pub(crate) fn splice(&mut self, name: &str, splices: Splices) -> Result<()> {
        if splices.is_empty() {
            return Ok(());
        }
        let xml = self.xml(name)?;
        let xml = xml.splice(splices).map_err(|why| {
            Error::Malformed(format!("the part `{name}` cannot be changed: {why}"))
        })?;
        self.put_xml(name, xml);
        Ok(())
    }

    pub(crate) fn put_xml(&mut self, name: &str, xml: Xml) {
        let name = self.name(name).unwrap_or_else(|| name.to_owned());
        self.changed.insert(name.clone(), Some(xml.text().as_bytes().to_vec()));
        self.parsed.borrow_mut().insert(name, Rc::new(xml));
    }

    /// Sets the content of a part.
    pub(crate) fn put(&mut self, name: &str, bytes: Vec<u8>) {
        let name = self.name(name).unwrap_or_else(|| name.to_owned());
        self.parsed.borrow_mut().remove(&name);
        self.changed.insert(name, Some(bytes));
    }

    /// Removes a part, its relationships and its type.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the list of types cannot be read.
    pub(crate) fn remove(&mut self, name: &str) -> Result<()> {
        for name in [relations_name(name), name.to_owned()] {
            if let Some(name) = self.name(&name) {
                self.parsed.borrow_mut().remove(&name);
                match self.zip.name(&name) {
                    Some(_) => self.changed.insert(name, None),
                    None => self.changed.remove(&name),
                };
            }
        }
        let types = self.xml(TYPES)?;
        let mut splices = Splices::default();
        for id in types.children(types.root()) {
            let is_gone = [name, &relations_name(name)].iter().any(|it| is_part(&types, id, it));
            if types.local(id) == "Override" && is_gone {
                types.remove(id, &mut splices);
            }
        }
        self.splice(TYPES, splices)
    }

    /// Returns the media type of a part; empty if it has none.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the list of types cannot be read.
    pub(crate) fn media_type(&self, name: &str) -> Result<String> {
        let types = self.xml(TYPES)?;
        let extension = name.rsplit('.').next().unwrap_or_default();
        let mut found = String::new();
        for id in types.children(types.root()) {
            let media_type = || types.attr(id, "ContentType").unwrap_or_default().into_owned();
            if types.local(id) == "Override" && is_part(&types, id, name) {
                return Ok(media_type());
            }
            let is_extension =
                types.attr(id, "Extension").is_some_and(|it| it.eq_ignore_ascii_case(extension));
            if types.local(id) == "Default" && is_extension {
                found = media_type();
            }
        }
        Ok(found)
    }

    /// Gives a part its media type: by its extension for pictures and the like, otherwise by its name.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the list of types cannot be read.
    pub(crate) fn set_media_type(&mut self, name: &str, media_type: &str) -> Result<()> {
        if self.media_type(name)? == media_type {
            return Ok(());
        }
        let types = self.xml(TYPES)?;
        let root = types.root();
        let prefix = types.prefix(root).to_owned();
        let mut splices = Splices::default();
        let old = types
            .children(root)
            .find(|&id| types.local(id) == "Override" && is_part(&types, id, name));
        let extension = name.rsplit('.').next().unwrap_or_default();
        let has_default = types.children(root).any(|id| {
            types.attr(id, "Extension").is_some_and(|it| it.eq_ignore_ascii_case(extension))
        });
        if let Some(old) = old {
            types.set_attr(old, "ContentType", media_type, &mut splices);
        } else if has_default || media_type.ends_with("+xml") {
            let entry = format!(
                "<{prefix}Override PartName=\"/{}\" ContentType=\"{media_type}\"/>",
                escape(name)
            );
            types.append(root, &entry, &mut splices);
        } else {
            let entry = format!(
                "<{prefix}Default Extension=\"{extension}\" ContentType=\"{media_type}\"/>"
            );
            types.prepend(root, &entry, &mut splices);
        }
        self.splice(TYPES, splices)
    }

    /// Returns the relationships of a part; those of the package for an empty name.
    ///
    /// # Errors
    /// [`Error::Malformed`] - they cannot be read.
    pub(crate) fn relations(&self, part: &str) -> Result<Vec<Relation>> {
        let name = relations_name(part);
        if !self.has(&name) {
            return Ok(Vec::new());
        }
        let xml = self.xml(&name)?;
        let mut out = Vec::new();
        for id in xml.children(xml.root()).filter(|&id| xml.local(id) == "Relationship") {
            let attr = |name: &str| xml.attr(id, name).unwrap_or_default().into_owned();
            let is_external = attr("TargetMode").eq_ignore_ascii_case("external");
            let target = attr("Target");
            let target = if is_external { target } else { self.resolved(part, &target) };
            out.push(Relation { id: attr("Id"), uri: attr("Type"), target, is_external });
        }
        Ok(out)
    }

    fn resolved(&self, part: &str, target: &str) -> String {
        let name = resolve(part, target);
        self.name(&name).unwrap_or(name)
    }

    /// Returns the relationship of an id.
    ///
    /// # Errors
    /// [`Error::Malformed`] - there is none.
    pub(crate) fn relation(&self, part: &str, id: &str) -> Result<Relation> {
        let found = self.relations(part)?.into_iter().find(|it| it.id == id);
        found.ok_or_else(|| Error::Malformed(format!("`{part}` has no relationship `{id}`")))
    }

    /// Returns the first part that a part refers to with this kind of relationship.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the relationships cannot be read.
    pub(crate) fn related(&self, part: &str, kind: &str) -> Result<Option<String>> {
        let mut relations = self.relations(part)?.into_iter();
        let found = relations.find(|it| it.kind() == kind && !it.is_external);
        Ok(found.map(|it| it.target).filter(|name| self.has(name)))
    }

    /// Adds a relationship, and returns its id. `kind` is a whole URI, or the last segment of one of Office.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the relationships cannot be read.
    pub(crate) fn relate(
        &mut self,
        part: &str,
        kind: &str,
        target: &str,
        is_external: bool,
    ) -> Result<String> {
        let taken: BTreeSet<String> = self.relations(part)?.into_iter().map(|it| it.id).collect();
        let free = (taken.len() + 1..).map(|number| format!("rId{number}"));
        let id = free.into_iter().find(|id| !taken.contains(id)).unwrap_or_default();
        let uri = if kind.contains("://") {
            kind.to_owned()
        } else if self.is_strict()? {
            format!("http://purl.oclc.org/ooxml/officeDocument/relationships/{kind}")
        } else {
            format!("{R_URI}/{kind}")
        };
        self.relate_as(
            part,
            &Relation { id: id.clone(), uri, target: target.to_owned(), is_external },
        )?;
        Ok(id)
    }

    /// Adds a relationship with its id.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the relationships cannot be read.
    pub(crate) fn relate_as(&mut self, part: &str, relation: &Relation) -> Result<()> {
        let name = relations_name(part);
        if !self.has(&name) {
            self.put(&name, RELATIONS.as_bytes().to_vec());
            self.set_media_type(&name, RELATIONS_TYPE)?;
        }
        let xml = self.xml(&name)?;
        let root = xml.root();
        let mode = if relation.is_external { " TargetMode=\"External\"" } else { "" };
        let target = if relation.is_external {
            relation.target.clone()
        } else {
            relative(part, &relation.target)
        };
        let entry = format!(
            "<{}Relationship Id=\"{}\" Type=\"{}\" Target=\"{}\"{mode}/>",
            xml.prefix(root),
            escape(&relation.id),
            escape(&relation.uri),
            escape(&target)
        );
        let mut splices = Splices::default();
        xml.append(root, &entry, &mut splices);
        self.splice(&name, splices)
    }

    /// Removes relationships by their ids.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the relationships cannot be read.
    pub(crate) fn unrelate(&mut self, part: &str, ids: &BTreeSet<String>) -> Result<()> {
        let name = relations_name(part);
        if ids.is_empty() || !self.has(&name) {
            return Ok(());
        }
        let xml = self.xml(&name)?;
        let mut splices = Splices::default();
        for id in xml.children(xml.root()) {
            if xml.attr(id, "Id").is_some_and(|it| ids.contains(&*it)) {
                xml.remove(id, &mut splices);
            }
        }
        self.splice(&name, splices)
    }

    /// Gives new XML the namespaces of the package's form of the standard.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the relationships of the package cannot be read.
    pub(crate) fn native(&self, xml: String) -> Result<String> {
        if !self.is_strict()? {
            return Ok(xml);
        }
        let names = [
            (A_URI, "http://purl.oclc.org/ooxml/drawingml/main"),
            (P_URI, "http://purl.oclc.org/ooxml/presentationml/main"),
            (C_URI, "http://purl.oclc.org/ooxml/drawingml/chart"),
            (R_URI, "http://purl.oclc.org/ooxml/officeDocument/relationships"),
            (
                "http://schemas.openxmlformats.org/drawingml/2006/table",
                "http://purl.oclc.org/ooxml/drawingml/table",
            ),
        ];
        Ok(names.iter().fold(xml, |xml, (from, to)| xml.replace(from, to)))
    }

    fn is_strict(&self) -> Result<bool> {
        Ok(self.relations("")?.iter().any(|it| it.uri.starts_with("http://purl.oclc.org/")))
    }

    /// Returns a name that no part has: `ppt/slides/slide7.xml` for any `ppt/slides/slide3.xml`.
    pub(crate) fn free_name(&self, like: &str) -> String {
        let (stem, extension) = like.rsplit_once('.').unwrap_or((like, "xml"));
        let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let mut names = (1_u32..).map(|number| format!("{stem}{number}.{extension}"));
        names.find(|name| !self.has(name)).unwrap_or_default()
    }

    /// Returns a part that was added with this content.
    pub(crate) fn added_like(&self, bytes: &[u8]) -> Option<String> {
        let mut added = self.changed.iter().filter(|(name, _)| self.zip.name(name).is_none());
        added.find(|(_, it)| it.as_deref() == Some(bytes)).map(|it| it.0.clone())
    }

    /// Returns the parts that can be reached from the relationships of the package.
    ///
    /// # Errors
    /// [`Error::Malformed`] - relationships cannot be read.
    pub(crate) fn reached(&self) -> Result<BTreeSet<String>> {
        let mut seen = BTreeSet::new();
        let mut next = vec![String::new()];
        while let Some(part) = next.pop() {
            for relation in self.relations(&part)?.into_iter().filter(|it| !it.is_external) {
                if self.has(&relation.target) && seen.insert(relation.target.clone()) {
                    next.push(relation.target);
                }
            }
        }
        Ok(seen)
    }

    /// Removes relationships of a part that its XML does not name any more.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the part cannot be read.
    pub(crate) fn drop_unused(&mut self, part: &str, candidates: &BTreeSet<String>) -> Result<()> {
        let xml = self.xml(part)?;
        let mut used = BTreeSet::new();
        for id in std::iter::once(xml.root()).chain(xml.below(xml.root())) {
            used.extend(xml.relations(id).into_iter().map(|it| it.1));
        }
        let unused = candidates.difference(&used).cloned().collect();
        self.unrelate(part, &unused)
    }

    /// Returns the file: the same bytes if nothing was changed.
    ///
    /// # Errors
    /// [`Error::Malformed`] - the archive cannot be written.
    pub(crate) fn save(&self) -> Result<Vec<u8>> {
        // Changes that took each other back leave the entry as it was.
        let mut changed = self.changed.clone();
        for (name, content) in &self.changed {
            let old = self.zip.read(name).map_err(Error::Malformed)?;
            if *content == old {
                changed.remove(name);
            }
        }
        let (mut parts, mut removed) = (Vec::new(), Vec::new());
        for (name, content) in changed {
            match content {
                Some(content) => parts.push((name, content)),
                None => removed.push(name),
            }
        }
        self.zip.rewrite(&parts, &removed).map_err(Error::Malformed)
    }
}

fn is_part(types: &Xml, id: u32, name: &str) -> bool {
    types
        .attr(id, "PartName")
        .is_some_and(|it| it.trim_start_matches('/').eq_ignore_ascii_case(name))
}

/// Returns the name of the part that has the relationships of another one.
pub(crate) fn relations_name(part: &str) -> String {
    match part.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/_rels/{name}.rels"),
        None => format!("_rels/{part}.rels"),
    }
}

/// Returns the name of a part from a target that is relative to another part.
fn resolve(part: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut folders: Vec<&str> = part.split('/').collect();
    folders.pop();
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                folders.pop();
            }
            segment => folders.push(segment),
        }
    }
    folders.join("/")
}

/// Returns the target that leads from one part to another.
fn relative(part: &str, target: &str) -> String {
    let from: Vec<&str> = part.split('/').collect();
    let to: Vec<&str> = target.split('/').collect();
    let most = from.len().min(to.len()).saturating_sub(1);
    let same = (0..most).take_while(|&at| from[at] == to[at]).count();
    let up = from.len().saturating_sub(1 + same);
    format!("{}{}", "../".repeat(up), to[same..].join("/"))
}

/// Returns a package's namespace of relationships as an attribute value of an element: `r:id`.
pub(crate) fn relation_of(xml: &Xml, id: u32) -> Option<String> {
    xml.relation(id, "id").map(|it| it.into_owned())
}

/// Returns the first element of a name below another one.
pub(crate) fn first_below(xml: &Xml, id: u32, ns: Ns, local: &str) -> Option<u32> {
    xml.below(id).find(|&it| xml.is(it, ns, local))
}
