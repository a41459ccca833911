//! The line that the user types: editing, history, completion.

use std::path::{Path, PathBuf, is_separator};
use std::sync::{Arc, Mutex};

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Behavior, CompletionType, Config, Context, Editor, Helper};

use super::words::COMMANDS;
use crate::runs::{make_private, state_folder};
use mitt_base::visible::{Lines, visible};
use mitt_base::{Error, ErrorKind, Result, lock};

/// Lines in the history.
const REMEMBERED: usize = 1_000;

/// Most files that completion offers.
const MOST: usize = 1_000;

/// The result of reading a line.
pub(super) enum LineInput {
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the end of the input.
    End,
}

/// Reads lines from the terminal. A cheap handle.
#[derive(Clone)]
pub(super) struct LineEditor {
    editor: Arc<Mutex<Editor<Helps, FileHistory>>>,
    history: Option<PathBuf>,
}

impl LineEditor {
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - there is no such terminal.
    pub(super) fn open() -> Result<LineEditor> {
        let failed = |error: ReadlineError| {
            Error::new(ErrorKind::Host, "cannot read lines from the terminal").caused_by(error)
        };
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .auto_add_history(false)
            .max_history_size(REMEMBERED)
            .map_err(failed)?
            .history_ignore_space(true)
            // Standard output is for the text of the model.
            .behavior(Behavior::PreferTerm)
            .build();
        let mut editor = Editor::with_config(config).map_err(failed)?;
        editor.set_helper(Some(Helps));
        let history = state_folder()
            .filter(|folder| make_private(folder).is_ok())
            .map(|folder| folder.join("chat_history"));
        if let Some(history) = &history {
            // There is no history the first time.
            let _ = editor.load_history(history);
        }
        Ok(LineEditor { editor: Arc::new(Mutex::new(editor)), history })
    }

    /// Reads a line. `remembered` adds it to the history.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the terminal is gone.
    pub(super) async fn read(&self, prompt: &'static str, remembered: bool) -> Result<LineInput> {
        let line = self.clone();
        let read = tokio::task::spawn_blocking(move || {
            let mut editor = lock(&line.editor);
            let read = editor.readline(prompt);
            if let (Ok(text), true) =
                (&read, remembered && !matches!(&read, Ok(text) if text.trim().is_empty()))
            {
                // A history that cannot be written does not end the chat.
                let _ = editor.add_history_entry(text);
                line.remember(&mut editor);
            }
            read
        });
        let read = read.await.map_err(|error| {
            Error::new(ErrorKind::Host, "reading a line ended").caused_by(error)
        })?;
        match read {
            Ok(line) => Ok(LineInput::Line(joined(&line))),
            Err(ReadlineError::Interrupted) => Ok(LineInput::Interrupted),
            Err(ReadlineError::Eof) => Ok(LineInput::End),
            Err(error) => Err(Error::new(ErrorKind::Host, "cannot read a line").caused_by(error)),
        }
    }

    fn remember(&self, editor: &mut Editor<Helps, FileHistory>) {
        if let Some(history) = &self.history {
            let _ = editor.append_history(history);
        }
    }
}

/// Joins a line that continues after a `\`.
fn joined(line: &str) -> String {
    line.replace("\\\n", "\n")
}

/// Completes commands, and files after an `@`; continues a line after a `\`.
struct Helps;

impl Helper for Helps {}
impl Highlighter for Helps {}

impl Hinter for Helps {
    type Hint = String;
}

impl Validator for Helps {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if context.input().ends_with('\\') {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

impl Completer for Helps {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = &line[..position];
        if typed.starts_with('/') && !typed.contains(char::is_whitespace) {
            let found = COMMANDS.iter().filter(|(name, _)| name.starts_with(typed));
            let pair = |(name, does): &(&str, &str)| Pair {
                display: format!("{name}  {does}"),
                replacement: (*name).to_owned(),
            };
            return Ok((0, found.map(pair).collect()));
        }
        let Some(at) = typed.rfind('@') else { return Ok((position, Vec::new())) };
        let start = at + 1;
        Ok((start, files(typed[start..].trim_start_matches('"'))))
    }
}

/// Returns the files and folders whose path begins with `typed`.
fn files(typed: &str) -> Vec<Pair> {
    let (folder, prefix) = typed.split_at(typed.rfind(is_separator).map_or(0, |at| at + 1));
    let place = if folder.is_empty() { Path::new(".") } else { Path::new(folder) };
    let Ok(entries) = std::fs::read_dir(place) else { return Vec::new() };
    let found = entries.map_while(std::io::Result::ok).filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        // Hidden files are offered only if the user typed a dot.
        let is_shown =
            name.starts_with(prefix) && (prefix.starts_with('.') || !name.starts_with('.'));
        is_shown.then(|| (entry.path().is_dir(), name))
    });
    let mut pairs: Vec<_> = found
        .take(MOST)
        .map(|(is_folder, name)| {
            let end = if is_folder { "/" } else { "" };
            let path = format!("{folder}{name}{end}");
            // A name with a space is quoted; the quote is closed after a file.
            let replacement = match (path.contains(char::is_whitespace), is_folder) {
                (false, _) => path,
                (true, true) => format!("\"{path}"),
                (true, false) => format!("\"{path}\""),
            };
            // The terminal displays it.
            let display = visible(&format!("{name}{end}"), Lines::One).into_owned();
            Pair { display, replacement }
        })
        .collect();
    pairs.sort_by(|a, b| a.display.cmp(&b.display));
    pairs
}

#[cfg(test)]
mod tests {
    use rustyline::history::{DefaultHistory, History as _};

    use super::*;

    fn complete(line: &str) -> Vec<String> {
        let history = DefaultHistory::new();
        assert_eq!(history.len(), 0);
        let (start, found) = Helps.complete(line, line.len(), &Context::new(&history)).unwrap();
        found.into_iter().map(|pair| format!("{}{}", &line[..start], pair.replacement)).collect()
    }

    #[test]
    fn commands_and_files_are_completed() {
        assert_eq!(complete("/he"), ["/help"]);
        assert_eq!(complete("/"), COMMANDS.map(|(name, _)| name.to_owned()));
        assert!(complete("Look at a.x").is_empty(), "a file stands behind an @");
        let root = tempfile::tempdir().unwrap();
        let at = root.path().to_str().unwrap();
        for name in ["a.xlsx", "a b.csv", "报告.docx"] {
            std::fs::write(root.path().join(name), "").unwrap();
        }
        assert_eq!(
            complete(&format!("Look at @{at}/a")),
            [format!("Look at @\"{at}/a b.csv\""), format!("Look at @{at}/a.xlsx")]
        );
        assert_eq!(complete(&format!("看@{at}/报")), [format!("看@{at}/报告.docx")]);
        assert_eq!(complete(&format!("@\"{at}/a b")), [format!("@\"{at}/a b.csv\"")]);
    }
}
