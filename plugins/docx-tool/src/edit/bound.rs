//! Data of a document that content controls are filled from: parts of custom XML, and the properties of the document.

use crate::error::Result;
use crate::package::{Package, resolve};
use crate::xml::{Id, Kind, Tree};

/// Most parts of custom XML that are searched.
const MAX_PARTS: usize = 200;

/// Sets the element that a binding names. Returns `false` if it is not found.
///
/// `path` is an XPath of plain steps, such as `/ns0:root[1]/ns0:name[1]`; `store` is the id of the part, such as
/// `{6C3C8BC8-…}`, or empty for any.
pub(super) fn set(package: &mut Package, path: &str, store: &str, value: &str) -> Result<bool> {
    let Some(steps) = steps(path) else { return Ok(false) };
    for name in parts(package, store)? {
        let Some(tree) = package.tree(&name)? else { continue };
        let Some(found) = find(tree, &steps) else { continue };
        // An element with elements in it has no text of its own.
        if tree.elements(found.0).next().is_some() && found.1.is_none() {
            return Ok(false);
        }
        match found.1 {
            Some(attribute) => tree.set_attr(found.0, &attribute, value),
            None => tree.set_text(found.0, value),
        }
        return Ok(true);
    }
    Ok(false)
}

/// A step of a path: a local name and an index from 1.
struct Step {
    name: String,
    index: usize,
    is_attribute: bool,
}

fn steps(path: &str) -> Option<Vec<Step>> {
    let path = path.trim().strip_prefix('/')?;
    path.split('/')
        .map(|step| {
            let (name, index) = match step.split_once('[') {
                Some((name, rest)) => (name, rest.strip_suffix(']')?.trim().parse().ok()?),
                None => (step, 1),
            };
            let is_attribute = name.starts_with('@');
            let name = name.trim_start_matches('@').rsplit(':').next()?;
            let is_name = !name.is_empty()
                && name.chars().all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.'));
            is_name.then(|| Step { name: name.to_owned(), index, is_attribute })
        })
        .collect()
}

/// Finds an element, or an element and the name of its attribute.
fn find(tree: &Tree, steps: &[Step]) -> Option<(Id, Option<String>)> {
    let mut at = crate::xml::DOCUMENT;
    for step in steps {
        if step.is_attribute {
            let mut names = tree.attrs(at).map(|it| it.0);
            let found = names.find(|it| it.rsplit(':').next() == Some(&step.name))?;
            return Some((at, Some(found.to_owned())));
        }
        let mut same = tree
            .children(at)
            .filter(|&it| tree.kind(it) == Kind::Element && tree.local(it) == step.name);
        at = same.nth(step.index.checked_sub(1)?)?;
    }
    Some((at, None))
}

/// Returns the parts that a binding may mean.
fn parts(package: &mut Package, store: &str) -> Result<Vec<String>> {
    let plain = |text: &str| text.trim_matches(['{', '}', ' ']).to_ascii_uppercase();
    let wanted = plain(store);
    // Ids that Word has for the properties of every document.
    let known = match wanted.as_str() {
        "6C3C8BC8-F283-45AE-878A-BAB7291924A1" => Some("core-properties"),
        "6668398D-A668-4E3E-A5EB-62B293D839F1" => Some("extended-properties"),
        _ => None,
    };
    if let Some(kind) = known {
        let relations = package.relations("")?.into_iter().filter(|it| it.kind == kind);
        return Ok(relations.map(|it| resolve("", &it.target)).collect());
    }
    let mut out = Vec::new();
    for name in package.related("customXml")?.into_iter().take(MAX_PARTS) {
        let relations = package.relations(&name)?.into_iter();
        let properties = relations.filter(|it| it.kind == "customXmlProps").take(1);
        let mut id = None;
        for relation in properties {
            if let Some(tree) = package.tree(&resolve(&name, &relation.target))? {
                let root = tree.root();
                id = root.and_then(|it| tree.attr(it, "itemID")).map(|it| plain(&it));
            }
        }
        if wanted.is_empty() || id.as_deref() == Some(&wanted) {
            out.push(name);
        }
    }
    Ok(out)
}
