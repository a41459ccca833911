//! New signatures: CMS as PAdES B-B requires it, around a key that is elsewhere, and their place in a file.

use const_oid::ObjectIdentifier;
use const_oid::db::rfc5912;

use crate::algorithm::{Digest, PublicKey, Scheme};
use crate::ber::element;
use crate::certificate::{Certificate, MAX_CERTIFICATES, too_many};
use crate::chain::document_problem;
use crate::cms;
use crate::coverage::{self, Coverage, decode_hex};
use crate::error::{Error, ErrorKind};
use crate::finder::find_signatures;
use crate::time;

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OCTET_STRING: u8 = 0x04;
const OID: u8 = 0x06;
const NULL: [u8; 2] = [5, 0];

/// How to sign. Only what proves something today can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SigningAlgorithm {
    /// RSA with the padding of PKCS#1 1.5, which every reader knows.
    RsaPkcs1(Digest),
    /// RSA with PSS, and a salt as long as the digest.
    RsaPss(Digest),
    /// ECDSA.
    Ecdsa(Digest),
    /// Ed25519. Few readers know it.
    Ed25519,
}

impl SigningAlgorithm {
    /// Returns the digest of the signed bytes.
    pub fn digest(self) -> Digest {
        match self {
            SigningAlgorithm::RsaPkcs1(digest)
            | SigningAlgorithm::RsaPss(digest)
            | SigningAlgorithm::Ecdsa(digest) => digest,
            // RFC 8419 requires it.
            SigningAlgorithm::Ed25519 => Digest::Sha512,
        }
    }

    fn scheme(self) -> Scheme {
        match self {
            SigningAlgorithm::RsaPkcs1(digest) => Scheme::RsaPkcs1(digest),
            SigningAlgorithm::RsaPss(digest) => {
                Scheme::RsaPss { digest, salt_bytes: digest.hash(&[]).len() }
            }
            SigningAlgorithm::Ecdsa(digest) => Scheme::Ecdsa(digest),
            SigningAlgorithm::Ed25519 => Scheme::Ed25519,
        }
    }

    fn for_key(key: &PublicKey) -> Self {
        match key {
            PublicKey::Rsa(_) => SigningAlgorithm::RsaPkcs1(Digest::Sha256),
            PublicKey::P256(_) => SigningAlgorithm::Ecdsa(Digest::Sha256),
            PublicKey::P384(_) => SigningAlgorithm::Ecdsa(Digest::Sha384),
            PublicKey::Ed25519(_) => SigningAlgorithm::Ed25519,
        }
    }

    /// Returns the `AlgorithmIdentifier` in DER.
    fn der(self) -> Vec<u8> {
        let plain = |id: ObjectIdentifier| algorithm(id, &[]);
        match self {
            SigningAlgorithm::RsaPkcs1(Digest::Sha384) => {
                algorithm(rfc5912::SHA_384_WITH_RSA_ENCRYPTION, &NULL)
            }
            SigningAlgorithm::RsaPkcs1(Digest::Sha512) => {
                algorithm(rfc5912::SHA_512_WITH_RSA_ENCRYPTION, &NULL)
            }
            SigningAlgorithm::RsaPkcs1(_) => algorithm(rfc5912::SHA_256_WITH_RSA_ENCRYPTION, &NULL),
            SigningAlgorithm::RsaPss(digest) => {
                let hash = algorithm(digest.oid(), &NULL);
                let mask = algorithm(rfc5912::ID_MGF_1, &hash);
                // No digest is longer than 64 bytes.
                let salt = element(0x02, &[digest.hash(&[]).len() as u8]);
                let parameters =
                    [element(0xa0, &hash), element(0xa1, &mask), element(0xa2, &salt)].concat();
                algorithm(rfc5912::ID_RSASSA_PSS, &element(SEQUENCE, &parameters))
            }
            SigningAlgorithm::Ecdsa(Digest::Sha384) => plain(rfc5912::ECDSA_WITH_SHA_384),
            SigningAlgorithm::Ecdsa(Digest::Sha512) => plain(rfc5912::ECDSA_WITH_SHA_512),
            SigningAlgorithm::Ecdsa(_) => plain(rfc5912::ECDSA_WITH_SHA_256),
            SigningAlgorithm::Ed25519 => plain(const_oid::db::rfc8410::ID_ED_25519),
        }
    }
}

/// The private key of a certificate, which may be in another process.
pub type SignMessage<'a> = dyn Fn(SigningAlgorithm, &[u8]) -> Result<Vec<u8>, Error> + 'a;

