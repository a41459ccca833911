//! Selectors of style sheets: tags, classes, ids, attributes, places among siblings, and how elements are nested.
//!
//! States such as `:hover` never match.

use crate::sheet::split;
use crate::tree::{Element, Id, Tree};

/// Most bytes of a selector. A selector with a million classes would be compared class by class.
const MAX_SELECTOR: usize = 1_000;

/// Deepest nesting of `:not(…)` and `:is(…)`.
const MAX_DEPTH: usize = 4;

/// Parts of a selector: the element itself first, then those around or before it.
pub(crate) struct Selector {
    parts: Vec<(Part, Reach)>,
    /// Specificity: a greater number wins.
    pub(crate) weight: u64,
}

/// Why a selector is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It matches nothing in a page that nobody touches.
    Never,
    /// It is not understood.
    Unknown,
}

/// Where the next part is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Parent,
    Above,
    Previous,
    Before,
}

/// Conditions for one element.
#[derive(Default)]
struct Part {
    name: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
    attributes: Vec<Attribute>,
    places: Vec<Place>,
    /// `true` if it must be the root element.
    is_root: bool,
    not: Vec<Part>,
    /// Lists of which one part must fit.
    any: Vec<Vec<Part>>,
}

/// Condition for an attribute.
struct Attribute {
    name: String,
    test: Test,
    value: String,
}

#[derive(Clone, Copy)]
enum Test {
    Exists,
    Equals,
    HasWord,
    HasLanguage,
    Begins,
    Ends,
    Contains,
}

/// Condition for the place of an element among its siblings: it is one of `step` · n + `first`.
struct Place {
    step: i64,
    first: i64,
    /// `true` if places are counted from the last sibling on.
    is_from_end: bool,
    /// `true` if only siblings of the same name count.
    is_of_type: bool,
}

/// An element of a page. `None` is the root element, which is around the body.
type At = Option<Id>;

impl Selector {
    /// Parses a selector. With `shows`, the rule makes something visible, and may match more than it says.
    pub(crate) fn parse(text: &str, shows: bool) -> Result<Selector, Refusal> {
        if text.len() > MAX_SELECTOR {
            return Err(Refusal::Unknown);
        }
        Selector::parse_at(text, shows, 0)
    }

    fn parse_at(text: &str, shows: bool, depth: usize) -> Result<Selector, Refusal> {
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
                    let (name, next) = word(after).ok_or(Refusal::Unknown)?;
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
                    let (attribute, next) = after.split_once(']').ok_or(Refusal::Unknown)?;
                    rest = next;
                    part.attributes.push(Attribute::parse(attribute));
                    weight += 1 << 10;
                }
                ':' => {
                    let (more, next) = part.restrict(after, shows, depth)?;
                    weight += more;
                    rest = next;
                }
                '*' => rest = after,
                _ if first.is_ascii_whitespace() || matches!(first, '>' | '+' | '~') => {
                    let next = rest.trim_start();
                    let (next_reach, next) = match next.chars().next() {
                        Some('>') => (Reach::Parent, next.get(1..).unwrap_or_default()),
                        Some('+') => (Reach::Previous, next.get(1..).unwrap_or_default()),
                        Some('~') => (Reach::Before, next.get(1..).unwrap_or_default()),
                        _ => (Reach::Above, next),
                    };
                    let next = next.trim_start();
                    if !is_begun || next.is_empty() {
                        return Err(Refusal::Unknown);
                    }
                    parts.push((std::mem::take(&mut part), reach));
                    reach = next_reach;
                    is_begun = false;
                    rest = next;
                    continue;
                }
                _ => {
                    let (name, next) = word(rest).ok_or(Refusal::Unknown)?;
                    rest = next;
                    part.name = Some(name.to_ascii_lowercase());
                    weight += 1;
                }
            }
            is_begun = true;
        }
        if !is_begun {
            return Err(Refusal::Unknown);
        }
        parts.push((part, reach));
        // Each part has its relation to the part before it, which is the next one outwards.
        parts.reverse();
        Ok(Selector { parts, weight })
    }

    /// Returns what the element itself must have: its id, else a class, else its name.
    pub(crate) fn key(&self) -> String {
        let Some((part, _)) = self.parts.first() else { return "*".into() };
        match (&part.id, part.classes.first(), &part.name) {
            (Some(id), _, _) => format!("#{id}"),
            (None, Some(class), _) => format!(".{class}"),
            (None, None, Some(name)) => name.clone(),
            (None, None, None) => "*".into(),
        }
    }

    /// Returns whether an element matches. Each element around it is tried once, from the nearest on. A match that
    /// needs backtracking, as in `a > b c`, is missed. Adds the number of steps to `compared`, because one rule may
    /// look at all elements around, and at thousands of classes of each.
    pub(crate) fn fits(&self, page: &Page<'_>, at: At, compared: &mut usize) -> bool {
        let mut parts = self.parts.iter();
        let Some((part, reach)) = parts.next() else { return false };
        let mut reach = *reach;
        if !part.fits(page, at, compared) {
            return false;
        }
        let mut at = at;
        for (part, next) in parts {
            loop {
                let outer = match reach {
                    Reach::Parent | Reach::Above => page.parent(at),
                    Reach::Previous | Reach::Before => page.previous(at, reach, compared),
                };
                let Some(outer) = outer else { return false };
                at = outer;
                if part.fits(page, at, compared) {
                    break;
                }
                if matches!(reach, Reach::Parent | Reach::Previous) {
                    return false;
                }
            }
            reach = *next;
        }
        true
    }
}

