//! RC4 with keys that are derived from the password, one for each block of a document.

use md5::{Digest as _, Md5};
use rc4::{KeyInit as _, Rc4, StreamCipher as _};

use super::{u16_at, u32_at};
use crate::crypt::{Hash, fitted};
use crate::{damaged, unknown, wrong_password};
use mitt_reader_kit::Error;

/// Bytes of the hash that are in every key of Office 97.
const SHORT: usize = 5;
/// Identifiers of ciphers and hashes.
const RC4: u32 = 0x6801;
const SHA1: u32 = 0x8004;

/// The source of the keys of a document.
pub(super) enum Key {
    /// Office 97 and 2000.
    Short { base: [u8; SHORT] },
    /// Office XP and 2003, with the CryptoAPI of Windows.
    Long { base: Vec<u8>, bytes: usize },
}

impl Key {
    /// Returns the key for an encryption description, which begins with its version.
    ///
    /// # Errors
    /// The password is wrong.
    pub(super) fn of(description: &[u8], units: &[u16]) -> Result<Key, Error> {
        let password: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let version = (u16_at(description, 0)?, u16_at(description, 2)?);
        let part = |from: usize, length: usize| {
            let end = from.checked_add(length);
            end.and_then(|end| description.get(from..end)).ok_or_else(|| damaged("it is cut short"))
        };
        match version {
            (1, 1) => {
                let key = Key::short(&password, part(4, 16)?);
                key.check(part(20, 16)?, part(36, 16)?, |verifier| md5(&[verifier]).to_vec())?;
                Ok(key)
            }
            (2..=4, 2) => {
                let header_bytes = u32_at(description, 8)? as usize;
                let header = part(12, header_bytes)?;
                let (cipher, hash) = (u32_at(header, 8)?, u32_at(header, 12)?);
                if !matches!(cipher, 0 | RC4) || !matches!(hash, 0 | SHA1) {
                    return Err(unknown(&format!("cipher {cipher:#x}, hash {hash:#x}")));
                }
                // 0 means the default of Office 97.
                let bits = match u32_at(header, 16)? {
                    0 => 40,
                    bits @ 40..=128 if bits % 8 == 0 => bits,
                    bits => return Err(unknown(&format!("a key of {bits} bits"))),
                };
                let at = 12 + header_bytes;
                let base = Hash::Sha1.of(&[part(at + 4, 16)?, &password]);
                let key = Key::Long { base, bytes: bits as usize / 8 };
                key.check(part(at + 20, 16)?, part(at + 40, 20)?, |it| Hash::Sha1.of(&[it]))?;
                Ok(key)
            }
            (major, minor) => Err(unknown(&format!("version {major}.{minor}"))),
        }
    }

    fn short(password: &[u8], salt: &[u8]) -> Key {
        let hash = md5(&[password]);
        let mut all = Vec::new();
        for _ in 0..16 {
            all.extend(&hash[..SHORT]);
            all.extend(salt);
        }
        let mut base = [0; SHORT];
        base.copy_from_slice(&md5(&[&all])[..SHORT]);
        Key::Short { base }
    }

    /// Checks that the verifier and its hash, encrypted in sequence, match with the key.
    fn check(
        &self,
        verifier: &[u8],
        hash: &[u8],
        of: impl Fn(&[u8]) -> Vec<u8>,
    ) -> Result<(), Error> {
        let mut both = [verifier, hash].concat();
        self.apply(0, &mut both)?;
        let (verifier, hash) = both.split_at(verifier.len());
        if of(verifier) == hash { Ok(()) } else { Err(wrong_password()) }
    }

    /// Decrypts one block.
    pub(super) fn apply(&self, piece: u32, bytes: &mut [u8]) -> Result<(), Error> {
        let number = piece.to_le_bytes();
        let key = match self {
            Key::Short { base } => md5(&[base, &number]).to_vec(),
            Key::Long { base, bytes } => {
                let hash = Hash::Sha1.of(&[base, &number]);
                let mut key = fitted(&hash, *bytes);
                // A key of 40 bits is padded with zeros to 128 bits.
                if *bytes == SHORT {
                    key.resize(16, 0);
                }
                key
            }
        };
        let mut cipher = Rc4::new_from_slice(&key).map_err(damaged)?;
        cipher.apply_keystream(bytes);
        Ok(())
    }

    /// Decrypts a stream in blocks of a length.
    pub(super) fn apply_in_pieces(&self, length: usize, bytes: &mut [u8]) -> Result<(), Error> {
        for (piece, number) in bytes.chunks_mut(length).zip(0_u32..) {
            self.apply(number, piece)?;
        }
        Ok(())
    }
}

fn md5(parts: &[&[u8]]) -> [u8; 16] {
    let mut digest = Md5::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize().into()
}
