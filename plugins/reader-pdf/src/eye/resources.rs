//! Finds what the names in operators stand for.

use unpdf::parser::backend::ResourceScope;
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

/// The deepest tree of pages from which a page inherits. The library has the same limit.
const MAX_TREE: usize = 64;

/// Returns the value of a key, with references followed.
pub(crate) fn get<'a>(
    document: &'a RawDocument,
    dict: &'a PdfDict,
    key: &[u8],
) -> Option<&'a PdfObject> {
    dict_get(dict, key).map(|value| document.resolve(value))
}

/// Returns a dictionary, or the dictionary of a stream.
pub(crate) fn as_dict(object: &PdfObject) -> Option<&PdfDict> {
    match object {
        PdfObject::Dict(dict) => Some(dict),
        PdfObject::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

/// Returns the value of a name. It is looked up in the resources of the form, of the page, and of the nodes above the
/// page.
pub(crate) fn find<'a>(
    document: &'a RawDocument,
    scope: ResourceScope,
    category: &[u8],
    name: &[u8],
) -> Option<&'a PdfObject> {
    let named = |dict: &'a PdfDict| {
        let resources = as_dict(get(document, dict, b"Resources")?)?;
        dict_get(as_dict(get(document, resources, category)?)?, name)
    };
    let form = scope.form.and_then(|form| document.get_dict(form).ok());
    if let Some(found) = form.and_then(named) {
        return Some(found);
    }
    let mut node = document.get_dict(scope.page).ok();
    for _ in 0..MAX_TREE {
        let dict = node?;
        if let Some(found) = named(dict) {
            return Some(found);
        }
        let parent = dict_get(dict, b"Parent").and_then(PdfObject::as_reference);
        node = parent.and_then(|id| document.get_dict(id).ok());
    }
    None
}

/// Returns the numbers of an array.
pub(crate) fn numbers(document: &RawDocument, object: &PdfObject) -> Option<Vec<f32>> {
    let items = document.resolve(object).as_array()?;
    items.iter().map(|item| document.resolve(item).as_f32()).collect()
}
