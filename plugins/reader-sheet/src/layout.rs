//! Divides the rows of a worksheet into titles, header and data.

use crate::columns::Sheet;
use crate::grid::{Grid, Region, value};
use crate::item::Item;
use crate::rows::Row;
use mitt_reader_kit::{column_names, single_line};

/// Most rows of a header. A taller block of merged cells is data.
const MAX_HEADER_ROWS: usize = 4;

/// Most cells of a line of text above a wide table, such as the company on the left and the unit on the right.
const MAX_CAPTION_CELLS: usize = 2;

pub(crate) struct Layout {
    /// Lines above the table: titles, dates, units.
    pub(crate) captions: Vec<String>,
    pub(crate) table: Sheet,
    /// Row number in the worksheet of each row of the table, from 0.
    pub(crate) row_numbers: Vec<u32>,
    /// Sentences about what was changed.
    pub(crate) notes: Vec<String>,
}

/// Divides a grid into captions, header and data.
pub(crate) fn lay_out(mut grid: Grid) -> Layout {
    let mut notes = Vec::from_iter(grid.left_out.take());
    let header = header_row(&grid);
    let captions = grid.rows[..header].iter().filter(|row| !row.is_empty()).map(caption).collect();
    if grid.rows.is_empty() {
        return Layout { captions, table: Sheet::default(), row_numbers: Vec::new(), notes };
    }
    let depth = header_depth(&grid, header);
    let columns = header_names(&grid, header, depth);
    if fill_labels(&mut grid, header + depth) {
        notes.push("text in vertically merged cells was repeated in every row".to_owned());
    }
    let rows = grid.rows.split_off(header + depth);
    let row_numbers = grid.row_numbers.split_off(header + depth);
    Layout { captions, table: Sheet { columns, rows }, row_numbers, notes }
}

/// Returns whether the name of a sheet is a default name, in any of the common languages.
pub(crate) fn is_generic_name(name: &str) -> bool {
    const STEMS: [&str; 16] = [
        "sheet",
        "工作表",
        "表",
        "シート",
        "시트",
        "tabelle",
        "feuil",
        "feuille",
        "hoja",
        "foglio",
        "planilha",
        "folha",
        "blad",
        "arkusz",
        "лист",
        "worksheet",
    ];
    let lower = name.to_lowercase();
    let stem = lower.trim_end_matches(|character: char| {
        character.is_ascii_digit() || matches!(character, ' ' | '_' | '-')
    });
    STEMS.contains(&stem)
}

/// Returns the first row that is not a line of text above a wider table.
fn header_row(grid: &Grid) -> usize {
    let counts: Vec<usize> = grid.rows.iter().map(|row| row.len()).collect();
    // The widest row below each row, from the bottom up.
    let mut widest_below = vec![0; counts.len()];
    for index in (1..counts.len()).rev() {
        widest_below[index - 1] = widest_below[index].max(counts[index]);
    }
    let mut row = 0;
    while row + 1 < counts.len()
        && (counts[row] == 0 || is_caption(grid, &counts, row, widest_below[row]))
    {
        row += 1;
    }
    row
}

fn is_caption(grid: &Grid, counts: &[usize], row: usize, widest_below: usize) -> bool {
    let cells = &grid.rows[row];
    if !is_text(cells) || widest_below < 2 {
        return false;
    }
    if counts[row] == 1 {
        // `[blank, Amount]` above `[East, 5]` is the header of a table of two columns.
        return *value(cells, 0) != Item::Null || grid.width > 2;
    }
    let next = (row + 1..counts.len()).find(|next| counts[*next] > 0);
    counts[row] <= MAX_CAPTION_CELLS
        && !grid.merged.iter().any(|region| region.holds_row(row) && region.bottom > row)
        && next.is_some_and(|next| {
            counts[next] >= 2 * MAX_CAPTION_CELLS
                && counts[next] == widest_below
                && is_text(&grid.rows[next])
                && next + 1 < counts.len()
        })
}

fn is_text(row: &Row) -> bool {
    row.iter().all(|(_, item)| item.is_text())
}

fn caption(row: &Row) -> String {
    let parts: Vec<String> = row
        .iter()
        .map(|(_, item)| single_line(&item.text()))
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("  ")
}

/// Returns the number of header rows: more than one if a heading that spans columns is beside one that spans rows.
fn header_depth(grid: &Grid, header: usize) -> usize {
    let starting = || grid.merged.iter().filter(|region| region.top == header);
    let spans_columns =
        starting().any(|region| region.bottom == header && region.left < region.right);
    let bottom = starting().map(|region| region.bottom).max().unwrap_or(header);
    let depth = bottom - header + 1;
    if spans_columns
        && depth <= MAX_HEADER_ROWS
        && bottom + 1 < grid.rows.len()
        && grid.rows[header..=bottom].iter().all(is_text)
    {
        depth
    } else {
        1
    }
}

/// Returns a name for each column: its headings from top to bottom. A merged heading counts for all its columns.
fn header_names(grid: &Grid, header: usize, depth: usize) -> Vec<String> {
    let mut parts: Vec<Vec<String>> = vec![Vec::new(); grid.width];
    for row in header..header + depth {
        let mut texts: Vec<String> = (0..grid.width)
            .map(|column| single_line(&value(&grid.rows[row], column).text()))
            .collect();
        for region in grid.merged.iter().filter(|region| region.top == row) {
            spread(&mut texts, region);
        }
        for (column, text) in texts.into_iter().enumerate() {
            if !text.is_empty() && parts[column].last() != Some(&text) {
                parts[column].push(text);
            }
        }
    }
    column_names(parts.iter().map(|parts| parts.join(" ")))
}

