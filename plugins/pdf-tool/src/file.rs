//! A document in memory: its objects, its pages in order, and the forms that all edits rely on.
//!
//! When a document is opened, pages, annotations and form fields become objects of their own, and inherited values of pages
//! are written into the pages. So no edit has to know the many ways to write the same.

use crate::crypt::{Permissions, Security};
use crate::error::{Error, Result, malformed};
use crate::object::{Dict, Object, Stream};
use crate::objects::Objects;
use crate::{filter, load};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Most pages of a document.
const MAX_PAGES: usize = 50_000;
/// Deepest page tree.
const MAX_TREE: usize = 64;
/// Data of all streams that one call decodes.
const MAX_DECODED: usize = 512 << 20;
/// Values of a page that it inherits.
const INHERITED: [&str; 4] = ["Resources", "MediaBox", "CropBox", "Rotate"];

/// A document.
pub struct Pdf {
    pub(crate) objects: Objects,
    pub(crate) trailer: Dict,
    pub(crate) security: Option<Security>,
    pub(crate) sections: usize,
    pub(crate) version: String,
    /// Numbers of the page objects in order.
    pub(crate) pages: Vec<u32>,
    /// What was damaged and is repaired, one sentence each.
    pub repairs: Vec<String>,
    decoded: Cell<usize>,
    next: u32,
    pub(crate) origin: Origin,
}

/// What is known of the file that was opened, so that changes can be appended to it.
#[derive(Clone, Default)]
pub(crate) struct Origin {
    /// The file; `None` if nothing can be appended.
    pub(crate) source: Option<load::Source>,
    /// Generations that are not zero.
    pub(crate) generations: BTreeMap<u32, u16>,
    /// Objects of the file have lower numbers.
    pub(crate) end: u32,
    /// Objects of the file are in object streams.
    pub(crate) is_packed: bool,
    /// Values that pages inherit, and that were written into them here.
    pub(crate) inherited: BTreeMap<u32, Vec<Vec<u8>>>,
    /// The document before it was changed, if its changes are appended.
    pub(crate) before: Option<Before>,
}

/// A document before it was changed.
#[derive(Clone)]
pub(crate) struct Before {
    pub(crate) objects: Objects,
    pub(crate) next: u32,
}

impl Pdf {
    /// Opens a document.
    ///
    /// # Errors
    ///
    /// `unsupported` - it needs a password. `malformed` - it is damaged beyond repair, or has too much of something.
    pub fn open(bytes: Vec<u8>, password: Option<&str>) -> Result<Self> {
        let loaded = load::load(bytes, password)?;
        let mut pdf = Self {
            objects: loaded.objects.into(),
            trailer: loaded.trailer,
            security: loaded.security,
            sections: loaded.sections,
            version: loaded.version,
            pages: Vec::new(),
            repairs: loaded.repairs,
            decoded: Cell::new(0),
            next: loaded.end,
            origin: Origin {
                source: loaded.source,
                generations: loaded.generations,
                end: loaded.end,
                is_packed: loaded.is_packed,
                ..Origin::default()
            },
        };
        if pdf.resolve(pdf.trailer.get("Root")).as_dict().is_none() {
            return malformed("the document is damaged: it has no catalog and no pages");
        }
        pdf.own_catalog();
        pdf.collect_pages()?;
        if pdf.pages.is_empty() {
            return malformed("the document is damaged: it has no pages");
        }
        pdf.own_annotations();
        pdf.own_fields();
        Ok(pdf)
    }

    /// Returns what a value refers to; null if it is missing or refers to itself.
    pub(crate) fn resolve<'a>(&'a self, value: &'a Object) -> &'a Object {
        let mut value = value;
        for _ in 0..16 {
            match value {
                Object::Ref(number) => value = self.objects.get(number).unwrap_or(&Object::Null),
                other => return other,
            }
        }
        &Object::Null
    }

    /// Returns a value of a dictionary, resolved.
    pub(crate) fn value<'a>(&'a self, dict: &'a Dict, key: &str) -> &'a Object {
        self.resolve(dict.get(key))
    }

    /// Returns a dictionary in a dictionary, resolved.
    pub(crate) fn dict<'a>(&'a self, dict: &'a Dict, key: &str) -> Option<&'a Dict> {
        self.value(dict, key).as_dict()
    }

    /// Returns a list in a dictionary, resolved.
    pub(crate) fn array<'a>(&'a self, dict: &'a Dict, key: &str) -> &'a [Object] {
        self.value(dict, key).as_array().unwrap_or_default()
    }

