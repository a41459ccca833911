//! Columns of tables that are repeated for the items of a list: `{{months.*}}` in the head, `{{items.amounts.*}}` below. The width
//! of the column is shared by its copies.

use std::collections::BTreeMap;

use super::copies::Copies;
use super::evaluate::is_numbered;
use super::filler::Filler;
use super::insert::MAX_COLUMNS;
use super::paragraph;
use super::scope::{Binding, Items};
use super::tree::{Element, Node};
use crate::FillValue;
use crate::shared::template::each::{EACH, lists_of};
use mitt_base::{Result, text};

/// Most nested lists that are searched for the number of items.
const MAX_LISTS: usize = 4;

/// A cell of a row, in the grid of its table.
struct GridCell {
    /// Its position among the nodes of its row.
    node: usize,
    column: usize,
    span: usize,
}

impl Filler<'_, '_> {
    /// Repeats the columns of a table that name each item of a list.
    pub(super) fn columns(&mut self, table: &mut Element) -> Result<()> {
        let mut repeated: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for row in table.elements().filter(|it| it.is("w:tr")) {
            for cell in grid(row) {
                let Some(element) = row.children.get(cell.node).and_then(Node::element) else {
                    continue;
                };
                let lists = lists_of(&paragraph::text_of(element));
                if lists.is_empty() {
                    continue;
                }
                if cell.span > 1 {
                    self.problem(
                        &format!("{}{EACH}", lists.join(", ")),
                        "stands in a cell over several columns: put it into a cell of one column",
                    );
                    return Ok(());
                }
                let known = repeated.entry(cell.column).or_default();
                known.extend(lists);
            }
        }
        // From the right, so that the positions of other columns stay.
        for (column, lists) in repeated.into_iter().rev() {
            let Some(count) = self.column_count(&lists) else { return Ok(()) };
            let width = table.find("w:tblGrid").map_or(0, |grid| grid.elements().count());
            if width.max(1) - 1 + count > MAX_COLUMNS {
                self.problem(
                    &format!("{}{EACH}", lists.first().map_or("", String::as_str)),
                    &format!("expected a table of at most {MAX_COLUMNS} columns, its items make more; put them into rows"),
                );
                return Ok(());
            }
            self.repeat_column(table, column, count)?;
        }
        Ok(())
    }

    /// Returns the number of copies of a column: that of the first list which is no part of the items of a row.
    fn column_count(&mut self, lists: &[String]) -> Option<usize> {
        let mut counts: Vec<(usize, bool, &String)> = Vec::new();
        for list in lists {
            let mut most = 0;
            match self.longest(list, 0, &mut most) {
                Some(is_direct) => counts.push((most, is_direct, list)),
                None => return None,
            }
        }
        let (count, _, by) = *counts.iter().find(|it| it.1).or(counts.first())?;
        for (most, is_direct, list) in &counts {
            if *most > count || (*is_direct && *most != count) {
                self.problem(
                    &format!("{list}{EACH}"),
                    &format!(
                        "expected as many items as `{}` has, {count}, got {most}",
                        text::one_line(by)
                    ),
                );
                return None;
            }
        }
        Some(count)
    }

    /// Finds the most items of a list, over all items of the lists around it. Returns `true` if there are none around it, and
    /// `None` if it has no value.
    fn longest(&mut self, list: &str, depth: usize, most: &mut usize) -> Option<bool> {
        let ends: Vec<usize> = list.match_indices('.').map(|(at, _)| at).collect();
        let outer = ends
            .into_iter()
            .map(|end| &list[..end])
            .find(|it| self.scope.is_list(it) && !is_numbered(&list[it.len()..]));
        let Some(outer) = outer.filter(|_| depth < MAX_LISTS) else {
            return match self.scope.find(list) {
                Some(Binding::One(value)) => match value {
                    FillValue::List(items) => {
                        *most = (*most).max(items.len());
                        Some(true)
                    }
                    FillValue::Table(table) => {
                        *most = (*most).max(table.rows.len());
                        Some(true)
                    }
                    FillValue::Empty => Some(true),
                    other => {
                        let kind = other.kind();
                        self.problem(
                            &format!("{list}{EACH}"),
                            &format!("expected a list, got {kind}"),
                        );
                        None
                    }
                },
                _ => {
                    self.scope.is_missing(list, self.part);
                    None
                }
            };
        };
        let items = Items::of(self.scope.find(outer)?);
        for index in 0..items.len() {
            let Some(thing) = items.get(index) else { continue };
            self.scope.enter(outer, thing, index + 1);
            let found = self.longest(list, depth + 1, most);
            self.scope.leave();
            found?;
        }
        Some(false)
    }

