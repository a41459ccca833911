//! What is reported of one signature.

use mitt_signature::{
    Anchor, Check, Coverage, Digest, FindingKind, SignatureReport, SigningCertificate,
    VerifyOptions, verify,
};

use crate::cms::{Cms, Signed, attribute, signed};
use crate::pki::{Key, NOW, Pki, hash, tlv};

pub(crate) fn report(signed: &Signed, pki: &Pki) -> SignatureReport {
    verify(
        &signed.pdf,
        &signed.input,
        &VerifyOptions { trusted: std::slice::from_ref(&pki.root), now: NOW },
    )
}

pub(crate) fn texts(report: &SignatureReport, kind: FindingKind) -> Vec<&str> {
    report
        .findings
        .iter()
        .filter(|finding| finding.kind == kind)
        .map(|finding| finding.text.as_str())
        .collect()
}

const PADES: &str = "ETSI.CAdES.detached";

#[test]
fn a_good_signature_is_described_field_by_field() {
    let key = Key::rsa();
    let pki = Pki::new(&key);
    let signed = signed(PADES, |bytes| Cms::new(&key, pki.chain()).make(bytes));
    let report = report(&signed, &pki);
    assert_eq!(report.coverage, Coverage::WholeFile);
    assert_eq!((&report.digest, &report.signature), (&Check::Passed, &Check::Passed));
    assert_eq!(report.subfilter.as_deref(), Some(PADES));
    assert_eq!(report.digest_algorithm, Some("SHA-256"));
    assert_eq!(report.signature_algorithm.as_deref(), Some("RSA PKCS#1 v1.5 with SHA-256"));
    assert_eq!(report.signing_certificate, SigningCertificate::Matches);
    assert_eq!(report.claimed_time, Some(NOW));
    assert_eq!(report.findings, []);
    assert!(report.is_intact());
    let signer = report.signer.as_ref().unwrap();
    assert_eq!(
        (signer.subject.as_str(), signer.issuer.as_str(), signer.serial.as_str()),
        ("CN=Signer", "CN=Middle", "07")
    );
    assert_eq!((signer.not_before, signer.not_after), (1_735_689_600, 1_893_456_000));
    assert_eq!(signer.public_key, "RSA 2048");
    assert_eq!(signer.key_usage, ["digitalSignature", "nonRepudiation"]);
    assert!(!signer.is_authority);
    let chain = report.chain.as_ref().unwrap();
    assert_eq!(chain.anchor, Anchor::Trusted { subject: "CN=Root".to_owned() });
    assert_eq!(chain.subjects, ["CN=Signer", "CN=Middle", "CN=Root"]);
    assert!(chain.is_trusted());
    assert_eq!(
        report.summary(),
        "The signed bytes are unchanged. The signer is `CN=Signer`. The certificate leads to the trusted `CN=Root`. \
         The signer claims 2026-06-01 12:00:00 UTC, which nobody confirms. It was not checked if certificates were revoked."
    );
}

#[test]
fn each_kind_of_key_is_checked() {
    for (key, digest, name) in [
        (Key::rsa(), Digest::Sha384, "RSA PKCS#1 v1.5 with SHA-384"),
        (Key::rsa(), Digest::Sha512, "RSA PKCS#1 v1.5 with SHA-512"),
        (Key::p256(5), Digest::Sha256, "ECDSA with SHA-256"),
        (Key::p384(5), Digest::Sha384, "ECDSA with SHA-384"),
        (Key::ed25519(5), Digest::Sha512, "Ed25519"),
    ] {
        let pki = Pki::new(&key);
        let mut signed =
            signed(PADES, |bytes| Cms { digest, ..Cms::new(&key, pki.chain()) }.make(bytes));
        let good = report(&signed, &pki);
        assert_eq!(good.signature_algorithm.as_deref(), Some(name));
        assert!(good.is_intact(), "{name}");
        // The last bytes of the CMS are the signature.
        let last = signed.input.contents.iter().rposition(|byte| *byte != 0).unwrap();
        signed.input.contents[last] ^= 1;
        let bad = report(&signed, &pki);
        assert_eq!(bad.digest, Check::Passed);
        assert!(matches!(bad.signature, Check::Failed(_)), "{name}");
        assert!(bad.summary().starts_with("The signature is FORGED or broken"));
    }
}

