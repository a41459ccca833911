//! Limits of the HTTP server, with their defaults and reasons.

use std::time::Duration;

use crate::limits::{KIB, MIB};

/// Limits of an [`HttpServer`](super::HttpServer). Those of calls and sessions are elsewhere
/// ([`CallLimits`](crate::CallLimits), [`SessionLimits`](crate::SessionLimits)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Open connections. Default 512. One more is answered 503 and closed.
    pub connections: usize,
    /// Open connections of one address (IPv6: of one /64 network). Default 64. Loopback is not counted: behind a proxy all
    /// clients come from there.
    pub connections_per_address: usize,
    /// Fields of a request's header. Default 100; more are answered 431.
    pub header_fields: usize,
    /// Size of a request's header with its first line, in bytes. Default 16 KiB; more is answered 431.
    pub header_bytes: u64,
    /// From the moment a request is expected until its header is complete: ends senders that trickle, and connections that
    /// are idle. Default 30 s.
    pub header_time: Duration,
    /// Size of a request's body, in bytes. Default 4 MiB; more is answered 413.
    pub body_bytes: u64,
    /// Until a body is complete. Default 30 s; then it is answered 408.
    pub body_time: Duration,
    /// Bodies being read and handled at once, in bytes. Default 64 MiB. Whoever waits longer than `body_time` for a share is
    /// answered 503.
    pub bodies_bytes: u64,
    /// How long a client may take nothing of an answer. Default 30 s; then its connection is closed.
    pub write_time: Duration,
    /// Requests of one client at once, open streams included. Default 64; one more is answered 429.
    pub requests_per_client: usize,
    /// Sessions of one client (revision 2025-11-25). Default 64; one more is answered 429.
    pub sessions_per_client: usize,
    /// Sessions of all clients. Default 256; one more is answered 503.
    pub sessions: usize,
    /// A session in which nothing happens for so long ends, with its documents and artifacts. Default 30 min.
    pub session_idle: Duration,
    /// What a shutdown gives running calls before it cancels them. Default 10 s.
    pub grace: Duration,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits {
            connections: 512,
            connections_per_address: 64,
            header_fields: 100,
            header_bytes: 16 * KIB,
            header_time: Duration::from_secs(30),
            body_bytes: 4 * MIB,
            body_time: Duration::from_secs(30),
            bodies_bytes: 64 * MIB,
            write_time: Duration::from_secs(30),
            requests_per_client: 64,
            sessions_per_client: 64,
            sessions: 256,
            session_idle: Duration::from_secs(30 * 60),
            grace: Duration::from_secs(10),
        }
    }
}
