//! What certificates lead to.

use mitt_signature::{Anchor, Certificate, Chain, Digest, FindingKind, VerifyOptions, verify};

use crate::cms::{Cms, signed};
use crate::pki::{How, Key, NOW, Pki, Template};
use crate::verifying::texts;

fn chain_at(
    key: &Key,
    certificates: Vec<Certificate>,
    issuer: &str,
    trusted: &[Certificate],
    now: i64,
) -> Chain {
    let signed = signed("ETSI.CAdES.detached", |bytes| {
        Cms { issuer, ..Cms::new(key, certificates) }.make(bytes)
    });
    let report = verify(&signed.pdf, &signed.input, &VerifyOptions { trusted, now });
    assert!(report.signature.has_passed());
    report.chain.unwrap()
}

fn chain(key: &Key, certificates: Vec<Certificate>, trusted: &[Certificate]) -> Chain {
    chain_at(key, certificates, "Middle", trusted, NOW)
}

#[test]
fn a_chain_ends_at_any_trusted_certificate() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    for trusted in [&pki.root, &pki.middle, &pki.signer] {
        let chain = chain(&key, pki.chain(), std::slice::from_ref(trusted));
        assert_eq!(chain.anchor, Anchor::Trusted { subject: trusted.info().subject });
        assert!(chain.is_trusted());
    }
}

#[test]
fn without_trust_a_chain_names_what_it_leads_to() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let all = vec![pki.signer.clone(), pki.middle.clone(), pki.root.clone()];
    assert_eq!(chain(&key, all, &[]).anchor, Anchor::UnknownRoot { subject: "CN=Root".to_owned() });
    let missing = chain(&key, pki.chain(), &[]);
    assert_eq!(missing.anchor, Anchor::Incomplete { missing_issuer: "CN=Root".to_owned() });
    let alone = chain(&key, vec![pki.signer.clone()], std::slice::from_ref(&pki.root));
    assert_eq!(alone.anchor, Anchor::Incomplete { missing_issuer: "CN=Middle".to_owned() });
    let own = Template::new("Signer", &key, "Signer", &key).make();
    let own = chain_at(&key, vec![own], "Signer", std::slice::from_ref(&pki.root), NOW);
    assert_eq!(own.anchor, Anchor::SelfSigned);
    assert!(!own.is_trusted());
}

#[test]
fn a_chain_is_compared_with_the_date() {
    let key = Key::p256(5);
    let pki = Pki::with(&key, |template| template.end = "260101000000Z");
    let expired = chain(&key, pki.chain(), std::slice::from_ref(&pki.root));
    assert_eq!(expired.outside_validity, [("CN=Signer".to_owned(), 1_735_689_600, 1_767_225_600)]);
    assert!(!expired.is_trusted());
    let trusted = std::slice::from_ref(&pki.root);
    assert!(chain_at(&key, pki.chain(), "Middle", trusted, 1_750_000_000).is_trusted());
    assert_eq!(
        chain_at(&key, pki.chain(), "Middle", trusted, 1_700_000_000).outside_validity.len(),
        3
    );
}

#[test]
fn an_issuer_that_did_not_sign_is_named() {
    let key = Key::p256(5);
    let forger = Key::p256(99);
    let pki = Pki::new(&key);
    let forged = Template::new("Signer", &key, "Middle", &forger).make();
    let chain = chain(&key, vec![forged, pki.middle.clone()], std::slice::from_ref(&pki.root));
    assert_eq!(chain.anchor, Anchor::Incomplete { missing_issuer: "CN=Middle".to_owned() });
    assert_eq!(
        chain.problems,
        ["`CN=Signer` names `CN=Middle` as its issuer, but that key did not sign it"]
    );
}

#[test]
fn only_authorities_may_issue_and_only_as_deep_as_they_may() {
    let (key, middle_key, root_key, low_key) =
        (Key::p256(5), Key::p256(2), Key::p256(1), Key::p256(3));
    let pki = Pki::new(&key);
    let trusted = std::slice::from_ref(&pki.root);
    let problem = |certificates: Vec<Certificate>, issuer| {
        let chain = chain_at(&key, certificates, issuer, trusted, NOW);
        assert!(matches!(chain.anchor, Anchor::Trusted { .. }));
        assert!(!chain.is_trusted());
        chain.problems.join("; ")
    };
    let no_authority = Template::new("Middle", &middle_key, "Root", &root_key).make();
    assert!(
        problem(vec![pki.signer.clone(), no_authority], "Middle")
            .contains("`CN=Middle` issued a certificate, but is no authority")
    );
    let mut no_usage = Template::new("Middle", &middle_key, "Root", &root_key).authority(0);
    no_usage.usage = 0xc0;
    assert!(
        problem(vec![pki.signer.clone(), no_usage.make()], "Middle")
            .contains("may not sign certificates")
    );
    let low = Template::new("Low", &low_key, "Middle", &middle_key).authority(0).make();
    let signer = Template::new("Signer", &key, "Low", &low_key).make();
    assert!(
        problem(vec![signer, low, pki.middle.clone()], "Low")
            .contains("`CN=Middle` may not have so many authorities")
    );
}

#[test]
fn what_a_certificate_forbids_breaks_the_chain() {
    let key = Key::p256(5);
    let unknown = Pki::with(&key, |template| template.unknown = Some("1.2.3.4.5"));
    let unknown = chain(&key, unknown.chain(), std::slice::from_ref(&unknown.root));
    assert_eq!(
        unknown.problems,
        ["`CN=Signer` has the critical extension 1.2.3.4.5, which is not checked"]
    );
    // keyEncipherment.
    let usage = Pki::with(&key, |template| template.usage = 0x20);
    let usage = chain(&key, usage.chain(), std::slice::from_ref(&usage.root));
    assert_eq!(usage.problems, ["the key of `CN=Signer` is not for signatures, by its key usage"]);
    assert!(!usage.is_trusted());
}

#[test]
fn weak_signatures_in_a_chain_and_other_purposes_are_findings() {
    let (key, root_key, middle_key) = (Key::p256(5), Key::rsa(), Key::p256(2));
    let root = Template::new("Root", &root_key, "Root", &root_key).authority(3).make();
    let mut middle = Template::new("Middle", &middle_key, "Root", &root_key).authority(0);
    middle.how = How::Usual(Digest::Sha1);
    let signer = Pki::with(&key, |template| template.purposes = &["1.3.6.1.5.5.7.3.1"]).signer;
    let made = signed("ETSI.CAdES.detached", |bytes| {
        Cms::new(&key, vec![signer, middle.make()]).make(bytes)
    });
    let report = verify(&made.pdf, &made.input, &VerifyOptions { trusted: &[root], now: NOW });
    assert_eq!(
        texts(&report, FindingKind::Weak),
        ["the certificate of `CN=Middle` is signed with RSA PKCS#1 v1.5 with SHA-1"]
    );
    assert!(texts(&report, FindingKind::Note)[0].contains("not for documents"));
}

#[test]
fn certificates_that_issue_each_other_end_the_search() {
    let key = Key::p256(5);
    let keys: Vec<Key> = (1..=12).map(Key::p256).collect();
    let mut certificates = vec![Pki::new(&key).signer];
    for owner in &keys {
        for issuer in keys.iter().take(5) {
            certificates.push(Template::new("Middle", owner, "Middle", issuer).authority(9).make());
        }
    }
    certificates.truncate(60);
    let chain = chain(&key, certificates, &[]);
    assert!(chain.problems.iter().any(|problem| problem.contains("not all were tried")));
}
