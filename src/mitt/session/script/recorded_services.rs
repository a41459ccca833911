//! Services of a script that may be run again: each request and its answer is recorded on a tape, or answered from it.
//!
//! They stand between the script and the checks of its grants, so that refusals are recorded as answers, too.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::super::inner_calls::InnerCalls;
use super::run::Record;
use super::tape::{Call, Called, Keep, List, Read, ReadFile, Remove, Tape, Write};
use mitt_base::Result;
use mitt_base::digest::sha256;
use mitt_base::memory::{Account, Charge};
use mitt_render::TextPages;
use mitt_skill::capability::{
    Artifact, CallResult, Catalog, CatalogEntry, Documents, EditedFile, Files, ServiceError,
    Services, ToolCall, ToolInfo, Tools, Workspace,
};
use mitt_table::Table;
use mitt_types::Document;

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
    fn made_before(&self, asked: &Call) -> Result<Option<CallResult>> {
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

    fn deliver_file(
        &self,
        file: EditedFile,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>>> {
        Box::pin(async move { self.services.files.deliver_file(file).await })
    }

    // The same texts give the same file, so nothing is recorded.
    fn text_pages(&self, pages: TextPages) -> BoxFuture<'_, Result<Result<Vec<u8>, ServiceError>>> {
        Box::pin(async move { self.services.files.text_pages(pages).await })
    }

    fn chinese_font(
        &self,
        bold: bool,
    ) -> BoxFuture<'_, Result<Result<&'static [u8], ServiceError>>> {
        Box::pin(async move { self.services.files.chinese_font(bold).await })
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

impl Tools for RecordedServices {
    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolInfo>>> {
        Box::pin(async move { self.services.tools.tools().await })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
    ) -> BoxFuture<'a, Result<CallResult>> {
        Box::pin(async move {
            let asked = asked(name, arguments);
            if let Some(result) = self.made_before(&asked)? {
                return Ok(result);
            }
            let before = self.calls.n_made();
            let result = self.services.tools.call_tool(name, arguments).await?;
            let made = self.calls.made_since(before);
            self.tape.add(asked, &Called { result: result.clone(), made });
            Ok(result)
        })
    }

    // Each call has its own entry, made before the next call that may pause, so that a second run goes on within a batch.
    fn call_tools<'a>(
        &'a self,
        mut calls: Vec<ToolCall>,
        on_result: &'a mut (dyn FnMut(CallResult) + Send),
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut asked: VecDeque<Call> =
                calls.iter().map(|call| asked(&call.name, &call.arguments)).collect();
            while let Some(first) = asked.front()
                && let Some(result) = self.made_before(first)?
            {
                asked.pop_front();
                on_result(result);
            }
            if asked.is_empty() {
                return Ok(());
            }
            calls.drain(..calls.len() - asked.len());
            let mut before = self.calls.n_made();
            let mut on_new_result = |result: CallResult| {
                let made = self.calls.made_since(before);
                before += made.len();
                if let Some(asked) = asked.pop_front() {
                    self.tape.add(asked, &Called { result: result.clone(), made });
                }
                on_result(result);
            };
            self.services.tools.call_tools(calls, &mut on_new_result).await
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::super::super::inner_calls::CallCount;
    use super::*;
    use crate::script::CalledTool;
    use mitt_base::{Error, ErrorKind, Resource, lock};

    /// Echoes arguments. Pauses at `a__pauses`, unless that was approved.
    struct Echo {
        calls: Arc<InnerCalls>,
        tape: Arc<Tape>,
        is_approved: bool,
        made: Mutex<Vec<String>>,
    }

    impl Tools for Echo {
        fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolInfo>>> {
            Box::pin(async move { Ok(Vec::new()) })
        }

        fn call_tool<'a>(
            &'a self,
            name: &'a str,
            arguments: &'a str,
        ) -> BoxFuture<'a, Result<CallResult>> {
            Box::pin(async move {
                lock(&self.made).push(name.to_owned());
                let (tool, duration) = (name.to_owned(), Duration::ZERO);
                self.calls.note(CalledTool { tool, kind: None, duration, fuel: 0 }, &[])?;
                if name == "a__pauses" && !self.is_approved {
                    // Whether the script can pause depends on what is on the tape.
                    assert!(self.tape.rewound().again(&asked("a__x", "0")).is_some());
                    return Err(Error::new(ErrorKind::Paused, "it waits"));
                }
                Ok(Ok(arguments.to_owned()))
            })
        }

        fn call_tools<'a>(
            &'a self,
            calls: Vec<ToolCall>,
            on_result: &'a mut (dyn FnMut(CallResult) + Send),
        ) -> BoxFuture<'a, Result<()>> {
            Box::pin(async move {
                for ToolCall { name, arguments } in calls {
                    on_result(self.call_tool(&name, &arguments).await?);
                }
                Ok(())
            })
        }
    }

    /// Makes a batch with the places of the calls as arguments. Returns its results, its error, the calls that were made now, and
    /// the number of those that count.
    async fn made(
        tape: Tape,
        is_approved: bool,
        names: &[&str],
    ) -> (Vec<CallResult>, Option<Error>, Vec<String>, usize, Arc<Tape>) {
        let account = Account::root(Resource::SessionMemory, u64::MAX);
        let calls = Arc::new(InnerCalls::new(Arc::new(CallCount::new(100)), &account));
        let (tape, made) = (Arc::new(tape), Mutex::default());
        let echo = Echo { calls: calls.clone(), tape: tape.clone(), is_approved, made };
        let echo = Arc::new(echo);
        let services = Services { tools: echo.clone(), ..Services::none() };
        let (documents, n_calls) = (Arc::default(), calls.clone());
        let recorded = RecordedServices { services, calls, tape: tape.clone(), documents };
        let call = |(at, name): (usize, &&str)| ToolCall {
            name: (*name).to_owned(),
            arguments: at.to_string(),
        };
        let batch = names.iter().enumerate().map(call).collect();
        let mut results = Vec::new();
        let error = recorded.call_tools(batch, &mut |result| results.push(result)).await.err();
        let made = std::mem::take(&mut *lock(&echo.made));
        (results, error, made, n_calls.n_made(), tape)
    }

    #[tokio::test]
    async fn a_second_run_goes_on_within_a_batch() {
        let account = Account::root(Resource::SessionMemory, u64::MAX);
        let batch = ["a__x", "a__pauses", "a__y"];
        let (results, error, now, _, tape) = made(Tape::new(&account), false, &batch).await;
        assert_eq!((results, now.len()), (vec![Ok("0".to_owned())], 2));
        assert_eq!(*error.unwrap().kind(), ErrorKind::Paused);
        let (results, error, now, n_calls, whole) = made(tape.rewound(), true, &batch).await;
        assert_eq!(results, ["0", "1", "2"].map(|text| Ok(text.to_owned())));
        assert!(error.is_none());
        assert_eq!(now, ["a__pauses", "a__y"]);
        assert_eq!(n_calls, 3);
        // All of it is on the tape then, one entry for each call.
        let (results, _, now, n_calls, _) = made(whole.rewound(), true, &batch).await;
        assert_eq!((results.len(), now.len(), n_calls), (3, 0, 3));
        let (results, error, now, ..) = made(whole.rewound(), true, &["a__x", "a__y"]).await;
        assert_eq!((results.len(), now.len()), (1, 0));
        let error = error.unwrap().to_string();
        assert!(error.contains("something else than before it was paused"), "{error}");
    }
}
