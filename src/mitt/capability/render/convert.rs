//! From the generated types of `wit/render.wit` to those of the renderers.

use mitt_contract::host::mitt::host::{render as wit, types};

use super::Artifact;

pub(super) fn artifact(artifact: Artifact) -> types::Artifact {
    types::Artifact {
        name: artifact.name,
        media_type: artifact.media_type,
        size: artifact.size,
        sha256: artifact.sha256,
    }
}

pub(super) fn pdf_options(document: wit::MarkdownDocument) -> (String, mitt_render::PdfOptions) {
    let options = mitt_render::PdfOptions {
        title: document.title,
        language: document.language,
        paper: match document.paper {
            wit::Paper::A4 => mitt_render::Paper::A4,
            wit::Paper::Letter => mitt_render::Paper::Letter,
        },
        contents: document.contents,
        ..mitt_render::PdfOptions::default()
    };
    (document.markdown, options)
}

pub(super) fn workbook(book: wit::Workbook) -> mitt_render::Workbook {
    mitt_render::Workbook {
        title: book.title,
        sheets: book.sheets.into_iter().map(sheet).collect(),
    }
}

fn sheet(sheet: wit::Sheet) -> mitt_render::Sheet {
    let columns = sheet.columns.into_iter().map(|column| mitt_render::SheetColumn {
        header: column.header,
        width: column.width,
        number_format: column.number_format,
        alignment: match column.alignment {
            wit::Alignment::General => mitt_render::Alignment::General,
            wit::Alignment::Left => mitt_render::Alignment::Left,
            wit::Alignment::Center => mitt_render::Alignment::Center,
            wit::Alignment::Right => mitt_render::Alignment::Right,
        },
    });
    let rows = sheet.rows.into_iter().map(|row| mitt_render::SheetRow {
        cells: row.cells.into_iter().map(sheet_cell).collect(),
        style: match row.style {
            wit::RowStyle::Normal => mitt_render::RowStyle::Normal,
            wit::RowStyle::Total => mitt_render::RowStyle::Total,
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

fn sheet_cell(cell: wit::SheetCell) -> mitt_render::SheetCell {
    use mitt_render::{Formula, Link, SheetCell};

    match cell {
        wit::SheetCell::Empty => SheetCell::Empty,
        wit::SheetCell::Boolean(value) => SheetCell::Boolean(value),
        wit::SheetCell::Number(lexeme) => SheetCell::Number(lexeme),
        wit::SheetCell::Text(text) => SheetCell::Text(text),
        wit::SheetCell::Date(text) => SheetCell::Date(text),
        wit::SheetCell::Formula(formula) => {
            SheetCell::Formula(Formula { expression: formula.expression, value: formula.value })
        }
        wit::SheetCell::Link(link) => SheetCell::Link(Link { url: link.url, text: link.text }),
    }
}

fn chart(chart: wit::Chart) -> mitt_render::Chart {
    use mitt_render::ChartKind;

    mitt_render::Chart {
        kind: match chart.kind {
            wit::ChartKind::Column => ChartKind::Column,
            wit::ChartKind::Bar => ChartKind::Bar,
            wit::ChartKind::Line => ChartKind::Line,
            wit::ChartKind::Area => ChartKind::Area,
            wit::ChartKind::Pie => ChartKind::Pie,
            wit::ChartKind::Scatter => ChartKind::Scatter,
        },
        title: chart.title,
        category_column: chart.category_column,
        value_columns: chart.value_columns,
        first_row: chart.first_row,
        row_count: chart.row_count,
    }
}
