//! Standard encryption of Office 2007: AES in ECB mode, with a key from 50 000 hash iterations.

use crate::crypt::{Aes, Hash};
use crate::{damaged, length_and_rest, unknown, wrong_password};
use mitt_reader_kit::Error;

const SPINS: u32 = 50_000;
/// Identifiers of ciphers.
const AES: [u32; 3] = [0x660E, 0x660F, 0x6610];

pub(crate) struct Standard {
    key_bytes: usize,
    salt: Vec<u8>,
    /// The encrypted verifier and its encrypted hash, which match for the right password.
    verifier: Vec<u8>,
    verifier_hash: Vec<u8>,
}

impl Standard {
    /// Parses a description. `info` begins after the version and its flags.
    pub(crate) fn parse(info: &[u8]) -> Result<Standard, Error> {
        let cut = || damaged("its description is cut short");
        let number = |bytes: &[u8], at: usize| {
            let four = bytes.get(at..)?.first_chunk::<4>()?;
            Some(u32::from_le_bytes(*four))
        };
        let header_bytes = number(info, 0).ok_or_else(cut)? as usize;
        let header = info.get(4..).and_then(|it| it.get(..header_bytes)).ok_or_else(cut)?;
        let algorithm = number(header, 8).ok_or_else(cut)?;
        let key_bits = number(header, 16).ok_or_else(cut)?;
        if !AES.contains(&algorithm) && algorithm != 0 {
            return Err(unknown(&format!("cipher {algorithm:#x}")));
        }
        if !matches!(key_bits, 128 | 192 | 256) {
            return Err(unknown(&format!("a key of {key_bits} bits")));
        }
        let verifier = &info[4 + header_bytes..];
        let part =
            |from: usize, to: usize| verifier.get(from..to).map(<[u8]>::to_vec).ok_or_else(cut);
        Ok(Standard {
            key_bytes: key_bits as usize / 8,
            salt: part(4, 20)?,
            verifier: part(20, 36)?,
            verifier_hash: part(40, 72)?,
        })
    }

    pub(crate) fn decrypt(&self, password: &[u8], package: &[u8]) -> Result<Vec<u8>, Error> {
        const HASH: Hash = Hash::Sha1;
        let spun = HASH.spun(&self.salt, password, SPINS);
        let spun = HASH.of(&[&spun, &0u32.to_le_bytes()]);
        let half = |pad: u8| {
            let mut mask = [pad; 64];
            mask.iter_mut().zip(&spun).for_each(|(mask, byte)| *mask ^= byte);
            HASH.of(&[&mask])
        };
        let mut key = half(0x36);
        key.extend(half(0x5C));
        let aes = Aes::new(&key[..self.key_bytes])?;
        let expected = HASH.of(&[&aes.single(&self.verifier)?]);
        if !aes.single(&self.verifier_hash)?.starts_with(&expected) {
            return Err(wrong_password());
        }
        let (length, rest) = length_and_rest(package)?;
        // Some programs write a few bytes after the last block.
        let mut clear = aes.single(&rest[..rest.len() / 16 * 16])?;
        if clear.len() < length {
            return Err(damaged("the document is cut short"));
        }
        clear.truncate(length);
        Ok(clear)
    }
}
