//! Script engine of Mitt: monty, a subset of Python, behind the contract `mitt:host/script`.
//!
//! `rows.py` and `prelude.py` are the Python part of the environment. They are compiled before the first script: while the
//! component is built, when its module is pre-initialised. They call functions that begin with `mitt_`: those of
//! `mitt_row_` are monty's own, the others are in `functions.rs`. Monty answers them without suspending the script
//! (`monty.patch`).

mod advice;
mod context;
mod decode;
mod encode;
mod engine;
mod fence;
mod files;
mod functions;
mod libraries;
mod output;
mod report;
mod signature;
mod tables;

#[cfg(target_family = "wasm")]
mod component;

pub use context::Host;
pub use engine::Engine;
pub use tables::HostTable;

/// The types of the contract.
pub mod contract {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:python-lite/plugin",
        generate_all,
        pub_export_macro: true,
        with: {
            "mitt:host/types@0.1.0": mitt_guest::tables::wit::types,
            "mitt:host/tables@0.1.0": mitt_guest::tables::wit::tables,
        },
    });
    pub use mitt_guest::tables::wit::{tables, types};
}
