//! The way of a file from the disk of this machine into the object store.

use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use super::super::checks::check_name;
use super::super::{Blob, BlobReader, BlobWriter, StoreError, StoreResult, new_id};
use super::object_store::{ObjectStore, PART_BYTES};
use super::spool::{Spool, SpoolWriter};
use mitt_base::Error;

/// Time between two notes that an object still arrives. Far below the hour after which it is deleted.
const TOUCH: Duration = Duration::from_secs(10 * 60);

/// Bytes of a file that are read from the database at once.
const READ_BYTES: usize = 4 * 1024 * 1024;

/// What the database of a store notes of objects.
#[async_trait]
pub(in crate::store) trait Notes: Clone + Send + Sync + 'static {
    /// An object that arrives.
    type Note: Send + Sync;

    /// Notes an object before any of it is stored. It is deleted in an hour, unless it is placed by then.
    async fn begin(&self, name: &str) -> StoreResult<Self::Note>;

    /// Puts off the time at which the object is deleted.
    async fn touch(&self, note: &mut Self::Note) -> StoreResult<()>;

    /// Gives a file its owner. A file of the same content stays, and the new object is deleted then.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] - there is no object, and no file of this content. The file that arrived in several requests
    /// is not there.
    async fn place(&self, placing: &Placing<'_, Self::Note>) -> StoreResult<()>;
}

/// A file that gets an owner.
pub(in crate::store) struct Placing<'a, N> {
    pub(in crate::store) tenant: &'a str,
    pub(in crate::store) owner: &'a str,
    pub(in crate::store) blob: &'a Blob,
    /// Its object; `None` if the file is stored already.
    pub(in crate::store) object: Option<PlacedObject<'a, N>>,
    /// The file that arrived in several requests, which ends with the change.
    pub(in crate::store) partial: Option<&'a str>,
}

/// An object that was stored.
pub(in crate::store) struct PlacedObject<'a, N> {
    pub(in crate::store) name: &'a str,
    /// The digests of its pieces, one after the other.
    pub(in crate::store) digests: &'a [u8],
    pub(in crate::store) note: &'a N,
}

/// Stores a file that arrived, and gives it an owner. `partial` ends with it. Nothing is sent if the tenant has the content.
pub(in crate::store) async fn store<N: Notes>(
    (notes, objects): (&N, &ObjectStore),
    (tenant, owner): (&str, &str),
    spool: &Spool,
    partial: Option<&str>,
) -> StoreResult<Blob> {
    let blob = &spool.blob;
    match notes.place(&Placing { tenant, owner, blob, object: None, partial }).await {
        Err(StoreError::Missing) => {}
        result => return result.map(|()| blob.clone()),
    }
    let _turn = objects.uploads.acquire().await.map_err(Error::bug)?;
    let name = format!("{}/{}", &blob.sha256[..2], new_id(&format!("{}-", blob.sha256))?);
    let mut note = notes.begin(&name).await?;
    send((notes, objects), &name, spool, &mut note).await?;
    let object = Some(PlacedObject { name: &name, digests: &spool.digests, note: &note });
    notes.place(&Placing { tenant, owner, blob, object, partial }).await?;
    Ok(blob.clone())
}

/// Sends the content. One part at a time is in memory.
async fn send<N: Notes>(
    (notes, objects): (&N, &ObjectStore),
    name: &str,
    spool: &Spool,
    note: &mut N::Note,
) -> StoreResult<()> {
    let size = spool.blob.size;
    if size <= PART_BYTES {
        return Ok(objects.put(name, spool.range(0, size).await?).await?);
    }
    let mut upload = objects.begin(name).await?;
    let sent = async {
        let (mut at, mut touched) = (0, Instant::now());
        while at < size {
            let length = PART_BYTES.min(size - at);
            let part = spool.range(at, length).await?;
            objects.add(&mut upload, part).await?;
            at += length;
            if touched.elapsed() >= TOUCH {
                notes.touch(note).await?;
                touched = Instant::now();
            }
        }
        Ok::<(), StoreError>(())
    };
    match sent.await {
        Ok(()) => Ok(objects.complete(upload).await?),
        Err(error) => {
            objects.abort(upload).await;
            Err(error)
        }
    }
}

/// A file that arrives. A short one goes to the database.
pub(in crate::store) struct ObjectWriter<N> {
    notes: N,
    objects: ObjectStore,
    tenant: String,
    /// Stores a short file.
    database: Box<dyn BlobWriter>,
    /// Refuses a size.
    check_size: fn(u64) -> StoreResult<()>,
    arriving: Arriving,
}

/// What has arrived so far.
enum Arriving {
    Short(Vec<u8>),
    Long(Box<SpoolWriter>),
}

impl<N: Notes> ObjectWriter<N> {
    pub(in crate::store) fn new(
        (notes, objects): (N, ObjectStore),
        tenant: &str,
        database: Box<dyn BlobWriter>,
        check_size: fn(u64) -> StoreResult<()>,
    ) -> ObjectWriter<N> {
        let (tenant, arriving) = (tenant.to_owned(), Arriving::Short(Vec::new()));
        ObjectWriter { notes, objects, tenant, database, check_size, arriving }
    }

    async fn continue_spool(&mut self, bytes: &[u8]) -> StoreResult<()> {
        match &mut self.arriving {
            Arriving::Long(spool) => spool.write(bytes).await,
            Arriving::Short(_) => Err(Error::bug("a short file has no spool").into()),
        }
    }
}

#[async_trait]
impl<N: Notes> BlobWriter for ObjectWriter<N> {
    async fn write(&mut self, bytes: &[u8]) -> StoreResult<()> {
        let begun = match &self.arriving {
            Arriving::Short(short) => short.len() as u64,
            Arriving::Long(spool) => spool.size(),
        };
        (self.check_size)(begun + bytes.len() as u64)?;
        if let Arriving::Short(short) = &mut self.arriving {
            if short.len() + bytes.len() <= self.objects.inline_bytes() {
                short.extend_from_slice(bytes);
                return Ok(());
            }
            let short = std::mem::take(short);
            // First, so that a file whose writing is interrupted here cannot be continued.
            self.arriving = Arriving::Long(Box::default());
            self.continue_spool(&short).await?;
        }
        self.continue_spool(bytes).await
    }

    async fn finish(self: Box<Self>, owner: &str) -> StoreResult<Blob> {
        let ObjectWriter { notes, objects, tenant, mut database, arriving, .. } = *self;
        match arriving {
            Arriving::Short(short) => {
                database.write(&short).await?;
                database.finish(owner).await
            }
            Arriving::Long(spool) => {
                check_name("tenant", &tenant)?;
                check_name("owner", owner)?;
                let spool = spool.finish().await?;
                store((&notes, &objects), (&tenant, owner), &spool, None).await
            }
        }
    }
}

/// Returns a file that arrived in several requests, on the disk of this machine. `source` reads it from the database.
pub(in crate::store) async fn spooled(source: &dyn BlobReader) -> StoreResult<Spool> {
    let (mut spool, size) = (SpoolWriter::default(), source.size());
    while spool.size() < size {
        let bytes = source.read(spool.size(), READ_BYTES).await?;
        if bytes.is_empty() {
            return Err(StoreError::Missing);
        }
        spool.write(&bytes).await?;
    }
    spool.finish().await
}
