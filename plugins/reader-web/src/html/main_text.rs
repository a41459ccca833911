//! Finds the main text of a page, and what is around it: navigation, banners, other pages.
//!
//! Elements and roles with a meaning come first, then names that sites use, then the place of most sentences. If in
//! doubt, everything is kept.

use super::captions;
use super::lead::{add_heading, add_lead};
use super::names::Names;
use super::others::{end_headings, others};
use super::size::{Size, sizes};
use super::tree::{Amount, Element, Id, Tree};
use std::collections::HashSet;

/// Fewest characters of a main text. With less, everything is kept.
const MIN_CHARACTERS: usize = 200;

/// Least percentage of the text of the page. An element with less is not the main text, whatever its name is.
const NAMED: usize = 25;

/// The percentage of the text that the found part must hold: `INSIDE` a part that says it is the main text, `ANYWHERE`
/// on a page without one. With less, the rest may be main text too. Both were tuned, with the names of
/// [`super::names`], on 1,497 pages, and measured on others (`tests/main_text.rs`).
const INSIDE: usize = 70;
const ANYWHERE: usize = 50;

/// A page is searched again if less than one part in this many was found.
const MISLED: usize = 20;

/// The main text of a page.
pub(crate) struct MainText {
    /// Roots of the text, in order.
    pub(crate) roots: Vec<Id>,
    /// `true` for each node that is left out with everything below it.
    pub(crate) is_left_out: Vec<bool>,
    /// The text outside of the roots.
    pub(crate) left_out: Amount,
    /// Captions of pictures. They are kept, but are not sentences of the text.
    pub(crate) captions: HashSet<Id>,
    /// Number of characters that are kept, without those of links.
    kept: usize,
    /// `true` if the names of parts were ignored, because they left almost nothing.
    pub(crate) is_widened: bool,
}

impl MainText {
    /// Returns the whole page.
    pub(crate) fn all(tree: &Tree) -> MainText {
        MainText {
            roots: vec![0],
            is_left_out: vec![false; tree.len()],
            left_out: Amount::default(),
            captions: HashSet::new(),
            kept: 0,
            is_widened: false,
        }
    }
}

/// Finds the text of a page. If the page has sentences and almost none of them are found, its names are misleading. It
/// is then searched without them.
pub(crate) fn find(tree: &Tree) -> MainText {
    let whole = sizes(tree, &vec![false; tree.len()]);
    let plain = whole.first().map_or(0, |it| it.plain());
    let found = search(tree, &whole, true);
    if plain < 1_500 || found.kept * MISLED > plain {
        return found;
    }
    let wide = search(tree, &whole, false);
    if wide.kept > 2 * found.kept { MainText { is_widened: true, ..wide } } else { found }
}

/// Finds the text of a page, with or without the names that it gives to its parts.
fn search(tree: &Tree, whole: &[Size], has_names: bool) -> MainText {
    let all = whole.first().map_or(0, |it| it.all);
    let mut is_left_out = around(tree, whole, has_names);
    let captions = captions::find(tree, whole, &is_left_out);
    captions::mark(&captions, &mut is_left_out, true);
    let kept = sizes(tree, &is_left_out);
    let total = kept.first().map_or(0, |it| it.all);
    if total < MIN_CHARACTERS && all > total {
        let is_widened = all >= MIN_CHARACTERS && all > 2 * total;
        return MainText { is_widened, ..MainText::all(tree) };
    }
    let at = |id: Id| kept.get(id).copied().unwrap_or_default();
    let plain = |roots: &[Id]| roots.iter().map(|id| at(*id).plain()).sum::<usize>();
    let mut roots = vec![named(tree, &kept).unwrap_or(0)];
    if plain(&roots) * 100 < at(0).plain() * NAMED {
        roots = vec![0];
    }
    // A part that is named as the text often contains more than that.
    let within = roots.first().copied().unwrap_or(0);
    let narrow = scored(tree, &kept, within);
    let share = if within == 0 { ANYWHERE } else { INSIDE };
    let found: usize = narrow.iter().map(|id| at(*id).all).sum();
    if found >= MIN_CHARACTERS && plain(&narrow) * 100 >= plain(&roots) * share {
        roots = narrow;
    }
    add_heading(tree, &kept, &mut roots);
    add_lead(tree, &kept, &is_left_out, &mut roots);
    others(tree, &kept, &roots, &mut is_left_out);
    end_headings(tree, &roots, &mut is_left_out);
    captions::mark(&captions, &mut is_left_out, false);
    let kept = sizes(tree, &is_left_out);
    let at = |id: Id| kept.get(id).copied().unwrap_or_default();
    let found: usize = roots.iter().map(|id| at(*id).all).sum();
    let pieces = is_left_out.iter().filter(|it| **it).count();
    let characters = all.saturating_sub(found);
    let kept = roots.iter().map(|id| at(*id).plain()).sum();
    let left_out = Amount { pieces, characters };
    MainText { roots, is_left_out, left_out, captions, kept, is_widened: false }
}

