//! Extracts documentation from a WIT text in a custom section of a plugin, as `mitt skill new` puts it there.
//!
//! Reads lines, not WIT: comments and the items below them. It skips what it does not understand, because documentation is
//! optional. Takes linear time in any case.

use serde_json::{Map, Value, json};

/// Largest text that is read, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Returns the documentation of functions and types: an object from package ids to the content of
/// [`wit_parser::PackageMetadata`].
pub(super) fn extract(text: &[u8]) -> Value {
    let Some(text) = text.get(..text.len().min(MAX_BYTES)) else { return Value::Null };
    let mut lines = Lines::default();
    for line in String::from_utf8_lossy(text).lines() {
        lines.line(line.trim());
    }
    lines.close_interface();
    lines.close_package();
    Value::Object(lines.packages)
}

#[derive(Default)]
struct Lines {
    packages: Map<String, Value>,
    package: Option<String>,
    interfaces: Map<String, Value>,
    interface: Option<String>,
    funcs: Map<String, Value>,
    types: Map<String, Value>,
    /// The type whose parts follow.
    owner: Option<String>,
    depth: usize,
    docs: Vec<String>,
}

impl Lines {
    fn line(&mut self, line: &str) {
        if let Some(comment) = line.strip_prefix("///") {
            self.docs.push(comment.strip_prefix(' ').unwrap_or(comment).trim_end().to_owned());
            return;
        }
        // Attributes such as `@since(…)` stand between a comment and its item.
        if line.is_empty()
            || line.starts_with("//")
            || line.starts_with('@') && !line.ends_with(';')
        {
            return;
        }
        let docs = std::mem::take(&mut self.docs).join("\n");
        let code = line.split("//").next().unwrap_or(line);
        self.item(code, &docs);
        for byte in code.bytes() {
            match byte {
                b'{' => self.depth += 1,
                b'}' => self.close(),
                _ => {}
            }
        }
    }

    fn item(&mut self, code: &str, docs: &str) {
        let (word, rest) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
        match (self.depth, word) {
            (0, "package") => {
                self.close_package();
                self.package = Some(rest.trim_end_matches(';').trim().replace('%', ""));
            }
            (0, "interface") => self.interface = Some(name(rest)),
            (1, "record" | "variant" | "enum" | "flags" | "resource" | "type")
                if self.interface.is_some() =>
            {
                let name = name(rest);
                self.types.insert(name.clone(), json!({ "docs": docs, "items": {} }));
                self.owner = code.contains('{').then_some(name);
            }
            (1, _) if self.interface.is_some() && code.contains(": func(") => {
                self.funcs.insert(name(code), json!({ "docs": docs }));
            }
            (2, _) if !docs.is_empty() => {
                let items = self.owner.as_ref().and_then(|owner| self.types.get_mut(owner));
                if let Some(Value::Object(items)) = items.and_then(|owner| owner.get_mut("items")) {
                    items.insert(name(code), docs.into());
                }
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        match self.depth {
            0 => self.close_interface(),
            1 => self.owner = None,
            _ => {}
        }
    }

    fn close_interface(&mut self) {
        let (funcs, types) = (std::mem::take(&mut self.funcs), std::mem::take(&mut self.types));
        self.owner = None;
        if let Some(interface) = self.interface.take() {
            self.interfaces.insert(interface, json!({ "funcs": funcs, "types": types }));
        }
    }

    fn close_package(&mut self) {
        let interfaces = std::mem::take(&mut self.interfaces);
        if let Some(package) = self.package.take() {
            self.packages.insert(package, json!({ "interfaces": interfaces }));
        }
    }
}

/// Returns the name at the beginning of a text, without the `%` that escapes keywords.
fn name(code: &str) -> String {
    let code = code.trim_start().trim_start_matches('%');
    let end = code.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(code.len());
    code[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_what_follows() {
        let wit = "/// The package.\npackage local:plugin@0.1.0;\n\n/// Tools.\ninterface tools {\n  use a:b/c.{error};\n\
                   /// A pair,\n  /// of two.\n  record pair {\n /// left\n %left: u8, // {\n right: u8,\n }\n\
                   /// Colours\n enum colour { red, green }\n /// Names.\n type name = string;\n\
                   @since(version = 0.1.0)\n /// Does.\n ///\n /// - `x`: it\n @since(version = 0.1.0)\n do: func(x: u8) -> pair;\n\
                   bare: func();\n}\n/// A world.\nworld plugin {\n  /// not a tool\n  f: func();\n export tools;\n}\n";
        assert_eq!(
            extract(wit.as_bytes()),
            json!({ "local:plugin@0.1.0": { "interfaces": { "tools": {
                "funcs": { "do": { "docs": "Does.\n\n- `x`: it" }, "bare": { "docs": "" } },
                "types": {
                    "pair": { "docs": "A pair,\nof two.", "items": { "left": "left" } },
                    "colour": { "docs": "Colours", "items": {} },
                    "name": { "docs": "Names.", "items": {} },
                },
            } } } })
        );
    }

    #[test]
    fn noise_gives_nothing() {
        for text in
            [&b""[..], b"}}}}}", b"{{{{", b"\xff\xfe", b"interface", b"record x {", b"/// only"]
        {
            assert_eq!(extract(text), json!({}), "{}", text.escape_ascii());
        }
        assert_eq!(extract(&vec![b'{'; 1_000_000]), json!({}));
    }
}
