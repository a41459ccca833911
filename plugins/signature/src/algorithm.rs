//! Digests and signature algorithms: their identifiers, which are weak, and the checks with public keys.

use const_oid::ObjectIdentifier;
use const_oid::db::{rfc5912, rfc8410};
use der::Tag;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::signature::hazmat::PrehashVerifier as _;
use rsa::{BoxedUint, Pkcs1v15Sign, traits::PublicKeyParts as _};

use crate::asn1::{Algorithm, Items, context};
use crate::error::Error;

/// Largest RSA key. A larger one would make a check slow.
const MAX_RSA_BITS: usize = 8192;

/// RSA keys below this size count as weak.
pub const MIN_STRONG_RSA_BITS: usize = 2048;

const ED25519: ObjectIdentifier = rfc8410::ID_ED_25519;
const ECDSA_WITH_SHA_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.1");

/// A digest that can be computed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digest {
    /// MD5, which is broken.
    Md5,
    /// SHA-1, which is broken for signatures.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

impl Digest {
    pub(crate) fn from_oid(oid: ObjectIdentifier) -> Result<Self, Error> {
        Ok(match oid {
            rfc5912::ID_MD_5 => Digest::Md5,
            rfc5912::ID_SHA_1 => Digest::Sha1,
            rfc5912::ID_SHA_256 => Digest::Sha256,
            rfc5912::ID_SHA_384 => Digest::Sha384,
            rfc5912::ID_SHA_512 => Digest::Sha512,
            _ => {
                return Err(Error::unsupported(format!(
                    "the digest {} is not supported",
                    oid_name(oid)
                )));
            }
        })
    }

    pub(crate) fn oid(self) -> ObjectIdentifier {
        match self {
            Digest::Md5 => rfc5912::ID_MD_5,
            Digest::Sha1 => rfc5912::ID_SHA_1,
            Digest::Sha256 => rfc5912::ID_SHA_256,
            Digest::Sha384 => rfc5912::ID_SHA_384,
            Digest::Sha512 => rfc5912::ID_SHA_512,
        }
    }

    /// Returns the usual name.
    pub fn name(self) -> &'static str {
        match self {
            Digest::Md5 => "MD5",
            Digest::Sha1 => "SHA-1",
            Digest::Sha256 => "SHA-256",
            Digest::Sha384 => "SHA-384",
            Digest::Sha512 => "SHA-512",
        }
    }

    /// `true` if different texts with the same digest can be made.
    pub fn is_weak(self) -> bool {
        matches!(self, Digest::Md5 | Digest::Sha1)
    }

    pub(crate) fn hash(self, parts: &[&[u8]]) -> Vec<u8> {
        fn all<D: sha2::Digest>(parts: &[&[u8]]) -> Vec<u8> {
            let mut digest = D::new();
            parts.iter().for_each(|part| digest.update(part));
            digest.finalize().to_vec()
        }
        match self {
            Digest::Md5 => all::<md5::Md5>(parts),
            Digest::Sha1 => all::<sha1::Sha1>(parts),
            Digest::Sha256 => all::<sha2::Sha256>(parts),
            Digest::Sha384 => all::<sha2::Sha384>(parts),
            Digest::Sha512 => all::<sha2::Sha512>(parts),
        }
    }
}

/// How a signature was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// RSA with the padding of PKCS#1 1.5.
    RsaPkcs1(Digest),
    /// RSA with PSS.
    RsaPss { digest: Digest, salt_bytes: usize },
    /// ECDSA.
    Ecdsa(Digest),
    /// Ed25519, which signs the text itself.
    Ed25519,
}

