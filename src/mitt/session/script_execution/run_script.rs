//! Scripts for embedding programs: calls the script tool without arguments written as JSON.

use super::super::options::CallOptions;
use super::super::report::CallReport;
use super::super::state::Session;
use crate::skill::ToolName;
use mitt_base::Result;

impl Session {
    /// Runs a script, as the tool `<language>__run` does. `language` is a language, or the name of an engine such as
    /// `python-lite`. `inputs` is a JSON object whose keys become variables of the script.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - no skill runs scripts of this language. An error of the script itself is in
    /// the report.
    pub async fn run_script(
        &self,
        language: &str,
        code: &str,
        inputs: Option<&serde_json::Map<String, serde_json::Value>>,
    ) -> Result<CallReport> {
        self.run_script_with(language, code, inputs, CallOptions::default()).await
    }

    /// Like [`Session::run_script`], with options for this call.
    ///
    /// # Errors
    ///
    /// Those of [`Session::run_script`].
    pub async fn run_script_with(
        &self,
        language: &str,
        code: &str,
        inputs: Option<&serde_json::Map<String, serde_json::Value>>,
        options: CallOptions,
    ) -> Result<CallReport> {
        let tool = self.script_tool(language)?;
        let mut arguments = serde_json::json!({ "code": code, "language": language });
        if let Some(inputs) = inputs {
            arguments["inputs"] = serde_json::Value::Object(inputs.clone());
        }
        Ok(self.call_with(tool.as_str(), &arguments.to_string(), options).await)
    }

    /// Returns the tool that runs scripts of `language`, or of the engine of this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - no skill runs scripts of this language.
    pub fn script_tool(&self, language: &str) -> Result<ToolName> {
        self.registry().script_tool(language)
    }
}
