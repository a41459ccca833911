//! What the parts of `SignedData` prove: digest, signature, and which certificate it was.

use const_oid::db::rfc5912;
use der::Tag;

use crate::algorithm::{Digest, Scheme};
use crate::asn1::Items;
use crate::ber::element;
use crate::certificate::Certificate;
use crate::cms::{self, SignedData, SignerId};
use crate::error::Error;
use crate::report::{Check, Finding, SigningCertificate};

/// What was found of one signer.
pub(crate) struct SignerCheck<'a> {
    pub(crate) certificate: Option<&'a Certificate>,
    pub(crate) digest_algorithm: Option<Digest>,
    pub(crate) scheme: Option<Scheme>,
    pub(crate) digest: Check,
    pub(crate) signature: Check,
    pub(crate) signing_certificate: SigningCertificate,
    /// The claimed time in the signed attributes.
    pub(crate) time: Option<i64>,
    pub(crate) findings: Vec<Finding>,
}

/// Checks the signer of `data` against the content that it should have signed.
pub(crate) fn check<'a>(
    data: &'a SignedData,
    content: &[&[u8]],
    trusted: &'a [Certificate],
) -> SignerCheck<'a> {
    let signer = &data.signer;
    let mut findings = Vec::new();
    findings.extend(data.unread_certificates.iter().map(Finding::note));
    if data.signer_count != 1 {
        findings.push(Finding::suspicious(format!(
            "expected one signer, got {}; only the first was checked",
            data.signer_count
        )));
    }
    let certificate = find_certificate(data, trusted, &mut findings);
    let digest_algorithm = signer.digest.as_ref().ok().copied();
    let scheme = Scheme::read(signer.algorithm, digest_algorithm);
    let mut digest = match (&signer.digest, &signer.signed_bytes) {
        (Ok(algorithm), Some(_)) => attributes_digest(data, &algorithm.hash(content)),
        (Err(error), _) => Check::NotChecked(error.to_string()),
        (Ok(_), None) => Check::NotChecked("the signature has no digest of its own".to_owned()),
    };
    let signature = match (certificate, &scheme) {
        (_, Err(error)) => Check::NotChecked(error.to_string()),
        (None, _) => {
            Check::NotChecked("the certificate of the signer is not in the signature".to_owned())
        }
        (Some(certificate), Ok(scheme)) => {
            match verify(data, *scheme, certificate, content, &mut findings) {
                Ok(holds) => {
                    Check::of(holds, "the key of the certificate did not make this signature")
                }
                Err(error) => Check::NotChecked(error.to_string()),
            }
        }
    };
    if signer.signed_bytes.is_none() {
        // The signature is over the content itself, so the one stands for the other.
        digest = signature.clone();
    }
    if let (Some(declared), Ok(scheme)) = (digest_algorithm, &scheme)
        && scheme.digest().is_some_and(|used| used != declared)
    {
        findings.push(Finding::note(format!(
            "the digest is {}, but the signature is {}",
            declared.name(),
            scheme.name()
        )));
    }
    let time = match signer.signed_value(cms::SIGNING_TIME) {
        Ok(value) => value.and_then(|value| crate::time::parse_asn1(value.whole)),
        Err(error) => {
            findings.push(Finding::note(error.to_string()));
            None
        }
    };
    let signing_certificate = match certificate {
        Some(certificate) => signing_certificate(data, certificate),
        None => SigningCertificate::NotChecked(
            "the certificate of the signer is not in the signature".to_owned(),
        ),
    };
    findings.extend(weaknesses(digest_algorithm, scheme.as_ref().ok(), certificate));
    SignerCheck {
        certificate,
        digest_algorithm,
        scheme: scheme.ok(),
        digest,
        signature,
        signing_certificate,
        time,
        findings,
    }
}

fn find_certificate<'a>(
    data: &'a SignedData,
    trusted: &'a [Certificate],
    findings: &mut Vec<Finding>,
) -> Option<&'a Certificate> {
    let is_named = |certificate: &&Certificate| match data.signer.id {
        SignerId::IssuerAndSerial { issuer, serial } => {
            certificate.serial_der() == serial && certificate.issuer_der() == issuer
        }
        SignerId::KeyIdentifier(key) => certificate.key_identifier().is_some_and(|own| own == key),
    };
    let mut matching = data.certificates.iter().chain(trusted).filter(is_named);
    let first = matching.next()?;
    // Certificates of one key share its identifier; a name and number belong to one.
    let is_unique = matches!(data.signer.id, SignerId::IssuerAndSerial { .. });
    if is_unique && matching.any(|other| other.der() != first.der()) {
        findings.push(Finding::suspicious(
            "two different certificates have the name and number of the signer",
        ));
    }
    Some(first)
}