/// A page in which selectors are matched.
pub(crate) struct Page<'a> {
    pub(crate) tree: &'a Tree,
    /// The root element.
    pub(crate) html: &'a Element,
}

impl Page<'_> {
    pub(crate) fn element(&self, at: At) -> Option<&Element> {
        at.map_or(Some(self.html), |id| self.tree.element(id))
    }

    fn parent(&self, at: At) -> Option<At> {
        let id = at?;
        Some((id != 0).then(|| self.tree.parent(id)))
    }

    /// Returns the element before an element. For [`Reach::Previous`], no other element is between them, such as a script,
    /// which is not in the tree.
    fn previous(&self, at: At, reach: Reach, compared: &mut usize) -> Option<At> {
        let id = at.filter(|id| *id != 0)?;
        let siblings = self.tree.children(self.tree.parent(id));
        // Nodes are in the order of the page.
        let own = siblings.binary_search(&id).ok()?;
        for sibling in siblings.get(..own)?.iter().rev() {
            *compared += 1;
            if self.tree.element(*sibling).is_some() {
                let is_adjacent = self.tree.place(*sibling) + 1 == self.tree.place(id);
                return (is_adjacent || reach != Reach::Previous).then_some(Some(*sibling));
            }
        }
        None
    }

    /// Returns the place of an element among its siblings, from 1.
    fn place(&self, id: Id, place: &Place, compared: &mut usize) -> usize {
        let parent = self.tree.parent(id);
        let own = self.tree.place(id);
        if !place.is_of_type {
            return if place.is_from_end { self.tree.elements(parent) + 1 - own } else { own };
        }
        let siblings = self.tree.children(parent);
        *compared += siblings.len();
        let name = self.tree.element(id).map(|it| it.name.as_str());
        let counts = |sibling: &&Id| {
            self.tree.element(**sibling).is_some_and(|it| Some(it.name.as_str()) == name)
                && if place.is_from_end { **sibling >= id } else { **sibling <= id }
        };
        siblings.iter().filter(counts).count()
    }
}

