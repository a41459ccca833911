//! Notifies a client that a list which it may have read has changed. Each kind of list is compared separately: a client is
//! notified only of those that changed, and once for each change.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer};
use tokio::sync::broadcast::{self, error::RecvError, error::TryRecvError};
use tokio::sync::mpsc;

use super::catalogue::Catalogue;
use super::client::{ClientSession, News};
use super::server::Server;
use mitt::Changes;
use mitt::skill::Registry;
use mitt_base::lock;

/// What has changed since it was listed.
#[derive(Debug, Default)]
pub(super) struct ChangeSet {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    /// Resources with another content.
    pub(super) updated: Vec<String>,
    /// `true` if events were missed: every subscribed resource may have changed.
    pub(super) all_updated: bool,
    /// Calls that wait until the client was notified of everything before; they continue when this is dropped.
    waiting: Vec<mpsc::Sender<()>>,
}

impl ChangeSet {
    fn is_empty(&self) -> bool {
        !(self.tools || self.prompts || self.resources || self.all_updated)
            && self.updated.is_empty()
    }

    /// Marks everything as changed, because events were missed.
    fn add_all(&mut self) {
        (self.tools, self.resources, self.all_updated) = (true, true, true);
    }

    fn add(&mut self, news: News) {
        match news {
            News::Listed => self.resources = true,
            News::Tools => self.tools = true,
            News::Updated(uri) if self.updated.contains(&uri) => {}
            News::Updated(uri) => self.updated.push(uri),
            News::Flush(waiting) => self.waiting.push(waiting),
        }
    }
}

/// The number of streams that were promised to a client and have not begun, and when the first one was promised. A stream
/// reports changes since then.
#[derive(Debug, Default)]
pub(super) struct Promises(Mutex<(usize, Option<Instant>)>);

impl Promises {
    pub(super) fn make(&self) {
        let (pending, first) = &mut *lock(&self.0);
        *pending += 1;
        first.get_or_insert_with(Instant::now);
    }

    /// Returns when the stream that begins now was promised, or an earlier moment: streams may begin in another order.
    pub(super) fn take(&self) -> Instant {
        let (pending, first) = &mut *lock(&self.0);
        *pending = pending.saturating_sub(1);
        let since = if *pending == 0 { first.take() } else { *first };
        since.unwrap_or_else(Instant::now)
    }
}

/// Collects changes from the moment it is made.
pub(super) struct Listener {
    server: Server,
    // A weak reference, so that it does not keep the session alive.
    client: Weak<ClientSession>,
    skills: Changes,
    news: broadcast::Receiver<News>,
    /// The skills that the client may already know.
    before: Before,
    /// Changes before it was made, if the client relies on being notified of them.
    missed: ChangeSet,
}

enum Before {
    /// Not computed yet: nothing may have changed since the client connected, so it should cost nothing then.
    Seen(Registry),
    Made(Arc<Catalogue>),
}

impl Listener {
    pub(super) fn new(server: &Server, client: &Arc<ClientSession>) -> Listener {
        Listener {
            server: server.clone(),
            client: Arc::downgrade(client),
            // Subscribe first, then look: a change in between is reported twice at worst, but never missed.
            skills: server.host().changes(),
            news: client.news(),
            before: Before::Seen(client.session.registry()),
            missed: ChangeSet::default(),
        }
    }

    /// Makes a listener that also reports the client's own changes since `since`, a moment before now.
    pub(super) fn since(server: &Server, client: &Arc<ClientSession>, since: Instant) -> Listener {
        let mut listener = Listener::new(server, client);
        let [resources, tools, all_updated] = client.news_since(since);
        listener.missed = ChangeSet { tools, resources, all_updated, ..ChangeSet::default() };
        listener
    }

