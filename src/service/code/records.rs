//! Sandboxes and their files in the store.

use std::sync::Arc;
use std::time::Duration;

use super::state::{NewSandbox, SandboxFile, SandboxState, file_name, media_type};
use crate::problem::Problem;
use crate::store::{Blob, Document, Store, StoreError, new_id, read_whole, write_whole};
use mitt::Host;
use mitt_base::Error;

/// Table of the sandboxes.
const TABLE: &str = "sandboxes";

/// A use of a sandbox is written down if the last one was this long ago, or longer ago than a part of its life.
const USE_SECONDS: u64 = 30;
const USE_PART: u64 = 20;

/// Longest name of a sandbox in bytes.
const NAME_BYTES: usize = 500;

/// A file that is about to be added.
pub(super) struct NewFile {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) media_type: String,
    pub(super) content: Blob,
    pub(super) is_written: bool,
}

/// The sandboxes in a store, with their limits.
pub(super) struct Records {
    pub(super) store: Arc<dyn Store>,
    pub(super) host: Host,
    pub(super) most_files: usize,
    pub(super) most_bytes: u64,
}

impl Records {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.host.environment().now().as_millis()).unwrap_or(u64::MAX)
    }

    /// Makes a sandbox that has these files, which their identifiers own in the store.
    pub(super) async fn create(
        &self,
        tenant: &str,
        new: NewSandbox,
        files: Vec<NewFile>,
    ) -> Result<SandboxState, Problem> {
        let mut state = SandboxState {
            id: new_id(new.prefix)?,
            name: mitt_base::text::cut_bytes(&new.name, NAME_BYTES).to_owned(),
            created_ms: self.now_ms(),
            used_ms: self.now_ms(),
            life_seconds: new.life.as_secs().max(1),
            files: Vec::new(),
        };
        let owners: Vec<String> = files.iter().map(|it| it.id.clone()).collect();
        let put = files.into_iter().try_for_each(|file| self.put_in(&mut state, file).map(|_| ()));
        let stored = match put {
            Ok(()) => self.put_new(tenant, &state).await,
            Err(problem) => Err(problem),
        };
        if let Err(problem) = stored {
            self.release(tenant, owners.iter().map(String::as_str)).await?;
            return Err(problem);
        }
        Ok(state)
    }

    async fn put_new(&self, tenant: &str, state: &SandboxState) -> Result<(), Problem> {
        let life = Duration::from_secs(state.life_seconds);
        let value = serde_json::to_vec(state).map_err(Error::bug)?;
        let put =
            self.store.put_document(tenant, TABLE, &state.id, value.into(), Some(0), Some(life));
        put.await?;
        Ok(())
    }

    /// Returns a sandbox with the version of its document.
    pub(super) async fn read(
        &self,
        tenant: &str,
        id: &str,
    ) -> Result<(SandboxState, u64), Problem> {
        match self.store.document(tenant, TABLE, id).await {
            Ok(document) => Ok((parse(&document)?, document.version)),
            Err(StoreError::Missing) => Err(Problem::not_found("sandbox", id)),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn list(
        &self,
        tenant: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<SandboxState>, Problem> {
        let documents = self.store.documents(tenant, TABLE, after, limit).await?;
        documents.iter().map(parse).collect()
    }

    /// Changes a sandbox, and marks it as used. `change` is called again if somebody else changed it at the same time.
    pub(super) async fn change<T>(
        &self,
        tenant: &str,
        id: &str,
        mut change: impl FnMut(&mut SandboxState) -> Result<T, Problem> + Send,
    ) -> Result<(SandboxState, T), Problem> {
        loop {
            let (mut state, version) = self.read(tenant, id).await?;
            let changed = change(&mut state)?;
            state.used_ms = self.now_ms();
            let life = Duration::from_secs(state.life_seconds);
            let value = serde_json::to_vec(&state).map_err(Error::bug)?;
            let put = self
                .store
                .put_document(tenant, TABLE, id, value.into(), Some(version), Some(life))
                .await;
            match put {
                Ok(_) => return Ok((state, changed)),
                Err(StoreError::Conflict(_)) => {}
                Err(StoreError::Missing) => return Err(Problem::not_found("sandbox", id)),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Marks a sandbox as used, unless that was written down a moment ago.
    pub(super) async fn touch(
        &self,
        tenant: &str,
        state: SandboxState,
    ) -> Result<SandboxState, Problem> {
        let since = Duration::from_millis(self.now_ms().saturating_sub(state.used_ms));
        if since < Duration::from_secs(USE_SECONDS.min(state.life_seconds / USE_PART)) {
            return Ok(state);
        }
        Ok(self.change(tenant, &state.id, |_| Ok(())).await?.0)
    }

    /// Deletes a sandbox with its files.
    pub(super) async fn delete(&self, tenant: &str, id: &str) -> Result<(), Problem> {
        let (state, _) = self.read(tenant, id).await?;
        if !self.store.delete_document(tenant, TABLE, id).await? {
            return Err(Problem::not_found("sandbox", id));
        }
        self.release(tenant, state.files.iter().map(|it| it.id.as_str())).await
    }

    /// Releases the files of a sandbox whose life has ended.
    pub(super) async fn swept(
        &self,
        tenant: &str,
        table: &str,
        document: &Document,
    ) -> Result<(), Problem> {
        if table != TABLE {
            return Ok(());
        }
        let state = parse(document)?;
        self.release(tenant, state.files.iter().map(|it| it.id.as_str())).await
    }

    /// Adds files, and returns them. A file of the same name is replaced; one that has the same content, too, stays, and is
    /// returned. If the method fails, it removes the files from the store.
    pub(super) async fn add(
        &self,
        tenant: &str,
        sandbox: &str,
        files: &[NewFile],
        removed: &[String],
    ) -> Result<(SandboxState, Vec<SandboxFile>), Problem> {
        let changed = self
            .change(tenant, sandbox, |state| {
                let mut replaced: Vec<String> = Vec::new();
                let mut added = Vec::new();
                let gone = |it: &SandboxFile| removed.contains(&it.name);
                replaced.extend(state.files.extract_if(.., |it| gone(it)).map(|it| it.id));
                for file in files {
                    let sha256 = &file.content.sha256;
                    let name = file_name(&file.name)?;
                    let same =
                        state.files.iter().find(|it| it.name == name && it.sha256 == *sha256);
                    if let Some(same) = same {
                        // Somebody may know it by its identifier already.
                        replaced.extend((same.id != file.id).then(|| file.id.clone()));
                        added.push(same.clone());
                        continue;
                    }
                    let (file, old) = self.put_in(state, file.again())?;
                    // The same file may be added twice; its content stays.
                    replaced.extend(old.filter(|it| *it != file.id));
                    added.push(file);
                }
                Ok((added, replaced))
            })
            .await;
        match changed {
            Ok((state, (added, replaced))) => {
                self.release(tenant, replaced.iter().map(String::as_str)).await?;
                Ok((state, added))
            }
            Err(problem) => {
                self.release(tenant, files.iter().map(|it| it.id.as_str())).await?;
                Err(problem)
            }
        }
    }

    /// Removes a file.
    pub(super) async fn remove(
        &self,
        tenant: &str,
        sandbox: &str,
        file: &str,
    ) -> Result<SandboxFile, Problem> {
        let (_, removed) = self
            .change(tenant, sandbox, |state| {
                let at = state.files.iter().position(|it| it.id == file);
                at.map(|at| state.files.remove(at)).ok_or_else(|| Problem::not_found("file", file))
            })
            .await?;
        self.release(tenant, [removed.id.as_str()].into_iter()).await?;
        Ok(removed)
    }

    /// Puts a file into a sandbox. Returns it, and the identifier of the file that it replaces.
    fn put_in(
        &self,
        state: &mut SandboxState,
        file: NewFile,
    ) -> Result<(SandboxFile, Option<String>), Problem> {
        let NewFile { id, name, media_type: given, content, is_written } = file;
        let name = file_name(&name)?;
        let replaced = state.files.extract_if(.., |it| it.name == name).map(|it| it.id).next();
        if state.files.len() >= self.most_files {
            let detail = format!("a sandbox has at most {} files", self.most_files);
            return Err(Problem::new(422, "too_many_files", detail)
                .hint("delete files, or use another sandbox"));
        }
        let bytes: u64 = state.files.iter().map(|it| it.size).sum();
        if bytes.saturating_add(content.size) > self.most_bytes {
            let detail = format!(
                "the files of a sandbox have at most {} bytes; with `{name}` they would have {}",
                self.most_bytes,
                bytes.saturating_add(content.size)
            );
            return Err(
                Problem::new(413, "too_large", detail).hint("delete files, or use another sandbox")
            );
        }
        let is_named = !given.is_empty() && given != "application/octet-stream";
        let file = SandboxFile {
            id,
            media_type: if is_named { given } else { media_type(&name).to_owned() },
            name,
            sha256: content.sha256,
            size: content.size,
            created_ms: self.now_ms(),
            is_written,
        };
        state.files.push(file.clone());
        Ok((file, replaced))
    }

    /// Stores bytes, which the returned file owns.
    pub(super) async fn store(
        &self,
        tenant: &str,
        (name, media_type): (&str, &str),
        bytes: &[u8],
    ) -> Result<NewFile, Problem> {
        let id = new_id("")?;
        let content = write_whole(&*self.store, tenant, bytes, &id).await?;
        Ok(NewFile {
            id,
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            content,
            is_written: true,
        })
    }

    /// Reads the content of a file.
    pub(super) async fn content(
        &self,
        tenant: &str,
        file: &SandboxFile,
    ) -> Result<Vec<u8>, Problem> {
        Ok(read_whole(&*self.store, tenant, &file.sha256).await?)
    }

    pub(super) async fn release(
        &self,
        tenant: &str,
        owners: impl Iterator<Item = &str> + Send,
    ) -> Result<(), Problem> {
        for owner in owners {
            self.store.release(tenant, owner).await?;
        }
        Ok(())
    }
}

impl NewFile {
    fn again(&self) -> NewFile {
        NewFile {
            id: self.id.clone(),
            name: self.name.clone(),
            media_type: self.media_type.clone(),
            content: self.content.clone(),
            is_written: self.is_written,
        }
    }
}

fn parse(document: &Document) -> Result<SandboxState, Problem> {
    Ok(serde_json::from_slice(&document.value).map_err(Error::bug)?)
}
