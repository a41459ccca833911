//! Properties of two documents in a form in which they can be compared: without prefixes, order and ids.

use crate::styles::Styles;
use crate::xml::{Id, Tree};

/// Deepest level of properties that is read.
const MAX_DEPTH: usize = 20;
/// What neither people nor layout see, what is compared in another way, and marks of changes.
const LEFT_OUT: &[&str] = &[
    "rPr",
    "sectPr",
    "ins",
    "del",
    "moveFrom",
    "moveTo",
    "cellIns",
    "cellDel",
    "cellMerge",
    "lang",
    "noProof",
    "cnfStyle",
    "tblLook",
    "headerReference",
    "footerReference",
];
/// Names of properties for people.
const NAMES: &[(&str, &str)] = &[
    ("b", "bold"),
    ("i", "italic"),
    ("u", "underline"),
    ("jc", "alignment"),
    ("ind", "indent"),
    ("sz", "size in half points"),
    ("rFonts", "font"),
    ("vertAlign", "vertical position"),
    ("shd", "shading"),
    ("pBdr", "border"),
    ("numPr", "list"),
    ("pageBreakBefore", "page break before"),
    ("keepNext", "keep with next"),
    ("outlineLvl", "outline level"),
    ("pgSz", "page size"),
    ("pgMar", "margins"),
    ("cols", "columns"),
    ("tblW", "width"),
    ("tcW", "width"),
    ("trHeight", "height"),
    ("tblBorders", "borders"),
    ("tcBorders", "borders"),
    ("rStyle", "character style"),
    ("pStyle", "style"),
    ("tblStyle", "table style"),
    ("basedOn", "based on"),
];

/// One property: its name in the schema, and all of it.
pub(super) type Property = (String, String);

/// What is known of the document that properties belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub(super) tree: &'a Tree,
    pub(super) styles: &'a Styles,
    /// `true` if numbers of lists mean the same in both documents.
    pub(super) same_numbering: bool,
}

impl Side<'_> {
    /// Returns the properties below an element, sorted.
    pub(super) fn properties(self, id: Option<Id>) -> Vec<Property> {
        let Some(id) = id else { return Vec::new() };
        let all = self.tree.elements(id);
        let all = all.filter(|&it| !LEFT_OUT.contains(&self.tree.name(it)));
        let mut out: Vec<Property> = all
            .filter_map(|it| Some((self.tree.name(it).to_owned(), self.element(it, 0)?)))
            .collect();
        out.sort();
        // Complex scripts have the property a second time.
        let doubles: Vec<String> = out.iter().map(|it| it.0.clone()).collect();
        out.retain(|(name, _)| {
            name.strip_suffix("Cs").is_none_or(|own| !doubles.iter().any(|it| it == own))
        });
        out
    }

    /// Writes an element; `None` for one that does not count.
    fn element(self, id: Id, depth: usize) -> Option<String> {
        let tree = self.tree;
        let name = tree.name(id);
        if name.is_empty() || name.ends_with("Change") || depth > MAX_DEPTH {
            return None;
        }
        let mut attributes: Vec<(String, String)> = tree
            .attrs(id)
            .map(|(name, value)| {
                (name.rsplit(':').next().unwrap_or(name).to_owned(), value.into_owned())
            })
            .filter(|(name, _)| !name.starts_with("rsid") && name != "hint" && name != "xmlns")
            .collect();
        // The value stands first.
        attributes.sort_by(|a, b| (a.0 != "val", a).cmp(&(b.0 != "val", b)));
        if let [(name, value)] = attributes.as_slice()
            && name == "val"
            && matches!(value.as_str(), "1" | "true" | "on")
        {
            attributes.clear();
        }
        if matches!(name, "pStyle" | "rStyle" | "tblStyle" | "basedOn") {
            for (_, value) in &mut attributes {
                if let Some(style) = self.styles.get(value) {
                    *value = style.name.clone();
                }
            }
        }
        let known = NAMES.iter().find(|it| it.0 == name);
        let mut out = known.map_or(name, |it| it.1).to_owned();
        for (attribute, value) in attributes {
            match attribute.as_str() {
                "val" => out.push_str(&format!(" {value}")),
                _ => out.push_str(&format!(" {attribute}={value}")),
            }
        }
        let mut inner: Vec<String> = tree
            .elements(id)
            .filter(|&it| self.same_numbering || !tree.is(it, "numId"))
            .filter_map(|it| self.element(it, depth + 1))
            .collect();
        if name != "tabs" && name != "tblGrid" {
            inner.sort();
        }
        if !inner.is_empty() {
            out.push_str(&format!(" ({})", inner.join(", ")));
        }
        Some(out)
    }
}

/// Returns what only the old and what only the new properties have, for people; `None` if they are the same.
pub(super) fn difference(old: &[Property], new: &[Property]) -> Option<(String, String)> {
    if old == new {
        return None;
    }
    let only = |these: &[Property], others: &[Property]| -> String {
        let own: Vec<&str> =
            these.iter().filter(|it| !others.contains(it)).map(|it| it.1.as_str()).collect();
        if own.is_empty() { "not set".to_owned() } else { own.join(", ") }
    };
    Some((only(old, new), only(new, old)))
}
