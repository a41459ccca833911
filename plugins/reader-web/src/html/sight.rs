//! Which text of a page people see.
//!
//! Decided by what elements and the style sheets in the page say, never by running a script. What lies in files of their own is not
//! known, so a text that only these hide is kept.

use super::sheet::{PROPERTIES, Sheet, Values};
use super::tree::{Element, Id, Tree};
use std::collections::HashSet;
use std::rc::Rc;

/// How an element is hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Hidden {
    #[default]
    No,
    /// It says so itself: nobody sees it.
    Surely,
    /// It says so itself, in a way in which scripts let texts appear.
    Faded,
    /// A style sheet says so.
    ByRule,
    /// It is for browsers that run no scripts.
    Fallback,
    /// It is folded, or behind a tab: people see it when they want to.
    Folded,
    /// It came late, and a script puts it in its place.
    Streamed,
}

impl Hidden {
    pub(super) const ALL: [Hidden; 7] = [
        Hidden::No,
        Hidden::Surely,
        Hidden::Faded,
        Hidden::ByRule,
        Hidden::Fallback,
        Hidden::Folded,
        Hidden::Streamed,
    ];
}

/// What text looks like.
#[derive(Clone, Default)]
struct Look {
    /// Text of the same colour is not seen on it.
    background: Option<String>,
    colour: Option<String>,
    /// Too small for anybody's eyes.
    is_tiny: bool,
    /// A rule of a style sheet has a part in it.
    is_by_rule: bool,
}

impl Look {
    fn hidden(&self) -> Hidden {
        let colour = self.colour.as_deref();
        let is_unseen = self.is_tiny
            || colour == Some("transparent")
            || colour.is_some() && colour == self.background.as_deref();
        match (is_unseen, self.is_by_rule) {
            (false, _) => Hidden::No,
            (true, false) => Hidden::Surely,
            (true, true) => Hidden::ByRule,
        }
    }
}

/// For each node how it is hidden itself; what lies in a hidden one may say `No`.
pub(super) fn find(tree: &Tree, html: &Element, sheet: &mut Sheet, is_styled: bool) -> Vec<Hidden> {
    let mut hidden = vec![Hidden::No; tree.len()];
    let mut looks: Vec<Rc<Look>> = Vec::with_capacity(tree.len());
    // Who writes no style sheet has a white page.
    let background = (!is_styled).then(|| "white".to_owned());
    let opened = opened(tree);
    let places: HashSet<&str> = tree.places.iter().map(|(name, _)| name.as_str()).collect();
    let mut outermost = Rc::new(Look { background, ..Look::default() });
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
        let style = element.attribute("style").map(inline).unwrap_or_default();
        let rules =
            if sheet.is_empty() { [None; PROPERTIES.len()] } else { sheet.values(tree, html, id) };
        let style = Style { inline: style, rules };
        let how = match how(element, &style, id) {
            Hidden::No => Hidden::No,
            Hidden::Fallback => Hidden::Fallback,
            _ if is_streamed(tree, id, &places) => Hidden::Streamed,
            how if !is_folded(tree, id, &style, &opened) => how,
            _ => Hidden::Folded,
        };
        if let Some(place) = hidden.get_mut(id) {
            *place = how;
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

/// Whether an element says itself, or a rule says, that people do not see it.
fn how(element: &Element, style: &Style<'_>, id: Id) -> Hidden {
    let is_true = |name| element.attribute(name).is_some_and(|it| it.eq_ignore_ascii_case("true"));
    if element.is(&["noscript"]) {
        return Hidden::Fallback;
    }
    if element.attribute("hidden").is_some_and(|it| it != "until-found")
        || element.is(&["dialog"]) && element.attribute("open").is_none()
    {
        return Hidden::Surely;
    }
    let is_faded = style.is_faded();
    match (style.is_gone(element), is_faded) {
        // A page that hides itself as a whole is shown by a script.
        (Some(_), _) | (None, Some(_)) if id == 0 => Hidden::Faded,
        (Some(Origin::Element), _) => Hidden::Surely,
        (None, Some(Origin::Element)) => Hidden::Faded,
        (Some(Origin::Rule), _) | (None, Some(Origin::Rule)) => Hidden::ByRule,
        // People see it, and who has it read aloud does not hear it.
        (None, None) if is_true("aria-hidden") => Hidden::Faded,
        (None, None) => Hidden::No,
    }
}

/// Whether an element is a late part of a page that React writes while it is sent: `S:1` goes where `B:1` is.
fn is_streamed(tree: &Tree, id: Id, places: &HashSet<&str>) -> bool {
    let name = tree.element(id).and_then(|it| it.attribute("id")).unwrap_or_default();
    name.strip_prefix("S:").is_some_and(|it| places.contains(it))
}

/// Ids of what buttons and tabs open.
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

/// Whether people see the text of an element when they press or click something, and it is no menu.
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
        names.into_iter().flatten().flat_map(super::names::words).collect::<Vec<_>>()
    };
    let own = names(element);
    let has = |list: &[&str]| own.iter().any(|it| list.contains(&it.as_str()));
    // What a rule folds to no height is there to be unfolded.
    let is_folded = element.has_word("role", &["tabpanel"])
        || element.attribute("id").is_some_and(|it| opened.contains(it))
        || has(&FOLDED)
        || style.is_zero("max-height") == Some(Origin::Rule)
        // Where an animation begins.
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

/// Who says something of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Element,
    Rule,
}

