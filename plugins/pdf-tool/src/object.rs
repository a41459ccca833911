//! Values of a PDF file.
//!
//! A reference is the number of an object. Generations matter only where a file is decrypted, and are not kept.

use crate::name::Name;
use std::rc::Rc;

/// How hard new data is deflated. The next level takes half as long again, for two percent less.
const LEVEL: u8 = 5;

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Object {
    /// Nothing; also what a missing object is.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number.
    Real(f64),
    /// A name without its slash, decoded.
    Name(Name),
    /// A string, decoded and decrypted.
    Str(Vec<u8>),
    /// A list.
    Array(Vec<Object>),
    /// A dictionary.
    Dict(Dict),
    /// A stream; always an object of its own.
    Stream(Box<Stream>),
    /// A reference to the object with this number.
    Ref(u32),
}

/// A dictionary in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dict(Vec<(Name, Object)>);

/// A dictionary with data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stream {
    /// Its entries. `Length` is written anew.
    pub(crate) dict: Dict,
    /// Its bytes, encoded as `Filter` says.
    pub(crate) data: Data,
}

/// Bytes of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    /// A part of the file that was read.
    Source {
        /// The file.
        file: Rc<Vec<u8>>,
        /// Where the data begins.
        start: usize,
        /// Where it ends.
        end: usize,
        /// How it is decrypted.
        secret: Option<Rc<Secret>>,
    },
    /// New data.
    Owned(Rc<Vec<u8>>),
}

/// How the data of a stream is encrypted.
#[derive(Debug, PartialEq)]
pub(crate) struct Secret {
    /// Key of the object.
    pub(crate) key: Vec<u8>,
    /// Its method.
    pub(crate) method: Method,
}

/// A method of encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Not encrypted.
    None,
    /// RC4.
    Rc4,
    /// AES in CBC mode; the key says which.
    Aes,
}

impl Dict {
    /// Returns an empty dictionary.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Returns a value; null if there is none. Of two of the same name the last one counts.
    pub(crate) fn get(&self, key: &str) -> &Object {
        self.find(key.as_bytes()).unwrap_or(&Object::Null)
    }

    /// Returns a value if there is one.
    pub(crate) fn find(&self, key: &[u8]) -> Option<&Object> {
        self.0.iter().rev().find(|(name, _)| **name == *key).map(|(_, value)| value)
    }

    /// Returns a value that can be changed.
    pub(crate) fn get_mut(&mut self, key: &[u8]) -> Option<&mut Object> {
        self.0.iter_mut().rev().find(|(name, _)| **name == *key).map(|(_, value)| value)
    }