/// Compares the digest of the content with that in the signed attributes.
fn attributes_digest(data: &SignedData, computed: &[u8]) -> Check {
    let content_type = match data.signer.signed_value(cms::CONTENT_TYPE) {
        Ok(value) => value,
        Err(error) => return Check::Failed(error.to_string()),
    };
    match content_type.map(|value| Items::new(value.whole, "content type").oid()) {
        Some(Ok(kind)) if kind == data.content_type => {}
        Some(_) => {
            return Check::Failed(
                "the signed attributes are for another type of content".to_owned(),
            );
        }
        None => {
            return Check::Failed(
                "the signed attributes do not name the type of the content".to_owned(),
            );
        }
    }
    match data.signer.signed_value(cms::MESSAGE_DIGEST) {
        Ok(Some(value)) if value.tag == Tag::OctetString => {
            Check::of(value.value == computed, "their digest is not the one that was signed")
        }
        Ok(_) => Check::Failed("the signed attributes have no digest".to_owned()),
        Err(error) => Check::Failed(error.to_string()),
    }
}

fn verify(
    data: &SignedData,
    scheme: Scheme,
    certificate: &Certificate,
    content: &[&[u8]],
    findings: &mut Vec<Finding>,
) -> Result<bool, Error> {
    let key = certificate.public_key()?;
    let Some(signed_bytes) = &data.signer.signed_bytes else {
        return key.verify(scheme, content, data.signer.signature);
    };
    if key.verify(scheme, &[signed_bytes], data.signer.signature)? {
        return Ok(true);
    }
    // Some signers write the attributes in another order than the one that they signed.
    let sorted = sort_set(signed_bytes)?;
    let holds = sorted != *signed_bytes && key.verify(scheme, &[&sorted], data.signer.signature)?;
    if holds {
        findings.push(Finding::note("the signed attributes are not in the order of DER"));
    }
    Ok(holds)
}

fn sort_set(set: &[u8]) -> Result<Vec<u8>, Error> {
    let mut items = Items::new(
        Items::new(set, "signed attributes").expect(Tag::Set)?.value,
        "signed attributes",
    );
    let mut members = Vec::new();
    while let Some(item) = items.next()? {
        members.push(item.whole);
    }
    members.sort_unstable();
    Ok(element(0x31, &members.concat()))
}

/// Compares the certificate with the attribute that names it.
fn signing_certificate(data: &SignedData, certificate: &Certificate) -> SigningCertificate {
    let read = || -> Result<SigningCertificate, Error> {
        let (value, default) = match data.signer.signed_value(cms::SIGNING_CERTIFICATE_V2)? {
            Some(value) => (value, Digest::Sha256),
            None => match data.signer.signed_value(cms::SIGNING_CERTIFICATE)? {
                Some(value) => (value, Digest::Sha1),
                None => return Ok(SigningCertificate::Absent),
            },
        };
        let mut id =
            Items::new(value.whole, "signing certificate").sequence()?.sequence()?.sequence()?;
        let algorithm = match id.optional(Tag::Sequence)? {
            Some(item) if default == Digest::Sha256 => {
                Digest::from_oid(Items::new(item.whole, "signing certificate").algorithm()?.oid)?
            }
            Some(_) => return Err(id.malformed("expected a digest first")),
            None => default,
        };
        let expected = id.expect(Tag::OctetString)?.value;
        let is_same = algorithm.hash(&[certificate.der()]) == expected;
        Ok(if is_same { SigningCertificate::Matches } else { SigningCertificate::Differs })
    };
    read().unwrap_or_else(|error| SigningCertificate::NotChecked(error.to_string()))
}

fn weaknesses(
    digest: Option<Digest>,
    scheme: Option<&Scheme>,
    certificate: Option<&Certificate>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(digest) = digest
        && digest.is_weak()
    {
        findings
            .push(Finding::weak(format!("the digest of the signed bytes is {}", digest.name())));
    }
    if let Some(scheme) = scheme
        && scheme.digest().is_some_and(Digest::is_weak)
    {
        findings.push(Finding::weak(format!("the signature is made with {}", scheme.name())));
    }
    if let Some(Ok(key)) = certificate.map(Certificate::public_key)
        && key.is_weak()
    {
        findings.push(Finding::weak(format!("the key of the signer is short: {}", key.name())));
    }
    findings
}

/// Returns `true` if a certificate with these purposes can sign documents; `[]` restricts nothing.
pub(crate) fn may_sign_documents(purposes: &[const_oid::ObjectIdentifier]) -> bool {
    // Mail, any purpose, logging in, and documents as the IETF, Adobe and Microsoft name them.
    const DOCUMENTS: [&str; 3] =
        ["1.3.6.1.5.5.7.3.36", "1.2.840.113583.1.1.5", "1.3.6.1.4.1.311.10.3.12"];
    purposes.is_empty()
        || purposes.iter().any(|purpose| {
            [
                rfc5912::ID_KP_EMAIL_PROTECTION,
                rfc5912::ANY_EXTENDED_KEY_USAGE,
                rfc5912::ID_KP_CLIENT_AUTH,
            ]
            .contains(purpose)
                || DOCUMENTS.contains(&purpose.to_string().as_str())
        })
}