/// What is said of an element.
struct Style<'a> {
    inline: Vec<(String, String)>,
    rules: Values<'a>,
}

/// An inline style in small letters.
fn inline(style: &str) -> Vec<(String, String)> {
    let pairs = style.split(';').filter_map(|it| it.split_once(':'));
    let tidy = |text: &str| text.replace("!important", "").trim().to_ascii_lowercase();
    pairs.map(|(name, value)| (tidy(name), tidy(value))).collect()
}

impl Style<'_> {
    /// The element's own last one counts.
    fn get(&self, name: &str) -> Option<(&str, Origin)> {
        if let Some((_, value)) = self.inline.iter().rev().find(|(known, _)| known == name) {
            return Some((value.as_str(), Origin::Element));
        }
        let number = PROPERTIES.iter().position(|it| *it == name)?;
        let value = self.rules.get(number).copied().flatten()?;
        Some((value, Origin::Rule))
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

    /// No place on the page, or one that nobody sees.
    fn is_gone(&self, element: &Element) -> Option<Origin> {
        let is_clipped = || {
            self.when("clip", |it| it.replace([' ', ','], "").starts_with("rect(0")).or_else(|| {
                self.when("clip-path", |it| it.contains("inset(50%") || it.contains("inset(100%"))
            })
        };
        let cuts = || self.is("overflow", "hidden").or(self.is("overflow", "clip"));
        let is_placed = || self.is("position", "absolute").or(self.is("position", "fixed"));
        let is_collapsed =
            || self.is("visibility", "collapse").filter(|_| !element.is(&["tr", "col"]));
        let is_flat = || {
            let flat =
                ["width", "height", "max-height"].iter().find_map(|name| self.is_zero(name))?;
            cuts().and_then(|it| both(it, flat))
        };
        let is_a_point = || self.is_zero("width").and_then(|it| both(it, self.is_zero("height")?));
        let is_away = || {
            let far = ["left", "top", "right"].iter().find_map(|name| self.is_far(name));
            far.or_else(is_clipped).and_then(|it| both(it, is_placed()?))
        };
        self.is("display", "none")
            .or_else(is_collapsed)
            .or_else(is_flat)
            .or_else(is_a_point)
            .or_else(|| self.is("transform", "scale(0)"))
            .or_else(|| self.is_far("text-indent"))
            .or_else(is_away)
    }

    /// On the page, and not seen until a script says so.
    fn is_faded(&self) -> Option<Origin> {
        let is_moving = |name| self.when(name, |it| it != "none" && !it.is_empty());
        let faded = self.is("visibility", "hidden").or(self.is_zero("opacity"))?;
        // What an animation lets appear needs no script.
        let is_moving = is_moving("animation").or(is_moving("animation-name")).is_some();
        (!is_moving).then_some(faded)
    }

    fn has_look(&self, element: &Element) -> bool {
        let has = |name| self.get(name).is_some();
        has("color")
            || has("background")
            || has("background-color")
            || has("font-size")
            || element.attribute("bgcolor").is_some()
            || element.attribute("color").is_some()
    }
}

