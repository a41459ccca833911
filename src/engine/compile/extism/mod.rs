//! Extism plug-ins: core modules become components, which the engine then checks, compiles, limits and calls like any other.
//!
//! A plug-in is one module, or several that import from each other. Its component contains, in this order: the kernel, which is
//! the memory between plug-in and host; a module that connects the host functions to it; the plug-in's modules; and a module with
//! the exported functions, each from bytes to bytes. Since all of them are in one component, they call each other directly, and
//! their memories are counted together.
//!
//! Knows core modules and the encoding of components. Does not know what a function's bytes mean.

mod distinct;
mod frame;
mod module;
mod parts;
mod wasi;

use std::borrow::Cow;
use std::collections::BTreeMap;

use wasmparser::{Parser, Payload, TypeRef, ValType};

use self::frame::{Frame, UserFunctions};
use self::module::{Import, Module};
use self::parts::Parts;
use crate::extism::{PLUGIN, USER, component_name, plugin_name};
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_wit::value::Interface;

/// Kernel, and a version number. The number must be raised when `frame.rs` or `wasi.rs` generate other code around the same
/// kernel, so that older native code is not used.
pub(super) const AROUND: (u32, &[u8]) = (3, frame::KERNEL);

/// Name under which plug-ins import the kernel.
const ENV: &str = "extism:host/env";

/// Most modules of a plug-in: a call's limit of instances has room for so many, with the generated modules around each.
const MAX_MODULES: usize = 15;
/// Most parameters of a function of the embedder; the kernel has room for as many.
const MAX_USER_PARAMS: usize = 16;

/// Functions of [`ENV`], as Extism 1.x defines them.
const FUNCTIONS: [(&str, &[ValType], &[ValType]); 32] = {
    use ValType::{I32, I64};
    [
        ("alloc", &[I64], &[I64]),
        ("config_get", &[I64], &[I64]),
        ("error_get", &[], &[I64]),
        ("error_set", &[I64], &[]),
        ("free", &[I64], &[]),
        ("get_log_level", &[], &[I32]),
        ("http_headers", &[], &[I64]),
        ("http_request", &[I64, I64], &[I64]),
        ("http_status_code", &[], &[I32]),
        ("input_length", &[], &[I64]),
        ("input_load_u64", &[I64], &[I64]),
        ("input_load_u8", &[I64], &[I32]),
        ("input_offset", &[], &[I64]),
        ("input_set", &[I64, I64], &[]),
        ("length", &[I64], &[I64]),
        ("length_unsafe", &[I64], &[I64]),
        ("load_u64", &[I64], &[I64]),
        ("load_u8", &[I64], &[I32]),
        ("log_debug", &[I64], &[]),
        ("log_error", &[I64], &[]),
        ("log_info", &[I64], &[]),
        ("log_trace", &[I64], &[]),
        ("log_warn", &[I64], &[]),
        ("memory_bytes", &[], &[I64]),
        ("output_length", &[], &[I64]),
        ("output_offset", &[], &[I64]),
        ("output_set", &[I64, I64], &[]),
        ("reset", &[], &[]),
        ("store_u64", &[I64, I64], &[]),
        ("store_u8", &[I64, I32], &[]),
        ("var_get", &[I64], &[I64]),
        ("var_set", &[I64, I64], &[]),
    ]
};

/// Modules of a plug-in, each with the name by which others import it. The last one is the plug-in itself.
pub type Linked<'a> = [(String, &'a [u8])];

