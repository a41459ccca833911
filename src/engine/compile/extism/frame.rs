//! Parts around a plug-in in its component: before it the kernel, with the host functions that it calls; after it the functions
//! that the component exports.
//!
//! The kernel imports nothing, since its functions must exist before those of the host can be lowered into its memory. A small
//! module, the wiring, stores the host functions in the kernel's table later.

use std::collections::BTreeMap;

use wasm_encoder::{
    CanonicalOption, CodeSection, ComponentTypeRef, ComponentValType, DataCountSection,
    DataSection, ElementSection, Elements, ExportKind, ExportSection, Function, FunctionSection,
    HeapType, InstanceType, Instruction, Module, PrimitiveValType, StartSection, ValType,
};

use super::module;
use super::parts::{Core, Parts};
use crate::extism::{HOST, PLUGIN, USER, WASI_HOST, component_name};

/// The kernel; see `plugins/extism-kernel`.
pub(super) const KERNEL: &[u8] = include_bytes!("kernel.wasm");

/// Function that starts Haskell's runtime.
const HASKELL: &str = "hs_init";
/// Function that starts a WASI reactor.
const INITIALIZE: &str = "_initialize";

/// Instances that a plug-in can import from.
pub(super) struct Frame {
    /// Instance of the kernel, which provides all of `extism:host/env`.
    pub(super) kernel: u32,
    /// Functions of the embedder, by the names that plug-ins use.
    pub(super) user: u32,
    memory: u32,
    realloc: u32,
}

/// Functions of the embedder that a plug-in imports: the number of parameters, and whether there is a result.
pub(super) type UserFunctions<'a> = BTreeMap<&'a str, (usize, bool)>;

fn bytes() -> ComponentValType {
    PrimitiveValType::U8.into()
}

impl Frame {
    /// Writes the beginning of a component, with the host functions that WASI needs if `with_wasi`.
    pub(super) fn new(
        parts: &mut Parts,
        user: &UserFunctions<'_>,
        with_wasi: bool,
        config: &BTreeMap<String, String>,
    ) -> Frame {
        let host = parts.import(HOST, &host_type());
        let wasi = with_wasi.then(|| parts.import(WASI_HOST, &wasi_type()));
        let imported = (!user.is_empty()).then(|| parts.import(USER, &user_type(user)));
        let kernel = parts.module(KERNEL);
        let kernel = parts.instantiate(kernel, &[]);
        let memory = parts.memory(kernel, "memory");
        let realloc = parts.core_function(kernel, "cabi_realloc");
        let with_realloc = [CanonicalOption::Memory(memory), CanonicalOption::Realloc(realloc)];
        let mut called: Vec<(u32, Lowered)> = OF_HOST.map(|it| (host, it)).to_vec();
        called.extend(wasi.iter().flat_map(|wasi| OF_WASI_HOST.map(|it| (*wasi, it))));
        let mut lowered: Vec<(String, u32)> = called
            .iter()
            .map(|(from, (name, ..))| {
                ((*name).to_owned(), parts.lowered((*from, name), with_realloc))
            })
            .collect();
        if let Some(imported) = imported {
            for name in user.keys() {
                let name = component_name(name);
                let function = parts.lowered((imported, &name), with_realloc);
                lowered.push((name, function));
            }
        }
        let lowered = parts.functions(&lowered);
        let called: Vec<Lowered> = called.into_iter().map(|(_, it)| it).collect();
        let wiring = parts.module(&wiring(&called, user, &entries(config)));
        let user = parts.instantiate(wiring, &[("kernel", kernel), ("host", lowered)]);
        Frame { kernel, user, memory, realloc }
    }

