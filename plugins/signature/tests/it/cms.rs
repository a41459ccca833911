//! CMS of tests, in which each part can be wrong.

use mitt_signature::{Certificate, Digest, SignatureInput};

use crate::pdf::Placeholder;
use crate::pki::{How, Key, digest_algorithm, hash, name, oid, tlv};

pub(crate) const DATA: &str = "1.2.840.113549.1.7.1";
pub(crate) const TIME_STAMP_INFO: &str = "1.2.840.113549.1.9.16.1.4";
const SIGNED_DATA: &str = "1.2.840.113549.1.7.2";
const TIME_STAMP_TOKEN: &str = "1.2.840.113549.1.9.16.2.14";

pub(crate) struct Cms<'a> {
    pub(crate) key: &'a Key,
    pub(crate) certificates: Vec<Certificate>,
    pub(crate) issuer: &'a str,
    pub(crate) digest: Digest,
    pub(crate) content_type: &'a str,
    /// Content that is in the CMS.
    pub(crate) content: Option<Vec<u8>>,
    pub(crate) has_attributes: bool,
    /// The certificate that the attributes name.
    pub(crate) named: Option<Certificate>,
    /// More signed attributes.
    pub(crate) signed: Vec<Vec<u8>>,
    pub(crate) unsigned: Vec<Vec<u8>>,
    /// The signer is named by the identifier of its key.
    pub(crate) by_key: bool,
    pub(crate) signer_count: usize,
    /// The attributes are written in another order than the signed one.
    pub(crate) is_unsorted: bool,
}

impl<'a> Cms<'a> {
    pub(crate) fn new(key: &'a Key, certificates: Vec<Certificate>) -> Self {
        Cms {
            key,
            named: certificates.first().cloned(),
            certificates,
            issuer: "Middle",
            digest: Digest::Sha256,
            content_type: DATA,
            content: None,
            has_attributes: true,
            signed: Vec::new(),
            unsigned: Vec::new(),
            by_key: false,
            signer_count: 1,
            is_unsorted: false,
        }
    }

    pub(crate) fn make(&self, content: &[u8]) -> Vec<u8> {
        self.make_with_stamp(content, |_| None)
    }

    /// Signs, and adds the time stamp that `stamp` returns for the signature.
    pub(crate) fn make_with_stamp(
        &self,
        content: &[u8],
        stamp: impl Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Vec<u8> {
        let mut attributes = vec![
            attribute("1.2.840.113549.1.9.3", &oid(self.content_type)),
            attribute("1.2.840.113549.1.9.4", &tlv(4, &[&hash(self.digest, content)])),
        ];
        if let Some(named) = &self.named {
            let id = tlv(0x30, &[&tlv(4, &[&hash(Digest::Sha256, named.der())])]);
            attributes
                .push(attribute("1.2.840.113549.1.9.16.2.47", &tlv(0x30, &[&tlv(0x30, &[&id])])));
        }
        attributes.extend(self.signed.clone());
        attributes.sort();
        let message =
            if self.has_attributes { tlv(0x31, &[&attributes.concat()]) } else { content.to_vec() };
        let (algorithm, signature) = self.key.sign(How::Usual(self.digest), &message);
        if self.is_unsorted {
            attributes.reverse();
        }
        let mut unsigned = self.unsigned.clone();
        unsigned.extend(stamp(&signature).map(|token| attribute(TIME_STAMP_TOKEN, &token)));
        let id = if self.by_key {
            tlv(0x80, &[&[7; 20]])
        } else {
            tlv(0x30, &[&name(self.issuer), &[2, 1, 7]])
        };
        let mut signer = vec![vec![2, 1, 1], id, digest_algorithm(self.digest)];
        if self.has_attributes {
            signer.push(tlv(0xa0, &[&attributes.concat()]));
        }
        signer.extend([algorithm, tlv(4, &[&signature])]);
        if !unsigned.is_empty() {
            signer.push(tlv(0xa1, &[&unsigned.concat()]));
        }
        let signer = tlv(0x30, &[&signer.concat()]);
        let content = self
            .content
            .as_ref()
            .map_or_else(Vec::new, |content| tlv(0xa0, &[&tlv(4, &[content])]));
        let certificates: Vec<u8> =
            self.certificates.iter().flat_map(|certificate| certificate.der().to_vec()).collect();
        let data = tlv(
            0x30,
            &[
                &[2, 1, 1],
                &tlv(0x31, &[&digest_algorithm(self.digest)]),
                &tlv(0x30, &[&oid(self.content_type), &content]),
                &tlv(0xa0, &[&certificates]),
                &tlv(0x31, &[&signer.repeat(self.signer_count)]),
            ],
        );
        tlv(0x30, &[&oid(SIGNED_DATA), &tlv(0xa0, &[&data])])
    }
}

pub(crate) fn attribute(id: &str, value: &[u8]) -> Vec<u8> {
    tlv(0x30, &[&oid(id), &tlv(0x31, &[value])])
}

/// Returns a time stamp for `stamped`.
pub(crate) fn time_stamp(
    key: &Key,
    certificates: Vec<Certificate>,
    stamped: &[u8],
    time: &str,
) -> Vec<u8> {
    let imprint =
        tlv(0x30, &[&digest_algorithm(Digest::Sha256), &tlv(4, &[&hash(Digest::Sha256, stamped)])]);
    let parts: [&[u8]; 5] =
        [&[2, 1, 1], &oid("1.2.3"), &imprint, &[2, 1, 9], &tlv(0x18, &[time.as_bytes()])];
    let info = tlv(0x30, &parts);
    let cms = Cms {
        content_type: TIME_STAMP_INFO,
        content: Some(info.clone()),
        ..Cms::new(key, certificates)
    };
    cms.make(&info)
}

/// A file with a signature in it, and its dictionary.
pub(crate) struct Signed {
    pub(crate) pdf: Vec<u8>,
    pub(crate) input: SignatureInput,
}

/// Puts what `make` returns for the signed bytes into a file.
pub(crate) fn signed(subfilter: &str, make: impl FnOnce(&[u8]) -> Vec<u8>) -> Signed {
    const ROOM: usize = 30_000;
    let Placeholder { mut pdf, byte_range } = crate::pdf::placeholder(subfilter, ROOM);
    let [_, gap, after, _] = byte_range;
    let mut contents = make(&[&pdf[..gap], &pdf[after..]].concat());
    assert!(contents.len() <= ROOM, "{}", contents.len());
    contents.resize(ROOM, 0);
    let digits: String = contents.iter().map(|byte| format!("{byte:02X}")).collect();
    pdf[gap + 1..after - 1].copy_from_slice(digits.as_bytes());
    let [input] = <[SignatureInput; 1]>::try_from(mitt_signature::find_signatures(&pdf)).unwrap();
    assert_eq!(input.contents, contents);
    Signed { pdf, input }
}
