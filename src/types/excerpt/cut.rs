//! Excerpt of one document that exceeds its room: long tables are shortened first, then text in the middle is left out.

use std::collections::VecDeque;

use super::table::{Long, ShownUnit, rows};
use super::units::{Unit, Units};
use super::{Excerpt, FULL, LeftOut, TextLimits, level};
use crate::document::Document;
use mitt_base::rows::grouped;
use mitt_base::text::{TRUNCATED, cut_chars, single_line};
use mitt_base::tokens::TextSize;
use mitt_table::Table;

/// Largest piece of a text that is shown or left out as a whole, as a fraction of [`FULL`].
const PIECE: u64 = FULL / 10;

/// Share of the room for the end of a text, as a fraction of [`FULL`]: reports end with conclusions, and logs with the latest
/// events.
const TAIL: u64 = FULL / 5;

/// A table up to this size, about ten rows, is not shortened.
const SMALL_TABLE: TextLimits = TextLimits { characters: 800, tokens: 200 };

/// Most characters of the name of a page or a sheet in a mark.
const LABEL: u64 = 40;

/// Returns the excerpt of a document for a room. `size` is the size of its text.
pub(super) fn excerpt(
    document: &Document,
    size: TextSize,
    limits: TextLimits,
    names_tools: bool,
) -> Excerpt {
    let plan = Plan::new(document, limits, names_tools);
    let units = || Units::new(&document.text, limits, PIECE);
    let within: TextSize = units().map(|unit| plan.piece(unit).size).sum();
    if limits.holds(within) {
        let mut builder = ExcerptBuilder::default();
        units().for_each(|unit| builder.push(plan.piece(unit)));
        return builder.finish();
    }
    plan.ends(units(), size)
}

/// How a document is shortened.
struct Plan<'a> {
    document: &'a Document,
    limits: TextLimits,
    names_tools: bool,
    /// Tables above this size are shortened, as a fraction of [`FULL`].
    cap: u64,
    /// Size up to which a table is not shortened for lack of room.
    small: u64,
    /// `true` if the tables in the text are those of the document, in order.
    has_all_tables: bool,
}

