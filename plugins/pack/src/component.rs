//! Makes a validated component from a core module.

use crate::docs;
use anyhow::{Context, Result, bail};
use std::borrow::Cow;
use std::path::Path;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasmparser::{Encoding, Parser, Payload, Validator, WasmFeatures};
use wit_component::ComponentEncoder;
use wit_parser::Resolve;
use wit_parser::decoding::{DecodedWasm, decode};

/// The custom section with the documentation of all packages.
///
/// Not `package-docs`, which has only the root package: the interfaces of a component never belong to it.
pub(crate) const DOCS_SECTION: &str = "mitt-docs";

/// Makes a component. A custom section of the module, written by `wit-bindgen`, has its interface.
pub(crate) fn from_module(module: &[u8], wasi: bool) -> Result<Vec<u8>> {
    let mut encoder = ComponentEncoder::default().validate(true).module(module)?;
    if wasi {
        encoder = encoder
            .adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)?;
    }
    encoder.encode()
}

/// Appends the documentation of the sources.
///
/// # Errors
/// A tool is not fully documented.
pub(crate) fn with_documentation(
    component: &[u8],
    host_wit: &Path,
    plugin_wit: &Path,
) -> Result<Vec<u8>> {
    let mut resolve = resolve_of(component)?;
    let mut source = Resolve::default();
    // A reader has no interface of its own, but exports one of the host.
    for folder in [host_wit, plugin_wit].into_iter().filter(|folder| folder.is_dir()) {
        source.push_path(folder).with_context(|| format!("cannot parse `{}`", folder.display()))?;
    }
    docs::copy(&source, &mut resolve);
    let missing = docs::missing(&resolve);
    if !missing.is_empty() {
        bail!("no documentation for\n  {}", missing.join("\n  "));
    }
    let mut bytes = without_section(component, DOCS_SECTION)?;
    append_section(&mut bytes, DOCS_SECTION, docs::encode(&resolve)?.as_bytes());
    Validator::new_with_features(WasmFeatures::default())
        .validate_all(&bytes)
        .context("the component is not valid")?;
    Ok(bytes)
}

/// Returns the imports of a component, sorted.
pub(crate) fn imports(component: &[u8]) -> Result<Vec<String>> {
    let resolve = resolve_of(component)?;
    let mut names: Vec<_> = resolve
        .worlds
        .iter()
        .flat_map(|(_, world)| world.imports.keys())
        .map(|key| resolve.name_world_key(key))
        .collect();
    names.sort();
    Ok(names)
}

/// Returns the interface of a component as in the binary, without documentation.
pub(crate) fn resolve_of(component: &[u8]) -> Result<Resolve> {
    match decode(component)? {
        DecodedWasm::Component(resolve, _) => Ok(resolve),
        DecodedWasm::WitPackage(..) => bail!("expected a component, got a WIT package"),
    }
}

/// Returns the content of a top-level custom section.
#[cfg(test)]
pub(crate) fn section<'a>(component: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let mut depth = 0;
    for payload in Parser::new(0).parse_all(component) {
        match payload.unwrap() {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::CustomSection(reader) if depth == 1 && reader.name() == wanted => {
                return Some(reader.data());
            }
            _ => {}
        }
    }
    None
}

/// Returns the component without a section, so that packing it again gives the same bytes.
fn without_section<'a>(component: &'a [u8], name: &str) -> Result<Vec<u8>> {
    let mut kept: Cow<'a, [u8]> = Cow::Borrowed(component);
    let mut depth = 0;
    for payload in Parser::new(0).parse_all(component) {
        match payload? {
            Payload::Version { encoding, .. } => {
                if depth == 0 && encoding != Encoding::Component {
                    bail!("expected a component, got a core module");
                }
                depth += 1;
            }
            Payload::End(_) => depth -= 1,
            Payload::CustomSection(reader) if depth == 1 && reader.name() == name => {
                let range = reader.range();
                let header = 1 + leb128(u32::try_from(range.len())?).len();
                let mut bytes = component[..range.start - header].to_vec();
                bytes.extend_from_slice(&component[range.end..]);
                kept = Cow::Owned(bytes);
            }
            _ => {}
        }
    }
    Ok(kept.into_owned())
}

fn append_section(bytes: &mut Vec<u8>, name: &str, content: &[u8]) {
    let length =
        |part: &[u8]| u32::try_from(part.len()).expect("documentation is shorter than 4 GiB");
    let mut body = leb128(length(name.as_bytes()));
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(content);
    bytes.push(0);
    bytes.extend(leb128(length(&body)));
    bytes.extend(body);
}

fn leb128(mut value: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}
