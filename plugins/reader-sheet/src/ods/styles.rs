//! Reads the properties of styles for cells: identifiers, superscripts, and what is hidden.

use super::content::attribute;
use crate::format::{NumberFormat, Paddings};
use crate::padding::Padding;
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
    /// Name of the style that is being read.
    style: String,
    number: Option<NumberStyle>,
}

struct CellStyle {
    number: Option<String>,
    parent: Option<String>,
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
                if attribute(element, "style:family").as_deref() == Some("table-cell") {
                    let style = CellStyle {
                        number: attribute(element, "style:data-style-name"),
                        parent: attribute(element, "style:parent-style-name"),
                    };
                    self.cells.insert(self.style.clone(), style);
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
            }
            "number:number-style" => {
                let name = attribute(element, "style:name").unwrap_or_default();
                self.number = Some(NumberStyle { name, ..NumberStyle::default() });
            }
            _ => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if let Some(number) = &mut self.number
            && let Some(at) = number.at
        {
            number.literals.push((at, text.to_owned()));
        }
    }

    pub(super) fn end(&mut self, name: &str) {
        match (&mut self.number, name) {
            (Some(number), "number:text" | "number:embedded-text") => number.at = None,
            (Some(_), "number:number-style") => {
                if let Some(number) = self.number.take() {
                    let shown = self.paddings.add(number.padding());
                    self.numbers.insert(number.name, shown);
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

    /// Returns what a number in a cell of this style shows.
    pub(super) fn shown(&self, style: &str) -> NumberFormat {
        let mut style = style;
        for _ in 0..MAX_PARENTS {
            match self.cells.get(style) {
                Some(CellStyle { number: Some(number), .. }) => {
                    return self.numbers.get(number).copied().unwrap_or_default();
                }
                Some(CellStyle { parent: Some(parent), .. }) => style = parent,
                _ => break,
            }
        }
        NumberFormat::Number
    }
}

impl NumberStyle {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        let whole = |name| attribute(element, name).and_then(|text| text.parse::<usize>().ok());
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
