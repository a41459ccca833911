//! What of a page is its text, and what is around it: navigation, banners, other pages.
//!
//! Elements and roles that say what they are come first, then names that sites give, then where most sentences are. In doubt all is
//! kept.

use super::tree::{Amount, Element, Id, Tree};
use std::collections::HashSet;

/// Fewest characters of a text; with less, everything is kept.
const MIN_CHARACTERS: usize = 200;

/// Percent of the text of the page: what holds less is not the main text, whatever it says of itself.
const NAMED: usize = 25;

/// Percent of the text that what was found must hold, in what says to be the main text and in a page where nothing does: with less it
/// is uncertain that the rest is something else. Tuned, with the names below, on 1 497 pages, and measured on others (`tests/main_text.rs`).
const INSIDE: usize = 70;
const ANYWHERE: usize = 50;

/// What was found.
pub(crate) struct Found {
    /// Where the text is, in order.
    pub(crate) roots: Vec<Id>,
    /// For each node, whether it and what is below it is left out.
    pub(crate) is_left_out: Vec<bool>,
    /// What is not below the roots.
    pub(crate) left_out: Amount,
}

impl Found {
    /// Everything.
    pub(crate) fn all(tree: &Tree) -> Found {
        Found { roots: vec![0], is_left_out: vec![false; tree.len()], left_out: Amount::default() }
    }
}

/// Characters without white space below a node, and those of links.
#[derive(Clone, Copy, Default)]
struct Size {
    all: usize,
    linked: usize,
}

impl Size {
    /// Without links.
    fn plain(self) -> usize {
        self.all - self.linked.min(self.all)
    }

    fn density(self) -> f64 {
        if self.all == 0 { 0.0 } else { self.linked as f64 / self.all as f64 }
    }
}

/// Find the text of a page.
pub(crate) fn find(tree: &Tree) -> Found {
    let whole = sizes(tree, &vec![false; tree.len()]);
    let all = whole.first().map_or(0, |it| it.all);
    let mut is_left_out = around(tree, &whole);
    let kept = sizes(tree, &is_left_out);
    let total = kept.first().map_or(0, |it| it.all);
    if total < MIN_CHARACTERS && all > total {
        return Found::all(tree);
    }
    let at = |id: Id| kept.get(id).copied().unwrap_or_default();
    let plain = |roots: &[Id]| roots.iter().map(|id| at(*id).plain()).sum::<usize>();
    let mut roots = vec![named(tree, &kept).unwrap_or(0)];
    if plain(&roots) * 100 < at(0).plain() * NAMED {
        roots = vec![0];
    }
    // What says of itself that it is the text often holds more than that.
    let within = roots.first().copied().unwrap_or(0);
    let narrow = scored(tree, &kept, within);
    let share = if within == 0 { ANYWHERE } else { INSIDE };
    let found: usize = narrow.iter().map(|id| at(*id).all).sum();
    if found >= MIN_CHARACTERS && plain(&narrow) * 100 >= plain(&roots) * share {
        roots = narrow;
    }
    add_heading(tree, &kept, &mut roots);
    others(tree, &kept, &roots, &mut is_left_out);
    let kept = sizes(tree, &is_left_out);
    let at = |id: Id| kept.get(id).copied().unwrap_or_default();
    let found: usize = roots.iter().map(|id| at(*id).all).sum();
    let pieces = is_left_out.iter().filter(|it| **it).count();
    let characters = all.saturating_sub(found);
    Found { roots, is_left_out, left_out: Amount { pieces, characters } }
}

/// Sizes of all nodes without what is left out.
fn sizes(tree: &Tree, is_left_out: &[bool]) -> Vec<Size> {
    let mut sizes = vec![Size::default(); tree.len()];
    for id in (0..tree.len()).rev() {
        if is_left_out.get(id) == Some(&true) {
            continue;
        }
        let mut size = match tree.text(id) {
            Some(text) => {
                Size { all: text.chars().filter(|it| !it.is_whitespace()).count(), linked: 0 }
            }
            None => Size::default(),
        };
        for child in tree.children(id) {
            let child = sizes.get(*child).copied().unwrap_or_default();
            size.all += child.all;
            size.linked += child.linked;
        }
        if tree.is(id, &["a"]) {
            size.linked = size.all;
        }
        if let Some(place) = sizes.get_mut(id) {
            *place = size;
        }
    }
    sizes
}

