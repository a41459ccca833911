//! Files that travel inside of a PDF.

use serde_json::{Value, json};

use crate::PdfOptions;

/// The files that travel inside, by the paths at which the template finds them.
pub(super) fn attached(options: &PdfOptions) -> Vec<Value> {
    let files = options.attachments.iter().enumerate().map(|(index, file)| {
        let description =
            if file.description.is_empty() { file.relation.name() } else { &file.description };
        json!({
            "path": crate::pdf::world::attachment_path(index),
            "name": file.name,
            "type": file.media_type,
            "relation": file.relation.name(),
            "description": description,
        })
    });
    files.collect()
}
