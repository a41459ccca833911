//! Shared code of the reader plugins: the exported interface, text cleaning, Markdown, and rules for tables.
//!
//! A reader is a pure function from bytes to [`Content`]. [`export_reader`] makes a component of it. Knows no file format
//! except compound files, with the feature `compound`.

#[doc(hidden)]
#[allow(missing_docs, reason = "the WIT files hold the documentation")]
pub mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit"],
        world: "mitt:host/reader-plugin",
        with: {
            "mitt:host/types@0.1.0": mitt_guest::tables::wit::types,
            "mitt:host/tables@0.1.0": mitt_guest::tables::wit::tables,
        },
        pub_export_macro: true,
        default_bindings_module: "mitt_reader_kit::bindings",
    });
}

#[cfg(feature = "compound")]
pub mod compound;
mod content;
mod markdown;
pub mod scripts;
mod spans;
mod table;
mod text;

#[doc(hidden)]
pub use bindings::exports::mitt::host::reader::{Content as HostContent, Failure, File, Guest};
pub use content::{Content, NamedTable, Part, Place, Table, TableSource};
pub use markdown::{escape, is_caption, push_head, push_row, push_table};
pub use mitt_guest::tables::{Cell, Error};
pub use mitt_guest::{report_panics, tables};
pub use spans::{Piece, header_depth, header_names};
pub use table::{
    MAX_CELLS, MAX_TEXT_BYTES, cell_as_str, cell_from_text, column_names, is_plain_number,
};
pub use text::{clean, single_line};

/// The message for every kind of encryption.
pub const ENCRYPTED: &str = "the file is encrypted";

/// Returns the error that a reader reports to the host.
#[doc(hidden)]
pub fn failure(error: Error) -> Failure {
    match error {
        Error::Unsupported(text) if text == ENCRYPTED => Failure::Encrypted(text),
        Error::Unsupported(text) => Failure::UnsupportedType(text),
        Error::Malformed(text) => Failure::Corrupt(text),
        Error::Quota(text) => Failure::TooLarge(text),
        Error::InvalidArgument(text)
        | Error::NotFound(text)
        | Error::AlreadyExists(text)
        | Error::Other(text) => Failure::Other(text),
    }
}

/// Makes a component of a function `fn(&[u8], &str) -> Result<Content<impl TableSource>, Error>`, which gets bytes and
/// extension. A function after `file:` gets the whole [`File`], with a password.
#[macro_export]
macro_rules! export_reader {
    ($read:path) => {
        $crate::export_reader!(file: |bytes: &[u8], file: &$crate::File| $read(bytes, &file.extension));
    };
    (file: $read:expr) => {
        #[cfg(target_family = "wasm")]
        mod component {
            struct Reader;

            impl $crate::Guest for Reader {
                fn read(
                    bytes: Vec<u8>,
                    file: $crate::File,
                ) -> Result<$crate::HostContent, $crate::Failure> {
                    $crate::report_panics();
                    ($read)(&bytes, &file).and_then(|content| content.into_host()).map_err($crate::failure)
                }
            }

            $crate::bindings::export!(Reader with_types_in $crate::bindings);
        }
    };
}
