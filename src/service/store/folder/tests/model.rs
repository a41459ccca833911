//! Random operations on a store and on a simple model of one, with restarts in between.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;

use super::{BEGIN_MS, Opened, opened};
use crate::store::contract::{Subject as _, key, record, stored};
use crate::store::{IdempotencyKey, ListRuns, Record, Store, StoreError, Stream, Submitted};

const TENANTS: [&str; 3] = ["a", "", "月/b"];
const STATUSES: [&str; 4] = ["queued", "running", "waiting", "completed"];
const STREAMS: [Stream; 3] = [Stream::Log, Stream::Events, Stream::Inbox];
const LEASE: Duration = Duration::from_secs(30);

/// What a store should have.
#[derive(Default)]
struct Model {
    now_ms: u64,
    /// When a run of a tenant was claimed last, as long as it has one at work or waiting.
    served: BTreeMap<String, u64>,
    runs: BTreeMap<(String, String), Run>,
    keys: BTreeMap<(String, String), (String, String)>,
    documents: BTreeMap<(String, String), (u64, u64, Bytes)>,
    owners: BTreeMap<(String, String), BTreeSet<String>>,
}

struct Run {
    record: Record,
    streams: [Vec<Bytes>; 3],
}

type Name = (String, String);

impl Model {
    /// Returns the run that is claimed next.
    fn next(&self) -> Option<Name> {
        let all = || self.runs.values().map(|run| &run.record);
        let works = |it: &&Record| matches!(it.status.as_str(), "queued" | "running");
        let has_lease = |it: &&Record| works(it) && it.lease_until_ms > 0;
        let at_work =
            |tenant: &str| all().filter(has_lease).filter(|it| it.tenant == tenant).count();
        let age = |it: &&Record| (it.created_ms, it.id.clone(), it.tenant.clone());
        let ended = all().filter(has_lease).filter(|it| it.lease_until_ms <= self.now_ms);
        let waiting = all().filter(works).filter(|it| it.lease_until_ms == 0);
        let next = ended.min_by_key(age).or_else(|| {
            waiting.min_by_key(|it| {
                let served = self.served.get(&it.tenant).copied().unwrap_or_default();
                (at_work(&it.tenant), served, age(it))
            })
        });
        next.map(|it| (it.tenant.clone(), it.id.clone()))
    }

    /// Forgets when tenants were served that have no run at work and none waiting.
    fn forget_idle(&mut self) {
        let runs = &self.runs;
        self.served.retain(|tenant, _| {
            runs.values().map(|run| &run.record).any(|it| {
                it.tenant == *tenant && matches!(it.status.as_str(), "queued" | "running")
            })
        });
    }

