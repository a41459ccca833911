//! Calls and results in WAVE, which are converted to JSON and then handled like all others.

use super::caller::Caller;
use super::event::Event;
use super::options::CallOptions;
use super::report::CallReport;
use super::state::Session;
use crate::engine::Usage;
use mitt_base::text::cut_bytes;
use mitt_base::{Error, Result};
use mitt_wit::value::Json;
use mitt_wit::value::wave::{self, WaveCall};

/// Most bytes of an invalid call that appear in its report in place of the tool's name.
const SHOWN: usize = 64;

impl Session {
    /// Calls a tool with a call in WAVE, such as `table-tool/sort([{a: 1}], [{column: "a", order: descending}])`;
    /// [`WaveCall::parse`] describes the syntax.
    ///
    /// The journal records it like [`Session::call`], with the hash of the arguments as JSON, or of the text if it cannot be
    /// parsed. The limits for JSON apply to the text and to the JSON.
    pub async fn call_wave(&self, text: &str) -> CallReport {
        self.call_wave_with(text, CallOptions::default()).await
    }

    /// Like [`Session::call_wave`], with options for this call.
    pub async fn call_wave_with(&self, text: &str, options: CallOptions) -> CallReport {
        match self.read_wave(text).await {
            Ok((tool, arguments)) => self.call_with(&tool, &arguments, options).await,
            Err((tool, error)) => self.refused(tool, text, error, options),
        }
    }

    /// Formats a result of `tool` in WAVE, on one line: `()` if the tool returns nothing, `ok` if it returns nothing but may
    /// fail.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownTool`](mitt_base::ErrorKind::UnknownTool) - there is no such tool.
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - `result` is not a result of this tool.
    pub async fn result_in_wave(&self, tool: &str, result: &Json) -> Result<String> {
        let tool = self.registry().tool(tool).await?;
        wave::result_text(&tool.function, result)
    }

    /// Returns name and arguments for [`Session::call`]. The error comes with the name as far as it is known.
    async fn read_wave(&self, text: &str) -> Result<(String, String), (String, Error)> {
        let limits = self.host().session_limits();
        let call = WaveCall::parse(text, limits.arguments_bytes, limits.arguments_depth).map_err(
            |error| (cut_bytes(text.split('(').next().unwrap_or(text), SHOWN).to_owned(), error),
        )?;
        let name = call.tool().to_owned();
        let tool = match self.registry().tool(&name).await {
            Ok(tool) => tool,
            Err(error) => return Err((name, error)),
        };
        match call.arguments(&tool.function) {
            Ok(arguments) => Ok((name, arguments.to_string())),
            Err(error) => Err((name, error)),
        }
    }

    /// Returns the report of a call whose text could not be parsed, and records it like any other.
    fn refused(&self, tool: String, text: &str, error: Error, options: CallOptions) -> CallReport {
        let inner = &self.inner;
        let caller = Caller::new(inner.root_call(options, self.agent_view.clone()));
        let call = inner.next_call(None);
        caller.emit(inner, &Event::CallStarted { call, tool: tool.clone(), depth: 0 });
        let mut report = CallReport::new(call, &tool, text, Err(error));
        report.agent = caller.agent();
        inner.journal.call(&report, inner.host.environment().now());
        let (usage, failure) = (Usage::default(), report.failure());
        caller.emit(inner, &Event::CallFinished { call, tool, depth: 0, usage, failure });
        report
    }
}
