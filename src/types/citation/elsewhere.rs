//! Where in its document a claim stands that does not stand at the cited place.

use super::claim::Claim;
use super::place::{Target, all_parts, has_header, is_delimited, whole};
use super::region::{CellContent, Effort, Region};
use mitt_table::CellRef;

/// Most cells and paragraphs that are looked at.
const MAX_PIECES: usize = 200_000;

/// The first place of each claim.
struct Search<'c> {
    claims: &'c [Claim],
    places: Vec<Option<String>>,
    n_pieces: usize,
}

/// Returns the first place of each claim in its document: a page, a cell, a paragraph or a row. `None` where there is none, and
/// where too much was compared already.
pub(super) fn elsewhere(
    target: &Target,
    claims: &[Claim],
    effort: &mut Effort,
) -> Vec<Option<String>> {
    let mut search = Search { claims, places: vec![None; claims.len()], n_pieces: 0 };
    let document = &*target.document;
    if let Some(paragraphs) = &target.paragraphs {
        for it in paragraphs {
            let cells = vec![CellContent::Text(it.text.clone())];
            if !search.look(&Region::of_cells(cells), &|| it.anchor.clone(), effort) {
                break;
            }
        }
    } else if let Some(sheets) = &target.sheets {
        sheets.each_named(effort, |effort, name, cells| {
            search.look(&Region::of_cells(cells), name, effort)
        });
    } else if is_delimited(document) {
        search.rows(target, effort);
    } else {
        for (label, region) in all_parts(document) {
            if !search.look(&region, &|| label.to_owned(), effort) {
                break;
            }
        }
    }
    // A quotation may stand in several pieces.
    let is_rest = search.places.iter().any(Option::is_none) && document.places.is_empty();
    if is_rest && search.n_pieces < MAX_PIECES {
        search.look(&whole(document), &|| "another place".to_owned(), effort);
    }
    search.places
}

impl Search<'_> {
    /// Looks at a piece of the document. Returns `false` if the search is over.
    fn look(
        &mut self,
        region: &Region<'_>,
        name: &dyn Fn() -> String,
        effort: &mut Effort,
    ) -> bool {
        self.n_pieces += 1;
        if self.n_pieces > MAX_PIECES {
            return false;
        }
        let Some(found) = region.holds(self.claims, effort) else { return false };
        for (place, _) in
            self.places.iter_mut().zip(found).filter(|(place, it)| *it && place.is_none())
        {
            *place = Some(name());
        }
        self.places.iter().any(Option::is_none)
    }

    fn rows(&mut self, target: &Target, effort: &mut Effort) {
        let [table] = &*target.document.tables else { return };
        let (data, mut text) = (&table.data, String::new());
        let first = 1 + usize::from(has_header(table));
        for row in 0..data.rows() {
            let mut cells = Vec::new();
            for column in 0..data.width() {
                match data.cell(row, column, &mut text) {
                    CellRef::Number(it) => cells.push(CellContent::Number(it.to_owned())),
                    CellRef::Text(it) => cells.push(CellContent::Text(it.to_owned())),
                    CellRef::Null | CellRef::Boolean(_) => {}
                }
            }
            let name = || format!("row {}", row + first);
            if !self.look(&Region::of_cells(cells), &name, effort) {
                return;
            }
        }
    }
}
