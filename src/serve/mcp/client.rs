//! The state of one client: its session, its tasks, and its notifications.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{OnceCell, broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::catalogue::Catalogue;
use super::catalogues::Catalogues;
use super::compiling::{self, CompilingWatch};
use super::folders::ReadFiles;
use super::kept_files::{self, KeepsFiles, LINK_ID};
use super::options::{Client, ServerOptions};
use super::session_slots::SessionSlot;
use super::tasks::Tasks;
use super::uri;
use mitt::skill::Registry;
use mitt::{DocumentOptions, Event, Host, Session, SessionOptions, url_of};
use mitt_base::digest::sha256;
use mitt_base::{Error, Result, lock, text};

/// Changes that a listener may be behind before it misses some. It then compares everything anew.
const MAX_PENDING_NEWS: usize = 256;

/// Characters of a session's name in the audit log.
const AUDIT_ID_CHARACTERS: usize = 16;

/// A change in the session of something that the client may have a copy of.
#[derive(Clone, Debug)]
pub(super) enum News {
    /// The list of resources has grown.
    Listed,
    /// The list of tools has grown.
    Tools,
    /// The resource with this URI has changed.
    Updated(String),
    /// Marks a point in the queue: a listener that reads it has seen all news before it, and drops it once the client was
    /// notified.
    Flush(mpsc::Sender<()>),
}

/// Sends news to listeners, and knows when there were some last.
#[derive(Clone)]
struct NewsSender {
    news: broadcast::Sender<News>,
    /// The last news about the list of resources, the list of tools, and the content of resources.
    last: Arc<Mutex<[Option<Instant>; 3]>>,
}

impl NewsSender {
    fn send(&self, news: News) {
        // Set before sending: a listener that subscribes and then looks here misses nothing.
        let [listed, tools, updated] = &mut *lock(&self.last);
        match &news {
            News::Listed => *listed = Some(Instant::now()),
            News::Tools => *tools = Some(Instant::now()),
            News::Updated(_) => *updated = Some(Instant::now()),
            News::Flush(_) => {}
        }
        // It fails if nobody listens.
        let _ = self.news.send(news);
    }
}

/// The session of a client, and what belongs to it.
pub(super) struct ClientSession {
    pub(super) session: Session,
    pub(super) tasks: Tasks,
    news_sender: NewsSender,
    /// `true` if the client is notified of news now.
    listens: AtomicBool,
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    /// Names of the activated skills, in the order of activation.
    active: Mutex<Vec<String>>,
    ended: CancellationToken,
    /// Binds answers to this session.
    secret: [u8; 16],
    /// Names the session in the audit log.
    audit_id: String,
    /// Identifies the session in links to its files.
    link_id: [u8; LINK_ID],
    client: Client,
    /// The component that is being compiled for the session.
    compiled: CompilingWatch,
    /// Files of the server's folders that it has read.
    pub(super) read_files: ReadFiles,
    /// Keeps its files after its end, as long as there are links to them.
    keeps_files: Option<Arc<dyn KeepsFiles>>,
    /// The documents that every session has, which are still to be read.
    documents: Vec<PathBuf>,
    /// The number of those that were read.
    given: AtomicUsize,
    /// Set when all of them were read.
    has_documents: OnceCell<()>,
    /// Cancelled when their reader must be compiled first.
    compiling: CancellationToken,
    /// `None` for a session that only one request will ever see.
    _slot: Option<SessionSlot>,
}

impl Drop for ClientSession {
    fn drop(&mut self) {
        self.ended.cancel();
        if let Some(keeps_files) = &self.keeps_files {
            keeps_files.clone().keep(self.link_id, &self.client, &self.session);
        }
    }
}

