//! The reader of pictures of Mitt as a precompiled WebAssembly component. A crate of its own, as packages of the registry may have 10 MiB.

#![forbid(unsafe_code)]
#![no_std]

/// `skill.yaml`.
pub const MANIFEST: &str = include_str!("skill.yaml");
/// `skill.yaml` as JSON.
pub const MANIFEST_JSON: &str = include_str!("skill.json");
/// `SKILL.md`.
pub const INSTRUCTIONS: &str = include_str!("SKILL.md");
/// The component, compressed by zstd.
pub const COMPONENT: &[u8] = include_bytes!("reader-images.wasm.zst");
/// BLAKE3 hash of `COMPONENT`, 64 hexadecimal digits.
pub const COMPONENT_BLAKE3: &str = include_str!("component.blake3");
