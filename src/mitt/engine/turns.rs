//! Turns: which guest computes next when more guests want to compute than there are processors.
//!
//! A guest pauses at every tick of the interrupt clock. The executor alone would poll the paused guests in the order in which they
//! paused, so that many busy calls of one tenant would delay a call of another by as many ticks. Therefore a guest needs a slot
//! to be polled, and there are as many slots as processors. When all are taken, the next free slot goes to the tenant that has
//! computed least; within the tenant to the session that has computed least; and there to the guest that has waited longest. A
//! tenant that was idle starts level with those that compute: it is next, but has saved nothing for later. A short call should
//! not wait for a tick: a tenant that has no slot and has computed little gets one at once, if need be one more than there are
//! processors.
//!
//! A slot is held during one poll and never across an await: what waits for the host, for a nested call or for a person holds
//! nothing. A guest that is polled inside of another one's poll is part of that turn.
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

/// Slots beyond the processors, for short calls of tenants that have none.
const EXPRESS: usize = 1;

/// How much more than those who compute a tenant may have computed to get one of them, in nanoseconds: a tick.
const SHORT: u64 = 10_000_000;

/// How long a slot waits for the one that it was given to. A call is not asked for its next step while whoever awaits it does
/// something else; then the slot goes on to the next.
const LAPSE: Duration = Duration::from_millis(50);

tokio::task_local! {
    /// For whom the task computes.
    static MEMBER: Arc<Member>;
}

thread_local! {
    /// Whether this thread is polling a guest in its turn.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The slots of an engine. A cheap handle.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    state: Arc<Mutex<State>>,
}

/// A session of a tenant, as one that computes.
#[derive(Debug)]
pub(crate) struct Member {
    turns: Turns,
    tenant: u64,
    session: u64,
}

/// Invariant, whenever the lock is free: nobody is in a queue who could have a slot.
#[derive(Debug)]
struct State {
    slots: usize,
    express: usize,
    /// Slots in use: polled in, or granted.
    taken: usize,
    granted: Vec<Grant>,
    last_id: u64,
    tenants: Fair,
    of: BTreeMap<u64, Tenant>,
    names: HashMap<Arc<str>, u64>,
}

/// A slot that was granted and is not used yet.
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
    /// Slots that it has.
    taken: usize,
    account: Account,
    sessions: Fair,
    of: BTreeMap<u64, SessionQueue>,
}

#[derive(Debug, Default)]
struct SessionQueue {
    account: Account,
    /// Tickets, and who is woken for them.
    waiting: VecDeque<(u64, Waker)>,
}

/// What one has computed, on the clock of its peers.
#[derive(Debug, Default)]
struct Account {
    used: u64,
    /// The number of its last turn, which decides between equals.
    turn: u64,
    is_waiting: bool,
}

/// Peers that wait, least used first.
#[derive(Debug, Default)]
struct Fair {
    /// How much those that computed last had used. Whoever was idle starts from this number.
    clock: u64,
    turns: u64,
    order: BTreeSet<(u64, u64, u64)>,
}

impl Fair {
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

    /// It had a turn, and computed for `time`, in nanoseconds.
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

impl Turns {
    /// As many slots as there are processors.
    pub(crate) fn of_machine() -> Turns {
        Turns::new(std::thread::available_parallelism().map_or(1, usize::from), EXPRESS)
    }

    fn new(slots: usize, express: usize) -> Turns {
        let state = State {
            slots: slots.max(1),
            express,
            taken: 0,
            granted: Vec::new(),
            last_id: 0,
            tenants: Fair::default(),
            of: BTreeMap::new(),
            names: HashMap::new(),
        };
        Turns { state: Arc::new(Mutex::new(state)) }
    }

    /// Leave at least one of the executor's `workers` to what is no guest, the slots for short calls included. With one
    /// worker there is nothing to leave.
    pub(super) fn leave_one_of(&self, workers: usize) {
        if workers > 1 {
            let mut state = self.state();
            let most = workers - 1;
            state.slots = state.slots.min(most.saturating_sub(state.express).max(1));
            state.express = state.express.min(most - state.slots);
        }
    }

    /// One more session of a tenant.
    pub(crate) fn member(&self, tenant: &str) -> Arc<Member> {
        let mut state = self.state();
        let session = state.new_id();
        let tenant = match state.names.get(tenant) {
            Some(known) => *known,
            None => {
                let (id, name) = (state.new_id(), Arc::<str>::from(tenant));
                state.names.insert(name.clone(), id);
                let (account, sessions) = (Account::default(), Fair::default());
                let of = BTreeMap::new();
                state.of.insert(id, Tenant { name, taken: 0, account, sessions, of });
                id
            }
        };
        if let Some(known) = state.of.get_mut(&tenant) {
            known.of.insert(session, SessionQueue::default());
        }
        Arc::new(Member { turns: self.clone(), tenant, session })
    }

