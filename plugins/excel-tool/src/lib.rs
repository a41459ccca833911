//! Turns tables into Excel workbooks that look finished: number formats, widths, totals, charts.
//!
//! The plugin decides what stands in which cell; the host writes the file and enforces the limits of the format.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:excel-tool/plugin",
        generate_all,
        additional_derives: [PartialEq],
    });
}
mod cells;
mod chart;
mod column;
mod date;
mod evaluate;
mod formula;
mod number;
mod number_format;
mod problems;
mod sheet;
#[cfg(test)]
mod tests;
mod totals;
mod width;
mod workbook;

use bindings::exports::mitt::excel_tool::tools::{Guest, SheetInput, SheetOptions};
use bindings::mitt::host::render;
use bindings::mitt::host::types::{Artifact, Error, Table};

struct Plugin;

impl Guest for Plugin {
    fn create_excel(
        data: Table,
        filename: Option<String>,
        options: Option<SheetOptions>,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        let (book, filename) =
            workbook::single(data, filename, options).map_err(Error::InvalidArgument)?;
        render::xlsx(&book, &filename)
    }

    fn create_workbook(
        sheets: Vec<SheetInput>,
        filename: Option<String>,
        title: Option<String>,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        let (book, filename) =
            workbook::several(&sheets, filename, title).map_err(Error::InvalidArgument)?;
        render::xlsx(&book, &filename)
    }
}

bindings::export!(Plugin with_types_in bindings);
