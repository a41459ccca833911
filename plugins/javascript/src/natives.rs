//! The functions of the host that the prelude calls. Scripts do not see them.

use crate::calls::{make, wait};
use crate::context::{context, context_in_order};
use crate::contract::mitt::host::script_host::{Module, Stream};
use crate::contract::mitt::host::tools::Parameter;
use crate::decode;
use crate::encode::{Form, write};
use crate::erase::Problem;
use crate::forget::forget;
use crate::host::{HostTable, describe};
use crate::module;
use crate::rows::{busy, changed, changes, mark, marked, unmark};
use crate::tables::PART_ROWS;
use crate::typescript::without_types;
use mitt_guest::tables::{Cell, Chunk};
use rquickjs::context::EvalOptions;
use rquickjs::{Array, Ctx, Exception, Function, Object, Result, TypedArray, Value, qjs};
use std::rc::Rc;

/// Most random bytes of one call, as in browsers.
const MAX_RANDOM: usize = 65_536;

/// Makes the object with all functions.
pub(crate) fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    macro_rules! functions {
        ($($name:ident)*) => { $( object.set(stringify!($name), Function::new(ctx.clone(), $name)?)?; )* };
    }
    functions! {
        output wait make modules load compile tools documents text tables open info records rows column range select build files read
        save remove random allowed nearest forget mark unmark marked changes changed busy stored parse leave
    }
    crate::intl::add(ctx, &object)?;
    Ok(object)
}

fn output(ctx: Ctx<'_>, is_error: bool, text: String) -> Result<()> {
    let stream = if is_error { Stream::Stderr } else { Stream::Stdout };
    context(&ctx)?.add_output(stream, &text);
    Ok(())
}

/// Writes a value that the script keeps as JSON.
fn stored<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<String> {
    let helpers = context(&ctx)?.hooks.helpers(&ctx)?;
    let mut json = String::new();
    write(&helpers, &value, Form::Stored, &mut json).map_err(|problem| {
        Exception::throw_type(&ctx, &format!("store: {}: {}", problem.pointer, problem.reason))
    })?;
    Ok(json)
}

/// Parses JSON. Whole numbers keep their digits.
fn parse<'js>(ctx: Ctx<'js>, text: String) -> Result<Value<'js>> {
    let big = context(&ctx)?.hooks.function(&ctx, "big")?;
    decode::json(&ctx, &text, &big)
}

/// Ends the script. It cannot catch this.
fn leave(ctx: Ctx<'_>) -> Result<()> {
    context_in_order(&ctx)?.has_left.set(true);
    let end = Exception::from_message(ctx.clone(), "the script ended itself")?;
    let end = end.into_object().into_value();
    // SAFETY: the context and the value are alive.
    unsafe { qjs::JS_SetUncatchableError(ctx.as_raw().as_ptr(), end.as_raw()) };
    Err(ctx.throw(end))
}

fn modules(ctx: Ctx<'_>) -> Result<Vec<String>> {
    Ok(context(&ctx)?.host.modules())
}

fn allowed(ctx: Ctx<'_>, name: String) -> Result<bool> {
    Ok(context(&ctx)?.allows(&name))
}

/// Returns the nearest of some names.
fn nearest(name: String, names: Vec<String>) -> Option<String> {
    mitt_guest::nearest(&name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Compiles a file of a skill: a function of `$import`, `$load_`, `$export`, `module`, `exports` and `require`. `name` is the name
/// in tracebacks.
fn compile<'js>(ctx: Ctx<'js>, name: String, source: String) -> Result<Function<'js>> {
    let refused = |problem: Problem| {
        let (line, column) = problem.place(&source);
        let hint = problem.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
        let message = format!("{name}, line {line}, column {column}: {}{hint}", problem.message);
        Exception::throw_syntax(&ctx, &message)
    };
    let text = source.strip_prefix('\u{feff}').unwrap_or(&source);
    let plain = if name.ends_with("ts") { without_types(text).map_err(refused)? } else { None };
    let body = module::body(plain.as_deref().unwrap_or(text)).map_err(refused)?;
    let mut options = EvalOptions::default();
    options.filename = Some(name.clone());
    let head = "(function($import,$load_,$export,module,exports,require){\"use strict\";";
    ctx.eval_with_options(format!("{head}{body}\n}})"), options)
}

