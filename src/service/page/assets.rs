//! The files of the page, embedded in the program.
//!
//! The modules are plain JavaScript that nothing builds. The program joins them when it first serves the page, so that a browser
//! loads one script and not sixty. The folder of the files is named by a hash of all of them, so that a browser keeps them for
//! good and never mixes two versions.

use std::io::Write as _;
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::Method;
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName,
    HeaderValue, REFERRER_POLICY, VARY,
};

use crate::http::{Answered, Content, Request, Responds, bytes, empty};
use crate::problem::Problem;
use crate::service::{Endpoint, Service};
use mitt_serve::viewer;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("assets/", $name)))),*]
    };
}

/// The files of the page, by their names. Those of the viewer come from its crate.
const FILES: &[(&str, &str)] = files![
    "account.js",
    "api.js",
    "calls.js",
    "composer.js",
    "connection.js",
    "conversation.css",
    "conversation.js",
    "current_reader.js",
    "dialog.js",
    "drafts.js",
    "exact_json.js",
    "file_names.js",
    "files.css",
    "files_panel.js",
    "icon.svg",
    "icons.js",
    "index.html",
    "lazy.js",
    "login.js",
    "main.js",
    "notices.js",
    "numbers.js",
    "plan.js",
    "questions.js",
    "run_state.js",
    "runs.js",
    "schema_form.js",
    "schema_model.js",
    "settings.css",
    "settings.js",
    "shell.js",
    "sidebar.js",
    "store.js",
    "style.css",
    "theme.js",
    "tool_examples.js",
    "tools.css",
    "tools.js",
    "uploads.js",
    "welcome.js",
    "words/conversation.js",
    "words/files.js",
    "words/settings.js",
    "words/shell.js",
    "words/tools.js",
];

/// The document of the page.
const INDEX: &str = "index.html";
/// The module that starts the page. All that it needs is joined to it.
const ENTRY: &str = "main.js";
/// The script that sets the colours before the first paint.
const THEME: &str = "theme.js";
/// Replaced in [`INDEX`] by the path of the other files.
const PLACE: &str = "{{assets}}";

/// The page loads scripts, styles and data from this server alone. It contains no inline script or style, and no script can
/// write markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Fields of the response that every file has.
const FIELDS: [(HeaderName, &str); 3] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// The page, ready to be sent.
struct Page {
    version: String,
    index: Asset,
    /// Files by their paths below the folder of the version.
    assets: Vec<(String, Asset)>,
}

/// A file as it is and compressed.
struct Asset {
    media_type: &'static str,
    plain: Bytes,
    gzip: Bytes,
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let endpoint = |path: &str, operation: &str, summary: &str, handler| {
        Endpoint::new("page", Method::GET, path, operation, summary, handler)
            .responds(Responds::File(&["text/html"]))
            .further(304, Content::None)
            .public()
    };
    let index = |_: Service, request: Request| async move {
        let mut answer = send(&request, &page().index);
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Answered::Ok(answer)
    };
    let asset = |_: Service, request: Request| async move { asset(&request) };
    let mut all = vec![endpoint("/", "get_page", "Returns the page for people.", index)];
    let (path, summary) = ("/assets/{version}/{name...}", "Returns a file of the page.");
    all.push(
        Endpoint::new("page", Method::GET, path, "get_page_file", summary, asset)
            .responds(Responds::File(&["text/javascript", "text/css", "image/svg+xml"]))
            .further(304, Content::None)
            .public(),
    );
    all
}

fn asset(request: &Request) -> Answered {
    let (version, name) = (request.parameter("version"), request.parameter("name"));
    let page = page();
    let found = page.assets.iter().find(|it| it.0 == name && page.version == version);
    let Some((_, asset)) = found else {
        // A page that was loaded before an update asks for files of its version.
        let detail = "this version of the page has no such file";
        return Err(Problem::new(404, "not_found", detail).hint("load the page again"));
    };
    let mut answer = send(request, asset);
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    answer.headers_mut().insert(CACHE_CONTROL, forever);
    Ok(answer)
}

