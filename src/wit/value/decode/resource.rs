//! Decodes handles of resources.

use super::super::handles::handle;
use super::super::json::Json;
use super::super::path::Path;
use super::super::problem::{expected, listed, shown};
use super::super::types::{ResourceType, Type};
use super::Decoder;
use wasmtime::component::Val;

impl Decoder<'_> {
    /// Returns the resource of a handle of type `ty`.
    pub(super) fn handle(
        &mut self,
        ty: &Type,
        resource: &ResourceType,
        reported: &Type,
        json: &Json,
        at: &Path<'_>,
    ) -> Option<Val> {
        let Some(table) = self.handles.table else {
            return self.fail(at, || {
                format!(
                    "`{ty}` has no JSON form without a session, so this function cannot be called"
                )
            });
        };
        let owned = matches!(ty, Type::Own(_));
        let found = match json {
            Json::String(text) => self.handles.take(table, resource, text, owned),
            _ => Err(String::new()),
        };
        let why = match found {
            Ok(found) => return Some(Val::Resource(found)),
            Err(why) if why.is_empty() => why,
            Err(why) => format!(", {why}"),
        };
        self.fail(at, || {
            let live = table.live(resource);
            let names: Vec<String> = live.iter().map(|number| handle(resource, *number)).collect();
            let live = if names.is_empty() {
                format!("; no handle of `{}` is live", resource.name)
            } else {
                listed(names.iter().map(String::as_str), "the live handles are")
            };
            format!("expected {}, got {}{why}{live}", expected(reported), shown(json))
        })
    }
}
