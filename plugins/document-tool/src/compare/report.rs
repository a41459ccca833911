//! Writes differences for the reader: what changed, where, and how to open the place.

use super::block::{Block, Kind};
use super::blocks::{MAX_BLOCKS, Parsed};
use super::event::{Event, Span, What};
use super::normal::{resolved, shown};
use super::pairs::joined_text;
use super::sequence::Budget;
use super::summary::{MAX_SIDE, change, shortened};
use super::tables::{Pair, Pairs};
use crate::bindings::exports::mitt::document_tool::tools::{ChangeKind, Comparison, Difference};

/// Most characters of a heading or a key in a place.
const MAX_TITLE: usize = 60;
/// Most characters of a text that was moved and not changed.
const MAX_MOVED: usize = 120;
/// Most cells of a changed row that are shown.
const MAX_CELLS: usize = 12;
/// Most characters of a cell.
const MAX_CELL: usize = 80;

/// What is known of a comparison before it is written.
pub(crate) struct Report<'a> {
    pub(crate) old: &'a Parsed,
    pub(crate) new: &'a Parsed,
    pub(crate) tables: &'a Pairs,
    pub(crate) is_coarse: bool,
    pub(crate) n_renumbered: usize,
}

/// A difference before its texts are made.
enum Entry<'a> {
    Blocks(Event),
    Column { pair: &'a Pair, kind: ChangeKind, old: Option<usize>, new: Option<usize> },
}

