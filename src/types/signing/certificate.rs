//! What is needed of a certificate: its owner, its validity, and its public key.

use x509_cert::certificate::{CertificateInner, Raw};
use x509_cert::der::Decode as _;

use super::problem::malformed;
use mitt_base::{Result, text};

/// Most characters of the name of an owner.
const MAX_NAME_CHARS: usize = 500;

/// A certificate.
pub(super) struct Certificate {
    pub(super) der: Vec<u8>,
    /// The owner, as RFC 4514 writes it.
    pub(super) subject: String,
    /// End of the validity, in seconds since 1970.
    pub(super) expires: i64,
    /// The bits of the public key.
    pub(super) public_key: Vec<u8>,
}

impl Certificate {
    /// Reads a certificate in DER. What follows it is left out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the bytes are none.
    pub(super) fn from_der(der: &[u8]) -> Result<Certificate> {
        // Serial numbers of some authorities break the rules of RFC 5280, so these are not checked.
        let (parsed, rest) = CertificateInner::<Raw>::from_der_partial(der)
            .map_err(|error| malformed(&format!("a certificate cannot be read: {error}")))?;
        // The bytes stay as they are, because the issuer signed them.
        let der = der[..der.len() - rest.len()].to_vec();
        let owner = parsed.tbs_certificate();
        let end = owner.validity().not_after.to_unix_duration().as_secs();
        let subject = owner.subject().to_string();
        Ok(Certificate {
            subject: text::one_line(&text::shortened(&subject, MAX_NAME_CHARS)),
            expires: i64::try_from(end).unwrap_or(i64::MAX),
            public_key: owner.subject_public_key_info().subject_public_key.raw_bytes().to_vec(),
            der,
        })
    }
}
