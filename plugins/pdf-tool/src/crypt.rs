//! The standard security handler: opens files of all its revisions, and makes files of the newest one.

use crate::error::{Error, Result, unsupported};
use crate::object::{Dict, Method, Object, Secret};
use aes::{Aes128, Aes256};
use cbc::cipher::{
    BlockModeDecrypt as _, BlockModeEncrypt as _, KeyIvInit as _, block_padding::NoPadding,
};
use md5::{Digest as _, Md5};
use sha2::{Sha256, Sha384, Sha512};
use std::rc::Rc;

const PAD: [u8; 32] = [
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08,
    0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
];
/// Longest password of revision 6.
const MAX_PASSWORD: usize = 127;

/// How a file that was opened is encrypted.
#[derive(Clone, Debug)]
pub(crate) struct Security {
    key: Vec<u8>,
    strings: Method,
    streams: Method,
    is_256: bool,
    keeps_metadata: bool,
    /// `RC4 40 bits`, `AES 128 bits` ….
    pub(crate) name: String,
    /// What the user may do, as bits of the file.
    pub(crate) permissions: i32,
    /// The password of the owner opened it, so that all is allowed.
    pub(crate) is_owner: bool,
}

/// What users of an encrypted file may do. All is `true` by default.
#[derive(Clone, Copy, Debug)]
pub struct Permissions {
    /// Print.
    pub print: bool,
    /// Change the content.
    pub modify: bool,
    /// Copy text and pictures.
    pub copy: bool,
    /// Add comments.
    pub annotate: bool,
    /// Fill forms.
    pub fill: bool,
    /// Insert, delete and turn pages.
    pub assemble: bool,
}

impl Default for Permissions {
    fn default() -> Self {
        Self { print: true, modify: true, copy: true, annotate: true, fill: true, assemble: true }
    }
}

impl Permissions {
    /// Returns the bits of the file.
    fn bits(self) -> i32 {
        let mut bits: i32 = !0b11;
        let mut deny = |is_allowed: bool, mask: i32| {
            if !is_allowed {
                bits &= !mask;
            }
        };
        deny(self.print, 1 << 2 | 1 << 11);
        deny(self.modify, 1 << 3);
        deny(self.copy, 1 << 4);
        deny(self.annotate, 1 << 5);
        deny(self.fill, 1 << 8);
        deny(self.assemble, 1 << 10);
        bits
    }

    /// Returns the names of what the bits allow and of what they deny.
    pub(crate) fn names(bits: i32) -> (Vec<&'static str>, Vec<&'static str>) {
        let all = [
            (2, "print"),
            (3, "modify"),
            (4, "copy"),
            (5, "annotate"),
            (8, "fill"),
            (10, "assemble"),
        ];
        let named = |is: bool| {
            all.iter().filter(|(bit, _)| (bits >> bit & 1 == 1) == is).map(|it| it.1).collect()
        };
        (named(true), named(false))
    }
}

fn rc4(key: &[u8], data: &[u8]) -> Vec<u8> {
    if key.is_empty() {
        return data.to_vec();
    }
    let mut state: [u8; 256] = std::array::from_fn(|it| u8::try_from(it).unwrap_or(0));
    let mut other = 0_u8;
    for at in 0..256 {
        other = other.wrapping_add(state[at]).wrapping_add(key[at % key.len()]);
        state.swap(at, usize::from(other));
    }
    let (mut first, mut second) = (0_u8, 0_u8);
    let next = |byte: &u8| {
        first = first.wrapping_add(1);
        second = second.wrapping_add(state[usize::from(first)]);
        state.swap(usize::from(first), usize::from(second));
        byte ^ state
            [usize::from(state[usize::from(first)].wrapping_add(state[usize::from(second)]))]
    };
    data.iter().map(next).collect()
}

/// Decrypts blocks without padding. `None` if the lengths do not fit.
fn cbc_decrypt(key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let mut data = data.to_vec();
    let done = match key.len() {
        16 => cbc::Decryptor::<Aes128>::new_from_slices(key, iv)
            .ok()?
            .decrypt_padded::<NoPadding>(&mut data)
            .is_ok(),
        32 => cbc::Decryptor::<Aes256>::new_from_slices(key, iv)
            .ok()?
            .decrypt_padded::<NoPadding>(&mut data)
            .is_ok(),
        _ => false,
    };
    done.then_some(data)
}

