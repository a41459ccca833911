//! The check of one signature of a PDF file.

use der::Tag;

use crate::algorithm::{Digest, Scheme};
use crate::asn1::Items;
use crate::ber;
use crate::certificate::{Certificate, readable};
use crate::chain::{Search, TimeSource, document_problem};
use crate::cms;
use crate::coverage;
use crate::error::{Error, ErrorKind};
use crate::report::{Check, Finding, SignatureReport, SigningCertificate};
use crate::signer;
use crate::time::parse_pdf_date;
use crate::time_stamp;

/// A signature dictionary, as a reader of PDF files found it.
#[derive(Clone, Debug, Default)]
pub struct SignatureInput {
    /// The name of the form field.
    pub field: String,
    /// `/ByteRange`.
    pub byte_range: Vec<i64>,
    /// `/Contents`, decoded, with the zeros at its end. It is never encrypted, also in an encrypted file.
    pub contents: Vec<u8>,
    /// `/SubFilter` without the slash.
    pub subfilter: Option<String>,
    /// `/Cert`: certificates in DER, which only `adbe.x509.rsa_sha1` has.
    pub certificates: Vec<Vec<u8>>,
    /// `/M`: the time that the signer claims.
    pub claimed_time: Option<String>,
}

/// What signatures are checked against.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions<'a> {
    /// Certificates that the caller trusts. Without any, no chain leads to a trusted one.
    pub trusted: &'a [Certificate],
    /// The date of the check, in seconds since 1970.
    pub now: i64,
}

