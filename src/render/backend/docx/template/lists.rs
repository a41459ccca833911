//! The numbered lists of a Word file, and lists that begin again.

use std::collections::BTreeMap;

use super::package::Package;
use super::tree::{Element, Node};
use mitt_base::{Error, ErrorKind, Result};

/// Most lists that begin again. Word reads some thirty thousand.
const MAX_RESTARTS: usize = 10_000;

/// Elements of a list that begins again: its definition, nine levels and their starts.
pub(super) const ELEMENTS: usize = 20;

/// Levels of a list.
const LEVELS: usize = 9;

/// Most styles that a style is based on.
const MAX_BASES: usize = 20;

/// Elements before the numbering in a paragraph's properties.
const BEFORE: [&str; 6] =
    ["w:pStyle", "w:keepNext", "w:keepLines", "w:pageBreakBefore", "w:framePr", "w:widowControl"];

/// The template's lists, and those that are added.
#[derive(Default)]
pub(super) struct Restarts {
    /// Definition and first numbers of each list.
    lists: BTreeMap<String, List>,
    /// The list and level of styles.
    styles: BTreeMap<String, (String, String)>,
    added: Vec<Element>,
    next: u64,
}

#[derive(Clone)]
struct List {
    definition: String,
    starts: Vec<String>,
}

/// What a style says about lists.
struct StyleList {
    number: Option<String>,
    level: Option<String>,
    /// The style on which it is based.
    base: Option<String>,
}

impl Restarts {
    /// Returns `true` if the file has no lists.
    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Reads the lists of a file.
    pub(super) fn of(package: &mut Package<'_>) -> Result<Restarts> {
        let mut all = Restarts::default();
        let Some(name) = package.part_of_kind("numbering")? else { return Ok(all) };
        let tree = package.tree(&name)?;
        let mut definitions: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let val = |element: &Element, name: &str| element.find(name)?.get("w:val");
        for element in tree.root.elements() {
            if element.is("w:abstractNum")
                && let Some(id) = element.get("w:abstractNumId")
            {
                let mut starts = vec!["1".to_owned(); LEVELS];
                for level in element.elements().filter(|it| it.is("w:lvl")) {
                    let at = level.get("w:ilvl").and_then(|it| it.parse::<usize>().ok());
                    if let Some(slot) = at.and_then(|at| starts.get_mut(at))
                        && let Some(start) = val(level, "w:start")
                    {
                        *slot = start;
                    }
                }
                definitions.insert(id, starts);
            } else if element.is("w:num")
                && let (Some(id), Some(definition)) =
                    (element.get("w:numId"), val(element, "w:abstractNumId"))
            {
                let mut starts = definitions.get(&definition).cloned().unwrap_or_default();
                for level in element.elements().filter(|it| it.is("w:lvlOverride")) {
                    let at = level.get("w:ilvl").and_then(|it| it.parse::<usize>().ok());
                    if let Some(slot) = at.and_then(|at| starts.get_mut(at))
                        && let Some(start) = val(level, "w:startOverride")
                    {
                        *slot = start;
                    }
                }
                all.next = all.next.max(id.parse().unwrap_or(0));
                all.lists.insert(id, List { definition, starts });
            }
        }
        if let Some(name) = package.part_of_kind("styles")? {
            all.read_styles(&package.tree(&name)?.root);
        }
        Ok(all)
    }

    fn read_styles(&mut self, root: &Element) {
        let mut own: BTreeMap<String, StyleList> = BTreeMap::new();
        for style in root.elements().filter(|it| it.is("w:style")) {
            let Some(id) = style.get("w:styleId") else { continue };
            let numbering = style.find("w:pPr").and_then(|it| it.find("w:numPr"));
            let val = |name: &str| numbering?.find(name)?.get("w:val");
            let base = style.find("w:basedOn").and_then(|it| it.get("w:val"));
            own.insert(id, StyleList { number: val("w:numId"), level: val("w:ilvl"), base });
        }
        for id in own.keys() {
            let (mut at, mut level) = (Some(id), None);
            for _ in 0..MAX_BASES {
                let Some(style) = at.and_then(|at| own.get(at)) else { break };
                level = level.or(style.level.as_ref());
                if let Some(number) = &style.number {
                    let level = level.map_or("0", String::as_str).to_owned();
                    self.styles.insert(id.clone(), (number.clone(), level));
                    break;
                }
                at = style.base.as_ref();
            }
        }
    }