/// Returns the functions of a skill in an array, with an object `files` of its files.
fn load<'js>(ctx: Ctx<'js>, name: String) -> Result<Option<Array<'js>>> {
    let Some(Module { functions, helpers }) = context(&ctx)?.host.load_module(&name) else {
        return Ok(None);
    };
    let array = Array::new(ctx.clone())?;
    let files = Object::new(ctx.clone())?;
    for file in helpers {
        files.set(file.name, file.source)?;
    }
    array.as_object().set("files", files)?;
    for (index, function) in functions.into_iter().enumerate() {
        array.set(
            index,
            described(
                &ctx,
                &name,
                &function.name,
                &function.tool,
                &function.description,
                &function.parameters,
            )?,
        )?;
    }
    Ok(Some(array))
}

fn tools(ctx: Ctx<'_>) -> Result<Array<'_>> {
    let array = Array::new(ctx.clone())?;
    for (index, tool) in context(&ctx)?.host.tools().into_iter().enumerate() {
        array.set(
            index,
            described(
                &ctx,
                &tool.skill,
                &tool.function,
                &tool.name,
                &tool.description,
                &tool.parameters,
            )?,
        )?;
    }
    Ok(array)
}

fn described<'js>(
    ctx: &Ctx<'js>,
    skill: &str,
    name: &str,
    tool: &str,
    description: &str,
    parameters: &[Parameter],
) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("skill", skill)?;
    object.set("name", name)?;
    object.set("tool", tool)?;
    object.set("description", description)?;
    let list = Array::new(ctx.clone())?;
    for (index, parameter) in parameters.iter().enumerate() {
        let entry = Object::new(ctx.clone())?;
        entry.set("name", parameter.name.as_str())?;
        entry.set("type", parameter.type_.as_str())?;
        entry.set("required", parameter.required)?;
        list.set(index, entry)?;
    }
    object.set("parameters", list)?;
    Ok(object)
}

