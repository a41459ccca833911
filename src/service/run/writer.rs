//! Writes the events of a run: one task numbers them, stores them, and hands them to watchers.
//!
//! Events arrive from any thread and must not wait. What waits to be stored is bounded: text that arrives faster than it is
//! stored is joined, and left out above a limit, as the end of its turn has it whole.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::sync::{Notify, watch};

use super::control::{Control, Stop};
use super::event::{EventData, RunEvent};
use super::keeper::{Keeper, now_ms};
use super::live::Live;
use super::state::RunFile;
use super::versions;
use crate::store::{Blob, RunKey, Store, StoreError, StoreResult, Stream, write_whole};
use mitt::{Artifact, Host, Session};
use mitt_base::lock;

/// Waiting events above which further text is joined with the text before it.
const BEHIND: usize = 16;

/// Most bytes of waiting text; more is left out.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// Most events that are stored at once.
const MAX_BATCH: usize = 64;

/// Most bytes of one event, as it is stored.
const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;

/// Most bytes of a text of one event that was joined.
const MAX_JOINED_BYTES: usize = 256 * 1024;

/// What waits to be stored.
enum Waiting {
    Event {
        time_ms: u64,
        agent: Option<u64>,
        data: EventData,
    },
    /// A delivered file, whose content is stored first.
    File {
        time_ms: u64,
        agent: Option<u64>,
        artifact: Artifact,
        warnings: Vec<String>,
    },
    /// A delivered file whose content the run owns already.
    Stored {
        time_ms: u64,
        file: RunFile,
    },
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    /// Bytes of the texts that wait.
    text_bytes: usize,
    /// Texts that were left out.
    left_out: u64,
    /// Events that were ever added.
    added: u64,
}

/// Events of a run on their way to the store.
pub(super) struct Outbox {
    host: Host,
    queue: Mutex<Queue>,
    wake: Notify,
    /// Events that were taken from the queue and stored.
    stored: watch::Sender<u64>,
    /// The session whose files are delivered. It holds this through its listener, so its owner must take it out.
    session: Mutex<Option<Session>>,
}

impl Outbox {
    pub(super) fn new(host: Host) -> Outbox {
        Outbox {
            host,
            queue: Mutex::default(),
            wake: Notify::new(),
            stored: watch::channel(0).0,
            session: Mutex::default(),
        }
    }

    /// Sets the session whose files are delivered; `None` lets it go.
    pub(super) fn set_session(&self, session: Option<Session>) {
        *lock(&self.session) = session;
    }

    /// Adds an event. It is stored soon.
    pub(super) fn push(&self, agent: Option<u64>, data: EventData) {
        let time_ms = now_ms(&self.host);
        let mut queue = lock(&self.queue);
        let bytes = text_of(&data).map_or(0, str::len);
        if bytes > 0 && queue.text_bytes + bytes > MAX_TEXT_BYTES {
            queue.left_out += 1;
            return;
        }
        queue.text_bytes += bytes;
        if queue.waiting.len() >= BEHIND
            && let Some(Waiting::Event { agent: of, data: last, .. }) = queue.waiting.back_mut()
            && *of == agent
            && join(last, &data)
        {
            return;
        }
        queue.added += 1;
        queue.waiting.push_back(Waiting::Event { time_ms, agent, data });
        drop(queue);
        self.wake.notify_one();
    }

    /// Adds a delivered file.
    pub(super) fn push_file(&self, agent: Option<u64>, artifact: Artifact, warnings: Vec<String>) {
        let time_ms = now_ms(&self.host);
        let mut queue = lock(&self.queue);
        queue.added += 1;
        queue.waiting.push_back(Waiting::File { time_ms, agent, artifact, warnings });
        drop(queue);
        self.wake.notify_one();
    }

    /// Adds a delivered file of the run's own model whose content the run owns already.
    pub(super) fn push_stored(&self, file: RunFile) {
        let time_ms = now_ms(&self.host);
        let mut queue = lock(&self.queue);
        queue.added += 1;
        queue.waiting.push_back(Waiting::Stored { time_ms, file });
        drop(queue);
        self.wake.notify_one();
    }

    /// Waits until all events up to now are stored, or the work on the run is stopped because nothing can be stored.
    pub(super) async fn flush(&self, control: &Control) {
        let added = lock(&self.queue).added;
        let mut stored = self.stored.subscribe();
        tokio::select! {
            _ = stored.wait_for(|stored| *stored >= added) => {}
            () = async {
                loop {
                    control.stopped().await;
                    if control.is_silent() {
                        return;
                    }
                    // A run that was stopped in another way may still be lost.
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                }
            } => {}
        }
    }