    /// Writes the list of each paragraph into it that it has from its style, so that it keeps it with another style.
    pub(super) fn write_lists(&self, text: &mut Element) {
        if self.styles.is_empty() {
            return;
        }
        text.visit_mut(&mut |element| {
            if element.is("w:p")
                && let Some((number, level)) = self.list_of(element)
            {
                set_list(element, &number, &level);
            }
        });
    }

    /// Returns the list and level of a paragraph.
    pub(super) fn list_of(&self, paragraph: &Element) -> Option<(String, String)> {
        let properties = paragraph.find("w:pPr")?;
        let style = properties.find("w:pStyle").and_then(|it| it.get("w:val"));
        let by_style = style.and_then(|style| self.styles.get(&style).cloned());
        let Some(numbering) = properties.find("w:numPr") else { return by_style };
        let val = |name: &str| numbering.find(name)?.get("w:val");
        let number = val("w:numId").or_else(|| Some(by_style.as_ref()?.0.clone()))?;
        let level = val("w:ilvl").or_else(|| Some(by_style?.1)).unwrap_or_else(|| "0".to_owned());
        Some((number, level)).filter(|(number, _)| number != "0")
    }

    /// Adds a list that begins again, and returns its number; `None` for a list that does not exist.
    pub(super) fn add(&mut self, number: &str) -> Result<Option<String>> {
        let Some(list) = self.lists.get(number).cloned() else { return Ok(None) };
        if self.added.len() >= MAX_RESTARTS {
            let message = format!(
                "values: expected at most {MAX_RESTARTS} numbered lists that begin again, they make more"
            );
            return Err(Error::new(ErrorKind::Arguments, message).hint("give fewer items"));
        }
        self.next += 1;
        let new = self.next.to_string();
        let child = |name: &str, value: &str| {
            let mut element = Element::new(name, "");
            element.set("w:val", Some(value));
            Node::Element(element)
        };
        let mut element = Element::new("w:num", "");
        element.set("w:numId", Some(&new));
        element.children.push(child("w:abstractNumId", &list.definition));
        for (level, start) in list.starts.iter().enumerate() {
            let mut over = Element::new("w:lvlOverride", "");
            over.set("w:ilvl", Some(&level.to_string()));
            over.children.push(child("w:startOverride", start));
            element.children.push(Node::Element(over));
        }
        self.added.push(element);
        self.lists.insert(new.clone(), list);
        Ok(Some(new))
    }

    /// Writes the added lists.
    pub(super) fn finish(&mut self, package: &mut Package<'_>) -> Result<()> {
        let added = std::mem::take(&mut self.added);
        let name = if added.is_empty() { None } else { package.part_of_kind("numbering")? };
        let Some(name) = name else { return Ok(()) };
        let mut tree = package.tree(&name)?;
        let children = &mut tree.root.children;
        let is_end = |node: &Node| node.element().is_some_and(|it| it.is("w:numIdMacAtCleanup"));
        let at = children.iter().position(is_end).unwrap_or(children.len());
        children.splice(at..at, added.into_iter().map(Node::Element));
        package.set(&name, tree.to_xml().into_bytes());
        Ok(())
    }
}

/// Sets the list of a paragraph.
pub(super) fn set_list(paragraph: &mut Element, number: &str, level: &str) {
    let Some(properties) = paragraph.find_mut("w:pPr") else { return };
    let child = |name: &str, value: &str| {
        let mut element = Element::new(name, "");
        element.set("w:val", Some(value));
        Node::Element(element)
    };
    if let Some(numbering) = properties.find_mut("w:numPr") {
        match numbering.find_mut("w:numId") {
            Some(id) => id.set("w:val", Some(number)),
            None => numbering.children.push(child("w:numId", number)),
        }
        return;
    }
    let mut numbering = Element::new("w:numPr", "");
    numbering.children.push(child("w:ilvl", level));
    numbering.children.push(child("w:numId", number));
    let is_before =
        |node: &Node| node.element().is_some_and(|it| BEFORE.contains(&it.name.as_str()));
    let at = properties.children.iter().rposition(is_before).map_or(0, |at| at + 1);
    properties.children.insert(at, Node::Element(numbering));
}
