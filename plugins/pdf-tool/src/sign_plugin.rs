//! Signs with a key of the host: converts between its interface and the library of signatures.

use crate::bindings::exports::mitt::pdf_tool::tools as wit;
use crate::bindings::mitt::host::types::Error;
use crate::bindings::mitt::host::{files, signing};
use crate::text::line;
use crate::{Appearance, Pdf, SignedFile, Signing, Typesetter};
use mitt_signature::{Certificate, Digest, ErrorKind, Signer, SigningAlgorithm};

/// Converts what a signature shows, and reads its picture.
pub(crate) fn appearance(it: wit::SignAppearance) -> Result<Appearance, Error> {
    let rect = it.rect.filter(|it| !it.is_empty()).map(|it| {
        it.try_into().map_err(|_| {
            Error::InvalidArgument(
                "expected a `rect` of left, bottom, right, top in points".to_owned(),
            )
        })
    });
    let picture = it.picture.filter(|it| !it.trim().is_empty());
    let picture = picture.map(|name| files::read(&name).map(|content| (name, content)));
    Ok(Appearance {
        page: it.page.map(|it| it as usize),
        rect: rect.transpose()?,
        text: it.text.filter(|it| !it.trim().is_empty()),
        picture: picture.transpose()?,
    })
}

/// Returns the key of this name; the only one if there is no name.
fn chosen(
    keys: Vec<signing::SigningKey>,
    name: Option<&str>,
) -> Result<signing::SigningKey, Error> {
    let names: Vec<String> =
        keys.iter().map(|it| format!("`{}` ({})", it.name, line(&it.subject, 100))).collect();
    let count = keys.len();
    let found = match name {
        Some(name) => keys.into_iter().find(|it| it.name == name),
        None => keys.into_iter().next().filter(|_| count == 1),
    };
    found.ok_or_else(|| match name {
        Some(name) => Error::NotFound(format!(
            "there is no key `{}`; the operator has named {}",
            line(name, 100),
            names.join(", ")
        )),
        None => Error::InvalidArgument(format!(
            "the operator has named several keys; ask the user, then name one as `key`: {}",
            names.join(", ")
        )),
    })
}

/// Signs a document of the session. Returns what was done, in sentences.
pub(crate) fn sign(
    document: &str,
    key: Option<&str>,
    signing: &Signing,
    typesetter: &dyn Typesetter,
) -> Result<(SignedFile, Vec<String>), Error> {
    let means = signing::means()?;
    let key = chosen(means.keys, key)?;
    let pdf = Pdf::open(files::read(document)?, None)?;
    let refused = |error: mitt_signature::Error| {
        Error::Unsupported(format!("the key `{}`: {error}", key.name))
    };
    let certificates = key.certificates.iter().map(|it| Certificate::from_der(it));
    let certificates = certificates.collect::<Result<Vec<_>, _>>().map_err(refused)?;
    let algorithm = match key.algorithm {
        signing::SigningAlgorithm::RsaPkcs1Sha256 => SigningAlgorithm::RsaPkcs1(Digest::Sha256),
        signing::SigningAlgorithm::EcdsaP256Sha256 => SigningAlgorithm::Ecdsa(Digest::Sha256),
        signing::SigningAlgorithm::EcdsaP384Sha384 => SigningAlgorithm::Ecdsa(Digest::Sha384),
        signing::SigningAlgorithm::Ed25519 => SigningAlgorithm::Ed25519,
    };
    let by_host = |_: SigningAlgorithm, message: &[u8]| {
        signing::sign(&key.name, message)
            .map_err(|error| mitt_signature::Error::new(ErrorKind::Key, text_of(error)))
    };
    let signer =
        Signer::new(certificates, Some(algorithm), means.now, &by_host).map_err(refused)?;
    let signed = crate::sign(pdf, signing, (&signer, &key.subject), means.now, typesetter)?;
    let done = vec![format!(
        "Signed by `{}` with the key `{}` in the field `{}` on page {}; the signature was verified, and the document has {} now.",
        line(&key.subject, 200),
        key.name,
        line(&signed.field, 100),
        signed.page,
        signed.total
    )];
    Ok((signed, done))
}

/// Converts what is known of a signature.
pub(crate) fn signature(it: crate::SignatureCheck) -> wit::SignatureCheck {
    wit::SignatureCheck {
        field: it.field,
        page: it.page.map(count),
        name: it.name,
        reason: it.reason,
        location: it.location,
        subfilter: it.subfilter,
        signer: it.signer,
        issuer: it.issuer,
        serial: it.serial,
        valid_from: it.valid_from,
        valid_until: it.valid_until,
        claimed_time: it.claimed_time,
        time_stamp: it.time_stamp,
        digest: it.digest,
        signature: it.signature,
        chain: it.chain,
        coverage: it.coverage,
        later_revisions: count(it.later_revisions),
        findings: it.findings,
        summary: it.summary,
    }
}

pub(crate) fn text_of(error: Error) -> String {
    match error {
        Error::InvalidArgument(text)
        | Error::NotFound(text)
        | Error::AlreadyExists(text)
        | Error::Unsupported(text)
        | Error::Malformed(text)
        | Error::Quota(text)
        | Error::Other(text) => text,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
