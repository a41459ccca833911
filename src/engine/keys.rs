//! Keys for native code: a private key signs it where it is compiled, and the operator configures the public key where it is
//! loaded.
//!
//! Ed25519, as text in files. Knows nothing of what is signed.

use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::str::FromStr;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use mitt_base::digest::hex;
use mitt_base::{Error, ErrorKind, Remedy, Result, plain_file};

/// Prefix of a private key in its file, so that it is not mistaken for a public one and published.
const PRIVATE: &str = "mitt-private-key:";
/// Optional prefix of a public key in files and on command lines.
const PUBLIC: &str = "mitt-public-key:";

/// Largest file with a key, in bytes: one line.
const MAX_KEY_BYTES: u64 = 1_024;

/// Key that signs native code. Its owner can make hosts that trust it run arbitrary code.
pub struct PrivateKey(SigningKey);

/// Public half of a [`PrivateKey`]. A host that is given this key trusts native code that was signed with the private one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

impl PrivateKey {
    /// Generates a new key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no random numbers.
    pub fn generate() -> Result<PrivateKey> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| {
            Error::new(ErrorKind::Host, "the system gives no random numbers")
                .caused_by(error.to_string())
        })?;
        Ok(PrivateKey(SigningKey::from_bytes(&secret)))
    }

    /// Writes the key to a new file that only this user can read, and the public key next to it as `<file>.pub`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - one of the files exists. [`ErrorKind::Host`] - a file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let public = public_path(path);
        create(path, 0o600, &format!("{PRIVATE}{}\n", hex(self.0.as_bytes())))?;
        create(&public, 0o644, &format!("{}\n", self.public())).inspect_err(|_| {
            let _ = std::fs::remove_file(path);
        })
    }

    /// Reads the key from its file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no such file, others can read it, or it holds something else.
    pub fn read(path: &Path) -> Result<PrivateKey> {
        if path.to_string_lossy().trim_start().starts_with(PRIVATE) {
            // The key itself was given in place of its file. It must not appear in logs and terminals.
            let message = "expected the file of a private key, got the key itself";
            return Err(Error::new(ErrorKind::Input, message)
                .hint("a key that stood on a command line may have been seen: make a new one"));
        }
        only_ours(path)?;
        let text = read_text(path)?;
        let secret = text.strip_prefix(PRIVATE).and_then(bytes);
        let secret: Option<[u8; 32]> = secret.and_then(|bytes| bytes.try_into().ok());
        let secret = secret.ok_or_else(|| {
            Error::new(ErrorKind::Input, format!("{}: expected a private key", path.display()))
                .remedy(Remedy::MakeKey)
        })?;
        Ok(PrivateKey(SigningKey::from_bytes(&secret)))
    }

    /// Returns the public key that belongs to it.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    pub(super) fn sign(&self, message: &[u8]) -> String {
        hex(&self.0.sign(message).to_bytes())
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey(of {})", self.public())
    }
}

impl PublicKey {
    /// Reads the key from a file, such as the one that [`PrivateKey::write`] writes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no such file, or it holds something else.
    pub fn read(path: &Path) -> Result<PublicKey> {
        let text = read_text(path)?;
        text.parse().map_err(|error: Error| error.at(path.display()))
    }

    /// Returns whether `signature`, in hexadecimal digits, is a signature of `message` by the private key.
    pub(super) fn verifies(&self, message: &[u8], signature: &str) -> bool {
        let signature = bytes(signature).and_then(|bytes| Signature::from_slice(&bytes).ok());
        let key = VerifyingKey::from_bytes(&self.0).ok();
        match (key, signature) {
            (Some(key), Some(signature)) => key.verify_strict(message, &signature).is_ok(),
            _ => false,
        }
    }
}

impl FromStr for PublicKey {
    type Err = Error;

