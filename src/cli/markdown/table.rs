//! Draws a table of Markdown between lines, each column as wide as its cells.
//!
//! A table that is wider than the terminal gets narrower columns, the widest first, and cells of several lines.

use super::inline::{Span, Style, spans};
use super::wrap::{styled, width};

/// Narrowest column.
const LEAST: usize = 4;

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Middle,
    Right,
}

/// Returns `rows` of cells, the first of which is the head, between lines. `None` if the second row does not describe columns.
pub(super) fn table(rows: &[String], columns: usize) -> Option<String> {
    let [head, sides, body @ ..] = rows else { return None };
    let sides: Vec<Side> = cells(sides).iter().map(|it| side(it)).collect::<Option<_>>()?;
    let read = |row: &String| -> Vec<Vec<Span>> {
        cells(row).iter().map(|it| spans(it, None, true).0).collect()
    };
    let mut rows: Vec<Vec<Vec<Span>>> = Vec::with_capacity(body.len() + 1);
    rows.push(read(head));
    rows.extend(body.iter().map(read));
    for span in rows[0].iter_mut().flatten() {
        span.style.bold = true;
    }
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    rows.iter_mut().for_each(|row| row.resize(count, Vec::new()));
    let mut widths: Vec<usize> = (0..count)
        .map(|at| rows.iter().map(|row| columns_of(&row[at])).max().unwrap_or_default().max(1))
        .collect();
    narrow(&mut widths, columns.saturating_sub(3 * count + 1));
    let line = |left: char, between: char, right: char| {
        let parts: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        let line = format!("{left}{}{right}", parts.join(&between.to_string()));
        styled(&line, Style { dim: true, ..Style::default() }) + "\n"
    };
    let bar = styled("│", Style { dim: true, ..Style::default() });
    let mut out = line('┌', '┬', '┐');
    for (index, row) in rows.iter().enumerate() {
        let broken: Vec<Vec<Vec<Span>>> =
            row.iter().zip(&widths).map(|(cell, width)| lines(cell, *width)).collect();
        for at in 0..broken.iter().map(Vec::len).max().unwrap_or_default() {
            for (column, cell) in broken.iter().enumerate() {
                let empty = Vec::new();
                let part = cell.get(at).unwrap_or(&empty);
                let free = widths[column].saturating_sub(columns_of(part));
                let before = match sides.get(column).unwrap_or(&Side::Left) {
                    Side::Left => 0,
                    Side::Middle => free / 2,
                    Side::Right => free,
                };
                let text: String = part.iter().map(|span| styled(&span.text, span.style)).collect();
                out.push_str(&format!(
                    "{bar} {}{text}{} ",
                    " ".repeat(before),
                    " ".repeat(free - before)
                ));
            }
            out.push_str(&bar);
            out.push('\n');
        }
        if index == 0 {
            out.push_str(&line('├', '┼', '┤'));
        }
    }
    out.push_str(&line('└', '┴', '┘'));
    Some(out)
}

/// Makes the widest columns narrower until all fit into `room` or have the least width.
fn narrow(widths: &mut [usize], room: usize) {
    while widths.iter().sum::<usize>() > room {
        let Some(widest) = widths.iter_mut().max() else { return };
        if *widest <= LEAST {
            return;
        }
        *widest -= 1;
    }
}

fn columns_of(spans: &[Span]) -> usize {
    spans.iter().map(|span| width(&span.text)).sum()
}

/// Returns the cells of a row. A bar after a backslash or in code does not end a cell.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let (mut is_escaped, mut is_code) = (false, false);
    for character in row.chars() {
        let cell = cells.len() - 1;
        match character {
            '|' if is_escaped => {
                cells[cell].pop();
                cells[cell].push('|');
            }
            '|' if !is_code => cells.push(String::new()),
            _ => cells[cell].push(character),
        }
        is_code ^= character == '`';
        is_escaped = character == '\\' && !is_escaped;
    }
    if cells.len() > 1 && cells.last().is_some_and(|it| it.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|it| it.trim().to_owned()).collect()
}

/// Returns the alignment of a column from its dashes and colons in the second row. `None` if it has other characters.
fn side(cell: &str) -> Option<Side> {
    let dashes = cell.trim_start_matches(':').trim_end_matches(':');
    if dashes.is_empty() || !dashes.bytes().all(|it| it == b'-') {
        return None;
    }
    Some(match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Side::Middle,
        (false, true) => Side::Right,
        _ => Side::Left,
    })
}

/// Returns a cell in lines of at most `columns`. A line ends at a space if there is one.
fn lines(cell: &[Span], columns: usize) -> Vec<Vec<Span>> {
    let characters = cell.iter().flat_map(|span| span.text.chars().map(|it| (it, span.style)));
    let characters: Vec<(char, Style)> = characters.collect();
    let columns_of = |it: &[(char, Style)]| -> usize {
        width(&it.iter().map(|(character, _)| *character).collect::<String>())
    };
    let mut lines = Vec::new();
    let mut rest = &characters[..];
    while !rest.is_empty() {
        let mut end = rest.len();
        if columns_of(rest) > columns {
            end = 1;
            while end < rest.len() && columns_of(&rest[..=end]) <= columns {
                end += 1;
            }
            let space = rest[..=end.min(rest.len() - 1)].iter().rposition(|(it, _)| *it == ' ');
            end = space.filter(|at| *at > 0).unwrap_or(end);
        }
        lines.push(joined(&rest[..end]));
        rest = &rest[end..];
        while let [(' ', _), after @ ..] = rest {
            rest = after;
        }
    }
    lines
}

fn joined(characters: &[(char, Style)]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (character, style) in characters {
        match spans.last_mut() {
            Some(last) if last.style == *style => last.text.push(*character),
            _ => spans.push(Span { text: (*character).into(), style: *style }),
        }
    }
    spans
}
