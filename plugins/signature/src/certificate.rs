//! Certificates: read once, with the exact bytes that their issuer signed.

use std::fmt::Write as _;

use base64::Engine as _;
use const_oid::ObjectIdentifier;
use const_oid::db::{rfc5280, rfc5912};
use der::{Decode as _, Encode as _, Tag};
use x509_cert::certificate::{CertificateInner, Raw};
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages};

use crate::algorithm::{Digest, PublicKey, Scheme};
use crate::asn1::Items;
use crate::error::{Error, ErrorKind};

/// Most certificates in a signature, and in a file of trusted ones.
pub const MAX_CERTIFICATES: usize = 64;

/// Most bytes of a certificate. Common ones have 2 KB.
const MAX_CERTIFICATE_BYTES: usize = 256 << 10;

/// Most characters of a name in a report.
const MAX_NAME_CHARS: usize = 500;

/// Extensions that are checked here, or that change nothing about what a signature means.
const KNOWN_EXTENSIONS: [ObjectIdentifier; 10] = [
    rfc5280::ID_CE_KEY_USAGE,
    rfc5280::ID_CE_BASIC_CONSTRAINTS,
    rfc5280::ID_CE_EXT_KEY_USAGE,
    rfc5280::ID_CE_CERTIFICATE_POLICIES,
    rfc5280::ID_CE_SUBJECT_ALT_NAME,
    rfc5280::ID_CE_ISSUER_ALT_NAME,
    rfc5280::ID_CE_SUBJECT_KEY_IDENTIFIER,
    rfc5280::ID_CE_CRL_DISTRIBUTION_POINTS,
    rfc5912::ID_CE_AUTHORITY_KEY_IDENTIFIER,
    rfc5912::ID_PE_AUTHORITY_INFO_ACCESS,
];

/// What a report says of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateInfo {
    /// The name of the owner as RFC 4514 writes it.
    pub subject: String,
    /// The name of the issuer.
    pub issuer: String,
    /// The serial number in hexadecimal.
    pub serial: String,
    /// Start of the validity, in seconds since 1970.
    pub not_before: i64,
    /// End of the validity, in seconds since 1970.
    pub not_after: i64,
    /// Kind and size of the key.
    pub public_key: String,
    /// What the key may be used for; empty if the certificate does not restrict it.
    pub key_usage: Vec<&'static str>,
    /// For which purposes; empty if the certificate does not restrict them.
    pub extended_key_usage: Vec<String>,
    /// `true` if the owner may issue certificates.
    pub is_authority: bool,
    /// SHA-256 of the certificate in hexadecimal.
    pub sha256: String,
}

/// A certificate.
#[derive(Clone, Debug)]
pub struct Certificate {
    der: Vec<u8>,
    /// Where the part is that the issuer signed.
    signed_part: std::ops::Range<usize>,
    parsed: CertificateInner<Raw>,
    pub(crate) subject: String,
    pub(crate) issuer: String,
}

impl Certificate {
    /// Reads a certificate in DER.
    ///
    /// # Errors
    /// [`ErrorKind::Malformed`] - the bytes are no certificate. [`ErrorKind::Limit`] - it is larger than 256 KB.
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        if der.len() > MAX_CERTIFICATE_BYTES {
            let message = format!(
                "expected at most {MAX_CERTIFICATE_BYTES} bytes of a certificate, got {}",
                der.len()
            );
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let mut outer = Items::new(der, "certificate");
        let outer = outer.expect(Tag::Sequence)?;
        let der = outer.whole;
        let first = Items::new(outer.value, "certificate").expect(Tag::Sequence)?;
        let start = der.len() - outer.value.len();
        let parsed = CertificateInner::<Raw>::from_der(der).map_err(|error| {
            Error::malformed(format!("the certificate cannot be read: {error}"))
        })?;
        let tbs = parsed.tbs_certificate();
        let (subject, issuer) =
            (readable(&tbs.subject().to_string()), readable(&tbs.issuer().to_string()));
        Ok(Certificate {
            der: der.to_vec(),
            signed_part: start..start + first.whole.len(),
            subject,
            issuer,
            parsed,
        })
    }

    /// Reads one certificate in DER, or all of a PEM file. Other blocks of a PEM file are ignored.
    ///
    /// # Errors
    /// [`ErrorKind::Malformed`] - there is no certificate, or it is broken. [`ErrorKind::Limit`] - there are more than 64.
    pub fn read_all(bytes: &[u8]) -> Result<Vec<Self>, Error> {
        if !is_pem(bytes) {
            return Ok(vec![Self::from_der(bytes)?]);
        }
        let mut certificates = Vec::new();
        for block in pem_blocks(bytes)? {
            if matches!(
                block.label.as_str(),
                "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE"
            ) {
                if certificates.len() == MAX_CERTIFICATES {
                    return Err(too_many());
                }
                certificates.push(Self::from_der(&block.der)?);
            }
        }
        if certificates.is_empty() {
            return Err(Error::malformed("the PEM file has no block `CERTIFICATE`"));
        }
        Ok(certificates)
    }

