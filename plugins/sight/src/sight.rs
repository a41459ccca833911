//! Decides which text of a page is visible.
//!
//! It depends on the elements and the style sheets in the page, and no scripts are run. External style sheets are not
//! known, so text that only they hide is kept.

use crate::Viewer;
use crate::clip;
use crate::sheet::{PROPERTIES, Sheet, Values, split, without_comments};
use crate::tree::{Element, Id, Tree};
use crate::values::{
    BLACK, Colour, WHITE, background_colour, colour, is_flat, is_tiny_size, number, unescaped,
};
use std::collections::HashSet;
use std::rc::Rc;

/// How an element is hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hidden {
    #[default]
    No,
    /// Hidden by the element itself.
    Surely,
    /// Hidden by the element itself, in a way that scripts undo to make text appear.
    Faded,
    /// Hidden by a style sheet.
    ByRule,
    /// For browsers that do not run scripts.
    Fallback,
    /// Folded, or behind a tab. Users can open it.
    Folded,
    /// Sent late. A script moves it to its place.
    Streamed,
}

impl Hidden {
    pub(crate) const ALL: [Hidden; 7] = [
        Hidden::No,
        Hidden::Surely,
        Hidden::Faded,
        Hidden::ByRule,
        Hidden::Fallback,
        Hidden::Folded,
        Hidden::Streamed,
    ];
}

/// Visual properties of text.
#[derive(Clone, Default)]
struct Appearance {
    /// Text of the same colour is invisible on it.
    background: Option<Colour>,
    colour: Option<Colour>,
    /// `true` if it is too small to read.
    is_tiny: bool,
    /// `true` if a style sheet contributed to it.
    is_by_rule: bool,
}

impl Appearance {
    fn hidden(&self) -> Hidden {
        let is_unseen = self.is_tiny
            || self.colour.as_ref().is_some_and(|colour| {
                *colour == Colour::Transparent
                    || self.background.as_ref().is_some_and(|it| it.is_like(colour))
            });
        match (is_unseen, self.is_by_rule) {
            (false, _) => Hidden::No,
            (true, false) => Hidden::Surely,
            (true, true) => Hidden::ByRule,
        }
    }
}

/// Returns how each node is hidden by itself. A node inside a hidden one may have `No`.
pub(crate) fn find(
    tree: &Tree,
    html: &Element,
    sheet: &mut Sheet,
    is_styled: bool,
    viewer: Viewer,
) -> Vec<Hidden> {
    let mut hidden = vec![Hidden::No; tree.len()];
    let mut looks: Vec<Rc<Appearance>> = Vec::with_capacity(tree.len());
    // A page without a style sheet is white. A mail with one is white where no rule paints it.
    let is_white = !is_styled || !viewer.runs_scripts() && !sheet.is_background_unknown;
    let background = is_white.then_some(WHITE);
    let opened = opened(tree);
    let places: HashSet<&str> = tree.places.iter().map(|(name, _)| name.as_str()).collect();
    // Text is black where nothing else is known.
    let colour = is_white.then_some(BLACK);
    let mut outermost = Rc::new(Appearance { background, colour, ..Appearance::default() });
    let mut is_all_hidden = false;
    if !viewer.runs_scripts() {
        // The root element is around the body, and no node of the tree.
        let style = Style { inline: inline_of(html), rules: sheet.root_values(tree, html) };
        is_all_hidden = how(html, &style, Id::MAX, viewer) != Hidden::No;
        outermost = Rc::new(look(html, &style, &outermost));
    }
    for id in 0..tree.len() {
        let outer =
            if id == 0 { &outermost } else { looks.get(tree.parent(id)).unwrap_or(&outermost) };
        let Some(element) = tree.element(id) else {
            if let Some(place) = hidden.get_mut(id) {
                *place = outer.hidden();
            }
            let outer = outer.clone();
            looks.push(outer);
            continue;
        };
        let rules =
            if sheet.is_empty() { [None; PROPERTIES.len()] } else { sheet.values(tree, html, id) };
        let style = Style { inline: inline_of(element), rules };
        let how = match how(element, &style, id, viewer) {
            Hidden::No => Hidden::No,
            how if !viewer.runs_scripts() => how,
            Hidden::Fallback => Hidden::Fallback,
            _ if is_streamed(tree, id, &places) => Hidden::Streamed,
            how if !is_folded(tree, id, &style, &opened) => how,
            _ => Hidden::Folded,
        };
        if let Some(place) = hidden.get_mut(id) {
            *place = if id == 0 && is_all_hidden { Hidden::Surely } else { how };
        }
        let look = if style.has_look(element) {
            Rc::new(look(element, &style, outer))
        } else {
            outer.clone()
        };
        if id == 0 {
            outermost = look.clone();
        }
        looks.push(look);
    }
    hidden
}

