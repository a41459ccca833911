//! The index that each process keeps in memory: what cannot be found by its name.
//!
//! Fed by `follow` with the headers of all entries in their order. Knows no server.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use super::super::checks::{HEAD_START, is_status_for_workers, milliseconds};
use super::super::{ListRuns, RunKey, StoreTotals};
use super::entries::{
    DocumentEntry, FORM, FileEntry, GarbageEntry, KeyEntry, OwnerEntry, PartialEntry, RunEntry,
};

/// What is stored, as far as it has arrived.
#[derive(Default)]
pub(super) struct View {
    tenants: BTreeMap<String, Tenant>,
    /// Leased runs that may be claimed at a time.
    leased: BTreeSet<(u64, RunKey)>,
    /// Documents whose life ends.
    ending: BTreeSet<(u64, [String; 3])>,
    keys: HashMap<[String; 2], u64>,
    partials: HashMap<[String; 2], u64>,
    garbage: BTreeSet<(u64, String)>,
    /// When a piece of garbage goes.
    due: HashMap<String, u64>,
}

#[derive(Default)]
struct Tenant {
    runs: HashMap<String, RunRow>,
    /// Time of creation and identifier of all runs.
    by_age: BTreeSet<(u64, String)>,
    by_status: BTreeMap<String, u64>,
    /// Runs without a lease that wait for a worker.
    waiting: BTreeSet<(u64, String)>,
    /// Those of them that a worker is preferred for, by the worker.
    warm: HashMap<String, BTreeSet<(u64, String)>>,
    /// When a worker took a run of this tenant last.
    served_ms: u64,
    files: BTreeMap<String, FileRow>,
    /// Files of each owner.
    owned: HashMap<String, BTreeSet<String>>,
    /// Owners of each file.
    owners: HashMap<String, BTreeSet<String>>,
    bytes: u64,
    tables: HashMap<String, BTreeMap<String, DocumentRow>>,
}

struct RunRow {
    uid: String,
    created_ms: u64,
    status: String,
    queued_ms: u64,
    /// End of the lease of a run for workers; 0 for one that waits, `None` for one that is not for workers.
    due_ms: Option<u64>,
    /// The worker that is preferred.
    warm: Option<String>,
}

impl Tenant {
    /// Returns the waiting run that `worker` takes next: one whose last work it ended, or the oldest that is not left to another
    /// worker.
    fn next_run(&self, worker: &str, now_ms: u64) -> Option<&(u64, String)> {
        let is_free = |(_, id): &&(u64, String)| self.free_ms(id) <= now_ms;
        let own = self.warm.get(worker).and_then(BTreeSet::first);
        own.or_else(|| self.waiting.iter().find(is_free))
    }

    /// Returns when any worker may take a waiting run.
    fn free_ms(&self, run: &str) -> u64 {
        let left = self.runs.get(run).filter(|row| row.warm.is_some());
        left.map_or(0, |row| row.queued_ms.saturating_add(milliseconds(HEAD_START)))
    }
}

/// A stored file.
#[derive(Clone, Debug)]
pub(super) struct FileRow {
    pub(super) entry: FileEntry,
    pub(super) sequence: u64,
}

struct DocumentRow {
    end_ms: Option<u64>,
    holder: Option<(String, u64)>,
}

/// A document whose life has ended.
#[derive(Debug, PartialEq)]
pub(super) struct EndedRow {
    pub(super) tenant: String,
    pub(super) table: String,
    pub(super) key: String,
    /// The process that hands it over, and since when.
    pub(super) holder: Option<(String, u64)>,
}

impl View {
    fn tenant(&mut self, name: &str) -> &mut Tenant {
        if !self.tenants.contains_key(name) {
            self.tenants.insert(name.to_owned(), Tenant::default());
        }
        self.tenants.entry(name.to_owned()).or_default()
    }

    /// Takes a run in.
    pub(super) fn run(&mut self, run: &RunEntry, is_gone: bool) {
        self.forget_run(&run.key());
        let tenant = self.tenant(&run.tenant);
        tenant.served_ms = tenant.served_ms.max(run.served_ms);
        if is_gone {
            return;
        }
        let age = (run.created_ms, run.id.clone());
        // A later form is of a later version, which knows what to do with it.
        let is_for_workers = is_status_for_workers(&run.status) && run.form <= FORM;
        let row = RunRow {
            uid: run.uid.clone(),
            created_ms: run.created_ms,
            status: run.status.clone(),
            queued_ms: run.queued_ms,
            due_ms: is_for_workers.then_some(run.lease_until_ms),
            warm: run.warm.as_ref().map(|(worker, _)| worker.clone()),
        };
        *tenant.by_status.entry(run.status.clone()).or_default() += 1;
        tenant.by_age.insert(age.clone());
        if row.due_ms == Some(0) {
            if let Some(worker) = &row.warm {
                tenant.warm.entry(worker.clone()).or_default().insert(age.clone());
            }
            tenant.waiting.insert(age);
        }
        let due_ms = row.due_ms;
        tenant.runs.insert(run.id.clone(), row);
        if let Some(due_ms) = due_ms.filter(|due_ms| *due_ms > 0) {
            self.leased.insert((due_ms, run.key()));
        }
    }

