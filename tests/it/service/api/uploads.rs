//! `/v1/uploads`: files that arrive in several requests.

use hyper::Method;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use crate::service::support::{Call, Reply, SOON, Server, Setup, run};

const BYTES: &str = "application/offset+octet-stream";

fn create(size: usize) -> Call {
    Call::new(Method::POST, "/v1/uploads")
        .header("tus-resumable", "1.0.0")
        .header("upload-length", &size.to_string())
        .header("upload-metadata", "filename 6ZSA5ZSuLmNzdg==,filetype dGV4dC9jc3Y=")
}

fn patch(path: &str, offset: usize, content: &str) -> Call {
    Call::new(Method::PATCH, path)
        .header("tus-resumable", "1.0.0")
        .header("content-type", BYTES)
        .header("upload-offset", &offset.to_string())
        .body(content.to_owned())
}

fn head(path: &str) -> Call {
    Call::new(Method::HEAD, path).header("tus-resumable", "1.0.0")
}

async fn created(server: &Server, size: usize) -> String {
    let reply = server.send(create(size)).await;
    assert_eq!(
        (reply.status, reply.headers["tus-resumable"].as_str()),
        (201, "1.0.0"),
        "{reply:?}"
    );
    assert!(reply.headers["upload-expires"].ends_with(" GMT"), "{reply:?}");
    let base = format!("http://{}", server.address);
    reply.headers["location"].strip_prefix(&base).unwrap().to_owned()
}

