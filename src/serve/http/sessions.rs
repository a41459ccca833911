//! The sessions of one client, on top of rmcp's manager: bounds their number and their idle time, and cancels running
//! requests when a session ends.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_core::Stream;
use futures_util::StreamExt as _;
use hyper::HeaderMap;
use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    GetExtensions as _, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};

/// The header in which a client names its session.
pub(super) const SESSION_ID: &str = "mcp-session-id";

/// The first revision of MCP whose streams begin with an event with an id and no data, so that a client can resume them.
const FIRST_PRIMED: &str = "2025-11-25";

/// Returns `true` if the stream of a request may begin with an event without data. Clients of older revisions parse the data
/// of each event as JSON and fail at an empty one. A client names its revision in each request except `initialize`.
pub(super) fn is_primed(headers: &HeaderMap) -> bool {
    let revision = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    revision.is_some_and(|revision| revision >= FIRST_PRIMED)
}

type LocalTransport = <LocalSessionManager as SessionManager>::Transport;

/// Counts sessions; all clones share the count.
#[derive(Clone, Debug, Default)]
pub(super) struct Count(Arc<AtomicUsize>);

impl Count {
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }
}

#[derive(Debug)]
struct Counted(Count);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The sessions of one client.
#[derive(Debug)]
pub(super) struct Sessions {
    local: LocalSessionManager,
    own: Count,
    all: Count,
}

impl Sessions {
    /// Makes the sessions of a client. `all` counts the sessions of every client.
    pub(super) fn new(idle: Duration, all: Count) -> Sessions {
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(idle);
        Sessions { local, own: Count::default(), all }
    }

    pub(super) fn len(&self) -> usize {
        self.own.get()
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), Self::Error> {
        let (id, local) = self.local.create_session().await?;
        let counted = [self.own.add(), self.all.add()];
        Ok((
            id,
            SessionTransport { local, running: HashSet::new(), ended: None, _counted: counted },
        ))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let is_primed = match &message {
            JsonRpcMessage::Request(request) => {
                let parts = request.request.extensions().get::<Parts>();
                parts.is_some_and(|parts| is_primed(&parts.headers))
            }
            _ => false,
        };
        let events = self.local.create_stream(id, message).await?;
        let is_kept = move |event: &ServerSseMessage| is_primed || event.message.is_some();
        let events = events.filter(move |event| std::future::ready(is_kept(event)));
        // If events have ids, clients of older revisions resume a stream that has ended, again and again.
        Ok(events.map(move |mut event| {
            event.event_id = event.event_id.filter(|_| is_primed);
            event
        }))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.resume(id, last_event_id).await
    }
}

/// The transport of a session. When the client ends the session or it has been idle too long, requests that still run are
/// cancelled first: rmcp alone would let them run on for five seconds, and only then stop them.
#[derive(Debug)]
pub(super) struct SessionTransport<T = LocalTransport> {
    local: T,
    running: HashSet<RequestId>,
    /// The requests left to cancel once the session has ended.
    ended: Option<Vec<RequestId>>,
    _counted: [Counted; 2],
}

impl<T> SessionTransport<T> {
    fn note(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.running.insert(request.id.clone());
            }
            // A cancelled request gets no answer, and would count as running as long as the session lasts.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.running.remove(id);
                }
            }
            _ => {}
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for SessionTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &message {
            JsonRpcMessage::Response(response) => {
                self.running.remove(&response.id);
            }
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.running.remove(id);
                }
            }
            _ => {}
        }
        self.local.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if self.ended.is_none() {
            match self.local.receive().await {
                Some(message) => {
                    self.note(&message);
                    return Some(message);
                }
                None => self.ended = Some(self.running.drain().collect()),
            }
        }
        self.ended.as_mut()?.pop().map(cancelled)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.local.close().await
    }
}

fn cancelled(id: RequestId) -> ClientJsonRpcMessage {
    let param = CancelledNotificationParam::new(Some(id), Some("the session has ended".to_owned()));
    ClientJsonRpcMessage::notification(ClientNotification::CancelledNotification(
        CancelledNotification::new(param),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A client that makes requests and cancels them leaves nothing behind.
    #[test]
    fn what_is_cancelled_is_forgotten() {
        let (own, all) = (Count::default(), Count::default());
        let counted = [own.add(), all.add()];
        let mut transport =
            SessionTransport { local: (), running: HashSet::new(), ended: None, _counted: counted };
        let mut note = |message| {
            transport.note(&serde_json::from_value(message).unwrap());
            transport.running.len()
        };
        for id in 0..100 {
            assert_eq!(note(json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })), 1);
            let params = json!({ "requestId": id });
            let method = "notifications/cancelled";
            assert_eq!(note(json!({ "jsonrpc": "2.0", "method": method, "params": params })), 0);
        }
        drop(transport);
        assert_eq!((own.get(), all.get()), (0, 0));
    }
}
