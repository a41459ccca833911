//! Writes the blocks of all marks as one document, merges it into the template, and moves each block to its place.

use super::dress::{self, Model};
use super::fill::add_required_paragraph;
use super::filler::Filler;
use super::insertion::{INSERTED, Inserted};
use super::merge::{self, Merging};
use super::package::Package;
use super::paragraph;
use super::tree::{Element, Node, Tree};
use crate::backend::docx::frame::Area;
use crate::model::doc::{Block, Doc, Inline};
use crate::{CommonOptions, DocxOptions, FillValues};
use mitt_base::{Error, ErrorKind, Result, text};

/// Most documents that marks insert. Each is merged by itself.
const MAX_DOCUMENTS: usize = 50;

/// Signs around the number of a block in the text between blocks.
const SIGN: char = '\u{F8FF}';

/// Puts what marks insert into the filled main part. Returns warnings.
pub(super) fn combine(
    filler: &mut Filler<'_, '_>,
    package: &mut Package<'_>,
    main: &mut Tree,
    (options, model): (&DocxOptions, &Model),
) -> Result<Vec<String>> {
    let mut inserted = std::mem::take(&mut filler.inserted);
    if inserted.is_empty() {
        return Ok(Vec::new());
    }
    let mut warnings = Vec::new();
    let width = merge::text_width(&main.root);
    let mut all: Vec<Vec<Node>> = vec![Vec::new(); inserted.len()];
    let texts: Vec<usize> = (0..inserted.len())
        .filter(|at| inserted.get(*at).is_some_and(|it| it.file.is_none()))
        .collect();
    if !texts.is_empty() {
        let doc = joined(&mut inserted, &texts);
        let plain = DocxOptions {
            common: CommonOptions { title: None, contents: false, ..options.common.clone() },
            template: None,
            values: FillValues::new(),
            ..options.clone()
        };
        let area = Area { width, has_title: false };
        let written = crate::backend::docx::plain(&doc, &plain, Some(area))?;
        warnings.extend(written.warnings);
        let merging = Merging { mark: "I", is_foreign: false, has_properties: false };
        let merged = merge::merge(package, main, &written.bytes, &merging)?;
        for (at, blocks) in texts.iter().zip(parted(merged.blocks, texts.len())?) {
            if let Some(slot) = all.get_mut(*at) {
                *slot = blocks;
            }
        }
    }
    let mut documents = 0;
    for (at, it) in inserted.iter().enumerate() {
        let Some(file) = &it.file else { continue };
        documents += 1;
        if documents > MAX_DOCUMENTS {
            let message = format!(
                "values: expected at most {MAX_DOCUMENTS} inserted documents, there are more"
            );
            return Err(Error::new(ErrorKind::Arguments, message).hint("insert fewer documents"));
        }
        let shown = text::one_line(text::cut_bytes(file, 80));
        let found = options.documents.iter().find(|(name, _)| name == file);
        let Some((_, bytes)) = found else {
            let message = format!("values: the document `{shown}` was not given");
            return Err(Error::new(ErrorKind::Arguments, message).hint(
                "name a Word file (`.docx`) beside the values, or a document of the session",
            ));
        };
        let mark = format!("D{documents}");
        let merging = Merging { mark: &mark, is_foreign: true, has_properties: false };
        let merged = merge::merge(package, main, bytes, &merging)
            .map_err(|error| error.at(format!("document `{shown}`")))?;
        filler.take(merged.blocks.iter().map(Node::count).sum())?;
        warnings.extend(merged.warnings.iter().map(|it| format!("document `{shown}`: {it}")));
        if let Some(slot) = all.get_mut(at) {
            *slot = merged.blocks;
        }
    }
    for (blocks, inserted) in all.iter_mut().zip(&inserted) {
        if inserted.file.is_none() {
            dress::dress(blocks, inserted, model);
        }
        if let Some(room) = inserted.room {
            dress::fit(blocks, width, room);
        }
    }
    put(&mut main.root, &mut all);
    Ok(warnings)
}