/// Encrypts whole blocks without padding.
fn cbc_encrypt(key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let mut data = data.to_vec();
    let length = data.len();
    let done = match key.len() {
        16 => cbc::Encryptor::<Aes128>::new_from_slices(key, iv)
            .ok()?
            .encrypt_padded::<NoPadding>(&mut data, length)
            .is_ok(),
        32 => cbc::Encryptor::<Aes256>::new_from_slices(key, iv)
            .ok()?
            .encrypt_padded::<NoPadding>(&mut data, length)
            .is_ok(),
        _ => false,
    };
    done.then_some(data)
}

/// Decrypts data that begins with its initial vector. Damaged data gives what can be read of it.
fn aes(key: &[u8], data: &[u8]) -> Vec<u8> {
    let Some((iv, rest)) = data.split_at_checked(16) else { return Vec::new() };
    let whole = rest.len() / 16 * 16;
    let mut plain = cbc_decrypt(key, iv, &rest[..whole]).unwrap_or_default();
    if let Some(&pad) = plain.last()
        && (1..=16).contains(&pad)
        && plain.len() >= usize::from(pad)
    {
        plain.truncate(plain.len() - usize::from(pad));
    }
    plain
}

/// Encrypts data with AES; its initial vector is in front of it.
fn seal(key: &[u8], count: u64, data: &[u8]) -> Vec<u8> {
    let iv = Sha256::new()
        .chain_update(key)
        .chain_update(count.to_le_bytes())
        .chain_update(Sha256::digest(data))
        .finalize();
    let pad = 16 - data.len() % 16;
    let mut plain = data.to_vec();
    plain.resize(data.len() + pad, u8::try_from(pad).unwrap_or(16));
    let sealed = cbc_encrypt(key, &iv[..16], &plain).unwrap_or_default();
    [&iv[..16], &sealed].concat()
}

impl Secret {
    /// Decrypts data.
    pub(crate) fn open(&self, data: &[u8]) -> Vec<u8> {
        match self.method {
            Method::None => data.to_vec(),
            Method::Rc4 => rc4(&self.key, data),
            Method::Aes => aes(&self.key, data),
        }
    }

    /// Encrypts data. `count` differs for all data of a file, so that their initial vectors do.
    pub(crate) fn seal(&self, data: &[u8], count: u64) -> Vec<u8> {
        match self.method {
            Method::None => data.to_vec(),
            Method::Rc4 => rc4(&self.key, data),
            Method::Aes => seal(&self.key, count, data),
        }
    }
}

/// The hash of revisions 5 and 6.
fn hash(revision: i64, password: &[u8], salt: &[u8], user: &[u8]) -> Vec<u8> {
    let start = [password, salt, user].concat();
    let mut key: Vec<u8> = Sha256::digest(&start).to_vec();
    if revision < 6 {
        return key;
    }
    for round in 0_u32.. {
        let block = [password, &key, user].concat().repeat(64);
        let data = cbc_encrypt(&key[..16], &key[16..32], &block).unwrap_or_default();
        let sum: u32 = data.iter().take(16).map(|it| u32::from(*it)).sum();
        key = match sum % 3 {
            0 => Sha256::digest(&data).to_vec(),
            1 => Sha384::digest(&data).to_vec(),
            _ => Sha512::digest(&data).to_vec(),
        };
        let last = u32::from(data.last().copied().unwrap_or(0));
        if round >= 63 && last + 32 <= round + 1 {
            break;
        }
    }
    key.truncate(32);
    key
}

fn padded(password: &[u8]) -> [u8; 32] {
    let mut all = password.iter().chain(&PAD);
    std::array::from_fn(|_| all.next().copied().unwrap_or(0))
}

/// Values of the dictionary `Encrypt` of older revisions.
struct Older {
    revision: i64,
    length: usize,
    owner: Vec<u8>,
    user: Vec<u8>,
    permissions: i32,
    id: Vec<u8>,
    keeps_metadata: bool,
}

