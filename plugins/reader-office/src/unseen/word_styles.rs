//! Reads how the styles of a Word document let text look, as far as that hides it.

use super::colour::{Alpha, Paint, Theme, brightness, hex};
use super::{Why, judge};
use crate::xml::{self, Node};
use std::collections::HashMap;

/// Longest chain of parent styles.
const MAX_PARENTS: usize = 30;

/// Highest exact line, in twentieths of a point, in which letters are cut off.
const FLAT: f64 = 20.0;

/// Largest width of letters, in percent, at which they are lines.
const NARROW: f64 = 5.0;

/// Look of text; `None` where a style does not say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    pub(crate) hidden: Option<bool>,
    /// [`Paint::Unknown`] for an automatic colour, which differs from what is behind it.
    pub(super) colour: Option<Paint>,
    /// The paint of newer versions of Word, which replaces the colour.
    fill: Option<Paint>,
    /// In points.
    pub(super) size: Option<f64>,
    pub(super) complex_size: Option<f64>,
    pub(super) is_complex: Option<bool>,
    /// Width of the letters in percent.
    pub(super) width: Option<f64>,
    pub(super) highlight: Option<Paint>,
    pub(super) shade: Option<Paint>,
    /// `true` for an outline, a shadow or the like, which shows text of any colour.
    pub(super) has_effects: bool,
}

impl Look {
    pub(crate) fn read(properties: &Node, theme: &Theme) -> Self {
        let switch = |name: &str| properties.child(name).map(|_| properties.is_on(name));
        let number = |name: &str| {
            properties.value(name).and_then(|it| it.trim_end_matches('%').parse().ok())
        };
        let is_outlined = properties
            .child("textOutline")
            .is_some_and(|it| theme.fill(it, Alpha::Transparency) != Some(Paint::Clear));
        let effects = ["outline", "shadow", "emboss", "imprint"];
        Self {
            hidden: switch("vanish"),
            colour: properties
                .child("color")
                .map(|it| coloured(it, ["val", "themeColor", "themeTint", "themeShade"], theme)),
            fill: properties
                .child("textFill")
                .map(|it| theme.fill(it, Alpha::Transparency).unwrap_or_default()),
            size: number("sz").map(|half: f64| half / 2.0),
            complex_size: number("szCs").map(|half: f64| half / 2.0),
            is_complex: switch("cs").or(switch("rtl")),
            width: number("w"),
            highlight: properties.value("highlight").map(highlight),
            shade: properties.child("shd").map(|it| shade(it, theme)),
            has_effects: is_outlined
                || effects.iter().any(|it| properties.is_on(it))
                || ["glow", "reflection", "props3d"]
                    .iter()
                    .any(|it| properties.child(it).is_some()),
        }
    }

    /// Returns this look, with what it does not say from `outer`.
    pub(crate) fn over(&self, outer: &Look) -> Look {
        Look {
            hidden: self.hidden.or(outer.hidden),
            colour: self.colour.or(outer.colour),
            // A plain colour in a style that is nearer replaces a paint.
            fill: self.fill.or(if self.colour.is_some() { None } else { outer.fill }),
            size: self.size.or(outer.size),
            complex_size: self.complex_size.or(outer.complex_size),
            is_complex: self.is_complex.or(outer.is_complex),
            width: self.width.or(outer.width),
            highlight: self.highlight.or(outer.highlight),
            shade: self.shade.or(outer.shade),
            has_effects: self.has_effects || outer.has_effects,
        }
    }

    /// Returns whether some text of this look may be unseen.
    pub(crate) fn is_suspect(&self, behind: Paint) -> bool {
        let is_tiny = |size: Option<f64>| size.is_some_and(|size| size <= super::TINY);
        self.hidden == Some(true)
            || is_tiny(self.size)
            || is_tiny(self.complex_size)
            || self.is_narrow()
            || judge(self.paint(), self.behind(behind), None).is_some()
    }

