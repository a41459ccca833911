//! Reads styles: bold runs, titles, list formats.

use super::lists::{Levels, levels};
use crate::unseen::colour::{WHITE, hex};
use crate::unseen::{Paint, is_seen};
use crate::xml::Node;
use office_oxide::ir::VerticalAlign;
use std::collections::HashMap;

/// Longest chain of parent styles.
const MAX_PARENTS: usize = 30;

/// Largest width of letters, in percent, at which they are lines.
const NARROW: f64 = 5.0;

/// Least percentage of what shines through text that cannot be seen.
const CLEAR: f64 = 95.0;

/// Text properties; `None` if the style does not say.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextProperties {
    pub(crate) bold: Option<bool>,
    pub(crate) italic: Option<bool>,
    pub(crate) strikethrough: Option<bool>,
    pub(crate) hidden: Option<bool>,
    pub(crate) position: Option<VerticalAlign>,
    /// [`Paint::Unknown`] for an automatic colour, which differs from what is behind it.
    colour: Option<Paint>,
    pub(crate) background: Option<Paint>,
    /// Sizes in points of Western, East Asian and complex scripts.
    sizes: [Option<f64>; 3],
    /// Width of the letters in percent.
    width: Option<f64>,
    /// `true` for an outline or a shadow, which show text of any colour.
    has_effects: Option<bool>,
}

impl TextProperties {
    pub(crate) fn hidden() -> Self {
        Self { hidden: Some(true), ..Self::default() }
    }

    /// Returns these properties, with what they do not say from `outer`.
    pub(crate) fn over(self, outer: &TextProperties) -> TextProperties {
        let [western, asian, complex] = self.sizes;
        TextProperties {
            bold: self.bold.or(outer.bold),
            italic: self.italic.or(outer.italic),
            strikethrough: self.strikethrough.or(outer.strikethrough),
            hidden: self.hidden.or(outer.hidden),
            position: self.position.or_else(|| outer.position.clone()),
            colour: self.colour.or(outer.colour),
            background: self.background.or(outer.background),
            sizes: [
                western.or(outer.sizes[0]),
                asian.or(outer.sizes[1]),
                complex.or(outer.sizes[2]),
            ],
            width: self.width.or(outer.width),
            has_effects: self.has_effects.or(outer.has_effects),
        }
    }

    pub(crate) fn paint(&self) -> Paint {
        match self.has_effects {
            Some(true) => Paint::Unknown,
            _ => self.colour.unwrap_or_default(),
        }
    }

    /// Returns the largest size that letters of a text have.
    pub(crate) fn size_of(&self, text: &str) -> Option<f64> {
        if self.width.is_some_and(|width| width <= NARROW) {
            return Some(0.0);
        }
        let script = |it: char| match it {
            '\u{590}'..='\u{8ff}' | '\u{900}'..='\u{eff}' | '\u{fb1d}'..='\u{fdff}' => 2,
            '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{fb1c}' | '\u{ff00}'..='\u{ffef}' => 1,
            '\u{20000}'.. => 1,
            _ => 0,
        };
        let letters = text.chars().filter(|it| is_seen(*it));
        let sizes = letters.map(|it| self.sizes.get(script(it)).copied().flatten());
        // A size that is not known is not tiny.
        sizes.reduce(|one, other| Some(one?.max(other?))).flatten()
    }
}

/// How a shape looks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) fill: Option<Paint>,
    pub(crate) look: TextProperties,
    /// `true` if text does not flow around it.
    pub(crate) runs_through: bool,
    /// `true` if its place is where its numbers say.
    pub(crate) is_free: bool,
}

#[derive(Default)]
struct Style {
    /// Display name.
    display_name: String,
    parent: Option<String>,
    look: TextProperties,
    list: Option<String>,
    is_hidden_slide: bool,
    ground: Option<Paint>,
    wrap: Option<String>,
    across: Option<String>,
    hides_master: bool,
}