/// Returns how an element is hidden by itself or by a rule.
fn how(element: &Element, style: &Style<'_>, id: Id, viewer: Viewer) -> Hidden {
    let is_true = |name| element.attribute(name).is_some_and(|it| it.eq_ignore_ascii_case("true"));
    if element.is(&["noscript"]) {
        return if viewer.runs_scripts() { Hidden::Fallback } else { Hidden::No };
    }
    if viewer == Viewer::Word && style.is("mso-hide", "all").is_some() {
        return Hidden::Surely;
    }
    if element.attribute("hidden").is_some_and(|it| it != "until-found")
        || element.is(&["dialog"]) && element.attribute("open").is_none()
    {
        return Hidden::Surely;
    }
    let is_faded = style.is_faded();
    match (style.is_gone(element), is_faded) {
        // If the whole page is hidden, a script shows it.
        (Some(_), _) | (None, Some(_)) if id == 0 => Hidden::Faded,
        (Some(Origin::Element), _) => Hidden::Surely,
        (None, Some(Origin::Element)) => Hidden::Faded,
        (Some(Origin::Rule), _) | (None, Some(Origin::Rule)) => Hidden::ByRule,
        // It is visible, but screen readers skip it.
        (None, None) if is_true("aria-hidden") && viewer.runs_scripts() => Hidden::Faded,
        (None, None) => Hidden::No,
    }
}

/// Returns whether an element is a late part of a page that React streams: `S:1` goes where `B:1` is.
fn is_streamed(tree: &Tree, id: Id, places: &HashSet<&str>) -> bool {
    let name = tree.element(id).and_then(|it| it.attribute("id")).unwrap_or_default();
    name.strip_prefix("S:").is_some_and(|it| places.contains(it))
}

/// Returns the ids of elements that buttons and tabs open.
fn opened(tree: &Tree) -> HashSet<&str> {
    let mut opened = HashSet::new();
    for element in (0..tree.len()).filter_map(|id| tree.element(id)) {
        let controlled = element.attribute("aria-controls").unwrap_or_default();
        opened.extend(controlled.split_ascii_whitespace());
        let targets = ["data-target", "data-bs-target", "href"].iter().filter_map(|name| {
            let is_said = *name != "href"
                || element.has_word("role", &["tab"])
                || element.attribute("data-toggle").is_some()
                || element.attribute("data-bs-toggle").is_some();
            element.attribute(name).filter(|_| is_said)?.strip_prefix('#')
        });
        opened.extend(targets);
    }
    opened
}

/// Returns whether the text of an element appears after a click, and the element is not a menu.
fn is_folded(tree: &Tree, id: Id, style: &Style<'_>, opened: &HashSet<&str>) -> bool {
    const FOLDED: [&str; 16] = [
        "accordion",
        "accordions",
        "collapse",
        "collapsed",
        "collapsible",
        "faq",
        "faqs",
        "expander",
        "expandable",
        "toggle",
        "disclosure",
        "tab",
        "tabs",
        "tabpanel",
        "tabbed",
        "readmore",
    ];
    const NEVER: [&str; 26] = [
        "nav",
        "navbar",
        "navigation",
        "menu",
        "submenu",
        "megamenu",
        "dropdown",
        "modal",
        "dialog",
        "search",
        "cart",
        "drawer",
        "popup",
        "popover",
        "tooltip",
        "cookie",
        "cookies",
        "consent",
        "filter",
        "filters",
        "language",
        "lightbox",
        "offcanvas",
        "overlay",
        "sidebar",
        "login",
    ];
    let Some(element) = tree.element(id) else { return false };
    let names = |element: &Element| {
        let names = [element.attribute("class"), element.attribute("id")];
        names.into_iter().flatten().flat_map(crate::words).collect::<Vec<_>>()
    };
    let own = names(element);
    let has = |list: &[&str]| own.iter().any(|it| list.contains(&it.as_str()));
    // A rule with no height hides something that can be unfolded.
    let is_folded = element.has_word("role", &["tabpanel"])
        || element.attribute("id").is_some_and(|it| opened.contains(it))
        || has(&FOLDED)
        || style.is_zero("max-height") == Some(Origin::Rule)
        // The start of an animation.
        || style.is_zero("opacity") == Some(Origin::Element)
            && style.when("transform", |it| it != "none").is_some();
    if !is_folded || has(&NEVER) {
        return false;
    }
    let mut at = id;
    while at != 0 {
        let Some(element) = tree.element(at) else { return false };
        let is_around = element
            .is(&["nav", "menu", "header", "footer", "aside", "dialog", "select"])
            || element.has_word(
                "role",
                &["dialog", "alertdialog", "menu", "menubar", "navigation", "tooltip", "listbox"],
            );
        if is_around {
            return false;
        }
        at = tree.parent(at);
    }
    true
}

