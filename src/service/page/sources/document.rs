//! Looks for a value in a document that is shown as text or pages: in its text, and in the cells of its tables.

use std::ops::Range;
use std::time::Instant;

use super::found::{Found, MOST_OF_ONE, SourceKind, SourceMatch, excerpt, shortened};
use super::wanted::Wanted;
use mitt::{CellRef, Document, NamedTable};
use mitt_base::written_number::Likeness;

/// Cells and lines between two looks at the clock.
const CLOCK: usize = 1_024;

/// A search in one document.
struct Search<'a> {
    document: &'a Document,
    kind: SourceKind,
    name: &'a str,
    wanted: &'a Wanted,
    deadline: Instant,
    found: Found,
    /// Cells and lines that were looked at.
    n_seen: usize,
}

/// Returns the places in a document that hold a value. Ends at the deadline.
pub(super) fn search(
    document: &Document,
    (kind, name): (SourceKind, &str),
    wanted: &Wanted,
    deadline: Instant,
) -> Found {
    let found = Found::default();
    let mut search = Search { document, kind, name, wanted, deadline, found, n_seen: 0 };
    for table in document.tables.iter() {
        if !search.table(table) {
            return search.found;
        }
    }
    search.text();
    search.found
}

impl Search<'_> {
    /// Returns `false` if the search is over, before a cell or a line that it would look at.
    fn goes_on(&mut self) -> bool {
        self.n_seen += 1;
        let is_late = self.n_seen.is_multiple_of(CLOCK) && Instant::now() >= self.deadline;
        let is_over = is_late || self.found.is_full(MOST_OF_ONE);
        self.found.has_more |= is_over;
        !is_over
    }

    /// Looks at the cells of a table. Returns `false` if the search is over.
    fn table(&mut self, table: &NamedTable) -> bool {
        let mut text = String::new();
        for (column, (_, cells)) in table.data.columns().enumerate() {
            for row in 0..table.data.rows() {
                if !self.goes_on() {
                    return false;
                }
                let likeness = match cells.cell(row, &mut text) {
                    CellRef::Number(lexeme) => self.wanted.in_number(lexeme),
                    CellRef::Text(text) => self.wanted.best_in(text),
                    CellRef::Null | CellRef::Boolean(_) => None,
                };
                let Some(likeness) = likeness else { continue };
                if self.found.wants(likeness, MOST_OF_ONE) {
                    let found = self.cell(table, (row, column), likeness);
                    self.found.add(found);
                }
            }
        }
        true
    }

    /// Returns the match in a cell. Its place is that of its row in the text.
    fn cell(
        &self,
        table: &NamedTable,
        (row, column): (usize, usize),
        likeness: Likeness,
    ) -> SourceMatch {
        let line = table.data.markdown_row(row);
        let offset = self.document.text.find(line.trim_end()).map(|byte| self.offset(byte));
        let place = offset.and_then(|offset| self.place_at(offset)).or(table.place.as_deref());
        let label = match (place, table.name.as_str()) {
            (Some(place), _) => place.to_owned(),
            (None, "") => format!("row {}", row + 1),
            (None, name) => format!("{name}, row {}", row + 1),
        };
        SourceMatch {
            page: page(&label),
            label,
            offset,
            excerpt: cell_excerpt(table, row, column),
            ..SourceMatch::new(self.kind, self.name, likeness)
        }
    }

    /// Looks at the text. Cells of tables are in it again, and are left out.
    fn text(&mut self) {
        let has_tables = !self.document.tables.is_empty();
        let text = self.document.text.as_str();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if !self.goes_on() {
                return;
            }
            if !(has_tables && line.starts_with('|')) {
                self.line(line, start);
            }
            start += line.len();
        }
    }

    fn line(&mut self, line: &str, start: usize) {
        let wanted = self.wanted;
        wanted.in_text(line, |likeness, range| {
            if self.found.wants(likeness, MOST_OF_ONE) {
                let found = self.text_match(start + range.start..start + range.end, likeness);
                self.found.add(found);
            }
            !self.found.is_full(MOST_OF_ONE)
        });
    }

    fn text_match(&self, range: Range<usize>, likeness: Likeness) -> SourceMatch {
        let text = self.document.text.as_str();
        let offset = self.offset(range.start);
        let label = match self.place_at(offset) {
            Some(place) => place.to_owned(),
            None => {
                let before = text.as_bytes().get(..range.start).unwrap_or_default();
                format!("line {}", before.iter().filter(|byte| **byte == b'\n').count() + 1)
            }
        };
        SourceMatch {
            page: page(&label),
            label,
            offset: Some(offset),
            excerpt: excerpt(text, &range),
            ..SourceMatch::new(self.kind, self.name, likeness)
        }
    }

    /// Returns the number of characters before a byte of the text.
    fn offset(&self, byte: usize) -> u64 {
        self.document.text.get(..byte).map_or(0, |before| before.chars().count() as u64)
    }

    /// Returns the label of the page, slide or chapter at a character of the text.
    fn place_at(&self, offset: u64) -> Option<&str> {
        let places = &self.document.places;
        let index = places.partition_point(|place| place.offset <= offset);
        Some(places.get(index.checked_sub(1)?)?.label.as_str())
    }
}

/// Returns the number of the page that a label names.
fn page(label: &str) -> Option<u64> {
    label.strip_prefix("page ")?.parse().ok()
}

