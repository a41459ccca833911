//! What other processes changed: work that waits, records of watched streams, deleted runs.
//!
//! Processes notify each other by LISTEN/NOTIFY. As a notification may be lost, each of them also looks by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::AsyncMessage;

use super::super::watchers::Watchers;
use super::super::{RunKey, Stream};
use super::pool::{Pool, Tried};
use super::streams;
use mitt_base::lock;

/// Time between two looks at watched streams. A lost notification delays a watcher by this.
const LOOK: Duration = Duration::from_secs(2);

/// Time in which notifications are collected before they are sent together.
const COLLECT: Duration = Duration::from_millis(3);

/// Most notifications that are sent at once, and most streams that are looked at together.
const AT_ONCE: usize = 500;

/// First and longest wait before the listening connection is made again.
const WAIT: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Time between two questions whether the listening connection still works, and for their answer.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// Notifications that wait to be read; with more, the connection is not read.
const MAX_UNREAD: usize = 1024;

/// Reports changes to this process and to the others.
pub(super) struct News {
    pool: Arc<Pool>,
    pub(super) watchers: Arc<Watchers>,
    /// Changes when a run may wait for a worker.
    pub(super) work: watch::Sender<()>,
    unsent: Mutex<Unsent>,
    wake: Notify,
}

/// What other processes do not know yet.
#[derive(Default)]
struct Unsent {
    has_work: bool,
    ends: BTreeMap<(RunKey, Stream), u64>,
    deleted: BTreeSet<RunKey>,
}

/// What a notification says.
#[derive(Debug, PartialEq)]
enum Note {
    Work,
    Appended(RunKey, Stream, u64),
    Deleted(RunKey),
}

impl News {
    pub(super) fn new(pool: Arc<Pool>) -> News {
        News {
            pool,
            watchers: Arc::default(),
            work: watch::Sender::new(()),
            unsent: Mutex::default(),
            wake: Notify::new(),
        }
    }

