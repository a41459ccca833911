//! Scheduler of guests: decides which guest computes next when there are more of them than processors.
//!
//! A guest pauses at every tick of the interrupt clock. The executor alone would poll paused guests in the order in which they
//! paused, so many busy calls of one tenant would delay a call of another by as many ticks. Therefore a guest needs a slot to be
//! polled, and there are as many slots as processors. When all are taken, the next free slot goes to the tenant that has computed
//! least; within the tenant to the session that has computed least; and within the session to the guest that has waited longest.
//! A tenant that was idle starts level with those that compute: it is next, but has saved nothing for later. A short call should
//! not wait for a tick: a tenant without a slot that has computed little gets one at once, if necessary one more than there are
//! processors.
//!
//! A slot is held during one poll and never across an await: a guest that waits for the host, a nested call or a person holds no
//! slot. A guest that is polled inside of another one's poll is part of that turn.
//!
//! Knows tenants by name, sessions by number, and time; nothing of stores.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use mitt_base::lock;

/// Slots in addition to those of the processors, for short calls of tenants without a slot.
const EXPRESS_SLOTS: usize = 1;

/// Nanoseconds, one tick, that a tenant may be ahead of the clock of computing tenants and still get an express slot.
const SHORT_NANOS: u64 = 10_000_000;

/// How long a granted slot stays reserved before it goes to the next waiter. A waiter may be late because its task is busy with
/// something else than polling the call.
const GRANT_TIMEOUT: Duration = Duration::from_millis(50);

tokio::task_local! {
    /// Session for which the task computes.
    static CURRENT: Arc<SchedulerHandle>;
}