/// Returns the component of a plug-in with a single module. Bytes that are not a core module are returned unchanged.
///
/// # Errors
///
/// [`ErrorKind::Load`] - it is a core module, but not a plug-in, or not one that can be linked.
pub fn component(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, [u8]>> {
    if bytes.get(..8) != Some(b"\0asm\x01\0\0\0") {
        return Ok(bytes);
    }
    let module = Module::new("main", &bytes)?;
    if !module.imports_from(ENV) {
        return Err(no_plugin(&module));
    }
    linked(vec![module], &BTreeMap::new()).map(Cow::Owned)
}

/// Returns the component of a plug-in with one or more modules and its configuration.
///
/// # Errors
///
/// [`ErrorKind::Load`] - a module is invalid or imports something that does not exist.
pub fn link(modules: &Linked<'_>, config: &BTreeMap<String, String>) -> Result<Vec<u8>> {
    if modules.is_empty() || modules.len() > MAX_MODULES {
        let message = format!("expected 1 to {MAX_MODULES} modules, got {}", modules.len());
        return Err(Error::new(ErrorKind::Load, message));
    }
    let read = modules.iter().map(|(name, bytes)| Module::new(name, bytes));
    linked(read.collect::<Result<Vec<_>>>()?, config)
}

/// Renames the functions of a plug-in's interface to their names in the plug-in.
pub fn named(interface: &mut Interface) {
    for function in &mut interface.functions {
        if function.instance.as_deref() == Some(PLUGIN)
            && let Some(name) = plugin_name(&function.name)
        {
            function.name = name;
        }
    }
}

/// Returns whether a plug-in or its component imports the function that sends HTTP requests.
pub fn asks(bytes: &[u8]) -> bool {
    const REQUEST: &str = "http_request";

    let renamed = component_name(REQUEST);
    let is_request = |name: &str| name == REQUEST || name == renamed;
    // Invalid bytes are refused elsewhere.
    Parser::new(0).parse_all(bytes).map_while(Result::ok).any(|payload| match payload {
        Payload::ImportSection(imports) => imports
            .into_imports()
            .map_while(Result::ok)
            .any(|import| matches!(import.ty, TypeRef::Func(_)) && is_request(import.name)),
        _ => false,
    })
}

#[cold]
fn no_plugin(module: &Module<'_>) -> Error {
    let sources = module.sources();
    let imports = match sources.as_slice() {
        [] => "it imports nothing".to_owned(),
        sources => format!("it imports `{}`", text::cut_bytes(&sources.join("`, `"), 200)),
    };
    let message = format!(
        "expected a component or an Extism plug-in, got a core module that is neither: {imports}"
    );
    let error = Error::new(ErrorKind::Load, message);
    error.hint(if sources.contains(&wasi::WASI) {
        "a program for WASI preview 1 is made a component by `wasm-tools component new` with wasmtime's adapter; or build it with an Extism PDK, or for `wasm32-wasip2`"
    } else {
        "build it for `wasm32-wasip2`, which makes components, or with an Extism PDK"
    })
}

fn linked(modules: Vec<Module<'_>>, config: &BTreeMap<String, String>) -> Result<Vec<u8>> {
    let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    for (index, name) in names.iter().enumerate() {
        if [ENV, wasi::WASI].contains(name) || names[..index].contains(name) {
            let message = format!("two modules are named `{name}`");
            return Err(Error::new(ErrorKind::Load, message));
        }
    }
    for module in &modules {
        check_imports(module, &names)?;
    }
    // A module of this name replaces the functions of the embedder.
    let user = if names.contains(&USER) { UserFunctions::new() } else { user_functions(&modules)? };
    let mut parts = Parts::default();
    let with_wasi = modules.iter().any(|module| module.imports_from(wasi::WASI));
    let frame = Frame::new(&mut parts, &user, with_wasi, config);
    let mut linking = Linking { modules: &modules, frame: &frame, done: BTreeMap::new() };
    let main = modules.len() - 1;
    let instance = linking.add(&mut parts, main, &mut Vec::new())?;
    frame.exports(&mut parts, (&modules[main], instance));
    Ok(parts.finish())
}

/// Instantiates modules, each after those that it imports.
struct Linking<'a, 'm> {
    modules: &'a [Module<'m>],
    frame: &'a Frame,
    done: BTreeMap<usize, u32>,
}

