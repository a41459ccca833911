//! Finds tables whose cells are shaded instead of ruled: a coloured header, every second row grey. The library sees
//! only lines, so the borders are drawn into the page before it is read again ([`crate::slim`]).

use crate::matrix::{IDENTITY, Matrix, Point, Rect, apply, multiply};
use unpdf::parser::backend::{ContentOp, PdfValue};

/// Smallest side of a shaded cell, in points.
const MIN_SIDE: f32 = 6.0;

/// Largest distance of two borders that count as one, in points.
const TOLERANCE: f32 = 1.5;

/// Most shaded rectangles of a page. A drawing has more.
const MAX_SHADES: usize = 5_000;

/// A row of adjacent shaded cells.
#[derive(Clone, Debug)]
struct Band {
    bottom: f32,
    top: f32,
    edges: Vec<f32>,
}

/// Borders of a table: heights of its rows from the top, places of its columns from the left.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(crate) rows: Vec<f32>,
    pub(crate) columns: Vec<f32>,
}

/// Fewest fillings on a page with a shaded table. One filling may paint a row of cells.
const MIN_FILLS: usize = 2;

/// Returns whether these operators may paint a shaded table. Searches for words and does not parse the operators.
pub(crate) fn may_have(content: &[u8]) -> bool {
    content
        .split(|byte| byte.is_ascii_whitespace() || b"[]()<>".contains(byte))
        .filter(|word| matches!(*word, b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*"))
        .nth(MIN_FILLS - 1)
        .is_some()
}

/// Returns the shaded tables of a page.
pub(crate) fn grids(operations: &[ContentOp], height: f32) -> Vec<Grid> {
    let drawn = draw(operations, height);
    let mut grids: Vec<Vec<Band>> = Vec::new();
    for band in bands(drawn.shades) {
        // The next row of a table has the same borders and is not far below.
        let known = grids.iter_mut().find(|grid| {
            grid.last().is_some_and(|last| {
                is_same(&last.edges, &band.edges)
                    && last.bottom - band.top
                        < 4.0 * (last.top - last.bottom).max(band.top - band.bottom)
            })
        });
        match known {
            Some(grid) => grid.push(band),
            None => grids.push(vec![band]),
        }
    }
    grids.iter().filter_map(|bands| grid(bands, &drawn.rules)).collect()
}

/// Returns the borders of a table from its shaded rows. The area between two of them is a row without a shade.
fn grid(bands: &[Band], rules: &[Rect]) -> Option<Grid> {
    let (first, last) = (bands.first()?, bands.last()?);
    let columns = first.edges.clone();
    let mut rows = vec![first.top];
    for band in bands {
        for height in [band.top, band.bottom] {
            if rows.last().is_some_and(|last| last - height > TOLERANCE) {
                rows.push(height);
            }
        }
    }
    // A rule below that is as wide as the table ends a last row without a shade.
    let (left, right) = (*columns.first()?, *columns.last()?);
    let row = (last.top - last.bottom).max(first.top - first.bottom);
    let below = rules.iter().filter(|rule| {
        let is_as_wide = (rule.left - left).abs() < 2.0 * TOLERANCE
            && (rule.right - right).abs() < 2.0 * TOLERANCE;
        is_as_wide && rule.top < last.bottom - TOLERANCE && last.bottom - rule.top < 4.0 * row
    });
    rows.extend(below.map(|rule| rule.top).max_by(f32::total_cmp));
    (rows.len() > 2).then_some(Grid { rows, columns })
}

/// Returns rows of adjacent shaded rectangles, from top to bottom. A single rectangle is not a row.
fn bands(mut shades: Vec<Rect>) -> Vec<Band> {
    shades.sort_by(|a, b| b.top.total_cmp(&a.top).then(a.left.total_cmp(&b.left)));
    let mut bands: Vec<Band> = Vec::new();
    for shade in shades {
        let neighbour = bands.iter_mut().rev().take(8).find(|band| {
            (band.top - shade.top).abs() < TOLERANCE
                && (band.bottom - shade.bottom).abs() < TOLERANCE
                && band.edges.last().is_some_and(|edge| (edge - shade.left).abs() < TOLERANCE)
        });
        match neighbour {
            Some(band) => band.edges.push(shade.right),
            None => bands.push(Band {
                bottom: shade.bottom,
                top: shade.top,
                edges: vec![shade.left, shade.right],
            }),
        }
    }
    bands.retain(|band| band.edges.len() > 2);
    bands
}

fn is_same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < TOLERANCE)
}

/// What is painted on a page.
#[derive(Default)]
struct Drawn {
    shades: Vec<Rect>,
    /// Lines from left to right.
    rules: Vec<Rect>,
}

