//! Options: objects of JSON whose keys and types are checked, with the place of each mistake.

use std::time::Duration;

use mitt::{Error, ErrorKind, Result};
use mitt_base::text;
use serde_json::{Map, Value};

use crate::code::mitt_code;
use crate::problem::Problem;

/// Most bytes of options. Lists of words may be long.
pub(crate) const MAX_OPTIONS_BYTES: usize = 16 << 20;

/// The fields of an object that have not been read.
pub(crate) struct Fields {
    left: Map<String, Value>,
    place: String,
    /// The keys that were asked for.
    known: Vec<&'static str>,
}

impl Fields {
    /// Parses the options `place` from a text. An empty one is an empty object.
    ///
    /// # Errors
    ///
    /// [`mitt_code::MITT_INVALID_JSON`] - the text is not a JSON object. [`mitt_code::MITT_LIMIT`] - it has more than 16
    /// MiB.
    pub(crate) fn of_text(place: &str, text: &str) -> Result<Fields, Problem> {
        if text.len() > MAX_OPTIONS_BYTES {
            let (most, got) = (MAX_OPTIONS_BYTES as u64, text.len() as u64);
            return Err(Error::limit(mitt::Resource::Arguments, most, got).at(place).into());
        }
        if text.is_empty() {
            return Ok(Fields::of(Map::new(), place.to_owned()));
        }
        let wrong =
            |message: String| Problem::of_parameter(mitt_code::MITT_INVALID_JSON, place, message);
        match serde_json::from_str(text) {
            Ok(Value::Object(left)) => Ok(Fields::of(left, place.to_owned())),
            Ok(other) => Err(wrong(format!("expected a JSON object, got {}", kind(&other)))),
            Err(error) => Err(wrong(format!("expected JSON, got other text: {error}"))),
        }
    }

    fn of(left: Map<String, Value>, place: String) -> Fields {
        Fields { left, place, known: Vec::new() }
    }

    /// Returns the value of a key; `None` if it is missing or null.
    pub(crate) fn value(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.left.remove(key).filter(|value| !value.is_null())
    }

    /// Returns the text of a key.
    pub(crate) fn text(&mut self, key: &'static str) -> Result<Option<String>> {
        self.typed(key, "a string", |value| match value {
            Value::String(text) => Ok(text),
            other => Err(other),
        })
    }

    /// Returns the text of a key that must be there.
    pub(crate) fn required(&mut self, key: &'static str) -> Result<String> {
        self.text(key)?.ok_or_else(|| self.wrong(key, "missing, expected a string"))
    }

    /// Returns the flag of a key; `false` if it is missing.
    pub(crate) fn flag(&mut self, key: &'static str) -> Result<bool> {
        self.flag_or(key, false)
    }

    /// Returns the flag of a key; `default` if it is missing.
    pub(crate) fn flag_or(&mut self, key: &'static str, default: bool) -> Result<bool> {
        let flag = self.typed(key, "a boolean", |value| value.as_bool().ok_or(value))?;
        Ok(flag.unwrap_or(default))
    }

    /// Returns the whole number of a key.
    pub(crate) fn number(&mut self, key: &'static str) -> Result<Option<u64>> {
        self.typed(key, "a whole number of at least 0", |value| value.as_u64().ok_or(value))
    }

    /// Sets `to` to the whole number of a key, if it is there.
    pub(crate) fn set(&mut self, key: &'static str, to: &mut u64) -> Result<()> {
        if let Some(number) = self.number(key)? {
            *to = number;
        }
        Ok(())
    }

    /// Returns the time of a key in milliseconds.
    pub(crate) fn millis(&mut self, key: &'static str) -> Result<Option<Duration>> {
        Ok(self.number(key)?.map(Duration::from_millis))
    }

    /// Sets `to` to the time of a key in milliseconds, if it is there.
    pub(crate) fn set_millis(&mut self, key: &'static str, to: &mut Duration) -> Result<()> {
        if let Some(time) = self.millis(key)? {
            *to = time;
        }
        Ok(())
    }

    /// Returns the texts of a key; none if it is missing.
    pub(crate) fn texts(&mut self, key: &'static str) -> Result<Vec<String>> {
        let texts = self.items(key)?.into_iter().map(|(place, item)| match item {
            Value::String(text) => Ok(text),
            other => Err(wrong(&place, &format!("expected a string, got {}", kind(&other)))),
        });
        texts.collect()
    }

    /// Returns the items of a key with their places; none if it is missing.
    pub(crate) fn items(&mut self, key: &'static str) -> Result<Vec<(String, Value)>> {
        let items = self.typed(key, "an array", |value| match value {
            Value::Array(items) => Ok(items),
            other => Err(other),
        })?;
        let place = format!("{}.{key}", self.place);
        let items = items.unwrap_or_default().into_iter().enumerate();
        Ok(items.map(|(index, item)| (format!("{place}[{index}]"), item)).collect())
    }

