//! Names that pages give to their parts, and what they mean.

use super::size::Size;
use super::tree::{Element, Id, Tree};
use mitt_sight::words;

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

/// Names of lines with the author and the date. The metadata of the document has both.
const BYLINE: [&str; 15] = [
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
    "postmetadata",
    "entryfooter",
    "utility",
];

/// The names of the parts of one page.
pub(super) struct Names {
    /// Number of characters of the whole page.
    total: usize,
    /// `true` for each node whose names say that it holds comments of readers. The body of the page is not one of them.
    is_comment: Vec<bool>,
    /// `true` if most of the page is a discussion.
    is_discussion: bool,
    /// `true` for each node that is neither around nor inside a part that is called the text.
    is_beside: Vec<bool>,
    /// `true` for each node that holds most of the part around it that is called the text.
    is_most: Vec<bool>,
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
        let mut comment_size = 0;
        tree.walk(0, |id| {
            let is_comment = is_comment.get(id) == Some(&true);
            comment_size += if is_comment { size(id).plain() } else { 0 };
            !is_comment
        });
        // Comments may also be below an article, and longer than it.
        let rest = size(0).plain().saturating_sub(comment_size);
        let is_discussion = comment_size > rest && rest < 1_000;
        let texts = called_text(tree, sizes);
        let is_beside = beside(tree, &texts);
        let is_most = most(tree, sizes, &texts);
        Names { total: size(0).all, is_comment, is_discussion, is_beside, is_most }
    }

    /// Returns whether a part of this size is beside the text. Its name is then believed even if it is large, such as
    /// the sidebar of a short article.
    pub(super) fn are_beside(&self, id: Id, size: Size) -> bool {
        self.is_beside.get(id) == Some(&true) && size.all * 10 < self.total * 9
    }

    /// Returns whether a part holds most of what is called the text. It is then not around the text, whatever its other
    /// names are.
    pub(super) fn are_most(&self, id: Id) -> bool {
        self.is_most.get(id) == Some(&true)
    }

    /// Returns whether the class or the id of an element says that it is not text.
    pub(super) fn say(&self, id: Id, element: &Element, size: Size) -> bool {
        // For these elements, a name counts only if the line is short.
        if element.is(&["h2", "h3", "p", "article"]) && size.all < 400 && size.all * 8 < self.total
        {
            let is_comment = element.is(&["h2", "h3"])
                && self.is_comment.get(id) == Some(&true)
                && !self.is_discussion;
            let is_named = |word: &String| {
                SURE.contains(&word.as_str())
                    || element.is(&["p"]) && matches!(word.as_str(), "postmetadata" | "postmeta")
                    || element.is(&["article"])
                        && matches!(word.as_str(), "teaser" | "related" | "promo")
            };
            if is_comment || names(element).flat_map(words).any(|it| is_named(&it)) {
                return true;
            }
        }
        if element.is(&[
            "body", "main", "article", "h1", "h2", "h3", "p", "table", "tr", "td", "pre", "code",
            "a", "b", "i", "em", "strong",
        ]) {
            return false;
        }
        if size.all * 4 < self.total && is_about_author(element) {
            return true;
        }
        let is_beside = self.are_beside(id, size);
        // Comments are left out only if they belong to a text elsewhere on the page.
        let is_comment = self.is_comment.get(id) == Some(&true);
        if is_comment && !self.is_discussion && size.all + 500 < self.total {
            return true;
        }
        let mut is_unsure = false;
        let mut is_result = false;
        let has_sentences = size.plain() > 300 && size.density() < 0.3;
        for name in names(element).flat_map(str::split_ascii_whitespace) {
            // Elementor, a page builder, calls every piece of a page a widget.
            let is_piece = name.starts_with("elementor");
            for word in words(name) {
                let word = word.as_str();
                if SURE.contains(&word) && (size.all * 4 < self.total || is_beside) {
                    return true;
                }
                is_result |= matches!(word, "result" | "results");
                if BYLINE.contains(&word) && size.all < 150 && size.all * 8 < self.total {
                    return true;
                }
                is_unsure |= UNSURE.contains(&word)
                    || MIXED.contains(&word)
                        && (!has_sentences || is_beside)
                        && !(is_piece && word == "widget");
            }
        }
        is_unsure && !is_result && (size.all * 3 < self.total || is_beside)
    }
}

