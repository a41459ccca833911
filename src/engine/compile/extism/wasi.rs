//! WASI preview 1 for the modules that import it. The kernel implements the functions; this file generates the modules in
//! between.
//!
//! A module needs its imports before the memory exists that they work on. So a generated module before it passes each call on to
//! the kernel, and one after it stores in the kernel's table how to read and write the module's memory.

use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection,
    Function, FunctionSection, GlobalSection, GlobalType, HeapType, Module, StartSection, ValType,
};

use super::module;
use super::parts::{Core, Parts};
use mitt_base::{Error, ErrorKind, Result};

/// Name under which plug-ins import WASI.
pub(super) const WASI: &str = "wasi_snapshot_preview1";

/// Implementation of a function.
enum Implementation {
    /// The kernel implements it, under a name that begins with `wasi_`.
    Kernel,
    /// It always returns this number: there are no files, sockets or signals, and nothing to copy from an empty environment.
    Number(i32),
}

const SUCCESS: Implementation = Implementation::Number(0);
const BADF: Implementation = Implementation::Number(8);
const NOTSUP: Implementation = Implementation::Number(58);

/// All functions of WASI preview 1, with their parameters. All but `proc_exit` return a number.
const FUNCTIONS: [(&str, &[ValType], Implementation); 46] = {
    use Implementation::Kernel;
    use ValType::{I32, I64};
    [
        ("args_get", &[I32; 2], SUCCESS),
        ("args_sizes_get", &[I32; 2], Kernel),
        ("clock_res_get", &[I32; 2], Kernel),
        ("clock_time_get", &[I32, I64, I32], Kernel),
        ("environ_get", &[I32; 2], SUCCESS),
        ("environ_sizes_get", &[I32; 2], Kernel),
        ("fd_advise", &[I32, I64, I64, I32], BADF),
        ("fd_allocate", &[I32, I64, I64], BADF),
        ("fd_close", &[I32], Kernel),
        ("fd_datasync", &[I32], BADF),
        ("fd_fdstat_get", &[I32; 2], Kernel),
        ("fd_fdstat_set_flags", &[I32; 2], Kernel),
        ("fd_fdstat_set_rights", &[I32, I64, I64], BADF),
        ("fd_filestat_get", &[I32; 2], Kernel),
        ("fd_filestat_set_size", &[I32, I64], BADF),
        ("fd_filestat_set_times", &[I32, I64, I64, I32], BADF),
        ("fd_pread", &[I32, I32, I32, I64, I32], BADF),
        ("fd_prestat_dir_name", &[I32; 3], BADF),
        ("fd_prestat_get", &[I32; 2], BADF),
        ("fd_pwrite", &[I32, I32, I32, I64, I32], BADF),
        ("fd_read", &[I32; 4], Kernel),
        ("fd_readdir", &[I32, I32, I32, I64, I32], BADF),
        ("fd_renumber", &[I32; 2], BADF),
        ("fd_seek", &[I32, I64, I32, I32], Kernel),
        ("fd_sync", &[I32], BADF),
        ("fd_tell", &[I32; 2], Kernel),
        ("fd_write", &[I32; 4], Kernel),
        ("path_create_directory", &[I32; 3], BADF),
        ("path_filestat_get", &[I32; 5], BADF),
        ("path_filestat_set_times", &[I32, I32, I32, I32, I64, I64, I32], BADF),
        ("path_link", &[I32; 7], BADF),
        ("path_open", &[I32, I32, I32, I32, I32, I64, I64, I32, I32], BADF),
        ("path_readlink", &[I32; 6], BADF),
        ("path_remove_directory", &[I32; 3], BADF),
        ("path_rename", &[I32; 6], BADF),
        ("path_symlink", &[I32; 5], BADF),
        ("path_unlink_file", &[I32; 3], BADF),
        ("poll_oneoff", &[I32; 4], Kernel),
        ("proc_exit", &[I32], Kernel),
        ("proc_raise", &[I32], NOTSUP),
        ("random_get", &[I32; 2], Kernel),
        ("sched_yield", &[], SUCCESS),
        ("sock_accept", &[I32; 3], BADF),
        ("sock_recv", &[I32; 6], BADF),
        ("sock_send", &[I32; 5], BADF),
        ("sock_shutdown", &[I32; 2], BADF),
    ]
};

