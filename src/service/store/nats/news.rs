//! Which streams of runs other processes appended to: by a note, and by looking, as a note may be lost.
//!
//! Runs that wait and runs that were deleted are in the index.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::super::watchers::Watchers;
use super::super::{RunKey, StoreError, Stream};
use super::connection::{Connection, Failure};
use super::shared::Shared;
use super::streams::Streams;

/// Time between two looks at watched streams. A lost note delays a watcher by this.
const LOOK: Duration = Duration::from_secs(2);

/// Streams that are looked at at the same time.
const AT_ONCE: usize = 16;

/// Wait before notes are subscribed to again.
const WAIT: Duration = Duration::from_secs(1);

/// What a note says.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Note {
    tenant: String,
    id: String,
    /// 1 for events, 2 for the inbox.
    stream: u8,
    last: u64,
}

fn subject(connection: &Connection) -> String {
    format!("{}.n", connection.name)
}

/// Reports the last record of a stream to other processes.
pub(super) async fn appended(shared: &Shared, run: &RunKey, of: Stream, last: u64) {
    shared.watchers.appended(run, of, last);
    let stream = match of {
        // Only the owner of a run reads its log while it grows.
        Stream::Log => return,
        Stream::Events => 1,
        Stream::Inbox => 2,
    };
    let note = Note { tenant: run.tenant.clone(), id: run.id.clone(), stream, last };
    if let Ok(note) = serde_json::to_vec(&note) {
        let (client, subject) = (shared.connection.client(), subject(&shared.connection));
        // The others look by themselves.
        let _ = client.publish(subject, Bytes::from(note)).await;
    }
}

/// Starts what listens and looks.
pub(super) fn start(shared: &Shared, streams: &Arc<Streams>, tasks: &mut JoinSet<()>) {
    let (connection, watchers) = (shared.connection.clone(), shared.watchers.clone());
    tasks.spawn(async move {
        loop {
            // A subscription outlives the connection.
            if let Ok(mut notes) = connection.client().subscribe(subject(&connection)).await {
                while let Some(note) = notes.next().await {
                    heard(&watchers, &note.payload);
                }
            }
            sleep(WAIT).await;
        }
    });
    let (shared, streams) = (shared.clone(), streams.clone());
    tasks.spawn(async move {
        loop {
            sleep(LOOK).await;
            look(&shared, &streams).await;
        }
    });
}

fn heard(watchers: &Watchers, note: &[u8]) {
    // One that cannot be read is of a later version.
    let Ok(Note { tenant, id, stream, last }) = serde_json::from_slice(note) else { return };
    let stream = match stream {
        1 => Stream::Events,
        2 => Stream::Inbox,
        _ => return,
    };
    watchers.appended(&RunKey { tenant, id }, stream, last);
}

/// Looks at the streams that are watched in this process.
async fn look(shared: &Shared, streams: &Streams) {
    let watched = stream::iter(shared.watchers.watched());
    let looked = watched.map(|(run, of)| async move {
        let last = streams.last(shared, &run, of).await;
        (run, of, last)
    });
    let mut looked = std::pin::pin!(looked.buffer_unordered(AT_ONCE));
    while let Some((run, of, last)) = looked.next().await {
        match last {
            Ok(last) => shared.watchers.appended(&run, of, last),
            Err(Failure::Store(StoreError::Missing)) => shared.watchers.deleted(&run),
            // The next look may succeed.
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn notes_are_read_as_they_were_written() {
        let note = Note { tenant: "月 a".to_owned(), id: "run_1".to_owned(), stream: 2, last: 17 };
        let text = serde_json::to_vec(&note).unwrap();
        assert_eq!(serde_json::from_slice::<Note>(&text).unwrap(), note);
        for wrong in [&b""[..], b"{}", b"{\"tenant\":1}", b"\xff"] {
            heard(&Watchers::default(), wrong);
        }
    }
}
