//! Languages of scripts by the names that clients use.

use crate::problem::Problem;
use mitt::Session;

/// Names of Python in other programs.
const PYTHON: [&str; 5] = ["py", "python", "python3", "ipython", "py3"];

/// Names of JavaScript and TypeScript in other programs. The engine removes types.
const JAVASCRIPT: [&str; 7] = ["js", "javascript", "node", "nodejs", "mjs", "ts", "typescript"];

/// Engines that a client may name.
const ENGINES: [&str; 1] = ["python-lite"];

/// What a client may name where all languages run.
const ALL: &str = "`py` (Python 3.14), `js` or `ts`";

/// Returns the engine for the name of a language.
///
/// # Errors
///
/// 400 `unsupported_capability` - there is no such language; the problem says what there is.
pub(super) fn engine(language: &str, session: &Session) -> Result<&'static str, Problem> {
    let lower = language.trim().to_ascii_lowercase();
    let known = if PYTHON.contains(&lower.as_str()) {
        Some("python")
    } else if is_javascript(&lower) {
        Some("javascript")
    } else {
        ENGINES.into_iter().find(|it| *it == lower)
    };
    known.filter(|it| session.script_tool(it).is_ok()).ok_or_else(|| unsupported(language, ALL))
}

/// Returns `true` for the names of JavaScript and TypeScript.
pub(crate) fn is_javascript(language: &str) -> bool {
    JAVASCRIPT.contains(&language.trim().to_ascii_lowercase().as_str())
}

/// Returns the problem of a language that no engine runs. `expected` names those that do.
pub(crate) fn unsupported(language: &str, expected: &str) -> Problem {
    let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(language, 40));
    let detail = format!("expected the language {expected}, got `{shown}`");
    let hint = match language.trim().to_ascii_lowercase().as_str() {
        "bash" | "sh" | "shell" | "zsh" => {
            "there is no shell; write Python: `os.listdir()`, `open()`, `re`, `csv`, `json`, `sqlite3`"
        }
        "r" => {
            "write Python: `statistics`, `table_tool`, `sql_tool`, `chart_tool` calculate and draw"
        }
        _ => "write Python; nothing can be compiled or installed",
    };
    Problem::bad("unsupported_capability", detail).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_language_is_a_capability_and_says_what_there_is() {
        for (language, word) in [("bash", "no shell"), ("r", "chart_tool"), ("cpp", "compiled")] {
            let problem = unsupported(language, ALL);
            assert_eq!((problem.status, problem.code.as_str()), (400, "unsupported_capability"));
            assert!(problem.detail.contains("`py`"), "{}", problem.detail);
            assert!(problem.hint.as_ref().unwrap().contains(word));
        }
    }
}
