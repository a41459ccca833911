//! `/v1/runs/{run}/sources`: where a number or a short text of an answer comes from.
//!
//! Numbers are compared exactly, and as rounded as they are shown. Documents, delivered files and calls are searched, bounded
//! in time and memory. A match is no proof: it is a place that holds the same value.

mod calls;
mod cells;
mod document;
mod found;
mod wanted;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hyper::Method;
use schemars::JsonSchema;
use serde::Serialize;

use self::found::{Found, MOST_MATCHES, SourceKind, SourceMatch};
use self::wanted::Wanted;
use crate::http::{Answered, Request, Responds, json, schema_of};
use crate::problem::Problem;
use crate::run::{RunDocument, RunFile, RunState};
use crate::service::{Endpoint, Service};
use crate::store::read_whole;
use mitt_serve::preview::{OutlineKind, PreviewFile};

/// Most characters of a value.
const MOST_CHARACTERS: usize = 200;

/// Time of a search. A file that is being read is still read to its end, so that the next search need not read it.
const TIME: Duration = Duration::from_secs(5);

/// Where a value of an answer comes from.
#[derive(JsonSchema, Serialize)]
struct Sources {
    /// The value.
    value: String,
    /// The places that hold it: exact ones first, and documents before files before calls.
    matches: Vec<SourceMatch>,
    /// `true` if there are more, or if something was not searched.
    more: bool,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let path = "/v1/runs/{run}/sources";
    let summary = "Finds where a value of an answer comes from.";
    let find = Endpoint::new("runs", Method::GET, path, "find_run_sources", summary, find)
        .describe(
            "Searches the documents of the run, its delivered files, and its calls. A number may have a sign, a currency, separators, \
             a percent sign and a unit such as `万`. A place is exact if its value is equal, and otherwise has the value before \
             rounding.",
        )
        .query(&[("value", "The number or text, up to 200 characters, such as `12.5%`.")])
        .responds(Responds::Json(200, schema_of::<Sources>()));
    vec![find]
}

async fn find(service: Service, request: Request) -> Answered {
    let tenant = request.tenant();
    let run = request.parameter("run").to_owned();
    let value = request.query("value").unwrap_or_default().trim().to_owned();
    if value.is_empty() || value.chars().count() > MOST_CHARACTERS {
        let detail = format!("`value`: expected 1 to {MOST_CHARACTERS} characters");
        return Err(Problem::bad("invalid_query", detail));
    }
    let state = service.runs().get(&tenant, &run).await?;
    let (wanted, deadline) = (Wanted::of(&value), Instant::now() + TIME);
    let (mut found, mut seen) = (Found::default(), BTreeSet::new());
    for (kind, file) in files(&state, &tenant) {
        // A document that was not fetched yet has no content. A delivered file may be a document of the run.
        if file.sha256.is_empty() || !seen.insert(file.sha256) {
            continue;
        }
        if found.is_full(MOST_MATCHES) || Instant::now() >= deadline {
            found.has_more = true;
            break;
        }
        match in_file(&service, (kind, file), &wanted, deadline).await {
            Ok(of_file) => found.append(of_file),
            Err(problem) => {
                // A damaged file does not hide the others.
                tracing::debug!(detail = problem.detail, "a source was not searched");
                found.has_more = true;
            }
        }
    }
    if found.is_full(MOST_MATCHES) {
        found.has_more = true;
    } else {
        let events = service.runs().events(&tenant, &run, 0, false).await?;
        calls::search(events, &wanted, deadline, &mut found).await?;
    }
    let (matches, more) = found.into_best();
    Ok(json(200, &Sources { value, matches, more }))
}

/// Returns the documents of a run, then its delivered files.
fn files<'a>(
    state: &'a RunState,
    tenant: &'a str,
) -> impl Iterator<Item = (SourceKind, PreviewFile<'a>)> {
    let document = move |it: &'a RunDocument| PreviewFile {
        tenant,
        name: &it.name,
        media_type: "",
        sha256: &it.sha256,
        size: it.size,
        is_rendered: false,
    };
    let file = move |it: &'a RunFile| PreviewFile {
        tenant,
        name: &it.name,
        media_type: &it.media_type,
        sha256: &it.sha256,
        size: it.size,
        is_rendered: it.pages.is_some(),
    };
    let documents = state.documents.iter().map(document).map(|it| (SourceKind::Document, it));
    documents.chain(state.files.iter().map(file).map(|it| (SourceKind::File, it)))
}

/// Looks for a value in a file: in its cells if it is shown as sheets, otherwise in its document.
async fn in_file(
    service: &Service,
    (kind, file): (SourceKind, PreviewFile<'_>),
    wanted: &Wanted,
    deadline: Instant,
) -> Result<Found, Problem> {
    let preview = service.previews().open(file, || content(service, file)).await?;
    let (name, wanted) = (file.name.to_owned(), wanted.clone());
    let worker = preview.clone();
    let searched = match preview.kind() {
        OutlineKind::Picture | OutlineKind::None => return Ok(Found::default()),
        OutlineKind::Workbook => {
            let work =
                move || Ok(cells::search(&preview, (kind, name.as_str()), &wanted, deadline));
            worker.elsewhere("looking for a value", work).await?
        }
        OutlineKind::Pages | OutlineKind::Text => {
            let read = preview.document(|| content(service, file)).await?;
            let work =
                move || Ok(document::search(&read, (kind, name.as_str()), &wanted, deadline));
            worker.elsewhere("looking for a value", work).await?
        }
    };
    Ok(searched)
}

async fn content(service: &Service, file: PreviewFile<'_>) -> Result<Vec<u8>, Problem> {
    Ok(read_whole(&**service.store(), file.tenant, file.sha256).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_of_the_sources_is_whole() {
        let document = crate::http::checked(&endpoints());
        let schemas = &document["components"]["schemas"];
        assert!(schemas["SourceMatch"]["properties"]["is_exact"].is_object());
    }
}