/// Who signs, and how.
pub struct Signer<'a> {
    certificates: Vec<Certificate>,
    public_key: PublicKey,
    algorithm: SigningAlgorithm,
    sign: &'a SignMessage<'a>,
}

impl<'a> Signer<'a> {
    /// Returns a signer. The first of `certificates` is that of the key; the others are its issuers. `sign` makes the
    /// signature over a message, which it digests itself. Without an `algorithm`, the usual one of the key is used.
    ///
    /// # Errors
    /// [`ErrorKind::Certificate`] - there is none, it is not valid at `now` (seconds since 1970), or not for signatures.
    /// [`ErrorKind::Key`] - the algorithm is weak or not one of this key. [`ErrorKind::Limit`] - there are more than 64.
    pub fn new(
        certificates: Vec<Certificate>,
        algorithm: Option<SigningAlgorithm>,
        now: i64,
        sign: &'a SignMessage<'a>,
    ) -> Result<Self, Error> {
        if certificates.len() > MAX_CERTIFICATES {
            return Err(too_many());
        }
        let Some(own) = certificates.first() else {
            return Err(Error::new(ErrorKind::Certificate, "there is no certificate to sign with"));
        };
        if !own.is_valid_at(now) {
            let (start, end) = own.validity();
            let problem = if now < start { "is not valid yet" } else { "has expired" };
            let (now, start, end) = (time::text(now), time::text(start), time::text(end));
            let message = format!(
                "the certificate of `{}` {problem}: it is valid from {start} to {end}, now is {now}",
                own.subject
            );
            return Err(Error::new(ErrorKind::Certificate, message));
        }
        if let Some(problem) = document_problem(own) {
            return Err(Error::new(ErrorKind::Certificate, problem));
        }
        let public_key = own.public_key()?;
        if public_key.is_weak() {
            let message =
                format!("expected an RSA key of at least 2048 bits, got {}", public_key.name());
            return Err(Error::new(ErrorKind::Key, message));
        }
        let algorithm = algorithm.unwrap_or_else(|| SigningAlgorithm::for_key(&public_key));
        let fits = matches!(
            (&public_key, algorithm),
            (PublicKey::Rsa(_), SigningAlgorithm::RsaPkcs1(_) | SigningAlgorithm::RsaPss(_))
                | (PublicKey::P256(_) | PublicKey::P384(_), SigningAlgorithm::Ecdsa(_))
                | (PublicKey::Ed25519(_), SigningAlgorithm::Ed25519)
        );
        if !fits || algorithm.digest().is_weak() {
            let message = format!(
                "a key of {} does not sign with {}",
                public_key.name(),
                algorithm.scheme().name()
            );
            return Err(Error::new(ErrorKind::Key, message));
        }
        Ok(Signer { certificates, public_key, algorithm, sign })
    }

    /// Returns how many bytes of contents the signature needs at most. In the file, each is two digits.
    pub fn contents_bytes(&self) -> usize {
        let signature = match &self.public_key {
            PublicKey::Rsa(key) => rsa::traits::PublicKeyParts::size(&**key),
            PublicKey::P256(_) => 72,
            PublicKey::P384(_) => 104,
            PublicKey::Ed25519(_) => 64,
        };
        let attributes = self.signed_attributes(&self.algorithm.digest().hash(&[]));
        self.cms(&attributes, &vec![0; signature]).len()
    }

    /// Returns CMS in DER that signs the bytes, which are in parts.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] - the key made a signature that the certificate does not confirm. Those of the key.
    pub fn sign(&self, parts: &[&[u8]]) -> Result<Vec<u8>, Error> {
        let attributes = self.signed_attributes(&self.algorithm.digest().hash(parts));
        let message = element(SET, &attributes);
        let signature = (self.sign)(self.algorithm, &message)?;
        if !self.public_key.verify(self.algorithm.scheme(), &[&message], &signature)? {
            let message = format!(
                "the key does not belong to the certificate of `{}`",
                self.certificates[0].subject
            );
            return Err(Error::new(ErrorKind::Key, message));
        }
        Ok(self.cms(&attributes, &signature))
    }

    /// Returns the members of the set of signed attributes. PAdES allows no signing time among them.
    fn signed_attributes(&self, digest: &[u8]) -> Vec<u8> {
        let own = &self.certificates[0];
        let issuer = element(SEQUENCE, &element(0xa4, &own.issuer_der()));
        let issuer_serial = element(SEQUENCE, &[issuer, own.serial_der()].concat());
        // The digest SHA-256 is the default, and must not be written.
        let hash = element(OCTET_STRING, &Digest::Sha256.hash(&[own.der()]));
        let id = element(SEQUENCE, &[hash, issuer_serial].concat());
        let mut attributes = [
            attribute(cms::CONTENT_TYPE, &element(OID, cms::DATA.as_bytes())),
            attribute(cms::MESSAGE_DIGEST, &element(OCTET_STRING, digest)),
            attribute(cms::SIGNING_CERTIFICATE_V2, &element(SEQUENCE, &element(SEQUENCE, &id))),
        ];
        // DER sorts the members of a set.
        attributes.sort_unstable();
        attributes.concat()
    }

