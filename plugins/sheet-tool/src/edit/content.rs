//! Edits of cells: values, formulas, copies and formats.

use super::kinds::{Input, SetCell};
use super::state::{Batch, shown};
use crate::book::{Book, CellEdit, Content, Format, FormulaKind};
use crate::calc::Seed;
use crate::error::{Result, invalid};
use crate::formula::{NEWER, Spanned, Token, is_of_excel, parse, tokens, translated};
use crate::moment;
use crate::refs::{self, Area, At, Axis};
use crate::value::Scalar;
use mitt_package::counted;

/// Most cells of one edit.
const MAX_CELLS: u64 = 1_000_000;
/// Most characters of a text in a cell, and of a formula.
const MAX_TEXT: usize = 32_767;
const MAX_FORMULA: usize = 8_192;

pub(crate) fn set_cells(batch: &mut Batch, cells: &[SetCell]) -> Result<()> {
    let mut problems = Vec::new();
    for cell in cells {
        let place = batch.book.cell_place(&cell.at);
        let done = place.and_then(|(sheet, at)| set(batch, sheet, at, &cell.value));
        if let Err(error) = done {
            problems.push(error.to_string());
        }
    }
    if problems.is_empty() { Ok(()) } else { invalid(problems.join("\n")) }
}

pub(crate) fn set_range(batch: &mut Batch, at: &str, rows: &[Vec<Input>]) -> Result<()> {
    let (sheet, rest) = batch.book.place(at)?;
    let Some(area) = refs::area(rest) else {
        return invalid(format!("expected the first cell such as `Sheet1!B5`, got `{at}`"));
    };
    let first = area.first;
    if !area.is_cell() {
        let fits = rows.len() as u32 == area.rows()
            && rows.iter().all(|it| it.len() as u32 == area.columns());
        if !fits {
            return invalid(format!(
                "expected {} of {} for `{at}`",
                counted(area.rows() as usize, "row"),
                counted(area.columns() as usize, "value")
            ));
        }
    }
    let width = rows.iter().map(Vec::len).max().unwrap_or(0) as u64;
    if rows.len() as u64 * width > MAX_CELLS {
        return invalid(format!("expected at most {MAX_CELLS} cells in one edit"));
    }
    for (down, row) in rows.iter().enumerate() {
        for (right, value) in row.iter().enumerate() {
            let at = At { row: first.row + down as u32, column: first.column + right as u32 };
            if at.row > refs::MAX_ROW || at.column > refs::MAX_COLUMN {
                return invalid(format!("`{at}` is outside of the sheet"));
            }
            set(batch, sheet, at, value)?;
        }
    }
    Ok(())
}

/// Returns `true` if a cell keeps all significant digits of a number. Spreadsheets show 15 digits of a whole number, and lose the
/// others when somebody edits the cell; whole numbers of more than 21 digits are results of calculations.
fn fits(number: &str) -> bool {
    let significant = |text: &str| -> String {
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').to_owned()
    };
    let digits = significant(number);
    let Ok(value) = number.parse::<f64>() else { return true };
    if digits.len() <= 15 || value.fract() == 0.0 && value.abs() >= 1e21 {
        return true;
    }
    value.fract() != 0.0 && significant(&value.to_string()) == digits
}

/// Returns a value as a cell keeps it: a number that a cell does not keep is a text.
pub(crate) fn scalar(book: &Book, value: &Input) -> Result<Scalar> {
    Ok(match value {
        Input::Null => Scalar::Empty,
        Input::Bool(value) => Scalar::Bool(*value),
        Input::Number(digits) => match digits.parse::<f64>() {
            Ok(_) if !fits(digits) => Scalar::text(digits),
            Ok(number) if number.is_finite() => Scalar::Number(number),
            _ => return invalid(format!("expected a number, got `{digits}`")),
        },
        Input::Text(text) => match moment::serial(text, book.from_1904) {
            Some((serial, _)) => Scalar::Number(serial),
            None => Scalar::text(text.strip_prefix('\'').unwrap_or(text)),
        },
    })
}