#[derive(Default)]
pub(crate) struct Styles {
    /// Largest width and height of pages in points.
    pub(crate) page_size: [f64; 2],
    /// What the pages of a text are filled with, if they are.
    pub(crate) paper: Option<Paint>,
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
                        "style" | "default-style" => styles.add(node),
                        "page-layout" => styles.add_page(node),
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
        let Some(family) = text("family") else { return };
        // A family has one style for what has none.
        let Some(name) = text("name").or_else(|| (node.name == "default-style").then(String::new))
        else {
            return;
        };
        let graphic = node.child("graphic-properties");
        let in_graphic = |name: &str| graphic.and_then(|it| it.attribute(name)).map(str::to_owned);
        let page = node.child("drawing-page-properties");
        let ground = node
            .nodes()
            .filter(|it| it.name.ends_with("-properties") && it.name != "text-properties");
        let display_name = text("display-name").unwrap_or_else(|| name.clone());
        let is_hidden_slide =
            page.is_some_and(|page| page.attribute("visibility") == Some("hidden"));
        let style = Style {
            display_name,
            parent: text("parent-style-name"),
            look: node.child("text-properties").map(look).unwrap_or_default(),
            list: text("list-style-name"),
            is_hidden_slide,
            ground: ground.filter_map(self::ground).next(),
            wrap: in_graphic("wrap"),
            across: in_graphic("horizontal-pos"),
            hides_master: page
                .is_some_and(|page| page.attribute("background-objects-visible") == Some("false")),
        };
        self.styles.insert((family, name), style);
    }

    fn add_page(&mut self, node: &Node) {
        let Some(page) = node.child("page-layout-properties") else { return };
        let side = |name: &str| page.attribute(name).and_then(length).unwrap_or(0.0);
        let [width, height] = self.page_size;
        self.page_size = [width.max(side("page-width")), height.max(side("page-height"))];
        if let Some(own) = ground(page).filter(|own| *own != Paint::Clear && !own.is_like(WHITE)) {
            // It is not known which pages have it.
            let is_same = self.paper.is_none_or(|paper| paper == own);
            self.paper = Some(if is_same { own } else { Paint::Unknown });
        }
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
            look = look.over(&style.look);
        }
        look
    }

    /// Returns the text properties of what has no style.
    pub(crate) fn default_look(&self, family: &str) -> TextProperties {
        self.look(family, Some(""))
    }

    /// Returns what a style fills its paragraphs, cells or pages with.
    pub(crate) fn ground(&self, family: &str, name: Option<&str>) -> Option<Paint> {
        self.chain(family, name).find_map(|style| style.ground)
    }

    /// Returns whether slides of this style show nothing of their master.
    pub(crate) fn hides_master(&self, name: Option<&str>) -> bool {
        self.chain("drawing-page", name).any(|style| style.hides_master)
    }

    /// Returns how a shape looks.
    pub(crate) fn shape(&self, node: &Node) -> Shape {
        let mut found = Shape { is_free: true, ..Shape::default() };
        let name = node.attribute("style-name");
        for family in ["graphic", "presentation"] {
            let chain = || self.chain(family, name);
            found.fill = found.fill.or_else(|| chain().find_map(|style| style.ground));
            found.look = found.look.over(&self.look(family, name));
            found.runs_through |= chain().find_map(|it| it.wrap.as_deref()) == Some("run-through");
            let across = chain().find_map(|it| it.across.as_deref());
            found.is_free &= across.is_none_or(|it| it.starts_with("from-"));
        }
        if node.name != "frame" {
            found.fill = found.fill.or_else(|| self.ground("graphic", Some("")));
        }
        found
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

/// Returns the fill in the properties of a paragraph, a cell, a shape or a page; `None` if they do not say.
fn ground(properties: &Node) -> Option<Paint> {
    if properties.child("background-image").is_some_and(|it| it.attribute("href").is_some()) {
        return Some(Paint::Unknown);
    }
    let is_opaque = |name: &str| properties.attribute(name).is_none_or(|it| it == "100%");
    let colour = |name: &str| properties.attribute(name).map(background);
    let found = match properties.attribute("fill") {
        Some("none") => Some(Paint::Clear),
        Some("solid") => {
            colour("fill-color").or(colour("background-color")).or(Some(Paint::Unknown))
        }
        Some(_) => Some(Paint::Unknown),
        None => colour("background-color"),
    };
    if !(is_opaque("opacity") && is_opaque("background-transparency"))
        && found.is_some_and(|it| it != Paint::Clear)
    {
        Some(Paint::Unknown)
    } else {
        found
    }
}

fn background(value: &str) -> Paint {
    match value {
        "transparent" => Paint::Clear,
        value => hex(value).map_or(Paint::Unknown, Paint::Plain),
    }
}

/// Returns a length in points.
pub(crate) fn length(text: &str) -> Option<f64> {
    let end = text.find(|it: char| it.is_ascii_alphabetic() || it == '%')?;
    let (number, unit) = text.split_at(end);
    let times = match unit {
        "pt" => 1.0,
        "in" | "inch" => 72.0,
        "cm" => 72.0 / 2.54,
        "mm" => 7.2 / 2.54,
        "pc" => 12.0,
        "px" => 0.75,
        _ => return None,
    };
    number.trim().parse::<f64>().ok().map(|number| number * times)
}

fn look(properties: &Node) -> TextProperties {
    let text = |name: &str| properties.attribute(name);
    let size = |name: &str| text(name).and_then(length);
    let is_automatic = text("use-window-font-color") == Some("true");
    let colour = text("color").map(|it| hex(it).map_or(Paint::Unknown, Paint::Plain));
    let colour = if is_automatic { Some(Paint::Unknown) } else { colour };
    // LibreOffice writes how much shines through, in percent.
    let is_clear = text("transparency")
        .is_some_and(|it| it.trim_end_matches('%').parse::<f64>().is_ok_and(|it| it >= CLEAR));
    let effects = text("text-outline").or(text("text-shadow"));
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
        colour: if is_clear { Some(Paint::Clear) } else { colour },
        background: text("background-color").map(background),
        sizes: [size("font-size"), size("font-size-asian"), size("font-size-complex")],
        width: text("text-scale").and_then(|it| it.trim_end_matches('%').parse().ok()),
        has_effects: effects.map(|it| !matches!(it, "none" | "false")),
    }
}
