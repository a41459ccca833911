//! The component: what the host calls, in terms of this crate. The bytes are passed on without a copy.

use mitt_reader_kit::tables::wit::tables;
use mitt_reader_kit::{Failure, File, Guest, HostContent};

#[allow(missing_docs, reason = "the WIT files hold the documentation")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit"],
        world: "mitt:host/piecewise-reader",
        with: {
            "mitt:host/types@0.1.0": mitt_reader_kit::tables::wit::types,
            "mitt:host/tables@0.1.0": mitt_reader_kit::tables::wit::tables,
        },
    });
}

use bindings::exports::mitt::host::reader_pieces;

struct Reader;

impl Guest for Reader {
    fn read(bytes: Vec<u8>, file: File) -> Result<HostContent, Failure> {
        mitt_reader_kit::report_panics();
        let read = crate::read::<tables::Table>(bytes, &file.extension);
        let read = read.and_then(|(content, made)| content.with_built(made));
        read.map_err(mitt_reader_kit::failure)
    }
}

impl reader_pieces::Guest for Reader {
    fn read_piece(
        head: Vec<u8>,
        bytes: Vec<u8>,
        extension: String,
        index: u32,
    ) -> Option<reader_pieces::Piece> {
        mitt_reader_kit::report_panics();
        let (made, report) = crate::read_piece(&head, &bytes, &extension, index == 0)?;
        Some(reader_pieces::Piece { name: made.name, rows: made.data, report })
    }

    fn finish(
        head: Vec<u8>,
        extension: String,
        reports: Vec<Vec<u8>>,
    ) -> Option<reader_pieces::Summary> {
        mitt_reader_kit::report_panics();
        let (markdown, warnings) = crate::finish(&head, &extension, &reports)?;
        Some(reader_pieces::Summary { markdown, warnings })
    }
}

mitt_reader_kit::bindings::export!(Reader with_types_in mitt_reader_kit::bindings);
bindings::export!(Reader with_types_in bindings);
