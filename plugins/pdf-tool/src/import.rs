//! Takes objects of one document into another.

use crate::error::{Error, Result};
use crate::file::Pdf;
use crate::object::{Dict, Object, Stream};
use std::collections::BTreeMap;

/// Most objects of a document that others are taken into.
const MAX_OBJECTS: u32 = 8_000_000;

fn shift(value: &mut Object, by: u32) {
    match value {
        Object::Ref(number) => *number = number.saturating_add(by),
        Object::Array(values) => values.iter_mut().for_each(|it| shift(it, by)),
        Object::Dict(dict) => dict.iter_mut().for_each(|it| shift(it.1, by)),
        Object::Stream(stream) => stream.dict.iter_mut().for_each(|it| shift(it.1, by)),
        _ => {}
    }
}

impl Pdf {
    /// Takes all objects of another document. Returns what is added to their numbers.
    ///
    /// # Errors
    ///
    /// `malformed` - there would be too many.
    pub(crate) fn absorb(&mut self, other: Self) -> Result<u32> {
        let by = self.reserve(&other);
        if by.saturating_add(other.objects.last().unwrap_or(0)) > MAX_OBJECTS {
            return Err(Error::Malformed(
                "the documents have too many objects together".to_owned(),
            ));
        }
        for (number, mut value) in BTreeMap::from(other.objects) {
            shift(&mut value, by);
            self.objects.insert(number + by, value);
        }
        Ok(by)
    }
}

/// A page of another document.
pub(crate) struct PageForm {
    /// Number of the form that draws it. A form that nothing refers to is not written.
    pub(crate) number: u32,
    pub(crate) rect: [f64; 4],
    pub(crate) content: Vec<u8>,
    pub(crate) resources: Object,
}

/// Most resources that are compared with those of a page.
const MAX_SHARED: usize = 16;

/// Opens a document and takes its pages as forms. Pages with the same resources share them.
///
/// # Errors
///
/// Those of [`Pdf::open`] and [`Pdf::content`].
pub(crate) fn pages_as_forms(pdf: &mut Pdf, bytes: Vec<u8>) -> Result<Vec<PageForm>> {
    let other = Pdf::open(bytes, None)?;
    let mut pages = Vec::new();
    for page in &other.pages {
        let resources = other.object(*page).map_or(Object::Null, |it| it.get("Resources").clone());
        pages.push((other.content(*page)?, other.page_box(*page), resources));
    }
    let by = pdf.absorb(other)?;
    let mut out = Vec::new();
    let mut known: Vec<Object> = Vec::new();
    for (content, rect, mut resources) in pages {
        shift(&mut resources, by);
        match known.iter().find(|it| pdf.resolve(it) == pdf.resolve(&resources)) {
            Some(same) => resources = same.clone(),
            None if known.len() < MAX_SHARED => known.push(resources.clone()),
            None => {}
        }
        let dict = Dict::new()
            .with("Type", Object::name("XObject"))
            .with("Subtype", Object::name("Form"))
            .with("BBox", Object::numbers(&rect))
            .with("Matrix", Object::numbers(&[1.0, 0.0, 0.0, 1.0, -rect[0], -rect[1]]))
            .with("Resources", resources.clone());
        let number = pdf.add(Stream::deflated(dict, &content));
        out.push(PageForm { number, rect, content, resources });
    }
    Ok(out)
}