/// Checks one signature of the file `pdf`. Problems are in the report; nothing here fails as a whole.
pub fn verify(pdf: &[u8], input: &SignatureInput, options: &VerifyOptions) -> SignatureReport {
    let ranges = coverage::check(pdf, &input.byte_range, &input.contents);
    let slices = ranges.slices(pdf);
    let subfilter = input.subfilter.as_deref().map(readable);
    let mut report =
        SignatureReport::new(&readable(&input.field), subfilter.as_deref(), ranges.coverage);
    report.claimed_time = input.claimed_time.as_deref().and_then(parse_pdf_date);
    let result = match slices {
        Some(slices) => check(&mut report, &slices, input, options),
        None => Err(Error::malformed(
            "the byte range makes no sense, so it is not known what was signed",
        )),
    };
    if let Err(error) = result {
        let text = error.to_string();
        report.digest = Check::NotChecked(text.clone());
        report.signature = Check::NotChecked(text);
    }
    // The same weakness can be in several places of a chain.
    let mut findings: Vec<Finding> = Vec::new();
    for finding in report.findings {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings.sort_by_key(|finding| finding.kind);
    report.findings = findings;
    report
}

fn check(
    report: &mut SignatureReport,
    signed: &[&[u8]],
    input: &SignatureInput,
    options: &VerifyOptions,
) -> Result<(), Error> {
    if input.contents.iter().all(|byte| *byte == 0) {
        return Err(Error::malformed("the contents of the signature are empty"));
    }
    let der = ber::to_der(&input.contents)?;
    let (used, rest) = input.contents.split_at(der.consumed);
    if rest.iter().any(|byte| *byte != 0) {
        report
            .findings
            .push(Finding::suspicious("bytes are hidden after the signature in its contents"));
    }
    if used != der.bytes {
        report.findings.push(Finding::note("the signature is in BER, where DER is required"));
    }
    match input.subfilter.as_deref() {
        Some("adbe.x509.rsa_sha1") => check_bare(report, &der.bytes, signed, input, options),
        Some("ETSI.RFC3161") => check_document_time_stamp(report, &der.bytes, signed, options),
        Some("adbe.pkcs7.detached" | "ETSI.CAdES.detached" | "adbe.pkcs7.sha1") => {
            check_cms(report, &der.bytes, signed, input, options)
        }
        Some(other) => Err(Error::unsupported(format!(
            "signatures of the form `{}` are not supported",
            readable(other)
        ))),
        None => Err(Error::malformed("the signature does not name its form (`SubFilter`)")),
    }
}

fn check_cms(
    report: &mut SignatureReport,
    der: &[u8],
    signed: &[&[u8]],
    input: &SignatureInput,
    options: &VerifyOptions,
) -> Result<(), Error> {
    let data = cms::read(der)?;
    let is_indirect = input.subfilter.as_deref() == Some("adbe.pkcs7.sha1");
    let mut signer = if is_indirect {
        // The CMS signs a digest of the bytes.
        let content = data
            .content
            .ok_or_else(|| Error::malformed("the signature has no digest of the signed bytes"))?;
        let mut signer = signer::check(&data, &[content], options.trusted);
        if Digest::Sha1.hash(signed) != content {
            signer.digest = Check::Failed("their digest is not the one that was signed".to_owned());
        }
        signer.digest_algorithm = Some(Digest::Sha1);
        signer.findings.push(Finding::weak("the digest of the signed bytes is SHA-1"));
        signer
    } else {
        if data.content.is_some_and(|content| !content.is_empty()) {
            report.findings.push(Finding::suspicious(
                "the signature has content of its own; it was not taken for the signed bytes",
            ));
        }
        signer::check(&data, signed, options.trusted)
    };
    report.findings.append(&mut signer.findings);
    report.signer = signer.certificate.map(Certificate::info);
    report.digest_algorithm = signer.digest_algorithm.map(Digest::name);
    report.signature_algorithm = signer.scheme.map(Scheme::name);
    report.digest = signer.digest;
    report.signature = signer.signature;
    report.signing_certificate = signer.signing_certificate;
    let is_pades = input.subfilter.as_deref() == Some("ETSI.CAdES.detached");
    report.findings.extend(pades_findings(report, is_pades, signer.time.is_some()));
    report.claimed_time = report.claimed_time.or(signer.time);
    match data.signer.unsigned_value(cms::TIME_STAMP_TOKEN) {
        Ok(Some(token)) => {
            match time_stamp::check(
                token.whole,
                &[data.signer.signature],
                options.trusted,
                options.now,
            ) {
                Ok(stamp) => {
                    report.findings.extend(stamp.findings);
                    report.time_stamp = Some(stamp.report);
                }
                Err(error) => report
                    .findings
                    .push(Finding::note(format!("the time stamp was not checked: {error}"))),
            }
        }
        Ok(None) => {}
        Err(error) => {
            report.findings.push(Finding::note(format!("the time stamp was not checked: {error}")))
        }
    }
    if let Some(certificate) = signer.certificate {
        check_signer_certificate(report, certificate, &data.certificates, options);
    }
    Ok(())
}

fn pades_findings(report: &SignatureReport, is_pades: bool, has_time: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    match &report.signing_certificate {
        SigningCertificate::Differs => {
            findings.push(Finding::suspicious(
                "the signed attributes name another certificate than the one that was used",
            ));
        }
        SigningCertificate::Absent if is_pades => {
            findings.push(Finding::note(
                "PAdES requires an attribute that names the certificate; there is none",
            ));
        }
        SigningCertificate::NotChecked(why) => {
            findings.push(Finding::note(format!(
                "the attribute that names the certificate was not checked: {why}"
            )));
        }
        SigningCertificate::Absent | SigningCertificate::Matches => {}
    }
    if is_pades && has_time {
        findings.push(Finding::note(
            "PAdES allows no signing time in the signed attributes; there is one",
        ));
    }
    findings
}

/// Checks chain, validity and purpose of the signer's certificate.
fn check_signer_certificate(
    report: &mut SignatureReport,
    certificate: &Certificate,
    others: &[Certificate],
    options: &VerifyOptions,
) {
    let (time, time_source) = match &report.time_stamp {
        Some(stamp) if stamp.is_trusted() => (stamp.time, TimeSource::TimeStamp),
        _ => (options.now, TimeSource::Given),
    };
    let search = Search { trusted: options.trusted, others, time, time_source };
    let mut chain = search.best(certificate);
    report.findings.extend(chain.weaknesses.iter().map(Finding::weak));
    chain.problems.extend(document_problem(certificate));
    let purposes = certificate.purposes();
    if !signer::may_sign_documents(&purposes) {
        let names = certificate.info().extended_key_usage.join(", ");
        report.findings.push(Finding::note(format!(
            "the signer's certificate is for {names}, not for documents"
        )));
    }
    if let (Some(claimed), TimeSource::Given) = (report.claimed_time, time_source) {
        if !certificate.is_valid_at(claimed) {
            report.findings.push(Finding::note(
                "the claimed time is outside of the validity of the certificate",
            ));
        } else if !certificate.is_valid_at(time) {
            report.findings.push(Finding::note(
                "the certificate was valid at the claimed time, but nobody confirms that time",
            ));
        }
    }
    report.chain = Some(chain);
}

fn check_document_time_stamp(
    report: &mut SignatureReport,
    der: &[u8],
    signed: &[&[u8]],
    options: &VerifyOptions,
) -> Result<(), Error> {
    report.is_document_time_stamp = true;
    let stamp = time_stamp::check(der, signed, options.trusted, options.now)?;
    report.findings.extend(stamp.findings);
    report.signature_algorithm = stamp.signature_algorithm;
    report.signing_certificate = stamp.signing_certificate;
    report.findings.extend(pades_findings(report, false, false));
    let stamp = stamp.report;
    report.signer.clone_from(&stamp.authority);
    report.digest_algorithm = stamp.digest_algorithm;
    // The bytes are unchanged if the imprint is theirs, and the imprint is unchanged itself.
    report.digest =
        if stamp.imprint.has_passed() { stamp.digest.clone() } else { stamp.imprint.clone() };
    report.signature.clone_from(&stamp.signature);
    report.chain.clone_from(&stamp.chain);
    if let (Some(chain), Some(problem)) = (&mut report.chain, &stamp.purpose_problem) {
        chain.problems.push(problem.clone());
    }
    report.time_stamp = Some(stamp);
    Ok(())
}

/// Checks the oldest form: a bare RSA signature, with the certificate beside it.
fn check_bare(
    report: &mut SignatureReport,
    der: &[u8],
    signed: &[&[u8]],
    input: &SignatureInput,
    options: &VerifyOptions,
) -> Result<(), Error> {
    let signature = Items::new(der, "signature").expect(Tag::OctetString)?.value;
    if input.certificates.len() > crate::certificate::MAX_CERTIFICATES {
        return Err(crate::certificate::too_many());
    }
    let certificates = input
        .certificates
        .iter()
        .map(|der| Certificate::from_der(der))
        .collect::<Result<Vec<_>, _>>()?;
    let Some((certificate, others)) = certificates.split_first() else {
        return Err(Error::malformed("the signature has no certificate (`Cert`)"));
    };
    report.signer = Some(certificate.info());
    let key = certificate.public_key()?;
    // The name says SHA-1, but newer digests are in use with it.
    for digest in [Digest::Sha1, Digest::Sha256, Digest::Sha384, Digest::Sha512] {
        let scheme = Scheme::RsaPkcs1(digest);
        if key.verify(scheme, signed, signature)? {
            report.digest = Check::Passed;
            report.signature = Check::Passed;
            report.digest_algorithm = Some(digest.name());
            report.signature_algorithm = Some(scheme.name());
            if digest.is_weak() {
                report
                    .findings
                    .push(Finding::weak(format!("the signature is made with {}", scheme.name())));
            }
        }
    }
    if !report.signature.has_passed() {
        let why = "the signed bytes were changed, or another key made the signature";
        report.digest = Check::Failed(why.to_owned());
        report.signature = Check::Failed(why.to_owned());
    }
    if key.is_weak() {
        report
            .findings
            .push(Finding::weak(format!("the key of the signer is short: {}", key.name())));
    }
    check_signer_certificate(report, certificate, others, options);
    Ok(())
}

/// Reads trusted certificates out of several files, each DER or PEM.
///
/// # Errors
/// Those of [`Certificate::read_all`], with the number of the file.
pub fn read_trusted(files: &[&[u8]]) -> Result<Vec<Certificate>, Error> {
    let mut certificates = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let named = |error: Error| {
            Error::new(
                error.kind(),
                format!("file {} of the trusted certificates: {error}", index + 1),
            )
        };
        certificates.append(&mut Certificate::read_all(file).map_err(named)?);
    }
    if certificates.len() > 4 * crate::certificate::MAX_CERTIFICATES {
        let message = format!(
            "expected at most {} trusted certificates, got {}",
            4 * crate::certificate::MAX_CERTIFICATES,
            certificates.len()
        );
        return Err(Error::new(ErrorKind::Limit, message));
    }
    Ok(certificates)
}
