//! `CELL`: what a cell is and how it looks, by the table of Microsoft's page.

use super::{place, reference_error};
use crate::calc::coerce::text;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::{Place, Stop};
use crate::refs::{At, column_name};
use crate::value::{Array, ErrorCode, Scalar};

/// Codes of number formats, and what `CELL` calls them.
const FORMATS: [(&str, &str); 27] = [
    ("General", "G"),
    ("0", "F0"),
    ("#,##0", ",0"),
    ("0.00", "F2"),
    ("#,##0.00", ",2"),
    ("$#,##0_);($#,##0)", "C0"),
    ("$#,##0_);[Red]($#,##0)", "C0-"),
    ("$#,##0.00_);($#,##0.00)", "C2"),
    ("$#,##0.00_);[Red]($#,##0.00)", "C2-"),
    ("0%", "P0"),
    ("0.00%", "P2"),
    ("0.00E+00", "S2"),
    ("# ?/?", "G"),
    ("# ??/??", "G"),
    ("m/d/yy", "D4"),
    ("m/d/yy h:mm", "D4"),
    ("mm/dd/yy", "D4"),
    ("d-mmm-yy", "D1"),
    ("dd-mmm-yy", "D1"),
    ("d-mmm", "D2"),
    ("dd-mmm", "D2"),
    ("mmm-yy", "D3"),
    ("mm/dd", "D5"),
    ("h:mm AM/PM", "D7"),
    ("h:mm:ss AM/PM", "D6"),
    ("h:mm", "D9"),
    ("h:mm:ss", "D8"),
];

fn unsupported(what: &str) -> Outcome {
    Err(Stop::Unsupported(format!("CELL {what}")))
}

pub(super) fn cell(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let kind = match text(&e.one(&v[0])?) {
        Ok(kind) => kind.to_lowercase(),
        Err(code) => return Ok(Value::error(code)),
    };
    let Some(of) = v.get(1) else { return unsupported("without a reference") };
    let Some(Place { sheet, area }) = place(of) else {
        return reference_error(of);
    };
    let At { row, column } = area.first;
    Ok(match kind.as_str() {
        "row" => Value::number(f64::from(row)),
        "col" => Value::number(f64::from(column)),
        "address" if sheet == e.sheet => Value::text(format!("${}${row}", column_name(column))),
        "address" => {
            return unsupported(
                "with the address of another sheet, which has the name of the file",
            );
        }
        "contents" => match e.grid.get(sheet, area.first)? {
            Scalar::Empty => Value::number(0.0),
            value => Value::One(value),
        },
        "type" => Value::text(match e.grid.get(sheet, area.first)? {
            Scalar::Empty => "b",
            Scalar::Text(_) => "l",
            _ => "v",
        }),
        "color" | "format" | "parentheses" | "prefix" | "protect" => {
            return looked(e, &kind, sheet, area.first);
        }
        "width" => return width(e, sheet, area.first),
        "filename" => return unsupported("with \"filename\""),
        _ => Value::error(ErrorCode::Value),
    })
}

/// Returns the width of a column, and `true` if it is the default. A plain formula shows the width.
fn width(e: &Evaluator<'_>, sheet: usize, at: At) -> Outcome {
    match e.environment.widths.get(&(sheet, at.column)) {
        None => Err(Stop::NeedsLook(sheet, at)),
        Some(&(width, is_default)) => {
            Ok(Value::array(Array::row(vec![Scalar::Number(width), Scalar::Bool(is_default)])))
        }
    }
}

/// Returns what depends on the format of a cell.
fn looked(e: &mut Evaluator<'_>, kind: &str, sheet: usize, at: At) -> Outcome {
    let environment = e.environment;
    let look = match environment.looks.get(&(sheet, at.row, at.column)) {
        None => return Err(Stop::NeedsLook(sheet, at)),
        Some(None) => return unsupported(&format!("with \"{kind}\" of a cell that is not stored")),
        Some(Some(look)) => look,
    };
    // Escapes and spaces as wide as a bracket do not count.
    let code = look.code.replace(['\\', '"'], "");
    let sections: Vec<&str> = code.split(';').collect();
    let is_colored = || {
        let names =
            ["black", "blue", "cyan", "green", "magenta", "red", "white", "yellow", "color"];
        let lower = sections.get(1).map(|it| it.to_lowercase()).unwrap_or_default();
        names.iter().any(|it| lower.contains(&format!("[{it}")))
    };
    let flag = |is: bool| Value::number(f64::from(u8::from(is)));
    Ok(match kind {
        "color" => flag(is_colored()),
        "parentheses" => flag(sections[0].replace("_(", "").replace("_)", "").contains('(')),
        "protect" => flag(look.is_locked),
        "format" => match FORMATS.iter().find(|it| it.0 == code) {
            Some((_, name)) => Value::text(name),
            None => {
                return unsupported(&format!(
                    "with \"format\" of the number format `{}`",
                    look.code
                ));
            }
        },
        _ => match (e.grid.get(sheet, at)?, look.horizontal.as_deref()) {
            (Scalar::Text(_), Some("left")) => Value::text("'"),
            (Scalar::Text(_), Some("right")) => Value::text("\""),
            (Scalar::Text(_), Some("center")) => Value::text("^"),
            (Scalar::Text(_), Some("fill")) => Value::text("\\"),
            (Scalar::Text(_), _) => {
                return unsupported("with \"prefix\" of a text without alignment");
            }
            _ => Value::text(""),
        },
    })
}
