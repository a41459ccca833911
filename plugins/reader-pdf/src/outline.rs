//! Takes the levels of headings from the bookmarks. The library compares font sizes within a page only, so the same
//! heading may have another level on the next page.

use crate::block::{Block, Page};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use unpdf::model::{Outline, OutlineItem};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

/// Most bookmarks that are read.
const MAX_ITEMS: usize = 20_000;

/// Pages and levels of each title.
pub(crate) type Levels = BTreeMap<String, Vec<(Option<u32>, u8)>>;

/// Returns the levels of the bookmarks.
pub(crate) fn levels(outline: &Outline) -> Levels {
    let mut levels = Levels::new();
    collect(&outline.items, 1, &mut levels);
    levels
}

/// Gives headings that are bookmarks the level of the bookmark. Paragraphs that are bookmarks become headings.
pub(crate) fn apply(levels: &Levels, pages: &mut [Page]) {
    if levels.is_empty() {
        return;
    }
    for page in pages {
        for block in &mut page.blocks {
            let Some(known) = block.text().and_then(|text| levels.get(&squeeze(&text.plain)))
            else {
                continue;
            };
            // A paragraph becomes a heading only on the page of its bookmark.
            let here =
                known.iter().find(|(number, _)| number.is_none_or(|number| number == page.number));
            match (&mut *block, here.or(known.first())) {
                (Block::Heading(level, _), Some((_, known))) => *level = *known,
                (Block::Paragraph(text), Some((_, known))) if here.is_some() => {
                    let mut text = std::mem::take(text);
                    text.markdown = text.markdown.trim_matches('*').to_owned();
                    *block = Block::Heading(*known, text);
                }
                _ => {}
            }
        }
    }
}

fn collect(items: &[OutlineItem], level: u8, levels: &mut Levels) {
    for item in items {
        let title = squeeze(&item.title);
        if levels.len() >= MAX_ITEMS {
            return;
        }
        if !title.is_empty() {
            levels.entry(title).or_default().push((item.page, level.min(6)));
        }
        if level < 12 {
            collect(&item.children, level + 1, levels);
        }
    }
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).collect()
}

/// The most bookmarks in a row, including those below them. The library calls itself for each.
const MAX_IN_ROW: usize = 1_000;

/// Returns whether the library cannot follow the bookmarks of a document.
pub(crate) fn is_too_long(document: &RawDocument) -> bool {
    let first = |dict: &PdfDict| dict_get(dict, b"First").and_then(PdfObject::as_reference);
    let Ok(catalog) = document.catalog() else { return false };
    let top = dict_get(catalog, b"Outlines").and_then(|top| document.resolve(top).as_dict());
    let mut open: Vec<((u32, u16), usize)> =
        top.and_then(first).map(|id| (id, 1)).into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some((id, depth)) = open.pop() {
        if depth > MAX_IN_ROW {
            return true;
        }
        let Some(dict) = seen.insert(id).then(|| document.get_dict(id).ok()).flatten() else {
            continue;
        };
        let next = dict_get(dict, b"Next").and_then(PdfObject::as_reference);
        open.extend(next.map(|id| (id, depth + 1)));
        open.extend(first(dict).map(|id| (id, depth + 1)));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inline;

    #[test]
    fn bookmarks_say_the_levels() {
        let mut part = OutlineItem::new("1  Part", Some(1), 0);
        part.add_child(OutlineItem::new("Scope", Some(2), 1));
        let outline = Outline { items: vec![part] };
        let page = |number, blocks| Page { number, blocks, comments: Vec::new() };
        let mut pages = [
            page(
                1,
                vec![
                    Block::Heading(3, inline::plain("1 Part")),
                    Block::Paragraph(inline::plain("Scope")),
                ],
            ),
            page(
                2,
                vec![
                    Block::Paragraph(inline::plain("Scope")),
                    Block::Heading(1, inline::plain("Other")),
                ],
            ),
        ];
        apply(&levels(&outline), &mut pages);
        let kinds: Vec<String> = pages
            .iter()
            .flat_map(|page| &page.blocks)
            .map(|block| match block {
                Block::Heading(level, text) => format!("{level} {}", text.plain),
                other => other.text().unwrap().plain.clone(),
            })
            .collect();
        assert_eq!(kinds, ["1 1 Part", "Scope", "2 Scope", "1 Other"]);
    }
}