/// Returns one document of all blocks, each behind a paragraph with its number.
fn joined(inserted: &mut [Inserted], texts: &[usize]) -> Doc {
    let sign = |number: usize| {
        let text = format!("{SIGN}{number}{SIGN}");
        Block::Paragraph { content: vec![Inline::Text { text }] }
    };
    // A heading of the first level keeps the others at their own, and one that is not first is no title.
    let heading = Block::Heading { level: 1, content: vec![Inline::Text { text: "-".to_owned() }] };
    let mut all = Doc { blocks: vec![sign(texts.len()), heading], ..Doc::default() };
    for (number, at) in texts.iter().enumerate() {
        let Some(inserted) = inserted.get_mut(*at) else { continue };
        let mut doc = std::mem::take(&mut inserted.doc);
        let by = all.footnotes.len();
        if by > 0 {
            doc.blocks.iter_mut().for_each(|block| shift_notes(block, by));
            doc.footnotes.iter_mut().flatten().for_each(|block| shift_notes(block, by));
        }
        all.blocks.push(sign(number));
        all.blocks.append(&mut doc.blocks);
        all.footnotes.append(&mut doc.footnotes);
        all.warnings.append(&mut doc.warnings);
    }
    all
}

/// Moves references to footnotes.
fn shift_notes(block: &mut Block, by: usize) {
    match block {
        Block::Heading { content, .. } | Block::Paragraph { content } => shift_inlines(content, by),
        Block::Quote { blocks, .. } => blocks.iter_mut().for_each(|it| shift_notes(it, by)),
        Block::List(list) => {
            let blocks = list.items.iter_mut().flat_map(|item| &mut item.blocks);
            blocks.for_each(|it| shift_notes(it, by));
        }
        Block::Table(table) => {
            let cells = table.head.iter_mut().chain(table.rows.iter_mut().flatten());
            cells.for_each(|cell| shift_inlines(cell, by));
        }
        Block::Code { .. }
        | Block::Html { .. }
        | Block::Chart(_)
        | Block::Rule
        | Block::PageBreak => {}
    }
}

fn shift_inlines(content: &mut [Inline], by: usize) {
    for inline in content {
        match inline {
            Inline::Footnote { index } => *index += by,
            Inline::Emphasis { content }
            | Inline::Strong { content }
            | Inline::Strikethrough { content }
            | Inline::Styled { content, .. }
            | Inline::Link { content, .. } => shift_inlines(content, by),
            _ => {}
        }
    }
}

/// Divides the blocks of the document at the paragraphs between them.
fn parted(blocks: Vec<Node>, count: usize) -> Result<Vec<Vec<Node>>> {
    let mut parts: Vec<Vec<Node>> = Vec::with_capacity(count);
    for node in blocks {
        // A text may contain such a paragraph too, but not the number that comes next before its turn.
        let is_next = node.element().is_some_and(|it| {
            it.is("w:p") && paragraph::text_of(it) == format!("{SIGN}{}{SIGN}", parts.len())
        });
        if is_next && parts.len() < count {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(node);
        }
    }
    if parts.len() == count {
        Ok(parts)
    } else {
        Err(Error::bug("the blocks of a template are not where they were put"))
    }
}

/// Replaces the placeholders.
fn put(element: &mut Element, all: &mut [Vec<Node>]) {
    let is_one = |node: &Node| node.element().is_some_and(|it| it.is(INSERTED));
    if element.children.iter().any(is_one) {
        let children = std::mem::take(&mut element.children);
        for node in children {
            match node.element().filter(|it| it.is(INSERTED)) {
                Some(place) => {
                    let number = place.get("n").and_then(|it| it.parse::<usize>().ok());
                    let blocks = number.and_then(|number| all.get_mut(number));
                    element.children.extend(blocks.map(std::mem::take).unwrap_or_default());
                }
                None => element.children.push(node),
            }
        }
        add_required_paragraph(element);
    }
    element.elements_mut().for_each(|inner| put(inner, all));
}
