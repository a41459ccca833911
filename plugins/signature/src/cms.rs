//! `SignedData` of CMS (RFC 5652), and of PKCS#7 before it: its parts, with their exact bytes.
//!
//! Reads only. What the parts prove is for `signer.rs`.

use const_oid::ObjectIdentifier;
use const_oid::db::{rfc5911, rfc6268};
use der::Tag;

use crate::algorithm::Digest;
use crate::asn1::{Algorithm, Item, Items, context};
use crate::ber::element;
use crate::certificate::{Certificate, MAX_CERTIFICATES, too_many};
use crate::error::{Error, ErrorKind};

/// Most attributes of a signer.
const MAX_ATTRIBUTES: usize = 100;

pub(crate) const CONTENT_TYPE: ObjectIdentifier = rfc5911::ID_CONTENT_TYPE;
pub(crate) const MESSAGE_DIGEST: ObjectIdentifier = rfc5911::ID_MESSAGE_DIGEST;
pub(crate) const SIGNING_TIME: ObjectIdentifier = rfc5911::ID_SIGNING_TIME;
pub(crate) const SIGNING_CERTIFICATE: ObjectIdentifier = rfc5911::ID_AA_SIGNING_CERTIFICATE;
pub(crate) const SIGNING_CERTIFICATE_V2: ObjectIdentifier = rfc5911::ID_AA_SIGNING_CERTIFICATE_V_2;
pub(crate) const TIME_STAMP_TOKEN: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.14");
pub(crate) const SIGNED_DATA: ObjectIdentifier = rfc6268::ID_SIGNED_DATA;
pub(crate) const DATA: ObjectIdentifier = rfc6268::ID_DATA;

/// A signature with what belongs to it.
pub(crate) struct SignedData<'a> {
    pub(crate) content_type: ObjectIdentifier,
    /// The signed content, if it is not elsewhere.
    pub(crate) content: Option<&'a [u8]>,
    pub(crate) certificates: Vec<Certificate>,
    /// What was left out of the certificates, one sentence each.
    pub(crate) unread_certificates: Vec<String>,
    pub(crate) signer_count: usize,
    /// The first signer.
    pub(crate) signer: SignerInfo<'a>,
}

/// How a signer names its certificate.
pub(crate) enum SignerId<'a> {
    IssuerAndSerial { issuer: &'a [u8], serial: &'a [u8] },
    KeyIdentifier(&'a [u8]),
}

/// One signer.
pub(crate) struct SignerInfo<'a> {
    pub(crate) id: SignerId<'a>,
    pub(crate) digest: Result<Digest, Error>,
    /// The signed attributes as the signature covers them: as a set.
    pub(crate) signed_bytes: Option<Vec<u8>>,
    pub(crate) signed: Vec<Attribute<'a>>,
    pub(crate) algorithm: Algorithm<'a>,
    pub(crate) signature: &'a [u8],
    pub(crate) unsigned: Vec<Attribute<'a>>,
}

/// An attribute with its values.
pub(crate) struct Attribute<'a> {
    pub(crate) id: ObjectIdentifier,
    pub(crate) values: &'a [u8],
}

impl<'a> SignerInfo<'a> {
    /// Returns the value of a signed attribute; `None` if there is none.
    ///
    /// # Errors
    /// [`ErrorKind::Malformed`] - it is there twice, or has not one value. Programs would read such a signature differently.
    pub(crate) fn signed_value(&self, id: ObjectIdentifier) -> Result<Option<Item<'a>>, Error> {
        single(&self.signed, id)
    }

    /// Does what [`signed_value`](Self::signed_value) does for an attribute that is not signed.
    pub(crate) fn unsigned_value(&self, id: ObjectIdentifier) -> Result<Option<Item<'a>>, Error> {
        single(&self.unsigned, id)
    }
}

fn single<'a>(
    attributes: &[Attribute<'a>],
    id: ObjectIdentifier,
) -> Result<Option<Item<'a>>, Error> {
    let mut matching = attributes.iter().filter(|attribute| attribute.id == id);
    let Some(attribute) = matching.next() else { return Ok(None) };
    let mut values = Items::new(attribute.values, "attribute of the signature");
    match (values.next()?, values.next()?, matching.next()) {
        (Some(value), None, None) => Ok(Some(value)),
        _ => Err(values.malformed(&format!("expected one value of {id}, got more or none"))),
    }
}

