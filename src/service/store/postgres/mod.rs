//! A store in a PostgreSQL database, which several processes on several machines share.
//!
//! | file | contents |
//! |---|---|
//! | `address` | the address of the database, and TLS |
//! | `pool` | connections, statements, transactions; which failures are tried again |
//! | `schema` | tables and their migrations |
//! | `records`, `queue` | records of runs; which run a worker takes next |
//! | `streams` | logs, events and inboxes |
//! | `files`, `partials` | stored files in pieces, and those that arrive in several requests |
//! | `objects` | stored files whose content is in an object store |
//! | `documents` | small documents |
//! | `news` | what other processes changed, by LISTEN/NOTIFY and by looking |
//! | `sweep` | deletes what has ended, in batches |
//!
//! # Promises
//!
//! What returned `Ok` is in the database, as far as its `synchronous_commit` promises. Time is the database's clock, so a
//! worker's clock may jump: a lease in a [`Record`](super::Record) is shifted to the clock of the process that reads it.
//!
//! A worker that lost its run can write nothing of it: each owner of a run gets a new number, the fence, and an append to
//! the log or the events names the fence that its process was given. [`FolderStore`](super::FolderStore) has only the
//! expected number for that.
//!
//! A change whose result is unknown, because the connection was lost, is looked for before it is made again. So it is made
//! once.
//!
//! NOTIFY is sent after the change and in a transaction of its own, because it takes a lock of the whole database. One that
//! is lost delays its readers until they look by themselves.

mod address;
mod documents;
mod files;
mod news;
mod objects;
mod partials;
mod pool;
mod postgres_store;
mod queue;
mod records;
mod schema;
mod streams;
mod sweep;

#[cfg(test)]
mod tests;

pub use postgres_store::PostgresStore;
