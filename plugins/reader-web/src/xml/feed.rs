//! Reads feeds: RSS, RDF and Atom as a list of entries with their texts.

use super::tree::{Node, Part, Tree};
use crate::html::address::{Base, resolve};
use crate::html::write::Room;
use crate::html::{end, piece, room_warnings};
use mitt_reader_kit::{Cell, Content, NamedTable, Table, escape, single_line};

const MAX_ENTRIES: usize = 20_000;

/// Reads a feed; `None` for other XML.
pub(super) fn read(tree: &Tree, warnings: &mut Vec<String>) -> Option<Content> {
    let root = tree.get(0)?;
    let (head, entries) = match root.name.as_str() {
        "rss" => {
            let channel = tree.child(0, "channel")?;
            (channel, named(tree, channel, "item"))
        }
        "RDF" => (tree.child(0, "channel")?, named(tree, 0, "item")),
        "feed" => (0, named(tree, 0, "entry")),
        _ => return None,
    };
    let text = |id: usize, names: &[&str]| text(tree, id, names);
    let address = link(tree, head);
    let base = root.attribute("xml:base").or(address.as_deref()).and_then(Base::new);
    let title = text(head, &["title"]);
    let mut room = Room::default();
    let mut piece_warnings = Vec::new();
    let mut markdown = String::new();
    if let Some(title) = &title {
        markdown.push_str(&format!("# {}\n\n", escape(title)));
    }
    if let Some(about) = text(head, &["description", "subtitle"]) {
        markdown.push_str(&format!("{}\n\n", escape(&about)));
    }
    let mut rows = Vec::new();
    if entries.len() > MAX_ENTRIES {
        warnings.push(format!("{MAX_ENTRIES} of the {} entries were read", entries.len()));
    }
    for entry in entries.into_iter().take(MAX_ENTRIES) {
        let title = text(entry, &["title"]).unwrap_or_default();
        let address = link(tree, entry).and_then(|it| resolve(base.as_ref(), &it));
        let date = text(entry, &["pubDate", "published", "date", "updated", "issued"]);
        let named = tree.child(entry, "author").and_then(|it| text(it, &["name"]));
        let author = named.or_else(|| text(entry, &["creator", "author"]));
        let shown = if title.is_empty() { "…".to_owned() } else { escape(&title) };
        match &address {
            Some(address) => markdown.push_str(&format!("## [{shown}]({address})\n\n")),
            None => markdown.push_str(&format!("## {shown}\n\n")),
        }
        let about: Vec<&str> = [&date, &author].into_iter().flatten().map(String::as_str).collect();
        if !about.is_empty() {
            markdown.push_str(&format!("{}\n\n", escape(&about.join(" · "))));
        }
        if let Some(html) = body(tree, entry) {
            let (_, text) = piece(&html, base.as_ref(), &mut room, &mut piece_warnings);
            markdown.push_str(&text);
            markdown.push_str("\n\n");
        }
        let cell =
            |text: Option<String>| text.filter(|it| !it.is_empty()).map_or(Cell::Null, Cell::Text);
        rows.push(vec![cell(Some(title)), cell(address), cell(date), cell(author)]);
    }
    piece_warnings.sort_unstable();
    piece_warnings.dedup();
    warnings.extend(piece_warnings.into_iter().take(20));
    room_warnings(&room, warnings);
    end(&mut markdown);
    let metadata = about(tree, head, address);
    let mut tables = Vec::new();
    if !rows.is_empty() {
        let columns = ["title", "link", "date", "author"].map(str::to_owned).to_vec();
        let name = "entries".to_owned();
        tables.push(NamedTable { name, data: Table { columns, rows }, place: None });
    }
    tables.extend(room.tables);
    Some(Content { title, metadata, markdown, tables, ..Content::default() })
}

/// Returns the text of the first of these elements that has one.
fn text(tree: &Tree, id: usize, names: &[&str]) -> Option<String> {
    let found = names.iter().find_map(|name| {
        let text = single_line(&tree.text_of(tree.child(id, name)?));
        (!text.is_empty()).then_some(text)
    });
    found.map(|it| plain(&it))
}

fn about(tree: &Tree, head: usize, address: Option<String>) -> Vec<(String, String)> {
    let text = |names: &[&str]| text(tree, head, names);
    let given = || tree.get(0).and_then(|it| it.attribute("xml:lang")).map(str::to_owned);
    let pairs = [
        ("url", address),
        ("language", text(&["language"]).or_else(given)),
        ("published", text(&["lastBuildDate", "pubDate", "updated", "date"])),
        ("author", text(&["managingEditor", "creator", "author"])),
        ("copyright", text(&["copyright", "rights"])),
    ];
    pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn named(tree: &Tree, id: usize, name: &str) -> Vec<usize> {
    tree.children(id).filter(|(_, node)| node.name == name).map(|(id, _)| id).collect()
}

/// Returns plain text. The title of a feed may be escaped HTML.
fn plain(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return text.to_owned();
    }
    single_line(&dom_query::Document::fragment(text).text())
}

/// Returns the link of an entry: a text, or the link to the page among several.
fn link(tree: &Tree, id: usize) -> Option<String> {
    let links: Vec<(usize, &Node)> =
        tree.children(id).filter(|(_, it)| it.name == "link").collect();
    let is_page = |node: &&Node| matches!(node.attribute("rel"), None | Some("alternate"));
    let address =
        links.iter().map(|(_, node)| *node).filter(is_page).find_map(|node| node.attribute("href"));
    let text = || {
        let texts = links.iter().filter(|(_, node)| node.attribute("href").is_none());
        texts.map(|(id, _)| tree.text_of(*id).trim().to_owned()).find(|it| !it.is_empty())
    };
    address.map(str::to_owned).or_else(text)
}

/// Returns the longest text of an entry, as HTML.
fn body(tree: &Tree, id: usize) -> Option<String> {
    let texts = tree.children(id).filter(|(_, node)| {
        matches!(
            (node.prefix.as_str(), node.name.as_str()),
            ("content", "encoded") | ("", "content" | "description" | "summary")
        )
    });
    let texts = texts.map(|(id, node)| match node.attribute("type") {
        Some("xhtml") => markup(tree, id),
        Some("text") | Some("text/plain") => letters(&tree.text_of(id)),
        _ => tree.text_of(id),
    });
    texts.max_by_key(String::len).filter(|it| !it.trim().is_empty())
}

fn letters(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Returns the content of an element whose markup is not escaped, as HTML.
fn markup(tree: &Tree, id: usize) -> String {
    enum Step<'a> {
        In(&'a Part),
        Out(&'a str),
    }
    let mut out = String::new();
    let content = |id: usize| tree.get(id).map_or(&[][..], |it| &it.content);
    let mut open: Vec<Step<'_>> = content(id).iter().rev().map(Step::In).collect();
    while let Some(step) = open.pop() {
        match step {
            Step::Out(name) => out.push_str(&format!("</{name}>")),
            Step::In(Part::Text(text)) => out.push_str(&letters(text)),
            Step::In(Part::Element(id)) => {
                let Some(node) = tree.get(*id) else { continue };
                out.push_str(&format!("<{}", node.name));
                for (name, value) in &node.attributes {
                    out.push_str(&format!(" {name}=\"{}\"", letters(value).replace('"', "&quot;")));
                }
                out.push('>');
                open.push(Step::Out(&node.name));
                open.extend(content(*id).iter().rev().map(Step::In));
            }
        }
    }
    out
}
