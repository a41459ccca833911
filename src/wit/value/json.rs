//! JSON as it was written: with the order of keys, the digits of numbers, and no duplicate keys.
//!
//! Knows no types of WIT. `serde_json` is not used for parsing, because it drops duplicate keys and rounds numbers.

use super::number::Number;
use super::path::Path;
use jiter::{Jiter, JiterError, JiterErrorType, JsonErrorType, Peek};
use mitt_base::error::{Error, ErrorKind, Resource, Result};

/// A JSON value that keeps the order of keys and the digits of numbers.
///
/// `Display` writes compact JSON; the alternate form (`{:#}`) is indented. Equality compares what is written: the order of
/// keys counts, and `1.0` is not `1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Json {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object. A parsed object has no duplicate keys.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Most levels that any setting allows. Parsing and checking are recursive, and the stack is finite.
    pub const MAX_DEPTH: u64 = 200;

    /// Parses `text`, which must be exactly one JSON value: at most `max_bytes` long, which is checked before anything is
    /// parsed, and at most `max_depth` arrays and objects deep (never more than [`Json::MAX_DEPTH`]).
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Limit`] - the text is too long or too deep.
    /// - [`ErrorKind::Arguments`] - it is not JSON, with line and column, or has a duplicate key, with a JSON pointer.
    pub fn parse(text: impl AsRef<[u8]>, max_bytes: u64, max_depth: u64) -> Result<Json> {
        let text = text.as_ref();
        let size = text.len() as u64;
        if size > max_bytes {
            return Err(Error::limit(Resource::Arguments, max_bytes, size));
        }
        let depth = max_depth.min(Json::MAX_DEPTH);
        let mut parser = Parser { jiter: Jiter::new(text), depth };
        parser.document().map_err(|fault| match fault {
            Fault::Syntax(error) => syntax_error(text, &error),
            Fault::Depth => Error::limit(Resource::ArgumentsDepth, depth, depth + 1),
            Fault::Duplicate(pointer) => {
                Error::new(ErrorKind::Arguments, format!("{pointer}: the key appears twice"))
                    .kept_as("a key appears twice")
            }
        })
    }

    /// Makes an object of these entries.
    pub fn object<K: Into<String>>(entries: impl IntoIterator<Item = (K, Json)>) -> Json {
        Json::Object(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// Returns the member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(entries) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns its JSON type.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Json {
        Json::String(value.to_owned())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Json {
        Json::String(value)
    }
}

impl From<Vec<Json>> for Json {
    fn from(values: Vec<Json>) -> Json {
        Json::Array(values)
    }
}

macro_rules! from_integer {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Json {
            fn from(value: $integer) -> Json {
                Json::Number(value.into())
            }
        }
    )*};
}
from_integer!(u8 u16 u32 u64 usize i8 i16 i32 i64);

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Json {
        match value {
            serde_json::Value::Null => Json::Null,
            serde_json::Value::Bool(value) => Json::Bool(value),
            // It is always a number in JSON's grammar; `serde_json` itself writes null for one that is not.
            serde_json::Value::Number(number) => {
                Number::parse(number.to_string()).map_or(Json::Null, Json::Number)
            }
            serde_json::Value::String(text) => Json::String(text),
            serde_json::Value::Array(items) => {
                Json::Array(items.into_iter().map(Json::from).collect())
            }
            serde_json::Value::Object(entries) => {
                Json::object(entries.into_iter().map(|(key, value)| (key, value.into())))
            }
        }
    }
}

/// A number becomes a string if neither a 64-bit integer nor an `f64` can hold all of its digits.
impl From<Json> for serde_json::Value {
    fn from(json: Json) -> serde_json::Value {
        match json {
            Json::Null => serde_json::Value::Null,
            Json::Bool(value) => value.into(),
            Json::Number(number) => {
                if let Ok(value) = number.as_str().parse::<i64>() {
                    value.into()
                } else if let Ok(value) = number.as_str().parse::<u64>() {
                    value.into()
                } else if let Some(value) = number.as_exact_f64() {
                    value.into()
                } else {
                    number.into_string().into()
                }
            }
            Json::String(text) => text.into(),
            Json::Array(items) => items.into_iter().map(serde_json::Value::from).collect(),
            Json::Object(entries) => entries
                .into_iter()
                .map(|(key, value)| (key, serde_json::Value::from(value)))
                .collect(),
        }
    }
}

struct Parser<'j> {
    jiter: Jiter<'j>,
    depth: u64,
}

enum Fault {
    Syntax(Box<JiterError>),
    Depth,
    Duplicate(String),
}

impl From<JiterError> for Fault {
    #[cold]
    fn from(error: JiterError) -> Fault {
        Fault::Syntax(Box::new(error))
    }
}

impl Parser<'_> {
    fn document(&mut self) -> Result<Json, Fault> {
        let peek = self.jiter.peek()?;
        let json = self.value(peek, 0, &Path::root(""))?;
        self.jiter.finish()?;
        Ok(json)
    }

    fn value(&mut self, peek: Peek, depth: u64, at: &Path<'_>) -> Result<Json, Fault> {
        match peek {
            Peek::Null => {
                self.jiter.known_null()?;
                Ok(Json::Null)
            }
            Peek::True | Peek::False => Ok(Json::Bool(self.jiter.known_bool(peek)?)),
            Peek::String => Ok(Json::String(self.jiter.known_str()?.to_owned())),
            Peek::Array => self.array(depth, at),
            Peek::Object => self.object(depth, at),
            _ => {
                // Every digit of a number is ASCII, so the lossy conversion never replaces anything.
                let lexeme =
                    String::from_utf8_lossy(self.jiter.known_number_bytes(peek)?).into_owned();
                let index = self.jiter.current_index();
                Number::parse(lexeme).map(Json::Number).ok_or_else(|| {
                    let error_type = JiterErrorType::JsonError(JsonErrorType::InvalidNumber);
                    JiterError { error_type, index }.into()
                })
            }
        }
    }

    fn array(&mut self, depth: u64, at: &Path<'_>) -> Result<Json, Fault> {
        if depth >= self.depth {
            return Err(Fault::Depth);
        }
        let mut items = Vec::new();
        let mut next = self.jiter.known_array()?;
        while let Some(peek) = next {
            let item = self.value(peek, depth + 1, &at.index(items.len()))?;
            items.push(item);
            next = self.jiter.array_step()?;
        }
        Ok(Json::Array(items))
    }

    fn object(&mut self, depth: u64, at: &Path<'_>) -> Result<Json, Fault> {
        if depth >= self.depth {
            return Err(Fault::Depth);
        }
        let mut entries = Vec::new();
        let mut next = self.jiter.known_object()?.map(str::to_owned);
        while let Some(key) = next {
            let peek = self.jiter.peek()?;
            let value = self.value(peek, depth + 1, &at.given(&key))?;
            entries.push((key, value));
            next = self.jiter.next_key()?.map(str::to_owned);
        }
        match duplicate(entries.iter().map(|(key, _)| key.as_str())) {
            Some(key) => Err(Fault::Duplicate(at.key(key).to_string())),
            None => Ok(Json::Object(entries)),
        }
    }
}

/// Returns a name that appears twice.
pub(super) fn duplicate<'a>(
    names: impl ExactSizeIterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    // Comparing all pairs beats sorting for the few keys that an object usually has.
    if names.len() <= 12 {
        let mut rest = names;
        while let Some(name) = rest.next() {
            if rest.clone().any(|other| other == name) {
                return Some(name);
            }
        }
        return None;
    }
    let mut sorted: Vec<&str> = names.collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cold]
fn syntax_error(text: &[u8], error: &JiterError) -> Error {
    let before = &text[..error.index.min(text.len())];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |position| position + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    let (what, hint) = describe(&error.error_type, text.get(error.index));
    let error = Error::new(
        ErrorKind::Arguments,
        format!("not valid JSON: line {line}, column {column}: {what}"),
    )
    .kept_as(format!("not valid JSON: line {line}, column {column}"));
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

fn describe(error: &JiterErrorType, byte: Option<&u8>) -> (String, Option<&'static str>) {
    let JiterErrorType::JsonError(error) = error else {
        return (error.to_string(), None);
    };
    const CUT: Option<&str> = Some("the text ends early; it may have been cut off");
    let (what, hint) = match error {
        JsonErrorType::EofWhileParsingList => ("the text ends inside an array", CUT),
        JsonErrorType::EofWhileParsingObject => ("the text ends inside an object", CUT),
        JsonErrorType::EofWhileParsingString => ("the text ends inside a string", CUT),
        JsonErrorType::EofWhileParsingValue => ("the text ends where a value is expected", CUT),
        JsonErrorType::ExpectedSomeValue | JsonErrorType::ExpectedSomeIdent => (
            "expected a value",
            match byte {
                Some(b'\'') => Some("write strings in double quotes"),
                Some(b'N' | b'I') => {
                    Some("JSON has no NaN and no Infinity; use null where it is allowed")
                }
                Some(b'T' | b'F') => Some("write `true` and `false` in lower case"),
                _ => None,
            },
        ),
        JsonErrorType::KeyMustBeAString => ("expected a key in double quotes", None),
        JsonErrorType::ControlCharacterWhileParsingString => (
            "a control character inside a string",
            Some("write a line break as `\\n`, a tab as `\\t`"),
        ),
        JsonErrorType::LoneLeadingSurrogateInHexEscape
        | JsonErrorType::UnexpectedEndOfHexEscape => ("half of a surrogate pair", None),
        JsonErrorType::InvalidUnicodeCodePoint => ("not UTF-8", None),
        JsonErrorType::TrailingCharacters => ("text after the end of the value", None),
        JsonErrorType::NumberOutOfRange => ("a number of more than 4300 digits", None),
        other => return (other.to_string(), None),
    };
    (what.to_owned(), hint)
}
