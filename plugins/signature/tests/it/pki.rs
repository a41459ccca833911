//! Keys and certificates, written element by element, so that broken ones can be made too.

use mitt_signature::{Certificate, Digest};
use p256::ecdsa::signature::Signer as _;
use rsa::BoxedUint;
use sha2::Digest as _;

// Primes of keys that only these tests use. To look for new ones each time would take seconds.
const RSA_2048_P: &str = "\
    d7cc55661bc1ccd46a561e58252687a596a34628234e285b9bf6dbd1a71af2bf0628cafed2c43a3cb50931ab716315131ba00d8c53af090d\
    83672effd22ea524b2c7007aa77a34cda1a40e8b48eb4b390a4f3a51444faa30a4d382edb064f59035d157e6028d36a685e886550ded2bbb\
    249500d44777dc889efc57326eb8df6d";
const RSA_2048_Q: &str = "\
    c195495d2d145326f4a55a3e96ed575e561196da5e9c8e3ddaa96404908e2b1633a97f8634c6f274baaae70465dd3d38aba52692c3990517\
    57c665fa0b526100f419c80e24cbef676480417c5e71e5d8918dd2719716a2f1039c3e5c67da9b9d6d02f9afe7bc930a022dfe9532609cb1\
    3c08348a4ad5b1e633f75301e41bc4c1";
const RSA_1024_P: &str = "\
    ea5824f30a29d20f6e934104aa786fde3200bf1b67f87006fe57a6d20dd981a4c8a55b81a0639f6b3ffa4667e51eaf7cb16dd03102422725\
    feb09fe851eda4a7";
const RSA_1024_Q: &str = "\
    caff34a3cef3b4aebba1bb36b08a958cd2ead159d9745e5f4136790fc40005a421c248fe8e540afef7b6c1c567db22e4b95f15759cfb5ef6\
    873d7dbfcf3d5d75";

/// 2025-01-01 00:00:00 UTC.
pub(crate) const START: i64 = 1_735_689_600;
/// 2026-06-01 12:00:00 UTC, a moment at which the usual certificates are valid.
pub(crate) const NOW: i64 = 1_780_315_200;

pub(crate) const TIME_STAMPING: &str = "1.3.6.1.5.5.7.3.8";

pub(crate) enum Key {
    Rsa(rsa::PrivateKey),
    P256(p256::ecdsa::SigningKey),
    P384(p384::ecdsa::SigningKey),
    Ed25519(ed25519_dalek::SigningKey),
}

/// How a test signs.
#[derive(Clone, Copy)]
pub(crate) enum How {
    Usual(Digest),
    /// With SHA-256.
    Pss,
}

impl Key {
    pub(crate) fn rsa() -> Self {
        Self::rsa_of(RSA_2048_P, RSA_2048_Q)
    }

    pub(crate) fn short_rsa() -> Self {
        Self::rsa_of(RSA_1024_P, RSA_1024_Q)
    }

