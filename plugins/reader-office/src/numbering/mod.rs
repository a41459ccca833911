//! Counts the automatic numbers of paragraphs: `2.1`, `(a)`, `第三条`. They are not in the text, so they are counted here
//! as Word counts them.

mod format;

use crate::notes::Notes;
use crate::unseen::Why;
use crate::unseen::colour::Theme;
use crate::unseen::word_styles::Look;
use crate::xml::{self, Node};
use office_oxide::ir::{List, ListStyle};
use std::collections::{HashMap, HashSet};

/// Most levels of a list.
const LEVELS: usize = 9;

/// Longest chain of parent styles.
const MAX_STYLES: usize = 50;

/// Most characters of a number. A pattern can be any text, once per paragraph.
const MAX_LABEL: usize = 100;

#[derive(Debug, Clone, Default)]
struct Level {
    start: u32,
    format: String,
    pattern: String,
    /// Level, from 1, after whose numbers this one restarts. `None` for any earlier level, 0 for never.
    restart: Option<u32>,
    /// `true` if all numbers of the pattern are digits, whatever their levels say.
    is_legal: bool,
    style: Option<String>,
    /// Why its numbers are not seen.
    unseen: Option<Why>,
}

#[derive(Debug, Default)]
struct Definition {
    levels: [Option<Level>; LEVELS],
    /// Style whose list has the levels of this one.
    linked_style: Option<String>,
}

#[derive(Debug, Default)]
struct Instance {
    definition: String,
    starts: [Option<u32>; LEVELS],
    levels: [Option<Level>; LEVELS],
}

#[derive(Debug, Default)]
struct Style {
    parent: Option<String>,
    list: Option<String>,
    level: Option<usize>,
}

/// The lists of a document with their number formats.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    definitions: HashMap<String, Definition>,
    instances: HashMap<String, Instance>,
    styles: HashMap<String, Style>,
}

/// Counters of one text: the document, a header, the notes.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Last number of each level, by definition. Lists with the same definition share it.
    numbers: HashMap<String, [Option<u32>; LEVELS]>,
    /// Lists whose start values were applied.
    started_lists: HashSet<String>,
}

impl Numbering {
    /// Parses `numbering.xml` and `styles.xml`.
    pub(crate) fn parse(numbering: &str, styles: Option<&str>) -> Self {
        let mut out = Self::default();
        let Some(root) = xml::root(numbering) else { return out };
        for node in root.nodes() {
            match node.name.as_str() {
                "abstractNum" => {
                    let Some(id) = node.attribute("abstractNumId") else { continue };
                    let mut definition = Definition::default();
                    for level in node.nodes().filter(|inner| inner.name == "lvl") {
                        if let Some(index) = level_index(level) {
                            definition.levels[index] = Some(Level::parse(level));
                        }
                    }
                    definition.linked_style = node.value("numStyleLink").map(str::to_owned);
                    out.definitions.insert(id.to_owned(), definition);
                }
                "num" => {
                    let Some(id) = node.attribute("numId") else { continue };
                    out.instances.insert(id.to_owned(), Instance::parse(node));
                }
                _ => {}
            }
        }
        if let Some(root) = styles.and_then(xml::root) {
            for node in root.nodes().filter(|node| node.name == "style") {
                let Some(id) = node.attribute("styleId") else { continue };
                let list = node.child("pPr").and_then(|pr| pr.child("numPr"));
                out.styles.insert(
                    id.to_owned(),
                    Style {
                        parent: node.value("basedOn").map(str::to_owned),
                        list: list.and_then(|list| list.value("numId")).map(str::to_owned),
                        level: list.and_then(|list| level_of(list.value("ilvl"))),
                    },
                );
            }
        }
        out
    }

