//! Describes uncaught exceptions for models: frames of the script with line, column and caret.

use crate::context::Context;
use crate::contract::exports::mitt::host::script::Uncaught;
use crate::erase::Problem;
use crate::names::{called, iterated};
use crate::source::Script;
use rquickjs::{Ctx, Function, Object, Value};

/// Most characters of a traceback. A longer one has a long message or a recursion, which does not help to correct the
/// script.
const MAX_CHARACTERS: usize = 8_192;

/// Most frames of the same line; further ones are only counted, as CPython does.
const SHOWN_REPEATS: usize = 3;

/// A frame of the script.
#[derive(Debug, PartialEq, Eq)]
struct Frame {
    /// The file of a skill; empty for the script.
    file: String,
    function: String,
    line: u32,
    column: u32,
}

/// Describes an exception.
pub(crate) fn report<'js>(
    ctx: &Ctx<'js>,
    thrown: &Value<'js>,
    context: &Context,
    script: &Script<'_>,
) -> Uncaught {
    let (class, message, stack) = parts(ctx, thrown, context).unwrap_or_else(|_| {
        ctx.catch();
        ("Error".to_owned(), "the exception cannot be read".to_owned(), String::new())
    });
    let mut frames = frames(&stack);
    // The constructor of the exception itself.
    while frames.len() > 1 && frames.last().is_some_and(|frame| frame.function == class) {
        frames.pop();
    }
    for frame in frames.iter_mut().filter(|frame| frame.file.is_empty()) {
        (frame.line, frame.column) = script.place(frame.line, frame.column);
    }
    let message = named(message, &stack, &frames, script.plain());
    let hint = hint(&class, &message, context);
    described(&class, &message, &frames, hint.as_deref(), script.code)
}

/// Adds what is not a function, or not iterable. The interpreter knows only the place.
fn named(message: String, stack: &str, frames: &[Frame], code: &str) -> String {
    let is_call = message == "not a function";
    let is_iteration = message == "value is not iterable"
        || message.starts_with("cannot read property 'Symbol.iterator' of ");
    if !is_call && !is_iteration {
        return message;
    }
    let mut lines = stack.lines().map(str::trim);
    let top = lines.next().and_then(|line| line.strip_prefix("at "));
    // A function of the interpreter calls what the script gives it, or iterates over it.
    if let Some(native) = top.and_then(|line| line.strip_suffix(" (native)")) {
        return format!("{message}: an argument of `{native}`");
    }
    let Some(frame) = frames.last().filter(|frame| frame.file.is_empty()) else { return message };
    if !top.is_some_and(|line| line.contains("script.js:")) {
        return message;
    }
    let name = if is_call { called } else { iterated }(code, frame.line, frame.column);
    match name {
        Some(name) if is_call => format!("{name} is not a function"),
        Some(name) if message.starts_with("value") => format!("{name} is not iterable"),
        Some(name) => {
            let value = message.rsplit(' ').next().unwrap_or_default();
            format!("{name} is {value}, which is not iterable")
        }
        None => message,
    }
}

/// Describes a place where types cannot be removed, as a syntax error.
pub(crate) fn untyped(problem: &Problem, code: &str) -> Uncaught {
    let (line, column) = problem.place(code);
    let frame = Frame { file: String::new(), function: String::new(), line, column };
    described("SyntaxError", &problem.message, &[frame], problem.hint.as_deref(), code)
}

/// Describes a script that waits for nothing.
pub(crate) fn waits() -> Uncaught {
    let (class, message) = ("Error", "the script waits for a promise that nothing ever settles");
    described(class, message, &[], None, "")
}

/// Returns class, message and stack of an exception. Anything can be thrown.
fn parts<'js>(
    ctx: &Ctx<'js>,
    thrown: &Value<'js>,
    context: &Context,
) -> rquickjs::Result<(String, String, String)> {
    let text: Function<'js> = context.hooks.function(ctx, "thrown")?;
    let parts: Object<'js> = text.call((thrown.clone(),))?;
    Ok((parts.get("name")?, parts.get("message")?, parts.get("stack")?))
}

/// Returns the frames of the script and of skills' files, the innermost last: `    at f (script.js:2:5)`, `    at script.js:2:5`.
fn frames(stack: &str) -> Vec<Frame> {
    let frame = |line: &str| {
        let line = line.trim().strip_prefix("at ")?;
        let (function, place) = match line.rsplit_once(" (") {
            Some((function, place)) => (function, place.strip_suffix(')')?),
            None => ("", line),
        };
        let (place, column) = place.rsplit_once(':')?;
        let (file, line) = place.rsplit_once(':')?;
        // Code of this engine; that of `Intl` is compiled without its name.
        if file.starts_with("mitt:") || file == "<null>" {
            return None;
        }
        let file = if file == "script.js" { "" } else { file };
        let function = if function == "<eval>" { "" } else { function };
        Some(Frame {
            file: file.to_owned(),
            function: function.to_owned(),
            line: line.parse().ok()?,
            column: column.parse().ok()?,
        })
    };
    let mut frames: Vec<Frame> = stack.lines().filter_map(frame).collect();
    frames.reverse();
    frames
}

