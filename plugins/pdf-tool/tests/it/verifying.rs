//! Signatures that the tests make themselves, and what is said of them.

use crate::{book, has, words};
use base64::Engine as _;
use mitt_signature::{Certificate, Signer, SigningAlgorithm, sign_increment};
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use pdf_tool::{
    Edit, Error, NoTypesetter, Pdf, Permissions, Protection, SaveOptions, Verified, edit,
};
use pdf_tool::{signatures, verify_signatures};

/// 2026-06-01 12:00:00 UTC, when the certificates are valid.
pub(crate) const NOW: i64 = 1_780_315_200;
const SHA256_WITH_ECDSA: &[u8] = b"\x30\x0a\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x02";

fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let [high, low] = u16::try_from(content.len()).unwrap().to_be_bytes();
    let head = match content.len() {
        0..0x80 => vec![tag, low],
        0x80..0x100 => vec![tag, 0x81, low],
        _ => vec![tag, 0x82, high, low],
    };
    [head, content].concat()
}

pub(crate) fn key(seed: u8) -> SigningKey {
    SigningKey::from_slice(&[seed; 32]).unwrap()
}

pub(crate) fn sign(key: &SigningKey, message: &[u8]) -> Vec<u8> {
    let signature: Signature = key.sign(message);
    signature.to_der().as_bytes().to_vec()
}

