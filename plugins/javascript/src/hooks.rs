//! Functions of the prelude that the engine calls.

use rquickjs::{Ctx, Function, Object, Persistent, Result, Value};

/// The object to which the prelude adds them.
#[derive(Clone)]
pub(crate) struct Hooks {
    pub(crate) object: Persistent<Object<'static>>,
}

impl Hooks {
    pub(crate) fn function<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Function<'js>> {
        self.object.clone().restore(ctx)?.get(name)
    }

    pub(crate) fn helpers<'js>(&self, ctx: &Ctx<'js>) -> Result<Helpers<'js>> {
        let object = self.object.clone().restore(ctx)?;
        Ok(Helpers {
            ctx: ctx.clone(),
            describe: object.get("describe")?,
            text: object.get("text")?,
            plain: object.get("plain")?,
        })
    }
}

/// Functions of the prelude that writing needs.
pub(crate) struct Helpers<'js> {
    pub(crate) ctx: Ctx<'js>,
    /// Returns what stands for an object that is neither plain nor an array.
    pub(crate) describe: Function<'js>,
    /// Returns the digits of a BigInt, or a string without halves of surrogates.
    pub(crate) text: Function<'js>,
    /// `Object.prototype`.
    pub(crate) plain: Value<'js>,
}
