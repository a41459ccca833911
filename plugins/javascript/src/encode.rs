//! Writes values of JavaScript as JSON text.
//!
//! Arrays and plain objects are written here. The prelude's `describe` says what stands for any other object: a `Date`, a
//! `Table`, bytes.

use crate::context::Context;
use crate::hooks::Helpers;
use crate::host::{HostTable, describe};
use crate::tables::{FIRST_ROWS, SHOWN_CELLS};
use mitt_guest::tables::{Cell, Chunk};
use rquickjs::{Array, Function, Object, Type, Value};
use std::fmt::Write;

/// Most levels of nested values that the host accepts.
const MAX_DEPTH: usize = 64;

/// What is written for values that JSON lacks. Except in arguments, it is what `JSON.stringify` writes for `undefined`,
/// functions and symbols: no member, and null in an array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The result of a script: objects such as maps as data, no NaN.
    Plain,
    /// As `Plain`, with null for NaN and Infinity.
    Lossy,
    /// What a script keeps: as `Lossy`, with all rows of tables.
    Stored,
    /// The arguments of a tool: bytes as Base64, no members that are `undefined`, and no other values that JSON lacks.
    Argument,
}

impl Form {
    /// The name in the prelude.
    fn name(self) -> &'static str {
        match self {
            Form::Plain | Form::Lossy => "result",
            Form::Stored => "stored",
            Form::Argument => "argument",
        }
    }

    /// Returns `true` if `JSON.stringify` leaves out a member with this value.
    fn leaves_out(self, value: &Value<'_>) -> bool {
        match value.type_of() {
            Type::Undefined | Type::Uninitialized => true,
            Type::Function | Type::Constructor | Type::Symbol => self != Form::Argument,
            _ => false,
        }
    }
}

/// A value without a JSON form.
#[derive(Debug)]
pub(crate) struct Unencodable {
    /// The JSON pointer of the value; empty for the outermost one.
    pub(crate) pointer: String,
    /// The reason.
    pub(crate) reason: String,
}

/// Writes a value.
///
/// # Errors
/// A value has no JSON form. Errors of getters and `toJSON` are such values, too.
pub(crate) fn write<'js>(
    helpers: &Helpers<'js>,
    value: &Value<'js>,
    form: Form,
    out: &mut String,
) -> Result<(), Unencodable> {
    let mut writer = Writer { helpers, form, out, path: Vec::new() };
    writer.value(value).map_err(|reason| Unencodable {
        pointer: writer
            .path
            .iter()
            .map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1")))
            .collect(),
        reason,
    })
}

/// Writes a text as a JSON string.
pub(crate) fn quote(text: &str, out: &mut String) {
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&serde_json::Value::from(text).to_string());
    }
}

/// Returns the text of a string. Halves of surrogates are replaced.
pub(crate) fn text_of<'js>(value: &Value<'js>, text: &Function<'js>) -> rquickjs::Result<String> {
    if let Some(string) = value.as_string()
        && let Ok(text) = string.to_string()
    {
        return Ok(text);
    }
    text.call((value.clone(),))
}

/// Returns the digits of a number as JavaScript writes them; `None` if JSON has none.
pub(crate) fn digits(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    // JavaScript writes whole numbers without an exponent up to 1e21.
    Some(if value == 0.0 {
        "0".to_owned()
    } else if value.fract() == 0.0 && value.abs() < 1e21 {
        format!("{value:.0}")
    } else {
        format!("{value:?}")
    })
}

struct Writer<'a, 'js> {
    helpers: &'a Helpers<'js>,
    form: Form,
    out: &'a mut String,
    /// The path of the current value. After an error it is that of the failing value.
    path: Vec<String>,
}

