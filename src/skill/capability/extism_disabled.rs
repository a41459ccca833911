//! Replacement for `extism.rs` in builds without the feature.

use wasmtime::component::Linker;

use super::context::CallContext;
use mitt_engine::Plugin;

/// See `extism.rs`; always `false`.
pub(crate) fn is_host(_: &str) -> bool {
    false
}

/// See `extism.rs`; always `false`.
pub(super) fn is_user(_: &str) -> bool {
    false
}

/// See `extism.rs`; always `false`.
pub(super) fn is_one(_: &Plugin) -> bool {
    false
}

/// See `extism.rs`; links nothing.
pub(super) fn link(_: &mut Linker<CallContext>, _: bool) -> wasmtime::Result<()> {
    Ok(())
}
