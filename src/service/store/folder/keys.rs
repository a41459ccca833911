//! Keys of the index: a table, then texts and numbers whose bytes sort as they do.
//!
//! A text ends with a zero byte, which no text contains ([`is_name`]). A number has eight bytes, the highest first.

use super::super::StoreError;
pub(super) use super::super::checks::{check_name, is_digest, is_id, is_name};
use mitt_base::Error;

/// Parts of the index. The numbers are in files: a new table gets a new number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Table {
    /// Name → value of the index itself.
    Meta = 1,
    /// Tenant, run → record as JSON.
    Records = 2,
    /// Tenant, time of creation, run → nothing.
    Created = 3,
    /// Tenant, status, time of creation, run → nothing.
    Status = 4,
    /// Time of creation, tenant, run → nothing. Runs that may be claimed, in indexes of format 1.
    WaitingByAge = 5,
    /// End of the lease, tenant, run → time of creation.
    Leases = 6,
    /// Tenant, idempotency key → end, run, hash of the request.
    Requests = 7,
    /// End, tenant, idempotency key → nothing.
    RequestEnds = 8,
    /// Tenant, run → idempotency key.
    RunRequests = 9,
    /// Tenant, table, document → version, end, content.
    Documents = 10,
    /// End, tenant, table, document → nothing.
    DocumentEnds = 11,
    /// Tenant, table, document → version, end, content. Documents whose life has ended, until a sweep has handed them over.
    Ended = 12,
    /// Tenant, digest, owner → nothing.
    Owners = 13,
    /// Tenant, owner, digest → nothing.
    Owned = 14,
    /// Number → change of files that belongs to a committed change of the index, as JSON.
    Effects = 15,
    /// Tenant, digest → size.
    Sizes = 16,
    /// What is counted, its name → number. A total of 0 has no row.
    Totals = 17,
    /// Tenant, time of creation, run → nothing. Runs that may be claimed.
    Waiting = 18,
    /// Runs at work, time of the last claim, time of creation, run, tenant → nothing. The oldest waiting run of each tenant, in
    /// the order in which workers take them.
    Turns = 19,
    /// Tenant → runs at work, time of the last claim, time of creation and identifier of the oldest waiting run.
    Tenants = 20,
}

/// A key, or the beginning of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key(Vec<u8>);

impl Key {
    /// Returns the beginning of all keys of a table.
    pub(super) fn of(table: Table) -> Key {
        Key(vec![table as u8])
    }

    /// Returns a key that was read.
    pub(super) fn of_bytes(bytes: Vec<u8>) -> Key {
        Key(bytes)
    }

    /// Adds a text.
    pub(super) fn text(mut self, text: &str) -> Key {
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
        self
    }

    /// Adds a number.
    pub(super) fn number(mut self, number: u64) -> Key {
        self.0.extend_from_slice(&number.to_be_bytes());
        self
    }

    /// Returns the bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the first key behind all keys that begin with this table or text. Neither ends with the highest byte.
    pub(super) fn end(&self) -> Key {
        let mut end = self.0.clone();
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        Key(end)
    }
}

/// Reads the parts of a key, or of a value that is written like one.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a>(&'a [u8]);

impl<'a> Parts<'a> {
    /// Reads a key behind its table.
    pub(super) fn of_key(key: &'a [u8]) -> Parts<'a> {
        Parts(key.get(1..).unwrap_or_default())
    }

    /// Reads a value.
    pub(super) fn of_value(value: &'a [u8]) -> Parts<'a> {
        Parts(value)
    }

    /// Returns the next text.
    pub(super) fn text(&mut self) -> Result<&'a str, StoreError> {
        let length = self.0.iter().position(|byte| *byte == 0).ok_or_else(damaged)?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest.get(1..).unwrap_or_default();
        std::str::from_utf8(text).map_err(|_| damaged())
    }

    /// Returns the next number.
    pub(super) fn number(&mut self) -> Result<u64, StoreError> {
        let (number, rest) = self.0.split_first_chunk::<8>().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(u64::from_be_bytes(*number))
    }

    /// Returns what is left.
    pub(super) fn rest(self) -> &'a [u8] {
        self.0
    }
}

#[cold]
pub(super) fn damaged() -> StoreError {
    let error = Error::new(mitt_base::ErrorKind::Host, "the index of the store is damaged");
    StoreError::Failed(error.hint("restore the folder of the store from a copy"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_their_parts_do() {
        let key = |text: &str, number| Key::of(Table::Created).text(text).number(number).0;
        let sorted = [key("", 9), key("a", 1), key("a", 256), key("a!", 0), key("b", 0)];
        assert!(sorted.is_sorted());
        let of_a = Key::of(Table::Created).text("a");
        let inside = |key: &[u8]| (of_a.bytes()..of_a.end().bytes()).contains(&key);
        assert_eq!(sorted.each_ref().map(|key| inside(key)), [false, true, true, false, false]);
    }

    #[test]
    fn parts_are_read_as_they_were_written() {
        let key = Key::of(Table::Leases).number(7).text("月").text("");
        let mut parts = Parts::of_key(key.bytes());
        assert_eq!(parts.number().unwrap(), 7);
        assert_eq!((parts.text().unwrap(), parts.text().unwrap()), ("月", ""));
        assert!(parts.text().is_err() && parts.number().is_err());
    }
}
