//! The exported functions: arguments of a model become edits, results become records.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:sheet-tool/plugin",
        generate_all,
        with: {
            "mitt:host/types@0.1.0": mitt_guest::tables::wit::types,
            "mitt:host/tables@0.1.0": mitt_guest::tables::wit::tables,
        },
    });
}

use crate::book::{Format, digits};
use crate::{Edit, EditOptions, Expected, Input, Rule, RuleKind, SetCell, Trace, World};
use bindings::exports::mitt::sheet_tool::tools as wit;
use bindings::mitt::host::files;
use bindings::wasi::{clocks::wall_clock, random::insecure_seed};
use mitt_guest::tables::wit::types::{Cell, Error};

/// Most cells of one answer.
const MAX_CELLS: u32 = 2_000;
/// Most differences of one answer.
const MAX_DIFFERENCES: u32 = 2_000;

#[cfg_attr(not(target_family = "wasm"), allow(dead_code, reason = "exported only for WebAssembly"))]
struct Plugin;

/// Reads clock and random numbers of the host.
fn world() -> World {
    let now = wall_clock::now();
    let clock = now.seconds as f64 + f64::from(now.nanoseconds) / 1e9;
    World { clock: Some(clock), seed: Some(insecure_seed::insecure_seed().0) }
}

impl wit::Guest for Plugin {
    fn read_workbook(document: String, sheet: Option<String>) -> Result<wit::Overview, Error> {
        mitt_guest::report_panics();
        let sheet = sheet.filter(|it| !it.trim().is_empty());
        let found = crate::overview(files::read(&document)?, sheet.as_deref())?;
        let sheet = |it: crate::SheetInfo| wit::SheetInfo {
            name: it.name,
            state: it.state,
            used: it.used,
            has: it.has,
        };
        Ok(wit::Overview {
            sheets: found.sheets.into_iter().map(sheet).collect(),
            details: found.details,
            can_edit: found.can_edit,
        })
    }

    fn read_cells(
        document: String,
        range: String,
        limit: Option<u32>,
    ) -> Result<wit::Cells, Error> {
        mitt_guest::report_panics();
        let limit = limit.unwrap_or(200).clamp(1, MAX_CELLS);
        let page = crate::read_cells(files::read(&document)?, &range, limit as usize, world())?;
        let cell = |it: crate::CellInfo| wit::CellInfo {
            at: it.at,
            value: match it.value {
                crate::CellValue::Null => Cell::Null,
                crate::CellValue::Bool(value) => Cell::Boolean(value),
                crate::CellValue::Number(number) => Cell::Number(digits(number)),
                crate::CellValue::Text(text) => Cell::Text(text),
            },
            display: it.display,
            formula: it.formula,
        };
        Ok(wit::Cells { cells: page.cells.into_iter().map(cell).collect(), next: page.next })
    }

    fn trace_cell(
        document: String,
        at: String,
        direction: Option<wit::Direction>,
    ) -> Result<Vec<String>, Error> {
        mitt_guest::report_panics();
        let direction = match direction {
            Some(wit::Direction::Dependents) => Trace::Dependents,
            _ => Trace::Inputs,
        };
        Ok(crate::trace(files::read(&document)?, &at, direction, world())?)
    }

    fn edit_workbook(
        document: String,
        edits: Vec<wit::Edit>,
        expected: Option<Vec<wit::CellValue>>,
        filename: String,
        today: Option<String>,
    ) -> Result<wit::Edited, Error> {
        mitt_guest::report_panics();
        let edits: Vec<Edit> = edits.into_iter().map(edit).collect();
        let expected: Vec<Expected> =
            expected.unwrap_or_default().into_iter().map(cell_value).collect();
        let options = EditOptions { now: today, world: world() };
        let done = crate::apply(files::read(&document)?, &expected, &edits, &options)?;
        // Only here, so that cells that do not match are reported first.
        if edits.is_empty() {
            return Err(Error::InvalidArgument("expected at least one edit".to_owned()));
        }
        let artifact = files::deliver(&done.bytes, &filename, &done.warnings)?;
        Ok(wit::Edited {
            name: artifact.name,
            media_type: artifact.media_type,
            size: artifact.size,
            sha256: artifact.sha256,
            changes: done.changes,
            recalculated: done.recalculated,
            warnings: done.warnings,
        })
    }

