//! The paths of this interface. `/files/…` without the prefix belongs to the links of MCP.

/// Prefix of all paths.
pub(super) const PREFIX: &str = "/librechat";

/// Paths that also exist without the prefix, by their beginnings.
const FREE: [&str; 5] = ["/exec", "/upload", "/download/", "/sessions/", "/health"];

/// Returns `true` for paths of this interface.
pub(crate) fn is_ours(path: &str) -> bool {
    match path.strip_prefix(PREFIX) {
        Some(rest) => rest.starts_with('/'),
        None => FREE.iter().any(|it| {
            path.strip_prefix(it)
                .is_some_and(|rest| it.ends_with('/') || rest.is_empty() || rest.starts_with('/'))
        }),
    }
}
