//! Pre-initialises the core module of the engine: `initialize <in.wasm> <out.wasm>`.
//!
//! The prelude of scripts is compiled here once instead of in every instance. The result depends on the module only, because
//! the random numbers and the clock are always the same.

use anyhow::{Context, Result, bail, ensure};
use std::pin::pin;
use std::process::ExitCode;
use std::task::{Poll, Waker};
use wasmi::{Caller, Engine, Extern, ExternType, Func, Instance, Linker, Module, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

/// The export that is called, and that the result does not have.
const INITIALIZE: &str = "wizer.initialize";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [input, output] => run(input, output),
        _ => Err(anyhow::anyhow!("usage: initialize <in.wasm> <out.wasm>")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(input: &str, output: &str) -> Result<()> {
    let wasm = std::fs::read(input).with_context(|| format!("cannot read `{input}`"))?;
    let mut wizer = Wizer::new();
    wizer.init_func(INITIALIZE);
    let (context, instrumented) =
        wizer.instrument(&wasm).map_err(|error| anyhow::anyhow!("{error:?}"))?;

    let engine = Engine::default();
    let module = Module::new(&engine, &instrumented[..])?;
    let mut store = Store::new(&engine, ());
    let linker = link(&mut store, &module)?;
    let instance = linker.instantiate_and_start(&mut store, &module)?;
    for name in ["_initialize", INITIALIZE] {
        let function = instance
            .get_typed_func::<(), ()>(&store, name)
            .with_context(|| format!("no export `{name}`"))?;
        function.call(&mut store, ()).with_context(|| format!("`{name}` failed"))?;
    }

    let mut state = State { store, instance };
    let snapshot = wizer.snapshot(&context, &mut state);
    // No import waits, so the future is ready at once.
    let Poll::Ready(result) =
        pin!(snapshot).poll(&mut std::task::Context::from_waker(Waker::noop()))
    else {
        bail!("the snapshot waits for something");
    };
    let result = result.map_err(|error| anyhow::anyhow!("{error:?}"))?;
    ensure!(!result.is_empty(), "the snapshot is empty");
    std::fs::write(output, result).with_context(|| format!("cannot write `{output}`"))
}

/// Defines the imports of the module: constant random numbers and clocks, nothing else.
fn link(store: &mut Store<()>, module: &Module) -> Result<Linker<()>> {
    let mut linker = Linker::new(store.engine());
    for import in module.imports() {
        let (space, name) = (import.module().to_owned(), import.name().to_owned());
        let ExternType::Func(ty) = import.ty() else {
            bail!("cannot give `{space}` `{name}`, which is no function");
        };
        let wasi = space == "wasi_snapshot_preview1";
        let place = format!("{space} {name}");
        let function =
            Func::new(&mut *store, ty.clone(), move |caller, arguments, results| {
                match (wasi, name_of(&place)) {
                    (true, "random_get") => fill(caller, arguments, results),
                    (true, "environ_sizes_get") => zeros(caller, arguments, results),
                    (true, "environ_get") => succeeded(results),
                    (true, "clock_time_get") => succeeded(results),
                    _ => {
                        Err(wasmi::Error::new(format!("the initialisation asks the host: {place}")))
                    }
                }
            });
        linker.define(&space, &name, function)?;
    }
    Ok(linker)
}

fn name_of(place: &str) -> &str {
    place.rsplit(' ').next().unwrap_or(place)
}

fn succeeded(results: &mut [Val]) -> Result<(), wasmi::Error> {
    results[0] = Val::I32(0);
    Ok(())
}

fn fill(
    caller: Caller<'_, ()>,
    arguments: &[Val],
    results: &mut [Val],
) -> Result<(), wasmi::Error> {
    let length = arguments.get(1).and_then(Val::i32).unwrap_or(0);
    write(caller, arguments, 0, &vec![0x5a; usize::try_from(length).unwrap_or(0)])?;
    succeeded(results)
}

fn zeros(
    mut caller: Caller<'_, ()>,
    arguments: &[Val],
    results: &mut [Val],
) -> Result<(), wasmi::Error> {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return Err(wasmi::Error::new("no memory"));
    };
    for argument in arguments {
        let place = usize::try_from(argument.i32().unwrap_or(0)).unwrap_or(0);
        memory
            .write(&mut caller, place, &[0; 4])
            .map_err(|error| wasmi::Error::new(error.to_string()))?;
    }
    succeeded(results)
}

fn write(
    mut caller: Caller<'_, ()>,
    arguments: &[Val],
    index: usize,
    bytes: &[u8],
) -> Result<(), wasmi::Error> {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return Err(wasmi::Error::new("no memory"));
    };
    let place = arguments.get(index).and_then(Val::i32).unwrap_or(0);
    let place = usize::try_from(place).unwrap_or(0);
    memory.write(&mut caller, place, bytes).map_err(|error| wasmi::Error::new(error.to_string()))
}

/// The state after the initialisation.
struct State {
    store: Store<()>,
    instance: Instance,
}

impl InstanceState for State {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self.instance.get_global(&self.store, name).expect("wizer exported it");
        match global.get(&self.store) {
            Val::I32(value) => SnapshotVal::I32(value),
            Val::I64(value) => SnapshotVal::I64(value),
            Val::F32(value) => SnapshotVal::F32(value.to_bits()),
            Val::F64(value) => SnapshotVal::F64(value.to_bits()),
            _ => unreachable!("the module has no references in globals"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory = self.instance.get_memory(&self.store, name).expect("wizer exported it");
        contents(memory.data(&self.store));
    }
}
