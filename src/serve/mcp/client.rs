//! Everything that belongs to one client: its session, its tasks, and the changes that it may want to hear of.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::catalogue::Catalogue;
use super::places::Place;
use super::server::{Client, Server};
use super::tasks::Tasks;
use super::uri;
use mitt::skill::Registry;
use mitt::{Event, Session, SessionOptions};
use mitt_base::{Error, Result};

/// How many changes a listener may be behind before it misses some. It then compares everything anew.
const NEWS: usize = 256;

/// Something of the session that a client may have a copy of has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// There is one more resource.
    Listed,
    /// The resource of this URI has another content.
    Updated(String),
}

/// The session of a client, and what belongs to it.
pub(super) struct ClientSession {
    pub(super) session: Session,
    pub(super) tasks: Tasks,
    news: broadcast::Sender<News>,
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    ended: CancellationToken,
    /// What answers that are for this session, and no other, come with.
    secret: [u8; 16],
    /// Documents that it had from its beginning.
    given: usize,
    /// None for a session that only one request will ever see.
    _place: Option<Place>,
}

impl Drop for ClientSession {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

impl ClientSession {
    /// Open a session for `client`, with the documents that every session has.
    pub(super) async fn open(server: &Server, client: &Client) -> Result<Arc<ClientSession>> {
        let place = server.place(client)?;
        let folder = server.options().folder.clone();
        let mut opened = ClientSession::new(server, client, folder, Some(place))?;
        for path in &server.options().documents {
            opened.session.add_document(path).await?;
            opened.given += 1;
        }
        Ok(Arc::new(opened))
    }

    /// A session for one request that only looks. It has nothing, takes no place and leaves nothing.
    pub(super) fn passing(server: &Server, client: &Client) -> Result<Arc<ClientSession>> {
        ClientSession::new(server, client, None, None).map(Arc::new)
    }

    fn new(
        server: &Server,
        client: &Client,
        folder: Option<PathBuf>,
        place: Option<Place>,
    ) -> Result<ClientSession> {
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(Error::bug)?;
        let (news, _) = broadcast::channel(NEWS);
        let known = Mutex::new(HashSet::new());
        let teller = news.clone();
        let options = SessionOptions {
            tenant: client.tenant.clone(),
            assignment: client.id.clone(),
            folder,
            events: Some(Arc::new(move |event: &Event| {
                if let Some(news) = told(event, &known) {
                    // Nobody may be listening.
                    let _ = teller.send(news);
                }
            })),
            ..SessionOptions::default()
        };
        let session = server.host().session(options)?;
        Ok(ClientSession {
            session,
            tasks: Tasks::default(),
            news,
            catalogue: Mutex::default(),
            ended: server.closed().child_token(),
            secret,
            given: 0,
            _place: place,
        })
    }

    /// Whether nobody would miss it: it has no documents but those that every session has, and nothing was made in it.
    pub(super) fn is_blank(&self) -> bool {
        self.session.is_blank(self.given) && self.tasks.is_empty()
    }

    /// What the skills that it sees now offer.
    pub(super) async fn catalogue(&self, server: &Server) -> Arc<Catalogue> {
        self.catalogue_of(server, self.session.registry()).await
    }

    /// What the skills of `registry`, which it saw, offer.
    pub(super) async fn catalogue_of(&self, server: &Server, registry: Registry) -> Arc<Catalogue> {
        if let Some(known) = self.known_catalogue().filter(|known| known.is_of(&registry)) {
            return known;
        }
        let catalogue = server.catalogue(registry).await;
        *self.catalogue.lock().unwrap_or_else(PoisonError::into_inner) = Some(catalogue.clone());
        catalogue
    }

    /// The last one that was made.
    pub(super) fn known_catalogue(&self) -> Option<Arc<Catalogue>> {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Hear of what happens from now on.
    pub(super) fn news(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    pub(super) fn secret(&self) -> &[u8] {
        &self.secret
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
            let is_new =
                known.lock().unwrap_or_else(PoisonError::into_inner).insert(artifact.name.clone());
            Some(match is_new {
                true => News::Listed,
                false => News::Updated(uri::artifact(&artifact.name)),
            })
        }
        _ => None,
    }
}