    fn forget_run(&mut self, run: &RunKey) {
        let Some(tenant) = self.tenants.get_mut(&run.tenant) else { return };
        let Some(row) = tenant.runs.remove(&run.id) else { return };
        let age = (row.created_ms, run.id.clone());
        tenant.by_age.remove(&age);
        tenant.waiting.remove(&age);
        if let Some(worker) = row.warm
            && let Some(runs) = tenant.warm.get_mut(&worker)
        {
            runs.remove(&age);
            if runs.is_empty() {
                tenant.warm.remove(&worker);
            }
        }
        if let Some(count) = tenant.by_status.get_mut(&row.status) {
            *count -= 1;
            if *count == 0 {
                tenant.by_status.remove(&row.status);
            }
        }
        if let Some(due_ms) = row.due_ms {
            self.leased.remove(&(due_ms, run.clone()));
        }
    }

    /// Takes an idempotency key in.
    pub(super) fn key(&mut self, key: &KeyEntry, is_gone: bool) {
        let name = [key.tenant.clone(), key.key.clone()];
        if is_gone {
            self.keys.remove(&name)
        } else {
            self.keys.insert(name, key.end_ms)
        };
    }

    /// Takes a stored file in.
    pub(super) fn file(&mut self, file: &FileEntry, sequence: u64, is_gone: bool) {
        let tenant = self.tenant(&file.tenant);
        if let Some(old) = tenant.files.remove(&file.sha256) {
            tenant.bytes -= old.entry.size;
        }
        if !is_gone {
            tenant.bytes += file.size;
            let row = FileRow { entry: file.clone(), sequence };
            tenant.files.insert(file.sha256.clone(), row);
        }
    }

    /// Takes an owner of a file in.
    pub(super) fn owner(&mut self, owner: &OwnerEntry, is_gone: bool) {
        let tenant = self.tenant(&owner.tenant);
        let (file, name) = (&owner.sha256, &owner.owner);
        if !is_gone {
            tenant.owned.entry(name.clone()).or_default().insert(file.clone());
            tenant.owners.entry(file.clone()).or_default().insert(name.clone());
            return;
        }
        for (of, key, value) in [(&mut tenant.owned, name, file), (&mut tenant.owners, file, name)]
        {
            if let Some(all) = of.get_mut(key) {
                all.remove(value);
                if all.is_empty() {
                    of.remove(key);
                }
            }
        }
    }

    /// Takes a document in.
    pub(super) fn document(&mut self, document: &DocumentEntry, is_gone: bool) {
        let DocumentEntry { tenant, table, key, .. } = document;
        let of_tenant = self.tenant(tenant);
        let mut old = None;
        if let Some(rows) = of_tenant.tables.get_mut(table) {
            old = rows.remove(key).and_then(|row| row.end_ms);
            if rows.is_empty() {
                of_tenant.tables.remove(table);
            }
        }
        if !is_gone {
            let row = DocumentRow { end_ms: document.end_ms, holder: document.holder.clone() };
            of_tenant.tables.entry(table.clone()).or_default().insert(key.clone(), row);
        }
        let name = [tenant.clone(), table.clone(), key.clone()];
        if let Some(end_ms) = old {
            self.ending.remove(&(end_ms, name.clone()));
        }
        if let Some(end_ms) = document.end_ms.filter(|_| !is_gone) {
            self.ending.insert((end_ms, name));
        }
    }

    /// Takes a file in that arrives in several requests.
    pub(super) fn partial(&mut self, partial: &PartialEntry, is_gone: bool) {
        let name = [partial.tenant.clone(), partial.id.clone()];
        if is_gone {
            self.partials.remove(&name)
        } else {
            self.partials.insert(name, partial.touched_ms)
        };
    }