#[test]
fn a_changed_byte_is_noticed() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let mut signed = signed(PADES, |bytes| Cms::new(&key, pki.chain()).make(bytes));
    let place = signed.pdf.windows(3).position(|window| window == b"200").unwrap();
    signed.pdf[place] = b'3';
    let report = report(&signed, &pki);
    assert!(matches!(report.digest, Check::Failed(_)));
    assert_eq!(report.signature, Check::Passed);
    assert!(!report.is_intact());
    assert!(report.summary().starts_with("The signed bytes were CHANGED"));
}

#[test]
fn bytes_after_the_signed_revision_are_counted() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let mut signed = signed(PADES, |bytes| Cms::new(&key, pki.chain()).make(bytes));
    let end = signed.pdf.len();
    signed.pdf.extend(b"9 0 obj\nnull\nendobj\nstartxref\n0\n%%EOF\n");
    let report = report(&signed, &pki);
    let expected = Coverage::EarlierRevision {
        end,
        appended_bytes: 38,
        later_revisions: 1,
        ends_complete: true,
    };
    assert_eq!(report.coverage, expected);
    assert!(report.is_intact());
    assert!(report.summary().contains(
        "38 bytes were added after it was signed (1 later revisions), which it does not cover."
    ));
}

#[test]
fn a_byte_range_that_skips_content_is_an_attack() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let mut signed = signed(PADES, |bytes| Cms::new(&key, pki.chain()).make(bytes));
    // The signed bytes stay, but the second part moves behind content that nobody signed.
    let after = usize::try_from(signed.input.byte_range[2]).unwrap();
    let evil = b"/Evil 1 0 R";
    signed.pdf.splice(after..after, evil.iter().copied());
    signed.input.byte_range[2] += evil.len() as i64;
    let report = report(&signed, &pki);
    assert_eq!((&report.digest, &report.signature), (&Check::Passed, &Check::Passed));
    assert!(
        matches!(&report.coverage, Coverage::Suspicious { problems } if problems[0].contains("not exactly the signature"))
    );
    assert!(!report.is_intact());
    assert!(report.summary().contains("The file is made as forged ones are"));
}

#[test]
fn a_certificate_of_another_key_fails() {
    let (key, other) = (Key::p256(5), Key::p256(6));
    let pki = Pki::new(&other);
    let signed = signed(PADES, |bytes| Cms::new(&key, pki.chain()).make(bytes));
    let report = report(&signed, &pki);
    assert_eq!(report.digest, Check::Passed);
    assert!(matches!(report.signature, Check::Failed(_)));
    assert!(report.summary().contains("It names the signer `CN=Signer`, which is not proved"));
}

#[test]
fn a_signer_without_certificate_is_not_checked() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let signed = signed(PADES, |bytes| {
        Cms { certificates: vec![pki.middle.clone()], ..Cms::new(&key, Vec::new()) }.make(bytes)
    });
    let report = report(&signed, &pki);
    assert!(matches!(report.signature, Check::NotChecked(_)));
    assert_eq!((report.signer.as_ref(), report.chain.as_ref()), (None, None));
    assert!(report.summary().starts_with("The signature was not checked"));
}

#[test]
fn weak_algorithms_and_keys_are_findings() {
    for (key, digest, expected) in [
        (Key::rsa(), Digest::Md5, "the digest of the signed bytes is MD5"),
        (Key::rsa(), Digest::Sha1, "the digest of the signed bytes is SHA-1"),
        (Key::short_rsa(), Digest::Sha256, "the key of the signer is short: RSA 1024"),
    ] {
        let pki = Pki::new(&key);
        let signed =
            signed(PADES, |bytes| Cms { digest, ..Cms::new(&key, pki.chain()) }.make(bytes));
        let report = report(&signed, &pki);
        assert_eq!(report.signature, Check::Passed);
        assert!(texts(&report, FindingKind::Weak).contains(&expected), "{:?}", report.findings);
        assert!(report.summary().contains("Weak: "));
    }
}

