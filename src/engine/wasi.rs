//! A minimal WASI: streams, clocks, random numbers, an empty environment, a file system without folders.
//!
//! Sockets are never linked to an implementation. If a language runtime imports their interfaces, it gets stubs that refuse every
//! call, made from the types that the component itself declares.

use wasmtime::component::types::{ComponentFunc, ComponentItem, Type};
use wasmtime::component::{Component, HasData, Linker, ResourceTable, ResourceType, Val};
use wasmtime_wasi::cli::{WasiCli, WasiCliCtxView};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksCtxView};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemCtxView};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, DynPollable, bindings};
use wasmtime_wasi::random::WasiRandom;

use super::store::StoreData;
use mitt_base::{Error, ErrorKind};

/// Interfaces of WASI 0.2 that [`link`] links, sorted.
const LINKED: [&str; 20] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
];

const NO_NETWORK: &str = "nothing here reaches a network: give it what it needs as arguments, or as documents of the session";

/// Returns whether an import belongs to WASI and is linked without a grant. Sockets are, as stubs that refuse.
pub fn is_linked(import: &str) -> bool {
    let (interface, version) = import.split_once('@').unwrap_or((import, ""));
    version.starts_with("0.2.")
        && (LINKED.contains(&interface) || interface.starts_with("wasi:sockets/"))
}

/// Returns advice about a WASI import that is not linked. `None` for any other import.
pub fn way_out(import: &str) -> Option<&'static str> {
    let (package, _) = import.split_once('/')?;
    let (_, version) = import.split_once('@').unwrap_or((import, ""));
    match package {
        "wasi:http" | "wasi:tls" => Some(NO_NETWORK),
        "wasi:cli" | "wasi:clocks" | "wasi:filesystem" | "wasi:io" | "wasi:random"
        | "wasi:sockets"
            if !version.starts_with("0.2.") =>
        {
            Some("build the component for WASI 0.2, such as Rust's target `wasm32-wasip2`")
        }
        _ if package.starts_with("wasi:") => Some(
            "of WASI 0.2 there are `wasi:cli`, `wasi:clocks`, `wasi:filesystem`, `wasi:io` and `wasi:random`, in their smallest form",
        ),
        _ => None,
    }
}

/// Marker for `wasi:io`, whose implementation needs only the resource table.
struct Io;

impl HasData for Io {
    type Data<'a> = &'a mut ResourceTable;
}

/// Links what needs no grant, and refusing stubs for the sockets that `component` imports.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    component: &Component,
) -> wasmtime::Result<()> {
    use bindings::{cli, clocks, filesystem, random};
    use wasmtime_wasi_io::bindings::wasi::io;

    let l = linker;
    io::error::add_to_linker::<T, Io>(l, |t| t.core().wasi_view().table)?;
    io::poll::add_to_linker::<T, Io>(l, |t| t.core().wasi_view().table)?;
    io::streams::add_to_linker::<T, Io>(l, |t| t.core().wasi_view().table)?;
    clocks::wall_clock::add_to_linker::<T, WasiClocks>(l, clocks_view)?;
    clocks::monotonic_clock::add_to_linker::<T, WasiClocks>(l, clocks_view)?;
    random::random::add_to_linker::<T, WasiRandom>(l, |t| t.core().wasi_view().ctx.random())?;
    random::insecure::add_to_linker::<T, WasiRandom>(l, |t| t.core().wasi_view().ctx.random())?;
    random::insecure_seed::add_to_linker::<T, WasiRandom>(l, |t| {
        t.core().wasi_view().ctx.random()
    })?;
    filesystem::preopens::add_to_linker::<T, WasiFilesystem>(l, filesystem_view)?;
    filesystem::types::add_to_linker::<T, WasiFilesystem>(l, filesystem_view)?;
    cli::environment::add_to_linker::<T, WasiCli>(l, cli_view)?;
    cli::exit::add_to_linker::<T, WasiCli>(l, cli_view)?;
    cli::stdin::add_to_linker::<T, WasiCli>(l, cli_view)?;
    cli::stdout::add_to_linker::<T, WasiCli>(l, cli_view)?;
    cli::stderr::add_to_linker::<T, WasiCli>(l, cli_view)?;
    cli::terminal_input::add_to_linker::<T, WasiCli>(l, cli_view)?;
    cli::terminal_output::add_to_linker::<T, WasiCli>(l, cli_view)?;
    cli::terminal_stdin::add_to_linker::<T, WasiCli>(l, cli_view)?;
    cli::terminal_stdout::add_to_linker::<T, WasiCli>(l, cli_view)?;
    cli::terminal_stderr::add_to_linker::<T, WasiCli>(l, cli_view)?;
    refuse_sockets(l, component)
}

pub(super) fn clocks_view<T: StoreData>(t: &mut T) -> WasiClocksCtxView<'_> {
    let view = t.core().wasi_view();
    WasiClocksCtxView { ctx: view.ctx.clocks(), table: view.table }
}

fn filesystem_view<T: StoreData>(t: &mut T) -> WasiFilesystemCtxView<'_> {
    let view = t.core().wasi_view();
    WasiFilesystemCtxView { ctx: view.ctx.filesystem(), table: view.table }
}

fn cli_view<T: StoreData>(t: &mut T) -> WasiCliCtxView<'_> {
    let view = t.core().wasi_view();
    WasiCliCtxView { ctx: view.ctx.cli(), table: view.table }
}

/// Type of a socket or an address resolver, of which no value ever exists.
enum Refused {}

fn refuse_sockets<T: StoreData>(
    linker: &mut Linker<T>,
    component: &Component,
) -> wasmtime::Result<()> {
    let engine = linker.engine().clone();
    for (interface, import) in component.component_type().imports(&engine) {
        let ComponentItem::ComponentInstance(instance) = import.ty else { continue };
        if !interface.starts_with("wasi:sockets/") {
            continue;
        }
        let mut stub = linker.instance(interface)?;
        for (name, export) in instance.exports(&engine) {
            match export.ty {
                ComponentItem::ComponentFunc(_) => {
                    let refused = format!("`{name}` of `{interface}`");
                    stub.func_new(name, move |_, ty, _, results| refuse(&refused, ty, results))?
                }
                ComponentItem::Resource(_) => {
                    stub.resource(name, resource_type(name), |_, _| Ok(()))?
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The handles that sockets share with `wasi:io` must have the same types in both.
fn resource_type(name: &str) -> ResourceType {
    match name {
        "pollable" => ResourceType::host::<DynPollable>(),
        "input-stream" => ResourceType::host::<DynInputStream>(),
        "output-stream" => ResourceType::host::<DynOutputStream>(),
        "error" => ResourceType::host::<wasmtime_wasi::p2::IoError>(),
        _ => ResourceType::host::<Refused>(),
    }
}

/// Returns `access-denied` if the function can return it, otherwise ends the store.
fn refuse(function: &str, ty: ComponentFunc, results: &mut [Val]) -> wasmtime::Result<()> {
    let mut types = ty.results();
    if let (Some(Type::Result(result)), [slot]) = (types.next(), &mut *results)
        && let Some(Type::Enum(codes)) = result.err()
        && codes.names().any(|name| name == "access-denied")
    {
        *slot = Val::Result(Err(Some(Box::new(Val::Enum("access-denied".into())))));
        return Ok(());
    }
    let message = format!("the plugin called {function}, but a plugin has no network");
    Err(Error::new(ErrorKind::Denied, message).hint(NO_NETWORK).into())
}