/// Returns `true` for each node that is around the text.
fn around(tree: &Tree, sizes: &[Size], has_names: bool) -> Vec<bool> {
    let total = sizes.first().map_or(0, |it| it.all);
    let headings = count(tree, "h1");
    let names = has_names.then(|| Names::new(tree, sizes));
    let mut is_around = vec![false; tree.len()];
    for id in 1..tree.len() {
        let Some(element) = tree.element(id) else { continue };
        let size = sizes.get(id).copied().unwrap_or_default();
        // A part that holds most of the page is the page, whatever its name is.
        let is_beside = names.as_ref().is_some_and(|it| it.are_beside(id, size));
        if size.all * 2 > total && !element.is(&["nav"]) && !is_beside {
            continue;
        }
        let is_most = names.as_ref().is_some_and(|it| it.are_most(id));
        let is_text = || within(tree, id, &["article", "main", "blockquote"]);
        let has_heading = || tree.has_below(id, &["h1"]) && headings == 1;
        let is = match element.name.as_str() {
            "nav" | "menu" | "button" | "select" | "textarea" | "input" | "dialog" => true,
            "footer" => !within(tree, id, &["blockquote"]),
            "header" => !is_text() && !has_heading(),
            "aside" => true,
            "form" => size.all * 5 < total && !is_most,
            _ => false,
        };
        let is = is
            || role(element) && !has_heading()
            || names.as_ref().is_some_and(|it| it.say(id, element, size))
                && !is_most
                && !has_heading();
        if let Some(place) = is_around.get_mut(id) {
            *place = is;
        }
    }
    is_around
}

fn count(tree: &Tree, name: &str) -> usize {
    (0..tree.len()).filter(|id| tree.is(*id, &[name])).count()
}

pub(super) fn within(tree: &Tree, id: Id, names: &[&str]) -> bool {
    above(tree, id).any(|it| tree.is(it, names))
}

fn role(element: &Element) -> bool {
    element.has_word(
        "role",
        &[
            "navigation",
            "banner",
            "contentinfo",
            "complementary",
            "search",
            "menu",
            "menubar",
            "dialog",
            "alertdialog",
            "toolbar",
        ],
    )
}

/// Returns the element that is marked as the text.
fn named(tree: &Tree, sizes: &[Size]) -> Option<Id> {
    let size = |id: Id| sizes.get(id).map_or(0, |it| it.all);
    let total = size(0);
    let mut bodies = Vec::new();
    let mut articles = Vec::new();
    let mut mains = Vec::new();
    for id in 0..tree.len() {
        let Some(element) = tree.element(id) else { continue };
        if size(id) < MIN_CHARACTERS {
            continue;
        }
        if element.has_word("itemprop", &["articleBody"]) {
            bodies.push(id);
        } else if element.is(&["article"]) || element.has_word("role", &["article"]) {
            articles.push(id);
        } else if element.is(&["main"]) || element.has_word("role", &["main"]) {
            mains.push(id);
        }
    }
    let alone = |ids: &[Id], share: usize| {
        let mut ordered: Vec<Id> = ids.to_vec();
        ordered.sort_by_key(|id| std::cmp::Reverse(size(*id)));
        let first = *ordered.first()?;
        // Several of the same type are a list.
        let outside = ordered.iter().skip(1).filter(|id| !is_below(tree, **id, first));
        let second = outside.map(|id| size(*id)).max().unwrap_or(0);
        (second * 3 < size(first) && size(first) * 100 >= total * share).then_some(first)
    };
    alone(&bodies, 25).or_else(|| alone(&articles, 30)).or_else(|| alone(&mains, 30))
}