    /// Parses 64 hexadecimal digits, with or without the prefix `mitt-public-key:`.
    fn from_str(text: &str) -> Result<PublicKey> {
        let text = text.trim();
        let digits = text.strip_prefix(PUBLIC).unwrap_or(text);
        let key: Option<[u8; 32]> = bytes(digits).and_then(|bytes| bytes.try_into().ok());
        // Anybody can forge signatures for a weak key.
        let is_sound =
            |key: &[u8; 32]| VerifyingKey::from_bytes(key).is_ok_and(|key| !key.is_weak());
        key.filter(is_sound).map(PublicKey).ok_or_else(|| {
            let message = if text.starts_with(PRIVATE) {
                "expected a public key, got a private one"
            } else {
                "expected a public key of 64 hexadecimal digits"
            };
            Error::new(ErrorKind::Input, message).remedy(Remedy::PublicKeyFile)
        })
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC}{}", hex(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", hex(&self.0))
    }
}

fn public_path(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".pub");
    name.into()
}

fn read_text(path: &Path) -> Result<String> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("cannot read the key {}", path.display()))
            .hint("name an existing file that you may read")
            .caused_by(error)
    };
    let content = plain_file::read(path, MAX_KEY_BYTES).map_err(unreadable)?;
    // A file that is too long or not UTF-8 is not a key.
    Ok(String::from_utf8(content).unwrap_or_default().trim().to_owned())
}

fn create(path: &Path, mode: u32, text: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(path).map_err(|error| {
        let kind = match error.kind() {
            std::io::ErrorKind::AlreadyExists => ErrorKind::Input,
            _ => ErrorKind::Host,
        };
        Error::new(kind, format!("cannot write the key {}", path.display()))
            .hint("name a file that does not exist, in a folder that you may write to")
            .caused_by(error)
    })?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(|error| {
        Error::new(ErrorKind::Host, format!("cannot write the key {}", path.display()))
            .caused_by(error)
    })
}

/// Refuses a private key that others can read.
#[cfg(unix)]
fn only_ours(path: &Path) -> Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    match std::fs::metadata(path) {
        Ok(file) if file.mode() & 0o077 != 0 => {
            let message = format!("the private key {} can be read by others", path.display());
            Err(Error::new(ErrorKind::Input, message)
                .hint("make a new one, or `chmod 600` it if nobody can have read it"))
        }
        // If it cannot be read, the caller reports that.
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn only_ours(_: &Path) -> Result<()> {
    Ok(())
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
        return None;
    }
    let pair = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_read_and_kept_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let key = PrivateKey::generate().unwrap();
        key.write(&path).unwrap();
        assert_eq!(PrivateKey::read(&path).unwrap().public(), key.public());
        let public = folder.path().join("key.pub");
        assert_eq!(PublicKey::read(&public).unwrap(), key.public());
        assert_eq!(key.public().to_string().parse::<PublicKey>().unwrap(), key.public());
        assert!(PublicKey::read(&path).unwrap_err().to_string().contains("got a private one"));
        assert!(PrivateKey::read(&public).is_err());
        assert!(key.write(&path).is_err(), "a key was overwritten");
        let secret = std::fs::read_to_string(&path).unwrap();
        let text = PrivateKey::read(Path::new(secret.trim())).unwrap_err().render();
        assert!(
            text.contains("got the key itself") && !text.contains(&secret.trim()[30..]),
            "{text}"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
            assert!(PrivateKey::read(&path).unwrap_err().to_string().contains("by others"));
        }
    }

    #[test]
    fn a_signature_is_of_one_message_and_one_key() {
        let [one, two] = [(); 2].map(|()| PrivateKey::generate().unwrap());
        let signature = one.sign(b"message");
        assert!(one.public().verifies(b"message", &signature));
        assert!(!one.public().verifies(b"another", &signature));
        assert!(!two.public().verifies(b"message", &signature));
        for wrong in ["", "0", "zz", &signature[2..], &"0".repeat(128), &"ü".repeat(64)] {
            assert!(!one.public().verifies(b"message", wrong), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        // The third is the neutral element, for which anybody can sign; the fourth is not a point on the curve.
        let neutral = format!("01{}", "0".repeat(62));
        let outside = format!("02{}", "0".repeat(62));
        for text in ["", "00", &neutral, &outside, &"é".repeat(32), &"0".repeat(66)] {
            assert!(text.parse::<PublicKey>().is_err(), "{text}");
        }
    }
}
