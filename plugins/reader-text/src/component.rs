//! The component: what the host calls, in terms of this crate. The bytes are passed on without a copy.

use mitt_reader_kit::tables::wit::tables;
use mitt_reader_kit::{Failure, File, Guest, HostContent};

struct Reader;

impl Guest for Reader {
    fn read(bytes: Vec<u8>, file: File) -> Result<HostContent, Failure> {
        mitt_reader_kit::report_panics();
        let read = crate::read::<tables::Table>(bytes, &file.extension);
        let read = read.and_then(|(content, made)| content.with_built(made));
        read.map_err(mitt_reader_kit::failure)
    }
}

mitt_reader_kit::bindings::export!(Reader with_types_in mitt_reader_kit::bindings);