    /// Take back slots that nobody came for. Called at every tick.
    pub(super) fn tick(&self) {
        let mut woken = Vec::new();
        let mut state = self.state();
        while let Some(index) = state.granted.iter().position(|it| it.since.elapsed() >= LAPSE) {
            let lapsed = state.granted.swap_remove(index);
            // Others could not use it meanwhile.
            state.charge(lapsed.tenant, lapsed.session, lapsed.since.elapsed());
            woken.extend(state.release(lapsed.tenant));
        }
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    /// How many slots nobody has at the moment, those for short calls left out.
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
        let Some(of) = self.of.get_mut(&tenant) else { return };
        self.tenants.charge(&mut of.account, tenant, time);
        if let Some(queue) = of.of.get_mut(&session) {
            of.sessions.charge(&mut queue.account, session, time);
        }
    }

    fn wait(&mut self, member: &Member, ticket: u64, waker: &Waker) {
        let Some(of) = self.of.get_mut(&member.tenant) else { return };
        let Some(queue) = of.of.get_mut(&member.session) else { return };
        match queue.waiting.iter_mut().find(|(other, _)| *other == ticket) {
            Some((_, known)) => known.clone_from(waker),
            None => queue.waiting.push_back((ticket, waker.clone())),
        }
        of.sessions.wait(&mut queue.account, member.session);
        self.tenants.wait(&mut of.account, member.tenant);
    }

    fn leave(&mut self, member: &Member, ticket: u64) {
        let Some(of) = self.of.get_mut(&member.tenant) else { return };
        let Some(queue) = of.of.get_mut(&member.session) else { return };
        queue.waiting.retain(|(other, _)| *other != ticket);
        if queue.waiting.is_empty() {
            of.sessions.leave(&mut queue.account, member.session);
        }
        if of.sessions.order.is_empty() {
            self.tenants.leave(&mut of.account, member.tenant);
        }
    }

    fn is_waiting(&self, member: &Member, ticket: u64) -> bool {
        let queue = self.of.get(&member.tenant).and_then(|of| of.of.get(&member.session));
        queue.is_some_and(|queue| queue.waiting.iter().any(|(other, _)| *other == ticket))
    }

    /// Whether a tenant may have one more slot now.
    fn has_slot_for(&self, of: &Tenant) -> bool {
        let is_short = || of.taken == 0 && of.account.used <= self.tenants.clock + SHORT;
        self.taken < self.slots || self.taken < self.slots + self.express && is_short()
    }

    /// Take a slot for a tenant, if it may have one.
    fn take(&mut self, tenant: u64) -> bool {
        if !self.of.get(&tenant).is_some_and(|of| self.has_slot_for(of)) {
            return false;
        }
        self.taken += 1;
        if let Some(of) = self.of.get_mut(&tenant) {
            of.taken += 1;
        }
        true
    }