impl ClientSession {
    /// Opens a session for `client`, with the documents that every session has. It ends with `ended`. If their reader must
    /// be compiled first, they are read in the background.
    pub(super) async fn open(
        host: &Host,
        client: &Client,
        options: &ServerOptions,
        (slot, links): (SessionSlot, Arc<dyn KeepsFiles>),
        ended: CancellationToken,
    ) -> Result<Arc<ClientSession>> {
        let mut opened = ClientSession::new(host, client, Some(options), Some(slot), ended)?;
        opened.keeps_files = Some(links);
        opened.documents.clone_from(&options.documents);
        let opened = Arc::new(opened);
        tokio::select! {
            biased;
            done = opened.ready() => done?,
            () = opened.compiling.cancelled() => {
                let (reading, ended) = (opened.clone(), opened.ended.clone());
                // A request that needs them gets the error.
                tokio::spawn(async move { ended.run_until_cancelled(reading.ready()).await });
            }
        }
        Ok(opened)
    }

    /// Waits until it has the documents that every session has.
    ///
    /// # Errors
    ///
    /// Those of [`Session::add_document`]; the next call tries again.
    pub(super) async fn ready(&self) -> Result<()> {
        let read = || async {
            while let Some(path) = self.documents.get(self.given.load(Ordering::Relaxed)) {
                match url_of(path) {
                    Some(url) => {
                        self.session.add_document_url(url, &DocumentOptions::default()).await?
                    }
                    None => self.session.add_document(path).await?,
                };
                self.given.fetch_add(1, Ordering::Relaxed);
            }
            Result::<()>::Ok(())
        };
        self.has_documents.get_or_try_init(read).await?;
        Ok(())
    }

    /// Makes a session for one request that only looks. It is empty, takes no slot and leaves nothing behind.
    pub(super) fn passing(
        host: &Host,
        client: &Client,
        ended: CancellationToken,
    ) -> Result<Arc<ClientSession>> {
        ClientSession::new(host, client, None, None, ended).map(Arc::new)
    }

    fn new(
        host: &Host,
        client: &Client,
        options: Option<&ServerOptions>,
        slot: Option<SessionSlot>,
        ended: CancellationToken,
    ) -> Result<ClientSession> {
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(Error::bug)?;
        let mut link_id = [0; LINK_ID];
        getrandom::fill(&mut link_id).map_err(Error::bug)?;
        let folder = options.and_then(|options| match (&options.folder, &options.files) {
            (Some(folder), _) => Some(folder.clone()),
            (None, Some(files)) => {
                let now = host.environment().now();
                Some(kept_files::folder(files, client.tenant.as_deref(), now, &link_id))
            }
            (None, None) => None,
        });
        let news_sender =
            NewsSender { news: broadcast::Sender::new(MAX_PENDING_NEWS), last: Arc::default() };
        let known = Mutex::new(HashSet::new());
        let news_sink = news_sender.clone();
        let compiling = CancellationToken::new();
        let begun = compiling.clone();
        let (compiles, compiled) = compiling::watch();
        let options = SessionOptions {
            tenant: client.tenant.clone(),
            assignment: client.id.clone(),
            folder,
            opens_folder_later: true,
            events: Some(Arc::new(move |event: &Event| {
                compiles.note(event);
                if let Event::Compiling { .. } = event {
                    begun.cancel();
                }
                if let Some(news) = news_of(event, &known) {
                    news_sink.send(news);
                }
            })),
            keeps_sources: true,
            ..SessionOptions::default()
        };
        let session = host.session(options)?;
        Ok(ClientSession {
            session,
            tasks: Tasks::default(),
            news_sender,
            listens: AtomicBool::new(true),
            catalogue: Mutex::default(),
            active: Mutex::default(),
            ended,
            secret,
            audit_id: text::cut_bytes(&sha256(&secret), AUDIT_ID_CHARACTERS).to_owned(),
            link_id,
            client: client.clone(),
            compiled,
            read_files: ReadFiles::default(),
            keeps_files: None,
            documents: Vec::new(),
            given: AtomicUsize::new(0),
            has_documents: OnceCell::new(),
            compiling,
            _slot: slot,
        })
    }

    /// Returns `true` if the session can be dropped unnoticed: it has no documents but those that every session has, and
    /// nothing was made in it.
    pub(super) fn is_blank(&self) -> bool {
        self.session.is_blank(self.given.load(Ordering::Relaxed)) && self.tasks.is_empty()
    }

