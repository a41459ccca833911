//! Contents of stored files by digest, outside of the database: in a bucket of S3, or in a folder that all servers share.
//!
//! | file | contents |
//! |---|---|
//! | `object_store` | [`ObjectStore`]: the place of the objects, and operations on them |
//! | `folder` | objects in a folder |
//! | `spool` | a file that arrives, on the disk of this machine, and its digests |
//! | `upload` | the way of a file from there into the object store |
//! | `reader` | reads an object and compares its pieces with their digests |
//!
//! # Design
//!
//! The store in the database knows all files, owners and sizes; an object has only content. Its name is the digest and a
//! random part, and no name is used twice: so an object that is being deleted is never the one that was just stored again.
//! Before the first byte is sent, the database notes the name; what no file refers to an hour later is deleted. Small files
//! stay in the database.
//!
//! Each piece of [`PIECE_BYTES`] has a digest in the database, so that no byte of an object is used unchecked, wherever the
//! reading begins.

mod folder;
mod object_store;
mod reader;
mod spool;
mod upload;

#[cfg(test)]
pub(super) mod tests;

pub use object_store::ObjectStore;
pub(super) use object_store::no_object_store;
pub(super) use reader::ObjectReader;
pub(super) use upload::{Notes, ObjectWriter, Placing, spooled, store};

/// Length of each piece of an object but the last one, in bytes. Each has a digest.
pub(super) const PIECE_BYTES: u64 = 4 * 1024 * 1024;

/// Length of the digest of a piece, in bytes.
const DIGEST_BYTES: usize = 32;
