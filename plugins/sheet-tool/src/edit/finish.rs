//! What follows from the edits: calculation, caches of charts, the order of calculation, warnings.

use super::charts;
use super::kinds::Edit;
use super::losses::{self, Losses};
use super::pivots;
use super::state::{Batch, is_grave};
use crate::book::{Book, CellEdit, Content};
use crate::calc::{Failure, MAX_FORMULAS, Session, Stop};
use crate::error::Result;
use crate::formula::{Token, is_of_excel, parse, tokens};
use crate::refs::{Area, At, quoted_sheet};
use crate::value::Scalar;
use crate::xml::{TagKind, XmlToken, find_tag, set_attribute, xml_tokens};
use mitt_package::{counted, either};
use std::collections::BTreeSet;

/// What a user should know of `LENB` and its kind.
const COUNTED_BYTES: &str = "LENB, LEFTB and their kind count Chinese characters as two bytes, as the Excel of Chinese, Japanese or Korean does; another one counts them as one and shows other values";

/// What a user should know of `FORECAST.ETS` and its kind.
const FORECASTS: &str = "FORECAST.ETS and its kind have the parameters of the least squared error; how Excel finds its own is not published, so it shows somewhat other values when it opens the file";

/// Returns what a user should know of values that were calculated.
pub(crate) fn cautions(session: &Session) -> Vec<&'static str> {
    let bytes = session.has_counted_bytes().then_some(COUNTED_BYTES);
    bytes.into_iter().chain(session.has_forecasts().then_some(FORECASTS)).collect()
}

/// Most places that warnings name.
const MAX_PLACES: usize = 20;

/// Counts the lost references before edits that can lose some.
pub(crate) fn broken(book: &Book, edits: &[Edit]) -> Result<Option<Losses>> {
    let can_break = edits.iter().any(|it| {
        matches!(
            it,
            Edit::Delete { .. }
                | Edit::DeleteSheet { .. }
                | Edit::CopyRange { .. }
                | Edit::SetName { .. }
        )
    });
    can_break.then(|| losses::count(book)).transpose()
}

