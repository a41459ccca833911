//! The services of a script that may be run again: each question and its answer goes on the tape, or comes from there.
//!
//! They stand between the script and the checks of its grants, so that refusals are recorded as answers too.

use std::sync::Arc;

use async_trait::async_trait;

use super::super::inner_calls::InnerCalls;
use super::run::Record;
use super::tape::{Call, Called, List, Read, Remove, Tape, Write};
use crate::capability::{
    Artifact, Deliverable, LogLevel, ServiceError, Services, ToolFailure, ToolInfo,
};
use crate::document::Document;
use mitt_base::Result;
use mitt_base::digest::sha256;

/// The services of a script that may be run again.
pub(in crate::session) struct RecordedServices {
    /// The services with the bounds of the skill's grants.
    services: Arc<dyn Services>,
    /// The calls of this run. Those that are not made a second time are noted here.
    calls: Arc<InnerCalls>,
    tape: Arc<Tape>,
    /// As they were at the beginning of the first run.
    documents: Arc<[Arc<Document>]>,
}

impl RecordedServices {
    pub(in crate::session) fn new(
        services: Arc<dyn Services>,
        calls: Arc<InnerCalls>,
        record: &Record,
    ) -> RecordedServices {
        let (tape, documents) = (record.tape.clone(), record.documents.clone());
        RecordedServices { services, calls, tape, documents }
    }
}

fn diverged<R>() -> Result<R, ServiceError> {
    let message = "the script did something else than before it was paused";
    Err(ServiceError::Unsupported(message.to_owned()))
}

#[async_trait]
impl Services for RecordedServices {
    fn documents(&self) -> Vec<Arc<Document>> {
        self.documents.to_vec()
    }

    fn workspace_list(&self) -> Vec<(String, u64)> {
        self.tape.answer(List, || self.services.workspace_list()).unwrap_or_default()
    }

    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        let asked = Read { name: name.to_owned() };
        self.tape.answer(asked, || self.services.workspace_read(name)).unwrap_or_else(diverged)
    }

    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError> {
        let asked = Write { name: name.to_owned(), sha256: sha256(&content) };
        let write = || self.services.workspace_write(name, content);
        self.tape.answer(asked, write).unwrap_or_else(diverged)
    }

    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError> {
        let asked = Remove { name: name.to_owned() };
        self.tape.answer(asked, || self.services.workspace_remove(name)).unwrap_or_else(diverged)
    }

    async fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> Result<Result<Artifact, ServiceError>> {
        // Files of the script itself are delivered when it has succeeded, not before a pause.
        self.services.deliver(what, filename).await
    }

    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        self.services.tools().await
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<Result<String, ToolFailure>> {
        let tool = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 128));
        let asked = Call { tool, arguments_sha256: sha256(arguments.as_bytes()) };
        if let Some(Called { result, made }) = self.tape.again(&asked) {
            self.calls.made_before(made)?;
            return Ok(result);
        }
        if let Some(error) = self.tape.divergence() {
            return Err(error);
        }
        let before = self.calls.n_made();
        let result = self.services.call_tool(name, arguments).await?;
        let made = self.calls.made_since(before);
        self.tape.add(asked, &Called { result: result.clone(), made });
        Ok(result)
    }

    fn log(&self, level: LogLevel, message: &str) {
        self.services.log(level, message);
    }
}
