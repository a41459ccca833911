//! What the signatures of a document prove.

use crate::error::{Result, invalid};
use crate::file::Pdf;
use crate::form::FieldKind;
use crate::object::{Dict, Object};
use crate::text::{counted, counted_is, decode, line};
use mitt_signature::{
    Anchor, Chain, Check, Coverage, FindingKind, REVOCATION, SignatureInput, SignatureReport,
    TimeSource, TimeStampReport, VerifyOptions, parse_pdf_date, read_trusted, time_text, verify,
};
use regex::Regex;

/// Most signatures that are checked. Each reads the whole file.
const MAX_CHECKED: usize = 50;
/// Longest name, reason and the like.
const MAX_TEXT: usize = 300;
/// Longest summary and the like.
const MAX_SENTENCES: usize = 2_000;
/// Most findings of a signature.
const MAX_FINDINGS: usize = 20;
/// Most numbers of a byte range; two pairs are right, and a few more are refused by name.
const MAX_RANGE: usize = 100;
/// Most certificates that a signature dictionary has beside its contents.
const MAX_CERTIFICATES: usize = 65;

/// A signature, as the file has it.
#[derive(Clone, Debug)]
pub struct Signature {
    input: SignatureInput,
    page: Option<usize>,
    name: Option<String>,
    reason: Option<String>,
    location: Option<String>,
}