fn described(
    class: &str,
    message: &str,
    frames: &[Frame],
    hint: Option<&str>,
    code: &str,
) -> Uncaught {
    let mut text = String::new();
    if !frames.is_empty() {
        text.push_str("Traceback (most recent call last):\n");
    }
    for group in frames.chunk_by(|a, b| a == b) {
        for frame in &group[..group.len().min(SHOWN_REPEATS)] {
            text.push_str(&shown(frame, code));
        }
        if group.len() > SHOWN_REPEATS {
            text.push_str(&format!(
                "  [Previous line repeated {} more times]\n",
                group.len() - SHOWN_REPEATS
            ));
        }
    }
    text.push_str(class);
    if !message.is_empty() {
        text.push_str(": ");
        text.push_str(message);
    }
    if let Some(hint) = hint {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    let place = frames.iter().rfind(|frame| frame.file.is_empty());
    Uncaught {
        class: class.to_owned(),
        message: message.to_owned(),
        traceback: without_middle(text),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
    }
}

/// Formats a frame with its line and a caret. Tabs stay tabs, so that the caret is in its place.
fn shown(frame: &Frame, code: &str) -> String {
    let Frame { file, function, line, column } = frame;
    let within = if function.is_empty() { String::new() } else { format!(", in {function}") };
    if !file.is_empty() {
        return format!("  File \"{file}\", line {line}{within}\n");
    }
    let mut text = format!("  File \"script.js\", line {line}, column {column}{within}\n");
    if let Some(source) = code.lines().nth(line.saturating_sub(1) as usize) {
        let shown = source.trim_start();
        let indent = source.chars().count() - shown.chars().count();
        let before = (column.saturating_sub(1) as usize).saturating_sub(indent);
        let padding: String = shown
            .chars()
            .chain(std::iter::repeat(' '))
            .take(before)
            .map(|c| if c == '\t' { '\t' } else { width(c) })
            .collect();
        text.push_str(&format!("    {shown}\n    {padding}^\n"));
    }
    text
}

/// Returns a space as wide as a character: letters of East Asia take two columns.
fn width(c: char) -> char {
    let is_wide = matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}');
    if is_wide { '\u{3000}' } else { ' ' }
}

/// Names that exist elsewhere, and what to use here.
const ABSENT: [(&str, &str); 18] = [
    (
        "process",
        "a script has no process; `inputs` has its inputs, `mitt.arguments` its arguments, `exit()` ends it",
    ),
    ("Buffer", "use Uint8Array with TextEncoder, TextDecoder, atob and btoa"),
    ("window", "there is no page; `globalThis` has the global names"),
    ("document", "there is no page; `documents` has the files of the session"),
    ("localStorage", "use store(name, value) and load(name)"),
    ("sessionStorage", "use store(name, value) and load(name)"),
    (
        "XMLHttpRequest",
        "a script has no network; `documents` has the files, `tools` the tools of the session",
    ),
    (
        "WebSocket",
        "a script has no network; `documents` has the files, `tools` the tools of the session",
    ),
    (
        "axios",
        "a script has no network; `documents` has the files, `tools` the tools of the session",
    ),
    ("Worker", "a script has no threads; Promise.all makes several calls of tools at once"),
    ("Deno", "a script has no process; `inputs` has its inputs, `mitt.arguments` its arguments"),
    ("Bun", "a script has no process; `inputs` has its inputs, `mitt.arguments` its arguments"),
    ("notify", "use text(value) or console.log(value), whose output is shown at once"),
    ("image", "a script shows text only; deliver a picture by a tool such as tools.report"),
    ("yield_control", "leave it out: output is shown while the script runs"),
    ("module", "the value of the last expression is the result; nothing is exported"),
    ("exports", "the value of the last expression is the result; nothing is exported"),
    (
        "fs",
        "read documents by `documents[name].text`, files of the workspace by `await mitt.read(name)`",
    ),
];

fn hint(class: &str, message: &str, context: &Context) -> Option<String> {
    let name = message.strip_suffix(" is not defined").filter(|_| class == "ReferenceError")?;
    if let Some((_, advice)) = ABSENT.iter().find(|(absent, _)| *absent == name) {
        return Some((*advice).to_owned());
    }
    let snake = snake(name);
    context
        .host
        .modules()
        .contains(&snake)
        .then(|| format!("import * as {name} from \"{}\"", snake.replace('_', "-")))
}

/// Converts `tableTool` to `table_tool`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Removes the middle of a long text: the beginning has the place, the end the message.
fn without_middle(text: String) -> String {
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

#[cfg(test)]
mod tests {
    use super::{Frame, frames, shown};

    #[test]
    fn frames_of_the_script_only() {
        let stack = "    at f (script.js:2:5)\n    at call (mitt:tools:9:1)\n    at map (native)\n    \
                     at <eval> (script.js:7:1)\n";
        let frame = |function: &str, line, column| {
            let (file, function) = (String::new(), function.to_owned());
            Frame { file, function, line, column }
        };
        assert_eq!(frames(stack), [frame("", 7, 1), frame("f", 2, 5)]);
        assert_eq!(frames("    at script.js:3:4\n"), [frame("", 3, 4)]);
    }

    #[test]
    fn the_caret_is_below_wide_letters() {
        let frame = Frame { file: String::new(), function: String::new(), line: 1, column: 8 };
        assert_eq!(
            shown(&frame, "  年 = a.b"),
            "  File \"script.js\", line 1, column 8\n    年 = a.b\n    \u{3000}    ^\n"
        );
    }
}