pub(super) fn is_below(tree: &Tree, id: Id, upper: Id) -> bool {
    id == upper || upper == 0 || above(tree, id).any(|it| it == upper)
}

/// Returns the nodes around a node, the innermost first, without the root.
pub(super) fn above(tree: &Tree, id: Id) -> impl Iterator<Item = Id> {
    let next = |id: &Id| Some(tree.parent(*id)).filter(|it| *it != 0);
    std::iter::successors(next(&id), next)
}

/// Returns the element with most sentences, with those beside it.
fn scored(tree: &Tree, sizes: &[Size], within: Id) -> Vec<Id> {
    let size = |id: Id| sizes.get(id).copied().unwrap_or_default();
    let mut scores = vec![0.0; tree.len()];
    let mut inside = Vec::new();
    tree.walk(within, |id| {
        inside.push(id);
        true
    });
    for id in inside {
        let worth = worth(tree, id, size(id));
        if worth == 0.0 || id == within {
            continue;
        }
        let mut upper = id;
        for share in [1.0, 0.5, 0.17, 0.11] {
            upper = tree.parent(upper);
            if let Some(score) = scores.get_mut(upper) {
                *score += worth * share;
            }
            if upper == within {
                break;
            }
        }
    }
    for (id, score) in scores.iter_mut().enumerate() {
        *score *= 1.0 - size(id).density();
    }
    let score = |id: Id| scores.get(id).copied().unwrap_or(0.0);
    let Some(mut top) = (0..tree.len()).max_by(|a, b| score(*a).total_cmp(&score(*b))) else {
        return vec![within];
    };
    if score(top) <= 0.0 {
        return vec![within];
    }
    // A parent may have several children that are nearly as good.
    while top != within {
        let upper = tree.parent(top);
        if score(upper) < score(top) * 0.75 {
            break;
        }
        top = upper;
    }
    if top == within {
        return vec![within];
    }
    let limit = (score(top) * 0.2).max(10.0);
    let is_beside = |id: Id| {
        let size = size(id);
        id == top
            || score(id) >= limit
            || tree.is(id, &["p", "h1", "h2", "h3", "h4", "blockquote", "ul", "ol", "pre", "table"])
                && (size.all > 80 && size.density() < 0.25
                    || tree.is(id, &["h1", "h2", "h3", "h4"]))
    };
    tree.children(tree.parent(top)).iter().copied().filter(|id| is_beside(*id)).collect()
}

/// Returns the score of a paragraph for the element around it; 0 if it is not a paragraph.
fn worth(tree: &Tree, id: Id, size: Size) -> f64 {
    if size.all < 20 || size.density() > 0.5 {
        return 0.0;
    }
    let is_paragraph = match tree.element(id) {
        Some(element) => element.is(&["p", "pre", "blockquote", "li", "dd"]),
        // Text outside of paragraphs.
        None => tree.is(
            tree.parent(id),
            &["div", "td", "section", "article", "center", "font", "span", "body"],
        ),
    };
    if !is_paragraph || tree.has_below(id, &["p", "div", "li"]) {
        return 0.0;
    }
    let text = tree.text_of(id);
    let commas = text.chars().filter(|it| ",，、。;；".contains(*it)).count();
    1.0 + commas as f64 + (size.all as f64 / 100.0).min(3.0)
}
