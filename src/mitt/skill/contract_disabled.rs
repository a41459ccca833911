//! In the place of `contract.rs` where the feature is missing: what can be read of a contract, and that none is ever applied.

use serde::Deserialize;
use serde_json::Value;

use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Function;

/// What bytes mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// JSON, as UTF-8.
    Json,
    /// Text, as UTF-8.
    #[default]
    Text,
    /// Anything.
    Bytes,
}

/// What is said of a function of a plug-in. Default: text goes in and comes out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contract {
    /// What it is for, as a model reads it.
    pub description: Option<String>,
    /// What it takes.
    pub input: Form,
    /// What it gives.
    pub output: Form,
    /// JSON Schema of what it takes.
    pub input_schema: Option<Value>,
    /// JSON Schema of what it gives.
    pub output_schema: Option<Value>,
}

/// No function has one here.
#[derive(Clone, Debug)]
pub(crate) enum Contracted {}

/// As it is.
pub(super) fn kebab(name: &str) -> String {
    name.to_owned()
}

/// No function needs one here.
pub(super) fn is_needed(_: &Function) -> bool {
    false
}

impl Contract {
    /// Never asked for.
    pub(super) fn applied_to(&self, _: &Function) -> Result<(Function, Contracted)> {
        Err(Error::new(ErrorKind::Disabled("extism"), "this build has no plug-ins of Extism"))
    }
}

impl Contracted {
    pub(crate) fn name(&self) -> &str {
        match *self {}
    }
}
