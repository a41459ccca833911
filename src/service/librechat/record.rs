//! What a paused script has called, in the store: it survives a restart, and holds no sandbox.
//!
//! One document has the script and its calls. The results of the caller are documents of their own, which are only added.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::replay::{Answer, Call};
use super::wire::ToolResult;
use crate::code::{CallerTools, SandboxFile};
use crate::problem::Problem;
use crate::store::{Store, StoreError, new_id};
use mitt_base::Error;

const TABLE: &str = "programmatic";
const RESULTS: &str = "programmatic_results";

/// Time after the last round at which a script that waits is forgotten.
const LIFE: Duration = Duration::from_hours(1);

/// Time at which results are forgotten. A script cannot wait longer in all.
const RESULTS_LIFE: Duration = Duration::from_hours(24);

/// Largest document in bytes; the store takes no larger one.
const DOCUMENT_BYTES: usize = 1024 * 1024;

/// Most bytes of all results of a script.
const MOST_RESULT_BYTES: u64 = 16 * 1024 * 1024;

/// Documents of results that are deleted at once.
const PAGE: usize = 20;

/// A script that waits for results of its caller.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Record {
    /// Source text.
    pub(super) code: String,
    /// Tools of the caller.
    pub(super) tools: CallerTools,
    /// Files that the request named.
    pub(super) files: Vec<SandboxFile>,
    /// Most time of a round in milliseconds.
    pub(super) timeout: Option<u64>,
    /// Session of the result.
    pub(super) session_id: String,
    /// Calls, in the order in which the script made them.
    pub(super) calls: Vec<Call>,
    /// Documents of results. Others of the script were left by a request that came too late.
    results: Vec<String>,
    /// Bytes of all results.
    result_bytes: u64,
}

/// A stored result.
#[derive(Deserialize, Serialize)]
struct Stored {
    call_id: String,
    #[serde(flatten)]
    answer: Answer,
}

/// A record that was read, with the version of its document.
pub(super) struct Open {
    pub(super) token: String,
    pub(super) record: Record,
    version: u64,
}

/// The records of a tenant.
pub(super) struct Records<'r> {
    pub(super) store: &'r Arc<dyn Store>,
    pub(super) tenant: &'r str,
}

impl Record {
    pub(super) fn new(
        code: String,
        tools: CallerTools,
        files: Vec<SandboxFile>,
        timeout: Option<u64>,
    ) -> Result<Record, Problem> {
        let session_id = new_id("")?;
        let calls = Vec::new();
        Ok(Record {
            code,
            tools,
            files,
            timeout,
            session_id,
            calls,
            results: Vec::new(),
            result_bytes: 0,
        })
    }
}

