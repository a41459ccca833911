//! What plugins share: a panic reaches the host's log before it becomes a trap, and names are checked alike.
//!
//! A plugin calls [`report_panics`] first in each exported function. Nothing here knows skills. The feature `tables` adds
//! [`tables`]: columns of the host as plain data.

mod filename;
mod nearest;
#[cfg(feature = "tables")]
pub mod tables;

pub use filename::check_filename;
pub use nearest::nearest;

mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:guest/guest",
        generate_all,
    });
}

/// Memory of every plugin. Each call has an instance of its own with one thread.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

use bindings::mitt::host::log::{Level, write};
use std::panic::{PanicHookInfo, set_hook};
use std::sync::Once;

static HOOK: Once = Once::new();

/// Write the message of every later panic to `mitt:host/log` at level `error`.
///
/// A trap carries no text of its own; without this the host could only say `unreachable`. Every call runs in a fresh
/// instance, so each exported function has to ask for it; asking again costs nothing.
pub fn report_panics() {
    HOOK.call_once(|| set_hook(Box::new(|info| write(Level::Error, &describe(info)))));
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = info.payload_as_str().unwrap_or("panic without a message");
    match info.location() {
        Some(place) => format!("panic at {}:{}: {message}", place.file(), place.line()),
        None => format!("panic: {message}"),
    }
}
