//! Conversion of the generated types of `wit/render.wit` to those of the renderers.

use mitt_contract::host::mitt::host::{render as wit, types};
use wasmtime::component::ResourceTable;

use super::{Deliverable, Word, design};
use crate::capability::{Artifact, ServiceError};
use mitt_render::{CommonOptions, Theme};

pub(in crate::capability) fn artifact(artifact: Artifact) -> types::Artifact {
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

/// Converts a document to a workbook of its tables. A4 is the default paper of the interface, so it counts as not set.
pub(super) fn tables(document: wit::MarkdownDocument) -> Deliverable {
    let paper = Some(paper(document.paper)).filter(|it| *it != mitt_render::Paper::A4);
    let wit::MarkdownDocument { markdown, title, language, contents, .. } = document;
    Deliverable::Tables { markdown, title, language, paper, contents }
}

/// Returns the theme of a document.
///
/// # Errors
///
/// There is no theme of this name.
fn theme(document: &wit::MarkdownDocument) -> Result<Theme, ServiceError> {
    let Some(name) = &document.theme else { return Ok(Theme::default()) };
    let invalid = |error: mitt_base::Error| ServiceError::InvalidArgument(error.render());
    Theme::named(name).map_err(|error| invalid(error.at("theme")))
}

/// Layout settings of a document that a format supports.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    /// PDF and web pages: a theme and a table of contents.
    Theme,
    /// Word files: a theme, a table of contents, or a template.
    Template,
    /// Workbooks: none; a requested table of contents is reported as a warning.
    Nothing,
}

/// Refuses settings that the format does not support. Returns the theme.
pub(super) fn check(document: &wit::MarkdownDocument, takes: Takes) -> Result<Theme, ServiceError> {
    let theme = theme(document)?;
    if matches!(takes, Takes::Nothing) && theme != Theme::default() {
        let problem = "theme: only PDF, Word and HTML files take one but `plain`";
        return Err(ServiceError::InvalidArgument(problem.to_owned()));
    }
    if document.template.is_some() && !matches!(takes, Takes::Template) {
        let problem = "template: only Word files (`.docx`) take one";
        return Err(ServiceError::InvalidArgument(problem.to_owned()));
    }
    if document.template.is_some() && theme != Theme::default() {
        let problem = "theme: the looks are those of the template; leave one of the two out";
        return Err(ServiceError::InvalidArgument(problem.to_owned()));
    }
    Ok(theme)
}

/// Returns the text of a document, and the options that all formats have in common.
fn common_options(document: wit::MarkdownDocument, theme: Theme) -> (String, CommonOptions) {
    let options = CommonOptions {
        title: document.title,
        language: document.language,
        paper: Some(paper(document.paper)),
        contents: document.contents,
        theme,
        ..CommonOptions::default()
    };
    (document.markdown, options)
}

pub(super) fn pdf_options(
    document: wit::MarkdownDocument,
    theme: Theme,
) -> (String, mitt_render::PdfOptions) {
    let (markdown, common) = common_options(document, theme);
    (markdown, mitt_render::PdfOptions { common, ..mitt_render::PdfOptions::default() })
}

pub(super) fn word(mut document: wit::MarkdownDocument, theme: Theme) -> Word {
    let template = document.template.take();
    let (markdown, common) = common_options(document, theme);
    let options = mitt_render::DocxOptions { common, ..mitt_render::DocxOptions::default() };
    Word { markdown: Some(markdown), options, template, is_filling: false }
}

pub(super) fn html_options(
    document: wit::MarkdownDocument,
    theme: Theme,
) -> (String, mitt_render::HtmlOptions) {
    let (markdown, common) = common_options(document, theme);
    (markdown, mitt_render::HtmlOptions { common })
}

/// Converts a workbook. `tables` are those of the store.
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
            // A clone does not copy the content.
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

fn shown(column: wit::TableColumn) -> mitt_render::ColumnMapping {
    use mitt_render::CellConversion;

    mitt_render::ColumnMapping {
        column: column.column,
        how: match column.shown {
            wit::ShownAs::Value => CellConversion::AsIs,
            wit::ShownAs::Text => CellConversion::Text,
            wit::ShownAs::Date => CellConversion::Date,
            wit::ShownAs::Formula(values) => CellConversion::Formula(values),
            wit::ShownAs::Link => CellConversion::Link,
            wit::ShownAs::Blank => CellConversion::Blank,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_templates_and_contents_are_for_some_formats() {
        let plain = wit::MarkdownDocument {
            markdown: String::new(),
            title: None,
            language: None,
            paper: wit::Paper::A4,
            contents: false,
            theme: None,
            template: None,
        };
        let document =
            |theme: Option<&str>, template: Option<&str>, contents| wit::MarkdownDocument {
                theme: theme.map(str::to_owned),
                template: template.map(str::to_owned),
                contents,
                ..plain.clone()
            };
        let all = [Takes::Theme, Takes::Template, Takes::Nothing];
        // The expected error for each format; empty if the document is accepted.
        for (document, expected) in [
            (document(None, None, false), ["", "", ""]),
            (document(Some("plain"), None, false), ["", "", ""]),
            (document(Some("letter"), None, false), ["", "", "theme: only PDF, Word and HTML"]),
            (document(None, None, true), ["", "", ""]),
            (
                document(None, Some("t.docx"), false),
                ["template: only Word", "", "template: only Word"],
            ),
            (
                document(Some("report"), Some("t.docx"), false),
                ["template: only Word", "theme: the looks are", "theme: only PDF"],
            ),
            (document(Some("leter"), None, false), ["theme: there is no theme `leter`"; 3]),
        ] {
            for (takes, expected) in all.into_iter().zip(expected) {
                match check(&document, takes) {
                    Ok(theme) => {
                        let wanted = Theme::named(document.theme.as_deref().unwrap_or("plain"));
                        assert_eq!((theme, expected), (wanted.unwrap(), ""), "{takes:?}");
                    }
                    Err(ServiceError::InvalidArgument(message)) => {
                        let is_expected = !expected.is_empty() && message.starts_with(expected);
                        assert!(is_expected, "{takes:?} {expected}: {message}");
                    }
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
    }
}
