//! Sessions for requests that have no connection of their own: each client can have several, under names that it chooses.
//!
//! To make room for a session of a client, only idle sessions of the same client are ended. When a session that was not empty
//! has ended, its name is remembered: the next request under that name gets an error that says so, not an empty session.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

use super::client::ClientSession;
use super::options::Client;
use mitt_base::{Error, ErrorKind};

/// Names of ended sessions that are remembered of one client at least: as many as it may have sessions, if these are more. Of
/// more, the oldest are forgotten.
const REMEMBERED: usize = 64;

/// A session that is opened by whoever needs it first.
pub(super) type Cell = Arc<OnceCell<Arc<ClientSession>>>;

/// The sessions of all clients.
#[derive(Default)]
pub(super) struct SharedSessions {
    of: BTreeMap<Client, BTreeMap<String, Shared>>,
    /// The newest last. A client is in it until its token is gone.
    ended: BTreeMap<Client, VecDeque<(String, End)>>,
    /// When those that nobody uses were last looked for.
    swept: Option<Instant>,
    /// Names of ended sessions that are remembered of one client.
    remembered: usize,
}

struct Shared {
    session: Cell,
    used: Instant,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nobody used it for so long.
    Idle(Duration),
    /// Its client opened others.
    Room,
}

impl SharedSessions {
    /// None yet; a client may have so many.
    pub(super) fn remembering(per_client: usize) -> SharedSessions {
        SharedSessions { remembered: per_client.max(REMEMBERED), ..SharedSessions::default() }
    }

    /// Take those out that nobody has used for `idle`; looked for a few times in that while, not with every request. They end
    /// when they are dropped, which is not for under the lock.
    pub(super) fn sweep(&mut self, now: Instant, idle: Duration) -> Vec<Cell> {
        if self.swept.is_some_and(|swept| now.duration_since(swept) < idle / 16) {
            return Vec::new();
        }
        self.swept = Some(now);
        let mut gone = Vec::new();
        for (client, sessions) in &self.of {
            let is_over = |entry: &Shared| {
                entry.is_idle() && now.saturating_duration_since(entry.used) >= idle
            };
            let over = sessions.iter().filter(|(_, entry)| is_over(entry));
            gone.extend(over.map(|(name, _)| (client.clone(), name.clone())));
        }
        gone.into_iter()
            .filter_map(|(client, name)| self.end(&client, &name, End::Idle(idle)))
            .collect()
    }

    /// The session of this name, if there is one. It counts as used.
    pub(super) fn find(&mut self, client: &Client, name: &str, now: Instant) -> Option<Cell> {
        let entry = self.of.get_mut(client)?.get_mut(name)?;
        entry.used = now;
        Some(entry.session.clone())
    }

    /// A session of this name that is still to be opened.
    pub(super) fn add(&mut self, client: &Client, name: &str, now: Instant) -> Cell {
        let session = Cell::default();
        let entry = Shared { session: session.clone(), used: now };
        self.of.entry(client.clone()).or_default().insert(name.to_owned(), entry);
        session
    }

    /// Somebody could not open the session of `cell`, and lets go of it. It is forgotten, unless others wait for the cell: the
    /// next of them opens the session, and it must be the one that is found under its name then.
    pub(super) fn give_up(&mut self, client: &Client, name: &str, cell: Cell) {
        let known = self.of.get(client).and_then(|sessions| sessions.get(name));
        // The table, and who gives it up. Cells are shared and let go of under the lock alone.
        let is_last = Arc::strong_count(&cell) == 2;
        if is_last && known.is_some_and(|entry| Arc::ptr_eq(&entry.session, &cell)) {
            self.take(client, name);
        }
    }

    /// End the session of `client` that it used longest ago, of those that are idle. One that is not open has no place to
    /// give.
    pub(super) fn make_room(&mut self, client: &Client) -> Option<Cell> {
        let is_open = |entry: &Shared| entry.session.get().is_some();
        let idle =
            self.of.get(client)?.iter().filter(|(_, entry)| is_open(entry) && entry.is_idle());
        let (name, _) = idle.min_by_key(|(_, entry)| entry.used)?;
        let name = name.clone();
        self.end(client, &name, End::Room)
    }