    fn what_if(
        document: String,
        inputs: Vec<wit::CellValue>,
        outputs: Vec<String>,
    ) -> Result<wit::WhatIfResult, Error> {
        mitt_guest::report_panics();
        let inputs: Vec<Expected> = inputs.into_iter().map(cell_value).collect();
        let document = files::read(&document)?;
        let (found, warnings) = crate::what_if(document, &inputs, &outputs, world())?;
        let outcome =
            |it: crate::WhatIf| wit::Outcome { at: it.at, before: it.before, after: it.after };
        Ok(wit::WhatIfResult { outputs: found.into_iter().map(outcome).collect(), warnings })
    }

    fn compare_workbooks(
        before: String,
        after: String,
        key: Option<String>,
        limit: Option<u32>,
    ) -> Result<wit::WorkbookComparison, Error> {
        mitt_guest::report_panics();
        let limit = limit.unwrap_or(200).clamp(1, MAX_DIFFERENCES) as usize;
        let key = key.filter(|it| !it.trim().is_empty());
        let (old, new) = (files::read(&before)?, files::read(&after)?);
        let found = crate::differences(old, new, key.as_deref(), limit)?;
        let difference = |it: crate::Difference| wit::WorkbookDifference {
            kind: it.kind,
            place: it.place,
            before: it.before,
            after: it.after,
        };
        Ok(wit::WorkbookComparison {
            differences: found.differences.into_iter().map(difference).collect(),
            total: found.total,
            warnings: found.warnings,
        })
    }

    fn redact_workbook(
        document: String,
        words: Vec<String>,
        patterns: Option<Vec<String>>,
        filename: String,
    ) -> Result<wit::Redacted, Error> {
        mitt_guest::report_panics();
        let patterns = patterns.unwrap_or_default();
        let done = crate::redact(files::read(&document)?, &words, &patterns, &filename)?;
        let artifact = files::deliver(&done.bytes, &filename, &done.warnings)?;
        Ok(wit::Redacted {
            name: artifact.name,
            media_type: artifact.media_type,
            size: artifact.size,
            sha256: artifact.sha256,
            places: done.places,
            hits: done.hits,
            warnings: done.warnings,
        })
    }
}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        match error {
            crate::Error::Invalid(text) => Self::InvalidArgument(text),
            crate::Error::NotFound(text) => Self::NotFound(text),
            crate::Error::Malformed(text) => Self::Malformed(text),
            crate::Error::Unsupported(text) => Self::Unsupported(text),
        }
    }
}

fn input(cell: Cell) -> Input {
    match cell {
        Cell::Null => Input::Null,
        Cell::Boolean(value) => Input::Bool(value),
        Cell::Number(digits) => Input::Number(digits),
        Cell::Text(text) => Input::Text(text),
    }
}

fn cell_value(it: wit::CellValue) -> Expected {
    Expected { at: it.at, value: input(it.value) }
}

fn format(look: wit::Look) -> Format {
    Format {
        number_format: look.number_format,
        bold: look.bold,
        italic: look.italic,
        underline: look.underline,
        color: look.color,
        font: look.font,
        size: look.size,
        fill: look.fill,
        border: look.border,
        horizontal: look.horizontal,
        vertical: look.vertical,
        wrap: look.wrap,
    }
}