impl Older {
    fn key(&self, password: &[u8]) -> Vec<u8> {
        let mut md5 = Md5::new();
        md5.update(padded(password));
        md5.update(&self.owner);
        md5.update(self.permissions.to_le_bytes());
        md5.update(&self.id);
        if self.revision >= 4 && !self.keeps_metadata {
            md5.update([0xff; 4]);
        }
        let mut key: Vec<u8> = md5.finalize().to_vec();
        if self.revision >= 3 {
            for _ in 0..50 {
                key = Md5::digest(&key[..self.length]).to_vec();
            }
        }
        key.truncate(self.length);
        key
    }

    fn opens(&self, key: &[u8]) -> bool {
        if self.revision < 3 {
            return rc4(key, &PAD) == self.user;
        }
        let mut md5 = Md5::new();
        md5.update(PAD);
        md5.update(&self.id);
        let mut check: Vec<u8> = md5.finalize().to_vec();
        for round in 0..20_u8 {
            let turned: Vec<u8> = key.iter().map(|it| it ^ round).collect();
            check = rc4(&turned, &check);
        }
        self.user.len() >= 16 && check[..16] == self.user[..16]
    }

    /// Returns the user's password that follows from the owner's.
    fn user_password(&self, owner: &[u8]) -> Vec<u8> {
        let mut key: Vec<u8> = Md5::digest(padded(owner)).to_vec();
        if self.revision >= 3 {
            for _ in 0..50 {
                key = Md5::digest(&key).to_vec();
            }
        }
        key.truncate(self.length);
        let mut password = self.owner.clone();
        let rounds: Vec<u8> = if self.revision < 3 { vec![0] } else { (0..20).rev().collect() };
        for round in rounds {
            let turned: Vec<u8> = key.iter().map(|it| it ^ round).collect();
            password = rc4(&turned, &password);
        }
        password
    }
}

