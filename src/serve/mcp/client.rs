//! Everything that belongs to one client: its session, its tasks, and the changes that it may want to hear of.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{OnceCell, broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::catalogue::Catalogue;
use super::catalogues::Catalogues;
use super::folders::ReadFiles;
use super::kept_files::{self, KeepsFiles, LINK_ID};
use super::options::{Client, ServerOptions};
use super::places::Place;
use super::tasks::Tasks;
use super::uri;
use mitt::skill::Registry;
use mitt::{DocumentOptions, Event, Host, Session, SessionOptions, url_of};
use mitt_base::{Error, Result, lock};

/// How many changes a listener may be behind before it misses some. It then compares everything anew.
const NEWS: usize = 256;

/// Something of the session that a client may have a copy of has changed.
#[derive(Clone, Debug)]
pub(super) enum News {
    /// There is one more resource.
    Listed,
    /// More tools are listed.
    Tools,
    /// The resource of this URI has another content.
    Updated(String),
    /// Who reads this has heard of everything before it. Dropped once that is told.
    Told(mpsc::Sender<()>),
}

/// Tells those who hear of news, and knows when there were some last.
#[derive(Clone)]
struct Teller {
    news: broadcast::Sender<News>,
    /// Of the list of resources, of that of tools, of the content of resources.
    last: Arc<Mutex<[Option<Instant>; 3]>>,
}

impl Teller {
    fn tell(&self, news: News) {
        // Before it is sent: who begins to hear, then looks here, misses nothing.
        let [listed, tools, updated] = &mut *lock(&self.last);
        match &news {
            News::Listed => *listed = Some(Instant::now()),
            News::Tools => *tools = Some(Instant::now()),
            News::Updated(_) => *updated = Some(Instant::now()),
            News::Told(_) => {}
        }
        // Nobody may be listening.
        let _ = self.news.send(news);
    }
}

/// The session of a client, and what belongs to it.
pub(super) struct ClientSession {
    pub(super) session: Session,
    pub(super) tasks: Tasks,
    teller: Teller,
    /// Whether those who hear of news are told of them by now.
    listens: AtomicBool,
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    /// Names of the skills that the client activated, in that order.
    active: Mutex<Vec<String>>,
    ended: CancellationToken,
    /// What answers that are for this session, and no other, come with.
    secret: [u8; 16],
    /// What links to its files name it by.
    link_id: [u8; LINK_ID],
    client: Client,
    /// The component that is being compiled for it, and when that is ready, about.
    compiled: watch::Receiver<Option<(String, Instant)>>,
    /// Files of the server's folders that it has read.
    pub(super) read_files: ReadFiles,
    /// What keeps its files when it ends, as long as there are links to them.
    keeps_files: Option<Arc<dyn KeepsFiles>>,
    /// The documents that every session has, until they are read.
    documents: Vec<PathBuf>,
    /// How many of them were read.
    given: AtomicUsize,
    /// Set when all of them were.
    has_documents: OnceCell<()>,
    /// Cancelled when what reads them has to be compiled first.
    compiling: CancellationToken,
    /// None for a session that only one request will ever see.
    _place: Option<Place>,
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
    /// Open a session for `client`, with the documents that every session has. It ends with `ended`. If what reads them has to
    /// be compiled, that is not waited for: they are read in the background then.
    pub(super) async fn open(
        host: &Host,
        client: &Client,
        options: &ServerOptions,
        (place, links): (Place, Arc<dyn KeepsFiles>),
        ended: CancellationToken,
    ) -> Result<Arc<ClientSession>> {
        let mut opened = ClientSession::new(host, client, Some(options), Some(place), ended)?;
        opened.keeps_files = Some(links);
        opened.documents.clone_from(&options.documents);
        let opened = Arc::new(opened);
        tokio::select! {
            biased;
            done = opened.ready() => done?,
            () = opened.compiling.cancelled() => {
                let (reading, ended) = (opened.clone(), opened.ended.clone());
                // Whoever needs them hears what is wrong with them.
                tokio::spawn(async move { ended.run_until_cancelled(reading.ready()).await });
            }
        }
        Ok(opened)
    }

    /// Wait until it has the documents that every session has.
    ///
    /// # Errors
    ///
    /// As [`Session::add_document`]; who asks next tries again.
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