    /// Returns the text of an entry.
    pub(crate) fn text(&self, dict: &Dict, key: &str) -> Option<String> {
        match self.value(dict, key) {
            Object::Str(bytes) => Some(crate::text::decode(bytes)),
            Object::Name(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    /// Returns numbers of a list, such as a rectangle.
    pub(crate) fn numbers(&self, value: &Object) -> Vec<f64> {
        let values = self.resolve(value).as_array().unwrap_or_default();
        values
            .iter()
            .filter_map(|it| self.resolve(it).as_f64())
            .filter(|it| it.is_finite())
            .collect()
    }

    /// Returns a rectangle with its corners in order; `None` if it is none.
    pub(crate) fn rect(&self, value: &Object) -> Option<[f64; 4]> {
        let numbers = self.numbers(value);
        let [a, b, c, d] = numbers.get(..4)? else { return None };
        Some([a.min(*c), b.min(*d), a.max(*c), b.max(*d)])
    }

    /// Returns the dictionary of an object.
    pub(crate) fn object(&self, number: u32) -> Option<&Dict> {
        self.objects.get(&number).and_then(Object::as_dict)
    }

    /// Returns the dictionary of an object, to change it.
    pub(crate) fn object_mut(&mut self, number: u32) -> Option<&mut Dict> {
        self.objects.get_mut(&number).and_then(Object::as_dict_mut)
    }

    /// Sets an entry of the dictionary of an object. Does nothing if there is none.
    pub(crate) fn set(&mut self, number: u32, key: &str, value: impl Into<Object>) {
        if let Some(dict) = self.object_mut(number) {
            dict.set(key, value);
        }
    }

    /// Removes an object, unless it is the catalog or a page: a hostile file may name one of these as an annotation or a field.
    pub(crate) fn remove(&mut self, number: u32) {
        let root = self.trailer.get("Root").as_ref();
        if root != Some(number) && !self.pages.contains(&number) {
            self.objects.remove(&number);
        }
    }

    /// Adds an object and returns its number.
    pub(crate) fn add(&mut self, value: impl Into<Object>) -> u32 {
        let number = self.next;
        self.next += 1;
        self.objects.insert(number, value.into());
        number
    }

    /// Reserves numbers for all objects of another document. Returns what is added to their numbers.
    pub(crate) fn reserve(&mut self, other: &Self) -> u32 {
        let by = self.next;
        self.next = self.next.saturating_add(other.next);
        by
    }

    /// Returns the catalog.
    pub(crate) fn catalog(&self) -> &Dict {
        match self.resolve(self.trailer.get("Root")) {
            Object::Dict(dict) => dict,
            // `open` makes it an object.
            _ => unreachable!("the catalog is an object of its own"),
        }
    }

    /// Returns the catalog, to change it.
    pub(crate) fn catalog_mut(&mut self) -> &mut Dict {
        let root = self.trailer.get("Root").as_ref().unwrap_or_default();
        match self.objects.get_mut(&root) {
            Some(Object::Dict(dict)) => dict,
            _ => unreachable!("the catalog is an object of its own"),
        }
    }

    /// Makes a value of a dictionary an object of its own; returns its number. `None` if it is not a dictionary.
    pub(crate) fn own_entry(&mut self, owner: u32, key: &str) -> Option<u32> {
        let value = self.object(owner)?.get(key).clone();
        if let Object::Ref(number) = value {
            return self.object(number).is_some().then_some(number);
        }
        if !matches!(value, Object::Dict(_)) {
            return None;
        }
        let number = self.add(value);
        self.object_mut(owner)?.set(key, Object::Ref(number));
        Some(number)
    }

    fn own_catalog(&mut self) {
        let catalog = self.resolve(self.trailer.get("Root")).as_dict().cloned().unwrap_or_default();
        let number = match self.trailer.get("Root") {
            Object::Ref(number) if matches!(self.objects.get(number), Some(Object::Dict(_))) => {
                *number
            }
            _ => self.add(catalog),
        };
        self.trailer.set("Root", Object::Ref(number));
    }

    /// Returns the number of the catalog.
    pub(crate) fn root(&self) -> u32 {
        self.trailer.get("Root").as_ref().unwrap_or_default()
    }

    fn collect_pages(&mut self) -> Result<()> {
        let top = self.catalog().get("Pages").clone();
        let mut pages = Vec::new();
        let mut path = BTreeSet::new();
        let mut seen = BTreeSet::new();
        self.walk(&top, &Dict::new(), &mut path, &mut seen, &mut pages)?;
        self.pages = pages;
        Ok(())
    }

    fn walk(
        &mut self,
        node: &Object,
        inherited: &Dict,
        path: &mut BTreeSet<u32>,
        seen: &mut BTreeSet<u32>,
        pages: &mut Vec<u32>,
    ) -> Result<()> {
        if path.len() > MAX_TREE {
            return malformed(format!(
                "the document is damaged: its tree of pages is deeper than {MAX_TREE} levels"
            ));
        }
        let Some(dict) = self.resolve(node).as_dict() else { return Ok(()) };
        let is_tree = dict.has("Kids") && !dict.get("Type").is_name("Page");
        let mut values = inherited.clone();
        for key in INHERITED {
            if dict.has(key) {
                values.set(key, dict.get(key).clone());
            }
        }
        if is_tree {
            let number = node.as_ref().unwrap_or(u32::MAX);
            // A node that contains itself, or stands in two places, is read once.
            if number != u32::MAX && !seen.insert(number) {
                return Ok(());
            }
            path.insert(number);
            for kid in self.array(&dict.clone(), "Kids").to_vec() {
                self.walk(&kid, &values, path, seen, pages)?;
            }
            path.remove(&number);
            return Ok(());
        }
        if pages.len() >= MAX_PAGES {
            return malformed(format!("the document has more than {MAX_PAGES} pages"));
        }
        let mut page = dict.clone();
        let mut added = Vec::new();
        for (key, value) in values.iter() {
            if page.find(key).is_none() {
                page.push(key, value.clone());
                added.push(key.to_vec());
            }
        }
        page.set("Type", Object::name("Page"));
        let number = match node.as_ref() {
            Some(number) if seen.insert(number) => {
                self.objects.insert(number, page.into());
                if !added.is_empty() {
                    self.origin.inherited.insert(number, added);
                }
                number
            }
            // The same page in two places becomes two pages.
            _ => self.add(page),
        };
        pages.push(number);
        Ok(())
    }

    /// Makes annotations objects of their own, and their lists direct.
    fn own_annotations(&mut self) {
        for page in self.pages.clone() {
            let Some(dict) = self.object(page).filter(|it| it.has("Annots")) else { continue };
            let annotations = self.array(dict, "Annots").to_vec();
            let mut refs = Vec::with_capacity(annotations.len());
            for it in annotations {
                match it {
                    Object::Ref(number) if self.object(number).is_some() => {
                        refs.push(Object::Ref(number))
                    }
                    Object::Dict(dict) => refs.push(Object::Ref(self.add(dict))),
                    _ => {}
                }
            }
            if let Some(dict) = self.object_mut(page) {
                dict.set("Annots", refs);
            }
        }
    }

    /// Makes the form and its fields objects of their own.
    fn own_fields(&mut self) {
        let root = self.root();
        let Some(form) = self.own_entry(root, "AcroForm") else { return };
        let mut todo = vec![(form, "Fields")];
        let mut seen = BTreeSet::new();
        while let Some((owner, key)) = todo.pop() {
            if !seen.insert(owner) {
                continue;
            }
            let Some(dict) = self.object(owner) else { continue };
            let kids = self.array(dict, key).to_vec();
            if kids.is_empty() {
                continue;
            }
            let mut refs = Vec::with_capacity(kids.len());
            for kid in kids {
                let number = match kid {
                    Object::Ref(number) if self.object(number).is_some() => number,
                    Object::Dict(dict) => self.add(dict),
                    _ => continue,
                };
                refs.push(Object::Ref(number));
                todo.push((number, "Kids"));
            }
            if let Some(dict) = self.object_mut(owner) {
                dict.set(key, refs);
            }
        }
    }

    /// Returns annotations of a page.
    pub(crate) fn annotations(&self, page: u32) -> Vec<u32> {
        let Some(dict) = self.object(page) else { return Vec::new() };
        dict.get("Annots")
            .as_array()
            .unwrap_or_default()
            .iter()
            .filter_map(Object::as_ref)
            .collect()
    }

    /// Decodes the data of a stream. Filters of pictures stay.
    ///
    /// # Errors
    ///
    /// `malformed` - it is too large, or its filter is not known.
    pub(crate) fn decode(&self, stream: &Stream) -> Result<filter::Decoded> {
        let left = MAX_DECODED.saturating_sub(self.decoded.get());
        let raw = load::raw(stream);
        let decoded = filter::decode(&raw, &self.filters(&stream.dict), left).ok_or_else(|| {
            Error::Malformed(
                "a stream of the document is too large or has an unknown filter".to_owned(),
            )
        })?;
        self.decoded.set(self.decoded.get() + decoded.bytes.len());
        Ok(decoded)
    }

    /// Returns the filters of a stream with direct values.
    pub(crate) fn filters(&self, dict: &Dict) -> Vec<(Vec<u8>, Dict)> {
        let mut direct = Dict::new();
        for key in ["Filter", "F", "DecodeParms", "DP"] {
            let value = match self.value(dict, key) {
                Object::Array(values) => {
                    values.iter().map(|it| self.direct(it)).collect::<Vec<_>>().into()
                }
                other => self.direct(other),
            };
            // Beside `Filter`, `F` names a file.
            let is_file = key == "F" && dict.has("Filter");
            if !is_file && !value.is_null() {
                direct.set(key, value);
            }
        }
        filter::filters(&direct)
    }

    fn direct(&self, value: &Object) -> Object {
        match self.resolve(value) {
            Object::Dict(dict) => {
                let mut copy = Dict::new();
                for (key, value) in dict.iter() {
                    let value = self.resolve(value);
                    if !matches!(value, Object::Stream(_) | Object::Dict(_)) {
                        copy.push(key, value.clone());
                    }
                }
                copy.into()
            }
            Object::Stream(_) => Object::Null,
            other => other.clone(),
        }
    }

    /// Returns the content of a page: its streams, joined.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    pub(crate) fn content(&self, page: u32) -> Result<Vec<u8>> {
        let Some(dict) = self.object(page) else { return Ok(Vec::new()) };
        let parts = match self.value(dict, "Contents") {
            Object::Array(parts) => {
                parts.iter().filter_map(|it| self.resolve(it).as_stream()).collect()
            }
            Object::Stream(stream) => vec![stream.as_ref()],
            _ => Vec::new(),
        };
        let mut content = Vec::new();
        for part in parts {
            content.extend(self.decode(part)?.bytes);
            content.push(b'\n');
        }
        Ok(content)
    }

    /// Returns the visible box of a page: its crop box inside of its media box.
    pub(crate) fn page_box(&self, page: u32) -> [f64; 4] {
        const LETTER: [f64; 4] = [0.0, 0.0, 612.0, 792.0];
        let Some(dict) = self.object(page) else { return LETTER };
        let sane = |it: &[f64; 4]| it[2] - it[0] > 0.0 && it[3] - it[1] > 0.0;
        let media = self.rect(dict.get("MediaBox")).filter(sane).unwrap_or(LETTER);
        let Some(crop) = self.rect(dict.get("CropBox")).filter(sane) else { return media };
        let both = [
            crop[0].max(media[0]),
            crop[1].max(media[1]),
            crop[2].min(media[2]),
            crop[3].min(media[3]),
        ];
        if sane(&both) { both } else { media }
    }

    /// Returns how many points a unit of a page is; `None` if it is one.
    pub(crate) fn user_unit(&self, page: u32) -> Option<f64> {
        let unit = self.value(self.object(page)?, "UserUnit").as_f64()?;
        ((unit - 1.0).abs() > 1e-6).then_some(unit)
    }

    /// Returns the rotation of a page: 0, 90, 180 or 270.
    pub(crate) fn rotation(&self, page: u32) -> i64 {
        let turn = self.object(page).and_then(|it| self.value(it, "Rotate").as_int()).unwrap_or(0);
        if turn % 90 == 0 { turn.rem_euclid(360) } else { 0 }
    }

    /// Returns a copy. What is not changed is shared.
    pub(crate) fn copy(&self) -> Self {
        Self {
            objects: self.objects.clone(),
            trailer: self.trailer.clone(),
            security: self.security.clone(),
            sections: self.sections,
            version: self.version.clone(),
            pages: self.pages.clone(),
            repairs: self.repairs.clone(),
            decoded: Cell::new(self.decoded.get()),
            next: self.next,
            origin: self.origin.clone(),
        }
    }

    /// Lets new objects have numbers from this one on.
    pub(crate) fn number_from(&mut self, next: u32) {
        self.next = self.next.max(next);
    }

    /// Returns the number that the next new object gets.
    pub(crate) fn next_number(&self) -> u32 {
        self.next
    }

    /// Returns `true` if the file that was opened has its small objects in object streams.
    pub fn is_packed(&self) -> bool {
        self.origin.is_packed
    }

    /// Returns `true` if the file that was opened is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.security.is_some()
    }

    /// Returns the number of pages.
    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// Returns what an encrypted file forbids, if it was opened as a user; nothing if all is allowed.
    pub(crate) fn denied(&self) -> Vec<&'static str> {
        match &self.security {
            Some(security) if !security.is_owner => Permissions::names(security.permissions).1,
            _ => Vec::new(),
        }
    }
}
