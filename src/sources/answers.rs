//! Bounds the requests of a server that does not read our answers: each request becomes a task that waits until its answer
//! is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleClient;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::last_words::LastWords;

/// Most requests of a server with unsent answers.
const MAX_OPEN: usize = 64;

/// A transport that ends when the server floods us with requests.
pub(crate) struct BoundedAnswers<T> {
    inner: T,
    open: Arc<AtomicUsize>,
    words: LastWords,
}

impl<T> BoundedAnswers<T> {
    /// Bounds `inner`, and records in `words` why it ended.
    pub(crate) fn new(inner: T, words: LastWords) -> BoundedAnswers<T> {
        BoundedAnswers { inner, open: Arc::default(), words }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for BoundedAnswers<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let open = self.open.clone();
        let sent = self.inner.send(message);
        async move {
            let sent = sent.await;
            if is_answer {
                // An answer without a request must not lower the count below zero.
                let less = |open: usize| open.checked_sub(1);
                let _ = open.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        if matches!(message, JsonRpcMessage::Request(_))
            && self.open.fetch_add(1, Ordering::AcqRel) >= MAX_OPEN
        {
            self.words
                .add(&format!("it asked more than {MAX_OPEN} things without taking the answers"));
            return None;
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rmcp::model::ServerJsonRpcMessage;
    use serde_json::json;

    use super::*;

    /// A server that sends requests, and reads answers only if `takes`.
    struct Flood {
        sent: u64,
        takes: bool,
    }

    impl Transport<RoleClient> for Flood {
        type Error = Infallible;

        fn send(
            &mut self,
            _: TxJsonRpcMessage<RoleClient>,
        ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
            let takes = self.takes;
            async move {
                if !takes {
                    std::future::pending::<()>().await;
                }
                Ok(())
            }
        }

        async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
            self.sent += 1;
            let ping = json!({ "jsonrpc": "2.0", "id": self.sent, "method": "ping" });
            Some(serde_json::from_value(ping).unwrap())
        }

        async fn close(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_server_that_takes_no_answers_is_ended_and_others_ask_as_often_as_they_like() {
        for takes in [false, true] {
            let mut transport = BoundedAnswers::new(Flood { sent: 0, takes }, LastWords::default());
            let mut answers = tokio::task::JoinSet::new();
            let mut received = 0;
            while received < 1_000 && transport.receive().await.is_some() {
                received += 1;
                let answer = json!({ "jsonrpc": "2.0", "id": received, "result": {} });
                let sent = transport.send(serde_json::from_value(answer).unwrap());
                if takes { sent.await.unwrap() } else { drop(answers.spawn(sent)) }
            }
            assert_eq!(received, if takes { 1_000 } else { MAX_OPEN });
        }
    }
}
