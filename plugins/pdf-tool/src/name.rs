//! Bytes of names and of keys of dictionaries.

use std::fmt;
use std::ops::Deref;

/// Longest name that needs no memory of its own.
const SHORT: usize = 14;

/// The bytes of a name. Most are short, and a document has a million of them.
#[derive(Clone)]
pub(crate) struct Name(Bytes);

#[derive(Clone)]
enum Bytes {
    Short(u8, [u8; SHORT]),
    Long(Box<[u8]>),
}

impl Deref for Name {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Short(length, bytes) => &bytes[..usize::from(*length).min(SHORT)],
            Bytes::Long(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for Name {
    fn from(bytes: &[u8]) -> Self {
        match u8::try_from(bytes.len()) {
            Ok(length) if bytes.len() <= SHORT => {
                let mut short = [0; SHORT];
                short[..bytes.len()].copy_from_slice(bytes);
                Self(Bytes::Short(length, short))
            }
            _ => Self(Bytes::Long(bytes.into())),
        }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(self), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_names_keep_their_bytes() {
        for text in ["", "Type", "FourteenBytes.", "More than fourteen bytes"] {
            let name = Name::from(text.as_bytes());
            assert_eq!(&*name, text.as_bytes());
            assert_eq!(name, name.clone());
            assert_eq!(format!("{name:?}"), format!("{text:?}"));
        }
    }
}