impl Records<'_> {
    /// Stores a new record, and returns the token that names it.
    pub(super) async fn add(&self, record: &Record) -> Result<String, Problem> {
        let token = new_id("")?;
        self.put(&token, record, 0).await?;
        Ok(token)
    }

    /// Returns a record.
    ///
    /// # Errors
    ///
    /// 404 `not_found` - it ended or expired, or is of another tenant.
    pub(super) async fn open(&self, token: &str) -> Result<Open, Problem> {
        match self.store.document(self.tenant, TABLE, token).await {
            Ok(document) => {
                let record = serde_json::from_slice(&document.value).map_err(Error::bug)?;
                Ok(Open { token: token.to_owned(), record, version: document.version })
            }
            Err(StoreError::Missing) => Err(Problem::new(
                404,
                "not_found",
                "the script has ended, or waited for more than an hour",
            )
            .hint("send the script again")),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a changed record.
    ///
    /// # Errors
    ///
    /// 409 `conflict` - it was continued at the same time. 413 `too_large` - it has more than 1 MiB.
    pub(super) async fn update(&self, open: &mut Open) -> Result<(), Problem> {
        open.version = self.put(&open.token, &open.record, open.version).await?;
        Ok(())
    }

    async fn put(&self, token: &str, record: &Record, version: u64) -> Result<u64, Problem> {
        let value = serde_json::to_vec(record).map_err(Error::bug)?;
        if value.len() > DOCUMENT_BYTES {
            let detail = format!(
                "the script, its tools and its calls have {} bytes, at most {DOCUMENT_BYTES} are kept",
                value.len()
            );
            return Err(
                Problem::new(413, "too_large", detail).hint("make fewer calls in one script")
            );
        }
        let put = self.store.put_document(
            self.tenant,
            TABLE,
            token,
            value.into(),
            Some(version),
            Some(LIFE),
        );
        Ok(put.await?)
    }

    /// Adds results of calls that the script made and that have none yet; others of the request are known already.
    ///
    /// # Errors
    ///
    /// 422 `unknown_call` - the script made no such call. 413 `too_large` - there is no room. 409 `conflict` - it was
    /// continued at the same time.
    pub(super) async fn answer(
        &self,
        open: &mut Open,
        given: Vec<ToolResult>,
    ) -> Result<(), Problem> {
        let known = self.answers(open).await?;
        let mut new: Vec<Stored> = Vec::new();
        for result in given {
            let id = result.call_id.clone();
            if !open.record.calls.iter().any(|it| it.id == id) {
                let id = mitt_base::text::one_line(mitt_base::text::cut_bytes(&id, 60));
                let detail = format!("tool_results: the script made no call `{id}`");
                return Err(Problem::new(422, "unknown_call", detail));
            }
            if known.iter().chain(&new).all(|it| it.call_id != id) {
                new.push(Stored { call_id: id, answer: answer_of(result) });
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        let mut documents = vec![Vec::from(b"[")];
        for stored in &new {
            let text = serde_json::to_vec(stored).map_err(Error::bug)?;
            open.record.result_bytes += text.len() as u64;
            if text.len() + 2 > DOCUMENT_BYTES || open.record.result_bytes > MOST_RESULT_BYTES {
                let detail = format!(
                    "the result of `{}` is too large: one has at most {DOCUMENT_BYTES} bytes, \
                     all of a script {MOST_RESULT_BYTES}",
                    stored.call_id
                );
                return Err(
                    Problem::new(413, "too_large", detail).hint("return less from the tool")
                );
            }
            if documents.last().is_some_and(|it| it.len() + text.len() + 2 > DOCUMENT_BYTES) {
                documents.push(Vec::from(b"["));
            }
            if let Some(document) = documents.last_mut() {
                if document.len() > 1 {
                    document.push(b',');
                }
                document.extend_from_slice(&text);
            }
        }
        // Under names of their own, because another request may answer at the same time. Only one of them updates the
        // record.
        for mut document in documents {
            document.push(b']');
            let key = format!("{}.{}", open.token, new_id("")?);
            self.store
                .put_document(
                    self.tenant,
                    RESULTS,
                    &key,
                    document.into(),
                    Some(0),
                    Some(RESULTS_LIFE),
                )
                .await?;
            open.record.results.push(key);
        }
        self.update(open).await
    }

    /// Returns the calls with the answers that there are.
    pub(super) async fn replayed(
        &self,
        open: &Open,
    ) -> Result<Vec<(Call, Option<Answer>)>, Problem> {
        let mut known = self.answers(open).await?;
        let mut answer = |call: &Call| {
            let at = known.iter().position(|it| it.call_id == call.id)?;
            Some(known.swap_remove(at).answer)
        };
        Ok(open.record.calls.iter().map(|call| (call.clone(), answer(call))).collect())
    }

    async fn answers(&self, open: &Open) -> Result<Vec<Stored>, Problem> {
        let mut answers: Vec<Stored> = Vec::new();
        for key in &open.record.results {
            let document = match self.store.document(self.tenant, RESULTS, key).await {
                Ok(document) => document,
                Err(StoreError::Missing) => {
                    let detail = "the script waited for more than a day in all";
                    let problem = Problem::new(404, "not_found", detail);
                    return Err(problem.hint("send the script again"));
                }
                Err(error) => return Err(error.into()),
            };
            let mut stored: Vec<Stored> =
                serde_json::from_slice(&document.value).map_err(Error::bug)?;
            answers.append(&mut stored);
        }
        Ok(answers)
    }

    /// Deletes a record.
    pub(super) async fn delete(&self, open: &Open) -> Result<(), Problem> {
        self.store.delete_document(self.tenant, TABLE, &open.token).await?;
        let start = format!("{}.", open.token);
        loop {
            let page = self.store.documents(self.tenant, RESULTS, Some(&start), PAGE).await?;
            let ours: Vec<_> = page.iter().filter(|it| it.key.starts_with(&start)).collect();
            for document in &ours {
                self.store.delete_document(self.tenant, RESULTS, &document.key).await?;
            }
            if ours.len() < PAGE {
                return Ok(());
            }
        }
    }
}

fn answer_of(result: ToolResult) -> Answer {
    if !result.is_error {
        return Answer::Result(result.result);
    }
    let text = result.error_message.filter(|it| !it.is_empty()).or(match result.result {
        Value::String(text) => Some(text),
        _ => None,
    });
    Answer::Error(text.unwrap_or_else(|| "the tool failed".to_owned()))
}
