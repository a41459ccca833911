//! Fills Word templates: checks what a model gives, and asks the host, which keeps the files.

// The generated code is that of `wit-bindgen`; its style is not ours.
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
            // A model that has nothing to say often says it with an empty string.
            content: content.filter(|text| !text.trim().is_empty()),
        };
        render::fill_docx(&filling, &filename)
    }
}

/// A name without the braces that a model may have copied with it.
fn plain(name: &str) -> String {
    check::plain(name).to_owned()
}

bindings::export!(Plugin with_types_in bindings);
