//! The standard library: modules of monty, and modules in Python.

/// Modules in Python.
pub(crate) const SOURCES: [(&str, &str); 5] = [
    ("heapq", include_str!("lib/heapq.py")),
    ("operator", include_str!("lib/operator.py")),
    ("statistics", include_str!("lib/statistics.py")),
    ("string", include_str!("lib/string.py")),
    ("textwrap", include_str!("lib/textwrap.py")),
];

/// Returns the names of the top-level modules.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let native = monty::builtin_module_names().into_iter().filter(|name| !name.contains('.'));
    native.chain(SOURCES.iter().map(|&(name, _)| name)).chain(["mitt"])
}
