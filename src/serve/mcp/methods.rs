//! The supported revisions and methods of the protocol.

use rmcp::model::ProtocolVersion;

/// The supported revisions, oldest first.
pub(super) const REVISIONS: [ProtocolVersion; 3] =
    [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

/// Returns `true` if `method` is supported, in 2026-07-28 or before.
pub(super) fn has(method: &str, is_modern: bool) -> bool {
    METHODS.contains(&method) && !(is_modern && REMOVED.contains(&method))
}

/// The methods of all revisions.
const METHODS: [&str; 22] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/directory/read",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "skills/get",
    "skills/list",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/list",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// The methods that 2026-07-28 removed.
const REMOVED: [&str; 6] = [
    "initialize",
    "logging/setLevel",
    "ping",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/list",
];
