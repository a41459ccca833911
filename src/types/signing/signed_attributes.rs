//! Recognises what a signature of CMS covers, so that a key signs documents and nothing else.
//!
//! A key of an operator may also open connections or sign programs. A plugin that could have any bytes signed could do that, too.

use ring::digest::{SHA256, digest};
use x509_cert::der::asn1::{AnyRef, ObjectIdentifier};
use x509_cert::der::{Decode as _, Tag, Tagged as _};

/// `id-data` (RFC 5652, 4).
const DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
/// `id-contentType` (RFC 5652, 11.1).
const CONTENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.3");
/// `id-messageDigest` (RFC 5652, 11.2).
const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");
/// `id-aa-signingCertificateV2` (RFC 5035, 3).
const SIGNING_CERTIFICATE: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.47");

/// Lengths of SHA-256, SHA-384 and SHA-512, in bytes.
const DIGEST_BYTES: [usize; 3] = [32, 48, 64];

/// Returns `true` if `message` is the set of signed attributes that PAdES B-B (ETSI EN 319 142-1, 6.3) requires, in DER, and no
/// more: the content type `data`, a digest, and the SHA-256 of `certificate`.
pub(super) fn are_signed_attributes(message: &[u8], certificate: &[u8]) -> bool {
    attributes(message, certificate).is_some()
}

/// Returns `None` if an attribute is missing, unknown, there twice, or has another value.
fn attributes(message: &[u8], certificate: &[u8]) -> Option<()> {
    let mut rest = only(message, Tag::Set)?;
    let mut seen = Vec::new();
    while !rest.is_empty() {
        let (attribute, after) = first(rest, Tag::Sequence)?;
        rest = after;
        let (id, values) = first(attribute, Tag::ObjectIdentifier)?;
        let id = ObjectIdentifier::from_bytes(id).ok()?;
        let value = only(values, Tag::Set)?;
        let is_right = match id {
            CONTENT_TYPE => only(value, Tag::ObjectIdentifier)? == DATA.as_bytes(),
            MESSAGE_DIGEST => DIGEST_BYTES.contains(&only(value, Tag::OctetString)?.len()),
            SIGNING_CERTIFICATE => names(value, certificate)?,
            _ => false,
        };
        if !is_right || seen.contains(&id) {
            return None;
        }
        seen.push(id);
    }
    (seen.len() == 3).then_some(())
}

/// Returns `true` if a `SigningCertificateV2` names this certificate alone.
fn names(value: &[u8], certificate: &[u8]) -> Option<bool> {
    let certificates = only(only(value, Tag::Sequence)?, Tag::Sequence)?;
    let one = only(certificates, Tag::Sequence)?;
    // SHA-256 is the default, so that its name is not written.
    let (hash, _) = first(one, Tag::OctetString)?;
    Some(hash == digest(&SHA256, certificate).as_ref())
}

/// Returns the content of the first element, and what follows it; `None` if the element has another tag.
fn first(bytes: &[u8], tag: Tag) -> Option<(&[u8], &[u8])> {
    let (element, rest) = AnyRef::from_der_partial(bytes).ok()?;
    (element.tag() == tag).then(|| (element.value(), rest))
}

/// Returns the content of the only element.
fn only(bytes: &[u8], tag: Tag) -> Option<&[u8]> {
    first(bytes, tag).filter(|(_, rest)| rest.is_empty()).map(|(content, _)| content)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &[u8] = b"certificate";

    fn element(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).unwrap();
        match length {
            0..128 => [&[tag, length], content].concat(),
            _ => [&[tag, 0x81, length], content].concat(),
        }
    }

    fn attribute(id: ObjectIdentifier, value: &[u8]) -> Vec<u8> {
        element(0x30, &[element(6, id.as_bytes()), element(0x31, value)].concat())
    }

    fn signing_certificate(certificate: &[u8]) -> Vec<u8> {
        let hash = element(4, digest(&SHA256, certificate).as_ref());
        let id = element(0x30, &element(0x30, &element(0x30, &hash)));
        attribute(SIGNING_CERTIFICATE, &id)
    }

    #[test]
    fn only_signed_attributes_of_the_certificate_are_recognised() {
        let kind = attribute(CONTENT_TYPE, &element(6, DATA.as_bytes()));
        let digest = attribute(MESSAGE_DIGEST, &element(4, &[7; 48]));
        let own = signing_certificate(CERTIFICATE);
        let set = |parts: &[&[u8]]| element(0x31, &parts.concat());
        let is_signed = |message: &[u8]| are_signed_attributes(message, CERTIFICATE);
        let good = set(&[&kind, &digest, &own]);
        assert!(is_signed(&good));

        let other_kind = attribute(CONTENT_TYPE, &element(6, MESSAGE_DIGEST.as_bytes()));
        let short = attribute(MESSAGE_DIGEST, &element(4, &[7; 20]));
        let unknown = attribute(DATA, &element(4, b"x"));
        let wrong: [(&str, Vec<u8>); 11] = [
            ("any bytes", b"GET / HTTP/1.1".to_vec()),
            ("nothing", Vec::new()),
            ("an empty set", set(&[])),
            ("no certificate", set(&[&kind, &digest])),
            ("no digest", set(&[&kind, &own])),
            ("another certificate", set(&[&kind, &digest, &signing_certificate(b"other")])),
            ("another content", set(&[&other_kind, &digest, &own])),
            ("a short digest", set(&[&kind, &short, &own])),
            ("an attribute more", set(&[&kind, &digest, &own, &unknown])),
            ("an attribute twice", set(&[&kind, &digest, &digest, &own])),
            ("bytes after it", [&good[..], b"x"].concat()),
        ];
        for (what, message) in wrong {
            assert!(!is_signed(&message), "{what}");
        }
        // A sequence is no set: the first byte is all that tells a certificate request from signed attributes.
        let mut sequence = good;
        sequence[0] = 0x30;
        assert!(!is_signed(&sequence));
    }
}