/// Calculates, and puts everything right that depends on cells. Returns the number of calculated formulas.
pub(crate) fn finish(batch: &mut Batch, broken: Option<&Losses>) -> Result<u32> {
    batch.book.flush();
    if !batch.has_values {
        return Ok(0);
    }
    batch.book.refresh()?;
    spread(batch)?;
    let mut session = Session::new(&batch.book);
    if batch.book.is_excerpt && session.has_work(&batch.seeds, batch.has_moved) {
        batch.book.needs_whole()?;
    }
    let has_formulas = session.formula_count() > 0 || session.is_full();
    session.run(&batch.book, &batch.seeds, &[], batch.has_moved);
    let new_formulas: BTreeSet<(usize, At)> = batch.new_formulas.iter().copied().collect();
    let mut changed = batch.seeds.iter().map(|it| (it.sheet, it.area)).collect::<Vec<_>>();
    let (mut count, mut shown, mut first, mut drawn) = (0, 0, 0, 0);
    for it in &session.calculated {
        count += u32::from(it.is_formula);
        if it.before.is_close(&it.after) && it.before != Scalar::Empty {
            continue;
        }
        changed.push((it.sheet, Area::cell(it.at.row, it.at.column)));
        if is_grave(&it.after) && !is_grave(&it.before) {
            let place = batch.place(it.sheet, it.at);
            batch.warn(format!("{place} now shows {}", it.after.shown()));
        }
        let is_new = new_formulas.contains(&(it.sheet, it.at));
        if it.is_formula && it.before == Scalar::Empty && !is_new {
            first += 1;
        } else if it.is_random && !is_new {
            drawn += u32::from(it.is_formula);
        } else if shown < 50 || is_new {
            shown += 1;
            let place = batch.place(it.sheet, it.at);
            let (old, new) = (value_text(&it.before), value_text(&it.after));
            batch.changed(if is_new {
                format!("{place}: = {new}")
            } else {
                format!("{place}: {old} → {new} (calculated)")
            });
        }
        let edit = CellEdit { cached: Some(it.after.clone()), ..CellEdit::default() };
        let edit = if it.is_formula {
            edit
        } else {
            CellEdit { content: Some(Content::Value(it.after.clone())), ..CellEdit::default() }
        };
        batch.book.text_mut(it.sheet)?.edit(it.at, edit);
    }
    if first > 0 {
        batch.changed(format!("{} that had no value: calculated", counted(first, "formula")));
    }
    if drawn > 0 {
        batch.changed(format!(
            "{} with random numbers: drawn again",
            counted(drawn as usize, "formula")
        ));
    }
    for caution in cautions(&session) {
        batch.warn(caution);
    }
    let iterates = batch.book.iterates;
    for failure in session.failures.iter().take(MAX_PLACES) {
        match (&failure.stop, iterates) {
            (Stop::Circular, true) => {
                let place = batch.place(failure.sheet, failure.at);
                let then = if failure.has_value { "keeps its old" } else { "has no" };
                batch.warn(format!(
                    "{place} is calculated in steps, which only Excel does; it {then} value"
                ))
            }
            _ => {
                let line = reason(&batch.book, failure);
                batch.warn(line);
            }
        }
    }
    if session.failures.len() > MAX_PLACES {
        let more = session.failures.len() - MAX_PLACES;
        let keep = either(more, "keeps its old value", "keep their old values");
        batch.warn(format!("{} {keep}", counted(more, "further formula")));
    }
    if session.is_full() {
        batch.warn(format!(
            "the workbook has more than {MAX_FORMULAS} formulas, too many to calculate; all keep their old values until Excel opens the file"
        ));
    }
    let needs_excel = !session.failures.is_empty() || session.is_full() || session.has_forecasts();
    drop(session);
    batch.book.flush();
    if let Some(broken) = broken {
        losses::warn(batch, broken)?;
    }
    charts::refresh(batch, &changed)?;
    pivots::refresh(batch, &changed)?;
    if has_formulas {
        finish_workbook(batch, needs_excel)?;
    }
    Ok(count)
}

fn value_text(value: &Scalar) -> String {
    if *value == Scalar::Empty { "nothing".to_owned() } else { value.shown() }
}

/// Returns a sentence for the user about a formula that was not calculated.
pub(crate) fn reason(book: &Book, failure: &Failure) -> String {
    let shown = |sheet: usize, at: At| {
        let name = book.sheets.get(sheet).map_or("", |it| it.name.as_str());
        format!("{}!{at}", quoted_sheet(name))
    };
    let place = shown(failure.sheet, failure.at);
    let then = if failure.has_value { "keeps its old value" } else { "has no value" };
    match &failure.stop {
        Stop::Unsupported(what) => {
            format!("{place} {then} until Excel opens the file: it uses {what}")
        }
        Stop::Missing(sheet, at) => format!(
            "{place} {then} until Excel opens the file: it needs {}, which has no value",
            shown(*sheet, *at)
        ),
        Stop::Circular
        | Stop::Needs(..)
        | Stop::Unread(_)
        | Stop::NeedsTexts(_)
        | Stop::NeedsReading(..)
        | Stop::NeedsLook(..)
        | Stop::NeedsPivots => {
            format!("{place} depends on itself (circular reference) and {then}")
        }
        Stop::Limit => {
            format!("{place} {then} until Excel opens the file: the calculation is too long")
        }
    }
}

