//! Files of a session that tools can fill as templates: source files of documents, and artifacts.

use std::sync::Arc;

use super::super::content::Content;
use super::draw::{TemplateSlot, TemplateType};
use super::state::Delivery;
use crate::ingest::is_package_or_pdf;
use mitt_base::memory::Charge;
use mitt_base::{Error, Result, text};
use mitt_skill::capability::ServiceError;

/// Most template names that an error lists.
const MAX_NAMES: usize = 50;

impl TemplateType {
    fn has(&self, name: &str) -> bool {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        extension.is_some_and(|it| self.extensions.contains(&it.as_str()))
    }
}

impl Delivery {
    /// Finds the template of a file, and adds its bytes to `kept`. The guest may handle the inner error.
    pub(super) fn find_template(
        &self,
        TemplateSlot { name, kind, bytes }: TemplateSlot<'_>,
        kept: &mut Charge,
    ) -> Result<Result<(), ServiceError>> {
        let found = match self.content.source_of(name) {
            // Texts and mails are kept too, but no tool fills one.
            Some(source) => Some(source).filter(|it| is_package_or_pdf(it)),
            None => self.artifact_as_template(name, kept)?,
        };
        match found {
            Some(source) => *bytes = Some(source),
            None => return Ok(Err(self.no_template(name, kind))),
        }
        Ok(Ok(()))
    }

    /// Returns the content of an artifact that is not too large for a template, and adds it to `kept`.
    pub(super) fn artifact_as_template(
        &self,
        name: &str,
        kept: &mut Charge,
    ) -> Result<Option<Arc<[u8]>>> {
        let artifact = self.artifacts.list().into_iter().find(|artifact| artifact.name == name);
        let Some(artifact) = artifact.filter(|it| it.size <= Content::MAX_SOURCE) else {
            return Ok(None);
        };
        kept.grow(artifact.size).map_err(Error::reached)?;
        // An artifact whose file was removed in the meantime counts as missing.
        let content = self.artifacts.content(name).ok();
        Ok(content.filter(|it| it.len() as u64 <= Content::MAX_SOURCE).map(Arc::from))
    }

    /// Returns the file of a Word document of the session; `None` if it has none of this name.
    pub(super) fn document_file(&self, name: &str, kept: &mut Charge) -> Result<Option<Arc<[u8]>>> {
        let lower = name.to_ascii_lowercase();
        if !lower.ends_with(".docx") && !lower.ends_with(".dotx") {
            return Ok(None);
        }
        match self.content.source_of(name) {
            Some(source) => Ok(Some(source)),
            None => self.artifact_as_template(name, kept),
        }
    }

    fn no_template(&self, name: &str, kind: &TemplateType) -> ServiceError {
        let shown = text::one_line(text::cut_bytes(name, 200));
        let [usual, other] = kind.extensions;
        let artifacts = self.artifacts.list();
        let is_there = self.content.documents().iter().any(|document| document.name == *name);
        if is_there || artifacts.iter().any(|artifact| artifact.name == *name) {
            return ServiceError::Unsupported(format!(
                "template: the file of `{shown}` was not kept: the session must keep files, and the file must be a `.{usual}` or `.{other}` of at most {} MiB from which no rule removed anything",
                Content::MAX_SOURCE >> 20
            ));
        }
        let artifacts = artifacts.into_iter().map(|artifact| artifact.name);
        let known: Vec<_> = self.content.sources().into_iter().chain(artifacts).collect();
        let mut known: Vec<_> = known.into_iter().filter(|name| kind.has(name)).collect();
        known.dedup();
        known.truncate(MAX_NAMES);
        let known = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are `{}`", known.join("`, `"))
        };
        ServiceError::NotFound(format!(
            "template: no document or artifact `{shown}`; of {} {known}",
            kind.name
        ))
    }
}
