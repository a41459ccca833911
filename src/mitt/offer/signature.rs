//! The arguments of tools in short, for a model that is told of them in an answer and not in a list of tools.
//!
//! The notation is that of TypeScript, which models read as well as JSON Schema and which takes a third of the room. What it leaves
//! out, patterns and lengths, an error of a call tells.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::skill::Tool;
use mitt_base::text;
use mitt_wit::value::{Bounds, Field, Label, Type};

/// Characters of what is said of a tool, of a parameter, and of a field inside of one.
const DOCS: [usize; 3] = [600, 300, 120];

/// Most bytes that one tool takes. One with more is left to the list of tools.
const TOOL_BYTES: usize = 8_000;

/// What the words of the notation mean.
const WORDS: &str = "`table` is {columns: string[], rows: cell[][]}, or names one that is there: \"sales.csv\", {\"$ref\": \"t:3\"}; \
    `cell` is string | number | boolean | null; `decimal` is a number or a string of digits; `base64` is a string; \
    what is written `name(…)` is `name` where it comes again";

/// `tools` with their parameters, in at most `limit` bytes; those for which there is no room are named.
pub fn signatures(tools: &[&Tool], limit: usize) -> String {
    let (mut out, mut left_out) = (String::new(), Vec::new());
    for tool in tools {
        let told = signature(tool);
        if told.len() > TOOL_BYTES || out.len() + told.len() > limit {
            left_out.push(tool.name.as_str());
        } else {
            out.push_str(&told);
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

/// One tool: its name, what it does, and a line for each parameter.
fn signature(tool: &Tool) -> String {
    let function = &tool.function;
    // What stands below is a list of the parameters, which follow here anyway, and of what an error would tell.
    let docs = function.docs.split("\n- `").next().unwrap_or_default();
    let docs = text::shortened(&text::single_line(docs), DOCS[0]);
    let mut out = format!("- {}: {docs}\n", tool.name);
    let mut writer = Writer::default();
    function.params.iter().for_each(|param| writer.count(&param.ty));
    for param in &function.params {
        let _ = writeln!(out, "  - {}{}", writer.field(param), told(param, DOCS[1]));
    }
    out
}

/// What is said of a field, behind it.
fn told(field: &Field, limit: usize) -> String {
    match field.docs.as_deref().map(text::single_line) {
        Some(docs) if !docs.is_empty() => format!(" // {}", text::shortened(&docs, limit)),
        _ => String::new(),
    }
}

/// Writes types. A definition that stands in several places is written out in the first one, behind its name, which stands for it in the
/// others: the text is never much longer than the types are.
#[derive(Default)]
struct Writer {
    uses: BTreeMap<usize, usize>,
    written: BTreeSet<usize>,
}

impl Writer {
    /// `name?: type = default`
    fn field(&mut self, field: &Field) -> String {
        let mark = if field.required() { "" } else { "?" };
        let ty = match field.ty.target() {
            // That it can be left out says as much.
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
            // The others are integers.
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

    /// Count how often each definition stands in `ty`.
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
            let docs = told(field, DOCS[2]);
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

/// An array of `element`: of a single word in the short form.
fn array(element: &str) -> String {
    match element.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        true => format!("{element}[]"),
        false => format!("Array<{element}>"),
    }
}

/// `ty` with the numbers that it is between, or the only values that it has.
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
