//! Reads the properties of styles for cells: identifiers, superscripts, and what is hidden.

use super::content::attribute;
use crate::format::{NumberFormat, Paddings};
use crate::padding::Padding;
use crate::unseen::{Rgb, Unseen, WHITE};
use mitt_reader_kit::scripts::Script;
use quick_xml::events::BytesStart;
use std::collections::{HashMap, HashSet};

/// Longest chain of parent styles.
const MAX_PARENTS: usize = 16;

/// The styles of a document, by their names.
#[derive(Default)]
pub(super) struct Styles {
    pub(super) paddings: Paddings,
    /// Styles that hide a table.
    hidden: HashSet<String>,
    raised: HashMap<String, Script>,
    cells: HashMap<String, CellStyle>,
    numbers: HashMap<String, NumberFormat>,
    /// Number styles that show nothing, and the styles that they use for some values instead.
    empty: HashMap<String, Vec<String>>,
    /// Name of the style that is being read.
    style: String,
    /// `true` if that is a style of cells.
    is_of_cells: bool,
    number: Option<NumberStyle>,
}

#[derive(Default)]
struct CellStyle {
    number: Option<String>,
    parent: Option<String>,
    colour: Option<Option<Rgb>>,
    /// `Some(None)` for a fill that is not known.
    fill: Option<Option<Rgb>>,
}

/// What a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shown {
    pub(super) number: NumberFormat,
    pub(super) unseen: Unseen,
}

/// State while a number style is read.
#[derive(Default)]
struct NumberStyle {
    name: String,
    zeros: Option<usize>,
    /// Literals, each with the number of digits after it.
    literals: Vec<(usize, String)>,
    /// Position of the next literal.
    at: Option<usize>,
    /// `true` if the format shows anything but zeros and text between them.
    is_other: bool,
    /// `true` if the format is for texts.
    is_of_texts: bool,
    shows: bool,
    /// Names of the styles that are used for some values instead.
    others: Vec<String>,
}

impl Styles {
    pub(super) fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        if let Some(number) = &mut self.number {
            number.start(name, element);
            return;
        }
        match name {
            "style:style" => {
                self.style = attribute(element, "style:name").unwrap_or_default();
                self.is_of_cells = false;
                if attribute(element, "style:family").as_deref() == Some("table-cell") {
                    let style = CellStyle {
                        number: attribute(element, "style:data-style-name"),
                        parent: attribute(element, "style:parent-style-name"),
                        ..CellStyle::default()
                    };
                    self.is_of_cells = true;
                    self.cells.insert(self.style.clone(), style);
                }
            }
            // The style of cells without one.
            "style:default-style" => {
                self.style = String::new();
                self.is_of_cells =
                    attribute(element, "style:family").as_deref() == Some("table-cell");
                if self.is_of_cells {
                    self.cells.insert(String::new(), CellStyle::default());
                }
            }
            "style:table-cell-properties" if self.is_of_cells => {
                let fill = attribute(element, "fo:background-color").map(|it| match it.as_str() {
                    "transparent" => Some(WHITE),
                    value => hex(value),
                });
                if let Some(style) = self.cells.get_mut(&self.style) {
                    style.fill = fill;
                }
            }
            "style:table-properties"
                if attribute(element, "table:display").as_deref() == Some("false") =>
            {
                self.hidden.insert(self.style.clone());
            }
            "style:text-properties" => {
                let position = attribute(element, "style:text-position");
                if let Some(script) = position.as_deref().and_then(script) {
                    self.raised.insert(self.style.clone(), script);
                }
                let colour = attribute(element, "fo:color").map(|it| hex(&it));
                // Such a colour differs from the fill.
                let is_automatic =
                    attribute(element, "style:use-window-font-color").as_deref() == Some("true");
                let colour = if is_automatic { Some(None) } else { colour };
                if self.is_of_cells
                    && let Some(style) = self.cells.get_mut(&self.style)
                {
                    style.colour = colour;
                }
            }
            "number:number-style" | "number:text-style" => {
                let style = attribute(element, "style:name").unwrap_or_default();
                let is_of_texts = name == "number:text-style";
                self.number =
                    Some(NumberStyle { name: style, is_of_texts, ..NumberStyle::default() });
            }
            _ => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if let Some(number) = &mut self.number
            && let Some(at) = number.at
        {
            number.literals.push((at, text.to_owned()));
            number.shows |= !text.trim().is_empty();
        }
    }

