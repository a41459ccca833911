//! Reads web pages: the main text as Markdown, the tables beside it, and warnings about what was left out.

pub(crate) mod address;
mod captions;
mod head;
mod inline;
mod lead;
pub(crate) mod main_text;
mod names;
mod notes;
mod others;
mod size;
mod table;
pub(crate) mod tree;
pub(crate) mod write;

use crate::decode::decode;
use address::Base;
use dom_query::Document;
use main_text::MainText;
use mitt_reader_kit::Content;
use tree::{Amount, Tree};
use write::Room;

pub(crate) fn read(bytes: &[u8]) -> Content {
    let decoded = decode(bytes);
    let is_xml = decoded.text.trim_start().starts_with("<?xml");
    let text = if is_xml { crate::epub::opened(&decoded.text) } else { decoded.text };
    let bounded = mitt_sight::bounded(&text);
    let document = Document::from(&*bounded.html);
    let head = head::read(&document);
    let tree = tree::read(&document);
    drop(document);
    let found = main_text::find(&tree);
    let page = head.address.as_deref().and_then(Base::new);
    let base = match head.base.as_deref() {
        // A base may be relative to the page.
        Some(base) => address::resolve(page.as_ref(), base).as_deref().and_then(Base::new).or(page),
        None => page,
    };
    let mut room = Room::default();
    let mut markdown = write::write(&tree, &found, base.as_ref(), &mut room);
    let mut warnings = decoded.warnings;
    if markdown.trim().is_empty() && found.left_out.characters > 0 {
        room = Room::default();
        let found = MainText::all(&tree);
        markdown = write::write(&tree, &found, base.as_ref(), &mut room);
    } else if found.left_out.characters > 0 {
        let Amount { characters, .. } = found.left_out;
        let kept = markdown.chars().filter(|it| !it.is_whitespace()).count();
        warnings.push(format!(
            "what is around the text of the page was left out (navigation, banners, other pages): {characters} characters, beside {kept} that were kept"
        ));
    }
    if found.is_widened {
        warnings.push(
            "almost nothing is left without what the page says is around its text, so more was kept: navigation or other pages may be among it"
                .into(),
        );
    }
    warnings.extend(bounded.warnings(&text));
    warn(&tree, &room, &mut warnings);
    end(&mut markdown);
    Content {
        title: head.title,
        metadata: head.metadata,
        markdown,
        tables: room.tables,
        warnings,
        ..Content::default()
    }
}

/// Reads a piece of a page in full, such as a chapter of a book, an entry of a feed, or an output of a notebook.
pub(crate) fn piece(
    html: &str,
    base: Option<&Base>,
    room: &mut Room,
    warnings: &mut Vec<String>,
) -> (Option<String>, String) {
    let document = Document::from(&*mitt_sight::bounded(html).html);
    let tree = tree::read(&document);
    let title =
        document.select("title").iter().next().map(|it| mitt_reader_kit::single_line(&it.text()));
    drop(document);
    let found = MainText::all(&tree);
    let markdown = write::write(&tree, &found, base, room);
    warn(&tree, &Room::default(), warnings);
    (title.filter(|it| !it.is_empty()), markdown)
}

/// Warns about what was left out, and why.
fn warn(tree: &Tree, room: &Room, warnings: &mut Vec<String>) {
    warnings.extend(tree.warnings());
    if tree.is_too_deep {
        warnings.push(
            "elements lie too deep in one another: below that only their text was kept".into(),
        );
    }
    if tree.is_too_large {
        warnings.push("the page has more elements than are read: its end was left out".into());
    }
    room_warnings(room, warnings);
}

pub(crate) fn room_warnings(room: &Room, warnings: &mut Vec<String>) {
    if room.pictures > 0 {
        warnings.push(format!("pictures that were not read: {}", room.pictures));
    }
    if room.too_large > 0 {
        warnings.push(format!(
            "tables with more cells than are kept were left out: {}",
            room.too_large
        ));
    }
}

/// Ends a text with one line end.
pub(crate) fn end(markdown: &mut String) {
    let length = markdown.trim_end().len();
    markdown.truncate(length);
    if !markdown.is_empty() {
        markdown.push('\n');
    }
}
