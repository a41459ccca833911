//! The consumer that feeds the index: a pull consumer with the headers of all entries, made again after each loss.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::{HeaderMap, StatusCode};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::super::new_id;
use super::super::watchers::Watchers;
use super::clock::Clock;
use super::connection::{Connection, Place, Tried, Trouble};
use super::entries::{self, ENTRY, Entry as _, GONE};
use super::entries::{
    DocumentEntry, FileEntry, GarbageEntry, KeyEntry, OwnerEntry, PartialEntry, RunEntry,
};
use super::setup;
use super::view::View;
use mitt_base::lock;

/// Most messages that one request for more returns.
const BATCH: u64 = 1000;

/// Life of a request for more.
const EXPIRES: Duration = Duration::from_secs(30);

/// Time between two signs of life of the server while nothing arrives.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Time after which the server deletes a consumer that nobody asks.
const INACTIVE: Duration = Duration::from_secs(120);

/// First and longest wait before the consumer is made again.
const WAIT: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Longest wait for the index to catch up.
const CATCH_UP: Duration = Duration::from_secs(5);

/// The index, and how far it has come.
pub(super) struct Index {
    connection: Connection,
    pub(super) clock: Clock,
    view: Mutex<View>,
    watchers: Arc<Watchers>,
    /// Sequence up to which the index has everything.
    reached: watch::Sender<u64>,
    /// Changes when a run may wait for a worker.
    pub(super) work: watch::Sender<()>,
}

impl Index {
    pub(super) fn new(connection: Connection, clock: Clock, watchers: Arc<Watchers>) -> Index {
        Index {
            connection,
            clock,
            view: Mutex::default(),
            watchers,
            reached: watch::Sender::new(0),
            work: watch::Sender::new(()),
        }
    }

    /// Starts what feeds the index.
    pub(super) fn start(self: &Arc<Index>, tasks: &mut JoinSet<()>) {
        let index = self.clone();
        tasks.spawn(async move {
            let mut wait = WAIT.0;
            loop {
                let before = *index.reached.borrow();
                if let Err(error) = index.feed().await {
                    tracing::debug!(servers = %index.connection.address(), ?error, "no consumer");
                }
                wait =
                    if *index.reached.borrow() > before { WAIT.0 } else { (wait * 2).min(WAIT.1) };
                sleep(wait).await;
            }
        });
    }

    /// Returns what `look` finds in the index as it is.
    pub(super) fn look<T>(&self, look: impl FnOnce(&View) -> T) -> T {
        look(&lock(&self.view))
    }