fn set(batch: &mut Batch, sheet: usize, at: At, value: &Input) -> Result<()> {
    let before = batch.book.cell(sheet, at)?;
    refuse_array(batch, sheet, at)?;
    release(batch, sheet, &before.kind)?;
    let mut edit = CellEdit::default();
    edit.content = Some(match value {
        Input::Text(text) if text.len() > 1 && text.starts_with('=') => {
            let formula = stored_formula(&text[1..], &batch.book);
            if formula.chars().count() > MAX_FORMULA {
                return invalid(format!(
                    "{}: expected a formula of at most {MAX_FORMULA} characters",
                    batch.place(sheet, at)
                ));
            }
            if let Err(why) = parse(&formula, &batch.book) {
                return invalid(format!("{}: {why}", batch.place(sheet, at)));
            }
            batch.new_formulas.push((sheet, at));
            Content::Formula { text: formula, array: None, cached: Scalar::Empty }
        }
        Input::Text(text) => match moment::serial(text, batch.book.from_1904) {
            Some((serial, has_time)) => {
                if batch.book.has_styles() {
                    let style = batch
                        .book
                        .styles
                        .for_date(before.style, has_time)
                        .map_err(crate::error::Error::Invalid)?;
                    edit.style = Some(style).filter(|it| *it != before.style);
                }
                Content::Value(Scalar::Number(serial))
            }
            None => {
                let plain = text.strip_prefix('\'').unwrap_or(text);
                if plain.chars().count() > MAX_TEXT {
                    return invalid(format!(
                        "{}: expected at most {MAX_TEXT} characters",
                        batch.place(sheet, at)
                    ));
                }
                Content::Value(if plain.is_empty() { Scalar::Empty } else { Scalar::text(plain) })
            }
        },
        Input::Number(digits) => match scalar(&batch.book, value)? {
            Scalar::Number(_) => Content::Digits(digits.clone()),
            text => {
                if batch.long_numbers.0 == 0 {
                    batch.long_numbers.1 = batch.place(sheet, at);
                }
                batch.long_numbers.0 += 1;
                Content::Value(text)
            }
        },
        other => Content::Value(scalar(&batch.book, other)?),
    });
    note(batch, sheet, at, edit, &before)
}

/// Notes an edit of a cell with everything that follows from it.
fn note(
    batch: &mut Batch,
    sheet: usize,
    at: At,
    edit: CellEdit,
    before: &crate::book::CellView,
) -> Result<()> {
    for table in batch.book.tables.iter().filter(|it| it.area.sheet == sheet && it.area.has_header)
    {
        let area = table.area.area;
        if at.row == area.first.row && area.contains(at) {
            return invalid(format!(
                "{}: the head of the table `{}` cannot be changed, as formulas use its names",
                batch.place(sheet, at),
                table.name
            ));
        }
    }
    if edit.content.is_some() {
        let text = batch.book.text(sheet)?;
        let merged = crate::xml::element(crate::xml::before_extensions(&text.tail), "mergeCells");
        let areas = merged.iter().flat_map(|it| crate::xml::children(it.1));
        let area = areas
            .filter_map(|it| refs::area(crate::xml::first_tag(it)?.attribute("ref")?))
            .find(|it| it.contains(at) && it.first != at);
        if let Some(area) = area {
            return invalid(format!(
                "{}: it is merged into {area}; its value stands in {}",
                batch.place(sheet, at),
                area.first
            ));
        }
    }
    batch.book.text_mut(sheet)?.edit(at, edit);
    let after = batch.book.cell(sheet, at)?;
    let place = batch.place(sheet, at);
    let new = match &after.formula {
        Some(formula) => crate::book::shown_formula(formula),
        None => shown(&batch.book, &after),
    };
    let old = shown(&batch.book, before);
    if old != new {
        batch.changed(format!("{place}: {old} → {new}"));
    }
    batch.seeds.push(Seed {
        sheet,
        area: Area::cell(at.row, at.column),
        includes_itself: after.formula.is_some(),
    });
    batch.has_values = true;
    Ok(())
}

/// Refuses to change a part of an array formula.
fn refuse_array(batch: &mut Batch, sheet: usize, at: At) -> Result<()> {
    let arrays = batch.book.text_mut(sheet)?.arrays();
    match arrays.iter().copied().find(|it| it.contains(at) && !it.is_cell()) {
        Some(area) => invalid(format!(
            "{}: it is a part of the array formula in {area}",
            batch.place(sheet, at)
        )),
        None => Ok(()),
    }
}

/// Gives the cells of a shared formula their own formulas before one of them changes.
fn release(batch: &mut Batch, sheet: usize, kind: &Option<FormulaKind>) -> Result<()> {
    if matches!(kind, Some(FormulaKind::Shared(_))) {
        batch.book.text_mut(sheet)?.flush();
        super::structure::expand(&mut batch.book, sheet)?;
    }
    Ok(())
}

/// Functions with arguments that are functions.
const TAKES_FUNCTIONS: [&str; 8] =
    ["BYCOL", "BYROW", "GROUPBY", "MAKEARRAY", "MAP", "PIVOTBY", "REDUCE", "SCAN"];

