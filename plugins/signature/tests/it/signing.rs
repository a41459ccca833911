//! New signatures.

use mitt_signature::{
    Certificate, Check, Coverage, Digest, Error, ErrorKind, Signer, SigningAlgorithm,
    SigningCertificate, VerifyOptions, find_signatures, sign_increment, verify,
};

use crate::pdf::{Placeholder, placeholder, second_placeholder};
use crate::pki::{How, Key, NOW, Pki};

const PADES: &str = "ETSI.CAdES.detached";

fn with_key(key: &Key) -> impl Fn(SigningAlgorithm, &[u8]) -> Result<Vec<u8>, Error> {
    move |algorithm, message| {
        let how = match algorithm {
            SigningAlgorithm::RsaPss(_) => How::Pss,
            other => How::Usual(other.digest()),
        };
        Ok(key.sign(how, message).1)
    }
}

fn new_error(
    certificates: Vec<Certificate>,
    algorithm: Option<SigningAlgorithm>,
    now: i64,
) -> Error {
    Signer::new(certificates, algorithm, now, &|_, _| panic!("no signature is made")).err().unwrap()
}

#[test]
fn signed_files_pass_their_own_check() {
    for (key, algorithm) in [
        (Key::rsa(), None),
        (Key::rsa(), Some(SigningAlgorithm::RsaPkcs1(Digest::Sha384))),
        (Key::rsa(), Some(SigningAlgorithm::RsaPkcs1(Digest::Sha512))),
        (Key::rsa(), Some(SigningAlgorithm::RsaPss(Digest::Sha256))),
        (Key::p256(5), None),
        (Key::p384(5), None),
        (Key::ed25519(5), None),
    ] {
        let pki = Pki::new(&key);
        let sign = with_key(&key);
        let signer = Signer::new(pki.chain(), algorithm, NOW, &sign).unwrap();
        let Placeholder { pdf, byte_range } = placeholder(PADES, signer.contents_bytes());
        let pdf = sign_increment(pdf, byte_range, &signer).unwrap();
        let report = verify(
            &pdf,
            &find_signatures(&pdf)[0],
            &VerifyOptions { trusted: &[pki.root], now: NOW },
        );
        assert_eq!(report.coverage, Coverage::WholeFile);
        assert_eq!((&report.digest, &report.signature), (&Check::Passed, &Check::Passed));
        assert_eq!(report.signing_certificate, SigningCertificate::Matches);
        assert_eq!(report.findings, []);
        assert!(report.is_intact() && report.chain.unwrap().is_trusted());
    }
}

#[test]
fn a_second_signature_leaves_the_first_one_intact() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let sign = with_key(&key);
    let signer = Signer::new(pki.chain(), None, NOW, &sign).unwrap();
    let Placeholder { pdf, byte_range } = placeholder(PADES, 4000);
    let first = sign_increment(pdf, byte_range, &signer).unwrap();
    let Placeholder { pdf, byte_range } = second_placeholder(&first, PADES, 4000);
    let both = sign_increment(pdf, byte_range, &signer).unwrap();
    assert!(both.starts_with(&first));
    let options = VerifyOptions { trusted: &[pki.root], now: NOW };
    let reports: Vec<_> =
        find_signatures(&both).iter().map(|found| verify(&both, found, &options)).collect();
    assert!(reports.iter().all(|report| report.is_intact()));
    assert!(matches!(
        reports[0].coverage,
        Coverage::EarlierRevision { later_revisions: 1, ends_complete: true, .. }
    ));
    assert_eq!(reports[1].coverage, Coverage::WholeFile);
}

#[test]
fn the_signed_attributes_are_those_of_pades() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let message = std::cell::RefCell::new(Vec::new());
    let sign = |_: SigningAlgorithm, bytes: &[u8]| {
        *message.borrow_mut() = bytes.to_vec();
        Ok(key.sign(How::Usual(Digest::Sha256), bytes).1)
    };
    Signer::new(pki.chain(), None, NOW, &sign).unwrap().sign(&[b"content"]).unwrap();
    let message = message.borrow();
    let has = |id: &str| {
        let id = crate::pki::oid(id);
        message.windows(id.len()).any(|window| window == id)
    };
    assert!(
        has("1.2.840.113549.1.9.3")
            && has("1.2.840.113549.1.9.4")
            && has("1.2.840.113549.1.9.16.2.47")
    );
    assert!(!has("1.2.840.113549.1.9.5"), "PAdES allows no signing time");
}