/// The signatures of a document.
#[derive(Clone, Debug)]
pub struct Signatures {
    /// In the order of the fields.
    pub found: Vec<Signature>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// What is known of a signature. Checks are `passed`, `failed: …` or `not checked: …`.
#[derive(Clone, Debug)]
pub struct SignatureCheck {
    /// Name of its field.
    pub field: String,
    /// Its page, from 1.
    pub page: Option<usize>,
    /// Name that the file claims.
    pub name: Option<String>,
    /// Reason that the file claims.
    pub reason: Option<String>,
    /// Place that the file claims.
    pub location: Option<String>,
    /// Its form.
    pub subfilter: Option<String>,
    /// Subject of the certificate.
    pub signer: Option<String>,
    /// Issuer of the certificate.
    pub issuer: Option<String>,
    /// Serial number of the certificate.
    pub serial: Option<String>,
    /// Begin of its validity.
    pub valid_from: Option<String>,
    /// End of its validity.
    pub valid_until: Option<String>,
    /// Time that the signer claims.
    pub claimed_time: Option<String>,
    /// `none`, or the state and the time.
    pub time_stamp: String,
    /// The signed bytes are unchanged.
    pub digest: String,
    /// The signer's key made it.
    pub signature: String,
    /// What the certificate leads to.
    pub chain: String,
    /// What is signed of the file.
    pub coverage: String,
    /// Revisions behind the signed one.
    pub later_revisions: usize,
    /// What else is to be known, the worst first.
    pub findings: Vec<String>,
    /// All of it in sentences.
    pub summary: String,
}

/// What is known of all signatures.
#[derive(Clone, Debug)]
pub struct Verified {
    /// At most 50.
    pub signatures: Vec<SignatureCheck>,
    /// How many the document has.
    pub total: usize,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// Where the date of a check is from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DateSource {
    Given,
    /// The signature, and nobody confirms it.
    Claimed,
    Absent,
}

/// Returns the signatures of a document. The bytes of the file are not needed any more then.
pub fn signatures(pdf: &Pdf) -> Signatures {
    let mut found: Vec<Signature> = Vec::new();
    let mut warnings: Vec<String> = pdf
        .repairs
        .iter()
        .map(|it| format!("{it} What is read may not be what was signed."))
        .collect();
    let mut empty = 0;
    for field in pdf.fields().iter().filter(|it| it.kind == FieldKind::Signature) {
        match pdf.inherited(field.number, "V") {
            Object::Dict(dict) => found.push(signature(pdf, &dict, &field.name, field.page)),
            _ => empty += 1,
        }
    }
    for key in ["DocMDP", "UR3", "UR"] {
        let Some(dict) = pdf.dict(pdf.catalog(), "Perms").and_then(|it| pdf.dict(it, key)) else {
            continue;
        };
        let signature = signature(pdf, dict, &format!("({key})"), None);
        if !is_in(&found, &signature) {
            found.push(signature);
        }
    }
    let others = pdf.objects.iter().filter_map(|it| it.1.as_dict()).filter(|dict| {
        dict.has("ByteRange")
            && dict.has("Contents")
            && !is_in(&found, &signature(pdf, dict, "", None))
    });
    let others = others.count();
    if others > 0 {
        let belong = match others {
            1 => "belongs to no field; it was",
            _ => "belong to no field; they were",
        };
        warnings.push(format!("{} {belong} not checked.", counted(others, "signature")));
    }
    if empty > 0 {
        warnings.push(format!("{} empty.", counted_is(empty, "signature field")));
    }
    Signatures { found, warnings }
}

fn is_in(found: &[Signature], signature: &Signature) -> bool {
    let (new, mut old) = (&signature.input, found.iter().map(|it| &it.input));
    old.any(|it| it.byte_range == new.byte_range && it.contents == new.contents)
}

fn signature(pdf: &Pdf, dict: &Dict, field: &str, page: Option<usize>) -> Signature {
    let bytes = |value: &Object| pdf.resolve(value).as_str().map(<[u8]>::to_vec);
    let text = |key: &str| {
        let text = pdf.value(dict, key).as_str().map(|it| line(&decode(it), MAX_TEXT));
        text.filter(|it| !it.is_empty())
    };
    let subfilter = pdf.value(dict, "SubFilter").as_name();
    // A number that is none makes the range wrong, and must not vanish.
    let range = pdf.array(dict, "ByteRange").iter().take(MAX_RANGE);
    let certificates = match pdf.value(dict, "Cert") {
        Object::Array(list) => list.iter().take(MAX_CERTIFICATES).filter_map(bytes).collect(),
        other => bytes(other).into_iter().collect(),
    };
    Signature {
        input: SignatureInput {
            field: line(field, MAX_TEXT),
            byte_range: range.map(|it| pdf.resolve(it).as_int().unwrap_or(-1)).collect(),
            contents: bytes(dict.get("Contents")).unwrap_or_default(),
            subfilter: subfilter.map(|it| String::from_utf8_lossy(it).into_owned()),
            certificates,
            claimed_time: text("M"),
        },
        page,
        name: text("Name"),
        reason: text("Reason"),
        location: text("Location"),
    }
}

/// Checks signatures of the file `bytes`. `trusted` are PEM texts. Without a `date`, the validity of certificates is compared
/// with the time that each signature claims.
///
/// # Errors
///
/// `invalid` - `trusted` has no certificate, or `date` is none.
pub fn verify_signatures(
    bytes: &[u8],
    signatures: Signatures,
    trusted: &[String],
    date: Option<&str>,
) -> Result<Verified> {
    let date = date.map(seconds).transpose()?;
    let texts: Vec<&[u8]> =
        trusted.iter().filter(|it| !it.trim().is_empty()).map(|it| it.as_bytes()).collect();
    let trusted = match read_trusted(&texts) {
        Ok(trusted) => trusted,
        Err(error) => {
            return invalid(format!(
                "`trusted`: {error}; expected PEM texts with `-----BEGIN CERTIFICATE-----`"
            ));
        }
    };
    let Signatures { found, mut warnings } = signatures;
    let total = found.len();
    if total > MAX_CHECKED {
        warnings.push(format!("Only the first {MAX_CHECKED} of {total} signatures were checked."));
    }
    if total > 0 {
        warnings.push(format!("{REVOCATION}."));
        if trusted.is_empty() {
            warnings.push(
                "No trusted certificates were given, so it is not known who the signers are."
                    .to_owned(),
            );
        }
        if date.is_none() {
            warnings.push(
                "No date was given: certificates were checked at the times that the signatures claim, \
                 which nobody confirms."
                    .to_owned(),
            );
        }
    }
    let checks = found.into_iter().take(MAX_CHECKED).map(|signature| {
        let check =
            |now| verify(bytes, &signature.input, &VerifyOptions { trusted: &trusted, now });
        let (report, source) = match date {
            Some(now) => (check(now), DateSource::Given),
            None => without_date(&check),
        };
        described(signature, report, source)
    });
    Ok(Verified { signatures: checks.collect(), total, warnings })
}

/// Checks at the time that the signature itself names.
fn without_date(check: &dyn Fn(i64) -> SignatureReport) -> (SignatureReport, DateSource) {
    // Which time that is, only a first check knows.
    let mut report = check(0);
    match report.time_stamp.as_ref().map(|it| it.time).or(report.claimed_time) {
        Some(time) => (check(time), DateSource::Claimed),
        None => {
            if let Some(chain) = &mut report.chain {
                chain.outside_validity.clear();
            }
            (report, DateSource::Absent)
        }
    }
}

fn described(signature: Signature, report: SignatureReport, source: DateSource) -> SignatureCheck {
    let mut summary = report.summary();
    if source == DateSource::Absent && report.chain.is_some() {
        summary.push_str(
            " The validity of the certificates was not checked, because there is no date.",
        );
    }
    let mut findings: Vec<String> = report
        .findings
        .iter()
        .take(MAX_FINDINGS)
        .map(|it| {
            let kind = match it.kind {
                FindingKind::Suspicious => "suspicious: ",
                FindingKind::Weak => "weak: ",
                FindingKind::Note => "",
            };
            line(&format!("{kind}{}", it.text), MAX_TEXT)
        })
        .collect();
    if report.findings.len() > MAX_FINDINGS {
        findings.push(format!("and {} more", report.findings.len() - MAX_FINDINGS));
    }
    let certificate = report.signer.as_ref();
    SignatureCheck {
        field: signature.input.field,
        page: signature.page,
        name: signature.name,
        reason: signature.reason,
        location: signature.location,
        signer: certificate.map(|it| line(&it.subject, MAX_TEXT)),
        issuer: certificate.map(|it| line(&it.issuer, MAX_TEXT)),
        serial: certificate.map(|it| line(&it.serial, MAX_TEXT)),
        valid_from: certificate.map(|it| time_text(it.not_before)),
        valid_until: certificate.map(|it| time_text(it.not_after)),
        claimed_time: report.claimed_time.map(time_text),
        time_stamp: report.time_stamp.as_ref().map_or_else(|| "none".to_owned(), stamp),
        digest: state(&report.digest),
        signature: state(&report.signature),
        chain: match &report.chain {
            Some(it) => chain(it, source),
            None => "not checked: the certificate of the signer is not known".to_owned(),
        },
        coverage: coverage(&report.coverage),
        later_revisions: match report.coverage {
            Coverage::EarlierRevision { later_revisions, .. } => later_revisions,
            Coverage::WholeFile | Coverage::Suspicious { .. } => 0,
        },
        subfilter: report.subfilter.map(|it| line(&it, MAX_TEXT)),
        findings,
        summary: line(&summary, MAX_SENTENCES),
    }
}

fn state(check: &Check) -> String {
    match check {
        Check::Passed => "passed".to_owned(),
        Check::Failed(why) => format!("failed: {}", line(why, MAX_TEXT)),
        Check::NotChecked(why) => format!("not checked: {}", line(why, MAX_TEXT)),
    }
}

fn stamp(stamp: &TimeStampReport) -> String {
    let authority = stamp.authority.as_ref().map_or("unknown", |it| it.subject.as_str());
    let state = if stamp.is_trusted() {
        "trusted"
    } else if stamp.imprint.has_passed()
        && stamp.digest.has_passed()
        && stamp.signature.has_passed()
    {
        "intact, but the authority is not trusted"
    } else {
        "does not hold"
    };
    line(&format!("{state}: {} by `{authority}`", time_text(stamp.time)), MAX_TEXT)
}

fn chain(chain: &Chain, source: DateSource) -> String {
    let mut text = match &chain.anchor {
        Anchor::Trusted { subject } if chain.is_trusted() => {
            format!("trusted: it leads to `{subject}`")
        }
        Anchor::Trusted { subject } => {
            format!("not trusted: it leads to the trusted `{subject}` only in appearance")
        }
        Anchor::SelfSigned => "not trusted: the certificate is self-signed".to_owned(),
        Anchor::UnknownRoot { subject } => {
            format!("not trusted: it leads to `{subject}`, which is not among the trusted ones")
        }
        Anchor::Incomplete { missing_issuer } => {
            format!("not trusted: the certificate of `{missing_issuer}` is missing")
        }
    };
    for problem in &chain.problems {
        text.push_str(&format!("; {problem}"));
    }
    for (subject, start, end) in &chain.outside_validity {
        text.push_str(&format!(
            "; `{subject}` is valid only from {} to {}",
            time_text(*start),
            time_text(*end)
        ));
    }
    let time = time_text(chain.time);
    let when = match (chain.time_source, source) {
        (TimeSource::TimeStamp, _) => format!("validity checked at the time stamp {time}"),
        (TimeSource::Given, DateSource::Given) => format!("validity checked at {time}"),
        (TimeSource::Given, DateSource::Claimed) => {
            format!("validity checked at {time}, which nobody confirms")
        }
        (TimeSource::Given, DateSource::Absent) => {
            "validity not checked: there is no date".to_owned()
        }
    };
    // When it was checked stays, however long the rest is.
    format!("{}; {when}", line(&text, MAX_SENTENCES))
}

fn coverage(coverage: &Coverage) -> String {
    match coverage {
        Coverage::WholeFile => "whole file".to_owned(),
        Coverage::EarlierRevision { appended_bytes, ends_complete, .. } => {
            let rest = if *ends_complete { "" } else { ", the last of them in no revision" };
            let were = if *appended_bytes == 1 { "was" } else { "were" };
            let bytes = counted(*appended_bytes, "byte");
            format!("earlier revision: {bytes} {were} added later{rest}")
        }
        Coverage::Suspicious { problems } => {
            line(&format!("suspicious: {}", problems.join("; ")), MAX_SENTENCES)
        }
    }
}

/// Returns the time of a date in ISO 8601, in seconds since 1970. Without a zone it counts as UTC.
fn seconds(date: &str) -> Result<i64> {
    const DATE: &str = "^([0-9]{4})-([0-9]{2})-([0-9]{2})\
        (?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?(?:(Z)|([+-][0-9]{2}):?([0-9]{2}))?)?$";
    let parsed = Regex::new(DATE).ok().and_then(|it| {
        let parts = it.captures(date.trim())?;
        let part = |at: usize| parts.get(at).map_or("00", |it| it.as_str());
        let mut text: String = (1..=6).map(part).collect();
        if parts.get(8).is_some() {
            text.push_str(&format!("{}'{}'", part(8), part(9)));
        }
        parse_pdf_date(&text)
    });
    match parsed {
        Some(seconds) => Ok(seconds),
        None => invalid(format!(
            "expected a `date` such as `2026-11-27` or `2026-11-27T12:00:00Z`, got `{}`",
            line(date, 60)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_iso_with_and_without_zones() {
        let noon = 1_795_737_600 + 12 * 3600;
        for same in [
            "2026-11-27T12:00:00Z",
            "2026-11-27T12:00",
            "2026-11-27 13:00:00.5+01:00",
            "2026-11-27T07:30:00-0430",
        ] {
            assert_eq!(seconds(same), Ok(noon), "{same}");
        }
        assert_eq!(seconds("2026-11-27"), Ok(noon - 12 * 3600));
        for wrong in
            ["", "2026", "27.11.2026", "2026-13-01", "2026-11-27T25:00", "today", "٢٠٢٦-11-27"]
        {
            let error = seconds(wrong).unwrap_err().to_string();
            assert!(error.contains("2026-11-27T12:00:00Z"), "{wrong}: {error}");
        }
    }
}