impl Linking<'_, '_> {
    /// Returns the instance of a module.
    fn add(&mut self, parts: &mut Parts, index: usize, inside: &mut Vec<usize>) -> Result<u32> {
        if let Some(done) = self.done.get(&index) {
            return Ok(*done);
        }
        let module = &self.modules[index];
        if inside.contains(&index) {
            let message = format!("`{}` imports from itself, by way of others", module.name);
            return Err(Error::new(ErrorKind::Load, message));
        }
        inside.push(index);
        let kernel = self.frame.kernel;
        let (mut around, mut wasi) = (Vec::new(), None);
        for source in module.sources() {
            let instance = match source {
                ENV => kernel,
                USER if self.modules.iter().all(|it| it.name != USER) => self.frame.user,
                wasi::WASI => *wasi.insert(wasi::before(parts, kernel, module)?),
                other => {
                    let other = self.modules.iter().position(|it| it.name == other);
                    self.add(parts, other.unwrap_or(index), inside)?
                }
            };
            around.push((source, distinct::instance(parts, module, source, instance)));
        }
        inside.pop();
        let bytes = distinct::module(module).map_err(|error| {
            let message = format!("`{}` cannot be made part of a component", module.name);
            Error::new(ErrorKind::Load, message).caused_by(error)
        })?;
        let code = parts.module(&bytes);
        let instance = parts.instantiate(code, &around);
        if let Some(wasi) = wasi {
            wasi::after(parts, kernel, wasi, (module, instance));
        }
        // For the plug-in itself, `Frame::exports` does this.
        if index + 1 < self.modules.len() {
            frame::begin(parts, (module, instance));
        }
        self.done.insert(index, instance);
        Ok(instance)
    }
}

/// Refuses imports that nothing provides, by name.
fn check_imports(module: &Module<'_>, modules: &[&str]) -> Result<()> {
    for import in &module.imports {
        match import.module {
            ENV => check_env(module, import)?,
            USER | wasi::WASI => {}
            other if modules.contains(&other) => {}
            other => {
                let message = format!(
                    "`{}` imports `{}` of `{other}`, which nothing here offers",
                    module.name, import.name
                );
                let hint = match other {
                    "wasi_unstable" => "build it for WASI preview 1 (`wasm32-wasip1`)",
                    _ => {
                        "a plug-in has `extism:host/env`, WASI preview 1, functions of an embedder under `extism:host/user`, and the other modules of its manifest"
                    }
                };
                return Err(Error::new(ErrorKind::Load, message).hint(hint));
            }
        }
    }
    Ok(())
}

fn check_env(module: &Module<'_>, import: &Import<'_>) -> Result<()> {
    let known = FUNCTIONS.iter().find(|(name, ..)| *name == import.name);
    let is_right = match (&import.function, known) {
        (Some(ty), Some((_, params, results))) => {
            (ty.params(), ty.results()) == (*params, *results)
        }
        _ => false,
    };
    if is_right {
        return Ok(());
    }
    let wrong =
        if known.is_some() { "with another type than it has" } else { "which is not there" };
    let message = format!("`{}` imports `{}` of `{ENV}`, {wrong}", module.name, import.name);
    Err(Error::new(ErrorKind::Load, message).hint(
        "this host has the functions of Extism 1.x: build the plug-in with a PDK of that version",
    ))
}

/// Returns the functions of the embedder that modules import.
fn user_functions<'m>(modules: &[Module<'m>]) -> Result<UserFunctions<'m>> {
    let mut functions = UserFunctions::new();
    for module in modules {
        for import in module.imports.iter().filter(|import| import.module == USER) {
            let shape = import.function.as_ref().and_then(|ty| {
                let is_offset = |ty: &ValType| *ty == ValType::I64;
                let are_offsets = ty.params().iter().chain(ty.results()).all(is_offset);
                let is_bounded = ty.params().len() <= MAX_USER_PARAMS && ty.results().len() <= 1;
                (are_offsets && is_bounded).then(|| (ty.params().len(), !ty.results().is_empty()))
            });
            let known = shape.map(|shape| *functions.entry(import.name).or_insert(shape));
            if shape.is_none() || known != shape {
                let message = format!(
                    "`{}` imports `{}` of `{USER}` with a type that is not supported",
                    module.name, import.name
                );
                return Err(Error::new(ErrorKind::Load, message).hint(format!(
                    "functions of an embedder take at most {MAX_USER_PARAMS} blocks of memory (`i64`) and give one, or none"
                )));
            }
        }
    }
    Ok(functions)
}

#[cfg(test)]
mod tests;