impl Security {
    /// Opens a file by its dictionary `Encrypt`, whose values are direct.
    ///
    /// # Errors
    ///
    /// `unsupported` - the password is missing or wrong, or the handler is not the standard one.
    pub(crate) fn open(dict: &Dict, id: &[u8], password: Option<&str>) -> Result<Self> {
        if !dict.get("Filter").is_null() && !dict.get("Filter").is_name("Standard") {
            let name =
                String::from_utf8_lossy(dict.get("Filter").as_name().unwrap_or(b"?")).into_owned();
            return unsupported(format!(
                "the document is encrypted by `{name}`, not by a password; save a copy without protection first"
            ));
        }
        let int = |key: &str, default| dict.get(key).as_int().unwrap_or(default);
        let (version, revision) = (int("V", 0), int("R", 0));
        if !matches!(version, 1 | 2 | 4 | 5) || !(2..=6).contains(&revision) {
            return unsupported(format!(
                "encryption of version {version}, revision {revision} is not known"
            ));
        }
        let method = |key: &str| {
            if version < 4 {
                return Method::Rc4;
            }
            let name = dict.get(key).as_name().unwrap_or(b"Identity");
            let filter =
                dict.get("CF").as_dict().and_then(|it| it.find(name)).and_then(Object::as_dict);
            match filter.and_then(|it| it.get("CFM").as_name()) {
                Some(b"V2") => Method::Rc4,
                Some(b"AESV2" | b"AESV3") => Method::Aes,
                _ => Method::None,
            }
        };
        let (strings, streams) = (method("StrF"), method("StmF"));
        // The value is an unsigned number in some files.
        #[expect(clippy::cast_possible_truncation, reason = "the lower 32 bits are meant")]
        let permissions = int("P", -1) as i32;
        let keeps_metadata = dict.get("EncryptMetadata") != &Object::Bool(false);
        let bytes = |key: &str| dict.get(key).as_str().unwrap_or_default().to_vec();
        let given = password.unwrap_or_default().as_bytes();
        let wrong = || {
            Error::Unsupported(if password.is_some() {
                "the password does not open the document; ask the user for the right one".to_owned()
            } else {
                "the document is encrypted; pass its password as `password`".to_owned()
            })
        };
        if version == 5 {
            let (user, owner) = (bytes("U"), bytes("O"));
            if user.len() < 48 || owner.len() < 48 {
                return Err(Error::Malformed(
                    "the document is damaged: its encryption is cut".to_owned(),
                ));
            }
            let given = &given[..given.len().min(MAX_PASSWORD)];
            let opens = |text: &[u8], whole: &[u8]| {
                hash(revision, given, &text[32..40], whole) == text[..32]
            };
            let (entry, salt, extra, is_owner) = if opens(&owner, &user[..48]) {
                (bytes("OE"), owner[40..48].to_vec(), user[..48].to_vec(), true)
            } else if opens(&user, b"") {
                (bytes("UE"), user[40..48].to_vec(), Vec::new(), false)
            } else {
                return Err(wrong());
            };
            let middle = hash(revision, given, &salt, &extra);
            let key = cbc_decrypt(&middle, &[0; 16], entry.get(..32).unwrap_or_default())
                .filter(|it| it.len() == 32)
                .ok_or_else(wrong)?;
            let name = "AES 256 bits".to_owned();
            return Ok(Self {
                key,
                strings,
                streams,
                is_256: true,
                keeps_metadata,
                name,
                permissions,
                is_owner,
            });
        }
        let filter_bits = || {
            let filter = dict.get("CF").as_dict()?.find(dict.get("StmF").as_name()?)?.as_dict()?;
            // Some writers count bytes.
            filter.get("Length").as_int().map(|it| if it < 40 { it * 8 } else { it })
        };
        let bits = match version {
            1 => 40,
            4 => filter_bits().unwrap_or(128).max(int("Length", 128)),
            _ => int("Length", 40),
        };
        let length = usize::try_from(bits / 8).unwrap_or(5).clamp(5, 16);
        let length = if streams == Method::Aes || strings == Method::Aes { 16 } else { length };
        let owner: Vec<u8> = bytes("O").into_iter().take(32).collect();
        let older = Older {
            revision,
            length: if revision < 3 { 5 } else { length },
            owner,
            user: bytes("U").into_iter().take(32).collect(),
            permissions,
            id: id.to_vec(),
            keeps_metadata,
        };
        let mut is_owner = false;
        let mut key = older.key(given);
        if !older.opens(&key) {
            let user = older.user_password(given);
            key = older.key(&user);
            is_owner = true;
            if !older.opens(&key) {
                return Err(wrong());
            }
        } else if password.is_some() {
            is_owner = older.opens(&older.key(&older.user_password(given)));
        }
        let kind = if streams == Method::Aes { "AES" } else { "RC4" };
        let name = format!("{kind} {} bits", older.length * 8);
        Ok(Self {
            key,
            strings,
            streams,
            is_256: false,
            keeps_metadata,
            name,
            permissions,
            is_owner,
        })
    }

    fn secret(&self, number: u32, generation: u16, method: Method) -> Secret {
        if self.is_256 || method == Method::None {
            return Secret { key: self.key.clone(), method };
        }
        let mut md5 = Md5::new();
        md5.update(&self.key);
        md5.update(&number.to_le_bytes()[..3]);
        md5.update(generation.to_le_bytes());
        if method == Method::Aes {
            md5.update(b"sAlT");
        }
        let mut key: Vec<u8> = md5.finalize().to_vec();
        key.truncate((self.key.len() + 5).min(16));
        Secret { key, method }
    }

    /// Returns how strings of an object are encrypted.
    pub(crate) fn strings(&self, number: u32, generation: u16) -> Secret {
        self.secret(number, generation, self.strings)
    }

    /// Returns how the data of a stream is encrypted; `None` if it is not.
    pub(crate) fn stream(&self, dict: &Dict, number: u32, generation: u16) -> Option<Rc<Secret>> {
        let kind = dict.get("Type");
        if kind.is_name("XRef") || (kind.is_name("Metadata") && !self.keeps_metadata) {
            return None;
        }
        let first = match dict.get("Filter") {
            Object::Array(filters) => filters.first().unwrap_or(&Object::Null),
            other => other,
        };
        // The only other filter in use is `Identity`.
        if first.is_name("Crypt") || self.streams == Method::None {
            return None;
        }
        Some(Rc::new(self.secret(number, generation, self.streams)))
    }
}

