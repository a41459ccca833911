//! The host functions behind the bindings of `wit/`: each takes its arguments apart, asks the
//! session's [`Services`](super::Services), and puts the answer together.
use super::reader::ReaderState;
use super::script::ScriptState;
use super::{CallState, Deliverable, LogLevel, ScriptStream, convert};
use crate::engine::StoreData as _;
use mitt_base::Error;

pub(super) use mitt_contract::host::mitt::host::{documents, log, render, tools, types, workspace};
pub(super) use mitt_contract::reader::ReaderPlugin;
pub(super) use mitt_contract::reader::exports::mitt::host::reader;
pub(super) use mitt_contract::script::ScriptEngine;
pub(super) use mitt_contract::script::exports::mitt::host::script;
pub(super) use mitt_contract::script::mitt::host::script_host;

type Trappable<T> = wasmtime::Result<T>;

/// Longest message that reaches the log, in bytes; `wit/log.wit` says so.
const MAX_LOG_BYTES: usize = 4096;

/// What each message costs beside its length, in bytes: it is a line of the journal and an event, however short it is.
const LOG_COST: usize = 64;

impl types::Host for CallState {}
impl types::Host for ReaderState {}

impl render::Host for CallState {
    #[cfg(feature = "xlsx")]
    async fn xlsx(
        &mut self,
        book: render::Workbook,
        filename: String,
    ) -> Trappable<Result<types::Artifact, types::Error>> {
        let book = Box::new(convert::workbook(book));
        self.deliver(Deliverable::Workbook(book), filename).await
    }

    #[cfg(not(feature = "xlsx"))]
    async fn xlsx(
        &mut self,
        _book: render::Workbook,
        _filename: String,
    ) -> Trappable<Result<types::Artifact, types::Error>> {
        Ok(Err(types::Error::Unsupported(
            "this build of mitt cannot write Excel files (feature `xlsx`)".into(),
        )))
    }

    #[cfg(feature = "pdf")]
    async fn pdf(
        &mut self,
        document: render::MarkdownDocument,
        filename: String,
    ) -> Trappable<Result<types::Artifact, types::Error>> {
        let (markdown, options) = convert::pdf_options(document);
        self.deliver(Deliverable::Pdf { markdown, options: Box::new(options) }, filename).await
    }

    #[cfg(not(feature = "pdf"))]
    async fn pdf(
        &mut self,
        _document: render::MarkdownDocument,
        _filename: String,
    ) -> Trappable<Result<types::Artifact, types::Error>> {
        Ok(Err(types::Error::Unsupported(
            "this build of mitt cannot write PDF files (feature `pdf`)".into(),
        )))
    }

    async fn text(
        &mut self,
        content: String,
        filename: String,
    ) -> Trappable<Result<types::Artifact, types::Error>> {
        self.deliver(Deliverable::Text(content), filename).await
    }
}

impl CallState {
    async fn deliver(
        &mut self,
        what: Deliverable,
        filename: String,
    ) -> Trappable<Result<types::Artifact, types::Error>> {
        let delivered = self.services.deliver(what, filename).await?;
        Ok(delivered.map(convert::artifact).map_err(convert::service_error))
    }
}

impl tools::Host for CallState {
    async fn list(&mut self) -> Trappable<Vec<tools::Tool>> {
        Ok(self.services.tools().await?.into_iter().map(convert::tool).collect())
    }

    async fn call(
        &mut self,
        name: String,
        arguments: String,
    ) -> Trappable<Result<String, tools::Failure>> {
        Ok(self.services.call_tool(&name, &arguments).await?.map_err(convert::tool_failure))
    }
}

impl script_host::Host for ScriptState {
    async fn write(&mut self, stream: script_host::Stream, text: String) -> Trappable<()> {
        let stream = match stream {
            script_host::Stream::Stdout => ScriptStream::Stdout,
            script_host::Stream::Stderr => ScriptStream::Stderr,
        };
        self.host.write(stream, &text);
        Ok(())
    }

    async fn modules(&mut self) -> Trappable<Vec<String>> {
        Ok(self.host.modules())
    }

    async fn load_module(&mut self, name: String) -> Trappable<Option<script_host::Module>> {
        let host = self.host.clone();
        let module = host.load_module(&name).await?;
        Ok(module.map(|module| convert::script_module(&module)))
    }
}

impl log::Host for CallState {
    fn write(&mut self, level: log::Level, message: String) -> Trappable<()> {
        let level = convert::log_level(level);
        let message = bounded(self.core(), level, &message)?;
        self.services.log(level, message);
        Ok(())
    }
}

impl log::Host for ReaderState {
    fn write(&mut self, level: log::Level, message: String) -> Trappable<()> {
        // A reader belongs to no session that could keep its messages; only its last words matter, in a crash.
        bounded(&mut self.core, convert::log_level(level), &message)?;
        Ok(())
    }
}

/// Cut a message, count it, and remember it in case it is the last.
fn bounded<'a>(
    core: &mut crate::engine::StoreCore,
    level: LogLevel,
    message: &'a str,
) -> Trappable<&'a str> {
    let message = mitt_base::text::cut_bytes(message, MAX_LOG_BYTES);
    core.output().count(message.len().saturating_add(LOG_COST)).map_err(Error::reached)?;
    if level == LogLevel::Error {
        core.output().remember_error(message);
    }
    Ok(message)
}