/// What is around the text: for each node whether it is.
fn around(tree: &Tree, sizes: &[Size]) -> Vec<bool> {
    let total = sizes.first().map_or(0, |it| it.all);
    let headings = count(tree, "h1");
    let names = Names { total, is_discussion: is_discussion(tree, sizes) };
    let mut is_around = vec![false; tree.len()];
    for id in 1..tree.len() {
        let Some(element) = tree.element(id) else { continue };
        let size = sizes.get(id).copied().unwrap_or_default();
        // Whatever it is called, what holds most of a page is the page.
        if size.all * 2 > total && !element.is(&["nav"]) {
            continue;
        }
        let is_text = || within(tree, id, &["article", "main", "blockquote"]);
        let has_heading = || tree.has_below(id, &["h1"]) && headings == 1;
        let is = match element.name.as_str() {
            "nav" | "menu" | "button" | "select" | "textarea" | "input" | "dialog" => true,
            "footer" => !within(tree, id, &["blockquote"]),
            "header" => !is_text() && !has_heading(),
            "aside" => true,
            "form" => size.all * 5 < total,
            _ => false,
        };
        let is =
            is || role(element) && !has_heading() || names.say(element, size) && !has_heading();
        if let Some(place) = is_around.get_mut(id) {
            *place = is;
        }
    }
    is_around
}

fn count(tree: &Tree, name: &str) -> usize {
    (0..tree.len()).filter(|id| tree.is(*id, &[name])).count()
}

fn within(tree: &Tree, id: Id, names: &[&str]) -> bool {
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

/// Never text.
const SURE: [&str; 37] = [
    "nav",
    "navbar",
    "navigation",
    "navbox",
    "menu",
    "breadcrumb",
    "breadcrumbs",
    "cookie",
    "cookies",
    "cookiebar",
    "consent",
    "gdpr",
    "advert",
    "advertisement",
    "ads",
    "adsense",
    "adbox",
    "sponsor",
    "sponsored",
    "share",
    "sharing",
    "sharebar",
    "social",
    "newsletter",
    "subscribe",
    "pagination",
    "pager",
    "skip",
    "skiplink",
    "masthead",
    "popup",
    "disqus",
    "sitemap",
    "noprint",
    "editsection",
    "addthis",
    "copyright",
];
/// Text only if it is long and has few links.
const UNSURE: [&str; 30] = [
    "footer",
    "foot",
    "sidebar",
    "sidebars",
    "aside",
    "banner",
    "promo",
    "promotion",
    "related",
    "recommend",
    "recommended",
    "recommendations",
    "login",
    "signup",
    "modal",
    "overlay",
    "toolbar",
    "widget",
    "widgets",
    "comment",
    "comments",
    "respond",
    "tags",
    "tagcloud",
    "toc",
    "search",
    "topbar",
    "catlinks",
    "teaser",
    "outbrain",
];

/// What classes and ids say on a page.
struct Names {
    /// Characters of all of it.
    total: usize,
    is_discussion: bool,
}

impl Names {
    /// Whether the class or the id of an element says that it is no text.
    fn say(&self, element: &Element, size: Size) -> bool {
        if element.is(&[
            "body", "main", "article", "h1", "h2", "h3", "p", "table", "tr", "td", "pre", "code",
            "a", "b", "i", "em", "strong",
        ]) {
            return false;
        }
        let names = [element.attribute("class"), element.attribute("id")];
        let mut is_unsure = false;
        let mut is_result = false;
        for name in names.into_iter().flatten().flat_map(str::split_ascii_whitespace) {
            // A maker of pages calls every piece of one so.
            let is_piece = name.starts_with("elementor");
            for word in words(name) {
                let word = word.as_str();
                if SURE.contains(&word) && size.all * 4 < self.total {
                    return true;
                }
                is_result |= matches!(word, "result" | "results");
                is_unsure |= UNSURE.contains(&word)
                    && !(is_piece && word == "widget")
                    && !(self.is_discussion && COMMENT.contains(&word));
            }
        }
        is_unsure && !is_result && size.all * 3 < self.total
    }
}

/// What answers are called where people discuss.
const COMMENT: [&str; 3] = ["comment", "comments", "respond"];

/// Whether most of a page is what people say to each other.
fn is_discussion(tree: &Tree, sizes: &[Size]) -> bool {
    let size = |id: Id| sizes.get(id).copied().unwrap_or_default();
    let mut said = 0;
    tree.walk(0, |id| {
        let Some(element) = tree.element(id).filter(|it| !it.is(&["body"])) else { return true };
        let names = [element.attribute("class"), element.attribute("id")];
        let is_comment =
            names.into_iter().flatten().flat_map(words).any(|it| COMMENT.contains(&it.as_str()));
        said += if is_comment { size(id).plain() } else { 0 };
        !is_comment
    });
    // Below an article stand comments too, which may be longer than it is.
    let rest = size(0).plain().saturating_sub(said);
    said > rest && rest < 1_000
}

/// `siteNav main-menu` as `site`, `nav`, `main`, `menu`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for character in name.chars().chain([' ']) {
        let begins = character.is_uppercase() && was_small;
        if (begins || !character.is_alphabetic()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphabetic() {
            word.extend(character.to_lowercase());
        }
        was_small = character.is_lowercase();
    }
    words
}