fn documents(ctx: Ctx<'_>) -> Result<Array<'_>> {
    let array = Array::new(ctx.clone())?;
    for (index, info) in context_in_order(&ctx)?.host.documents().into_iter().enumerate() {
        let object = Object::new(ctx.clone())?;
        object.set("name", info.name)?;
        object.set("mediaType", info.media_type)?;
        object.set("title", info.title)?;
        object.set("warnings", info.warnings)?;
        object.set("characters", info.characters as f64)?;
        array.set(index, object)?;
    }
    Ok(array)
}

fn text(ctx: Ctx<'_>, name: String, characters: f64) -> Result<String> {
    let text = context_in_order(&ctx)?.host.text(&name, characters as u64);
    text.map_err(|error| Exception::throw_message(&ctx, &describe(&error)))
}

/// Returns the tables of a document without reading them.
fn tables(ctx: Ctx<'_>, document: String) -> Result<Array<'_>> {
    let array = Array::new(ctx.clone())?;
    let entries = context_in_order(&ctx)?.host.catalog().into_iter();
    let own = entries.filter(|entry| entry.document.as_deref() == Some(document.as_str()));
    for (index, entry) in own.enumerate() {
        let object = Object::new(ctx.clone())?;
        object.set("reference", entry.reference)?;
        object.set("name", entry.name)?;
        object.set("columns", entry.columns)?;
        object.set("rows", entry.rows as f64)?;
        array.set(index, object)?;
    }
    Ok(array)
}

fn open(ctx: Ctx<'_>, reference: String) -> Result<u32> {
    {
        let context = context_in_order(&ctx)?;
        context.tables.open(&*context.host, &reference)
    }
    .map_err(|problem| Exception::throw_message(&ctx, &problem))
}

fn table(ctx: &Ctx<'_>, number: u32) -> Result<Rc<dyn HostTable>> {
    context(ctx)?.table(number).map_err(|problem| Exception::throw_type(ctx, &problem))
}

/// Returns the columns and the number of rows of an open table.
fn info(ctx: Ctx<'_>, number: u32) -> Result<Object<'_>> {
    let table = table(&ctx, number)?;
    let object = Object::new(ctx.clone())?;
    object.set("columns", table.columns())?;
    object.set("rows", table.rows() as f64)?;
    Ok(object)
}

fn slice(
    ctx: &Ctx<'_>,
    table: &dyn HostTable,
    column: usize,
    start: u64,
    length: u64,
) -> Result<Chunk> {
    let chunk = table.slice(u32::try_from(column).unwrap_or(u32::MAX), start, length);
    chunk.map_err(|error| Exception::throw_range(ctx, &describe(&error)))
}

/// Returns rows as objects, with the script's names of the columns. They may note changes (`rows.rs`).
fn records<'js>(
    ctx: Ctx<'js>,
    number: u32,
    names: Vec<String>,
    start: f64,
    length: f64,
    notes_changes: bool,
) -> Result<Array<'js>> {
    let (table, big) = (table(&ctx, number)?, context(&ctx)?.hooks.function(&ctx, "big")?);
    let (start, array) = (start as u64, Array::new(ctx.clone())?);
    let chunks = (0..names.len())
        .map(|column| slice(&ctx, &*table, column, start, length as u64))
        .collect::<Result<Vec<_>>>()?;
    for row in 0..chunks.first().map_or(0, Chunk::len) {
        let object = Object::new(ctx.clone())?;
        for (name, chunk) in names.iter().zip(&chunks) {
            object.set(name.as_str(), decode::cell(&ctx, chunk, row, &big)?)?;
        }
        if notes_changes {
            mark(object.as_value().clone(), false);
        }
        array.set(row, object)?;
    }
    Ok(array)
}

/// Returns rows as arrays.
fn rows<'js>(ctx: Ctx<'js>, number: u32, start: f64, length: f64) -> Result<Array<'js>> {
    let (table, big) = (table(&ctx, number)?, context(&ctx)?.hooks.function(&ctx, "big")?);
    let (start, end) =
        (start as u64, table.rows().min((start as u64).saturating_add(length as u64)));
    let array = Array::new(ctx.clone())?;
    let width = table.columns().len();
    for part in (start..end).step_by(PART_ROWS as usize) {
        let chunks = (0..width)
            .map(|column| slice(&ctx, &*table, column, part, PART_ROWS.min(end - part)))
            .collect::<Result<Vec<_>>>()?;
        for row in 0..chunks.first().map_or(0, Chunk::len) {
            let cells = Array::new(ctx.clone())?;
            for (index, chunk) in chunks.iter().enumerate() {
                cells.set(index, decode::cell(&ctx, chunk, row, &big)?)?;
            }
            array.set((part - start) as usize + row, cells)?;
        }
    }
    Ok(array)
}

fn column<'js>(ctx: Ctx<'js>, number: u32, index: u32) -> Result<Array<'js>> {
    let (table, big) = (table(&ctx, number)?, context(&ctx)?.hooks.function(&ctx, "big")?);
    let array = Array::new(ctx.clone())?;
    for start in (0..table.rows()).step_by(PART_ROWS as usize) {
        let chunk = slice(&ctx, &*table, index as usize, start, PART_ROWS)?;
        for row in 0..chunk.len() {
            array.set(start as usize + row, decode::cell(&ctx, &chunk, row, &big)?)?;
        }
    }
    Ok(array)
}

fn range(ctx: Ctx<'_>, number: u32, start: f64, length: f64) -> Result<u32> {
    let table = table(&ctx, number)?;
    Ok(context(&ctx)?.tables.cut_out(table.range(start as u64, length as u64)))
}

