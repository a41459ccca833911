//! Python that runs in the interpreter before the client's script, so that code that was written for other interpreters
//! finds what it expects: `/mnt/data` and `/tmp`, folders, modules of the sandbox, asyncio, `await` at the top level, and
//! the caller's tools.
//!
//! It runs as a script of its own, so that the client's script keeps its line numbers. If the script of the client uses no
//! part of the prelude, the prelude does not run.

use serde::{Deserialize, Serialize};

const FILES: &str = include_str!("prelude/files.py");
const AWAIT: &str = include_str!("prelude/await_.py");
const ASYNCIO: &str = include_str!("prelude/aio.py");
const CALLS: &str = include_str!("prelude/calls.py");

/// Ends the prelude: the script that follows is the first one, also by its name in tracebacks.
const END: &str = "__import__('mitt')._is_ready = True\n__import__('mitt')._runner._runs = 0\n";

/// Returns `True` if the prelude ran in this interpreter. Counts as no script.
pub(super) const PROBE: &str = "__import__('mitt')._runner._runs -= 1\n\
     __import__('mitt').__dict__.get('_is_ready', False)";

/// Texts that scripts have which use files by path, or modules of the sandbox.
const USES_FILES: [&str; 9] =
    ["/mnt", "/tmp", "sandbox:", "os.", "from os", "pathlib", "open(", "Path(", "glob"];

/// Texts that scripts have which use coroutines.
const USES_AWAIT: [&str; 3] = ["asyncio", "await", "async "];

/// Which parts of the prelude run.
#[derive(Clone, Debug, Default)]
pub(super) struct Prelude {
    has_files: bool,
    has_await: bool,
    tools: Option<CallerTools>,
}

/// Tools of the caller for one script.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct CallerTools {
    /// The tools.
    pub(crate) tools: Vec<CallerTool>,
    /// Seed of the script's random numbers, the same in each round.
    pub(crate) seed: u64,
}

/// A tool of the caller.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct CallerTool {
    /// Name that the caller knows.
    pub(crate) name: String,
    /// Name of its function in the script.
    pub(crate) function: String,
    /// Names of its parameters, required ones first; `None` if the caller named none, and any are passed on.
    pub(crate) parameters: Option<Vec<String>>,
    /// Names of parameters that must be given.
    pub(crate) required: Vec<String>,
    /// What it does.
    pub(crate) description: String,
}

impl Prelude {
    /// Returns the parts that a script may need. `has_modules` says if the sandbox has Python files.
    pub(super) fn for_script(code: &str, has_modules: bool) -> Prelude {
        let has = |texts: &[&str]| texts.iter().any(|it| code.contains(it));
        let imports = has_modules && (code.contains("import") || code.contains("exec"));
        Prelude { has_files: imports || has(&USES_FILES), has_await: has(&USES_AWAIT), tools: None }
    }

    /// Returns all parts that do not depend on the script.
    pub(super) fn whole() -> Prelude {
        Prelude { has_files: true, has_await: true, tools: None }
    }

    /// Returns `true` if the script may use files.
    pub(super) fn has_files(&self) -> bool {
        self.has_files
    }

    /// Adds tools of the caller.
    #[must_use]
    pub(super) fn with_tools(self, tools: CallerTools) -> Prelude {
        Prelude { has_await: true, tools: Some(tools), ..self }
    }

    /// Returns the source; `None` if no part is needed.
    pub(super) fn source(&self) -> Option<String> {
        if !self.has_files && !self.has_await {
            return None;
        }
        let mut source = String::new();
        if self.has_files {
            source.push_str(FILES);
        }
        if self.has_await {
            source.push_str(&format!("_mitt_source = {}\n{AWAIT}", literal(ASYNCIO)));
        }
        if let Some(tools) = &self.tools {
            let json = serde_json::to_string(tools).unwrap_or_default();
            let json = literal(&json);
            source.push_str(&format!("_mitt_tools = __import__('json').loads({json})\n{CALLS}"));
        }
        source.push_str(END);
        Some(source)
    }
}

/// Returns a text as a literal of Python: that of JSON, which escapes the same way.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_scripts_run_without() {
        for code in ["1+1", "print('hello')", "import json\njson.dumps([1])", "x = documents"] {
            assert!(Prelude::for_script(code, false).source().is_none(), "{code}");
        }
        for code in ["open('a.csv')", "import os\nos.listdir()", "f('/mnt/data/a')"] {
            let source = Prelude::for_script(code, false).source().unwrap();
            assert!(source.contains("_mitt_files") && !source.contains("_mitt_await"), "{code}");
        }
        let source = Prelude::for_script("await f()", false).source().unwrap();
        assert!(source.contains("_mitt_await") && !source.contains("_mitt_files"));
        assert!(Prelude::for_script("import helper", true).source().is_some());
        assert!(Prelude::for_script("import helper", false).source().is_none());
    }
}