    /// Starts what sends, listens and looks.
    pub(super) fn start(self: &Arc<News>) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        let news = self.clone();
        tasks.spawn(async move { news.send().await });
        let news = self.clone();
        tasks.spawn(async move { news.listen().await });
        let news = self.clone();
        tasks.spawn(async move {
            loop {
                sleep(LOOK).await;
                // The next look may succeed, and the listener says what fails.
                let _ = news.look().await;
            }
        });
        tasks
    }

    /// Reports that a run waits for a worker.
    pub(super) fn run_waits(&self) {
        self.work.send_replace(());
        lock(&self.unsent).has_work = true;
        self.wake.notify_one();
    }

    /// Reports the last record of a stream.
    pub(super) fn appended(&self, run: &RunKey, stream: Stream, last: u64) {
        self.watchers.appended(run, stream, last);
        // Only the owner of a run reads its log while it grows.
        if stream == Stream::Log {
            return;
        }
        let mut unsent = lock(&self.unsent);
        let known = unsent.ends.entry((run.clone(), stream)).or_default();
        *known = last.max(*known);
        drop(unsent);
        self.wake.notify_one();
    }

    /// Reports that a run was deleted.
    pub(super) fn deleted(&self, run: &RunKey) {
        self.watchers.deleted(run);
        lock(&self.unsent).deleted.insert(run.clone());
        self.wake.notify_one();
    }

    async fn send(&self) {
        loop {
            self.wake.notified().await;
            sleep(COLLECT).await;
            let Unsent { has_work, ends, deleted } = std::mem::take(&mut *lock(&self.unsent));
            let ends =
                ends.into_iter().map(|((run, stream), last)| Note::Appended(run, stream, last));
            let notes = has_work.then_some(Note::Work).into_iter().chain(ends);
            let notes: Vec<_> = notes.chain(deleted.into_iter().map(Note::Deleted)).collect();
            let texts: Vec<_> = notes.iter().map(Note::to_text).collect();
            for texts in texts.chunks(AT_ONCE) {
                // The others look by themselves.
                if self.notify(texts).await.is_err() {
                    sleep(WAIT.0).await;
                    break;
                }
            }
        }
    }

    async fn notify(&self, texts: &[String]) -> Tried<()> {
        let mut lent = self.pool.lend().await?;
        let notify = "select pg_notify($1, note) from unnest($2::text[]) as notes (note)";
        lent.rows(notify, &[&self.pool.schema(), &texts]).await.map(drop)
    }

    async fn listen(&self) {
        let mut wait = WAIT.0;
        loop {
            let begun = Instant::now();
            let database = self.pool.address();
            match self.hear().await {
                Ok(()) => tracing::warn!(%database, "the listening connection was lost"),
                Err(error) => {
                    let error = error.text();
                    tracing::warn!(%database, error, "no listening connection");
                }
            }
            wait = if begun.elapsed() > SIGN_OF_LIFE { WAIT.0 } else { (wait * 2).min(WAIT.1) };
            sleep(wait).await;
        }
    }

    /// Listens until the connection is lost.
    async fn hear(&self) -> Tried<()> {
        let (client, mut connection) = self.pool.address().connect(self.pool.schema()).await?;
        let (sender, mut notes) = mpsc::channel(MAX_UNREAD);
        let mut driver = JoinSet::new();
        driver.spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await
            {
                if let AsyncMessage::Notification(note) = message
                    && sender.send(note).await.is_err()
                {
                    return;
                }
            }
        });
        client.batch_execute(&format!("listen {}", self.pool.schema())).await?;
        // What was reported before.
        self.work.send_replace(());
        self.look().await?;
        loop {
            match timeout(SIGN_OF_LIFE, notes.recv()).await {
                Ok(Some(note)) => self.heard(note.payload()),
                Ok(None) => return Ok(()),
                Err(_) => match timeout(SIGN_OF_LIFE, client.batch_execute("")).await {
                    Ok(answer) => answer?,
                    Err(_) => return Ok(()),
                },
            }
        }
    }

    fn heard(&self, text: &str) {
        match Note::from_text(text) {
            Some(Note::Work) => {
                self.work.send_replace(());
            }
            Some(Note::Appended(run, stream, last)) => self.watchers.appended(&run, stream, last),
            Some(Note::Deleted(run)) => self.watchers.deleted(&run),
            // Of a later version.
            None => {}
        }
    }

    /// Looks at the streams that are watched in this process.
    async fn look(&self) -> Tried<()> {
        for watched in self.watchers.watched().chunks(AT_ONCE) {
            let mut lent = self.pool.lend().await?;
            let ends = streams::ends(&mut lent, watched).await?;
            for ((run, stream), end) in watched.iter().zip(ends) {
                match end {
                    Some(last) => self.watchers.appended(run, *stream, last),
                    None => self.watchers.deleted(run),
                }
            }
        }
        Ok(())
    }
}

impl Note {
    fn to_text(&self) -> String {
        match self {
            Note::Work => "w".to_owned(),
            Note::Appended(run, stream, last) => {
                format!("a {} {last} {} {}", streams::of(*stream), run.id, run.tenant)
            }
            Note::Deleted(run) => format!("d {} {}", run.id, run.tenant),
        }
    }

    fn from_text(text: &str) -> Option<Note> {
        let run = |text: &str| {
            let (id, tenant) = text.split_once(' ')?;
            Some(RunKey { tenant: tenant.to_owned(), id: id.to_owned() })
        };
        if text == "w" {
            return Some(Note::Work);
        }
        match text.split_once(' ')? {
            ("a", rest) => {
                let (stream, rest) = rest.split_once(' ')?;
                let (last, rest) = rest.split_once(' ')?;
                let stream = match stream {
                    "0" => Stream::Log,
                    "1" => Stream::Events,
                    "2" => Stream::Inbox,
                    _ => return None,
                };
                Some(Note::Appended(run(rest)?, stream, last.parse().ok()?))
            }
            ("d", rest) => Some(Note::Deleted(run(rest)?)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_as_they_were_written() {
        for tenant in ["", "a", "a tenant with spaces", "月"] {
            let run = RunKey { tenant: tenant.to_owned(), id: "run_1".to_owned() };
            for note in [
                Note::Work,
                Note::Appended(run.clone(), Stream::Inbox, 17),
                Note::Deleted(run.clone()),
            ] {
                assert_eq!(Note::from_text(&note.to_text()), Some(note));
            }
        }
        for text in ["", "x", "a", "a 1", "a 9 1 run t", "a 1 x run t", "d run"] {
            assert_eq!(Note::from_text(text), None, "{text}");
        }
    }
}
