//! Records of runs.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Map, Value};

use super::super::checks::{
    KEY_LIFE, MAX_LISTED, RUNNING, WARM, ends_work, is_name, is_status_for_workers, milliseconds,
};
use super::super::leases::shifted;
use super::super::{IdempotencyKey, ListRuns, Record, RunKey, StoreError, Submitted};
use super::connection::{Failure, Message, Tried};
use super::contents;
use super::entries::{self, FORM, GarbageEntry, KeyEntry, Known, Long, RunEntry, hash};
use super::shared::Shared;
use mitt_base::{Error, ErrorKind};

/// Records that are read at the same time.
const AT_ONCE: usize = 16;

/// Time after which the streams of a deleted run go. Longer than what a process knows of a run without looking.
const RUN_GARBAGE_MS: u64 = 60 * 60 * 1000;

/// Returns the end of the subject of a run; `None` if there is no run of this name.
pub(super) fn name_of(run: &RunKey) -> Option<String> {
    (is_name(&run.tenant) && is_name(&run.id)).then(|| hash(&[&run.tenant, &run.id]))
}

/// Returns what is stored of a run.
pub(super) async fn read(shared: &Shared, run: &RunKey) -> Tried<Known<RunEntry>> {
    let name = name_of(run).ok_or(StoreError::Missing)?;
    entries::read(&shared.connection, &name).await
}

/// Returns the entry of a run.
pub(super) async fn entry(shared: &Shared, run: &RunKey) -> Tried<RunEntry> {
    let known = read(shared, run).await?;
    Ok(known.live().ok_or(StoreError::Missing)?.clone())
}

/// Returns the record of an entry, with its lease by the clock of this process.
async fn record(shared: &Shared, known: &Known<RunEntry>) -> Tried<Record> {
    let entry = known.live().ok_or(StoreError::Missing)?;
    if entry.form > FORM {
        let message = format!(
            "a run was written in form {}, and this program reads forms up to {FORM}",
            entry.form
        );
        let error = Error::new(ErrorKind::Host, message).at(shared.connection.address());
        return Err(error.hint("start the version of Mitt that the other processes have").into());
    }
    let body = match &entry.content {
        None => known.payload.clone(),
        Some(long) => contents::read_long(&shared.connection, long).await?,
    };
    let body: Map<String, Value> = serde_json::from_slice(&body).map_err(Error::bug)?;
    let mut record = with_body(entry, body);
    if record.owner.is_some() {
        let left = entry.lease_until_ms.saturating_sub(shared.now_ms().await?);
        record.lease_until_ms = shifted(entry.lease_until_ms, left, shared.local_ms());
    }
    Ok(record)
}

fn with_body(entry: &RunEntry, body: Map<String, Value>) -> Record {
    Record {
        tenant: entry.tenant.clone(),
        id: entry.id.clone(),
        version: entry.version,
        created_ms: entry.created_ms,
        status: entry.status.clone(),
        owner: entry.owner.clone(),
        lease_until_ms: entry.lease_until_ms,
        body,
    }
}

/// A body that is to be stored: in the payload, or in pieces.
pub(super) struct Body {
    payload: Bytes,
    long: Option<contents::Stored>,
}

impl Body {
    /// Stores the pieces of a body that is too long for a payload.
    pub(super) async fn store(shared: &Shared, record: &Record) -> Tried<Body> {
        let bytes = Bytes::from(serde_json::to_vec(&record.body).map_err(Error::bug)?);
        if bytes.len() <= contents::MAX_INLINE {
            return Ok(Body { payload: bytes, long: None });
        }
        let long = Some(contents::store_long(shared, &bytes).await?);
        Ok(Body { payload: Bytes::new(), long })
    }

    fn content(&self) -> Option<Long> {
        self.long.as_ref().map(|stored| stored.long.clone())
    }
}

/// Returns the messages that write an entry with its body, and let go of the body that was there before.
async fn messages(
    shared: &Shared,
    entry: &RunEntry,
    body: &Body,
    (known, token): (&Known<RunEntry>, &str),
) -> Tried<Vec<Message>> {
    let connection = &shared.connection;
    let mut messages = Vec::new();
    if let Some(stored) = &body.long {
        messages.push(stored.kept(connection, token)?);
    }
    if let Some(old) = known.live().and_then(|entry| entry.content.as_ref()) {
        messages.push(contents::discard(shared, &old.root, token).await?);
    }
    let change = (known.sequence, token);
    messages.push(entries::put(connection, entry, body.payload.clone(), change)?);
    Ok(messages)
}

