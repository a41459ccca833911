use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P384_SHA384_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256,
    UnparsedPublicKey, VerificationAlgorithm,
};

use super::certificate::Certificate;
use super::*;

const CA: &[u8] = include_bytes!("test_keys/ca.pem");
const P256: &[u8] = include_bytes!("test_keys/p256.key");
const P256_SEC1: &[u8] = include_bytes!("test_keys/p256-sec1.key");
const P256_PEM: &[u8] = include_bytes!("test_keys/p256.pem");
const P256_P12: &[u8] = include_bytes!("test_keys/p256.p12");
const P384: &[u8] = include_bytes!("test_keys/p384-encrypted.key");
const P384_PEM: &[u8] = include_bytes!("test_keys/p384.pem");
const P521: &[u8] = include_bytes!("test_keys/p521.key");
const RSA: &[u8] = include_bytes!("test_keys/rsa.key");
const RSA_PKCS1: &[u8] = include_bytes!("test_keys/rsa-pkcs1.key");
const RSA_OLD: &[u8] = include_bytes!("test_keys/rsa-old.key");
const RSA_SHORT: &[u8] = include_bytes!("test_keys/short.key");
const RSA_PEM: &[u8] = include_bytes!("test_keys/rsa.pem");
const RSA_P12: &[u8] = include_bytes!("test_keys/rsa-legacy.p12");
const ED25519_KEY: &[u8] = include_bytes!("test_keys/ed25519.key");
const ED25519_PEM: &[u8] = include_bytes!("test_keys/ed25519.pem");

/// Key file, its password, more certificates, algorithm of the signature, and the owner.
type Accepted<'a> =
    (&'a [u8], Option<&'a str>, &'a [&'a [u8]], &'a dyn VerificationAlgorithm, &'a str);

/// Key file, its password, more certificates, and a part of the error.
type Refused<'a> = (&'a [u8], Option<&'a str>, &'a [&'a [u8]], &'a str);

fn load(file: &[u8], password: Option<&str>, more: &[&[u8]]) -> Result<SigningKey> {
    SigningKey::load("office", file, password, more)
}

fn problem(file: &[u8], password: Option<&str>, more: &[&[u8]]) -> String {
    let error = load(file, password, more).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Input);
    error.render()
}

#[test]
fn every_form_of_a_key_signs_what_its_certificate_confirms() {
    let cases: [Accepted<'_>; 8] = [
        (P256_P12, Some("secret"), &[], &ECDSA_P256_SHA256_ASN1, "Zhang Wei"),
        (P256, None, &[CA, P256_PEM], &ECDSA_P256_SHA256_ASN1, "Zhang Wei"),
        (P256_SEC1, None, &[P256_PEM], &ECDSA_P256_SHA256_ASN1, "Zhang Wei"),
        (P384, Some("secret"), &[P384_PEM], &ECDSA_P384_SHA384_ASN1, "P-384"),
        (RSA, None, &[RSA_PEM], &RSA_PKCS1_2048_8192_SHA256, "RSA"),
        (RSA_PKCS1, None, &[RSA_PEM], &RSA_PKCS1_2048_8192_SHA256, "RSA"),
        (RSA_P12, Some("secret"), &[], &RSA_PKCS1_2048_8192_SHA256, "RSA"),
        (ED25519_KEY, None, &[ED25519_PEM], &ED25519, "Ed25519"),
    ];
    for (file, password, more, algorithm, owner) in cases {
        let key = load(file, password, more).unwrap_or_else(|error| panic!("{owner}: {error}"));
        assert!(key.subject().contains(&format!("CN={owner}")), "{}", key.subject());
        let public = Certificate::from_der(&key.certificates()[0]).unwrap().public_key;
        let signature = key.sign(b"message").unwrap();
        UnparsedPublicKey::new(algorithm, public).verify(b"message", &signature).unwrap();
        assert!(key.expires() > 4_000_000_000, "{owner}");
    }
    // The issuer comes along.
    assert_eq!(load(P256_P12, Some("secret"), &[]).unwrap().certificates().len(), 2);
}

#[test]
fn what_is_no_key_says_why() {
    let twice = [P256, RSA].concat();
    let both = [P256, P256_PEM].concat();
    let many = P256_PEM.repeat(11);
    let large = vec![0; (1 << 20) + 1];
    let cases: [Refused<'_>; 15] = [
        (P256_P12, None, &[], "it needs a password"),
        (P256_P12, Some("wrong"), &[], "password of the key file is wrong"),
        (RSA_P12, Some("wrong"), &[], "password of the key file is wrong"),
        (P384, None, &[P384_PEM], "it needs a password"),
        (P384, Some("wrong"), &[P384_PEM], "password of the key file is wrong"),
        (P256, None, &[], "has no certificate"),
        (
            P256,
            None,
            &[RSA_PEM],
            "no certificate has the public key that belongs to this private key; there are: `CN=RSA`",
        ),
        (P256_PEM, None, &[], "expected one private key in the key file, got 0"),
        (&twice, None, &[P256_PEM], "expected one private key in the key file, got 2"),
        (&both, None, &[&many], "at most 10 certificates"),
        (P521, None, &[P256_PEM], "of another kind"),
        (RSA_SHORT, None, &[RSA_PEM], "2048 to 4096 bits"),
        (RSA_OLD, Some("secret"), &[RSA_PEM], "openssl pkcs8 -topk8"),
        (b"no key", None, &[], "neither PEM nor PKCS#12"),
        (&large, None, &[], "at most 1048576 bytes"),
    ];
    for (file, password, more, expected) in cases {
        let problem = problem(file, password, more);
        assert!(problem.contains(expected), "{expected}: {problem}");
        assert!(!problem.contains("secret") && !problem.contains("wrong`"), "{problem}");
    }
    let cut = &P256[..P256.len() - 40];
    assert!(problem(cut, None, &[P256_PEM]).contains("cut off"));
    let broken = String::from_utf8(P256.to_vec()).unwrap().replace("MIG", "M!G");
    assert!(problem(broken.as_bytes(), None, &[P256_PEM]).contains("is not base64"));
}

#[test]
fn names_are_short_and_plain_and_there_once() {
    let key = |name: &str| SigningKey::load(name, P256, None, &[P256_PEM]);
    let long = "a".repeat(65);
    for name in ["", "a b", "a/b", "büro", &long] {
        assert!(key(name).unwrap_err().render().contains("expected a name of a key"), "{name}");
    }
    let keys = |names: &[&str]| SigningKeys::new(names.iter().map(|it| key(it).unwrap()).collect());
    assert!(keys(&["a", "a"]).unwrap_err().render().contains("two keys of the name `a`"));
    let names: Vec<String> = (0..17).map(|it| format!("k{it}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(keys(&names[..16]).unwrap().iter().len(), 16);
    assert!(keys(&names).unwrap_err().render().contains("at most 16 keys"));
    assert!(keys(&["a"]).unwrap().get("b").is_none());
}

#[test]
fn no_part_of_a_key_is_written() {
    let shown = format!("{:?}", load(P256_P12, Some("secret"), &[]).unwrap());
    assert!(
        shown.starts_with("SigningKey { name: \"office\", subject: \"")
            && shown.ends_with(", .. }")
    );
    assert!(shown.len() < 120, "{shown}");
}

#[test]
fn signatures_of_a_session_are_counted() {
    let count = SignatureCount::default();
    assert_eq!((0..1_001).filter(|_| count.add()).count(), 1_000);
    assert!(!count.add());
}
