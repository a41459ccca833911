//! Writes tables: every cell in its visible column. Recognizes tables that are only layout.

use super::tree::{Element, Id, Tree};
use super::write::{Out, Writer};
use mitt_reader_kit::{
    Cell, NamedTable, Piece, Table, cell_from_text, clean, column_names, header_depth,
    header_names, push_table, single_line,
};

/// Most columns that one cell may span, as in browsers.
const MAX_SPAN: usize = 1000;

/// Longest text of a cell. A table with more in a cell is the layout of a page.
const MAX_CELL_CHARACTERS: usize = 4_000;

/// Rows of a table: the cells, and `true` if all cells of a row are headings.
struct Rows {
    caption: Option<Id>,
    rows: Vec<Row>,
}

struct Row {
    cells: Vec<Id>,
    is_head: bool,
}

/// Writes a table at its place, and adds it to the tables.
pub(super) fn write(writer: &mut Writer<'_>, id: Id, out: &mut Out) {
    let rows = rows(writer, id);
    let caption = rows.caption.map(|it| single_line(&writer.apart(it).join()));
    let caption = caption.unwrap_or_default();
    if is_frame(writer.tree, id, &rows) {
        writer.paragraph(caption, out);
        for row in &rows.rows {
            for cell in &row.cells {
                writer.children(*cell, out);
                writer.flush(out);
            }
        }
        return;
    }
    let (plain, width) = pieces(writer.tree, &rows, &mut |id| cell_from_text(&text_of(writer, id)));
    let cells = width.saturating_mul(rows.rows.len());
    if cells > writer.room.cells {
        writer.room.too_large += 1;
        return;
    }
    let mut marked = Vec::new();
    for row in &rows.rows {
        for cell in &row.cells {
            let text = writer.apart(*cell).join();
            marked.push(if text.is_empty() {
                Cell::Null
            } else {
                Cell::Text(text.replace("\\\n", "\n"))
            });
        }
    }
    let mut marked = marked.into_iter();
    let (shown, _) = pieces(writer.tree, &rows, &mut |_| marked.next().unwrap_or(Cell::Null));
    let head = head(&rows, &plain, width);
    let data = laid(plain, &rows, width, head);
    if data.rows.is_empty() && head == Head::None || width == 0 {
        return;
    }
    writer.room.cells -= cells;
    writer.paragraph(caption.clone(), out);
    let mut markdown = String::new();
    let mut shown = laid(shown, &rows, width, head);
    if head == Head::None {
        // Generated names are not shown.
        shown.columns = vec![String::new(); width];
    }
    push_table(&mut markdown, &shown);
    writer.paragraph(markdown.trim_end().to_owned(), out);
    if width > 1 && !data.rows.is_empty() {
        let name = writer.name(&clean(&caption));
        writer.room.tables.push(NamedTable { name, data, place: None });
    }
}

/// Returns the rows of a table, without those of nested tables.
fn rows(writer: &Writer<'_>, id: Id) -> Rows {
    let tree = writer.tree;
    let mut found = Rows { caption: None, rows: Vec::new() };
    let mut last = Vec::new();
    let mut open: Vec<(Id, bool)> = tree.children(id).iter().rev().map(|id| (*id, false)).collect();
    while let Some((id, is_head)) = open.pop() {
        let Some(element) = tree.element(id) else { continue };
        if writer.is_left_out(id) {
            continue;
        }
        match element.name.as_str() {
            "caption" => found.caption = Some(id),
            "tr" => {
                let cells = tree.children(id).iter().copied();
                let cells: Vec<Id> = cells
                    .filter(|id| tree.is(*id, &["td", "th"]) && !writer.is_left_out(*id))
                    .collect();
                let is_head =
                    is_head || !cells.is_empty() && cells.iter().all(|id| tree.is(*id, &["th"]));
                found.rows.push(Row { cells, is_head });
            }
            "tfoot" => last.push(id),
            "thead" | "tbody" => {
                let is_head = element.is(&["thead"]);
                open.extend(tree.children(id).iter().rev().map(|id| (*id, is_head)));
            }
            _ => {}
        }
        if open.is_empty()
            && let Some(foot) = last.pop()
        {
            open.extend(tree.children(foot).iter().rev().map(|id| (*id, false)));
        }
    }
    found
}

/// Returns whether a table is only layout.
fn is_frame(tree: &Tree, id: Id, rows: &Rows) -> bool {
    let has_layout_role = |element: &Element| element.has_word("role", &["presentation", "none"]);
    if tree.element(id).is_some_and(has_layout_role) {
        return true;
    }
    let has_heads = rows.rows.iter().any(|row| row.cells.iter().any(|id| tree.is(*id, &["th"])));
    let width = rows.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    if width <= 1 || !has_heads && rows.rows.iter().filter(|row| !row.cells.is_empty()).count() <= 1
    {
        return true;
    }
    let mut large = 0;
    for cell in rows.rows.iter().flat_map(|row| &row.cells) {
        if tree.has_below(*cell, &["table", "h1", "h2", "h3", "pre", "form", "article", "main"]) {
            return true;
        }
        let mut characters = 0;
        tree.walk(*cell, |id| {
            characters += tree.text(id).map_or(0, |it| it.trim().len());
            characters <= MAX_CELL_CHARACTERS
        });
        large += usize::from(characters > MAX_CELL_CHARACTERS);
    }
    large > 0 && !has_heads
}

