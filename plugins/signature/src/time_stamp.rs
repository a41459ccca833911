//! Time stamps (RFC 3161): an authority signs a digest together with the time.

use const_oid::ObjectIdentifier;
use const_oid::db::rfc3161;
use der::Tag;

use crate::algorithm::Digest;
use crate::asn1::Items;
use crate::certificate::Certificate;
use crate::chain::{Search, TimeSource, time_stamp_problem};
use crate::cms;
use crate::error::Error;
use crate::report::{Check, Finding, SigningCertificate, TimeStampReport};
use crate::signer;

const TIME_STAMP_INFO: ObjectIdentifier = rfc3161::ID_CT_TST_INFO;

/// A time stamp, and what else was found.
pub(crate) struct TimeStampCheck {
    pub(crate) report: TimeStampReport,
    pub(crate) signing_certificate: SigningCertificate,
    pub(crate) signature_algorithm: Option<String>,
    pub(crate) findings: Vec<Finding>,
}

/// Checks that `token` is a time stamp for `stamped`, and who made it. The token is CMS in DER.
pub(crate) fn check(
    token: &[u8],
    stamped: &[&[u8]],
    trusted: &[Certificate],
    now: i64,
) -> Result<TimeStampCheck, Error> {
    let data = cms::read(token)?;
    if data.content_type != TIME_STAMP_INFO {
        return Err(Error::malformed(format!(
            "expected a time stamp, got content of type {}",
            data.content_type
        )));
    }
    let content = data.content.ok_or_else(|| Error::malformed("the time stamp has no content"))?;
    let info = read_info(content)?;
    let imprint = match &info.digest {
        Ok(digest) => {
            Check::of(digest.hash(stamped) == info.imprint, "the time stamp is for something else")
        }
        Err(error) => Check::NotChecked(error.to_string()),
    };
    let signer = signer::check(&data, &[content], trusted);
    let mut findings = signer.findings;
    if let Ok(digest) = info.digest
        && digest.is_weak()
    {
        findings
            .push(Finding::weak(format!("the time stamp is for a digest of {}", digest.name())));
    }
    let search =
        Search { trusted, others: &data.certificates, time: now, time_source: TimeSource::Given };
    let chain = signer.certificate.map(|certificate| search.best(certificate));
    if let Some(chain) = &chain {
        findings.extend(chain.weaknesses.iter().map(Finding::weak));
    }
    let report = TimeStampReport {
        time: info.time,
        authority: signer.certificate.map(Certificate::info),
        digest_algorithm: signer.digest_algorithm.map(Digest::name),
        imprint,
        digest: signer.digest,
        signature: signer.signature,
        purpose_problem: signer.certificate.and_then(time_stamp_problem),
        chain,
    };
    let signature_algorithm = signer.scheme.map(|scheme| scheme.name());
    Ok(TimeStampCheck {
        report,
        signing_certificate: signer.signing_certificate,
        signature_algorithm,
        findings,
    })
}

struct Info<'a> {
    digest: Result<Digest, Error>,
    imprint: &'a [u8],
    time: i64,
}

fn read_info(der: &[u8]) -> Result<Info<'_>, Error> {
    let mut items = Items::new(der, "time stamp").sequence()?;
    items.expect(Tag::Integer)?;
    items.oid()?;
    let mut imprint = items.sequence()?;
    let digest = Digest::from_oid(imprint.algorithm()?.oid);
    let imprint = imprint.expect(Tag::OctetString)?.value;
    items.expect(Tag::Integer)?;
    let time = items.expect(Tag::GeneralizedTime)?.value;
    let time = crate::time::parse_generalized(time)
        .ok_or_else(|| items.malformed("the time cannot be read"))?;
    Ok(Info { digest, imprint, time })
}
