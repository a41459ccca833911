//! Private keys, and signatures in constant time by `ring`.

use pkcs8::{ObjectIdentifier, PrivateKeyInfoRef};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use sec1::EcPrivateKey;
use zeroize::Zeroizing;

use super::problem::{malformed, unsupported};
use super::{Sign, SigningAlgorithm};
use mitt_base::Result;

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");

/// A private key, before its certificate is known.
pub(super) enum PrivateKey {
    Rsa(Box<RsaKeyPair>),
    /// Its public key is in the certificate; a key file need not have it.
    Ec {
        is_p384: bool,
        number: Zeroizing<Vec<u8>>,
    },
    Ed25519(Ed25519KeyPair),
}

impl PrivateKey {
    /// Reads a key in PKCS#8.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - it is broken, or of an unsupported kind or size.
    pub(super) fn from_pkcs8(der: &[u8]) -> Result<PrivateKey> {
        let info = PrivateKeyInfoRef::try_from(der).map_err(|_| broken())?;
        match info.algorithm.oid {
            RSA => PrivateKey::rsa(RsaKeyPair::from_pkcs8(der)),
            EC => {
                let curve = info.algorithm.parameters_oid().map_err(|_| broken())?;
                let key =
                    EcPrivateKey::try_from(info.private_key.as_bytes()).map_err(|_| broken())?;
                PrivateKey::ec(curve, key.private_key)
            }
            ED25519 => Ed25519KeyPair::from_pkcs8_maybe_unchecked(der)
                .map(PrivateKey::Ed25519)
                .map_err(|_| broken()),
            _ => Err(unknown()),
        }
    }

    /// Reads an RSA key in PKCS#1.
    ///
    /// # Errors
    ///
    /// Those of [`PrivateKey::from_pkcs8`].
    pub(super) fn from_pkcs1(der: &[u8]) -> Result<PrivateKey> {
        PrivateKey::rsa(RsaKeyPair::from_der(der))
    }

    /// Reads a key on a curve in the form of SEC 1, which names its curve.
    ///
    /// # Errors
    ///
    /// Those of [`PrivateKey::from_pkcs8`].
    pub(super) fn from_sec1(der: &[u8]) -> Result<PrivateKey> {
        let key = EcPrivateKey::try_from(der).map_err(|_| broken())?;
        let curve = key.parameters.and_then(|it| it.named_curve()).ok_or_else(unknown)?;
        PrivateKey::ec(curve, key.private_key)
    }

    fn rsa(read: std::result::Result<RsaKeyPair, ring::error::KeyRejected>) -> Result<PrivateKey> {
        // The reason names the rule that the key breaks, and no part of it.
        read.map(|key| PrivateKey::Rsa(Box::new(key))).map_err(|reason| {
            unsupported(&format!(
                "expected an RSA key of 2048 to 4096 bits with an exponent of at least 65537: {reason}"
            ))
        })
    }

    fn ec(curve: ObjectIdentifier, number: &[u8]) -> Result<PrivateKey> {
        let is_p384 = match curve {
            P256 => false,
            P384 => true,
            _ => return Err(unknown()),
        };
        let length = if is_p384 { 48 } else { 32 };
        let missing = length_of_padding(length, number.len()).ok_or_else(broken)?;
        // Some programs leave out leading zeros.
        let mut whole = Zeroizing::new(vec![0; length]);
        whole[missing..].copy_from_slice(number);
        Ok(PrivateKey::Ec { is_p384, number: whole })
    }

    /// Returns the key with its algorithm if it belongs to the public key of a certificate.
    pub(super) fn of_public_key(&self, public: &[u8]) -> bool {
        match self {
            PrivateKey::Rsa(key) => key.public().as_ref() == public,
            PrivateKey::Ec { is_p384, number } => pair(*is_p384, number, public).is_some(),
            PrivateKey::Ed25519(key) => key.public_key().as_ref() == public,
        }
    }

    /// Returns how it signs, and the key. `public` is that of its certificate; `None` if it is another one's.
    pub(super) fn with_public_key(
        self,
        public: &[u8],
    ) -> Option<(SigningAlgorithm, Box<dyn Sign>)> {
        Some(match self {
            PrivateKey::Rsa(key) => (SigningAlgorithm::RsaPkcs1Sha256, key),
            PrivateKey::Ec { is_p384, number } => {
                let algorithm = if is_p384 {
                    SigningAlgorithm::EcdsaP384Sha384
                } else {
                    SigningAlgorithm::EcdsaP256Sha256
                };
                (algorithm, Box::new(pair(is_p384, &number, public)?))
            }
            PrivateKey::Ed25519(key) => (SigningAlgorithm::Ed25519, Box::new(key)),
        })
    }
}

fn length_of_padding(expected: usize, got: usize) -> Option<usize> {
    expected.checked_sub(got).filter(|_| got > 0)
}

/// Returns the pair of keys if they belong together.
fn pair(is_p384: bool, number: &[u8], public: &[u8]) -> Option<EcdsaKeyPair> {
    let algorithm =
        if is_p384 { &ECDSA_P384_SHA384_ASN1_SIGNING } else { &ECDSA_P256_SHA256_ASN1_SIGNING };
    EcdsaKeyPair::from_private_key_and_public_key(algorithm, number, public, &SystemRandom::new())
        .ok()
}

impl Sign for RsaKeyPair {
    fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        let mut signature = vec![0; self.public().modulus_len()];
        RsaKeyPair::sign(self, &RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)
            .ok()?;
        Some(signature)
    }
}

impl Sign for EcdsaKeyPair {
    fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        let signature = EcdsaKeyPair::sign(self, &SystemRandom::new(), message).ok()?;
        Some(signature.as_ref().to_vec())
    }
}

impl Sign for Ed25519KeyPair {
    fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        Some(Ed25519KeyPair::sign(self, message).as_ref().to_vec())
    }
}

fn broken() -> mitt_base::Error {
    malformed("the private key is broken")
}

fn unknown() -> mitt_base::Error {
    unsupported("expected an RSA key, or one on P-256, P-384 or Ed25519, got one of another kind")
}