/// Stores a new run. `new` is its unique name, which is that of the request too.
pub(super) async fn submit(
    shared: &Shared,
    record: &Record,
    idempotency: Option<&IdempotencyKey>,
    (new, body): (&str, &Body),
) -> Tried<Submitted> {
    let stored = || Submitted::New(Record { version: 1, ..record.clone() });
    let known = read(shared, &record.key()).await?;
    if known.live().is_some_and(|entry| entry.uid == new) {
        return Ok(stored());
    }
    let connection = &shared.connection;
    let now_ms = shared.now_ms().await?;
    let mut batch = Vec::new();
    let mut key_name = None;
    if let Some(request) = idempotency {
        let name = hash(&[&record.tenant, &request.key]);
        let key = entries::read::<KeyEntry>(connection, &name).await?;
        if let Some(first) = of_key(shared, &key, now_ms).await? {
            if first.live().is_some_and(|entry| entry.uid == new) {
                // An earlier try has succeeded just now.
                return Ok(stored());
            }
            return if key.live().is_some_and(|key| key.request == request.request) {
                Ok(Submitted::Known(self::record(shared, &first).await?))
            } else {
                Err(StoreError::KeyReused.into())
            };
        }
        let entry = KeyEntry {
            tenant: record.tenant.clone(),
            key: request.key.clone(),
            request: request.request.clone(),
            id: record.id.clone(),
            uid: new.to_owned(),
            end_ms: now_ms + milliseconds(KEY_LIFE),
        };
        batch.push(entries::put(connection, &entry, Bytes::new(), (key.sequence, new))?);
        key_name = Some(name);
    }
    if let Some(entry) = known.live() {
        return Err(StoreError::Conflict(entry.version).into());
    }
    let entry = RunEntry {
        tenant: record.tenant.clone(),
        id: record.id.clone(),
        uid: new.to_owned(),
        version: 1,
        created_ms: record.created_ms,
        status: record.status.clone(),
        owner: record.owner.clone(),
        lease_until_ms: record.lease_until_ms,
        fence: i64::from(record.owner.is_some()),
        queued_ms: now_ms,
        served_ms: 0,
        warm: None,
        form: FORM,
        key: key_name,
        content: body.content(),
    };
    batch.extend(messages(shared, &entry, body, (&known, new)).await?);
    connection.publish_all(batch).await?;
    Ok(stored())
}

/// Returns the run that the request of a key stored, if both are still there.
async fn of_key(
    shared: &Shared,
    key: &Known<KeyEntry>,
    now_ms: u64,
) -> Tried<Option<Known<RunEntry>>> {
    let Some(key) = key.live().filter(|key| key.end_ms > now_ms) else { return Ok(None) };
    let run = RunKey { tenant: key.tenant.clone(), id: key.id.clone() };
    let known = read(shared, &run).await?;
    Ok(known.live().is_some_and(|entry| entry.uid == key.uid).then_some(known))
}

/// Returns the run that a request with this key stored.
pub(super) async fn submitted(
    shared: &Shared,
    tenant: &str,
    request: &IdempotencyKey,
) -> Tried<Option<Record>> {
    if !is_name(tenant) {
        return Ok(None);
    }
    let name = hash(&[tenant, &request.key]);
    let key = entries::read::<KeyEntry>(&shared.connection, &name).await?;
    let Some(run) = of_key(shared, &key, shared.now_ms().await?).await? else { return Ok(None) };
    if key.live().is_some_and(|key| key.request != request.request) {
        return Err(StoreError::KeyReused.into());
    }
    record(shared, &run).await.map(Some)
}

/// Returns a run.
pub(super) async fn get(shared: &Shared, run: &RunKey) -> Tried<Record> {
    record(shared, &read(shared, run).await?).await
}

/// Returns runs of a tenant, newest first.
pub(super) async fn list(shared: &Shared, tenant: &str, list: &ListRuns) -> Tried<Vec<Record>> {
    if !is_name(tenant) {
        return Ok(Vec::new());
    }
    shared.index.catch_up().await?;
    let mut before = None;
    if let Some(id) = &list.before {
        let run = RunKey { tenant: tenant.to_owned(), id: id.clone() };
        let age = shared.index.look(|view| view.find(&run).map(|(created_ms, _)| created_ms));
        before = Some((age.ok_or(StoreError::Missing)?, id.clone()));
    }
    let limit = list.limit.min(MAX_LISTED);
    let mut records = Vec::new();
    while records.len() < limit {
        let most = limit - records.len();
        let ages = shared.index.look(|view| view.list(tenant, &before, list, most));
        let Some(last) = ages.last() else { break };
        before = Some(last.clone());
        let found = stream::iter(ages).map(|(_, id)| async move {
            match get(shared, &RunKey { tenant: tenant.to_owned(), id }).await {
                Ok(record) => Ok(Some(record)),
                // It was deleted just now.
                Err(Failure::Store(StoreError::Missing)) => Ok(None),
                Err(failure) => Err(failure),
            }
        });
        let found: Vec<_> = found.buffered(AT_ONCE).try_collect().await?;
        let is_wanted = |record: &Record| match &list.status {
            None => true,
            Some(status) => record.status == *status,
        };
        records.extend(found.into_iter().flatten().filter(is_wanted));
    }
    Ok(records)
}

