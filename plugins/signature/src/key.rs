//! A private key with its certificates, out of a PKCS#12 file or PEM files that the operator names.

use std::fmt;

use p12_keystore::{Pkcs12Archive, error::Error as StoreError};
use p256::ecdsa::signature::Signer as _;
use pkcs8::{DecodePrivateKey as _, EncryptedPrivateKeyInfoRef};
use rsa::pkcs1::DecodeRsaPrivateKey as _;
use zeroize::Zeroizing;

use crate::algorithm::{Digest, PublicKey};
use crate::certificate::{
    Certificate, MAX_CERTIFICATES, PemBlock, is_pem, pem_blocks, readable, too_many,
};
use crate::error::{Error, ErrorKind};
use crate::sign::SigningAlgorithm;

/// Most bytes of a key file. Common ones have 5 KB.
const MAX_KEY_BYTES: usize = 1 << 20;

enum PrivateKey {
    Rsa(Box<rsa::PrivateKey>),
    P256(Box<p256::ecdsa::SigningKey>),
    P384(Box<p384::ecdsa::SigningKey>),
}

/// A private key with its certificates.
pub struct KeyFile {
    key: PrivateKey,
    certificates: Vec<Certificate>,
}

impl fmt::Debug for KeyFile {
    /// Writes no part of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyFile")
            .field("certificate", &self.certificates[0].subject)
            .finish_non_exhaustive()
    }
}

impl KeyFile {
    /// Reads a key and its certificates. `file` is PKCS#12, or PEM with a key and perhaps certificates; `more` are files
    /// with further certificates, PEM or DER.
    ///
    /// # Errors
    /// [`ErrorKind::Password`] - the file needs a password, or another one. [`ErrorKind::Key`] - there is no key, several,
    /// one of an unsupported kind, or none of the certificates belongs to it. [`ErrorKind::Malformed`] - the file is
    /// neither. [`ErrorKind::Limit`] - it is larger than 1 MB, or has more than 64 certificates.
    pub fn load(file: &[u8], password: Option<&str>, more: &[&[u8]]) -> Result<Self, Error> {
        if file.len() > MAX_KEY_BYTES {
            let message =
                format!("expected at most {MAX_KEY_BYTES} bytes of a key file, got {}", file.len());
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let (key, mut certificates) =
            if is_pem(file) { load_pem(file, password)? } else { load_pkcs12(file, password)? };
        for file in more {
            certificates.append(&mut Certificate::read_all(file)?);
        }
        if certificates.len() > MAX_CERTIFICATES {
            return Err(too_many());
        }
        if certificates.is_empty() {
            return Err(Error::new(
                ErrorKind::Certificate,
                "the key file has no certificate, and none was given beside it",
            ));
        }
        // The key's own certificate comes first.
        let own = certificates.iter().position(|certificate| {
            certificate.public_key().is_ok_and(|public| key.matches(&public))
        });
        let Some(own) = own else {
            let names: Vec<_> = certificates
                .iter()
                .map(|certificate| format!("`{}`", certificate.subject))
                .collect();
            let message =
                format!("the key belongs to none of the certificates: {}", names.join(", "));
            return Err(Error::new(ErrorKind::Key, message));
        };
        certificates[..=own].rotate_right(1);
        Ok(KeyFile { key, certificates })
    }

    /// Returns the certificates, that of the key first.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// Signs `message`.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] - the algorithm is not one of this key.
    pub fn sign(&self, algorithm: SigningAlgorithm, message: &[u8]) -> Result<Vec<u8>, Error> {
        let failed = |error: &dyn fmt::Display| {
            Error::new(ErrorKind::Key, format!("the key cannot sign: {error}"))
        };
        let unsupported =
            || Error::unsupported(format!("the key does not sign with {algorithm:?}"));
        match (&self.key, algorithm) {
            // Both are blinded with random numbers of the system, so that their time says nothing about the key.
            (PrivateKey::Rsa(key), SigningAlgorithm::RsaPkcs1(digest)) => match digest {
                Digest::Sha256 => key.pkcs1v15_sign::<sha2::Sha256>(message),
                Digest::Sha384 => key.pkcs1v15_sign::<sha2::Sha384>(message),
                Digest::Sha512 => key.pkcs1v15_sign::<sha2::Sha512>(message),
                Digest::Md5 | Digest::Sha1 => return Err(unsupported()),
            }
            .map_err(|error| failed(&error)),
            (PrivateKey::Rsa(key), SigningAlgorithm::RsaPss(digest)) => match digest {
                Digest::Sha256 => key.pss_sign::<sha2::Sha256>(message),
                Digest::Sha384 => key.pss_sign::<sha2::Sha384>(message),
                Digest::Sha512 => key.pss_sign::<sha2::Sha512>(message),
                Digest::Md5 | Digest::Sha1 => return Err(unsupported()),
            }
            .map_err(|error| failed(&error)),
            (PrivateKey::P256(key), SigningAlgorithm::Ecdsa(Digest::Sha256)) => {
                let signature: p256::ecdsa::Signature =
                    key.try_sign(message).map_err(|error| failed(&error))?;
                Ok(signature.to_der().as_bytes().to_vec())
            }
            (PrivateKey::P384(key), SigningAlgorithm::Ecdsa(Digest::Sha384)) => {
                let signature: p384::ecdsa::Signature =
                    key.try_sign(message).map_err(|error| failed(&error))?;
                Ok(signature.to_der().as_bytes().to_vec())
            }
            _ => Err(unsupported()),
        }
    }
}

impl PrivateKey {
    /// Reads a key in PKCS#8.
    fn from_pkcs8(der: &[u8]) -> Result<Self, Error> {
        let rsa = rsa::PrivateKey::from_pkcs8_der(der).map(|key| PrivateKey::Rsa(Box::new(key)));
        let p256 = || {
            p256::ecdsa::SigningKey::from_pkcs8_der(der).map(|key| PrivateKey::P256(Box::new(key)))
        };
        let p384 = || {
            p384::ecdsa::SigningKey::from_pkcs8_der(der).map(|key| PrivateKey::P384(Box::new(key)))
        };
        rsa.ok().or_else(|| p256().ok()).or_else(|| p384().ok()).ok_or_else(unknown_key)
    }

