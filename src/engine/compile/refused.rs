//! Disabled proposals of WebAssembly, each with a name and advice for its user.
//!
//! `proposals.rs` lists the enabled ones.

use wasmtime::WasmFeatures;

/// Disabled proposal: its name, and advice for its user.
pub(super) struct Refused {
    pub(super) name: &'static str,
    pub(super) way_out: &'static str,
}

/// Returns the proposal that enables `missing`.
pub(super) fn refused(missing: WasmFeatures) -> Option<Refused> {
    REFUSED
        .iter()
        .find(|(feature, ..)| missing.intersects(*feature))
        .map(|&(_, name, way_out)| Refused { name, way_out })
}

const LINEAR_MEMORY: &str = "build it for linear memory, as rustc, clang, TinyGo and componentize-py do, and without this proposal";
const NO_THREADS: &str = "build it without threads and atomics, such as for `wasm32-wasip2` instead of `wasm32-wasip1-threads`";
const NO_ASYNC: &str = "build it without streams, futures, error contexts and async functions, which this host does not have";
const LEAVE_OUT: &str = "leave the proposal out in the options of its compiler";
const OLD_WIT: &str = "write its interface without this addition to WIT";

/// Names of disabled proposals, and advice.
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
    use super::super::check::Checked;
    use super::*;
    use crate::proposals::features;
    use crate::{Engine, EngineOptions};

    #[test]
    fn every_proposal_is_either_needed_or_refused() {
        let needed = features();
        for (name, flag) in WasmFeatures::all().iter_names() {
            // Two flags that cannot be switched outside of wasmparser yet.
            let unknown = ["MEMORY_CONTROL", "COMPACT_IMPORTS"].contains(&name);
            let is_needed = needed.contains(flag);
            assert!(is_needed || unknown || refused(flag).is_some(), "{name} is in no list");
            assert!(!(is_needed && unknown), "{name}");
        }
    }

    /// A second line of defence: the engine refuses it as well, if it ever gets an unchecked component.
    #[test]
    fn the_engine_itself_refuses_what_would_end_the_process() {
        let wat = r#"(component
            (core module $m (type $a (sub (func))) (type $b (sub $a (func))) (type $run (func))
                (table 1 funcref) (elem (i32.const 0) $g) (func $g (type $b))
                (func (export "run") (type $run) (call_indirect (type $a) (i32.const 0))))
            (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#;
        let component = wat::parse_str(wat).unwrap();
        let engine = Engine::new(EngineOptions::default()).unwrap();
        let error = engine.inner.wasmtime.precompile_component(&component).unwrap_err();
        assert!(format!("{error:#}").contains("gc proposal"), "{error:#}");
        assert!(Checked::new(&component).is_err());
    }
}
