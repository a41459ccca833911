//! S/MIME in one message (CMS): a signed mail contains its content unencrypted. Signatures are not checked.

/// Most levels of nested structures.
const MAX_DEPTH: usize = 24;

const SIGNED: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2];
const ENVELOPED: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 3];
/// `AuthEnvelopedData`: encrypted with authentication.
const AUTHENTICATED: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 16, 1, 23];

/// The content of a CMS message.
#[derive(Debug, PartialEq)]
pub(crate) enum Cms {
    /// The content of a signed message.
    Signed(Vec<u8>),
    Encrypted,
    Unknown,
}

/// Parses a CMS message.
pub(crate) fn open(bytes: &[u8]) -> Cms {
    let Some((outer, _)) = value(bytes) else { return Cms::Unknown };
    let Some((kind, rest)) = value(outer.content) else { return Cms::Unknown };
    match kind.content {
        ENVELOPED | AUTHENTICATED => Cms::Encrypted,
        SIGNED => match value(rest)
            .and_then(|(explicit, _)| value(explicit.content))
            .and_then(|(signed, _)| content(signed.content))
        {
            Some(content) => Cms::Signed(content),
            None => Cms::Unknown,
        },
        _ => Cms::Unknown,
    }
}

/// Returns the signed content, which follows the version and the algorithms.
fn content(signed: &[u8]) -> Option<Vec<u8>> {
    let (_version, rest) = value(signed)?;
    let (_algorithms, rest) = value(rest)?;
    let (inner, _) = value(rest)?;
    let (_kind, rest) = value(inner.content)?;
    let (explicit, _) = value(rest)?;
    let mut out = Vec::new();
    push_octets(explicit.content, &mut out, 0)?;
    (!out.is_empty()).then_some(out)
}

/// Appends an octet string, which may have several pieces.
fn push_octets(mut bytes: &[u8], out: &mut Vec<u8>, depth: usize) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    while !bytes.is_empty() {
        let (next, rest) = value(bytes)?;
        match next.tag {
            0x04 => out.extend_from_slice(next.content),
            0x24 => push_octets(next.content, out, depth + 1)?,
            _ => return None,
        }
        bytes = rest;
    }
    Some(())
}

struct Value<'a> {
    tag: u8,
    content: &'a [u8],
}

/// Returns the first value, and the rest.
fn value(bytes: &[u8]) -> Option<(Value<'_>, &[u8])> {
    let tag = *bytes.first()?;
    let (length, at) = length(bytes)?;
    let rest = bytes.get(at..)?;
    let Some(length) = length else {
        let end = end(rest)?;
        return Some((Value { tag, content: rest.get(..end)? }, rest.get(end + 2..)?));
    };
    // The last value may be truncated.
    let length = length.min(rest.len());
    Some((Value { tag, content: rest.get(..length)? }, rest.get(length..)?))
}

/// Returns the length of a value, `None` for an indefinite one, and the start of its content.
fn length(bytes: &[u8]) -> Option<(Option<usize>, usize)> {
    match *bytes.get(1)? {
        0x80 => Some((None, 2)),
        short @ 0..0x80 => Some((Some(usize::from(short)), 2)),
        long => {
            let count = usize::from(long & 0x7f);
            let digits = bytes.get(2..2 + count).filter(|_| count <= 4)?;
            let length = digits.iter().fold(0_u64, |sum, digit| sum << 8 | u64::from(*digit));
            Some((usize::try_from(length).ok(), 2 + count))
        }
    }
}

/// Returns the offset of the mark that ends a value of indefinite length.
fn end(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut open) = (0, 1_usize);
    loop {
        let rest = bytes.get(at..)?;
        if rest.starts_with(&[0, 0]) {
            open -= 1;
            if open == 0 {
                return Some(at);
            }
            at += 2;
            continue;
        }
        let (length, head) = length(rest)?;
        match length {
            Some(length) => at = at.checked_add(head)?.checked_add(length)?,
            None => {
                open += 1;
                at += head;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, content.len() as u8], content].concat()
    }

    fn message(kind: &[u8], octets: &[u8]) -> Vec<u8> {
        let data = [der(6, &[0x2a]), der(0xa0, octets)].concat();
        let signed = [der(2, &[1]), der(0x31, &[]), der(0x30, &data)].concat();
        der(0x30, &[der(6, kind), der(0xa0, &der(0x30, &signed))].concat())
    }

    #[test]
    fn what_is_signed_lies_bare() {
        assert_eq!(open(&message(SIGNED, &der(4, b"mail"))), Cms::Signed(b"mail".to_vec()));
        let pieces = der(0x24, &[der(4, b"ma"), der(4, b"il")].concat());
        assert_eq!(open(&message(SIGNED, &pieces)), Cms::Signed(b"mail".to_vec()));
        let marked = [&[0x24, 0x80][..], &der(4, b"mail"), &[0, 0]].concat();
        assert_eq!(open(&message(SIGNED, &marked)), Cms::Signed(b"mail".to_vec()));
        assert_eq!(open(&message(ENVELOPED, &der(4, b"x"))), Cms::Encrypted);
        for bytes in
            [&b""[..], b"\x30", b"\x30\x80", b"\x30\x84\xff\xff\xff\xff\x06\x80", b"\x30\xff"]
        {
            assert_eq!(open(bytes), Cms::Unknown);
        }
    }
}