    /// Returns the object of a key; an empty one if it is missing.
    pub(crate) fn object(&mut self, key: &'static str) -> Result<Fields> {
        let object = self.typed(key, "an object", |value| match value {
            Value::Object(object) => Ok(object),
            other => Err(other),
        })?;
        Ok(Fields::of(object.unwrap_or_default(), format!("{}.{key}", self.place)))
    }

    /// Returns the fields of an item.
    pub(crate) fn of_item(place: String, item: Value) -> Result<Fields> {
        match item {
            Value::Object(left) => Ok(Fields::of(left, place)),
            other => Err(wrong(&place, &format!("expected an object, got {}", kind(&other)))),
        }
    }

    /// Returns all fields that are left, by their names.
    pub(crate) fn rest(self) -> (String, Map<String, Value>) {
        (self.place, self.left)
    }

    /// Returns an error about a key.
    pub(crate) fn wrong(&self, key: &str, message: &str) -> Error {
        wrong(&format!("{}.{key}", self.place), message)
    }

    /// Checks that there is no other key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - there are some: all of them, each with the nearest known one.
    pub(crate) fn finish(self) -> Result<()> {
        let problem = |key: &String| {
            let shown = text::one_line(text::cut_bytes(key, 80));
            match text::nearest(key, self.known.iter().copied()).first() {
                Some(near) => format!("unknown key `{shown}`; did you mean `{near}`?"),
                None => format!("unknown key `{shown}`"),
            }
        };
        let problems: Vec<String> = self.left.keys().map(problem).collect();
        match &problems[..] {
            [] => Ok(()),
            [one] => Err(wrong(&self.place, one)),
            many => {
                let error = wrong(&self.place, &format!("{} unknown keys", many.len()));
                Err(many.iter().take(100).fold(error, |error, one| error.detail(one.as_str())))
            }
        }
    }

    fn typed<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(Value) -> std::result::Result<T, Value>,
    ) -> Result<Option<T>> {
        let Some(value) = self.value(key) else { return Ok(None) };
        match read(value) {
            Ok(value) => Ok(Some(value)),
            Err(other) => {
                Err(self.wrong(key, &format!("expected {expected}, got {}", kind(&other))))
            }
        }
    }
}

fn wrong(place: &str, message: &str) -> Error {
    Error::new(ErrorKind::Arguments, message).at(place)
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(given) => {
            format!("the string `{}`", text::one_line(text::cut_bytes(given, 80)))
        }
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the fields of a JSON text.
    pub(crate) fn fields(json: &'static str) -> Result<Fields, Problem> {
        Fields::of_text("options", json)
    }

    fn place(error: &Error) -> (&str, &str) {
        (error.place().unwrap_or_default(), error.message())
    }

    #[test]
    fn a_wrong_option_is_named_by_its_place() {
        let mut given = fields(r#"{"a": {"b": "x", "c": -1}, "d": [1], "e": 7}"#).unwrap();
        let mut inner = given.object("a").unwrap();
        assert_eq!(inner.text("b").unwrap().as_deref(), Some("x"));
        let error = inner.number("c").unwrap_err();
        assert_eq!(
            place(&error),
            (
                "options.a.c",
                "options.a.c: expected a whole number of at least 0, got the number -1"
            )
        );
        let error = given.texts("d").unwrap_err();
        assert_eq!(
            place(&error),
            ("options.d[0]", "options.d[0]: expected a string, got the number 1")
        );
        assert_eq!(given.millis("e").unwrap(), Some(Duration::from_millis(7)));
        assert_eq!(given.required("f").unwrap_err().place(), Some("options.f"));
        assert!(given.finish().is_ok());
    }

    #[test]
    fn unknown_keys_are_refused_with_the_nearest_one() {
        let mut given = fields(r#"{"tenan": "a"}"#).unwrap();
        given.text("tenant").unwrap();
        let error = given.finish().unwrap_err();
        assert_eq!(error.message(), "options: unknown key `tenan`; did you mean `tenant`?");
        let error = fields(r#"{"x": 1, "y": 2}"#).unwrap().finish().unwrap_err();
        assert_eq!(error.details(), ["unknown key `x`", "unknown key `y`"]);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert!(fields("").unwrap().finish().is_ok());
        for wrong in ["[]", "1", "{", "null", "{} {}"] {
            let problem = fields(wrong).err().unwrap();
            assert_eq!(problem.code, mitt_code::MITT_INVALID_JSON, "{wrong}");
        }
        let long: &'static str = " ".repeat(MAX_OPTIONS_BYTES + 1).leak();
        assert_eq!(fields(long).err().unwrap().code, mitt_code::MITT_LIMIT);
    }
}
