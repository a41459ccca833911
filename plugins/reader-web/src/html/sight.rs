//! Which text of a page people see.
//!
//! Decided by what elements and the style sheets in the page say, never by running a script. What lies in files of their own is not
//! known, so a text that only these hide is kept.

use super::sheet::{PROPERTIES, Sheet, Values};
use super::tree::{Element, Id, Tree};
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
}

impl Hidden {
    pub(super) const ALL: [Hidden; 5] =
        [Hidden::No, Hidden::Surely, Hidden::Faded, Hidden::ByRule, Hidden::Fallback];
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
        let how = how(element, &style, id);
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
