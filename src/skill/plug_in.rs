//! Extism plug-ins with several modules: Extism's own manifest takes the place of a component.
//!
//! Modules and configuration are linked to one component when they are read, so an approval covers all of them, and native code
//! is compiled from all of them. Modules are in the manifest's own folder or in the manifest; nothing is fetched. The manifest
//! may restrict `skill.yaml` further, but not extend it.

use std::path::{Component, Path};
use std::time::Duration;

use extism_manifest::{Manifest as Wire, Wasm};

use super::Manifest;
use mitt_base::limits::{CallLimits, MIB};
use mitt_base::{Error, ErrorKind, Result, digest, plain_file, text};
use mitt_engine::{MAX_COMPONENT_BYTES, PluginBytes, PluginBytesInternal as _};

/// Largest manifest, in bytes. Embedded modules need a third more than their size.
const MAX_MANIFEST_BYTES: u64 = 96 * MIB;

/// Bytes that the kernel needs in addition to the memory of a plug-in.
const KERNEL_BYTES: u64 = MIB;

/// Size of a WebAssembly page in bytes.
const PAGE_BYTES: u64 = 64 * 1024;

/// Returns whether a component's file is a manifest.
pub(super) fn is_manifest(file: &str) -> bool {
    file.ends_with(".json")
}

/// Reads a manifest.
///
/// # Errors
///
/// [`ErrorKind::Load`] - it is missing, unreadable or invalid.
fn read(path: &Path) -> Result<Wire> {
    let place = path.display();
    let name = path.file_name().map(Path::new).unwrap_or(path);
    let json = beneath(folder(path), name, MAX_MANIFEST_BYTES).map_err(|error| {
        Error::new(ErrorKind::Load, format!("cannot read the manifest {place}"))
            .hint("`component` in `skill.yaml` names a file of the skill's own folder, no link")
            .caused_by(error)
    })?;
    if json.len() as u64 > MAX_MANIFEST_BYTES {
        let message = format!("{place}: expected at most {MAX_MANIFEST_BYTES} bytes, got more");
        return Err(Error::new(ErrorKind::Load, message));
    }
    serde_json::from_slice(&json).map_err(|error| {
        let message = format!("{place}: expected the manifest of an Extism plug-in");
        Error::new(ErrorKind::Load, message)
            .hint("it is a JSON object with the modules under `wasm`: `{\"wasm\": [{\"path\": \"plugin.wasm\"}]}`")
            .caused_by(format!("line {}, column {}", error.line(), error.column()))
    })
}

/// Returns the folder of a file.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Reads a plain file below a folder, at most one byte more than `most`. Links are refused, so that the author of a manifest
/// cannot make other files readable.
fn beneath(folder: &Path, file: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let opened = plain_file::open_beneath(folder, file)?;
    plain_file::content(opened, most)
}

/// Returns the component of the plug-in whose manifest is at `path`.
///
/// # Errors
///
/// [`ErrorKind::Load`] - the manifest or one of its modules is missing, does not match its `hash`, or cannot be linked.
/// [`ErrorKind::Disabled`] - this build cannot make components.
pub(super) fn component(path: &Path) -> Result<Vec<u8>> {
    let manifest = read(path)?;
    let folder = folder(path);
    let mut modules: Vec<(String, Vec<u8>)> = Vec::new();
    let mut left = MAX_COMPONENT_BYTES;
    let last = manifest.wasm.len().saturating_sub(1);
    for (index, wasm) in manifest.wasm.into_iter().enumerate() {
        let at = |error: Error| error.at(format!("{}: wasm[{index}]", path.display()));
        let name = wasm.meta().name.clone();
        let bytes = module(folder, wasm, left).map_err(at)?;
        left = left.saturating_sub(bytes.len() as u64);
        // As in Extism, the main module is the one named `main`, or the last one.
        let name = match name {
            Some(name) => name,
            None if index == last => "main".to_owned(),
            None => format!("module {index}"),
        };
        modules.push((name, bytes));
    }
    if let Some(main) = modules.iter().position(|(name, _)| name == "main") {
        let main = modules.remove(main);
        modules.push(main);
    }
    let at = |error: Error| error.at(path.display());
    linked(&modules, &manifest.config).map_err(at)
}

