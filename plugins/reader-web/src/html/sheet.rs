//! Applies the style sheets in a page, as far as they decide whether text is visible.
//!
//! Knows tags, classes, ids, attributes, nesting, and which rule wins. Fetches no files and runs no scripts. States
//! such as `:hover` never match.

use super::tree::{Element, Id, Tree};
use std::collections::HashMap;

/// Most bytes of style sheets, most rules, and most steps of matching rules with elements. A page can have 100 000 of
/// both.
const MAX_BYTES: usize = 4 << 20;
const MAX_RULES: usize = 50_000;
const MAX_COMPARED: usize = 10_000_000;

/// Most bytes of a selector. A selector with a million classes would be compared class by class.
const MAX_SELECTOR: usize = 1_000;

/// Deepest nesting of blocks, such as `@media`.
const MAX_DEPTH: usize = 8;

/// Width of the screen, in pixels. Queries for other features do not match.
const SCREEN_WIDTH: f64 = 1280.0;

/// Properties that decide whether text is visible.
pub(super) const PROPERTIES: [&str; 21] = [
    "display",
    "visibility",
    "opacity",
    "font-size",
    "text-indent",
    "position",
    "left",
    "top",
    "right",
    "width",
    "height",
    "max-height",
    "overflow",
    "clip",
    "clip-path",
    "transform",
    "color",
    "background-color",
    "background",
    "animation",
    "animation-name",
];

/// All relevant rules of a page.
#[derive(Default)]
pub(super) struct Sheet {
    rules: Vec<Rule>,
    /// Rules by what the element itself must have: its id, else a class, else its name.
    by_key: HashMap<String, Vec<usize>>,
    compared: usize,
    /// `true` if the style sheets have more than is read.
    pub(super) is_too_large: bool,
}

struct Rule {
    selector: Selector,
    /// Index, value in lower case, and `!important` of each property.
    values: Vec<(usize, String, bool)>,
}

/// Parts of a selector: the element itself first, then those around it.
struct Selector {
    parts: Vec<(Part, Reach)>,
    /// Specificity: a greater number wins.
    weight: u64,
}

/// Where the next part is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Parent,
    Above,
}

#[derive(Default)]
struct Part {
    name: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
    attributes: Vec<(String, Option<String>)>,
}

/// Winning values for an element, by index of the property.
pub(super) type Values<'a> = [Option<&'a str>; PROPERTIES.len()];

