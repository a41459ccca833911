//! Contracts of Extism plug-ins: the meaning of the bytes that their functions take and return. A component has types; for a
//! plug-in, `skill.yaml` or an XTP schema next to it (`xtp.rs`) defines them.
//!
//! Knows types, JSON and bytes. Does not know who makes a call.

use serde::Deserialize;
use serde_json::Value;
use wasmtime::component::Val;

use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_engine::extism;
use mitt_wit::schema;
use mitt_wit::value::{self, Field, Function, Json, RecordType, Type, TypedCall, UntypedCall};

/// Largest JSON result of a plug-in, in bytes. The transfer limit of a call is lower, unless its host raises it.
const MAX_JSON_BYTES: u64 = 256 * MIB;

/// Most bytes of a plug-in's error that are reported.
const MAX_ERROR_BYTES: usize = 4_096;

/// The only parameter of a function that takes no JSON object.
const INPUT: &str = "input";

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
    /// Encoding of the input: a JSON object becomes one parameter per member, anything else one parameter `input`.
    pub input: Form,
    /// Encoding of the output.
    pub output: Form,
    /// JSON Schema of the input.
    pub input_schema: Option<Value>,
    /// JSON Schema of the output.
    pub output_schema: Option<Value>,
}

/// Function with its contract.
#[derive(Clone, Debug)]
pub struct Contracted {
    /// Name of the function in the plug-in.
    name: String,
    input: Form,
    /// `true` if the function has the single parameter `input`.
    is_whole: bool,
    output: Form,
}

impl Contract {
    /// Returns the function with the types that its contract defines.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the contract contradicts itself; the message begins with the key.
    pub(super) fn applied_to(&self, exported: &Function) -> Result<(Function, Contracted)> {
        let load = |problem: String| Error::new(ErrorKind::Load, problem);
        let (params, is_whole) = self.params().map_err(load)?;
        let result = self.result().map_err(load)?;
        let function = Function {
            instance: exported.instance.clone(),
            name: kebab(&exported.name),
            docs: self.description.clone().unwrap_or_default(),
            params,
            result: Some(result),
        };
        let (input, output) = (self.input, self.output);
        Ok((function, Contracted { name: exported.name.clone(), input, is_whole, output }))
    }

    /// Returns the parameters, and whether there is the single parameter `input`.
    fn params(&self) -> Result<(Vec<Field>, bool), String> {
        let schema = self.input_schema.as_ref();
        let docs = schema.and_then(|schema| schema.get("description")?.as_str());
        let whole = |ty: Type| (vec![Field::new(INPUT, ty, docs.map(str::to_owned))], true);
        match self.input {
            Form::Bytes if schema.is_some() => {
                Err("inputSchema: nothing to describe where `input` is `bytes`; leave it out"
                    .into())
            }
            Form::Bytes => Ok(whole(Type::Bytes)),
            Form::Text => match schema.map_or(Type::String, schema::ty) {
                ty if matches!(ty.target(), Type::String) => Ok(whole(ty)),
                _ => {
                    Err("inputSchema: expected a schema of a string where `input` is `text`".into())
                }
            },
            Form::Json => {
                let members = schema.and_then(Value::as_object).filter(|schema| {
                    schema.get("properties").is_some_and(Value::is_object)
                        && schema.get("type").is_none_or(|kind| kind == "object")
                });
                match members {
                    Some(schema) => schema::params(schema)
                        .map(|params| (params, false))
                        .map_err(|problem| format!("inputSchema: {problem}")),
                    None => Ok(whole(schema.map_or(Type::Json, schema::ty))),
                }
            }
        }
    }

    fn result(&self) -> Result<Type, String> {
        match (self.output, &self.output_schema) {
            (Form::Json, schema) => Ok(schema.as_ref().map_or(Type::Json, schema::ty)),
            (Form::Text, None) => Ok(Type::String),
            (Form::Bytes, None) => Ok(Type::Bytes),
            (Form::Text | Form::Bytes, Some(_)) => {
                Err("outputSchema: only of what is JSON; say `output: json`, or leave it out"
                    .into())
            }
        }
    }
}

/// Converts the name of a plug-in's function to kebab case: `count_vowels` and `countVowels` become `count-vowels`.
pub(super) fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    let mut before = '-';
    for c in name.chars() {
        let is_word =
            c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
        if (is_word || !c.is_ascii_alphanumeric()) && before != '-' {
            kebab.push('-');
        }
        before = if c.is_ascii_alphanumeric() { c } else { '-' };
        if before != '-' {
            kebab.push(c.to_ascii_lowercase());
        }
    }
    kebab.truncate(kebab.trim_end_matches('-').len());
    kebab
}

