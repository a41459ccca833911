//! Enabled proposals of WebAssembly, each with its reason; every other one is refused by name.
//!
//! Two users share this list: the check that every component passes before Cranelift sees it, and the configuration of the
//! engine. A proposal that was compiled out of wasmtime must be disabled, because a library call that needs it aborts the
//! process. Does not inspect components itself.

use wasmtime::{Config, WasmFeatures};

/// Enabled proposal.
struct Needed {
    feature: WasmFeatures,
    #[cfg_attr(not(test), allow(dead_code, reason = "documentation for readers of the list"))]
    reason: &'static str,
}

const fn needed(feature: WasmFeatures, reason: &'static str) -> Needed {
    Needed { feature, reason }
}

/// All enabled proposals. A new entry must have a reason, and must be checked for library calls that this build does not have.
const NEEDED: [Needed; 13] = [
    needed(WasmFeatures::COMPONENT_MODEL, "components are what is loaded"),
    needed(WasmFeatures::FLOATS, "numbers of every language; no proposal, but can be switched off"),
    needed(
        WasmFeatures::MUTABLE_GLOBAL,
        "stack pointers of all compilers; imported ones of dynamic linking (CPython)",
    ),
    needed(WasmFeatures::SIGN_EXTENSION, "on by default in rustc, clang and TinyGo"),
    needed(
        WasmFeatures::SATURATING_FLOAT_TO_INT,
        "on by default in rustc and clang; casts of Rust",
    ),
    needed(
        WasmFeatures::MULTI_VALUE,
        "on by default in rustc and clang; block types with parameters after optimisers",
    ),
    needed(
        WasmFeatures::BULK_MEMORY,
        "`memory.copy` and `memory.fill` of rustc, clang and CPython",
    ),
    needed(
        WasmFeatures::REFERENCE_TYPES,
        "function tables as rustc and clang write them since LLVM 19",
    ),
    needed(WasmFeatures::SIMD, "builds with `simd128`: memchr, hashes, codecs, JavaScript engines"),
    needed(
        WasmFeatures::EXTENDED_CONST,
        "part of `lime1`, which wasi-sdk aims at; offsets in dynamically linked modules (CPython)",
    ),
    // The engine requires it: wasmtime's adapters between components of a composition move strings from one memory to the other,
    // and compiling them without the proposal panics. Memories are counted together, however many there are.
    needed(
        WasmFeatures::MULTI_MEMORY,
        "wasmtime's adapters between the components of a composition; WASI of plug-ins of Extism",
    ),
    needed(
        WasmFeatures::CALL_INDIRECT_OVERLONG,
        "part of reference types: how linkers leave room for an index",
    ),
    needed(WasmFeatures::BULK_MEMORY_OPT, "part of bulk memory"),
];

/// Returns the features that components may use.
pub(super) fn features() -> WasmFeatures {
    NEEDED.iter().fold(WasmFeatures::empty(), |all, needed| all | needed.feature)
}

/// Makes the engine accept exactly [`features`].
pub(super) fn configure(config: &mut Config) {
    let features = features();
    config.wasm_features(features.complement(), false).wasm_features(features, true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_proposal_that_is_on_has_a_reason_and_none_is_on_that_ends_the_process() {
        let needed = features();
        for off in [
            WasmFeatures::GC,
            WasmFeatures::FUNCTION_REFERENCES,
            WasmFeatures::THREADS,
            WasmFeatures::EXCEPTIONS,
        ] {
            assert!(!needed.intersects(off), "{off:?}");
        }
        assert!(NEEDED.iter().all(|needed| !needed.reason.is_empty()));
    }
}
