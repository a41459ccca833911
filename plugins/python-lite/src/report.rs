//! Formats exceptions for models: frames of the script and of skills' helpers, with line, column and caret.

use crate::context::{BEGUN, Context, PARTS, Part};
use crate::contract::exports::mitt::host::script::Uncaught;
use std::sync::Arc;

use monty_types::{ExcType, MontyException, MontyObject, StackFrame};

/// The file name of the prelude, the first input of the interpreter.
const PRELUDE: &str = "<python-input-0>";

/// Most characters of a traceback. A longer one has a long message or a recursion, which does not help to correct the
/// script.
const MAX_CHARACTERS: usize = 8_192;

/// Most frames of the same line; further ones are only counted, as CPython does.
const SHOWN_REPEATS: usize = 3;

/// Describes an uncaught exception of the script with the file name `name`.
pub(crate) fn report(error: &MontyException, context: &Context, name: &str) -> Uncaught {
    let mut frames: Vec<StackFrame> =
        error.traceback().iter().filter(|frame| frame.filename != PRELUDE).cloned().collect();
    name_parts(&mut frames);
    let place = frames.iter().rev().find(|frame| frame.filename == name).map(|frame| frame.start);
    for frame in &mut frames {
        if let Some(number) = number(&frame.filename) {
            frame.filename = script(number);
        }
    }
    let class = error.exc_type().to_string();
    let message = named_message(error);
    let mut text = String::new();
    if !frames.is_empty() {
        text.push_str("Traceback (most recent call last):\n");
    }
    for group in frames.chunk_by(|a, b| {
        a.filename == b.filename && a.start == b.start && a.frame_name == b.frame_name
    }) {
        for frame in &group[..group.len().min(SHOWN_REPEATS)] {
            text.push_str(&shown(frame));
        }
        if group.len() > SHOWN_REPEATS {
            text.push_str(&format!(
                "  [Previous line repeated {} more times]\n",
                group.len() - SHOWN_REPEATS
            ));
        }
    }
    text.push_str(&class);
    if !message.is_empty() {
        text.push_str(": ");
        text.push_str(&shown_message(error, &message));
    }
    if let Some(hint) = hint(error, context) {
        text.push_str("\nhint: ");
        text.push_str(&hint);
    }
    Uncaught {
        class,
        message,
        traceback: without_middle(text),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
    }
}

/// Gives frames of helpers the names of their files, and removes those of the standard library. Monty calls all of them
/// `<string>` and keeps no text. So a function is found by its name, and the code of a module is that of the last part that
/// began.
fn name_parts(frames: &mut Vec<StackFrame>) {
    PARTS.with_borrow(|parts| {
        frames.retain_mut(|frame| {
            if frame.filename != "<string>" {
                return true;
            }
            let line = usize::try_from(frame.start.line).unwrap_or(0);
            let function = frame.frame_name.as_deref().filter(|name| !name.starts_with('<'));
            let begun = BEGUN.with_borrow(Clone::clone);
            let fits = |part: &&Part| match function {
                Some(name) => {
                    let head = format!("def {name}(");
                    part.source.lines().take(line).any(|line| line.trim_start().starts_with(&head))
                }
                None => part.path == begun,
            };
            let Some(part) = parts.iter().rev().find(fits) else { return true };
            let Some(file) = &part.file else { return false };
            frame.filename.clone_from(file);
            if frame.start.line == frame.end.line {
                frame.preview_line = part.source.lines().nth(line.saturating_sub(1)).map(Arc::from);
            }
            true
        });
    });
}

/// Returns the message. A syntax error of a helper names its file.
fn named_message(error: &MontyException) -> String {
    let message = error.message().unwrap_or_default();
    let begun = BEGUN.with_borrow(Clone::clone);
    let file = PARTS.with_borrow(|parts| {
        let part = parts.iter().rev().find(|part| part.path == begun);
        part.and_then(|part| part.file.clone())
    });
    match (error.exc_type(), file) {
        (ExcType::SyntaxError, Some(file)) => {
            message.replacen("(<string>,", &format!("({file},"), 1)
        }
        _ => message.to_owned(),
    }
}

/// Quotes a missing key if it is a string. Monty keeps numbers and strings as the same text.
fn shown_message(error: &MontyException, message: &str) -> String {
    let written =
        message.parse::<f64>().is_ok() || message.starts_with(['(', '\'']) || message == "None";
    if error.exc_type() != ExcType::KeyError || written {
        return message.to_owned();
    }
    MontyObject::string(message).py_repr()
}

/// Returns the input number of a file; the prelude is the first.
fn number(filename: &str) -> Option<&str> {
    filename.strip_prefix("<python-input-")?.strip_suffix('>')
}

/// Returns the file name of a script in tracebacks: `script.py` for the first of an instance, then `script-2.py` and so on.
fn script(number: &str) -> String {
    if number == "1" { "script.py".to_owned() } else { format!("script-{number}.py") }
}

/// Returns the name of a script in tracebacks, given its name in monty.
pub(crate) fn shown_name(filename: &str) -> String {
    number(filename).map_or_else(|| filename.to_owned(), script)
}

/// Formats a frame. Monty counts columns in characters, as editors do.
fn shown(frame: &StackFrame) -> String {
    let line = format!("line {}", frame.start.line);
    frame.to_string().replacen(&line, &format!("{line}, column {}", frame.start.column), 1)
}

fn hint(error: &MontyException, context: &Context) -> Option<String> {
    let message = error.message().unwrap_or_default();
    let quoted = message.split('\'').nth(1);
    match error.exc_type() {
        ExcType::NameError => {
            let name = quoted?;
            context.host.modules().iter().any(|module| module == name).then(|| format!("import {name}"))
        }
        ExcType::ImportError => {
            let module = message.split('\'').nth(3)?;
            let functions = context.functions.borrow();
            let mut names: Vec<&str> = functions
                .values()
                .filter(|function| function.module == module)
                .map(|function| function.name.as_str())
                .collect();
            names.sort_unstable();
            (!names.is_empty()).then(|| format!("functions of {module}: {}", names.join(", ")))
        }
        // Earlier, `documents` had documents where a mapping has keys.
        ExcType::AttributeError
            if message.starts_with("'str' object")
                && ["text", "tables", "name", "title", "media_type", "warnings"]
                    .iter()
                    .any(|name| quoted_last(message) == Some(name)) =>
        {
            Some("`for name in documents` gives names; iterate over documents.values() for documents, or use documents[name]".to_owned())
        }
        ExcType::NotImplementedError if message.contains("monty") => Some(
            "this engine runs a subset of Python; write it in another way, or run it in the engine `python`".to_owned(),
        ),
        _ => None,
    }
}

/// Returns the name of the attribute in `'str' object has no attribute 'text'`.
fn quoted_last(message: &str) -> Option<&str> {
    message.strip_suffix('\'')?.rsplit_once('\'').map(|(_, name)| name)
}

/// Removes the middle of a long text: the beginning has the place, the end the message.
pub(crate) fn without_middle(text: String) -> String {
    let length = text.chars().count();
    if length <= MAX_CHARACTERS {
        return text;
    }
    const MARK: &str = "\n[…]\n";
    let half = (MAX_CHARACTERS - MARK.chars().count()) / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(length - half).collect();
    format!("{head}{MARK}{tail}")
}
