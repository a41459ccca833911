//! One attempt of a call to a tool of the embedding program, and the tool's access to the session.

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::inner::Inner;
use super::services::CallServices;
use crate::engine::{CallOutput, Usage, limited};
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Result};
use mitt_skill::{
    HostCall, RegisteredTool,
    capability::{Log as _, LogLevel, ToolFailure, Tools as _},
};
use mitt_types::Document;
use mitt_wit::value::{self, Json};

/// The session as such a call sees it.
struct Inside {
    session: Arc<Inner>,
    services: Arc<CallServices>,
}

impl Inner {
    /// Attempts a call of `tool` with checked arguments.
    pub(super) async fn attempt_host_tool(
        self: &Arc<Inner>,
        tool: &RegisteredTool,
        arguments: Json,
        limits: &CallLimits,
        services: &Arc<CallServices>,
    ) -> CallOutput<Json> {
        let inside = Inside { session: self.clone(), services: services.clone() };
        let clock = services.clock();
        let run = pin!(tool.code.run(&inside, arguments));
        let (given, duration) = limited(limits.time, Some(&**clock), run).await;
        let result = given.flatten().and_then(|given| tool.result(given)).and_then(|value| {
            services.hold_result(value.as_ref())?;
            value::result(tool.function(), value)
        });
        let usage = Usage { duration, ..Usage::default() };
        CallOutput { result, usage, printed: String::new() }
    }
}

impl HostCall for Inside {
    fn tenant(&self) -> &str {
        self.session.context.tenant()
    }

    fn documents(&self) -> Vec<Arc<Document>> {
        self.session.content.documents()
    }

    fn add_document<'a>(
        &'a self,
        name: &'a str,
        content: Vec<u8>,
    ) -> BoxFuture<'a, Result<Arc<Document>>> {
        Box::pin(async move {
            // The reader has limits of its own and may have to be compiled first, so the clock stands still.
            let clock = self.services.clock();
            let _stopped = clock.stop();
            self.session.content.add_document_inside(name, content, &*self.services).await
        })
    }

    fn add_document_url<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Arc<Document>>> {
        Box::pin(async move {
            // The server may be slow, so the clock stands still.
            let clock = self.services.clock();
            let _stopped = clock.stop();
            self.session.content.add_url_inside(url, &*self.services).await
        })
    }

    fn call_tool<'a>(&'a self, tool: &'a str, arguments: &'a str) -> BoxFuture<'a, Result<Json>> {
        Box::pin(async move {
            let failed = |kind: ErrorKind, text: String| Err(Error::new(kind, text));
            match self.services.call_tool(tool, arguments).await? {
                Ok(result) => Json::parse(&result, u64::MAX, Json::MAX_DEPTH),
                Err(ToolFailure::UnknownTool(text)) => failed(ErrorKind::UnknownTool, text),
                Err(ToolFailure::Arguments(text)) => failed(ErrorKind::Arguments, text),
                Err(ToolFailure::Plugin(text)) => failed(ErrorKind::Plugin, text),
                Err(ToolFailure::Trap(text)) => failed(ErrorKind::Trap, text),
            }
        })
    }

    fn log(&self, level: LogLevel, message: &str) {
        self.services.log(level, message);
    }
}