fn offset(reply: &Reply) -> (u16, &str) {
    (reply.status, reply.headers.get("upload-offset").map_or("", String::as_str))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_arrives_in_several_requests() {
    let server = Server::start().await;
    let path = created(&server, 8).await;
    let reply = server.send(head(&path)).await;
    assert_eq!(offset(&reply), (200, "0"), "{reply:?}");
    assert_eq!(
        (reply.headers["upload-length"].as_str(), reply.headers["cache-control"].as_str()),
        ("8", "no-store")
    );
    assert_eq!(offset(&server.send(patch(&path, 0, "a,b\n")).await), (204, "4"));
    assert_eq!(offset(&server.send(head(&path)).await), (200, "4"));
    let state = server.get(&path).await.json();
    assert_eq!((&state["offset"], &state["file"]), (&json!(4), &json!(null)));
    // What does not follow is refused.
    for wrong in [0, 3, 5] {
        let reply = server.send(patch(&path, wrong, "1,2\n")).await;
        let problem = reply.problem(409, "offset_mismatch");
        assert_eq!(problem["detail"], format!("`Upload-Offset`: expected 4, got {wrong}"));
        assert_eq!(reply.headers["tus-resumable"], "1.0.0");
    }
    assert_eq!(offset(&server.send(patch(&path, 4, "1,2\n")).await), (204, "8"));
    assert_eq!(offset(&server.send(head(&path)).await), (200, "8"));
    let state = server.get(&path).await.json();
    let file = &state["file"];
    assert_eq!(
        (&file["name"], &file["media_type"], &file["size"]),
        (&json!("销售.csv"), &json!("text/csv"), &json!(8))
    );
    // The file is a document of a run.
    let mut body = run("Go.");
    body["documents"] = json!([{ "file": file["id"] }]);
    let state = server.post_json("/v1/runs?wait=true", &body).await.json();
    assert_eq!(state["documents"][0]["name"], "销售.csv", "{state}");
    // An upload that is whole takes nothing more.
    server.send(patch(&path, 8, "x")).await;
    assert_eq!(server.get(&path).await.json()["file"]["size"], 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_upload_goes_on_after_a_broken_connection() {
    let server = Server::start().await;
    let content: String = (0..400_000).map(|it| format!("{it}\n")).collect();
    let path = created(&server, content.len()).await;
    let begun = 1 << 20;
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let header = format!(
        "PATCH {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: {BYTES}\r\nUpload-Offset: 0\r\nContent-Length: {}\r\n\r\n",
        server.address,
        content.len()
    );
    stream.write_all(header.as_bytes()).await.unwrap();
    stream.write_all(&content.as_bytes()[..begun]).await.unwrap();
    stream.flush().await.unwrap();
    // The server may need a moment to read it.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    drop(stream);
    let mut at = 0;
    let started = std::time::Instant::now();
    while at == 0 {
        assert!(started.elapsed() < SOON, "nothing stayed");
        at = server.send(head(&path)).await.headers["upload-offset"].parse().unwrap();
    }
    assert!(at <= begun, "{at}");
    // The end of what arrived may still be on its way to the disk.
    let reply = loop {
        let reply = server.send(patch(&path, at, &content[at..])).await;
        if reply.status != 409 {
            break reply;
        }
        at = server.send(head(&path)).await.headers["upload-offset"].parse().unwrap();
    };
    assert_eq!(offset(&reply), (204, content.len().to_string().as_str()), "{reply:?}");
    let file = server.get(&path).await.json()["file"].clone();
    assert_eq!(file["sha256"], sha256(content.as_bytes()));
}

fn sha256(content: &[u8]) -> String {
    use sha2::Digest as _;
    use std::fmt::Write as _;
    sha2::Sha256::digest(content).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_are_bounded() {
    let server = Server::with(Setup { upload_bytes: 1_000, ..Setup::default() }).await;
    server.send(create(1_001)).await.problem(413, "too_large");
    let path = created(&server, 1_000).await;
    let reply = server.send(patch(&path, 0, &"x".repeat(1_001))).await;
    reply.problem(413, "too_large");
    // Without an announced length, the bound holds too.
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let chunk = "x".repeat(600);
    let request = format!(
        "PATCH {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: {BYTES}\r\nUpload-Offset: 0\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
         258\r\n{chunk}\r\n258\r\n{chunk}\r\n0\r\n\r\n",
        server.address,
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut stream, &mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 413"), "{reply}");
    let at: usize = server.send(head(&path)).await.headers["upload-offset"].parse().unwrap();
    assert!(at <= 1_000, "{at}");
    // Each tenant has a number of uploads that are not whole.
    for _ in 1..64 {
        created(&server, 10).await;
    }
    let reply = server.send(create(10)).await;
    reply.problem(429, "too_many_uploads");
    assert!(reply.headers.contains_key("retry-after"), "{reply:?}");
    assert_eq!(server.send(Call::new(Method::DELETE, &path)).await.status, 204);
    created(&server, 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_is_deleted_with_its_file() {
    let server = Server::start().await;
    let path = created(&server, 4).await;
    server.send(patch(&path, 0, "a")).await;
    assert_eq!(server.send(Call::new(Method::DELETE, &path)).await.status, 204);
    server.get(&path).await.problem(404, "not_found");
    server.send(patch(&path, 1, "b")).await.problem(404, "not_found");
    let whole = created(&server, 4).await;
    server.send(patch(&whole, 0, "a\n1\n")).await;
    let file = server.get(&whole).await.json()["file"]["id"].clone();
    let call = Call::new(Method::POST, &whole).header("x-http-method-override", "DELETE");
    assert_eq!(server.send(call).await.status, 204);
    server.get(&whole).await.problem(404, "not_found");
    let mut body = run("Go.");
    body["documents"] = json!([{ "file": file }]);
    let reply = server.post_json("/v1/runs", &body).await;
    assert!((400..500).contains(&reply.status), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_protocol_is_the_one_of_tus() {
    let server = Server::start().await;
    let reply = server.send(Call::new(Method::OPTIONS, "/v1/uploads")).await;
    assert_eq!(reply.status, 204, "{reply:?}");
    assert_eq!(
        (reply.headers["tus-version"].as_str(), reply.headers["tus-max-size"].as_str()),
        ("1.0.0", "16777216")
    );
    assert_eq!(
        reply.headers["tus-extension"],
        "creation,creation-with-upload,termination,expiration"
    );
    let path = created(&server, 4).await;
    let other = Call::get(&path).header("tus-resumable", "0.2.2");
    let reply = server.send(other).await;
    reply.problem(412, "unsupported_version");
    assert_eq!(reply.headers["tus-version"], "1.0.0");
    let no_type = Call::new(Method::PATCH, &path).header("upload-offset", "0").body("a");
    server.send(no_type).await.problem(415, "unsupported_media_type");
    let no_offset = Call::new(Method::PATCH, &path).header("content-type", BYTES).body("a");
    server.send(no_offset).await.problem(400, "invalid_header");
    for (name, value) in [
        ("upload-length", "-1"),
        ("upload-length", "many"),
        ("upload-defer-length", "1"),
        ("upload-metadata", "filename a.csv"),
    ] {
        let mut call = Call::new(Method::POST, "/v1/uploads").header(name, value);
        if name == "upload-metadata" {
            call = call.header("upload-length", "4");
        }
        server.send(call).await.problem(400, "invalid_header");
    }
    // All in one request.
    let reply = server.send(create(4).header("content-type", BYTES).body("a\n1\n")).await;
    assert_eq!(offset(&reply), (201, "4"), "{reply:?}");
    // An empty file is whole at once.
    let path = {
        let reply = server.send(create(0)).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        format!("/v1/uploads/{}", reply.headers["location"].rsplit('/').next().unwrap())
    };
    assert_eq!(server.get(&path).await.json()["file"]["size"], 0);
    // For clients that cannot send PATCH.
    let path = created(&server, 1).await;
    let call = Call::new(Method::POST, &path)
        .header("x-http-method-override", "PATCH")
        .header("content-type", BYTES)
        .header("upload-offset", "0")
        .body("a");
    assert_eq!(offset(&server.send(call).await), (204, "1"));
    let call = Call::new(Method::POST, &path).header("x-http-method-override", "PUT");
    server.send(call).await.problem(400, "invalid_header");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_not_whole_expires() {
    let server = Server::start().await;
    let path = created(&server, 4).await;
    server.send(patch(&path, 0, "a")).await;
    let form =
        Call::form("/v1/runs?wait=true", &[("instruction", "Go.")], &[("file", "a.csv", "a\n1\n")]);
    let state = server.send(form).await.json();
    assert_eq!(state["status"], "completed", "{state}");
    assert!(server.get("/v1/files").await.text().contains("a.csv"));
    let hour = std::time::Duration::from_secs(3600);
    server.let_expire(hour * 23).await;
    assert_eq!(offset(&server.send(head(&path)).await), (200, "1"));
    server.let_expire(hour * 2).await;
    server.get(&path).await.problem(404, "not_found");
    // The file of a form expires too; its run keeps the content.
    assert!(!server.get("/v1/files").await.text().contains("a.csv"));
    let again = format!("/v1/runs/{}/messages?wait=true", state["id"].as_str().unwrap());
    let reply = server.post_json(&again, &json!({ "instruction": "Go on." })).await;
    assert_eq!(reply.json()["status"], "completed", "{reply:?}");
}
