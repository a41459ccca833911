//! A store in one folder of this machine.
//!
//! | in the folder | contents |
//! |---|---|
//! | `lock` | locked while a process has the store open |
//! | `index.redb` | records, idempotency keys, documents, owners of files |
//! | `index.log` | changes that `index.redb` does not have yet |
//! | `runs/<tenant>/<run>/` | `log.jsonl`, `events.jsonl`, `inbox.jsonl`: a line for each record |
//! | `blobs/<tenant>/<first two digits>/<sha256>` | files |
//! | `blobs/arriving/` | files that are being stored |
//! | `partial/<tenant>/<id>` | files that arrive in several requests |
//!
//! # What survives
//!
//! What returned `Ok` is there after the process was killed at any moment: the system had it. Only two things wait for the
//! disk: a stored file before it gets its name, and the index when its log has reached 4 MiB.
//!
//! A power failure does not damage the index or a stored file. It takes back the last changes of the index and the last
//! records of streams, as far as the system had not written them, which is some 30 s on Linux. A record of a run may then be
//! older than its streams, or newer. A file that was stored in this time may lie in the folder without an owner, where no
//! sweep finds it, and one that was deleted may still have its owner and read as missing.
//!
//! # Why redb
//!
//! Measured on two cores with a virtual disk that takes 1 ms for an `fdatasync`: 20 000 runs of 2 kB, each submitted,
//! claimed and updated, with the indexes for that; release builds.
//!
//! | | submit | claim | update | files | program |
//! |---|---|---|---|---|---|
//! | redb 4.6, a durable commit each | 3.1 ms | 3.6 ms | 1.0 ms | 68 MB | +1.25 MB |
//! | redb 4.6, a durable commit for 16 | 0.09 ms | 0.18 ms | 0.23 ms | 68 MB | |
//! | redb 4.6, commits in memory and a log as here | 0.17 ms | 0.17 ms | 0.14 ms | 136 MB | |
//! | SQLite, WAL, `synchronous=FULL` | 0.36 ms | 0.31 ms | 0.31 ms | 93 MB | +2.1 MB |
//! | SQLite, WAL, `synchronous=NORMAL` | 0.16 ms | 0.10 ms | 0.12 ms | 93 MB | |
//!
//! The third row and the last one promise the same in about the same time. redb is the choice because it needs no C compiler
//! and 0.9 MB less in the program, and reads a record in 5 µs against 25 µs. Without the log, every change of a record would
//! wait for the disk. After a crash redb checks the whole file, which took 107 ms here, unless the last durable commit was
//! made with `set_quick_repair`, as ours are.

mod blobs;
mod documents;
mod folder_store;
mod index;
mod keys;
mod line_file;
mod owners;
mod partials;
mod places;
mod records;
mod redo_log;
mod streams;
mod totals;
mod turns;

#[cfg(test)]
mod tests;

pub use folder_store::FolderStore;
#[cfg(feature = "cluster")]
pub(super) use places::read_at;
