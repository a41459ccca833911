//! Pictures of a document: supplied by the caller within limits, never fetched, and the names by which a document refers to
//! them.

pub(crate) mod data_uri;
pub(crate) mod pictures;
pub(crate) mod place;

pub use self::pictures::{MAX_PICTURE_BYTES, MAX_PICTURES, MAX_PICTURES_BYTES, Pictures};
pub(crate) use self::place::addresses;
pub use self::place::{local_names, picture_names};
