//! Functions of JavaScript that answer requests: tools and models.

use std::sync::Arc;

use async_trait::async_trait;
use mitt::{Error, ErrorKind, Result};
use mitt_c::binding::{Answer, bounded, reported};

use crate::bridge::{Environment, Message};

/// A function of JavaScript, which is forgotten there with its last user.
pub(crate) struct JsFunction {
    environment: Arc<Environment>,
    number: u32,
}

impl JsFunction {
    /// Returns the function that JavaScript knows by this number.
    pub(crate) fn new(environment: &Arc<Environment>, number: u32) -> Arc<JsFunction> {
        Arc::new(JsFunction { environment: environment.clone(), number })
    }
}

#[async_trait]
impl Answer for JsFunction {
    async fn answer(&self, request: String, kind: ErrorKind) -> Result<Vec<u8>> {
        let ended = || {
            Error::new(kind.clone(), "the thread of the function has ended")
                .hint("keep the worker thread that made the host until its calls have ended")
        };
        let asked = self.environment.ask(self.number, request);
        let (id, receiver) = asked.ok_or_else(ended)?;
        let waiting = Waiting { environment: &self.environment, id };
        let answered = receiver.await.map_err(|_| ended());
        drop(waiting);
        match answered? {
            (true, answer) => bounded(answer.into_bytes()),
            (false, error) => {
                Err(reported(kind, error.as_bytes(), "the function failed without a message"))
            }
        }
    }
}

impl Drop for JsFunction {
    fn drop(&mut self) {
        self.environment.send(Message::Forget(self.number));
    }
}

/// A request that waits. If it is dropped before the answer came, JavaScript is notified.
struct Waiting<'a> {
    environment: &'a Environment,
    id: u32,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.environment.withdraw(self.id);
    }
}