impl Part {
    /// Adds the condition of a pseudo-class. Returns its weight and the text after it.
    fn restrict<'a>(
        &mut self,
        text: &'a str,
        shows: bool,
        depth: usize,
    ) -> Result<(u64, &'a str), Refusal> {
        const NEVER: [&str; 16] = [
            "hover",
            "focus",
            "focus-within",
            "focus-visible",
            "active",
            "visited",
            "target",
            "checked",
            "indeterminate",
            "disabled",
            "invalid",
            "fullscreen",
            "popover-open",
            "before",
            "after",
            "selection",
        ];
        if text.starts_with(':') {
            // Parts of an element, such as its first line.
            return Err(Refusal::Never);
        }
        let (name, rest) = word(text).ok_or(Refusal::Unknown)?;
        let name = name.to_ascii_lowercase();
        let (inside, rest) = match rest.strip_prefix('(') {
            Some(inside) => bracketed(inside).ok_or(Refusal::Unknown)?,
            None => ("", rest),
        };
        if NEVER.contains(&name.as_str()) {
            return Err(Refusal::Never);
        }
        let places = match name.as_str() {
            "only-child" => vec!["first-child", "last-child"],
            "only-of-type" => vec!["first-of-type", "last-of-type"],
            name => vec![name],
        };
        let places: Option<Vec<Place>> =
            places.into_iter().map(|name| Place::parse(name, inside)).collect();
        if let Some(places) = places {
            self.places.extend(places);
            return Ok((1 << 10, rest));
        }
        match name.as_str() {
            "root" => self.is_root = true,
            "link" | "any-link" => {
                let name = "href".into();
                self.attributes.push(Attribute { name, test: Test::Exists, value: String::new() });
            }
            "not" | "is" | "where" | "matches" | "-webkit-any" | "-moz-any"
                if depth < MAX_DEPTH =>
            {
                match list(inside, shows, depth) {
                    Ok((parts, weight)) => {
                        if name == "not" {
                            self.not.extend(parts)
                        } else {
                            self.any.push(parts)
                        }
                        return Ok((if name == "where" { 0 } else { weight }, rest));
                    }
                    Err(_) if shows => {}
                    Err(refusal) => return Err(refusal),
                }
            }
            "has" if shows => {}
            _ => return Err(Refusal::Unknown),
        }
        Ok((1 << 10, rest))
    }

    fn fits(&self, page: &Page<'_>, at: At, compared: &mut usize) -> bool {
        let Some(element) = page.element(at) else { return false };
        *compared += 1;
        let classes = element.attribute("class").unwrap_or_default();
        if !self.classes.is_empty() {
            *compared += classes.len() / 64;
        }
        let has_class = |class: &String| classes.split_ascii_whitespace().any(|it| it == class);
        self.name.as_ref().is_none_or(|it| *it == element.name)
            && self.id.as_ref().is_none_or(|it| element.attribute("id") == Some(it))
            && (!self.is_root || at.is_none())
            && self.classes.iter().all(has_class)
            && self.attributes.iter().all(|it| it.fits(element))
            && self.places.iter().all(|place| match at {
                Some(id) if id != 0 => place.has(page.place(id, place, compared)),
                // The body comes after the head.
                Some(_) => place.has(if place.is_from_end || place.is_of_type { 1 } else { 2 }),
                None => place.has(1),
            })
            && !self.not.iter().any(|it| it.fits(page, at, compared))
            && self.any.iter().all(|list| list.iter().any(|it| it.fits(page, at, compared)))
    }
}

/// Parses the list of `:not(…)` and `:is(…)`. Returns the parts and the greatest weight.
fn list(text: &str, shows: bool, depth: usize) -> Result<(Vec<Part>, u64), Refusal> {
    let mut parts = Vec::new();
    let mut weight = 0;
    for selector in split(text, ',') {
        let selector = match Selector::parse_at(selector, shows, depth + 1) {
            // What never matches is no part of the list.
            Err(Refusal::Never) => continue,
            it => it?,
        };
        weight = weight.max(selector.weight);
        let mut own = selector.parts.into_iter();
        match (own.next(), own.next()) {
            (Some((part, _)), None) => parts.push(part),
            _ => return Err(Refusal::Unknown),
        }
    }
    Ok((parts, weight))
}

