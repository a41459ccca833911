//! Regular expressions. Their syntax is that of the crate `regex`, which is Excel's without back references and without
//! looking around; formulas with these keep their value.

use super::{Whole, number, want};
use crate::calc::coerce::text;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{Array, ErrorCode, Scalar};
use regex::{Captures, Regex, RegexBuilder};

/// Most bytes of a compiled pattern.
const MAX_PATTERN: usize = 1 << 20;

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "REGEXTEST" => (2, 3, |e, v| {
            let pattern = want!(compiled(e, v, 2)?);
            e.lift_one(v[0].clone(), &|it| Ok(Scalar::Bool(pattern.is_match(&text(it)?))))
        }),
        "REGEXEXTRACT" => (2, 4, extracted),
        "REGEXREPLACE" => (3, 5, replaced),
        _ => return None,
    })
}

/// Reads the pattern, and in another argument `1` if capital and small letters are the same.
fn compiled(
    e: &mut Evaluator<'_>,
    v: &[Value],
    mode: usize,
) -> Result<Result<Regex, ErrorCode>, Stop> {
    let pattern = match text(&e.one(&v[1])?) {
        Ok(pattern) => pattern,
        Err(code) => return Ok(Err(code)),
    };
    let mode = match number(e, v.get(mode), 0.0)? {
        Ok(mode) => mode.trunc(),
        Err(code) => return Ok(Err(code)),
    };
    if mode != 0.0 && mode != 1.0 {
        return Ok(Err(ErrorCode::Value));
    }
    e.grid.work(1000 + pattern.len() as u64)?;
    let mut builder = RegexBuilder::new(&pattern);
    match builder.case_insensitive(mode == 1.0).size_limit(MAX_PATTERN).build() {
        Ok(pattern) => Ok(Ok(pattern)),
        // Excel may know it.
        Err(_) => Err(Stop::Unsupported(format!("the regular expression `{pattern}`"))),
    }
}

fn extracted(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let pattern = want!(compiled(e, v, 3)?);
    let mode = want!(number(e, v.get(2), 0.0)?).trunc();
    match mode {
        0.0 => e.lift_one(v[0].clone(), &|it| match pattern.find(&text(it)?) {
            Some(found) => Ok(Scalar::text(found.as_str())),
            None => Err(ErrorCode::NotAvailable),
        }),
        1.0 => {
            let all = want!(text(&e.one(&v[0])?));
            let found: Vec<_> =
                pattern.find_iter(&all).map(|it| Scalar::text(it.as_str())).collect();
            e.grid.work(found.len() as u64)?;
            Ok(if found.is_empty() {
                Value::error(ErrorCode::NotAvailable)
            } else {
                Value::array(Array::column(found))
            })
        }
        2.0 => {
            let all = want!(text(&e.one(&v[0])?));
            let Some(found) = pattern.captures(&all) else {
                return Ok(Value::error(ErrorCode::NotAvailable));
            };
            let groups = found.iter().skip(1);
            let groups: Vec<_> =
                groups.map(|it| Scalar::text(it.map_or("", |it| it.as_str()))).collect();
            Ok(if groups.is_empty() {
                Value::error(ErrorCode::NotAvailable)
            } else {
                Value::array(Array::row(groups))
            })
        }
        _ => Ok(Value::error(ErrorCode::Value)),
    }
}

fn replaced(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let pattern = want!(compiled(e, v, 4)?);
    let new = want!(text(&e.one(&v[2])?));
    let which = want!(number(e, v.get(3), 0.0)?).trunc();
    e.lift_one(v[0].clone(), &|value| {
        let all = text(value)?;
        let found: Vec<Captures<'_>> = pattern.captures_iter(&all).collect();
        let only = match which {
            0.0 => None,
            which if which > 0.0 => Some(which as usize - 1),
            which => match found.len().checked_sub(-which as usize) {
                Some(at) => Some(at),
                None => return Ok(Scalar::text(all)),
            },
        };
        let (mut out, mut last) = (String::new(), 0);
        for (at, captures) in found.iter().enumerate() {
            let Some(whole) = captures.get(0) else { continue };
            if only.is_some_and(|only| only != at) {
                continue;
            }
            out.push_str(&all[last..whole.start()]);
            fill(&mut out, &new, captures);
            last = whole.end();
            if out.len() > 140_000 {
                return Err(ErrorCode::Value);
            }
        }
        out.push_str(&all[last..]);
        if out.chars().count() > 32_767 { Err(ErrorCode::Value) } else { Ok(Scalar::text(out)) }
    })
}

/// Writes the new text, in which `$1` and `${name}` are groups, `$0` is all that was found, and `$$` is a dollar.
fn fill(out: &mut String, new: &str, captures: &Captures<'_>) {
    let mut rest = new;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).take(2).count();
        let group = match rest.strip_prefix('{').and_then(|it| it.split_once('}')) {
            Some((name, after)) => {
                rest = after;
                match name.parse() {
                    Ok(number) => captures.get(number),
                    Err(_) => captures.name(name),
                }
            }
            None if digits > 0 => {
                let number = rest[..digits].parse().unwrap_or(0);
                rest = &rest[digits..];
                captures.get(number)
            }
            None => {
                out.push('$');
                continue;
            }
        };
        out.push_str(group.map_or("", |it| it.as_str()));
    }
    out.push_str(rest);
}
