//! Uploads that arrive in several requests, whatever their protocol: what is kept of them, and how they end.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::form::millis;
use crate::files::{Files, UploadedFile};
use crate::problem::Problem;
use crate::service::Service;
use crate::store::{Blob, Document, StoreError, new_id};

/// Table of uploads that are not whole yet.
const TABLE: &str = "uploads";
/// Table of uploads that became files.
const FINISHED: &str = "finished_uploads";
/// Most uploads of a tenant that are not whole.
pub(super) const MOST_OPEN: usize = 64;
/// Time after its creation at which an upload that is not whole is deleted.
pub(super) const LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// What is kept of an upload.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    /// Name of the file.
    pub(super) name: String,
    pub(super) media_type: String,
    /// Size of the whole file in bytes.
    pub(super) size: u64,
    created_ms: u64,
    pub(super) expires_ms: u64,
    /// Identifier that the file has once it is whole.
    file: String,
}

/// An upload.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(rename = "Upload")]
pub(super) struct UploadState {
    /// Identifier, `upload_…`.
    pub(super) id: String,
    /// Name of the file.
    pub(super) name: String,
    /// Media type of the file.
    pub(super) media_type: String,
    /// Size of the whole file in bytes.
    pub(super) size: u64,
    /// Bytes that have arrived.
    pub(super) offset: u64,
    /// Time at which the upload is forgotten, in milliseconds after 1970. The file stays.
    pub(super) expires_ms: u64,
    /// The file, once it is whole. Its identifier names it as a document of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<UploadedFile>,
}

/// Uploads of a tenant.
#[derive(Clone)]
pub(super) struct Uploads {
    pub(super) service: Service,
    pub(super) tenant: String,
}

impl Uploads {
    /// Begins an upload of `size` bytes.
    pub(super) async fn create(
        &self,
        name: String,
        media_type: String,
        size: u64,
    ) -> Result<UploadState, Problem> {
        let store = self.service.store();
        let open = store.documents(&self.tenant, TABLE, None, MOST_OPEN).await?;
        if open.len() >= MOST_OPEN {
            let detail = format!("{MOST_OPEN} uploads are not whole yet");
            let hint = "end some of them, or delete them with `DELETE /v1/uploads/{upload}`";
            return Err(Problem::new(429, "too_many_uploads", detail).hint(hint).retry_after(60));
        }
        self.service.room(&self.tenant).await?.check(size)?;
        let id = new_id("upload_")?;
        let now_ms = self.service.now_ms();
        let entry = Entry {
            name,
            media_type,
            size,
            created_ms: now_ms,
            expires_ms: now_ms.saturating_add(millis(LIFE)),
            file: Files::new_id()?,
        };
        let value = serde_json::to_vec(&entry).map_err(mitt_base::Error::bug)?;
        let (tenant, life) = (&self.tenant, Some(LIFE));
        store.put_document(tenant, TABLE, &id, value.into(), Some(0), life).await?;
        if let Err(error) = store.partial_append(tenant, &id, 0, &[]).await {
            store.delete_document(tenant, TABLE, &id).await?;
            return Err(error.into());
        }
        if size == 0 {
            return self.finish(&id, &entry).await;
        }
        Ok(shown(&id, &entry, 0, None))
    }

    /// Returns an upload.
    pub(super) async fn get(&self, id: &str) -> Result<UploadState, Problem> {
        Ok(self.find(id).await?.0)
    }

