//! A program as a transport of the protocol: its messages are weighed, and it ends when the connection does.

use std::io;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::last_words::LastWords;
use super::message_weight::MessageReader;

/// Time for a program to end after its input was closed, and again after the signal.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// A running program. It is killed on drop.
pub(crate) struct Program {
    child: Option<Box<dyn ChildWrapper>>,
    messages: AsyncRwTransport<RoleClient, MessageReader<ChildStdout>, ChildStdin>,
}

impl Program {
    /// Starts the program. Also returns its standard error.
    pub(crate) fn start(
        mut command: CommandWrap,
        words: &LastWords,
    ) -> io::Result<(Program, ChildStderr)> {
        let mut child = command.spawn()?;
        let none = || io::Error::other("the program has no pipes");
        let stdin = child.stdin().take().ok_or_else(none)?;
        let stdout = child.stdout().take().ok_or_else(none)?;
        let stderr = child.stderr().take().ok_or_else(none)?;
        let messages =
            AsyncRwTransport::new_client(MessageReader::new(stdout, words.clone()), stdin);
        Ok((Program { child: Some(child), messages }, stderr))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.start_kill();
        }
    }
}

impl Transport<RoleClient> for Program {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.messages.send(message)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.messages.receive()
    }

    /// Ends it as the protocol asks: close its input, then send a signal, then kill it.
    async fn close(&mut self) -> io::Result<()> {
        self.messages.close().await?;
        let Some(child) = self.child.as_mut() else { return Ok(()) };
        if tokio::time::timeout(END_TIMEOUT, child.wait()).await.is_err() {
            #[cfg(unix)]
            if child.signal(SIGTERM).is_ok() {
                let _ = tokio::time::timeout(END_TIMEOUT, child.wait()).await;
            }
            let _ = child.start_kill();
            let _ = tokio::time::timeout(END_TIMEOUT, child.wait()).await;
        }
        self.child = None;
        Ok(())
    }
}

/// `SIGTERM`, the same number on every Unix.
#[cfg(unix)]
const SIGTERM: i32 = 15;

/// A program under a supervisor. The supervisor gets a signal and then ends everything that the program started; killed, it
/// could not.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct Supervised;

#[cfg(target_os = "linux")]
impl process_wrap::tokio::CommandWrapper for Supervised {
    fn wrap_child(
        &mut self,
        child: Box<dyn ChildWrapper>,
        _: &CommandWrap,
    ) -> io::Result<Box<dyn ChildWrapper>> {
        Ok(Box::new(Supervisor(child)))
    }
}

#[cfg(target_os = "linux")]
#[derive(Debug)]
struct Supervisor(Box<dyn ChildWrapper>);

#[cfg(target_os = "linux")]
impl ChildWrapper for Supervisor {
    fn inner(&self) -> &dyn ChildWrapper {
        &*self.0
    }

    fn inner_mut(&mut self) -> &mut dyn ChildWrapper {
        &mut *self.0
    }

    fn into_inner(self: Box<Self>) -> Box<dyn ChildWrapper> {
        self.0
    }

    fn start_kill(&mut self) -> io::Result<()> {
        // A process that has ended has no id any more.
        match self.0.try_wait() {
            Ok(Some(_)) => Ok(()),
            _ => self.0.signal(SIGTERM),
        }
    }
}
