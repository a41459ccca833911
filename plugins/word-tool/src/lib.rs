//! Fills Word templates: checks the arguments of a model, and calls the host, which keeps the files.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:word-tool/plugin",
        generate_all,
    });
}
mod check;

use bindings::exports::mitt::word_tool::tools::{Field, Guest, NamedRows};
use bindings::mitt::host::render::{self, DocxFilling, FillRows, FillValue};
use bindings::mitt::host::types::{Artifact, Error};

struct Plugin;

impl Guest for Plugin {
    fn fill_template(
        template: String,
        values: Vec<Field>,
        rows: Option<Vec<NamedRows>>,
        content: Option<String>,
        filename: String,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        let rows = rows.unwrap_or_default();
        let names = values.iter().map(|field| &*field.name).chain(rows.iter().map(|it| &*it.name));
        check::check(&template, &filename, names).map_err(Error::InvalidArgument)?;
        let value = |field: Field| FillValue { name: plain(&field.name), value: field.value };
        let filling = DocxFilling {
            template,
            values: values.into_iter().map(value).collect(),
            rows: rows
                .iter()
                .map(|rows| FillRows { name: plain(&rows.name), data: &rows.data })
                .collect(),
            // Models often send an empty string for omitted text.
            content: content.filter(|text| !text.trim().is_empty()),
        };
        render::fill_docx(&filling, &filename)
    }
}

/// Returns a name without the braces that a model may have copied with it.
fn plain(name: &str) -> String {
    check::plain(name).to_owned()
}

bindings::export!(Plugin with_types_in bindings);
