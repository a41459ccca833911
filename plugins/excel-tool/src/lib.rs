//! Turns tables into finished Excel workbooks: number formats, widths, totals, charts.
//!
//! The plugin reads the columns of a table and chooses how each is shown. The host reads the table while it writes the file,
//! and enforces the limits of the format.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:excel-tool/plugin",
        generate_all,
        additional_derives: [PartialEq],
        // These types hold tables, which cannot be compared.
        additional_derives_ignore: ["sheet-data", "sheet-block", "sheet", "workbook", "sheet-input", "placed-table", "named-rows", "fill-rows", "docx-filling", "xlsx-filling"],
        with: {
            "mitt:host/types@0.1.0": mitt_guest::tables::wit::types,
            "mitt:host/tables@0.1.0": mitt_guest::tables::wit::tables,
        },
    });
}
mod calculated;
mod cells;
mod chart;
mod column;
mod date;
mod design;
mod evaluate;
mod facts;
mod fill;
mod formula;
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the same file as that of the host, which needs more of it"
)]
mod held;
mod number;
mod number_format;
mod parts;
mod problems;
mod sheet;
#[cfg(test)]
mod tests;
mod totals;
mod width;
mod workbook;

use bindings::exports::mitt::excel_tool::tools::{
    Field, Guest, NamedRows, PlacedTable, SheetInput, SheetOptions,
};
use bindings::mitt::host::render::{FillRows, FillValue, XlsxFilling};
use bindings::mitt::host::{documents, render};
use mitt_guest::tables::wit::tables::Table;
use mitt_guest::tables::wit::types::{Artifact, Error};
use sheet::{Input, Wanted, given};
use workbook::Workbook;

struct Plugin;

impl Guest for Plugin {
    fn create_excel(
        data: &Table,
        filename: Option<String>,
        options: Option<SheetOptions>,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        write(&workbook::single(&of_options(data, options.as_ref()), filename.as_deref())?)
    }

    fn create_workbook(
        sheets: Vec<SheetInput>,
        filename: Option<String>,
        title: Option<String>,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        let inputs: Vec<_> = sheets.iter().map(of_sheet).collect();
        write(&workbook::several(&inputs, filename.as_deref(), title)?)
    }

    fn append_rows(data: &Table, rows: &Table) -> Result<Table, Error> {
        mitt_guest::report_panics();
        parts::append(data, rows)
    }

    fn read_range(
        document: String,
        sheet: Option<String>,
        range: Option<String>,
    ) -> Result<Table, Error> {
        mitt_guest::report_panics();
        let tables = documents::tables(&document)?;
        let info = documents::list().into_iter().find(|info| info.name == document);
        let names = info.map(|info| info.tables.into_iter().map(|table| table.name).collect());
        let names: Vec<String> = names.unwrap_or_default();
        let index = parts::of_sheet(&names, given(sheet.as_deref()), &document)?;
        let gone = || Error::Other(format!("document `{document}` changed while it was read"));
        parts::range(tables.get(index).ok_or_else(gone)?, given(range.as_deref()))
    }

    fn fill_template(
        template: String,
        values: Vec<Field>,
        rows: Option<Vec<NamedRows>>,
        filename: String,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        let rows = rows.unwrap_or_default();
        let names: Vec<_> = values.iter().map(|field| &*field.name).collect();
        let lists: Vec<_> = rows.iter().map(|rows| &*rows.name).collect();
        fill::check(&template, &filename, &names, &lists).map_err(Error::InvalidArgument)?;
        let value = |field: Field| FillValue { name: fill::plain(&field.name), value: field.value };
        let filling = XlsxFilling {
            template,
            values: values.into_iter().map(value).collect(),
            rows: rows
                .iter()
                .map(|rows| FillRows { name: fill::plain(&rows.name), data: &rows.data })
                .collect(),
        };
        render::fill_xlsx(&filling, &filename)
    }