    fn release(&mut self, tenant: &str, owner: &str) {
        self.owners.retain(|(of, _), owners| {
            if of == tenant {
                owners.remove(owner);
            }
            !owners.is_empty()
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_does_what_a_simple_model_does() {
    for seed in 0..6 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut store = opened();
        let mut model = Model { now_ms: BEGIN_MS, ..Model::default() };
        for step in 0..400 {
            operation(&store, &mut model, &mut random, step).await;
            model.forget_idle();
            if random.u8(..) < 3 {
                store = store.reopened();
            }
        }
        compare(&store, &model).await;
        compare(&store.reopened(), &model).await;
    }
}

async fn operation(opened: &Opened, model: &mut Model, random: &mut fastrand::Rng, step: usize) {
    let store = &opened.store;
    let tenant = TENANTS[random.usize(..3)].to_owned();
    let id = format!("run_{}", random.u8(..8));
    let (name, run) = ((tenant.clone(), id.clone()), key(&tenant, &id));
    match random.u8(..12) {
        0 | 1 => submit(opened, model, random, &name).await,
        2 => {
            let claimed = store.claim("w", LEASE).await.unwrap();
            let expected = model.next();
            if let Some((tenant, _)) = &expected {
                model.served.insert(tenant.clone(), model.now_ms);
            }
            if let Some(run) = expected.and_then(|name| model.runs.get_mut(&name)) {
                run.record.version += 1;
                run.record.status = "running".to_owned();
                run.record.owner = Some("w".to_owned());
                run.record.lease_until_ms = model.now_ms + LEASE.as_millis() as u64;
                assert_eq!(claimed.as_ref(), Some(&run.record), "{step}");
            } else {
                assert_eq!(claimed, None, "{step}");
            }
        }
        3 => {
            let lease = random.bool().then_some(LEASE);
            match model.runs.get_mut(&name) {
                None => {
                    let result = store.update(&record(&tenant, &id, 1), lease).await;
                    assert!(matches!(result, Err(StoreError::Missing)));
                }
                Some(Run { record, .. }) => {
                    let mut new = record.clone();
                    new.status = STATUSES[random.usize(..4)].to_owned();
                    new.created_ms = random.u64(..5);
                    new.body.insert("step".to_owned(), json!(step));
                    new = store.update(&new, lease).await.unwrap();
                    assert_eq!(new.version, record.version + 1);
                    let until = lease.map_or(0, |it| model.now_ms + it.as_millis() as u64);
                    assert_eq!(new.lease_until_ms, until);
                    *record = new;
                }
            }
        }
        4 | 5 => {
            let stream = STREAMS[random.usize(..3)];
            let records: Vec<Bytes> =
                (0..random.usize(..4)).map(|n| format!("{step} {n}").into()).collect();
            let result = store.append(&run, stream, None, &records).await;
            match model.runs.get_mut(&name) {
                None => assert!(matches!(result, Err(StoreError::Missing))),
                Some(run) => {
                    let lines = &mut run.streams[stream as usize];
                    lines.extend(records);
                    assert_eq!(result.unwrap(), lines.len() as u64);
                }
            }
        }
        6 => {
            let result = store.delete(&run).await;
            assert_eq!(result.is_ok(), model.runs.remove(&name).is_some());
            model.keys.retain(|(of, _), (run, _)| *of != tenant || *run != id);
            if result.is_ok() {
                model.release(&tenant, &format!("run:{id}"));
            }
        }
        7 | 8 => document(opened, model, random, tenant).await,
        9 => {
            let owner = if random.bool() { format!("run:{id}") } else { "file".to_owned() };
            let content = vec![b'x'; random.usize(..3)];
            let sha256 = stored(store, &tenant, &content, &owner).await;
            model.owners.entry((tenant, sha256)).or_default().insert(owner);
        }
        10 => {
            store.release(&tenant, "file").await.unwrap();
            model.release(&tenant, "file");
        }
        _ => {
            let time = Duration::from_secs(random.u64(..20));
            opened.advance(time);
            model.now_ms += time.as_millis() as u64;
            if random.bool() {
                let swept = store.sweep().await.unwrap();
                for (tenant, table, document) in swept {
                    assert_eq!(table, "t");
                    // Those that ended earlier may have been replaced in the model.
                    let left = model.documents.get(&(tenant, document.key));
                    assert!(left.is_none_or(|(_, end, _)| *end <= model.now_ms));
                }
                model.documents.retain(|_, (_, end, _)| *end > model.now_ms);
            }
        }
    }
}

async fn submit(opened: &Opened, model: &mut Model, random: &mut fastrand::Rng, name: &Name) {
    let (tenant, id) = name;
    let new = record(tenant, id, random.u64(..5));
    let request = IdempotencyKey {
        key: format!("k{}", random.u8(..4)),
        request: format!("r{}", random.u8(..2)),
    };
    let request = random.bool().then_some(request);
    let result = opened.store.submit(new.clone(), request.as_ref()).await;
    let key = request.as_ref().map(|it| (tenant.clone(), it.key.clone()));
    // The test lasts for less than a day, so no key expires.
    if let (Some(key), Some(request)) = (&key, &request)
        && let Some((id, known)) = model.keys.get(key)
    {
        match result {
            Ok(Submitted::Known(record)) => {
                assert_eq!(*known, request.request);
                assert_eq!(record, model.runs[&(tenant.clone(), id.clone())].record);
            }
            Err(StoreError::KeyReused) => assert_ne!(*known, request.request),
            other => panic!("{other:?}"),
        }
        return;
    }
    if let Some(run) = model.runs.get(name) {
        assert!(matches!(result, Err(StoreError::Conflict(last)) if last == run.record.version));
        return;
    }
    let Ok(Submitted::New(record)) = result else { panic!("{result:?}") };
    assert_eq!(record, Record { version: 1, ..new });
    model.runs.insert(name.clone(), Run { record, streams: Default::default() });
    if let (Some(key), Some(request)) = (key, request) {
        model.keys.insert(key, (id.clone(), request.request));
    }
}

async fn document(opened: &Opened, model: &mut Model, random: &mut fastrand::Rng, tenant: String) {
    let (key, now_ms) = (format!("d{}", random.u8(..4)), model.now_ms);
    let name = (tenant.clone(), key.clone());
    let known = model.documents.get(&name).filter(|(_, end, _)| *end > now_ms);
    let version = known.map_or(0, |(version, _, _)| *version);
    if random.u8(..4) == 0 {
        let was_there = opened.store.delete_document(&tenant, "t", &key).await.unwrap();
        assert_eq!(was_there, version > 0);
        if was_there {
            model.documents.remove(&name);
        }
        return;
    }
    let expected = [None, Some(version), Some(version + 1)][random.usize(..3)];
    let life = random.bool().then(|| Duration::from_secs(random.u64(1..60)));
    let value = Bytes::from(random.u32(..).to_string());
    let result = opened.store.put_document(&tenant, "t", &key, value.clone(), expected, life).await;
    if expected.is_none_or(|expected| expected == version) {
        assert_eq!(result.unwrap(), version + 1);
        let end = life.map_or(u64::MAX, |life| now_ms + life.as_millis() as u64);
        model.documents.insert(name, (version + 1, end, value));
    } else {
        assert!(matches!(result, Err(StoreError::Conflict(last)) if last == version));
    }
}

async fn compare(opened: &Opened, model: &Model) {
    let store = &opened.store;
    for tenant in TENANTS {
        for status in [None, Some("queued"), Some("completed")] {
            let list = ListRuns { limit: 100, before: None, status: status.map(str::to_owned) };
            let mut expected: Vec<&Record> = model
                .runs
                .values()
                .map(|run| &run.record)
                .filter(|it| it.tenant == tenant && status.is_none_or(|status| it.status == status))
                .collect();
            expected.sort_by(|a, b| (b.created_ms, &b.id).cmp(&(a.created_ms, &a.id)));
            assert_eq!(
                store.list(tenant, &list).await.unwrap().iter().collect::<Vec<_>>(),
                expected
            );
        }
        let documents = store.documents(tenant, "t", None, 100).await.unwrap();
        let found: Vec<_> =
            documents.iter().map(|it| (it.key.as_str(), it.version, &it.value)).collect();
        let expected: Vec<_> = model
            .documents
            .iter()
            .filter(|((of, _), (_, end, _))| of == tenant && *end > model.now_ms)
            .map(|((_, key), (version, _, value))| (key.as_str(), *version, value))
            .collect();
        assert_eq!(found, expected);
        for content in [b"".as_slice(), b"x", b"xx"] {
            let sha256 = mitt_base::digest::sha256(content);
            let is_there = model.owners.contains_key(&(tenant.to_owned(), sha256.clone()));
            match store.blob(tenant, &sha256).await {
                Ok(blob) => assert_eq!(blob.read(0, 9).await.unwrap(), content),
                Err(error) => assert!(!is_there && matches!(error, StoreError::Missing)),
            }
            assert_eq!(store.blob_path(tenant, &sha256).is_some(), is_there);
        }
    }
    for Run { record, streams } in model.runs.values() {
        for (stream, expected) in STREAMS.into_iter().zip(streams) {
            let found = store.read(&record.key(), stream, 0, 1000).await.unwrap();
            assert_eq!(&found, expected);
        }
    }
}