    fn repeat_column(&mut self, table: &mut Element, column: usize, count: usize) -> Result<()> {
        for row in table.elements_mut().filter(|it| it.is("w:tr")) {
            let cells = grid(row);
            let around = |it: &&GridCell| it.column <= column && column < it.column + it.span;
            let Some(found) = cells.iter().find(around) else { continue };
            let is_last = cells.len() == 1;
            let Some(Node::Element(cell)) = row.children.get_mut(found.node) else { continue };
            if found.span > 1 {
                set_span(cell, found.span + count - 1);
                continue;
            }
            if count == 0 && is_last {
                // A row needs a cell.
                cell.children.retain(|node| node.element().is_some_and(|it| it.is("w:tcPr")));
                continue;
            }
            self.take(cell.count() * count)?;
            share(cell.find_mut("w:tcPr").and_then(|it| it.find_mut("w:tcW")), count);
            let Some(cell) = row.children.get(found.node).cloned() else { continue };
            let mut copies = Copies::of(vec![cell]);
            let mut made = Vec::with_capacity(count);
            for number in 1..=count {
                for mut node in copies.next() {
                    if let Some(cell) = node.element_mut() {
                        number_items(cell, number);
                    }
                    made.push(node);
                }
            }
            row.children.splice(found.node..found.node + 1, made);
        }
        if let Some(grid) = table.find_mut("w:tblGrid") {
            let is_column = |(_, node): &(usize, &Node)| node.element().is_some();
            let at = grid.children.iter().enumerate().filter(is_column).nth(column);
            if let Some((at, _)) = at
                && let Some(Node::Element(mut wide)) = grid.children.get(at).cloned()
            {
                share(Some(&mut wide), count);
                let made = std::iter::repeat_n(Node::Element(wide), count);
                grid.children.splice(at..at + 1, made);
            }
        }
        Ok(())
    }
}

/// Returns the cells of a row in the grid of its table.
fn grid(row: &Element) -> Vec<GridCell> {
    let number = |element: Option<&Element>| -> usize {
        let value = element.and_then(|it| it.get("w:val")).and_then(|it| it.parse().ok());
        value.filter(|it| *it <= MAX_COLUMNS).unwrap_or(0)
    };
    let mut column = number(row.find("w:trPr").and_then(|it| it.find("w:gridBefore")));
    let mut cells = Vec::new();
    for (node, cell) in row.children.iter().enumerate() {
        let Some(cell) = cell.element().filter(|it| it.is("w:tc")) else { continue };
        let span = number(cell.find("w:tcPr").and_then(|it| it.find("w:gridSpan"))).max(1);
        cells.push(GridCell { node, column, span });
        column += span;
    }
    cells
}

/// Names the item with this number where a cell names each.
fn number_items(cell: &mut Element, number: usize) {
    cell.visit_mut(&mut |element| {
        if element.is("w:p") {
            paragraph::rename(element, &mut |mark| {
                mark.contains(EACH).then(|| mark.replace(EACH, &format!(".{number}")))
            });
        }
    });
}

/// Divides a width.
fn share(width: Option<&mut Element>, count: usize) {
    let Some(width) = width else { return };
    let value = width.get("w:w").and_then(|it| it.parse::<usize>().ok());
    if let Some(value) = value.filter(|_| count > 0) {
        width.set("w:w", Some(&(value / count).max(1).to_string()));
    }
}

fn set_span(cell: &mut Element, span: usize) {
    let Some(properties) = cell.find_mut("w:tcPr") else { return };
    if let Some(element) = properties.find_mut("w:gridSpan") {
        element.set("w:val", Some(&span.max(1).to_string()));
    }
}
