//! Files attached to a PDF.

use serde_json::{Value, json};

use crate::PdfOptions;

/// Returns the attached files, with their paths for the template.
pub(super) fn attached(options: &PdfOptions) -> Vec<Value> {
    let files = options.attachments.iter().enumerate().map(|(index, file)| {
        let description =
            if file.description.is_empty() { file.relation.name() } else { &file.description };
        json!({
            "path": crate::backend::pdf::world::attachment_path(index),
            "name": file.name,
            "type": file.media_type,
            "relation": file.relation.name(),
            "description": description,
        })
    });
    files.collect()
}