    /// Returns why a text of this look is unseen on what lies behind it.
    pub(crate) fn why(&self, text: &str, behind: Paint) -> Option<Why> {
        if self.hidden == Some(true) {
            return Some(Why::Hidden);
        }
        // Each script has a size of its own.
        let is_complex = |it: char| matches!(it, '\u{590}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{e00}'..='\u{eff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
        let size = if self.is_complex == Some(true) || text.contains(is_complex) {
            self.complex_size
        } else {
            self.size
        };
        let size = if self.is_narrow() { Some(0.0) } else { size };
        judge(self.paint(), self.behind(behind), size)
    }

    /// Returns why text of this look is unseen wherever it is.
    pub(crate) fn always(&self) -> Option<Why> {
        match self.hidden {
            Some(true) => Some(Why::Hidden),
            _ if self.is_narrow() => Some(Why::Tiny),
            // What is painted with nothing, or too small; the ground does not matter.
            _ => judge(self.paint(), Paint::Unknown, self.size),
        }
    }

    fn is_narrow(&self) -> bool {
        self.width.is_some_and(|width| width <= NARROW)
    }

    fn paint(&self) -> Paint {
        if self.has_effects {
            Paint::Unknown
        } else {
            self.fill.or(self.colour).unwrap_or_default()
        }
    }

    /// Returns what lies behind the letters.
    fn behind(&self, outer: Paint) -> Paint {
        let shade = self.shade.unwrap_or(Paint::Clear).over(outer);
        self.highlight.unwrap_or(Paint::Clear).over(shade)
    }

    /// Returns whether the text has a ground of its own.
    pub(crate) fn has_ground(&self) -> bool {
        self.behind(Paint::Clear) != Paint::Clear
    }

    /// Returns about how much room a letter takes, in square points.
    pub(crate) fn room(&self) -> f64 {
        let size = self.size.unwrap_or(10.0);
        size * size / 2.0
    }
}

/// Look of a paragraph.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParagraphLook {
    pub(crate) look: Look,
    pub(crate) shade: Option<Paint>,
    /// `true` if its lines are so low that letters are cut off.
    pub(crate) is_flat: Option<bool>,
}

impl ParagraphLook {
    /// Reads the properties of a paragraph, without the look of its text.
    pub(crate) fn read(properties: &Node, theme: &Theme) -> Self {
        let spacing = properties.child("spacing");
        let line = spacing.and_then(|it| it.attribute("line")?.parse::<f64>().ok());
        let is_exact = spacing.and_then(|it| it.attribute("lineRule")) == Some("exact");
        Self {
            look: Look::default(),
            shade: properties.child("shd").map(|it| shade(it, theme)),
            is_flat: line.map(|line| is_exact && line <= FLAT),
        }
    }

    pub(crate) fn over(&self, outer: &ParagraphLook) -> ParagraphLook {
        ParagraphLook {
            look: self.look.over(&outer.look),
            shade: self.shade.or(outer.shade),
            is_flat: self.is_flat.or(outer.is_flat),
        }
    }
}

#[derive(Debug, Default)]
struct Style {
    parent: Option<String>,
    look: ParagraphLook,
    /// `true` if it fills cells or paragraphs of a table, all of them or some.
    has_fills: bool,
    /// Looks of text in parts of a table, such as `firstRow`.
    parts: HashMap<String, ParagraphLook>,
    /// Rows and columns of a band.
    bands: [Option<usize>; 2],
}

/// The styles of a document.
#[derive(Debug, Default)]
pub(crate) struct Styles {
    pub(crate) theme: Theme,
    defaults: ParagraphLook,
    /// Styles by their names.
    styles: HashMap<String, Style>,
    /// The styles of paragraphs and of tables that name none.
    paragraph: Option<String>,
    table: Option<String>,
}

impl Styles {
    pub(crate) fn parse(text: Option<&str>, theme: Theme) -> Self {
        let mut found = Self { theme, ..Self::default() };
        let Some(root) = text.and_then(xml::root) else { return found };
        if let Some(defaults) = root.child("docDefaults") {
            let inner =
                |outer: &str, name: &str| defaults.child(outer).and_then(|it| it.child(name));
            let paragraph = inner("pPrDefault", "pPr");
            found.defaults =
                paragraph.map(|it| ParagraphLook::read(it, &found.theme)).unwrap_or_default();
            let run = inner("rPrDefault", "rPr");
            found.defaults.look = run.map(|it| Look::read(it, &found.theme)).unwrap_or_default();
        }
        for node in root.nodes().filter(|node| node.name == "style") {
            let Some(name) = node.attribute("styleId") else { continue };
            let is_default =
                node.attribute("default").is_some_and(|it| matches!(it, "1" | "true" | "on"));
            match node.attribute("type") {
                Some("paragraph") if is_default => found.paragraph = Some(name.to_owned()),
                Some("table") if is_default => found.table = Some(name.to_owned()),
                _ => {}
            }
            let parts = node.nodes().filter(|part| part.name == "tblStylePr").filter_map(|part| {
                Some((part.attribute("type")?.to_owned(), look_of(part, &found.theme)))
            });
            let style = Style {
                parent: node.value("basedOn").map(str::to_owned),
                look: look_of(node, &found.theme),
                has_fills: node.attribute("type") == Some("table") && has_fills(node),
                parts: parts.collect(),
                bands: node.child("tblPr").map(bands).unwrap_or_default(),
            };
            found.styles.insert(name.to_owned(), style);
        }
        found
    }