#[test]
fn the_attribute_that_names_the_certificate_is_compared() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let other = Pki::with(&key, |template| template.subject = "Other").signer;
    let differs = signed(PADES, |bytes| {
        Cms { named: Some(other), ..Cms::new(&key, pki.chain()) }.make(bytes)
    });
    let differs = report(&differs, &pki);
    assert_eq!(differs.signing_certificate, SigningCertificate::Differs);
    assert!(!differs.is_intact());
    assert!(texts(&differs, FindingKind::Suspicious)[0].contains("name another certificate"));

    let absent =
        signed(PADES, |bytes| Cms { named: None, ..Cms::new(&key, pki.chain()) }.make(bytes));
    let absent = report(&absent, &pki);
    assert_eq!(absent.signing_certificate, SigningCertificate::Absent);
    assert!(texts(&absent, FindingKind::Note)[0].contains("PAdES requires"));
    assert!(absent.is_intact());

    // The older form, with SHA-1.
    let id = tlv(0x30, &[&tlv(4, &[&hash(Digest::Sha1, pki.signer.der())])]);
    let old = attribute("1.2.840.113549.1.9.16.2.12", &tlv(0x30, &[&tlv(0x30, &[&id])]));
    let old = signed(PADES, |bytes| {
        Cms { named: None, signed: vec![old], ..Cms::new(&key, pki.chain()) }.make(bytes)
    });
    assert_eq!(report(&old, &pki).signing_certificate, SigningCertificate::Matches);
}

#[test]
fn a_signing_time_in_pades_is_a_finding_and_elsewhere_the_claimed_time() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let time = attribute("1.2.840.113549.1.9.5", &tlv(0x17, &[b"260102030405Z"]));
    let make = |subfilter| {
        let mut made = signed(subfilter, |bytes| {
            Cms { signed: vec![time.clone()], ..Cms::new(&key, pki.chain()) }.make(bytes)
        });
        made.input.claimed_time = None;
        report(&made, &pki)
    };
    assert!(texts(&make(PADES), FindingKind::Note)[0].contains("no signing time"));
    let adobe = make("adbe.pkcs7.detached");
    assert_eq!(adobe.findings, []);
    assert_eq!(adobe.claimed_time, Some(1_767_323_045));
}

#[test]
fn forms_before_pades_are_checked() {
    let key = Key::rsa();
    let pki = Pki::new(&key);
    let indirect = |bytes: &[u8]| {
        let digest = hash(Digest::Sha1, bytes);
        Cms { content: Some(digest.clone()), ..Cms::new(&key, pki.chain()) }.make(&digest)
    };
    let mut made = signed("adbe.pkcs7.sha1", indirect);
    let good = report(&made, &pki);
    assert!(good.is_intact());
    assert_eq!(good.digest_algorithm, Some("SHA-1"));
    assert!(!texts(&good, FindingKind::Weak).is_empty());
    let place = made.pdf.windows(3).position(|window| window == b"200").unwrap();
    made.pdf[place] = b'3';
    assert!(matches!(report(&made, &pki).digest, Check::Failed(_)));

    for digest in [Digest::Sha1, Digest::Sha256] {
        let bare = |bytes: &[u8]| tlv(4, &[&key.sign(crate::pki::How::Usual(digest), bytes).1]);
        let mut made = signed("adbe.x509.rsa_sha1", bare);
        assert!(
            matches!(report(&made, &pki).signature, Check::NotChecked(why) if why.contains("`Cert`"))
        );
        made.input.certificates =
            pki.chain().iter().map(|certificate| certificate.der().to_vec()).collect();
        let good = report(&made, &pki);
        assert_eq!(
            (&good.digest, &good.signature, good.digest_algorithm),
            (&Check::Passed, &Check::Passed, Some(digest.name()))
        );
        assert!(good.chain.as_ref().unwrap().is_trusted());
        made.pdf[place] = b'3';
        assert!(matches!(report(&made, &pki).signature, Check::Failed(_)));
    }
}

#[test]
fn less_usual_forms_of_cms_are_read() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let by_key = signed(PADES, |bytes| {
        Cms { by_key: true, ..Cms::new(&key, vec![pki.signer.clone()]) }.make(bytes)
    });
    assert!(report(&by_key, &pki).is_intact());
    let bare = Cms { has_attributes: false, named: None, ..Cms::new(&key, pki.chain()) };
    let bare = signed("adbe.pkcs7.detached", |bytes| bare.make(bytes));
    assert!(report(&bare, &pki).is_intact());
    let unsorted =
        signed(PADES, |bytes| Cms { is_unsorted: true, ..Cms::new(&key, pki.chain()) }.make(bytes));
    let unsorted = report(&unsorted, &pki);
    assert!(unsorted.is_intact());
    assert_eq!(
        texts(&unsorted, FindingKind::Note),
        ["the signed attributes are not in the order of DER"]
    );
}
