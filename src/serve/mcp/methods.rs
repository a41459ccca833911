//! The revisions of the protocol that are spoken, and the methods that are answered, by their names.

use rmcp::model::ProtocolVersion;

/// The revisions that are spoken, oldest first.
pub(super) const REVISIONS: [ProtocolVersion; 3] =
    [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

/// Whether `method` is one of them, in 2026-07-28 or before.
pub(super) fn has(method: &str, is_modern: bool) -> bool {
    METHODS.contains(&method) && !(is_modern && REMOVED.contains(&method))
}

/// Those of all revisions.
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

/// Those that 2026-07-28 does not have any more.
const REMOVED: [&str; 6] = [
    "initialize",
    "logging/setLevel",
    "ping",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/list",
];