impl Sheet {
    /// Reads the text of a `<style>` for `media`.
    pub(super) fn add(&mut self, css: &str, media: &str) {
        let css = match css.char_indices().nth(MAX_BYTES) {
            Some((end, _)) => {
                self.is_too_large = true;
                css.get(..end).unwrap_or_default()
            }
            None => css,
        };
        if is_for_screens(media) {
            self.block(&without_comments(css), 0);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    fn block(&mut self, css: &str, depth: usize) {
        let mut rest = css;
        while let Some(open) = rest.find(['{', ';']) {
            let (prelude, after) = rest.split_at(open);
            if after.starts_with(';') {
                // `@import`, `@charset`.
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            let (body, next) = braced(after);
            rest = next;
            let prelude = prelude.trim();
            let Some(at) = prelude.strip_prefix('@') else {
                self.rule(prelude, body);
                continue;
            };
            let (kind, of) = at.split_once([' ', '(']).unwrap_or((at, ""));
            let of = at.get(kind.len()..).unwrap_or(of);
            let is_taken = match kind.to_ascii_lowercase().as_str() {
                "media" => is_for_screens(of),
                "layer" => true,
                "supports" => !of.contains("not"),
                _ => false,
            };
            if is_taken && depth < MAX_DEPTH {
                self.block(body, depth + 1);
            }
        }
    }

    fn rule(&mut self, selectors: &str, body: &str) {
        let values = values(body);
        if values.is_empty() {
            return;
        }
        let shows = values.iter().any(|(number, value, _)| match PROPERTIES.get(*number) {
            Some(&"display") => value != "none",
            Some(&"visibility") => value == "visible",
            Some(&"opacity") => super::sight::number(value).is_some_and(|it| it > 0.0),
            _ => false,
        });
        for selector in split(selectors, ',') {
            if self.rules.len() >= MAX_RULES {
                self.is_too_large = true;
                return;
            }
            let Some(selector) = Selector::parse(selector, shows) else { continue };
            let Some((part, _)) = selector.parts.first() else { continue };
            let key = match (&part.id, part.classes.first(), &part.name) {
                (Some(id), _, _) => format!("#{id}"),
                (None, Some(class), _) => format!(".{class}"),
                (None, None, Some(name)) => name.clone(),
                (None, None, None) => "*".into(),
            };
            self.by_key.entry(key).or_default().push(self.rules.len());
            self.rules.push(Rule { selector, values: values.clone() });
        }
    }

    /// Returns the values of the properties of an element. `html` is the root element.
    pub(super) fn values(&mut self, tree: &Tree, html: &Element, id: Id) -> Values<'_> {
        let mut winners = [None; PROPERTIES.len()];
        let mut weights = [(false, 0_u64, 0_usize); PROPERTIES.len()];
        let Some(element) = tree.element(id) else { return winners };
        let mut keys = vec!["*".to_owned(), element.name.clone()];
        keys.extend(element.attribute("id").map(|it| format!("#{}", it.trim())));
        let classes = element.attribute("class").unwrap_or_default().split_ascii_whitespace();
        keys.extend(classes.map(|it| format!(".{it}")));
        for number in keys.iter().filter_map(|it| self.by_key.get(it)).flatten() {
            if self.compared > MAX_COMPARED {
                self.is_too_large = true;
                break;
            }
            let Some(rule) = self.rules.get(*number) else { continue };
            if !rule.selector.fits(tree, html, id, &mut self.compared) {
                continue;
            }
            for (property, value, is_important) in &rule.values {
                let weight = (*is_important, rule.selector.weight, number + 1);
                if let Some(place) = weights.get_mut(*property)
                    && *place < weight
                {
                    *place = weight;
                    if let Some(winner) = winners.get_mut(*property) {
                        *winner = Some(value.as_str());
                    }
                }
            }
        }
        winners
    }
}

impl Selector {
    /// Parses a selector; `None` if it is not supported. With `shows`, the rule makes something visible, and may match
    /// more than it says.
    fn parse(text: &str, shows: bool) -> Option<Selector> {
        if text.len() > MAX_SELECTOR {
            return None;
        }
        let mut parts: Vec<(Part, Reach)> = Vec::new();
        let mut weight = 0;
        let mut part = Part::default();
        let mut is_begun = false;
        let mut reach = Reach::Above;
        let mut rest = text.trim();
        while let Some(first) = rest.chars().next() {
            let after = rest.get(first.len_utf8()..).unwrap_or_default();
            match first {
                '.' | '#' => {
                    let (name, next) = word(after)?;
                    rest = next;
                    if first == '.' {
                        part.classes.push(name);
                        weight += 1 << 10;
                    } else {
                        part.id = Some(name);
                        weight += 1 << 20;
                    }
                }
                '[' => {
                    let (attribute, next) = after.split_once(']')?;
                    rest = next;
                    part.attributes.push(attribute_of(attribute)?);
                    weight += 1 << 10;
                }
                ':' => rest = state(after, shows)?,
                '*' => rest = after,
                ' ' | '\t' | '\n' | '\r' | '>' => {
                    let next = rest.trim_start();
                    let (is_child, next) = match next.strip_prefix('>') {
                        Some(next) => (true, next.trim_start()),
                        None => (false, next),
                    };
                    if !is_begun || next.is_empty() {
                        return None;
                    }
                    parts.push((std::mem::take(&mut part), reach));
                    reach = if is_child { Reach::Parent } else { Reach::Above };
                    is_begun = false;
                    rest = next;
                    continue;
                }
                _ => {
                    let (name, next) = word(rest)?;
                    rest = next;
                    part.name = Some(name.to_ascii_lowercase());
                    weight += 1;
                }
            }
            is_begun = true;
        }
        if !is_begun {
            return None;
        }
        parts.push((part, reach));
        // Each part has its relation to the part before it, which is the next one outwards.
        parts.reverse();
        Some(Selector { parts, weight })
    }

    /// Returns whether an element matches. Each element around it is tried once, from the nearest on. A match that
    /// needs backtracking, as in `a > b c`, is missed. Adds the number of steps to `compared`, because one rule may
    /// look at all elements around, and at thousands of classes of each.
    fn fits(&self, tree: &Tree, html: &Element, id: Id, compared: &mut usize) -> bool {
        let mut parts = self.parts.iter();
        let Some((part, reach)) = parts.next() else { return false };
        let mut reach = *reach;
        if !tree.element(id).is_some_and(|it| part.fits(it, compared)) {
            return false;
        }
        // The body is node 0, and only `html` is around it.
        let mut at = Some(id);
        for (part, next) in parts {
            loop {
                let Some(inner) = at else { return false };
                at = (inner != 0).then(|| tree.parent(inner));
                let outer = at.and_then(|it| tree.element(it)).unwrap_or(html);
                if part.fits(outer, compared) {
                    break;
                }
                if reach == Reach::Parent || at.is_none() {
                    return false;
                }
            }
            reach = *next;
        }
        true
    }
}

impl Part {
    fn fits(&self, element: &Element, compared: &mut usize) -> bool {
        *compared += 1;
        let classes = element.attribute("class").unwrap_or_default();
        if !self.classes.is_empty() {
            *compared += classes.len() / 64;
        }
        let has_class = |class: &String| classes.split_ascii_whitespace().any(|it| it == class);
        self.name.as_ref().is_none_or(|it| *it == element.name)
            && self.id.as_ref().is_none_or(|it| element.attribute("id") == Some(it))
            && self.classes.iter().all(has_class)
            && self.attributes.iter().all(|(name, value)| match (element.attribute(name), value) {
                (Some(found), Some(value)) => found == value,
                (found, None) => found.is_some(),
                (None, Some(_)) => false,
            })
    }
}

/// Parses `name`, `name=value`, `name="value"`; `None` for matches of a part of the value.
fn attribute_of(text: &str) -> Option<(String, Option<String>)> {
    let Some((name, value)) = text.split_once('=') else {
        return Some((text.trim().to_ascii_lowercase(), None));
    };
    let name = name.trim();
    if name.ends_with(['~', '|', '^', '$', '*']) {
        return None;
    }
    let value = value.trim().trim_matches(['"', '\'']);
    Some((name.to_ascii_lowercase(), Some(value.to_owned())))
}

/// Returns the text after a pseudo-class; `None` if the pseudo-class is not supported.
fn state(text: &str, shows: bool) -> Option<&str> {
    let (name, rest) = word(text)?;
    let rest = match rest.strip_prefix('(') {
        Some(inside) => {
            let mut depth = 1;
            let end = inside.find(|it| {
                depth += i32::from(it == '(') - i32::from(it == ')');
                depth == 0
            })?;
            inside.get(end + 1..)?
        }
        None => rest,
    };
    let is_place = name.starts_with("first-")
        || name.starts_with("last-")
        || name.starts_with("nth-")
        || name.starts_with("only-")
        || matches!(name.as_str(), "not" | "is" | "where" | "has");
    (name == "root" || shows && is_place).then_some(rest)
}

/// Returns the name at the start, and the text after it.
fn word(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => name.push(characters.next()?.1),
            '-' | '_' => name.push(character),
            _ if character.is_alphanumeric() || !character.is_ascii() => name.push(character),
            _ => return (!name.is_empty()).then_some((name, text.get(at..)?)),
        }
    }
    (!name.is_empty()).then_some((name, ""))
}

