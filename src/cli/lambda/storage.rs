//! Objects of S3 that the function reads and writes: those that the operator named, and no others.
//!
//! Knows no event and no rule. An object is whole or not there: what is given up on the way is deleted.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::log::log;
use crate::args::{Lambda, LambdaS3};
use mitt::{
    Environment, Fetch, FetchRequest, Fetched, FetchedBody, HttpBounds, HttpRequest, HttpResponse,
};
use mitt_base::digest::hex;
use mitt_base::time::timestamp;
use mitt_base::{Error, ErrorKind, InputProblem, Resource, Result};
use mitt_net::s3::{S3Address, S3Client, S3Reader, S3Settings, S3Upload};

/// Length of the parts of an object that is written, in bytes. S3 wants at least 5 MiB; shorter objects are written at once.
const PART_BYTES: usize = 8 * 1024 * 1024;

/// Beginning of the address of an object.
const SCHEME: &str = "s3://";

/// The variable with the region.
const REGION: &str = "AWS_REGION";

/// The objects of the function.
pub(super) struct Storage {
    /// `None` if no option names an object.
    settings: Option<S3Settings>,
    /// A client, made for the first object. Those for other buckets share its connections.
    client: OnceLock<S3Client>,
    /// What events may name.
    readable: Vec<S3Address>,
    /// Where files go that do not fit into an answer.
    results: Option<S3Address>,
    link_life: Duration,
    /// Deletion of the parts of objects that were given up.
    aborts: TaskTracker,
}

/// An object that was written for the caller.
#[derive(Clone, Debug)]
pub(super) struct StoredFile {
    pub(super) address: String,
    /// With which everybody can read it until it expires.
    pub(super) link: String,
    /// When the link expires, such as `2026-11-30T07:00:00Z`.
    pub(super) expires: String,
}

/// An object that was written.
#[derive(Debug)]
pub(super) struct WrittenObject {
    pub(super) size: u64,
    pub(super) sha256: String,
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage")
            .field("readable", &self.readable)
            .field("results", &self.results)
            .finish_non_exhaustive()
    }
}

