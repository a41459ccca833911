//! Fetches documents and follows redirects, each of which is checked like the first address.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE,
    HeaderName, LOCATION,
};
use reqwest::{Client, Response, Url, redirect};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::causes::causes;
use super::failures::{failed, late, shown, unreachable};
use super::packed::GzipDecoder;
use super::policy::{FetchPolicy, refused};
use super::resolve::{CheckedResolver, LookUp, of_system};
use super::{exchange, name, tls};
use mitt_base::{Error, ErrorKind, Resource, Result, lock, text};
use mitt_types::{
    Fetch, FetchRequest, Fetched, FetchedBody, HttpBounds, HttpRequest, HttpResponse,
};

/// Documents that are fetched at once; further ones wait.
const MAX_CONCURRENT: usize = 64;

/// Documents of one tenant that are fetched at once, so that slow servers do not block other tenants.
const MAX_CONCURRENT_OF_TENANT: usize = 16;

/// Longest time for connecting, including TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest time between two chunks of a document.
const CHUNK_TIMEOUT: Duration = Duration::from_secs(20);

/// Longest address, in bytes.
const MAX_ADDRESS_BYTES: usize = 8 * 1024;

/// Prefers the formats that are read best, and accepts all others.
const ACCEPTED_TYPES: &str = "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,*/*;q=0.8";

/// Fetches documents over HTTPS as far as its policies allow. At most 64 are fetched at once, 16 of them for one tenant.
///
/// Needs a tokio runtime. Requests are never repeated.
#[derive(Clone)]
pub struct Fetcher {
    common: Arc<PolicyClient>,
    tenants: BTreeMap<String, Arc<PolicyClient>>,
    limits: Arc<FetchLimits>,
}

/// Bounds on the documents that are fetched at once.
#[derive(Debug)]
struct FetchLimits {
    all: Arc<Semaphore>,
    /// Documents of one tenant that are fetched at once.
    of_tenant: usize,
    of_tenants: Mutex<BTreeMap<String, Weak<Semaphore>>>,
}

/// A permit of the common bound, and one of the tenant's.
type FetchPermits = (OwnedSemaphorePermit, OwnedSemaphorePermit);

impl FetchLimits {
    fn new() -> FetchLimits {
        FetchLimits::with(MAX_CONCURRENT, MAX_CONCURRENT_OF_TENANT)
    }

    fn with(all: usize, of_tenant: usize) -> FetchLimits {
        FetchLimits { all: Arc::new(Semaphore::new(all)), of_tenant, of_tenants: Mutex::default() }
    }

    /// Waits for permits to fetch a document of `tenant`.
    async fn take(&self, tenant: &str) -> Result<FetchPermits> {
        let own = self.permits_of(tenant).acquire_owned().await.map_err(Error::bug)?;
        let all = self.all.clone().acquire_owned().await.map_err(Error::bug)?;
        Ok((all, own))
    }

    fn permits_of(&self, tenant: &str) -> Arc<Semaphore> {
        let mut of_tenants = lock(&self.of_tenants);
        if let Some(permits) = of_tenants.get(tenant).and_then(Weak::upgrade) {
            return permits;
        }
        // Forget tenants that fetch nothing now.
        of_tenants.retain(|_, permits| permits.strong_count() > 0);
        let permits = Arc::new(Semaphore::new(self.of_tenant));
        of_tenants.insert(tenant.to_owned(), Arc::downgrade(&permits));
        permits
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher")
            .field("common", &self.common.policy)
            .field("tenants", &self.tenants.keys())
            .finish()
    }
}

impl Fetcher {
    /// Makes a fetcher with one policy for all tenants.
    pub fn new(policy: FetchPolicy) -> Fetcher {
        Fetcher {
            common: Arc::new(PolicyClient::new(policy, of_system())),
            tenants: BTreeMap::new(),
            limits: Arc::new(FetchLimits::new()),
        }
    }

    /// Sets the policy for the sessions of one tenant, instead of the common one.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>, policy: FetchPolicy) -> Fetcher {
        self.tenants.insert(tenant.into(), Arc::new(PolicyClient::new(policy, of_system())));
        self
    }

    /// Returns a fetcher that also allows the host of this address, as [`FetchPolicy::typed`] does, for all tenants without
    /// a policy of their own. It shares connections, root certificates and the bound on concurrent documents.
    #[must_use]
    pub fn typed(&self, url: &str) -> Fetcher {
        let PolicyClient { policy, look_up, client } = &*self.common;
        // The client uses only the networks of its policy, and these stay the same.
        let policy = Arc::new(FetchPolicy::clone(policy).typed(url));
        let common = PolicyClient { policy, look_up: look_up.clone(), client: client.clone() };
        Fetcher { common: Arc::new(common), ..self.clone() }
    }

    fn of(&self, tenant: &str) -> &Arc<PolicyClient> {
        self.tenants.get(tenant).unwrap_or(&self.common)
    }
}