    fn cms(&self, attributes: &[u8], signature: &[u8]) -> Vec<u8> {
        let own = &self.certificates[0];
        let version = element(0x02, &[1]);
        let digest = algorithm(self.algorithm.digest().oid(), &[]);
        let signer = [
            version.clone(),
            element(SEQUENCE, &[own.issuer_der(), own.serial_der()].concat()),
            digest.clone(),
            element(0xa0, attributes),
            self.algorithm.der(),
            element(OCTET_STRING, signature),
        ];
        let mut certificates: Vec<&[u8]> = self.certificates.iter().map(Certificate::der).collect();
        certificates.sort_unstable();
        certificates.dedup();
        let data = [
            version,
            element(SET, &digest),
            element(SEQUENCE, &element(OID, cms::DATA.as_bytes())),
            element(0xa0, &certificates.concat()),
            element(SET, &element(SEQUENCE, &signer.concat())),
        ];
        let content = element(0xa0, &element(SEQUENCE, &data.concat()));
        element(SEQUENCE, &[element(OID, cms::SIGNED_DATA.as_bytes()), content].concat())
    }
}

/// Signs a file in which everything is in place but the signature: `/Contents` is a string of zeros in hexadecimal, and
/// `byte_range` covers all but that string. Returns the file with the signature in it.
///
/// # Errors
/// [`ErrorKind::Malformed`] - the byte range does not cover the file, is not written in it, or the contents are not zeros.
/// [`ErrorKind::Room`] - the string is too short; the message says how long it must be. Those of [`Signer::sign`].
pub fn sign_increment(
    mut placeholder: Vec<u8>,
    byte_range: [usize; 4],
    signer: &Signer,
) -> Result<Vec<u8>, Error> {
    let numbers = byte_range.map(|number| i64::try_from(number).unwrap_or(i64::MAX));
    let [start, length, after, _] = byte_range;
    let gap_start = start.saturating_add(length);
    let contents = placeholder
        .get(gap_start..after)
        .and_then(|gap| gap.strip_prefix(b"<")?.strip_suffix(b">"))
        .filter(|digits| digits.iter().all(|digit| *digit == b'0'))
        .and_then(decode_hex)
        .ok_or_else(|| {
            Error::malformed(
                "expected a string of zeros in the gap of the byte range, got something else",
            )
        })?;
    let ranges = coverage::check(&placeholder, &numbers, &contents);
    match &ranges.coverage {
        Coverage::WholeFile => {}
        Coverage::EarlierRevision { appended_bytes, .. } => {
            return Err(Error::malformed(format!(
                "the byte range leaves out the last {appended_bytes} bytes of the file"
            )));
        }
        Coverage::Suspicious { problems } => return Err(Error::malformed(problems.join("; "))),
    }
    if !find_signatures(&placeholder)
        .iter()
        .any(|found| found.byte_range == numbers && found.contents == contents)
    {
        return Err(Error::malformed(
            "the file has no signature dictionary with this byte range and these contents",
        ));
    }
    let parts = ranges
        .slices(&placeholder)
        .ok_or_else(|| Error::malformed("the byte range reaches beyond the file"))?;
    let needed = signer.contents_bytes();
    if needed > contents.len() {
        let message = format!(
            "the signature needs {needed} bytes of contents, but there is room for {}",
            contents.len()
        );
        return Err(Error::new(ErrorKind::Room, message));
    }
    let cms = signer.sign(&parts)?;
    if cms.len() > contents.len() {
        let message = format!(
            "the signature has {} bytes, but there is room for {}",
            cms.len(),
            contents.len()
        );
        return Err(Error::new(ErrorKind::Room, message));
    }
    let digits = crate::certificate::hex(&cms);
    placeholder[gap_start + 1..][..digits.len()].copy_from_slice(digits.as_bytes());
    Ok(placeholder)
}

fn algorithm(id: ObjectIdentifier, parameters: &[u8]) -> Vec<u8> {
    element(SEQUENCE, &[&element(OID, id.as_bytes()), parameters].concat())
}

fn attribute(id: ObjectIdentifier, value: &[u8]) -> Vec<u8> {
    element(SEQUENCE, &[element(OID, id.as_bytes()), element(SET, value)].concat())
}