/// Functions of the kernel that do not access the memory of the plug-in.
const WITHOUT_MEMORY: [&str; 5] =
    ["fd_close", "fd_fdstat_set_flags", "fd_seek", "fd_tell", "proc_exit"];

fn results(name: &str) -> &'static [ValType] {
    if name == "proc_exit" { &[] } else { &[ValType::I32] }
}

/// Returns the functions that a module imports from WASI, each once.
///
/// # Errors
///
/// [`ErrorKind::Load`] - WASI has no function of this name and type.
fn imported(
    module: &module::Module<'_>,
) -> Result<Vec<&'static (&'static str, &'static [ValType], Implementation)>> {
    let mut found: Vec<&(&str, &[ValType], Implementation)> = Vec::new();
    for import in module.imports.iter().filter(|import| import.module == WASI) {
        let known = FUNCTIONS.iter().find(|(name, params, _)| {
            *name == import.name
                && import.function.as_ref().is_some_and(|ty| {
                    let params = params.iter().map(|ty| encoded(*ty));
                    ty.params().iter().copied().eq(params)
                        && ty
                            .results()
                            .iter()
                            .copied()
                            .eq(results(name).iter().map(|ty| encoded(*ty)))
                })
        });
        let Some(known) = known else {
            let message = format!(
                "`{}` imports `{}` of `{WASI}`, which is not there, or is of another type",
                module.name, import.name
            );
            return Err(Error::new(ErrorKind::Load, message)
                .hint("build it for WASI preview 1 (`wasm32-wasip1`)"));
        };
        let needs_memory =
            matches!(known.2, Implementation::Kernel) && !WITHOUT_MEMORY.contains(&known.0);
        if needs_memory && !module.has_memory {
            let message =
                format!("`{}` imports `{}` of `{WASI}`, and has no memory", module.name, known.0);
            return Err(Error::new(ErrorKind::Load, message)
                .hint("export its memory by the name `memory`, as all PDKs do"));
        }
        if !found.iter().any(|(name, ..)| *name == known.0) {
            found.push(known);
        }
    }
    Ok(found)
}

/// Converts the type to the one of the parser.
fn encoded(ty: ValType) -> wasmparser::ValType {
    if ty == ValType::I64 { wasmparser::ValType::I64 } else { wasmparser::ValType::I32 }
}

/// Adds the WASI functions that `module` imports. Returns the instance to import them from.
///
/// # Errors
///
/// [`ErrorKind::Load`] - the module imports something that WASI preview 1 does not have.
pub(super) fn before(parts: &mut Parts, kernel: u32, module: &module::Module<'_>) -> Result<u32> {
    let functions = imported(module)?;
    let code = parts.module(&handing_on(&functions));
    Ok(parts.instantiate(code, &[("kernel", kernel)]))
}