    /// Returns the catalogue of the skills that it sees now.
    pub(super) async fn catalogue(&self, all: &Catalogues) -> Arc<Catalogue> {
        self.catalogue_of(all, self.session.registry()).await
    }

    /// Returns the catalogue of the skills of `registry`, which it saw.
    pub(super) async fn catalogue_of(
        &self,
        all: &Catalogues,
        registry: Registry,
    ) -> Arc<Catalogue> {
        if let Some(known) = self.known_catalogue().filter(|known| known.is_of(&registry)) {
            return known;
        }
        let catalogue = all.of(registry).await;
        *lock(&self.catalogue) = Some(catalogue.clone());
        catalogue
    }

    /// Returns the last catalogue that was made.
    pub(super) fn known_catalogue(&self) -> Option<Arc<Catalogue>> {
        lock(&self.catalogue).clone()
    }

    /// Returns the activated skills in the order of activation, which keeps the order of the list of tools.
    pub(super) fn active(&self) -> Vec<String> {
        lock(&self.active).clone()
    }

    /// Lists the tools of this skill too. Returns `false` if they were listed before.
    pub(super) fn activate(&self, name: &str) -> bool {
        let registry = self.session.registry();
        let mut active = lock(&self.active);
        if active.iter().any(|known| known == name) {
            return false;
        }
        // Skills that are gone add nothing, and there are never more entries than skills.
        active.retain(|known| registry.skill(known).is_ok());
        active.push(name.to_owned());
        drop(active);
        self.news_sender.send(News::Tools);
        true
    }

    /// Returns a watch of the components that are compiled for the session.
    pub(super) fn compiling_watch(&self) -> CompilingWatch {
        self.compiled.clone()
    }

    /// Subscribes to news from now on.
    pub(super) fn news(&self) -> broadcast::Receiver<News> {
        self.news_sender.news.subscribe()
    }

    /// Returns which news there were at `since` or later: about the list of resources, the list of tools, and the content of
    /// resources.
    pub(super) fn news_since(&self, since: Instant) -> [bool; 3] {
        lock(&self.news_sender.last).map(|last| last.is_some_and(|last| last >= since))
    }

    /// Sets whether the client is notified of news. It starts when the client says that it is ready, which some never do.
    pub(super) fn listens(&self, listens: bool) {
        self.listens.store(listens, Ordering::Relaxed);
    }

    /// Waits, for at most `patience`, until all listeners have notified the client of what happened until now. Notifications
    /// about a call go before its answer, because some clients read nothing after the answer.
    pub(super) async fn flush_news(&self, patience: Duration) {
        if !self.listens.load(Ordering::Relaxed) {
            return;
        }
        let (flushed, mut wait) = mpsc::channel(1);
        // Dropping the last copy ends the wait; without listeners, that is here.
        self.news_sender.send(News::Flush(flushed));
        let _ = tokio::time::timeout(patience, wait.recv()).await;
    }

    pub(super) fn secret(&self) -> &[u8] {
        &self.secret
    }

    /// Returns the name of the session in the audit log. It opens nothing: neither the session nor a link follows from it.
    pub(super) fn audit_id(&self) -> &str {
        &self.audit_id
    }

    pub(super) fn link_id(&self) -> [u8; LINK_ID] {
        self.link_id
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the token that is cancelled when it ends, even if it is still referenced.
    pub(super) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// Ends its calls, tasks and streams.
    pub(super) fn end(&self) {
        self.ended.cancel();
    }
}

fn news_of(event: &Event, known: &Mutex<HashSet<String>>) -> Option<News> {
    match event {
        Event::DocumentReady { .. } => Some(News::Listed),
        Event::Delivered { artifact, .. } => {
            let is_new = lock(known).insert(artifact.name.clone());
            Some(if is_new { News::Listed } else { News::Updated(uri::artifact(&artifact.name)) })
        }
        _ => None,
    }
}
