use futures_util::stream;
use http_body_util::StreamBody;
use tokio::time::sleep;

use super::*;
use mitt_base::limits::{KIB, MIB};

/// Returns a body of `count` pieces, each sent after a pause.
fn pieces(
    count: usize,
    size: usize,
    every: Duration,
) -> impl Body<Data = Bytes, Error = Infallible> + Unpin {
    let frames = stream::unfold(0, move |sent| async move {
        if sent == count {
            return None;
        }
        sleep(every).await;
        Some((Ok(Frame::data(Bytes::from(vec![b' '; size]))), sent + 1))
    });
    StreamBody::new(Box::pin(frames))
}

fn limits() -> HttpLimits {
    HttpLimits::default()
}

const NOW: Duration = Duration::ZERO;

#[tokio::test(start_paused = true)]
async fn who_sends_nothing_is_given_up_after_the_grace_and_costs_nothing_until_then() {
    let bodies = Bodies::new(&limits());
    let account = bodies.account();
    let begun = Instant::now();
    let read = bodies.read(&account, pieces(1, 1, Duration::from_secs(3_600))).await;
    assert_eq!(read.unwrap_err(), BodyError::TooSlow);
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    assert_eq!(*bodies.pool.used.lock().unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_least_rate_holds_and_the_whole_time_too() {
    let bodies = Bodies::new(&limits());
    let account = bodies.account();
    let every = Duration::from_secs(1);
    // 12 KiB a second are too slow once the grace period is over.
    let begun = Instant::now();
    let read = bodies.read(&account, pieces(60, 12 * 1024, every)).await;
    assert_eq!(read.unwrap_err(), BodyError::TooSlow);
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
    let read = bodies.read(&account, pieces(25, 16 * 1024, every)).await;
    assert_eq!(read.unwrap().bytes.len(), 25 * 16 * 1024);
    // Single bytes are too slow, however often one comes.
    let read = bodies.read(&account, pieces(1_000_000, 1, Duration::from_millis(10))).await;
    assert_eq!(read.unwrap_err(), BodyError::TooSlow);
    let begun = Instant::now();
    let read = bodies.read(&account, pieces(100, 32 * 1024, every)).await;
    assert_eq!(read.unwrap_err(), BodyError::TooSlow);
    assert_eq!(begun.elapsed(), Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn large_bodies_of_a_client_wait_for_each_other_and_for_nobody_else() {
    let bodies = Bodies::new(&limits());
    let (one, other) = (bodies.account(), bodies.account());
    let size = 4 * MIB as usize;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(bodies.read(&one, pieces(1, size, NOW)).await.unwrap());
    }
    let begun = Instant::now();
    let fifth = bodies.read(&one, pieces(1, size, NOW)).await;
    assert_eq!(fifth.unwrap_err(), BodyError::ClientBusy);
    assert_eq!(begun.elapsed(), Duration::from_secs(30));
    let begun = Instant::now();
    // A small body of the same client, and a large one of another.
    bodies.read(&one, pieces(1, 1_000, NOW)).await.unwrap();
    held.push(bodies.read(&other, pieces(1, size, NOW)).await.unwrap());
    assert!(begun.elapsed() < Duration::from_secs(1));
    // As soon as one is handled, the next one is read.
    held.remove(0);
    bodies.read(&one, pieces(1, size, NOW)).await.unwrap();
    drop(held);
    assert_eq!(*bodies.pool.used.lock().unwrap(), 0);
    assert_eq!(*one.held.lock().unwrap(), 0);
    assert_eq!(one.pieces.available_permits() as u64, 16 * MIB / PIECE_BYTES);
}

/// Announced bytes cost nothing. Received ones are charged to their client, and those beyond the limit are refused.
#[tokio::test(start_paused = true)]
async fn greedy_clients_leave_room_for_another() {
    let bodies = Bodies::new(&limits());
    let size = 4 * MIB as usize;
    let mut held = Vec::new();
    for _ in 0..4 {
        let account = bodies.account();
        for _ in 0..4 {
            let reading = timeout(NOW, bodies.read(&account, pieces(1, size, NOW)));
            held.extend(reading.await.into_iter().flatten());
        }
    }
    let used = *bodies.pool.used.lock().unwrap();
    // Without the reserve they would have all of it.
    assert!((48 * MIB..64 * MIB).contains(&used), "{used}");
    bodies.read(&bodies.account(), pieces(1, size, NOW)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn sizes_are_bounded_whatever_is_said() {
    let bodies = Bodies::new(&HttpLimits { body_bytes: 10 * KIB, ..limits() });
    let account = bodies.account();
    let read = bodies.read(&account, pieces(11, 1024, NOW)).await;
    assert_eq!(read.unwrap_err(), BodyError::TooLarge);
    bodies.read(&account, pieces(10, 1024, NOW)).await.unwrap();
    let read = bodies.read(&account, Full::new(Bytes::from(vec![0; 10_241]))).await;
    assert_eq!(read.unwrap_err(), BodyError::TooLarge);
    // Many small pieces share one buffer.
    let read = bodies.read(&account, pieces(10_240, 1, NOW)).await.unwrap();
    assert_eq!(read.bytes.len(), 10_240);
}
