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