    fn rsa_of(p: &str, q: &str) -> Self {
        let number = |hex: &str| {
            let bytes: Vec<u8> = (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
                .collect();
            BoxedUint::from_be_slice(&bytes, bytes.len() as u32 * 8).unwrap()
        };
        Key::Rsa(
            rsa::PrivateKey::from_p_q(number(p), number(q), BoxedUint::from(65537_u64)).unwrap(),
        )
    }

    pub(crate) fn p256(seed: u8) -> Self {
        Key::P256(p256::ecdsa::SigningKey::from_slice(&[seed; 32]).unwrap())
    }

    pub(crate) fn p384(seed: u8) -> Self {
        Key::P384(p384::ecdsa::SigningKey::from_slice(&[seed; 48]).unwrap())
    }

    pub(crate) fn ed25519(seed: u8) -> Self {
        Key::Ed25519(ed25519_dalek::SigningKey::from_bytes(&[seed; 32]))
    }

    /// Returns the `SubjectPublicKeyInfo`.
    fn public(&self) -> Vec<u8> {
        let (algorithm, bits) = match self {
            Key::Rsa(key) => {
                use rsa::traits::PublicKeyParts as _;
                let n = [&[0][..], &key.n_bytes()].concat();
                let key = tlv(0x30, &[&tlv(2, &[&n]), &tlv(2, &[&key.e_bytes()])]);
                (tlv(0x30, &[&oid("1.2.840.113549.1.1.1"), &[5, 0]]), key)
            }
            Key::P256(key) => {
                let curve = oid("1.2.840.10045.3.1.7");
                (
                    tlv(0x30, &[&oid("1.2.840.10045.2.1"), &curve]),
                    key.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
                )
            }
            Key::P384(key) => {
                let curve = oid("1.3.132.0.34");
                (
                    tlv(0x30, &[&oid("1.2.840.10045.2.1"), &curve]),
                    key.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
                )
            }
            Key::Ed25519(key) => {
                (tlv(0x30, &[&oid("1.3.101.112")]), key.verifying_key().to_bytes().to_vec())
            }
        };
        tlv(0x30, &[&algorithm, &tlv(3, &[&[0], &bits])])
    }

    /// Returns the algorithm and the signature.
    pub(crate) fn sign(&self, how: How, message: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let plain = |id: &str| tlv(0x30, &[&oid(id)]);
        let null = |id: &str| tlv(0x30, &[&oid(id), &[5, 0]]);
        match (self, how) {
            (Key::Rsa(key), How::Usual(digest)) => {
                use rsa::Pkcs1v15Sign as Padding;
                let hash = hash(digest, message);
                let (id, padding) = match digest {
                    Digest::Md5 => ("1.2.840.113549.1.1.4", Padding::new::<md5::Md5>()),
                    Digest::Sha1 => ("1.2.840.113549.1.1.5", Padding::new::<sha1::Sha1>()),
                    Digest::Sha256 => ("1.2.840.113549.1.1.11", Padding::new::<sha2::Sha256>()),
                    Digest::Sha384 => ("1.2.840.113549.1.1.12", Padding::new::<sha2::Sha384>()),
                    Digest::Sha512 => ("1.2.840.113549.1.1.13", Padding::new::<sha2::Sha512>()),
                };
                (null(id), key.sign(padding, &hash).unwrap())
            }
            (Key::Rsa(key), How::Pss) => {
                (Vec::new(), key.pss_sign::<sha2::Sha256>(message).unwrap())
            }
            (Key::P256(key), _) => {
                let signature: p256::ecdsa::Signature = key.sign(message);
                (plain("1.2.840.10045.4.3.2"), signature.to_der().as_bytes().to_vec())
            }
            (Key::P384(key), _) => {
                let signature: p384::ecdsa::Signature = key.sign(message);
                (plain("1.2.840.10045.4.3.3"), signature.to_der().as_bytes().to_vec())
            }
            (Key::Ed25519(key), _) => (plain("1.3.101.112"), key.sign(message).to_bytes().to_vec()),
        }
    }

    /// Returns the private key as PEM of PKCS#8.
    pub(crate) fn pem(&self) -> String {
        use pkcs8::EncodePrivateKey as _;
        let ending = pkcs8::LineEnding::LF;
        match self {
            Key::Rsa(key) => key.to_pkcs8_pem(ending).unwrap().to_string(),
            Key::P256(key) => key.to_pkcs8_pem(ending).unwrap().to_string(),
            Key::P384(key) => key.to_pkcs8_pem(ending).unwrap().to_string(),
            Key::Ed25519(_) => panic!("not used"),
        }
    }
}

pub(crate) fn hash(digest: Digest, message: &[u8]) -> Vec<u8> {
    match digest {
        Digest::Md5 => md5::Md5::digest(message).to_vec(),
        Digest::Sha1 => sha1::Sha1::digest(message).to_vec(),
        Digest::Sha256 => sha2::Sha256::digest(message).to_vec(),
        Digest::Sha384 => sha2::Sha384::digest(message).to_vec(),
        Digest::Sha512 => sha2::Sha512::digest(message).to_vec(),
    }
}

pub(crate) fn digest_algorithm(digest: Digest) -> Vec<u8> {
    let id = match digest {
        Digest::Md5 => "1.2.840.113549.2.5",
        Digest::Sha1 => "1.3.14.3.2.26",
        Digest::Sha256 => "2.16.840.1.101.3.4.2.1",
        Digest::Sha384 => "2.16.840.1.101.3.4.2.2",
        Digest::Sha512 => "2.16.840.1.101.3.4.2.3",
    };
    tlv(0x30, &[&oid(id), &[5, 0]])
}

/// A certificate to be made. Its validity is from 2025 to 2030.
pub(crate) struct Template<'a> {
    pub(crate) subject: &'a str,
    pub(crate) issuer: &'a str,
    pub(crate) serial: u8,
    pub(crate) key: &'a Key,
    pub(crate) issuer_key: &'a Key,
    pub(crate) how: How,
    pub(crate) end: &'a str,
    /// `None` for the end of a chain; otherwise how many authorities may be below.
    pub(crate) authority: Option<u8>,
    /// The last byte of the key usage; 0 for no such extension.
    pub(crate) usage: u8,
    pub(crate) purposes: &'a [&'a str],
    /// The identifier of a critical extension that nobody knows.
    pub(crate) unknown: Option<&'a str>,
}

