//! Signed requests. Those that may succeed soon are tried again, each time later.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use mitt_base::{Error, Result};
use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap, RANGE};
use reqwest::{Client, Method, Response, Url, redirect};
use tokio::sync::OnceCell;

use super::failures::{Refusal, unexpected, unreachable};
use crate::causes::causes;
use crate::retry_after::retry_after;
use crate::tls::tls_config;

/// Longest time for connecting, including TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest time of a request with its response, and longest time without a byte of the response.
const TIMEOUT: Duration = Duration::from_secs(300);
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Most tries of a request.
const MOST_TRIES: u32 = 6;

/// First and longest wait before another try. A server that names a time is asked again then, at the latest after `WAIT.1`.
const WAIT: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));

/// Most bytes of a response that is no object: errors and results in XML.
const MAX_ANSWER_BYTES: u64 = 64 * 1024;

/// Returns the time after 1970.
pub(super) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Connections to a server.
pub(super) struct Exchange {
    /// Made for the first request, because reading certificates takes a while.
    client: OnceCell<Client>,
    pub(super) server: String,
    pub(super) clock: Clock,
    first_wait: Duration,
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("server", &self.server).finish_non_exhaustive()
    }
}

/// A request that is signed for each try.
pub(super) struct Request<'a> {
    pub(super) method: Method,
    /// Returns the signed address.
    pub(super) sign: &'a (dyn Fn() -> Url + Sync),
    pub(super) body: bytes::Bytes,
    /// Media type of the body, which the server keeps; `None` leaves it to the server.
    pub(super) media_type: Option<&'a str>,
    /// First and last byte that are asked for.
    pub(super) range: Option<(u64, u64)>,
    /// The address of the object, for errors.
    pub(super) place: &'a str,
    /// Most bytes of the response.
    pub(super) most: u64,
}

/// A response of success.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) etag: Option<String>,
    /// Length that the headers name.
    pub(super) length: Option<u64>,
    /// Size of the whole object, if the response is a part of it.
    pub(super) whole: Option<u64>,
    pub(super) body: Vec<u8>,
}

/// Why a request has no result.
pub(super) enum Failure {
    /// The server refused. If the request is a repeat, the server may have done what an earlier try asked for.
    Refused { refusal: Refusal, is_repeat: bool },
    /// The server did not respond, or its response does not follow the S3 interface.
    Failed(Error),
}

/// One try that failed.
enum Attempt {
    Refused(Refusal, Option<Duration>),
    Lost(String),
    Failed(Error),
}

impl Exchange {
    pub(super) fn new(server: String, clock: Clock) -> Exchange {
        Exchange { client: OnceCell::new(), server, clock, first_wait: WAIT.0 }
    }

    /// Waits less, for tests.
    #[cfg(test)]
    pub(super) fn first_wait(&mut self, wait: Duration) {
        self.first_wait = wait;
    }

    async fn client(&self) -> Result<&Client> {
        self.client
            .get_or_try_init(|| async {
                let made = tokio::task::spawn_blocking(|| {
                    let tls = tls_config(true, &[])?;
                    // A redirect names another region, and its address would have to be signed anew.
                    let builder = Client::builder()
                        .tls_backend_preconfigured(tls)
                        .redirect(redirect::Policy::none());
                    let builder = builder.connect_timeout(CONNECT_TIMEOUT);
                    let builder = builder.timeout(TIMEOUT).read_timeout(READ_TIMEOUT);
                    builder.build().map_err(|error| causes(&error))
                });
                made.await.map_err(Error::bug)?.map_err(Error::bug)
            })
            .await
    }

    /// Sends a request until it has a result, or tries are used up.
    pub(super) async fn send(&self, request: &Request<'_>) -> Result<Answer, Failure> {
        let (mut wait, mut n_tries) = (self.first_wait, 0);
        loop {
            n_tries += 1;
            let is_repeat = n_tries > 1;
            let mut named = None;
            let failure = match self.attempt(request).await {
                Ok(answer) => return Ok(answer),
                Err(Attempt::Failed(error)) => return Err(Failure::Failed(error)),
                Err(Attempt::Refused(refusal, after)) => {
                    if !refusal.passes() {
                        return Err(Failure::Refused { refusal, is_repeat });
                    }
                    named = after;
                    Failure::Refused { refusal, is_repeat }
                }
                Err(Attempt::Lost(cause)) => {
                    Failure::Failed(unreachable(&self.server, request.place, cause))
                }
            };
            if n_tries == MOST_TRIES {
                return Err(failure);
            }
            tokio::time::sleep(pause(wait, named, jitter())).await;
            wait = (wait * 2).min(WAIT.1);
        }
    }

