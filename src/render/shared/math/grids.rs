//! Tables in formulas: matrices, cases, aligned lines.

use super::MAX_CELLS;
use super::parse::{Parser, Result};
use super::scan::Token;
use super::tree::{Grid, GridKind, Node, Side, Size, Text};

/// Units of the space below a line.
const UNITS: [&str; 8] = ["pt", "em", "ex", "mm", "cm", "in", "mu", "\\baselineskip"];

/// Rows as they are written.
pub(super) struct Rows {
    rows: Vec<Vec<Node>>,
    /// The number of each row, if it has one.
    tags: Vec<Option<String>>,
    rules: Vec<usize>,
}

/// Reads rows up to their end.
pub(super) fn rows(parser: &mut Parser<'_>) -> Result<Rows> {
    let mut all = Rows { rows: Vec::new(), tags: Vec::new(), rules: Vec::new() };
    let outer = std::mem::take(&mut parser.tags);
    let mut row = Vec::new();
    let mut columns = 1;
    rules(parser, 1, &mut all.rules);
    loop {
        row.push(parser.list(None)?);
        columns = columns.max(row.len());
        if (all.rows.len() + 1).saturating_mul(columns) > MAX_CELLS {
            return Err(format!("more than {MAX_CELLS} cells"));
        }
        match parser.scanner.peek() {
            Token::Char('&') => {
                parser.scanner.next();
            }
            Token::Command("\\" | "cr" | "newline") => {
                parser.scanner.next();
                parser.scanner.take_star();
                skip_space_below(parser);
                all.end_row(std::mem::take(&mut row), parser);
                rules(parser, all.rows.len() + 1, &mut all.rules);
            }
            _ => break,
        }
    }
    // A line break behind the last row does not begin another one.
    let is_end = row.iter().all(Node::is_empty)
        && row.len() == 1
        && !all.rows.is_empty()
        && parser.tags.is_empty();
    if !is_end {
        all.end_row(row, parser);
    }
    let mut tagged = all.tags.iter_mut().filter(|tag| tag.is_some());
    if let (Some(tag), None) = (tagged.next(), tagged.next()) {
        parser.tags.extend(tag.take());
    }
    parser.tags.splice(..0, outer);
    Ok(all)
}

/// Skips `[2pt]` in `\\[2pt]`.
fn skip_space_below(parser: &mut Parser<'_>) {
    if parser.scanner.peek() == Token::Char('[') && parser.scanner.next_option_ends_with(&UNITS) {
        parser.scanner.take_option();
    }
}

/// Reads lines above a row.
fn rules(parser: &mut Parser<'_>, row: usize, found: &mut Vec<usize>) {
    loop {
        parser.scanner.skip_spaces();
        if !matches!(
            parser.scanner.peek(),
            Token::Command("hline" | "hdashline" | "toprule" | "midrule" | "bottomrule")
        ) {
            return;
        }
        parser.scanner.next();
        if found.last() != Some(&row) {
            found.push(row);
        }
    }
}

impl Rows {
    fn end_row(&mut self, row: Vec<Node>, parser: &mut Parser<'_>) {
        self.rows.push(row);
        let tags = std::mem::take(&mut parser.tags);
        self.tags.push((!tags.is_empty()).then(|| tags.join(", ")));
    }

    /// Returns `true` if there is only one cell.
    pub(super) fn is_single(&self) -> bool {
        self.rules.is_empty() && matches!(&*self.rows, [row] if row.len() == 1)
    }

    pub(super) fn into_single(self) -> Node {
        self.rows.into_iter().flatten().next().unwrap_or_else(Node::empty)
    }

    /// Returns the rows as a grid. `spec` has the alignment of the columns: `l`, `c`, `r`, and `|` for a line.
    pub(super) fn into_grid(
        mut self,
        kind: GridKind,
        fences: Option<(char, Option<char>)>,
        spec: &str,
    ) -> Result<Grid> {
        let mut count = self.rows.iter().map(Vec::len).max().unwrap_or(1);
        if self.tags.iter().any(Option::is_some) {
            // Numbers of lines are behind them.
            for (row, tag) in self.rows.iter_mut().zip(&self.tags) {
                row.resize_with(count, Node::empty);
                row.push(tag.as_deref().map_or_else(Node::empty, number));
            }
            count += 1;
        }
        for row in &mut self.rows {
            row.resize_with(count, Node::empty);
        }
        if self.rows.len().saturating_mul(count) > MAX_CELLS {
            return Err(format!("more than {MAX_CELLS} cells"));
        }
        let (columns, lines) = columns(kind, spec, count);
        let (open, close) = fences.map_or((None, None), |(open, close)| (Some(open), close));
        Ok(Grid { rows: self.rows, kind, columns, open, close, lines, rules: self.rules })
    }
}

