//! Scripts of a session that is not a sandbox's own, such as the session of a run: around each of them, the files of the
//! session are those of a sandbox.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use super::live::Place;
use super::sandboxes::Sandboxes;
use super::state::{SandboxFile, SandboxState, ScriptResult};
use super::work::{PYTHON, Work};
use crate::problem::Problem;
use crate::store::Blob;
use mitt::{CallReport, Session};
use mitt_base::Error;

/// Longest wait for a place in memory, and the time between two looks.
const PLACE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(200);

/// A document of the session, which a sandbox gets as a file.
#[derive(Clone, Debug)]
pub(crate) struct GivenDocument {
    /// Name.
    pub(crate) name: String,
    /// SHA-256 of the content, which the tenant has in the store.
    pub(crate) sha256: String,
    /// Size in bytes.
    pub(crate) size: u64,
}

/// The scripts of a session that is not a sandbox's own.
pub(crate) struct GuestScripts {
    sandboxes: Sandboxes,
    tenant: String,
    /// `true` while calls are made that are none of the session's owner.
    is_quiet: Arc<AtomicBool>,
    guest: Arc<Mutex<Guest>>,
}

struct Guest {
    work: Work,
    /// Documents that sandboxes got, by sandbox and name. One that a script has removed does not come back.
    given: BTreeSet<(String, String)>,
}

/// A script that may run now. Other scripts of the sandbox wait until this is dropped.
pub(crate) struct GuestTurn {
    /// Arguments of its call.
    pub(crate) arguments: String,
    state: SandboxState,
    notes: Vec<String>,
    guest: OwnedMutexGuard<Guest>,
    held: Held,
}

/// What a script left in the sandbox.
#[derive(Debug)]
pub(crate) struct GuestDone {
    /// Files that it wrote itself, not those that tools delivered.
    pub(crate) written: Vec<SandboxFile>,
    /// What its author shall know, one line each.
    pub(crate) notes: Vec<String>,
}

/// The turn of a script in a sandbox.
struct Held {
    sandboxes: Sandboxes,
    tenant: String,
    sandbox: String,
    place: Place,
    turn: Option<OwnedMutexGuard<Option<Work>>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.turn.take());
        self.sandboxes.live().leave(&self.tenant, &self.sandbox, &self.place);
    }
}

/// Says that calls are none of the session's owner, until it is dropped.
struct Quiet(Arc<AtomicBool>);

