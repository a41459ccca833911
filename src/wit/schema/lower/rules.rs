//! What each decoder takes, as data. The lowering itself knows only these rules, never a provider's name.

use super::Dialect;
use super::union::SAFE_INTEGER;

/// How a decoder's dialect differs from JSON Schema 2020-12.
pub(super) struct Rules {
    /// Every property is required; what may be left out is null instead.
    pub(super) all_required: bool,
    /// What may be left out is left out; null is not offered besides.
    pub(super) omit_null: bool,
    /// A tuple is an object `{"0": …, "1": …}`.
    pub(super) tuple_as_object: bool,
    /// A map is an array of `{"key", "value"}`.
    pub(super) closed_objects: bool,
    /// A table is written in columns and rows.
    pub(super) tables_in_columns: bool,
    /// Values keep their canonical shape, in the words that all readers of JSON Schema share: the items of a tuple and of
    /// flags stand in `items` alone, any value is a union of all types, and what the type of an integer says already is
    /// not said again.
    pub(super) plain: bool,
    /// A decimal is written as a string, which saves a union.
    pub(super) decimal_as_string: bool,
    /// Large integers cannot be written as numbers, so that the string form stays.
    pub(super) wide_as_string: bool,
    /// `const` is known; else a list of one value.
    pub(super) constant: bool,
    /// `enum` of booleans and of null is known.
    pub(super) any_literal: bool,
    /// `$ref` stands alone.
    pub(super) lone_reference: bool,
    pub(super) bounds: Bounds,
    /// `multipleOf` is known.
    pub(super) multiple_of: bool,
    /// Bounds beyond this are left out, also on the negative side.
    pub(super) largest_bound: i128,
    /// `minLength` and `maxLength` are known up to this length.
    pub(super) length: Option<u64>,
    pub(super) pattern: Pattern,
    /// Length and pattern, or length and format, may stand together.
    pub(super) length_beside_pattern: bool,
    pub(super) formats: &'static [&'static str],
    pub(super) items: Items,
    /// `default` and `examples` are known; else they are told.
    pub(super) annotations: bool,
    /// `propertyOrdering` is written.
    pub(super) ordering: bool,
}

/// Which bounds of numbers are known.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Bounds {
    None,
    /// `minimum` and `maximum`.
    Inclusive,
    /// All of integers, none of other numbers.
    Integers,
    All,
}

/// Which patterns are known. Only those that [`super::pattern`] reads are ever kept.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Pattern {
    None,
    /// From `^` to `$`.
    Whole,
    /// From `^` to `$`, of characters that are written as they are in JSON.
    Plain,
    /// Plain groups and small repetitions.
    Simple,
    All,
}

/// Which limits of arrays are known.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Items {
    /// `minItems` of 0 or 1.
    ZeroOrOne,
    /// `minItems` and `maxItems` up to this length.
    UpTo(u64),
}

const OPENAI_FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

const ANTHROPIC_FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

const GEMINI_FORMATS: &[&str] = &["date-time", "date", "time"];

const LLAMA_FORMATS: &[&str] = &["date-time", "date", "time", "uuid"];

const LLGUIDANCE_FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"];

const XGRAMMAR_FORMATS: &[&str] = &[
    "email",
    "date",
    "time",
    "date-time",
    "duration",
    "ipv4",
    "ipv6",
    "hostname",
    "uuid",
    "uri",
    "uri-reference",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
];

/// Strict mode of OpenAI: <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas> lists the
/// keywords; lengths of strings and `default` are not among them, and `$ref` allows no sibling. Whether a pattern may
/// match a part is not said.
const OPENAI: Rules = Rules {
    all_required: true,
    omit_null: false,
    tuple_as_object: true,
    closed_objects: true,
    tables_in_columns: true,
    plain: false,
    decimal_as_string: false,
    wide_as_string: false,
    constant: true,
    any_literal: true,
    lone_reference: true,
    bounds: Bounds::All,
    multiple_of: true,
    largest_bound: SAFE_INTEGER,
    length: None,
    pattern: Pattern::Whole,
    length_beside_pattern: false,
    formats: OPENAI_FORMATS,
    items: Items::UpTo(u64::MAX),
    annotations: false,
    ordering: false,
};

/// Strict tools of Anthropic:
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>. Optional
/// properties and unions are few (24 and 16 per request), so that null is not offered where a key can be left out.
const ANTHROPIC: Rules = Rules {
    all_required: false,
    omit_null: true,
    tuple_as_object: true,
    closed_objects: true,
    tables_in_columns: true,
    plain: false,
    decimal_as_string: true,
    wide_as_string: false,
    constant: true,
    any_literal: true,
    lone_reference: true,
    bounds: Bounds::None,
    multiple_of: false,
    largest_bound: 0,
    length: None,
    pattern: Pattern::Simple,
    length_beside_pattern: false,
    formats: ANTHROPIC_FORMATS,
    items: Items::ZeroOrOne,
    annotations: false,
    ordering: false,
};