/// Two that only together hide something are the rule's if one is.
#[allow(clippy::unnecessary_wraps, reason = "it ends chains of what is there")]
fn both(one: Origin, other: Origin) -> Option<Origin> {
    Some(if one == Origin::Rule { one } else { other })
}

/// What the text in an element looks like.
fn look(element: &Element, style: &Style<'_>, outer: &Look) -> Look {
    let mut look = outer.clone();
    let said = |attribute| element.attribute(attribute).map(|it| (it, Origin::Element));
    let background = style.get("background-color").or(style.get("background"));
    if let Some((value, origin)) = background.or(said("bgcolor")) {
        match background_colour(value) {
            // One sees through it.
            Some(colour) if colour == "transparent" => {}
            colour => {
                look.background = colour;
                look.is_by_rule |= origin == Origin::Rule;
            }
        }
    }
    if let Some((value, origin)) = style.get("color").or(said("color"))
        && value != "inherit"
    {
        look.colour = colour(value);
        look.is_by_rule |= origin == Origin::Rule;
    }
    if let Some((size, origin)) = style.get("font-size") {
        let is_tiny = number(size).is_some_and(|it| {
            // Parts of an em are a size that may be large.
            it == 0.0 || it <= 1.0 && (size.ends_with("px") || size.ends_with("pt"))
        });
        // Parts of nothing are nothing.
        if is_tiny || !size.ends_with('%') && (!size.ends_with("em") || size.ends_with("rem")) {
            look.is_tiny = is_tiny;
            look.is_by_rule |= is_tiny && origin == Origin::Rule;
        }
    }
    look
}

/// The colour of a background; none where it is not known, as with pictures.
fn background_colour(value: &str) -> Option<String> {
    if value.contains("url(") || value.contains("gradient") {
        return None;
    }
    match value.trim() {
        "none" | "" => Some("transparent".into()),
        it if it.contains('(') => colour(it),
        it => it.split_ascii_whitespace().find_map(colour),
    }
}

/// A colour in one way of writing, as far as it matters: white and black are written in many. None for what is no colour, or one
/// that is said elsewhere.
fn colour(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase().replace(' ', "");
    Some(match text.as_str() {
        "#fff"
        | "#ffffff"
        | "white"
        | "rgb(255,255,255)"
        | "#fefefe"
        | "#fffffe"
        | "#fdfdfd"
        | "rgba(255,255,255,1)"
        | "hsl(0,0%,100%)" => "white".into(),
        "#000" | "#000000" | "black" | "rgb(0,0,0)" => "black".into(),
        "inherit" | "initial" | "unset" | "revert" | "currentcolor" => return None,
        it if it.contains("var(") => return None,
        it if it.starts_with("rgba(") && (it.ends_with(",0)") || it.ends_with(",0.0)")) => {
            "transparent".into()
        }
        it if it.starts_with('#') || it.contains('(') || it.chars().all(char::is_alphabetic) => {
            it.to_owned()
        }
        _ => return None,
    })
}

/// The number at the beginning of a value: `-9999` of `-9999px`.
pub(super) fn number(value: &str) -> Option<f64> {
    let end = value.find(|it: char| !it.is_ascii_digit() && !"+-.".contains(it));
    value.get(..end.unwrap_or(value.len()))?.parse().ok()
}
