//! `mitt pdf verify`: what the signatures of a PDF prove.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::super::new_file::call;
use super::super::pdf_file::{open, texts};
use super::super::work::Work;
use crate::args::Global;
use crate::args::pdf::PdfVerify;
use crate::output::{Output, note};
use crate::password;
use mitt_base::{Error, ErrorKind, Result, text};

const VERIFY: &str = "pdf_tool__verify_signatures";

/// Most bytes of a file with certificates.
const MAX_CERTIFICATES: u64 = 1 << 20;

/// Exit code if a signature does not hold, or there is none.
const NOT_VERIFIED: u8 = 1;

/// Longest text that is shown on a line, in characters.
const SHOWN: usize = 500;

/// What is printed of each signature, with its name in the result of the tool.
const LINES: [(&str, &str); 14] = [
    ("signed bytes", "digest"),
    ("signature", "signature"),
    ("certificate chain", "chain"),
    ("coverage", "coverage"),
    ("time stamp", "time_stamp"),
    ("claimed time", "claimed_time"),
    ("signer", "signer"),
    ("issuer", "issuer"),
    ("serial number", "serial"),
    ("valid from", "valid_from"),
    ("valid until", "valid_until"),
    ("claimed name", "name"),
    ("claimed reason", "reason"),
    ("claimed location", "location"),
];

/// Prints what the signatures of a PDF prove.
pub(super) async fn verify(
    global: &Global,
    command: &PdfVerify,
    output: &Output,
) -> Result<ExitCode> {
    let trusted = command.trust.iter().map(|it| certificates(it)).collect::<Result<Vec<_>>>()?;
    let given = password::options(&command.password)?;
    let work = Work::open(global, None, output).await?;
    let file = open(&work, &command.file, &given).await?;
    let arguments = json!({ "trusted": trusted, "date": command.date });
    let arguments = file.arguments(arguments).to_string();
    let report = call(&work, VERIFY, format!("verifying {}", file.name), &arguments).await?;
    let at_file = |error: Error| error.at(command.file.display());
    let mut result = Value::from(report.result.map_err(at_file)?);
    let signatures = result["signatures"].as_array().map_or(&[][..], Vec::as_slice);
    let held = signatures.iter().filter(|it| holds(it, !trusted.is_empty())).count() as u64;
    let total = result["total"].as_u64().unwrap_or_default();
    let is_verified = total > 0 && held == total;
    let path = command.file.display().to_string();
    if output.is_json() {
        let warnings = texts(&result, "warnings");
        let signatures = result["signatures"].take();
        output.value(&json!({
            "path": path, "verified": is_verified, "total": total, "held": held,
            "signatures": signatures, "warnings": warnings,
        }))?;
    } else {
        for signature in signatures {
            lines(signature).iter().try_for_each(|line| output.line(line))?;
        }
        texts(&result, "warnings").iter().for_each(|warning| note(warning));
        output.line(&summary(&path, held, total, !trusted.is_empty()))?;
    }
    Ok(if is_verified { ExitCode::SUCCESS } else { ExitCode::from(NOT_VERIFIED) })
}

/// Returns the text of a file with certificates.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the file cannot be read, has more than 1 MiB, or is not PEM.
fn certificates(path: &Path) -> Result<String> {
    let refused = |message: &str| {
        Error::new(ErrorKind::Input, format!("--trust: {}: {message}", path.display()))
            .hint("name a file of certificates in PEM (`-----BEGIN CERTIFICATE-----`)")
    };
    let mut content = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_CERTIFICATES + 1).read_to_end(&mut content))
        .map_err(|error| refused("cannot be read").caused_by(error))?;
    if content.len() as u64 > MAX_CERTIFICATES {
        return Err(refused("has more than 1 MiB"));
    }
    let text = String::from_utf8(content).map_err(|_| refused("is not text"))?;
    if text.contains("-----BEGIN CERTIFICATE-----") {
        return Ok(text);
    }
    Err(refused("has no certificate"))
}