/// Returns the response with a file, compressed if the client accepts that.
fn send(request: &Request, asset: &Asset) -> mitt_serve::http::HttpResponse {
    let tag = format!("\"{}\"", page().version);
    let is_known =
        request.header("if-none-match").is_some_and(|it| it.split(',').any(|it| it.trim() == tag));
    let accepts = request.header("accept-encoding").is_some_and(|it| it.contains("gzip"));
    let mut answer = match (is_known, accepts) {
        (true, _) => empty(304),
        (false, true) => bytes(200, asset.media_type, asset.gzip.clone()),
        (false, false) => bytes(200, asset.media_type, asset.plain.clone()),
    };
    let headers = answer.headers_mut();
    if is_known {
        headers.remove(CONTENT_TYPE);
    } else if accepts {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    for (name, value) in FIELDS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

fn page() -> &'static Page {
    static PAGE: OnceLock<Page> = OnceLock::new();
    PAGE.get_or_init(|| {
        let own = FILES.iter().map(|(name, content)| ((*name).to_owned(), *content));
        let viewers =
            viewer::FILES.iter().map(|(name, content)| (format!("viewer/{name}"), *content));
        let files: Vec<(String, &str)> = own.chain(viewers).collect();
        let mut hasher = blake3::Hasher::new();
        for (name, content) in &files {
            hasher.update(name.as_bytes());
            hasher.update(&(content.len() as u64).to_le_bytes());
            hasher.update(content.as_bytes());
        }
        let version = hasher.finalize().to_hex()[..16].to_owned();
        let index = files.iter().find(|it| it.0 == INDEX).map_or("", |it| it.1);
        let index = index.replace(PLACE, &format!("/assets/{version}"));
        let named: Vec<(&str, &str)> = files.iter().map(|it| (it.0.as_str(), it.1)).collect();
        let scripts = viewer::joined(&named, ENTRY, ENTRY);
        let mut assets = vec![
            (ENTRY.to_owned(), Asset::new(ENTRY, &scripts.first)),
            (viewer::LATER.to_owned(), Asset::new(viewer::LATER, &scripts.later)),
        ];
        let is_loaded =
            |name: &str| name == THEME || name.ends_with(".css") || name.ends_with(".svg");
        for (name, content) in files.iter().filter(|it| is_loaded(&it.0)) {
            assets.push((name.clone(), Asset::new(name, &viewer::stripped(content))));
        }
        Page { index: Asset::new(INDEX, &index), assets, version }
    })
}

impl Asset {
    fn new(name: &str, content: &str) -> Asset {
        let media_type = match name.rsplit_once('.').map(|it| it.1) {
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory does not fail.
        let packed = encoder.write_all(content.as_bytes()).and_then(|()| encoder.finish());
        let plain = Bytes::copy_from_slice(content.as_bytes());
        Asset { media_type, plain, gzip: packed.unwrap_or_default().into() }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Most bytes that a browser loads to show the page, compressed.
    const MOST_BYTES: usize = 150_000;

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/assets");
        let mut names = Vec::new();
        for (prefix, folder) in [("", folder.clone()), ("words/", folder.join("words"))] {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_file() {
                    names.push(format!("{prefix}{}", entry.file_name().to_str().unwrap()));
                }
            }
        }
        names.sort();
        let listed: Vec<&str> = FILES.iter().map(|it| it.0).collect();
        assert_eq!(listed, names);
    }

    #[test]
    fn the_page_is_small() {
        let first = page().assets.iter().filter(|it| it.0 != viewer::LATER);
        let size: usize = first.map(|it| it.1.gzip.len()).sum();
        assert!(size + page().index.gzip.len() < MOST_BYTES, "{size}");
    }

    #[test]
    fn every_file_that_the_page_names_exists() {
        let name_is_there = |name: &str| page().assets.iter().any(|it| it.0 == name);
        let index = std::str::from_utf8(&page().index.plain).unwrap();
        let start = format!("/assets/{}/", page().version);
        let named: Vec<&str> =
            index.split(&start).skip(1).filter_map(|it| it.split('"').next()).collect();
        assert!(!named.is_empty());
        for name in &named {
            assert!(name_is_there(name), "{name}");
        }
        // The other style sheets are loaded with what they are for.
        let lazy = FILES.iter().find(|it| it.0 == "lazy.js").unwrap().1;
        for (name, _) in FILES.iter().filter(|it| it.0.ends_with(".css")) {
            let is_first = named.contains(name);
            assert_ne!(is_first, lazy.contains(&format!("addStyle(\"{name}\")")), "{name}");
        }
        // A module that nothing imports is missing in the scripts.
        let script = |name: &str| {
            let asset = page().assets.iter().find(|it| it.0 == name).unwrap();
            std::str::from_utf8(&asset.1.plain).unwrap()
        };
        let (first, later) = (script(ENTRY), script(viewer::LATER));
        assert!(first.contains("const $main = ") && !first.contains("\nimport "));
        assert!(
            later.contains("const $tools = ")
                && later.contains("const $viewer_view = ")
                && !first.contains("const $tools = ")
        );
        for name in ["$shell", "$conversation", "$api"] {
            assert!(first.contains(&format!("const {name} = ")), "{name}");
        }
    }
}