impl<'js> Writer<'_, 'js> {
    fn value(&mut self, value: &Value<'js>) -> Result<(), String> {
        if self.path.len() > MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels, or contains itself"));
        }
        match value.type_of() {
            Type::Null => self.out.push_str("null"),
            Type::Bool => {
                self.out.push_str(if value.as_bool() == Some(true) { "true" } else { "false" })
            }
            Type::Int => self.display(value.as_int().unwrap_or_default()),
            Type::Float => {
                let number = value.as_float().unwrap_or_default();
                match digits(number) {
                    Some(text) => self.out.push_str(&text),
                    None if matches!(self.form, Form::Lossy | Form::Stored) => {
                        self.out.push_str("null")
                    }
                    None => {
                        let advice = "use null where there is no number";
                        return Err(format!("JSON has no {number}; {advice}"));
                    }
                }
            }
            Type::BigInt => {
                let text = self.text(value)?;
                self.out.push_str(&text);
            }
            Type::String => {
                let text = self.text(value)?;
                quote(&text, self.out);
            }
            Type::Undefined | Type::Uninitialized => {
                return Err("JSON has no undefined; use null".to_owned());
            }
            Type::Symbol => return Err("JSON has no symbol".to_owned()),
            Type::Function | Type::Constructor => {
                return Err("JSON has no function; call it".to_owned());
            }
            Type::Promise => {
                let promise = value.as_promise().filter(|_| self.form != Form::Argument);
                if promise.is_some()
                    && let Some(context) = Context::current()
                {
                    context.make_waiting(&self.helpers.ctx).map_err(|_| self.caught())?;
                }
                match promise.and_then(rquickjs::Promise::result::<Value<'js>>) {
                    Some(Ok(value)) => self.nested(String::new(), &value)?,
                    Some(Err(_)) => return Err(self.caught()),
                    None => {
                        return Err("this is a promise; write `await` before the call".to_owned());
                    }
                }
            }
            Type::Array => {
                let array = value.as_array().ok_or("JSON has no such array")?;
                self.items(array)?;
            }
            _ => self.object(value)?,
        }
        Ok(())
    }

    fn text(&self, value: &Value<'js>) -> Result<String, String> {
        text_of(value, &self.helpers.text).map_err(|_| self.caught())
    }

    /// Returns the message of the exception that was thrown.
    fn caught(&self) -> String {
        let thrown = self.helpers.ctx.catch();
        let message = thrown.as_object().and_then(|error| error.get::<_, String>("message").ok());
        message.unwrap_or_else(|| "it cannot be read".to_owned())
    }

    fn object(&mut self, value: &Value<'js>) -> Result<(), String> {
        let object = value.as_object().ok_or("JSON has no such value")?;
        // Asking a proxy for its prototype runs a function of the script.
        let is_plain = !value.is_proxy()
            && object
                .get_prototype()
                .is_none_or(|prototype| prototype.into_value() == self.helpers.plain);
        if is_plain && !object.contains_key("toJSON").unwrap_or(true) {
            return self.members(object);
        }
        let described: Object<'js> = self
            .helpers
            .describe
            .call((value.clone(), self.form.name()))
            .map_err(|_| self.caught())?;
        let field = |name: &str| described.get::<_, Value<'js>>(name).map_err(|_| self.caught());
        if let Some(number) = field("table")?.as_number() {
            let names = described.get::<_, Vec<String>>("names").map_err(|_| self.caught())?;
            return self.table(number as u32, &names);
        }
        if let Some(pairs) = field("pairs")?.as_array() {
            return self.pairs(pairs);
        }
        let (members, value) = (field("members")?, field("value")?);
        match members.as_object() {
            Some(members) => self.members(members),
            // Counts as a level: `toJSON` may return new objects without end.
            None => self.nested(String::new(), &value),
        }
    }

    /// Writes a value in another one.
    fn nested(&mut self, name: String, value: &Value<'js>) -> Result<(), String> {
        self.path.push(name);
        self.value(value)?;
        self.path.pop();
        Ok(())
    }

    fn members(&mut self, object: &Object<'js>) -> Result<(), String> {
        self.out.push('{');
        let mut is_first = true;
        for name in object.keys::<Value<'js>>() {
            let key = name.map_err(|_| self.caught())?;
            let name = self.text(&key)?;
            let value: Value<'js> = object.get(key).map_err(|_| self.caught())?;
            self.member(name, &value, &mut is_first)?;
        }
        self.out.push('}');
        Ok(())
    }

    /// Writes keys and values of a map, in their order.
    fn pairs(&mut self, pairs: &Array<'js>) -> Result<(), String> {
        self.out.push('{');
        let mut is_first = true;
        for pair in pairs.iter::<Array<'js>>() {
            let pair = pair.map_err(|_| self.caught())?;
            let key: Value<'js> = pair.get(0).map_err(|_| self.caught())?;
            let name: String = self.helpers.text.call((key,)).map_err(|_| self.caught())?;
            let value: Value<'js> = pair.get(1).map_err(|_| self.caught())?;
            self.member(name, &value, &mut is_first)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn member(
        &mut self,
        name: String,
        value: &Value<'js>,
        is_first: &mut bool,
    ) -> Result<(), String> {
        if self.form.leaves_out(value) {
            return Ok(());
        }
        if !std::mem::take(is_first) {
            self.out.push(',');
        }
        quote(&name, self.out);
        self.out.push(':');
        self.nested(name, value)
    }

    fn items(&mut self, items: &Array<'js>) -> Result<(), String> {
        self.out.push('[');
        for index in 0..items.len() {
            let item: Value<'js> = items.get(index).map_err(|_| self.caught())?;
            if index > 0 {
                self.out.push(',');
            }
            if self.form != Form::Argument && self.form.leaves_out(&item) {
                self.out.push_str("null");
            } else {
                self.nested(index.to_string(), &item)?;
            }
        }
        self.out.push(']');
        Ok(())
    }

    /// Writes a table: by reference as an argument, and with its rows, or the first of them, as the value of a script.
    fn table(&mut self, number: u32, names: &[String]) -> Result<(), String> {
        let context = Context::current().ok_or("no script is running")?;
        let (mut number, mut table) = (number, context.table(number)?);
        if table.columns() != names {
            let columns: Vec<_> = (0_u32..).zip(names.iter().cloned()).collect();
            table = table.select(&columns).map_err(|error| describe(&error))?;
            number = context.tables.cut_out(std::rc::Rc::clone(&table));
        }
        if context.tables.is_result(number) {
            context.make_waiting(&self.helpers.ctx).map_err(|_| self.caught())?;
        }
        if self.form == Form::Argument {
            self.out.push_str("{\"$ref\":");
            quote(&context.tables.reference(number)?, self.out);
            self.out.push('}');
            return Ok(());
        }
        self.out.push_str("{\"columns\":[");
        for (index, name) in names.iter().enumerate() {
            self.out.push_str(if index > 0 { "," } else { "" });
            quote(name, self.out);
        }
        if table.rows().saturating_mul(names.len() as u64) <= SHOWN_CELLS {
            self.out.push_str("],\"rows\":");
            self.exact_rows(&*table, table.rows())?;
        } else {
            self.display(format_args!("],\"row_count\":{},\"first_rows\":", table.rows()));
            self.exact_rows(&*table, FIRST_ROWS)?;
            self.out.push_str(",\"$ref\":");
            quote(&context.tables.reference(number)?, self.out);
        }
        self.out.push('}');
        Ok(())
    }

    /// Writes the first rows, with the digits of the table.
    fn exact_rows(&mut self, table: &dyn HostTable, length: u64) -> Result<(), String> {
        let chunk = |column| table.slice(column, 0, length).map_err(|error| describe(&error));
        let width = u32::try_from(table.columns().len()).unwrap_or(u32::MAX);
        let chunks = (0..width).map(chunk).collect::<Result<Vec<Chunk>, _>>()?;
        self.out.push('[');
        for row in 0..chunks.first().map_or(0, Chunk::len) {
            self.out.push_str(if row > 0 { ",[" } else { "[" });
            for (column, chunk) in chunks.iter().enumerate() {
                self.out.push_str(if column > 0 { "," } else { "" });
                match chunk.cell(row) {
                    Cell::Null => self.out.push_str("null"),
                    Cell::Boolean(value) => self.display(value),
                    Cell::Number(text) => self.out.push_str(&text),
                    Cell::Text(text) => quote(&text, self.out),
                }
            }
            self.out.push(']');
        }
        self.out.push(']');
        Ok(())
    }

    fn display(&mut self, value: impl std::fmt::Display) {
        write!(self.out, "{value}").expect("writing to a string does not fail");
    }
}