thread_local! {
    /// `true` if this thread is polling a guest in its turn.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Scheduler of an engine. A cheap handle.
#[derive(Clone, Debug)]
pub struct Scheduler {
    state: Arc<Mutex<State>>,
}

/// A session of a tenant, as the scheduler sees it.
#[derive(Debug)]
pub struct SchedulerHandle {
    scheduler: Scheduler,
    tenant: u64,
    session: u64,
}

/// Invariant whenever the lock is free: nothing is queued that could have a slot.
#[derive(Debug)]
struct State {
    slots: usize,
    express: usize,
    /// Slots that are in use or granted.
    taken: usize,
    granted: Vec<Grant>,
    last_id: u64,
    tenants: FairQueue,
    by_id: BTreeMap<u64, Tenant>,
    names: HashMap<Arc<str>, u64>,
}

/// Slot that was granted and is not in use yet.
#[derive(Debug)]
struct Grant {
    ticket: u64,
    tenant: u64,
    session: u64,
    since: Instant,
}

#[derive(Debug)]
struct Tenant {
    name: Arc<str>,
    /// Number of slots that the tenant has.
    taken: usize,
    account: Account,
    sessions: FairQueue,
    by_id: BTreeMap<u64, SessionQueue>,
}

#[derive(Debug, Default)]
struct SessionQueue {
    account: Account,
    /// Tickets in order of arrival, with their wakers.
    waiting: VecDeque<(u64, Waker)>,
}

/// Computing time of a tenant or session, on the clock of its peers.
#[derive(Debug, Default)]
struct Account {
    used: u64,
    /// Number of its last turn, which breaks ties.
    turn: u64,
    is_waiting: bool,
}

/// Waiting peers, those with the least computing time first.
#[derive(Debug, Default)]
struct FairQueue {
    /// Computing time that the peers reached last. A peer that was idle starts from this number.
    clock: u64,
    turns: u64,
    order: BTreeSet<(u64, u64, u64)>,
}

impl FairQueue {
    fn wait(&mut self, account: &mut Account, id: u64) {
        if !account.is_waiting {
            account.is_waiting = true;
            account.used = account.used.max(self.clock);
            self.order.insert((account.used, account.turn, id));
        }
    }

    fn leave(&mut self, account: &mut Account, id: u64) {
        if account.is_waiting {
            account.is_waiting = false;
            self.order.remove(&(account.used, account.turn, id));
        }
    }

    fn next(&self) -> Option<u64> {
        self.order.first().map(|(_, _, id)| *id)
    }

    /// Charges a turn that took `time`, in nanoseconds.
    fn charge(&mut self, account: &mut Account, id: u64, time: u64) {
        let was_waiting = account.is_waiting;
        self.leave(account, id);
        self.clock = self.clock.max(account.used);
        account.used = account.used.saturating_add(time);
        self.turns += 1;
        account.turn = self.turns;
        if was_waiting {
            account.is_waiting = true;
            self.order.insert((account.used, account.turn, id));
        }
    }
}

impl Scheduler {
    /// Returns a scheduler with as many slots as processors.
    pub(crate) fn of_machine() -> Scheduler {
        Scheduler::new(mitt_base::processors::count(), EXPRESS_SLOTS)
    }

    fn new(slots: usize, express: usize) -> Scheduler {
        let state = State {
            slots: slots.max(1),
            express,
            taken: 0,
            granted: Vec::new(),
            last_id: 0,
            tenants: FairQueue::default(),
            by_id: BTreeMap::new(),
            names: HashMap::new(),
        };
        Scheduler { state: Arc::new(Mutex::new(state)) }
    }

    /// Keeps at least one of the executor's `workers` free of guests, counting the slots for short calls. Has no effect with one
    /// worker.
    pub(super) fn leave_one_of(&self, workers: usize) {
        if workers > 1 {
            let mut state = self.state();
            let most = workers - 1;
            state.slots = state.slots.min(most.saturating_sub(state.express).max(1));
            state.express = state.express.min(most - state.slots);
        }
    }

    /// Adds a session of a tenant.
    pub fn register(&self, tenant: &str) -> Arc<SchedulerHandle> {
        let mut state = self.state();
        let session = state.new_id();
        let tenant = match state.names.get(tenant) {
            Some(known) => *known,
            None => {
                let (id, name) = (state.new_id(), Arc::<str>::from(tenant));
                state.names.insert(name.clone(), id);
                let (account, sessions) = (Account::default(), FairQueue::default());
                let by_id = BTreeMap::new();
                state.by_id.insert(id, Tenant { name, taken: 0, account, sessions, by_id });
                id
            }
        };
        if let Some(known) = state.by_id.get_mut(&tenant) {
            known.by_id.insert(session, SessionQueue::default());
        }
        Arc::new(SchedulerHandle { scheduler: self.clone(), tenant, session })
    }

    /// Takes back granted slots that were not used in time. Called at every tick.
    pub(super) fn tick(&self) {
        let mut woken = Vec::new();
        let mut state = self.state();
        while let Some(index) =
            state.granted.iter().position(|it| it.since.elapsed() >= GRANT_TIMEOUT)
        {
            let lapsed = state.granted.swap_remove(index);
            // The reserved time counts, since other guests could not use the slot.
            state.charge(lapsed.tenant, lapsed.session, lapsed.since.elapsed());
            woken.extend(state.release(lapsed.tenant));
        }
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Returns how many slots are free, without those for short calls.
    pub(crate) fn free(&self) -> usize {
        let state = self.state();
        state.slots.saturating_sub(state.taken)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn charge(&mut self, tenant: u64, session: u64, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let Some(entry) = self.by_id.get_mut(&tenant) else { return };
        self.tenants.charge(&mut entry.account, tenant, time);
        if let Some(queue) = entry.by_id.get_mut(&session) {
            entry.sessions.charge(&mut queue.account, session, time);
        }
    }

    fn wait(&mut self, handle: &SchedulerHandle, ticket: u64, waker: &Waker) {
        let Some(entry) = self.by_id.get_mut(&handle.tenant) else { return };
        let Some(queue) = entry.by_id.get_mut(&handle.session) else { return };
        match queue.waiting.iter_mut().find(|(other, _)| *other == ticket) {
            Some((_, known)) => known.clone_from(waker),
            None => queue.waiting.push_back((ticket, waker.clone())),
        }
        entry.sessions.wait(&mut queue.account, handle.session);
        self.tenants.wait(&mut entry.account, handle.tenant);
    }

    fn leave(&mut self, handle: &SchedulerHandle, ticket: u64) {
        let Some(entry) = self.by_id.get_mut(&handle.tenant) else { return };
        let Some(queue) = entry.by_id.get_mut(&handle.session) else { return };
        queue.waiting.retain(|(other, _)| *other != ticket);
        if queue.waiting.is_empty() {
            entry.sessions.leave(&mut queue.account, handle.session);
        }
        if entry.sessions.order.is_empty() {
            self.tenants.leave(&mut entry.account, handle.tenant);
        }
    }

    fn is_waiting(&self, handle: &SchedulerHandle, ticket: u64) -> bool {
        let queue =
            self.by_id.get(&handle.tenant).and_then(|entry| entry.by_id.get(&handle.session));
        queue.is_some_and(|queue| queue.waiting.iter().any(|(other, _)| *other == ticket))
    }

    /// Returns whether a tenant may have one more slot now.
    fn has_slot_for(&self, entry: &Tenant) -> bool {
        let is_short =
            || entry.taken == 0 && entry.account.used <= self.tenants.clock + SHORT_NANOS;
        self.taken < self.slots || self.taken < self.slots + self.express && is_short()
    }

    /// Takes a slot for a tenant, if it may have one. Returns whether it did.
    fn take(&mut self, tenant: u64) -> bool {
        if !self.by_id.get(&tenant).is_some_and(|entry| self.has_slot_for(entry)) {
            return false;
        }
        self.taken += 1;
        if let Some(entry) = self.by_id.get_mut(&tenant) {
            entry.taken += 1;
        }
        true
    }

    /// Gives a tenant's slot back. Returns the wakers of the next holders, which must be called without the lock.
    fn release(&mut self, tenant: u64) -> Vec<Waker> {
        self.taken -= 1;
        if let Some(entry) = self.by_id.get_mut(&tenant) {
            entry.taken -= 1;
        }
        let mut woken = Vec::new();
        while let Some(next) = self.next() {
            match self.grant(next) {
                Some(waker) => woken.push(waker),
                None => break,
            }
        }
        woken
    }

    /// Returns the next tenant among those that may have a slot.
    fn next(&self) -> Option<u64> {
        let mut waiting = self.tenants.order.iter().map(|(_, _, id)| *id);
        match self.taken < self.slots {
            true => waiting.next(),
            false if self.taken < self.slots + self.express => waiting
                .take_while(|id| {
                    self.by_id
                        .get(id)
                        .is_some_and(|entry| entry.account.used <= self.tenants.clock + SHORT_NANOS)
                })
                .find(|id| self.by_id.get(id).is_some_and(|entry| self.has_slot_for(entry))),
            false => None,
        }
    }

    fn grant(&mut self, tenant: u64) -> Option<Waker> {
        let entry = self.by_id.get_mut(&tenant)?;
        let session = entry.sessions.next()?;
        let queue = entry.by_id.get_mut(&session)?;
        let (ticket, waker) = queue.waiting.pop_front()?;
        if queue.waiting.is_empty() {
            entry.sessions.leave(&mut queue.account, session);
        }
        if entry.sessions.order.is_empty() {
            self.tenants.leave(&mut entry.account, tenant);
        }
        entry.taken += 1;
        self.taken += 1;
        self.granted.push(Grant { ticket, tenant, session, since: Instant::now() });
        Some(waker)
    }

    /// Takes the slot that was granted to the ticket. Returns whether there was one.
    fn take_grant(&mut self, ticket: u64) -> bool {
        match self.granted.iter().position(|grant| grant.ticket == ticket) {
            Some(index) => {
                self.granted.swap_remove(index);
                true
            }
            None => false,
        }
    }
}

impl SchedulerHandle {
    /// Returns the number of the session, unique in the process.
    pub fn session(&self) -> u64 {
        self.session
    }

    /// Runs `future`, whose guests compute for this session.
    pub async fn run<F: Future>(self: &Arc<SchedulerHandle>, future: F) -> F::Output {
        CURRENT.scope(self.clone(), future).await
    }
}

impl Drop for SchedulerHandle {
    fn drop(&mut self) {
        let mut state = self.scheduler.state();
        let Some(entry) = state.by_id.get_mut(&self.tenant) else { return };
        entry.by_id.remove(&self.session);
        if entry.by_id.is_empty()
            && let Some(gone) = state.by_id.remove(&self.tenant)
        {
            state.names.remove(&gone.name);
        }
    }
}

/// Polls `future`, the work of a guest, in turns with other guests. Work that belongs to no session is polled at once.
pub(super) async fn in_turn<F: Future>(mut future: Pin<&mut F>) -> F::Output {
    let mut ticket = CURRENT.try_with(Arc::clone).ok().map(Ticket::new);
    std::future::poll_fn(|cx| match &mut ticket {
        Some(ticket) if !INSIDE.get() => ticket.poll(cx, future.as_mut()),
        _ => future.as_mut().poll(cx),
    })
    .await
}

/// Wraps `future` for a task of its own, so that it computes for the same session as the current task.
pub fn for_the_same<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let handle = CURRENT.try_with(Arc::clone).ok();
    async move {
        match handle {
            Some(handle) => handle.run(future).await,
            None => future.await,
        }
    }
}

/// Place of one call in the queue.
struct Ticket {
    handle: Arc<SchedulerHandle>,
    /// Set while the call may be in the queue or may have been granted a slot.
    number: Option<u64>,
    forwarding: Option<Arc<ForwardingWaker>>,
}

/// Forwards wake-ups of a guest and remembers them: a guest that is woken while it is polled has only yielded.
struct ForwardingWaker {
    was_woken: AtomicBool,
    to: Mutex<Waker>,
}

impl Wake for ForwardingWaker {
    fn wake(self: Arc<ForwardingWaker>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<ForwardingWaker>) {
        self.was_woken.store(true, Ordering::Release);
        let to = lock(&self.to).clone();
        to.wake();
    }
}

impl Ticket {
    fn new(handle: Arc<SchedulerHandle>) -> Ticket {
        Ticket { handle, number: None, forwarding: None }
    }

    fn poll<F: Future>(&mut self, cx: &Context<'_>, future: Pin<&mut F>) -> Poll<F::Output> {
        if !self.is_granted(cx.waker()) {
            return Poll::Pending;
        }
        let turn = Turn::begin(&self.handle);
        let forwarding = match &self.forwarding {
            Some(forwarding) => {
                lock(&forwarding.to).clone_from(cx.waker());
                forwarding.was_woken.store(false, Ordering::Release);
                forwarding
            }
            None => self.forwarding.insert(Arc::new(ForwardingWaker {
                was_woken: AtomicBool::new(false),
                to: Mutex::new(cx.waker().clone()),
            })),
        };
        let waker = Waker::from(forwarding.clone());
        let polled = future.poll(&mut Context::from_waker(&waker));
        let wants_more = polled.is_pending() && forwarding.was_woken.load(Ordering::Acquire);
        // It queues before its slot is free, so that it is a candidate for the slot: on one thread no other guest could queue
        // meanwhile.
        self.number = turn.end(wants_more.then(|| cx.waker()));
        polled
    }

    /// Returns whether it has a slot now. Otherwise `waker` is called when it is granted one.
    fn is_granted(&mut self, waker: &Waker) -> bool {
        let mut state = self.handle.scheduler.state();
        if let Some(number) = self.number {
            if state.take_grant(number) {
                self.number = None;
                return true;
            }
            if state.is_waiting(&self.handle, number) {
                state.wait(&self.handle, number, waker);
                return false;
            }
            // It was granted a slot, but came too late to use it.
            self.number = None;
        }
        if state.take(self.handle.tenant) {
            return true;
        }
        let number = state.new_id();
        self.number = Some(number);
        state.wait(&self.handle, number, waker);
        false
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut state = self.handle.scheduler.state();
        let woken = if state.take_grant(number) {
            state.release(self.handle.tenant)
        } else {
            state.leave(&self.handle, number);
            Vec::new()
        };
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }
}

/// Slot in use, while a guest is polled in it.
struct Turn<'m> {
    handle: &'m SchedulerHandle,
    since: Instant,
    has_ended: bool,
}

impl Turn<'_> {
    fn begin(handle: &SchedulerHandle) -> Turn<'_> {
        INSIDE.set(true);
        Turn { handle, since: Instant::now(), has_ended: false }
    }

    /// Ends the turn. With a waker, the guest is queued again, and its ticket number is returned.
    fn end(mut self, wants_more: Option<&Waker>) -> Option<u64> {
        self.give_back(wants_more)
    }

    fn give_back(&mut self, wants_more: Option<&Waker>) -> Option<u64> {
        self.has_ended = true;
        INSIDE.set(false);
        let time = self.since.elapsed();
        let mut state = self.handle.scheduler.state();
        state.charge(self.handle.tenant, self.handle.session, time);
        let number = wants_more.map(|waker| {
            let number = state.new_id();
            state.wait(self.handle, number, waker);
            number
        });
        let woken = state.release(self.handle.tenant);
        drop(state);
        woken.into_iter().for_each(Waker::wake);
        number
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // The guest's host has panicked.
        if !self.has_ended {
            self.give_back(None);
        }
    }
}

#[cfg(test)]
#[path = "scheduler_tests.rs"]
mod tests;
