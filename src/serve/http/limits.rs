//! Limits of the HTTP server, with their defaults and reasons.

use std::time::Duration;

use mitt_base::limits::{KIB, MIB};

/// Limits of an [`HttpServer`](super::HttpServer). For calls and sessions see [`CallLimits`](mitt_base::CallLimits) and
/// [`SessionLimits`](mitt_base::SessionLimits).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Open connections. Default 512. A further one gets 503 and is closed.
    pub connections: usize,
    /// Open connections from one address (IPv6: one /64 network). Default 64. Loopback does not count, because behind a
    /// proxy all clients come from there.
    pub connections_per_address: usize,
    /// Open connections last used by one client. Default 128, twice its concurrent requests. A request on a further one gets
    /// 429, and the connection is closed.
    pub connections_per_client: usize,
    /// Fields of a request's header. Default 100; more get 431.
    pub header_fields: usize,
    /// Size of a request's header including its first line, in bytes. Default 16 KiB; more gets 431.
    pub header_bytes: u64,
    /// Time until the header of the next request is complete. It ends slow senders and idle connections. Default 30 s.
    pub header_time: Duration,
    /// Size of a request's body, in bytes. Default 4 MiB; more gets 413.
    pub body_bytes: u64,
    /// Time until a body is complete. Default 30 s; then it gets 408.
    pub body_time: Duration,
    /// How long a body may be slower than `body_rate` at the beginning. Default 5 s.
    pub body_grace: Duration,
    /// Least average rate of a body after `body_grace`, in bytes per second. Default 16 KiB, less than the slowest mobile
    /// network; a slower body gets 408. A body of the largest size must be faster, because `body_time` applies too.
    pub body_rate: u64,
    /// Bodies of all clients that are read and handled at once, in bytes, counted on arrival. Default 64 MiB. A body that
    /// does not fit gets 503; so does a further body of a client that holds more memory than is free.
    pub bodies_bytes: u64,
    /// Bodies of one client that are read and handled at once, in bytes, not counting bodies of up to 64 KiB. Default 16
    /// MiB, a quarter of all; at least one body fits. A body that does not fit waits for `body_time` and then gets 429.
    pub bodies_bytes_per_client: u64,
    /// Documents that are received at once, in bytes. Default 256 MiB, a quarter of it for one client; at least one document
    /// of the largest size fits. They are bounded and refused like `bodies_bytes`.
    pub uploads_bytes: u64,
    /// Time until a document is received. Default 10 min; then it gets 408.
    pub upload_time: Duration,
    /// How long a client may read nothing of a response. Default 30 s; then its connection is closed.
    pub write_time: Duration,
    /// Least rate at which a client reads a response after `write_time`, in bytes per second. Default 16 KiB; if it is
    /// slower, its connection is closed.
    pub write_rate: u64,
    /// Concurrent requests of one client. Default 64; a further one gets 429. The stream of notifications of a session of
    /// 2025-11-25 does not count.
    pub requests_per_client: usize,
    /// Concurrent streams of notifications of one client's sessions of 2025-11-25. Default 64, one for each session; a
    /// further one gets 429.
    pub streams_per_client: usize,
    /// Concurrent downloads of files by links. Default 32; a further one gets 503.
    pub downloads: usize,
    /// Sessions of one client (revision 2025-11-25). Default 64; a further one gets 429.
    pub sessions_per_client: usize,
    /// Sessions of all clients. Default 256; a further one gets 503. A client with more than eight has at most as many as
    /// are free, so that a client without any finds a place.
    pub sessions: usize,
    /// Idle time after which a session ends, with its documents and artifacts. Default 30 min.
    pub session_idle: Duration,
    /// Time that a shutdown gives running calls before it cancels them. Default 10 s.
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
