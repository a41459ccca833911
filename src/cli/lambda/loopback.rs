//! Sends requests over HTTP to servers on this machine: the Runtime API, and the MCP server behind the function.

use hyper::body::{Body, Incoming};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, ToSocketAddrs};

/// Why no response came.
pub(super) type SendError = Box<dyn std::error::Error + Send + Sync>;

/// Sends a request on a connection of its own: a kept one may be dead after the function was frozen, and a new one on loopback
/// takes some 50 µs.
///
/// # Errors
///
/// Nothing listens at the address, or the connection ends before the head of a response.
pub(super) async fn send<B>(
    address: impl ToSocketAddrs,
    request: Request<B>,
) -> Result<Response<Incoming>, SendError>
where
    B: Body<Data: Send, Error: Into<SendError>> + Send + 'static,
{
    let stream = TcpStream::connect(address).await?;
    let _ = stream.set_nodelay(true);
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(async move {
        // An error reaches the request, which reports it.
        let _ = connection.await;
    });
    Ok(sender.send_request(request).await?)
}