    /// A session for one request that only looks. It has nothing, takes no place and leaves nothing.
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
        place: Option<Place>,
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
        let teller = Teller { news: broadcast::Sender::new(NEWS), last: Arc::default() };
        let known = Mutex::new(HashSet::new());
        let tells = teller.clone();
        let compiling = CancellationToken::new();
        let begun = compiling.clone();
        let (compiles, compiled) = watch::channel(None);
        let options = SessionOptions {
            tenant: client.tenant.clone(),
            assignment: client.id.clone(),
            folder,
            opens_folder_later: true,
            events: Some(Arc::new(move |event: &Event| {
                match event {
                    Event::Compiling { skill, elapsed, usual, .. } => {
                        begun.cancel();
                        let ready = Instant::now() + usual.saturating_sub(*elapsed);
                        compiles.send_replace(Some((skill.clone(), ready)));
                    }
                    Event::Compiled { .. } => drop(compiles.send_replace(None)),
                    _ => {}
                }
                if let Some(news) = told(event, &known) {
                    tells.tell(news);
                }
            })),
            keeps_sources: true,
            ..SessionOptions::default()
        };
        let session = host.session(options)?;
        Ok(ClientSession {
            session,
            tasks: Tasks::default(),
            teller,
            listens: AtomicBool::new(true),
            catalogue: Mutex::default(),
            active: Mutex::default(),
            ended,
            secret,
            link_id,
            client: client.clone(),
            compiled,
            read_files: ReadFiles::default(),
            keeps_files: None,
            documents: Vec::new(),
            given: AtomicUsize::new(0),
            has_documents: OnceCell::new(),
            compiling,
            _place: place,
        })
    }

    /// Whether nobody would miss it: it has no documents but those that every session has, and nothing was made in it.
    pub(super) fn is_blank(&self) -> bool {
        self.session.is_blank(self.given.load(Ordering::Relaxed)) && self.tasks.is_empty()
    }

    /// What the skills that it sees now offer.
    pub(super) async fn catalogue(&self, all: &Catalogues) -> Arc<Catalogue> {
        self.catalogue_of(all, self.session.registry()).await
    }

    /// What the skills of `registry`, which it saw, offer.
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

    /// The last one that was made.
    pub(super) fn known_catalogue(&self) -> Option<Arc<Catalogue>> {
        lock(&self.catalogue).clone()
    }

    /// The skills that the client activated, in that order: what was listed first stays where it was.
    pub(super) fn active(&self) -> Vec<String> {
        lock(&self.active).clone()
    }

    /// List the tools of the skill of this name, too. Whether they were not before.
    pub(super) fn activate(&self, name: &str) -> bool {
        let registry = self.session.registry();
        let mut active = lock(&self.active);
        if active.iter().any(|known| known == name) {
            return false;
        }
        // Those that are gone bring nothing, and there are never more than there are skills.
        active.retain(|known| registry.skill(known).is_ok());
        active.push(name.to_owned());
        drop(active);
        self.teller.tell(News::Tools);
        true
    }

    /// Waits until `moment`, and then until a component is being compiled for the session. Returns it with the time at which it is ready.
    pub(super) async fn compiles_after(&self, moment: Instant) -> (String, Instant) {
        tokio::time::sleep_until(moment.into()).await;
        let mut compiled = self.compiled.clone();
        loop {
            if let Some(component) = compiled.borrow_and_update().clone() {
                return component;
            }
            if compiled.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Hear of what happens from now on.
    pub(super) fn news(&self) -> broadcast::Receiver<News> {
        self.teller.news.subscribe()
    }

    /// Which news there were at `since` or later: of the list of resources, of that of tools, of the content of resources.
    pub(super) fn news_since(&self, since: Instant) -> [bool; 3] {
        lock(&self.teller.last).map(|last| last.is_some_and(|last| last >= since))
    }

    /// Whether the client is told of news: not before it says that it is ready, which some never do.
    pub(super) fn listens(&self, listens: bool) {
        self.listens.store(listens, Ordering::Relaxed);
    }

    /// Wait until all who listen have been told what happened until now, for at most `patience`: whatever belongs to a call is
    /// told before its answer, as some clients hear nothing any more once they have that.
    pub(super) async fn all_told(&self, patience: Duration) {
        if !self.listens.load(Ordering::Relaxed) {
            return;
        }
        let (told, mut wait) = mpsc::channel(1);
        // The last one that is dropped ends the wait: here if nobody listens.
        self.teller.tell(News::Told(told));
        let _ = tokio::time::timeout(patience, wait.recv()).await;
    }

    pub(super) fn secret(&self) -> &[u8] {
        &self.secret
    }

    pub(super) fn link_id(&self) -> [u8; LINK_ID] {
        self.link_id
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Cancelled when it ends, whoever still holds it.
    pub(super) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// End its calls, tasks and streams.
    pub(super) fn end(&self) {
        self.ended.cancel();
    }
}

fn told(event: &Event, known: &Mutex<HashSet<String>>) -> Option<News> {
    match event {
        Event::DocumentReady { .. } => Some(News::Listed),
        Event::Delivered { artifact, .. } => {
            let is_new = lock(known).insert(artifact.name.clone());
            Some(match is_new {
                true => News::Listed,
                false => News::Updated(uri::artifact(&artifact.name)),
            })
        }
        _ => None,
    }
}
