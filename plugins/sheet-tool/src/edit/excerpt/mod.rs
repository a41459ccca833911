//! Excerpts of large sheets: an edit of some cells needs their rows and the formulas, and not the other hundred megabytes.
//!
//! The sheet is unpacked once, a part at a time. A workbook that has only the rows that matter is edited as any other, and
//! the rows that changed are put into the packed sheet, whose other blocks are copied. Whatever an excerpt cannot decide is
//! left to the whole workbook, so that results never depend on it.

mod entry;
mod inflate;
mod scan;
mod splice;
#[cfg(test)]
mod tests;

use super::kinds::{Edit, Expected, Input};
use crate::book::{Book, MAX_SHEET_BYTES, SheetText};
use crate::calc::{Seed, Session};
use crate::package::Package;
use crate::refs::{self, Area, At};
use crate::xml::{XmlToken, xml_tokens};
use crc32fast::Hasher;
use entry::{Entry, Packed};
use scan::{Piece, Scan, scan};
use splice::{Change, spliced};
use std::collections::{BTreeMap, BTreeSet};

/// Smaller sheets are read as a whole, 4 MiB.
const LARGE_BYTES: usize = if cfg!(test) { 2 << 10 } else { 4 << 20 };
/// Most bytes of all other parts, if formulas are to be looked at before the sheet is.
const MAX_OTHER_BYTES: usize = if cfg!(test) { 8 << 10 } else { 4 << 20 };
/// Most rows of a batch.
const MAX_ROWS: usize = 20_000;
/// A sheet in the place of the large one.
const EMPTY_SHEET: &str = "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData/></worksheet>";

/// A workbook with an excerpt of one sheet.
#[derive(Debug)]
pub(crate) struct Excerpt<'a> {
    whole: &'a [u8],
    /// The name of the sheet's part.
    part: String,
    entry: Entry,
    wanted: BTreeSet<u32>,
    scan: Scan,
    /// The file with the excerpt in place of the sheet.
    workbook: Vec<u8>,
}

impl<'a> Excerpt<'a> {
    /// Makes an excerpt for a batch. Returns `None` if no sheet is large, or if the batch needs more than some rows of one.
    pub(crate) fn of(whole: &'a [u8], edits: &[Edit], expected: &[Expected]) -> Option<Self> {
        let entries = entry::entries(whole)?;
        if !entries.iter().any(|it| it.unpacked >= LARGE_BYTES) {
            return None;
        }
        let package = Package::open(whole.to_vec()).ok()?;
        let all = areas_by_part(&package, edits, expected)?;
        let mut large: Vec<(String, Entry)> = Vec::new();
        for part in all.keys() {
            let entry = entry::find(whole, part)?;
            if entry.unpacked >= LARGE_BYTES {
                large.push((part.clone(), entry));
            }
        }
        let [(part, entry)] = <[_; 1]>::try_from(large).ok()?;
        if !entry.is_deflated() || entry.unpacked > crate::zip::MAX_PART_BYTES {
            return None;
        }
        // What is not the sheet is copied twice more than without an excerpt.
        if whole.len() - entry.data.len() > entry.unpacked {
            return None;
        }
        let other_bytes = entries.iter().map(|it| it.unpacked).sum::<usize>() - entry.unpacked;
        // More is refused with a message.
        if other_bytes + entry.unpacked > MAX_SHEET_BYTES {
            return None;
        }
        if other_bytes <= MAX_OTHER_BYTES && has_dependents(&package, &part, &all)? {
            return None;
        }
        let wanted = all[&part].iter().flat_map(|it| it.first.row..=it.last.row).collect();
        let scan = scan(whole.get(entry.data.clone())?, entry.unpacked, entry.crc, &wanted)?;
        let workbook = package.with_part(&part, scan.text.clone()).ok()?;
        Some(Self { whole, part, entry, wanted, scan, workbook })
    }

    /// Returns the workbook that has only the excerpt.
    pub(crate) fn workbook(&self) -> &[u8] {
        &self.workbook
    }

    /// Returns the whole workbook with what changed in the excerpt. Returns `None` if other rows changed.
    pub(crate) fn put_back(self, edited: &[u8]) -> Option<Vec<u8>> {
        if edited == self.workbook {
            return Some(self.whole.to_vec());
        }
        let place = entry::find(edited, &self.part)?;
        let text = String::from_utf8(place.read(edited)?).ok()?;
        let packed = self.whole.get(self.entry.data.clone())?;
        let new = if text == self.scan.text {
            Packed { data: packed.to_vec(), crc: self.entry.crc, unpacked: self.entry.unpacked }
        } else {
            self.packed(packed, self.pieces(text)?)?
        };
        entry::replaced(edited, &place, &new)
    }

