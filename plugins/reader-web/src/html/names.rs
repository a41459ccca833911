//! The names that pages give to their parts, and what these names say about them.

use super::size::Size;
use super::tree::{Element, Id, Tree};

/// Names of parts that are never text.
const SURE: [&str; 57] = [
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
    "cookiebanner",
    "sharethis",
    "shariff",
    "sociallinks",
    "socialmedia",
    "sharedaddy",
    "relatedposts",
    "relatedarticles",
    "werbung",
    "anzeige",
    "anzeigen",
    "teilen",
    "partager",
    "publicite",
    "publicidad",
    "breadcrump",
    "paywall",
    "taboola",
    "voting",
    "postnav",
];

/// Names of parts that are text only if they are most of the page.
const UNSURE: [&str; 18] = [
    "footer",
    "foot",
    "sidebar",
    "sidebars",
    "aside",
    "related",
    "recommend",
    "recommended",
    "recommendations",
    "login",
    "signup",
    "modal",
    "catlinks",
    "teaser",
    "teasers",
    "outbrain",
    "rating",
    "verwandt",
];

/// Names of parts that are text if they have sentences: pages give such names to parts of an article too.
const MIXED: [&str; 13] = [
    "banner",
    "promo",
    "promotion",
    "overlay",
    "toolbar",
    "widget",
    "widgets",
    "tags",
    "tagcloud",
    "toc",
    "search",
    "topbar",
    "infobox",
];

/// Names of lines that say who wrote a text and when; the metadata of the document has both.
const BYLINE: [&str; 12] = [
    "byline",
    "meta",
    "postmeta",
    "entrymeta",
    "postinfo",
    "dateline",
    "timestamp",
    "published",
    "posted",
    "author",
    "autor",
    "pubdate",
];

/// The names of the parts of one page.
pub(super) struct Names {
    /// Characters of the whole page.
    total: usize,
    /// For each node, whether its names say that it holds comments of readers. The body of the page is not one of them.
    is_comment: Vec<bool>,
    /// Whether most of the page is what people say to each other.
    is_discussion: bool,
}

impl Names {
    /// Reads the names of a page once.
    pub(super) fn new(tree: &Tree, sizes: &[Size]) -> Names {
        let is_comment = |id: Id| {
            let element = tree.element(id).filter(|it| !it.is(&["body"]));
            element.is_some_and(|it| names(it).flat_map(words).any(|it| is_comment(&it)))
        };
        let is_comment: Vec<bool> = (0..tree.len()).map(is_comment).collect();
        let size = |id: Id| sizes.get(id).copied().unwrap_or_default();
        let mut said = 0;
        tree.walk(0, |id| {
            let is_comment = is_comment.get(id) == Some(&true);
            said += if is_comment { size(id).plain() } else { 0 };
            !is_comment
        });
        // Comments also stand below an article, and may be longer than it.
        let rest = size(0).plain().saturating_sub(said);
        let is_discussion = said > rest && rest < 1_000;
        Names { total: size(0).all, is_comment, is_discussion }
    }

    /// Returns whether the class or the id of an element says that it is no text.
    pub(super) fn say(&self, id: Id, element: &Element, size: Size) -> bool {
        if element.is(&[
            "body", "main", "article", "h1", "h2", "h3", "p", "table", "tr", "td", "pre", "code",
            "a", "b", "i", "em", "strong",
        ]) {
            return false;
        }
        // Comments are left out only if they belong to a text that stands elsewhere on the page.
        let is_comment = self.is_comment.get(id) == Some(&true);
        if is_comment && !self.is_discussion && size.all + 500 < self.total {
            return true;
        }
        let mut is_unsure = false;
        let mut is_result = false;
        let has_sentences = size.plain() > 300 && size.density() < 0.3;
        for name in names(element).flat_map(str::split_ascii_whitespace) {
            // Elementor, a maker of pages, calls every piece of a page a widget.
            let is_piece = name.starts_with("elementor");
            for word in words(name) {
                let word = word.as_str();
                if SURE.contains(&word) && size.all * 4 < self.total {
                    return true;
                }
                is_result |= matches!(word, "result" | "results");
                if BYLINE.contains(&word) && size.all < 150 && size.all * 8 < self.total {
                    return true;
                }
                is_unsure |= UNSURE.contains(&word)
                    || MIXED.contains(&word) && !has_sentences && !(is_piece && word == "widget");
            }
        }
        is_unsure && !is_result && size.all * 3 < self.total
    }
}

/// Returns the class and the id of an element.
fn names(element: &Element) -> impl Iterator<Item = &str> {
    [element.attribute("class"), element.attribute("id")].into_iter().flatten()
}

/// Returns whether a word names what readers say to a text.
fn is_comment(word: &str) -> bool {
    const COMMENT: [&str; 5] = ["comment", "kommentar", "coment", "respond", "discussion"];
    COMMENT.iter().any(|it| word.starts_with(it)) && word != "responder"
}

/// Splits a name into words: `siteNav main-menu` becomes `site`, `nav`, `main`, `menu`.
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
