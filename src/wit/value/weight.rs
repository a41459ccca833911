//! Computes the memory that a JSON text would take as a tree, in one pass, before any tree is made.
//!
//! Four bytes, `[0],`, become an array, its value, and spare capacity in both: a hundred times as much. Counts structural
//! characters outside of strings and checks nothing; a text that is not JSON is weighed like JSON.

use wasmtime::component::Val;

/// Most bytes that the trees of one message of a client may take, without its strings. 96 MiB are enough for a table of 100
/// 000 cells, as arrays or, with at least two columns, as objects. Less would refuse honest tables, and with more a few
/// messages at once would be a burden.
pub const MAX_MESSAGE_MEMORY: u64 = 96 << 20;

/// The structural counts of a JSON text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Values, including arrays and objects; never less than the real number.
    values: u64,
    /// Members of objects.
    members: u64,
    /// Arrays and objects that are not empty.
    containers: u64,
    /// All bytes.
    text: u64,
}

impl Weight {
    /// Weighs `text`.
    pub fn of(text: &[u8]) -> Weight {
        let mut weight = Weight { values: 1, text: text.len() as u64, ..Weight::default() };
        let (mut in_string, mut is_escaped, mut is_open) = (false, false, false);
        for byte in text {
            if in_string {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' => is_escaped = true,
                    b'"' => in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => continue,
                b']' | b'}' => {}
                _ if is_open => {
                    weight.containers += 1;
                    weight.values += 1;
                }
                _ => {}
            }
            is_open = false;
            match byte {
                b'"' => in_string = true,
                b'[' | b'{' => is_open = true,
                b',' => weight.values += 1,
                b':' => weight.members += 1,
                _ => {}
            }
        }
        weight
    }

    /// Returns the bytes of our own tree and of the values made from it.
    pub fn arguments_bytes(&self) -> u64 {
        self.structure(128, 96, 192).saturating_add(2 * self.text)
    }

    /// Returns the bytes of the trees that reading a message makes, without its strings: the trees of `serde_json`, whose
    /// objects keep their order, and what it buffers until it knows the kind of message. Measured at the peak of a server
    /// that reads `[0]`, `{"":0}`, `0`, `[]` by the hundred thousand.
    pub fn message_bytes(&self) -> u64 {
        self.structure(225, 290, 350)
    }

    /// Returns [`Weight::message_bytes`] plus the strings: as received, in the trees, and as passed on.
    pub fn message_and_text_bytes(&self) -> u64 {
        self.message_bytes().saturating_add(3 * self.text)
    }

    fn structure(&self, value: u64, member: u64, container: u64) -> u64 {
        self.values * value + self.members * member + self.containers * container
    }
}

