//! What the service keeps of a thread: its run, and how far its last run of AG-UI came.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::input::RunAgentInput;
use crate::problem::Problem;
use crate::run::RunUsage;
use crate::store::{Store, StoreError};

/// Table of the threads in the store.
const TABLE: &str = "agui-threads";

/// Table of the keys of threads by the runs that they have.
const RUNS: &str = "agui-runs";

/// A thread.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(super) struct Thread {
    /// Identifier of Mitt's run.
    pub(super) run: String,
    /// The last run of AG-UI that did something.
    pub(super) last_run: String,
    /// Number of the run's last event before it.
    pub(super) after: u64,
    /// What the models had used before it.
    pub(super) usage: RunUsage,
    /// `true` if it sent an instruction.
    pub(super) is_instruction: bool,
    /// Identifier of the user's last message that was sent.
    pub(super) seen: Option<String>,
    /// Hash of the page's tools that the run has.
    pub(super) tools: String,
    /// Hash of the page's context that the model knows.
    pub(super) context: String,
}

/// A thread with its version in the store; 0 for one that is not stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StoredThread {
    pub(super) thread: Thread,
    pub(super) version: u64,
}

/// Returns a thread; `None` if there is none.
///
/// # Errors
///
/// The store failed.
pub(super) async fn read(
    store: &dyn Store,
    tenant: &str,
    id: &str,
) -> Result<Option<StoredThread>, Problem> {
    read_at(store, tenant, &key(id)).await
}

async fn read_at(
    store: &dyn Store,
    tenant: &str,
    key: &str,
) -> Result<Option<StoredThread>, Problem> {
    match store.document(tenant, TABLE, key).await {
        Ok(document) => {
            let thread = serde_json::from_slice(&document.value).map_err(mitt_base::Error::bug)?;
            Ok(Some(StoredThread { thread, version: document.version }))
        }
        Err(StoreError::Missing) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes a thread over `version`.
///
/// # Errors
///
/// Another request wrote it: 409 `conflict`. The store failed.
pub(super) async fn write(
    store: &dyn Store,
    tenant: &str,
    id: &str,
    thread: &Thread,
    version: u64,
) -> Result<(), Problem> {
    let (key, value) = (key(id), serde_json::to_vec(thread).map_err(mitt_base::Error::bug)?);
    // First, so that no thread stays whose run is deleted.
    store.put_document(tenant, RUNS, &thread.run, key.clone().into(), None, None).await?;
    store.put_document(tenant, TABLE, &key, value.into(), Some(version), None).await?;
    Ok(())
}

/// Deletes the thread of a run that was deleted, unless the thread has another run now.
///
/// # Errors
///
/// The store failed.
pub(crate) async fn clear(store: &dyn Store, tenant: &str, run: &str) -> Result<(), Problem> {
    let key = match store.document(tenant, RUNS, run).await {
        Ok(document) => String::from_utf8_lossy(&document.value).into_owned(),
        Err(StoreError::Missing) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if read_at(store, tenant, &key).await?.is_some_and(|it| it.thread.run == run) {
        store.delete_document(tenant, TABLE, &key).await?;
    }
    store.delete_document(tenant, RUNS, run).await?;
    Ok(())
}

/// Returns the key of a thread. Identifiers come from pages, and may have any characters.
fn key(id: &str) -> String {
    blake3::hash(id.as_bytes()).to_hex().to_string()
}

/// Returns the hash of the page's tools.
pub(super) fn tools_hash(input: &RunAgentInput) -> String {
    let tools = serde_json::to_value(input.tools()).unwrap_or(Value::Null);
    if input.tools().is_empty() { String::new() } else { hash(&tools.to_string()) }
}

/// Returns the hash of the page's context; empty if there is none.
pub(super) fn context_hash(context: &str) -> String {
    if context.is_empty() { String::new() } else { hash(context) }
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().as_str()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::super::input::InputTool;
    use super::*;
    use crate::store::FolderStore;

    #[test]
    fn threads_have_keys_of_one_form() {
        assert_eq!(key("a").len(), 64);
        assert_ne!(key("a/../b"), key("a"));
    }

    #[tokio::test]
    async fn a_thread_goes_with_its_run() {
        let folder = tempfile::tempdir().unwrap();
        let now = Arc::new(|| Duration::from_secs(1_000));
        let store = FolderStore::open(folder.path(), now).unwrap();
        let of_run = |run: &str| Thread { run: run.to_owned(), ..Thread::default() };
        write(&store, "t", "thread", &of_run("run_a"), 0).await.unwrap();
        let version = read(&store, "t", "thread").await.unwrap().unwrap().version;
        // The thread goes on in another run, and the first one is deleted.
        write(&store, "t", "thread", &of_run("run_b"), version).await.unwrap();
        clear(&store, "t", "run_a").await.unwrap();
        clear(&store, "other", "run_b").await.unwrap();
        let stored = read(&store, "t", "thread").await.unwrap().unwrap();
        assert_eq!(stored.thread, of_run("run_b"));
        assert_eq!(read(&store, "other", "thread").await.unwrap(), None);
        clear(&store, "t", "run_b").await.unwrap();
        assert_eq!(read(&store, "t", "thread").await.unwrap(), None);
        for table in [TABLE, RUNS] {
            assert!(store.documents("t", table, None, 10).await.unwrap().is_empty(), "{table}");
        }
    }

    #[test]
    fn tools_are_compared_by_their_content() {
        let with = |name: &str| RunAgentInput {
            tools: Some(vec![InputTool { name: name.into(), ..InputTool::default() }]),
            ..RunAgentInput::default()
        };
        assert_eq!(tools_hash(&with("a")), tools_hash(&with("a")));
        assert_ne!(tools_hash(&with("a")), tools_hash(&with("b")));
        let empty = RunAgentInput { tools: Some(Vec::new()), ..RunAgentInput::default() };
        assert_eq!(
            (tools_hash(&empty), tools_hash(&RunAgentInput::default())),
            ("".into(), "".into())
        );
        assert_eq!(context_hash(""), "");
    }
}