impl Scheme {
    /// Reads the scheme. `digest` is that of identifiers that name none.
    pub(crate) fn read(algorithm: Algorithm, digest: Option<Digest>) -> Result<Self, Error> {
        use Digest::{Md5, Sha1, Sha256, Sha384, Sha512};
        Ok(match algorithm.oid {
            rfc5912::RSA_ENCRYPTION => match digest {
                Some(digest) => Scheme::RsaPkcs1(digest),
                None => return Err(Error::malformed("the signature algorithm names no digest")),
            },
            rfc5912::MD_5_WITH_RSA_ENCRYPTION => Scheme::RsaPkcs1(Md5),
            rfc5912::SHA_1_WITH_RSA_ENCRYPTION => Scheme::RsaPkcs1(Sha1),
            rfc5912::SHA_256_WITH_RSA_ENCRYPTION => Scheme::RsaPkcs1(Sha256),
            rfc5912::SHA_384_WITH_RSA_ENCRYPTION => Scheme::RsaPkcs1(Sha384),
            rfc5912::SHA_512_WITH_RSA_ENCRYPTION => Scheme::RsaPkcs1(Sha512),
            rfc5912::ID_RSASSA_PSS => read_pss(algorithm)?,
            // Some signers name the key instead of the algorithm.
            rfc5912::ID_EC_PUBLIC_KEY => match digest {
                Some(digest) => Scheme::Ecdsa(digest),
                None => return Err(Error::malformed("the signature algorithm names no digest")),
            },
            ECDSA_WITH_SHA_1 => Scheme::Ecdsa(Sha1),
            rfc5912::ECDSA_WITH_SHA_256 => Scheme::Ecdsa(Sha256),
            rfc5912::ECDSA_WITH_SHA_384 => Scheme::Ecdsa(Sha384),
            rfc5912::ECDSA_WITH_SHA_512 => Scheme::Ecdsa(Sha512),
            ED25519 => Scheme::Ed25519,
            oid => {
                return Err(Error::unsupported(format!(
                    "the signature algorithm {} is not supported",
                    oid_name(oid)
                )));
            }
        })
    }

    /// Returns the usual name.
    pub(crate) fn name(self) -> String {
        match self {
            Scheme::RsaPkcs1(digest) => format!("RSA PKCS#1 v1.5 with {}", digest.name()),
            Scheme::RsaPss { digest, .. } => format!("RSA-PSS with {}", digest.name()),
            Scheme::Ecdsa(digest) => format!("ECDSA with {}", digest.name()),
            Scheme::Ed25519 => "Ed25519".to_owned(),
        }
    }

    pub(crate) fn digest(self) -> Option<Digest> {
        match self {
            Scheme::RsaPkcs1(digest) | Scheme::RsaPss { digest, .. } | Scheme::Ecdsa(digest) => {
                Some(digest)
            }
            Scheme::Ed25519 => None,
        }
    }
}

/// Reads the parameters of PSS. Each has a default, with SHA-1.
fn read_pss(algorithm: Algorithm) -> Result<Scheme, Error> {
    let mut digest = Digest::Sha1;
    let mut mask_digest = Digest::Sha1;
    let mut salt_bytes = 20;
    if let Some(parameters) = algorithm.parameters {
        let mut items = Items::new(parameters.value, "parameters of RSA-PSS");
        if let Some(item) = items.optional(context(0, true))? {
            digest =
                Digest::from_oid(Items::new(item.value, "digest of RSA-PSS").algorithm()?.oid)?;
        }
        if let Some(item) = items.optional(context(1, true))? {
            let mask = Items::new(item.value, "mask of RSA-PSS").algorithm()?;
            if mask.oid != rfc5912::ID_MGF_1 {
                return Err(Error::unsupported(format!(
                    "the mask {} of RSA-PSS is not supported",
                    mask.oid
                )));
            }
            if let Some(inner) = mask.parameters {
                mask_digest =
                    Digest::from_oid(Items::new(inner.whole, "mask of RSA-PSS").algorithm()?.oid)?;
            }
        }
        if let Some(item) = items.optional(context(2, true))? {
            salt_bytes = Items::new(item.value, "salt of RSA-PSS").number()? as usize;
        }
    }
    if digest != mask_digest || digest == Digest::Md5 {
        let message = format!(
            "RSA-PSS with {} and a mask of {} is not supported",
            digest.name(),
            mask_digest.name()
        );
        return Err(Error::unsupported(message));
    }
    Ok(Scheme::RsaPss { digest, salt_bytes: salt_bytes.min(MAX_RSA_BITS / 8) })
}

