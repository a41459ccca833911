//! The rows and cells of a sheet as its part has them.
//!
//! Knows nothing of values: a cell is its tag and its content.

use super::package::damaged;
use super::refs::{self, At};
use crate::shared::xml_tokens::{Tag, TagKind, XmlToken, unescape, xml_tokens};
use mitt_base::Result;

/// Most cells of all sheets.
pub(super) const MAX_CELLS: usize = 10_000_000;

/// A sheet, divided into rows.
pub(super) struct Grid<'a> {
    /// Everything up to and including the tag that opens the rows, or up to where it belongs.
    pub(super) head: &'a str,
    pub(super) rows: Vec<Row<'a>>,
    /// Everything from the tag that closes the rows.
    pub(super) tail: &'a str,
    /// The whole part.
    pub(super) whole: &'a str,
    /// Prefix of the names of its elements.
    pub(super) prefix: &'a str,
    /// `true` if the tag that opens the rows also closes them.
    pub(super) is_bare: bool,
    /// Formats of columns: first and last column, and number of the format.
    pub(super) columns: Vec<(u32, u32, u32)>,
}

pub(super) struct Row<'a> {
    pub(super) number: u32,
    pub(super) tag: Tag<'a>,
    pub(super) cells: Vec<Cell<'a>>,
    /// Content behind its cells.
    pub(super) rest: &'a str,
}

#[derive(Clone, Copy)]
pub(super) struct Cell<'a> {
    pub(super) column: u32,
    /// Its whole tag, and the content behind it.
    pub(super) tag: &'a str,
    pub(super) inner: &'a str,
}

impl<'a> Cell<'a> {
    pub(super) fn open(&self) -> Tag<'a> {
        match xml_tokens(self.tag).next() {
            Some(XmlToken::Tag(tag)) => tag,
            _ => Tag { raw: self.tag, name: "c", kind: TagKind::Empty },
        }
    }

    /// Returns the number of its format.
    pub(super) fn style(&self) -> u32 {
        self.open().number("s").unwrap_or(0)
    }

    pub(super) fn kind(&self) -> &'a str {
        self.open().attribute("t").unwrap_or("n")
    }

    /// Returns the content of its first element of this name, as source.
    pub(super) fn element(&self, name: &str) -> Option<&'a str> {
        element(self.inner, name).map(|(_, inner)| inner)
    }

    pub(super) fn formula(&self) -> Option<(Tag<'a>, String)> {
        let (tag, inner) = element(self.inner, "f")?;
        Some((tag, unescape(inner)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }
}

impl<'a> Row<'a> {
    pub(super) fn cell(&self, column: u32) -> Option<&Cell<'a>> {
        let at = self.cells.binary_search_by_key(&column, |cell| cell.column).ok()?;
        self.cells.get(at)
    }

    pub(super) fn at(&self, column: u32) -> At {
        At { row: self.number, column }
    }

    /// Returns the format of its missing cells.
    pub(super) fn style(&self) -> Option<u32> {
        self.tag.number("s").filter(|_| self.tag.attribute("customFormat").is_some())
    }
}

/// Returns tag and content of the first element of a name.
pub(super) fn element<'a>(xml: &'a str, name: &str) -> Option<(Tag<'a>, &'a str)> {
    let mut all = xml_tokens(xml);
    let tag = loop {
        match all.next()? {
            XmlToken::Tag(tag) if tag.opens(name) => break tag,
            _ => {}
        }
    };
    let start = all.offset();
    if tag.kind == TagKind::Empty {
        return Some((tag, ""));
    }
    let mut end = start;
    let mut depth = 1_u32;
    for token in all.by_ref() {
        if let XmlToken::Tag(inner) = token {
            if inner.closes(name) {
                depth -= 1;
                if depth == 0 {
                    return Some((tag, &xml[start..end]));
                }
            } else if inner.opens(name) && inner.kind == TagKind::Open {
                depth += 1;
            }
        }
        end += length(&token);
    }
    None
}

fn length(token: &XmlToken<'_>) -> usize {
    match token {
        XmlToken::Text(text) | XmlToken::Other(text) => text.len(),
        XmlToken::Tag(tag) => tag.raw.len(),
    }
}

impl<'a> Grid<'a> {
    /// Divides a sheet. `left` is the number of cells that are still allowed, and is decreased.
    pub(super) fn read(xml: &'a str, left: &mut usize) -> Result<Grid<'a>> {
        let mut all = xml_tokens(xml);
        let mut columns = Vec::new();
        let open = loop {
            match all.next() {
                None => return Err(damaged("it has no rows (`sheetData`)")),
                Some(XmlToken::Tag(tag)) if tag.opens("sheetData") => break tag,
                Some(XmlToken::Tag(tag)) if tag.opens("col") => {
                    if let (Some(first), Some(last), Some(style)) =
                        (tag.number("min"), tag.number("max"), tag.number("style"))
                    {
                        columns.push((first, last, style));
                    }
                }
                Some(_) => {}
            }
        };
        let start = all.offset();
        let mut grid = Grid {
            head: &xml[..start],
            rows: Vec::new(),
            tail: &xml[start..],
            whole: xml,
            prefix: open.prefix(),
            is_bare: open.kind == TagKind::Empty,
            columns,
        };
        if grid.is_bare {
            return Ok(grid);
        }
        let mut next_row = 1;
        loop {
            let before = all.offset();
            match all.next() {
                None => return Err(damaged("its rows have no end")),
                Some(XmlToken::Tag(tag)) if tag.closes("sheetData") => {
                    grid.tail = &xml[before..];
                    return Ok(grid);
                }
                Some(XmlToken::Tag(tag)) if tag.opens("row") => {
                    let number = match tag.attribute("r") {
                        Some(text) => refs::row(text.trim()),
                        None => Some(next_row).filter(|row| *row <= refs::MAX_ROW),
                    };
                    let number = number.filter(|number| *number >= next_row);
                    let number = number.ok_or_else(|| {
                        damaged(&format!(
                            "a row stands where none can, behind row {}",
                            next_row - 1
                        ))
                    })?;
                    next_row = number + 1;
                    let mut row = Row { number, tag, cells: Vec::new(), rest: "" };
                    if tag.kind == TagKind::Open {
                        read_row(xml, &mut all, &mut row, left)?;
                    }
                    grid.rows.push(row);
                }
                Some(_) => {}
            }
        }
    }

    pub(super) fn row(&self, number: u32) -> Option<&Row<'a>> {
        let at = self.rows.binary_search_by_key(&number, |row| row.number).ok()?;
        self.rows.get(at)
    }

