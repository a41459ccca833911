//! Host functions for Extism plug-ins, which their kernel calls: log messages, HTTP requests, error messages, and the reason why
//! a call ends. They need no grant: messages are limited as for any plugin, and requests are refused unless `fetch` is granted.
//!
//! Functions of an embedder are a capability of the embedder, under the interface `extism:host/user`.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize as _};
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use super::context::CallContext;
use super::log::{LogLevel, noted};
use super::own::OwnCapability;
use mitt_base::{Error, ErrorKind, Result};
use mitt_engine::{Plugin, PluginInternal as _, StoreData as _, extism, preview1};
use mitt_types::fetch::{HttpRequest, HttpResponse};

/// Returns whether an import is one of the host functions that every plug-in has.
pub(crate) fn is_host(import: &str) -> bool {
    [extism::HOST, extism::WASI_HOST].contains(&import)
}

/// Returns whether an import is a function that only an embedder provides.
pub(super) fn is_user(import: &str) -> bool {
    import == extism::USER
}

/// Returns whether a plugin was made from an Extism plug-in.
pub(super) fn is_one(plugin: &Plugin) -> bool {
    plugin.needs().iter().any(|import| is_host(import))
}

/// Links what the kernel imports. `may_fetch` says whether `fetch` is granted.
pub(super) fn link(linker: &mut Linker<CallContext>, may_fetch: bool) -> wasmtime::Result<()> {
    preview1::link(linker)?;
    let mut host = linker.instance(extism::HOST)?;
    host.func_wrap("log", |mut store: StoreContextMut<'_, CallContext>, said: (u8, Vec<u8>)| {
        let (level, message) = said;
        let level = match level {
            0 | 1 => LogLevel::Debug,
            2 => LogLevel::Info,
            3 => LogLevel::Warn,
            _ => LogLevel::Error,
        };
        let context = store.data_mut();
        let log = context.services().log.clone();
        noted(context.core(), Some(&*log), level, &String::from_utf8_lossy(&message))
    })?;
    host.func_wrap(
        "refuse",
        |_: StoreContextMut<'_, CallContext>, (number,): (u32,)| -> wasmtime::Result<()> {
            Err(extism::refusal(number).into())
        },
    )?;
    host.func_wrap(
        "said",
        |mut store: StoreContextMut<'_, CallContext>, (message,): (Vec<u8>,)| {
            // The kernel limits its length, as it does for log messages.
            let message = String::from_utf8_lossy(&message);
            store.data_mut().core().output().remember_error(&message);
            Ok(())
        },
    )?;
    host.func_wrap_async("http", move |mut store, (request, body): (Vec<u8>, Option<Vec<u8>>)| {
        Box::new(async move {
            let answer = http(&mut store, &request, body, may_fetch).await?;
            Ok((written(answer)?,))
        })
    })
}

/// HTTP request in the JSON form of Extism's PDKs.
#[derive(Deserialize)]
struct Wire {
    url: String,
    #[serde(default)]
    method: Option<String>,
    #[serde(default, alias = "header")]
    headers: BTreeMap<String, String>,
}

async fn http(
    store: &mut StoreContextMut<'_, CallContext>,
    request: &[u8],
    body: Option<Vec<u8>>,
    may_fetch: bool,
) -> Result<HttpResponse> {
    let wire: Wire = serde_json::from_slice(request).map_err(|error| {
        let message = "the plug-in passed an invalid request to `http_request`";
        Error::new(ErrorKind::Trap, message).caused_by(error)
    })?;
    if !may_fetch {
        let shown = wire.url.split(['?', '#']).next().unwrap_or_default();
        let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(shown, 200));
        let message =
            format!("the plug-in asks for `{shown}`, but its skill does not grant `fetch`");
        return Err(Error::new(ErrorKind::Denied, message).hint(
            "add `fetch: {hosts: [...]}` to `grants` in `skill.yaml` if the skill should have it",
        ));
    }
    let method = wire.method.unwrap_or_else(|| "GET".into()).to_ascii_uppercase();
    let headers = wire.headers.into_iter().collect();
    let http_request = HttpRequest { url: wire.url, method, headers, body };
    let web = store.data_mut().services().web.clone();
    web.request(http_request, &[]).await
}

/// Converts a response for the kernel: status, headers as a JSON object, body.
fn written(answer: HttpResponse) -> Result<(u16, Vec<u8>, Vec<u8>)> {
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in answer.headers {
        headers.entry(name).and_modify(|it| *it = format!("{it}, {value}")).or_insert(value);
    }
    let mut json = Vec::new();
    headers.serialize(&mut serde_json::Serializer::new(&mut json)).map_err(Error::bug)?;
    Ok((answer.status, json, answer.body))
}

/// Result of a function of an embedder: bytes, or nothing.
pub type ExtismResult = Result<Option<Vec<u8>>>;

type Called = Pin<Box<dyn Future<Output = ExtismResult> + Send>>;

type Run = dyn Fn(&mut CallContext, Vec<Vec<u8>>) -> Called + Send + Sync;

/// Function of an embedder that Extism plug-ins import from `extism:host/user`.
///
/// It receives the blocks of bytes that the plug-in passes, and returns one block or none. The context identifies the call. An
/// error ends the call.
#[derive(Clone)]
pub struct ExtismFunction {
    name: String,
    run: Arc<Run>,
}

impl ExtismFunction {
    /// Returns a function of this name. It may be asynchronous.
    pub fn new<F>(
        name: impl Into<String>,
        run: impl Fn(&mut CallContext, Vec<Vec<u8>>) -> F + Send + Sync + 'static,
    ) -> ExtismFunction
    where
        F: Future<Output = ExtismResult> + Send + 'static,
    {
        let run = move |context: &mut CallContext, arguments| -> Called {
            Box::pin(run(context, arguments))
        };
        ExtismFunction { name: name.into(), run: Arc::new(run) }
    }
}

impl std::fmt::Debug for ExtismFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExtismFunction").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns the capability of an embedder that provides these functions.
pub fn capability(name: String, functions: Vec<ExtismFunction>) -> OwnCapability {
    OwnCapability::new(name, vec![extism::USER.to_owned()], move |linker| {
        let mut user = linker.instance(extism::USER)?;
        for function in &functions {
            let run = function.run.clone();
            let name = extism::component_name(&function.name);
            user.func_wrap_async(&name, move |mut store, (arguments,): (Vec<Vec<u8>>,)| {
                let run = run.clone();
                Box::new(async move { Ok((run(store.data_mut(), arguments).await?,)) })
            })?;
        }
        Ok(())
    })
}
