//! Functions that do not evaluate all of their arguments, or that are about references and not about values.

use super::{place, want};
use crate::calc::coerce;
use crate::calc::evaluate::{Evaluator, Lambda, Outcome, Value};
use crate::calc::grid::{Place, Stop};
use crate::formula::{Expr, SheetPrefix, Token, tokens};
use crate::refs::{self, Area};
use crate::value::{Array, ErrorCode, Scalar};
use std::rc::Rc;

const KNOWN: [&str; 39] = [
    "IF",
    "IFS",
    "IFERROR",
    "IFNA",
    "CHOOSE",
    "SWITCH",
    "LET",
    "LAMBDA",
    "ROW",
    "COLUMN",
    "ROWS",
    "COLUMNS",
    "OFFSET",
    "INDIRECT",
    "ISREF",
    "SINGLE",
    "AREAS",
    "SHEET",
    "SHEETS",
    "NOW",
    "TODAY",
    "TRUE",
    "FALSE",
    "NA",
    "PI",
    "ISERROR",
    "ISERR",
    "ISNA",
    "ISBLANK",
    "ISNUMBER",
    "ISTEXT",
    "ISNONTEXT",
    "ISLOGICAL",
    "ERROR.TYPE",
    "TYPE",
    "N",
    "T",
    "ISOMITTED",
    "HYPERLINK",
];

pub(super) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name)
}

pub(super) fn call(e: &mut Evaluator<'_>, name: &str, arguments: &[Expr]) -> Option<Outcome> {
    KNOWN.contains(&name).then(|| special(e, name, arguments))
}

fn special(e: &mut Evaluator<'_>, name: &str, arguments: &[Expr]) -> Outcome {
    let wrong = || Ok(Value::error(ErrorCode::Value));
    match (name, arguments) {
        ("TRUE", []) => Ok(Value::One(Scalar::Bool(true))),
        ("FALSE", []) => Ok(Value::One(Scalar::Bool(false))),
        ("NA", []) => Ok(Value::error(ErrorCode::NotAvailable)),
        ("PI", []) => Ok(Value::number(std::f64::consts::PI)),
        ("NOW", []) => clock(e, |now| now),
        ("TODAY", []) => clock(e, f64::floor),
        ("IF", [condition, then, rest @ ..]) if rest.len() <= 1 => {
            conditional(e, condition, then, rest.first())
        }
        ("IFS", all) if all.len() % 2 == 0 => {
            for pair in all.chunks_exact(2) {
                let condition = e.evaluate(&pair[0])?;
                if want!(coerce::truth(&e.one(&condition)?)) {
                    return e.evaluate(&pair[1]);
                }
            }
            Ok(Value::error(ErrorCode::NotAvailable))
        }
        ("IFERROR" | "IFNA", [value, other]) => {
            let value = e.evaluate(value)?;
            let value = e.operand(value)?;
            let catches = |it: &Scalar| match it {
                Scalar::Error(code) => name == "IFERROR" || *code == ErrorCode::NotAvailable,
                _ => false,
            };
            match value {
                Value::One(one) if catches(&one) => e.evaluate(other),
                Value::Array(array) if array.cells.iter().any(catches) => {
                    let other = e.evaluate(other)?;
                    e.lift_two(Value::Array(array), other, &|a, b| {
                        Ok(if catches(a) { b.clone() } else { a.clone() })
                    })
                }
                value => Ok(value),
            }
        }
        ("CHOOSE", [index, rest @ ..]) => {
            let index = e.evaluate(index)?;
            let index = want!(coerce::integer(&e.one(&index)?));
            match usize::try_from(index - 1).ok().and_then(|it| rest.get(it)) {
                Some(chosen) => e.evaluate(chosen),
                None => wrong(),
            }
        }
        ("SWITCH", [value, rest @ ..]) => {
            let value = e.evaluate(value)?;
            let value = e.one(&value)?;
            if let Scalar::Error(code) = value {
                return Ok(Value::error(code));
            }
            for pair in rest.chunks(2) {
                let [case, result] = pair else { return e.evaluate(&pair[0]) };
                let case = e.evaluate(case)?;
                if want!(coerce::compare(&value, &e.one(&case)?)).is_eq() {
                    return e.evaluate(result);
                }
            }
            Ok(Value::error(ErrorCode::NotAvailable))
        }
        ("LET", [pairs @ .., body]) if pairs.len() % 2 == 0 => {
            let depth = e.locals.len();
            for pair in pairs.chunks_exact(2) {
                let Some(name) = local(&pair[0]) else { return Ok(Value::error(ErrorCode::Name)) };
                let value = e.evaluate(&pair[1]);
                match value {
                    Ok(value) => e.locals.push((name, value)),
                    Err(stop) => {
                        e.locals.truncate(depth);
                        return Err(stop);
                    }
                }
            }
            let value = e.evaluate(body);
            e.locals.truncate(depth);
            value
        }
        ("LAMBDA", [names @ .., body]) => {
            let names: Option<Vec<_>> = names.iter().map(local).collect();
            match names {
                Some(names) => {
                    let locals = e.locals.clone();
                    Ok(Value::Lambda(Rc::new(Lambda {
                        names,
                        body: body.clone(),
                        locals,
                        function: None,
                    })))
                }
                None => wrong(),
            }
        }
        ("ISOMITTED", [value]) => {
            let value = e.evaluate(value)?;
            Ok(Value::One(Scalar::Bool(matches!(value, Value::Missing))))
        }
        ("ROW" | "COLUMN", []) => {
            Ok(Value::number(f64::from(if name == "ROW" { e.at.row } else { e.at.column })))
        }
        ("ROW" | "COLUMN" | "ROWS" | "COLUMNS", [value]) => extent(e, name, value),
        ("AREAS", [value]) => match e.evaluate(value)? {
            Value::Cells(places) => Ok(Value::number(places.len() as f64)),
            _ => wrong(),
        },
        ("SHEET", []) => Ok(Value::number(e.sheet as f64 + 1.0)),
        ("SHEETS", []) => Ok(Value::number(e.environment.sheets.len() as f64)),
        ("OFFSET", [base, rest @ ..]) if (2..=4).contains(&rest.len()) => offset(e, base, rest),
        ("INDIRECT", [text, rest @ ..]) => indirect(e, text, rest),
        ("ISREF", [value]) => {
            let value = e.evaluate(value)?;
            Ok(Value::One(Scalar::Bool(matches!(value, Value::Cells(_)))))
        }
        ("SINGLE", [value]) => {
            let value = e.evaluate(value)?;
            match place(&value) {
                Some(place) if !place.area.is_cell() => e.crossing(place),
                _ => e.one(&value).map(Value::One),
            }
        }
        ("HYPERLINK", [address, rest @ ..]) => e.evaluate(rest.first().unwrap_or(address)),
        ("N" | "T", [value]) => {
            let value = e.evaluate(value)?;
            let first = match &value {
                Value::Cells(places) => match places.first() {
                    Some(place) => e.grid.get(place.sheet, place.area.first)?,
                    None => Scalar::Empty,
                },
                _ => e.one(&value)?,
            };
            Ok(Value::One(match (name, first) {
                (_, Scalar::Error(code)) => Scalar::Error(code),
                ("N", Scalar::Number(number)) => Scalar::Number(number),
                ("N", Scalar::Bool(value)) => Scalar::Number(f64::from(u8::from(value))),
                ("N", _) => Scalar::Number(0.0),
                (_, Scalar::Text(text)) => Scalar::Text(text),
                _ => Scalar::text(""),
            }))
        }
        ("TYPE", [value]) => {
            let value = e.evaluate(value)?;
            Ok(Value::number(match e.operand(value)? {
                Value::One(Scalar::Number(_) | Scalar::Empty) => 1.0,
                Value::One(Scalar::Text(_)) => 2.0,
                Value::One(Scalar::Bool(_)) => 4.0,
                Value::One(Scalar::Error(_)) => 16.0,
                _ => 64.0,
            }))
        }
        (_, [value]) if name.starts_with("IS") || name == "ERROR.TYPE" => {
            let value = e.evaluate(value)?;
            e.lift_one(value, &|value| tested(name, value))
        }
        _ => wrong(),
    }
}