    /// Returns an upload with what is kept of it.
    pub(super) async fn find(&self, id: &str) -> Result<(UploadState, Entry), Problem> {
        if let Some(entry) = self.entry(FINISHED, id).await? {
            let file = self.service.files().get(&self.tenant, &entry.file).await;
            let file = file.map_err(|_| Problem::not_found("upload", id))?;
            return Ok((shown(id, &entry, entry.size, Some(file)), entry));
        }
        let entry = self.entry(TABLE, id).await?;
        let entry = entry.ok_or_else(|| Problem::not_found("upload", id))?;
        match self.service.store().partial_size(&self.tenant, id).await {
            Ok(offset) => Ok((shown(id, &entry, offset, None), entry)),
            // A crash came after the file was whole, and before this was noted.
            Err(StoreError::Missing) => {
                match self.service.files().get(&self.tenant, &entry.file).await {
                    Ok(file) => Ok((self.note(id, &entry, file).await?, entry)),
                    Err(_) => Err(Problem::new(410, "upload_lost", "the upload was lost")
                        .hint("delete it, and begin a new one")),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Appends bytes at `offset`, and returns the number of bytes that are there now.
    pub(super) async fn append(&self, id: &str, offset: u64, bytes: &[u8]) -> Result<u64, Problem> {
        // Others may have filled the room meanwhile.
        self.service.room(&self.tenant).await?.check(bytes.len() as u64)?;
        let appended = self.service.store().partial_append(&self.tenant, id, offset, bytes).await;
        appended.map_err(|error| match error {
            StoreError::Conflict(size) => wrong_offset(size, offset),
            StoreError::Missing => Problem::not_found("upload", id),
            error => error.into(),
        })
    }

    /// Makes a file of an upload that is whole.
    pub(super) async fn finish(&self, id: &str, entry: &Entry) -> Result<UploadState, Problem> {
        let (store, tenant) = (self.service.store(), self.tenant.as_str());
        let Blob { sha256, size } = store.partial_finish(tenant, id, &entry.file).await?;
        let file = UploadedFile {
            id: entry.file.clone(),
            name: entry.name.clone(),
            media_type: entry.media_type.clone(),
            sha256,
            size,
            created_ms: self.service.now_ms(),
            expires_ms: None,
            purpose: "user_data".to_owned(),
        };
        let file = match self.service.files().enter(tenant, file, None).await {
            Ok(file) => file,
            Err(problem) => {
                store.release(tenant, &entry.file).await?;
                return Err(problem);
            }
        };
        self.note(id, entry, file).await
    }

    /// Deletes an upload, and its file if it is whole.
    pub(super) async fn delete(&self, id: &str) -> Result<(), Problem> {
        let (store, tenant) = (self.service.store(), self.tenant.as_str());
        if let Some(entry) = self.entry(FINISHED, id).await? {
            store.delete_document(tenant, FINISHED, id).await?;
            return self.service.files().delete(tenant, &entry.file).await;
        }
        if !store.delete_document(tenant, TABLE, id).await? {
            return Err(Problem::not_found("upload", id));
        }
        store.partial_delete(tenant, id).await?;
        Ok(())
    }

    /// Notes that an upload became a file.
    async fn note(
        &self,
        id: &str,
        entry: &Entry,
        file: UploadedFile,
    ) -> Result<UploadState, Problem> {
        let (store, tenant) = (self.service.store(), self.tenant.as_str());
        let value = serde_json::to_vec(entry).map_err(mitt_base::Error::bug)?;
        store.put_document(tenant, FINISHED, id, value.into(), None, Some(LIFE)).await?;
        store.delete_document(tenant, TABLE, id).await?;
        Ok(shown(id, entry, entry.size, Some(file)))
    }

    async fn entry(&self, table: &str, id: &str) -> Result<Option<Entry>, Problem> {
        match self.service.store().document(&self.tenant, table, id).await {
            Ok(document) => {
                let entry = serde_json::from_slice(&document.value);
                Ok(Some(entry.map_err(mitt_base::Error::bug)?))
            }
            Err(StoreError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Frees what arrived of an upload whose life has ended. Documents of other tables are ignored.
pub(super) async fn swept(
    service: &Service,
    tenant: &str,
    table: &str,
    document: &Document,
) -> Result<(), Problem> {
    if table != TABLE {
        return Ok(());
    }
    service.store().partial_delete(tenant, &document.key).await?;
    // A crash came after the content was stored, and before the file was entered.
    let entry: Entry = serde_json::from_slice(&document.value).map_err(mitt_base::Error::bug)?;
    if service.files().get(tenant, &entry.file).await.is_err() {
        service.store().release(tenant, &entry.file).await?;
    }
    Ok(())
}

/// Returns the problem of bytes that do not follow those that are there.
pub(super) fn wrong_offset(expected: u64, got: u64) -> Problem {
    let detail = format!("`Upload-Offset`: expected {expected}, got {got}");
    Problem::conflict("offset_mismatch", detail)
        .hint("ask for the offset with `HEAD`, and send what follows it")
}

fn shown(id: &str, entry: &Entry, offset: u64, file: Option<UploadedFile>) -> UploadState {
    UploadState {
        id: id.to_owned(),
        name: entry.name.clone(),
        media_type: entry.media_type.clone(),
        size: entry.size,
        offset,
        expires_ms: entry.expires_ms,
        file,
    }
}