    /// Whether a session of this name has ended that had something in it. Told once.
    pub(super) fn told_of_end(&mut self, client: &Client, name: &str) -> Option<End> {
        let ended = self.ended.get_mut(client)?;
        let index = ended.iter().position(|(other, _)| other == name)?;
        let (_, end) = ended.remove(index)?;
        if ended.is_empty() {
            self.ended.remove(client);
        }
        Some(end)
    }

    /// Everything of one client. Nothing of it is remembered.
    pub(super) fn forget(&mut self, client: &Client) -> Vec<Cell> {
        self.ended.remove(client);
        let sessions = self.of.remove(client).unwrap_or_default();
        sessions.into_values().map(|entry| entry.session).collect()
    }

    /// Everything.
    pub(super) fn take_all(&mut self) -> Vec<Cell> {
        let all = std::mem::take(&mut self.of);
        self.ended.clear();
        all.into_values().flatten().map(|(_, entry)| entry.session).collect()
    }

    fn end(&mut self, client: &Client, name: &str, end: End) -> Option<Cell> {
        let entry = self.take(client, name)?;
        if entry.session.get().is_some_and(|session| !session.is_blank()) {
            let ended = self.ended.entry(client.clone()).or_default();
            ended.retain(|(other, _)| other != name);
            if ended.len() >= self.remembered {
                ended.pop_front();
            }
            ended.push_back((name.to_owned(), end));
        }
        Some(entry.session)
    }

    fn take(&mut self, client: &Client, name: &str) -> Option<Shared> {
        let sessions = self.of.get_mut(client)?;
        let taken = sessions.remove(name);
        if sessions.is_empty() {
            self.of.remove(client);
        }
        taken
    }
}

impl Shared {
    /// Whether nobody but the table holds the session, or is about to.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.session) == 1
            && self.session.get().is_none_or(|session| Arc::strong_count(session) == 1)
    }
}

impl End {
    /// What the next request is told.
    #[cold]
    pub(super) fn error(self, name: &str) -> Error {
        let session = match name {
            "" => "the session".to_owned(),
            name => format!("the session `{}`", mitt_base::text::one_line(name)),
        };
        let why = match self {
            End::Idle(time) => format!("nobody used it for {} s", time.as_secs()),
            End::Room => "it made room for other sessions of the same client".to_owned(),
        };
        Error::new(
            ErrorKind::Input,
            format!("{session} has ended, and its documents and files are gone: {why}"),
        )
        .hint("give the documents again: the next request begins a new session under this name")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_known(sessions: &SharedSessions, name: &str) -> bool {
        sessions.of.get(&Client::default()).is_some_and(|of| of.contains_key(name))
    }

    #[test]
    fn who_gives_up_takes_nothing_from_those_who_still_wait() {
        let (client, now) = (Client::default(), Instant::now());
        let mut sessions = SharedSessions::remembering(64);
        let first = sessions.add(&client, "a", now);
        let second = sessions.find(&client, "a", now).unwrap();
        sessions.give_up(&client, "a", first);
        assert!(Arc::ptr_eq(&sessions.find(&client, "a", now).unwrap(), &second));
        sessions.give_up(&client, "a", second);
        assert!(!is_known(&sessions, "a") && sessions.of.is_empty());
        // Another one under the name is not its own.
        let old = sessions.add(&client, "a", now);
        sessions.forget(&client);
        let _new = sessions.add(&client, "a", now);
        sessions.give_up(&client, "a", old);
        assert!(is_known(&sessions, "a"));
    }

    #[test]
    fn what_nobody_opened_makes_no_room_and_is_swept() {
        let (client, now, idle) = (Client::default(), Instant::now(), Duration::from_secs(60));
        let mut sessions = SharedSessions::remembering(64);
        let held = sessions.add(&client, "held", now);
        drop(sessions.add(&client, "left", now));
        assert!(sessions.make_room(&client).is_none());
        assert!(is_known(&sessions, "left"));
        assert_eq!(sessions.sweep(now + idle, idle).len(), 1);
        assert!(is_known(&sessions, "held") && !is_known(&sessions, "left"));
        drop(held);
    }
}
