//! Finds the sections of a component with its documentation, without a full parser.

use super::wit_docs;
use serde_json::Value;

/// Version and layer in the header of a core module, which wit-parser accepts as a component without exports.
pub(super) const CORE_MODULE: [u8; 4] = [1, 0, 0, 0];

/// Custom section with the documentation: an object from package ids to `wit_parser::PackageMetadata`.
const DOCS_SECTION: &str = "mitt-docs";

/// Custom section with the plugin's own WIT text, in its core module: compilers keep it there, and no further tool is
/// needed.
const WIT_SECTION: &str = "mitt-wit";

/// Sections of a component: custom, core module, nested component.
const CUSTOM: u8 = 0;
const MODULE: u8 = 1;
const COMPONENT: u8 = 4;

/// Levels of nested components in which the WIT text is searched.
const MAX_NESTING: u32 = 3;

/// Returns the documentation of a component's functions and types: the documentation section at the top level, otherwise the
/// WIT text in its core module. Null if it has neither.
///
/// Documentation is optional: a component without it works, so nothing here is an error.
pub(super) fn docs_section(bytes: &[u8]) -> Value {
    let mut wit = None;
    let mut pending = vec![(bytes, 0)];
    while let Some((bytes, level)) = pending.pop() {
        // Inside a module, the same numbers mean other sections.
        let is_module = bytes.get(4..8) == Some(&CORE_MODULE);
        let mut rest = bytes.get(8..).unwrap_or_default();
        while let Some((id, section, after)) = next_section(rest) {
            rest = after;
            match id {
                CUSTOM => {
                    let Some((length, named)) = leb128(section) else { continue };
                    let Some((name, content)) = named.split_at_checked(length) else { continue };
                    if level == 0 && name == DOCS_SECTION.as_bytes() {
                        return serde_json::from_slice(content).unwrap_or_default();
                    }
                    if wit.is_none() && name == WIT_SECTION.as_bytes() {
                        wit = Some(content);
                    }
                }
                // The depth is bounded, because a component can nest others as deep as it is long.
                MODULE | COMPONENT if !is_module && level < MAX_NESTING => {
                    pending.push((section, level + 1))
                }
                _ => {}
            }
        }
    }
    wit.map(wit_docs::extract).unwrap_or_default()
}

fn next_section(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (id, rest) = bytes.split_first()?;
    let (length, rest) = leb128(rest)?;
    let (section, rest) = rest.split_at_checked(length)?;
    Some((*id, section, rest))
}

fn leb128(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_u32;
    for (index, byte) in bytes.iter().enumerate().take(5) {
        value |= u32::from(byte & 0x7f).checked_shl(7 * u32::try_from(index).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((usize::try_from(value).ok()?, &bytes[index + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(id: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).unwrap();
        assert!(length < 0x80);
        [&[id, length], content].concat()
    }

    fn docs(json: &str) -> Vec<u8> {
        let name = DOCS_SECTION.as_bytes();
        let length = u8::try_from(name.len()).unwrap();
        section(CUSTOM, &[&[length], name, json.as_bytes()].concat())
    }

    fn component(sections: &[u8]) -> Vec<u8> {
        [b"\0asm\x0d\0\x01\0", sections].concat()
    }

    #[test]
    fn only_the_documentation_of_the_component_itself_is_read() {
        assert_eq!(docs_section(&component(&docs("{\"a\":1}"))), serde_json::json!({"a": 1}));
        // That of a nested component belongs to another one.
        let nested = section(COMPONENT, &component(&docs("{\"b\":2}")));
        assert_eq!(docs_section(&component(&nested)), Value::Null);
        let both = [nested, docs("{\"a\":1}")].concat();
        assert_eq!(docs_section(&component(&both)), serde_json::json!({"a": 1}));
        assert_eq!(docs_section(&component(&docs("no JSON"))), Value::Null);
        assert_eq!(docs_section(b""), Value::Null);
    }

    #[test]
    fn lengths_have_seven_bits_in_a_byte() {
        for (bytes, expected) in [
            (&[0x05, 9][..], Some((5, &[9][..]))),
            (&[0x80, 0x01], Some((128, &[]))),
            (&[0xff, 0xff, 0xff, 0xff, 0x0f], Some((u32::MAX as usize, &[]))),
            (&[0x80], None),
            (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x01], None),
            (&[], None),
        ] {
            assert_eq!(leb128(bytes), expected, "{bytes:?}");
        }
        // A section that is longer than the file is none.
        assert_eq!(next_section(&[CUSTOM, 2, 1]), None);
        assert_eq!(next_section(&[CUSTOM, 1, 1, 7]), Some((CUSTOM, &[1][..], &[7][..])));
    }

    #[test]
    fn the_text_in_the_core_module_stands_for_missing_documentation() {
        let text = b"package a:b; interface i { /// Does.\n f: func(); }";
        let name = WIT_SECTION.as_bytes();
        let length = u8::try_from(name.len()).unwrap();
        let custom = section(CUSTOM, &[&[length], name, text].concat());
        let module = [b"\0asm", &CORE_MODULE[..], &custom].concat();
        let expected = wit_docs::extract(text);
        assert_ne!(expected, Value::Null);
        assert_eq!(docs_section(&component(&section(MODULE, &module))), expected);
        // Documentation of its own goes before.
        let both = [section(MODULE, &module), docs("{\"a\":1}")].concat();
        assert_eq!(docs_section(&component(&both)), serde_json::json!({"a": 1}));
        // Sections of a module are no modules, whatever is in them.
        let types = [b"\0asm", &CORE_MODULE[..], &section(MODULE, &module)].concat();
        assert_eq!(docs_section(&component(&section(MODULE, &types))), Value::Null);
    }
}
