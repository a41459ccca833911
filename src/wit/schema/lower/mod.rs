//! Lowers the exact schema of a tool to the dialects of constrained decoders.
//!
//! A decoder that follows a schema token by token supports only a part of JSON Schema, and each decoder a different part. A
//! lowering expresses as much as its dialect can, and never excludes a value: **whatever the exact schema accepts, the
//! lowering can express**. A constraint that a dialect cannot express is put into words, in the description of its place.
//! The host checks every call against the exact schema in any case.
//!
//! Some values change their shape, because decoders refuse the usual one. The host accepts these forms too:
//!
//! | value | canonical form | lowered form |
//! |---|---|---|
//! | tuple | array | object `{"0": …, "1": …}` (portable: array) |
//! | map with strings as keys | object | array of `{"key", "value"}` (portable: object) |
//! | flags | array of names | object of booleans (portable: array) |
//! | option, parameter with a default | left out | null |
//! | table | array of objects, or columns and rows | columns and rows (Ollama, llguidance, vLLM: both) |
//! | 64-bit integer | integer, or string of digits | integer (Ollama, portable: both) |
//! | decimal | number, or string | string (Anthropic) |
//!
//! Knows no sessions and no tools, only schemas; the providers' rules are data in `rules.rs`.

mod envelope;
mod fit;
mod gbnf;
mod limits;
mod merge;
mod narrow;
mod parts;
pub(super) mod pattern;
mod pointer;
mod read;
mod rules;
mod schema;
mod shape;
mod union;
mod walk;
mod words;

use limits::Measure;
use read::Reader;
use serde_json::Value;
use shape::{Node, Property, Shape};
use std::fmt;

pub use envelope::{Definition, Envelope, Scope, envelope, losses_as_json};

/// Most characters that [`Lowered::describe`] adds.
const MAX_DESCRIPTION: usize = 1_000;

/// A constrained decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Strict functions and structured outputs of OpenAI: every property required, closed objects.
    OpenaiStrict,
    /// Strict tools of Anthropic: no bounds, closed objects, few optional properties.
    AnthropicStrict,
    /// `parametersJsonSchema` of Gemini.
    Gemini,
    /// `format` of Ollama, which llama.cpp turns into a grammar.
    Ollama,
    /// llguidance, also inside llama.cpp, vLLM and SGLang.
    Llguidance,
    /// `structured_outputs` of vLLM with its default backend, xgrammar.
    Vllm,
    /// A grammar of llama.cpp, not a schema.
    Gbnf,
    /// The subset that all clients of MCP and the converters of their frameworks can read: no lists of types, no bound
    /// beyond 2^53, and small enough for Codex. Values keep their canonical shape, except that tables are written in columns
    /// and rows.
    Portable,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 8] = [
        Dialect::OpenaiStrict,
        Dialect::AnthropicStrict,
        Dialect::Gemini,
        Dialect::Ollama,
        Dialect::Llguidance,
        Dialect::Vllm,
        Dialect::Gbnf,
        Dialect::Portable,
    ];

    /// Returns the name in kebab case, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::OpenaiStrict => "openai-strict",
            Dialect::AnthropicStrict => "anthropic-strict",
            Dialect::Gemini => "gemini",
            Dialect::Ollama => "ollama",
            Dialect::Llguidance => "llguidance",
            Dialect::Vllm => "vllm",
            Dialect::Gbnf => "gbnf",
            Dialect::Portable => "portable",
        }
    }

    /// Returns the dialect with this name.
    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// A schema in the dialect of a decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// The schema or grammar itself.
    pub form: Form,
    /// What it does not enforce, what has another shape, and why it is not strict, in the order of the schema.
    pub losses: Vec<Loss>,
    /// `true` if the provider accepts it in strict mode. If not, a loss of kind [`LossKind::Limit`] says why, and the schema
    /// can be used without strict mode.
    pub strict: bool,
}

/// The form in which a decoder gets it.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A JSON Schema.
    Schema(Value),
    /// The text of a grammar.
    Grammar(String),
}

/// Something in the exact schema that the lowered one does not express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// JSON pointer into the exact schema; empty for the whole schema.
    pub pointer: String,
    /// The kind of loss.
    pub kind: LossKind,
    /// A sentence that a model understands, such as `at most 64 characters`.
    pub text: String,
}

/// Kinds of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// The decoder does not enforce it; the host does.
    Constraint,
    /// Nothing is lost, but the value has another shape than in the exact schema.
    Shape,
    /// Strict mode is impossible.
    Limit,
    /// A description was shortened to make the schema small enough.
    Words,
}

impl Loss {
    /// Returns its place in the arguments in readable form: `rows[].name`. Empty for the whole schema.
    pub fn place(&self) -> String {
        let mut place = String::new();
        let mut steps = self.pointer.split('/').skip(1);
        while let Some(step) = steps.next() {
            match step {
                "properties" | "$defs" => {
                    let Some(name) = steps.next() else { break };
                    if !place.is_empty() {
                        place.push('.');
                    }
                    place.push_str(&pointer::unstep(name));
                }
                "items" => place.push_str("[]"),
                "additionalProperties" => place.push_str("{}"),
                "prefixItems" => {
                    let Some(index) = steps.next() else { break };
                    place.push_str(&format!("[{index}]"));
                }
                // A branch of a union has the same place.
                _ => {
                    steps.next();
                }
            }
        }
        place
    }
}

