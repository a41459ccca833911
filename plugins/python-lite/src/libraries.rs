//! The standard library: what monty has, and what is written in Python beside it.

use monty_types::SANDBOX_MODULE_NAMES;

/// Modules in Python.
const SOURCES: [(&str, &str); 0] = [];

/// Source of a module in Python.
pub(crate) fn source(name: &str) -> Option<&'static str> {
    SOURCES.iter().find(|(module, _)| *module == name).map(|&(_, source)| source)
}

/// Names of the top-level modules.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let native = SANDBOX_MODULE_NAMES.iter().copied().filter(|name| !name.contains('.'));
    native.chain(SOURCES.iter().map(|&(name, _)| name)).chain(["mitt"])
}
