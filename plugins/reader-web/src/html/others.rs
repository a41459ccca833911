//! Removes links to other pages from the text, and lines that belong to the page around it.

use super::main_text::{is_below, within};
use super::size::Size;
use super::tree::{Id, Tree};

/// Leaves out links to other pages inside the text: those below a heading for such links, and those above the heading
/// of the page.
pub(super) fn others(tree: &Tree, sizes: &[Size], roots: &[Id], is_left_out: &mut [bool]) {
    const PHRASES: [&str; 73] = [
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
        "mehr zum thema",
        "mehr zu ",
        "mehr aus",
        "auch interessant",
        "das könnte",
        "weitere artikel",
        "weiterlesen",
        "weiterführende",
        "ähnliche",
        "verwandte",
        "lesen sie auch",
        "empfehlungen",
        "meistgelesen",
        "viel gelesen",
        "aktuelle artikel",
        "à lire aussi",
        "lire aussi",
        "vous aimerez",
        "articles liés",
        "lea también",
        "te puede interesar",
        "noticias relacionadas",
        "veja também",
        "leia também",
        "potrebbe interessarti",
        "leggi anche",
        "czytaj też",
        "czytaj więcej",
        "explore further",
        "see also:",
        "similar articles",
        "popular articles",
        "die redaktion empfiehlt",
        "meistdiskutiert",
        "vous aimerez aussi",
        "le puede interesar",
        "te puede interesar",
        "das thema könnte",
        "empfohlene beiträge",
        "weitere beiträge",
        "weitere artikel",
        "mehr von ",
        "mehr themen",
        "auch auf ",
        "entdecke weitere",
        "czytaj także",
        "zobacz także",
        "schon gelesen",
        "zum weiterlesen",
        "sur le même sujet",
        "podobne",
    ];
    let size = |id: Id| sizes.get(id).copied().unwrap_or_default();
    let found: usize = roots.iter().map(|id| size(*id).all).sum();
    let plain: usize = roots.iter().map(|id| size(*id).plain()).sum();
    // The page has many sentences and few links, so a part with only links leads to other pages.
    let is_article = plain > 1_000 && plain * 4 > found * 3;
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
            if is_line_of_page(tree, id, size(id)) {
                leave_out(id);
                return false;
            }
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
            if tree.is(id, &["h2", "h3", "h4", "h5", "strong"])
                && upper != *root
                && id != *root
                && is_introduction(tree, id, &PHRASES)
                && size(upper).density() > 0.4
                && size(upper).all * 3 < found
            {
                leave_out(upper);
                return true;
            }
            if is_introduction(tree, id, &PHRASES)
                && let Some(next) = next_of(tree, id)
                && size(next).density() > 0.6
                && size(next).all * 3 < found
            {
                leave_out(id);
                leave_out(next);
                return false;
            }
            if is_article
                && id != *root
                && tree.is(id, &["div", "section", "ul", "p"])
                && size(id).density() > 0.8
                && size(id).all < 1_500
                && size(id).all * 4 < found
                && !within(tree, id, &["table"])
            {
                leave_out(id);
                return false;
            }
            true
        });
    }
}

/// Leaves out headings at the end of the text, below which nothing is left.
pub(super) fn end_headings(tree: &Tree, roots: &[Id], is_left_out: &mut [bool]) {
    let mut nodes = Vec::new();
    for root in roots {
        tree.walk(*root, |id| {
            if is_left_out.get(id) == Some(&true) {
                return false;
            }
            let is_heading = tree.is(id, &["h2", "h3", "h4", "h5", "h6"]);
            if is_heading
                || tree.text(id).is_some_and(|it| !it.trim().is_empty())
                || tree.is(id, &["img", "table"])
            {
                nodes.push((id, is_heading));
            }
            !is_heading
        });
    }
    for (id, is_heading) in nodes.into_iter().rev() {
        if !is_heading || roots.contains(&id) {
            return;
        }
        if let Some(place) = is_left_out.get_mut(id) {
            *place = true;
        }
    }
}

/// Returns whether a short line introduces links to other pages.
fn is_introduction(tree: &Tree, id: Id, phrases: &[&str]) -> bool {
    if !tree.is(id, &["h2", "h3", "h4", "h5", "h6", "strong", "p", "div", "span"])
        || tree.children(id).len() > 4
    {
        return false;
    }
    let text = tree.text_of(id);
    let text = text.trim();
    if text.len() > 200 || text.chars().count() >= 60 {
        return false;
    }
    let text = text.to_lowercase();
    phrases.iter().any(|it| text.starts_with(it))
}

/// Returns the next sibling element of a node.
fn next_of(tree: &Tree, id: Id) -> Option<Id> {
    let beside = tree.children(tree.parent(id));
    let at = beside.binary_search(&id).ok()?;
    beside.iter().skip(at + 1).copied().find(|it| tree.element(*it).is_some())
}

/// Returns whether a line belongs to the page and not to its text: a label of an advertisement, the name of a button.
fn is_line_of_page(tree: &Tree, id: Id, size: Size) -> bool {
    const LINES: [&str; 30] = [
        "advertisement",
        "anuncio",
        "anzeige",
        "artikel teilen",
        "comments",
        "compartir",
        "drucken",
        "drukuj",
        "kommentar schreiben",
        "kommentar verfassen",
        "kommentare",
        "kommentieren",
        "leave a comment",
        "leave a reply",
        "merken",
        "partager",
        "pinnen",
        "print",
        "publicidad",
        "publicité",
        "pubblicità",
        "reklama",
        "seite teilen",
        "share",
        "share this",
        "teilen",
        "teilen sie dies mit",
        "tweet",
        "udostępnij",
        "werbung",
    ];
    const LONGEST: usize = 30;
    if !(1..=LONGEST).contains(&size.all)
        || tree.children(id).len() > 4
        || !tree.is(id, &["p", "div", "span", "h2", "h3", "h4", "h5", "center", "small", "label"])
        || within(tree, id, &["table", "li", "dl"])
    {
        return false;
    }
    let text = tree.text_of(id).to_lowercase();
    LINES.contains(&text.trim_matches(|it: char| !it.is_alphanumeric()))
}
