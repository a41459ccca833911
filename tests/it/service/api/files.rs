//! Delivered files: downloads, ranges, the ZIP, and signed links.

use std::io::{Cursor, Read as _};
use std::time::Duration;

use hyper::Method;
use serde_json::Value;

use crate::service::support::{Call, Server, Setup, run};

const NAME: &str = "%E6%9C%88%E6%8A%A5.html";

/// Returns the names and contents of a ZIP.
fn unpacked(zip: &[u8]) -> Vec<(String, String)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(zip)).unwrap();
    (0..zip.len())
        .map(|index| {
            let mut file = zip.by_index(index).unwrap();
            let mut content = String::new();
            file.read_to_string(&mut content).unwrap();
            (file.name().unwrap().into_owned(), content)
        })
        .collect()
}

async fn delivered(server: &Server) -> (String, Value) {
    let state = server.finished_run("Please deliver.", "").await;
    assert_eq!(state["status"], "completed", "{state}");
    (state["id"].as_str().unwrap().to_owned(), state)
}

fn path_of(server: &Server, url: &Value) -> String {
    let base = format!("http://{}", server.address);
    url.as_str().unwrap().strip_prefix(&base).unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_request_brings_back_both_files() {
    let server = Server::start().await;
    let options = r#"{"tools": "all", "no_routing": true}"#;
    let call = Call::form(
        "/v1/runs",
        &[("instruction", "Please deliver two reports."), ("options", options)],
        &[("document", "a.csv", "m,r\n1,2\n"), ("document", "b.csv", "m,r\n3,4\n")],
    );
    let reply = server.send(call.header("accept", "application/zip")).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.headers["content-type"], "application/zip");
    assert!(reply.headers["content-disposition"].starts_with("attachment; filename=\"run_"));
    assert!(reply.headers["location"].contains("/v1/runs/run_"), "{reply:?}");
    let files = unpacked(&reply.body);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["summary.md", "月报.html", "answer.md"]);
    assert!(files[0].1.contains("Report 1") && files[1].1.contains("Report 2"), "{files:?}");
    assert_eq!(files[2].1, "All is done.");
    // Bit 11 of the flags says that the name is UTF-8.
    let mark = "月报.html".as_bytes();
    let at = reply.body.windows(mark.len()).position(|it| it == mark).unwrap();
    let flags = u16::from_le_bytes([reply.body[at - 24], reply.body[at - 23]]);
    assert_eq!(flags & (1 << 11), 1 << 11, "{flags:#x}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_zip_pretends_that_a_failed_run_succeeded() {
    let server = Server::start().await;
    let call = Call::post("/v1/runs", &run("Please fail.")).header("accept", "application/zip");
    let reply = server.send(call).await;
    let problem = reply.problem(422, "run_failed");
    assert!(problem["detail"].as_str().unwrap().contains("cannot be reached"), "{problem}");
    let id = reply.headers["location"].rsplit('/').next().unwrap().to_owned();
    assert!(problem["hint"].as_str().unwrap().contains(&id), "{problem}");
    assert_eq!(server.get(&format!("/v1/runs/{id}")).await.json()["status"], "failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_listed_and_downloaded() {
    let server = Server::start().await;
    let (id, state) = delivered(&server).await;
    let list = server.get(&format!("/v1/runs/{id}/files")).await.json();
    let names = |files: &Value| -> Vec<String> {
        files.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&list["files"]), names(&state["files"]));
    let path = format!("/v1/runs/{id}/files/{NAME}");
    let reply = server.get(&path).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.text().contains("Report 2"), "{reply:?}");
    assert!(reply.headers["content-type"].starts_with("text/html"), "{reply:?}");
    // Browsers save it, and never run it.
    assert_eq!(
        reply.headers["content-disposition"],
        format!("attachment; filename=\"__.html\"; filename*=UTF-8''{NAME}")
    );
    assert_eq!(reply.headers["x-content-type-options"], "nosniff");
    assert_eq!(reply.headers["content-security-policy"], "sandbox; default-src 'none'");
    let head = server.send(Call::new(Method::HEAD, &path)).await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.headers["content-length"], reply.body.len().to_string());
    server.get(&format!("/v1/runs/{id}/files/none.md")).await.problem(404, "not_found");
    server
        .get(&format!("/v1/runs/{id}/files/..%2F..%2Fetc%2Fpasswd"))
        .await
        .problem(404, "not_found");
    let zip = server.get(&format!("/v1/runs/{id}/files.zip")).await;
    assert_eq!(unpacked(&zip.body).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_a_file_is_downloaded() {
    let server = Server::start().await;
    let (id, _) = delivered(&server).await;
    let path = format!("/v1/runs/{id}/files/summary.md");
    let whole = server.get(&path).await;
    let size = whole.body.len();
    let part = server.send(Call::get(&path).header("range", "bytes=2-5")).await;
    assert_eq!((part.status, &part.body[..]), (206, &whole.body[2..6]));
    assert_eq!(part.headers["content-range"], format!("bytes 2-5/{size}"));
    let end = server.send(Call::get(&path).header("range", "bytes=-3")).await;
    assert_eq!((end.status, &end.body[..]), (206, &whole.body[size - 3..]));
    let outside = server.send(Call::get(&path).header("range", "bytes=100000-")).await;
    outside.problem(416, "range_not_satisfiable");
    assert_eq!(outside.headers["content-range"], format!("bytes */{size}"));
    // A part of another version would make a damaged file.
    let tag = &whole.headers["etag"];
    for (tag, status) in [(tag.as_str(), 206), ("\"other\"", 200)] {
        let call = Call::get(&path).header("range", "bytes=0-0").header("if-range", tag);
        assert_eq!(server.send(call).await.status, status, "{tag}");
    }
    let same = server.send(Call::get(&path).header("if-none-match", tag)).await;
    assert_eq!((same.status, same.body.len()), (304, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_needs_no_token_and_cannot_be_forged() {
    let server = Server::for_tenants().await;
    let state = server.finished_run("Please deliver.", &server.alice).await;
    let link = path_of(&server, &state["files"][1]["url"]);
    let reply = server.get(&link).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.text().contains("Report 2"));
    assert!(reply.headers["content-disposition"].contains(NAME), "{reply:?}");
    let part = server.send(Call::get(&link).header("range", "bytes=0-3")).await;
    assert_eq!((part.status, part.body.len()), (206, 4));
    let head = server.send(Call::new(Method::HEAD, &link)).await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    let (start, name) = link.rsplit_once('/').unwrap();
    let token = start.strip_prefix("/v1/links/").unwrap();
    let changed = if token.starts_with('A') { "B" } else { "A" };
    for forged in [
        format!("/v1/links/{changed}{}/{name}", &token[1..]),
        format!("/v1/links/{}/{name}", &token[..token.len() - 4]),
        format!("/v1/links/x/{name}"),
        // The name is part of what was signed.
        format!("{start}/other.exe"),
    ] {
        server.get(&forged).await.problem(404, "not_found");
    }
    let post = server.send(Call::new(Method::POST, &link)).await;
    post.problem(405, "method_not_allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_expires() {
    let setup = Setup { link_life: Duration::ZERO, ..Setup::default() };
    let server = Server::with(setup).await;
    let (id, state) = delivered(&server).await;
    let link = path_of(&server, &state["files"][0]["url"]);
    server.get(&link).await.problem(410, "link_expired");
    // The file itself stays.
    assert_eq!(server.get(&format!("/v1/runs/{id}/files/summary.md")).await.status, 200);
}