/// Reads a `ContentInfo` that holds `SignedData`, in DER.
pub(crate) fn read(der: &[u8]) -> Result<SignedData<'_>, Error> {
    let mut outer = Items::new(der, "CMS").sequence()?;
    let kind = outer.oid()?;
    if kind != SIGNED_DATA {
        return Err(Error::unsupported(format!(
            "expected signed data in the signature, got {kind}"
        )));
    }
    let content = outer.expect(context(0, true))?.value;
    let mut data = Items::new(content, "CMS").sequence()?;
    data.expect(Tag::Integer)?;
    data.expect(Tag::Set)?;
    let mut encapsulated = data.sequence()?;
    let content_type = encapsulated.oid()?;
    let content = match encapsulated.optional(context(0, true))? {
        // Before CMS, the content could be of any type; a digest is over its value then.
        Some(explicit) => {
            Items::new(explicit.value, "content of the CMS").next()?.map(|item| item.value)
        }
        None => None,
    };
    let (certificates, unread_certificates) = match data.optional(context(0, true))? {
        Some(set) => read_certificates(set.value)?,
        None => (Vec::new(), Vec::new()),
    };
    data.optional(context(1, true))?;
    let mut signers = Items::new(data.expect(Tag::Set)?.value, "signers of the CMS");
    let first = signers.next()?.ok_or_else(|| Error::malformed("the signature has no signer"))?;
    let mut signer_count = 1;
    while signers.next()?.is_some() {
        signer_count += 1;
    }
    let signer = read_signer(first.whole)?;
    Ok(SignedData {
        content_type,
        content,
        certificates,
        unread_certificates,
        signer_count,
        signer,
    })
}

fn read_certificates(set: &[u8]) -> Result<(Vec<Certificate>, Vec<String>), Error> {
    let mut items = Items::new(set, "certificates of the CMS");
    let (mut certificates, mut unread) = (Vec::new(), Vec::new());
    while let Some(item) = items.next()? {
        if certificates.len() + unread.len() == MAX_CERTIFICATES {
            return Err(too_many());
        }
        if item.tag != Tag::Sequence {
            unread.push("a certificate of another kind than X.509 was left out".to_owned());
            continue;
        }
        match Certificate::from_der(item.whole) {
            Ok(certificate) => certificates.push(certificate),
            Err(error) => unread.push(format!("a certificate was left out: {error}")),
        }
    }
    Ok((certificates, unread))
}

fn read_signer(der: &[u8]) -> Result<SignerInfo<'_>, Error> {
    let mut items = Items::new(der, "signer").sequence()?;
    items.expect(Tag::Integer)?;
    let id = match items.optional(context(0, false))? {
        Some(key) => SignerId::KeyIdentifier(key.value),
        None => {
            let mut name = items.sequence()?;
            let issuer = name.expect(Tag::Sequence)?.whole;
            SignerId::IssuerAndSerial { issuer, serial: name.expect(Tag::Integer)?.whole }
        }
    };
    let digest = Digest::from_oid(items.algorithm()?.oid);
    let signed = items.optional(context(0, true))?;
    let signed_bytes = signed.map(|item| element(0x31, item.value));
    let signed = signed.map_or(Ok(Vec::new()), |item| read_attributes(item.value))?;
    let algorithm = items.algorithm()?;
    let signature = items.expect(Tag::OctetString)?.value;
    let unsigned = items
        .optional(context(1, true))?
        .map_or(Ok(Vec::new()), |item| read_attributes(item.value))?;
    Ok(SignerInfo { id, digest, signed_bytes, signed, algorithm, signature, unsigned })
}

fn read_attributes(set: &[u8]) -> Result<Vec<Attribute<'_>>, Error> {
    let mut items = Items::new(set, "attributes of the signer");
    let mut attributes = Vec::new();
    while let Some(item) = items.next()? {
        if attributes.len() == MAX_ATTRIBUTES {
            let message =
                format!("expected at most {MAX_ATTRIBUTES} attributes of a signer, got more");
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let mut parts = Items::new(item.whole, "attribute of the signer").sequence()?;
        attributes.push(Attribute { id: parts.oid()?, values: parts.expect(Tag::Set)?.value });
    }
    Ok(attributes)
}
