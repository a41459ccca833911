//! Recognises a file that should be a component, and reports what it is otherwise, with advice.

use std::borrow::Cow;

use mitt_base::{Error, ErrorKind, Result};
use mitt_engine::{PluginBytes, PluginBytesInternal as _};

const MAGIC: &[u8] = b"\0asm";
const CORE_MODULE: &[u8] = b"\0asm\x01\0\0\0";
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Bytes of a text that are examined to recognise it.
const LOOKED_AT: usize = 4_096;

/// Returns the decompressed component, judging by the first bytes; it is not validated.
pub(super) fn component(bytes: &[u8]) -> Result<Cow<'_, [u8]>> {
    if bytes.starts_with(ZSTD) {
        let component = PluginBytes::Zstd(bytes.to_vec().into()).component()?.into_owned();
        check(&component)?;
        return Ok(Cow::Owned(component));
    }
    check(bytes)?;
    Ok(Cow::Borrowed(bytes))
}

fn check(bytes: &[u8]) -> Result<()> {
    let (what, hint) = match bytes {
        [] => ("an empty file", "copy or build the component again"),
        _ if bytes.starts_with(COMPONENT) => return Ok(()),
        _ if bytes.starts_with(CORE_MODULE) && cfg!(feature = "extism") => return Ok(()),
        _ if bytes.starts_with(CORE_MODULE) => (
            "a core module",
            "build it for `wasm32-wasip2`, or make a component of it with `wasm-tools component new`",
        ),
        _ if bytes.len() < 8 && (MAGIC.starts_with(bytes) || bytes.starts_with(MAGIC)) => {
            ("a file that ends within its header", "copy or build the component again")
        }
        _ if bytes.starts_with(MAGIC) => (
            "a WebAssembly binary of an unknown version",
            "build it with current tools, as a component",
        ),
        _ if bytes.starts_with(b"\x7fELF") => {
            ("native code", "name the `.wasm` that it was made of")
        }
        _ if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(&[0x1f, 0x8b]) => {
            ("an archive", "unpack it and name the component inside; only zstd is unpacked here")
        }
        _ => match text(bytes) {
            Some(text) => of_text(text),
            None => ("no WebAssembly at all", "name a `.wasm` or `.wasm.zst` file"),
        },
    };
    Err(Error::new(ErrorKind::Load, format!("expected a component, got {what}")).hint(hint))
}

fn text(bytes: &[u8]) -> Option<&str> {
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        // The cut may be in the middle of a character.
        Err(error) if bytes.len() > LOOKED_AT && error.valid_up_to() + 4 > LOOKED_AT => {
            std::str::from_utf8(&start[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    (!text.contains(|c: char| c.is_control() && !c.is_whitespace())).then_some(text)
}

/// Returns the kind of a text, judging by its first word outside of comments.
fn of_text(text: &str) -> (&'static str, &'static str) {
    let mut lines = text.lines().map(str::trim);
    let first = lines
        .find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with(";;"))
        .unwrap_or_default();
    let word =
        first.split(|c: char| c.is_whitespace() || ";)".contains(c)).next().unwrap_or_default();
    match word {
        "(component" | "(module" => (
            "WebAssembly in text form",
            "make a binary of it with `wasm-tools parse`; of a module, then a component with `wasm-tools component new`",
        ),
        "package" | "interface" | "world" => {
            ("WIT text", "name the component that was built from it")
        }
        "schema:" => ("a manifest", "name the folder of the skill, or the component in it"),
        _ => ("a text file", "name a `.wasm` or `.wasm.zst` file"),
    }
}

/// Adds advice to an error about the interface of `component`.
pub(super) fn explain(component: &[u8], error: Error) -> Error {
    if ends_early(component) {
        return error.hint("the file ends early: copy or build the component again");
    }
    if error.to_string().contains("WIT package") {
        return error.hint("it holds only types: name the component that was built from it");
    }
    if error.to_string().contains("not a valid component") {
        return error.hint("look closer with `wasm-tools validate --features all`; it may be damaged, or need newer tools");
    }
    error
}

/// Returns whether the last section is longer than the rest of the file.
fn ends_early(component: &[u8]) -> bool {
    let mut rest = component.get(8..).unwrap_or_default();
    while let Some((_, after)) = rest.split_first() {
        let (mut length, mut shift, mut size) = (0_u64, 0, 0);
        loop {
            let Some(byte) = after.get(size) else { return true };
            length |= u64::from(byte & 0x7f) << shift;
            size += 1;
            shift += 7;
            if byte & 0x80 == 0 || size == 5 {
                break;
            }
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        match after.get(size..).and_then(|content| content.get(length..)) {
            Some(next) => rest = next,
            None => return true,
        }
    }
    false
}
