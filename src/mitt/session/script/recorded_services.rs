//! Services of a script that may be run again: each request and its answer is recorded on a tape, or answered from it.
//!
//! They stand between the script and the checks of its grants, so that refusals are recorded as answers, too.

use std::sync::Arc;

use async_trait::async_trait;

use super::super::inner_calls::InnerCalls;
use super::run::Record;
use super::tape::{Call, Called, Keep, List, Read, ReadFile, Remove, Tape, Write};
use crate::capability::{
    Artifact, Catalog, CatalogEntry, Documents, EditedFile, Files, ServiceError, Services,
    ToolCall, ToolFailure, ToolInfo, ToolResults, Tools, Workspace,
};
use crate::document::Document;
use mitt_base::Result;
use mitt_base::digest::sha256;
use mitt_base::memory::{Account, Charge};
use mitt_render::TextPages;
use mitt_table::Table;

/// Services of a script that may be run again.
pub(in crate::session) struct RecordedServices {
    /// Services within the grants of the skill.
    services: Services,
    /// Calls of this run, including those that are answered from the tape.
    calls: Arc<InnerCalls>,
    tape: Arc<Tape>,
    /// Documents at the beginning of the first run.
    documents: Arc<[Arc<Document>]>,
}

impl RecordedServices {
    /// Returns `services` with catalog, documents, files that are read, tools and workspace answered from `record`. Files of
    /// the script itself are delivered when it has succeeded, not before a pause.
    pub(in crate::session) fn services(
        services: Services,
        calls: Arc<InnerCalls>,
        record: &Record,
    ) -> Services {
        let (tape, documents) = (record.tape.clone(), record.documents.clone());
        let own = services.clone();
        let recorded = Arc::new(RecordedServices { services: own, calls, tape, documents });
        Services {
            catalog: recorded.clone(),
            documents: recorded.clone(),
            files: recorded.clone(),
            tools: recorded.clone(),
            workspace: recorded,
            ..services
        }
    }
}

impl RecordedServices {
    /// Returns the result of a call of the first run; `None` if the call has not been made yet.
    ///
    /// # Errors
    ///
    /// The second run has diverged; too many calls were made.
    fn made_before(&self, asked: &Call) -> Result<Option<Result<String, ToolFailure>>> {
        if let Some(Called { result, made }) = self.tape.again(asked) {
            self.calls.made_before(made)?;
            return Ok(Some(result));
        }
        match self.tape.divergence() {
            Some(error) => Err(error),
            None => Ok(None),
        }
    }
}

fn asked(name: &str, arguments: &str) -> Call {
    let tool = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 128));
    Call { tool, arguments_sha256: sha256(arguments.as_bytes()) }
}

fn diverged<R>() -> Result<R, ServiceError> {
    let message = "the script did something else than before it was paused";
    Err(ServiceError::Unsupported(message.to_owned()))
}

impl Catalog for RecordedServices {
    fn account(&self) -> Account {
        self.services.catalog.account()
    }

    fn entries(&self) -> Vec<CatalogEntry> {
        self.services.catalog.entries()
    }

    fn open(&self, reference: &str) -> Result<Table, ServiceError> {
        self.services.catalog.open(reference)
    }

    fn keep(&self, table: &Table) -> String {
        // A second run must get the same references, because the arguments of its calls are compared.
        self.tape.answer(Keep, || self.services.catalog.keep(table)).unwrap_or_default()
    }

    fn forget(&self, _: &str) {
        // Nothing is dropped, since a second run gets the same references and opens them again. The session drops the oldest
        // tables.
    }
}

impl Documents for RecordedServices {
    fn documents(&self) -> Vec<Arc<Document>> {
        self.documents.to_vec()
    }
}

#[async_trait]
impl Files for RecordedServices {
    fn read_file(&self, name: &str) -> Result<Result<Arc<[u8]>, ServiceError>> {
        let asked = ReadFile { name: name.to_owned() };
        if let Some(content) = self.tape.again(&asked) {
            return Ok(content);
        }
        if self.tape.divergence().is_some() {
            return Ok(diverged());
        }
        let content = self.services.files.read_file(name)?;
        self.tape.add(asked, &content);
        Ok(content)
    }

    fn charge_file(&self, bytes: u64) -> Result<Result<Charge, ServiceError>> {
        self.services.files.charge_file(bytes)
    }

    async fn deliver_file(&self, file: EditedFile) -> Result<Result<Artifact, ServiceError>> {
        self.services.files.deliver_file(file).await
    }

    // The same texts give the same file, so nothing is recorded.
    async fn text_pages(&self, pages: TextPages) -> Result<Result<Vec<u8>, ServiceError>> {
        self.services.files.text_pages(pages).await
    }

    async fn chinese_font(&self, bold: bool) -> Result<Result<&'static [u8], ServiceError>> {
        self.services.files.chinese_font(bold).await
    }
}

impl Workspace for RecordedServices {
    fn workspace_list(&self) -> Vec<(String, u64)> {
        self.tape.answer(List, || self.services.workspace.workspace_list()).unwrap_or_default()
    }

    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        let asked = Read { name: name.to_owned() };
        self.tape
            .answer(asked, || self.services.workspace.workspace_read(name))
            .unwrap_or_else(diverged)
    }

    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError> {
        let asked = Write { name: name.to_owned(), sha256: sha256(&content) };
        let write = || self.services.workspace.workspace_write(name, content);
        self.tape.answer(asked, write).unwrap_or_else(diverged)
    }

    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError> {
        let asked = Remove { name: name.to_owned() };
        self.tape
            .answer(asked, || self.services.workspace.workspace_remove(name))
            .unwrap_or_else(diverged)
    }
}

#[async_trait]
impl Tools for RecordedServices {
    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        self.services.tools.tools().await
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<Result<String, ToolFailure>> {
        let asked = asked(name, arguments);
        if let Some(result) = self.made_before(&asked)? {
            return Ok(result);
        }
        let before = self.calls.n_made();
        let result = self.services.tools.call_tool(name, arguments).await?;
        let made = self.calls.made_since(before);
        self.tape.add(asked, &Called { result: result.clone(), made });
        Ok(result)
    }

    // Each call has its own entry, so that a second run goes on within a batch that was paused.
    async fn call_tools(&self, mut calls: Vec<ToolCall>) -> ToolResults {
        let asked: Vec<Call> =
            calls.iter().map(|call| asked(&call.name, &call.arguments)).collect();
        let mut answered = Vec::new();
        for asked in &asked {
            match self.made_before(asked) {
                Ok(Some(result)) => answered.push(result),
                Ok(None) => break,
                Err(error) => return ToolResults { results: answered, error: Some(error) },
            }
        }
        calls.drain(..answered.len());
        if calls.is_empty() {
            return ToolResults { results: answered, error: None };
        }
        let before = self.calls.n_made();
        let ToolResults { results, error } = self.services.tools.call_tools(calls).await;
        let mut made = self.calls.made_since(before).into_iter();
        for (asked, result) in asked.into_iter().skip(answered.len()).zip(&results) {
            let made = made.next().into_iter().collect();
            self.tape.add(asked, &Called { result: result.clone(), made });
        }
        answered.extend(results);
        ToolResults { results: answered, error }
    }
}
