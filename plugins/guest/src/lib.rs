//! Shared code of all plugins: reports panics to the log of the host, checks file names, suggests names, and hashes keys.
//!
//! A plugin calls [`report_panics`] first in each exported function. The feature `tables` adds [`tables`]: columns of the
//! host as plain data. Knows no skills.

mod filename;
mod fold;
mod nearest;
#[cfg(feature = "tables")]
pub mod tables;

pub use filename::check_filename;
pub use fold::{FoldHasher, FoldMap};
pub use nearest::nearest;

mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:guest/guest",
        generate_all,
    });
}

/// The allocator of every plugin. Each call has its own instance with one thread.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

use bindings::mitt::host::log::{Level, write};
use std::panic::{PanicHookInfo, set_hook};
use std::sync::Once;

static HOOK: Once = Once::new();

/// Writes the message of every later panic to `mitt:host/log` at level `error`.
///
/// A trap has no text, so the host could otherwise only report `unreachable`. Each call has a new instance, so every
/// exported function must call this. Another call in the same instance costs nothing.
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