#[test]
fn the_room_is_checked_and_the_need_named() {
    let key = Key::rsa();
    let pki = Pki::new(&key);
    let sign = with_key(&key);
    let signer = Signer::new(pki.chain(), None, NOW, &sign).unwrap();
    let needed = signer.contents_bytes();
    let Placeholder { pdf, byte_range } = placeholder(PADES, needed - 1);
    let error = sign_increment(pdf, byte_range, &signer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Room);
    assert_eq!(
        error.to_string(),
        format!(
            "the signature needs {needed} bytes of contents, but there is room for {}",
            needed - 1
        )
    );
}

#[test]
fn a_placeholder_that_is_not_whole_is_refused() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let sign = with_key(&key);
    let signer = Signer::new(pki.chain(), None, NOW, &sign).unwrap();
    let refused = |change: &dyn Fn(&mut Placeholder)| {
        let mut place = placeholder(PADES, 4000);
        change(&mut place);
        let error = sign_increment(place.pdf, place.byte_range, &signer).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Malformed);
        error.to_string()
    };
    assert!(
        refused(&|place| place.pdf[place.byte_range[1] + 5] = b'1').contains("a string of zeros")
    );
    assert!(refused(&|place| place.byte_range[1] -= 1).contains("a string of zeros"));
    assert!(refused(&|place| place.byte_range[2] = usize::MAX).contains("a string of zeros"));
    assert!(refused(&|place| place.byte_range[3] += 1).contains("reaches beyond"));
    assert!(refused(&|place| place.byte_range[3] -= 2).contains("not the end of a revision"));
    assert!(
        refused(&|place| place.pdf.extend(b"more %%EOF")).contains("leaves out the last 10 bytes")
    );
    let other_range = |place: &mut Placeholder| {
        let at = place.pdf.windows(12).position(|window| window == b"/ByteRange [").unwrap();
        place.pdf[at + 12] = b'1';
    };
    assert!(refused(&other_range).contains("no signature dictionary with this byte range"));
}

#[test]
fn unfit_certificates_are_refused_before_anything_is_signed() {
    let key = Key::p256(5);
    let expired =
        new_error(Pki::with(&key, |template| template.end = "260101000000Z").chain(), None, NOW);
    assert_eq!(expired.kind(), ErrorKind::Certificate);
    assert!(expired.to_string().contains(
        "`CN=Signer` has expired: it is valid from 2025-01-01 00:00:00 UTC to 2026-01-01"
    ));
    assert!(
        new_error(Pki::new(&key).chain(), None, crate::pki::START - 1)
            .to_string()
            .contains("is not valid yet")
    );
    let usage = new_error(Pki::with(&key, |template| template.usage = 0x20).chain(), None, NOW);
    assert_eq!(usage.kind(), ErrorKind::Certificate);
    assert_eq!(new_error(Vec::new(), None, NOW).kind(), ErrorKind::Certificate);
    let many = vec![Pki::new(&key).signer; mitt_signature::MAX_CERTIFICATES + 1];
    assert_eq!(new_error(many, None, NOW).kind(), ErrorKind::Limit);
    let short = new_error(Pki::new(&Key::short_rsa()).chain(), None, NOW);
    assert!(short.kind() == ErrorKind::Key && short.to_string().contains("got RSA 1024"));
    for algorithm in
        [SigningAlgorithm::RsaPss(Digest::Sha256), SigningAlgorithm::Ecdsa(Digest::Sha1)]
    {
        assert_eq!(new_error(Pki::new(&key).chain(), Some(algorithm), NOW).kind(), ErrorKind::Key);
    }
}

#[test]
fn a_key_of_another_certificate_is_noticed() {
    let (key, other) = (Key::p256(5), Key::p256(6));
    let pki = Pki::new(&key);
    let sign = with_key(&other);
    let signer = Signer::new(pki.chain(), None, NOW, &sign).unwrap();
    let error = signer.sign(&[b"content"]).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Key, "the key does not belong to the certificate of `CN=Signer`")
    );
    let failing =
        |_: SigningAlgorithm, _: &[u8]| Err(Error::new(ErrorKind::Key, "the token was pulled out"));
    let signer = Signer::new(pki.chain(), None, NOW, &failing).unwrap();
    assert_eq!(signer.sign(&[b"content"]).unwrap_err().to_string(), "the token was pulled out");
}
