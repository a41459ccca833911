//! Tool definitions in the form of each provider's requests.
//!
//! Knows the providers' envelopes, and nothing about the content of the schemas.

use super::limits::{Measure, anthropic};
use super::{Dialect, Form, Loss, LossKind, Lowered, lower, lower_call};
use serde_json::{Value, json};

/// A tool as a model sees it.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its purpose.
    pub description: &'a str,
    /// The exact schema of its arguments.
    pub schema: &'a Value,
}

/// What a decoder produces if it constrains the whole answer of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One call of one of the tools: `{"name": …, "arguments": …}`.
    Call,
    /// The arguments of the first tool. Providers with an envelope for tools ignore this scope.
    Arguments,
}

/// Definitions in the envelope of a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// The part of the request:
    ///
    /// - OpenAI: `tools` of the Responses API, whose functions are flat (`{"type": "function", "name", …}`).
    /// - Anthropic: `tools` of the Messages API. At most 20 tools with 24 optional properties and 16 unions are
    ///   strict together; those that come later are not.
    /// - Gemini: `tools` of `generateContent`, one entry with `functionDeclarations`.
    /// - Ollama: an object with the `format` of `/api/chat`.
    /// - llguidance: an object with `grammars`, and the `tools` one by one.
    /// - vLLM: an object with `structured_outputs`, and the `tools` one by one.
    /// - GBNF: the text of a grammar.
    /// - portable: `tools` of MCP's `tools/list`, with `inputSchema`.
    pub body: Form,
    /// What was lost, with the name of the tool. The last three objects also contain it as `losses`.
    pub losses: Vec<(String, Loss)>,
}

/// Returns `tools` in the envelope of `dialect`.
pub fn envelope(dialect: Dialect, tools: &[Definition<'_>], scope: Scope) -> Envelope {
    let mut lowered: Vec<Lowered> = tools.iter().map(|tool| lower(tool.schema, dialect)).collect();
    if dialect == Dialect::AnthropicStrict {
        share_strictness(&mut lowered);
    }
    let losses = tools.iter().zip(&lowered).flat_map(|(tool, lowered)| {
        lowered.losses.iter().map(|loss| (tool.name.to_owned(), loss.clone()))
    });
    let losses: Vec<(String, Loss)> = losses.collect();
    let each = |entry: fn(&Definition<'_>, &Lowered) -> Value| -> Vec<Value> {
        tools.iter().zip(&lowered).map(|(tool, lowered)| entry(tool, lowered)).collect()
    };
    let whole = || match (scope, lowered.first()) {
        (Scope::Arguments, Some(first)) => first.form.clone(),
        _ => lower_call(tools.iter().map(|it| (it.name, it.description, it.schema)), dialect).form,
    };
    let body = match dialect {
        Dialect::OpenaiStrict => Value::Array(each(|tool, lowered| {
            json!({
                "type": "function", "name": tool.name, "description": tool.description,
                "strict": lowered.strict, "parameters": schema(lowered),
            })
        })),
        Dialect::AnthropicStrict => Value::Array(each(|tool, lowered| {
            json!({
                "name": tool.name, "description": tool.description, "strict": lowered.strict,
                "input_schema": schema(lowered),
            })
        })),
        Dialect::Gemini => {
            let functions = each(|tool, lowered| {
                json!({
                    "name": tool.name, "description": tool.description,
                    "parametersJsonSchema": schema(lowered),
                })
            });
            json!([{ "functionDeclarations": functions }])
        }
        Dialect::Ollama => json!({ "format": value(whole()), "losses": losses_as_json(&losses) }),
        Dialect::Llguidance => json!({
            "grammars": [{ "json_schema": value(whole()) }],
            "tools": each(plain), "losses": losses_as_json(&losses),
        }),
        Dialect::Vllm => json!({
            "structured_outputs": { "json": value(whole()) },
            "tools": each(plain), "losses": losses_as_json(&losses),
        }),
        Dialect::Gbnf => return Envelope { body: whole(), losses },
        Dialect::Portable => Value::Array(each(|tool, lowered| {
            json!({
                "name": tool.name, "description": tool.description, "inputSchema": schema(lowered),
            })
        })),
    };
    Envelope { body: Form::Schema(body), losses }
}

/// Returns losses as JSON.
pub fn losses_as_json(losses: &[(String, Loss)]) -> Value {
    let losses = losses.iter().map(|(tool, loss)| {
        let kind = match loss.kind {
            LossKind::Constraint => "constraint",
            LossKind::Shape => "shape",
            LossKind::Limit => "limit",
            LossKind::Words => "words",
        };
        json!({
            "tool": tool, "kind": kind, "pointer": loss.pointer, "place": loss.place(),
            "text": loss.text,
        })
    });
    losses.collect()
}

fn plain(tool: &Definition<'_>, lowered: &Lowered) -> Value {
    json!({ "name": tool.name, "description": tool.description, "schema": schema(lowered) })
}

fn schema(lowered: &Lowered) -> Value {
    value(lowered.form.clone())
}

fn value(form: Form) -> Value {
    match form {
        Form::Schema(schema) => schema,
        Form::Grammar(text) => text.into(),
    }
}

/// Applies Anthropic's limits, which count all strict tools of a request together: tools are strict as long as they fit.
fn share_strictness(lowered: &mut [Lowered]) {
    let (mut tools, mut optional, mut unions) = (0, 0, 0);
    for lowered in lowered.iter_mut().filter(|lowered| lowered.strict) {
        let Form::Schema(schema) = &lowered.form else { continue };
        let measure = Measure::of(schema);
        let over = [
            (tools + 1, anthropic::TOOLS, "strict tools"),
            (optional + measure.optional, anthropic::OPTIONAL, "optional properties"),
            (unions + measure.unions, anthropic::UNIONS, "places with several types"),
        ];
        let over = over.into_iter().find(|(used, limit, _)| used > limit);
        if let Some((used, limit, what)) = over {
            lowered.strict = false;
            lowered.losses.push(Loss {
                pointer: String::new(),
                kind: LossKind::Limit,
                text: format!(
                    "not strict: with the tools before it, the request would have {used} {what}, Anthropic \
                     allows {limit}"
                ),
            });
            continue;
        }
        tools += 1;
        optional += measure.optional;
        unions += measure.unions;
    }
}