fn spread(texts: &mut [String], region: &Region) {
    let text = texts[region.left].clone();
    for other in &mut texts[region.left + 1..=region.right] {
        if other.is_empty() {
            other.clone_from(&text);
        }
    }
}

/// Repeats text that is merged over several rows of data, because it names the group of these rows.
///
/// Numbers are not repeated, because their sum would change.
fn fill_labels(grid: &mut Grid, first: usize) -> bool {
    let mut is_changed = false;
    for region in grid
        .merged
        .clone()
        .into_iter()
        .filter(|region| region.top >= first && region.top < region.bottom)
    {
        let label = value(&grid.rows[region.top], region.left).clone();
        if !label.is_text() {
            continue;
        }
        for row in &mut grid.rows[region.top + 1..=region.bottom] {
            // In a damaged file, regions may overlap.
            let place = row.binary_search_by_key(&region.left, |(column, _)| *column as usize);
            if let Err(place) = place {
                let mut items = std::mem::take(row).into_vec();
                items.insert(place, (region.left as u32, label.clone()));
                *row = items.into();
                is_changed = true;
            }
        }
    }
    is_changed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a grid from lines of fields. `.` is an empty cell, and what begins like a number is a number.
    fn grid(lines: &[&str], merged: &[(usize, usize, usize, usize)]) -> Grid {
        let item = |field: &str| match field {
            "." => Item::Null,
            _ => field.parse().map_or_else(|_| Item::text_of(field), Item::number),
        };
        let row = |line: &&str| -> Row {
            let items = (0..).zip(line.split(' ').map(item));
            items.filter(|(_, item)| *item != Item::Null).collect()
        };
        Grid {
            rows: lines.iter().map(row).collect(),
            width: lines.first().map_or(0, |line| line.split(' ').count()),
            merged: merged
                .iter()
                .map(|&(top, left, bottom, right)| Region { top, left, bottom, right })
                .collect(),
            row_numbers: (0..lines.len() as u32).collect(),
            left_out: None,
        }
    }

    fn check(
        lines: &[&str],
        merged: &[(usize, usize, usize, usize)],
        captions: &[&str],
        columns: &[&str],
        rows: usize,
    ) {
        let layout = lay_out(grid(lines, merged));
        assert_eq!(layout.captions, captions, "{lines:?}");
        assert_eq!(layout.table.columns, columns, "{lines:?}");
        assert_eq!(layout.table.rows.len(), rows, "{lines:?}");
    }

    #[test]
    fn the_first_row_is_the_header() {
        check(&["a b", "1 2", ". .", "3 4"], &[], &[], &["a", "b"], 3);
        check(&["a . a", "1 2 3"], &[], &[], &["a", "column_2", "a_2"], 1);
        check(&["only", "1", "2"], &[], &[], &["only"], 2);
        check(&[". Amount", "East 5"], &[], &[], &["column_1", "Amount"], 1);
        check(&["2023 2024", "1 2"], &[], &[], &["2023", "2024"], 1);
        check(&[], &[], &[], &[], 0);
    }

    #[test]
    fn titles_above_are_captions() {
        check(
            &["Sales . .", ". . .", "a b c", "1 2 3"],
            &[(0, 0, 0, 2)],
            &["Sales"],
            &["a", "b", "c"],
            1,
        );
        check(&[". Title .", "a b c"], &[], &["Title"], &["a", "b", "c"], 0);
        check(
            &["Firm . . Unit", "a b c d", "x 1 2 3"],
            &[],
            &["Firm  Unit"],
            &["a", "b", "c", "d"],
            1,
        );
        check(&["7 . .", "a b c"], &[], &[], &["7", "column_2", "column_3"], 1);
    }

    #[test]
    fn merged_headers_are_filled() {
        check(
            &["Q1 . Q2 .", "1 2 3 4"],
            &[(0, 0, 0, 1), (0, 2, 0, 3)],
            &[],
            &["Q1", "Q1_2", "Q2", "Q2_2"],
            1,
        );
        check(
            &["Region Q1 . Sum", ". sales cost .", "East 1 2 3"],
            &[(0, 0, 1, 0), (0, 1, 0, 2), (0, 3, 1, 3)],
            &[],
            &["Region", "Q1 sales", "Q1 cost", "Sum"],
            1,
        );
    }

    #[test]
    fn labels_are_repeated_and_numbers_are_not() {
        let layout =
            lay_out(grid(&["r n", "East 1", ". .", "West 2"], &[(1, 0, 2, 0), (1, 1, 2, 1)]));
        assert_eq!(*layout.table.rows[1], [(0, Item::text_of("East"))]);
        assert_eq!(layout.notes.len(), 1);
    }

    #[test]
    fn names_that_a_program_gave() {
        for name in ["Sheet1", "sheet", "工作表 2", "表1", "Feuil3", "Лист1", "Sheet_4"] {
            assert!(is_generic_name(name), "{name}");
        }
        for name in ["Sales", "2024", "Sheet of data", "报表1", ""] {
            assert!(!is_generic_name(name), "{name}");
        }
    }
}
