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
    colour: Option<Paint>,
    /// The paint of newer versions of Word, which replaces the colour.
    fill: Option<Paint>,
    /// In points.
    size: Option<f64>,
    complex_size: Option<f64>,
    is_complex: Option<bool>,
    /// Width of the letters in percent.
    width: Option<f64>,
    highlight: Option<Paint>,
    shade: Option<Paint>,
    /// `true` for an outline, a shadow or the like, which shows text of any colour.
    has_effects: bool,
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
        let size = match self.is_complex == Some(true) || text.contains(is_complex) {
            true => self.complex_size,
            false => self.size,
        };
        let size = if self.is_narrow() { Some(0.0) } else { size };
        judge(self.paint(), self.behind(behind), size)
    }

    fn is_narrow(&self) -> bool {
        self.width.is_some_and(|width| width <= NARROW)
    }

    fn paint(&self) -> Paint {
        match self.has_effects {
            true => Paint::Unknown,
            false => self.fill.or(self.colour).unwrap_or_default(),
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
            let mut look = node
                .child("pPr")
                .map(|it| ParagraphLook::read(it, &found.theme))
                .unwrap_or_default();
            look.look =
                node.child("rPr").map(|it| Look::read(it, &found.theme)).unwrap_or_default();
            let style = Style {
                parent: node.value("basedOn").map(str::to_owned),
                look,
                has_fills: node.attribute("type") == Some("table") && has_fills(node),
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

    pub(crate) fn character(&self, name: Option<&str>) -> Look {
        self.look(name).look
    }

    /// Returns the look of text in a table, and `true` if the style may fill its cells.
    pub(crate) fn table(&self, name: Option<&str>) -> (ParagraphLook, bool) {
        let name = name.or(self.table.as_deref());
        (self.look(name), self.chain(name).any(|style| style.has_fills))
    }
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
