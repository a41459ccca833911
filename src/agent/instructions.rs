//! Instructions of skills, as a model gets them.

/// Returns instructions without the front matter, which the list of skills has shown.
pub(crate) fn body(instructions: &str) -> &str {
    let parts = instructions.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    parts.map_or(instructions, |(_, body)| body)
}
