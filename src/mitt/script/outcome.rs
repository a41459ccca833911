//! Result of a script, however it ended: the JSON for its caller, and the error for journals and exit codes if it did not
//! succeed.

use std::time::Duration;

use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Resource, text};
use mitt_wit::value::{Json, Number};

/// Largest value of a script, as JSON text: as much as one call may pass to another.
const MAX_RESULT_BYTES: u64 = 16 * MIB;

/// Longest traceback and longest `repr` in the result, in characters, whatever an engine returns.
const MAX_TEXT: u64 = mitt_base::limits::SCRIPT_OUTPUT_CHARACTERS;
/// Most characters of a line of a script that are shown.
const MAX_LINE: usize = 120;
/// Longest name of an exception, and longest text of one in a journal, in bytes.
const MAX_CLASS: usize = 128;
const MAX_MESSAGE: usize = 1_024;

/// How a script ended.
pub(crate) enum Ended {
    /// It returned a value: `None`, JSON text, or the output of `repr`.
    Value(Option<Result<String, String>>),
    /// It raised an exception.
    Uncaught {
        class: String,
        message: String,
        traceback: String,
        line: Option<u32>,
        column: Option<u32>,
    },
    /// It was stopped: by a limit, a refusal, a crash, or a fault of the host.
    Stopped(Error),
}

/// Tool that a script called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CalledTool {
    pub(crate) tool: String,
    /// Kind of its error; `None` if it succeeded.
    pub(crate) kind: Option<String>,
    pub(crate) duration: Duration,
    pub(crate) fuel: u64,
}

/// Line of a script.
pub(crate) struct Line {
    number: u32,
    text: String,
}

impl Line {
    /// Returns the line of `code` with this number, from 1.
    pub(crate) fn of(code: &str, number: u32) -> Line {
        let at = usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
        let text = code.lines().nth(at).unwrap_or_default().trim();
        Line { number, text: text::one_line(&text::shortened(text, MAX_LINE)) }
    }

    /// Returns the detail for a script that was stopped at this line.
    fn detail(&self) -> String {
        if self.text.is_empty() {
            format!("the script had come to line {}", self.number)
        } else {
            format!("the script had come to line {}: `{}`", self.number, self.text)
        }
    }
}

/// Everything that is known of a script that ran.
pub(crate) struct Outcome {
    pub(crate) ended: Ended,
    /// Line that it had reached, if its engine reports lines.
    pub(crate) line: Option<Line>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) is_truncated: bool,
    pub(crate) stdout_file: Option<String>,
    pub(crate) stderr_file: Option<String>,
    pub(crate) duration: Duration,
    pub(crate) fuel: u64,
    pub(crate) peak_memory_bytes: u64,
    /// JSON objects.
    pub(crate) artifacts: Vec<Json>,
    pub(crate) calls: Vec<CalledTool>,
    /// JSON object.
    pub(crate) approval: Option<Json>,
}