    fn append_to_workbook(
        workbook: String,
        rows: &Table,
        sheet: Option<String>,
        filename: Option<String>,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        let filename = fill::filename(&workbook, given(filename.as_deref()));
        fill::check_append(&workbook, &filename).map_err(Error::InvalidArgument)?;
        render::append_xlsx(&workbook, given(sheet.as_deref()), rows, &filename)
    }
}

fn of_options<'a>(data: &'a Table, options: Option<&'a SheetOptions>) -> Input<'a, Table> {
    let name = options.and_then(|options| given(options.sheet_name.as_deref()));
    Input {
        name: name.unwrap_or(workbook::DEFAULT_SHEET_NAME),
        tables: vec![Wanted {
            data,
            title: None,
            at: None,
            columns: options.and_then(|options| options.columns.as_deref()),
            totals: options.and_then(|options| options.totals.as_deref()),
            total_label: options.and_then(|options| options.total_label.as_deref()),
            charts: options.and_then(|options| options.charts.as_deref()),
            design: options.and_then(|options| options.design.as_deref()),
        }],
        freeze_header: options.and_then(|options| options.freeze_header),
        auto_filter: options.and_then(|options| options.auto_filter),
    }
}

fn of_sheet<'a>(sheet: &'a SheetInput) -> Input<'a, Table> {
    let first = Wanted {
        data: &sheet.data,
        title: sheet.title.as_deref(),
        at: None,
        columns: sheet.columns.as_deref(),
        totals: sheet.totals.as_deref(),
        total_label: sheet.total_label.as_deref(),
        charts: sheet.charts.as_deref(),
        design: sheet.design.as_deref(),
    };
    let placed = |table: &'a PlacedTable| Wanted {
        data: &table.data,
        title: table.title.as_deref(),
        at: table.at.as_deref(),
        // Only the first table has options. They would be in the schema of each table, which a model pays for, and some
        // clients omit the descriptions of a schema above 5 000 bytes.
        columns: None,
        totals: None,
        total_label: None,
        charts: None,
        design: None,
    };
    Input {
        name: &sheet.name,
        tables: std::iter::once(first).chain(sheet.more.iter().flatten().map(placed)).collect(),
        freeze_header: sheet.freeze_header,
        auto_filter: sheet.auto_filter,
    }
}

/// Asks the host to write a workbook.
fn write(book: &Workbook<Table>) -> Result<Artifact, Error> {
    let sheets = book.sheets.iter().map(|sheet| render::Sheet {
        name: sheet.name.clone(),
        blocks: sheet.blocks.iter().map(block).collect(),
        freeze_header: sheet.freeze_header,
        auto_filter: sheet.auto_filter,
        style: sheet.style,
        accent: sheet.accent,
        page: sheet.page,
        protection: sheet.protection.clone(),
    });
    let names = book.sheets.iter().flat_map(|sheet| sheet.names.iter().cloned()).collect();
    let whole = render::Workbook { title: book.title.clone(), sheets: sheets.collect(), names };
    let of_sheet = |(index, sheet): (u32, &sheet::Sheet<Table>)| {
        let picture = move |picture: design::Picture| render::SheetPicture {
            sheet: index,
            name: picture.name,
            description: picture.description,
            width: None,
        };
        sheet.pictures.clone().into_iter().map(picture)
    };
    let pictures: Vec<_> = (0..).zip(&book.sheets).flat_map(of_sheet).collect();
    if pictures.is_empty() {
        render::xlsx(&whole, &book.filename)
    } else {
        render::xlsx_with_pictures(&whole, &pictures, &book.filename)
    }
}

fn block(block: &sheet::Block<Table>) -> render::SheetBlock<'_> {
    render::SheetBlock {
        row: block.row,
        column: block.column,
        title: block.title.clone(),
        columns: block.columns.clone(),
        data: Some(render::SheetData { table: &block.table, columns: block.shown.clone() }),
        rows: block.rows.clone(),
        charts: block.charts.clone(),
        table_name: block.table_name.clone(),
        rules: block.rules.clone(),
        inputs: block.inputs.clone(),
        sparklines: block.sparklines.clone(),
        notes: block.notes.clone(),
    }
}

bindings::export!(Plugin with_types_in bindings);
