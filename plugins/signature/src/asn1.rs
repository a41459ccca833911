//! Walks over DER and keeps the exact bytes of each element, because digests and signatures are over them.

use const_oid::ObjectIdentifier;
use der::{AnyRef, Decode, Reader as _, SliceReader, Tag, TagNumber};

use crate::error::Error;

/// One element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'a> {
    pub(crate) tag: Tag,
    /// The element with its tag and its length.
    pub(crate) whole: &'a [u8],
    /// Its content.
    pub(crate) value: &'a [u8],
}

/// Elements one after the other.
#[derive(Clone)]
pub(crate) struct Items<'a> {
    rest: &'a [u8],
    /// What is read, for messages.
    what: &'static str,
}

impl<'a> Items<'a> {
    pub(crate) fn new(rest: &'a [u8], what: &'static str) -> Self {
        Items { rest, what }
    }

    pub(crate) fn malformed(&self, problem: &str) -> Error {
        Error::malformed(format!("{}: {problem}", self.what))
    }

    /// Returns the next element; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Item<'a>>, Error> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let read = |rest: &'a [u8]| -> der::Result<(Tag, &'a [u8], &'a [u8])> {
            let mut reader = SliceReader::new(rest)?;
            let whole = reader.tlv_bytes()?;
            let any = AnyRef::from_der(whole)?;
            Ok((der::Tagged::tag(&any), whole, any.value()))
        };
        let (tag, whole, value) =
            read(self.rest).map_err(|error| self.malformed(&error.to_string()))?;
        self.rest = &self.rest[whole.len()..];
        Ok(Some(Item { tag, whole, value }))
    }

    /// Returns the next element, which must have this tag.
    pub(crate) fn expect(&mut self, tag: Tag) -> Result<Item<'a>, Error> {
        match self.next()? {
            Some(item) if item.tag == tag => Ok(item),
            Some(item) => Err(self.malformed(&format!("expected {tag}, got {}", item.tag))),
            None => Err(self.malformed(&format!("expected {tag}, got the end"))),
        }
    }

    /// Returns the next element if it has this tag; otherwise leaves it.
    pub(crate) fn optional(&mut self, tag: Tag) -> Result<Option<Item<'a>>, Error> {
        let mut ahead = self.clone();
        match ahead.next()? {
            Some(item) if item.tag == tag => {
                *self = ahead;
                Ok(Some(item))
            }
            _ => Ok(None),
        }
    }

    /// Enters the next element, which must be a sequence.
    pub(crate) fn sequence(&mut self) -> Result<Items<'a>, Error> {
        Ok(Items::new(self.expect(Tag::Sequence)?.value, self.what))
    }

    pub(crate) fn oid(&mut self) -> Result<ObjectIdentifier, Error> {
        let item = self.expect(Tag::ObjectIdentifier)?;
        ObjectIdentifier::from_bytes(item.value)
            .map_err(|_| self.malformed("an object identifier is broken"))
    }

    /// Returns a small positive number.
    pub(crate) fn number(&mut self) -> Result<u32, Error> {
        let item = self.expect(Tag::Integer)?;
        u32::from_der(item.whole).map_err(|_| self.malformed("a number is negative or too large"))
    }

    /// Reads an algorithm with its parameters.
    pub(crate) fn algorithm(&mut self) -> Result<Algorithm<'a>, Error> {
        let mut inner = self.sequence()?;
        Ok(Algorithm { oid: inner.oid()?, parameters: inner.next()? })
    }
}

/// An `AlgorithmIdentifier`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Algorithm<'a> {
    pub(crate) oid: ObjectIdentifier,
    pub(crate) parameters: Option<Item<'a>>,
}

/// The tag `[number]`.
pub(crate) fn context(number: u32, constructed: bool) -> Tag {
    Tag::ContextSpecific { constructed, number: TagNumber(number) }
}