    /// Takes a piece of garbage in.
    pub(super) fn garbage(&mut self, garbage: &GarbageEntry, is_gone: bool) {
        if let Some(due_ms) = self.due.remove(&garbage.root) {
            self.garbage.remove(&(due_ms, garbage.root.clone()));
        }
        if !is_gone {
            self.due.insert(garbage.root.clone(), garbage.due_ms);
            self.garbage.insert((garbage.due_ms, garbage.root.clone()));
        }
    }

    /// Returns the run that `worker` takes next. First those whose lease has ended: their work was begun. Then a run of
    /// the tenant that has the fewest runs at work, and of those tenants the one that was served least recently; of a
    /// tenant, a run whose last work the worker ended, and then the oldest. So a tenant with ten thousand waiting runs delays
    /// another one by one run for each place.
    pub(super) fn next_run(&self, worker: &str, now_ms: u64) -> Option<RunKey> {
        let ended = self.leased.iter().take_while(|(due_ms, _)| *due_ms <= now_ms);
        let age = |run: &RunKey| {
            let row = self.tenants.get(&run.tenant).and_then(|tenant| tenant.runs.get(&run.id));
            (row.map(|row| row.created_ms), run.id.clone())
        };
        if let Some((_, run)) = ended.min_by_key(|(_, run)| age(run)) {
            return Some(run.clone());
        }
        let mut busy: HashMap<&str, u64> = HashMap::new();
        for (_, run) in &self.leased {
            *busy.entry(&run.tenant).or_default() += 1;
        }
        let waiting = self.tenants.iter().filter_map(|(name, tenant)| {
            let next = tenant.next_run(worker, now_ms)?;
            let busy = busy.get(name.as_str()).copied().unwrap_or_default();
            Some(((busy, tenant.served_ms, next), name))
        });
        let ((_, _, (_, id)), tenant) = waiting.min_by_key(|(order, _)| *order)?;
        Some(RunKey { tenant: tenant.clone(), id: id.clone() })
    }

    /// Returns the time until `worker` may take a run: zero if one waits, `None` if none will.
    pub(super) fn next_work(&self, worker: &str, now_ms: u64) -> Option<Duration> {
        let mut due_ms = self.leased.first().map(|(due_ms, _)| *due_ms);
        for tenant in self.tenants.values().filter(|tenant| !tenant.waiting.is_empty()) {
            if tenant.next_run(worker, now_ms).is_some() {
                return Some(Duration::ZERO);
            }
            let free = tenant.waiting.iter().map(|(_, id)| tenant.free_ms(id));
            due_ms = free.chain(due_ms).min();
        }
        due_ms.map(|due_ms| Duration::from_millis(due_ms.saturating_sub(now_ms)))
    }

    /// Returns the identifiers of runs of a tenant before one of this age, newest first, at most `most`.
    pub(super) fn list(
        &self,
        tenant: &str,
        before: &Option<(u64, String)>,
        list: &ListRuns,
        most: usize,
    ) -> Vec<(u64, String)> {
        let Some(tenant) = self.tenants.get(tenant) else { return Vec::new() };
        let runs = match before {
            None => tenant.by_age.range(..),
            Some(before) => tenant.by_age.range(..before.clone()),
        };
        let is_wanted = |(_, id): &&(u64, String)| match &list.status {
            None => true,
            Some(status) => tenant.runs.get(id).is_some_and(|row| row.status == *status),
        };
        runs.rev().filter(is_wanted).take(most).cloned().collect()
    }

    /// Returns the number of runs of a tenant.
    pub(super) fn count(&self, tenant: &str, status: Option<&str>) -> u64 {
        let Some(tenant) = self.tenants.get(tenant) else { return 0 };
        match status {
            None => tenant.runs.len() as u64,
            Some(status) => tenant.by_status.get(status).copied().unwrap_or_default(),
        }
    }

    /// Returns the age of a run and its unique name.
    pub(super) fn find(&self, run: &RunKey) -> Option<(u64, &str)> {
        let row = self.tenants.get(&run.tenant)?.runs.get(&run.id)?;
        Some((row.created_ms, &row.uid))
    }

    /// Returns the bytes of all files of a tenant.
    pub(super) fn bytes(&self, tenant: &str) -> u64 {
        self.tenants.get(tenant).map_or(0, |tenant| tenant.bytes)
    }

