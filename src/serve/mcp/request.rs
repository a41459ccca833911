//! What a request says beside its parameters: the revision of the protocol, and the session that it belongs to.

use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};

/// The field in which a client of 2026-07-28 names one of its several sessions. 1 to 64 characters.
const SESSION: &str = "mitt/session";

/// Returns `true` for a request of 2026-07-28 or later.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| !version.has_initialize())
}

/// Returns the name that a request gives to its session; empty for the client's default session.
pub(super) fn session_name(context: &RequestContext<RoleServer>) -> Result<&str, ErrorData> {
    let Some(value) = context.meta.get(SESSION) else { return Ok("") };
    value.as_str().filter(|name| (1..=64).contains(&name.len())).ok_or_else(|| {
        let message = format!("`_meta.{SESSION}`: expected a text of 1 to 64 bytes");
        ErrorData::invalid_params(message, None)
    })
}