#[async_trait]
impl Fetch for Fetcher {
    async fn fetch(&self, request: &FetchRequest<'_>) -> Result<Fetched> {
        let policy_client = self.of(request.tenant);
        let url = parse(request.url)?;
        policy_client.policy.check(&url)?;
        let deadline = Instant::now() + policy_client.policy.most_time();
        let permits = timeout_at(deadline, self.limits.take(request.tenant)).await;
        let permits = permits.map_err(|_| policy_client.late(&url))??;
        policy_client.ask(url, request.bytes, deadline, permits).await
    }

    async fn exchange(
        &self,
        request: &HttpRequest,
        bounds: &HttpBounds<'_>,
    ) -> Result<HttpResponse> {
        let policy_client = self.of(bounds.tenant);
        let url = parse(&request.url)?;
        exchange::check_skill(&url, bounds.hosts)?;
        policy_client.policy.check(&url)?;
        let time = policy_client.policy.most_time();
        let deadline = Instant::now() + time;
        let permits = timeout_at(deadline, self.limits.take(bounds.tenant)).await;
        let _permits = permits.map_err(|_| policy_client.late(&url))??;
        let client = policy_client.client().await?;
        exchange::exchange(client, (url, request), bounds, (deadline, time)).await
    }

    fn hosts(&self, tenant: &str) -> Vec<String> {
        self.of(tenant).policy.hosts()
    }
}

fn parse(url: &str) -> Result<Url> {
    if url.len() > MAX_ADDRESS_BYTES {
        return Err(refused(format!("the address is longer than {MAX_ADDRESS_BYTES} bytes")));
    }
    Url::parse(url.trim()).map_err(|error| {
        refused(format!("this is no address ({error})"))
            .hint("give one such as `https://example.com/report.pdf`")
    })
}

/// A policy, and the client that enforces it.
struct PolicyClient {
    policy: Arc<FetchPolicy>,
    look_up: LookUp,
    /// Made on first use, because that reads all root certificates.
    client: Arc<OnceCell<Client>>,
}

impl PolicyClient {
    fn new(policy: FetchPolicy, look_up: LookUp) -> PolicyClient {
        PolicyClient { policy: Arc::new(policy), look_up, client: Arc::default() }
    }

    async fn client(&self) -> Result<&Client> {
        let make = || async {
            let certificates = tls::tls_config(true, self.policy.pems());
            let certificates =
                certificates.map_err(|problem| Error::new(ErrorKind::Host, problem))?;
            let resolver =
                CheckedResolver { policy: self.policy.clone(), look_up: self.look_up.clone() };
            Client::builder()
                .tls_backend_preconfigured(certificates)
                .dns_resolver(Arc::new(resolver))
                .redirect(redirect::Policy::none())
                .no_proxy()
                .referer(false)
                .connect_timeout(CONNECT_TIMEOUT)
                .user_agent(concat!("mitt/", env!("CARGO_PKG_VERSION")))
                .build()
                .map_err(|error| {
                    Error::new(ErrorKind::Host, "cannot set up the client").caused_by(error)
                })
        };
        self.client.get_or_try_init(make).await
    }

    async fn ask(
        &self,
        mut url: Url,
        most: u64,
        deadline: Instant,
        permits: FetchPermits,
    ) -> Result<Fetched> {
        for _ in 0..=self.policy.most_redirects() {
            let request = self.client().await?.get(url.clone());
            let request = request.header(ACCEPT, ACCEPTED_TYPES).header(ACCEPT_ENCODING, "gzip");
            let response = timeout_at(deadline, request.send()).await;
            let response = response.map_err(|_| self.late(&url))?;
            let response = response.map_err(|error| unreachable(&url, &error))?;
            let status = response.status().as_u16();
            if matches!(status, 301 | 302 | 303 | 307 | 308) {
                url = self.next(&url, &response)?;
                continue;
            }
            if status != 200 {
                return Err(not_there(&url, &response));
            }
            return taken(url, response, (most, deadline, self.policy.most_time()), permits);
        }
        let most = self.policy.most_redirects();
        Err(refused(format!("more than {most} redirects, the last one to {}", shown(&url))))
    }