/// Returns `true` if an address is that of an object of S3.
fn is_object(url: &str) -> bool {
    url.get(..SCHEME.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
}

impl Storage {
    /// Reads the options, and the key of the function from the environment if an option names objects.
    ///
    /// # Errors
    ///
    /// Those of [`S3Settings::from_variables`].
    pub(super) fn start(command: &Lambda) -> Result<Storage> {
        Storage::of(&command.s3, |name| std::env::var(name).ok())
    }

    /// Does what [`Storage::start`] does, with these variables of the environment.
    pub(super) fn of(
        options: &LambdaS3,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Storage> {
        let is_used =
            !options.readable.is_empty() || options.results.is_some() || options.rules.is_some();
        let variable = |name: &str| match &options.s3_region {
            Some(region) if name == REGION => Some(region.clone()),
            _ => variable(name),
        };
        let settings = is_used.then(|| S3Settings::from_variables(variable)).transpose();
        Ok(Storage {
            settings: settings.map_err(region_is_an_option)?,
            client: OnceLock::new(),
            readable: options.readable.clone(),
            results: options.results.clone(),
            link_life: options.link_life,
            aborts: TaskTracker::new(),
        })
    }

    /// Returns the client for a bucket or a part of it.
    fn client(&self, address: &S3Address) -> Result<S3Client> {
        if let Some(client) = self.client.get() {
            return client.at(address);
        }
        let Some(settings) = &self.settings else { return Err(not_readable(address)) };
        // The clock of the system, not that of `--clock`: the signature must be of now.
        let clock = Arc::new(|| Environment::default().now());
        let client = S3Client::new(address, settings, clock)?;
        self.client.get_or_init(|| client).at(address)
    }

    /// Returns the client for the bucket of an object.
    fn bucket_of(&self, address: &S3Address) -> Result<S3Client> {
        self.client(&S3Address { bucket: address.bucket.clone(), key: String::new() })
    }

    /// Checks that an event may name the object at `url`, as far as it is an object of S3.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - it may not, or this is no address of an object.
    pub(super) fn check(&self, url: &str) -> Result<()> {
        if is_object(url) { self.readable(url).map(drop) } else { Ok(()) }
    }

    /// Returns the address of an object that events may name.
    fn readable(&self, url: &str) -> Result<S3Address> {
        let address = S3Address::parse(url)?;
        let is_below = |allowed: &S3Address| {
            let rest = address.key.strip_prefix(allowed.key.as_str());
            allowed.bucket == address.bucket
                && rest.is_some_and(|rest| {
                    allowed.key.is_empty() || rest.is_empty() || rest.starts_with('/')
                })
        };
        if address.key.is_empty() {
            let error = Error::input("expected the address of an object, got that of a bucket");
            return Err(error.at(&address).hint("write it as `s3://bucket/key`"));
        }
        if self.readable.iter().any(is_below) { Ok(address) } else { Err(not_readable(&address)) }
    }

    /// Returns what fetches documents: objects that events may name, and what `other` fetches. `None` if there are neither.
    pub(super) fn fetcher(
        self: &Arc<Storage>,
        other: Option<Arc<dyn Fetch>>,
    ) -> Option<Arc<dyn Fetch>> {
        if self.readable.is_empty() {
            return other;
        }
        Some(Arc::new(ObjectFetch { storage: self.clone(), other, is_for_rules: false }))
    }

    /// Returns what fetches the objects of rules, which the operator named there.
    pub(super) fn fetcher_of_rules(self: &Arc<Storage>) -> Arc<dyn Fetch> {
        Arc::new(ObjectFetch { storage: self.clone(), other: None, is_for_rules: true })
    }

    /// Begins to read an object that the operator named, of at most `most` bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no such object. [`ErrorKind::Limit`] - it is larger. [`ErrorKind::Host`] - S3 refused or
    /// cannot be reached.
    pub(super) async fn open(&self, address: &S3Address, most: u64) -> Result<S3Reader> {
        let read = self.bucket_of(address)?.read(&address.key).await;
        let Some(reader) = read.map_err(region_is_an_option)? else {
            let error = Error::input("there is no such object")
                .with_problem(InputProblem::FetchFailed)
                .hint("check bucket and key; it may have been deleted meanwhile");
            return Err(error.at(address));
        };
        if reader.size() > most {
            return Err(Error::limit(Resource::Document, most, reader.size()).at(address));
        }
        Ok(reader)
    }

    /// Returns the content of an object.
    ///
    /// # Errors
    ///
    /// Those of [`Storage::open`].
    pub(super) async fn content(&self, address: &S3Address, most: u64) -> Result<Vec<u8>> {
        let mut reader = self.open(address, most).await?;
        // The size is at most `most`, so that nothing is copied while the content grows.
        let mut content = Vec::with_capacity(usize::try_from(reader.size()).unwrap_or_default());
        while let Some(piece) = reader.piece().await? {
            content.extend_from_slice(&piece);
        }
        Ok(content)
    }

    /// Begins an object that replaces one of this key when it is finished.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the bucket cannot be addressed.
    pub(super) fn write(&self, address: &S3Address, media_type: &str) -> Result<ObjectWriter> {
        Ok(self.writer(self.bucket_of(address)?, address.key.clone(), media_type))
    }

    fn writer(&self, client: S3Client, key: String, media_type: &str) -> ObjectWriter {
        ObjectWriter {
            client,
            key,
            media_type: media_type.to_owned(),
            pending: BytesMut::new(),
            upload: None,
            digest: Sha256::new(),
            size: 0,
            aborts: self.aborts.clone(),
        }
    }

    /// Returns `true` if there is a place for files that do not fit into an answer.
    pub(super) fn has_results(&self) -> bool {
        self.results.is_some()
    }

    /// Returns where a file of a task is stored, and a link to it that begins now. `ids` name the task. No request is sent.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the bucket cannot be addressed, or no object can have this name.
    pub(super) fn stored(&self, ids: &[&str], name: &str) -> Result<StoredFile> {
        let (results, client, key) = self.place_of(ids, name)?;
        let expires = Environment::default().now() + self.link_life;
        Ok(StoredFile {
            address: format!("{results}/{key}"),
            link: client.link(&key, self.link_life)?,
            expires: timestamp(expires),
        })
    }

    /// Writes a file of a task for its caller. `ids` name the task.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - S3 refused or cannot be reached. Those of [`Storage::stored`].
    pub(super) async fn keep(
        &self,
        ids: &[&str],
        (name, media_type): (&str, &str),
        content: Vec<u8>,
    ) -> Result<StoredFile> {
        let (_, client, key) = self.place_of(ids, name)?;
        self.writer(client, key, media_type).write_all(content.into()).await?;
        self.stored(ids, name)
    }

    /// Returns the address of all results, its client, and the key of a file of a task.
    fn place_of(&self, ids: &[&str], name: &str) -> Result<(&S3Address, S3Client, String)> {
        let Some(results) = &self.results else {
            return Err(Error::bug("a file for S3 without a place for it"));
        };
        let key = ids.iter().copied().chain([name]).collect::<Vec<_>>().join("/");
        Ok((results, self.client(results)?, key))
    }

    /// Waits until what was given up is deleted, at most for `time`. What is not deleted by then is in the log.
    pub(super) async fn settle(&self, time: Duration) {
        if self.aborts.is_empty() {
            return;
        }
        self.aborts.close();
        if timeout(time, self.aborts.wait()).await.is_err() {
            let details = json!({ "uploads": self.aborts.len() });
            let message = "parts of uploads may stay: let the bucket delete them after a day";
            log("WARN", None, message, details);
        }
        self.aborts.reopen();
    }
}

/// Returns the error of an object that no option names.
#[cold]
fn not_readable(address: &S3Address) -> Error {
    let error = Error::input("this function may not read this object")
        .with_problem(InputProblem::FetchRefused)
        .at(address);
    error.hint(format!(
        "the operator of the function allows it with `mitt lambda --s3 s3://{}`, or with a prefix behind the bucket",
        address.bucket
    ))
}

/// Names the option in place of the variable, which Lambda does not let anybody set.
fn region_is_an_option(error: Error) -> Error {
    const OPTION: &str = "set `--s3-region`";
    error.with_texts(|text| {
        let is_advice = text.contains("set AWS_REGION") || text.contains("set it to the region");
        is_advice.then(|| {
            text.replace("set AWS_REGION", OPTION)
                .replace("set it to the region", "set `--s3-region` to the region")
        })
    })
}

/// Fetches objects that events may name, and leaves other addresses to another fetcher.
#[derive(Debug)]
struct ObjectFetch {
    storage: Arc<Storage>,
    other: Option<Arc<dyn Fetch>>,
    /// `true` if a rule names the objects, and no event.
    is_for_rules: bool,
}

#[async_trait]
impl Fetch for ObjectFetch {
    async fn fetch(&self, request: &FetchRequest<'_>) -> Result<Fetched> {
        if !is_object(request.url) {
            let refused = || {
                Error::input("documents of the web are not fetched here: no host was allowed")
                    .with_problem(InputProblem::FetchRefused)
            };
            return self.other.as_ref().ok_or_else(refused)?.fetch(request).await;
        }
        let address = if self.is_for_rules {
            S3Address::parse(request.url)?
        } else {
            self.storage.readable(request.url)?
        };
        let reader = self.storage.open(&address, request.bytes).await?;
        let name = mitt_net::file_name(&address.key).unwrap_or_else(|| "document".to_owned());
        Ok(Fetched::new(address.to_string(), name, Box::new(ObjectBody(reader))))
    }

    async fn exchange(
        &self,
        request: &HttpRequest,
        bounds: &HttpBounds<'_>,
    ) -> Result<HttpResponse> {
        let refused = || Error::new(ErrorKind::Denied, "requests of plug-ins are not sent here");
        self.other.as_ref().ok_or_else(refused)?.exchange(request, bounds).await
    }

    fn hosts(&self, tenant: &str) -> Vec<String> {
        let other = self.other.iter().flat_map(|other| other.hosts(tenant));
        other.chain(self.storage.readable.iter().map(S3Address::to_string)).collect()
    }
}

/// The content of an object.
struct ObjectBody(S3Reader);

#[async_trait]
impl FetchedBody for ObjectBody {
    async fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(self.0.piece().await?.map(Vec::from))
    }
}

/// An object that is written. Nobody sees it until it is finished; if it is dropped before, what was sent is deleted.
pub(super) struct ObjectWriter {
    client: S3Client,
    key: String,
    media_type: String,
    /// What was not sent yet.
    pending: BytesMut,
    /// Begun with the first part.
    upload: Option<S3Upload>,
    digest: Sha256,
    size: u64,
    aborts: TaskTracker,
}

impl ObjectWriter {
    /// Adds bytes. They are sent as soon as they are a part.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - S3 refused or cannot be reached.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.digest.update(bytes);
        self.size += bytes.len() as u64;
        self.pending.extend_from_slice(bytes);
        while self.pending.len() >= PART_BYTES {
            let part = self.pending.split_to(PART_BYTES).freeze();
            self.send(part).await?;
        }
        Ok(())
    }

    /// Makes an object of what was written.
    ///
    /// # Errors
    ///
    /// Those of [`ObjectWriter::write`].
    pub(super) async fn finish(mut self) -> Result<WrittenObject> {
        let rest = self.pending.split().freeze();
        if self.upload.is_none() {
            self.put(rest).await?;
        } else {
            if !rest.is_empty() {
                self.send(rest).await?;
            }
            self.complete().await?;
        }
        let sha256 = hex(&std::mem::take(&mut self.digest).finalize());
        Ok(WrittenObject { size: self.size, sha256 })
    }

    /// Makes an object of a content that is in memory already.
    async fn write_all(mut self, content: Bytes) -> Result<()> {
        if content.len() <= PART_BYTES {
            return self.put(content).await;
        }
        let mut rest = content;
        while !rest.is_empty() {
            let part = rest.split_to(PART_BYTES.min(rest.len()));
            self.send(part).await?;
        }
        self.complete().await
    }

    async fn put(&self, content: Bytes) -> Result<()> {
        let put = self.client.put_as(&self.key, content, Some(&self.media_type)).await;
        put.map_err(region_is_an_option)
    }

    async fn send(&mut self, part: Bytes) -> Result<()> {
        if self.upload.is_none() {
            let begun = self.client.begin_as(&self.key, Some(&self.media_type)).await;
            self.upload = Some(begun.map_err(region_is_an_option)?);
        }
        match &mut self.upload {
            Some(upload) => self.client.add(upload, part).await,
            None => Err(Error::bug("a part without an upload")),
        }
    }

    async fn complete(&mut self) -> Result<()> {
        if let Some(upload) = &self.upload {
            self.client.complete(upload).await?;
        }
        self.upload = None;
        Ok(())
    }
}

impl Drop for ObjectWriter {
    fn drop(&mut self) {
        let Some(upload) = self.upload.take() else { return };
        // Without a runtime there is nothing that could send the request.
        if tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let client = self.client.clone();
        self.aborts.spawn(async move {
            if let Err(error) = client.abort(&upload).await {
                let details = json!({ "error": error.render() });
                log("WARN", None, "the parts of an upload stay", details);
            }
        });
    }
}
