//! Skills that a script, and scripts inside of it, may use as modules.
//!
//! Knows module names in snake case, and tool names.

use std::sync::Arc;

use mitt_base::{Error, ErrorKind, Result};
use mitt_skill::to_snake;

/// Modules that a script, and scripts inside of it, may use. `None` allows all.
#[derive(Clone, Debug, Default)]
pub(in crate::session) struct AllowedModules(Option<Arc<[String]>>);

impl AllowedModules {
    /// Returns these modules, restricted to `names` if given.
    pub(in crate::session) fn narrowed(&self, names: Option<&[String]>) -> AllowedModules {
        let Some(names) = names else { return self.clone() };
        let top = |name: &String| to_snake(name.split('.').next().unwrap_or(name));
        AllowedModules(Some(names.iter().map(top).filter(|name| self.has(name)).collect()))
    }

    /// Returns whether the module `name`, in snake case, is allowed.
    pub(in crate::session) fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|allowed| allowed == name))
    }

    /// Returns whether all modules are allowed.
    pub(in crate::session) fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether the module of `tool` is allowed.
    pub(in crate::session) fn has_tool(&self, tool: &str) -> bool {
        self.has(module_of(tool))
    }

    /// Checks that the module of `tool` is allowed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - it is not allowed.
    pub(in crate::session) fn check_tool(&self, tool: &str) -> Result<()> {
        if self.has_tool(tool) {
            return Ok(());
        }
        let module = mitt_base::text::one_line(mitt_base::text::cut_bytes(module_of(tool), 128));
        let message = format!("the module `{module}` is not among `allowed_modules`");
        Err(Error::new(ErrorKind::Denied, message))
    }

    /// Returns the names for the engine; `None` if all modules are allowed.
    pub(in crate::session) fn names(&self) -> Option<Vec<String>> {
        self.0.as_ref().map(|names| names.to_vec())
    }
}

fn module_of(tool: &str) -> &str {
    tool.split("__").next().unwrap_or(tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_modules_are_only_ever_narrowed() {
        let all = AllowedModules::default();
        assert!(all.has("json") && all.names().is_none());
        let some = all.narrowed(Some(&["json".into(), "excel-tool.rows".into()]));
        assert!(some.has("json") && some.has("excel_tool") && !some.has("re"));
        let fewer = some.narrowed(Some(&["json".into(), "re".into()]));
        assert_eq!(fewer.names(), Some(vec!["json".to_owned()]));
        assert_eq!(fewer.narrowed(None).names(), fewer.names());
        assert!(!fewer.narrowed(Some(&[])).has("json"));
    }
}
