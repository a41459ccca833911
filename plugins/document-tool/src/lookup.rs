//! Finds tables, and lists what exists if something was not found.

use crate::bindings::mitt::host::documents::{DocumentInfo, TableInfo};
use mitt_guest::tables::Source;

/// Most names in an error.
const MAX_LISTED: usize = 50;

/// Returns rows of a table without copying them; `None` if there is no such table.
pub(crate) fn rows<T: Source>(
    tables: &[T],
    index: u32,
    first_row: Option<u64>,
    row_count: Option<u64>,
) -> Option<T> {
    let table = tables.get(usize::try_from(index).ok()?)?;
    Some(table.range(first_row.unwrap_or(0), row_count.unwrap_or(u64::MAX)))
}

/// Returns the error for a table index that a document does not have.
pub(crate) fn no_table(document: &str, index: u32, documents: &[DocumentInfo]) -> String {
    let tables = documents.iter().find(|known| known.name == document);
    let tables = tables.map_or(&[][..], |known| &known.tables);
    if tables.is_empty() {
        return format!(
            "document `{document}` has no tables; hint: read its text with `read-document`"
        );
    }
    let there = tables.iter().enumerate().map(|(place, TableInfo { name, columns, rows })| {
        format!("{place} `{name}` ({} columns, {rows} rows)", columns.len())
    });
    format!("no table {index} in document `{document}`; there are: {}", listed(there))
}

/// Returns the error for a document name that does not exist.
pub(crate) fn no_document(name: &str, documents: &[DocumentInfo]) -> String {
    if documents.is_empty() {
        return format!("no document `{name}`: the user gave no documents");
    }
    let there = listed(documents.iter().map(|document| format!("`{}`", document.name)));
    match mitt_guest::nearest(name, documents.iter().map(|document| document.name.as_str())) {
        Some(nearest) => {
            format!("no document `{name}`, did you mean `{nearest}`; there are: {there}")
        }
        None => format!("no document `{name}`; there are: {there}"),
    }
}

fn listed(items: impl ExactSizeIterator<Item = String>) -> String {
    let rest = items.len().saturating_sub(MAX_LISTED);
    let mut text = items.take(MAX_LISTED).collect::<Vec<_>>().join(", ");
    if rest > 0 {
        text.push_str(&format!(" and {rest} more"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{no_document, no_table, rows};
    use crate::bindings::mitt::host::documents::{DocumentInfo, TableInfo};
    use mitt_guest::tables::{Chunk, Memory, Values};

    fn document(name: &str) -> DocumentInfo {
        DocumentInfo {
            name: name.to_owned(),
            media_type: String::new(),
            title: None,
            characters: 0,
            tables: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn ranges_of_rows() {
        let table = |values: &[i64]| {
            Memory::new(vec![("n", Chunk::from(Values::Integers(values.to_vec())))])
        };
        let tables = [table(&[]), table(&[0, 1, 2])];
        for (first, count, expected) in [
            (None, None, &[0, 1, 2][..]),
            (Some(1), None, &[1, 2]),
            (None, Some(2), &[0, 1]),
            (Some(1), Some(1), &[1]),
            (Some(2), Some(u64::MAX), &[2]),
            (Some(u64::MAX), Some(1), &[]),
            (None, Some(0), &[]),
        ] {
            let found = rows(&tables, 1, first, count).unwrap();
            assert_eq!(found.to_rows(), table(expected).to_rows(), "{first:?} {count:?}");
        }
        assert!(rows(&tables, 2, None, None).is_none());
    }

    #[test]
    fn a_missing_table_lists_the_others() {
        let info = |name: &str, columns: &[&str], rows| TableInfo {
            name: name.to_owned(),
            columns: columns.iter().map(|&name| name.to_owned()).collect(),
            rows,
        };
        let workbook = DocumentInfo {
            tables: vec![info("first", &[], 0), info("二", &["n"], 3)],
            ..document("a.xlsx")
        };
        let there = [document("a.pdf"), workbook];
        assert_eq!(
            no_table("a.xlsx", 2, &there),
            "no table 2 in document `a.xlsx`; there are: 0 `first` (0 columns, 0 rows), 1 `二` (1 columns, 3 rows)"
        );
        assert_eq!(
            no_table("a.pdf", 0, &there),
            "document `a.pdf` has no tables; hint: read its text with `read-document`"
        );
    }

    #[test]
    fn a_missing_document_lists_the_others() {
        let there = [document("Sales 2024.xlsx"), document("notes.md")];
        assert_eq!(
            no_document("sales_2024.xlsx", &there),
            "no document `sales_2024.xlsx`, did you mean `Sales 2024.xlsx`; there are: `Sales 2024.xlsx`, `notes.md`"
        );
        assert_eq!(
            no_document("x", &there),
            "no document `x`; there are: `Sales 2024.xlsx`, `notes.md`"
        );
        assert_eq!(no_document("x", &[]), "no document `x`: the user gave no documents");
        let many: Vec<_> = (0..52).map(|n| document(&format!("{n}"))).collect();
        assert!(no_document("zzz", &many).ends_with("`49` and 2 more"));
    }
}