/// Makes a certificate that is valid from 2025 to 2030; the root issues both.
pub(crate) fn certificate(subject: &str, own: &SigningKey, is_authority: bool) -> Certificate {
    let name = |text: &str| {
        let text = tlv(0x0c, &[text.as_bytes()]);
        tlv(0x30, &[&tlv(0x31, &[&tlv(0x30, &[b"\x06\x03\x55\x04\x03", &text])])])
    };
    let extension =
        |id: &[u8], value: &[u8]| tlv(0x30, &[&tlv(6, &[id]), &[1, 1, 0xff], &tlv(4, &[value])]);
    let usage: &[u8] = if is_authority { &[3, 2, 1, 0x06] } else { &[3, 2, 6, 0xc0] };
    let mut extensions = extension(b"\x55\x1d\x0f", usage);
    if is_authority {
        extensions.extend(extension(b"\x55\x1d\x13", &[0x30, 3, 1, 1, 0xff]));
    }
    let algorithm = tlv(
        0x30,
        &[b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"],
    );
    let point = own.verifying_key().to_sec1_point(false);
    let public = tlv(0x30, &[&algorithm, &tlv(3, &[&[0], point.as_bytes()])]);
    let validity = [tlv(0x17, &[b"250101000000Z"]), tlv(0x17, &[b"300101000000Z"])].concat();
    let signed = tlv(
        0x30,
        &[
            &[0xa0, 3, 2, 1, 2, 2, 1, 7],
            SHA256_WITH_ECDSA,
            &name("Root"),
            &tlv(0x30, &[&validity]),
            &name(subject),
            &public,
            &tlv(0xa3, &[&tlv(0x30, &[&extensions])]),
        ],
    );
    let signature = sign(&key(1), &signed);
    let whole = tlv(0x30, &[&signed, SHA256_WITH_ECDSA, &tlv(3, &[&[0], &signature])]);
    Certificate::from_der(&whole).unwrap()
}

/// Returns the certificate of the root as PEM.
pub(crate) fn root() -> String {
    let der = certificate("Root", &key(1), true).der().to_vec();
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

/// Makes a form with a place for a signature.
fn form(fields: &str, entries: &str, room: usize) -> Vec<u8> {
    let more = [
        format!("<</Fields [{fields}] /DA (/Helv 10 Tf 0 g)>>"),
        "<</T (name) /FT /Tx /Subtype /Widget /Rect [10 10 90 24] /P 4 0 R>>".to_owned(),
        "<</T (sig) /FT /Sig /V 9 0 R /Subtype /Widget /Rect [0 0 0 0] /P 4 0 R>>".to_owned(),
        format!(
            "<</Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached {entries} \
             /ByteRange [0 1111111111 1111111111 1111111111] /Contents <{}>>>",
            "00".repeat(room)
        ),
    ];
    book(&[&words("agreed")], "/AcroForm 6 0 R", "/Annots [7 0 R 8 0 R]", &more)
}

/// Makes a signed form; `entries` are of the signature dictionary.
fn signed(entries: &str) -> Vec<u8> {
    signed_with(entries, |pdf| pdf)
}

/// Does what [`signed`] does, with a change of the file before it is signed.
fn signed_with(entries: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let own = key(2);
    let make = |_: SigningAlgorithm, message: &[u8]| Ok(sign(&own, message));
    let chain = vec![certificate("Signer", &own, false)];
    let signer = Signer::new(chain, None, NOW, &make).unwrap();
    let mut pdf = change(form("7 0 R 8 0 R", entries, signer.contents_bytes()));
    let find = |part: &[u8]| pdf.windows(part.len()).position(|it| it == part).unwrap();
    let marks = find(b"1111111111 1111111111 1111111111");
    let start = find(b"/Contents <") + b"/Contents ".len();
    let end = start + pdf[start..].iter().position(|it| *it == b'>').unwrap() + 1;
    pdf[start + 1..end - 1].fill(b'0');
    let range = [0, start, end, pdf.len() - end];
    let numbers = format!("{:>10} {:>10} {:>10}", range[1], range[2], range[3]);
    pdf[marks..marks + numbers.len()].copy_from_slice(numbers.as_bytes());
    sign_increment(pdf, range, &signer).unwrap()
}

const ENTRIES: &str =
    "/M (D:20260601120000Z) /Name (A. Person) /Reason (Approval) /Location (Bern)";

pub(crate) fn verified(
    pdf: &[u8],
    trusted: &[String],
    date: Option<&str>,
) -> Result<Verified, Error> {
    let found = signatures(&Pdf::open(pdf.to_vec(), None)?);
    verify_signatures(pdf, found, trusted, date)
}

#[test]
fn a_signature_is_checked_field_by_field() {
    let pdf = signed(ENTRIES);
    let all = verified(&pdf, &[], None).unwrap();
    assert_eq!((all.total, all.signatures.len()), (1, 1));
    let it = &all.signatures[0];
    assert_eq!((it.field.as_str(), it.page), ("sig", Some(1)));
    let claimed = [&it.name, &it.reason, &it.location].map(|it| it.as_deref().unwrap());
    assert_eq!(claimed, ["A. Person", "Approval", "Bern"]);
    assert_eq!(it.subfilter.as_deref(), Some("ETSI.CAdES.detached"));
    assert_eq!(it.signer.as_deref(), Some("CN=Signer"));
    assert_eq!(it.issuer.as_deref(), Some("CN=Root"));
    assert_eq!(it.serial.as_deref(), Some("07"));
    assert_eq!(it.valid_from.as_deref(), Some("2025-01-01 00:00:00 UTC"));
    assert_eq!(it.valid_until.as_deref(), Some("2030-01-01 00:00:00 UTC"));
    assert_eq!(it.claimed_time.as_deref(), Some("2026-06-01 12:00:00 UTC"));
    let checks = [&it.digest, &it.signature, &it.coverage, &it.time_stamp].map(String::as_str);
    assert_eq!(checks, ["passed", "passed", "whole file", "none"]);
    assert_eq!(
        it.chain,
        "not trusted: the certificate of `CN=Root` is missing; validity checked at 2026-06-01 12:00:00 UTC, which nobody \
         confirms"
    );
    assert!(it.findings.is_empty() && it.later_revisions == 0, "{it:?}");
    assert!(it.summary.starts_with("The signed bytes are unchanged."), "{}", it.summary);
    for word in ["revoked", "No trusted certificates", "No date"] {
        assert!(all.warnings.iter().any(|it| it.contains(word)), "{word}: {:?}", all.warnings);
    }
}

#[test]
fn an_encrypted_file_has_contents_that_are_not_encrypted() {
    let protection = Protection {
        user: "user".to_owned(),
        owner: "owner".to_owned(),
        permissions: Permissions::default(),
    };
    let options = SaveOptions { is_packed: false, protection: Some(protection) };
    let pdf = signed_with(ENTRIES, |pdf| Pdf::open(pdf, None).unwrap().save(&options).unwrap());
    assert!(!has(&pdf, "Approval"));
    let found = signatures(&Pdf::open(pdf.clone(), Some("user")).unwrap());
    let it = verify_signatures(&pdf, found, &[root()], None).unwrap().signatures.remove(0);
    assert_eq!((it.field.as_str(), it.reason.as_deref()), ("sig", Some("Approval")));
    let checks = [&it.digest, &it.signature, &it.coverage].map(String::as_str);
    assert_eq!(checks, ["passed", "passed", "whole file"], "{it:?}");
}

#[test]
fn a_changed_byte_fails_the_digest() {
    let mut pdf = signed(ENTRIES);
    let at = pdf.windows(6).position(|it| it == b"agreed").unwrap();
    pdf[at] = b'A';
    let it = verified(&pdf, &[root()], None).unwrap().signatures.remove(0);
    assert!(it.digest.starts_with("failed: "), "{it:?}");
    assert!(it.summary.contains("CHANGED"), "{}", it.summary);
}

#[test]
fn a_chain_is_trusted_by_pem_at_a_date() {
    let pdf = signed(ENTRIES);
    let checked = |date| verified(&pdf, &[root()], Some(date)).unwrap();
    let all = checked("2026-11-27");
    assert_eq!(
        all.signatures[0].chain,
        "trusted: it leads to `CN=Root`; validity checked at 2026-11-27 00:00:00 UTC"
    );
    assert_eq!(all.warnings.len(), 1, "{:?}", all.warnings);
    let late = checked("2031-01-01T00:00:00Z").signatures.remove(0).chain;
    assert!(late.starts_with("not trusted: ") && late.contains("valid only from"), "{late}");
    // A certificate of another root with the same name is not trusted.
    let other = certificate("Root", &key(3), true);
    let text = base64::engine::general_purpose::STANDARD.encode(other.der());
    let pem = format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n");
    let chain = verified(&pdf, &[pem], None).unwrap().signatures.remove(0).chain;
    assert!(chain.starts_with("not trusted: ") && chain.contains("did not sign"), "{chain}");
}

#[test]
fn without_any_date_validity_is_not_checked() {
    let it = verified(&signed(""), &[root()], None).unwrap().signatures.remove(0);
    assert_eq!(it.chain, "trusted: it leads to `CN=Root`; validity not checked: there is no date");
    assert!(it.claimed_time.is_none() && it.summary.contains("was not checked, because"));
}

#[test]
fn what_is_appended_is_counted_and_not_covered() {
    let bytes = signed(ENTRIES);
    let mut pdf = Pdf::open(bytes.clone(), None).unwrap();
    let fill = Edit::FillField { field: "name".to_owned(), value: "new".to_owned() };
    let files = |_: &str| Ok(Vec::new());
    edit(&mut pdf, &[fill], false, &files, &NoTypesetter).unwrap();
    let new = pdf.save(&SaveOptions::default()).unwrap();
    let it = verified(&new, &[], None).unwrap().signatures.remove(0);
    assert_eq!((it.digest.as_str(), it.later_revisions), ("passed", 1), "{it:?}");
    let added = new.len() - bytes.len();
    assert_eq!(it.coverage, format!("earlier revision: {added} bytes were added later"));
}

#[test]
fn what_is_no_certificate_or_date_is_refused() {
    let pdf = signed(ENTRIES);
    let error = |trusted: &str, date| match verified(&pdf, &[trusted.to_owned()], date) {
        Err(Error::Invalid(text)) => text,
        other => panic!("{other:?}"),
    };
    assert!(error("root.pem", None).contains("-----BEGIN CERTIFICATE-----"));
    assert!(error(&root(), Some("tomorrow")).contains("`date`"));
    // Models send empty texts.
    assert!(verified(&pdf, &[String::new()], None).is_ok());
}

#[test]
fn files_without_signatures_have_an_empty_list() {
    let all = verified(&book(&[&words("x")], "", "", &[]), &[root()], None).unwrap();
    assert!(all.total == 0 && all.signatures.is_empty() && all.warnings.is_empty(), "{all:?}");
    let more = ["<</Fields [7 0 R]>>".to_owned(), "<</T (sig) /FT /Sig>>".to_owned()];
    let all = verified(&book(&[&words("x")], "/AcroForm 6 0 R", "", &more), &[], None).unwrap();
    assert!(all.total == 0 && all.warnings == ["1 signature field is empty."], "{all:?}");
}

#[test]
fn signatures_in_no_field_and_beyond_the_limit_are_named() {
    let text = String::from_utf8(form("7 0 R", ENTRIES, 4)).unwrap();
    let lost = text.replace("/Annots [7 0 R 8 0 R]", "/Annots [7 0 R      ]");
    let all = verified(lost.as_bytes(), &[], None).unwrap();
    assert!(
        all.total == 0 && all.warnings[0].contains("1 signature belongs to no field"),
        "{all:?}"
    );
    let mut more = vec![String::new()];
    let mut fields = String::new();
    for at in 0..51 {
        more.push(format!("<</T (s{at}) /FT /Sig /V <</Type /Sig /Contents <{at:02}>>>>>"));
        fields.push_str(&format!("{} 0 R ", 7 + at));
    }
    more[0] = format!("<</Fields [{fields}]>>");
    let all = verified(&book(&[&words("x")], "/AcroForm 6 0 R", "", &more), &[], None).unwrap();
    assert_eq!((all.total, all.signatures.len()), (51, 50));
    assert!(all.warnings.iter().any(|it| it.contains("first 50 of 51")), "{:?}", all.warnings);
    // Neither a range nor a form.
    let it = &all.signatures[0];
    assert!(it.coverage.starts_with("suspicious: ") && it.digest.starts_with("not checked: "));
}