    /// Sends a request, and returns the error if there is no result.
    pub(super) async fn done(&self, request: &Request<'_>) -> Result<Answer> {
        self.send(request).await.map_err(|failure| self.error(failure, request.place))
    }

    /// Returns the error of a failure.
    pub(super) fn error(&self, failure: Failure, place: &str) -> Error {
        match failure {
            Failure::Refused { refusal, .. } => refusal.error(&self.server, place),
            Failure::Failed(error) => error,
        }
    }

    async fn attempt(&self, request: &Request<'_>) -> Result<Answer, Attempt> {
        let client = self.client().await.map_err(Attempt::Failed)?;
        let mut builder = client.request(request.method.clone(), (request.sign)());
        if let Some((first, last)) = request.range {
            builder = builder.header(RANGE, format!("bytes={first}-{last}"));
        }
        if matches!(request.method, Method::POST | Method::PUT) {
            builder = builder.body(request.body.clone());
        }
        if let Some(media_type) = request.media_type {
            builder = builder.header(CONTENT_TYPE, media_type);
        }
        let lost = |error: reqwest::Error| Attempt::Lost(causes(&error));
        let response = builder.send().await.map_err(lost)?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let is_success = response.status().is_success();
        let most = if is_success { request.most } else { MAX_ANSWER_BYTES };
        let (body, is_whole) = bounded(response, most).await.map_err(lost)?;
        // `CompleteMultipartUpload` may fail after its status was sent.
        let is_refused = request.method == Method::POST && contains(&body, b"<Error>");
        if !is_success || is_refused {
            let region = text_of(&headers, "x-amz-bucket-region");
            let refusal = Refusal::new(status, &String::from_utf8_lossy(&body), region);
            let after = retry_after(&headers, UNIX_EPOCH + (self.clock)());
            return Err(Attempt::Refused(refusal, after));
        }
        if !is_whole {
            let message = format!("more than {most} bytes");
            return Err(Attempt::Failed(unexpected(&self.server, request.place, &message)));
        }
        Ok(Answer {
            status,
            etag: text_of(&headers, ETAG.as_str()),
            length: text_of(&headers, CONTENT_LENGTH.as_str()).and_then(|it| it.parse().ok()),
            whole: text_of(&headers, CONTENT_RANGE.as_str()).and_then(|it| whole_of(&it)),
            body,
        })
    }

    /// Most bytes of a response in XML.
    pub(super) const MAX_ANSWER_BYTES: u64 = MAX_ANSWER_BYTES;
}

fn text_of(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Returns the size of the whole object from `bytes 0-9/1234`; `None` if it is not named.
fn whole_of(content_range: &str) -> Option<u64> {
    content_range.rsplit_once('/')?.1.trim().parse().ok()
}

fn contains(body: &[u8], words: &[u8]) -> bool {
    body.windows(words.len()).any(|window| window == words)
}

/// Returns at most `most` bytes of a response, and whether they are all.
async fn bounded(mut response: Response, most: u64) -> reqwest::Result<(Vec<u8>, bool)> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        let left = usize::try_from(most).unwrap_or(usize::MAX).saturating_sub(body.len());
        body.extend_from_slice(piece.get(..left).unwrap_or(&piece));
        if piece.len() > left {
            return Ok((body, false));
        }
    }
    Ok((body, true))
}

/// Returns the time before another try: between half of `wait` and all of it, and no less than the server named.
pub(super) fn pause(wait: Duration, named: Option<Duration>, jitter: f64) -> Duration {
    let own = wait.mul_f64(0.5 + jitter / 2.0);
    named.map_or(own, |named| named.max(own)).min(WAIT.1)
}

/// Returns a number between 0 and 1, so that processes do not try at the same moment.
fn jitter() -> f64 {
    let mut byte = [0_u8; 1];
    let _ = getrandom::fill(&mut byte);
    f64::from(byte[0]) / 255.0
}