/// Elements with colours that the page need not give.
const COLOURED: [&str; 8] =
    ["a", "button", "input", "mark", "meter", "option", "select", "textarea"];

/// Source of a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Element,
    Rule,
}

/// Declarations for an element.
struct Style<'a> {
    inline: Vec<Inline>,
    rules: Values<'a>,
}

/// A declaration in an attribute, in lower case.
struct Inline {
    name: String,
    value: String,
    is_important: bool,
}

/// Parses the `style` of an element.
fn inline_of(element: &Element) -> Vec<Inline> {
    let Some(style) = element.attribute("style") else { return Vec::new() };
    let style = without_comments(style);
    let tidy = |text: &str| unescaped(text.trim()).to_ascii_lowercase();
    let parse = |declaration: &str| {
        let (name, value) = declaration.split_once(':')?;
        let value = tidy(value);
        let bare = value.replace("!important", "").replace("! important", "");
        let is_important = bare != value;
        Some(Inline { name: tidy(name), value: bare.trim().to_owned(), is_important })
    };
    split(&style, ';').into_iter().filter_map(parse).collect()
}

impl Style<'_> {
    /// Returns a property. The last inline declaration wins, unless only a rule is `!important`.
    fn get(&self, name: &str) -> Option<(&str, Origin)> {
        let own = |is_important: bool| {
            let mut own = self.inline.iter().rev();
            own.find(|it| it.name == name && it.is_important >= is_important)
        };
        let number = PROPERTIES.iter().position(|it| *it == name)?;
        let rule = self.rules.get(number).copied().flatten();
        match (own(true), rule, own(false)) {
            (Some(own), _, _) => Some((own.value.as_str(), Origin::Element)),
            (None, Some((value, true)), _) => Some((value, Origin::Rule)),
            (None, _, Some(own)) => Some((own.value.as_str(), Origin::Element)),
            (None, rule, None) => rule.map(|(value, _)| (value, Origin::Rule)),
        }
    }

    fn when(&self, name: &str, is: impl Fn(&str) -> bool) -> Option<Origin> {
        self.get(name).filter(|(value, _)| is(value)).map(|(_, origin)| origin)
    }

    fn is(&self, name: &str, value: &str) -> Option<Origin> {
        self.when(name, |it| it == value)
    }

    fn is_zero(&self, name: &str) -> Option<Origin> {
        self.when(name, |it| number(it) == Some(0.0))
    }

    fn is_far(&self, name: &str) -> Option<Origin> {
        self.when(name, |it| number(it).is_some_and(|it| !(-900.0..=9_000.0).contains(&it)))
    }

    /// Returns the source if the element takes no visible place.
    fn is_gone(&self, element: &Element) -> Option<Origin> {
        let is_clipped =
            || self.when("clip", |it| it.replace([' ', ','], "").starts_with("rect(0"));
        let cuts = || {
            let cuts = |it: &str| matches!(it, "hidden" | "clip" | "auto" | "scroll");
            self.when("overflow", cuts)
        };
        let is_placed = || self.is("position", "absolute").or(self.is("position", "fixed"));
        let is_collapsed =
            || self.is("visibility", "collapse").filter(|_| !element.is(&["tr", "col"]));
        let is_flat = || {
            let sizes = ["width", "height", "max-height", "max-width"];
            let flat = sizes.iter().find_map(|name| self.when(name, is_flat))?;
            cuts().and_then(|it| both(it, flat))
        };
        let is_a_point = || self.is_zero("width").and_then(|it| both(it, self.is_zero("height")?));
        // A wide margin that a padding undoes moves nothing.
        let is_beside = || {
            let margin = self.is_far("margin-left")?;
            self.is_far("padding-left").is_none().then_some(margin)
        };
        let is_away = || {
            let far = ["left", "top", "right"].iter().find_map(|name| self.is_far(name));
            far.or_else(is_clipped).and_then(|it| both(it, is_placed()?))
        };
        self.is("display", "none")
            .or_else(is_collapsed)
            .or_else(is_flat)
            .or_else(is_a_point)
            .or_else(|| self.when("transform", clip::is_away))
            .or_else(|| self.when("scale", |it| number(it) == Some(0.0)))
            .or_else(|| self.when("clip-path", clip::leaves_nothing))
            .or_else(|| self.is("content-visibility", "hidden"))
            .or_else(|| self.is_far("text-indent"))
            .or_else(is_beside)
            .or_else(is_away)
    }

    /// Returns the source if the element is invisible until a script changes it.
    fn is_faded(&self) -> Option<Origin> {
        let is_moving = |name| self.when(name, |it| it != "none" && !it.is_empty());
        let is_clear = |it: &str| {
            number(it).is_some_and(|of| of <= if it.ends_with('%') { 5.0 } else { 0.05 })
        };
        let faded = self
            .is("visibility", "hidden")
            .or_else(|| self.when("opacity", is_clear))
            .or_else(|| {
                self.when("filter", |it| {
                    it.starts_with("opacity(0") && it.get(8..).is_some_and(is_clear)
                })
            })?;
        // An animation shows it without a script.
        let is_moving = is_moving("animation").or(is_moving("animation-name")).is_some();
        (!is_moving).then_some(faded)
    }

    fn has_look(&self, element: &Element) -> bool {
        let has = |name| self.get(name).is_some();
        has("color")
            || has("background")
            || has("background-color")
            || has("background-image")
            || element.is(&COLOURED)
            || has("font-size")
            || ["bgcolor", "background", "color", "text"]
                .iter()
                .any(|it| element.attribute(it).is_some())
    }
}