impl<'a> Plan<'a> {
    fn new(document: &'a Document, limits: TextLimits, names_tools: bool) -> Plan<'a> {
        let small = limits.part_of(SMALL_TABLE).min(FULL / 4);
        let (mut others, mut large, mut n_tables) = (0_u64, Vec::new(), 0);
        for unit in Units::new(&document.text, limits, PIECE) {
            let part = limits.part(unit.size);
            n_tables += usize::from(unit.table.is_some());
            if unit.table.is_some() && part > small {
                large.push(part)
            } else {
                others = others.saturating_add(part)
            }
        }
        large.push(others);
        let cap = level(&large, FULL).max(small);
        let has_all_tables = n_tables == document.tables.len();
        Plan { document, limits, names_tools, cap, small, has_all_tables }
    }

    /// Returns a unit as it is shown if there is room.
    fn piece<'t>(&self, unit: Unit<'t>) -> ShownUnit<'t> {
        if unit.table.is_some() && self.limits.part(unit.size) > self.cap {
            self.shorter(unit, self.cap)
        } else {
            ShownUnit::whole(unit)
        }
    }

    fn shorter<'t>(&self, unit: Unit<'t>, most: u64) -> ShownUnit<'t> {
        let whole = self.table(&unit);
        Long { unit, whole, names_tools: self.names_tools }.shortened(self.limits, most)
    }

    /// Returns a unit as it is shown in the room that is left; `None` if it does not fit.
    fn fitting<'t>(&self, unit: Unit<'t>, left: u64) -> Option<ShownUnit<'t>> {
        let mut piece = self.piece(unit);
        if self.limits.part(piece.size) > left && unit.table.is_some() && left >= self.small {
            piece = self.shorter(unit, left);
        }
        (self.limits.part(piece.size) <= left).then_some(piece)
    }

    /// Returns the table of the document that a unit shows, with its number.
    fn table(&self, unit: &Unit<'_>) -> Option<(usize, &'a Table)> {
        let at = unit.table.filter(|_| self.has_all_tables)?;
        Some((at, &self.document.tables.get(at)?.data))
    }

    /// Returns the number of rows of a table, including those that the text does not show.
    fn n_rows(&self, unit: &Unit<'_>) -> u64 {
        self.table(unit).map_or_else(|| rows(unit), |(_, table)| table.rows() as u64)
    }

    /// Returns the beginning and the end of a text.
    fn ends<'t>(&self, mut units: Units<'t>, size: TextSize) -> Excerpt {
        let longest =
            LeftOut { offset: size.characters, characters: size.characters, rows: size.characters };
        let labels = self.document.places.iter().map(|place| label(&place.label));
        let widest = labels.max_by_key(|label| TextSize::of(label).thousandths());
        let widest = widest.map(|label| format!("{label} to {label}"));
        let mark = self.mark(&longest, widest.as_deref(), false);
        let is_short = self.limits.part(TextSize::of(&mark)) > FULL / 2;
        let mark = self.mark(&longest, widest.as_deref(), is_short);
        // Includes the empty lines around it.
        let mark = self.limits.part(TextSize::of(&format!("{mark}\n\n\n")));
        let available = FULL.saturating_sub(mark);
        let tail = if is_short { 0 } else { TAIL.min(available / 4) };
        let head = available - tail;

        let (mut first, mut used, mut refused) = (Vec::new(), 0, None);
        for unit in units.by_ref() {
            let Some(piece) = self.fitting(unit, head - used) else {
                refused = Some(unit);
                break;
            };
            used += self.limits.part(piece.size);
            first.push(piece);
        }
        let behind = first.split_off(self.good_end(&first, head / 4));
        let behind = behind.into_iter().map(|piece| piece.unit).chain(refused).chain(units);

        let begins = first.last().is_none_or(|piece| piece.unit.ends_block);
        let (last, n_rows) = self.last(behind, tail, begins);
        let mut builder = ExcerptBuilder::default();
        let offset = first.last().map_or(0, |piece| piece.unit.offset + piece.unit.size.characters);
        let end = last.front().map_or(size.characters, |piece| piece.unit.offset);
        let left_out = LeftOut { offset, characters: end.saturating_sub(offset), rows: n_rows };
        first.into_iter().for_each(|piece| builder.push(piece));
        builder.separate();
        let places = self.places(offset, end);
        builder.excerpt.text.push_str(&self.mark(&left_out, places.as_deref(), is_short));
        builder.excerpt.left_out.push(left_out);
        if !last.is_empty() {
            builder.separate();
        }
        last.into_iter().for_each(|piece| builder.push(piece));
        builder.finish()
    }

    /// Returns how many pieces of a beginning to keep so that it ends with a block, if that drops no more than `most`.
    fn good_end(&self, pieces: &[ShownUnit<'_>], most: u64) -> usize {
        let mut lost = 0;
        for (at, piece) in pieces.iter().enumerate().rev() {
            // A heading without text below it is useless.
            if piece.unit.ends_block && !piece.unit.text.starts_with('#') {
                return at + 1;
            }
            lost += self.limits.part(piece.size);
            if lost > most {
                break;
            }
        }
        pieces.len()
    }

    /// Returns the last pieces that fit, and the number of table rows before them.
    fn last<'t>(
        &self,
        units: impl Iterator<Item = Unit<'t>>,
        most: u64,
        mut begins: bool,
    ) -> (VecDeque<ShownUnit<'t>>, u64) {
        let mut kept: VecDeque<(ShownUnit<'t>, bool)> = VecDeque::new();
        let (mut used, mut n_rows) = (0, 0);
        for unit in units {
            let starts = std::mem::replace(&mut begins, unit.ends_block);
            match self.fitting(unit, most) {
                Some(piece) => {
                    used += self.limits.part(piece.size);
                    kept.push_back((piece, starts));
                }
                None => {
                    n_rows += kept.drain(..).map(|(it, _)| self.n_rows(&it.unit)).sum::<u64>();
                    n_rows += self.n_rows(&unit);
                    used = 0;
                }
            }
            while used > most {
                let Some((piece, _)) = kept.pop_front() else { break };
                used -= self.limits.part(piece.size);
                n_rows += self.n_rows(&piece.unit);
            }
        }
        // If the beginning of a block is near, the end starts there.
        let mut lost = 0;
        let near = kept.iter().position(|(piece, starts)| {
            let is_here = *starts && lost <= most / 2;
            lost += self.limits.part(piece.size);
            is_here
        });
        n_rows += kept.drain(..near.unwrap_or(0)).map(|(it, _)| self.n_rows(&it.unit)).sum::<u64>();
        (kept.into_iter().map(|(piece, _)| piece).collect(), n_rows)
    }

    /// Returns the mark that replaces omitted text.
    fn mark(&self, left_out: &LeftOut, places: Option<&str>, is_short: bool) -> String {
        let LeftOut { offset, characters, rows } = left_out;
        let (mark, all) = (TRUNCATED.trim_start(), self.document.characters);
        let missing = format!("{} of {} characters", grouped(*characters), grouped(all));
        if is_short {
            return format!("{mark} {missing} are left out from offset {offset} on\n");
        }
        let end = offset.saturating_add(*characters);
        let mut text = format!("{mark} {missing} are left out here, offset {offset} to {end}");
        if let Some(places) = places {
            text.push_str(&format!(", {places}"));
        }
        if *rows > 0 {
            text.push_str(&format!(", with {} rows of tables", grouped(*rows)));
        }
        text.push('.');
        if self.names_tools {
            text.push_str(&format!(
                " document-tool: read_document from offset {offset} reads on; outline and search find a place."
            ));
        }
        text.push('\n');
        text
    }

    /// Returns the pages, or other places, that are left out completely or partly.
    fn places(&self, start: u64, end: u64) -> Option<String> {
        let places = &self.document.places;
        let behind = places.partition_point(|place| place.offset <= start);
        let first = places.get(behind.saturating_sub(1))?;
        let last =
            places.get(places.partition_point(|place| place.offset < end).checked_sub(1)?)?;
        let (first_label, last_label) = (label(&first.label), label(&last.label));
        Some(if first.offset >= last.offset {
            first_label
        } else {
            format!("{first_label} to {last_label}")
        })
    }
}

/// Returns the name of a place on one line.
fn label(name: &str) -> String {
    cut_chars(&single_line(name), LABEL).0.to_owned()
}

/// Text that is shown so far.
#[derive(Default)]
struct ExcerptBuilder {
    excerpt: Excerpt,
}

impl ExcerptBuilder {
    fn push(&mut self, piece: ShownUnit<'_>) {
        self.excerpt.text.push_str(piece.text());
        self.excerpt.left_out.extend(piece.left_out);
    }

    /// Adds an empty line, if there is text before.
    fn separate(&mut self) {
        let text = &mut self.excerpt.text;
        let missing = match (text.is_empty(), text.ends_with("\n\n"), text.ends_with('\n')) {
            (true, _, _) | (_, true, _) => "",
            (_, _, true) => "\n",
            _ => "\n\n",
        };
        text.push_str(missing);
    }

    fn finish(mut self) -> Excerpt {
        self.excerpt.tokens = TextSize::of(&self.excerpt.text).tokens();
        self.excerpt
    }
}