/// Returns whether a function is one of a plug-in, whose bytes need a contract.
pub(super) fn is_needed(function: &Function) -> bool {
    function.instance.as_deref() == Some(extism::PLUGIN)
}

impl Contracted {
    /// Returns the name of the function in the plug-in.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the input of the plug-in for a call that was checked against `function`.
    ///
    /// # Errors
    ///
    /// Only if the call was checked against another function.
    pub fn input(&self, function: &Function, call: TypedCall) -> Result<Vec<u8>> {
        let misfit = || Error::bug("a call does not fit the contract that it was checked against");
        let mut arguments = call.into_args();
        match (self.input, self.is_whole, arguments.first_mut()) {
            (Form::Text, _, Some(Val::String(text))) => Ok(std::mem::take(text).into_bytes()),
            (Form::Bytes, _, Some(Val::List(bytes))) => {
                let byte = |value: &Val| match value {
                    Val::U8(byte) => Some(*byte),
                    _ => None,
                };
                bytes.iter().map(byte).collect::<Option<Vec<u8>>>().ok_or_else(misfit)
            }
            (Form::Json, is_whole, _) => {
                let names = function.params.iter().map(|param| param.name.clone());
                let fields = function.params.clone();
                let record = RecordType { name: String::new(), docs: None, fields };
                let all = Function {
                    name: self.name.clone(),
                    result: Some(Type::Record(record.into())),
                    ..Function::default()
                };
                let given = Val::Record(names.zip(arguments).collect());
                let given = value::result(&all, Some(given))?;
                let given = schema::without_absent(&function.params, given);
                let sent = match given {
                    Json::Object(mut members) if is_whole => {
                        members.pop().map_or(Json::Null, |(_, value)| value)
                    }
                    given => given,
                };
                Ok(sent.to_string().into_bytes())
            }
            _ => Err(misfit()),
        }
    }

    /// Converts the output of the plug-in and checks it against the contract.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Plugin`] - the plug-in returned an error, or output that violates the contract.
    pub fn output(
        &self,
        function: &Function,
        given: Result<Vec<u8>, Vec<u8>>,
    ) -> Result<Option<Val>> {
        let given = given.map_err(|said| {
            let message =
                text::cut_bytes(&String::from_utf8_lossy(&said), MAX_ERROR_BYTES).to_owned();
            let kept = format!("a text of {} characters", message.chars().count());
            Error::new(ErrorKind::Plugin, message).kept_as(kept)
        })?;
        let value = match self.output {
            Form::Bytes => Val::List(given.into_iter().map(Val::U8).collect()),
            Form::Text => Val::String(String::from_utf8(given).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                self.broken(&format!("text, but byte {at} of its output is not UTF-8"))
                    .hint("say `output: bytes` of the function in `skill.yaml`")
            })?),
            Form::Json => self.json(function, &given)?,
        };
        Ok(Some(value))
    }

    fn json(&self, function: &Function, given: &[u8]) -> Result<Val> {
        // A plug-in returns nothing as an empty output.
        let given = if given.is_empty() { &b"null"[..] } else { given };
        let parsed = Json::parse(given, MAX_JSON_BYTES, Json::MAX_DEPTH).map_err(|error| {
            self.broken(&format!("JSON, but its output is not valid: {}", one_line_error(&error)))
        })?;
        let ty = function.result.clone().unwrap_or(Type::Json);
        let promised =
            Function { params: vec![Field::new("result", ty, None)], ..Function::default() };
        let arguments = Json::object([("result", parsed)]);
        let call = UntypedCall { name: &self.name, arguments };
        let checked = call.check(&promised).map_err(|error| {
            self.broken(&format!(
                "a value of its output schema, but returned another one: {}",
                one_line_error(&error)
            ))
        })?;
        Ok(checked.into_args().pop().unwrap_or(Val::Option(None)))
    }

    #[cold]
    fn broken(&self, promise: &str) -> Error {
        let message = format!("the function `{}` of the plug-in promises {promise}", self.name);
        Error::new(ErrorKind::Plugin, message.clone()).kept_as(message)
    }
}

fn one_line_error(error: &Error) -> String {
    error.render().replace('\n', "; ")
}

#[cfg(test)]
mod tests;
