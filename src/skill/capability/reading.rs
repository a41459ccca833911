//! Services of a session for agents that may only read it.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::artifact::Artifact;
use super::files::reading_only;
use super::render::{Deliverable, Render};
use super::services::Services;
use super::shared::{Nobody, ServiceError};
use super::signing::nothing_signed;
use super::workspace::WorkspaceBounds;
use mitt_base::Error;

impl Services {
    /// Returns the services without those that change something: the workspace is read-only, no file is delivered, and
    /// nothing is signed. The tools
    /// that can be called are restricted in the registry.
    pub fn reading_only(self) -> Services {
        let workspace = WorkspaceBounds { read_only: true, ..WorkspaceBounds::default() };
        Services {
            workspace: workspace.bound(self.workspace),
            files: reading_only(self.files),
            render: Arc::new(NoFiles),
            signing: nothing_signed(),
            web: Arc::new(Nobody),
            ..self
        }
    }
}

struct NoFiles;

impl Render for NoFiles {
    fn deliver(
        &self,
        _: Deliverable,
        _: String,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>, Error>> {
        Box::pin(async move {
            Ok(Err(ServiceError::Unsupported(
                "this agent only reads: it delivers no files".to_owned(),
            )))
        })
    }
}