fn tested(name: &str, value: &Scalar) -> Result<Scalar, ErrorCode> {
    let is = match (name, value) {
        ("ERROR.TYPE", Scalar::Error(code)) => return Ok(Scalar::Number(code.number())),
        ("ERROR.TYPE", _) => return Err(ErrorCode::NotAvailable),
        ("ISERROR", Scalar::Error(_)) => true,
        ("ISERR", Scalar::Error(code)) => *code != ErrorCode::NotAvailable,
        ("ISNA", Scalar::Error(code)) => *code == ErrorCode::NotAvailable,
        ("ISBLANK", value) => *value == Scalar::Empty,
        ("ISNUMBER", value) => matches!(value, Scalar::Number(_)),
        ("ISTEXT", value) => matches!(value, Scalar::Text(_)),
        ("ISNONTEXT", value) => !matches!(value, Scalar::Text(_)),
        ("ISLOGICAL", value) => matches!(value, Scalar::Bool(_)),
        _ => false,
    };
    Ok(Scalar::Bool(is))
}

fn clock(e: &Evaluator<'_>, of: fn(f64) -> f64) -> Outcome {
    match e.environment.now {
        Some(now) => Ok(Value::number(of(now))),
        None => Err(Stop::Unsupported("the date of today".to_owned())),
    }
}

fn local(tree: &Expr) -> Option<Rc<str>> {
    match tree {
        Expr::Name(name, None) => Some(Rc::from(name.trim_start_matches("_xlpm."))),
        _ => None,
    }
}