    /// Returns the number before a paragraph with these properties; `None` for a bullet or a paragraph without one. It
    /// is empty if people do not see it.
    pub(crate) fn label(
        &self,
        properties: &Node,
        counters: &mut Counters,
        notes: &mut Notes,
    ) -> Option<String> {
        // A paragraph whose mark was deleted continues in the next one.
        let mark = properties.child("rPr");
        if mark.is_some_and(|mark| mark.child("del").is_some() || mark.child("moveFrom").is_some())
        {
            return None;
        }
        let (list, level) = self.list_of(properties)?;
        let instance = self.instances.get(&list)?;
        let (key, definition) = self.definition(&instance.definition)?;
        let level_at =
            |index: usize| instance.levels[index].as_ref().or(definition.levels[index].as_ref());
        level_at(level)?;
        let start = |index: usize| {
            instance.starts[index].or_else(|| level_at(index).map(|level| level.start)).unwrap_or(1)
        };
        let numbers = counters.numbers.entry(key.to_owned()).or_default();
        if !counters.started_lists.contains(&list) {
            counters.started_lists.insert(list.clone());
            for (number, start) in numbers.iter_mut().zip(&instance.starts) {
                if start.is_some() {
                    *number = None;
                }
            }
        }
        numbers[level] = Some(match numbers[level] {
            Some(number) => number.saturating_add(1),
            None => start(level),
        });
        for (index, number) in numbers.iter_mut().enumerate() {
            if index < level {
                number.get_or_insert_with(|| start(index));
            } else if index > level {
                let restarts = match level_at(index).and_then(|level| level.restart) {
                    Some(after) => level < after as usize,
                    None => true,
                };
                if restarts {
                    *number = None;
                }
            }
        }
        let numbers = *numbers;
        let label = write(level, &numbers, level_at, notes);
        match (level_at(level).and_then(|level| level.unseen), label) {
            (Some(why), Some(label)) => {
                notes.unseen.add(why, &label, "numbers of paragraphs");
                notes.unseen.seen();
                // No number at all, or the library would write one.
                Some(String::new())
            }
            (_, label) => label,
        }
    }

    /// Returns the list and the level of a paragraph, from itself or from its style.
    fn list_of(&self, properties: &Node) -> Option<(String, usize)> {
        let own = properties.child("numPr");
        let own_list = own.and_then(|own| own.value("numId"));
        let own_level = own.and_then(|own| level_of(own.value("ilvl")));
        if own_list == Some("0") {
            return None;
        }
        if let Some(list) = own_list {
            return Some((list.to_owned(), own_level.unwrap_or(0)));
        }
        let mut style_id = properties.value("pStyle");
        for _ in 0..MAX_STYLES {
            let id = style_id?;
            let style = self.styles.get(id)?;
            if let Some(list) = &style.list {
                if list == "0" {
                    return None;
                }
                let level = own_level.or_else(|| self.level_of_style(list, id)).or(style.level);
                return Some((list.clone(), level.unwrap_or(0)));
            }
            style_id = style.parent.as_deref();
        }
        None
    }

    fn level_of_style(&self, list: &str, style: &str) -> Option<usize> {
        let (_, definition) = self.definition(&self.instances.get(list)?.definition)?;
        definition.levels.iter().position(|level| {
            level.as_ref().is_some_and(|level| level.style.as_deref() == Some(style))
        })
    }

    /// Returns the definition with this id or, if it has no levels, the one that its style leads to.
    fn definition<'a>(&'a self, id: &'a str) -> Option<(&'a str, &'a Definition)> {
        let definition = self.definitions.get(id)?;
        match &definition.linked_style {
            Some(style) if definition.levels.iter().all(Option::is_none) => {
                let list = self.styles.get(style)?.list.as_deref()?;
                let id = self.instances.get(list)?.definition.as_str();
                Some((id, self.definitions.get(id)?))
            }
            _ => Some((id, definition)),
        }
    }
}

