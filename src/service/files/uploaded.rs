//! Files that a client uploaded, until they expire or are deleted.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::store::{Blob, BlobReader, Document, Store, StoreError, new_id, write_whole};
use mitt_serve::AUDIT_TARGET;

/// Table of the files in the store.
const TABLE: &str = "files";

/// An uploaded file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct UploadedFile {
    /// Identifier, `file-…`.
    pub id: String,
    /// Name.
    pub name: String,
    /// Media type, as the client named it; otherwise `application/octet-stream`.
    pub media_type: String,
    /// SHA-256 of the content.
    pub sha256: String,
    /// Size in bytes.
    pub size: u64,
    /// Time of the upload in milliseconds after 1970.
    pub created_ms: u64,
    /// Time at which it is deleted, in milliseconds after 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<u64>,
    /// What the client wants to do with it, such as `user_data`.
    #[serde(default)]
    pub purpose: String,
}

/// The uploaded files of all tenants. A cheap handle.
#[derive(Clone)]
pub struct Files {
    store: Arc<dyn Store>,
}

impl Files {
    /// Returns the files in a store.
    pub fn new(store: Arc<dyn Store>) -> Files {
        Files { store }
    }

    /// Returns the identifier of a file that is about to be stored, which is the owner of its content.
    ///
    /// # Errors
    ///
    /// The system has no random numbers.
    pub fn new_id() -> Result<String, Problem> {
        Ok(new_id("file-")?)
    }

    /// Enters a file whose content `id` owns in the store.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub async fn enter(
        &self,
        tenant: &str,
        file: UploadedFile,
        life: Option<Duration>,
    ) -> Result<UploadedFile, Problem> {
        let value = serde_json::to_vec(&file).map_err(mitt_base::Error::bug)?;
        self.store.put_document(tenant, TABLE, &file.id, value.into(), Some(0), life).await?;
        let UploadedFile { id, size, .. } = &file;
        tracing::info!(target: AUDIT_TARGET, tenant, file = id, size, "a file was uploaded");
        Ok(file)
    }

    /// Stores bytes as a file.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub async fn add(
        &self,
        tenant: &str,
        name: &str,
        media_type: &str,
        content: &[u8],
        now_ms: u64,
    ) -> Result<UploadedFile, Problem> {
        let id = Files::new_id()?;
        let Blob { sha256, size } = write_whole(&*self.store, tenant, content, &id).await?;
        let file = UploadedFile {
            id,
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            sha256,
            size,
            created_ms: now_ms,
            expires_ms: None,
            purpose: String::new(),
        };
        self.enter(tenant, file, None).await
    }

    /// Returns a file.
    ///
    /// # Errors
    ///
    /// The tenant has no such file.
    pub async fn get(&self, tenant: &str, id: &str) -> Result<UploadedFile, Problem> {
        match self.store.document(tenant, TABLE, id).await {
            Ok(document) => read(&document.value),
            Err(StoreError::Missing) => Err(Problem::not_found("file", id)),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns files in the order of their identifiers, after the identifier `after`.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub async fn list(
        &self,
        tenant: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<UploadedFile>, Problem> {
        let documents = self.store.documents(tenant, TABLE, after, limit).await?;
        documents.iter().map(|document| read(&document.value)).collect()
    }

    /// Deletes a file. Runs that use it keep its content.
    ///
    /// # Errors
    ///
    /// The tenant has no such file.
    pub async fn delete(&self, tenant: &str, id: &str) -> Result<(), Problem> {
        if !self.store.delete_document(tenant, TABLE, id).await? {
            return Err(Problem::not_found("file", id));
        }
        tracing::info!(target: AUDIT_TARGET, tenant, file = id, "a file was deleted");
        Ok(self.store.release(tenant, id).await?)
    }

    /// Releases the content of a file whose life has ended. Call it with what [`Store::sweep`] returned; documents of other
    /// tables are ignored.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub async fn swept(
        &self,
        tenant: &str,
        table: &str,
        document: &Document,
    ) -> Result<(), Problem> {
        if table == TABLE {
            self.store.release(tenant, &document.key).await?;
        }
        Ok(())
    }

    /// Opens the content of a file.
    ///
    /// # Errors
    ///
    /// The content is gone.
    pub async fn open(
        &self,
        tenant: &str,
        file: &UploadedFile,
    ) -> Result<Arc<dyn BlobReader>, Problem> {
        Ok(self.store.blob(tenant, &file.sha256).await?)
    }
}

fn read(value: &[u8]) -> Result<UploadedFile, Problem> {
    Ok(serde_json::from_slice(value).map_err(mitt_base::Error::bug)?)
}
