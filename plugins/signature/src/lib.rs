//! Signatures of PDF files: what an existing one proves, field by field, and new ones as PAdES B-B.
//!
//! Works on bytes. Which signatures a file has, and where a new one goes, a reader of PDF files knows; it fills in
//! [`SignatureInput`], and prepares the file for [`sign_increment`]. The private key stays with the caller ([`Signer`]), or
//! is loaded from a file by `KeyFile` with the feature `key`, which only the host has.
//!
//! Knows no network: revocation is never checked, and each report says so. What changed between two revisions, it does not
//! know either.

mod algorithm;
mod asn1;
mod ber;
mod certificate;
mod chain;
mod cms;
mod coverage;
mod error;
mod finder;
#[cfg(feature = "key")]
mod key;
mod report;
mod sign;
mod signer;
mod time;
mod time_stamp;
mod verify;

pub use algorithm::{Digest, MIN_STRONG_RSA_BITS};
pub use ber::MAX_CONTENTS_BYTES;
pub use certificate::{Certificate, CertificateInfo, MAX_CERTIFICATES};
pub use chain::{Anchor, Chain, TimeSource};
pub use coverage::Coverage;
pub use error::{Error, ErrorKind};
pub use finder::{MAX_SIGNATURES, find_signatures};
#[cfg(feature = "key")]
pub use key::KeyFile;
pub use report::{
    Check, Finding, FindingKind, REVOCATION, SignatureReport, SigningCertificate, TimeStampReport,
};
pub use sign::{SignMessage, Signer, SigningAlgorithm, sign_increment};
pub use time::{parse_pdf_date, text as time_text};
pub use verify::{SignatureInput, VerifyOptions, read_trusted, verify};