/// Returns the bytes of a component's value. It is as deep as its type, which bounds the recursion.
pub fn val_bytes(val: &Val) -> u64 {
    let inner = |vals: &[Val]| vals.iter().map(val_bytes).sum::<u64>();
    let inside = match val {
        Val::String(text) | Val::Enum(text) => text.len() as u64,
        Val::List(vals) | Val::Tuple(vals) => inner(vals),
        Val::Map(pairs) => pairs.iter().map(|(key, val)| val_bytes(key) + val_bytes(val)).sum(),
        Val::Record(fields) => {
            let field = |(name, val): &(String, Val)| {
                (size_of::<String>() + name.len()) as u64 + val_bytes(val)
            };
            fields.iter().map(field).sum()
        }
        Val::Variant(case, payload) => case.len() as u64 + payload.as_deref().map_or(0, val_bytes),
        Val::Option(payload) | Val::Result(Ok(payload) | Err(payload)) => {
            payload.as_deref().map_or(0, val_bytes)
        }
        Val::Flags(names) => names.iter().map(|it| (size_of::<String>() + it.len()) as u64).sum(),
        _ => 0,
    };
    size_of::<Val>() as u64 + inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_outside_of_strings() {
        let check = |text: &str, values, members, containers| {
            let expected = Weight { values, members, containers, text: text.len() as u64 };
            assert_eq!(Weight::of(text.as_bytes()), expected, "{text}");
        };
        check("1", 1, 0, 0);
        check("[]", 1, 0, 0);
        check(" [ \n ] ", 1, 0, 0);
        check("[0]", 2, 0, 1);
        check("[[],[],{}]", 4, 0, 1);
        check(r#"[[0],{"a":1}]"#, 5, 1, 3);
        check(r#"{"a":[1,2],"b":{"c":null}}"#, 6, 3, 3);
        check(r#"["[,:{\",\\",",\\\"["]"#, 3, 0, 1);
        // An incomplete text is never weighed as less than what it has begun.
        check(r#"[[[["a"#, 5, 0, 4);
        check("", 1, 0, 0);
    }

    #[test]
    fn values_are_never_fewer_than_there_are() {
        fn count(json: &serde_json::Value) -> u64 {
            1 + match json {
                serde_json::Value::Array(items) => items.iter().map(count).sum(),
                serde_json::Value::Object(entries) => entries.values().map(count).sum(),
                _ => 0,
            }
        }
        for text in [
            r#"{"a":[1,2,[3,[4,5]],{}],"b":"x","c":{"d":[{"e":1},{"e":2}]}}"#,
            r#"[[[[[[[[]]]]]]],1,"[[[,,,"]"#,
            r#"{"":{"":{"":{}}}}"#,
        ] {
            let json = serde_json::from_str(text).unwrap();
            assert_eq!(Weight::of(text.as_bytes()).values, count(&json), "{text}");
        }
    }

    #[test]
    fn a_table_of_a_hundred_thousand_cells_passes() {
        let of = |item: &str, n: usize| {
            Weight::of(format!("[{}]", vec![item; n].join(",")).as_bytes()).message_bytes()
        };
        let row = format!("[{}]", ["12.5"; 10].join(","));
        let object =
            format!("{{{}}}", (0..10).map(|n| format!("\"c{n}\":1")).collect::<Vec<_>>().join(","));
        for (item, n) in [
            ("[1]", 100_000),
            ("[1,2]", 50_000),
            (r#"{"a":1,"b":2}"#, 50_000),
            (&row, 10_000),
            (&object, 10_000),
        ] {
            assert!(of(item, n) <= MAX_MESSAGE_MEMORY, "{item}: {}", of(item, n));
        }
        // A message of 4 MiB made of only these is too heavy.
        for item in ["[0]", r#"{"":0}"#, "0", "[]", "{}"] {
            assert!(of(item, (4 << 20) / (item.len() + 1)) > MAX_MESSAGE_MEMORY, "{item}");
        }
    }

    #[test]
    fn each_count_has_its_bytes() {
        let weight = Weight { values: 3, members: 5, containers: 7, text: 11 };
        assert_eq!(weight.arguments_bytes(), 3 * 128 + 5 * 96 + 7 * 192 + 2 * 11);
        assert_eq!(weight.message_bytes(), 3 * 225 + 5 * 290 + 7 * 350);
        assert_eq!(weight.message_and_text_bytes(), weight.message_bytes() + 3 * 11);
    }

    #[test]
    fn values_of_components_count_their_parts_and_names() {
        let own = size_of::<Val>() as u64;
        let name = size_of::<String>() as u64;
        let text = || Val::String("four".into());
        for (val, bytes) in [
            (Val::U8(1), own),
            (text(), own + 4),
            (Val::Enum("red".into()), own + 3),
            (Val::List(vec![text(), Val::U8(1)]), 3 * own + 4),
            (Val::Tuple(vec![text()]), 2 * own + 4),
            (Val::Map(vec![(text(), Val::U8(1))]), 3 * own + 4),
            (Val::Record(vec![("ab".into(), text())]), 2 * own + name + 2 + 4),
            (Val::Variant("abc".into(), Some(Box::new(text()))), 2 * own + 3 + 4),
            (Val::Variant("abc".into(), None), own + 3),
            (Val::Option(Some(Box::new(text()))), 2 * own + 4),
            (Val::Option(None), own),
            (Val::Result(Ok(Some(Box::new(text())))), 2 * own + 4),
            (Val::Result(Err(Some(Box::new(text())))), 2 * own + 4),
            (Val::Flags(vec!["ab".into(), "c".into()]), own + 2 * name + 3),
        ] {
            assert_eq!(val_bytes(&val), bytes, "{val:?}");
        }
    }
}