#[cfg(feature = "compile")]
fn linked(
    modules: &[(String, Vec<u8>)],
    config: &std::collections::BTreeMap<String, String>,
) -> Result<Vec<u8>> {
    let modules: Vec<(String, &[u8])> =
        modules.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    mitt_engine::plug_in::link(&modules, config)
}

#[cfg(not(feature = "compile"))]
fn linked(
    _: &[(String, Vec<u8>)],
    _: &std::collections::BTreeMap<String, String>,
) -> Result<Vec<u8>> {
    let message = "this build makes no component of a plug-in's modules";
    Err(Error::new(ErrorKind::Disabled("compile"), message).remedy(mitt_base::Remedy::CompileAhead))
}

/// Returns the bytes of a module, in binary form.
fn module(folder: &Path, wasm: Wasm, most: u64) -> Result<Vec<u8>> {
    let load = |message: String| Error::new(ErrorKind::Load, message);
    let hash = wasm.meta().hash.clone();
    let bytes = match wasm {
        Wasm::Data { data, .. } => data,
        Wasm::File { path, .. } => {
            let is_inside = path
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            let shown = text::one_line(&path.display().to_string());
            if !is_inside {
                return Err(load(format!(
                    "path: expected a file below the manifest's folder, got `{shown}`"
                )));
            }
            beneath(folder, &path, most).map_err(|error| {
                load(format!("cannot read the module `{shown}`"))
                    .hint("put the file itself below the manifest's folder: links are not followed")
                    .caused_by(error)
            })?
        }
        Wasm::Url { req, .. } => {
            let shown = text::one_line(text::cut_bytes(&req.url, 200));
            return Err(load(format!("url: nothing is fetched, got `{shown}`"))
                .hint("download it, check it, and name the file as `path`"));
        }
    };
    if bytes.len() as u64 > most {
        return Err(load(format!(
            "expected at most {MAX_COMPONENT_BYTES} bytes in all modules, got more"
        )));
    }
    if let Some(hash) = hash {
        let found = digest::sha256(&bytes);
        if !found.eq_ignore_ascii_case(&hash) {
            let hash = text::one_line(text::cut_bytes(&hash, 80));
            return Err(load(format!(
                "hash: the module has the SHA-256 `{found}`, and `{hash}` is expected"
            ))
            .hint("it is another module than the one that the manifest was written for"));
        }
    }
    if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        PluginBytes::Zstd(bytes.into()).component().map(std::borrow::Cow::into_owned)
    } else {
        Ok(bytes)
    }
}

/// Returns the manifest at `path` without its modules, for use next to native code.
///
/// # Errors
///
/// Those of [`component`], for the manifest alone.
pub(super) fn without_modules(path: &Path) -> Result<Vec<u8>> {
    let manifest = Wire { wasm: Vec::new(), ..read(path)? };
    serde_json::to_vec(&manifest).map_err(Error::bug)
}

/// Returns whether there is a manifest without modules, which exist as native code only.
pub(super) fn is_without_modules(path: &Path) -> bool {
    path.to_str().is_some_and(is_manifest) && read(path).is_ok_and(|it| it.wasm.is_empty())
}

/// Applies the restrictions of a plug-in's manifest to the skill, and returns warnings about parts that have no effect.
///
/// # Errors
///
/// Those of [`component`], for the manifest alone.
pub(super) fn narrow(skill: &mut Manifest, path: &Path) -> Result<Vec<String>> {
    let manifest = read(path)?;
    let CallLimits { time, memory_bytes, .. } = &mut skill.limits;
    if let Some(millis) = manifest.timeout_ms {
        *time = Duration::from_millis(millis.max(1)).min(*time);
    }
    if let Some(pages) = manifest.memory.max_pages {
        let bytes = u64::from(pages).saturating_mul(PAGE_BYTES).saturating_add(KERNEL_BYTES);
        *memory_bytes = bytes.min(*memory_bytes);
    }
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut warnings = Vec::new();
    if manifest.allowed_paths.is_some_and(|paths| !paths.is_empty()) {
        warnings.push(format!("{file}: allowed_paths: no effect: a plug-in sees no files"));
    }
    if manifest.allowed_hosts.is_some_and(|hosts| !hosts.is_empty())
        && skill.bounds.fetch.hosts.is_empty()
    {
        warnings.push(format!(
            "{file}: allowed_hosts: no effect: `fetch: {{hosts: [...]}}` in `grants` of `skill.yaml` says whom it may ask"
        ));
    }
    Ok(warnings)
}