/// Fills the numbers into the pattern of a level.
fn write<'a>(
    level: usize,
    numbers: &[Option<u32>; LEVELS],
    level_at: impl Fn(usize) -> Option<&'a Level>,
    notes: &mut Notes,
) -> Option<String> {
    let own = level_at(level)?;
    if own.format == "bullet" {
        return None;
    }
    let mut out = String::new();
    let mut characters = own.pattern.chars().peekable();
    while let Some(character) = characters.next() {
        let place = (character == '%')
            .then(|| characters.peek().and_then(|digit| digit.to_digit(10)))
            .flatten()
            .filter(|digit| (1..=LEVELS as u32).contains(digit));
        let Some(place) = place else {
            out.push(character);
            continue;
        };
        characters.next();
        let place = place as usize - 1;
        let Some(number) = numbers[place] else { continue };
        let format = match level_at(place) {
            Some(_) if own.is_legal && place != level => "decimal",
            Some(level) => level.format.as_str(),
            None => "decimal",
        };
        let format = if own.is_legal { "decimal" } else { format };
        out.push_str(&format::write(number, format).unwrap_or_else(|| {
            notes.unknown_format(format);
            number.to_string()
        }));
    }
    let out = mitt_reader_kit::single_line(&out.chars().take(MAX_LABEL).collect::<String>());
    (!out.is_empty()).then_some(out)
}

impl Level {
    fn parse(node: &Node) -> Self {
        // A format of Word 2010 is in an alternative beside the one for older programs.
        let format = node.child("numFmt").or_else(|| {
            node.child("AlternateContent")?
                .child("Choice")
                .and_then(|choice| choice.child("numFmt"))
        });
        let named = format.and_then(|format| format.attribute("val")).unwrap_or("decimal");
        let named = match (named, format.and_then(|format| format.attribute("format"))) {
            ("custom", Some(pattern)) => pattern,
            _ => named,
        };
        Self {
            start: node.value("start").and_then(|text| text.parse().ok()).unwrap_or(0),
            format: named.to_owned(),
            pattern: node.value("lvlText").unwrap_or_default().to_owned(),
            restart: node.value("lvlRestart").and_then(|text| text.parse().ok()),
            is_legal: node.is_on("isLgl"),
            style: node.value("pStyle").map(str::to_owned),
            unseen: node.child("rPr").and_then(|it| Look::read(it, &Theme::default()).always()),
        }
    }
}

impl Instance {
    fn parse(node: &Node) -> Self {
        let mut out = Self {
            definition: node.value("abstractNumId").unwrap_or_default().to_owned(),
            ..Self::default()
        };
        for change in node.nodes().filter(|inner| inner.name == "lvlOverride") {
            let Some(index) = level_index(change) else { continue };
            out.starts[index] = change.value("startOverride").and_then(|text| text.parse().ok());
            out.levels[index] = change.child("lvl").map(Level::parse);
        }
        out
    }
}

/// Returns a number in a format by its Word name; `None` if the format is unknown or has no text for the number.
pub(crate) fn number(number: u32, format: &str) -> Option<String> {
    format::write(number, format)
}

/// Returns the number of an item in a list that has only a number format.
pub(crate) fn of_list(list: &List, number: u64) -> String {
    let format = match list.style {
        Some(ListStyle::LowerRoman) => "lowerRoman",
        Some(ListStyle::UpperRoman) => "upperRoman",
        Some(ListStyle::LowerAlpha) => "lowerLetter",
        Some(ListStyle::UpperAlpha) => "upperLetter",
        _ => "decimal",
    };
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    let text = format::write(number, format).unwrap_or_else(|| number.to_string());
    match list.marker_pattern.as_deref().and_then(|pattern| pattern.split_once('%')) {
        // A pattern with several levels does not give the numbers of the other levels.
        Some((before, rest))
            if !rest.contains('%') && rest.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            mitt_reader_kit::single_line(&format!("{before}{text}{}", &rest[1..]))
        }
        _ => format!("{text}."),
    }
}

/// Returns whether Markdown has such a number for a list item.
pub(crate) fn is_markdown(label: &str) -> bool {
    label.strip_suffix(['.', ')']).is_some_and(|digits| {
        (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn level_index(node: &Node) -> Option<usize> {
    level_of(node.attribute("ilvl"))
}

fn level_of(text: Option<&str>) -> Option<usize> {
    text?.trim().parse().ok().filter(|level| *level < LEVELS)
}

#[cfg(test)]
mod tests;
