//! One client of a server against the others: sessions, connections, bodies, processor time.

mod bodies;
mod faults;
mod messages;
mod sessions;
mod time;

use mitt_serve::http::HttpOptions;
use mitt_serve::mcp::ServerOptions;

use crate::http::client::{Client, Running, start_with};
use crate::http::tokens::{Tokens, token};

/// A server with an attacker, who holds one valid token, and another client.
struct Two {
    server: Running,
    mallory: Client,
    alice: Client,
    // Keeps the file alive.
    _tokens: Tokens,
}

async fn two(server: ServerOptions, more: impl FnOnce(&mut HttpOptions)) -> Two {
    let (alice, alice_line) = token("alice");
    let (mallory, mallory_line) = token("mallory");
    let tokens = Tokens::new(&[alice_line, mallory_line]);
    let mut options = tokens.options();
    more(&mut options);
    let server = start_with(server, options).await;
    Two {
        mallory: server.client_with(&mallory).await,
        alice: server.client_with(&alice).await,
        server,
        _tokens: tokens,
    }
}
