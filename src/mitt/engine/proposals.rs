//! The proposals of WebAssembly that are on, each with its reason; every other one is refused by name.
//!
//! Two readers share this list: the check that every component passes before Cranelift sees it, and the configuration of the
//! engine. A proposal whose feature was compiled out of wasmtime must be off, because a library call of such a feature ends the
//! process. Does not look at components itself.

use wasmtime::{Config, WasmFeatures};

/// A proposal that components may use.
struct Needed {
    feature: WasmFeatures,
    #[cfg_attr(not(test), allow(dead_code, reason = "for whoever reads or changes the list"))]
    reason: &'static str,
}

const fn needed(feature: WasmFeatures, reason: &'static str) -> Needed {
    Needed { feature, reason }
}

/// All that are on. What is added here must have a reason, and is gone through for library calls that this build does not have.
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
    // The engine cannot do without it: wasmtime's own code between two components of a composition moves strings from one
    // memory to the other, and making that code without the proposal is a panic. Memories are added up, however many.
    needed(
        WasmFeatures::MULTI_MEMORY,
        "wasmtime's adapters between the components of a composition",
    ),
    needed(
        WasmFeatures::CALL_INDIRECT_OVERLONG,
        "part of reference types: how linkers leave room for an index",
    ),
    needed(WasmFeatures::BULK_MEMORY_OPT, "part of bulk memory"),
];

/// What a component may use.
pub(super) fn features() -> WasmFeatures {
    NEEDED.iter().fold(WasmFeatures::empty(), |all, needed| all | needed.feature)
}

/// Let the engine accept exactly [`features`].
pub(super) fn configure(config: &mut Config) {
    let features = features();
    config.wasm_features(features.complement(), false).wasm_features(features, true);
}

/// A proposal that is off: its name, and what its user can do about it.
#[cfg(feature = "compile")]
pub(super) struct Refused {
    pub(super) name: &'static str,
    pub(super) way_out: &'static str,
}

/// The proposal that `missing` would switch on.
#[cfg(feature = "compile")]
pub(super) fn refused(missing: WasmFeatures) -> Option<Refused> {
    REFUSED
        .iter()
        .find(|(feature, ..)| missing.intersects(*feature))
        .map(|&(_, name, way_out)| Refused { name, way_out })
}

#[cfg(feature = "compile")]
const LINEAR_MEMORY: &str = "build it for linear memory, as rustc, clang, TinyGo and componentize-py do, and without this proposal";
#[cfg(feature = "compile")]
const NO_THREADS: &str = "build it without threads and atomics, such as for `wasm32-wasip2` instead of `wasm32-wasip1-threads`";
#[cfg(feature = "compile")]
const NO_ASYNC: &str = "build it without streams, futures, error contexts and async functions, which this host does not have";
#[cfg(feature = "compile")]
const LEAVE_OUT: &str = "leave the proposal out in the options of its compiler";
#[cfg(feature = "compile")]
const OLD_WIT: &str = "write its interface without this addition to WIT";

/// Names of what is off, and the way out.
#[cfg(feature = "compile")]
const REFUSED: [(WasmFeatures, &str, &str); 27] = [
    (WasmFeatures::CM_ASYNC, "component-model-async", NO_ASYNC),
    (WasmFeatures::CM_ASYNC_STACKFUL, "component-model-async-stackful", NO_ASYNC),
    (WasmFeatures::CM_MORE_ASYNC_BUILTINS, "component-model-more-async-builtins", NO_ASYNC),
    (WasmFeatures::CM_THREADING, "component-model-threading", NO_ASYNC),
    (WasmFeatures::CM_ERROR_CONTEXT, "component-model-error-context", NO_ASYNC),
    (WasmFeatures::CM_GC, "component-model-gc", LINEAR_MEMORY),
    (WasmFeatures::CM_VALUES, "component-model-values", OLD_WIT),
    (WasmFeatures::CM_NESTED_NAMES, "component-model-nested-names", OLD_WIT),
    (WasmFeatures::CM_FIXED_LENGTH_LISTS, "component-model-fixed-length-lists", OLD_WIT),
    (WasmFeatures::CM_MAP, "component-model-map", OLD_WIT),
    (WasmFeatures::CM_IMPLEMENTS, "component-model-implements", OLD_WIT),
    (WasmFeatures::CM_CANON_NAMES, "component-model-canonical-names", OLD_WIT),
    (WasmFeatures::CM64, "component-model-memory64", "build it with 32-bit addresses"),
    (WasmFeatures::MEMORY64, "memory64", "build it with 32-bit addresses"),
    (WasmFeatures::THREADS, "threads", NO_THREADS),
    (WasmFeatures::SHARED_EVERYTHING_THREADS, "shared-everything-threads", NO_THREADS),
    (WasmFeatures::GC, "gc", LINEAR_MEMORY),
    (WasmFeatures::GC_TYPES, "gc", LINEAR_MEMORY),
    (WasmFeatures::FUNCTION_REFERENCES, "function-references", LINEAR_MEMORY),
    (WasmFeatures::CUSTOM_DESCRIPTORS, "custom-descriptors", LINEAR_MEMORY),
    (
        WasmFeatures::EXCEPTIONS,
        "exceptions",
        "build it without exceptions, such as with `-fno-exceptions` or `panic = \"abort\"`",
    ),
    (
        WasmFeatures::LEGACY_EXCEPTIONS,
        "legacy-exceptions",
        "build it without exceptions, such as with `-fno-exceptions` or `panic = \"abort\"`",
    ),
    (WasmFeatures::TAIL_CALL, "tail-call", "build it without `-mtail-call`"),
    (WasmFeatures::STACK_SWITCHING, "stack-switching", LEAVE_OUT),
    (
        WasmFeatures::RELAXED_SIMD,
        "relaxed-simd",
        "build it without `relaxed-simd`; plain SIMD is there",
    ),
    (WasmFeatures::WIDE_ARITHMETIC, "wide-arithmetic", LEAVE_OUT),
    (WasmFeatures::CUSTOM_PAGE_SIZES, "custom-page-sizes", LEAVE_OUT),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_proposal_is_either_needed_or_refused() {
        let needed = features();
        for (name, flag) in WasmFeatures::all().iter_names() {
            // Two that nothing outside of wasmparser can switch on or off yet.
            let unknown = ["MEMORY_CONTROL", "COMPACT_IMPORTS"].contains(&name);
            let is_needed = needed.contains(flag);
            #[cfg(feature = "compile")]
            assert!(is_needed || unknown || refused(flag).is_some(), "{name} is in no list");
            assert!(!(is_needed && unknown), "{name}");
        }
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

    /// Two locks on one door: the engine refuses it too, were it ever asked without the check.
    #[test]
    #[cfg(feature = "compile")]
    fn the_engine_itself_refuses_what_would_end_the_process() {
        let wat = r#"(component
            (core module $m (type $a (sub (func))) (type $b (sub $a (func))) (type $run (func))
                (table 1 funcref) (elem (i32.const 0) $g) (func $g (type $b))
                (func (export "run") (type $run) (call_indirect (type $a) (i32.const 0))))
            (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#;
        let component = wat::parse_str(wat).unwrap();
        let engine = crate::engine::Engine::new(crate::engine::EngineOptions::default()).unwrap();
        let error = engine.inner.wasmtime.precompile_component(&component).unwrap_err();
        assert!(format!("{error:#}").contains("gc proposal"), "{error:#}");
        assert!(crate::engine::check::Checked::new(&component).is_err());
    }
}
