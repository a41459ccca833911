//! Agile encryption of Office 2010 and later: a document key, stored encrypted in the description, decrypts segments of 4
//! 096 bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::crypt::{Aes, Hash, MAX_SPINS, first_block, fitted};
use crate::{damaged, length_and_rest, unknown, wrong_password};
use mitt_reader_kit::Error;

/// Bytes of a segment, each of which has its own initialisation vector.
const PIECE: usize = 4096;

/// Block keys of the standard, one for each purpose.
const FOR_VERIFIER: [u8; 8] = [0xfe, 0xa7, 0xd2, 0x76, 0x3b, 0x4b, 0x9e, 0x79];
const FOR_VERIFIER_HASH: [u8; 8] = [0xd7, 0xaa, 0x0f, 0x6d, 0x30, 0x61, 0x34, 0x4e];
const FOR_KEY: [u8; 8] = [0x14, 0x6e, 0x0b, 0xe7, 0xab, 0xac, 0xd0, 0xd6];
const FOR_SEAL_KEY: [u8; 8] = [0x5f, 0xb2, 0xad, 0x01, 0x0c, 0xb9, 0xe1, 0xf6];
const FOR_SEAL: [u8; 8] = [0xa0, 0x67, 0x7f, 0x02, 0xb2, 0x2c, 0x84, 0x33];

/// The salt, hash and key length of one use.
struct KeyParameters {
    salt: Vec<u8>,
    hash: Hash,
    hash_bytes: usize,
    key_bytes: usize,
}

pub(crate) struct Agile {
    of_document: KeyParameters,
    of_password: KeyParameters,
    spins: u32,
    verifier: Vec<u8>,
    verifier_hash: Vec<u8>,
    key: Vec<u8>,
    seal: Option<(Vec<u8>, Vec<u8>)>,
}

impl Agile {
    pub(crate) fn parse(xml: &[u8]) -> Result<Agile, Error> {
        let mut reader = Reader::from_reader(xml);
        let (mut of_document, mut seal, mut encrypted) = (None, None, None);
        loop {
            match reader.read_event().map_err(damaged)? {
                Event::Start(element) | Event::Empty(element) => {
                    match element.local_name().as_ref() {
                        "keyData" => of_document = Some(KeyParameters::of(&element)?),
                        "dataIntegrity" => {
                            let parts = (
                                bytes(&element, "encryptedHmacKey")?,
                                bytes(&element, "encryptedHmacValue")?,
                            );
                            seal = Some(parts);
                        }
                        // Other key encryptors use certificates.
                        "encryptedKey"
                            if attribute(&element, "spinCount")?.is_some()
                                && encrypted.is_none() =>
                        {
                            encrypted = Some((
                                KeyParameters::of(&element)?,
                                number(&element, "spinCount")?,
                                bytes(&element, "encryptedVerifierHashInput")?,
                                bytes(&element, "encryptedVerifierHashValue")?,
                                bytes(&element, "encryptedKeyValue")?,
                            ));
                        }
                        _ => {}
                    }
                }
                Event::Eof => break,
                _ => {}
            }
        }
        let of_document =
            of_document.ok_or_else(|| damaged("it does not say how it is encrypted"))?;
        let (of_password, spins, verifier, verifier_hash, key) =
            encrypted.ok_or_else(|| unknown("it takes no password, only a certificate"))?;
        if spins > MAX_SPINS {
            return Err(damaged(format!(
                "it wants a password spun {spins} times, and at most {MAX_SPINS} are allowed"
            )));
        }
        Ok(Agile { of_document, of_password, spins, verifier, verifier_hash, key, seal })
    }

    /// Returns the document, and `true` if its integrity check succeeds.
    pub(crate) fn decrypt(
        &self,
        password: &[u8],
        package: &[u8],
    ) -> Result<(Vec<u8>, bool), Error> {
        let way = &self.of_password;
        let spun = way.hash.spun(&way.salt, password, self.spins);
        let opened = |purpose: &[u8], encrypted: &[u8]| -> Result<Vec<u8>, Error> {
            let key = fitted(&way.hash.of(&[&spun, purpose]), way.key_bytes);
            Ok(Aes::new(&key)?.chained(first_block(&way.salt), encrypted))
        };
        let expected = way.hash.of(&[&opened(&FOR_VERIFIER, &self.verifier)?]);
        if !opened(&FOR_VERIFIER_HASH, &self.verifier_hash)?.starts_with(&expected) {
            return Err(wrong_password());
        }
        let key = opened(&FOR_KEY, &self.key)?;
        let aes = Aes::new(
            key.get(..self.of_document.key_bytes).ok_or_else(|| damaged("its key is cut short"))?,
        )?;
        let way = &self.of_document;
        let chained = |purpose: &[u8], encrypted: &[u8]| {
            aes.chained(first_block(&way.hash.of(&[&way.salt, purpose])), encrypted)
        };
        let is_sealed = self.seal.as_ref().is_none_or(|(seal_key, seal)| {
            let cut = |mut bytes: Vec<u8>| {
                bytes.truncate(way.hash_bytes);
                bytes
            };
            let seal = cut(chained(&FOR_SEAL, seal));
            !seal.is_empty()
                && way.hash.is_sealed(&cut(chained(&FOR_SEAL_KEY, seal_key)), package, &seal)
        });
        let (length, rest) = length_and_rest(package)?;
        let mut clear = Vec::with_capacity(rest.len());
        for (piece, number) in rest.chunks(PIECE).zip(0u32..) {
            clear.extend(chained(&number.to_le_bytes(), piece));
        }
        if clear.len() < length {
            return Err(damaged("the document is cut short"));
        }
        clear.truncate(length);
        Ok((clear, is_sealed))
    }
}

impl KeyParameters {
    fn of(element: &BytesStart<'_>) -> Result<KeyParameters, Error> {
        let text = |name| Ok(attribute(element, name)?.unwrap_or_default());
        let (cipher, chaining) = (text("cipherAlgorithm")?, text("cipherChaining")?);
        if cipher != "AES" || chaining != "ChainingModeCBC" || number(element, "blockSize")? != 16 {
            return Err(unknown(&format!("{cipher}, {chaining}")));
        }
        let key_bits = number(element, "keyBits")?;
        if !matches!(key_bits, 128 | 192 | 256) {
            return Err(unknown(&format!("a key of {key_bits} bits")));
        }
        Ok(KeyParameters {
            salt: bytes(element, "saltValue")?,
            hash: Hash::named(&text("hashAlgorithm")?)?,
            hash_bytes: number(element, "hashSize")? as usize,
            key_bytes: key_bits as usize / 8,
        })
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, Error> {
    let found = element.try_get_attribute(name).map_err(damaged)?;
    Ok(found.map(|it| it.value.into_owned()))
}

fn number(element: &BytesStart<'_>, name: &str) -> Result<u32, Error> {
    let text = attribute(element, name)?.unwrap_or_default();
    text.parse().map_err(|_| damaged(format!("{name} is no number")))
}

fn bytes(element: &BytesStart<'_>, name: &str) -> Result<Vec<u8>, Error> {
    let text = attribute(element, name)?.unwrap_or_default();
    STANDARD.decode(text.trim()).map_err(|_| damaged(format!("{name} is no base64")))
}
