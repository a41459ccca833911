//! From the generated types of the contract to the crate's own, and back.

#[cfg(any(feature = "pdf", feature = "xlsx"))]
use super::bindings::render;
use super::bindings::{documents, log, reader, script_host, tools, types};
use super::script::{ScriptFunction, ScriptModule};
use super::{Artifact, LogLevel, Parameter, ReaderContent, ServiceError, ToolFailure, ToolInfo};
use crate::document::Document;
use crate::table::{Cell, NamedTable, Table};
use mitt_base::memory::Charge;

pub(super) fn document_info(document: &Document) -> documents::DocumentInfo {
    documents::DocumentInfo {
        name: document.name.clone(),
        media_type: document.media_type.clone(),
        title: document.title.clone(),
        characters: document.characters,
        tables: document
            .tables
            .iter()
            .map(|table| documents::TableInfo {
                name: table.name.clone(),
                columns: table.data.columns.clone(),
                rows: table.data.rows.len() as u64,
            })
            .collect(),
        warnings: document.warnings.clone(),
    }
}

fn cell(cell: types::Cell) -> Cell {
    match cell {
        types::Cell::Null => Cell::Null,
        types::Cell::Boolean(value) => Cell::Boolean(value),
        types::Cell::Number(lexeme) => Cell::Number(lexeme.into()),
        types::Cell::Text(text) => Cell::of_text(&text),
    }
}

/// What a reader returned, as the crate keeps it.
pub(super) fn content(content: reader::Content, working: Charge) -> ReaderContent {
    let table = |table: types::NamedTable| NamedTable {
        name: table.name,
        data: Table {
            columns: table.data.columns,
            rows: table
                .data
                .rows
                .into_iter()
                .map(|row| row.into_iter().map(cell).collect())
                .collect(),
        },
    };
    ReaderContent {
        title: content.title,
        markdown: content.markdown,
        tables: content.tables.into_iter().map(table).collect(),
        warnings: content.warnings,
        working,
    }
}

/// What a reader's answer keeps, and what is made of it beside it.
pub(super) fn content_bytes(content: &reader::Content) -> u64 {
    let cell = |cell: &types::Cell| match cell {
        types::Cell::Number(text) | types::Cell::Text(text) => text.len() + 2 * size_of::<usize>(),
        types::Cell::Null | types::Cell::Boolean(_) => 0,
    };
    let slot = size_of::<types::Cell>();
    let row = |row: &Vec<types::Cell>| row.iter().map(|it| slot + cell(it)).sum::<usize>();
    let text = |text: &String| size_of::<String>() + text.len();
    let table = |table: &types::NamedTable| {
        table.data.columns.iter().map(text).sum::<usize>()
            + table.data.rows.iter().map(|it| size_of::<Vec<Cell>>() + row(it)).sum::<usize>()
    };
    let tables = content.tables.iter().map(table).sum::<usize>();
    let warnings = content.warnings.iter().map(text).sum::<usize>();
    2 * (tables + warnings + content.markdown.len()) as u64
}

/// The text of a plugin's error.
pub(super) fn error_text(error: types::Error) -> String {
    match error {
        types::Error::InvalidArgument(text)
        | types::Error::NotFound(text)
        | types::Error::AlreadyExists(text)
        | types::Error::Unsupported(text)
        | types::Error::Malformed(text)
        | types::Error::Quota(text)
        | types::Error::Other(text) => text,
    }
}

pub(super) fn service_error(error: ServiceError) -> types::Error {
    match error {
        ServiceError::InvalidArgument(text) => types::Error::InvalidArgument(text),
        ServiceError::NotFound(text) => types::Error::NotFound(text),
        ServiceError::Unsupported(text) => types::Error::Unsupported(text),
        ServiceError::Quota(text) => types::Error::Quota(text),
    }
}

pub(super) fn artifact(artifact: Artifact) -> types::Artifact {
    types::Artifact {
        name: artifact.name,
        media_type: artifact.media_type,
        size: artifact.size,
        sha256: artifact.sha256,
    }
}

pub(super) fn tool(tool: ToolInfo) -> tools::Tool {
    tools::Tool {
        name: tool.name,
        skill: tool.skill,
        function: tool.function,
        description: tool.description,
        parameters: tool.parameters.into_iter().map(parameter).collect(),
    }
}

fn parameter(parameter: Parameter) -> tools::Parameter {
    tools::Parameter { name: parameter.name, type_: parameter.ty, required: parameter.required }
}

