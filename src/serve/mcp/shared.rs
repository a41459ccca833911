//! Sessions for requests without a connection: each client can have several, under names of its choice.
//!
//! Only idle sessions of the same client are ended to make room for another one. When a session that was not empty has
//! ended, its name is remembered: the next request under that name gets an error that says so, not an empty session.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

use super::client::ClientSession;
use super::options::Client;
use mitt_base::{Error, ErrorKind};

/// Least number of ended sessions whose names are remembered for one client; more if it may have more sessions. Beyond it,
/// the oldest are forgotten.
const REMEMBERED: usize = 64;

/// A session that is opened by the first request that needs it.
pub(super) type Cell = Arc<OnceCell<Arc<ClientSession>>>;

/// The sessions of all clients.
#[derive(Default)]
pub(super) struct SharedSessions {
    of: BTreeMap<Client, BTreeMap<String, Shared>>,
    /// The newest last. A client is in it until its token is gone.
    ended: BTreeMap<Client, VecDeque<(String, End)>>,
    /// When idle sessions were last searched.
    swept: Option<Instant>,
    /// Ended sessions that are remembered for one client.
    remembered: usize,
}

struct Shared {
    session: Cell,
    used: Instant,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It was idle for this time.
    Idle(Duration),
    /// Its client opened others.
    Room,
}

impl SharedSessions {
    /// Makes an empty table for clients with at most `per_client` sessions.
    pub(super) fn remembering(per_client: usize) -> SharedSessions {
        SharedSessions { remembered: per_client.max(REMEMBERED), ..SharedSessions::default() }
    }

    /// Removes and returns sessions that have been idle for `idle`. Searches only a few times in that period, not with every
    /// request. Drop them outside of the lock, because that ends them.
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

    /// Returns the session with this name, if it exists, and marks it as used.
    pub(super) fn find(&mut self, client: &Client, name: &str, now: Instant) -> Option<Cell> {
        let entry = self.of.get_mut(client)?.get_mut(name)?;
        entry.used = now;
        Some(entry.session.clone())
    }

    /// Adds a session with this name, which is still to be opened.
    pub(super) fn add(&mut self, client: &Client, name: &str, now: Instant) -> Cell {
        let session = Cell::default();
        let entry = Shared { session: session.clone(), used: now };
        self.of.entry(client.clone()).or_default().insert(name.to_owned(), entry);
        session
    }

    /// Gives up the session of `cell`, which could not be opened. It is removed unless others wait for the cell: the next of
    /// them opens the session, which must then be found under its name.
    pub(super) fn give_up(&mut self, client: &Client, name: &str, cell: Cell) {
        let known = self.of.get(client).and_then(|sessions| sessions.get(name));
        // The table and the caller hold it. Cells are shared and released only under the lock.
        let is_last = Arc::strong_count(&cell) == 2;
        if is_last && known.is_some_and(|entry| Arc::ptr_eq(&entry.session, &cell)) {
            self.take(client, name);
        }
    }

    /// Ends the least recently used of the client's idle sessions. A session that is not open has no place to free.
    pub(super) fn make_room(&mut self, client: &Client) -> Option<Cell> {
        let is_open = |entry: &Shared| entry.session.get().is_some();
        let idle =
            self.of.get(client)?.iter().filter(|(_, entry)| is_open(entry) && entry.is_idle());
        let (name, _) = idle.min_by_key(|(_, entry)| entry.used)?;
        let name = name.clone();
        self.end(client, &name, End::Room)
    }

    /// Returns why a session with this name ended, if it was not empty. Reported once.
    pub(super) fn told_of_end(&mut self, client: &Client, name: &str) -> Option<End> {
        let ended = self.ended.get_mut(client)?;
        let index = ended.iter().position(|(other, _)| other == name)?;
        let (_, end) = ended.remove(index)?;
        if ended.is_empty() {
            self.ended.remove(client);
        }
        Some(end)
    }

    /// Removes everything that belongs to a client.
    pub(super) fn forget(&mut self, client: &Client) -> Vec<Cell> {
        self.ended.remove(client);
        let sessions = self.of.remove(client).unwrap_or_default();
        sessions.into_values().map(|entry| entry.session).collect()
    }

    /// Removes everything.
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
    /// Returns `true` if only the table holds the session, and no request is opening it.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.session) == 1
            && self.session.get().is_none_or(|session| Arc::strong_count(session) == 1)
    }
}

impl End {
    /// Returns the error for the next request.
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
        // A new session under the name is not its own.
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
