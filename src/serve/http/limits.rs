//! Limits of the HTTP server, with their defaults and reasons.

use std::time::Duration;

use mitt_base::limits::{KIB, MIB};

/// Limits of an [`HttpServer`](super::HttpServer). Those of calls and sessions are elsewhere
/// ([`CallLimits`](mitt_base::CallLimits), [`SessionLimits`](mitt_base::SessionLimits)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Open connections. Default 512. One more is answered 503 and closed.
    pub connections: usize,
    /// Open connections of one address (IPv6: of one /64 network). Default 64. Loopback is not counted: behind a proxy all
    /// clients come from there.
    pub connections_per_address: usize,
    /// Open connections that were last used by one client. Default 128, twice as many as it may make requests at once. A
    /// request on one more is answered 429 and the connection closed.
    pub connections_per_client: usize,
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
    /// How long a body may come slower than `body_rate` in the beginning. Default 5 s.
    pub body_grace: Duration,
    /// Least rate of a body once `body_grace` is over, in bytes per second, over all of it. Default 16 KiB, less than the
    /// slowest mobile network; what is slower is answered 408. A body of the largest size has to be faster still, as
    /// `body_time` bounds it too.
    pub body_rate: u64,
    /// Bodies being read and handled at once, in bytes, counted as they arrive. Default 64 MiB. What does not fit is answered
    /// 503; so is what one client sends beyond one body if it holds more than is free.
    pub bodies_bytes: u64,
    /// The same of one client, not counting bodies of up to 64 KiB. Default 16 MiB, a quarter of all; at least one body fits.
    /// What does not fit waits for `body_time` and is answered 429 then.
    pub bodies_bytes_per_client: u64,
    /// Documents that are being received at once, in bytes. Default 256 MiB, of one client a quarter of it; at least one document of the
    /// largest size fits. Bounds and answers are those of `bodies_bytes`.
    pub uploads_bytes: u64,
    /// Until a document is received. Default 10 min; then it is answered 408.
    pub upload_time: Duration,
    /// How long a client may take nothing of an answer. Default 30 s; then its connection is closed.
    pub write_time: Duration,
    /// Least rate at which a client takes an answer once `write_time` is over, in bytes per second. Default 16 KiB; then its
    /// connection is closed.
    pub write_rate: u64,
    /// Requests of one client at once. Default 64; one more is answered 429. A stream by which a session of 2025-11-25 hears
    /// of changes is none of them.
    pub requests_per_client: usize,
    /// Streams of one client at once by which its sessions of 2025-11-25 hear of changes. Default 64, one for each session; one
    /// more is answered 429.
    pub streams_per_client: usize,
    /// Files that browsers take by links at once. Default 32; one more is answered 503.
    pub downloads: usize,
    /// Sessions of one client (revision 2025-11-25). Default 64; one more is answered 429.
    pub sessions_per_client: usize,
    /// Sessions of all clients. Default 256; one more is answered 503. A client with more than eight has at most as many as
    /// are free, so that one without any finds a place.
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
            connections_per_client: 128,
            header_fields: 100,
            header_bytes: 16 * KIB,
            header_time: Duration::from_secs(30),
            body_bytes: 4 * MIB,
            body_time: Duration::from_secs(30),
            body_grace: Duration::from_secs(5),
            body_rate: 16 * KIB,
            bodies_bytes: 64 * MIB,
            bodies_bytes_per_client: 16 * MIB,
            uploads_bytes: 256 * MIB,
            upload_time: Duration::from_secs(10 * 60),
            write_time: Duration::from_secs(30),
            write_rate: 16 * KIB,
            requests_per_client: 64,
            streams_per_client: 64,
            downloads: 32,
            sessions_per_client: 64,
            sessions: 256,
            session_idle: Duration::from_secs(30 * 60),
            grace: Duration::from_secs(10),
        }
    }
}