fn rule(condition: wit::Condition) -> Rule {
    let kind = match condition.kind {
        wit::ConditionKind::List => RuleKind::List,
        wit::ConditionKind::Whole => RuleKind::Whole,
        wit::ConditionKind::Decimal => RuleKind::Decimal,
        wit::ConditionKind::Date => RuleKind::Date,
        wit::ConditionKind::TextLength => RuleKind::TextLength,
        wit::ConditionKind::Formula => RuleKind::Formula,
        wit::ConditionKind::Remove => RuleKind::Remove,
    };
    Rule { kind, operator: condition.operator, values: condition.values }
}

fn edit(edit: wit::Edit) -> Edit {
    match edit {
        wit::Edit::SetCells(cells) => Edit::SetCells(
            cells.into_iter().map(|it| SetCell { at: it.at, value: input(it.value) }).collect(),
        ),
        wit::Edit::SetRange(it) => Edit::SetRange {
            at: it.at,
            rows: it.rows.into_iter().map(|row| row.into_iter().map(input).collect()).collect(),
        },
        wit::Edit::PutTable(it) => {
            let mut rows = Vec::new();
            if it.header == Some(true) {
                rows.push(it.data.columns().into_iter().map(|it| Input::Text(it.name)).collect());
            }
            let cells = it.data.cells(0, it.data.rows());
            rows.extend(cells.into_iter().map(|row| row.into_iter().map(plain).collect()));
            Edit::SetRange { at: it.at, rows }
        }
        wit::Edit::Clear(range) => Edit::Clear { range },
        wit::Edit::Insert(place) => Edit::Insert { place },
        wit::Edit::Delete(place) => Edit::Delete { place },
        wit::Edit::CopyRange(it) => Edit::CopyRange { from: it.from, to: it.to },
        wit::Edit::AddSheet(it) => Edit::AddSheet { name: it.name, before: it.before },
        wit::Edit::DeleteSheet(sheet) => Edit::DeleteSheet { sheet },
        wit::Edit::RenameSheet(it) => Edit::RenameSheet { sheet: it.from, name: it.to },
        wit::Edit::MoveSheet(it) => Edit::MoveSheet { sheet: it.sheet, position: it.position },
        wit::Edit::CopySheet(it) => Edit::CopySheet { sheet: it.from, name: it.to },
        wit::Edit::HideSheet(it) => Edit::HideSheet { sheet: it.sheet, is_hidden: it.on },
        wit::Edit::Format(it) => Edit::Format { range: it.range, format: format(it.look) },
        wit::Edit::SetSize(it) => Edit::SetSize { range: it.range, size: it.size },
        wit::Edit::Freeze(at) => Edit::Freeze { at },
        wit::Edit::Filter(range) => Edit::Filter { range },
        wit::Edit::Merge(range) => Edit::Merge { range },
        wit::Edit::Unmerge(range) => Edit::Unmerge { range },
        wit::Edit::SetName(it) => Edit::SetName { name: it.name, refers_to: it.refers_to },
        wit::Edit::Validate(it) => {
            Edit::Validate { range: it.range, rule: rule(it.condition), message: it.message }
        }
        wit::Edit::Mark(it) => {
            Edit::Mark { range: it.range, rule: rule(it.condition), format: format(it.look) }
        }
        wit::Edit::SetNote(it) => Edit::SetNote { at: it.at, text: it.text, author: None },
        wit::Edit::SetChart(it) => Edit::SetChart {
            chart: it.chart,
            title: it.title,
            series: it.series,
            values: it.values,
            categories: it.categories,
        },
        wit::Edit::Protect(it) => Edit::Protect { sheet: it.sheet, is_on: it.on },
    }
}

/// Returns a value of a table, whose texts never become formulas.
fn plain(cell: Cell) -> Input {
    match input(cell) {
        Input::Text(text) if text.starts_with('=') => Input::Text(format!("'{text}")),
        other => other,
    }
}

// The names of the exports are no names for a linker of the machine.
#[cfg(target_family = "wasm")]
bindings::export!(Plugin with_types_in bindings);
