//! Components out of bytes: core modules of every proposal that there is, wrapped so that a host can call them.

use std::time::{Duration, Instant};

use arbitrary::Unstructured;
use mitt::{CallLimits, ErrorKind, Host, SessionOptions};

use super::{bounded, runtime};

/// Longest compilation and call of what passes the bounds, on a machine that is much slower than ours.
const PATIENCE: Duration = Duration::from_secs(60);

/// A component is refused, or compiled and called under limits; whatever it is, the process lives.
pub fn component(data: &[u8]) {
    let mut source = Unstructured::new(data);
    let Ok(kind) = source.int_in_range(0..=7_u8) else { return };
    let component = match kind {
        // Components as wasm-smith makes them: nested, with imports, hardly ever to be called.
        0 => match wasm_smith::Component::new(wasm_smith::Config::default(), &mut source) {
            Ok(component) => component.to_bytes(),
            Err(_) => return,
        },
        _ => match module(&mut source) {
            Some(module) => wrapped(&module, &["run"]),
            None => return,
        },
    };
    component_bytes(&component);
}

/// As [`component`], of the bytes of one.
pub fn component_bytes(component: &[u8]) {
    let start = Instant::now();
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .call_limits(limits())
        .component_bytes("fuzz", component.to_vec())
        .build();
    let host = match host {
        Ok(host) => host,
        Err(error) => return bounded(&error, &[ErrorKind::Load]),
    };
    let session = host.session(SessionOptions::default()).unwrap();
    for tool in ["fuzz__run", "fuzz__run"] {
        let report = runtime().block_on(session.call(tool, "{}"));
        if let Err(error) = report.result {
            let expected = matches!(
                error.kind(),
                ErrorKind::Load | ErrorKind::Trap | ErrorKind::Denied | ErrorKind::UnknownTool
            );
            assert!(
                expected || error.limit_reached().is_some(),
                "{:?}: {}",
                error.kind(),
                error.render()
            );
        }
    }
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

/// A module with a function `run` and nothing imported; the rest is chosen: what it may use, and how much of it.
fn module(source: &mut Unstructured<'_>) -> Option<Vec<u8>> {
    let run = wat::parse_str("(module (func (export \"run\")))").ok()?;
    let bits: u32 = source.arbitrary().ok()?;
    let is_on = |bit: u32| bits >> bit & 1 == 1;
    // Half of all modules use only what passes, since most of the others are refused at once.
    let foreign = is_on(31);
    let config = wasm_smith::Config {
        exports: Some(run),
        max_imports: 0,
        available_imports: None,
        allow_start_export: is_on(0),
        simd_enabled: is_on(1),
        relaxed_simd_enabled: is_on(1) && is_on(2),
        bulk_memory_enabled: is_on(3),
        // Asks for bulk memory.
        reference_types_enabled: is_on(3) && is_on(4),
        multi_value_enabled: is_on(5),
        sign_extension_ops_enabled: is_on(6),
        saturating_float_to_int_enabled: is_on(7),
        extended_const_enabled: foreign && is_on(8),
        tail_call_enabled: foreign && is_on(9),
        threads_enabled: foreign && is_on(10),
        exceptions_enabled: foreign && is_on(11),
        memory64_enabled: foreign && is_on(12),
        gc_enabled: foreign && is_on(3) && is_on(4) && is_on(13),
        wide_arithmetic_enabled: foreign && is_on(14),
        custom_page_sizes_enabled: foreign && is_on(15),
        max_memories: if foreign && is_on(16) { 4 } else { 1 },
        max_tables: if is_on(17) && is_on(4) && is_on(3) { 4 } else { 1 },
        max_instructions: 1 << (4 + bits.count_ones() % 10),
        max_funcs: if is_on(18) { 1_000 } else { 20 },
        max_globals: if is_on(19) { 5_000 } else { 20 },
        max_types: if is_on(20) { 1_000 } else { 20 },
        canonicalize_nans: false,
        ..wasm_smith::Config::default()
    };
    let module = wasm_smith::Module::new(config, source).ok()?;
    Some(module.to_bytes())
}

pub(super) fn limits() -> CallLimits {
    CallLimits {
        fuel: 2_000_000,
        time: Duration::from_secs(5),
        memory_bytes: 16 * 1024 * 1024,
        ..CallLimits::default()
    }
}

/// A component with the tools `run`, which returns, and `spin`, which does not.
pub(super) fn plain() -> Vec<u8> {
    let text = "(module (func (export \"run\")) (func (export \"spin\") (loop (br 0))))";
    wrapped(&wat::parse_str(text).unwrap(), &["run", "spin"])
}

/// A component around a core module that exports functions without parameters and results.
fn wrapped(module: &[u8], functions: &[&str]) -> Vec<u8> {
    let mut component = b"\0asm\x0d\0\x01\0".to_vec();
    let mut section = |id: u8, content: &[u8]| {
        component.push(id);
        component.extend(leb(content.len()));
        component.extend(content);
    };
    let many = |items: &[Vec<u8>]| [leb(items.len()), items.concat()].concat();
    let name = |name: &str| [leb(name.len()), name.as_bytes().to_vec()].concat();
    let all = |item: &dyn Fn(usize, &str) -> Vec<u8>| {
        many(&functions.iter().enumerate().map(|(at, name)| item(at, name)).collect::<Vec<_>>())
    };
    section(1, module);
    // One instance of module 0 without arguments.
    section(2, &[1, 0, 0, 0]);
    // Its core functions.
    section(6, &all(&|_, it| [vec![0, 0, 1, 0], name(it)].concat()));
    // One type: nothing in, nothing out.
    section(7, &[1, 0x40, 0, 1, 0]);
    // Lifted, without options.
    section(8, &all(&|at, _| [vec![0, 0], leb(at), vec![0, 0]].concat()));
    section(11, &all(&|at, it| [vec![0], name(it), vec![1], leb(at), vec![0]].concat()));
    component
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
