//! Objects of an event whose keys and types are checked, with the place of each mistake.

use mitt::value::Json;
use mitt_base::{Error, ErrorKind, Result, text};

/// The fields of an object that were not read yet.
pub(super) struct Fields {
    left: Vec<(String, Json)>,
    /// Where the object stands in the event, such as `documents[0]`; empty for the event itself.
    place: String,
    /// The keys that were asked for.
    known: Vec<&'static str>,
}

impl Fields {
    /// Returns the fields of the object at `place`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - it is no object.
    pub(super) fn of(place: impl Into<String>, value: Json) -> Result<Fields> {
        let place = place.into();
        match value {
            Json::Object(left) => Ok(Fields { left, place, known: Vec::new() }),
            other => Err(wrong(&place, &format!("expected an object, got {}", other.kind()))),
        }
    }

    /// Returns the value of a key; `None` if it is missing or null.
    pub(super) fn value(&mut self, key: &'static str) -> Option<Json> {
        self.known.push(key);
        let at = self.left.iter().position(|(name, _)| name == key)?;
        Some(self.left.swap_remove(at).1).filter(|value| *value != Json::Null)
    }

    /// Returns the text of a key; `None` if it is missing.
    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>> {
        match self.value(key) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.expected(key, "a string", &other)),
        }
    }

    /// Returns the text of a key that must be there.
    pub(super) fn required(&mut self, key: &'static str) -> Result<String> {
        self.text(key)?.ok_or_else(|| self.wrong(key, "missing, expected a string"))
    }

    /// Returns the flag of a key; `false` if it is missing.
    pub(super) fn flag(&mut self, key: &'static str) -> Result<bool> {
        match self.value(key) {
            None => Ok(false),
            Some(Json::Bool(flag)) => Ok(flag),
            Some(other) => Err(self.expected(key, "a boolean", &other)),
        }
    }

    /// Returns the items of the array of a key, each with its place, or an empty list if the key is missing.
    pub(super) fn items(&mut self, key: &'static str) -> Result<Vec<(String, Json)>> {
        let place = self.place_of(key);
        match self.value(key) {
            None => Ok(Vec::new()),
            Some(Json::Array(items)) => {
                let item = |(index, item)| (format!("{place}[{index}]"), item);
                Ok(items.into_iter().enumerate().map(item).collect())
            }
            Some(other) => Err(self.expected(key, "an array", &other)),
        }
    }

    /// Returns the strings of the array of a key, or an empty list if the key is missing.
    pub(super) fn texts(&mut self, key: &'static str) -> Result<Vec<String>> {
        let text = |(place, item): (String, Json)| match item {
            Json::String(text) => Ok(text),
            other => Err(wrong(&place, &format!("expected a string, got {}", other.kind()))),
        };
        self.items(key)?.into_iter().map(text).collect()
    }

    /// Returns the fields of the object of a key; `None` if it is missing.
    pub(super) fn object(&mut self, key: &'static str) -> Result<Option<Fields>> {
        let place = self.place_of(key);
        self.value(key).map(|value| Fields::of(place, value)).transpose()
    }

    /// Returns an object of a key as it was written; `None` if it is missing.
    pub(super) fn json_object(&mut self, key: &'static str) -> Result<Option<Json>> {
        match self.value(key) {
            Some(other) if !matches!(other, Json::Object(_)) => {
                Err(self.expected(key, "an object", &other))
            }
            value => Ok(value),
        }
    }

    /// Checks that there is no other key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - there is one: the first one, with the nearest known key.
    pub(super) fn finish(self) -> Result<()> {
        let Some((key, _)) = self.left.first() else { return Ok(()) };
        let shown = text::one_line(text::cut_bytes(key, 80));
        let message = match text::nearest(key, self.known.iter().copied()).first() {
            Some(near) => format!("unknown key `{shown}`; did you mean `{near}`?"),
            None => format!("unknown key `{shown}`"),
        };
        let error = wrong(&self.place, &message);
        Err(error.hint(format!("known keys: {}", self.known.join(", "))))
    }

    /// Returns an error about a key.
    pub(super) fn wrong(&self, key: &str, message: &str) -> Error {
        wrong(&self.place_of(key), message)
    }

    fn expected(&self, key: &str, expected: &str, got: &Json) -> Error {
        self.wrong(key, &format!("expected {expected}, got {}", got.kind()))
    }

    fn place_of(&self, key: &str) -> String {
        match self.place.as_str() {
            "" => key.to_owned(),
            place => format!("{place}.{key}"),
        }
    }
}

/// Returns an error about a place of an event.
pub(super) fn wrong(place: &str, message: &str) -> Error {
    let error = Error::new(ErrorKind::Arguments, message);
    error.at(if place.is_empty() { "event" } else { place })
}
