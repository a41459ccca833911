//! `FILTERXML`: XPath 1.0 over a text that is XML. Namespaces, variables and `id` are refused by name, as are texts that Excel
//! would turn into other values.

mod evaluate;
mod parse;
mod tree;

use super::{Whole, want};
use crate::calc::coerce;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{Array, ErrorCode, Scalar};
use evaluate::{Engine, Halt, Item};

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    (name == "FILTERXML").then_some((2, 2, filtered as Whole))
}

fn filtered(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let xml = want!(coerce::text(&e.one(&v[0])?));
    let path = want!(coerce::text(&e.one(&v[1])?));
    // A cell has no longer texts; formulas can join more.
    if xml.chars().count() > 32_767 {
        return Ok(Value::error(ErrorCode::Value));
    }
    e.grid.work((xml.len() + path.len()) as u64)?;
    let options = roxmltree::ParsingOptions { allow_dtd: false, ..Default::default() };
    let Ok(document) = roxmltree::Document::parse_with_options(&xml, options) else {
        return Ok(Value::error(ErrorCode::Value));
    };
    let tree = match parse::parsed(&path) {
        Ok(tree) => tree,
        Err(Halt::Wrong) => return Ok(Value::error(ErrorCode::Value)),
        Err(Halt::Unsupported(what)) => {
            return Err(Stop::Unsupported(format!("FILTERXML with {what}")));
        }
        Err(Halt::Limit) => return Err(Stop::Limit),
    };
    let mut engine = Engine::default();
    let found = engine.select(&document, &tree);
    e.grid.work(engine.visited / 4)?;
    let items = match found {
        Ok(items) => items,
        Err(Halt::Wrong) => return Ok(Value::error(ErrorCode::Value)),
        Err(Halt::Unsupported(what)) => {
            return Err(Stop::Unsupported(format!("FILTERXML with {what}")));
        }
        Err(Halt::Limit) => return Err(Stop::Limit),
    };
    let mut cells = Vec::with_capacity(items.len());
    for item in &items {
        cells.push(value(item)?);
    }
    Ok(match cells.len() {
        0 => Value::error(ErrorCode::Value),
        1 => Value::One(cells.swap_remove(0)),
        _ => Value::array(Array::column(cells)),
    })
}

/// Returns the value of a node: a number if it is written as one.
fn value(item: &Item<'_, '_>) -> Result<Scalar, Stop> {
    let text = item.text();
    let is_plain = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let all = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
        all(whole) && all(decimals)
    };
    if is_plain(&text)
        && let Some(number) = text.parse::<f64>().ok().filter(|it| it.is_finite())
    {
        return Ok(Scalar::Number(number));
    }
    if text != text.trim() {
        return Err(Stop::Unsupported("FILTERXML with blanks around a text".to_owned()));
    }
    match coerce::parse(&text) {
        Some(_) => Err(Stop::Unsupported(format!(
            "FILTERXML with the text `{text}`, which may become a date or a number"
        ))),
        None => Ok(Scalar::text(text)),
    }
}

#[cfg(test)]
mod tests;
