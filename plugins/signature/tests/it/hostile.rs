//! Signatures that are broken or made to do harm.

use mitt_signature::{
    Certificate, Check, ErrorKind, FindingKind, MAX_CERTIFICATES, SignatureReport,
};

use crate::cms::{Cms, Signed, signed};
use crate::pki::{Key, Pki, Template, tlv};
use crate::verifying::{report, texts};

const PADES: &str = "ETSI.CAdES.detached";

/// Replaces the contents in the dictionary and in the file.
fn with_contents(made: &Signed, mut contents: Vec<u8>) -> Signed {
    contents.resize(made.input.contents.len().max(contents.len()), 0);
    let gap = usize::try_from(made.input.byte_range[1]).unwrap();
    let after = usize::try_from(made.input.byte_range[2]).unwrap();
    let mut pdf = made.pdf.clone();
    let digits: String = contents.iter().map(|byte| format!("{byte:02x}")).collect();
    if digits.len() == after - gap - 2 {
        pdf[gap + 1..after - 1].copy_from_slice(digits.as_bytes());
    }
    let mut input = made.input.clone();
    input.contents = contents;
    Signed { pdf, input }
}

fn not_checked(report: &SignatureReport) -> &str {
    match (&report.digest, &report.signature) {
        (Check::NotChecked(why), Check::NotChecked(_)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn indefinite_lengths_are_read_and_reported() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let made = signed(PADES, |bytes| {
        let der = Cms::new(&key, pki.chain()).make(bytes);
        // The outermost sequence in BER. Its length takes three bytes more than the tag.
        [&[0x30, 0x80][..], &der[4..], &[0, 0]].concat()
    });
    let report = report(&made, &pki);
    assert!(report.is_intact());
    assert_eq!(
        texts(&report, FindingKind::Note),
        ["the signature is in BER, where DER is required"]
    );
}

#[test]
fn bytes_behind_the_signature_and_second_signers_are_suspicious() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let made =
        signed(PADES, |bytes| [&Cms::new(&key, pki.chain()).make(bytes)[..], &[0, 0, 1]].concat());
    let hidden = report(&made, &pki);
    assert_eq!(
        texts(&hidden, FindingKind::Suspicious),
        ["bytes are hidden after the signature in its contents"]
    );
    assert!(!hidden.is_intact());
    let made =
        signed(PADES, |bytes| Cms { signer_count: 2, ..Cms::new(&key, pki.chain()) }.make(bytes));
    assert!(
        texts(&report(&made, &pki), FindingKind::Suspicious)[0]
            .contains("expected one signer, got 2")
    );
    let made = signed(PADES, |bytes| {
        Cms { content: Some(b"other".to_vec()), ..Cms::new(&key, pki.chain()) }.make(bytes)
    });
    assert!(texts(&report(&made, &pki), FindingKind::Suspicious)[0].contains("content of its own"));
    let twin = Template::new("Signer", &Key::p256(66), "Middle", &Key::p256(66)).make();
    let made = signed(PADES, |bytes| Cms::new(&key, vec![pki.signer.clone(), twin]).make(bytes));
    assert!(
        texts(&report(&made, &pki), FindingKind::Suspicious)[0]
            .contains("two different certificates")
    );
}

#[test]
fn an_attribute_that_is_there_twice_is_no_digest() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let second = crate::cms::attribute("1.2.840.113549.1.9.4", &tlv(4, &[&[1; 32]]));
    let made = signed(PADES, |bytes| {
        Cms { signed: vec![second], ..Cms::new(&key, pki.chain()) }.make(bytes)
    });
    assert!(
        matches!(report(&made, &pki).digest, Check::Failed(why) if why.contains("expected one value"))
    );
    let made = signed(PADES, |bytes| {
        Cms { content_type: "1.2.3", ..Cms::new(&key, pki.chain()) }.make(bytes)
    });
    // The type is signed and the same in both places, so the digest decides.
    assert!(report(&made, &pki).digest.has_passed());
}

