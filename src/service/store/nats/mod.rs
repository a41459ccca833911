//! A store in NATS JetStream, which several processes on several machines share.
//!
//! | file | contents |
//! |---|---|
//! | `address` | the address of the servers, and TLS |
//! | `connection` | requests to the servers; which failures are tried again |
//! | `shared` | what all parts use: connection, index, clock |
//! | `setup` | the two streams, and the version of what is in them |
//! | `entries` | what messages say, and their subjects |
//! | `clock` | the time of the servers |
//! | `view`, `follow` | the index that each process keeps in memory, and the consumer that feeds it |
//! | `records` | records of runs, and the queue of those that wait |
//! | `streams` | logs, events and inboxes |
//! | `contents` | bytes that are too long for one message |
//! | `files`, `partials` | stored files, and those that arrive in several requests |
//! | `objects` | stored files whose content is in an object store |
//! | `documents` | small documents |
//! | `news` | which streams of runs other processes appended to |
//! | `sweep` | deletes what has ended |
//!
//! # Design
//!
//! One stream has an entry for each run, idempotency key, file, owner of a file, document, arriving file and piece of
//! garbage: the last message of its subject. An entry is changed by a publish that expects the sequence of the last one, so
//! that the first of two writers wins. Where one change has several entries, they are one atomic batch.
//!
//! The other stream has what is long or grows: records of streams of runs, and pieces of files. All records of a stream of a
//! run have one subject. Each message says how many records and bytes there are so far, and which owner may append.
//!
//! What must be found by something else than its name is in an index in the memory of each process: lists of runs, the runs
//! that wait, tables of documents, the files of an owner. A consumer feeds it with the headers of all entries. Before it is
//! used, it catches up with the last message that the servers have. What it says is only where to look: each change expects
//! the sequence of the entry itself.
//!
//! # Promises
//!
//! What returned `Ok` is on the disk of the servers as far as their `sync_interval` promises. Time is the clock of the
//! servers, and never the clock of a worker.
//!
//! A worker that lost its run can write nothing of it: each owner of a run gets a new number, the fence. A claim appends it
//! to the log and the events, so that an append of an earlier owner does not find the sequence that it expects.
//!
//! A change whose result is unknown, because the connection was lost, is made again with the same token and the same
//! expected sequence. So it is made once.

mod address;
mod clock;
mod connection;
mod contents;
mod documents;
mod entries;
mod files;
mod follow;
mod nats_store;
mod news;
mod objects;
mod partials;
mod records;
mod setup;
mod shared;
mod streams;
mod sweep;
mod view;

#[cfg(test)]
mod tests;

pub use nats_store::NatsStore;