    /// Returns the certificate in DER.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// Returns what a report says of it.
    pub fn info(&self) -> CertificateInfo {
        let (not_before, not_after) = self.validity();
        CertificateInfo {
            subject: self.subject.clone(),
            issuer: self.issuer.clone(),
            serial: hex(self.serial()),
            not_before,
            not_after,
            public_key: self.public_key().map_or_else(|error| error.to_string(), |key| key.name()),
            key_usage: self.key_usage_names(),
            extended_key_usage: self.purposes().iter().map(|oid| purpose_name(*oid)).collect(),
            is_authority: self.basic_constraints().is_some_and(|constraints| constraints.ca),
            sha256: hex(&Digest::Sha256.hash(&[&self.der])),
        }
    }

    pub(crate) fn serial(&self) -> &[u8] {
        self.parsed.tbs_certificate().serial_number().as_bytes()
    }

    /// Returns start and end in seconds since 1970.
    pub(crate) fn validity(&self) -> (i64, i64) {
        let validity = self.parsed.tbs_certificate().validity();
        let seconds = |time: &x509_cert::time::Time| {
            i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX)
        };
        (seconds(&validity.not_before), seconds(&validity.not_after))
    }

    pub(crate) fn is_valid_at(&self, time: i64) -> bool {
        let (start, end) = self.validity();
        (start..=end).contains(&time)
    }

    /// Returns the name of the issuer in DER.
    pub(crate) fn issuer_der(&self) -> Vec<u8> {
        self.parsed.tbs_certificate().issuer().to_der().unwrap_or_default()
    }

    /// Returns the serial number in DER, with tag and length.
    pub(crate) fn serial_der(&self) -> Vec<u8> {
        self.parsed.tbs_certificate().serial_number().to_der().unwrap_or_default()
    }

    pub(crate) fn public_key(&self) -> Result<PublicKey, Error> {
        let spki = self.parsed.tbs_certificate().subject_public_key_info();
        let der = spki.algorithm.to_der().map_err(|error| Error::malformed(error.to_string()))?;
        PublicKey::read(
            Items::new(&der, "public key").algorithm()?,
            spki.subject_public_key.raw_bytes(),
        )
    }

    /// `true` if this certificate names itself as its issuer.
    pub(crate) fn is_self_issued(&self) -> bool {
        self.subject == self.issuer
    }

    /// Returns how the issuer signed it.
    pub(crate) fn scheme(&self) -> Result<Scheme, Error> {
        let der = self
            .parsed
            .signature_algorithm()
            .to_der()
            .map_err(|error| Error::malformed(error.to_string()))?;
        Scheme::read(Items::new(&der, "signature of a certificate").algorithm()?, None)
    }

    /// Returns `true` if the owner of `issuer` signed this certificate.
    pub(crate) fn is_signed_by(&self, issuer: &PublicKey) -> Result<bool, Error> {
        let signed = &self.der[self.signed_part.clone()];
        issuer.verify(self.scheme()?, &[signed], self.parsed.signature().raw_bytes())
    }

    fn extension<T: for<'a> der::Decode<'a, Error = der::Error>>(
        &self,
        id: ObjectIdentifier,
    ) -> Option<T> {
        let extensions = self.parsed.tbs_certificate().extensions()?;
        let extension = extensions.iter().find(|extension| extension.extn_id == id)?;
        T::from_der(extension.extn_value.as_bytes()).ok()
    }

    pub(crate) fn basic_constraints(&self) -> Option<BasicConstraints> {
        self.extension(rfc5280::ID_CE_BASIC_CONSTRAINTS)
    }

    /// Returns `None` if the certificate does not restrict what the key is for.
    pub(crate) fn key_usage(&self) -> Option<KeyUsage> {
        self.extension(rfc5280::ID_CE_KEY_USAGE)
    }

    /// Returns the identifiers of the purposes. The list is empty if the certificate does not restrict them.
    pub(crate) fn purposes(&self) -> Vec<ObjectIdentifier> {
        self.extension::<ExtendedKeyUsage>(rfc5280::ID_CE_EXT_KEY_USAGE)
            .map_or_else(Vec::new, |usage| usage.0)
    }

    /// Returns the identifier of this certificate for its owner's key, as signers and issued certificates name it.
    pub(crate) fn key_identifier(&self) -> Option<Vec<u8>> {
        let found: Option<der::asn1::OctetString> =
            self.extension(rfc5280::ID_CE_SUBJECT_KEY_IDENTIFIER);
        found.map(|octets| octets.as_bytes().to_vec())
    }

    /// Returns the critical extensions that this crate does not check, so that nobody can rely on the certificate.
    pub(crate) fn unknown_critical_extensions(&self) -> Vec<ObjectIdentifier> {
        let extensions = self
            .parsed
            .tbs_certificate()
            .extensions()
            .map_or(&[][..], |extensions| extensions.as_slice());
        let unknown = |id: &ObjectIdentifier| !KNOWN_EXTENSIONS.contains(id);
        extensions
            .iter()
            .filter(|extension| extension.critical)
            .map(|extension| extension.extn_id)
            .filter(unknown)
            .collect()
    }

    /// `true` if an extension that is known here cannot be read, so that what it forbids is unknown.
    pub(crate) fn has_broken_extension(&self) -> bool {
        let has = |id| {
            let extensions = self.parsed.tbs_certificate().extensions();
            extensions.is_some_and(|extensions| {
                extensions.iter().any(|extension| extension.extn_id == id)
            })
        };
        (has(rfc5280::ID_CE_KEY_USAGE) && self.key_usage().is_none())
            || (has(rfc5280::ID_CE_BASIC_CONSTRAINTS) && self.basic_constraints().is_none())
            || (has(rfc5280::ID_CE_EXT_KEY_USAGE) && self.purposes().is_empty())
    }

    fn key_usage_names(&self) -> Vec<&'static str> {
        let Some(usage) = self.key_usage() else { return Vec::new() };
        let name = |flag| match flag {
            KeyUsages::DigitalSignature => "digitalSignature",
            KeyUsages::NonRepudiation => "nonRepudiation",
            KeyUsages::KeyEncipherment => "keyEncipherment",
            KeyUsages::DataEncipherment => "dataEncipherment",
            KeyUsages::KeyAgreement => "keyAgreement",
            KeyUsages::KeyCertSign => "keyCertSign",
            KeyUsages::CRLSign => "cRLSign",
            KeyUsages::EncipherOnly => "encipherOnly",
            KeyUsages::DecipherOnly => "decipherOnly",
        };
        usage.0.into_iter().map(name).collect()
    }
}