    /// Waits until the index has all that was stored before this call.
    pub(super) async fn catch_up(&self) -> Tried<()> {
        let info = self.connection.info(Place::Entries).await?;
        let info = info.ok_or_else(setup::no_stream)?;
        self.clock.note(&info);
        let last = info["state"]["last_seq"].as_u64().unwrap_or_default();
        let mut reached = self.reached.subscribe();
        match timeout(CATCH_UP, reached.wait_for(|reached| *reached >= last)).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(Trouble::passing("the index does not catch up").into()),
        }
    }

    /// Waits until the index has caught up for the first time. A large one may take longer than any change.
    pub(super) async fn begin(&self) -> Tried<()> {
        loop {
            let before = *self.reached.borrow();
            match self.catch_up().await {
                Err(_) if *self.reached.borrow() > before => {}
                result => return result,
            }
        }
    }

    /// Feeds the index until the connection or the consumer is lost.
    async fn feed(&self) -> Tried<()> {
        let connection = &self.connection;
        let mut events = connection.events();
        let info = connection.info(Place::Entries).await?;
        let info = info.ok_or_else(setup::no_stream)?;
        let last = info["state"]["last_seq"].as_u64().unwrap_or_default();
        if last < *self.reached.borrow() {
            // It was made again or restored from a backup.
            tracing::warn!(servers = %connection.address(), "the stream of entries has gone back");
            *lock(&self.view) = View::default();
            self.reached.send_replace(0);
        }
        let (stream, name) = (connection.stream(Place::Entries), new_id("mitt_")?);
        let config = json!({
            "stream_name": stream,
            "config": {
                "name": name,
                "ack_policy": "none",
                "deliver_policy": "by_start_sequence",
                "opt_start_seq": *self.reached.borrow() + 1,
                "headers_only": true,
                "inactive_threshold": INACTIVE.as_nanos() as u64,
                "mem_storage": true,
                "num_replicas": 1,
                "replay_policy": "instant",
            },
        });
        let made = connection.api(&format!("CONSUMER.CREATE.{stream}.{name}"), &config).await?;
        if made["num_pending"].as_u64() == Some(0) {
            self.reach(last);
        }
        let result = tokio::select! {
            result = self.pull(&stream, &name, last) => result,
            _ = events.changed() => return Ok(()),
        };
        // The server deletes it also by itself.
        let delete = format!("CONSUMER.DELETE.{stream}.{name}");
        let _ = connection.api(&delete, &serde_json::Value::Null).await;
        result
    }

    /// Asks a consumer for more until it fails. `last` is a sequence that was stored before the consumer was made.
    async fn pull(&self, stream: &str, consumer: &str, last: u64) -> Tried<()> {
        let client = self.connection.client();
        let inbox = client.new_inbox();
        let mut messages = client.subscribe(inbox.clone()).await.map_err(Trouble::passing)?;
        let next = format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}");
        let body = json!({
            "batch": BATCH,
            "expires": EXPIRES.as_nanos() as u64,
            "idle_heartbeat": HEARTBEAT.as_nanos() as u64,
        });
        let (mut left, mut delivered) = (0, 0);
        loop {
            if left == 0 {
                let asked =
                    client.publish_with_reply(next.clone(), inbox.clone(), body.to_string().into());
                asked.await.map_err(Trouble::passing)?;
                left = BATCH;
            }
            let message = timeout(HEARTBEAT * 2, messages.next()).await;
            let Ok(Some(message)) = message else {
                return Err(Trouble::passing("the consumer is silent").into());
            };
            match message.status {
                None => {}
                Some(StatusCode::IDLE_HEARTBEAT) => continue,
                // The request has ended.
                Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => {
                    left = 0;
                    continue;
                }
                Some(status) => {
                    return Err(
                        Trouble::passing(format!("the consumer ended with {status}")).into()
                    );
                }
            }
            let place = message.reply.as_deref().and_then(Delivery::parse);
            let place = place.ok_or_else(|| Trouble::passing("a message has no place"))?;
            if place.number != delivered + 1 {
                return Err(Trouble::passing("a message was lost").into());
            }
            (left, delivered) = (left - 1, place.number);
            if let (Some(kind), Some(headers)) =
                (entries::kind_of(&self.connection, &message.subject), &message.headers)
            {
                self.take(&kind, headers, place.sequence);
            }
            // The last message of the stream may have been deleted; then nothing else says that its end is reached.
            let end = if place.pending == 0 { last } else { 0 };
            self.reach(place.sequence.max(end));
        }
    }

    fn reach(&self, sequence: u64) {
        self.reached.send_if_modified(|reached| {
            let is_more = sequence > *reached;
            *reached = sequence.max(*reached);
            is_more
        });
    }

    /// Takes an entry in.
    fn take(&self, kind: &str, headers: &HeaderMap, sequence: u64) {
        fn read<E: DeserializeOwned>(headers: &HeaderMap) -> Option<E> {
            // One that cannot be read is of a later version.
            serde_json::from_str(headers.get(ENTRY)?.as_str()).ok()
        }
        let is_gone = headers.get(GONE).is_some();
        let mut view = lock(&self.view);
        match kind {
            RunEntry::KIND => {
                if let Some(run) = read::<RunEntry>(headers) {
                    view.run(&run, is_gone);
                    drop(view);
                    if is_gone {
                        self.watchers.deleted(&run.key());
                    }
                    self.work.send_replace(());
                }
            }
            KeyEntry::KIND => {
                if let Some(key) = read(headers) {
                    view.key(&key, is_gone);
                }
            }
            FileEntry::KIND => {
                if let Some(file) = read(headers) {
                    view.file(&file, sequence, is_gone);
                }
            }
            OwnerEntry::KIND => {
                if let Some(owner) = read(headers) {
                    view.owner(&owner, is_gone);
                }
            }
            DocumentEntry::KIND => {
                if let Some(document) = read(headers) {
                    view.document(&document, is_gone);
                }
            }
            PartialEntry::KIND => {
                if let Some(partial) = read(headers) {
                    view.partial(&partial, is_gone);
                }
            }
            GarbageEntry::KIND => {
                if let Some(garbage) = read(headers) {
                    view.garbage(&garbage, is_gone);
                }
            }
            _ => {}
        }
    }
}

/// Where a message of a consumer is.
struct Delivery {
    /// Sequence in the stream.
    sequence: u64,
    /// Number among those that the consumer delivered.
    number: u64,
    /// Messages that are still to come.
    pending: u64,
}

impl Delivery {
    /// Reads the reply subject of a message.
    fn parse(reply: &str) -> Option<Delivery> {
        let parts: Vec<_> = reply.split('.').collect();
        // Newer servers put a domain and an account before the stream.
        let skipped = if parts.len() > 9 { 2 } else { 0 };
        let number = |place: usize| parts.get(skipped + place)?.parse().ok();
        let is_delivery = parts.starts_with(&["$JS", "ACK"]);
        is_delivery.then_some(())?;
        Some(Delivery { sequence: number(5)?, number: number(6)?, pending: number(8)? })
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn places_of_messages_are_read() {
        for reply in [
            "$JS.ACK.stream.consumer.1.17.3.1795944398709000000.5",
            "$JS.ACK._.account.stream.consumer.1.17.3.1795944398709000000.5.token",
        ] {
            let place = Delivery::parse(reply).unwrap();
            assert_eq!((place.sequence, place.number, place.pending), (17, 3, 5));
        }
        assert!(Delivery::parse("_INBOX.x").is_none() && Delivery::parse("$JS.ACK.a.b").is_none());
    }
}