/// Encrypts a file as it is written, with AES and a key of 256 bits.
pub(crate) struct Lock {
    key: Vec<u8>,
    dict: Dict,
    count: u64,
}

impl Lock {
    /// Makes the key and the dictionary `Encrypt`.
    ///
    /// There is no source of chance in the sandbox. Key, salts and initial vectors are hashes of the passwords and of the
    /// file, which an attacker cannot guess without knowing a password.
    ///
    /// # Errors
    ///
    /// `invalid-argument` - a password is too long.
    pub(crate) fn new(
        user: &str,
        owner: &str,
        permissions: Permissions,
        seed: &[u8],
    ) -> Result<Self> {
        for password in [user, owner] {
            if password.len() > MAX_PASSWORD {
                return Err(Error::Invalid(format!(
                    "expected a password of at most {MAX_PASSWORD} bytes"
                )));
            }
        }
        let root = Sha512::new()
            .chain_update(b"mitt pdf-tool")
            .chain_update((user.len() as u64).to_le_bytes())
            .chain_update(user)
            .chain_update(owner)
            .chain_update(Sha256::digest(seed))
            .finalize();
        let derive =
            |label: &str| Sha256::new().chain_update(root).chain_update(label).finalize().to_vec();
        let key = derive("key");
        let salts = derive("salts");
        let broken = || Error::Malformed("the key has a wrong length".to_owned());
        let entries = |password: &str, salts: &[u8], extra: &[u8]| -> Result<(Vec<u8>, Vec<u8>)> {
            let check = hash(6, password.as_bytes(), &salts[..8], extra);
            let middle = hash(6, password.as_bytes(), &salts[8..16], extra);
            let wrapped = cbc_encrypt(&middle, &[0; 16], &key).ok_or_else(broken)?;
            Ok(([&check, &salts[..16]].concat(), wrapped))
        };
        let (user_hash, user_key) = entries(user, &salts[..16], b"")?;
        let (owner_hash, owner_key) = entries(owner, &salts[16..], &user_hash)?;
        let bits = permissions.bits();
        let mut perms = bits.to_le_bytes().to_vec();
        perms.extend([0xff; 4]);
        perms.extend(b"Tadb");
        perms.extend(&derive("perms")[..4]);
        // One block of CBC with an empty vector is that of ECB.
        let perms = cbc_encrypt(&key, &[0; 16], &perms).ok_or_else(broken)?;
        let filter = Dict::new()
            .with("CFM", Object::name("AESV3"))
            .with("AuthEvent", Object::name("DocOpen"))
            .with("Length", 32_i64);
        let dict = Dict::new()
            .with("Filter", Object::name("Standard"))
            .with("V", 5_i64)
            .with("R", 6_i64)
            .with("Length", 256_i64)
            .with("P", i64::from(bits))
            .with("EncryptMetadata", true)
            .with("CF", Dict::new().with("StdCF", filter))
            .with("StmF", Object::name("StdCF"))
            .with("StrF", Object::name("StdCF"))
            .with("O", Object::Str(owner_hash))
            .with("U", Object::Str(user_hash))
            .with("OE", Object::Str(owner_key))
            .with("UE", Object::Str(user_key))
            .with("Perms", Object::Str(perms));
        Ok(Self { key, dict, count: 0 })
    }

    pub(crate) fn dict(&self) -> &Dict {
        &self.dict
    }

    /// Encrypts a string or the data of a stream.
    pub(crate) fn seal(&mut self, data: &[u8]) -> Vec<u8> {
        self.count += 1;
        seal(&self.key, self.count, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_again() {
        for (method, length) in
            [(Method::Rc4, 5), (Method::Rc4, 16), (Method::Aes, 16), (Method::Aes, 32)]
        {
            let secret = Secret { key: vec![7; length], method };
            for text in [&b""[..], b"sixteen letters.", b"some text"] {
                let sealed = secret.seal(text, 1);
                assert!(sealed != text || text.is_empty());
                assert_eq!(secret.open(&sealed), text);
            }
            assert!(method == Method::Rc4 || secret.seal(b"a", 1) != secret.seal(b"a", 2));
        }
    }
}
