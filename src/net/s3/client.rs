//! Operations on the objects of a bucket.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use mitt_base::{Error, Result};
use reqwest::{Method, Url};
use rusty_s3::actions::{CompleteMultipartUpload, CreateMultipartUpload};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};

use super::address::{S3Address, S3Settings, check_key};
use super::exchange::{Answer, Clock, Exchange, Failure, Request};
use super::failures::{changed, unexpected};

/// Smallest part of an upload but the last one, in bytes, as S3 has it.
pub const MIN_PART_BYTES: usize = 5 * 1024 * 1024;

/// Bytes of an object that are read at once.
pub(super) const PIECE_BYTES: u64 = 4 * 1024 * 1024;

/// Time for which the signature of a request is valid. Clocks may differ by less than that.
const SIGNED_FOR: Duration = Duration::from_secs(15 * 60);

/// Longest life of a link, as S3 has it.
pub const MAX_LINK_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The objects of a bucket below a prefix. A cheap handle. Needs a tokio runtime.
///
/// Requests that may succeed soon (no connection, 429, 5xx, `SlowDown`) are tried up to six times, within some ten seconds.
/// Errors are of the kind [`ErrorKind::Host`](mitt_base::ErrorKind::Host) and name bucket, key and the way out.
#[derive(Clone)]
pub struct S3Client {
    inner: Arc<Inner>,
}

struct Inner {
    bucket: Bucket,
    credentials: Credentials,
    /// Prefix of all keys, without a slash at its end.
    prefix: String,
    settings: S3Settings,
    exchange: Arc<Exchange>,
}

/// An object that arrives in parts.
#[derive(Debug)]
pub struct S3Upload {
    key: String,
    id: String,
    etags: Vec<String>,
    size: u64,
}

/// An object that is read from its beginning, piece by piece. All pieces are of the same content.
#[derive(Debug)]
pub struct S3Reader {
    client: S3Client,
    key: String,
    size: u64,
    /// Tag of the content; `None` if the server sent none.
    etag: Option<String>,
    /// The bytes that came with the size, until they are returned.
    first: Option<Bytes>,
    at: u64,
}

impl S3Reader {
    /// Returns the size of the object in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the next piece, at most 4 MiB; `None` at the end.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached, or the object was deleted or changed meanwhile.
    pub async fn piece(&mut self) -> Result<Option<Bytes>> {
        let left = self.size.saturating_sub(self.at);
        if left == 0 {
            return Ok(None);
        }
        let piece = match self.first.take() {
            Some(first) => first,
            None => {
                let part = self.client.part(&self.key, self.at, left.min(PIECE_BYTES)).await?;
                let is_same =
                    |(_, etag): &(Bytes, Option<String>)| self.etag.is_none() || *etag == self.etag;
                let Some((piece, _)) = part.filter(is_same) else {
                    let (_, place) = self.client.object(&self.key)?;
                    return Err(changed(&self.client.inner.exchange.server, &place));
                };
                piece
            }
        };
        self.at += piece.len() as u64;
        Ok(Some(piece))
    }
}

impl fmt::Debug for S3Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3Client({} at {})", self.address(), self.inner.exchange.server)
    }
}

impl S3Client {
    /// Makes a client for the objects below `address`. `clock` returns the time after 1970, which is signed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the bucket cannot be addressed at this server.
    pub fn new(address: &S3Address, settings: &S3Settings, clock: Clock) -> Result<S3Client> {
        let server = settings.server()?;
        let host = match (server.host_str().unwrap_or_default(), server.port()) {
            (host, Some(port)) => format!("{host}:{port}"),
            (host, None) => host.to_owned(),
        };
        S3Client::with(address, settings, Arc::new(Exchange::new(host, clock)))
    }

    /// Returns a client for the objects below another address of the same server. Both share their connections.
    ///
    /// # Errors
    ///
    /// Those of [`S3Client::new`].
    pub fn at(&self, address: &S3Address) -> Result<S3Client> {
        S3Client::with(address, &self.inner.settings, self.inner.exchange.clone())
    }

