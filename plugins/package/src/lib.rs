//! ZIP packages of Office files: reads parts within bounds, and rewrites by splicing. Entries that are not replaced keep
//! their bytes, order, names and times.
//!
//! Writes the numbers in messages of the editors too, because all of them use it. Knows nothing of Office files. The crate
//! `zip` rewrites headers, and so cannot be used for this.

mod archive;
mod count;
mod head;
mod inflate;
mod number;
mod rewrite;

pub use archive::{MAX_ENTRIES, MAX_PART_BYTES, MAX_TOTAL_BYTES, Zip};
pub use count::{counted, either};
pub use inflate::inflated;