/// Displays place, kind and sentence: `` `rows[].name` is not enforced: at most 64 characters ``.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place();
        if !place.is_empty() {
            write!(f, "`{place}` ")?;
        }
        f.write_str(match self.kind {
            LossKind::Constraint => "is not enforced: ",
            LossKind::Shape => "has another form: ",
            LossKind::Limit | LossKind::Words => "",
        })?;
        f.write_str(&self.text)
    }
}

impl Lowered {
    /// Returns the `description` of a tool, followed by what the decoder does not enforce, for grammars, which have no
    /// descriptions. Adds at most 1 000 characters, in whole lines.
    pub fn describe(&self, description: &str) -> String {
        let mut said: Vec<String> = Vec::new();
        for loss in self
            .losses
            .iter()
            .filter(|loss| matches!(loss.kind, LossKind::Constraint | LossKind::Shape))
        {
            let line = match loss.place() {
                place if place.is_empty() => format!("- {}", loss.text),
                place => format!("- `{place}`: {}", loss.text),
            };
            if !said.contains(&line) {
                said.push(line);
            }
        }
        if said.is_empty() {
            return description.to_owned();
        }
        let mut text = format!("{}\n\nAlso:", description.trim_end());
        let mut free = MAX_DESCRIPTION;
        for (index, line) in said.iter().enumerate() {
            let length = line.chars().count() + 1;
            // Keep room for the line that counts the rest.
            if length + 20 > free {
                text.push_str(&format!("\n- … and {} more", said.len() - index));
                break;
            }
            free -= length;
            text.push('\n');
            text.push_str(line);
        }
        text
    }
}

/// Lowers the exact schema of a tool's arguments, as [`arguments`](crate::schema::arguments) makes it, to `dialect`.
///
/// Never fails: an unknown keyword is put into words, and places nested deeper than 120 levels accept any value.
pub fn lower(exact: &Value, dialect: Dialect) -> Lowered {
    let mut reader = Reader::default();
    let root = reader.read(exact, "", "");
    finish(reader, root, dialect, false)
}

/// Lowers the exact schema of a tool's result, as [`result`](crate::schema::result) makes it, to [`Dialect::Portable`]. It
/// accepts whatever the exact one accepts, in the same form. It does not mention what it does not enforce, because no model
/// writes results.
pub fn lower_result(exact: &Value) -> Lowered {
    let mut reader = Reader::default();
    let root = reader.read(exact, "", "");
    finish(reader, root, Dialect::Portable, true)
}

/// Lowers one call of one of `tools`, which are names, descriptions and exact schemas: `{"name": …, "arguments": …}`, for
/// decoders that constrain the whole answer of a model. Pointers of losses lead into the schema of this call.
pub fn lower_call<'a>(
    tools: impl IntoIterator<Item = (&'a str, &'a str, &'a Value)>,
    dialect: Dialect,
) -> Lowered {
    let mut reader = Reader::default();
    let tools: Vec<_> = tools.into_iter().collect();
    let mut calls = Vec::with_capacity(tools.len());
    for (index, (name, description, exact)) in tools.iter().enumerate() {
        let at = if tools.len() == 1 { String::new() } else { format!("/anyOf/{index}") };
        let arguments = format!("{at}/properties/arguments");
        let tag = Shape::Literals(vec![Value::from(*name)]);
        let fields = vec![
            Property {
                name: "name".into(),
                node: Node::new(format!("{at}/properties/name"), tag),
                required: true,
            },
            Property {
                name: "arguments".into(),
                node: reader.read(exact, &format!("{name}."), &arguments),
                required: true,
            },
        ];
        let mut call = Node::new(at, Shape::Object(fields));
        call.notes.description = Some((*description).to_owned()).filter(|it| !it.is_empty());
        calls.push(call);
    }
    let root = union::any_of("", calls);
    finish(reader, root, dialect, false)
}

fn finish(reader: Reader<'_>, root: Node, dialect: Dialect, quiet: bool) -> Lowered {
    let document = reader.finish(root);
    let Some(rules) = rules::of(dialect) else {
        let (grammar, losses) = gbnf::write(&document);
        return Lowered { form: Form::Grammar(grammar), losses, strict: true };
    };
    let (mut schema, mut losses) = schema::write(&document, rules, quiet);
    if dialect == Dialect::Portable {
        losses.extend(fit::fit(&mut schema));
    }
    let mut over = match dialect {
        Dialect::OpenaiStrict => Measure::of(&schema).over_openai(),
        Dialect::AnthropicStrict => Measure::of(&schema).over_anthropic(),
        _ => Vec::new(),
    };
    let needs_object = matches!(dialect, Dialect::OpenaiStrict | Dialect::AnthropicStrict);
    if needs_object && schema.get("type").is_none_or(|it| it != "object") {
        over.push("not strict: the whole is no object".into());
    }
    let strict = over.is_empty();
    let over = over.into_iter();
    losses.extend(over.map(|text| Loss { pointer: String::new(), kind: LossKind::Limit, text }));
    Lowered { form: Form::Schema(schema), losses, strict }
}
