//! BER as signers write it, to DER: lengths become definite and short, strings in pieces become one.
//!
//! What is DER already keeps its bytes, so digests and signatures over parts of it still hold. Knows no ASN.1 types.

use crate::error::{Error, ErrorKind};

/// Most bytes of a signature. Long chains with time stamps take some 50 KB.
pub const MAX_CONTENTS_BYTES: usize = 4 << 20;

/// Deepest nesting. A CMS with a time stamp in it reaches some 20.
const MAX_DEPTH: usize = 40;

/// Most elements, so that a file of empty ones does not cost more memory than its size suggests.
const MAX_ELEMENTS: usize = 200_000;

const OCTET_STRING: u8 = 0x04;
const CONSTRUCTED: u8 = 0x20;
const END_OF_CONTENTS: [u8; 2] = [0, 0];

/// One element in DER.
pub(crate) struct Der {
    /// The element, without what follows it.
    pub(crate) bytes: Vec<u8>,
    /// How many bytes of the input it takes.
    pub(crate) consumed: usize,
}

/// Reads the first element of `input`, and ignores what follows it.
pub(crate) fn to_der(input: &[u8]) -> Result<Der, Error> {
    if input.len() > MAX_CONTENTS_BYTES {
        let message = format!(
            "expected at most {MAX_CONTENTS_BYTES} bytes of a signature, got {}",
            input.len()
        );
        return Err(Error::new(ErrorKind::Limit, message));
    }
    let mut reader = Reader { input, at: 0, elements: 0 };
    let mut bytes = Vec::new();
    reader.element(input.len(), 0, &mut bytes)?;
    Ok(Der { bytes, consumed: reader.at })
}

struct Reader<'a> {
    input: &'a [u8],
    at: usize,
    elements: usize,
}

impl<'a> Reader<'a> {
    fn byte(&mut self, end: usize) -> Result<u8, Error> {
        if self.at >= end {
            return Err(self.malformed("an element is cut off"));
        }
        let byte = self.input[self.at];
        self.at += 1;
        Ok(byte)
    }

    fn malformed(&self, what: &str) -> Error {
        Error::malformed(format!("not ASN.1 at byte {} of the signature: {what}", self.at))
    }

    /// Returns the bytes of the tag.
    fn tag(&mut self, end: usize) -> Result<&'a [u8], Error> {
        let start = self.at;
        if self.byte(end)? & 0x1f == 0x1f {
            while self.byte(end)? & 0x80 != 0 {
                if self.at - start > 5 {
                    return Err(self.malformed("a tag is too long"));
                }
            }
        }
        Ok(&self.input[start..self.at])
    }

    /// Returns the length; `None` for an indefinite one.
    fn length(&mut self, end: usize) -> Result<Option<usize>, Error> {
        let first = self.byte(end)?;
        if first == 0x80 {
            return Ok(None);
        }
        if first < 0x80 {
            return Ok(Some(usize::from(first)));
        }
        let mut length = 0_usize;
        for _ in 0..first & 0x7f {
            length = length
                .checked_mul(256)
                .and_then(|high| high.checked_add(usize::from(self.byte(end).ok()?)))
                .ok_or_else(|| self.malformed("a length is too large"))?;
        }
        Ok(Some(length))
    }

    fn element(&mut self, end: usize, depth: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.elements += 1;
        if depth > MAX_DEPTH || self.elements > MAX_ELEMENTS {
            let message = format!(
                "the signature has more than {MAX_DEPTH} levels or {MAX_ELEMENTS} elements"
            );
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let tag = self.tag(end)?;
        let length = self.length(end)?;
        let inner_end = match length {
            Some(length) => match self.at.checked_add(length) {
                Some(inner_end) if inner_end <= end => inner_end,
                _ => return Err(self.malformed("a length reaches beyond the end")),
            },
            None if tag[0] & CONSTRUCTED == 0 => {
                return Err(self.malformed("a primitive element has no length"));
            }
            None => end,
        };
        if tag[0] & CONSTRUCTED == 0 {
            write(out, tag, &self.input[self.at..inner_end]);
            self.at = inner_end;
            return Ok(());
        }
        let mut content = Vec::new();
        if tag == [OCTET_STRING | CONSTRUCTED] {
            self.children(inner_end, length.is_none(), |reader| {
                let mut piece = Vec::new();
                reader.element(inner_end, depth + 1, &mut piece)?;
                let Some(value) = octets(&piece) else {
                    return Err(reader.malformed("a piece of a string is none"));
                };
                content.extend_from_slice(value);
                Ok(())
            })?;
            write(out, &[OCTET_STRING], &content);
        } else {
            self.children(inner_end, length.is_none(), |reader| {
                reader.element(inner_end, depth + 1, &mut content)
            })?;
            write(out, tag, &content);
        }
        Ok(())
    }

    /// Reads elements up to `end`, or up to the mark that ends an indefinite length.
    fn children(
        &mut self,
        end: usize,
        is_indefinite: bool,
        mut read: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        loop {
            if is_indefinite && self.input[self.at..end].starts_with(&END_OF_CONTENTS) {
                self.at += END_OF_CONTENTS.len();
                return Ok(());
            }
            if !is_indefinite && self.at == end {
                return Ok(());
            }
            read(self)?;
        }
    }
}

