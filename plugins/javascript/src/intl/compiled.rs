//! Functions of JavaScript that are compiled at one time and made at another.

use rquickjs::{Ctx, Error, Exception, Function, Result, Value, qjs};
use std::ffi::{CString, c_int};

/// Bytecode of an expression whose value is a function.
pub(super) struct Compiled {
    bytes: Box<[u8]>,
}

impl Compiled {
    /// Compiles the source of a part of `Intl`.
    pub(super) fn new(ctx: &Ctx<'_>, name: &str, source: &[u8]) -> Result<Self> {
        let nul = |_| Exception::throw_message(ctx, "a source with a NUL character");
        let file = CString::new(format!("mitt:intl/{name}")).map_err(nul)?;
        let code = CString::new(source).map_err(nul)?;
        let flags =
            qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
        let context = ctx.as_raw().as_ptr();
        // SAFETY: the context is alive; both texts end with NUL; the value that is made is owned here.
        let compiled = unsafe {
            let value = qjs::JS_Eval(
                context,
                code.as_ptr(),
                source.len() as _,
                file.as_ptr(),
                flags as c_int,
            );
            Value::from_raw(ctx.clone(), value)
        };
        if compiled.is_exception() {
            return Err(Error::Exception);
        }
        let mut length = 0;
        let write = qjs::JS_WRITE_OBJ_BYTECODE
            | qjs::JS_WRITE_OBJ_STRIP_SOURCE
            | qjs::JS_WRITE_OBJ_STRIP_DEBUG;
        // SAFETY: the context and the value are alive. The interpreter returns a block of `length` bytes, which is copied
        // before it is freed.
        let bytes = unsafe {
            let block =
                qjs::JS_WriteObject(context, &raw mut length, compiled.as_raw(), write as c_int);
            if block.is_null() {
                return Err(Error::Exception);
            }
            let bytes = std::slice::from_raw_parts(block, length as usize).into();
            qjs::js_free(context, block.cast());
            bytes
        };
        Ok(Self { bytes })
    }

    /// Makes the function.
    pub(super) fn function<'js>(&self, ctx: &Ctx<'js>) -> Result<Function<'js>> {
        let context = ctx.as_raw().as_ptr();
        // SAFETY: the context is alive, and the bytes are what this interpreter wrote. `JS_EvalFunction` takes the value
        // over, and the value that it returns is owned here.
        let value = unsafe {
            let read = qjs::JS_ReadObject(
                context,
                self.bytes.as_ptr(),
                self.bytes.len() as _,
                qjs::JS_READ_OBJ_BYTECODE as c_int,
            );
            if qjs::JS_IsException(read) {
                return Err(Error::Exception);
            }
            Value::from_raw(ctx.clone(), qjs::JS_EvalFunction(context, read))
        };
        if value.is_exception() {
            return Err(Error::Exception);
        }
        value.get()
    }
}
