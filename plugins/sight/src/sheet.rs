//! Applies the style sheets in a page, as far as they decide whether text is visible.
//!
//! Knows tags, classes, ids, attributes, nesting, and which rule wins. Fetches no files and runs no scripts. States
//! such as `:hover` never match.

use crate::selector::{Page, Refusal, Selector};
use crate::tree::{Element, Id, Tree};
use crate::values::{Colour, WHITE, background_colour, number, unescaped};
use std::collections::HashMap;

/// Most bytes of style sheets, most rules, and most steps of matching rules with elements. A page can have 100 000 of
/// both.
const MAX_BYTES: usize = 4 << 20;
const MAX_RULES: usize = 50_000;
const MAX_COMPARED: usize = 10_000_000;

/// Deepest nesting of blocks, such as `@media`.
const MAX_DEPTH: usize = 8;

/// Width of the screen, in pixels. Queries for other features do not match.
const SCREEN_WIDTH: f64 = 1280.0;

/// Properties that decide whether text is visible.
pub(crate) const PROPERTIES: [&str; 29] = [
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
    "max-width",
    "overflow",
    "clip",
    "clip-path",
    "transform",
    "color",
    "background-color",
    "background",
    "animation",
    "animation-name",
    "margin-left",
    "padding-left",
    "content-visibility",
    "filter",
    "scale",
    "mso-hide",
    "background-image",
];

/// All relevant rules of a page.
#[derive(Default)]
pub struct Sheet {
    rules: Vec<Rule>,
    /// Rules by what the element itself must have: its id, else a class, else its name.
    by_key: HashMap<String, Vec<usize>>,
    compared: usize,
    /// `true` if the style sheets have more than is read.
    pub(crate) is_too_large: bool,
    /// `true` if a rule that is not understood paints a background.
    pub(crate) is_background_unknown: bool,
}

struct Rule {
    selector: Selector,
    /// Index, value in lower case, and `!important` of each property.
    values: Vec<(usize, String, bool)>,
}

/// Winning values for an element, by index of the property, each with `true` if it is `!important`.
pub(crate) type Values<'a> = [Option<(&'a str, bool)>; PROPERTIES.len()];

impl Sheet {
    /// Reads the text of a `<style>` for `media`.
    pub fn add(&mut self, css: &str, media: &str) {
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

    pub(crate) fn is_empty(&self) -> bool {
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
        let shows = values.iter().any(|(property, value, _)| match PROPERTIES.get(*property) {
            Some(&"display") => value != "none",
            Some(&"visibility") => value == "visible",
            Some(&"opacity") => number(value).is_some_and(|it| it > 0.0),
            _ => false,
        });
        for selector in split(selectors, ',') {
            if self.rules.len() >= MAX_RULES {
                self.is_too_large = true;
                return;
            }
            let selector = match Selector::parse(selector, shows) {
                Ok(selector) => selector,
                Err(refusal) => {
                    self.is_background_unknown |= refusal == Refusal::Unknown && paints(&values);
                    continue;
                }
            };
            self.by_key.entry(selector.key()).or_default().push(self.rules.len());
            self.rules.push(Rule { selector, values: values.clone() });
        }
    }

    /// Returns the values of the properties of the root element.
    pub(crate) fn root_values(&mut self, tree: &Tree, html: &Element) -> Values<'_> {
        self.values_at(&Page { tree, html }, None)
    }

    /// Returns the values of the properties of an element. `html` is the root element.
    pub(crate) fn values(&mut self, tree: &Tree, html: &Element, id: Id) -> Values<'_> {
        self.values_at(&Page { tree, html }, Some(id))
    }

    fn values_at(&mut self, page: &Page<'_>, at: Option<Id>) -> Values<'_> {
        let mut winners = [None; PROPERTIES.len()];
        let mut weights = [(false, 0_u64, 0_usize); PROPERTIES.len()];
        let Some(element) = page.element(at) else { return winners };
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
            if !rule.selector.fits(page, at, &mut self.compared) {
                continue;
            }
            for (property, value, is_important) in &rule.values {
                let weight = (*is_important, rule.selector.weight, number + 1);
                if let Some(place) = weights.get_mut(*property)
                    && *place < weight
                {
                    *place = weight;
                    if let Some(winner) = winners.get_mut(*property) {
                        *winner = Some((value.as_str(), *is_important));
                    }
                }
            }
        }
        winners
    }
}

/// Returns the relevant declarations. Nested blocks are skipped.
fn values(body: &str) -> Vec<(usize, String, bool)> {
    let mut values = Vec::new();
    for declaration in split(body, ';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        if value.contains('{') {
            continue;
        }
        let name = unescaped(name.trim()).to_ascii_lowercase();
        let Some(number) = PROPERTIES.iter().position(|it| *it == name) else { continue };
        let value = unescaped(value.trim()).to_ascii_lowercase();
        let bare = value.replace("!important", "").replace("! important", "");
        values.push((number, bare.trim().to_owned(), bare != value));
    }
    values
}

/// Returns whether declarations paint a background that is not white.
fn paints(values: &[(usize, String, bool)]) -> bool {
    values.iter().any(|(number, value, _)| match PROPERTIES.get(*number) {
        Some(&("background" | "background-color")) => {
            background_colour(value).is_none_or(|it| it != Colour::Transparent && it != WHITE)
        }
        Some(&"background-image") => value != "none",
        _ => false,
    })
}

/// Splits at a sign that is not in brackets or quotes.
pub(crate) fn split(text: &str, sign: char) -> Vec<&str> {
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

/// Returns a style sheet with a space for each comment.
pub(crate) fn without_comments(css: &str) -> String {
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
        let width = number(value.trim()).map(|it| it * scale);
        match name.trim() {
            "min-width" => width.is_some_and(|it| it <= SCREEN_WIDTH),
            "max-width" => width.is_some_and(|it| it >= SCREEN_WIDTH),
            _ => false,
        }
    })
}