pub(super) fn script_module(module: &ScriptModule) -> script_host::Module {
    let function = |function: &ScriptFunction| script_host::Function {
        name: function.name.clone(),
        tool: function.tool.clone(),
        description: function.description.clone(),
        parameters: function.parameters.iter().cloned().map(parameter).collect(),
    };
    let helper = |(name, source): &(String, String)| script_host::Helper {
        name: name.clone(),
        source: source.clone(),
    };
    script_host::Module {
        functions: module.functions.iter().map(function).collect(),
        helpers: module.helpers.iter().map(helper).collect(),
    }
}

pub(super) fn tool_failure(failure: ToolFailure) -> tools::Failure {
    let (kind, message) = match failure {
        ToolFailure::UnknownTool(message) => (tools::FailureKind::UnknownTool, message),
        ToolFailure::Arguments(message) => (tools::FailureKind::Arguments, message),
        ToolFailure::Plugin(message) => (tools::FailureKind::Plugin, message),
        ToolFailure::Trap(message) => (tools::FailureKind::Trap, message),
    };
    tools::Failure { kind, message }
}

pub(super) fn log_level(level: log::Level) -> LogLevel {
    match level {
        log::Level::Debug => LogLevel::Debug,
        log::Level::Info => LogLevel::Info,
        log::Level::Warn => LogLevel::Warn,
        log::Level::Error => LogLevel::Error,
    }
}

#[cfg(feature = "pdf")]
pub(super) fn pdf_options(document: render::MarkdownDocument) -> (String, mitt_render::PdfOptions) {
    let options = mitt_render::PdfOptions {
        title: document.title,
        language: document.language,
        paper: match document.paper {
            render::Paper::A4 => mitt_render::Paper::A4,
            render::Paper::Letter => mitt_render::Paper::Letter,
        },
        contents: document.contents,
        ..mitt_render::PdfOptions::default()
    };
    (document.markdown, options)
}

#[cfg(feature = "xlsx")]
pub(super) fn workbook(book: render::Workbook) -> mitt_render::Workbook {
    mitt_render::Workbook {
        title: book.title,
        sheets: book.sheets.into_iter().map(sheet).collect(),
    }
}

#[cfg(feature = "xlsx")]
fn sheet(sheet: render::Sheet) -> mitt_render::Sheet {
    let columns = sheet.columns.into_iter().map(|column| mitt_render::SheetColumn {
        header: column.header,
        width: column.width,
        number_format: column.number_format,
        alignment: match column.alignment {
            render::Alignment::General => mitt_render::Alignment::General,
            render::Alignment::Left => mitt_render::Alignment::Left,
            render::Alignment::Center => mitt_render::Alignment::Center,
            render::Alignment::Right => mitt_render::Alignment::Right,
        },
    });
    let rows = sheet.rows.into_iter().map(|row| mitt_render::SheetRow {
        cells: row.cells.into_iter().map(sheet_cell).collect(),
        style: match row.style {
            render::RowStyle::Normal => mitt_render::RowStyle::Normal,
            render::RowStyle::Total => mitt_render::RowStyle::Total,
        },
    });
    mitt_render::Sheet {
        name: sheet.name,
        columns: columns.collect(),
        rows: rows.collect(),
        freeze_header: sheet.freeze_header,
        auto_filter: sheet.auto_filter,
        charts: sheet.charts.into_iter().map(chart).collect(),
    }
}

#[cfg(feature = "xlsx")]
fn sheet_cell(cell: render::SheetCell) -> mitt_render::SheetCell {
    use mitt_render::{Formula, Link, SheetCell};

    match cell {
        render::SheetCell::Empty => SheetCell::Empty,
        render::SheetCell::Boolean(value) => SheetCell::Boolean(value),
        render::SheetCell::Number(lexeme) => SheetCell::Number(lexeme),
        render::SheetCell::Text(text) => SheetCell::Text(text),
        render::SheetCell::Date(text) => SheetCell::Date(text),
        render::SheetCell::Formula(formula) => {
            SheetCell::Formula(Formula { expression: formula.expression, value: formula.value })
        }
        render::SheetCell::Link(link) => SheetCell::Link(Link { url: link.url, text: link.text }),
    }
}

#[cfg(feature = "xlsx")]
fn chart(chart: render::Chart) -> mitt_render::Chart {
    use mitt_render::ChartKind;

    mitt_render::Chart {
        kind: match chart.kind {
            render::ChartKind::Column => ChartKind::Column,
            render::ChartKind::Bar => ChartKind::Bar,
            render::ChartKind::Line => ChartKind::Line,
            render::ChartKind::Area => ChartKind::Area,
            render::ChartKind::Pie => ChartKind::Pie,
            render::ChartKind::Scatter => ChartKind::Scatter,
        },
        title: chart.title,
        category_column: chart.category_column,
        value_columns: chart.value_columns,
        first_row: chart.first_row,
        row_count: chart.row_count,
    }
}
