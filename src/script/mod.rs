//! Scripts: programs run by a script skill, whose functions are the session's tools.
//!
//! Only names the tool and shapes its arguments: a script is a call like any other, under the same check, limits and
//! journal.

use serde_json::json;

use crate::Result;
use crate::session::{CallReport, Session};
use crate::skill::ToolName;

/// The function that every script skill exports.
const RUN: &str = "run";

impl Session {
    /// Run a script. `inputs` is a JSON object whose keys become variables of the script.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) - no skill runs scripts of this language. Whatever happens to the
    /// script itself is in the report.
    pub async fn run_script(
        &self,
        language: &str,
        code: &str,
        inputs: Option<&serde_json::Map<String, serde_json::Value>>,
    ) -> Result<CallReport> {
        let skill = self.registry().script(language)?;
        let mut arguments = json!({ "code": code });
        if let Some(inputs) = inputs {
            arguments["inputs"] = json!(serde_json::Value::Object(inputs.clone()).to_string());
        }
        let tool = ToolName::new(&skill.manifest().name, RUN).ok_or_else(|| {
            crate::Error::bug(format!("`{}` is not a skill name", skill.manifest().name))
        })?;
        Ok(self.call(tool.as_str(), &arguments.to_string()).await)
    }
}
