//! Replacement for `contract.rs` in builds without the feature: contracts are parsed, but never applied.

use serde::Deserialize;
use serde_json::Value;

use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Function;

/// Encoding of a plug-in's input or output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// JSON in UTF-8.
    Json,
    /// Text in UTF-8.
    #[default]
    Text,
    /// Arbitrary bytes.
    Bytes,
}

/// Contract of a plug-in's function. Default: text in, text out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contract {
    /// Description of the function for a model.
    pub description: Option<String>,
    /// Encoding of the input.
    pub input: Form,
    /// Encoding of the output.
    pub output: Form,
    /// JSON Schema of the input.
    pub input_schema: Option<Value>,
    /// JSON Schema of the output.
    pub output_schema: Option<Value>,
}

/// Cannot be constructed in this build.
#[derive(Clone, Debug)]
pub(crate) enum Contracted {}

/// Returns the name unchanged.
pub(super) fn kebab(name: &str) -> String {
    name.to_owned()
}

/// Returns `false`: no function needs a contract in this build.
pub(super) fn is_needed(_: &Function) -> bool {
    false
}

impl Contract {
    /// Always fails; never called in this build.
    pub(super) fn applied_to(&self, _: &Function) -> Result<(Function, Contracted)> {
        Err(Error::new(ErrorKind::Disabled("extism"), "this build has no plug-ins of Extism"))
    }
}

impl Contracted {
    pub(crate) fn name(&self) -> &str {
        match *self {}
    }
}
