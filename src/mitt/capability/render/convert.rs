//! From the generated types of `wit/render.wit` to those of the renderers.

use mitt_contract::host::mitt::host::{render as wit, types};
use wasmtime::component::ResourceTable;

use super::{Artifact, Word, design};
use crate::capability::ServiceError;
use mitt_base::text;
use mitt_render::{FillTable, FillValue};
use mitt_table::CellRef;

/// Most values of a template.
const MAX_VALUES: usize = 1_000;

/// Most cells of the lists of a template: of three elements each, as many as a filled file may have.
const MAX_FILL_CELLS: usize = 200_000;

pub(super) fn artifact(artifact: Artifact) -> types::Artifact {
    types::Artifact {
        name: artifact.name,
        media_type: artifact.media_type,
        size: artifact.size,
        sha256: artifact.sha256,
    }
}

fn paper(paper: wit::Paper) -> mitt_render::Paper {
    match paper {
        wit::Paper::A4 => mitt_render::Paper::A4,
        wit::Paper::Letter => mitt_render::Paper::Letter,
    }
}

/// The name of the only theme that there is without others.
const PLAIN: &str = "plain";

/// Refuse what a format has not.
pub(super) fn check(
    document: &wit::MarkdownDocument,
    takes_template: bool,
) -> Result<(), ServiceError> {
    let theme = document.theme.as_deref().unwrap_or(PLAIN);
    if theme != PLAIN {
        let theme = text::one_line(text::cut_bytes(theme, 80));
        let problem = format!("theme: `{PLAIN}` expected, got `{theme}`");
        return Err(ServiceError::InvalidArgument(problem));
    }
    if document.template.is_some() && !takes_template {
        let problem = "template: only Word files (`.docx`) take one";
        return Err(ServiceError::InvalidArgument(problem.to_owned()));
    }
    Ok(())
}

pub(super) fn pdf_options(document: wit::MarkdownDocument) -> (String, mitt_render::PdfOptions) {
    let options = mitt_render::PdfOptions {
        title: document.title,
        language: document.language,
        paper: paper(document.paper),
        contents: document.contents,
        ..mitt_render::PdfOptions::default()
    };
    (document.markdown, options)
}

pub(super) fn word(document: wit::MarkdownDocument) -> Word {
    let options = mitt_render::DocxOptions {
        title: document.title,
        language: document.language,
        paper: Some(paper(document.paper)),
        contents: document.contents,
        ..mitt_render::DocxOptions::default()
    };
    Word {
        markdown: Some(document.markdown),
        options,
        template: document.template,
        is_filling: false,
    }
}

pub(super) fn html_options(document: wit::MarkdownDocument) -> (String, mitt_render::HtmlOptions) {
    let options = mitt_render::HtmlOptions {
        title: document.title,
        language: document.language,
        paper: Some(paper(document.paper)),
        contents: document.contents,
        ..mitt_render::HtmlOptions::default()
    };
    (document.markdown, options)
}

/// A template and what comes into it. `tables` are those of the store.
pub(super) fn filling(
    filling: wit::DocxFilling,
    tables: &ResourceTable,
) -> wasmtime::Result<Result<Word, ServiceError>> {
    let mut values: Vec<(String, FillValue)> = Vec::new();
    let add = |values: &mut Vec<(String, FillValue)>, name: String, value: FillValue| {
        let is_new = !values.iter().any(|(known, _)| *known == name);
        if is_new {
            values.push((name, value));
            return Ok(());
        }
        let name = text::one_line(text::cut_bytes(&name, 80));
        Err(ServiceError::InvalidArgument(format!("values: `{name}` has two values")))
    };
    if filling.values.len() + filling.rows.len() > MAX_VALUES {
        let problem =
            format!("values: at most {MAX_VALUES} expected, got {}", filling.values.len());
        return Ok(Err(ServiceError::InvalidArgument(problem)));
    }
    for wit::FillValue { name, value } in filling.values {
        let value = match value {
            types::Cell::Null => FillValue::Empty,
            types::Cell::Boolean(value) => FillValue::Bool(value),
            types::Cell::Number(number) => FillValue::Number(number),
            types::Cell::Text(text) => FillValue::Text(text),
        };
        if let Err(error) = add(&mut values, name, value) {
            return Ok(Err(error));
        }
    }
    let mut cells = 0_usize;
    for wit::FillRows { name, data } in filling.rows {
        let table = tables.get(&data)?;
        cells = cells.saturating_add(table.cell_count());
        if cells > MAX_FILL_CELLS {
            let problem = format!(
                "rows: at most {MAX_FILL_CELLS} cells of all lists expected, `{}` makes {cells}; deliver them as a workbook",
                text::one_line(text::cut_bytes(&name, 80))
            );
            return Ok(Err(ServiceError::InvalidArgument(problem)));
        }
        let rows = (0..table.rows()).map(|row| {
            let cell = |column| {
                let mut written = String::new();
                match table.cell(row, column, &mut written) {
                    CellRef::Null => FillValue::Empty,
                    CellRef::Boolean(value) => FillValue::Bool(value),
                    CellRef::Number(number) => FillValue::Number(number.to_owned()),
                    CellRef::Text(text) => FillValue::Text(text.to_owned()),
                }
            };
            (0..table.width()).map(cell).collect()
        });
        let columns = table.names().map(str::to_owned).collect();
        let value = FillValue::Table(FillTable { columns, rows: rows.collect() });
        if let Err(error) = add(&mut values, name, value) {
            return Ok(Err(error));
        }
    }
    let values = values.into_iter().collect();
    let options = mitt_render::DocxOptions { values, ..mitt_render::DocxOptions::default() };
    let (markdown, template) = (filling.content, Some(filling.template));
    Ok(Ok(Word { markdown, options, template, is_filling: true }))
}

