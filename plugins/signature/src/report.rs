//! What is known of a signature, field by field. Nothing here says that a signature is valid as a whole.

use crate::certificate::CertificateInfo;
use crate::chain::{Anchor, Chain, TimeSource};
use crate::coverage::Coverage;
use crate::time;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// It holds.
    Passed,
    /// It does not hold, and why.
    Failed(String),
    /// It was not possible, and why. Nothing is known.
    NotChecked(String),
}

impl Check {
    /// `true` if the check was made and holds.
    pub fn has_passed(&self) -> bool {
        *self == Check::Passed
    }

    pub(crate) fn of(holds: bool, problem: &str) -> Self {
        if holds { Check::Passed } else { Check::Failed(problem.to_owned()) }
    }
}

/// The class of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// The file is made as forged ones are.
    Suspicious,
    /// An algorithm or a key is too weak to prove much.
    Weak,
    /// The signature departs from its standard, or something was left out.
    Note,
}

/// Something that a reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its class.
    pub kind: FindingKind,
    /// One sentence without a final period.
    pub text: String,
}

impl Finding {
    pub(crate) fn suspicious(text: impl Into<String>) -> Self {
        Finding { kind: FindingKind::Suspicious, text: text.into() }
    }

    pub(crate) fn weak(text: impl Into<String>) -> Self {
        Finding { kind: FindingKind::Weak, text: text.into() }
    }

    pub(crate) fn note(text: impl Into<String>) -> Self {
        Finding { kind: FindingKind::Note, text: text.into() }
    }
}

/// What the signed attribute says that names the certificate. PAdES requires it, because a certificate could be exchanged
/// for another one of the same key otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SigningCertificate {
    /// The attribute names the certificate that was used.
    Matches,
    /// It names another certificate.
    Differs,
    /// There is no such attribute.
    Absent,
    /// It cannot be checked, and why.
    NotChecked(String),
}

/// A time stamp: an authority confirms that something existed at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeStampReport {
    /// The time, in seconds since 1970.
    pub time: i64,
    /// The certificate of the authority.
    pub authority: Option<CertificateInfo>,
    /// The digest that the authority used for its own signature.
    pub digest_algorithm: Option<&'static str>,
    /// The time stamp is for this signature, or for these bytes, and not for others.
    pub imprint: Check,
    /// The content of the time stamp is unchanged.
    pub digest: Check,
    /// The authority's key made the signature of the time stamp.
    pub signature: Check,
    /// What the authority's certificate leads to, at the date that the caller gave.
    pub chain: Option<Chain>,
    /// Why the certificate may not sign time stamps; `None` if it may.
    pub purpose_problem: Option<String>,
}

impl TimeStampReport {
    /// `true` if all checks passed and the authority is trusted, so that its time can be relied on.
    pub fn is_trusted(&self) -> bool {
        self.imprint.has_passed()
            && self.digest.has_passed()
            && self.signature.has_passed()
            && self.purpose_problem.is_none()
            && self.chain.as_ref().is_some_and(Chain::is_trusted)
    }
}

/// What is known of one signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureReport {
    /// The name of the form field.
    pub field: String,
    /// The form of the signature as the file names it.
    pub subfilter: Option<String>,
    /// Which bytes are signed, and what follows them.
    pub coverage: Coverage,
    /// The certificate of the signer.
    pub signer: Option<CertificateInfo>,
    /// The digest of the signed bytes.
    pub digest_algorithm: Option<&'static str>,
    /// How the signature was made.
    pub signature_algorithm: Option<String>,
    /// The signed bytes are unchanged.
    pub digest: Check,
    /// The signer's key made the signature.
    pub signature: Check,
    /// The attribute that names the certificate.
    pub signing_certificate: SigningCertificate,
    /// The time that the signer claims, in seconds since 1970. Nobody confirms it.
    pub claimed_time: Option<i64>,
    /// The time stamp over the signature, or the document time stamp itself.
    pub time_stamp: Option<TimeStampReport>,
    /// What the certificate leads to.
    pub chain: Option<Chain>,
    /// `true` if the signature is a document time stamp: it confirms a time, and no person.
    pub is_document_time_stamp: bool,
    /// What else a reader should know; the worst first.
    pub findings: Vec<Finding>,
}

/// What is never checked, because it needs the network.
pub const REVOCATION: &str = "It was not checked if certificates were revoked";

impl SignatureReport {
    pub(crate) fn new(field: &str, subfilter: Option<&str>, coverage: Coverage) -> Self {
        let unread = || Check::NotChecked("the signature could not be read".to_owned());
        SignatureReport {
            field: field.to_owned(),
            subfilter: subfilter.map(str::to_owned),
            coverage,
            signer: None,
            digest_algorithm: None,
            signature_algorithm: None,
            digest: unread(),
            signature: unread(),
            signing_certificate: SigningCertificate::Absent,
            claimed_time: None,
            time_stamp: None,
            chain: None,
            is_document_time_stamp: false,
            findings: Vec::new(),
        }
    }

