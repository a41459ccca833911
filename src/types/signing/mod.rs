//! Keys that the operator names for signatures, such as those of PDF files.
//!
//! A session has those that it was given, and no others. Plugins see names and certificates; the private keys stay here. Knows
//! no documents and no sessions.

#[cfg(feature = "signing")]
mod certificate;
#[cfg(feature = "signing")]
mod key_file;
#[cfg(feature = "signing")]
mod pem;
#[cfg(feature = "signing")]
mod private_key;
#[cfg(feature = "signing")]
mod problem;
#[cfg(feature = "signing")]
mod signed_attributes;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mitt_base::{Error, ErrorKind, Result, text};

/// Most keys of a session.
const MAX_KEYS: usize = 16;

/// Longest name of a key, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Most bytes of a message that is signed. The signed attributes of CMS have some 300.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// Most signatures of a session.
pub const MAX_SIGNATURES: u64 = 1_000;

/// How a key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SigningAlgorithm {
    /// RSA with the padding of PKCS#1 1.5 and SHA-256.
    RsaPkcs1Sha256,
    /// ECDSA on P-256 with SHA-256.
    EcdsaP256Sha256,
    /// ECDSA on P-384 with SHA-384.
    EcdsaP384Sha384,
    /// Ed25519.
    Ed25519,
}

/// A value for each algorithm.
#[derive(Clone, Copy, Debug)]
pub struct ForEachAlgorithm<T> {
    /// The value for [`SigningAlgorithm::RsaPkcs1Sha256`].
    pub rsa_pkcs1_sha256: T,
    /// The value for [`SigningAlgorithm::EcdsaP256Sha256`].
    pub ecdsa_p256_sha256: T,
    /// The value for [`SigningAlgorithm::EcdsaP384Sha384`].
    pub ecdsa_p384_sha384: T,
    /// The value for [`SigningAlgorithm::Ed25519`].
    pub ed25519: T,
}

impl<T> ForEachAlgorithm<T> {
    /// Returns the value for `algorithm`. Other crates cannot match all algorithms, because more may come; with this type the
    /// compiler demands a value for a new one from them too.
    pub fn of(self, algorithm: SigningAlgorithm) -> T {
        match algorithm {
            SigningAlgorithm::RsaPkcs1Sha256 => self.rsa_pkcs1_sha256,
            SigningAlgorithm::EcdsaP256Sha256 => self.ecdsa_p256_sha256,
            SigningAlgorithm::EcdsaP384Sha384 => self.ecdsa_p384_sha384,
            SigningAlgorithm::Ed25519 => self.ed25519,
        }
    }
}

/// A private key with its certificates, under the name that the operator gave it. Clones share the key.
#[derive(Clone)]
pub struct SigningKey {
    name: Arc<str>,
    subject: Arc<str>,
    algorithm: SigningAlgorithm,
    /// In DER; that of the key first.
    certificates: Arc<[Vec<u8>]>,
    expires: i64,
    private: Arc<dyn Sign>,
}

/// A private key.
trait Sign: Send + Sync {
    /// Returns the signature over `message`; `None` if the system gives no random numbers.
    fn sign(&self, message: &[u8]) -> Option<Vec<u8>>;
}

impl SigningKey {
    /// Returns the name that the operator gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the owner of the certificate, as RFC 4514 writes it.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns how it signs.
    pub fn algorithm(&self) -> SigningAlgorithm {
        self.algorithm
    }

    /// Returns the end of the certificate's validity, in seconds since 1970.
    pub fn expires(&self) -> i64 {
        self.expires
    }
}

/// Methods of [`SigningKey`] for Mitt's own crates.
pub trait SigningKeyInternal {
    /// Returns the certificates in DER, that of the key first.
    fn certificates(&self) -> &[Vec<u8>];

    /// Returns `true` if `message` is the set of signed attributes of a document that this key signs. Without the feature
    /// `signing` no key can be loaded, and it returns `false`.
    fn may_sign(&self, message: &[u8]) -> bool;