/// Returns the plain text of a cell, one line per paragraph.
fn text_of(writer: &Writer<'_>, id: Id) -> String {
    let tree = writer.tree;
    let mut lines = String::new();
    tree.walk(id, |id| {
        if writer.is_left_out(id) || writer.notes.reference(id).is_some() {
            return false;
        }
        if let Some(text) = tree.text(id) {
            // A line end in the source is a space.
            lines.push_str(&text.replace(['\n', '\r', '\t'], " "));
        } else if tree.is(id, &["br", "p", "div", "li", "dt", "dd", "tr"]) {
            lines.push('\n');
        } else if tree.is(id, &["img"]) {
            let text = tree.element(id).and_then(|it| it.attribute("alt")).unwrap_or_default();
            lines.push_str(text);
        }
        true
    });
    let lines = clean(&lines);
    let lines: Vec<String> = lines.lines().map(single_line).filter(|it| !it.is_empty()).collect();
    lines.join("\n")
}

/// Returns every cell with its column: the first that no cell before it or above it covers.
fn pieces(tree: &Tree, rows: &Rows, cell: &mut dyn FnMut(Id) -> Cell) -> (Vec<Piece>, usize) {
    let height = rows.rows.len();
    let mut pieces = Vec::new();
    let mut width = 0;
    // For each column, the first row in which it is free again.
    let mut free_from: Vec<usize> = Vec::new();
    for (row, cells) in rows.rows.iter().enumerate() {
        let mut column = 0;
        for id in &cells.cells {
            while free_from.get(column).is_some_and(|free| *free > row) {
                column += 1;
            }
            let span =
                |name: &str| tree.element(*id)?.attribute(name)?.trim().parse::<usize>().ok();
            let columns = span("colspan").unwrap_or(1).clamp(1, MAX_SPAN);
            let down = match span("rowspan") {
                Some(0) => height - row,
                down => down.unwrap_or(1).min(height - row),
            };
            if free_from.len() < column + columns {
                free_from.resize(column + columns, 0);
            }
            for free in free_from.iter_mut().skip(column).take(columns) {
                *free = row + down;
            }
            width = width.max(column + columns);
            pieces.push(Piece { row, column, rows: down, columns, cell: cell(*id) });
            column += columns;
        }
    }
    let width = squeeze(&mut pieces, width);
    (pieces, width)
}

/// Removes columns in which no cell begins. Returns the number of columns left.
fn squeeze(pieces: &mut [Piece], width: usize) -> usize {
    let mut begins = vec![false; width];
    for piece in pieces.iter() {
        if let Some(place) = begins.get_mut(piece.column) {
            *place = true;
        }
    }
    let mut number = Vec::with_capacity(width + 1);
    let mut next = 0;
    for begins in begins {
        number.push(next);
        next += usize::from(begins);
    }
    number.push(next);
    for piece in pieces {
        let at = |column: usize| number.get(column).copied().unwrap_or(next);
        let (from, to) = (at(piece.column), at(piece.column + piece.columns));
        piece.column = from;
        piece.columns = (to - from).max(1);
    }
    next
}

/// Where the names of columns are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    Rows(usize),
    None,
}

fn head(rows: &Rows, pieces: &[Piece], width: usize) -> Head {
    let height = rows.rows.len();
    let head_rows = rows.rows.iter().take_while(|row| row.is_head || row.cells.is_empty()).count();
    if head_rows > 0
        && head_rows < height
        && rows.rows.iter().take(head_rows).any(|row| row.is_head)
    {
        return Head::Rows(head_rows);
    }
    let first: Vec<&Piece> = pieces.iter().filter(|it| it.row == 0).collect();
    let has_heads = rows.rows.iter().any(|row| row.is_head);
    // Without heading cells, a row of different words names the columns, unless only its first cell is a heading.
    let mut names: Vec<&str> = first
        .iter()
        .filter_map(|it| match &it.cell {
            Cell::Text(text) if text.chars().count() <= 60 => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let is_named = names.len() == first.len();
    names.sort_unstable();
    names.dedup();
    let is_wide = first.iter().map(|it| it.columns).sum::<usize>() == width;
    if !has_heads
        && is_named
        && is_wide
        && names.len() == first.len()
        && first.len() > 1
        && height > 2
    {
        return Head::Rows(header_depth(&first, height));
    }
    Head::None
}

/// Returns the table as rows of cells.
fn laid(pieces: Vec<Piece>, rows: &Rows, width: usize, head: Head) -> Table {
    let (columns, body) = match head {
        Head::Rows(depth) => (header_names(&pieces, 0..depth, width), depth),
        Head::None => (column_names(vec![String::new(); width]), 0),
    };
    let height = rows.rows.len();
    let mut cells = vec![vec![Cell::Null; width]; height.saturating_sub(body)];
    for piece in pieces {
        // Text over several rows names the group of these rows, so it is repeated. A number would be counted twice.
        let repeat = if matches!(piece.cell, Cell::Text(_)) { piece.rows } else { 1 };
        for row in piece.row.max(body)..(piece.row + repeat).min(height) {
            if let Some(place) = cells.get_mut(row - body).and_then(|row| row.get_mut(piece.column))
            {
                *place = piece.cell.clone();
            }
        }
    }
    cells.retain(|row| row.iter().any(|cell| *cell != Cell::Null));
    Table { columns, rows: cells }
}