    fn with(
        address: &S3Address,
        settings: &S3Settings,
        exchange: Arc<Exchange>,
    ) -> Result<S3Client> {
        let server = settings.server()?;
        // A name with a dot is none that the certificate of AWS covers.
        let is_in_path = settings.endpoint.is_some() || address.bucket.contains('.');
        let style = if is_in_path { UrlStyle::Path } else { UrlStyle::VirtualHost };
        let made = Bucket::new(server, style, address.bucket.clone(), settings.region.clone());
        let bucket = made.map_err(|error| {
            let message = format!("the bucket cannot be addressed at {}: {error}", exchange.server);
            Error::input(message).at(address)
        })?;
        let (credentials, prefix) = (settings.credentials.clone(), address.key.clone());
        let settings = settings.clone();
        let inner = Inner { bucket, credentials, prefix, settings, exchange };
        Ok(S3Client { inner: Arc::new(inner) })
    }

    /// Waits less before another try, for tests.
    #[cfg(test)]
    pub(super) fn first_wait(mut self, wait: Duration) -> S3Client {
        let inner = Arc::get_mut(&mut self.inner).expect("a client that is not shared");
        let exchange = Arc::get_mut(&mut inner.exchange).expect("connections that are not shared");
        exchange.first_wait(wait);
        self
    }

    /// Returns the bucket and the prefix.
    pub fn address(&self) -> S3Address {
        let (bucket, key) = (self.inner.bucket.name().to_owned(), self.inner.prefix.clone());
        S3Address { bucket, key }
    }

    /// Returns the whole key of an object, and its address.
    fn object(&self, key: &str) -> Result<(String, String)> {
        let key = match self.inner.prefix.as_str() {
            "" => key.to_owned(),
            prefix => format!("{prefix}/{key}"),
        };
        check_key(&key)?;
        let place = format!("s3://{}/{key}", self.inner.bucket.name());
        Ok((key, place))
    }

