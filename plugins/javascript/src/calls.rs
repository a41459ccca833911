//! Calls of tools. They wait until the script waits, so that the host can make several at once: those of `Promise.all`.
//!
//! A call that waits is made at any rate, and before what may depend on it: a file of the workspace, a document, a result
//! (`Context::make_waiting`). `prelude/tools.js` has the promises.

use crate::context::context;
use crate::contract::mitt::host::tool_batches::ToolCall;
use crate::contract::mitt::host::tools::{Failure, FailureKind};
use crate::decode;
use crate::encode::{Form, write};
use crate::line::current_line;
use rquickjs::{Ctx, Exception, Function, Object, Result};

/// Adds a call to those that wait. Returns its place among them.
///
/// # Errors
/// An argument has no JSON form.
pub(crate) fn wait<'js>(ctx: Ctx<'js>, tool: String, arguments: Object<'js>) -> Result<usize> {
    let context = context(&ctx)?;
    let helpers = context.hooks.helpers(&ctx)?;
    let mut json = String::new();
    write(&helpers, arguments.as_value(), Form::Argument, &mut json).map_err(|problem| {
        let message = format!("{tool}: argument {}: {}", problem.pointer, problem.reason);
        Exception::throw_type(&ctx, &message)
    })?;
    if context.waiting.is_full_for(&json) {
        context.make_waiting(&ctx)?;
    }
    let line = current_line(&ctx);
    Ok(context.waiting.add(ToolCall { name: tool, arguments: json }, line))
}

/// Makes the calls that wait. `settle` gets the place of each and its answer, in order.
///
/// # Errors
/// There is no memory left.
pub(crate) fn make<'js>(ctx: Ctx<'js>, settle: Function<'js>) -> Result<()> {
    let context = context(&ctx)?;
    let (mut calls, line) = context.waiting.take();
    // A tool may never return.
    context.at(line);
    context.flush_output();
    let (big, mut place) = (context.hooks.function(&ctx, "big")?, 0);
    while !calls.is_empty() {
        let results = match &*calls {
            [call] => vec![context.host.call(&call.name, &call.arguments)],
            _ => context.host.call_all(&calls),
        };
        // The others are made when these results were read: the host keeps a bounded number of tables.
        calls.drain(..results.len());
        for result in results {
            let answer = match answer(&ctx, &big, result) {
                Ok(answer) => answer,
                Err(_) => {
                    let answer = Object::new(ctx.clone())?;
                    answer.set("thrown", ctx.catch())?;
                    answer
                }
            };
            settle.call::<_, ()>((place, answer))?;
            place += 1;
        }
    }
    Ok(())
}

/// Returns the result, or kind and message of a failure.
fn answer<'js>(
    ctx: &Ctx<'js>,
    big: &Function<'js>,
    result: std::result::Result<String, Failure>,
) -> Result<Object<'js>> {
    let answer = Object::new(ctx.clone())?;
    match result {
        Ok(result) => {
            answer.set("value", decode::json(ctx, &result, big)?)?;
            answer.set("may_have_tables", result.contains("\"columns\""))?;
        }
        Err(failure) => {
            let kind = match failure.kind {
                FailureKind::UnknownTool => "unknown-tool",
                FailureKind::Arguments => "arguments",
                FailureKind::Plugin => "plugin",
                FailureKind::Trap => "trap",
            };
            answer.set("kind", kind)?;
            answer.set("message", failure.message)?;
        }
    }
    Ok(answer)
}