/// Returns `true` if a token is a whole argument.
fn is_argument(all: &[Spanned], index: usize) -> bool {
    let mut before = all[..index].iter().rev().map(|it| &it.token);
    let mut after = all[index + 1..].iter().map(|it| &it.token);
    matches!(before.find(|it| **it != Token::Blank), Some(Token::Comma | Token::Open))
        && matches!(after.find(|it| **it != Token::Blank), Some(Token::Comma | Token::Close))
}

/// Returns a formula with the prefixes that files have.
pub(crate) fn stored_formula(formula: &str, book: &Book) -> String {
    let mut out = String::new();
    let mut copied = 0;
    let mut parameters: Vec<String> = Vec::new();
    let all = tokens(formula);
    // The names that LET and LAMBDA define.
    if all.iter().any(|it| matches!(&it.token, Token::Function(name) if matches!(name.to_uppercase().as_str(), "LET" | "LAMBDA"))) {
        for pair in all.windows(2) {
            let name = match (&pair[0].token, &pair[1].token) {
                (Token::Word(name), Token::Comma) => name,
                _ => continue,
            };
            parameters.push(name.to_lowercase());
        }
    }
    let takes_functions = all.iter().any(|it| match &it.token {
        Token::Function(name) => TAKES_FUNCTIONS.contains(&&*name.to_uppercase()),
        _ => false,
    });
    for (index, token) in all.iter().enumerate() {
        let prefix = match &token.token {
            Token::Reference(_) | Token::Word(_)
                if all.get(index + 1).is_some_and(|it| it.token == Token::Operator("#")) =>
            {
                // Files have `A1#` as a function.
                out.push_str(&formula[copied..token.start]);
                let place = &formula[token.start..token.end];
                out.push_str(&format!("_xlfn.ANCHORARRAY({place})"));
                copied = all[index + 1].end;
                continue;
            }
            Token::Function(name) => {
                let upper = name.to_uppercase();
                match upper.as_str() {
                    "FILTER" | "SORT" => "_xlfn._xlws.",
                    _ if NEWER.binary_search(&&*upper).is_ok() => "_xlfn.",
                    _ if parameters.contains(&name.to_lowercase()) => "_xlpm.",
                    _ => continue,
                }
            }
            Token::Word(name) if parameters.contains(&name.to_lowercase()) => "_xlpm.",
            // A function that another one calls, as in `BYROW(A1:C3,SUM)`.
            Token::Word(name)
                if takes_functions
                    && is_argument(&all, index)
                    && is_of_excel(&name.to_uppercase())
                    && !book.names.iter().any(|it| it.name.eq_ignore_ascii_case(name)) =>
            {
                "_xleta."
            }
            _ => continue,
        };
        out.push_str(&formula[copied..token.start]);
        out.push_str(prefix);
        copied = token.start;
    }
    out + &formula[copied..]
}

/// Returns the cells of a range that are in the file, with a limit.
fn cells_of(batch: &Batch, sheet: usize, area: Area) -> Result<Vec<At>> {
    let text = batch.book.text(sheet)?;
    let mut found = Vec::new();
    for row in text.rows.iter().filter(|row| (area.first.row..=area.last.row).contains(&row.number))
    {
        for cell in crate::book::cells(text.row_text(row)) {
            if (area.first.column..=area.last.column).contains(&cell.column) {
                found.push(At { row: row.number, column: cell.column });
            }
        }
        if found.len() as u64 > MAX_CELLS {
            return invalid(format!("expected at most {MAX_CELLS} cells in one edit"));
        }
    }
    Ok(found)
}

fn wide(batch: &Batch, range: &str) -> Result<(usize, Area, Axis)> {
    let (sheet, rest) = batch.book.place(range)?;
    match refs::wide_area(rest) {
        Some((area, axis)) => Ok((sheet, area, axis)),
        None => invalid(format!("expected a range such as `Sheet1!B2:C5`, got `{range}`")),
    }
}

pub(crate) fn clear(batch: &mut Batch, range: &str) -> Result<()> {
    let (sheet, area, _) = wide(batch, range)?;
    batch.book.text_mut(sheet)?.flush();
    let mut count = 0_u32;
    if batch.book.text(sheet)?.data.contains("\"shared\"") {
        super::structure::expand(&mut batch.book, sheet)?;
    }
    for at in cells_of(batch, sheet, area)? {
        let view = batch.book.cell(sheet, at)?;
        if view.value == Scalar::Empty && view.formula.is_none() {
            continue;
        }
        if let Some(FormulaKind::Array(array, _)) = &view.kind
            && let Some(array) = refs::area(array)
            && array.meet(&area) != Some(array)
        {
            return invalid(format!(
                "{}: only the whole array formula {array} can be cleared",
                batch.place(sheet, at)
            ));
        }
        count += 1;
        let edit = CellEdit { content: Some(Content::Value(Scalar::Empty)), ..CellEdit::default() };
        batch.book.text_mut(sheet)?.edit(at, edit);
        batch.seeds.push(Seed {
            sheet,
            area: Area::cell(at.row, at.column),
            includes_itself: false,
        });
    }
    batch.has_values = true;
    let line =
        format!("{}: {} → nothing", batch.place(sheet, area), counted(count as usize, "cell"));
    batch.changed(line);
    Ok(())
}