    /// A tenant gives a slot back. Those whom slots go to must be woken, outside of the lock.
    fn release(&mut self, tenant: u64) -> Vec<Waker> {
        self.taken -= 1;
        if let Some(of) = self.of.get_mut(&tenant) {
            of.taken -= 1;
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

    /// The tenant whose turn it is, of those that may have a slot.
    fn next(&self) -> Option<u64> {
        let mut waiting = self.tenants.order.iter().map(|(_, _, id)| *id);
        match self.taken < self.slots {
            true => waiting.next(),
            false if self.taken < self.slots + self.express => waiting
                .take_while(|id| {
                    self.of.get(id).is_some_and(|of| of.account.used <= self.tenants.clock + SHORT)
                })
                .find(|id| self.of.get(id).is_some_and(|of| self.has_slot_for(of))),
            false => None,
        }
    }

    fn grant(&mut self, tenant: u64) -> Option<Waker> {
        let of = self.of.get_mut(&tenant)?;
        let session = of.sessions.next()?;
        let queue = of.of.get_mut(&session)?;
        let (ticket, waker) = queue.waiting.pop_front()?;
        if queue.waiting.is_empty() {
            of.sessions.leave(&mut queue.account, session);
        }
        if of.sessions.order.is_empty() {
            self.tenants.leave(&mut of.account, tenant);
        }
        of.taken += 1;
        self.taken += 1;
        self.granted.push(Grant { ticket, tenant, session, since: Instant::now() });
        Some(waker)
    }

    /// Take the slot that was granted to the ticket.
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

impl Member {
    /// The number of the session, which no other one of the process has.
    pub(crate) fn session(&self) -> u64 {
        self.session
    }

    /// Whatever guests `future` runs compute for this session.
    pub(crate) async fn computing<F: Future>(self: &Arc<Member>, future: F) -> F::Output {
        MEMBER.scope(self.clone(), future).await
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        let Some(of) = state.of.get_mut(&self.tenant) else { return };
        of.of.remove(&self.session);
        if of.of.is_empty()
            && let Some(gone) = state.of.remove(&self.tenant)
        {
            state.names.remove(&gone.name);
        }
    }
}

/// Poll `future`, the work of a guest, in turns with the other guests. What belongs to no session is polled at once.
pub(super) async fn in_turn<F: Future>(mut future: Pin<&mut F>) -> F::Output {
    let mut ticket = MEMBER.try_with(Arc::clone).ok().map(Ticket::new);
    std::future::poll_fn(|cx| match &mut ticket {
        Some(ticket) if !INSIDE.get() => ticket.poll(cx, future.as_mut()),
        _ => future.as_mut().poll(cx),
    })
    .await
}

/// `future` as a task of its own may run it: for whom this task computes, it computes.
pub(crate) fn for_the_same<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let member = MEMBER.try_with(Arc::clone).ok();
    async move {
        match member {
            Some(member) => member.computing(future).await,
            None => future.await,
        }
    }
}

/// The place of one call in the queue.
struct Ticket {
    member: Arc<Member>,
    /// Set while it may be in the queue, or granted a slot.
    number: Option<u64>,
    echo: Option<Arc<Echo>>,
}

/// Hands on what wakes a guest, and remembers that it was woken: one that is woken while it is polled has only given way.
struct Echo {
    heard: AtomicBool,
    to: Mutex<Waker>,
}

impl Wake for Echo {
    fn wake(self: Arc<Echo>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Echo>) {
        self.heard.store(true, Ordering::Release);
        let to = lock(&self.to).clone();
        to.wake();
    }
}

impl Ticket {
    fn new(member: Arc<Member>) -> Ticket {
        Ticket { member, number: None, echo: None }
    }

    fn poll<F: Future>(&mut self, cx: &Context<'_>, future: Pin<&mut F>) -> Poll<F::Output> {
        if !self.is_granted(cx.waker()) {
            return Poll::Pending;
        }
        let turn = Turn::begin(&self.member);
        let echo = match &self.echo {
            Some(echo) => {
                lock(&echo.to).clone_from(cx.waker());
                echo.heard.store(false, Ordering::Release);
                echo
            }
            None => self.echo.insert(Arc::new(Echo {
                heard: AtomicBool::new(false),
                to: Mutex::new(cx.waker().clone()),
            })),
        };
        let waker = Waker::from(echo.clone());
        let polled = future.poll(&mut Context::from_waker(&waker));
        let wants_more = polled.is_pending() && echo.heard.load(Ordering::Acquire);
        // It queues before its slot is free, so that it is among those who are chosen from: on one thread nobody else could
        // ask meanwhile.
        self.number = turn.end(wants_more.then(|| cx.waker()));
        polled
    }

    /// Whether it has a slot now. Otherwise `waker` is called when it is granted one.
    fn is_granted(&mut self, waker: &Waker) -> bool {
        let mut state = self.member.turns.state();
        if let Some(number) = self.number {
            if state.take_grant(number) {
                self.number = None;
                return true;
            }
            if state.is_waiting(&self.member, number) {
                state.wait(&self.member, number, waker);
                return false;
            }
            // It was granted a slot, but came too late to use it.
            self.number = None;
        }
        if state.take(self.member.tenant) {
            return true;
        }
        let number = state.new_id();
        self.number = Some(number);
        state.wait(&self.member, number, waker);
        false
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut state = self.member.turns.state();
        let woken = match state.take_grant(number) {
            true => state.release(self.member.tenant),
            false => {
                state.leave(&self.member, number);
                Vec::new()
            }
        };
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }
}

/// A slot, while a guest is polled in it.
struct Turn<'m> {
    member: &'m Member,
    since: Instant,
    has_ended: bool,
}

impl Turn<'_> {
    fn begin(member: &Member) -> Turn<'_> {
        INSIDE.set(true);
        Turn { member, since: Instant::now(), has_ended: false }
    }

    /// Give the slot back. Who wants more is in the queue from now on, under the number that is given.
    fn end(mut self, wants_more: Option<&Waker>) -> Option<u64> {
        self.give_back(wants_more)
    }

    fn give_back(&mut self, wants_more: Option<&Waker>) -> Option<u64> {
        self.has_ended = true;
        INSIDE.set(false);
        let time = self.since.elapsed();
        let mut state = self.member.turns.state();
        state.charge(self.member.tenant, self.member.session, time);
        let number = wants_more.map(|waker| {
            let number = state.new_id();
            state.wait(self.member, number, waker);
            number
        });
        let woken = state.release(self.member.tenant);
        drop(state);
        woken.into_iter().for_each(Waker::wake);
        number
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // The guest's host panicked.
        if !self.has_ended {
            self.give_back(None);
        }
    }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