    /// Returns the target of a redirect if it may be requested.
    fn next(&self, url: &Url, response: &Response) -> Result<Url> {
        let to = header(response, &LOCATION).unwrap_or_default();
        let from = shown(url);
        let next = url.join(&to).ok().filter(|_| !to.is_empty() && to.len() <= MAX_ADDRESS_BYTES);
        let Some(mut next) = next else {
            return Err(failed(format!("{from} redirects to nowhere")));
        };
        // RFC 9110: a fragment carries over to a target without one; it is never sent.
        next.set_fragment(None);
        self.policy
            .check(&next)
            .map_err(|error| error.detail(format!("{from} redirects to {}", shown(&next))))?;
        Ok(next)
    }

    fn late(&self, url: &Url) -> Error {
        late(url, self.policy.most_time())
    }
}

/// Returns a document whose content has begun to arrive.
fn taken(
    url: Url,
    response: Response,
    (most, deadline, time): (u64, Instant, Duration),
    permits: FetchPermits,
) -> Result<Fetched> {
    let packed = match header(&response, &CONTENT_ENCODING).as_deref().map(str::trim) {
        None | Some("" | "identity") => None,
        Some("gzip" | "x-gzip") => Some(GzipDecoder::new(most)),
        Some(other) => {
            let other = text::shortened(other, 40);
            return Err(failed(format!(
                "{} is sent packed as `{other}`, which was not asked for",
                shown(&url)
            )));
        }
    };
    let size = header(&response, &CONTENT_LENGTH).and_then(|size| size.trim().parse::<u64>().ok());
    if let Some(size) = size.filter(|size| *size > most) {
        return Err(Error::limit(Resource::Document, most, size));
    }
    let media_type = header(&response, &CONTENT_TYPE)
        .map(|value| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
        .filter(|value| !value.is_empty() && value.len() <= 100);
    let disposition = response.headers().get(CONTENT_DISPOSITION).map(|it| it.as_bytes().to_vec());
    let name = name::name(&url, disposition.as_deref(), media_type.as_deref());
    let address = url.to_string();
    let body = Body { url, response: Some((response, permits)), packed, deadline, time };
    let mut fetched = Fetched::new(address, name, Box::new(body));
    fetched.media_type = media_type;
    Ok(fetched)
}

struct Body {
    url: Url,
    /// The response and its permits; `None` once all content has arrived.
    response: Option<(Response, FetchPermits)>,
    packed: Option<GzipDecoder>,
    deadline: Instant,
    time: Duration,
}

#[async_trait]
impl FetchedBody for Body {
    async fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        let Some((response, _)) = &mut self.response else { return Ok(None) };
        let between = Instant::now() + CHUNK_TIMEOUT;
        let piece = timeout_at(between.min(self.deadline), response.chunk()).await;
        let piece = piece.map_err(|_| {
            if between < self.deadline {
                failed(format!("{} stalled: nothing came for 20 s", shown(&self.url)))
            } else {
                late(&self.url, self.time)
            }
        })?;
        let piece = piece.map_err(|error| {
            failed(format!("{} was cut off", shown(&self.url))).caused_by(causes(&error))
        })?;
        let url = &self.url;
        let damaged =
            |error| failed(format!("{} is packed and damaged", shown(url))).caused_by(error);
        let Some(piece) = piece else {
            self.response = None;
            let rest =
                self.packed.as_mut().map(GzipDecoder::finish).transpose().map_err(damaged)?;
            return Ok(rest.filter(|rest| !rest.is_empty()));
        };
        Ok(Some(match &mut self.packed {
            Some(packed) => packed.push(&piece).map_err(damaged)?,
            None => piece.to_vec(),
        }))
    }
}

fn header(response: &Response, name: &HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The response has a status other than success.
#[cold]
fn not_there(url: &Url, response: &Response) -> Error {
    let status = response.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let message = format!("{} answered {} {reason}", shown(url), status.as_u16());
    let error = failed(message.trim_end());
    match status.as_u16() {
        401 | 403 | 407 => error.hint("it wants to know who asks: download the file and name that"),
        404 | 410 => error.hint("check the address"),
        408 | 429 | 500..=599 => error.hint("try again later").retryable(true),
        _ => error,
    }
}

#[cfg(test)]
#[path = "fetcher_tests.rs"]
mod tests;
