//! Files whose content is in an object store: what the database notes of objects, and their end.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};

use super::super::objects::{Notes, ObjectStore, Placing, no_object_store};
use super::super::{StoreError, StoreResult};
use super::files::{self, interrupted};
use super::pool::{Lent, Pool, Tried, tried};

/// Objects that are deleted at the same time, and in one sweep. The rest goes with the next one.
const AT_ONCE: usize = 8;
const BATCH: i64 = 500;
const MOST_BATCHES: usize = 10;

/// Notes objects in the database. A cheap handle.
#[derive(Clone)]
pub(super) struct ObjectNotes {
    pub(super) pool: Arc<Pool>,
}

#[async_trait]
impl Notes for ObjectNotes {
    /// Number of the file.
    type Note = i64;

    async fn begin(&self, name: &str) -> StoreResult<i64> {
        // A try whose result was lost leaves a number that goes with a sweep.
        tried!(&self.pool, _is_repeat => async {
            let mut lent = self.pool.lend().await?;
            let begin = "with made as (select nextval('numbers') as number), \
                noted as (insert into arriving (file, touched_ms) select number, now_ms() from made) \
                insert into objects (file, name) select number, $1 from made returning file";
            let row = lent.row(begin, &[&name]).await?;
            Ok(row.map(|row| row.get(0)).ok_or(StoreError::Missing)?)
        })
    }

    async fn touch(&self, file: &mut i64) -> StoreResult<()> {
        let file = *file;
        let touched = tried!(&self.pool, _is_repeat => async {
            let mut lent = self.pool.lend().await?;
            lent.run("update arriving set touched_ms = now_ms() where file = $1", &[&file]).await
        })?;
        if touched == 0 { Err(interrupted()) } else { Ok(()) }
    }

    async fn place(&self, placing: &Placing<'_, i64>) -> StoreResult<()> {
        tried!(&self.pool, is_repeat => async {
            let lent = self.pool.lend().await?;
            place(lent, placing, is_repeat).await
        })
    }
}

async fn place(lent: Lent<'_>, placing: &Placing<'_, i64>, is_repeat: bool) -> Tried<()> {
    let mut lent = lent;
    let Placing { tenant, owner, blob, .. } = *placing;
    lent.begin().await?;
    if is_repeat && is_placed(&mut lent, placing).await? {
        return lent.keep().await;
    }
    if let Some(id) = placing.partial {
        // One that has grown meanwhile is other content.
        let ended = "with ended as ( \
                delete from partials where tenant = $1 and id = $2 and size = $3 returning file) \
            insert into garbage (number) select file from ended";
        if lent.run(ended, &[&tenant, &id, &files::size_of(blob)]).await? == 0 {
            return lent.undo(StoreError::Missing).await;
        }
    }
    match &placing.object {
        None => {
            let find = "select number from files where tenant = $1 and sha256 = $2 for update";
            let Some(row) = lent.row(find, &[&tenant, &blob.sha256]).await? else {
                return lent.undo(StoreError::Missing).await;
            };
            files::add_owner(&mut lent, (tenant, owner), row.get(0)).await?;
        }
        Some(object) => {
            if lent.run("delete from arriving where file = $1", &[object.note]).await? == 0 {
                return lent.undo(interrupted()).await;
            }
            let stored = "update objects set digests = $2 where file = $1";
            lent.run(stored, &[object.note, &object.digests]).await?;
            files::place(&mut lent, (tenant, owner), blob, *object.note).await?;
        }
    }
    lent.keep().await
}

/// Returns `true` if an earlier try made the change.
async fn is_placed(lent: &mut Lent<'_>, placing: &Placing<'_, i64>) -> Tried<bool> {
    let owned = "select from files f join owners o on o.file = f.number \
        where f.tenant = $1 and f.sha256 = $2 and o.owner = $3";
    let values: super::pool::Values<'_> = &[&placing.tenant, &placing.blob.sha256, &placing.owner];
    if lent.row(owned, values).await?.is_none() {
        return Ok(false);
    }
    let arrives = match &placing.object {
        Some(object) => lent.row("select from arriving where file = $1", &[object.note]).await?,
        None => None,
    };
    let partial = match placing.partial {
        Some(id) => {
            let find = "select from partials where tenant = $1 and id = $2";
            lent.row(find, &[&placing.tenant, &id]).await?
        }
        None => None,
    };
    Ok(arrives.is_none() && partial.is_none())
}

/// Deletes objects of files that are garbage. An object store that fails leaves them for the next sweep.
pub(super) async fn sweep(pool: &Pool, objects: Option<&ObjectStore>) -> StoreResult<()> {
    for _ in 0..MOST_BATCHES {
        let rows = tried!(pool, _is_repeat => async {
            let mut lent = pool.lend().await?;
            let find = "select o.file, o.name from garbage g join objects o on o.file = g.number \
                order by o.file limit $1";
            lent.rows(find, &[&BATCH]).await
        })?;
        let garbage: Vec<(i64, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let Some((_, name)) = garbage.first() else { return Ok(()) };
        let Some(objects) = objects else {
            let error = no_object_store(name).render();
            tracing::warn!(error, "objects of deleted files stay");
            return Ok(());
        };
        let deleting = stream::iter(garbage)
            .map(|(file, name)| async move { (file, objects.delete(&name).await) });
        let mut deleting = deleting.buffer_unordered(AT_ONCE);
        let (mut deleted, mut is_down) = (Vec::new(), false);
        while let Some((file, result)) = deleting.next().await {
            let Err(error) = result else {
                deleted.push(file);
                continue;
            };
            is_down = error.is_retryable();
            let error = error.render();
            tracing::warn!(error, "an object of a deleted file stays until the next sweep");
            // The other objects would wait for their tries one after the other.
            if is_down {
                break;
            }
        }
        tried!(pool, _is_repeat => async {
            let mut lent = pool.lend().await?;
            lent.run("delete from objects where file = any($1)", &[&deleted]).await
        })?;
        if is_down || deleted.len() < usize::try_from(BATCH).unwrap_or_default() {
            return Ok(());
        }
    }
    Ok(())
}
