//! Files whose content is in an object store: what the entries note of objects.

use async_trait::async_trait;

use super::super::objects::{Notes, ObjectStore, Placing, spooled, store};
use super::super::{Blob, StoreError, StoreResult, new_id};
use super::connection::{Tried, tried};
use super::contents::Arriving;
use super::entries::{self, OwnerEntry, hash};
use super::files::{self, Content, Source, interrupted};
use super::partials;
use super::shared::Shared;

/// Notes objects in entries. A cheap handle.
#[derive(Clone)]
pub(super) struct ObjectNotes {
    pub(super) shared: Shared,
}

#[async_trait]
impl Notes for ObjectNotes {
    type Note = Arriving;

    async fn begin(&self, name: &str) -> StoreResult<Arriving> {
        Arriving::begin_with(&self.shared, Some(name)).await
    }

    async fn touch(&self, arriving: &mut Arriving) -> StoreResult<()> {
        arriving.touch(&self.shared).await.map_err(|error| match error {
            StoreError::Missing => interrupted(),
            error => error,
        })
    }

    async fn place(&self, placing: &Placing<'_, Arriving>) -> StoreResult<()> {
        let token = new_id("")?;
        tried!(self.shared.connection, place(&self.shared, placing, &token))
    }
}

async fn place(shared: &Shared, placing: &Placing<'_, Arriving>, token: &str) -> Tried<()> {
    let Placing { tenant, owner, blob, .. } = *placing;
    let (connection, to) = (&shared.connection, (tenant, owner));
    let of = entries::read::<OwnerEntry>(connection, &hash(&[tenant, &blob.sha256, owner])).await?;
    if of.live().is_some() && of.token == token {
        return Ok(());
    }
    let ended = async || match placing.partial {
        Some(id) => partials::ended(shared, (tenant, id), blob.size, token).await,
        None => Ok(Vec::new()),
    };
    let if_known = ended().await?;
    let Some(object) = &placing.object else {
        let source = Source { root: "", content: Content::Known, if_new: Vec::new(), if_known };
        return files::place(shared, to, blob, source, token).await;
    };
    let mut if_new = ended().await?;
    if_new.push(object.note.kept(connection, token)?);
    let content = Content::Object(object.name, object.digests);
    // The object of a second file of the same content stays garbage.
    let source = Source { root: &object.note.root, content, if_new, if_known };
    files::place_arrived(shared, to, (blob, object.note), source, token).await
}

/// Makes a stored file of one that arrived in several requests, with its content in the object store. `None` if it is short,
/// and stays in the servers.
pub(super) async fn finish(
    shared: &Shared,
    objects: &ObjectStore,
    (tenant, id): partials::Name<'_>,
    owner: &str,
) -> StoreResult<Option<Blob>> {
    let source = tried!(shared.connection, partials::open(shared, (tenant, id)))?;
    if source.size <= objects.inline_bytes() as u64 {
        return Ok(None);
    }
    let spool = spooled(&source).await?;
    let notes = ObjectNotes { shared: shared.clone() };
    store((&notes, objects), (tenant, owner), &spool, Some(id)).await.map(Some)
}