    fn sign<'a>(&self, action: &impl S3Action<'a>, life: Duration) -> Url {
        let now = i64::try_from((self.inner.exchange.clock)().as_secs()).unwrap_or_default();
        action.sign_with_time(life, &Timestamp::from_second(now).unwrap_or_default())
    }

    /// Stores an object, in place of one of this key.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached.
    pub async fn put(&self, key: &str, content: Bytes) -> Result<()> {
        self.put_as(key, content, None).await
    }

    /// Like [`S3Client::put`], with a media type, which responses to a link of the object name.
    ///
    /// # Errors
    ///
    /// Those of [`S3Client::put`].
    pub async fn put_as(&self, key: &str, content: Bytes, media_type: Option<&str>) -> Result<()> {
        let (key, place) = self.object(key)?;
        let Inner { bucket, credentials, exchange, .. } = &*self.inner;
        let action = bucket.put_object(Some(credentials), &key);
        let sign = || self.sign(&action, SIGNED_FOR);
        let request = Request { body: content, media_type, ..request(Method::PUT, &sign, &place) };
        exchange.done(&request).await.map(drop)
    }

    /// Begins an object that arrives in parts.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached.
    pub async fn begin(&self, key: &str) -> Result<S3Upload> {
        self.begin_as(key, None).await
    }

    /// Like [`S3Client::begin`], with a media type, which responses to a link of the object name.
    ///
    /// # Errors
    ///
    /// Those of [`S3Client::begin`].
    pub async fn begin_as(&self, key: &str, media_type: Option<&str>) -> Result<S3Upload> {
        let (whole, place) = self.object(key)?;
        let Inner { bucket, credentials, exchange, .. } = &*self.inner;
        let action = bucket.create_multipart_upload(Some(credentials), &whole);
        let sign = || self.sign(&action, SIGNED_FOR);
        let request = Request { media_type, ..request(Method::POST, &sign, &place) };
        let answer = exchange.done(&request).await?;
        let read = std::str::from_utf8(&answer.body).ok();
        let read = read.and_then(|body| CreateMultipartUpload::parse_response(body).ok());
        let Some(begun) = read else {
            return Err(unexpected(&exchange.server, &place, "no upload was begun"));
        };
        let id = begun.upload_id().to_owned();
        Ok(S3Upload { key: key.to_owned(), id, etags: Vec::new(), size: 0 })
    }

    /// Adds a part, which has at least [`MIN_PART_BYTES`] unless it is the last one.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached. The same part can be added again.
    pub async fn add(&self, upload: &mut S3Upload, part: Bytes) -> Result<()> {
        let (key, place) = self.object(&upload.key)?;
        let Inner { bucket, credentials, exchange, .. } = &*self.inner;
        let number = u16::try_from(upload.etags.len() + 1)
            .map_err(|_| Error::bug("an object has too many parts"))?;
        let action = bucket.upload_part(Some(credentials), &key, number, &upload.id);
        let sign = || self.sign(&action, SIGNED_FOR);
        let size = part.len() as u64;
        let request = Request { body: part, ..request(Method::PUT, &sign, &place) };
        let answer = exchange.done(&request).await?;
        let Some(etag) = answer.etag else {
            return Err(unexpected(&exchange.server, &place, "a part without an ETag"));
        };
        upload.etags.push(etag);
        upload.size += size;
        Ok(())
    }

    /// Makes an object of the parts.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached.
    pub async fn complete(&self, upload: &S3Upload) -> Result<()> {
        let (key, place) = self.object(&upload.key)?;
        let Inner { bucket, credentials, exchange, .. } = &*self.inner;
        let etags = || upload.etags.iter().map(String::as_str);
        let action =
            || CompleteMultipartUpload::new(bucket, Some(credentials), &key, &upload.id, etags());
        let body = Bytes::from(action().body());
        let sign = || self.sign(&action(), SIGNED_FOR);
        let request = Request { body, ..request(Method::POST, &sign, &place) };
        let Err(failure) = exchange.send(&request).await else { return Ok(()) };
        let is_gone = matches!(&failure, Failure::Refused { refusal, is_repeat: true } if refusal.code == "NoSuchUpload");
        // An earlier try completed it, and its response was lost. A key without `s3:GetObject` cannot find out.
        if is_gone && matches!(self.size(&upload.key).await, Ok(Some(size)) if size == upload.size)
        {
            return Ok(());
        }
        Err(exchange.error(failure, &place))
    }

    /// Deletes the parts of an object that will not be completed.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached.
    pub async fn abort(&self, upload: &S3Upload) -> Result<()> {
        let (key, place) = self.object(&upload.key)?;
        let Inner { bucket, credentials, exchange, .. } = &*self.inner;
        let action = bucket.abort_multipart_upload(Some(credentials), &key, &upload.id);
        let sign = || self.sign(&action, SIGNED_FOR);
        exchange.done(&request(Method::DELETE, &sign, &place)).await.map(drop)
    }

    /// Returns `length` bytes of an object from `start`; `None` if there is no such object.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached, or the object is shorter.
    pub async fn range(&self, key: &str, start: u64, length: u64) -> Result<Option<Bytes>> {
        Ok(self.part(key, start, length).await?.map(|(content, _)| content))
    }

    /// Does what [`S3Client::range`] does, and returns the entity tag of the content too.
    async fn part(
        &self,
        key: &str,
        start: u64,
        length: u64,
    ) -> Result<Option<(Bytes, Option<String>)>> {
        let (key, place) = self.object(key)?;
        let Inner { bucket, credentials, exchange, .. } = &*self.inner;
        if length == 0 {
            return Ok(Some((Bytes::new(), None)));
        }
        let action = bucket.get_object(Some(credentials), &key);
        let sign = || self.sign(&action, SIGNED_FOR);
        let range = Some((start, start.saturating_add(length - 1)));
        let request = Request { range, most: length, ..request(Method::GET, &sign, &place) };
        let Some(answer) = self.found(&request).await? else { return Ok(None) };
        let is_range = answer.status == 206 || answer.status == 200 && start == 0;
        if !is_range || answer.body.len() as u64 != length {
            let message = format!("{} bytes in place of {length}", answer.body.len());
            return Err(unexpected(&exchange.server, &place, &message));
        }
        Ok(Some((answer.body.into(), answer.etag)))
    }

    /// Begins to read an object from its beginning; `None` if there is no such object. One request returns its size and its first
    /// bytes.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached.
    pub async fn read(&self, key: &str) -> Result<Option<S3Reader>> {
        let (whole, place) = self.object(key)?;
        let Inner { bucket, credentials, exchange, .. } = &*self.inner;
        let action = bucket.get_object(Some(credentials), &whole);
        let sign = || self.sign(&action, SIGNED_FOR);
        let (range, most) = (Some((0, PIECE_BYTES - 1)), PIECE_BYTES);
        let request = Request { range, most, ..request(Method::GET, &sign, &place) };
        let (size, etag, first) = match exchange.send(&request).await {
            Ok(answer) => {
                let first = Bytes::from(answer.body);
                // A server that knows no ranges sends all of a short object.
                let size = if answer.status == 206 { answer.whole } else { answer.length };
                let begins = |size: &u64| first.len() as u64 == PIECE_BYTES.min(*size);
                let Some(size) = size.filter(begins) else {
                    let message = "an object without its size";
                    return Err(unexpected(&exchange.server, &place, message));
                };
                (size, answer.etag, first)
            }
            Err(Failure::Refused { refusal, .. }) if refusal.is_missing_object() => {
                return Ok(None);
            }
            Err(Failure::Refused { refusal, .. }) if refusal.is_beyond_end() => {
                (0, None, Bytes::new())
            }
            Err(failure) => return Err(exchange.error(failure, &place)),
        };
        let (client, key, first) = (self.clone(), key.to_owned(), Some(first));
        Ok(Some(S3Reader { client, key, size, etag, first, at: 0 }))
    }

    /// Returns the size of an object in bytes; `None` if there is no such object.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached.
    pub async fn size(&self, key: &str) -> Result<Option<u64>> {
        let (key, place) = self.object(key)?;
        let Inner { bucket, credentials, exchange, .. } = &*self.inner;
        let action = bucket.head_object(Some(credentials), &key);
        let sign = || self.sign(&action, SIGNED_FOR);
        let Some(answer) = self.found(&request(Method::HEAD, &sign, &place)).await? else {
            return Ok(None);
        };
        match answer.length {
            Some(length) => Ok(Some(length)),
            None => Err(unexpected(&exchange.server, &place, "an object without a size")),
        }
    }

    async fn found(&self, request: &Request<'_>) -> Result<Option<Answer>> {
        let exchange = &self.inner.exchange;
        match exchange.send(request).await {
            Ok(answer) => Ok(Some(answer)),
            Err(Failure::Refused { refusal, .. }) if refusal.is_missing_object() => Ok(None),
            Err(failure) => Err(exchange.error(failure, request.place)),
        }
    }

    /// Deletes the object with this key. Succeeds if no such object exists.
    ///
    /// # Errors
    ///
    /// The server refused or cannot be reached.
    pub async fn delete(&self, key: &str) -> Result<()> {
        let (key, place) = self.object(key)?;
        let Inner { bucket, credentials, .. } = &*self.inner;
        let action = bucket.delete_object(Some(credentials), &key);
        let sign = || self.sign(&action, SIGNED_FOR);
        self.found(&request(Method::DELETE, &sign, &place)).await.map(drop)
    }

    /// Returns a link with which everybody can read an object for `life`, at most seven days. Nothing is asked for it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - no object can have this key.
    pub fn link(&self, key: &str, life: Duration) -> Result<String> {
        let (key, _) = self.object(key)?;
        let Inner { bucket, credentials, .. } = &*self.inner;
        let life = life.clamp(Duration::from_secs(1), MAX_LINK_LIFE);
        Ok(self.sign(&bucket.get_object(Some(credentials), &key), life).into())
    }
}

/// Returns a request without a body, whose response is short.
fn request<'a>(method: Method, sign: &'a (dyn Fn() -> Url + Sync), place: &'a str) -> Request<'a> {
    let most = Exchange::MAX_ANSWER_BYTES;
    Request { method, sign, body: Bytes::new(), media_type: None, range: None, place, most }
}