/// Makes array formulas of new formulas that give several values or calculate ranges cell by cell.
fn spread(batch: &mut Batch) -> Result<()> {
    let formulas = std::mem::take(&mut batch.new_formulas);
    // Kept until cells change, because it reads all formulas of the workbook.
    let mut known: Option<Session> = None;
    for &(sheet, at) in &formulas {
        let view = batch.book.cell(sheet, at)?;
        let Some(formula) = view.formula else { continue };
        let place = batch.place(sheet, at);
        unknown_names(batch, &formula, &place);
        // Only formulas with ranges outside of sums and the like are worth a look.
        let Ok(tree) = parse(&formula, &batch.book) else { continue };
        if !may_spread(&formula) {
            continue;
        }
        let session = match &mut known {
            Some(session) => session,
            None => {
                let session = known.insert(Session::new(&batch.book));
                session.run(&batch.book, &batch.seeds, &[], false);
                session
            }
        };
        let Ok((value, spreads)) = session.preview(&batch.book, sheet, at, &tree) else { continue };
        if !spreads {
            continue;
        }
        let (rows, columns, first) = match &value {
            Ok(value) => (1, 1, value.clone()),
            Err(array) => (array.rows as u32, array.columns as u32, array.get(0, 0).clone()),
        };
        let area = Area::new(at.row, at.column, at.row + rows - 1, at.column + columns - 1);
        for row in area.first.row..=area.last.row {
            for column in area.first.column..=area.last.column {
                let cell = At { row, column };
                let old = batch.book.cell(sheet, cell)?;
                if cell != at && (old.value != Scalar::Empty || old.formula.is_some()) {
                    return crate::error::invalid(format!(
                        "{place}: its values need {area}, but {cell} is not empty"
                    ));
                }
                if cell != at
                    && let Err(array) = &value
                {
                    let value =
                        array.get((row - at.row) as usize, (column - at.column) as usize).clone();
                    let edit =
                        CellEdit { content: Some(Content::Value(value)), ..CellEdit::default() };
                    batch.book.text_mut(sheet)?.edit(cell, edit);
                }
            }
        }
        let content =
            Content::Formula { text: formula, array: Some(area.to_string()), cached: first };
        batch
            .book
            .text_mut(sheet)?
            .edit(at, CellEdit { content: Some(content), ..CellEdit::default() });
        if !area.is_cell() {
            batch.changed(format!("{place}: fills {area}"));
            batch.warn(format!("{place} is an array formula of the fixed size {area}"));
        }
        batch.seeds.push(crate::calc::Seed { sheet, area, includes_itself: true });
        batch.book.flush();
        known = None;
    }
    batch.book.flush();
    batch.new_formulas = formulas;
    Ok(())
}

/// Returns `true` if a formula has a function of arrays or a range next to an operator.
fn may_spread(formula: &str) -> bool {
    let all: Vec<Token> =
        tokens(formula).into_iter().map(|it| it.token).filter(|it| *it != Token::Blank).collect();
    let is_range = |it: &Token| match it {
        Token::Reference(reference) => reference.last.is_some(),
        Token::Structured(..) | Token::Word(_) | Token::Close | Token::CloseBrace => true,
        _ => false,
    };
    let is_operator =
        |it: &Token| matches!(it, Token::Operator(sign) if !matches!(*sign, ":" | "%"));
    let has_array = all.iter().any(|it| {
        let Token::Function(name) = it else { return false };
        let upper = name.to_uppercase();
        let plain = upper.trim_start_matches("_XLFN.").trim_start_matches("_XLWS.");
        matches!(
            plain,
            "FILTER"
                | "SORT"
                | "SORTBY"
                | "UNIQUE"
                | "SEQUENCE"
                | "RANDARRAY"
                | "ANCHORARRAY"
                | "FORMULATEXT"
                | "TRANSPOSE"
                | "VSTACK"
                | "HSTACK"
                | "TOCOL"
                | "TOROW"
                | "TAKE"
                | "DROP"
                | "MAP"
                | "BYROW"
                | "BYCOL"
                | "SCAN"
                | "FREQUENCY"
                | "MMULT"
                | "MINVERSE"
                | "MUNIT"
                | "MAKEARRAY"
                | "CHOOSECOLS"
                | "CHOOSEROWS"
                | "EXPAND"
                | "WRAPROWS"
                | "WRAPCOLS"
                | "TRIMRANGE"
                | "GROUPBY"
                | "PIVOTBY"
                | "FILTERXML"
                | "TEXTSPLIT"
                | "REGEXEXTRACT"
                | "LINEST"
                | "LOGEST"
                | "TREND"
                | "GROWTH"
                | "MODE.MULT"
                | "XLOOKUP"
                | "INDEX"
                | "IF"
                | "LET"
        )
    });
    let whole = matches!(&all[..], [Token::Reference(reference)] if reference.last.is_some());
    has_array
        || whole
        || all.windows(2).any(|it| {
            is_operator(&it[0]) && is_range(&it[1]) || is_range(&it[0]) && is_operator(&it[1])
        })
}

