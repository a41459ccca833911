//! Writes JSON.

use std::fmt::{Display, Write as _};

/// Appends a text with its quotes.
pub(super) fn push_text(out: &mut String, text: &str) {
    out.push('"');
    let is_special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_special) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        match special.as_bytes()[0] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            byte => _ = write!(out, "\\u{byte:04x}"),
        }
        rest = &special[1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// Appends a comma-separated list in brackets.
pub(super) fn push_list<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        push(out, item);
    }
    out.push(']');
}

/// Writes the members of an object.
pub(super) struct Object<'a> {
    out: &'a mut String,
    has_members: bool,
}

impl<'a> Object<'a> {
    pub(super) fn new(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, has_members: false }
    }

    /// Begins a member. The caller appends its value to the text that is returned.
    pub(super) fn member(&mut self, name: &str) -> &mut String {
        if self.has_members {
            self.out.push(',');
        }
        self.has_members = true;
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
        self.out
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        push_text(self.member(name), value);
    }

    /// Writes a number or a boolean.
    pub(super) fn plain(&mut self, name: &str, value: impl Display) {
        _ = write!(self.member(name), "{value}");
    }

    /// Writes `true`, or nothing.
    pub(super) fn flag(&mut self, name: &str, is_on: bool) {
        if is_on {
            self.plain(name, true);
        }
    }

    pub(super) fn end(self) {
        self.out.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let mut out = String::new();
        push_text(&mut out, "a\"b\\c\n\t年\u{1}");
        assert_eq!(out, "\"a\\\"b\\\\c\\n\\u0009年\\u0001\"");
    }

    #[test]
    fn objects_and_lists_have_commas() {
        let mut out = String::new();
        let mut object = Object::new(&mut out);
        object.text("a", "x");
        object.flag("b", false);
        push_list(object.member("c"), [1, 2], |out, item| _ = write!(out, "{item}"));
        object.flag("d", true);
        object.end();
        assert_eq!(out, r#"{"a":"x","c":[1,2],"d":true}"#);
    }
}
