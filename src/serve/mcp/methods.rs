//! The methods of the protocol that are answered here, by their names.

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