fn conditional(
    e: &mut Evaluator<'_>,
    condition: &Expr,
    then: &Expr,
    other: Option<&Expr>,
) -> Outcome {
    let condition = e.evaluate(condition)?;
    let condition = e.operand(condition)?;
    let Value::Array(array) = condition else {
        let one = e.one(&condition)?;
        let chosen = if want!(coerce::truth(&one)) { Some(then) } else { other };
        return match chosen {
            // An argument that is left out is zero, one that is not there is FALSE.
            Some(chosen) => Ok(match e.evaluate(chosen)? {
                Value::Missing => Value::One(Scalar::Number(0.0)),
                value => value,
            }),
            None => Ok(Value::One(Scalar::Bool(false))),
        };
    };
    let then = e.evaluate(then)?;
    let other = match other {
        Some(other) => e.evaluate(other)?,
        None => Value::One(Scalar::Bool(false)),
    };
    e.lift(vec![Value::Array(array), then, other], &mut |all| {
        Ok(if coerce::truth(&all[0])? { all[1].clone() } else { all[2].clone() })
    })
}

fn extent(e: &mut Evaluator<'_>, name: &str, value: &Expr) -> Outcome {
    let value = e.evaluate(value)?;
    let (rows, columns, first) = match &value {
        Value::Cells(places) => match places[..] {
            [place] => (place.area.rows(), place.area.columns(), Some(place.area.first)),
            _ => return Ok(Value::error(ErrorCode::Ref)),
        },
        Value::Array(array) => (array.rows as u32, array.columns as u32, None),
        Value::One(Scalar::Error(code)) => return Ok(Value::error(*code)),
        _ => (1, 1, None),
    };
    let first = match name {
        "ROWS" => return Ok(Value::number(f64::from(rows))),
        "COLUMNS" => return Ok(Value::number(f64::from(columns))),
        "ROW" => first.map(|it| (it.row, rows)),
        _ => first.map(|it| (it.column, columns)),
    };
    let Some((first, count)) = first else { return Ok(Value::error(ErrorCode::Value)) };
    if !e.is_array || count == 1 {
        return Ok(Value::number(f64::from(first)));
    }
    e.spreads = true;
    e.grid.work(u64::from(count))?;
    let cells: Vec<_> = (first..first + count).map(|it| Scalar::Number(f64::from(it))).collect();
    Ok(Value::array(if name == "ROW" { Array::column(cells) } else { Array::row(cells) }))
}

fn offset(e: &mut Evaluator<'_>, base: &Expr, rest: &[Expr]) -> Outcome {
    let base = e.evaluate(base)?;
    let Some(base) = place(&base) else { return Ok(Value::error(ErrorCode::Value)) };
    let mut numbers = [0, 0, i64::from(base.area.rows()), i64::from(base.area.columns())];
    for (place, argument) in numbers.iter_mut().zip(rest) {
        let value = e.evaluate(argument)?;
        if !matches!(value, Value::Missing) {
            *place = want!(coerce::integer(&e.one(&value)?));
        }
    }
    let [down, right, rows, columns] = numbers;
    let top = i64::from(base.area.first.row) + down;
    let left = i64::from(base.area.first.column) + right;
    let (top, bottom) = if rows >= 0 { (top, top + rows - 1) } else { (top + rows + 1, top) };
    let (left, last) =
        if columns >= 0 { (left, left + columns - 1) } else { (left + columns + 1, left) };
    let fits = rows != 0
        && columns != 0
        && top >= 1
        && left >= 1
        && bottom <= i64::from(refs::MAX_ROW)
        && last <= i64::from(refs::MAX_COLUMN);
    if !fits {
        return Ok(Value::error(ErrorCode::Ref));
    }
    let area = Area::new(top as u32, left as u32, bottom as u32, last as u32);
    Ok(Value::Cells(vec![Place { area, ..base }]))
}

fn indirect(e: &mut Evaluator<'_>, text: &Expr, rest: &[Expr]) -> Outcome {
    let text = e.evaluate(text)?;
    let text = want!(coerce::text(&e.one(&text)?));
    if let Some(style) = rest.first() {
        let style = e.evaluate(style)?;
        if !matches!(style, Value::Missing) && !want!(coerce::truth(&e.one(&style)?)) {
            return Err(Stop::Unsupported("INDIRECT with R1C1".to_owned()));
        }
    }
    let all = tokens(text.trim());
    let [token] = &all[..] else { return Ok(Value::error(ErrorCode::Ref)) };
    match &token.token {
        Token::Reference(reference) => {
            let sheet = match &reference.sheet {
                SheetPrefix::None => Some(e.sheet),
                SheetPrefix::One(name) => {
                    let lower = name.to_lowercase();
                    e.environment.sheets.iter().position(|it| it.to_lowercase() == lower)
                }
                _ => None,
            };
            Ok(match sheet {
                Some(sheet) => Value::Cells(vec![Place { sheet, area: reference.area() }]),
                None => Value::error(ErrorCode::Ref),
            })
        }
        Token::Word(name) => {
            let value = e.evaluate(&Expr::Name(name.to_lowercase().into(), None))?;
            Ok(if matches!(value, Value::Cells(_)) { value } else { Value::error(ErrorCode::Ref) })
        }
        Token::Structured(..) => Err(Stop::Unsupported("INDIRECT with a table".to_owned())),
        _ => Ok(Value::error(ErrorCode::Ref)),
    }
}