    /// Returns the signature over `message`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system gives no random numbers.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>>;
}

impl SigningKeyInternal for SigningKey {
    fn certificates(&self) -> &[Vec<u8>] {
        &self.certificates
    }

    #[cfg(feature = "signing")]
    fn may_sign(&self, message: &[u8]) -> bool {
        self.certificates
            .first()
            .is_some_and(|own| signed_attributes::are_signed_attributes(message, own))
    }

    #[cfg(not(feature = "signing"))]
    fn may_sign(&self, _: &[u8]) -> bool {
        false
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>> {
        self.private.sign(message).ok_or_else(|| {
            Error::new(ErrorKind::Host, format!("the key `{}` cannot sign", self.name))
        })
    }
}

impl fmt::Debug for SigningKey {
    /// Writes no part of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("name", &self.name)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// The keys of a session. Clones are shallow. Default: none.
///
/// A tool signs only after an approval. In a session without an approver it is refused, unless the caller has chosen
/// [`without_approval`](SigningKeys::without_approval).
#[derive(Clone, Debug, Default)]
pub struct SigningKeys {
    keys: Arc<[SigningKey]>,
    is_unasked: bool,
}

impl SigningKeys {
    /// Returns these keys.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there are more than 16, or two of the same name.
    pub fn new(keys: Vec<SigningKey>) -> Result<SigningKeys> {
        if keys.len() > MAX_KEYS {
            let message =
                format!("expected at most {MAX_KEYS} keys for signatures, got {}", keys.len());
            return Err(Error::new(ErrorKind::Input, message));
        }
        for (at, key) in keys.iter().enumerate() {
            if keys[..at].iter().any(|other| other.name == key.name) {
                let message = format!("there are two keys of the name `{}`", key.name);
                return Err(Error::new(ErrorKind::Input, message));
            }
        }
        Ok(SigningKeys { keys: keys.into(), is_unasked: false })
    }

    /// Lets tools sign in sessions that have no approver. For programs whose user makes the calls, such as `mitt pdf sign`; where
    /// a model makes them, it would sign what it likes.
    #[must_use]
    pub fn without_approval(self) -> SigningKeys {
        SigningKeys { is_unasked: true, ..self }
    }

    /// Returns the keys in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &SigningKey> {
        self.keys.iter()
    }

    /// Returns `true` if there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// Methods of [`SigningKeys`] for Mitt's own crates.
pub trait SigningKeysInternal {
    /// Returns `true` if tools sign without an approver.
    fn is_unasked(&self) -> bool;

    /// Returns the key of this name.
    fn get(&self, name: &str) -> Option<&SigningKey>;
}

impl SigningKeysInternal for SigningKeys {
    fn is_unasked(&self) -> bool {
        self.is_unasked
    }

    fn get(&self, name: &str) -> Option<&SigningKey> {
        self.keys.iter().find(|key| &*key.name == name)
    }
}

/// The number of signatures of a session.
#[derive(Default)]
pub struct SignatureCount(AtomicU64);

impl SignatureCount {
    /// Counts a signature. Returns `false` if the session has made [`MAX_SIGNATURES`] already.
    pub fn add(&self) -> bool {
        let next = |count: u64| (count < MAX_SIGNATURES).then_some(count + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

/// Checks the name of a key, which models see.
#[cfg_attr(not(feature = "signing"), expect(dead_code, reason = "no key is loaded"))]
fn check_name(name: &str) -> Result<()> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_letter) {
        return Ok(());
    }
    let shown = text::one_line(text::cut_bytes(name, 2 * MAX_NAME_BYTES));
    Err(Error::new(
        ErrorKind::Input,
        format!(
            "expected a name of a key of 1 to {MAX_NAME_BYTES} letters, digits, `-` and `_`, got `{shown}`"
        ),
    ))
}

#[cfg(all(test, feature = "signing"))]
mod tests;
