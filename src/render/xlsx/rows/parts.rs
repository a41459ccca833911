//! Helpers for the rows of a sheet.

use super::*;
use crate::xlsx::print::lines_of;

pub(super) fn date_role(text: &str, is_total: bool) -> Role {
    match (is_total, text.contains(['T', ' '])) {
        (true, _) => Role::TotalDate,
        (false, true) => Role::DateTime,
        (false, false) => Role::Date,
    }
}

pub(super) fn source(block: &Block, index: usize) -> Option<Source<'_>> {
    let data = block.data.as_ref()?;
    let shown = data.columns.get(index)?;
    let column = data.table.column(shown.column as usize)?;
    let values = match shown.how {
        CellConversion::Formula(Some(values)) => data.table.column(values as usize),
        _ => None,
    };
    let string_indices = match column.values().0 {
        Values::Dictionary(_, texts) => vec![CachedStringIndex::Nothing; texts.len()],
        _ => Vec::new(),
    };
    Some(Source {
        header: &block.columns[index].header,
        column,
        how: shown.how,
        values,
        string_indices,
    })
}

/// Writes the number of the current cell and ends it.
pub(super) fn finish_number(to: &mut Target<'_, '_>, number: i64) -> Result<()> {
    to.writing.xml.push_str("><v>");
    push_units(&mut to.writing.xml, number, 0);
    to.writing.xml.push_str("</v></c>");
    Ok(())
}

/// Index of a text of a dictionary, once it was looked up.
#[derive(Clone, Copy)]
pub(super) enum CachedStringIndex {
    Nothing,
    Index(Option<u32>),
}

/// Returns the most lines of a header in a row; 1 without headers.
pub(super) fn header_lines(sheet: &Sheet, row: u32) -> u32 {
    let headers = sheet.blocks.iter().filter(|block| header_row(block) == row);
    let columns = headers.flat_map(|block| &block.columns);
    columns.map(|column| lines_of(&column.header, column.width)).max().unwrap_or(1)
}