/// Warns about names that a new formula uses and that do not exist.
fn unknown_names(batch: &mut Batch, formula: &str, place: &str) {
    for token in tokens(formula) {
        match token.token {
            Token::Function(name) => {
                let upper = name.to_uppercase();
                let plain =
                    upper.trim_start_matches("_XLFN.").trim_start_matches("_XLWS.").to_owned();
                let is_name = batch.book.names.iter().any(|it| it.name.eq_ignore_ascii_case(&name))
                    || name.starts_with("_xlpm.");
                if !is_name && !crate::calc::is_known_function(&plain) {
                    batch.warn(if is_of_excel(&plain) { format!("{place} uses the function {plain}, which only Excel calculates: it has no new value until then") } else { format!("{place} uses the function {plain}, which Excel does not know: it shows #NAME?") });
                }
            }
            Token::Structured(table, _)
                if !table.is_empty()
                    && crate::formula::Names::table(&batch.book, &table).is_none() =>
            {
                batch.warn(format!("{place} uses the table `{table}`, which does not exist"));
            }
            _ => {}
        }
    }
}

/// Removes the order of calculation, which Excel restores, and requests calculation on opening if a value is missing.
fn finish_workbook(batch: &mut Batch, needs_calculation: bool) -> Result<()> {
    let book = &mut batch.book;
    let chain = book.package.relations(&book.part)?.into_iter().find(|it| it.kind == "calcChain");
    let sets_formulas = batch.has_moved
        || !batch.new_formulas.is_empty()
        || batch.changes.iter().any(|it| it.contains('='));
    if let Some(chain) = chain.filter(|_| sets_formulas) {
        book.package.remove(&chain.target)?;
        let part = book.part.clone();
        book.package.unrelate(&part, &chain.id)?;
    }
    if needs_calculation {
        book.xml = calculated(&book.xml);
    }
    Ok(())
}

/// Requests recalculation on opening.
fn calculated(xml: &str) -> String {
    const BEHIND: [&str; 9] = [
        "oleSize",
        "customWorkbookViews",
        "pivotCaches",
        "smartTagPr",
        "smartTagTypes",
        "webPublishing",
        "fileRecoveryPr",
        "webPublishObjects",
        "extLst",
    ];
    if let Some((at, tag)) = find_tag(xml, "calcPr") {
        let raw = set_attribute(tag.raw, "fullCalcOnLoad", "1");
        return format!("{}{raw}{}", &xml[..at], &xml[at + tag.raw.len()..]);
    }
    let mut all = xml_tokens(xml);
    let mut depth = 0_u32;
    loop {
        let at = all.offset();
        let Some(token) = all.next() else { return xml.to_owned() };
        let XmlToken::Tag(tag) = token else { continue };
        if tag.kind == TagKind::Close {
            depth = depth.saturating_sub(1);
        }
        let is_behind = depth == 1 && tag.kind != TagKind::Close && BEHIND.contains(&tag.name)
            || tag.closes("workbook");
        if is_behind {
            return format!(
                "{}<{}calcPr fullCalcOnLoad=\"1\"/>{}",
                &xml[..at],
                tag.prefix(),
                &xml[at..]
            );
        }
        depth += u32::from(tag.kind == TagKind::Open);
    }
}