impl Outcome {
    /// Returns the result, and the error if the script did not succeed.
    pub(crate) fn finish(self) -> (Json, Option<Error>) {
        let mut value = (Json::Null, false);
        let mut failure = None;
        match self.ended {
            Ended::Value(None) => {}
            Ended::Value(Some(Err(repr))) => {
                value = (Json::String(text::truncate(&repr, MAX_TEXT)), true);
            }
            Ended::Value(Some(Ok(text))) => match parsed(text) {
                Ok(parsed) => value = parsed,
                Err(error) => failure = Some(Failure::stopped(error)),
            },
            Ended::Uncaught { class, message, traceback, line, column } => {
                let summary =
                    if message.is_empty() { class.clone() } else { format!("{class}: {message}") };
                let summary = text::one_line(text::cut_bytes(&summary, MAX_MESSAGE));
                let class_kept = text::one_line(text::cut_bytes(&class, MAX_CLASS));
                let kept =
                    format!("{class_kept}, and a text of {} characters", message.chars().count());
                failure = Some(Failure {
                    status: "error",
                    kind: text::cut_bytes(&class, MAX_CLASS).to_owned(),
                    message: text::truncate(&traceback, MAX_TEXT),
                    place: (line, column),
                    error: Error::new(ErrorKind::Plugin, summary).kept_as(kept),
                });
            }
            // A waiting script continues later, so it has no last line. The line of a blocked script may contain the text that
            // was found.
            Ended::Stopped(error)
                if matches!(error.kind(), ErrorKind::Paused | ErrorKind::Blocked) =>
            {
                failure = Some(Failure::stopped(error));
            }
            Ended::Stopped(error) => failure = Some(Failure::at(error, self.line)),
        }
        let status = failure.as_ref().map_or("success", |failure| failure.status);
        let mut entries: Vec<(&str, Json)> = vec![
            ("status", status.into()),
            ("stdout", self.stdout.into()),
            ("stderr", self.stderr.into()),
            ("result", value.0),
            ("result_is_repr", value.1.into()),
            ("execution_time_ms", millis(self.duration)),
        ];
        let mut error = None;
        if let Some(failure) = failure {
            entries.push(("error_message", failure.message.into()));
            entries.push(("error_kind", failure.kind.into()));
            entries.extend(failure.place.0.map(|line| ("line", line.into())));
            entries.extend(failure.place.1.map(|column| ("column", column.into())));
            error = Some(failure.error);
        }
        entries.push(("fuel_used", self.fuel.into()));
        entries.push(("peak_memory_bytes", self.peak_memory_bytes.into()));
        entries.push(("truncated", self.is_truncated.into()));
        entries.extend(self.stdout_file.map(|name| ("stdout_file", name.into())));
        entries.extend(self.stderr_file.map(|name| ("stderr_file", name.into())));
        entries.push(("artifacts", self.artifacts.into()));
        let calls: Vec<Json> = self.calls.into_iter().map(CalledTool::into_json).collect();
        entries.push(("calls", calls.into()));
        entries.extend(self.approval.map(|approval| ("approval", approval)));
        (Json::object(entries), error)
    }
}

struct Failure {
    status: &'static str,
    kind: String,
    message: String,
    place: (Option<u32>, Option<u32>),
    error: Error,
}

impl Failure {
    /// Returns the failure of a script that was stopped at a line.
    fn at(error: Error, line: Option<Line>) -> Failure {
        match line {
            None => Failure::stopped(error),
            Some(line) => {
                let place = (Some(line.number), None);
                Failure { place, ..Failure::stopped(error.detail(line.detail())) }
            }
        }
    }

    fn stopped(error: Error) -> Failure {
        let (status, kind) = match error.kind() {
            ErrorKind::Limit(limit) => {
                let status = match limit.what {
                    Resource::Time | Resource::SessionTime | Resource::Fuel => "timeout",
                    _ => "sandbox_error",
                };
                (status, format!("limit:{}", limit.what.name()))
            }
            kind => ("sandbox_error", kind.name().to_owned()),
        };
        Failure { status, kind, message: error.render(), place: (None, None), error }
    }
}

/// Parses a value. Returns whether only its `repr` is available.
fn parsed(text: String) -> Result<(Json, bool), Error> {
    let size = text.len() as u64;
    if size > MAX_RESULT_BYTES {
        let error =
            Error::limit(Resource::Transfer, MAX_RESULT_BYTES, size).at("the script's result");
        return Err(error.hint("write large values to a file, or hand them to a tool"));
    }
    // If the JSON is nested too deeply or invalid, its text is the value.
    Ok(Json::parse(&text, MAX_RESULT_BYTES, Json::MAX_DEPTH)
        .map_or((Json::String(text), true), |json| (json, false)))
}

impl CalledTool {
    fn into_json(self) -> Json {
        let mut entries: Vec<(&str, Json)> =
            vec![("tool", self.tool.into()), ("ok", self.kind.is_none().into())];
        entries.extend(self.kind.map(|kind| ("kind", kind.into())));
        entries.extend([("duration_ms", millis(self.duration)), ("fuel", self.fuel.into())]);
        Json::object(entries)
    }
}

