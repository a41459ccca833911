//! Draws charts of tables as pictures.
//!
//! The plugin sets defaults for missing options. The host reads the table, lays out the chart and writes the file.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:chart-tool/plugin",
        generate_all,
        with: {
            "mitt:host/types@0.1.0": mitt_guest::tables::wit::types,
            "mitt:host/tables@0.1.0": mitt_guest::tables::wit::tables,
        },
    });
}
mod plan;

use bindings::exports::mitt::chart_tool::tools::{ChartForm, ChartOptions, Guest};
use bindings::mitt::host::render;
use mitt_guest::tables::wit::tables::Table;
use mitt_guest::tables::wit::types::{Artifact, Error};
use plan::plan;

struct Plugin;

impl Guest for Plugin {
    fn draw_chart(
        data: &Table,
        form: ChartForm,
        filename: Option<String>,
        options: Option<ChartOptions>,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        let (description, filename) =
            plan(form, filename, options).map_err(Error::InvalidArgument)?;
        render::draw_chart(data, &description, &filename)
    }
}

bindings::export!(Plugin with_types_in bindings);