/// Returns the number of a line.
fn number(tag: &str) -> Node {
    let text = format!("\u{2003}({tag})");
    Node::Text(Text { text, is_strong: false, is_italic: false, is_code: false })
}

fn columns(kind: GridKind, spec: &str, count: usize) -> (Vec<Side>, Vec<usize>) {
    let mut sides = Vec::new();
    let mut lines = Vec::new();
    for c in spec.chars() {
        match c {
            'l' => sides.push(Side::Left),
            'c' => sides.push(Side::Center),
            'r' => sides.push(Side::Right),
            '|' | ':' if lines.last() != Some(&(sides.len() + 1)) => lines.push(sides.len() + 1),
            _ => {}
        }
    }
    // A line behind the last column is the edge of the table.
    sides.truncate(count);
    lines.retain(|line| *line <= count + 1);
    while sides.len() < count {
        sides.push(match kind {
            GridKind::Matrix | GridKind::Small => Side::Center,
            GridKind::Cases => Side::Left,
            GridKind::Lines if count == 1 => Side::Center,
            GridKind::Lines if sides.len() % 2 == 0 => Side::Right,
            GridKind::Lines => Side::Left,
        });
    }
    (sides, lines)
}

/// Reads everything between `\begin`, which is already taken, and `\end`.
pub(super) fn environment(parser: &mut Parser<'_>) -> Result<Node> {
    let Some(name) = parser.scanner.take_name() else {
        return Err("\\begin without a name".to_owned());
    };
    let plain = name.strip_suffix('*').unwrap_or(name);
    let spec = match plain {
        "array" | "subarray" => {
            parser.scanner.take_option();
            let spec = parser.scanner.take_name();
            spec.ok_or_else(|| format!("\\begin{{{name}}} without its columns"))?
        }
        "alignat" | "alignedat" => {
            parser.scanner.take_name();
            ""
        }
        "aligned" | "gathered" => {
            parser.scanner.take_option();
            ""
        }
        "matrix" | "pmatrix" | "bmatrix" | "Bmatrix" | "vmatrix" | "Vmatrix"
            if name.ends_with('*') =>
        {
            parser.scanner.take_option().unwrap_or_default()
        }
        _ => "",
    };
    let (kind, fences) = match plain {
        "matrix" | "array" => (GridKind::Matrix, None),
        "pmatrix" => (GridKind::Matrix, Some(('(', Some(')')))),
        "bmatrix" => (GridKind::Matrix, Some(('[', Some(']')))),
        "Bmatrix" => (GridKind::Matrix, Some(('{', Some('}')))),
        "vmatrix" => (GridKind::Matrix, Some(('|', Some('|')))),
        "Vmatrix" => (GridKind::Matrix, Some(('‖', Some('‖')))),
        "smallmatrix" | "subarray" => (GridKind::Small, None),
        "cases" | "dcases" => (GridKind::Cases, Some(('{', None))),
        "rcases" | "drcases" => (GridKind::Cases, None),
        "aligned" | "align" | "alignat" | "alignedat" | "gather" | "gathered" | "split"
        | "multline" | "eqnarray" | "flalign" | "equation" | "displaymath" | "math" => {
            (GridKind::Lines, None)
        }
        _ => return Err(format!("\\begin{{{name}}}")),
    };
    // It has three columns, one of them for the equals sign.
    let spec = if plain == "eqnarray" { "rcl" } else { spec };
    let rows = parser.deeper(rows)?;
    let is_end =
        parser.scanner.next() == Token::Command("end") && parser.scanner.take_name() == Some(name);
    if !is_end {
        return Err(format!("\\begin{{{name}}} without its end"));
    }
    if kind == GridKind::Lines && rows.is_single() {
        return Ok(rows.into_single());
    }
    let mut grid = rows.into_grid(kind, fences, spec)?;
    if plain.ends_with("rcases") {
        grid.close = Some('}');
    }
    if matches!(plain, "dcases" | "drcases") {
        for cell in grid.rows.iter_mut().flatten() {
            let body = Box::new(std::mem::replace(cell, Node::empty()));
            *cell = Node::Sized { size: Size::Display, body };
        }
    }
    Ok(Node::Grid(grid))
}