    /// Returns the next changes; `None` when the session or the host is gone. Cancelling it loses nothing.
    pub(super) async fn next(&mut self) -> Option<ChangeSet> {
        let ended = self.client.upgrade()?.ended().clone();
        if !self.missed.is_empty() {
            return Some(std::mem::take(&mut self.missed));
        }
        loop {
            let mut changes = ChangeSet::default();
            let is_made = matches!(self.before, Before::Made(_));
            tokio::select! {
                // Compute what the client saw first before it can change; its plugins are or will be loaded anyway. This may
                // take a while, in which the news of ending calls must not wait.
                made = first(&self.server, &self.client, &self.before), if !is_made => {
                    self.before = Before::Made(made?);
                    continue;
                }
                change = self.skills.next(), if is_made => {
                    change?;
                    self.compare(&mut changes).await?;
                }
                news = self.news.recv() => match news {
                    Ok(news) => changes.add(news),
                    Err(RecvError::Lagged(_)) => changes.add_all(),
                    Err(RecvError::Closed) => return None,
                },
                () = ended.cancelled() => return None,
            }
            // Several files of one call are one change of the list.
            loop {
                match self.news.try_recv() {
                    Ok(news) => changes.add(news),
                    Err(TryRecvError::Lagged(_)) => changes.add_all(),
                    Err(TryRecvError::Empty | TryRecvError::Closed) => break,
                }
            }
            if !changes.is_empty() {
                return Some(changes);
            }
        }
    }

    /// Notifies a client with a handshake of changes, until it is gone.
    pub(super) async fn notify(
        mut self,
        peer: Peer<RoleServer>,
        subscriptions: Arc<Mutex<HashSet<String>>>,
    ) {
        while let Some(changes) = self.next().await {
            let mut sent = Ok(());
            if changes.tools {
                sent = sent.and(peer.notify_tool_list_changed().await);
            }
            if changes.prompts {
                sent = sent.and(peer.notify_prompt_list_changed().await);
            }
            if changes.resources {
                sent = sent.and(peer.notify_resource_list_changed().await);
            }
            let mut updated: Vec<String> = {
                let subscribed = lock(&subscriptions);
                let is_updated =
                    |uri: &&String| changes.all_updated || changes.updated.contains(uri);
                subscribed.iter().filter(is_updated).cloned().collect()
            };
            updated.sort();
            for uri in updated {
                let update = ResourceUpdatedNotificationParam::new(uri);
                sent = sent.and(peer.notify_resource_updated(update).await);
            }
            if sent.is_err() {
                return;
            }
        }
    }

    async fn compare(&mut self, changes: &mut ChangeSet) -> Option<()> {
        let client = self.client.upgrade()?;
        let now = client.catalogue(self.server.catalogues()).await;
        if let Before::Made(before) = &self.before {
            changes.tools = now.has_other_tools(before, &client.active());
            changes.prompts = now.has_other_prompts(before);
            if now.has_other_skills(before) {
                changes.updated = now.changed_files(before);
                changes.resources = now.has_other_list(before);
            }
        }
        self.before = Before::Made(now);
        Some(())
    }
}

/// Returns what the skills offered that the client may have seen first. Waits forever if that is known.
async fn first(
    server: &Server,
    client: &Weak<ClientSession>,
    before: &Before,
) -> Option<Arc<Catalogue>> {
    let Before::Seen(registry) = before else { return std::future::pending().await };
    let client = client.upgrade()?;
    Some(client.catalogue_of(server.catalogues(), registry.clone()).await)
}

#[cfg(test)]
mod tests {
    use super::super::options::{Client, ServerOptions};
    use super::*;
    use mitt::Host;

    #[tokio::test]
    async fn what_happens_before_a_promised_stream_begins_is_told() {
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        let client = Client::default();
        let session = ClientSession::passing(&host, &client, Default::default()).unwrap();
        let server = Server::new(host, ServerOptions::default()).unwrap();
        assert!(session.activate("before"));
        std::thread::sleep(std::time::Duration::from_millis(2));
        let promises = Promises::default();
        promises.make();
        let mut listener = Listener::since(&server, &session, promises.take());
        assert!(listener.missed.is_empty());
        // Two streams; the one that was promised last begins first.
        promises.make();
        assert!(session.activate("between"));
        std::thread::sleep(std::time::Duration::from_millis(2));
        promises.make();
        for _ in 0..2 {
            listener = Listener::since(&server, &session, promises.take());
            let changed = listener.next().await.unwrap();
            assert!(changed.tools && !changed.resources && !changed.all_updated);
        }
        // Reported only once.
        assert!(listener.missed.is_empty());
    }
}