    /// Writes the end of a component: the exports for the functions of `plugin`, given its instance.
    pub(super) fn exports(
        &self,
        parts: &mut Parts,
        (plugin, instance): (&module::Module<'_>, u32),
    ) {
        let callable: Vec<(&str, bool)> = plugin.callable();
        let beginnings = beginnings(plugin);
        let names = callable.iter().map(|(name, _)| *name);
        let names = names.chain(beginnings.iter().map(|(name, _)| *name));
        let functions: Vec<(String, u32)> = names
            .enumerate()
            .map(|(index, name)| (index.to_string(), parts.core_function(instance, name)))
            .collect();
        let functions = parts.functions(&functions);
        let results: Vec<bool> = callable.iter().map(|(_, result)| *result).collect();
        let starts: Vec<bool> = beginnings.iter().map(|(_, takes)| *takes).collect();
        let calls = parts.module(&calls(&results, &starts));
        let calls = parts.instantiate(calls, &[("kernel", self.kernel), ("plugin", functions)]);
        let ended = parts.core_function(self.kernel, "ended");
        let list = parts.bytes_type();
        let result = parts.defined_type(|ty| {
            ty.result(Some(ComponentValType::Type(list)), Some(ComponentValType::Type(list)));
        });
        let ty = parts.function_type(|mut ty| {
            ty.params([("input", ComponentValType::Type(list))])
                .result(Some(ComponentValType::Type(result)));
        });
        let mut exported = Vec::new();
        for (index, (name, _)) in callable.iter().enumerate() {
            let function = parts.core_function(calls, &index.to_string());
            let options = [
                CanonicalOption::Memory(self.memory),
                CanonicalOption::Realloc(self.realloc),
                CanonicalOption::PostReturn(ended),
            ];
            exported.push((component_name(name), parts.lifted(function, ty, options)));
        }
        parts.export(PLUGIN, &exported);
    }
}

/// Starts the runtime of a module that others import.
pub(super) fn begin(parts: &mut Parts, (module, instance): (&module::Module<'_>, u32)) {
    if !module.exports(INITIALIZE, 0, 0) {
        return;
    }
    let mut core = Core::default();
    let function_index = core.import("module", INITIALIZE, &[], &[]);
    let mut beginning = Module::new();
    beginning.section(&core.types).section(&core.imports);
    beginning.section(&StartSection { function_index });
    let code = parts.module(&beginning.finish());
    parts.instantiate(code, &[("module", instance)]);
}

/// Returns the functions that a plug-in's runtime needs to be called first, in order, and whether each takes an empty command
/// line.
pub(super) fn beginnings(plugin: &module::Module<'_>) -> Vec<(&'static str, bool)> {
    let initialize = (INITIALIZE, false);
    let has_initialize = plugin.exports(INITIALIZE, 0, 0);
    if plugin.exports(HASKELL, 2, 0) {
        // A plug-in in Haskell.
        return has_initialize.then_some(initialize).into_iter().chain([(HASKELL, true)]).collect();
    }
    // `_initialize` calls `__wasm_call_ctors` itself.
    if plugin.exports("__wasm_call_ctors", 0, 0) && !has_initialize {
        vec![("__wasm_call_ctors", false)]
    } else {
        has_initialize.then_some(initialize).into_iter().collect()
    }
}

/// Host function as the kernel calls it: its name, parameters and results.
type Lowered = (&'static str, &'static [ValType], &'static [ValType]);

/// Host functions of every plug-in. The kernel relies on their order, and on that of [`OF_WASI_HOST`] after them.
const OF_HOST: [Lowered; 4] = {
    use ValType::I32;
    [
        ("log", &[I32; 3], &[]),
        ("refuse", &[I32], &[]),
        ("http", &[I32; 6], &[]),
        ("said", &[I32; 2], &[]),
    ]
};

/// Host functions for WASI.
const OF_WASI_HOST: [Lowered; 5] = {
    use ValType::{I32, I64};
    [
        ("write", &[I32; 3], &[]),
        ("clock", &[I32], &[I64]),
        ("random", &[I32; 2], &[]),
        ("wait", &[I64], &[]),
        ("exit", &[I32; 4], &[]),
    ]
};

fn host_type() -> InstanceType {
    let mut host = InstanceType::new();
    host.ty().defined_type().list(bytes());
    let list = ComponentValType::Type(0);
    host.ty().defined_type().option(list);
    host.ty().defined_type().tuple([PrimitiveValType::U16.into(), list, list]);
    host.ty()
        .function()
        .params([("level", PrimitiveValType::U8.into()), ("message", list)])
        .result(None);
    host.ty().function().params([("reason", PrimitiveValType::U32)]).result(None);
    host.ty()
        .function()
        .params([("request", list), ("body", ComponentValType::Type(1))])
        .result(Some(ComponentValType::Type(2)));
    host.ty().function().params([("message", list)]).result(None);
    for (ty, (name, ..)) in (3..).zip(OF_HOST) {
        host.export(name, ComponentTypeRef::Func(ty));
    }
    host
}

fn wasi_type() -> InstanceType {
    use PrimitiveValType::{S32, U8, U32, U64};
    let mut wasi = InstanceType::new();
    wasi.ty().defined_type().list(bytes());
    let list = ComponentValType::Type(0);
    wasi.ty().defined_type().result(Some(list), Some(list));
    let stream = ("stream", U8.into());
    wasi.ty().function().params([stream, ("bytes", list)]).result(None);
    wasi.ty().function().params([("id", U8)]).result(Some(U64.into()));
    wasi.ty().function().params([("length", U32)]).result(Some(list));
    wasi.ty().function().params([("nanos", U64)]).result(None);
    let given = ("given", ComponentValType::Type(1));
    wasi.ty().function().params([("code", S32.into()), given]).result(None);
    for (ty, (name, ..)) in (2..).zip(OF_WASI_HOST) {
        wasi.export(name, ComponentTypeRef::Func(ty));
    }
    wasi
}

/// Returns the type of the embedder's functions: each takes blocks and returns one or none.
fn user_type(functions: &UserFunctions<'_>) -> InstanceType {
    let mut user = InstanceType::new();
    user.ty().defined_type().list(bytes());
    user.ty().defined_type().list(ComponentValType::Type(0));
    user.ty().defined_type().option(ComponentValType::Type(0));
    user.ty()
        .function()
        .params([("arguments", ComponentValType::Type(1))])
        .result(Some(ComponentValType::Type(2)));
    for name in functions.keys() {
        user.export(component_name(name).as_str(), ComponentTypeRef::Func(3));
    }
    user
}

/// Encodes the configuration as the kernel searches it: for each entry two lengths, the key and the value.
fn entries(config: &BTreeMap<String, String>) -> Vec<u8> {
    let mut entries = Vec::new();
    for (key, value) in config {
        // Both are far below 4 GiB, because they come from a file of bounded size.
        for length in [key.len(), value.len()] {
            entries.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        }
        entries.extend(key.as_bytes());
        entries.extend(value.as_bytes());
    }
    entries
}

/// Returns the module that stores the host functions in the kernel's table, passes it the configuration, and converts calls of
/// the embedder's functions to the canonical ABI.
fn wiring(host: &[Lowered], user: &UserFunctions<'_>, config: &[u8]) -> Vec<u8> {
    use ValType::{I32, I64};
    let mut core = Core::default();
    let host: Vec<u32> = host
        .iter()
        .map(|(name, params, results)| core.import("host", name, params, results))
        .collect();
    let count = i32::try_from(host.len()).unwrap_or(0);
    let init = core.import("kernel", "init", &[I32], &[]);
    let keep = core.import("kernel", "keep", &[I32], &[I32]);
    let config_set = core.import("kernel", "config_set", &[I32; 2], &[]);
    let begin = core.import("kernel", "user_begin", &[], &[]);
    let argument = core.import("kernel", "user_argument", &[I64], &[]);
    let arguments = core.import("kernel", "user_arguments", &[], &[I32]);
    let returned = core.import("kernel", "user_returned", &[], &[I32]);
    let result = core.import("kernel", "user_result", &[], &[I64]);
    let called: Vec<u32> = user
        .keys()
        .map(|name| core.import("host", &component_name(name), &[I32; 3], &[]))
        .collect();
    core.import_memory("kernel");
    core.import_table("kernel");

    let (mut functions, mut code, mut exports) =
        (FunctionSection::new(), CodeSection::new(), ExportSection::new());
    functions.function(core.ty(&[], &[]));
    let mut start = Function::new([(1, I32)]);
    let length = i32::try_from(config.len()).unwrap_or(i32::MAX);
    {
        let mut start = start.instructions();
        start.ref_null(HeapType::FUNC).i32_const(count).table_grow(0).local_tee(0);
        start.i32_const(0).i32_const(count).table_init(0, 0).local_get(0).call(init);
        if length > 0 {
            start.i32_const(length).call(keep).local_tee(0);
            start.i32_const(0).i32_const(length).memory_init(0, 0);
            start.local_get(0).i32_const(length).call(config_set);
        }
        start.end();
    }
    code.function(&start);
    for (index, (name, (params, has_result))) in user.iter().enumerate() {
        let ty = core.ty(&vec![I64; *params], if *has_result { &[I64] } else { &[] });
        functions.function(ty);
        let mut function = Function::new([]);
        function.instruction(&Instruction::Call(begin));
        for param in 0..*params {
            // There are at most 16: see `check_user`.
            function.instruction(&Instruction::LocalGet(u32::try_from(param).unwrap_or(0)));
            function.instruction(&Instruction::Call(argument));
        }
        let count = i32::try_from(*params).unwrap_or(0);
        let mut rest = function.instructions();
        rest.call(arguments).i32_const(count).call(returned).call(called[index]);
        if *has_result {
            rest.call(result);
        }
        rest.end();
        code.function(&function);
        let at = core.count + 1 + u32::try_from(index).unwrap_or(0);
        exports.export(name, ExportKind::Func, at);
    }
    let mut elements = ElementSection::new();
    elements.passive(Elements::Functions(host.as_slice().into()));
    let mut data = DataSection::new();
    data.passive(config.iter().copied());
    let mut module = Module::new();
    module.section(&core.types).section(&core.imports).section(&functions).section(&exports);
    module.section(&StartSection { function_index: core.count }).section(&elements);
    module.section(&DataCountSection { count: 1 }).section(&code).section(&data);
    module.finish()
}

/// Returns the module with the functions that the component exports, each a wrapper of one of the plug-in's.
fn calls(results: &[bool], starts: &[bool]) -> Vec<u8> {
    use ValType::I32;
    let mut core = Core::default();
    let begin = core.import("kernel", "begin", &[I32; 2], &[]);
    let end = core.import("kernel", "end", &[I32], &[I32]);
    let mut imported = Vec::new();
    for has_result in results {
        let results: &[ValType] = if *has_result { &[I32] } else { &[] };
        imported.push(core.import("plugin", &imported.len().to_string(), &[], results));
    }
    let mut begins = Vec::new();
    for takes_arguments in starts {
        let params: &[ValType] = if *takes_arguments { &[I32; 2] } else { &[] };
        let name = (imported.len() + begins.len()).to_string();
        begins.push((core.import("plugin", &name, params, &[]), *takes_arguments));
    }
    let (mut functions, mut code, mut exports) =
        (FunctionSection::new(), CodeSection::new(), ExportSection::new());
    functions.function(core.ty(&[], &[]));
    let mut start = Function::new([]);
    for (function, takes_arguments) in begins {
        if takes_arguments {
            start.instructions().i32_const(0).i32_const(0);
        }
        start.instruction(&Instruction::Call(function));
    }
    start.instructions().end();
    code.function(&start);
    let ty = core.ty(&[I32; 2], &[I32]);
    for (index, has_result) in results.iter().enumerate() {
        functions.function(ty);
        let mut function = Function::new([]);
        let mut body = function.instructions();
        body.local_get(0).local_get(1).call(begin).call(imported[index]);
        if !*has_result {
            body.i32_const(0);
        }
        body.call(end).end();
        code.function(&function);
        let at = core.count + 1 + u32::try_from(index).unwrap_or(0);
        exports.export(&index.to_string(), ExportKind::Func, at);
    }
    let mut module = Module::new();
    module.section(&core.types).section(&core.imports).section(&functions).section(&exports);
    module.section(&StartSection { function_index: core.count }).section(&code);
    module.finish()
}