    /// Returns a style and its parents.
    fn chain<'a>(&'a self, name: Option<&str>) -> impl Iterator<Item = &'a Style> {
        let first = name.and_then(|name| self.styles.get(name));
        std::iter::successors(first, |style| self.styles.get(style.parent.as_deref()?))
            .take(MAX_PARENTS)
    }

    fn look(&self, name: Option<&str>) -> ParagraphLook {
        self.chain(name).fold(ParagraphLook::default(), |look, style| look.over(&style.look))
    }

    /// Returns the look of a paragraph in a table of this look.
    pub(crate) fn paragraph(&self, name: Option<&str>, table: &ParagraphLook) -> ParagraphLook {
        let name =
            name.filter(|name| self.styles.contains_key(*name)).or(self.paragraph.as_deref());
        self.look(name).over(table).over(&self.defaults)
    }

    /// Returns whether a style of a table gives some of its parts a look of their own.
    pub(crate) fn has_parts(&self, name: Option<&str>) -> bool {
        self.chain(name.or(self.table.as_deref())).any(|style| !style.parts.is_empty())
    }

    /// Returns the rows and the columns of a band in a table with these properties.
    pub(crate) fn bands(&self, properties: &Node) -> [usize; 2] {
        let name = properties.value("tblStyle").or(self.table.as_deref());
        let own = bands(properties);
        [0, 1].map(|axis| {
            let style = || self.chain(name).find_map(|style| style.bands[axis]);
            own[axis].or_else(style).unwrap_or(1).max(1)
        })
    }

    /// Returns the look of text in a cell, as far as the style of its table gives a look to parts.
    pub(crate) fn cell(&self, name: Option<&str>, cell: Cell) -> ParagraphLook {
        let name = name.or(self.table.as_deref());
        let parts = cell.parts().into_iter();
        // The nearest style that has a part counts.
        let looks = parts.filter_map(|part| self.chain(name).find_map(|it| it.parts.get(part)));
        looks.fold(ParagraphLook::default(), |look, part| look.over(part))
    }

    pub(crate) fn character(&self, name: Option<&str>) -> Look {
        self.look(name).look
    }

    /// Returns the look of text in a table, and `true` if the style may fill its cells.
    pub(crate) fn table(&self, name: Option<&str>) -> (ParagraphLook, bool) {
        let name = name.or(self.table.as_deref());
        (self.look(name), self.chain(name).any(|style| style.has_fills))
    }
}

/// Which parts of a table have the looks that its style gives them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TableLook {
    first_row: bool,
    last_row: bool,
    first_column: bool,
    last_column: bool,
    /// `true` if bands of rows, and of columns, have looks of their own.
    bands: [bool; 2],
}

impl TableLook {
    /// Reads the properties of a table.
    pub(crate) fn read(properties: &Node) -> Self {
        let Some(look) = properties.child("tblLook") else { return Self::default() };
        let bits = look.attribute("val").and_then(|it| u32::from_str_radix(it, 16).ok());
        let is_on = |name: &str, bit: u32| match look.attribute(name) {
            Some(value) => matches!(value, "1" | "true" | "on"),
            None => bits.is_some_and(|bits| bits & bit != 0),
        };
        Self {
            first_row: is_on("firstRow", 0x20),
            last_row: is_on("lastRow", 0x40),
            first_column: is_on("firstColumn", 0x80),
            last_column: is_on("lastColumn", 0x100),
            bands: [!is_on("noHBand", 0x200), !is_on("noVBand", 0x400)],
        }
    }
}

/// Where a cell is in its table. Rows and columns begin with 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    pub(crate) look: TableLook,
    /// Rows and columns of a band.
    pub(crate) bands: [usize; 2],
    pub(crate) row: usize,
    /// The first column, and the one behind the last.
    pub(crate) columns: [usize; 2],
    /// Rows and columns of the table. 0 if they are not known.
    pub(crate) size: [usize; 2],
}

