//! Takes objects of one document into another.

use crate::error::{Error, Result};
use crate::file::Pdf;
use crate::object::{Dict, Object, Stream};

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
        if by.saturating_add(other.objects.keys().next_back().copied().unwrap_or(0)) > MAX_OBJECTS {
            return Err(Error::Malformed(
                "the documents have too many objects together".to_owned(),
            ));
        }
        for (number, mut value) in other.objects {
            shift(&mut value, by);
            self.objects.insert(number + by, value);
        }
        Ok(by)
    }
}

/// Opens a document and takes its pages as forms. Returns their numbers and boxes.
///
/// # Errors
///
/// Those of [`Pdf::open`] and [`Pdf::content`].
pub(crate) fn pages_as_forms(pdf: &mut Pdf, bytes: Vec<u8>) -> Result<Vec<(u32, [f64; 4])>> {
    let other = Pdf::open(bytes, None)?;
    let mut forms = Vec::new();
    for page in &other.pages {
        let resources = other.object(*page).map_or(Object::Null, |it| it.get("Resources").clone());
        forms.push((other.content(*page)?, other.page_box(*page), resources));
    }
    let by = pdf.absorb(other)?;
    let mut out = Vec::new();
    for (content, rect, mut resources) in forms {
        shift(&mut resources, by);
        let dict = Dict::new()
            .with("Type", Object::name("XObject"))
            .with("Subtype", Object::name("Form"))
            .with("BBox", Object::numbers(&rect))
            .with("Matrix", Object::numbers(&[1.0, 0.0, 0.0, 1.0, -rect[0], -rect[1]]))
            .with("Resources", resources);
        out.push((pdf.add(Stream::deflated(dict, &content)), rect));
    }
    Ok(out)
}