/// Returns `true` if the bytes are those that were signed, the key of the certificate signed them, nothing suspicious was
/// added, and, if certificates are trusted, the chain leads to one of them.
fn holds(signature: &Value, is_trust_wanted: bool) -> bool {
    let has = |name: &str, start: &str| {
        signature[name].as_str().is_some_and(|value| value.starts_with(start))
    };
    has("digest", "passed")
        && has("signature", "passed")
        && !has("coverage", "suspicious")
        && !texts(signature, "findings").iter().any(|it| it.starts_with("suspicious"))
        && (!is_trust_wanted || has("chain", "trusted"))
}

/// Returns a signature as lines.
fn lines(signature: &Value) -> Vec<String> {
    let shown = |value: &Value| {
        value.as_str().map(|value| text::shortened(&text::single_line(value), SHOWN))
    };
    let field = shown(&signature["field"]).unwrap_or_default();
    let page = signature["page"].as_u64().map(|page| format!(", page {page}"));
    let mut lines = vec![format!("Signature `{field}`{}:", page.unwrap_or_default())];
    for (title, name) in LINES {
        if let Some(value) = shown(&signature[name]) {
            lines.push(format!("  {title}: {value}"));
        }
    }
    let findings = texts(signature, "findings");
    lines.extend(
        findings.iter().map(|finding| {
            format!("  note: {}", text::shortened(&text::single_line(finding), SHOWN))
        }),
    );
    lines
}

fn summary(path: &str, held: u64, total: u64, is_trust_wanted: bool) -> String {
    let to_whom =
        if is_trust_wanted { "" } else { "; without --trust it is not known who the signers are" };
    match (held, total) {
        (_, 0) => format!("{path}: no signatures"),
        (held, total) if held == total => format!("{path}: {total} of {total} hold{to_whom}"),
        (held, total) => format!("{path}: {held} of {total} hold"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(changes: Value) -> Value {
        let mut signature = json!({
            "field": "Sign", "page": 1, "digest": "passed", "signature": "passed",
            "chain": "not checked: no certificates were given", "coverage": "whole file",
            "reason": null, "findings": ["a\nb"],
        });
        for (name, value) in changes.as_object().unwrap() {
            signature[name] = value.clone();
        }
        signature
    }

    #[test]
    fn a_signature_holds_only_if_all_that_was_asked_for_passed() {
        assert!(holds(&signature(json!({})), false));
        assert!(!holds(&signature(json!({})), true), "nobody is trusted");
        assert!(holds(&signature(json!({ "chain": "trusted: CN=Root" })), true));
        for wrong in [
            json!({ "digest": "failed: the bytes were changed" }),
            json!({ "digest": "not checked: unknown algorithm" }),
            json!({ "signature": "failed: another key" }),
            json!({ "coverage": "suspicious: bytes were appended" }),
            json!({ "findings": ["suspicious: an object was replaced"] }),
        ] {
            assert!(!holds(&signature(wrong.clone()), false), "{wrong}");
        }
    }

    #[test]
    fn a_signature_is_printed_line_by_line() {
        let lines = lines(&signature(json!({ "signer": "CN=张伟" })));
        assert_eq!(lines[0], "Signature `Sign`, page 1:");
        assert!(lines.contains(&"  signer: CN=张伟".to_owned()), "{lines:?}");
        assert!(lines.contains(&"  note: a b".to_owned()), "{lines:?}");
        assert!(!lines.iter().any(|line| line.contains("claimed reason")), "{lines:?}");
    }

    #[test]
    fn certificates_are_pem_of_at_most_a_mebibyte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let refused = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            certificates(&path).unwrap_err().to_string()
        };
        assert!(refused(b"\x30\x82").contains("is not text"));
        assert!(refused(b"hello").contains("has no certificate"));
        assert!(refused(&[b'-'; (1 << 20) + 1]).contains("more than 1 MiB"));
        assert!(
            certificates(&folder.path().join("none")).unwrap_err().to_string().contains("none")
        );
    }

    #[test]
    fn the_last_line_counts() {
        assert_eq!(summary("a.pdf", 0, 0, true), "a.pdf: no signatures");
        assert_eq!(summary("a.pdf", 1, 2, true), "a.pdf: 1 of 2 hold");
        assert_eq!(summary("a.pdf", 2, 2, true), "a.pdf: 2 of 2 hold");
        assert!(summary("a.pdf", 2, 2, false).contains("--trust"));
    }
}