impl Report<'_> {
    pub(crate) fn comparison(
        &self,
        events: Vec<Event>,
        limit: usize,
        budget: &mut Budget,
    ) -> Comparison {
        let mut entries: Vec<(u32, bool, Entry<'_>)> = Vec::with_capacity(events.len());
        for pair in &self.tables.all {
            let order = self.new.blocks[self.new.tables[pair.new].first].at;
            let mut push = |kind, old, new| {
                entries.push((order, false, Entry::Column { pair, kind, old, new }))
            };
            let columns = &pair.columns;
            columns.deleted.iter().for_each(|it| push(ChangeKind::ColumnDeleted, Some(*it), None));
            columns
                .inserted
                .iter()
                .for_each(|it| push(ChangeKind::ColumnInserted, None, Some(*it)));
            columns.moved.iter().for_each(|it| push(ChangeKind::Moved, Some(it.0), Some(it.1)));
        }
        let blocks =
            events.into_iter().map(|it| (it.order, it.what != What::Deleted, Entry::Blocks(it)));
        entries.extend(blocks);
        entries.sort_by_key(|it| (it.0, it.1));
        let mut counts = [0_u32; NAMES.len()];
        for (_, _, entry) in &entries {
            counts[self.kind(entry) as usize] += 1;
        }
        let total = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        let listed = entries.iter().take(limit);
        let differences: Vec<Difference> =
            listed.map(|it| self.difference(&it.2, budget)).collect();
        let summary = summary(&counts, total, differences.len());
        Comparison { summary, differences, total, warnings: self.warnings() }
    }

    fn kind(&self, entry: &Entry<'_>) -> ChangeKind {
        let event = match entry {
            Entry::Column { kind, .. } => return *kind,
            Entry::Blocks(event) => event,
        };
        let is_row = |parsed: &Parsed, span: Option<Span>| {
            span.is_none_or(|it| it.len == 1 && parsed.blocks[it.start as usize].kind == Kind::Row)
        };
        match (event.what, is_row(self.old, event.old) && is_row(self.new, event.new)) {
            (What::Moved, _) => ChangeKind::Moved,
            (What::Changed, true) => ChangeKind::RowChanged,
            (What::Changed, false) => ChangeKind::Changed,
            (What::Inserted, true) => ChangeKind::RowInserted,
            (What::Inserted, false) => ChangeKind::Inserted,
            (What::Deleted, true) => ChangeKind::RowDeleted,
            (What::Deleted, false) => ChangeKind::Deleted,
        }
    }

    fn difference(&self, entry: &Entry<'_>, budget: &mut Budget) -> Difference {
        let kind = self.kind(entry);
        let event = match entry {
            Entry::Blocks(event) => event,
            Entry::Column { pair, old, new, .. } => return self.column(pair, kind, *old, *new),
        };
        let block = |parsed, span: Option<Span>| span.map(|it| first(parsed, it));
        let (old, new) = (block(self.old, event.old), block(self.new, event.new));
        let (before, after) = self.texts(event, budget);
        let place = match (old, new) {
            (Some(old), Some(new)) if event.what == What::Moved => {
                format!("{} → {}", place(self.old, old), place(self.new, new))
            }
            (_, Some(new)) => place(self.new, new),
            (Some(old), None) => place(self.old, old),
            (None, None) => String::new(),
        };
        let offset = |parsed: &Parsed, block: Option<&Block>| {
            let block = block.filter(|_| parsed.source.has_offsets);
            block.map(|it| u64::from(it.at))
        };
        Difference {
            kind,
            place,
            before,
            after,
            before_offset: offset(self.old, old),
            after_offset: offset(self.new, new),
        }
    }

    fn texts(&self, event: &Event, budget: &mut Budget) -> (String, String) {
        match (event.old, event.new) {
            (Some(old), Some(new)) => {
                let (a, b) = (first(self.old, old), first(self.new, new));
                if event.what == What::Moved && a.hash == b.hash {
                    let text = shortened(&shown(&self.new.content(b)), MAX_MOVED)
                        + &more(new.len, "blocks");
                    return (text.clone(), text);
                }
                if a.kind == Kind::Row && b.kind == Kind::Row {
                    return self.cells(a, b, budget);
                }
                let (a, b) = resolved(&text(self.old, old), &text(self.new, new));
                change(&a, &b, budget)
            }
            (Some(old), None) => (self.one_side(self.old, old), String::new()),
            (None, Some(new)) => (String::new(), self.one_side(self.new, new)),
            (None, None) => (String::new(), String::new()),
        }
    }

    fn one_side(&self, parsed: &Parsed, span: Span) -> String {
        shortened(&shown(&parsed.content(first(parsed, span))), MAX_SIDE) + &more(span.len, "rows")
    }

    /// Returns the cells in which two rows differ, with the names of their columns.
    fn cells(&self, old: &Block, new: &Block, budget: &mut Budget) -> (String, String) {
        let changed = self.tables.changed_cells(self.old, old, self.new, new);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for [name, a, b] in changed.iter().take(MAX_CELLS) {
            let (a, b) = if a.chars().count().max(b.chars().count()) > MAX_CELL {
                change(a, b, budget)
            } else {
                (a.clone(), b.clone())
            };
            let name = shortened(name, MAX_TITLE);
            before.push(format!("{name}: {a}"));
            after.push(format!("{name}: {b}"));
        }
        let rest = more(
            u32::try_from(changed.len()).unwrap_or(u32::MAX).saturating_sub(MAX_CELLS as u32 - 1),
            "cells",
        );
        (before.join("; "), after.join("; ") + &rest)
    }

    fn column(
        &self,
        pair: &Pair,
        kind: ChangeKind,
        old: Option<usize>,
        new: Option<usize>,
    ) -> Difference {
        let name = |parsed: &Parsed, table: usize, column: Option<usize>| {
            let name = column.and_then(|it| parsed.tables[table].header.get(it));
            name.map(|it| shortened(&shown(it), MAX_SIDE)).unwrap_or_default()
        };
        let header = |parsed: &Parsed, table: usize| -> Block {
            parsed.blocks[parsed.tables[table].first].clone()
        };
        let (a, b) = (header(self.old, pair.old), header(self.new, pair.new));
        let place = match (old, new) {
            (Some(old), Some(new)) => {
                format!("{}, column {} → {}", table_place(self.new, &b), old + 1, new + 1)
            }
            (Some(old), None) => format!("{}, column {}", table_place(self.old, &a), old + 1),
            (_, new) => {
                format!("{}, column {}", table_place(self.new, &b), new.unwrap_or_default() + 1)
            }
        };
        Difference {
            kind,
            place,
            before: name(self.old, pair.old, old),
            after: name(self.new, pair.new, new),
            before_offset: self.old.source.has_offsets.then_some(u64::from(a.at)),
            after_offset: self.new.source.has_offsets.then_some(u64::from(b.at)),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let mut out = Vec::new();
        for parsed in [self.old, self.new] {
            let name = &parsed.source.name;
            if parsed.source.text.trim().is_empty() {
                out.push(format!("`{name}` has no text that could be compared"));
            }
            if parsed.source.is_cut {
                let end = parsed.blocks.iter().take(MAX_BLOCKS).next_back().map_or(0, |it| it.at);
                out.push(format!(
                    "`{name}` is longer than what is compared at once: from about character {end} on it was not compared"
                ));
            }
            if parsed.n_furniture > 0 {
                out.push(format!(
                    "`{name}`: {} page numbers and repeated lines at the ends of pages were not compared",
                    parsed.n_furniture
                ));
            }
        }
        if self.n_renumbered > 0 {
            out.push(format!(
                "{} list items have another number and the same text; they are not listed",
                self.n_renumbered
            ));
        }
        if self.is_coarse {
            out.push(
                "the texts differ in so much that long parts were compared in less detail: changed or moved blocks may be listed as deleted and inserted"
                    .to_owned(),
            );
        }
        out
    }
}

/// Names of the kinds, for one and for several, in the order of [`ChangeKind`].
const NAMES: [(&str, &str); 9] = [
    ("changed", "changed"),
    ("inserted", "inserted"),
    ("deleted", "deleted"),
    ("moved", "moved"),
    ("row changed", "rows changed"),
    ("row inserted", "rows inserted"),
    ("row deleted", "rows deleted"),
    ("column inserted", "columns inserted"),
    ("column deleted", "columns deleted"),
];

fn summary(counts: &[u32; NAMES.len()], total: u32, n_listed: usize) -> String {
    if total == 0 {
        return "The texts are equal.".to_owned();
    }
    let parts = counts.iter().zip(NAMES).filter(|it| *it.0 > 0);
    let parts = parts
        .map(|(count, (one, many))| format!("{count} {}", if *count == 1 { one } else { many }));
    let parts: Vec<String> = parts.collect();
    let noun = if total == 1 { "difference" } else { "differences" };
    let rest = match total as usize - n_listed {
        0 => String::new(),
        rest => format!(" The first {n_listed} are listed, {rest} are not."),
    };
    format!("{total} {noun}: {}.{rest}", parts.join(", "))
}

fn first(parsed: &Parsed, span: Span) -> &Block {
    &parsed.blocks[span.start as usize]
}

fn text(parsed: &Parsed, span: Span) -> String {
    if span.len == 1 { parsed.content(first(parsed, span)) } else { joined_text(parsed, span) }
}

fn more(len: u32, what: &str) -> String {
    match len {
        0 | 1 => String::new(),
        len => format!(" (and {} more {what})", len - 1),
    }
}

/// Returns where a block stands: page, heading, row of a table.
fn place(parsed: &Parsed, block: &Block) -> String {
    if block.kind != Kind::Row {
        let parts = section(parsed, block);
        return if parts.is_empty() { line_of(parsed, block) } else { parts.join(", ") };
    }
    let table = table_place(parsed, block);
    if block.number == 0 {
        return format!("{table}, header");
    }
    let key = parsed.row_key(block).map(|it| format!(" ({})", shortened(&shown(&it), MAX_TITLE)));
    format!("{table}, row {}{}", block.number, key.unwrap_or_default())
}

fn table_place(parsed: &Parsed, row: &Block) -> String {
    let mut parts = section(parsed, row);
    parts.push(format!("table {}", row.link.unwrap_or_default() + 1));
    parts.join(", ")
}

/// Returns page, slide or sheet of a block, and the heading above it.
fn section(parsed: &Parsed, block: &Block) -> Vec<String> {
    let place = parsed.place_index(block.at).map(|it| parsed.source.places[it].label.clone());
    let heading = parsed.heading(block).map(|it| shortened(&shown(&parsed.content(it)), MAX_TITLE));
    let heading = heading.filter(|it| place.as_ref() != Some(it));
    place.into_iter().chain(heading).collect()
}

/// Returns the line of a block in a document without pages and headings.
fn line_of(parsed: &Parsed, block: &Block) -> String {
    let before = &parsed.source.text[..block.range.start as usize];
    format!("line {}", before.bytes().filter(|it| *it == b'\n').count() + 1)
}