impl<'a> Template<'a> {
    pub(crate) fn new(
        subject: &'a str,
        key: &'a Key,
        issuer: &'a str,
        issuer_key: &'a Key,
    ) -> Self {
        Template {
            subject,
            issuer,
            serial: 7,
            key,
            issuer_key,
            how: How::Usual(Digest::Sha256),
            end: "300101000000Z",
            authority: None,
            // digitalSignature and nonRepudiation.
            usage: 0xc0,
            purposes: &[],
            unknown: None,
        }
    }

    pub(crate) fn authority(mut self, below: u8) -> Self {
        self.authority = Some(below);
        // keyCertSign and cRLSign.
        self.usage = 0x06;
        self
    }

    pub(crate) fn make(&self) -> Certificate {
        let mut extensions = vec![extension("2.5.29.14", false, &tlv(4, &[&[self.serial; 20]]))];
        if let Some(below) = self.authority {
            extensions.push(extension(
                "2.5.29.19",
                true,
                &tlv(0x30, &[&[1, 1, 0xff], &[2, 1, below]]),
            ));
        }
        if self.usage != 0 {
            // A named list has no zeros at its end.
            let unused = self.usage.trailing_zeros() as u8;
            extensions.push(extension("2.5.29.15", true, &tlv(3, &[&[unused, self.usage]])));
        }
        if !self.purposes.is_empty() {
            let purposes: Vec<u8> = self.purposes.iter().flat_map(|purpose| oid(purpose)).collect();
            extensions.push(extension("2.5.29.37", true, &tlv(0x30, &[&purposes])));
        }
        extensions.extend(self.unknown.map(|id| extension(id, true, &[5, 0])));
        let (algorithm, _) = self.issuer_key.sign(self.how, b"");
        let tbs = tlv(
            0x30,
            &[
                &[0xa0, 3, 2, 1, 2],
                &tlv(2, &[&[self.serial]]),
                &algorithm,
                &name(self.issuer),
                &tlv(0x30, &[&tlv(0x17, &[b"250101000000Z"]), &tlv(0x17, &[self.end.as_bytes()])]),
                &name(self.subject),
                &self.key.public(),
                &tlv(0xa3, &[&tlv(0x30, &[&extensions.concat()])]),
            ],
        );
        let (algorithm, signature) = self.issuer_key.sign(self.how, &tbs);
        Certificate::from_der(&tlv(0x30, &[&tbs, &algorithm, &tlv(3, &[&[0], &signature])]))
            .unwrap()
    }
}

fn extension(id: &str, critical: bool, value: &[u8]) -> Vec<u8> {
    let critical: &[u8] = if critical { &[1, 1, 0xff] } else { &[] };
    tlv(0x30, &[&oid(id), critical, &tlv(4, &[value])])
}

pub(crate) fn name(common: &str) -> Vec<u8> {
    tlv(0x30, &[&tlv(0x31, &[&tlv(0x30, &[&oid("2.5.4.3"), &tlv(0x0c, &[common.as_bytes()])])])])
}

pub(crate) fn oid(digits: &str) -> Vec<u8> {
    tlv(6, &[const_oid::ObjectIdentifier::new(digits).unwrap().as_bytes()])
}

pub(crate) fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let mut out = vec![tag];
    match content.len() {
        short @ 0..0x80 => out.push(short as u8),
        middle @ 0x80..0x100 => out.extend([0x81, middle as u8]),
        long => out.extend([&[0x83][..], &(long as u32).to_be_bytes()[1..]].concat()),
    }
    // DER writes lengths as short as possible.
    if out.get(1) == Some(&0x83) && out[2] == 0 {
        out.splice(1..3, [0x82]);
    }
    out.extend(content);
    out
}

/// A root, an authority below it, and a certificate of `key` that it issued.
pub(crate) struct Pki {
    pub(crate) root: Certificate,
    pub(crate) middle: Certificate,
    pub(crate) signer: Certificate,
}

impl Pki {
    pub(crate) fn new(key: &Key) -> Self {
        Self::with(key, |_| {})
    }

    /// Does what [`new`](Self::new) does, with changes of the signer's certificate.
    pub(crate) fn with(key: &Key, change: impl FnOnce(&mut Template)) -> Self {
        let (root_key, middle_key) = (Key::p256(1), Key::p256(2));
        let authority = |subject, key, serial, below| {
            let template = Template::new(subject, key, "Root", &root_key);
            Template { serial, ..template.authority(below) }.make()
        };
        let (root, middle) =
            (authority("Root", &root_key, 1, 3), authority("Middle", &middle_key, 2, 0));
        let mut signer = Template::new("Signer", key, "Middle", &middle_key);
        change(&mut signer);
        Pki { root, middle, signer: signer.make() }
    }

    pub(crate) fn chain(&self) -> Vec<Certificate> {
        vec![self.signer.clone(), self.middle.clone()]
    }
}
