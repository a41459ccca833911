//! What a document has: paragraphs with their anchors, tables, fields, content controls, pictures.

use crate::controls;
use crate::error::Result;
use crate::fields;
use crate::marks;
use crate::story::{self, Document, Paragraph};
use crate::styles::Styles;
use crate::text::{Line, View};
use crate::xml::{Id, Ns, Tree};
use std::collections::BTreeSet;

/// What is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    pub view: View,
    /// Only headings.
    pub is_outline: bool,
    /// Only paragraphs with this text.
    pub find: Option<String>,
    /// Paragraphs that are left out at the start.
    pub from: usize,
    pub limit: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParagraphInfo {
    pub anchor: String,
    /// `body`, `t0 r2 c3`, `header`, `footnote 3`.
    pub place: String,
    /// Name of its style; `None` for the default.
    pub style: Option<String>,
    /// Level of the outline from 1.
    pub heading: Option<u8>,
    pub text: String,
    /// What has no characters, or more than those: `picture`, `footnote 3 at 12`, `field PAGE at 5..6`.
    pub details: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableInfo {
    pub anchor: String,
    pub place: String,
    pub rows: usize,
    pub columns: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    pub paragraphs: Vec<ParagraphInfo>,
    pub tables: Vec<TableInfo>,
    /// Number of paragraphs that fit the options.
    pub total: usize,
    /// Where to read on.
    pub next: Option<usize>,
    /// Number of tracked changes and of comments.
    pub changes: usize,
    pub comments: usize,
}

/// Most details of one paragraph.
const MAX_DETAILS: usize = 40;

/// Reads the structure of a document.
///
/// # Errors
/// Those of [`Document::open`].
pub fn read(document: &mut Document, options: &ReadOptions) -> Result<Structure> {
    let styles = Styles::read(&mut document.package)?;
    let comments = document.comments()?.len();
    let changes = document.changes().len();
    let mut relations = Vec::new();
    for part in &document.parts {
        relations.push(document.package.relations(&part.name)?);
    }
    let mut out = Structure { changes, comments, ..Structure::default() };
    let mut tables = BTreeSet::new();
    for paragraph in &document.paragraphs {
        let tree = document.tree(paragraph.part);
        let style = tree
            .child(paragraph.node, "pPr")
            .and_then(|it| tree.value(it, "pStyle"))
            .map(|it| it.into_owned());
        let heading = styles.heading_of(tree, paragraph.node);
        if options.is_outline && heading.is_none() {
            continue;
        }
        let line = document.line(paragraph);
        if let Some(find) = &options.find
            && crate::diff::find_all(&line.text, find).0.is_empty()
        {
            continue;
        }
        out.total += 1;
        if out.total <= options.from || out.paragraphs.len() >= options.limit {
            continue;
        }
        if let Some(cell) = paragraph.cell {
            tables.insert(cell.table);
        }
        out.paragraphs.push(ParagraphInfo {
            anchor: format!("{}{}-{}", paragraph.letter, paragraph.index, story::hash(&line.text)),
            place: document.place(paragraph),
            style: style
                .filter(|it| Some(it.as_str()) != styles.default_paragraph())
                .map(|it| styles.get(&it).map_or_else(|| it.clone(), |it| it.name.clone())),
            heading,
            details: details(tree, paragraph, &line, &styles, &relations[paragraph.part]),
            text: line.view(options.view),
        });
    }
    if options.from + out.paragraphs.len() < out.total {
        out.next = Some(options.from + out.paragraphs.len());
    }
    // Tables around tables that are shown are shown too.
    for index in tables.clone() {
        let mut at = document.tables.get(index);
        while let Some(outer) = at.and_then(|it| it.cell) {
            tables.insert(outer.table);
            at = document.tables.get(outer.table);
        }
    }
    for index in tables {
        let table = &document.tables[index];
        let tree = document.tree(table.part);
        let rows = story::rows(tree, table.node);
        out.tables.push(TableInfo {
            anchor: document.table_anchor(table),
            place: match table.cell {
                Some(cell) => format!("t{} r{} c{}", cell.table, cell.row, cell.column),
                None => format!("{:?}", document.parts[table.part].story).to_lowercase(),
            },
            columns: rows.iter().map(|&it| story::cells(tree, it).len()).max().unwrap_or(0),
            rows: rows.len(),
        });
    }
    Ok(out)
}

fn details(
    tree: &Tree,
    paragraph: &Paragraph,
    line: &Line,
    styles: &Styles,
    relations: &[crate::package::Relation],
) -> Vec<String> {
    let mut out = Vec::new();
    let node = paragraph.node;
    let properties = tree.child(node, "pPr");
    if let Some(properties) = properties {
        if let Some(numbering) = tree.child(properties, "numPr") {
            let level = tree.value(numbering, "ilvl").and_then(|it| it.parse::<u32>().ok());
            if tree.value(numbering, "numId").as_deref() != Some("0") {
                out.push(format!("list item, level {}", level.unwrap_or(0) + 1));
            }
        } else if tree.value(properties, "pStyle").is_some_and(|it| styles.is_list(&it)) {
            out.push("list item".to_owned());
        }
        if tree.child(properties, "sectPr").is_some() {
            out.push("ends a section".to_owned());
        }
        for (name, verb) in [
            ("ins", "inserted"),
            ("del", "deleted"),
            ("moveFrom", "moved away"),
            ("moveTo", "moved here"),
        ] {
            if let Some(mark) = marks::of_paragraph(tree, node, name) {
                let author = tree.attr(mark, "author").unwrap_or_default();
                out.push(format!("end of paragraph {verb} by {author}"));
            }
        }
    }
    let outer = tree.ancestors(node).take_while(|&it| !matches!(tree.name(it), "tc" | "body"));
    for control in outer.filter(|&it| tree.is(it, "sdt")).take(3) {
        out.push(format!("in content control {}", controls::label(&controls::read(tree, control))));
    }
    for row in tree.ancestors(node).filter(|&it| tree.is(it, "tr")).take(1) {
        let properties = tree.child(row, "trPr");
        for (name, verb) in [("ins", "inserted"), ("del", "deleted")] {
            if properties.is_some_and(|it| tree.child(it, name).is_some()) {
                out.push(format!("row {verb}"));
            }
        }
    }
    spans(tree, line, relations, &mut out);
    for piece in &line.pieces {
        if out.len() >= MAX_DETAILS {
            break;
        }
        if piece.deleted.is_some() || !piece.text.is_empty() {
            continue;
        }
        if let Some(text) = object(tree, piece.node) {
            out.push(format!("{text} at {}", line.text[..piece.start].chars().count()));
        }
    }
    let mut below = tree.descendants(node);
    while let Some(it) = below.next() {
        if out.len() >= MAX_DETAILS {
            break;
        }
        if tree.is(it, "txbxContent") {
            below.skip_children();
        } else if tree.ns(it) == Ns::M && tree.local(it) == "oMath" {
            let text: String = tree
                .descendants(it)
                .filter(|&it| tree.ns(it) == Ns::M && tree.local(it) == "t")
                .map(|it| tree.text(it))
                .collect();
            out.push(format!("equation {}", story::shorten(&text, 60)));
            below.skip_children();
        }
    }
    out
}

/// Names links, content controls and fields with the range of their text, in characters.
fn spans(tree: &Tree, line: &Line, relations: &[crate::package::Relation], out: &mut Vec<String>) {
    let mut found: Vec<(Id, &str, usize, usize)> = Vec::new();
    for piece in &line.pieces {
        // A field without a result has no piece of its own.
        let begins = tree.is(piece.node, "fldChar")
            && tree.attr(piece.node, "fldCharType").as_deref() == Some("begin");
        let field = if begins { Some(piece.run) } else { piece.field };
        for (id, kind) in
            [(piece.link, "link"), (piece.control, "content control"), (field, "field")]
        {
            let Some(id) = id else { continue };
            match found.iter().position(|it| it.0 == id) {
                Some(at) => found[at].3 = found[at].3.max(piece.end()),
                None if found.len() < MAX_DETAILS => {
                    found.push((id, kind, piece.start, piece.end()))
                }
                None => {}
            }
        }
    }
    for (id, kind, start, end) in found {
        let name = match kind {
            "link" => {
                let relation = tree.attr(id, "id");
                let target = relation
                    .and_then(|id| relations.iter().find(|it| it.id == *id))
                    .map(|it| story::shorten(&it.target, 200));
                let anchor = tree.attr(id, "anchor").map(|it| format!("#{it}"));
                target.or(anchor).unwrap_or_default()
            }
            "field" => fields::instruction(tree, id),
            _ => controls::label(&controls::read(tree, id)),
        };
        let characters = |at: usize| line.text[..at.min(line.text.len())].chars().count();
        out.push(format!("{kind} {name} at {}..{}", characters(start), characters(end)));
    }
}

/// Names an object of a run.
fn object(tree: &Tree, node: Id) -> Option<String> {
    let id = || tree.attr(node, "id").unwrap_or_default();
    Some(match tree.name(node) {
        "footnoteReference" => format!("footnote {}", id()),
        "endnoteReference" => format!("endnote {}", id()),
        "commentReference" => format!("comment {}", id()),
        "br" => format!("{} break", tree.attr(node, "type").unwrap_or_default()),
        "sym" => format!(
            "symbol {} {}",
            tree.attr(node, "font").unwrap_or_default(),
            tree.attr(node, "char").unwrap_or_default()
        ),
        "drawing" | "pict" | "object" => drawing(tree, node),
        "" if tree.local(node) == "AlternateContent" => drawing(tree, node),
        _ => return None,
    })
}

fn drawing(tree: &Tree, node: Id) -> String {
    let has_box = tree.descendants(node).any(|it| tree.is(it, "txbxContent"));
    let kind = if has_box { "text box" } else { "picture" };
    let named = tree.descendants(node).find(|&it| tree.local(it) == "docPr");
    let name = named.and_then(|it| {
        let description = tree.attr(it, "descr").filter(|it| !it.is_empty());
        description.or_else(|| tree.attr(it, "name"))
    });
    match name {
        Some(name) => format!("{kind} \"{}\"", story::shorten(&name, 80)),
        None => kind.to_owned(),
    }
}