/// A changed record, and the fence of its new owner if it has one.
pub(super) struct Updated {
    pub(super) record: Record,
    pub(super) entry: RunEntry,
    pub(super) has_new_owner: bool,
}

/// Writes a changed record. `token` names this change.
pub(super) async fn update(
    shared: &Shared,
    record: &Record,
    lease: Option<Duration>,
    (token, body): (&str, &Body),
) -> Tried<Updated> {
    let known = read(shared, &record.key()).await?;
    let old = known.live().ok_or(StoreError::Missing)?;
    let owner = record.owner.clone().filter(|_| lease.is_some());
    let updated = |entry: RunEntry, has_new_owner| Updated {
        record: with_body(&entry, record.body.clone()),
        entry,
        has_new_owner,
    };
    if known.token == token {
        return Ok(updated(old.clone(), owner.is_some()));
    }
    if old.version != record.version {
        return Err(StoreError::Conflict(old.version).into());
    }
    let now_ms = shared.now_ms().await?;
    let has_new_owner = owner.is_some() && owner != old.owner;
    let warm = match &old.owner {
        Some(worker) if ends_work(&record.status, lease) => {
            Some((worker.clone(), now_ms + milliseconds(WARM)))
        }
        _ => old.warm.clone().filter(|(_, until_ms)| *until_ms > now_ms),
    };
    let was_waiting = is_status_for_workers(&old.status) && old.lease_until_ms == 0;
    let entry = RunEntry {
        version: old.version + 1,
        created_ms: old.created_ms,
        status: record.status.clone(),
        owner,
        lease_until_ms: lease.map_or(0, |lease| now_ms + milliseconds(lease)),
        fence: old.fence + i64::from(has_new_owner),
        // A change of a run that waits goes on with its wait.
        queued_ms: if was_waiting { old.queued_ms } else { now_ms },
        warm,
        form: FORM,
        content: body.content(),
        ..old.clone()
    };
    let messages = messages(shared, &entry, body, (&known, token)).await?;
    shared.connection.publish_all(messages).await?;
    Ok(updated(entry, has_new_owner))
}

/// Takes a run for `worker`; `None` if it does not wait any more.
pub(super) async fn take(
    shared: &Shared,
    run: &RunKey,
    (worker, lease): (&str, Duration),
    token: &str,
) -> Tried<Option<(Record, RunEntry)>> {
    let known = read(shared, run).await?;
    let Some(old) = known.live() else { return Ok(None) };
    if known.token == token {
        return Ok(Some((record(shared, &known).await?, old.clone())));
    }
    let now_ms = shared.now_ms().await?;
    let waits = is_status_for_workers(&old.status) && old.lease_until_ms <= now_ms;
    if !waits || old.form > FORM {
        return Ok(None);
    }
    // First, as a body that cannot be read must not be taken.
    let body = record(shared, &known).await?.body;
    let entry = RunEntry {
        version: old.version + 1,
        status: RUNNING.to_owned(),
        owner: Some(worker.to_owned()),
        lease_until_ms: now_ms + milliseconds(lease),
        fence: old.fence + 1,
        served_ms: now_ms,
        warm: None,
        ..old.clone()
    };
    let change = (known.sequence, token);
    let message = entries::put(&shared.connection, &entry, known.payload.clone(), change)?;
    shared.connection.publish(message).await?;
    let mut taken = with_body(&entry, body);
    taken.lease_until_ms = shifted(entry.lease_until_ms, milliseconds(lease), shared.local_ms());
    Ok(Some((taken, entry)))
}

/// Deletes a run with its key. Returns its unique name; its streams go with a later sweep.
pub(super) async fn delete(shared: &Shared, run: &RunKey, token: &str) -> Tried<Option<String>> {
    let known = read(shared, run).await?;
    if known.is_gone_by(token) {
        return Ok(None);
    }
    let old = known.live().ok_or(StoreError::Missing)?;
    let connection = &shared.connection;
    let now_ms = shared.now_ms().await?;
    let mut batch = vec![entries::delete(connection, old, (known.sequence, token))?];
    if let Some(name) = &old.key {
        let key = entries::read::<KeyEntry>(connection, name).await?;
        if let Some(entry) = key.live().filter(|entry| entry.uid == old.uid) {
            batch.push(entries::delete(connection, entry, (key.sequence, token))?);
        }
    }
    if let Some(content) = &old.content {
        batch.push(contents::discard(shared, &content.root, token).await?);
    }
    let garbage = GarbageEntry {
        root: old.uid.clone(),
        due_ms: now_ms + RUN_GARBAGE_MS,
        run: Some((run.tenant.clone(), run.id.clone())),
        object: None,
        is_going: false,
    };
    batch.push(entries::put(connection, &garbage, Bytes::new(), (0, token))?);
    connection.publish_all(batch).await?;
    Ok(Some(old.uid.clone()))
}
