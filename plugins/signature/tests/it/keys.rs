//! Key files of the operator.

use mitt_signature::{Digest, Error, ErrorKind, KeyFile, Signer, SigningAlgorithm};
use p12_keystore::{KeyStore, KeyStoreEntry, PrivateKeyChain};
use pkcs8::DecodePrivateKey as _;

use crate::hostile::pem;
use crate::pki::{Key, NOW, Pki};

fn refused(file: &[u8], password: Option<&str>) -> Error {
    KeyFile::load(file, password, &[]).unwrap_err()
}

fn pkcs12(key: &Key, pki: &Pki, password: &str) -> Vec<u8> {
    let der = mitt_der(&key.pem());
    let certificates = pki.chain();
    let certificates = certificates
        .iter()
        .map(|certificate| p12_keystore::Certificate::from_der(certificate.der()).unwrap());
    let chain =
        PrivateKeyChain::new("id", p12_keystore::PrivateKey::from_der(&der).unwrap(), certificates);
    let mut store = KeyStore::new();
    store.add_entry("key", KeyStoreEntry::PrivateKeyChain(chain));
    // Few iterations, for speed.
    store.writer(password).encryption_iterations(10).mac_iterations(10).write().unwrap()
}

fn mitt_der(pem: &str) -> Vec<u8> {
    use base64::Engine as _;
    let digits: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    base64::engine::general_purpose::STANDARD.decode(digits).unwrap()
}

#[test]
fn keys_of_both_forms_sign() {
    for key in [Key::rsa(), Key::p256(5), Key::p384(5)] {
        let pki = Pki::new(&key);
        // The key's own certificate need not be the first.
        let text = [pem(&pki.middle), key.pem(), pem(&pki.signer)].concat();
        let files = [
            KeyFile::load(text.as_bytes(), None, &[]).unwrap(),
            KeyFile::load(
                key.pem().as_bytes(),
                None,
                &[pem(&pki.signer).as_bytes(), pki.middle.der()],
            )
            .unwrap(),
            KeyFile::load(&pkcs12(&key, &pki, "secret"), Some("secret"), &[]).unwrap(),
        ];
        for file in files {
            assert_eq!(file.certificates()[0].der(), pki.signer.der());
            assert_eq!(file.certificates().len(), 2);
            let sign = |algorithm, message: &[u8]| file.sign(algorithm, message);
            Signer::new(file.certificates().to_vec(), None, NOW, &sign)
                .unwrap()
                .sign(&[b"content"])
                .unwrap();
            assert_eq!(format!("{file:?}"), r#"KeyFile { certificate: "CN=Signer", .. }"#);
            let error = file.sign(SigningAlgorithm::RsaPkcs1(Digest::Sha1), b"").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
        }
    }
}

#[test]
fn rsa_keys_sign_with_pss() {
    let key = Key::rsa();
    let pki = Pki::new(&key);
    let file = KeyFile::load([key.pem(), pem(&pki.signer)].concat().as_bytes(), None, &[]).unwrap();
    let sign = |algorithm, message: &[u8]| file.sign(algorithm, message);
    for digest in [Digest::Sha256, Digest::Sha384, Digest::Sha512] {
        let signer = Signer::new(
            file.certificates().to_vec(),
            Some(SigningAlgorithm::RsaPss(digest)),
            NOW,
            &sign,
        )
        .unwrap();
        signer.sign(&[b"content"]).unwrap();
    }
}

#[test]
fn passwords_are_checked() {
    let key = Key::p256(5);
    let pki = Pki::new(&key);
    let store = pkcs12(&key, &pki, "secret");
    let encrypted = encrypted_pem(&key, "secret") + &pem(&pki.signer);
    KeyFile::load(encrypted.as_bytes(), Some("secret"), &[]).unwrap();
    for file in [&store, encrypted.as_bytes()] {
        let wrong = refused(file, Some("Secret"));
        assert_eq!(
            (wrong.kind(), wrong.to_string().as_str()),
            (ErrorKind::Password, "the password of the key file is wrong")
        );
        let missing = refused(file, None);
        assert_eq!(missing.kind(), ErrorKind::Password);
        assert_eq!(missing.to_string(), "the key file is encrypted; it needs a password");
    }
    let old = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n\
               -----END RSA PRIVATE KEY-----\n";
    assert!(refused(old.as_bytes(), Some("x")).to_string().contains("openssl pkcs8 -topk8"));
}

fn encrypted_pem(key: &Key, password: &str) -> String {
    use pkcs8::pkcs5::pbes2;
    let der = mitt_der(&key.pem());
    let plain = pkcs8::PrivateKeyInfoRef::try_from(der.as_slice()).unwrap();
    let parameters =
        pbes2::Parameters::generate_pbkdf2_sha256_aes256cbc(10, b"saltsalt", [9; 16]).unwrap();
    let encrypted = plain.encrypt_with_params(parameters, password).unwrap();
    encrypted.to_pem("ENCRYPTED PRIVATE KEY", pkcs8::LineEnding::LF).unwrap().to_string()
}

#[test]
fn what_is_wrong_with_a_key_file_is_named() {
    let (key, other) = (Key::p256(5), Key::p256(6));
    let pki = Pki::new(&key);
    let cases: [(String, ErrorKind, &str); 8] = [
        (
            other.pem() + &pem(&pki.signer),
            ErrorKind::Key,
            "the key belongs to none of the certificates: `CN=Signer`",
        ),
        (pem(&pki.signer), ErrorKind::Key, "expected one private key in the key file, got 0"),
        (key.pem() + &other.pem() + &pem(&pki.signer), ErrorKind::Key, "got 2"),
        (key.pem(), ErrorKind::Certificate, "has no certificate"),
        ("nothing".to_owned(), ErrorKind::Malformed, "neither PEM nor PKCS#12"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA".to_owned(), ErrorKind::Malformed, "cut off"),
        (
            "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----".to_owned(),
            ErrorKind::Key,
            "RSA key, or one on P-256",
        ),
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----\nMAA=\n-----END OPENSSH PRIVATE KEY-----"
                .to_owned(),
            ErrorKind::Unsupported,
            "OPENSSH",
        ),
    ];
    for (file, kind, text) in cases {
        let error = refused(file.as_bytes(), None);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(text), "{error}");
    }
    assert_eq!(refused(&vec![b' '; (1 << 20) + 1], None).kind(), ErrorKind::Limit);
    let many = key.pem() + &pem(&pki.signer).repeat(65);
    assert_eq!(refused(many.as_bytes(), None).kind(), ErrorKind::Limit);
    // The key of the file is the one that was written.
    let Key::P256(key) = &key else { unreachable!() };
    let again = p256::ecdsa::SigningKey::from_pkcs8_pem(&Key::p256(5).pem()).unwrap();
    assert_eq!(key.to_bytes(), again.to_bytes());
}