#[test]
fn forms_and_algorithms_that_are_not_supported_are_named() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let mut made = signed(PADES, |bytes| Cms::new(&key, pki.chain()).make(bytes));
    made.input.subfilter = Some("Foo.Bar\n".to_owned());
    assert_eq!(
        not_checked(&report(&made, &pki)),
        "signatures of the form `Foo.Bar\\u{a}` are not supported"
    );
    made.input.subfilter = None;
    assert!(not_checked(&report(&made, &pki)).contains("SubFilter"));
    made.input.subfilter = Some(PADES.to_owned());
    let empty = with_contents(&made, vec![0; made.input.contents.len()]);
    assert!(not_checked(&report(&empty, &pki)).contains("are empty"));
    // Another last byte in the identifiers of SHA-256: SHA-224.
    let sha256 = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1];
    let mut contents = made.input.contents.clone();
    while let Some(place) = contents.windows(9).position(|window| window == sha256) {
        contents[place + 8] = 4;
    }
    let unknown = report(&with_contents(&made, contents), &pki);
    assert!(
        matches!(&unknown.digest, Check::NotChecked(why) if why.contains("id-sha224")),
        "{:?}",
        unknown.digest
    );
    made.input.byte_range[3] += 1;
    assert!(not_checked(&report(&made, &pki)).contains("byte range makes no sense"));
}

#[test]
fn too_many_certificates_are_refused() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let mut made = signed(PADES, |bytes| Cms::new(&key, pki.chain()).make(bytes));
    let [gap, after] = [1, 2].map(|at| usize::try_from(made.input.byte_range[at]).unwrap());
    let bytes = [&made.pdf[..gap], &made.pdf[after..]].concat();
    let many = Cms::new(&key, vec![pki.signer.clone(); MAX_CERTIFICATES + 1]).make(&bytes);
    made = with_contents(&made, many);
    assert!(not_checked(&report(&made, &pki)).contains("at most 64 certificates"));
    let file = vec![pem(&pki.signer); MAX_CERTIFICATES + 1].concat();
    assert_eq!(Certificate::read_all(file.as_bytes()).unwrap_err().kind(), ErrorKind::Limit);
}

pub(crate) fn pem(certificate: &Certificate) -> String {
    use base64::Engine as _;
    let digits = base64::engine::general_purpose::STANDARD.encode(certificate.der());
    format!("-----BEGIN CERTIFICATE-----\n{digits}\n-----END CERTIFICATE-----\n")
}

#[test]
fn names_cannot_change_how_a_report_looks() {
    let key = Key::p256(5);
    let pki = Pki::with(&key, |template| template.subject = "Eve\u{202e}\nSigned by: Bob");
    let subject = pki.signer.info().subject;
    assert!(!subject.contains('\n') && !subject.contains('\u{202e}'), "{subject}");
    const LONG: [u8; 2000] = [b'x'; 2000];
    let pki = Pki::with(&key, |template| template.subject = std::str::from_utf8(&LONG).unwrap());
    assert!(pki.signer.info().subject.chars().count() < 510);
}

#[test]
fn broken_signatures_never_panic() {
    let (key, clock_key) = (Key::p256(5), Key::p256(6));
    let pki = Pki::new(&key);
    let clock = Pki::with(&clock_key, |template| template.purposes = &[crate::pki::TIME_STAMPING]);
    let made = signed(PADES, |bytes| {
        Cms::new(&key, pki.chain()).make_with_stamp(bytes, |signature| {
            Some(crate::cms::time_stamp(&clock_key, clock.chain(), signature, "20260102030405Z"))
        })
    });
    let used = made.input.contents.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for _ in 0..400 {
        let mut contents = made.input.contents.clone();
        for _ in 0..=random(3) {
            let place = random(used);
            contents[place] = random(256) as u8;
        }
        if random(4) == 0 {
            contents.truncate(random(used));
        }
        let report = report(&with_contents(&made, contents), &pki);
        assert!(!report.summary().is_empty());
    }
}
