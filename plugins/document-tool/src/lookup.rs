//! Finding a table, and saying what there is when something was not found.

use crate::bindings::mitt::host::documents::DocumentInfo;
use crate::bindings::mitt::host::types::{Error, NamedTable, Table};

/// More names than this help nobody.
const MAX_LISTED: usize = 50;

/// The rows of one table that are asked for.
pub(crate) fn table(
    mut tables: Vec<NamedTable>,
    document: &str,
    index: u32,
    first_row: Option<u64>,
    row_count: Option<u64>,
) -> Result<Table, Error> {
    let place = usize::try_from(index).unwrap_or(usize::MAX);
    if place >= tables.len() {
        return Err(Error::NotFound(no_table(document, index, &tables)));
    }
    let Table { columns, mut rows } = tables.swap_remove(place).data;
    let total = rows.len();
    let bounded = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).min(total);
    let first = bounded(first_row.unwrap_or(0));
    let end = row_count.map_or(total, |count| first.saturating_add(bounded(count)).min(total));
    rows.truncate(end);
    rows.drain(..first);
    Ok(Table { columns, rows })
}

fn no_table(document: &str, index: u32, tables: &[NamedTable]) -> String {
    if tables.is_empty() {
        return format!(
            "document `{document}` has no tables; hint: read its text with `read-document`"
        );
    }
    let there = tables.iter().enumerate().map(|(place, table)| {
        let (columns, rows) = (table.data.columns.len(), table.data.rows.len());
        format!("{place} `{}` ({columns} columns, {rows} rows)", table.name)
    });
    format!("no table {index} in document `{document}`; there are: {}", listed(there))
}

/// What to say when no document has a name.
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
    use super::{no_document, table};
    use crate::bindings::mitt::host::documents::DocumentInfo;
    use crate::bindings::mitt::host::types::{Cell, Error, NamedTable, Table};

    fn tables(rows: usize) -> Vec<NamedTable> {
        let rows = (0..rows).map(|row| vec![Cell::Number(row.to_string())]).collect();
        vec![
            NamedTable {
                name: "first".to_owned(),
                data: Table { columns: Vec::new(), rows: Vec::new() },
            },
            NamedTable {
                name: "二".to_owned(),
                data: Table { columns: vec!["n".to_owned()], rows },
            },
        ]
    }

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
        for (first, count, expected) in [
            (None, None, vec!["0", "1", "2"]),
            (Some(1), None, vec!["1", "2"]),
            (None, Some(2), vec!["0", "1"]),
            (Some(1), Some(1), vec!["1"]),
            (Some(2), Some(u64::MAX), vec!["2"]),
            (Some(u64::MAX), Some(1), vec![]),
            (None, Some(0), vec![]),
        ] {
            let found = table(tables(3), "d", 1, first, count).unwrap();
            let expected: Vec<_> =
                expected.into_iter().map(|text| vec![Cell::Number(text.to_owned())]).collect();
            assert_eq!(
                (found.columns, found.rows),
                (vec!["n".to_owned()], expected),
                "{first:?} {count:?}"
            );
        }
    }

    #[test]
    fn a_missing_table_lists_the_others() {
        let Err(Error::NotFound(text)) = table(tables(3), "a.xlsx", 2, None, None) else {
            panic!("expected not-found")
        };
        assert_eq!(
            text,
            "no table 2 in document `a.xlsx`; there are: 0 `first` (0 columns, 0 rows), 1 `二` (1 columns, 3 rows)"
        );
        let Err(Error::NotFound(text)) = table(Vec::new(), "a.pdf", 0, None, None) else {
            panic!("expected not-found")
        };
        assert_eq!(
            text,
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
