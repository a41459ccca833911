//! A client of S3 and of servers with its interface: objects of one bucket, below a prefix.
//!
//! | file | contents |
//! |---|---|
//! | `address` | `s3://bucket/prefix`, and the settings that the AWS tools read from the environment |
//! | `client` | operations on objects |
//! | `exchange` | signed requests, and which of them are tried again |
//! | `failures` | errors that name bucket, key and the way out |
//!
//! `rusty-s3` signs requests. Knows no store and no policy: the operator names the bucket.

mod address;
mod client;
mod exchange;
mod failures;

#[cfg(test)]
mod tests;

pub use address::{S3Address, S3Settings};
pub use client::{MAX_LINK_LIFE, MIN_PART_BYTES, S3Client, S3Reader, S3Upload};