impl Attribute {
    /// Parses `name`, `name=value`, `name^="value" i`.
    fn parse(text: &str) -> Attribute {
        let Some((name, value)) = text.split_once('=') else {
            let name = text.trim().to_ascii_lowercase();
            return Attribute { name, test: Test::Exists, value: String::new() };
        };
        let (test, name) = match name.trim_end().char_indices().next_back() {
            Some((at, '~')) => (Test::HasWord, name.get(..at)),
            Some((at, '|')) => (Test::HasLanguage, name.get(..at)),
            Some((at, '^')) => (Test::Begins, name.get(..at)),
            Some((at, '$')) => (Test::Ends, name.get(..at)),
            Some((at, '*')) => (Test::Contains, name.get(..at)),
            _ => (Test::Equals, Some(name)),
        };
        let value = value.trim();
        let value = match value.chars().next().filter(|it| matches!(it, '"' | '\'')) {
            // A flag may follow the quotes.
            Some(quote) => value.split(quote).nth(1).unwrap_or_default(),
            None => value.split_ascii_whitespace().next().unwrap_or_default(),
        };
        let name = name.unwrap_or_default().trim().to_ascii_lowercase();
        Attribute { name, test, value: value.to_owned() }
    }

    fn fits(&self, element: &Element) -> bool {
        let Some(found) = element.attribute(&self.name) else { return false };
        let value = self.value.as_str();
        match self.test {
            Test::Exists => true,
            Test::Equals => found == value,
            Test::HasWord => found.split_ascii_whitespace().any(|it| it == value),
            Test::HasLanguage => found
                .strip_prefix(value)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
            // An empty text is in none.
            Test::Begins => !value.is_empty() && found.starts_with(value),
            Test::Ends => !value.is_empty() && found.ends_with(value),
            Test::Contains => !value.is_empty() && found.contains(value),
        }
    }
}

impl Place {
    /// Parses a pseudo-class; `None` if it is not about places.
    fn parse(name: &str, inside: &str) -> Option<Place> {
        let is_of_type = name.ends_with("-of-type");
        let place = |step, first, is_from_end| Place { step, first, is_from_end, is_of_type };
        match name {
            "first-child" | "first-of-type" => Some(place(0, 1, false)),
            "last-child" | "last-of-type" => Some(place(0, 1, true)),
            "nth-child" | "nth-of-type" => {
                let (step, first) = steps(inside)?;
                Some(place(step, first, false))
            }
            "nth-last-child" | "nth-last-of-type" => {
                let (step, first) = steps(inside)?;
                Some(place(step, first, true))
            }
            _ => None,
        }
    }

    fn has(&self, place: usize) -> bool {
        let Some(behind) =
            i64::try_from(place).ok().and_then(|place| place.checked_sub(self.first))
        else {
            return false;
        };
        match self.step {
            0 => behind == 0,
            step => behind.checked_rem(step) == Some(0) && behind.checked_div(step) >= Some(0),
        }
    }
}

/// Parses `odd`, `even`, `3`, `2n + 1`, `-n+3`.
fn steps(text: &str) -> Option<(i64, i64)> {
    let text: String = text.chars().filter(|it| !it.is_whitespace()).collect();
    match text.as_str() {
        "odd" => return Some((2, 1)),
        "even" => return Some((2, 0)),
        _ => {}
    }
    let Some((step, first)) = text.split_once(['n', 'N']) else {
        return Some((0, text.parse().ok()?));
    };
    let step = match step {
        "" | "+" => 1,
        "-" => -1,
        step => step.parse().ok()?,
    };
    Some((step, if first.is_empty() { 0 } else { first.parse().ok()? }))
}

/// Returns the text in the brackets that were opened, and the text after them.
fn bracketed(inside: &str) -> Option<(&str, &str)> {
    let mut depth = 1;
    let end = inside.find(|it| {
        depth += i32::from(it == '(') - i32::from(it == ')');
        depth == 0
    })?;
    Some((inside.get(..end)?, inside.get(end + 1..)?))
}