    fn matches(&self, public: &PublicKey) -> bool {
        match (self, public) {
            (PrivateKey::Rsa(own), PublicKey::Rsa(other)) => own.as_public_key() == &**other,
            (PrivateKey::P256(own), PublicKey::P256(other)) => own.verifying_key() == &**other,
            (PrivateKey::P384(own), PublicKey::P384(other)) => own.verifying_key() == &**other,
            _ => false,
        }
    }
}

fn unknown_key() -> Error {
    Error::new(
        ErrorKind::Key,
        "expected an RSA key, or one on P-256 or P-384; the key is broken or of another kind",
    )
}

fn missing_password() -> Error {
    Error::new(ErrorKind::Password, "the key file is encrypted; it needs a password")
}

fn wrong_password() -> Error {
    Error::new(ErrorKind::Password, "the password of the key file is wrong")
}

fn several_keys(count: usize) -> Error {
    Error::new(ErrorKind::Key, format!("expected one private key in the key file, got {count}"))
}

fn load_pkcs12(
    file: &[u8],
    password: Option<&str>,
) -> Result<(PrivateKey, Vec<Certificate>), Error> {
    let archive =
        Pkcs12Archive::from_pkcs12(file, password.unwrap_or("")).map_err(|error| match error {
            // The check sum over the file is made with the password.
            StoreError::MacError(_) | StoreError::UnpadError if password.is_none() => {
                missing_password()
            }
            StoreError::MacError(_) | StoreError::UnpadError => wrong_password(),
            StoreError::DerError(error) => Error::malformed(format!(
                "the key file is neither PEM nor PKCS#12 that can be read: {error}"
            )),
            error => Error::unsupported(format!("the PKCS#12 file cannot be read: {error}")),
        })?;
    let [bag] = archive.keys.as_slice() else { return Err(several_keys(archive.keys.len())) };
    let key = PrivateKey::from_pkcs8(bag.key.as_der())?;
    if archive.certs.len() > MAX_CERTIFICATES {
        return Err(too_many());
    }
    let certificates = archive
        .certs
        .iter()
        .map(|bag| Certificate::from_der(bag.cert.as_der()))
        .collect::<Result<_, _>>()?;
    Ok((key, certificates))
}

fn load_pem(file: &[u8], password: Option<&str>) -> Result<(PrivateKey, Vec<Certificate>), Error> {
    let (mut keys, mut certificates) = (Vec::new(), Vec::new());
    for block in pem_blocks(file)? {
        match block.label.as_str() {
            "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE" => {
                certificates.push(Certificate::from_der(&block.der)?)
            }
            // OpenSSL writes the curve into a block of its own.
            "EC PARAMETERS" => {}
            label if label.ends_with("PRIVATE KEY") => keys.push(pem_key(block, password)?),
            label => {
                let message = format!(
                    "expected blocks `CERTIFICATE` and `PRIVATE KEY` in the PEM file, got `{}`",
                    readable(label)
                );
                return Err(Error::unsupported(message));
            }
        }
    }
    match keys.len() {
        1 => Ok((keys.remove(0), certificates)),
        count => Err(several_keys(count)),
    }
}

fn pem_key(block: PemBlock, password: Option<&str>) -> Result<PrivateKey, Error> {
    let PemBlock { label, has_headers, der } = block;
    let der = Zeroizing::new(der);
    if has_headers {
        let message =
            "the PEM key is encrypted in the old form; convert it with `openssl pkcs8 -topk8`";
        return Err(Error::unsupported(message));
    }
    match label.as_str() {
        "PRIVATE KEY" => PrivateKey::from_pkcs8(&der),
        "ENCRYPTED PRIVATE KEY" => {
            let password = password.ok_or_else(missing_password)?;
            let encrypted =
                EncryptedPrivateKeyInfoRef::try_from(der.as_slice()).map_err(|error| {
                    Error::unsupported(format!(
                        "the encryption of the key is not supported: {error}"
                    ))
                })?;
            let plain = encrypted.decrypt(password).map_err(|error| match error {
                pkcs8::Error::EncryptedPrivateKey(pkcs8::pkcs5::Error::DecryptFailed) => {
                    wrong_password()
                }
                // The padding can look right by chance.
                pkcs8::Error::Asn1(_) => wrong_password(),
                error => Error::unsupported(format!(
                    "the encryption of the key is not supported: {error}"
                )),
            })?;
            // A wrong password can decrypt to bytes that are no key.
            PrivateKey::from_pkcs8(plain.as_bytes())
        }
        "RSA PRIVATE KEY" => rsa::PrivateKey::from_pkcs1_der(&der)
            .map(|key| PrivateKey::Rsa(Box::new(key)))
            .map_err(|_| unknown_key()),
        "EC PRIVATE KEY" => ec_key(&der),
        other => Err(Error::unsupported(format!(
            "keys of the form `{}` are not supported",
            readable(other)
        ))),
    }
}

/// Reads a key in the form of SEC 1, which names its curve.
fn ec_key(der: &[u8]) -> Result<PrivateKey, Error> {
    if let Ok(key) = p256::SecretKey::from_sec1_der(der) {
        return Ok(PrivateKey::P256(Box::new(key.into())));
    }
    let key = p384::SecretKey::from_sec1_der(der).map_err(|_| unknown_key())?;
    Ok(PrivateKey::P384(Box::new(key.into())))
}
