//! Reads styles: bold runs, titles, list formats.

use super::lists::{Levels, levels};
use crate::xml::Node;
use office_oxide::ir::VerticalAlign;
use std::collections::HashMap;

/// Longest chain of parent styles.
const MAX_PARENTS: usize = 30;

/// Text properties; `None` if the style does not say.
#[derive(Clone, Default)]
pub(crate) struct TextProperties {
    pub(crate) bold: Option<bool>,
    pub(crate) italic: Option<bool>,
    pub(crate) strikethrough: Option<bool>,
    pub(crate) hidden: Option<bool>,
    pub(crate) position: Option<VerticalAlign>,
}

#[derive(Default)]
struct Style {
    /// Display name.
    display_name: String,
    parent: Option<String>,
    look: TextProperties,
    list: Option<String>,
    is_hidden_slide: bool,
}

#[derive(Default)]
pub(crate) struct Styles {
    /// Styles by family and name.
    styles: HashMap<(String, String), Style>,
    /// Levels by the names of list styles.
    lists: HashMap<String, Levels>,
    /// Name of the outline style, and its levels.
    pub(crate) headings: Option<(String, Levels)>,
}

impl Styles {
    /// Reads the styles below these roots. Later ones override earlier ones.
    pub(crate) fn of<'a>(roots: impl Iterator<Item = &'a Node>) -> Self {
        let mut styles = Self::default();
        for root in roots {
            for group in root.nodes().filter(|node| node.name.ends_with("styles")) {
                for node in group.nodes() {
                    match node.name.as_str() {
                        "style" => styles.add(node),
                        "list-style" => styles.add_list(node),
                        "outline-style" => {
                            let name = node.attribute("name").unwrap_or("Outline").to_owned();
                            // Headings without a format have no number.
                            let levels = levels(node).map(|level| Some(level.unwrap_or_default()));
                            styles.headings = Some((name, levels));
                        }
                        _ => {}
                    }
                }
            }
        }
        styles
    }

    fn add(&mut self, node: &Node) {
        let text = |name: &str| node.attribute(name).map(str::to_owned);
        let (Some(name), Some(family)) = (text("name"), text("family")) else { return };
        let display_name = text("display-name").unwrap_or_else(|| name.clone());
        let is_hidden_slide = node
            .child("drawing-page-properties")
            .is_some_and(|page| page.attribute("visibility") == Some("hidden"));
        let style = Style {
            display_name,
            parent: text("parent-style-name"),
            look: node.child("text-properties").map(look).unwrap_or_default(),
            list: text("list-style-name"),
            is_hidden_slide,
        };
        self.styles.insert((family, name), style);
    }

    fn add_list(&mut self, node: &Node) {
        if let Some(name) = node.attribute("name") {
            self.lists.insert(name.to_owned(), levels(node));
        }
    }

    /// Returns a style and its parents.
    fn chain<'a>(&'a self, family: &'a str, name: Option<&str>) -> impl Iterator<Item = &'a Style> {
        let find = move |name: &str| self.styles.get(&(family.to_owned(), name.to_owned()));
        let first = name.and_then(find);
        std::iter::successors(first, move |style| find(style.parent.as_deref()?)).take(MAX_PARENTS)
    }

    /// Returns the text properties of a style.
    pub(crate) fn look(&self, family: &str, name: Option<&str>) -> TextProperties {
        let mut look = TextProperties::default();
        for style in self.chain(family, name) {
            let found = &style.look;
            look.bold = look.bold.or(found.bold);
            look.italic = look.italic.or(found.italic);
            look.strikethrough = look.strikethrough.or(found.strikethrough);
            look.hidden = look.hidden.or(found.hidden);
            look.position = look.position.or_else(|| found.position.clone());
        }
        look
    }

    /// Returns the style name of a title or a caption; `None` for other paragraphs.
    pub(crate) fn role(&self, name: Option<&str>) -> Option<String> {
        const TITLES: [&str; 4] = ["Title", "标题", "標題", "Titel"];
        const CAPTIONS: [&str; 5] = ["Caption", "Table", "Illustration", "题注", "Beschriftung"];
        let names = self.chain("paragraph", name).map(|style| style.display_name.as_str());
        let mut names = names.chain(name);
        names.find_map(|name| match name {
            _ if TITLES.contains(&name) => Some("Title".to_owned()),
            _ if CAPTIONS.contains(&name) => Some("Caption".to_owned()),
            _ => None,
        })
    }

    /// Returns the levels of a list style.
    pub(crate) fn levels(&self, list: Option<&str>) -> Option<&Levels> {
        let list = list?;
        let own = self.lists.get(list);
        own.or_else(|| self.headings.as_ref().filter(|(name, _)| name == list).map(|(_, it)| it))
    }

    /// Returns the list style of a paragraph style.
    pub(crate) fn list_of(&self, paragraph: Option<&str>) -> Option<String> {
        self.chain("paragraph", paragraph).find_map(|style| style.list.clone())
    }

    pub(crate) fn is_hidden_slide(&self, name: Option<&str>) -> bool {
        self.chain("drawing-page", name).any(|style| style.is_hidden_slide)
    }
}

fn look(properties: &Node) -> TextProperties {
    let text = |name: &str| properties.attribute(name);
    TextProperties {
        bold: text("font-weight").map(|weight| {
            weight == "bold" || weight.parse().is_ok_and(|weight: u32| weight >= 600)
        }),
        italic: text("font-style").map(|style| style != "normal"),
        strikethrough: text("text-line-through-style").map(|style| style != "none"),
        hidden: text("display").map(|display| display == "none"),
        position: text("text-position").map(|position| match position.split(' ').next() {
            Some("super") => VerticalAlign::Superscript,
            Some("sub") => VerticalAlign::Subscript,
            Some(raised) if raised.starts_with('-') => VerticalAlign::Subscript,
            Some("0%") | None => VerticalAlign::Baseline,
            Some(_) => VerticalAlign::Superscript,
        }),
    }
}