    /// Returns the events that wait, and removes them.
    #[cfg(test)]
    pub(super) async fn take_events(&self) -> Vec<(Option<u64>, EventData)> {
        let taken = self.take().await.into_iter();
        let event = |waiting| match waiting {
            Waiting::Event { agent, data, .. } => Some((agent, data)),
            Waiting::File { .. } | Waiting::Stored { .. } => None,
        };
        taken.filter_map(event).collect()
    }

    async fn take(&self) -> Vec<Waiting> {
        loop {
            {
                let mut queue = lock(&self.queue);
                let count = queue.waiting.len().min(MAX_BATCH);
                let mut taken: Vec<_> = queue.waiting.drain(..count).collect();
                let bytes: usize = taken.iter().map(Waiting::text_bytes).sum();
                queue.text_bytes -= bytes.min(queue.text_bytes);
                if queue.left_out > 0 && queue.waiting.is_empty() {
                    let text = format!(
                        "{} pieces of text are not shown, as they came faster than they could be stored",
                        std::mem::take(&mut queue.left_out)
                    );
                    let data = EventData::Note { text };
                    queue.added += 1;
                    taken.push(Waiting::Event { time_ms: now_ms(&self.host), agent: None, data });
                }
                if !taken.is_empty() {
                    return taken;
                }
            }
            self.wake.notified().await;
        }
    }
}

impl Waiting {
    fn text_bytes(&self) -> usize {
        match self {
            Waiting::Event { data, .. } => text_of(data).map_or(0, str::len),
            Waiting::File { .. } | Waiting::Stored { .. } => 0,
        }
    }
}

/// Returns the text of an event that may be left out: a later event or the result of a call has it too.
fn text_of(data: &EventData) -> Option<&str> {
    match data {
        EventData::Text { text, .. }
        | EventData::Reasoning { text, .. }
        | EventData::Output { text, .. } => Some(text),
        _ => None,
    }
}

/// Adds the text of `more` to `last` if both are parts of one text, and returns whether it did.
fn join(last: &mut EventData, more: &EventData) -> bool {
    let (text, more) = match (last, more) {
        (EventData::Text { turn, text }, EventData::Text { turn: of, text: more })
        | (EventData::Reasoning { turn, text }, EventData::Reasoning { turn: of, text: more })
            if turn == of =>
        {
            (text, more)
        }
        (
            EventData::Output { call, stream, text },
            EventData::Output { call: of, stream: to, text: more },
        ) if call == of && stream == to => (text, more),
        (EventData::Progress { text }, EventData::Progress { text: more }) => {
            text.clear();
            (text, more)
        }
        _ => return false,
    };
    if text.len() + more.len() > MAX_JOINED_BYTES {
        return false;
    }
    text.push_str(more);
    true
}

/// Stores the events of a run.
pub(super) struct Writer {
    pub(super) store: Arc<dyn Store>,
    pub(super) key: RunKey,
    pub(super) outbox: Arc<Outbox>,
    pub(super) keeper: Arc<Keeper>,
    pub(super) control: Arc<Control>,
    pub(super) live: Arc<Live>,
    /// Number of the last stored event.
    pub(super) last: u64,
}

impl Writer {
    /// Stores events until it fails or is dropped.
    pub(super) async fn write(mut self) {
        loop {
            let batch = self.outbox.take().await;
            let count = batch.len() as u64;
            match self.write_batch(batch).await {
                Ok(()) => self.outbox.stored.send_modify(|stored| *stored += count),
                Err(StoreError::Failed(error)) => return self.control.stop(Stop::Failed(error)),
                Err(_) => return self.control.stop(Stop::Lost),
            }
        }
    }