/// `parametersJsonSchema` of Gemini; the keywords are those that the reference of `responseJsonSchema` lists:
/// <https://ai.google.dev/api/generate-content#FIELDS.response_json_schema>. `enum` is for strings and numbers there.
const GEMINI: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: false,
    closed_objects: true,
    tables_in_columns: true,
    plain: false,
    decimal_as_string: false,
    wide_as_string: false,
    constant: false,
    any_literal: false,
    lone_reference: true,
    bounds: Bounds::Inclusive,
    multiple_of: false,
    largest_bound: SAFE_INTEGER,
    length: None,
    pattern: Pattern::None,
    length_beside_pattern: false,
    formats: GEMINI_FORMATS,
    items: Items::UpTo(u64::MAX),
    annotations: false,
    ordering: true,
};

/// Ollama hands `format` to the converter of llama.cpp, whose limits its `grammars/README.md` lists: `prefixItems` is
/// broken, bounds are for integers, patterns are whole and match the text of the JSON, and of formats there are four.
/// What it does not know it skips in silence. Repetitions of 2 000 and more are refused when the grammar is read. A
/// number has at most 16 digits before and after its point, which is too few for 64-bit integers.
const OLLAMA: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: true,
    closed_objects: false,
    tables_in_columns: false,
    plain: false,
    decimal_as_string: false,
    wide_as_string: true,
    constant: true,
    any_literal: true,
    lone_reference: true,
    bounds: Bounds::Integers,
    multiple_of: false,
    largest_bound: SAFE_INTEGER,
    length: Some(super::gbnf::MAX_CHARACTERS),
    pattern: Pattern::Plain,
    length_beside_pattern: false,
    formats: LLAMA_FORMATS,
    items: Items::UpTo(super::gbnf::MAX_ITEMS),
    annotations: true,
    ordering: false,
};

/// llguidance: <https://github.com/guidance-ai/llguidance/blob/main/docs/json_schema.md>. Bounds are 64-bit floats
/// there, and between them exponents are not written, which loses no number; `uniqueItems` and `propertyNames` are
/// refused.
const LLGUIDANCE: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: false,
    closed_objects: false,
    tables_in_columns: false,
    plain: false,
    decimal_as_string: false,
    wide_as_string: false,
    constant: true,
    any_literal: true,
    lone_reference: false,
    bounds: Bounds::All,
    multiple_of: true,
    largest_bound: SAFE_INTEGER,
    length: Some(u64::MAX),
    pattern: Pattern::All,
    length_beside_pattern: true,
    formats: LLGUIDANCE_FORMATS,
    items: Items::UpTo(u64::MAX),
    annotations: true,
    ordering: false,
};

/// vLLM with xgrammar: what `has_xgrammar_unsupported_json_features` of
/// `vllm/v1/structured_output/backend_xgrammar.py` refuses (`multipleOf`, `uniqueItems`, length beside pattern or
/// format, `propertyNames` beside a schema for the values). Where a length is given, xgrammar (0.2) writes no escaped
/// characters, so that a text with a quotation mark or a line break could not be written: lengths are told. Nor does
/// it in patterns. Between bounds it writes fractions of six digits and no exponents, so that only those of integers
/// are kept. It reads only the first of `$ref`, `const`, `enum`, `anyOf` and `type`, and drops what stands beside it.
const VLLM: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: false,
    closed_objects: false,
    tables_in_columns: false,
    plain: false,
    decimal_as_string: false,
    wide_as_string: false,
    constant: true,
    any_literal: true,
    lone_reference: false,
    bounds: Bounds::Integers,
    multiple_of: false,
    largest_bound: SAFE_INTEGER,
    length: None,
    pattern: Pattern::Plain,
    length_beside_pattern: false,
    formats: XGRAMMAR_FORMATS,
    items: Items::UpTo(u64::MAX),
    annotations: true,
    ordering: false,
};

/// What clients of MCP and the converters of their frameworks share. Codex keeps types, descriptions, `enum`, `items`,
/// `properties`, `required`, `additionalProperties`, `anyOf` and references, and reads nothing else; a validator of draft
/// 7, which Gemini CLI is, ignores what stands beside `$ref`, and warns of lists of types; OpenAI's strict mode, which
/// pydantic-ai and openai-agents convert to, has no lengths, no `uniqueItems` and no objects with any keys; JavaScript has no
/// integer beyond 2^53.
const PORTABLE: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: false,
    closed_objects: false,
    tables_in_columns: true,
    plain: true,
    decimal_as_string: false,
    wide_as_string: true,
    constant: false,
    any_literal: false,
    lone_reference: true,
    bounds: Bounds::Inclusive,
    multiple_of: false,
    largest_bound: SAFE_INTEGER,
    length: None,
    pattern: Pattern::Whole,
    length_beside_pattern: false,
    formats: GEMINI_FORMATS,
    items: Items::UpTo(u64::MAX),
    annotations: false,
    ordering: false,
};

/// The rules of a dialect that is a schema; none for a grammar.
pub(super) fn of(dialect: Dialect) -> Option<&'static Rules> {
    Some(match dialect {
        Dialect::OpenaiStrict => &OPENAI,
        Dialect::AnthropicStrict => &ANTHROPIC,
        Dialect::Gemini => &GEMINI,
        Dialect::Ollama => &OLLAMA,
        Dialect::Llguidance => &LLGUIDANCE,
        Dialect::Vllm => &VLLM,
        Dialect::Portable => &PORTABLE,
        Dialect::Gbnf => return None,
    })
}