/// Follows the operators that paint rectangles and lines.
fn draw(operations: &[ContentOp], height: f32) -> Drawn {
    let mut drawn = Drawn::default();
    let mut matrix = IDENTITY;
    let mut saved: Vec<Matrix> = Vec::new();
    // Corners of each part of the path.
    let mut path: Vec<Vec<Point>> = Vec::new();
    for operation in operations {
        let numbers: Vec<f32> = operation.operands.iter().filter_map(number).collect();
        match (operation.operator.as_str(), numbers.as_slice()) {
            ("q", _) if saved.len() < 256 => saved.push(matrix),
            ("Q", _) => matrix = saved.pop().unwrap_or(matrix),
            ("cm", &[a, b, c, d, e, f]) => matrix = multiply([a, b, c, d, e, f], matrix),
            ("m", &[x, y]) => path.push(vec![apply(matrix, (x, y))]),
            ("l", &[x, y]) => {
                if let Some(part) = path.last_mut() {
                    part.push(apply(matrix, (x, y)));
                }
            }
            ("re", &[x, y, w, h]) => {
                let corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)];
                path.push(corners.map(|corner| apply(matrix, corner)).to_vec());
            }
            // A path with curves is not a cell.
            ("c" | "v" | "y", _) => path.push(Vec::new()),
            ("f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "S" | "s", _) => {
                let is_filled = !matches!(operation.operator.as_str(), "S" | "s");
                for part in path.drain(..) {
                    drawn.add(&part, is_filled, height);
                }
                if drawn.shades.len() + drawn.rules.len() > MAX_SHADES {
                    return Drawn::default();
                }
            }
            ("n", _) => path.clear(),
            _ => {}
        }
    }
    drawn
}

impl Drawn {
    fn add(&mut self, corners: &[Point], is_filled: bool, height: f32) {
        let rect = Rect::around(corners);
        let is_upright = corners.iter().all(|corner| {
            let at = |value: f32, edge: f32| (value - edge).abs() < 0.5;
            (at(corner.0, rect.left) || at(corner.0, rect.right))
                && (at(corner.1, rect.bottom) || at(corner.1, rect.top))
        });
        let (width, tall) = (rect.right - rect.left, rect.top - rect.bottom);
        if corners.len() < 2 || !is_upright || !(width.is_finite() && tall.is_finite()) {
            return;
        }
        if tall < 2.0 && width > MIN_SIDE {
            self.rules.push(rect);
        } else if is_filled
            && corners.len() >= 4
            && width > MIN_SIDE
            && tall > MIN_SIDE
            && tall < height * 0.5
        {
            self.shades.push(rect);
        }
    }
}

fn number(value: &PdfValue) -> Option<f32> {
    match value {
        PdfValue::Integer(value) => Some(*value as f32),
        PdfValue::Real(value) => Some(*value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpdf::parser::backend::Operator;

    fn operations(text: &str) -> Vec<ContentOp> {
        let mut operations = Vec::new();
        let mut operands = Vec::new();
        for word in text.split_whitespace() {
            match word.parse() {
                Ok(number) => operands.push(PdfValue::Real(number)),
                Err(_) => {
                    operations
                        .push(ContentOp::new(Operator::named(word), std::mem::take(&mut operands)));
                }
            }
        }
        operations
    }

    #[test]
    fn every_second_row_is_shaded_and_a_rule_ends_the_last() {
        let text = "q 1 0 0 -1 50 700 cm 0 0 100 20 re 100 0 60 20 re f Q 50 640 100 20 re f 150 640 m 210 640 l 210 660 l 150 660 l h f \
                    50 620 m 210 620 l S";
        assert_eq!(
            grids(&operations(text), 800.0),
            [Grid {
                rows: vec![700.0, 680.0, 660.0, 640.0, 620.0],
                columns: vec![50.0, 150.0, 210.0]
            }]
        );
    }

    #[test]
    fn boxes_alone_are_no_tables() {
        for text in [
            // One row of cells; one wide band per row; a coloured page; a turned page.
            "0 0 100 20 re 100 0 60 20 re f",
            "0 0 160 20 re 0 40 160 20 re f",
            "0 0 100 600 re 100 0 100 600 re f",
            "0.7 0.7 -0.7 0.7 0 0 cm 0 0 100 20 re 100 0 60 20 re f 0 40 100 20 re 100 40 60 20 re f",
            "0 0 100 20 re 100 0 60 20 re n",
        ] {
            assert!(grids(&operations(text), 800.0).is_empty(), "{text}");
        }
    }
}
