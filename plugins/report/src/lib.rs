//! Delivers a Markdown text as a file: converted by the host to PDF, Word, a web page or a workbook, or unchanged.
//!
//! The plugin chooses the format and the options. Knows no typesetting.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:report/plugin",
        generate_all,
    });
}
mod plan;

use bindings::exports::mitt::report::tools::Guest;
use bindings::mitt::host::render;
use bindings::mitt::host::types::{Artifact, Error};
use plan::{Delivery, Options, plan};

struct Plugin;

impl Guest for Plugin {
    fn deliver(
        markdown: String,
        filename: String,
        title: Option<String>,
        contents: Option<bool>,
        language: Option<String>,
        theme: Option<String>,
        template: Option<String>,
        preview: Option<bool>,
    ) -> Result<Artifact, Error> {
        mitt_guest::report_panics();
        let options = Options { title, contents, language, theme, template, preview };
        match plan(markdown, &filename, options).map_err(Error::InvalidArgument)? {
            Delivery::Pdf(document) => render::pdf(&document, &filename),
            Delivery::PdfAndPicture(document) => render::pdf_with_preview(&document, &filename),
            Delivery::Docx(document) => render::docx(&document, &filename),
            Delivery::Html(document) => render::html(&document, &filename),
            Delivery::Xlsx(document) => render::tables_xlsx(&document, &filename),
            Delivery::Text(text) => render::text(&text, &filename),
        }
    }
}

bindings::export!(Plugin with_types_in bindings);
