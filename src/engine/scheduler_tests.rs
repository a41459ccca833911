use std::pin::pin;

use super::*;

/// Polls once.
fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Slot that is taken, as by a guest that is polled.
struct HeldSlot(Arc<SchedulerHandle>);

impl HeldSlot {
    fn new(handle: &Arc<SchedulerHandle>) -> HeldSlot {
        assert!(Ticket::new(handle.clone()).is_granted(Waker::noop()));
        HeldSlot(handle.clone())
    }
}

impl Drop for HeldSlot {
    fn drop(&mut self) {
        self.0.scheduler.state().release(self.0.tenant);
    }
}

/// Returns a ticket that waits, because all slots are taken.
fn waits(handle: &Arc<SchedulerHandle>) -> Ticket {
    let mut ticket = Ticket::new(handle.clone());
    assert!(!ticket.is_granted(Waker::noop()));
    ticket
}

/// Returns the index of the ticket that was granted the only slot.
fn granted(scheduler: &Scheduler, tickets: &[(&'static str, Ticket)]) -> usize {
    let state = scheduler.state();
    let has = |ticket: &Ticket| state.granted.iter().any(|it| Some(it.ticket) == ticket.number);
    let all: Vec<_> = (0..tickets.len()).filter(|index| has(&tickets[*index].1)).collect();
    assert_eq!(all.len(), 1, "{state:?}");
    all[0]
}

/// Makes the holder of the granted slot compute for `time`, and queue again.
fn compute(
    scheduler: &Scheduler,
    tickets: &mut [(&'static str, Ticket)],
    time: Duration,
) -> &'static str {
    let (name, ticket) = &mut tickets[granted(scheduler, tickets)];
    assert!(ticket.is_granted(Waker::noop()));
    let mut turn = Turn::begin(&ticket.handle);
    turn.since = Instant::now() - time;
    let number = turn.end(Some(Waker::noop()));
    ticket.number = number;
    name
}

const TICK: Duration = Duration::from_millis(10);

#[test]
fn another_tenant_is_next_however_many_of_one_are_busy() {
    let scheduler = Scheduler::new(1, 0);
    let (a, b) = (scheduler.register("a"), scheduler.register("b"));
    let turn = HeldSlot::new(&a);
    let mut tickets: Vec<_> = (0..16).map(|_| ("a", waits(&a))).collect();
    drop(turn);
    for _ in 0..100 {
        assert_eq!(compute(&scheduler, &mut tickets, TICK), "a");
    }
    // `b` arrives while one of the others computes.
    tickets.push(("b", waits(&b)));
    assert_eq!(compute(&scheduler, &mut tickets, TICK), "a");
    assert_eq!(compute(&scheduler, &mut tickets, Duration::from_micros(10)), "b");
    // It used next to nothing of its turn, and goes first again. Its turn must be longer than the other one's, or the time that
    // the test itself takes would decide which one is next.
    assert_eq!(compute(&scheduler, &mut tickets, 2 * TICK), "b");
    assert_eq!(compute(&scheduler, &mut tickets, TICK), "a");
    // When it stays busy, it gets half of the time.
    let order: Vec<_> = (0..40).map(|_| compute(&scheduler, &mut tickets, TICK)).collect();
    let of_b = order.iter().filter(|name| **name == "b").count();
    assert!((19..=21).contains(&of_b), "{order:?}");
}

#[test]
fn who_was_idle_has_saved_nothing() {
    let scheduler = Scheduler::new(1, 0);
    let (a, b) = (scheduler.register("a"), scheduler.register("b"));
    let turn = HeldSlot::new(&a);
    let mut tickets = vec![("a", waits(&a)), ("a", waits(&a))];
    drop(turn);
    for _ in 0..1_000 {
        compute(&scheduler, &mut tickets, TICK);
    }
    tickets.push(("b", waits(&b)));
    tickets.push(("b", waits(&b)));
    let order: Vec<_> = (0..20).map(|_| compute(&scheduler, &mut tickets, TICK)).collect();
    let of_b = order.iter().filter(|name| **name == "b").count();
    assert!((9..=11).contains(&of_b), "{order:?}");
}

#[test]
fn long_turns_are_paid_for() {
    let scheduler = Scheduler::new(1, 0);
    let (a, b) = (scheduler.register("a"), scheduler.register("b"));
    let turn = HeldSlot::new(&a);
    let mut tickets = vec![("a", waits(&a)), ("b", waits(&b))];
    drop(turn);
    let mut time = BTreeMap::<_, Duration>::new();
    for _ in 0..400 {
        let is_a = tickets[granted(&scheduler, &tickets)].0 == "a";
        // Host functions do not yield, so a turn may be ten times as long.
        let long = if is_a { TICK * 10 } else { TICK };
        *time.entry(compute(&scheduler, &mut tickets, long)).or_default() += long;
    }
    assert!(time["a"].abs_diff(time["b"]) <= TICK * 20, "{time:?}");
}

#[test]
fn sessions_of_a_tenant_take_turns_too() {
    let scheduler = Scheduler::new(1, 0);
    let (one, two) = (scheduler.register("a"), scheduler.register("a"));
    let turn = HeldSlot::new(&one);
    let mut tickets: Vec<_> = (0..15).map(|_| ("one", waits(&one))).collect();
    tickets.push(("two", waits(&two)));
    drop(turn);
    let order: Vec<_> = (0..40).map(|_| compute(&scheduler, &mut tickets, TICK)).collect();
    let of_two = order.iter().filter(|name| **name == "two").count();
    assert!((19..=21).contains(&of_two), "{order:?}");
}

#[test]
fn who_gives_up_leaves_nothing_and_loses_no_slot() {
    let scheduler = Scheduler::new(1, 0);
    let (a, b) = (scheduler.register("a"), scheduler.register("b"));
    let turn = HeldSlot::new(&a);
    let (waiting, other) = (waits(&a), waits(&b));
    drop(waiting);
    drop(turn);
    assert_eq!(scheduler.state().granted.len(), 1);
    // Granted, but not used yet.
    drop(other);
    let state = scheduler.state();
    assert_eq!((state.taken, state.granted.len()), (0, 0));
    assert!(state.tenants.order.is_empty());
    drop(state);
    drop((a, b));
    let state = scheduler.state();
    assert!(state.by_id.is_empty() && state.names.is_empty());
}

#[test]
fn a_slot_that_nobody_comes_for_goes_on() {
    let scheduler = Scheduler::new(1, 0);
    let (a, b) = (scheduler.register("a"), scheduler.register("b"));
    let turn = HeldSlot::new(&a);
    let mut absent = waits(&a);
    let present = waits(&b);
    drop(turn);
    scheduler.tick();
    let since = |scheduler: &Scheduler| scheduler.state().granted[0].ticket;
    assert_eq!(Some(since(&scheduler)), absent.number.min(present.number));
    std::thread::sleep(GRANT_TIMEOUT * 2);
    scheduler.tick();
    assert_eq!(Some(since(&scheduler)), absent.number.max(present.number));
    drop(present);
    // It may come back.
    assert!(absent.is_granted(Waker::noop()));
    scheduler.state().release(a.tenant);
    drop(absent);
    assert_eq!(scheduler.state().taken, 0);
}

#[test]
fn what_runs_inside_a_turn_needs_none() {
    let scheduler = Scheduler::new(1, 0);
    let handle = scheduler.register("a");
    let other = scheduler.register("b");
    let nested = pin!(async { 7 });
    let inside = pin!(async {
        assert_eq!(scheduler.state().taken, 1);
        other.run(in_turn(nested)).await
    });
    let mut outer = pin!(handle.run(in_turn(inside)));
    assert_eq!(poll(outer.as_mut()), Poll::Ready(7));
    assert_eq!(scheduler.state().taken, 0);
    assert!(!INSIDE.get());
}

#[test]
fn a_guest_that_waits_holds_no_slot_and_neither_does_one_that_panics() {
    let scheduler = Scheduler::new(1, 0);
    let handle = scheduler.register("a");
    let mut waiting =
        Box::pin(handle.run(async { in_turn(pin!(std::future::pending::<()>())).await }));
    assert!(poll(waiting.as_mut()).is_pending());
    assert_eq!(scheduler.state().taken, 0);
    let mut panics =
        Box::pin(handle.run(async { in_turn(pin!(async { panic!("on purpose") })).await }));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| poll(panics.as_mut())));
    assert!(caught.is_err());
    assert_eq!(scheduler.state().taken, 0);
    assert!(!INSIDE.get());
}

/// A tenant without a slot need not wait for a tick, as long as it computes little.
#[test]
fn short_calls_of_others_begin_at_once() {
    let scheduler = Scheduler::new(2, 1);
    let (a, b, c) = (scheduler.register("a"), scheduler.register("b"), scheduler.register("c"));
    let busy = [HeldSlot::new(&a), HeldSlot::new(&a)];
    let waiting = waits(&a);
    for _ in 0..100 {
        let mut ticket = Ticket::new(b.clone());
        assert!(ticket.is_granted(Waker::noop()));
        let mut turn = Turn::begin(&b);
        turn.since = Instant::now() - Duration::from_micros(50);
        assert_eq!(turn.end(None), None);
    }
    // One express slot in all, and one per tenant.
    let short = HeldSlot::new(&b);
    drop((waits(&b), waits(&c)));
    drop(short);
    // A tenant that computes for longer than a tick has used up its advantage.
    let mut ticket = Ticket::new(b.clone());
    assert!(ticket.is_granted(Waker::noop()));
    let mut turn = Turn::begin(&b);
    turn.since = Instant::now() - TICK * 3;
    ticket.number = turn.end(Some(Waker::noop()));
    assert!(!ticket.is_granted(Waker::noop()));
    // Another tenant is not delayed by it.
    drop(HeldSlot::new(&c));
    drop(busy);
    drop((waiting, ticket));
    assert_eq!(scheduler.state().taken, 0);
    assert!(scheduler.state().by_id.values().all(|entry| entry.taken == 0));
}

/// With one thread no other guest can queue while a guest is polled.
#[tokio::test]
async fn on_one_thread_tenants_take_turns_too() {
    let scheduler = Scheduler::new(1, 0);
    let order = Arc::new(Mutex::new(Vec::new()));
    let start = |tenant: &'static str, steps: u32| {
        let (handle, order) = (scheduler.register(tenant), order.clone());
        tokio::spawn(async move {
            let mut left = steps;
            let work = pin!(std::future::poll_fn(|cx| {
                order.lock().unwrap().push(tenant);
                let begun = Instant::now();
                while begun.elapsed() < Duration::from_millis(1) {}
                left -= 1;
                if left == 0 {
                    return Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                Poll::Pending
            }));
            handle.run(in_turn(work)).await;
        })
    };
    let busy: Vec<_> = (0..16).map(|_| start("a", 20)).collect();
    tokio::task::yield_now().await;
    start("b", 20).await.unwrap();
    let order = std::mem::take(&mut *order.lock().unwrap());
    // It gets half of the steps, not one in seventeen.
    assert!(order.len() < 100, "{}", order.len());
    for task in busy {
        task.await.unwrap();
    }
}

#[test]
fn a_worker_is_left_to_others() {
    let scheduler = Scheduler::new(8, 0);
    scheduler.leave_one_of(1);
    assert_eq!(scheduler.state().slots, 8);
    scheduler.leave_one_of(4);
    assert_eq!(scheduler.state().slots, 3);
    scheduler.leave_one_of(100);
    assert_eq!(scheduler.state().slots, 3);
    // The slots for short calls take workers as well.
    for (workers, expected) in
        [(1, (8, 1)), (2, (1, 0)), (3, (1, 1)), (4, (2, 1)), (9, (7, 1)), (10, (8, 1))]
    {
        let scheduler = Scheduler::new(8, 1);
        scheduler.leave_one_of(workers);
        // A second call, as by another server over the same engine, changes nothing.
        scheduler.leave_one_of(workers);
        let state = scheduler.state();
        assert_eq!((state.slots, state.express), expected, "{workers} workers");
        assert!(workers == 1 || state.slots + state.express < workers);
    }
}

/// Tasks of several tenants on several threads, some of which give up: the slots are never exceeded, and all tasks end.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_is_forgotten_under_real_concurrency() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let scheduler = Scheduler::new(2, 0);
    let at_once = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..48)
        .map(|number| {
            let handle = scheduler.register(["a", "b", "c"][number % 3]);
            let at_once = at_once.clone();
            tokio::spawn(async move {
                for round in 0..20 {
                    let mut steps = 0;
                    let work = pin!(std::future::poll_fn(|cx| {
                        assert!(at_once.fetch_add(1, Ordering::SeqCst) < 2);
                        std::thread::sleep(Duration::from_micros(20));
                        at_once.fetch_sub(1, Ordering::SeqCst);
                        steps += 1;
                        cx.waker().wake_by_ref();
                        if steps > 3 { Poll::Ready(()) } else { Poll::Pending }
                    }));
                    let work = handle.run(in_turn(work));
                    match (number + round) % 5 {
                        0 => drop(tokio::time::timeout(Duration::from_micros(100), work).await),
                        _ => work.await,
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        tokio::time::timeout(Duration::from_secs(60), task).await.expect("forgotten").unwrap();
    }
    let state = scheduler.state();
    assert_eq!((state.taken, state.granted.len()), (0, 0));
    assert!(state.tenants.order.is_empty() && state.by_id.is_empty());
}

#[tokio::test]
async fn tasks_of_a_session_compute_for_it_and_free_slots_are_counted() {
    let scheduler = Scheduler::new(2, 1);
    let handle = scheduler.register("a");
    assert_eq!(scheduler.free(), 2);
    let slot = HeldSlot::new(&handle);
    assert_eq!(scheduler.free(), 1);
    drop(slot);
    let session = || CURRENT.try_with(|it| it.session()).ok();
    let spawned = handle.run(async { tokio::spawn(for_the_same(async move { session() })).await });
    assert_eq!(spawned.await.unwrap(), Some(handle.session()));
    assert_eq!(tokio::spawn(for_the_same(async move { session() })).await.unwrap(), None);
}