/// Tells the kernel how to access the memory of an instance that imports from `wasi`.
pub(super) fn after(
    parts: &mut Parts,
    kernel: u32,
    wasi: u32,
    (module, instance): (&module::Module<'_>, u32),
) {
    let code = parts.module(&copying(module.has_memory));
    let mut arguments = vec![("kernel", kernel), ("wasi", wasi)];
    // Without a memory, the module has nothing to import from the instance.
    if module.has_memory {
        arguments.push(("plugin", instance));
    }
    parts.instantiate(code, &arguments);
}

/// Returns the module that passes calls on to the kernel, with the table indices of the functions of [`copying`].
fn handing_on(imported: &[&(&str, &[ValType], Implementation)]) -> Vec<u8> {
    use ValType::I32;
    let mut core = Core::default();
    let mut kernel = Vec::new();
    for (name, params, implementation) in imported {
        kernel.push(matches!(implementation, Implementation::Kernel).then(|| {
            let params: Vec<ValType> = std::iter::once(I32).chain(params.iter().copied()).collect();
            core.import("kernel", &format!("wasi_{name}"), &params, results(name))
        }));
    }
    core.import_table("kernel");
    let mut globals = GlobalSection::new();
    globals.global(
        GlobalType { val_type: I32, mutable: true, shared: false },
        &ConstExpr::i32_const(0),
    );
    let (mut functions, mut code, mut exports) =
        (FunctionSection::new(), CodeSection::new(), ExportSection::new());
    exports.export("place", ExportKind::Global, 0);
    functions.function(core.ty(&[], &[]));
    let mut start = Function::new([]);
    start.instructions().ref_null(HeapType::FUNC).i32_const(2).table_grow(0).global_set(0).end();
    code.function(&start);
    for (index, (name, params, implementation)) in (1..).zip(imported) {
        functions.function(core.ty(params, results(name)));
        let mut function = Function::new([]);
        let mut body = function.instructions();
        match (kernel[index as usize - 1], implementation) {
            (None, Implementation::Number(number)) => body.i32_const(*number),
            (known, _) => {
                body.global_get(0);
                for (param, _) in (0..).zip(*params) {
                    body.local_get(param);
                }
                body.call(known.unwrap_or(0))
            }
        };
        body.end();
        code.function(&function);
        exports.export(name, ExportKind::Func, core.count + index);
    }
    let mut module = Module::new();
    module.section(&core.types).section(&core.imports).section(&functions).section(&globals);
    module.section(&exports).section(&StartSection { function_index: core.count }).section(&code);
    module.finish()
}

/// Returns the module that copies between the kernel's memory and that of a module that imports WASI.
fn copying(has_memory: bool) -> Vec<u8> {
    use ValType::{I32, I64};
    const KERNEL: u32 = 0;
    const PLUGIN: u32 = 1;
    let mut core = Core::default();
    core.import_memory("kernel");
    core.import_table("kernel");
    let place = GlobalType { val_type: I32, mutable: true, shared: false };
    core.imports.import("wasi", "place", EntityType::Global(place));
    if has_memory {
        core.import_memory("plugin");
    }
    let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
    functions.function(core.ty(&[], &[]));
    let mut start = Function::new([]);
    start.instructions().global_get(0).i32_const(0).i32_const(2).table_init(0, 0).end();
    code.function(&start);
    // The unused first parameter makes the type differ from that of every host function.
    let ty = core.ty(&[I64, I32, I32, I32], &[]);
    for (to, from) in [(KERNEL, PLUGIN), (PLUGIN, KERNEL)] {
        functions.function(ty);
        let mut function = Function::new([]);
        let mut body = function.instructions();
        if has_memory {
            body.local_get(1).local_get(2).local_get(3).memory_copy(to, from)
        } else {
            body.unreachable()
        };
        body.end();
        code.function(&function);
    }
    let mut elements = ElementSection::new();
    elements.passive(Elements::Functions([1, 2].as_slice().into()));
    let mut module = Module::new();
    module.section(&core.types).section(&core.imports).section(&functions);
    module.section(&StartSection { function_index: 0 }).section(&elements).section(&code);
    module.finish()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns imports of all functions, in the text format of WebAssembly.
    pub(in super::super) fn as_imports() -> String {
        let types = |types: &[ValType]| {
            let names = types.iter().map(|ty| if *ty == ValType::I64 { "i64" } else { "i32" });
            names.collect::<Vec<_>>().join(" ")
        };
        let one = |(name, params, _): &(&str, &[ValType], Implementation)| {
            let (params, results) = (types(params), types(results(name)));
            format!(r#"(import "{WASI}" "{name}" (func (param {params}) (result {results})))"#)
        };
        FUNCTIONS.iter().map(one).collect()
    }

    #[test]
    fn every_function_is_there_once_and_in_order() {
        assert!(FUNCTIONS.is_sorted_by(|(a, ..), (b, ..)| a < b));
    }
}
