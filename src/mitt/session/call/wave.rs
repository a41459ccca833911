//! Calls in WAVE, which are converted to JSON and then handled like all others.

use std::sync::Arc;

use super::super::agent_view::AgentView;
use super::super::event::Event;
use super::super::options::CallOptions;
use super::super::report::CallReport;
use super::caller::{Caller, RootCall};
use super::inner::Inner;
use crate::engine::Usage;
use mitt_base::text::cut_bytes;
use mitt_base::{Error, Result};
use mitt_wit::value::wave::WaveCall;

/// Most bytes of an invalid call that appear in its report in place of the tool's name.
const SHOWN: usize = 64;

impl Inner {
    /// Makes a call that is written in WAVE, as [`Session::call_wave`](crate::Session::call_wave) describes.
    pub(in crate::session) async fn call_wave(
        self: &Arc<Inner>,
        text: &str,
        options: CallOptions,
        agent_view: Option<Arc<AgentView>>,
    ) -> CallReport {
        match self.read_wave(text, agent_view.as_deref()).await {
            Ok((tool, arguments)) => {
                let root = RootCall::new(&self.context, options, agent_view);
                self.run_root_call(&tool, &arguments, root).await
            }
            Err((tool, error)) => {
                let root = RootCall::new(&self.context, options, agent_view);
                self.refused(tool, text, error, root)
            }
        }
    }

    /// Returns name and arguments of the call, the arguments as JSON. The error comes with the name as far as it is known.
    async fn read_wave(
        &self,
        text: &str,
        agent_view: Option<&AgentView>,
    ) -> Result<(String, String), (String, Error)> {
        let limits = self.context.host().session_limits();
        let call = WaveCall::parse(text, limits.arguments_bytes, limits.arguments_depth).map_err(
            |error| (cut_bytes(text.split('(').next().unwrap_or(text), SHOWN).to_owned(), error),
        )?;
        let name = call.tool().to_owned();
        let tool = match self.registry_for(agent_view).tool(&name).await {
            Ok(tool) => tool,
            Err(error) => return Err((name, error)),
        };
        match call.arguments(&tool.function) {
            Ok(arguments) => Ok((name, arguments.to_string())),
            Err(error) => Err((name, error)),
        }
    }

    /// Returns the report of a call whose text could not be parsed, and records it like any other.
    fn refused(&self, tool: String, text: &str, error: Error, root: RootCall) -> CallReport {
        let (context, caller) = (&*self.context, Caller::new(root));
        let call = self.calls.next(None);
        caller.emit(context, &Event::CallStarted { call, tool: tool.clone(), depth: 0 });
        let mut report = CallReport::new(call, &tool, text, Err(error));
        report.agent = caller.agent();
        context.journal().call(&report, context.now());
        let (usage, failure) = (Usage::default(), report.failure());
        caller.emit(context, &Event::CallFinished { call, tool, depth: 0, usage, failure });
        report
    }
}