    /// Returns `true` if there is a value.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.find(key.as_bytes()).is_some()
    }

    /// Sets a value.
    pub(crate) fn set(&mut self, key: impl AsRef<[u8]>, value: impl Into<Object>) {
        let value = value.into();
        match self.get_mut(key.as_ref()) {
            Some(old) => *old = value,
            None => self.0.push((Name::from(key.as_ref()), value)),
        }
    }

    /// Sets a value and returns the dictionary.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Object>) -> Self {
        self.set(key, value);
        self
    }

    /// Removes a value and returns it.
    pub(crate) fn remove(&mut self, key: impl AsRef<[u8]>) -> Option<Object> {
        let mut last = None;
        self.0.retain_mut(|(name, value)| {
            let is_it = **name == *key.as_ref();
            if is_it {
                last = Some(std::mem::take(value));
            }
            !is_it
        });
        last
    }

    /// Adds an entry without looking for another one of the same name.
    pub(crate) fn push(&mut self, key: &[u8], value: Object) {
        self.0.push((Name::from(key), value));
    }

    /// Returns the entries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Object)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Returns the entries, whose values can be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&[u8], &mut Object)> {
        self.0.iter_mut().map(|(name, value)| (&**name, value))
    }

    /// Keeps entries.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&[u8], &Object) -> bool) {
        self.0.retain(|(name, value)| keep(name, value));
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are no entries.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Object {
    /// Returns a name.
    pub(crate) fn name(text: &str) -> Self {
        Self::Name(Name::from(text.as_bytes()))
    }

    /// Returns a text string: PDFDocEncoding if it is ASCII, otherwise UTF-16.
    pub(crate) fn text(text: &str) -> Self {
        if text.bytes().all(|it| (0x20..0x7f).contains(&it) || matches!(it, b'\n' | b'\r' | b'\t'))
        {
            return Self::Str(text.as_bytes().to_vec());
        }
        let mut bytes = vec![0xfe, 0xff];
        bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        Self::Str(bytes)
    }

    /// Returns a list of numbers.
    pub(crate) fn numbers(numbers: &[f64]) -> Self {
        Self::Array(numbers.iter().map(|it| Self::number(*it)).collect())
    }

    /// Returns a number, as a whole one if it is.
    pub(crate) fn number(number: f64) -> Self {
        if number.fract() == 0.0 && number.abs() < 1e9 {
            // The range is checked.
            #[expect(clippy::cast_possible_truncation, reason = "in range")]
            Self::Int(number as i64)
        } else {
            Self::Real(number)
        }
    }

    /// Returns the number of the object that is referred to.
    pub(crate) fn as_ref(&self) -> Option<u32> {
        if let Self::Ref(number) = self { Some(*number) } else { None }
    }

    /// Returns a whole number; a real one is cut.
    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            #[expect(clippy::cast_possible_truncation, reason = "in range")]
            Self::Real(number) if number.abs() < 1e15 => Some(*number as i64),
            _ => None,
        }
    }

    /// Returns a number.
    pub(crate) fn as_f64(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "coordinates are small")]
            Self::Int(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the bytes of a name.
    pub(crate) fn as_name(&self) -> Option<&[u8]> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }

    /// Returns `true` if this is the name.
    pub(crate) fn is_name(&self, name: &str) -> bool {
        self.as_name() == Some(name.as_bytes())
    }

    /// Returns the bytes of a string.
    pub(crate) fn as_str(&self) -> Option<&[u8]> {
        if let Self::Str(bytes) = self { Some(bytes) } else { None }
    }

    /// Returns the bytes of a string or a name.
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        self.as_str().or(self.as_name())
    }

    /// Returns the values of a list.
    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(values) = self { Some(values) } else { None }
    }

    /// Returns a dictionary, also that of a stream.
    pub(crate) fn as_dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            Self::Stream(stream) => Some(&stream.dict),
            _ => None,
        }
    }

    /// Returns a dictionary that can be changed, also that of a stream.
    pub(crate) fn as_dict_mut(&mut self) -> Option<&mut Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            Self::Stream(stream) => Some(&mut stream.dict),
            _ => None,
        }
    }

    /// Returns a stream.
    pub(crate) fn as_stream(&self) -> Option<&Stream> {
        if let Self::Stream(stream) = self { Some(stream) } else { None }
    }

    /// Returns `true` if it is null.
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl Stream {
    /// Returns a stream of new data without a filter.
    pub(crate) fn new(dict: Dict, data: Vec<u8>) -> Self {
        let mut dict = dict;
        dict.remove("Filter");
        dict.remove("DecodeParms");
        Self { dict, data: Data::Owned(Rc::new(data)) }
    }

    /// Returns a stream whose data is deflated here.
    pub(crate) fn deflated(dict: Dict, data: &[u8]) -> Self {
        let mut stream = Self::new(dict, miniz_oxide::deflate::compress_to_vec_zlib(data, LEVEL));
        stream.dict.set("Filter", Object::name("FlateDecode"));
        stream
    }
}

impl From<Dict> for Object {
    fn from(dict: Dict) -> Self {
        Self::Dict(dict)
    }
}

impl From<Stream> for Object {
    fn from(stream: Stream) -> Self {
        Self::Stream(Box::new(stream))
    }
}

impl From<Vec<Object>> for Object {
    fn from(values: Vec<Object>) -> Self {
        Self::Array(values)
    }
}

impl From<i64> for Object {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<f64> for Object {
    fn from(number: f64) -> Self {
        Self::number(number)
    }
}

impl From<bool> for Object {
    fn from(is: bool) -> Self {
        Self::Bool(is)
    }
}