fn purpose_name(oid: ObjectIdentifier) -> String {
    const_oid::db::DB.by_oid(&oid).map_or_else(|| oid.to_string(), str::to_owned)
}

pub(crate) fn too_many() -> Error {
    Error::new(
        ErrorKind::Limit,
        format!("expected at most {MAX_CERTIFICATES} certificates, got more"),
    )
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns `text` without characters that would change how a report looks, and not too long.
pub(crate) fn readable(text: &str) -> String {
    let mut out = String::new();
    for (count, letter) in text.chars().enumerate() {
        if count == MAX_NAME_CHARS {
            out.push('…');
            break;
        }
        let is_format = matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if letter.is_control() || is_format || letter == '\u{feff}' {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

/// A block of a PEM file.
pub(crate) struct PemBlock {
    pub(crate) label: String,
    /// Header lines, which old encrypted keys have.
    #[cfg_attr(not(feature = "key"), expect(dead_code, reason = "only keys have headers"))]
    pub(crate) has_headers: bool,
    pub(crate) der: Vec<u8>,
}

pub(crate) fn is_pem(bytes: &[u8]) -> bool {
    bytes.windows(11).any(|window| window == b"-----BEGIN ")
}

/// Returns the blocks of a PEM file. What is between them is ignored.
pub(crate) fn pem_blocks(bytes: &[u8]) -> Result<Vec<PemBlock>, Error> {
    let text = String::from_utf8_lossy(bytes);
    let mut blocks = Vec::new();
    let mut rest = text.as_ref();
    while let Some((_, after)) = rest.split_once("-----BEGIN ") {
        let cut_off = || Error::malformed("a PEM block is cut off");
        let (label, after) = after.split_once("-----").ok_or_else(cut_off)?;
        let (body, after) =
            after.split_once(&format!("-----END {label}-----")).ok_or_else(cut_off)?;
        rest = after;
        let has_headers = body.lines().any(|line| line.contains(':'));
        let digits: String = body
            .lines()
            .filter(|line| !line.contains(':'))
            .flat_map(|line| line.chars().filter(|letter| !letter.is_whitespace()))
            .collect();
        let der = base64::engine::general_purpose::STANDARD.decode(digits).map_err(|_| {
            Error::malformed(format!("the PEM block `{}` is not base64", readable(label)))
        })?;
        if blocks.len() > 4 * MAX_CERTIFICATES {
            return Err(Error::new(ErrorKind::Limit, "the PEM file has too many blocks"));
        }
        blocks.push(PemBlock { label: label.to_owned(), has_headers, der });
    }
    Ok(blocks)
}
