//! Short signatures of tools, for a model that receives them in a result and not in a list of tools.
//!
//! The notation is that of TypeScript, which models read as well as JSON Schema and which takes a third of the space. Patterns
//! and lengths are left out; the error of a call reports them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::skill::Tool;
use mitt_base::text;
use mitt_wit::value::{Bounds, Field, Label, Type};

/// Most characters of the description of a tool, of a parameter, and of a nested field.
const DOCS: [usize; 3] = [600, 300, 120];

/// Most bytes of one tool. A longer one is left to the list of tools.
const TOOL_BYTES: usize = 8_000;

/// Explanation of the notation.
const WORDS: &str = "`table` is {columns: string[], rows: cell[][]}, or names one that is there: \"sales.csv\", {\"$ref\": \"t:3\"}; \
    `cell` is string | number | boolean | null; `decimal` is a number or a string of digits; `base64` is a string; \
    what is written `name(…)` is `name` where it comes again";

/// Returns `tools` with their parameters, in at most `limit` bytes. Tools without room are listed by name.
pub fn signatures(tools: &[&Tool], limit: usize) -> String {
    let (mut out, mut left_out) = (String::new(), Vec::new());
    for tool in tools {
        let text = signature(tool);
        if text.len() > TOOL_BYTES || out.len() + text.len() > limit {
            left_out.push(tool.name.as_str());
        } else {
            out.push_str(&text);
        }
    }
    if !out.is_empty() {
        out = format!("({WORDS}.)\n\n{out}");
    }
    if !left_out.is_empty() {
        let names = text::truncate(&left_out.join(", "), limit as u64);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "\nToo long to be told here: {names}. The list of tools has their schemas, and the error of a call without arguments names \
             the parameters."
        );
    }
    out
}

/// Returns one tool: its name, its description, and a line for each parameter.
fn signature(tool: &Tool) -> String {
    let function = &tool.function;
    // The rest describes the parameters, which follow here anyway, and facts that an error would report.
    let docs = function.docs.split("\n- `").next().unwrap_or_default();
    let docs = text::shortened(&text::single_line(docs), DOCS[0]);
    let mut out = format!("- {}: {docs}\n", tool.name);
    let mut writer = Writer::default();
    function.params.iter().for_each(|param| writer.count(&param.ty));
    for param in &function.params {
        let _ = writeln!(out, "  - {}{}", writer.field(param), docs_comment(param, DOCS[1]));
    }
    out
}

/// Returns the description of a field as a comment.
fn docs_comment(field: &Field, limit: usize) -> String {
    match field.docs.as_deref().map(text::single_line) {
        Some(docs) if !docs.is_empty() => format!(" // {}", text::shortened(&docs, limit)),
        _ => String::new(),
    }
}

/// Writes types. A definition that occurs several times is written in full the first time, after its name, and later only by its
/// name. So the text is never much longer than the definitions.
#[derive(Default)]
struct Writer {
    uses: BTreeMap<usize, usize>,
    written: BTreeSet<usize>,
}

impl Writer {
    /// Formats a field: `name?: type = default`.
    fn field(&mut self, field: &Field) -> String {
        let mark = if field.required() { "" } else { "?" };
        let ty = match field.ty.target() {
            // The `?` already says that it is optional.
            Type::Option(inner) if !inner.admits_null() => self.ty(inner),
            _ => self.ty(&field.ty),
        };
        let default = field.default().map(|it| format!(" = {it}")).unwrap_or_default();
        format!("{}{mark}: {ty}{default}", field.key)
    }

    fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Bool => "boolean".into(),
            Type::F32 | Type::F64 => "number".into(),
            Type::Char | Type::String | Type::Own(_) | Type::Borrow(_) => "string".into(),
            Type::Bytes => "base64".into(),
            Type::Cell => "cell".into(),
            Type::Decimal => "decimal".into(),
            Type::Table | Type::TableHandle => "table".into(),
            Type::Json | Type::Unsupported(_) => "any".into(),
            Type::Object => "object".into(),
            Type::List(element) => array(&self.ty(element)),
            Type::FixedList(element, length) => format!("Array<{}, {length}>", self.ty(element)),
            Type::Tuple(types) => {
                let types: Vec<_> = types.iter().map(|ty| self.ty(ty)).collect();
                format!("[{}]", types.join(", "))
            }
            Type::Map(types) => {
                let (key, value) = (self.ty(&types.0), self.ty(&types.1));
                match types.0.target() {
                    Type::String => format!("{{[key]: {value}}}"),
                    _ => format!("Array<{{key: {key}, value: {value}}}>"),
                }
            }
            Type::Option(inner) if inner.admits_null() => {
                format!("{{tag: \"some\", val: {}}} | null", self.ty(inner))
            }
            Type::Option(inner) => format!("{} | null", self.ty(inner)),
            Type::Alias(alias) => self.ty(&alias.ty),
            Type::Narrowed(narrowed) => bounded(self.ty(&narrowed.ty), &narrowed.bounds),
            Type::Result(types) => {
                let cases = [("ok", types.0.as_ref()), ("err", types.1.as_ref())];
                self.cases(cases)
            }
            Type::Enum(it) => self.named(ty, &it.name, |_| labels(&it.cases)),
            Type::Flags(it) => self.named(ty, &it.name, |_| array(&labels(&it.flags))),
            Type::Record(it) => self.named(ty, &it.name, |writer| writer.record(&it.fields)),
            Type::Variant(it) => self.named(ty, &it.name, |writer| {
                writer.cases(it.cases.iter().map(|case| (case.name.as_str(), case.ty.as_ref())))
            }),
            // The remaining types are integers.
            _ => "integer".into(),
        }
    }

    fn named(
        &mut self,
        ty: &Type,
        name: &str,
        write: impl FnOnce(&mut Writer) -> String,
    ) -> String {
        let address = ty.address().unwrap_or_default();
        if !self.written.insert(address) {
            return name.to_owned();
        }
        let text = write(self);
        match self.uses.get(&address) {
            Some(2..) => format!("{name}({text})"),
            _ => text,
        }
    }

    /// Counts how often each definition occurs in `ty`.
    fn count(&mut self, ty: &Type) {
        if let Some(address) = ty.address() {
            let uses = self.uses.entry(address).or_default();
            *uses += 1;
            if *uses > 1 {
                return;
            }
        }
        ty.for_each_part(&mut |part| self.count(part));
    }

    fn record(&mut self, fields: &[Field]) -> String {
        let fields = fields.iter().map(|field| {
            let docs = docs_comment(field, DOCS[2]);
            let docs = docs.strip_prefix(" // ").map(|docs| format!(" /* {docs} */"));
            format!("{}{}", self.field(field), docs.unwrap_or_default())
        });
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    }

    fn cases<'a>(
        &mut self,
        cases: impl IntoIterator<Item = (&'a str, Option<&'a Type>)>,
    ) -> String {
        let cases = cases.into_iter().map(|(tag, ty)| match ty {
            None => format!("{{tag: \"{tag}\"}}"),
            Some(ty) => format!("{{tag: \"{tag}\", val: {}}}", self.ty(ty)),
        });
        cases.collect::<Vec<_>>().join(" | ")
    }
}

fn labels(labels: &[Label]) -> String {
    let names: Vec<_> = labels.iter().map(|label| format!("\"{}\"", label.name)).collect();
    names.join(" | ")
}

/// Returns an array of `element`, in the short form if that is a single word.
fn array(element: &str) -> String {
    match element.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        true => format!("{element}[]"),
        false => format!("Array<{element}>"),
    }
}

/// Returns `ty` with its range, or its only values.
fn bounded(ty: String, bounds: &Bounds) -> String {
    if !bounds.one_of.is_empty() {
        let values: Vec<_> = bounds.one_of.iter().map(ToString::to_string).collect();
        return values.join(" | ");
    }
    let mut said = Vec::new();
    let limits = [
        (">=", &bounds.minimum),
        (">", &bounds.exclusive_minimum),
        ("<=", &bounds.maximum),
        ("<", &bounds.exclusive_maximum),
    ];
    for (sign, limit) in limits {
        said.extend(limit.as_ref().map(|limit| format!("{sign} {limit}")));
    }
    match said.is_empty() {
        true => ty,
        false => format!("{ty} ({})", said.join(", ")),
    }
}
