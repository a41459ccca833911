//! Searches a damaged file for its objects.

use crate::lex::Lexer;
use crate::load::{Loader, MAX_NUMBER, Place, find, follow, has_pages, headers};
use crate::object::{Dict, Object};
use std::collections::BTreeMap;
use std::rc::Rc;

impl Loader {
    /// Builds the table anew: the last object of each number counts.
    pub(super) fn search(&mut self) {
        let file = Rc::clone(&self.file);
        self.places.clear();
        let mut trailer = std::mem::take(&mut self.trailer);
        let headers = headers(&file);
        self.places.extend(headers.iter().map(|(number, (at, _))| (*number, Place::At(*at))));
        let mut at = 0;
        while let Some(found) = find(&file[at..], b"trailer") {
            at += found + 7;
            let mut lexer = Lexer::new(&file, at);
            if let Ok(Object::Dict(dict)) = lexer.value(&mut self.budget, true) {
                for (key, value) in dict.iter() {
                    if matches!(key, b"Root" | b"Info" | b"ID" | b"Encrypt") {
                        trailer.set(key, value.clone());
                    }
                }
            }
        }
        // Table streams have what a trailer has; object streams have objects.
        let mut packs = Vec::new();
        for (number, (at, generation)) in &headers {
            let mut lexer = Lexer::new(&file, *at);
            lexer.header();
            lexer.skip_space();
            if !lexer.bytes[lexer.at..].starts_with(b"<<") {
                continue;
            }
            let near = &file[lexer.at..(lexer.at + 400).min(file.len())];
            if find(near, b"XRef").is_none() && find(near, b"ObjStm").is_none() {
                continue;
            }
            let Ok(value) = self.body(lexer, *number, *generation, None) else { continue };
            let Some(stream) = value.as_stream() else { continue };
            if stream.dict.get("Type").is_name("XRef") {
                for key in ["Root", "Info", "ID", "Encrypt"] {
                    if stream.dict.has(key) {
                        trailer.set(key, stream.dict.get(key).clone());
                    }
                }
            } else if stream.dict.get("Type").is_name("ObjStm") {
                packs.push((*at, *number, *generation));
            }
        }
        packs.sort_unstable();
        self.trailer = trailer;
        // Packs of an encrypted file are read when their key is known.
        let security = self.security(&file, None).ok().flatten();
        for (at, number, generation) in packs {
            let mut lexer = Lexer::new(&file, at);
            lexer.header();
            let Ok(value) = self.body(lexer, number, generation, security.as_ref()) else {
                continue;
            };
            let Some(stream) = value.as_stream() else { continue };
            let Some(data) = self.unpack(stream) else { continue };
            let count =
                stream.dict.get("N").as_int().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
            let mut index = Lexer::new(&data, 0);
            for _ in 0..count {
                let (Some(inner), Some(_)) = (index.unsigned(), index.unsigned()) else { break };
                let Some(inner) = u32::try_from(inner).ok().filter(|it| *it <= MAX_NUMBER) else {
                    break;
                };
                let is_older = match self.places.get(&inner) {
                    Some(Place::At(other)) => *other < at,
                    _ => true,
                };
                if is_older {
                    self.places.insert(inner, Place::In(number));
                }
            }
        }
    }

    /// Sets the catalog and, if there is none, makes one of the pages that are there.
    pub(super) fn find_root(&mut self, objects: &mut BTreeMap<u32, Object>) {
        let is_catalog = |value: &Object| {
            value.as_dict().is_some_and(|it| it.get("Type").is_name("Catalog") && it.has("Pages"))
        };
        if follow(objects, self.trailer.get("Root")).as_dict().is_none_or(|it| !it.has("Pages")) {
            let found = objects
                .iter()
                .rev()
                .find(|(_, value)| is_catalog(value))
                .map(|(number, _)| *number);
            if let Some(number) = found {
                self.trailer.set("Root", Object::Ref(number));
            }
        }
        if has_pages(objects, &self.trailer) {
            return;
        }
        let is_page =
            |value: &Object| value.as_dict().is_some_and(|it| it.get("Type").is_name("Page"));
        let pages: Vec<u32> =
            objects.iter().filter(|(_, value)| is_page(value)).map(|it| *it.0).collect();
        if pages.is_empty() {
            return;
        }
        self.repairs
            .push(format!("The list of pages is lost; pages found by a search: {}.", pages.len()));
        let next = objects.keys().next_back().map_or(1, |it| it + 1);
        for page in &pages {
            if let Some(dict) = objects.get_mut(page).and_then(Object::as_dict_mut) {
                dict.set("Parent", Object::Ref(next));
            }
        }
        let count = i64::try_from(pages.len()).unwrap_or(0);
        let kids: Vec<Object> = pages.into_iter().map(Object::Ref).collect();
        let tree =
            Dict::new().with("Type", Object::name("Pages")).with("Kids", kids).with("Count", count);
        objects.insert(next, tree.into());
        let root = self.trailer.get("Root").as_ref();
        match root.and_then(|it| objects.get_mut(&it)).and_then(Object::as_dict_mut) {
            Some(catalog) => catalog.set("Pages", Object::Ref(next)),
            None => {
                let catalog = Dict::new()
                    .with("Type", Object::name("Catalog"))
                    .with("Pages", Object::Ref(next));
                objects.insert(next + 1, catalog.into());
                self.trailer.set("Root", Object::Ref(next + 1));
            }
        }
    }
}