/// Returns milliseconds with up to three decimal places.
fn millis(time: Duration) -> Json {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    match micros % 1_000 {
        0 => (micros / 1_000).into(),
        part => {
            let text = format!("{}.{part:03}", micros / 1_000);
            Number::parse(text.trim_end_matches('0')).map_or(Json::Null, Json::Number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(ended: Ended) -> (Json, Option<Error>) {
        Outcome {
            ended,
            line: Some(Line::of("a = 1\n  while True: pass\n", 2)),
            stdout: "o".into(),
            stderr: "e".into(),
            is_truncated: false,
            stdout_file: None,
            stderr_file: None,
            duration: Duration::from_micros(1_250),
            fuel: 7,
            peak_memory_bytes: 8,
            artifacts: Vec::new(),
            calls: vec![CalledTool {
                tool: "a__b".into(),
                kind: Some("plugin".into()),
                duration: Duration::from_millis(2),
                fuel: 3,
            }],
            approval: None,
        }
        .finish()
    }

    #[test]
    fn each_end_of_a_script_has_its_status_and_kind() {
        let stopped = |error| finished(Ended::Stopped(error));
        let (json, error) = finished(Ended::Value(Some(Ok("[1.10, null]".into()))));
        assert!(error.is_none());
        insta::assert_snapshot!(json, @r#"{"status":"success","stdout":"o","stderr":"e","result":[1.10,null],"result_is_repr":false,"execution_time_ms":1.25,"fuel_used":7,"peak_memory_bytes":8,"truncated":false,"artifacts":[],"calls":[{"tool":"a__b","ok":false,"kind":"plugin","duration_ms":2,"fuel":3}]}"#);
        let (json, error) = finished(Ended::Uncaught {
            class: "NameError".into(),
            message: "name 'x' is not defined".into(),
            traceback: "Traceback ...".into(),
            line: Some(2),
            column: Some(7),
        });
        assert_eq!(json.get("error_kind").and_then(Json::as_str), Some("NameError"));
        assert_eq!(json.get("line"), Some(&2_u32.into()));
        assert_eq!(error.unwrap().to_string(), "NameError: name 'x' is not defined");
        for (error, status, kind) in [
            (Error::limit(Resource::Time, 1, 1), "timeout", "limit:time"),
            (Error::limit(Resource::Fuel, 1, 1), "timeout", "limit:fuel"),
            (Error::limit(Resource::SessionTime, 1, 1), "timeout", "limit:session-time"),
            (Error::limit(Resource::Memory, 1, 1), "sandbox_error", "limit:memory"),
            (Error::new(ErrorKind::Trap, "x"), "sandbox_error", "trap"),
            (Error::new(ErrorKind::Denied, "x"), "sandbox_error", "denied"),
            (Error::new(ErrorKind::Paused, "x"), "sandbox_error", "paused"),
            (Error::bug("x"), "sandbox_error", "host"),
        ] {
            let (json, error) = stopped(error);
            assert_eq!(json.get("status").and_then(Json::as_str), Some(status));
            assert_eq!(json.get("error_kind").and_then(Json::as_str), Some(kind));
            assert_eq!(json.get("result"), Some(&Json::Null));
            let error = error.unwrap();
            let has_line =
                error.render().contains("the script had come to line 2: `while True: pass`");
            assert_eq!(has_line, *error.kind() != ErrorKind::Paused);
            assert_eq!(json.get("line"), has_line.then_some(&2_u32.into()));
        }
    }

    #[test]
    fn a_line_is_shown_short_and_where_there_is_one() {
        let long = format!("x = '{}'", "y".repeat(500));
        assert!(Line::of(&long, 1).detail().chars().count() < 200);
        assert_eq!(Line::of("a", 7).detail(), "the script had come to line 7");
        assert_eq!(Line::of("a\n\n", 2).detail(), "the script had come to line 2");
    }

    #[test]
    fn values_that_json_has_no_form_for_are_given_as_their_repr() {
        let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
        for (value, result) in [
            (Err("<object>".to_owned()), "<object>"),
            (Ok("NaN".to_owned()), "NaN"),
            (Ok(deep.clone()), &deep),
        ] {
            let (json, error) = finished(Ended::Value(Some(value)));
            assert!(error.is_none());
            assert_eq!(json.get("result").and_then(Json::as_str), Some(result));
            assert_eq!(json.get("result_is_repr"), Some(&Json::Bool(true)));
        }
        let large = format!("\"{}\"", "x".repeat(17 << 20));
        let (json, error) = finished(Ended::Value(Some(Ok(large))));
        assert_eq!(json.get("error_kind").and_then(Json::as_str), Some("limit:transfer"));
        assert!(error.unwrap().to_string().contains("the script's result"));
    }
}