/// `tables` are those of the store.
pub(super) fn workbook(
    book: wit::Workbook,
    tables: &ResourceTable,
) -> wasmtime::Result<mitt_render::Workbook> {
    let sheets = book.sheets.into_iter().map(|sheet| {
        let blocks = sheet.blocks.into_iter().map(|block| self::block(block, tables));
        Ok(mitt_render::Sheet {
            name: sheet.name,
            blocks: blocks.collect::<wasmtime::Result<_>>()?,
            freeze_header: sheet.freeze_header,
            auto_filter: sheet.auto_filter,
            look: design::look(sheet.style, sheet.accent),
            page: design::page(&sheet.page),
            protection: sheet.protection.map(design::protection),
        })
    });
    Ok(mitt_render::Workbook {
        title: book.title,
        sheets: sheets.collect::<wasmtime::Result<_>>()?,
        names: book.names.into_iter().map(design::name).collect(),
    })
}

fn block(
    block: wit::SheetBlock,
    tables: &ResourceTable,
) -> wasmtime::Result<mitt_render::SheetBlock> {
    let columns = block.columns.into_iter().map(|column| mitt_render::SheetColumn {
        header: column.header,
        width: column.width,
        number_format: column.number_format,
        alignment: match column.alignment {
            wit::Alignment::General => mitt_render::Alignment::General,
            wit::Alignment::Left => mitt_render::Alignment::Left,
            wit::Alignment::Center => mitt_render::Alignment::Center,
            wit::Alignment::Right => mitt_render::Alignment::Right,
        },
        hidden: column.hidden,
        level: column.level,
        unlocked: column.unlocked,
    });
    let rows = block.rows.into_iter().map(|row| mitt_render::SheetRow {
        cells: row.cells.into_iter().map(sheet_cell).collect(),
        style: match row.style {
            wit::RowStyle::Normal => mitt_render::RowStyle::Normal,
            wit::RowStyle::Total => mitt_render::RowStyle::Total,
        },
    });
    let data = block.data.map(|data| {
        Ok::<_, wasmtime::Error>(mitt_render::Data {
            // A clone copies nothing.
            table: tables.get(&data.table)?.clone(),
            columns: data.columns.into_iter().map(shown).collect(),
        })
    });
    Ok(mitt_render::SheetBlock {
        row: block.row,
        column: block.column,
        title: block.title,
        columns: columns.collect(),
        data: data.transpose()?,
        rows: rows.collect(),
        charts: block.charts.into_iter().map(chart).collect(),
        table_name: block.table_name,
        rules: block.rules.into_iter().map(design::rule).collect(),
        inputs: block.inputs.into_iter().map(design::input).collect(),
        sparklines: block.sparklines.iter().map(design::sparklines).collect(),
        notes: block.notes.into_iter().map(design::note).collect(),
        pictures: Vec::new(),
    })
}

fn shown(column: wit::TableColumn) -> mitt_render::Shown {
    use mitt_render::How;

    mitt_render::Shown {
        column: column.column,
        how: match column.shown {
            wit::ShownAs::Value => How::AsIs,
            wit::ShownAs::Text => How::Text,
            wit::ShownAs::Date => How::Date,
            wit::ShownAs::Formula(values) => How::Formula(values),
            wit::ShownAs::Link => How::Link,
            wit::ShownAs::Blank => How::Blank,
        },
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
            wit::ChartKind::Doughnut => ChartKind::Doughnut,
        },
        title: chart.title,
        category_column: chart.category_column,
        value_columns: chart.value_columns,
        first_row: chart.first_row,
        row_count: chart.row_count,
        stacking: match chart.stacking {
            wit::Stacking::None => mitt_render::Stacking::None,
            wit::Stacking::Stacked => mitt_render::Stacking::Stacked,
            wit::Stacking::Percent => mitt_render::Stacking::Percent,
        },
        line_columns: chart.line_columns,
        second_axis: chart.second_axis,
        category_title: chart.category_title,
        value_title: chart.value_title,
        second_title: chart.second_title,
    }
}