    pub(super) fn end(&mut self, name: &str) {
        match (&mut self.number, name) {
            (Some(number), "number:text" | "number:embedded-text") => number.at = None,
            (Some(_), "number:number-style" | "number:text-style") => {
                if let Some(mut number) = self.number.take() {
                    if !number.shows {
                        self.empty.insert(number.name.clone(), std::mem::take(&mut number.others));
                    }
                    if !number.is_of_texts {
                        let shown = self.paddings.add(number.padding());
                        self.numbers.insert(number.name, shown);
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn hides(&self, style: &str) -> bool {
        self.hidden.contains(style)
    }

    pub(super) fn script(&self, style: &str) -> Option<Script> {
        self.raised.get(style).copied()
    }

    /// Returns what a cell of this style shows.
    pub(super) fn shown(&self, style: &str) -> Shown {
        let first = self.cells.get(style);
        let chain = std::iter::successors(first, |style| self.cells.get(style.parent.as_deref()?));
        let chain: Vec<&CellStyle> = chain.take(MAX_PARENTS).chain(self.cells.get("")).collect();
        let number = chain.iter().find_map(|style| style.number.as_ref());
        let colour = chain.iter().find_map(|style| style.colour).flatten();
        let fill = chain.iter().find_map(|style| style.fill).unwrap_or(Some(WHITE));
        let all = colour.is_some_and(|colour| Unseen::is_like(colour, fill));
        let empty = number.is_some_and(|number| self.is_empty(number));
        let unseen = if empty { Unseen::of_format(";;;") } else { Unseen::default() };
        Shown {
            number: number.and_then(|it| self.numbers.get(it)).copied().unwrap_or_default(),
            unseen: unseen.painted(all),
        }
    }

    /// Returns whether a number style shows nothing, whatever the value is.
    fn is_empty(&self, number: &str) -> bool {
        self.empty
            .get(number)
            .is_some_and(|others| others.iter().all(|it| self.empty.contains_key(it)))
    }
}

impl NumberStyle {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        let whole = |name| attribute(element, name).and_then(|text| text.parse::<usize>().ok());
        match name {
            "style:map" => self.others.extend(attribute(element, "style:apply-style-name")),
            "number:text" | "style:text-properties" | "number:fill-character" => {}
            _ => self.shows = true,
        }
        match name {
            "number:number" => {
                self.is_other |= self.zeros.is_some()
                    || whole("number:decimal-places").unwrap_or_default() > 0
                    || whole("number:display-factor").is_some_and(|factor| factor != 1)
                    || attribute(element, "number:grouping").as_deref() == Some("true");
                self.zeros = Some(whole("number:min-integer-digits").unwrap_or_default());
            }
            "number:text" => self.at = Some(if self.zeros.is_some() { 0 } else { usize::MAX }),
            "number:embedded-text" => self.at = whole("number:position"),
            // Colours and fillers do not change the number.
            "style:text-properties" | "number:fill-character" => {}
            // Conditions, fractions and exponents.
            _ => self.is_other = true,
        }
    }

    fn padding(&self) -> Option<Padding> {
        let zeros = self.zeros.filter(|_| !self.is_other)?;
        let literals: Vec<(usize, &str)> =
            self.literals.iter().map(|(at, text)| ((*at).min(zeros), text.as_str())).collect();
        Padding::of_zeros(zeros, &literals)
    }
}

/// Returns a colour such as `#ffffff`.
fn hex(text: &str) -> Option<Rgb> {
    let digits = text.trim().strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([red, green, blue])
}

/// Returns the script of a text position such as `super 58%` or `-33% 58%`: an offset and a size.
fn script(position: &str) -> Option<Script> {
    let place = position.split_whitespace().next()?;
    let percent = place.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    match (place, percent) {
        ("super", _) => Some(Script::Above),
        ("sub", _) => Some(Script::Below),
        (_, Some(percent)) if percent > 0.0 => Some(Script::Above),
        (_, Some(percent)) if percent < 0.0 => Some(Script::Below),
        _ => None,
    }
}
