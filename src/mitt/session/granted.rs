//! Services that stand between a plugin and its session. They enforce the bounds of the skill's grants, and the modules that a
//! script is allowed to use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use super::script::AllowedModules;
use crate::capability::{
    Artifact, Deliverable, LogLevel, ServiceError, Services, ToolFailure, ToolInfo,
};
use crate::document::Document;
use crate::skill::GrantBounds;
use mitt_base::{Error, ErrorKind, Result};

/// `services` within `bounds`.
pub(super) fn granted(services: Arc<dyn Services>, bounds: &GrantBounds) -> Arc<dyn Services> {
    granted_to_script(services, bounds, &AllowedModules::default())
}

/// As [`granted`], without the tools of modules that the script's caller does not allow.
pub(super) fn granted_to_script(
    services: Arc<dyn Services>,
    bounds: &GrantBounds,
    modules: &AllowedModules,
) -> Arc<dyn Services> {
    if *bounds == GrantBounds::default() && modules.is_all() {
        return services;
    }
    let (bounds, modules) = (bounds.clone(), modules.clone());
    Arc::new(Granted { services, bounds, modules, delivered: AtomicU64::new(0) })
}

struct Granted {
    services: Arc<dyn Services>,
    bounds: GrantBounds,
    modules: AllowedModules,
    delivered: AtomicU64,
}

impl Granted {
    fn check_write(&self, name: &str, size: u64) -> Result<(), ServiceError> {
        self.check_not_read_only()?;
        let files = self.services.workspace_list();
        let (mut count, mut bytes) = (1, size);
        for (_, size) in files.iter().filter(|(other, _)| other != name) {
            count += 1;
            bytes += size;
        }
        let over = |what: &str, most: u64, used: u64| {
            Err(ServiceError::Quota(format!(
                "the skill is granted a workspace of at most {most} {what}, and this would make {used}"
            )))
        };
        match (self.bounds.workspace_files, self.bounds.workspace_bytes) {
            (Some(most), _) if count > most => over("files", most, count),
            (_, Some(most)) if bytes > most => over("bytes", most, bytes),
            _ => Ok(()),
        }
    }

    fn check_not_read_only(&self) -> Result<(), ServiceError> {
        match self.bounds.workspace_read_only {
            true => Err(ServiceError::Unsupported(
                "the skill is granted the workspace for reading only".to_owned(),
            )),
            false => Ok(()),
        }
    }

    fn check_deliver(&self, what: &Deliverable, filename: &str) -> Result<(), ServiceError> {
        let format = match what {
            #[cfg(feature = "xlsx")]
            Deliverable::Workbook(_) => "xlsx".to_owned(),
            #[cfg(feature = "pdf")]
            Deliverable::Pdf { .. } => "pdf".to_owned(),
            Deliverable::Text(_) => {
                let extension = filename.rsplit_once('.').map(|(_, extension)| extension);
                extension.unwrap_or_default().to_ascii_lowercase()
            }
        };
        if let Some(formats) = &self.bounds.formats
            && !formats.contains(&format)
        {
            return Err(ServiceError::Unsupported(format!(
                "the skill is granted files of `{}` only, got `{format}`",
                formats.join("`, `")
            )));
        }
        let Some(most) = self.bounds.files else { return Ok(()) };
        if self.delivered.fetch_add(1, Ordering::Relaxed) >= most {
            return Err(ServiceError::Quota(format!(
                "the skill is granted at most {most} files in one call"
            )));
        }
        Ok(())
    }
}

#[async_trait]
impl Services for Granted {
    fn documents(&self) -> Vec<Arc<Document>> {
        self.services.documents()
    }

    fn workspace_list(&self) -> Vec<(String, u64)> {
        self.services.workspace_list()
    }

    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        self.services.workspace_read(name)
    }

    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError> {
        self.check_write(name, content.len() as u64)?;
        self.services.workspace_write(name, content)
    }

    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError> {
        self.check_not_read_only()?;
        self.services.workspace_remove(name)
    }

    async fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> Result<Result<Artifact, ServiceError>> {
        if let Err(error) = self.check_deliver(&what, &filename) {
            return Ok(Err(error));
        }
        self.services.deliver(what, filename).await
    }

    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        let mut tools = self.services.tools().await?;
        tools.retain(|tool| self.bounds.may_call(&tool.name) && self.modules.has_tool(&tool.name));
        Ok(tools)
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<Result<String, ToolFailure>> {
        if !self.bounds.may_call(name) {
            let name = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 128));
            let message = format!("the skill is not granted the tool `{name}`");
            return Err(Error::new(ErrorKind::Denied, message).hint(
                "`only` of the grant `tools` in its `skill.yaml` names those that it may call",
            ));
        }
        self.modules.check_tool(name)?;
        self.services.call_tool(name, arguments).await
    }

    fn log(&self, level: LogLevel, message: &str) {
        self.services.log(level, message);
    }
}
