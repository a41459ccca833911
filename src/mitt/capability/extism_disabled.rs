//! In the place of `extism.rs` where the feature is missing.

use wasmtime::component::Linker;

use super::context::CallContext;
use crate::engine::Plugin;

/// As in `extism.rs`.
pub(crate) fn is_host(_: &str) -> bool {
    false
}

/// As in `extism.rs`.
pub(super) fn is_user(_: &str) -> bool {
    false
}

/// As in `extism.rs`.
pub(super) fn is_one(_: &Plugin) -> bool {
    false
}

/// As in `extism.rs`.
pub(super) fn link(_: &mut Linker<CallContext>, _: bool) -> wasmtime::Result<()> {
    Ok(())
}
