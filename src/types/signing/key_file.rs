//! Reads a private key with its certificates: PKCS#12, or PEM.

use std::sync::Arc;

use p12_keystore::{Pkcs12Archive, error::Error as StoreError};
use pkcs8::EncryptedPrivateKeyInfoRef;

use super::certificate::Certificate;
use super::pem::{Block, blocks, is_pem};
use super::private_key::PrivateKey;
use super::problem::{malformed, unsupported};
use super::{SigningKey, check_name};
use mitt_base::{Error, ErrorKind, Result, text};

/// Most bytes of a key file. Common ones have 5 KB.
const MAX_BYTES: usize = 1 << 20;

/// Most certificates of a key. Common chains have 3.
const MAX_CERTIFICATES: usize = 10;

impl SigningKey {
    /// Reads a key and its certificates. `file` is PKCS#12 (`.p12`, `.pfx`), or PEM with a key and perhaps certificates; `more`
    /// are files with further certificates, in PEM or DER. Models see `name`.
    ///
    /// Buffers of the file's key are overwritten when they are not needed any more. The key itself is kept until the last clone
    /// is dropped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the name has other characters than letters, digits, `-` and `_`. The file is larger than 1 MiB,
    /// is neither, or needs another password. It has no key, several, or one of an unsupported kind. None of the
    /// certificates belongs to it, or there are more than 10.
    pub fn load(
        name: &str,
        file: &[u8],
        password: Option<&str>,
        more: &[&[u8]],
    ) -> Result<SigningKey> {
        check_name(name)?;
        for file in more.iter().copied().chain([file]) {
            if file.len() > MAX_BYTES {
                return Err(malformed(&format!(
                    "expected at most {MAX_BYTES} bytes of a key file, got {}",
                    file.len()
                )));
            }
        }
        let (key, mut certificates) =
            if is_pem(file) { from_pem(file, password)? } else { from_pkcs12(file, password)? };
        for file in more {
            read_certificates(file, &mut certificates)?;
        }
        if certificates.is_empty() {
            return Err(malformed("the key file has no certificate, and none was given beside it"));
        }
        let own = certificates.iter().position(|it| key.of_public_key(&it.public_key));
        let Some(own) = own else {
            let names: Vec<_> = certificates.iter().map(|it| format!("`{}`", it.subject)).collect();
            return Err(malformed(&format!(
                "no certificate has the public key that belongs to this private key; there are: {}",
                names.join(", ")
            )));
        };
        certificates[..=own].rotate_right(1);
        let first = &certificates[0];
        let (algorithm, private) = key
            .with_public_key(&first.public_key)
            .ok_or_else(|| malformed("the key does not belong to its certificate"))?;
        Ok(SigningKey {
            name: name.into(),
            subject: first.subject.as_str().into(),
            expires: first.expires,
            algorithm,
            private: Arc::from(private),
            certificates: certificates.into_iter().map(|it| it.der).collect(),
        })
    }
}

fn missing_password() -> Error {
    Error::new(ErrorKind::Input, "the key file is encrypted; it needs a password")
}

fn wrong_password() -> Error {
    Error::new(ErrorKind::Input, "the password of the key file is wrong")
}

fn several_keys(count: usize) -> Error {
    malformed(&format!("expected one private key in the key file, got {count}"))
}

fn add(certificates: &mut Vec<Certificate>, der: &[u8]) -> Result<()> {
    if certificates.len() == MAX_CERTIFICATES {
        return Err(malformed(&format!(
            "expected at most {MAX_CERTIFICATES} certificates of a key, got more"
        )));
    }
    certificates.push(Certificate::from_der(der)?);
    Ok(())
}

fn is_certificate(label: &str) -> bool {
    matches!(label, "CERTIFICATE" | "X509 CERTIFICATE" | "TRUSTED CERTIFICATE")
}

