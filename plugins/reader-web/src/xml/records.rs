//! Makes tables of repeated elements.

use super::tree::{Node, Part, Tree};
use mitt_reader_kit::{
    Cell, MAX_CELLS, NamedTable, Table, cell_from_text, column_names, single_line,
};
use std::collections::HashMap;

/// Most tables, and most columns of a table.
const MAX_TABLES: usize = 50;
const MAX_COLUMNS: usize = 500;

/// Deepest nesting of elements that become columns, such as `address.city`.
const MAX_DEPTH: usize = 4;

/// Roots of drawings and documents, which have no records.
const NO_RECORDS: [&str; 8] = ["svg", "html", "smil", "tt", "mxfile", "article", "book", "TEI"];

/// Returns the outermost tables.
pub(crate) fn find(tree: &Tree, warnings: &mut Vec<String>) -> Vec<NamedTable> {
    let mut tables = Vec::new();
    let mut cells = MAX_CELLS;
    if tree.get(0).is_none_or(|root| NO_RECORDS.contains(&root.name.as_str())) {
        return tables;
    }
    let mut open = vec![0];
    while let Some(id) = open.pop() {
        if tables.len() == MAX_TABLES {
            warnings
                .push(format!("at most {MAX_TABLES} tables are made of the records of one file"));
            break;
        }
        match records(tree, id) {
            Some(ids) => {
                if let Some(table) = table(tree, &ids, &mut cells, warnings) {
                    let name = tree.get(id).map(|it| it.name.clone()).unwrap_or_default();
                    tables.push(NamedTable { name, data: table, place: None });
                }
            }
            None => {
                let children: Vec<usize> = tree.children(id).map(|(id, _)| id).collect();
                open.extend(children.into_iter().rev());
            }
        }
    }
    tables
}

/// Returns the records in an element: two or more with one name, hardly any others, and no text between them.
fn records(tree: &Tree, id: usize) -> Option<Vec<usize>> {
    let node = tree.get(id)?;
    if is_mixed(node) {
        return None;
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut all = 0;
    for (_, child) in tree.children(id) {
        *counts.entry(&child.name).or_default() += 1;
        all += 1;
    }
    let (name, count) =
        counts.into_iter().max_by_key(|(name, count)| (*count, std::cmp::Reverse(*name)))?;
    if count < 2 || count * 5 < all * 4 {
        return None;
    }
    let ids: Vec<usize> =
        tree.children(id).filter(|(_, it)| it.name == name).map(|(id, _)| id).collect();
    let has_fields = |id: &&usize| {
        tree.get(**id).is_some_and(|it| {
            !is_mixed(it) && (!it.attributes.is_empty() || tree.children(**id).next().is_some())
        })
    };
    (ids.iter().filter(has_fields).count() * 2 > ids.len()).then_some(ids)
}

/// Returns whether an element has text between elements.
fn is_mixed(node: &Node) -> bool {
    let has_element = node.content.iter().any(|it| matches!(it, Part::Element(_)));
    has_element
        && node.content.iter().any(|it| matches!(it, Part::Text(text) if !text.trim().is_empty()))
}

fn table(
    tree: &Tree,
    ids: &[usize],
    left: &mut usize,
    warnings: &mut Vec<String>,
) -> Option<Table> {
    let mut columns: Vec<String> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut rows: Vec<Vec<(usize, Cell)>> = Vec::new();
    for id in ids {
        let mut fields = Vec::new();
        collect(tree, *id, "", 0, &mut fields);
        let mut row: Vec<(usize, Cell)> = Vec::new();
        for (name, text) in fields {
            let column = *known.entry(name.clone()).or_insert_with(|| {
                columns.push(name);
                columns.len() - 1
            });
            match row.iter_mut().find(|(known, _)| *known == column) {
                // A repeated field is a list.
                Some((_, cell)) => {
                    *cell = Cell::Text(format!("{}; {text}", mitt_reader_kit::cell_as_str(cell)))
                }
                None => row.push((column, cell_from_text(&text))),
            }
        }
        if columns.len() > MAX_COLUMNS {
            warnings
                .push(format!("records with more than {MAX_COLUMNS} fields are kept as text only"));
            return None;
        }
        rows.push(row);
    }
    let width = columns.len();
    if width < 2 {
        return None;
    }
    let fit = (*left / width).min(rows.len());
    if fit < rows.len() {
        warnings.push(format!(
            "{} of {} records were kept in a table: more cells are not kept",
            fit,
            rows.len()
        ));
    }
    *left -= fit * width;
    let whole = |row: Vec<(usize, Cell)>| {
        let mut cells = vec![Cell::Null; width];
        for (column, cell) in row {
            if let Some(place) = cells.get_mut(column) {
                *place = cell;
            }
        }
        cells
    };
    let rows = rows.into_iter().take(fit).map(whole).collect();
    Some(Table { columns: column_names(columns), rows })
}

/// Collects the fields of a record: attributes and texts of elements, with the path of nested ones.
fn collect(tree: &Tree, id: usize, path: &str, depth: usize, out: &mut Vec<(String, String)>) {
    let Some(node) = tree.get(id) else { return };
    let below =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (name, value) in &node.attributes {
        out.push((below(name), value.clone()));
    }
    let has_elements = tree.children(id).next().is_some();
    if !has_elements || is_mixed(node) || depth >= MAX_DEPTH {
        let text = tree.text_of(id);
        let text = if has_elements { single_line(&text) } else { text.trim().to_owned() };
        if !text.is_empty() || node.attributes.is_empty() && !path.is_empty() {
            out.push((if path.is_empty() { "text".to_owned() } else { path.to_owned() }, text));
        }
        return;
    }
    for (child, node) in tree.children(id) {
        collect(tree, child, &below(&node.name), depth + 1, out);
    }
}