pub(crate) fn copy(batch: &mut Batch, from: &str, to: &str) -> Result<()> {
    let (sheet, area, _) = wide(batch, from)?;
    let (target, first) = {
        let (target, rest) = batch.book.place(to)?;
        match refs::area(rest) {
            Some(area) => (target, area),
            None => {
                return invalid(format!(
                    "expected the first cell or a range such as `Sheet1!B5`, got `{to}`"
                ));
            }
        }
    };
    // A larger target is filled with copies, as in Excel.
    let (mut rows, mut columns) = (area.rows(), area.columns());
    if !first.is_cell() {
        if first.rows() % rows != 0 || first.columns() % columns != 0 {
            return invalid(format!("expected a target of a multiple of {area}, got `{to}`"));
        }
        (rows, columns) = (first.rows(), first.columns());
    }
    if u64::from(rows) * u64::from(columns) > MAX_CELLS {
        return invalid(format!("expected at most {MAX_CELLS} cells in one edit"));
    }
    let mut sources = Vec::new();
    for row in 0..area.rows() {
        for column in 0..area.columns() {
            let at = At { row: area.first.row + row, column: area.first.column + column };
            sources.push(batch.book.cell(sheet, at)?);
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let source_at = At {
                row: area.first.row + row % area.rows(),
                column: area.first.column + column % area.columns(),
            };
            let at = At { row: first.first.row + row, column: first.first.column + column };
            if at.row > refs::MAX_ROW || at.column > refs::MAX_COLUMN {
                return invalid(format!("`{to}` leaves the sheet"));
            }
            if sheet == target && at == source_at {
                continue;
            }
            let source =
                &sources[((row % area.rows()) * area.columns() + column % area.columns()) as usize];
            let before = batch.book.cell(target, at)?;
            refuse_array(batch, target, at)?;
            release(batch, target, &before.kind)?;
            if let Some(FormulaKind::Array(array, _)) = &source.kind
                && refs::area(array).is_some_and(|it| !it.is_cell())
            {
                return invalid(format!(
                    "{}: array formulas cannot be copied",
                    batch.place(sheet, source_at)
                ));
            }
            let content = match &source.formula {
                Some(formula) => {
                    let down = i64::from(at.row) - i64::from(source_at.row);
                    let right = i64::from(at.column) - i64::from(source_at.column);
                    batch.new_formulas.push((target, at));
                    Content::Formula {
                        text: translated(formula, down, right),
                        array: None,
                        cached: Scalar::Empty,
                    }
                }
                None => Content::Value(source.value.clone()),
            };
            let edit = CellEdit { content: Some(content), style: Some(source.style), cached: None };
            note(batch, target, at, edit, &before)?;
        }
    }
    Ok(())
}

pub(crate) fn format(batch: &mut Batch, range: &str, format: &Format) -> Result<()> {
    let (sheet, area, axis) = wide(batch, range)?;
    if !batch.book.has_styles() {
        return invalid("the workbook has no styles, so formats cannot be set");
    }
    batch.book.text_mut(sheet)?.flush();
    let places: Vec<At> = match axis {
        Axis::Cells => {
            if area.size() > MAX_CELLS {
                return invalid(format!("expected at most {MAX_CELLS} cells in one edit"));
            }
            (area.first.row..=area.last.row)
                .flat_map(|row| {
                    (area.first.column..=area.last.column).map(move |column| At { row, column })
                })
                .collect()
        }
        // A whole row or column has only the cells that the sheet stores.
        _ => cells_of(batch, sheet, area)?,
    };
    for at in places {
        let style = batch.book.text(sheet)?.pending(at).and_then(|it| it.style);
        let style =
            style.or_else(|| Some(batch.book.text(sheet).ok()?.cell(at)?.style())).unwrap_or(0);
        let new = batch.book.styles.changed(style, format).map_err(crate::error::Error::Invalid)?;
        if new != style {
            let edit = CellEdit { style: Some(new), ..CellEdit::default() };
            batch.book.text_mut(sheet)?.edit(at, edit);
        }
    }
    let (_, rest) = batch.book.place(range)?;
    let line = format!("{}: format", batch.place(sheet, rest));
    batch.changed(line);
    Ok(())
}