impl Quiet {
    fn begin(flag: &Arc<AtomicBool>) -> Quiet {
        flag.store(true, Ordering::Relaxed);
        Quiet(flag.clone())
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl GuestScripts {
    /// Returns the scripts of a session. `is_quiet` is `true` while calls are made in it that are none of its owner.
    pub(crate) fn new(
        sandboxes: Sandboxes,
        session: &Session,
        is_quiet: Arc<AtomicBool>,
    ) -> GuestScripts {
        let tenant = session.tenant().to_owned();
        let guest = Guest { work: Work::of(session.clone()), given: BTreeSet::new() };
        GuestScripts { sandboxes, tenant, is_quiet, guest: Arc::new(Mutex::new(guest)) }
    }

    /// Makes the files of the session those of a sandbox, which gets `documents` that it does not have. `arguments` are those of
    /// the script's call.
    ///
    /// # Errors
    ///
    /// The tenant has no such sandbox, the service is busy, or the store failed.
    pub(crate) async fn begin(
        &self,
        sandbox: &str,
        documents: &[GivenDocument],
        arguments: &str,
    ) -> Result<GuestTurn, Problem> {
        // Before a place is taken for a sandbox that does not exist.
        self.sandboxes.get(&self.tenant, sandbox).await?;
        let mut guest = self.guest.clone().lock_owned().await;
        let held = self.hold(sandbox).await?;
        let mut notes = self.give(&mut guest.given, sandbox, documents).await?;
        let state = self.sandboxes.get(&self.tenant, sandbox).await?;
        let records = (self.sandboxes.records(), self.tenant.as_str());
        // A run has its documents by itself.
        notes.extend(guest.work.load(records, &state.files, ("", false)).await?);
        let (arguments, gone) = self.prepared(&mut guest.work, arguments).await?;
        notes.extend(gone);
        Ok(GuestTurn { arguments, state, notes, guest, held })
    }

    async fn hold(&self, sandbox: &str) -> Result<Held, Problem> {
        let end = Instant::now() + PLACE;
        let place = loop {
            match self.sandboxes.live().place(&self.tenant, sandbox) {
                Ok(place) => break place,
                Err(problem) if Instant::now() >= end => return Err(problem),
                Err(_) => tokio::time::sleep(LOOK).await,
            }
        };
        let turn = Some(place.clone().lock_owned().await);
        let (sandboxes, tenant) = (self.sandboxes.clone(), self.tenant.clone());
        Ok(Held { sandboxes, tenant, sandbox: sandbox.to_owned(), place, turn })
    }

    /// Adds the documents that the sandbox does not have. Returns why some were not added.
    async fn give(
        &self,
        given: &mut BTreeSet<(String, String)>,
        sandbox: &str,
        documents: &[GivenDocument],
    ) -> Result<Vec<String>, Problem> {
        let mut notes = Vec::new();
        let mut files = self.sandboxes.get(&self.tenant, sandbox).await?.files;
        for document in documents {
            let is_there =
                files.iter().any(|it| it.name == document.name || it.sha256 == document.sha256);
            let is_new = given.insert((sandbox.to_owned(), document.name.clone()));
            if is_there || !is_new {
                continue;
            }
            match self.add(sandbox, document).await {
                Ok(file) => files.push(file),
                Err(problem) => notes.push(format!(
                    "`{}` is not in the container: {}",
                    document.name, problem.detail
                )),
            }
        }
        Ok(notes)
    }

    async fn add(&self, sandbox: &str, document: &GivenDocument) -> Result<SandboxFile, Problem> {
        let GivenDocument { name, sha256, size } = document.clone();
        let id = Sandboxes::new_file_id()?;
        self.sandboxes.records().store.keep(&self.tenant, &sha256, &id).await?;
        let content = Blob { sha256, size };
        self.sandboxes.add_file(&self.tenant, sandbox, id, &name, "", content).await
    }

    /// Returns the arguments of a script so that Python runs in the interpreter in which the prelude ran, and a warning if the
    /// variables of earlier scripts are gone. Another engine has no prelude.
    async fn prepared(
        &self,
        work: &mut Work,
        arguments: &str,
    ) -> Result<(String, Option<String>), Problem> {
        let Ok(mut named) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(arguments)
        else {
            return Ok((arguments.to_owned(), None));
        };
        let python = format!("\"{PYTHON}\"");
        if named.get("language").is_some_and(|it| it.get() != python) {
            return Ok((arguments.to_owned(), None));
        }
        let gone = {
            let _quiet = Quiet::begin(&self.is_quiet);
            work.prepare().await?
        };
        let state = RawValue::from_string("\"session\"".to_owned()).map_err(Error::bug)?;
        named.insert("state".to_owned(), state);
        Ok((serde_json::to_string(&named).map_err(Error::bug)?, gone))
    }
}

impl GuestTurn {
    /// Keeps what the script left in the sandbox. `report` is that of its call.
    ///
    /// # Errors
    ///
    /// The sandbox was deleted meanwhile, or the store failed.
    pub(crate) async fn end(self, report: &CallReport) -> Result<GuestDone, Problem> {
        let GuestTurn { state, mut notes, mut guest, held, .. } = self;
        let sandboxes = &held.sandboxes;
        sandboxes.count(guest.work.failure_of(report).as_deref());
        let mut changes = guest.work.changes(&report.artifacts);
        let delivered = std::mem::take(&mut changes.delivered);
        let mut result = ScriptResult {
            warnings: std::mem::take(&mut changes.warnings),
            left_out: std::mem::take(&mut changes.left_out),
            ..ScriptResult::default()
        };
        let (tenant, sandbox) = (held.tenant.as_str(), held.sandbox.as_str());
        let state = sandboxes.store(tenant, sandbox, state, changes, &mut result).await?;
        guest.work.settle(&result.files, &delivered, &result.deleted);
        sandboxes.records().touch(tenant, state).await?;
        notes.extend(result.notes().lines().map(str::to_owned));
        let written = result.files.into_iter().filter(|it| !delivered.contains(&it.name));
        Ok(GuestDone { written: written.collect(), notes })
    }
}
