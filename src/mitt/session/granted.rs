//! Services that stand between a plugin and its session. They enforce the bounds of the skill's grants, and the modules that a
//! script is allowed to use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use super::modules::AllowedModules;
use crate::capability::{
    Artifact, Deliverable, Render, ServiceError, Services, ToolFailure, ToolInfo, Tools, Workspace,
};
use crate::skill::GrantBounds;
use mitt_base::{Error, ErrorKind, Result};

/// `services` within `bounds`.
pub(super) fn granted(services: Services, bounds: &GrantBounds) -> Services {
    granted_to_script(services, bounds, &AllowedModules::default())
}

/// As [`granted`], without the tools of modules that the script's caller does not allow.
pub(super) fn granted_to_script(
    services: Services,
    bounds: &GrantBounds,
    modules: &AllowedModules,
) -> Services {
    if *bounds == GrantBounds::default() && modules.is_all() {
        return services;
    }
    let granted = Arc::new(Granted {
        services: services.clone(),
        bounds: bounds.clone(),
        modules: modules.clone(),
        delivered: AtomicU64::new(0),
    });
    Services { render: granted.clone(), tools: granted.clone(), workspace: granted, ..services }
}

struct Granted {
    services: Services,
    bounds: GrantBounds,
    modules: AllowedModules,
    delivered: AtomicU64,
}

impl Granted {
    fn check_write(&self, name: &str, size: u64) -> Result<(), ServiceError> {
        self.check_not_read_only()?;
        let files = self.services.workspace.workspace_list();
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
        let format = what.format_name(filename);
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

impl Workspace for Granted {
    fn workspace_list(&self) -> Vec<(String, u64)> {
        self.services.workspace.workspace_list()
    }

    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        self.services.workspace.workspace_read(name)
    }

    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError> {
        self.check_write(name, content.len() as u64)?;
        self.services.workspace.workspace_write(name, content)
    }

    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError> {
        self.check_not_read_only()?;
        self.services.workspace.workspace_remove(name)
    }
}

#[async_trait]
impl Render for Granted {
    async fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> Result<Result<Artifact, ServiceError>> {
        if let Err(error) = self.check_deliver(&what, &filename) {
            return Ok(Err(error));
        }
        self.services.render.deliver(what, filename).await
    }
}

#[async_trait]
impl Tools for Granted {
    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        let mut tools = self.services.tools.tools().await?;
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
        self.services.tools.call_tool(name, arguments).await
    }
}