/// Returns the name at the start, without its escapes, and the text after it.
fn word(text: &str) -> Option<(String, &str)> {
    let mut end = text.len();
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        let is_name = is_escaped
            || matches!(character, '-' | '_' | '\\')
            || character.is_alphanumeric()
            || !character.is_ascii();
        if !is_name {
            end = at;
            break;
        }
        is_escaped = !is_escaped && character == '\\';
    }
    let name = crate::values::unescaped(text.get(..end)?);
    (!name.is_empty()).then_some((name, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a body with `p.a`, a script, `p.b#i[title]`, `div`, and a `b` in the last.
    fn page() -> (Tree, Element, [Id; 4]) {
        let attributes = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| (String::from(*name), String::from(*value))).collect()
        };
        let mut tree = Tree::new(Vec::new());
        let one = tree.add_element(Element::new("p", attributes(&[("class", "a")])), 0);
        assert!(tree.add_element(Element::new("script", Vec::new()), 0).is_none());
        let more = [("class", "b c"), ("id", "i"), ("title", "the-end x")];
        let two = tree.add_element(Element::new("p", attributes(&more)), 0);
        tree.add_text("text".into(), 0);
        let three = tree.add_element(Element::new("div", Vec::new()), 0);
        let four = tree.add_element(Element::new("b", Vec::new()), three.unwrap());
        (tree, Element::new("html", Vec::new()), [one, two, three, four].map(Option::unwrap))
    }

    #[test]
    fn selectors_match_as_in_browsers() {
        let (tree, html, ids) = page();
        let page = Page { tree: &tree, html: &html };
        let matched = |text: &str| {
            let selector =
                Selector::parse(text, false).unwrap_or_else(|it| panic!("{text}: {it:?}"));
            let fits = |id: &&Id| selector.fits(&page, Some(**id), &mut 0);
            let places = ids.iter().filter(fits);
            places.map(|id| ids.iter().position(|it| it == id).unwrap() + 1).collect::<Vec<_>>()
        };
        for (text, expected) in [
            ("*", &[1, 2, 3, 4][..]),
            ("P", &[1, 2]),
            (".c.b", &[2]),
            ("#i", &[2]),
            ("body > p", &[1, 2]),
            ("html b", &[4]),
            ("div>b", &[4]),
            ("p ~ div b", &[4]),
            ("p+div", &[3]),
            // A script is between them.
            ("p + p", &[]),
            ("p ~ p", &[2]),
            (":first-child", &[1, 4]),
            ("p:nth-child(3)", &[2]),
            (":nth-child(even)", &[3]),
            ("p:nth-of-type( 2n )", &[2]),
            ("p:nth-last-of-type(1)", &[2]),
            (":nth-child(-n+1)", &[1, 4]),
            (":only-child", &[4]),
            ("div:last-child", &[3]),
            ("p:not(.a)", &[2]),
            ("p:not(#i, .z)", &[1]),
            (":is(b, .a)", &[1, 4]),
            ("[title]", &[2]),
            ("[title='the-end x']", &[2]),
            ("[title^=the][title$='x']", &[2]),
            ("[title*='-end']", &[2]),
            ("[title~=x]", &[2]),
            ("[title|=the]", &[2]),
            ("[title*='']", &[]),
            ("[title~='x' i]", &[2]),
            (".\\62 ", &[2]),
            (":root", &[]),
            (":root > body > b", &[]),
        ] {
            assert_eq!(matched(text), expected, "{text}");
        }
        for text in ["a:hover", "p::before", "p:after", "input:checked + p"] {
            assert_eq!(Selector::parse(text, false).err(), Some(Refusal::Never), "{text}");
        }
        let nested = format!("{}p{}", ":not(".repeat(9), ")".repeat(9));
        for text in ["p:has(b)", "p:lang(de)", "", ">p", "p >", "p[", ":nth-child(x)", &nested] {
            assert_eq!(Selector::parse(text, false).err(), Some(Refusal::Unknown), "{text}");
        }
        // A rule that shows something may match more than it says.
        assert!(Selector::parse("p:has(b)", true).is_ok());
    }
}