/// Returns the relevant declarations. Nested blocks are skipped.
fn values(body: &str) -> Vec<(usize, String, bool)> {
    let mut values = Vec::new();
    for declaration in split(body, ';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        if value.contains('{') {
            continue;
        }
        let name = name.trim().to_ascii_lowercase();
        let Some(number) = PROPERTIES.iter().position(|it| *it == name) else { continue };
        let value = value.trim().to_ascii_lowercase();
        let bare = value.replace("!important", "").replace("! important", "");
        values.push((number, bare.trim().to_owned(), bare != value));
    }
    values
}

/// Splits at a sign that is not in brackets or quotes.
fn split(text: &str, sign: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut depth, mut quote) = (0, 0_usize, None);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) if character == sign && depth == 0 => {
                parts.push(text.get(from..at).unwrap_or_default());
                from = at + sign.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

/// Returns the text in the braces that begin here, and the text after them.
fn braced(text: &str) -> (&str, &str) {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            // A string ends with its line, even if it is not closed.
            (Some(_), '\n') => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '{') => depth += 1,
            (None, '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (
                        text.get(1..at).unwrap_or_default(),
                        text.get(at + 1..).unwrap_or_default(),
                    );
                }
            }
            _ => {}
        }
    }
    (text.get(1..).unwrap_or_default(), "")
}

fn without_comments(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        out.push(' ');
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// Returns whether a media query list matches a large screen.
fn is_for_screens(media: &str) -> bool {
    let media = media.trim().to_ascii_lowercase();
    media.is_empty() || media.split(',').any(is_screen)
}

fn is_screen(query: &str) -> bool {
    query.split(" and ").all(|condition| {
        let condition = condition.trim().trim_start_matches("only ").trim();
        let Some(inside) = condition.strip_prefix('(') else {
            return matches!(condition, "screen" | "all" | "not print" | "");
        };
        let Some((name, value)) = inside.trim_end_matches(')').split_once(':') else {
            return false;
        };
        let scale = if value.contains("em") { 16.0 } else { 1.0 };
        let width = super::sight::number(value.trim()).map(|it| it * scale);
        match name.trim() {
            "min-width" => width.is_some_and(|it| it <= SCREEN_WIDTH),
            "max-width" => width.is_some_and(|it| it >= SCREEN_WIDTH),
            _ => false,
        }
    })
}
