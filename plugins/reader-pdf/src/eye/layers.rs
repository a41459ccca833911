//! Follows the layers that a document shows or hides (ISO 32000-1, 8.11).

use super::resources::{as_dict, get};
use std::collections::BTreeMap;
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

type Id = (u32, u16);

/// The most layers of a document.
const MAX_LAYERS: usize = 100_000;

/// The deepest nesting of an expression over layers.
const MAX_DEPTH: usize = 16;

/// Which layers are on when the document is opened.
#[derive(Default)]
pub(crate) struct Layers {
    is_on: BTreeMap<Id, bool>,
    /// `true` if all other layers are off.
    others_off: bool,
}

impl Layers {
    pub(crate) fn of(document: &RawDocument) -> Layers {
        let mut layers = Layers::default();
        let properties = document.catalog().ok();
        let properties = properties.and_then(|it| as_dict(get(document, it, b"OCProperties")?));
        let Some(config) =
            properties.and_then(|properties| as_dict(get(document, properties, b"D")?))
        else {
            return layers;
        };
        let base = get(document, config, b"BaseState").and_then(PdfObject::as_name);
        layers.others_off = base == Some(b"OFF");
        for (key, is_on) in [(&b"ON"[..], true), (b"OFF", false)] {
            let named = get(document, config, key).and_then(PdfObject::as_array);
            for id in named.unwrap_or_default().iter().filter_map(PdfObject::as_reference) {
                if layers.is_on.len() < MAX_LAYERS {
                    layers.is_on.insert(id, is_on);
                }
            }
        }
        layers
    }

    /// Returns whether `owner`, which is a layer or a rule over layers, is hidden.
    pub(crate) fn is_off(&self, document: &RawDocument, owner: &PdfObject) -> bool {
        !self.is_shown(document, owner)
    }

    fn is_shown(&self, document: &RawDocument, owner: &PdfObject) -> bool {
        let Some(dict) = as_dict(document.resolve(owner)) else { return true };
        if get(document, dict, b"Type").and_then(PdfObject::as_name) == Some(b"OCMD") {
            return self.rule(document, dict);
        }
        owner.as_reference().is_none_or(|id| self.is_layer_on(id))
    }

    fn is_layer_on(&self, id: Id) -> bool {
        self.is_on.get(&id).copied().unwrap_or(!self.others_off)
    }

    fn rule(&self, document: &RawDocument, dict: &PdfDict) -> bool {
        if let Some(expression) = get(document, dict, b"VE").and_then(PdfObject::as_array) {
            return self.expression(document, expression, 0).unwrap_or(true);
        }
        let Some(of) = dict_get(dict, b"OCGs") else { return true };
        let of: Vec<&PdfObject> = match (of.as_reference(), document.resolve(of)) {
            (_, PdfObject::Array(items)) => items.iter().collect(),
            (Some(_), PdfObject::Dict(_)) => vec![of],
            _ => Vec::new(),
        };
        let states: Vec<bool> = of
            .into_iter()
            .filter_map(PdfObject::as_reference)
            .map(|id| self.is_layer_on(id))
            .collect();
        if states.is_empty() {
            return true;
        }
        let mut states = states.into_iter();
        match get(document, dict, b"P").and_then(PdfObject::as_name) {
            Some(b"AllOn") => states.all(|is_on| is_on),
            Some(b"AnyOff") => states.any(|is_on| !is_on),
            Some(b"AllOff") => states.all(|is_on| !is_on),
            _ => states.any(|is_on| is_on),
        }
    }

    fn expression(
        &self,
        document: &RawDocument,
        items: &[PdfObject],
        depth: usize,
    ) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        let (operator, of) = items.split_first()?;
        let mut values = of.iter().map(|item| match document.resolve(item) {
            PdfObject::Array(inner) => self.expression(document, inner, depth + 1),
            _ => item.as_reference().map(|id| self.is_layer_on(id)),
        });
        match document.resolve(operator).as_name()? {
            b"And" => values.try_fold(true, |all, value| Some(all && value?)),
            b"Or" => values.try_fold(false, |any, value| Some(any || value?)),
            b"Not" => values.next()?.map(|value| !value),
            _ => None,
        }
    }
}