/// Returns the parts that are called the text and have some.
fn called_text(tree: &Tree, sizes: &[Size]) -> Vec<Id> {
    /// Fewest characters of such a part, without those of links.
    const MIN_PLAIN: usize = 150;
    let size = |id: Id| sizes.get(id).copied().unwrap_or_default();
    let is_text = |id: &Id| {
        let size = size(*id);
        size.plain() >= MIN_PLAIN
            && size.density() < 0.4
            && tree.element(*id).is_some_and(is_called_text)
    };
    (1..tree.len()).filter(is_text).collect()
}

/// Returns `true` for each node that is neither around nor inside one of `texts`. Without such a part, no node is.
fn beside(tree: &Tree, texts: &[Id]) -> Vec<bool> {
    let mut is_beside = vec![!texts.is_empty(); tree.len()];
    let mut take = |id: Id| is_beside.get_mut(id).is_some_and(std::mem::take);
    for text in texts {
        // A part inside another one was handled with it.
        tree.walk(*text, |id| take(id) || id == *text);
        let mut upper = *text;
        while upper != 0 {
            upper = tree.parent(upper);
            take(upper);
        }
    }
    is_beside
}

/// Returns `true` for each node that holds more than half of the innermost of `texts` around it. A text that is a small
/// part of the page does not count, because it may be one of many.
fn most(tree: &Tree, sizes: &[Size], texts: &[Id]) -> Vec<bool> {
    let plain = |id: Id| sizes.get(id).map_or(0, |it| it.plain());
    // Innermost text around each node; the root if there is none.
    let mut around = vec![0; tree.len()];
    let mut is_most = vec![false; tree.len()];
    for id in 1..tree.len() {
        let upper = tree.parent(id);
        let text = match texts.binary_search(&upper) {
            Ok(_) => upper,
            Err(_) => around.get(upper).copied().unwrap_or_default(),
        };
        if let (Some(around), Some(is_most)) = (around.get_mut(id), is_most.get_mut(id)) {
            (*around, *is_most) =
                (text, text != 0 && plain(text) * 4 > plain(0) && plain(id) * 2 > plain(text));
        }
    }
    is_most
}

/// Returns the class and the id of an element.
pub(super) fn names(element: &Element) -> impl Iterator<Item = &str> {
    [element.attribute("class"), element.attribute("id")].into_iter().flatten()
}

/// Returns whether an element is called the text.
fn is_called_text(element: &Element) -> bool {
    if element.is(&["article", "main"]) || element.has_word("itemprop", &["articleBody"]) {
        return true;
    }
    names(element).flat_map(str::split_ascii_whitespace).any(|name| {
        let words = words(name);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        matches!(
            words[..],
            ["post"]
                | ["hentry"]
                | ["entry"]
                | ["story"]
                | ["article"]
                | ["articlebody"]
                | ["postbody"]
        ) || matches!(
            words[..],
            [
                "entry" | "post" | "article" | "story" | "news" | "blog",
                "content" | "body" | "text" | "entry" | "copy"
            ]
        )
    })
}

/// Returns whether an element describes the author in sentences.
fn is_about_author(element: &Element) -> bool {
    names(element).flat_map(str::split_ascii_whitespace).any(|name| {
        let words = words(name);
        let has = |known: &[&str]| words.iter().any(|it| known.contains(&it.as_str()));
        has(&["author", "autor", "auteur", "authors", "autore"])
            && has(&[
                "bio",
                "info",
                "box",
                "description",
                "card",
                "about",
                "profile",
                "desc",
                "block",
                "details",
            ])
            || has(&["authorbox", "authorinfo", "authorbio", "aboutauthor", "saboxplugin"])
    })
}

/// Returns whether a word is a name for comments of readers.
fn is_comment(word: &str) -> bool {
    const COMMENT: [&str; 5] = ["comment", "kommentar", "coment", "respond", "discussion"];
    COMMENT.iter().any(|it| word.starts_with(it)) && word != "responder"
}