/// The element that says itself that it is the text.
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
        // Several of a kind are a list of them.
        let outside = ordered.iter().skip(1).filter(|id| !is_below(tree, **id, first));
        let second = outside.map(|id| size(*id)).max().unwrap_or(0);
        (second * 3 < size(first) && size(first) * 100 >= total * share).then_some(first)
    };
    alone(&bodies, 25).or_else(|| alone(&articles, 30)).or_else(|| alone(&mains, 30))
}

fn is_below(tree: &Tree, id: Id, upper: Id) -> bool {
    id == upper || upper == 0 || above(tree, id).any(|it| it == upper)
}

/// The nodes around a node, from the inside, without the root.
fn above(tree: &Tree, id: Id) -> impl Iterator<Item = Id> {
    let next = |id: &Id| Some(tree.parent(*id)).filter(|it| *it != 0);
    std::iter::successors(next(&id), next)
}

/// Where most sentences are, with those beside it.
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
    // One that holds several nearly as good ones.
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

/// What a paragraph speaks for the element around it; nothing for what is no paragraph.
fn worth(tree: &Tree, id: Id, size: Size) -> f64 {
    if size.all < 20 || size.density() > 0.5 {
        return 0.0;
    }
    let is_paragraph = match tree.element(id) {
        Some(element) => element.is(&["p", "pre", "blockquote", "li", "dd"]),
        // Text that stands in no paragraph.
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

/// Inside of what was found: links to other pages below a heading that says so, and those above the heading of the page.
fn others(tree: &Tree, sizes: &[Size], roots: &[Id], is_left_out: &mut [bool]) {
    const SAID: [&str; 22] = [
        "more from",
        "related",
        "recommended",
        "read next",
        "read more",
        "most read",
        "most popular",
        "trending",
        "you may also",
        "you might also",
        "up next",
        "popular posts",
        "latest news",
        "相关阅读",
        "相关推荐",
        "推荐阅读",
        "延伸阅读",
        "热门",
        "相关新闻",
        "相關",
        "関連記事",
        "猜你喜欢",
    ];
    let size = |id: Id| sizes.get(id).copied().unwrap_or_default();
    let found: usize = roots.iter().map(|id| size(*id).all).sum();
    for root in roots {
        let mut heading = None;
        tree.walk(*root, |id| {
            if heading.is_none() && tree.is(id, &["h1"]) {
                heading = Some(id);
            }
            true
        });
        tree.walk(*root, |id| {
            if is_left_out.get(id) == Some(&true) {
                return false;
            }
            let mut leave_out = |id: Id| {
                if let Some(place) = is_left_out.get_mut(id) {
                    *place = true;
                }
            };
            let upper = tree.parent(id);
            let is_before = heading.is_some_and(|it| id < it && !is_below(tree, it, id));
            if is_before
                && tree.is(id, &["ul", "ol", "div"])
                && size(id).density() > 0.8
                && size(id).all < 400
            {
                leave_out(id);
                return false;
            }
            if tree.is(id, &["h2", "h3", "h4", "h5", "strong"]) && upper != *root && id != *root {
                let text = tree.text_of(id).trim().to_lowercase();
                let is_said =
                    SAID.iter().any(|it| text.starts_with(it)) && text.chars().count() < 60;
                if is_said && size(upper).density() > 0.4 && size(upper).all * 3 < found {
                    leave_out(upper);
                }
            }
            true
        });
    }
}

/// The heading of a page often stands above what is found.
fn add_heading(tree: &Tree, sizes: &[Size], roots: &mut Vec<Id>) {
    let known: HashSet<Id> = roots.iter().copied().collect();
    let is_inside = |id: Id| {
        known.contains(&id) || known.contains(&0) || above(tree, id).any(|it| known.contains(&it))
    };
    let headings: Vec<Id> = (0..tree.len()).filter(|id| tree.is(*id, &["h1"])).collect();
    if headings.iter().any(|id| is_inside(*id)) {
        return;
    }
    let has_text = |id: &&Id| sizes.get(**id).is_some_and(|it| it.all > 0);
    if let Some(heading) = headings.iter().find(has_text) {
        roots.insert(0, *heading);
    }
}
