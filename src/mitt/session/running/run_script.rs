//! Scripts for programs that embed the host: the tool that runs them, without writing its arguments as JSON.

use super::super::options::CallOptions;
use super::super::report::CallReport;
use super::super::state::Session;
use crate::skill::ToolName;
use mitt_base::Result;

impl Session {
    /// Run a script, as the tool `<language>__run` does. `language` is one, or the name of an engine such as
    /// `python-lite`. `inputs` is a JSON object whose keys become variables of the script.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - no skill runs scripts of this language. Whatever happens to the script itself is in the report.
    pub async fn run_script(
        &self,
        language: &str,
        code: &str,
        inputs: Option<&serde_json::Map<String, serde_json::Value>>,
    ) -> Result<CallReport> {
        self.run_script_with(language, code, inputs, CallOptions::default()).await
    }

    /// As [`Session::run_script`], with somebody who hears of the steps of this script alone, or decides about its calls.
    ///
    /// # Errors
    ///
    /// Same as [`Session::run_script`].
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

    /// The tool that runs scripts of `language`, or those of the engine of this name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - no skill runs scripts of this language.
    pub fn script_tool(&self, language: &str) -> Result<ToolName> {
        self.registry().script_tool(language)
    }
}
