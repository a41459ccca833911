//! HTTP requests of plug-ins during a call. The guard checks what they send, an event reports it, and the response is limited and
//! charged. The host's [`Fetch`](crate::Fetch) decides which hosts are allowed.

use futures_util::future::BoxFuture;

use super::super::event::Event;
use super::services::CallServices;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Remedy, Resource, Result};
use mitt_skill::capability::Web;
use mitt_types::fetch::{HttpBounds, HttpRequest, HttpResponse};

/// Largest response, in bytes. It is copied through the memory of a call, which is 128 MiB by default.
#[cfg_attr(not(feature = "extism"), allow(dead_code, reason = "used only by Extism plug-ins"))]
const MAX_ANSWER_BYTES: u64 = 16 * MIB;

impl Web for CallServices {
    fn request<'a>(
        &'a self,
        request: HttpRequest,
        hosts: &'a [String],
    ) -> BoxFuture<'a, Result<HttpResponse>> {
        Box::pin(async move {
            let session = self.session();
            // The query and the fragment may hold secrets.
            let shown = request.url.split(['?', '#']).next().unwrap_or_default();
            let shown = mitt_base::text::shortened(&mitt_base::text::one_line(shown), 200);
            let at = |error: Error| error.at(&shown);
            session.guard.address(&request.url)?;
            if let Some(body) = &request.body {
                session.guard.address(&String::from_utf8_lossy(body))?;
            }
            let fetcher = session.context.host().fetcher().ok_or_else(|| {
                let message = "requests are not sent here: no host was allowed";
                at(Error::new(ErrorKind::Denied, message).remedy(Remedy::AllowHosts))
            })?;
            self.emit(&Event::Fetching { call: Some(self.call()), url: shown.clone() });
            let tenant = session.context.tenant();
            let bounds = HttpBounds { tenant, hosts, bytes: MAX_ANSWER_BYTES };
            let answer = fetcher.exchange(&request, &bounds).await.map_err(at)?;
            let bytes = answer.body.len() as u64;
            if bytes > MAX_ANSWER_BYTES {
                return Err(at(Error::limit(Resource::Document, MAX_ANSWER_BYTES, bytes)));
            }
            // Only checks that there is room: the response is copied into the plug-in's memory, which is counted there.
            drop(self.memory().charge(bytes).map_err(|limit| at(Error::reached(limit)))?);
            Ok(answer)
        })
    }
}
