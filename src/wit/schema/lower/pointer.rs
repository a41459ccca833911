//! Steps of JSON pointers (RFC 6901).

/// Returns `name` as one step.
pub(super) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns the name that a step stands for.
pub(super) fn unstep(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}