/// Reads one certificate in DER, or all of a PEM file. Keys in it are ignored.
fn read_certificates(file: &[u8], certificates: &mut Vec<Certificate>) -> Result<()> {
    if !is_pem(file) {
        return add(certificates, file);
    }
    let blocks = blocks(file)?;
    blocks
        .iter()
        .filter(|it| is_certificate(it.label))
        .try_for_each(|it| add(certificates, &it.der))
}

fn from_pkcs12(file: &[u8], password: Option<&str>) -> Result<(PrivateKey, Vec<Certificate>)> {
    let read = Pkcs12Archive::from_pkcs12(file, password.unwrap_or(""));
    let archive = read.map_err(|error| match error {
        // The check sum over the file is made with the password.
        StoreError::MacError(_) | StoreError::UnpadError if password.is_none() => {
            missing_password()
        }
        StoreError::MacError(_) | StoreError::UnpadError => wrong_password(),
        StoreError::DerError(error) => {
            malformed(&format!("the key file is neither PEM nor PKCS#12 that can be read: {error}"))
        }
        error => unsupported(&format!("the PKCS#12 file cannot be read: {error}")),
    })?;
    let [bag] = archive.keys.as_slice() else { return Err(several_keys(archive.keys.len())) };
    let key = PrivateKey::from_pkcs8(bag.key.as_der())?;
    let mut certificates = Vec::new();
    archive.certs.iter().try_for_each(|it| add(&mut certificates, it.cert.as_der()))?;
    Ok((key, certificates))
}

fn from_pem(file: &[u8], password: Option<&str>) -> Result<(PrivateKey, Vec<Certificate>)> {
    let (mut keys, mut certificates) = (Vec::new(), Vec::new());
    for block in blocks(file)? {
        match block.label {
            label if is_certificate(label) => add(&mut certificates, &block.der)?,
            // OpenSSL writes the curve into a block of its own.
            "EC PARAMETERS" => {}
            label if label.ends_with("PRIVATE KEY") => keys.push(pem_key(&block, password)?),
            label => {
                return Err(unsupported(&format!(
                    "expected blocks `CERTIFICATE` and `PRIVATE KEY` in the PEM file, got `{}`",
                    text::one_line(text::cut_bytes(label, 60))
                )));
            }
        }
    }
    match keys.len() {
        1 => Ok((keys.remove(0), certificates)),
        count => Err(several_keys(count)),
    }
}

fn pem_key(block: &Block<'_>, password: Option<&str>) -> Result<PrivateKey> {
    if block.has_headers {
        return Err(unsupported("the PEM key is encrypted in the old form of OpenSSL")
            .hint("convert it with `openssl pkcs8 -topk8`"));
    }
    match block.label {
        "PRIVATE KEY" => PrivateKey::from_pkcs8(&block.der),
        "ENCRYPTED PRIVATE KEY" => {
            let password = password.ok_or_else(missing_password)?;
            let of = |error: &dyn std::fmt::Display| {
                unsupported(&format!("the encryption of the key is not supported: {error}"))
            };
            let encrypted = EncryptedPrivateKeyInfoRef::try_from(block.der.as_slice())
                .map_err(|error| of(&error))?;
            let plain = encrypted.decrypt(password).map_err(|error| match error {
                // The padding can look right by chance.
                pkcs8::Error::EncryptedPrivateKey(pkcs8::pkcs5::Error::DecryptFailed)
                | pkcs8::Error::Asn1(_) => wrong_password(),
                error => of(&error),
            })?;
            PrivateKey::from_pkcs8(plain.as_bytes())
        }
        "RSA PRIVATE KEY" => PrivateKey::from_pkcs1(&block.der),
        "EC PRIVATE KEY" => PrivateKey::from_sec1(&block.der),
        label => Err(unsupported(&format!(
            "keys of the form `{}` are not supported",
            text::one_line(text::cut_bytes(label, 60))
        ))),
    }
}
