//! Script engine of Mitt: QuickJS-ng, an interpreter of JavaScript, behind the contract `mitt:host/script`.
//!
//! `prelude/` has the part of the environment that is written in JavaScript. It is compiled before the first script: while
//! the component is built, when its module is pre-initialised. Its functions get an object with functions of the host
//! (`natives.rs`), which scripts do not see. `intl/` has `Intl`, which runs when a script uses it first.

mod calls;
mod context;
mod decode;
mod edits;
mod encode;
mod engine;
mod erase;
mod forget;
mod forms;
mod hooks;
mod host;
mod intl;
mod line;
mod module;
mod names;
mod natives;
mod output;
mod report;
mod rewrite;
mod rows;
mod scan;
mod source;
mod tables;
mod typescript;
mod waiting;

#[cfg(target_family = "wasm")]
mod component;

pub use engine::Engine;
pub use host::{Host, HostTable};

/// The types of the contract.
pub mod contract {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:javascript/plugin",
        generate_all,
        pub_export_macro: true,
        with: {
            "mitt:host/types@0.1.0": mitt_guest::tables::wit::types,
            "mitt:host/tables@0.1.0": mitt_guest::tables::wit::tables,
        },
    });
    pub use mitt_guest::tables::wit::{tables, types};
}
