//! What each decoder supports, as data. The lowering knows only these rules, never a provider's name.

use super::Dialect;
use super::union::SAFE_INTEGER;

/// How a decoder's dialect differs from JSON Schema 2020-12.
pub(super) struct Rules {
    /// Every property is required; an optional one may be null instead.
    pub(super) all_required: bool,
    /// Optional values are left out; null is not offered as well.
    pub(super) omit_null: bool,
    /// A tuple is an object `{"0": …, "1": …}`.
    pub(super) tuple_as_object: bool,
    /// A map is an array of `{"key", "value"}`, because all objects are closed.
    pub(super) closed_objects: bool,
    /// A table is written in columns and rows.
    pub(super) tables_in_columns: bool,
    /// An object with any members is written as an object, and not as its JSON text.
    pub(super) open_objects: bool,
    /// Values keep their canonical shape, in the subset that all readers of JSON Schema share: `items` alone describes
    /// tuples and flags, any value is a union of all types, and bounds that the type of an integer implies are not repeated.
    pub(super) plain: bool,
    /// A decimal is written as a string, which saves a union.
    pub(super) decimal_as_string: bool,
    /// Large integers cannot be written as numbers, so the string form stays.
    pub(super) wide_as_string: bool,
    /// `const` is supported; otherwise it becomes a list of one value.
    pub(super) constant: bool,
    /// `enum` of booleans and of null is supported.
    pub(super) any_literal: bool,
    /// `$ref` must stand alone.
    pub(super) lone_reference: bool,
    pub(super) bounds: Bounds,
    /// `multipleOf` is supported.
    pub(super) multiple_of: bool,
    /// Bounds whose magnitude exceeds this are left out.
    pub(super) largest_bound: i128,
    /// `minLength` and `maxLength` are supported up to this length.
    pub(super) length: Option<u64>,
    pub(super) pattern: Pattern,
    /// A length may stand beside a pattern or a format.
    pub(super) length_beside_pattern: bool,
    pub(super) formats: &'static [&'static str],
    pub(super) items: Items,
    /// `default` and `examples` are supported; otherwise they are put into words.
    pub(super) annotations: bool,
    /// `propertyOrdering` is written.
    pub(super) ordering: bool,
}

/// Which bounds of numbers are supported.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Bounds {
    None,
    /// `minimum` and `maximum`.
    Inclusive,
    /// All bounds of integers, none of other numbers.
    Integers,
    All,
}

/// Which patterns are supported. Only patterns that [`super::pattern`] can parse are ever kept.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Pattern {
    None,
    /// Patterns from `^` to `$`.
    Whole,
    /// Patterns from `^` to `$` whose characters JSON does not escape.
    Plain,
    /// Patterns with plain groups and small repetitions.
    Simple,
    All,
}

/// Which limits of arrays are supported.
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

/// Strict mode of OpenAI: <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas> lists the keywords.
/// Lengths of strings and `default` are not among them, and `$ref` allows no sibling. Whether a pattern may match a part of
/// the text is not documented.
const OPENAI: Rules = Rules {
    all_required: true,
    omit_null: false,
    tuple_as_object: true,
    closed_objects: true,
    tables_in_columns: true,
    open_objects: false,
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
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>. Optional properties
/// and unions are scarce (24 and 16 per request), so null is not offered where a key can be left out.
const ANTHROPIC: Rules = Rules {
    all_required: false,
    omit_null: true,
    tuple_as_object: true,
    closed_objects: true,
    tables_in_columns: true,
    open_objects: false,
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

/// `parametersJsonSchema` of Gemini; the keywords are those in the reference of `responseJsonSchema`:
/// <https://ai.google.dev/api/generate-content#FIELDS.response_json_schema>. `enum` is for strings and numbers there.
const GEMINI: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: false,
    closed_objects: true,
    tables_in_columns: true,
    open_objects: false,
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

/// Ollama passes `format` to the converter of llama.cpp, whose limits are listed in its `grammars/README.md`: `prefixItems`
/// is broken, bounds work for integers only, patterns must match the whole text as it stands in the JSON, and there are four
/// formats. It silently skips what it does not know. A grammar with 2 000 or more repetitions is refused. A number has at
/// most 16 digits on each side of its decimal point, too few for 64-bit integers.
const OLLAMA: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: true,
    closed_objects: false,
    tables_in_columns: false,
    open_objects: true,
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

/// llguidance: <https://github.com/guidance-ai/llguidance/blob/main/docs/json_schema.md>. Its bounds are 64-bit floats, and
/// bounded numbers have no exponents, which excludes no number; `uniqueItems` and `propertyNames` are refused.
const LLGUIDANCE: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: false,
    closed_objects: false,
    tables_in_columns: false,
    open_objects: true,
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

/// vLLM with xgrammar: what `has_xgrammar_unsupported_json_features` in `vllm/v1/structured_output/backend_xgrammar.py`
/// refuses (`multipleOf`, `uniqueItems`, a length beside a pattern or format, `propertyNames` beside a schema for the
/// values). With a length or a pattern, xgrammar (0.2) writes no escaped characters, so that a text with a quotation mark or
/// a line break would be impossible: lengths are put into words. Between bounds it writes fractions of six digits and no
/// exponents, so only bounds of integers are kept. It reads only the first of `$ref`, `const`, `enum`, `anyOf` and `type`,
/// and ignores the keywords beside it.
const VLLM: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: false,
    closed_objects: false,
    tables_in_columns: false,
    open_objects: true,
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

/// The subset that clients of MCP and the converters of their frameworks share. Codex keeps types, descriptions, `enum`,
/// `items`, `properties`, `required`, `additionalProperties`, `anyOf` and references, and reads nothing else. Gemini CLI
/// validates with draft 7, ignores keywords beside `$ref`, and warns about lists of types. OpenAI's strict mode, which
/// pydantic-ai and openai-agents convert to, has no lengths, no `uniqueItems` and no objects with arbitrary keys. JavaScript
/// has no integers beyond 2^53.
const PORTABLE: Rules = Rules {
    all_required: false,
    omit_null: false,
    tuple_as_object: false,
    closed_objects: false,
    tables_in_columns: true,
    open_objects: false,
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

/// Returns the rules of a dialect that is a schema; `None` for a grammar.
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
