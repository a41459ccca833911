//! The exported functions of the component.

use crate::Share;
use mitt_reader_kit::{Content, Error, HostContent};

#[allow(missing_docs, reason = "the WIT files hold the documentation")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit"],
        world: "mitt:host/sharing-reader-plugin",
        with: {
            "mitt:host/types@0.1.0": mitt_reader_kit::tables::wit::types,
            "mitt:host/tables@0.1.0": mitt_reader_kit::tables::wit::tables,
        },
    });
}

use bindings::exports::mitt::host::reader::{self, Failure, File, FoundTable, Part};
use bindings::exports::mitt::host::reader_shares;

struct Reader;

impl reader::Guest for Reader {
    fn read(bytes: Vec<u8>, file: File) -> Result<reader::Content, Failure> {
        mitt_reader_kit::report_panics();
        crate::read(&bytes, &file.extension, file.password.as_deref())
            .and_then(handed)
            .map_err(failure)
    }
}

impl reader_shares::Guest for Reader {
    fn share(bytes: Vec<u8>, file: File, index: u32, count: u32) -> Result<Vec<u8>, Failure> {
        mitt_reader_kit::report_panics();
        let Some(share) = Share::new(index, count) else {
            return Err(Failure::Other(format!("there is no share {index} of {count}")));
        };
        crate::share(&bytes, &file.extension, file.password.as_deref(), share).map_err(failure)
    }

    fn join(shares: Vec<Vec<u8>>) -> Result<reader::Content, Failure> {
        mitt_reader_kit::report_panics();
        crate::join(&shares).and_then(handed).map_err(failure)
    }
}

bindings::export!(Reader with_types_in bindings);

fn handed(content: Content) -> Result<reader::Content, Error> {
    let HostContent { title, metadata, markdown, places, tables, parts, scanned, warnings } =
        content.into_host()?;
    let tables =
        tables.into_iter().map(|it| FoundTable { name: it.name, data: it.data, place: it.place });
    let parts = parts.into_iter().map(|it| Part { name: it.name, bytes: it.bytes });
    let (tables, parts) = (tables.collect(), parts.collect());
    Ok(reader::Content { title, metadata, markdown, places, tables, parts, scanned, warnings })
}

fn failure(error: Error) -> Failure {
    use mitt_reader_kit::Failure as Of;

    match mitt_reader_kit::failure(error) {
        Of::Encrypted(text) => Failure::Encrypted(text),
        Of::Corrupt(text) => Failure::Corrupt(text),
        Of::UnsupportedType(text) => Failure::UnsupportedType(text),
        Of::TooLarge(text) => Failure::TooLarge(text),
        Of::Other(text) => Failure::Other(text),
    }
}
