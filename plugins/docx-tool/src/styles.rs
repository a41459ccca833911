//! Styles by name.

use crate::error::Result;
use crate::package::Package;
use crate::xml::{Id, Tree};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub(crate) struct Style {
    pub(crate) id: String,
    pub(crate) name: String,
    /// `paragraph`, `character`, `table`, `numbering`.
    pub(crate) kind: String,
    based_on: Option<String>,
    /// Level of the outline from 0, if the style itself sets it.
    outline: Option<u8>,
    /// The list of the style itself, and the level in it.
    numbering: Option<(String, Option<usize>)>,
    /// Bold, italic, underlined, struck through, if the style itself says so.
    pub(crate) looks: [Option<bool>; 4],
}

/// Elements of the looks of a style in their order.
pub(crate) const LOOKS: [&str; 4] = ["b", "i", "u", "strike"];

/// Returns the looks that properties of a run set.
pub(crate) fn looks(tree: &Tree, properties: Id) -> [Option<bool>; 4] {
    LOOKS.map(|name| {
        let value = tree.attr(tree.child(properties, name)?, "val");
        Some(value.is_none_or(|it| !matches!(&*it, "0" | "false" | "off" | "none")))
    })
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Styles {
    list: Vec<Style>,
    by_id: BTreeMap<String, usize>,
    default_paragraph: Option<String>,
}

impl Styles {
    pub(crate) fn read(package: &mut Package) -> Result<Self> {
        let mut styles = Self::default();
        let Some(name) = package.related("styles")?.into_iter().next() else { return Ok(styles) };
        let Some(tree) = package.tree(&name)? else { return Ok(styles) };
        let Some(root) = tree.root() else { return Ok(styles) };
        for it in tree.elements(root).filter(|&it| tree.is(it, "style")).take(20_000) {
            let text = |name: &str| tree.attr(it, name).unwrap_or_default().into_owned();
            let id = text("styleId");
            let properties = tree.child(it, "pPr");
            let style = Style {
                name: tree.value(it, "name").map_or_else(|| id.clone(), |it| it.into_owned()),
                kind: text("type"),
                based_on: tree.value(it, "basedOn").map(|it| it.into_owned()),
                outline: properties
                    .and_then(|it| tree.value(it, "outlineLvl"))
                    .and_then(|it| it.parse().ok()),
                numbering: properties.and_then(|it| tree.child(it, "numPr")).map(|it| {
                    let id = tree.value(it, "numId").unwrap_or_default().into_owned();
                    (id, tree.value(it, "ilvl").and_then(|it| it.parse().ok()))
                }),
                looks: tree.child(it, "rPr").map_or([None; 4], |it| looks(tree, it)),
                id: id.clone(),
            };
            if style.kind == "paragraph" && matches!(text("default").as_str(), "1" | "true" | "on")
            {
                styles.default_paragraph = Some(id.clone());
            }
            styles.by_id.insert(id, styles.list.len());
            styles.list.push(style);
        }
        Ok(styles)
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Style> {
        self.by_id.get(id).map(|&at| &self.list[at])
    }

    pub(crate) fn default_paragraph(&self) -> Option<&str> {
        self.default_paragraph.as_deref()
    }

    /// Finds a style by its name or its id. Case and spaces do not count.
    ///
    /// # Errors
    /// One sentence with the styles that there are.
    pub(crate) fn find(&self, wanted: &str, kind: &str) -> Result<&Style, String> {
        let plain = |text: &str| -> String {
            text.chars().filter(|it| !it.is_whitespace()).flat_map(char::to_lowercase).collect()
        };
        let key = plain(wanted);
        let of_kind = || self.list.iter().filter(|it| it.kind == kind);
        of_kind()
            .find(|it| plain(&it.name) == key)
            .or_else(|| of_kind().find(|it| plain(&it.id) == key))
            .ok_or_else(|| {
                let names: Vec<String> =
                    of_kind().take(60).map(|it| format!("`{}`", it.name)).collect();
                if names.is_empty() {
                    format!("there is no style `{wanted}`; the document has none")
                } else {
                    format!("there is no style `{wanted}`; there are {}", names.join(", "))
                }
            })
    }

    /// Follows the styles that a style is based on.
    fn chain(&self, id: &str) -> impl Iterator<Item = &Style> {
        let mut next = self.get(id);
        let mut left = 20;
        std::iter::from_fn(move || {
            let style = next?;
            left -= 1;
            next = style.based_on.as_deref().filter(|_| left > 0).and_then(|it| self.get(it));
            Some(style)
        })
    }

    /// Returns the level of a heading, from 1, of paragraphs in a style.
    pub(crate) fn heading_level(&self, id: &str) -> Option<u8> {
        self.chain(id).find_map(|style| {
            let by_name = style
                .name
                .to_lowercase()
                .strip_prefix("heading ")
                .and_then(|it| it.parse::<u8>().ok())
                .filter(|it| (1..=9).contains(it));
            by_name.or(style.outline.filter(|it| *it < 9).map(|it| it + 1))
        })
    }

    /// Returns the level of a paragraph in the outline, from 1; `None` if it is no heading.
    pub(crate) fn heading_of(&self, tree: &Tree, paragraph: Id) -> Option<u8> {
        let properties = tree.child(paragraph, "pPr")?;
        let own = tree.value(properties, "outlineLvl").and_then(|it| it.parse::<u8>().ok());
        match own {
            Some(level) => (level < 9).then_some(level + 1),
            None => self.heading_level(&tree.value(properties, "pStyle")?),
        }
    }

    /// Returns `true` if paragraphs in a style are items of a list.
    pub(crate) fn is_list(&self, id: &str) -> bool {
        self.chain(id).any(|style| style.numbering.is_some())
    }

    /// Returns the list that paragraphs in a style belong to, and their level if the style sets it.
    pub(crate) fn numbering(&self, id: &str) -> Option<(String, Option<usize>)> {
        let mut level = None;
        for style in self.chain(id) {
            if let Some((list, own)) = &style.numbering {
                level = level.or(*own);
                if !list.is_empty() {
                    return Some((list.clone(), level));
                }
            }
        }
        None
    }

    /// Returns the looks of a style with those that it is based on.
    pub(crate) fn looks(&self, id: &str) -> [Option<bool>; 4] {
        let mut out = [None; 4];
        for style in self.chain(id) {
            for (out, own) in out.iter_mut().zip(style.looks) {
                *out = out.or(own);
            }
        }
        out
    }
}
