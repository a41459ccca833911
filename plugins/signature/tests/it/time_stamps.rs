//! Time stamps over signatures, and of documents.

use mitt_signature::{Certificate, Check, SignatureReport, TimeSource, VerifyOptions, verify};

use crate::cms::{Cms, Signed, signed, time_stamp};
use crate::pki::{Key, NOW, Pki, TIME_STAMPING};

const TIME: i64 = 1_767_323_045;
const TIME_TEXT: &str = "20260102030405.5Z";

fn authority(key: &Key) -> Pki {
    Pki::with(key, |template| {
        template.subject = "Clock";
        template.purposes = &[TIME_STAMPING];
    })
}

fn report(signed: &Signed, trusted: &Certificate) -> SignatureReport {
    verify(
        &signed.pdf,
        &signed.input,
        &VerifyOptions { trusted: std::slice::from_ref(trusted), now: NOW },
    )
}

#[test]
fn a_trusted_time_stamp_proves_the_time_of_an_expired_certificate() {
    let (key, clock_key) = (Key::p256(5), Key::rsa());
    let pki = Pki::with(&key, |template| template.end = "260201000000Z");
    let clock = authority(&clock_key);
    let make = |stamp: bool| {
        let made = signed("ETSI.CAdES.detached", |bytes| {
            Cms::new(&key, pki.chain()).make_with_stamp(bytes, |signature| {
                stamp.then(|| time_stamp(&clock_key, clock.chain(), signature, TIME_TEXT))
            })
        });
        report(&made, &pki.root)
    };
    let stamped = make(true);
    let stamp = stamped.time_stamp.as_ref().unwrap();
    assert!(stamp.is_trusted());
    assert_eq!(stamp.time, TIME);
    assert_eq!(stamp.authority.as_ref().unwrap().subject, "CN=Clock");
    let chain = stamped.chain.as_ref().unwrap();
    assert_eq!((chain.time, chain.time_source), (TIME, TimeSource::TimeStamp));
    assert!(chain.is_trusted());
    assert!(stamped.summary().contains("A time stamp confirms 2026-01-02 03:04:05 UTC."));

    let plain = make(false);
    let chain = plain.chain.as_ref().unwrap();
    assert_eq!((chain.time, chain.time_source), (NOW, TimeSource::Given));
    assert!(!chain.is_trusted());
}

#[test]
fn time_stamps_that_prove_nothing_are_not_used() {
    let (key, clock_key, other_key) = (Key::p256(5), Key::rsa(), Key::p256(77));
    let pki = Pki::new(&key);
    let clock = authority(&clock_key);
    let make = |stamp: &dyn Fn(&[u8]) -> Vec<u8>| {
        let made = signed("ETSI.CAdES.detached", |bytes| {
            Cms::new(&key, pki.chain()).make_with_stamp(bytes, |signature| Some(stamp(signature)))
        });
        let report = report(&made, &pki.root);
        assert!(report.is_intact());
        assert_eq!(report.chain.as_ref().unwrap().time_source, TimeSource::Given);
        report
    };
    let elsewhere =
        make(&|_| time_stamp(&clock_key, clock.chain(), b"another signature", TIME_TEXT));
    assert!(matches!(elsewhere.time_stamp.as_ref().unwrap().imprint, Check::Failed(_)));
    assert!(elsewhere.summary().contains("Its time stamp does not hold."));

    let forged = make(&|signature| time_stamp(&other_key, clock.chain(), signature, TIME_TEXT));
    assert!(matches!(forged.time_stamp.as_ref().unwrap().signature, Check::Failed(_)));

    let person = Pki::new(&clock_key);
    let person = make(&|signature| time_stamp(&clock_key, person.chain(), signature, TIME_TEXT));
    assert!(person.time_stamp.as_ref().unwrap().purpose_problem.is_some());

    let alone =
        make(&|signature| time_stamp(&clock_key, vec![clock.signer.clone()], signature, TIME_TEXT));
    // The issuer is in the signature, but not in the time stamp.
    assert!(!alone.time_stamp.as_ref().unwrap().is_trusted());
    assert!(alone.summary().contains("its authority is not known to be trusted"));

    let broken = make(&|_| vec![0x30, 0]);
    assert_eq!(broken.time_stamp, None);
    assert!(broken.findings[0].text.starts_with("the time stamp was not checked"));
}

#[test]
fn a_document_time_stamp_covers_the_bytes() {
    let key = Key::p256(5);
    let clock = authority(&key);
    let mut made =
        signed("ETSI.RFC3161", |bytes| time_stamp(&key, clock.chain(), bytes, TIME_TEXT));
    let good = report(&made, &clock.root);
    assert!(good.is_document_time_stamp && good.is_intact());
    assert!(good.time_stamp.as_ref().unwrap().is_trusted());
    assert!(
        good.summary().contains("It is a time stamp of `CN=Clock`, not the signature of a person.")
    );
    let place = made.pdf.windows(3).position(|window| window == b"200").unwrap();
    made.pdf[place] = b'3';
    let bad = report(&made, &clock.root);
    assert!(matches!(bad.digest, Check::Failed(_)));
    assert!(!bad.is_intact());

    let person = Pki::new(&key);
    let made = signed("ETSI.RFC3161", |bytes| time_stamp(&key, person.chain(), bytes, TIME_TEXT));
    assert!(!report(&made, &person.root).chain.unwrap().is_trusted());
}