/// Returns a cell with the first text of its row and the name of its column, which say what it is.
fn cell_excerpt(table: &NamedTable, row: usize, column: usize) -> String {
    let (data, mut text) = (&table.data, String::new());
    let value = shortened(data.cell(row, column, &mut text).as_str());
    let name = data.names().nth(column).map(shortened).unwrap_or_default();
    let mut others = (0..data.width()).filter(|other| *other != column);
    let label = others.find_map(|other| match data.cell(row, other, &mut text) {
        CellRef::Text(text) => Some(shortened(text)),
        _ => None,
    });
    match label {
        Some(label) => format!("{label} · {name}: {value}"),
        None => format!("{name}: {value}"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use mitt::{Cell, Place, Table};

    /// Returns a table with these names of columns and rows; what looks like a number is one.
    fn table(names: &[&str], rows: &[&[&str]]) -> Table {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let cells = |row: &&[&str]| -> Vec<Cell> {
            row.iter().map(|text| CellRef::from_text(text).to_cell()).collect()
        };
        let rows: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
        Table::of_rows(names, &rows).unwrap()
    }

    /// Returns a document with this text, these places as label and first text, and these tables.
    fn document(text: &str, places: &[(&str, &str)], tables: Vec<NamedTable>) -> Document {
        let place = |(label, first): &(&str, &str)| Place {
            offset: text[..text.find(*first).unwrap()].chars().count() as u64,
            label: (*label).to_owned(),
        };
        Document {
            name: "a".to_owned(),
            media_type: "text/markdown".to_owned(),
            title: None,
            metadata: Vec::new(),
            text: text.to_owned(),
            characters: text.chars().count() as u64,
            places: places.iter().map(place).collect(),
            tables: Arc::from(tables),
            warnings: Vec::new(),
            sha256: String::new(),
            size: 0,
        }
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    fn found(document: &Document, value: &str) -> Vec<SourceMatch> {
        let origin = (SourceKind::Document, "a.docx");
        search(document, origin, &Wanted::of(value), soon()).into_best().0
    }

    #[test]
    fn a_cell_is_found_once_and_has_the_place_of_its_row() {
        let text = "年报\n\n# Sales\n\n| 月份 | 收入 |\n| --- | --- |\n| 1月 | 1,452.3万 |\n| 2月 | 9.5 |\n";
        let rows: &[&[&str]] = &[&["1月", "1,452.3万"], &["2月", "9.5"]];
        let tables = vec![NamedTable::new("Sales", table(&["月份", "收入"], rows))];
        let report = document(text, &[("page 1", "年报"), ("page 2", "# Sales")], tables.clone());
        let matches = found(&report, "14,523,000");
        assert_eq!(matches.len(), 1, "{matches:?}");
        let SourceMatch { label, page, offset, excerpt, is_exact, row, .. } = &matches[0];
        assert_eq!((label.as_str(), *page, *is_exact, *row), ("page 2", Some(2), true, None));
        assert_eq!(excerpt, "1月 · 收入: 1,452.3万");
        let shown: String = text.chars().skip(usize::try_from(offset.unwrap()).unwrap()).collect();
        assert!(shown.starts_with("| 1月"), "{shown}");
        // The text of a long table does not have all of its rows.
        let short = document("", &[], tables);
        assert_eq!(found(&short, "9.5")[0].label, "Sales, row 2");
        let stated = NamedTable { place: Some("slide 3".to_owned()), ..report.tables[0].clone() };
        assert_eq!(found(&document("", &[], vec![stated]), "9.5")[0].label, "slide 3");
    }

    #[test]
    fn a_number_in_the_text_has_its_page_and_its_place() {
        let text = "年报\n\nRevenue grew by 12.5 %.\n\nCosts grew by 0.125 of it.\n";
        let report = document(text, &[("page 1", "年报"), ("page 2", "Costs")], Vec::new());
        let matches = found(&report, "12.5%");
        let places: Vec<_> =
            matches.iter().map(|it| (it.label.as_str(), it.page, it.offset)).collect();
        assert_eq!(places, [("page 1", Some(1), Some(20)), ("page 2", Some(2), Some(43))]);
        assert!(matches[0].excerpt.contains("Revenue grew by 12.5 %."), "{matches:?}");
        let plain = document("a\nb 7\n", &[], Vec::new());
        assert_eq!(found(&plain, "7")[0].label, "line 2");
    }

    #[test]
    fn a_text_is_found_in_cells_and_in_the_text() {
        let text = "| bird | count |\n| --- | --- |\n| Blue Heron | 5 |\n";
        let data = table(&["bird", "count"], &[&["Blue Heron", "5"]]);
        let matches = found(&document(text, &[], vec![NamedTable::new("", data)]), "Blue Heron");
        assert_eq!((matches.len(), matches[0].label.as_str()), (1, "row 1"));
        assert!(matches[0].is_exact);
        let plain = document("The Blue Heron flew.", &[], Vec::new());
        assert_eq!(found(&plain, "blue heron").len(), 1);
    }

    #[test]
    fn one_document_does_not_take_all_places_and_time_ends_a_search() {
        let many = document(&"7\n".repeat(100), &[], Vec::new());
        let all = search(&many, (SourceKind::File, "a.txt"), &Wanted::of("7"), soon());
        let (matches, has_more) = all.into_best();
        assert_eq!((matches.len(), has_more), (MOST_OF_ONE, true));
        let long = document(&"8\n".repeat(10 * CLOCK), &[], Vec::new());
        let none = search(&long, (SourceKind::File, "a.txt"), &Wanted::of("7"), Instant::now());
        let (none, is_unfinished) = none.into_best();
        assert!(none.is_empty() && is_unfinished);
    }
}