impl Cell {
    /// Returns the parts of the table that the cell is in, those that count most first.
    fn parts(self) -> Vec<&'static str> {
        let Self { look, row, columns: [column, end], size: [rows, width], .. } = self;
        let top = look.first_row && row == 0;
        let bottom = look.last_row && row + 1 == rows;
        let left = look.first_column && column == 0;
        let right = look.last_column && width > 0 && end >= width;
        let is_odd = |axis: usize, at: usize, has_first: bool| {
            let size: usize = self.bands[axis].max(1);
            (at.saturating_sub(usize::from(has_first)) / size).is_multiple_of(2)
        };
        let in_rows = look.bands[0] && !top && !bottom;
        let in_columns = look.bands[1] && !left && !right;
        let (odd_row, odd_column) =
            (is_odd(0, row, look.first_row), is_odd(1, column, look.first_column));
        let corner = match (top, bottom, left, right) {
            (true, _, true, _) => Some("nwCell"),
            (true, _, _, true) => Some("neCell"),
            (_, true, true, _) => Some("swCell"),
            (_, true, _, true) => Some("seCell"),
            _ => None,
        };
        let others = [
            (bottom, "lastRow"),
            (top, "firstRow"),
            (right, "lastCol"),
            (left, "firstCol"),
            (in_rows && odd_row, "band1Horz"),
            (in_rows && !odd_row, "band2Horz"),
            (in_columns && odd_column, "band1Vert"),
            (in_columns && !odd_column, "band2Vert"),
            (true, "wholeTable"),
        ];
        let others = others.into_iter().filter(|(is_in, _)| *is_in).map(|(_, part)| part);
        corner.into_iter().chain(others).collect()
    }
}

/// Returns the rows and the columns of a band, from the properties of a table or of its style.
fn bands(properties: &Node) -> [Option<usize>; 2] {
    ["tblStyleRowBandSize", "tblStyleColBandSize"].map(|name| properties.value(name)?.parse().ok())
}

/// Returns the look of text in an element with properties of paragraphs and of characters.
fn look_of(node: &Node, theme: &Theme) -> ParagraphLook {
    let paragraph = node.child("pPr").map(|it| ParagraphLook::read(it, theme));
    let look = node.child("rPr").map(|it| Look::read(it, theme)).unwrap_or_default();
    ParagraphLook { look, ..paragraph.unwrap_or_default() }
}

/// Returns whether a style of a table fills anything.
fn has_fills(node: &Node) -> bool {
    node.nodes().any(|child| match child.name.as_str() {
        "shd" => shade(child, &Theme::default()) != Paint::Clear,
        _ => has_fills(child),
    })
}

/// Returns the paint of a shading.
pub(crate) fn shade(node: &Node, theme: &Theme) -> Paint {
    let fill = || match node.attribute("fill") {
        None | Some("auto") if node.attribute("themeFill").is_none() => Paint::Clear,
        _ => coloured(node, ["fill", "themeFill", "themeFillTint", "themeFillShade"], theme),
    };
    match node.attribute("val") {
        Some("nil") => Paint::Clear,
        None | Some("clear") => fill(),
        Some("solid") => coloured(node, ["color", "themeColor", "themeTint", "themeShade"], theme),
        _ => Paint::Unknown,
    }
}

/// Returns a colour from four attributes: its value, its name in the theme, and two changes of its brightness.
fn coloured(node: &Node, names: [&str; 4], theme: &Theme) -> Paint {
    let [value, named, tint, shade] = names.map(|name| node.attribute(name));
    let share = |text: &str| u8::from_str_radix(text, 16).ok().map(|it| f64::from(it) / 255.0);
    let own = || value.and_then(hex).map_or(Paint::Unknown, Paint::Plain);
    // Without a theme, the value counts.
    let Some(named) = named.filter(|it| *it != "none" && !theme.is_empty()) else { return own() };
    let Some(mut rgb) = theme.colour(named) else { return Paint::Unknown };
    if let Some(tint) = tint.and_then(share) {
        rgb = brightness(rgb, tint, 1.0 - tint);
    }
    if let Some(shade) = shade.and_then(share) {
        rgb = brightness(rgb, shade, 0.0);
    }
    Paint::Plain(rgb)
}

fn highlight(name: &str) -> Paint {
    let digits = match name {
        "none" => return Paint::Clear,
        "black" => "000000",
        "blue" => "0000FF",
        "cyan" => "00FFFF",
        "green" => "00FF00",
        "magenta" => "FF00FF",
        "red" => "FF0000",
        "yellow" => "FFFF00",
        "white" => "FFFFFF",
        "darkBlue" => "000080",
        "darkCyan" => "008080",
        "darkGreen" => "008000",
        "darkMagenta" => "800080",
        "darkRed" => "800000",
        "darkYellow" => "808000",
        "darkGray" => "808080",
        "lightGray" => "C0C0C0",
        _ => return Paint::Unknown,
    };
    hex(digits).map_or(Paint::Unknown, Paint::Plain)
}