/// A public key that signatures can be checked with.
#[derive(Clone, Debug)]
pub(crate) enum PublicKey {
    Rsa(Box<rsa::PublicKey>),
    P256(Box<p256::ecdsa::VerifyingKey>),
    P384(Box<p384::ecdsa::VerifyingKey>),
    Ed25519(Box<ed25519_dalek::VerifyingKey>),
}

impl PublicKey {
    /// Reads the key out of the parts of a `SubjectPublicKeyInfo`.
    pub(crate) fn read(algorithm: Algorithm, bits: &[u8]) -> Result<Self, Error> {
        match algorithm.oid {
            rfc5912::RSA_ENCRYPTION | rfc5912::ID_RSASSA_PSS => {
                let mut items = Items::new(bits, "RSA key").sequence()?;
                let n = unsigned(items.expect(Tag::Integer)?.value, MAX_RSA_BITS)?;
                let e = unsigned(items.expect(Tag::Integer)?.value, 64)?;
                let key = rsa::PublicKey::new_with_size_limits(n, e, 512..=MAX_RSA_BITS).map_err(
                    |error| Error::unsupported(format!("the RSA key cannot be used: {error}")),
                )?;
                Ok(PublicKey::Rsa(Box::new(key)))
            }
            rfc5912::ID_EC_PUBLIC_KEY => {
                let curve = match algorithm.parameters {
                    Some(item) if item.tag == Tag::ObjectIdentifier => {
                        Items::new(item.whole, "curve").oid()?
                    }
                    _ => {
                        return Err(Error::unsupported(
                            "a key on a curve without a name is not supported",
                        ));
                    }
                };
                let broken = |_| Error::malformed("the point of the EC key is not on its curve");
                match curve {
                    rfc5912::SECP_256_R_1 => p256::ecdsa::VerifyingKey::from_sec1_bytes(bits)
                        .map(Box::new)
                        .map(PublicKey::P256)
                        .map_err(broken),
                    rfc5912::SECP_384_R_1 => p384::ecdsa::VerifyingKey::from_sec1_bytes(bits)
                        .map(Box::new)
                        .map(PublicKey::P384)
                        .map_err(broken),
                    _ => Err(Error::unsupported(format!(
                        "the curve {} is not supported",
                        oid_name(curve)
                    ))),
                }
            }
            ED25519 => {
                let key = <&[u8; 32]>::try_from(bits)
                    .map_err(|_| Error::malformed("an Ed25519 key has not 32 bytes"))?;
                ed25519_dalek::VerifyingKey::from_bytes(key)
                    .map(Box::new)
                    .map(PublicKey::Ed25519)
                    .map_err(|_| Error::malformed("the Ed25519 key is not a point of the curve"))
            }
            oid => Err(Error::unsupported(format!("keys of {} are not supported", oid_name(oid)))),
        }
    }

    /// Returns kind and size: `RSA 2048`.
    pub(crate) fn name(&self) -> String {
        match self {
            PublicKey::Rsa(key) => format!("RSA {}", key.n().bit_width_vartime()),
            PublicKey::P256(_) => "EC P-256".to_owned(),
            PublicKey::P384(_) => "EC P-384".to_owned(),
            PublicKey::Ed25519(_) => "Ed25519".to_owned(),
        }
    }

    pub(crate) fn is_weak(&self) -> bool {
        matches!(self, PublicKey::Rsa(key) if (key.n().bit_width_vartime() as usize) < MIN_STRONG_RSA_BITS)
    }

