//! Services of a script, restricted to the modules that its caller allows.

use std::sync::Arc;

use async_trait::async_trait;

use super::allowed_modules::AllowedModules;
use crate::capability::{CallResult, GrantBounds, Services, ToolCall, ToolInfo, Tools};
use mitt_base::Result;

/// Returns `services` within `bounds`, without the tools of modules that the script's caller does not allow.
pub(in crate::session) fn granted_to_script(
    services: Services,
    bounds: &GrantBounds,
    modules: &AllowedModules,
) -> Services {
    if modules.is_all() {
        return services.within(bounds);
    }
    let tools = Arc::new(Allowed { tools: services.tools.clone(), modules: modules.clone() });
    Services { tools, ..services }.within(bounds)
}

struct Allowed {
    tools: Arc<dyn Tools>,
    modules: AllowedModules,
}

#[async_trait]
impl Tools for Allowed {
    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        let mut tools = self.tools.tools().await?;
        tools.retain(|tool| self.modules.has_tool(&tool.name));
        Ok(tools)
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<CallResult> {
        self.modules.check_tool(name)?;
        self.tools.call_tool(name, arguments).await
    }

    async fn call_tools(
        &self,
        mut calls: Vec<ToolCall>,
        on_result: &mut (dyn FnMut(CallResult) + Send),
    ) -> Result<()> {
        ToolCall::until_refused(&mut calls, |name| self.modules.check_tool(name))?;
        self.tools.call_tools(calls, on_result).await
    }
}
