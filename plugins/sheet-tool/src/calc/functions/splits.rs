//! Texts that are taken apart at delimiters.

use super::{Whole, number, want};
use crate::calc::coerce::{self, text};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{Array, ErrorCode, Scalar};

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "TEXTSPLIT" => (2, 6, split),
        "TEXTBEFORE" => (2, 6, |e, v| beside(e, v, true)),
        "TEXTAFTER" => (2, 6, |e, v| beside(e, v, false)),
        _ => return None,
    })
}

/// Texts that divide others.
struct Delimiters {
    all: Vec<Vec<char>>,
    ignores_case: bool,
}

impl Delimiters {
    /// Returns the length of the delimiter at a place, the longest if there are several.
    fn at(&self, text: &[char], at: usize) -> Option<usize> {
        let is_same = |a: &char, b: &char| {
            if self.ignores_case { a == b || a.to_lowercase().eq(b.to_lowercase()) } else { a == b }
        };
        let fits = |it: &&Vec<char>| {
            text.get(at..at + it.len())
                .is_some_and(|part| part.iter().zip(it.iter()).all(|(a, b)| is_same(a, b)))
        };
        self.all.iter().filter(fits).map(Vec::len).max()
    }

    /// Returns the beginning and the end of each delimiter in a text.
    fn places(&self, text: &[char]) -> Vec<(usize, usize)> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            match self.at(text, at) {
                Some(length) => {
                    found.push((at, at + length));
                    at += length;
                }
                None => at += 1,
            }
        }
        found
    }
}

/// Reads delimiters; an empty one is `None`.
fn delimiters(
    e: &mut Evaluator<'_>,
    value: &Value,
    ignores_case: bool,
) -> Result<Result<Option<Delimiters>, ErrorCode>, Stop> {
    let mut all = Vec::new();
    for cell in &e.as_values(value)?.cells {
        match text(cell) {
            Ok(text) if text.is_empty() => return Ok(Ok(None)),
            Ok(text) => all.push(text.chars().collect()),
            Err(code) => return Ok(Err(code)),
        }
    }
    Ok(Ok(Some(Delimiters { all, ignores_case })))
}

fn switch(e: &mut Evaluator<'_>, value: Option<&Value>) -> Result<Result<bool, ErrorCode>, Stop> {
    Ok(match value {
        None | Some(Value::Missing) => Ok(false),
        Some(value) => coerce::truth(&e.one(value)?),
    })
}

fn parts(text: &[char], delimiters: Option<&Delimiters>, skips: bool) -> Vec<Vec<char>> {
    let places = delimiters.map(|it| it.places(text)).unwrap_or_default();
    let starts = std::iter::once(0).chain(places.iter().map(|it| it.1));
    let ends = places.iter().map(|it| it.0).chain(std::iter::once(text.len()));
    let all = starts.zip(ends).map(|(start, end)| text[start..end].to_vec());
    all.filter(|it| !skips || !it.is_empty()).collect()
}

fn split(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let all: Vec<char> = want!(text(&e.one(&v[0])?)).chars().collect();
    let skips = want!(switch(e, v.get(3))?);
    let ignores_case = want!(switch(e, v.get(4))?);
    let mut marks = Vec::new();
    for at in [1, 2] {
        marks.push(match v.get(at) {
            None | Some(Value::Missing) => None,
            Some(value) => match want!(delimiters(e, value, ignores_case)?) {
                None => return Ok(Value::error(ErrorCode::Value)),
                found => found,
            },
        });
    }
    if marks.iter().all(Option::is_none) {
        return Ok(Value::error(ErrorCode::Value));
    }
    let pad = match v.get(5) {
        None | Some(Value::Missing) => Scalar::Error(ErrorCode::NotAvailable),
        Some(value) => e.one(value)?,
    };
    let rows: Vec<Vec<Vec<char>>> = parts(&all, marks[1].as_ref(), skips)
        .iter()
        .map(|row| parts(row, marks[0].as_ref(), skips))
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    e.grid.work((rows.len() * columns) as u64)?;
    if rows.len() * columns > 1_000_000 {
        return Err(Stop::Limit);
    }
    let mut cells = Vec::new();
    for row in &rows {
        cells.extend((0..columns).map(|at| match row.get(at) {
            Some(part) => Scalar::text(part.iter().collect::<String>()),
            None => pad.clone(),
        }));
    }
    Ok(Value::array(Array { rows: rows.len(), columns, cells }))
}

/// Returns what stands before or after a delimiter, counted from the start or, if negative, from the end.
fn beside(e: &mut Evaluator<'_>, v: &[Value], is_before: bool) -> Outcome {
    let which = want!(number(e, v.get(2), 1.0)?).trunc();
    let ignores_case = want!(switch(e, v.get(3))?);
    let has_end = want!(switch(e, v.get(4))?);
    let marks = want!(delimiters(e, &v[1], ignores_case)?);
    let other = match v.get(5) {
        None | Some(Value::Missing) => Scalar::Error(ErrorCode::NotAvailable),
        Some(value) => e.one(value)?,
    };
    e.lift_one(v[0].clone(), &|value| {
        let all: Vec<char> = text(value)?.chars().collect();
        if which == 0.0 || which.abs() > all.len().max(1) as f64 {
            return Err(ErrorCode::Value);
        }
        let mut places = match &marks {
            Some(marks) => marks.places(&all),
            // Nothing stands at both ends.
            None if which > 0.0 => vec![(0, 0)],
            None => vec![(all.len(), all.len())],
        };
        if has_end {
            if which > 0.0 { places.push((all.len(), all.len())) } else { places.insert(0, (0, 0)) }
        }
        let index = if which > 0.0 {
            Some(which as usize - 1)
        } else {
            places.len().checked_sub(-which as usize)
        };
        Ok(match index.and_then(|it| places.get(it)) {
            Some((start, _)) if is_before => Scalar::text(all[..*start].iter().collect::<String>()),
            Some((_, end)) => Scalar::text(all[*end..].iter().collect::<String>()),
            None => other.clone(),
        })
    })
}
