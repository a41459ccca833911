//! Hashes by name, and AES on whole blocks.

use aes::cipher::{Array, BlockCipherDecrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::{damaged, unknown};
use mitt_reader_kit::Error;

/// Bytes of an AES block.
pub(crate) const BLOCK: usize = 16;

/// Most hash iterations of a password, as in the standard.
pub(crate) const MAX_SPINS: u32 = 10_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    pub(crate) fn named(name: &str) -> Result<Hash, Error> {
        match name {
            "SHA1" | "SHA-1" => Ok(Hash::Sha1),
            "SHA256" | "SHA-256" => Ok(Hash::Sha256),
            "SHA384" | "SHA-384" => Ok(Hash::Sha384),
            "SHA512" | "SHA-512" => Ok(Hash::Sha512),
            other => Err(unknown(&format!("hash {other}"))),
        }
    }

    /// Returns the hash of all parts in sequence.
    pub(crate) fn of(self, parts: &[&[u8]]) -> Vec<u8> {
        fn of<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
            let mut digest = D::new();
            parts.iter().for_each(|part| digest.update(part));
            digest.finalize().to_vec()
        }
        match self {
            Hash::Sha1 => of::<Sha1>(parts),
            Hash::Sha256 => of::<Sha256>(parts),
            Hash::Sha384 => of::<Sha384>(parts),
            Hash::Sha512 => of::<Sha512>(parts),
        }
    }

    /// Returns the hash of a password after many iterations, which slow guessing.
    pub(crate) fn spun(self, salt: &[u8], password: &[u8], spins: u32) -> Vec<u8> {
        let mut hash = self.of(&[salt, password]);
        for round in 0..spins {
            hash = self.of(&[&round.to_le_bytes(), &hash]);
        }
        hash
    }

    /// Returns `true` if `seal` is the HMAC of `bytes` with `key`.
    pub(crate) fn is_sealed(self, key: &[u8], bytes: &[u8], seal: &[u8]) -> bool {
        macro_rules! verified {
            ($digest:ty) => {{
                let Ok(mut mac) = <Hmac<$digest> as KeyInit>::new_from_slice(key) else {
                    return false;
                };
                mac.update(bytes);
                mac.verify_truncated_left(seal).is_ok()
            }};
        }
        match self {
            Hash::Sha1 => verified!(Sha1),
            Hash::Sha256 => verified!(Sha256),
            Hash::Sha384 => verified!(Sha384),
            Hash::Sha512 => verified!(Sha512),
        }
    }
}

/// AES with a key of 16, 24 or 32 bytes.
pub(crate) enum Aes {
    Short(Box<Aes128>),
    Middle(Box<Aes192>),
    Long(Box<Aes256>),
}

impl Aes {
    pub(crate) fn new(key: &[u8]) -> Result<Aes, Error> {
        let wrong = |_| unknown(&format!("a key of {} bits", 8 * key.len()));
        match key.len() {
            16 => Aes128::new_from_slice(key).map(|it| Aes::Short(Box::new(it))).map_err(wrong),
            24 => Aes192::new_from_slice(key).map(|it| Aes::Middle(Box::new(it))).map_err(wrong),
            _ => Aes256::new_from_slice(key).map(|it| Aes::Long(Box::new(it))).map_err(wrong),
        }
    }

    fn block(&self, block: &[u8; BLOCK]) -> [u8; BLOCK] {
        let mut block = Array::from(*block);
        match self {
            Aes::Short(aes) => aes.decrypt_block(&mut block),
            Aes::Middle(aes) => aes.decrypt_block(&mut block),
            Aes::Long(aes) => aes.decrypt_block(&mut block),
        }
        block.into()
    }

    /// Decrypts in ECB mode.
    pub(crate) fn single(&self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        if !rest.is_empty() {
            return Err(damaged("it is no whole number of blocks"));
        }
        Ok(blocks.iter().flat_map(|block| self.block(block)).collect())
    }

    /// Decrypts in CBC mode; `first` is the initialisation vector. An incomplete block at the end is dropped.
    pub(crate) fn chained(&self, first: [u8; BLOCK], bytes: &[u8]) -> Vec<u8> {
        let (blocks, _) = bytes.as_chunks::<BLOCK>();
        let mut before = first;
        let mut clear = Vec::with_capacity(bytes.len());
        for block in blocks {
            clear.extend(self.block(block).iter().zip(before).map(|(byte, before)| byte ^ before));
            before = *block;
        }
        clear
    }
}

/// Returns `bytes` truncated or padded to a length.
pub(crate) fn fitted(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes.iter().copied().chain(std::iter::repeat(0x36)).take(length).collect()
}

/// Returns `bytes` as an initialisation vector.
pub(crate) fn first_block(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [0x36; BLOCK];
    block.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    block
}