    /// Returns the format of a cell, which may be missing.
    pub(super) fn style(&self, at: At) -> u32 {
        let row = self.row(at.row);
        let own = row.and_then(|row| row.cell(at.column)).map(Cell::style);
        own.or_else(|| row.and_then(Row::style)).unwrap_or_else(|| {
            let column = self.columns.iter().find(|it| (it.0..=it.1).contains(&at.column));
            column.map_or(0, |it| it.2)
        })
    }
}

/// Reads the cells of a row up to its end.
fn read_row<'a>(
    xml: &'a str,
    all: &mut crate::shared::xml_tokens::XmlTokens<'a>,
    row: &mut Row<'a>,
    left: &mut usize,
) -> Result<()> {
    let number = row.number;
    let mut next_column = 1;
    let mut end = all.offset();
    loop {
        let before = all.offset();
        match all.next() {
            None => return Err(damaged(&format!("row {number} has no end"))),
            Some(XmlToken::Tag(tag)) if tag.closes("row") => {
                row.rest = &xml[end..before];
                return Ok(());
            }
            Some(XmlToken::Tag(tag)) if tag.opens("c") => {
                let column = match tag.attribute("r") {
                    Some(text) => {
                        refs::cell(text.trim()).filter(|at| at.row == number).map(|at| at.column)
                    }
                    None => Some(next_column).filter(|it| *it <= refs::MAX_COLUMN),
                };
                let column = column.filter(|column| *column >= next_column).ok_or_else(|| {
                    damaged(&format!("in row {number} stands a cell that cannot stand there"))
                })?;
                next_column = column + 1;
                *left = left.checked_sub(1).ok_or_else(|| {
                    mitt_base::Error::input(format!(
                        "expected at most {MAX_CELLS} cells in a template"
                    ))
                    .with_problem(mitt_base::error::InputProblem::TooLarge)
                })?;
                let start = all.offset();
                let mut stop = start;
                if tag.kind == TagKind::Open {
                    loop {
                        stop = all.offset();
                        match all.next() {
                            None => {
                                return Err(damaged(&format!("a cell of row {number} has no end")));
                            }
                            Some(XmlToken::Tag(tag)) if tag.closes("c") => break,
                            Some(_) => {}
                        }
                    }
                }
                end = all.offset();
                row.cells.push(Cell { column, tag: tag.raw, inner: &xml[start..stop] });
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_cells_are_cut_as_they_stand() {
        let xml = "<x:worksheet><x:cols><x:col min=\"2\" max=\"3\" style=\"7\"/></x:cols><x:sheetData><x:row r=\"2\" s=\"4\" customFormat=\"1\"><x:c r=\"B2\" s=\"3\" t=\"s\"><x:v>0</x:v></x:c><x:c><x:f>A1&amp;1</x:f></x:c><x:extLst/></x:row><x:row/></x:sheetData><x:z/></x:worksheet>";
        let grid = Grid::read(xml, &mut 10).unwrap();
        assert_eq!(grid.prefix, "x:");
        assert!(grid.tail.starts_with("</x:sheetData>"));
        let row = grid.row(2).unwrap();
        assert_eq!(row.rest, "<x:extLst/>");
        assert_eq!(
            (row.cell(2).unwrap().kind(), row.cell(2).unwrap().element("v")),
            ("s", Some("0"))
        );
        assert_eq!(row.cell(3).unwrap().formula().unwrap().1, "A1&1");
        assert_eq!(grid.rows[1].number, 3);
        let style = |text: &str| grid.style(refs::cell(text).unwrap());
        assert_eq!((style("B2"), style("D2"), style("C9"), style("D9")), (3, 4, 7, 0));
        for bad in [
            "<a/>",
            "<sheetData>",
            "<sheetData><row r=\"2\"/><row r=\"2\"/></sheetData>",
            "<sheetData><row r=\"2\"><c r=\"A3\"/></row></sheetData>",
            "<sheetData><row><c r=\"B1\"/><c r=\"A1\"/></row></sheetData>",
            "<sheetData><row><c>",
            "<sheetData><row r=\"1048577\"/></sheetData>",
        ] {
            assert!(Grid::read(bad, &mut 10).is_err(), "{bad}");
        }
        assert!(Grid::read(xml, &mut 1).is_err());
        assert!(Grid::read("<sheetData/>", &mut 0).unwrap().is_bare);
    }
}