    /// Returns `true` if `signature` over `message` was made with this key.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) - the digest is not supported with this kind of key.
    pub(crate) fn verify(
        &self,
        scheme: Scheme,
        message: &[&[u8]],
        signature: &[u8],
    ) -> Result<bool, Error> {
        Ok(match (self, scheme) {
            (PublicKey::Rsa(key), Scheme::RsaPkcs1(digest)) => {
                let padding = match digest {
                    Digest::Md5 => Pkcs1v15Sign::new::<md5::Md5>(),
                    Digest::Sha1 => Pkcs1v15Sign::new::<sha1::Sha1>(),
                    Digest::Sha256 => Pkcs1v15Sign::new::<sha2::Sha256>(),
                    Digest::Sha384 => Pkcs1v15Sign::new::<sha2::Sha384>(),
                    Digest::Sha512 => Pkcs1v15Sign::new::<sha2::Sha512>(),
                };
                key.verify(padding, &digest.hash(message), signature).is_ok()
            }
            (PublicKey::Rsa(key), Scheme::RsaPss { digest, salt_bytes }) => {
                let hash = digest.hash(message);
                match digest {
                    Digest::Sha1 => key.verify(
                        rsa::Pss::<sha1::Sha1>::new_with_salt(salt_bytes),
                        &hash,
                        signature,
                    ),
                    Digest::Sha256 => key.verify(
                        rsa::Pss::<sha2::Sha256>::new_with_salt(salt_bytes),
                        &hash,
                        signature,
                    ),
                    Digest::Sha384 => key.verify(
                        rsa::Pss::<sha2::Sha384>::new_with_salt(salt_bytes),
                        &hash,
                        signature,
                    ),
                    Digest::Sha512 => key.verify(
                        rsa::Pss::<sha2::Sha512>::new_with_salt(salt_bytes),
                        &hash,
                        signature,
                    ),
                    Digest::Md5 => {
                        return Err(Error::unsupported("RSA-PSS with MD5 is not supported"));
                    }
                }
                .is_ok()
            }
            (PublicKey::P256(key), Scheme::Ecdsa(digest)) => {
                match p256::ecdsa::Signature::from_der(signature) {
                    Ok(signature) => key.verify_prehash(&digest.hash(message), &signature).is_ok(),
                    Err(_) => false,
                }
            }
            (PublicKey::P384(_), Scheme::Ecdsa(Digest::Sha1 | Digest::Md5)) => {
                return Err(Error::unsupported("ECDSA on P-384 with SHA-1 is not supported"));
            }
            (PublicKey::P384(key), Scheme::Ecdsa(digest)) => {
                match p384::ecdsa::Signature::from_der(signature) {
                    Ok(signature) => key.verify_prehash(&digest.hash(message), &signature).is_ok(),
                    Err(_) => false,
                }
            }
            (PublicKey::Ed25519(key), Scheme::Ed25519) => {
                match ed25519_dalek::Signature::from_slice(signature) {
                    Ok(signature) => key.verify(&message.concat(), &signature).is_ok(),
                    Err(_) => false,
                }
            }
            // A key of one kind cannot have made a signature of another.
            _ => false,
        })
    }
}

/// Reads a number without sign of at most `max_bits`.
fn unsigned(value: &[u8], max_bits: usize) -> Result<BoxedUint, Error> {
    let zeros = value.iter().take_while(|byte| **byte == 0).count();
    let digits = &value[zeros..];
    if digits.is_empty() || digits.len() * 8 > max_bits {
        return Err(Error::unsupported(format!(
            "expected an RSA number of 1 to {max_bits} bits, got {}",
            digits.len() * 8
        )));
    }
    let bits = u32::try_from(digits.len() * 8)
        .map_err(|_| Error::malformed("an RSA number is too large"))?;
    BoxedUint::from_be_slice(digits, bits).map_err(|_| Error::malformed("an RSA number is broken"))
}

/// Returns the name of an identifier, with its digits; only these if it has no name.
pub(crate) fn oid_name(oid: ObjectIdentifier) -> String {
    match const_oid::db::DB.by_oid(&oid) {
        Some(name) => format!("{name} ({oid})"),
        None => oid.to_string(),
    }
}
