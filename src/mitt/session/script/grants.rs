//! Services of a script, restricted to the modules that its caller allows.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::allowed_modules::AllowedModules;
use mitt_base::Result;
use mitt_skill::capability::{CallResult, GrantBounds, Services, ToolCall, ToolInfo, Tools};

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

impl Tools for Allowed {
    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolInfo>>> {
        Box::pin(async move {
            let mut tools = self.tools.tools().await?;
            tools.retain(|tool| self.modules.has_tool(&tool.name));
            Ok(tools)
        })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a str,
    ) -> BoxFuture<'a, Result<CallResult>> {
        Box::pin(async move {
            self.modules.check_tool(name)?;
            self.tools.call_tool(name, arguments).await
        })
    }

    fn call_tools<'a>(
        &'a self,
        mut calls: Vec<ToolCall>,
        on_result: &'a mut (dyn FnMut(CallResult) + Send),
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            ToolCall::until_refused(&mut calls, |name| self.modules.check_tool(name))?;
            self.tools.call_tools(calls, on_result).await
        })
    }
}