    /// `true` if the signed bytes are unchanged and the signer's key signed them. It says nothing about who the signer is,
    /// nor about bytes that are not signed.
    pub fn is_intact(&self) -> bool {
        self.digest.has_passed()
            && self.signature.has_passed()
            && self.signing_certificate != SigningCertificate::Differs
            && !matches!(self.coverage, Coverage::Suspicious { .. })
            && self.findings.iter().all(|finding| finding.kind != FindingKind::Suspicious)
    }

    /// Returns what was found as a few sentences, the most important first.
    pub fn summary(&self) -> String {
        let mut sentences = Vec::new();
        match (&self.digest, &self.signature) {
            (Check::Passed, Check::Passed) => {
                sentences.push("The signed bytes are unchanged".to_owned())
            }
            (Check::Failed(why), _) => {
                sentences.push(format!("The signed bytes were CHANGED: {why}"))
            }
            (_, Check::Failed(why)) => {
                sentences.push(format!("The signature is FORGED or broken: {why}"))
            }
            (Check::NotChecked(why), _) | (_, Check::NotChecked(why)) => {
                sentences.push(format!("The signature was not checked: {why}"));
            }
        }
        if let Coverage::Suspicious { problems } = &self.coverage {
            sentences.push(format!("The file is made as forged ones are: {}", problems.join("; ")));
        }
        let first = self.findings.iter().find(|finding| finding.kind == FindingKind::Suspicious);
        if let Some(finding) = first {
            sentences.push(format!("Suspicious: {}", finding.text));
        }
        if let Coverage::EarlierRevision { appended_bytes, later_revisions, .. } = self.coverage {
            sentences.push(format!(
                "{appended_bytes} bytes were added after it was signed ({later_revisions} later revisions), which it does \
                 not cover"
            ));
        }
        match &self.signer {
            Some(signer) if self.is_document_time_stamp => {
                sentences.push(format!(
                    "It is a time stamp of `{}`, not the signature of a person",
                    signer.subject
                ));
            }
            Some(signer) if self.signature.has_passed() => {
                sentences.push(format!("The signer is `{}`", signer.subject))
            }
            Some(signer) => sentences
                .push(format!("It names the signer `{}`, which is not proved", signer.subject)),
            None => sentences.push("The signer's certificate is not known".to_owned()),
        }
        sentences.extend(self.chain.as_ref().map(chain_sentence));
        sentences.extend(self.time_sentence());
        let weak: Vec<&str> = self
            .findings
            .iter()
            .filter(|f| f.kind == FindingKind::Weak)
            .map(|f| f.text.as_str())
            .collect();
        if !weak.is_empty() {
            sentences.push(format!("Weak: {}", weak.join("; ")));
        }
        sentences.push(REVOCATION.to_owned());
        sentences.iter().fold(String::new(), |text, sentence| {
            let space = if text.is_empty() { "" } else { " " };
            format!("{text}{space}{sentence}.")
        })
    }

    fn time_sentence(&self) -> Option<String> {
        match (&self.time_stamp, self.claimed_time) {
            (Some(stamp), _) if stamp.is_trusted() => {
                Some(format!("A time stamp confirms {}", time::text(stamp.time)))
            }
            (Some(stamp), _)
                if stamp.imprint.has_passed()
                    && stamp.signature.has_passed()
                    && stamp.digest.has_passed() =>
            {
                Some(format!(
                    "A time stamp says {}, but its authority is not known to be trusted",
                    time::text(stamp.time)
                ))
            }
            (Some(_), _) => Some("Its time stamp does not hold".to_owned()),
            (None, Some(claimed)) => {
                Some(format!("The signer claims {}, which nobody confirms", time::text(claimed)))
            }
            (None, None) => None,
        }
    }
}

fn chain_sentence(chain: &Chain) -> String {
    let mut text = match &chain.anchor {
        Anchor::Trusted { subject } if chain.problems.is_empty() => {
            format!("The certificate leads to the trusted `{subject}`")
        }
        Anchor::Trusted { subject } => {
            format!("The certificate leads to the trusted `{subject}` only in appearance")
        }
        Anchor::SelfSigned => {
            "The certificate is self-signed, so it proves nothing about who signed".to_owned()
        }
        Anchor::UnknownRoot { subject } => {
            format!("The certificate leads to `{subject}`, which is not among the trusted ones")
        }
        Anchor::Incomplete { missing_issuer } => {
            format!(
                "The chain ends at a missing certificate of `{missing_issuer}`, so it leads to no trusted one"
            )
        }
    };
    for problem in &chain.problems {
        text.push_str("; ");
        text.push_str(problem);
    }
    let when = match chain.time_source {
        TimeSource::TimeStamp => "the time of the time stamp",
        TimeSource::Given => "the date of this check",
    };
    for (subject, start, end) in &chain.outside_validity {
        let (start, end) = (time::text(*start), time::text(*end));
        text.push_str(&format!(
            "; the certificate of `{subject}` is valid from {start} to {end}, which is not {when}"
        ));
    }
    text
}