    /// Returns what is stored of all tenants.
    pub(super) fn totals(&self, now_ms: u64) -> StoreTotals {
        let mut totals = StoreTotals::default();
        let mut begin =
            self.leased.first().map(|(due_ms, _)| *due_ms).filter(|due_ms| *due_ms <= now_ms);
        for tenant in self.tenants.values() {
            totals.bytes += tenant.bytes;
            for (status, count) in &tenant.by_status {
                *totals.runs.entry(status.clone()).or_default() += count;
            }
            for (_, id) in &tenant.waiting {
                let queued_ms = tenant.runs.get(id).map(|row| row.queued_ms);
                begin = begin.into_iter().chain(queued_ms).min();
            }
        }
        let wait_ms = begin.map_or(0, |begin| now_ms.saturating_sub(begin));
        totals.longest_wait = Some(Duration::from_millis(wait_ms));
        totals
    }

    /// Returns the files of an owner, at most `most`.
    pub(super) fn owned(&self, tenant: &str, owner: &str, most: usize) -> Vec<String> {
        let Some(tenant) = self.tenants.get(tenant) else { return Vec::new() };
        let files = tenant.owned.get(owner);
        files.map(|files| files.iter().take(most).cloned().collect()).unwrap_or_default()
    }

    /// Returns a stored file that nobody owns.
    pub(super) fn unowned(&self, tenant: &str, sha256: &str) -> Option<&FileRow> {
        let tenant = self.tenants.get(tenant)?;
        tenant.files.get(sha256).filter(|_| !tenant.owners.contains_key(sha256))
    }

    /// Returns the files that nobody owns, as tenant and digest, at most `most`.
    pub(super) fn all_unowned(&self, most: usize) -> Vec<(String, String)> {
        let of_tenant = |(name, tenant): (&String, &Tenant)| {
            let files = tenant.files.keys().filter(|sha256| !tenant.owners.contains_key(*sha256));
            files.map(|sha256| (name.clone(), sha256.clone())).collect::<Vec<_>>()
        };
        self.tenants.iter().flat_map(of_tenant).take(most).collect()
    }

    /// Returns the keys of documents of a table after a key, at most `most`.
    pub(super) fn documents(
        &self,
        (tenant, table): (&str, &str),
        after: Option<&str>,
        now_ms: u64,
        most: usize,
    ) -> Vec<String> {
        let rows = self.tenants.get(tenant).and_then(|tenant| tenant.tables.get(table));
        let Some(rows) = rows else { return Vec::new() };
        let is_after = |key: &String| after.is_none_or(|after| key.as_str() > after);
        let from = after.unwrap_or_default().to_owned();
        let live = rows
            .range(from..)
            .filter(|(key, row)| is_after(key) && row.end_ms.is_none_or(|end_ms| end_ms > now_ms));
        live.take(most).map(|(key, _)| key.clone()).collect()
    }

    /// Returns documents whose life has ended, but those that another process has taken after `held_ms`.
    pub(super) fn ended(
        &self,
        now_ms: u64,
        holder: &str,
        held_ms: u64,
        most: usize,
    ) -> Vec<EndedRow> {
        let ended = self.ending.iter().take_while(|(end_ms, _)| *end_ms <= now_ms);
        let rows = ended.filter_map(|(_, [tenant, table, key])| {
            let row = self.tenants.get(tenant)?.tables.get(table)?.get(key)?;
            let is_free = match &row.holder {
                None => true,
                Some((by, since_ms)) => by == holder || *since_ms <= held_ms,
            };
            is_free.then(|| EndedRow {
                tenant: tenant.clone(),
                table: table.clone(),
                key: key.clone(),
                holder: row.holder.clone(),
            })
        });
        rows.take(most).collect()
    }

    /// Returns idempotency keys that have ended, as tenant and key.
    pub(super) fn ended_keys(&self, now_ms: u64, most: usize) -> Vec<[String; 2]> {
        names_until(&self.keys, now_ms, most)
    }

    /// Returns files that arrive in several requests and were not touched since, as tenant and identifier.
    pub(super) fn idle_partials(&self, since_ms: u64, most: usize) -> Vec<[String; 2]> {
        names_until(&self.partials, since_ms, most)
    }

    /// Returns garbage that goes now.
    pub(super) fn due_garbage(&self, now_ms: u64, most: usize) -> Vec<String> {
        let due = self.garbage.iter().take_while(|(due_ms, _)| *due_ms <= now_ms);
        due.take(most).map(|(_, root)| root.clone()).collect()
    }
}

fn names_until(names: &HashMap<[String; 2], u64>, until_ms: u64, most: usize) -> Vec<[String; 2]> {
    let ended = names.iter().filter(|(_, time_ms)| **time_ms <= until_ms);
    let mut ended: Vec<_> = ended.map(|(name, _)| name.clone()).collect();
    ended.sort();
    ended.truncate(most);
    ended
}