/// Returns a table of some columns: their indices, and their names.
fn select(ctx: Ctx<'_>, number: u32, indices: Vec<u32>, names: Vec<String>) -> Result<u32> {
    let columns: Vec<_> = indices.into_iter().zip(names).collect();
    let cut = table(&ctx, number)?.select(&columns);
    let cut = cut.map_err(|error| Exception::throw_type(&ctx, &describe(&error)))?;
    Ok(context(&ctx)?.tables.cut_out(cut))
}

/// Builds a table of the script in the host. Returns null if a value cannot be a cell.
fn build<'js>(ctx: Ctx<'js>, columns: Vec<String>, rows: Array<'js>) -> Result<Option<u32>> {
    let context = context(&ctx)?;
    let text = context.hooks.function(&ctx, "text")?;
    let (mut parts, mut cells) = (Vec::new(), vec![Vec::new(); columns.len()]);
    for row in 0..rows.len() {
        let values: Array<'js> = rows.get(row)?;
        for (index, cells) in cells.iter_mut().enumerate() {
            let Some(cell) = cell_of(&values.get::<Value<'js>>(index)?, &text)? else {
                return Ok(None);
            };
            cells.push(cell);
        }
        if (row + 1) % PART_ROWS as usize == 0 {
            parts.push(
                cells.iter_mut().map(|cells| Chunk::from_cells(std::mem::take(cells))).collect(),
            );
        }
    }
    if !rows.len().is_multiple_of(PART_ROWS as usize) || rows.is_empty() {
        parts.push(cells.into_iter().map(Chunk::from_cells).collect());
    }
    let table = context.host.build(&columns, parts);
    let table = table.map_err(|error| Exception::throw_type(&ctx, &describe(&error)))?;
    Ok(Some(context.tables.cut_out(table)))
}

fn cell_of<'js>(value: &Value<'js>, text: &Function<'js>) -> Result<Option<Cell>> {
    Ok(Some(if value.is_null() || value.is_undefined() {
        Cell::Null
    } else if let Some(value) = value.as_bool() {
        Cell::Boolean(value)
    } else if let Some(number) = value.as_number() {
        match crate::encode::digits(number) {
            Some(digits) => Cell::Number(digits),
            None => return Ok(None),
        }
    } else if value.is_big_int() {
        Cell::Number(crate::encode::text_of(value, text)?)
    } else if value.is_string() {
        Cell::Text(crate::encode::text_of(value, text)?)
    } else {
        return Ok(None);
    }))
}

fn files(ctx: Ctx<'_>) -> Result<Array<'_>> {
    let array = Array::new(ctx.clone())?;
    for (index, (name, size)) in context_in_order(&ctx)?.host.files().into_iter().enumerate() {
        let object = Object::new(ctx.clone())?;
        object.set("name", name)?;
        object.set("size", size as f64)?;
        array.set(index, object)?;
    }
    Ok(array)
}

fn read(ctx: Ctx<'_>, name: String) -> Result<TypedArray<'_, u8>> {
    let content = context_in_order(&ctx)?.host.read(&name);
    let content = content.map_err(|error| Exception::throw_message(&ctx, &describe(&error)))?;
    TypedArray::new(ctx, content)
}

fn save<'js>(ctx: Ctx<'js>, name: String, content: TypedArray<'js, u8>) -> Result<()> {
    let context = context_in_order(&ctx)?;
    // SAFETY: no JavaScript runs until the host has copied the bytes.
    let bytes = unsafe { content.as_bytes() }.unwrap_or_default();
    let done = context.host.write_file(&name, bytes);
    done.map_err(|error| Exception::throw_message(&ctx, &describe(&error)))
}

fn remove(ctx: Ctx<'_>, name: String) -> Result<()> {
    let done = context_in_order(&ctx)?.host.remove(&name);
    done.map_err(|error| Exception::throw_message(&ctx, &describe(&error)))
}

fn random(ctx: Ctx<'_>, length: usize) -> Result<TypedArray<'_, u8>> {
    if length > MAX_RANDOM {
        return Err(Exception::throw_range(
            &ctx,
            &format!("at most {MAX_RANDOM} random bytes, got {length}"),
        ));
    }
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes)
        .map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
    TypedArray::new(ctx, bytes)
}