    /// Cuts an edited excerpt into the new texts of its pieces.
    fn pieces(&self, text: String) -> Option<Vec<String>> {
        let length = text.len();
        let sheet = SheetText::read(text, &self.part).ok()?;
        let mut pieces = vec![sheet.head.clone()];
        // New rows before the first one, which follow the white space behind the head.
        let mut first = String::new();
        for row in &sheet.rows {
            let text = sheet.row_text(row);
            match self.scan.pieces.get(pieces.len())?.row {
                Some(number) if number < row.number => return None,
                Some(number) if number == row.number => pieces.push(std::mem::take(&mut first)),
                // Only here it is known that no row of the sheet comes between.
                _ if !self.wanted.contains(&row.number) => return None,
                _ if pieces.len() == 1 => {
                    first.push_str(text);
                    continue;
                }
                _ => {}
            }
            pieces.last_mut()?.push_str(text);
        }
        pieces.push(first + &sheet.tail);
        let is_whole = pieces.iter().map(String::len).sum::<usize>() == length;
        (is_whole && pieces.len() == self.scan.pieces.len()).then_some(pieces)
    }

    /// Packs the sheet with new texts of its pieces.
    fn packed(&self, packed: &[u8], texts: Vec<String>) -> Option<Packed> {
        let Scan { text, pieces, blocks } = &self.scan;
        let mut sum = Hasher::new();
        let mut length = self.entry.unpacked;
        let mut changes = Vec::new();
        for (piece, new) in pieces.iter().zip(&texts) {
            let Piece { range, kept, from, gap, .. } = piece;
            sum.combine(gap);
            let mut own = Hasher::new();
            own.update(new.as_bytes());
            sum.combine(&own);
            if text.get(kept.clone())? != new {
                length = length - range.len() + new.len();
                changes.push(Change { range: range.clone(), new, from: from.clone() });
            }
        }
        let data = spliced(packed, blocks, self.entry.unpacked, &changes)?;
        Some(Packed { data, crc: sum.finalize(), unpacked: length })
    }
}

/// Returns `true` if formulas of other sheets have to be calculated after a batch, for which the large sheet need not be read.
fn has_dependents(
    package: &Package,
    part: &str,
    all: &BTreeMap<String, Vec<Area>>,
) -> Option<bool> {
    let book = Book::open(package.with_part(part, EMPTY_SHEET.to_owned()).ok()?).ok()?;
    let mut seeds = Vec::new();
    for (part, areas) in all {
        let sheet = book.sheets.iter().position(|it| it.part == *part)?;
        seeds.extend(areas.iter().map(|&area| Seed { sheet, area, includes_itself: false }));
    }
    Some(Session::new(&book).has_work(&seeds, false))
}

/// Returns the cells that a batch reads or writes, by the part of their sheet. Returns `None` for a batch of other edits than
/// values of cells, and for places that are not plain.
fn areas_by_part(
    package: &Package,
    edits: &[Edit],
    expected: &[Expected],
) -> Option<BTreeMap<String, Vec<Area>>> {
    let sheets = sheets(package)?;
    let mut found: BTreeMap<String, Vec<Area>> = BTreeMap::new();
    let mut count = 0;
    let mut note = |place: &str, rows: usize, columns: usize| {
        count += rows;
        let (part, first) = place_of(&sheets, place)?;
        let behind = |first: u32, count: usize| first.checked_add(u32::try_from(count).ok()?);
        let (row, column) = (behind(first.row, rows)?, behind(first.column, columns)?);
        if rows > 0 && columns > 0 {
            let area = Area::new(first.row, first.column, row - 1, column - 1);
            found.entry(part).or_default().push(area);
        }
        (count <= MAX_ROWS).then_some(())
    };
    for it in expected {
        note(&it.at, 1, 1)?;
    }
    for edit in edits {
        match edit {
            Edit::SetCells(cells) => {
                for cell in cells {
                    is_value(&cell.value).then_some(())?;
                    note(&cell.at, 1, 1)?;
                }
            }
            Edit::SetRange { at, rows } => {
                rows.iter().flatten().all(is_value).then_some(())?;
                note(at, rows.len(), rows.iter().map(Vec::len).max().unwrap_or(0))?;
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Returns `false` for a formula.
fn is_value(input: &Input) -> bool {
    !matches!(input, Input::Text(text) if text.starts_with('='))
}

/// Returns the names of the sheets in lower case, and their parts.
fn sheets(package: &Package) -> Option<Vec<(String, String)>> {
    let main = package.related("", "officeDocument").ok()??;
    let xml = package.text(&main).ok()??;
    let relations = package.relations(&main).ok()?;
    let mut found = Vec::new();
    for token in xml_tokens(&xml) {
        let XmlToken::Tag(tag) = token else { continue };
        if tag.opens("sheet") {
            let id = tag.text("id")?;
            let relation = relations.iter().find(|it| it.id == id && !it.is_external)?;
            found.push((tag.text("name")?.to_lowercase(), relation.target.clone()));
        }
    }
    Some(found)
}

/// Returns the part and the first cell of a place.
fn place_of(sheets: &[(String, String)], place: &str) -> Option<(String, At)> {
    let place = place.trim();
    let (part, rest) = match (refs::qualified(place), sheets) {
        (Some((name, rest)), _) => {
            let name = name.to_lowercase();
            (&sheets.iter().find(|it| it.0 == name)?.1, rest)
        }
        (None, [only]) => (&only.1, place),
        (None, _) => return None,
    };
    Some((part.clone(), refs::area(rest)?.first))
}