/// Returns the source of two declarations that only together hide something.
#[allow(clippy::unnecessary_wraps, reason = "it ends chains of what is there")]
fn both(one: Origin, other: Origin) -> Option<Origin> {
    Some(if one == Origin::Rule { one } else { other })
}

/// Returns the visual properties of the text in an element.
fn look(element: &Element, style: &Style<'_>, outer: &Appearance) -> Appearance {
    let mut look = outer.clone();
    // Browsers give them colours of their own.
    match element.name.as_str() {
        "a" if element.attribute("href").is_some() => look.colour = None,
        it if COLOURED.contains(&it) => (look.colour, look.background) = (None, None),
        _ => {}
    }
    let from_attribute = |attribute| element.attribute(attribute).map(|it| (it, Origin::Element));
    let background = style.get("background-color").or(style.get("background"));
    if let Some((value, origin)) = background.or(from_attribute("bgcolor")) {
        match background_colour(value) {
            // The outer background is visible.
            Some(Colour::Transparent) => {}
            colour => {
                look.background = colour;
                look.is_by_rule |= origin == Origin::Rule;
            }
        }
    }
    let picture = style.when("background-image", |it| it != "none");
    if picture.is_some() || element.attribute("background").is_some_and(|it| !it.trim().is_empty())
    {
        look.background = None;
    }
    let own = || from_attribute(if element.is(&["body"]) { "text" } else { "color" });
    if let Some((value, origin)) = style.get("color").or_else(own) {
        look.colour = match value {
            "inherit" => outer.colour.clone(),
            value => colour(value),
        };
        look.is_by_rule |= origin == Origin::Rule;
    }
    if let Some((size, origin)) = style.get("font-size") {
        // A fraction of an em may be a fraction of something large.
        let is_tiny = is_tiny_size(size);
        // A fraction of nothing is nothing.
        if is_tiny || !size.ends_with('%') && (!size.ends_with("em") || size.ends_with("rem")) {
            look.is_tiny = is_tiny;
            look.is_by_rule |= is_tiny && origin == Origin::Rule;
        }
    }
    look
}