/// Returns the content of a primitive octet string that [`write`] wrote.
fn octets(der: &[u8]) -> Option<&[u8]> {
    if der.first() != Some(&OCTET_STRING) {
        return None;
    }
    let first = *der.get(1)?;
    let header = if first < 0x80 { 2 } else { 2 + usize::from(first & 0x7f) };
    der.get(header..)
}

fn write(out: &mut Vec<u8>, tag: &[u8], content: &[u8]) {
    out.extend_from_slice(tag);
    write_length(out, content.len());
    out.extend_from_slice(content);
}

fn write_length(out: &mut Vec<u8>, length: usize) {
    let bytes = length.to_be_bytes();
    let significant = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
    match significant {
        [] => out.push(0),
        [short] if *short < 0x80 => out.push(*short),
        // A `usize` has at most eight bytes.
        long => {
            out.push(0x80 | long.len() as u8);
            out.extend_from_slice(long);
        }
    }
}

/// Returns an element with a tag of one byte.
pub(crate) fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() + 6);
    write(&mut out, &[tag], content);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn der_keeps_its_bytes_and_what_follows_is_not_consumed() {
        let sequence = element(0x30, &[element(0x02, &[5]), element(0x04, &[7; 300])].concat());
        let mut padded = sequence.clone();
        padded.extend([0; 50]);
        let der = to_der(&padded).unwrap();
        assert_eq!(der.bytes, sequence);
        assert_eq!(der.consumed, sequence.len());
    }

    #[test]
    fn indefinite_lengths_and_strings_in_pieces_become_definite() {
        let input =
            [0x30, 0x80, 0x24, 0x80, 0x04, 1, 9, 0x04, 2, 8, 7, 0, 0, 0x02, 1, 3, 0, 0, 0xff];
        let der = to_der(&input).unwrap();
        assert_eq!(der.bytes, [0x30, 8, 0x04, 3, 9, 8, 7, 0x02, 1, 3]);
        assert_eq!(der.consumed, input.len() - 1);
    }

    #[test]
    fn long_forms_of_short_lengths_become_short() {
        assert_eq!(to_der(&[0x04, 0x83, 0, 0, 1, 9]).unwrap().bytes, [0x04, 1, 9]);
    }

    #[test]
    fn huge_lengths_deep_nesting_and_many_elements_are_refused() {
        let huge = [0x30, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(to_der(&huge).err().unwrap().kind(), ErrorKind::Malformed);
        assert_eq!(
            to_der(&[0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]).err().unwrap().kind(),
            ErrorKind::Malformed
        );
        let deep = [0x30, 0x80].repeat(100_000);
        assert_eq!(to_der(&deep).err().unwrap().kind(), ErrorKind::Limit);
        let many = element(0x30, &[5, 0].repeat(MAX_ELEMENTS));
        assert_eq!(to_der(&many).err().unwrap().kind(), ErrorKind::Limit);
        assert_eq!(
            to_der(&vec![0; MAX_CONTENTS_BYTES + 1]).err().unwrap().kind(),
            ErrorKind::Limit
        );
    }

    #[test]
    fn every_prefix_of_an_element_is_an_error() {
        let input = [0x30, 0x80, 0x24, 0x80, 0x04, 1, 9, 0, 0, 0x1f, 0x81, 1, 1, 3, 0, 0];
        assert!(to_der(&input).is_ok());
        for end in 0..input.len() {
            assert_eq!(to_der(&input[..end]).err().unwrap().kind(), ErrorKind::Malformed, "{end}");
        }
    }
}
