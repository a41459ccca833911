use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

const HOUR: Duration = Duration::from_secs(3_600);

fn admission(total: u64, per_tenant: u64, queue: u64, wait: Duration) -> Admission {
    Admission::new("calls", ConcurrencyLimits { total, per_tenant, queue, wait })
}

/// Starts a call of one second that records its tenant when it gets its place.
fn start(
    admission: &Admission,
    tenant: &'static str,
    order: &Arc<Mutex<Vec<&'static str>>>,
) -> tokio::task::JoinHandle<Result<()>> {
    let (admission, order) = (admission.clone(), order.clone());
    tokio::spawn(async move {
        let permit = admission.acquire(tenant).await?;
        order.lock().unwrap().push(tenant);
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(permit);
        Ok(())
    })
}

/// Lets every task run as far as it can without time passing.
async fn settle() {
    for _ in 0..2_000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_waiting_calls_delay_another_tenant_by_one_place() {
    let admission = admission(1, 1, 1_000, HOUR);
    let order = Arc::default();
    let many: Vec<_> = (0..1_001).map(|_| start(&admission, "a", &order)).collect();
    settle().await;
    assert_eq!(admission.counts(), (1, 1_000));
    let one = start(&admission, "b", &order);
    settle().await;
    let before = Instant::now();
    one.await.unwrap().unwrap();
    // The rest of the running call, at most one more call of the other tenant, and its own second.
    assert!(before.elapsed() <= Duration::from_secs(3), "{:?}", before.elapsed());
    assert!(order.lock().unwrap().iter().take(3).any(|tenant| *tenant == "b"));
    for task in many {
        task.await.unwrap().unwrap();
    }
    assert_eq!(admission.counts(), (0, 0));
    assert!(admission.state().tenants.is_empty() && admission.state().turns.is_empty());
}

#[tokio::test(start_paused = true)]
async fn places_go_round() {
    let admission = admission(1, 1, 10, HOUR);
    let order = Arc::default();
    let mut tasks = Vec::new();
    for tenant in ["a", "a", "a", "b", "b", "c"] {
        tasks.push(start(&admission, tenant, &order));
        settle().await;
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(*order.lock().unwrap(), ["a", "b", "c", "a", "b", "a"]);
}

#[tokio::test(start_paused = true)]
async fn a_tenant_keeps_within_its_own_bound_while_others_go_on() {
    let admission = admission(3, 2, 10, HOUR);
    let order = Arc::default();
    let tasks: Vec<_> =
        ["a", "a", "a", "a", "b"].map(|tenant| start(&admission, tenant, &order)).into();
    settle().await;
    assert_eq!(*order.lock().unwrap(), ["a", "a", "b"]);
    assert_eq!(admission.counts(), (3, 2));
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(*order.lock().unwrap(), ["a", "a", "b", "a", "a"]);
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_is_busy_at_once_and_a_long_wait_later() {
    let admission = admission(1, 1, 2, Duration::from_secs(10));
    let running = admission.acquire("a").await.unwrap();
    let waits = [admission.clone(), admission.clone()]
        .map(|admission| tokio::spawn(async move { admission.acquire("a").await.map(drop) }));
    settle().await;
    let before = Instant::now();
    let error = admission.acquire("a").await.unwrap_err();
    assert_eq!(before.elapsed(), Duration::ZERO);
    insta::assert_snapshot!(error.render(), @"
    too many calls: 2 of tenant `a` are waiting, which is the most
    hint: retry after 200 ms
    ");
    assert_eq!(error.kind().name(), "busy");
    assert!(error.is_retryable());
    for wait in waits {
        let error = wait.await.unwrap().unwrap_err();
        assert_eq!(before.elapsed(), Duration::from_secs(10));
        assert!(error.to_string().contains("no place became free within 10000 ms"), "{error}");
        assert!(matches!(error.kind(), ErrorKind::Busy { .. }));
    }
    assert_eq!(admission.counts(), (1, 0));
    drop(running);
    assert_eq!(admission.counts(), (0, 0));
    assert!(admission.acquire("a").await.is_ok());
}

fn retry_after(error: &Error) -> Duration {
    match error.kind() {
        ErrorKind::Busy { retry_after } => *retry_after,
        other => panic!("{other:?}"),
    }
}

/// A first call during which a component was compiled for twelve seconds, and then a thousand at once that take a millisecond
/// each.
#[tokio::test(start_paused = true)]
async fn who_is_refused_is_told_the_rate_of_the_queue_and_not_what_compiling_took() {
    let admission = admission(16, 16, 256, HOUR);
    let mut first = admission.acquire("a").await.unwrap();
    tokio::time::sleep(Duration::from_secs(12)).await;
    first.set_run_time(Duration::from_millis(1));
    drop(first);
    let calls: Vec<_> = (0..1_000)
        .map(|_| {
            let admission = admission.clone();
            tokio::spawn(async move {
                let permit = admission.acquire("a").await?;
                tokio::time::sleep(Duration::from_millis(1)).await;
                drop(permit);
                Ok(())
            })
        })
        .collect();
    let mut refused = 0;
    for call in calls {
        if let Err(error) = call.await.unwrap() {
            refused += 1;
            assert_eq!(retry_after(&error), RETRY_AFTER[0], "16 rounds of a millisecond");
        }
    }
    assert_eq!(refused, 1_000 - 272);
}

/// The advised delay grows while running calls do not end, however short earlier calls were.
#[tokio::test(start_paused = true)]
async fn a_queue_that_moves_slowly_says_so() {
    let admission = admission(1, 1, 3, HOUR);
    for _ in 0..100 {
        let mut permit = admission.acquire("a").await.unwrap();
        permit.set_run_time(Duration::from_millis(1));
    }
    let running = admission.acquire("a").await.unwrap();
    let (order, mut waits) = (Arc::default(), Vec::new());
    for _ in 0..3 {
        waits.push(start(&admission, "a", &order));
    }
    settle().await;
    assert_eq!(retry_after(&admission.acquire("a").await.unwrap_err()), RETRY_AFTER[0]);
    tokio::time::sleep(Duration::from_secs(20)).await;
    let stuck = retry_after(&admission.acquire("a").await.unwrap_err());
    assert_eq!(stuck, Duration::from_secs(20));
    drop(running);
    settle().await;
    waits.push(start(&admission, "a", &order));
    settle().await;
    // One call ended in twenty seconds, three wait.
    let slow = retry_after(&admission.acquire("a").await.unwrap_err());
    assert_eq!(slow, Duration::from_secs(60));
    for wait in waits {
        wait.await.unwrap().unwrap();
    }
    // No call waits any more, so the next queue begins anew.
    let running = admission.acquire("a").await.unwrap();
    assert!(admission.state().tenants["a"].pace.is_none());
    drop(running);
}

#[tokio::test(start_paused = true)]
async fn a_host_can_let_all_of_them_wait() {
    let admission = Admission::new("calls", ConcurrencyLimits::patient());
    let order = Arc::default();
    let calls: Vec<_> = (0..1_000).map(|_| start(&admission, "a", &order)).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(order.lock().unwrap().len(), 1_000);
}

#[tokio::test(start_paused = true)]
async fn a_refused_tenant_leaves_nothing() {
    let admission = admission(1, 1, 0, HOUR);
    let running = admission.acquire("a").await.unwrap();
    for number in 0..100 {
        assert!(admission.acquire(&format!("t{number}")).await.is_err());
    }
    assert_eq!(admission.state().tenants.len(), 1);
    drop(running);
    assert!(admission.state().tenants.is_empty());
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_frees_the_place() {
    let admission = admission(1, 1, 10, HOUR);
    let order = Arc::default();
    // A running and a waiting call are cancelled; the third one gets the place.
    let tasks = ["a", "a", "b"].map(|tenant| start(&admission, tenant, &order));
    settle().await;
    tasks[1].abort();
    settle().await;
    assert_eq!(admission.counts(), (1, 1));
    tasks[0].abort();
    settle().await;
    assert_eq!(admission.counts(), (1, 0));
    let [_, _, third] = tasks;
    third.await.unwrap().unwrap();
    assert_eq!(*order.lock().unwrap(), ["a", "b"]);
    assert_eq!(admission.counts(), (0, 0));
    // Leaving and rejoining the queue does not give a tenant more turns.
    let running = admission.acquire("a").await.unwrap();
    for _ in 0..100 {
        let wait = start(&admission, "b", &order);
        settle().await;
        wait.abort();
        settle().await;
    }
    assert!(admission.state().turns.len() <= 1);
    drop(running);
    assert!(admission.state().tenants.is_empty() && admission.state().turns.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_place_that_is_granted_while_its_call_is_cancelled_is_not_lost() {
    let admission = admission(1, 1, 10, HOUR);
    let running = admission.acquire("a").await.unwrap();
    let (permit, granted) = admission.request("b", NO_SESSION).unwrap();
    drop(running);
    assert_eq!(admission.counts(), (1, 0), "granted, and nobody has noticed yet");
    drop((permit, granted));
    assert_eq!(admission.counts(), (0, 0));
}

/// 32 tasks of 4 tenants on two threads, some of which give up: the limits are never exceeded, and no state is left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bounds_hold_under_real_concurrency() {
    const TENANTS: [&str; 4] = ["a", "b", "c", "d"];
    let admission = admission(5, 2, 1_000, HOUR);
    let counters: Arc<[AtomicU64; 5]> = Arc::default();
    let done: Arc<[AtomicU64; 4]> = Arc::default();
    let tasks: Vec<_> = (0..32)
        .map(|task| {
            let (admission, counters, done) = (admission.clone(), counters.clone(), done.clone());
            tokio::spawn(async move {
                let tenant = task % 4;
                for round in 0..50 {
                    let wait = Duration::from_micros(round % 7 * 20);
                    let acquire = admission.acquire(TENANTS[tenant]);
                    let permit = match round % 5 {
                        0 => match tokio::time::timeout(wait, acquire).await {
                            Ok(permit) => permit,
                            Err(_) => continue,
                        },
                        _ => acquire.await,
                    };
                    let permit = permit.unwrap();
                    assert!(counters[4].fetch_add(1, Ordering::SeqCst) < 5);
                    assert!(counters[tenant].fetch_add(1, Ordering::SeqCst) < 2);
                    tokio::task::yield_now().await;
                    counters[tenant].fetch_sub(1, Ordering::SeqCst);
                    counters[4].fetch_sub(1, Ordering::SeqCst);
                    done[tenant].fetch_add(1, Ordering::SeqCst);
                    drop(permit);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    for done in done.iter() {
        assert!(done.load(Ordering::SeqCst) >= 8 * 40);
    }
    assert_eq!(admission.counts(), (0, 0));
    assert!(admission.state().tenants.is_empty() && admission.state().turns.is_empty());
}

/// A blocked thread takes its turn among the tasks, and returns its place as they do.
#[test]
fn a_thread_can_wait_for_a_place() {
    let admission = admission(1, 1, 10, HOUR);
    let running = admission.acquire_blocking("a").unwrap();
    let threads = [(); 4].map(|()| {
        let admission = admission.clone();
        std::thread::spawn(move || admission.acquire_blocking("b").map(drop))
    });
    while admission.counts() != (1, 4) {
        std::thread::yield_now();
    }
    drop(running);
    for thread in threads {
        thread.join().unwrap().unwrap();
    }
    assert_eq!(admission.counts(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn many_calls_of_a_session_delay_those_of_another_of_the_same_tenant_by_one_place() {
    let admission = admission(64, 2, 1_000, HOUR);
    let order = Arc::<Mutex<Vec<u64>>>::default();
    let start = |session: u64| {
        let (admission, order) = (admission.clone(), order.clone());
        tokio::spawn(async move {
            let permit = admission.acquire_for("a", session).await.unwrap();
            order.lock().unwrap().push(session);
            tokio::time::sleep(Duration::from_secs(1)).await;
            drop(permit);
        })
    };
    let plan: Vec<_> = (0..50).map(|_| start(7)).collect();
    settle().await;
    assert_eq!(admission.counts(), (2, 48));
    let questions = [start(8), start(8), start(9)];
    settle().await;
    for task in plan.into_iter().chain(questions) {
        task.await.unwrap();
    }
    // The two that ran, then one of each session, and so on.
    assert_eq!(order.lock().unwrap()[..7], [7, 7, 8, 9, 7, 8, 7]);
    assert_eq!(admission.counts(), (0, 0));
    assert!(admission.state().tenants.is_empty() && admission.state().turns.is_empty());
}