    async fn write_batch(&mut self, batch: Vec<Waiting>) -> StoreResult<()> {
        let (mut events, mut lines, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for waiting in batch {
            let (time_ms, agent, data) = match waiting {
                Waiting::Event { time_ms, agent, data } => (time_ms, agent, data),
                Waiting::Stored { time_ms, file } => {
                    files.push(file.clone());
                    (time_ms, None, EventData::File { file, warnings: Vec::new() })
                }
                Waiting::File { time_ms, agent, artifact, warnings } => {
                    match self.stored_file(&artifact).await? {
                        Some(file) => {
                            files.push(file.clone());
                            (time_ms, agent, EventData::File { file, warnings })
                        }
                        None => {
                            let name = &artifact.name;
                            let text = format!("the file {name} was replaced before it was stored");
                            (time_ms, agent, EventData::Note { text })
                        }
                    }
                }
            };
            let number = self.last + 1 + events.len() as u64;
            let event = RunEvent { number, time_ms, agent, data };
            let (event, line) = stored_line(event)?;
            events.push((Arc::new(event), line.len()));
            lines.push(Bytes::from(line));
        }
        if !files.is_empty() {
            let changed = self.keeper.change(|entry| {
                files.into_iter().for_each(|file| versions::deliver(entry, file));
            });
            // The keeper has stopped the run with the reason.
            if changed.await.is_err() {
                return Err(StoreError::Conflict(self.last));
            }
        }
        let appended = self.store.append(&self.key, Stream::Events, Some(self.last), &lines);
        self.last = appended.await?;
        self.live.add(events);
        Ok(())
    }

    /// Stores the content of a delivered file; `None` if the session does not have it any more.
    async fn stored_file(&self, artifact: &Artifact) -> StoreResult<Option<RunFile>> {
        let session = lock(&self.outbox.session).clone();
        let Some(session) = session else { return Ok(None) };
        let name = artifact.name.clone();
        let read = tokio::task::spawn_blocking(move || session.artifact_content(&name)).await;
        let Ok(Ok(content)) = read else { return Ok(None) };
        let owner = owner_of(&self.key.id);
        let Blob { sha256, size } =
            write_whole(&*self.store, &self.key.tenant, &content, &owner).await?;
        let (name, media_type) = (artifact.name.clone(), artifact.media_type.clone());
        let pages = artifact.contents.pages;
        Ok(Some(RunFile { name, media_type, sha256, size, pages, url: None }))
    }
}

/// Returns an event as it is stored. One that is too long is replaced by a note.
fn stored_line(mut event: RunEvent) -> StoreResult<(RunEvent, Vec<u8>)> {
    let json = |event: &RunEvent| serde_json::to_vec(event).map_err(mitt_base::Error::bug);
    let mut line = json(&event)?;
    if line.len() > MAX_EVENT_BYTES {
        let text = format!("an event of {} bytes is too long to be shown", line.len());
        event.data = EventData::Note { text };
        line = json(&event)?;
    }
    Ok((event, line))
}

/// Returns the owner of the files of a run.
pub(super) fn owner_of(run: &str) -> String {
    format!("run:{run}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbox() -> Outbox {
        Outbox::new(Host::builder().no_cache().bundled_skills(false).build().unwrap())
    }

    fn text(outbox: &Outbox, text: &str) {
        outbox.push(None, EventData::Text { turn: 1, text: text.to_owned() });
    }

    fn waiting(outbox: &Outbox) -> usize {
        lock(&outbox.queue).waiting.len()
    }

    #[tokio::test]
    async fn text_is_joined_only_when_storing_is_behind() {
        let outbox = outbox();
        for _ in 0..BEHIND {
            text(&outbox, "a");
        }
        assert_eq!(waiting(&outbox), BEHIND, "each piece is an event");
        for _ in 0..1_000 {
            text(&outbox, "b");
        }
        assert_eq!(waiting(&outbox), BEHIND);
        outbox.push(Some(1), EventData::Text { turn: 1, text: "c".to_owned() });
        outbox.push(Some(1), EventData::Text { turn: 2, text: "c".to_owned() });
        assert_eq!(waiting(&outbox), BEHIND + 2, "another agent, and another turn");
        let taken = outbox.take().await;
        let bytes: usize = taken.iter().map(Waiting::text_bytes).sum();
        assert_eq!((taken.len(), bytes), (BEHIND + 2, BEHIND + 1_002));
        assert_eq!(lock(&outbox.queue).text_bytes, 0);
    }

    #[tokio::test]
    async fn text_is_left_out_above_a_limit_and_nothing_else_is() {
        let outbox = outbox();
        let long = "x".repeat(MAX_JOINED_BYTES);
        for _ in 0..MAX_TEXT_BYTES / MAX_JOINED_BYTES + 5 {
            text(&outbox, &long);
        }
        outbox.push(None, EventData::Note { text: "last".to_owned() });
        let most = MAX_TEXT_BYTES / MAX_JOINED_BYTES;
        let taken = outbox.take().await;
        assert_eq!(taken.len(), most + 2, "a note says how many are left out");
        assert!(matches!(&taken[most + 1], Waiting::Event { data: EventData::Note { text }, .. }
            if text.starts_with("5 pieces of text are not shown")));
        text(&outbox, "more");
        assert_eq!(waiting(&outbox), 1);
    }

    #[test]
    fn an_event_that_is_too_long_is_replaced() {
        let event = |bytes: usize| RunEvent {
            number: 1,
            time_ms: 0,
            agent: None,
            data: EventData::Instruction { text: "x".repeat(bytes) },
        };
        let (kept, _) = stored_line(event(MAX_EVENT_BYTES - 100)).unwrap();
        assert!(matches!(kept.data, EventData::Instruction { .. }));
        let (replaced, line) = stored_line(event(MAX_EVENT_BYTES)).unwrap();
        assert!(matches!(replaced.data, EventData::Note { .. }) && line.len() < 200);
    }
}
