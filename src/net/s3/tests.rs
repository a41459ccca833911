use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use mitt_base::{Error, ErrorKind, lock};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::client::PIECE_BYTES;
use super::exchange::pause;
use super::{MIN_PART_BYTES, S3Address, S3Client, S3Settings};

/// 2026-11-30 02:00:00 UTC.
const NOW: Duration = Duration::from_secs(1_796_004_000);

/// What a request gets.
enum Reply {
    /// A whole response.
    Response(String),
    /// What the server would answer, but the connection is lost after it did so.
    Lost,
    /// What the server answers.
    Normal,
}

/// Objects, uploads that have begun, and requests that came.
#[derive(Default)]
struct State {
    objects: BTreeMap<String, Vec<u8>>,
    uploads: BTreeMap<String, BTreeMap<u16, Vec<u8>>>,
    requests: Vec<String>,
    /// Media types of requests that name one.
    media_types: Vec<String>,
    replies: VecDeque<Reply>,
}

/// A server with the interface of S3, as far as the client uses it. It checks no signature.
struct Server {
    port: u16,
    state: Arc<Mutex<State>>,
}

fn response(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

fn refusal(status: &str, code: &str, message: &str) -> String {
    let body = format!(
        "<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>"
    );
    response(status, "", &body)
}

impl Server {
    async fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<Mutex<State>>::default();
        let served = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, served.clone()));
            }
        });
        Server { port, state }
    }

    fn client(&self) -> S3Client {
        client(self.port)
    }

    /// The next requests get these replies.
    fn replies(&self, replies: impl IntoIterator<Item = Reply>) {
        lock(&self.state).replies.extend(replies);
    }

    /// Returns methods and paths of the requests so far, and forgets them.
    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.state).requests)
    }
}

/// Returns a client of a server on this machine.
fn client(port: u16) -> S3Client {
    let endpoint = format!("http://127.0.0.1:{port}");
    let settings = settings(&[("AWS_ENDPOINT_URL_S3", &endpoint)]).unwrap();
    let address = S3Address::parse("s3://mitt-files/runs").unwrap();
    let client = S3Client::new(&address, &settings, Arc::new(|| NOW)).unwrap();
    client.first_wait(Duration::from_millis(1))
}

/// Returns the settings of these variables and a key.
fn settings(more: &[(&str, &str)]) -> mitt_base::Result<S3Settings> {
    let mut variables = BTreeMap::from([
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "s3cret/+key"),
    ]);
    variables.extend(more.iter().copied());
    S3Settings::from_variables(|name| variables.get(name).map(|value| (*value).to_owned()))
}

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await.unwrap_or(0) == 0 {
            return;
        }
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let length = header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let (reply, normal) = {
        let mut state = lock(&state);
        let reply = state.replies.pop_front().unwrap_or(Reply::Normal);
        let line: Vec<&str> = head.split(' ').collect();
        let (path, query) = line[1].split_once('?').unwrap();
        state.requests.push(format!("{} {path}", line[0]));
        state.media_types.extend(header("content-type"));
        let normal = match reply {
            Reply::Response(_) => Vec::new(),
            _ => state.answer((line[0], path, query), header("range"), body),
        };
        (reply, normal)
    };
    let _ = match reply {
        Reply::Response(response) => stream.write_all(response.as_bytes()).await,
        Reply::Lost => Ok(()),
        Reply::Normal => stream.write_all(&normal).await,
    };
    let _ = stream.shutdown().await;
}

impl State {
    fn answer(
        &mut self,
        (method, path, query): (&str, &str, &str),
        range: Option<String>,
        body: Vec<u8>,
    ) -> Vec<u8> {
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
        };
        let text = match (method, value("uploadId")) {
            ("PUT", Some(id)) => {
                let number = value("partNumber").unwrap().parse().unwrap();
                assert!((1..=10_000).contains(&number), "as S3 counts");
                self.uploads.get_mut(&id).unwrap().insert(number, body);
                response("200 OK", &format!("ETag: \"part-{number}\"\r\n"), "")
            }
            ("POST", Some(id)) => match self.uploads.remove(&id) {
                None => refusal("404 Not Found", "NoSuchUpload", "gone"),
                Some(parts) => {
                    let named = String::from_utf8(body).unwrap();
                    assert!(parts.keys().all(|number| named.contains(&format!("part-{number}"))));
                    self.objects.insert(path.to_owned(), parts.into_values().flatten().collect());
                    response("200 OK", "", "<CompleteMultipartUploadResult/>")
                }
            },
            ("DELETE", Some(id)) => {
                self.uploads.remove(&id);
                response("204 No Content", "", "")
            }
            ("POST", None) => {
                self.uploads.insert("id-1".to_owned(), BTreeMap::new());
                let name = "InitiateMultipartUploadResult";
                let body = format!(
                    "<{name} xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><UploadId>id-1</UploadId></{name}>"
                );
                response("200 OK", "", &body)
            }
            ("PUT", None) => {
                self.objects.insert(path.to_owned(), body);
                response("200 OK", "ETag: \"whole\"\r\n", "")
            }
            ("DELETE", None) => {
                self.objects.remove(path);
                response("204 No Content", "", "")
            }
            _ => return self.read((method, path), range.as_deref()),
        };
        text.into_bytes()
    }

    fn read(&self, (method, path): (&str, &str), range: Option<&str>) -> Vec<u8> {
        let Some(object) = self.objects.get(path) else {
            let gone = if method == "HEAD" { "" } else { "<Error><Code>NoSuchKey</Code></Error>" };
            return response("404 Not Found", "", gone).into_bytes();
        };
        if method == "HEAD" {
            let length = object.len();
            let head =
                format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
            return head.into_bytes();
        }
        let range = range.unwrap().strip_prefix("bytes=").unwrap();
        let (first, last) = range.split_once('-').unwrap();
        let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
        let size = object.len();
        if first >= size {
            let headers = format!("Content-Range: bytes */{size}\r\n");
            return response("416 Range Not Satisfiable", &headers, "").into_bytes();
        }
        let part = &object[first..(last + 1).min(size)];
        let head = format!(
            "HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Length: {}\r\nETag: \"{}-{size}\"\r\n\
             Content-Range: bytes {first}-{}/{size}\r\n\r\n",
            part.len(),
            object[0],
            first + part.len() - 1,
        );
        [head.as_bytes(), part].concat()
    }
}

/// Signatures by botocore 1.44.8 with the same key and time.
#[test]
fn links_are_those_of_another_implementation() {
    const KEY: &str = "runs/月 报+a.xlsx";
    let begin =
        "https://mitt-files.s3.eu-central-1.amazonaws.com/runs/%E6%9C%88%20%E6%8A%A5%2Ba.xlsx?";
    let signed = "X-Amz-Algorithm=AWS4-HMAC-SHA256 X-Amz-Credential=AKIDEXAMPLE%2F20261130%2Feu-central-1%2Fs3%2Faws4_request \
        X-Amz-Date=20261130T020000Z X-Amz-Expires=3600 X-Amz-SignedHeaders=host";
    let hour = Duration::from_secs(3600);
    for (token, more) in [
        ("", "X-Amz-Signature=81be45a24ce4a3fbd27a95a13b68c58ab63336aa1b94cb4f8b2ed424b7cd532d"),
        (
            "token/+=",
            "X-Amz-Security-Token=token%2F%2B%3D X-Amz-Signature=4b0f1716374e83332440f46df1eb76555389a5084393ec3b9180b385a22f84bf",
        ),
    ] {
        let settings = settings(&[("AWS_REGION", "eu-central-1"), ("AWS_SESSION_TOKEN", token)]);
        let address = S3Address::parse("s3://mitt-files").unwrap();
        let client = S3Client::new(&address, &settings.unwrap(), Arc::new(|| NOW)).unwrap();
        let link = client.link(KEY, hour).unwrap();
        let query = link.strip_prefix(begin).unwrap_or_else(|| panic!("{link}"));
        let mut pairs: Vec<_> = query.split('&').collect();
        let mut expected: Vec<_> = signed.split_whitespace().chain(more.split(' ')).collect();
        pairs.sort_unstable();
        expected.sort_unstable();
        assert_eq!(pairs, expected);
    }
    // In the path of a server of one's own. No link lives longer than a week.
    let link = client(9000).link("ab/abc-1", Duration::from_secs(900)).unwrap();
    assert!(link.starts_with("http://127.0.0.1:9000/mitt-files/runs/ab/abc-1?"), "{link}");
    assert!(
        link.ends_with("=abec79b5b8fd709bf496afd643c4d34b1839cf3be85f83e0d907addf0d6cb3f6"),
        "{link}"
    );
    assert!(client(9000).link("a", hour * 1000).unwrap().contains("X-Amz-Expires=604800&"));
}

#[tokio::test]
async fn an_object_is_stored_read_in_parts_and_deleted() {
    let server = Server::start().await;
    let client = server.client();
    client.put("ab/one", Bytes::from_static(b"0123456789")).await.unwrap();
    assert_eq!(client.range("ab/one", 2, 5).await.unwrap().unwrap(), "23456");
    assert_eq!(client.range("ab/one", 0, 0).await.unwrap().unwrap(), "");
    assert_eq!(client.size("ab/one").await.unwrap(), Some(10));
    assert!(client.range("ab/one", 8, 5).await.is_err(), "it is shorter");
    client.delete("ab/one").await.unwrap();
    client.delete("ab/one").await.unwrap();
    assert_eq!(client.range("ab/one", 0, 1).await.unwrap(), None);
    assert_eq!(client.size("ab/one").await.unwrap(), None);
    assert_eq!(server.requests()[0], "PUT /mitt-files/runs/ab/one");
}

#[tokio::test]
async fn a_large_object_arrives_in_parts() {
    let server = Server::start().await;
    let client = server.client();
    let parts = [vec![1; MIN_PART_BYTES], vec![2; MIN_PART_BYTES], vec![3; 7]];
    let mut upload = client.begin("large").await.unwrap();
    for part in parts.clone() {
        client.add(&mut upload, part.into()).await.unwrap();
    }
    assert_eq!(client.size("large").await.unwrap(), None, "it is not whole");
    // The server completed it, and its response was lost.
    server.replies([Reply::Lost]);
    client.complete(&upload).await.unwrap();
    let whole = parts.concat();
    assert_eq!(client.size("large").await.unwrap(), Some(whole.len() as u64));
    let read = client.range("large", 5, 9_000_000).await.unwrap().unwrap();
    assert!(read == whole[5..9_000_005]);
    // One that is not completed leaves nothing.
    let mut upload = client.begin("other").await.unwrap();
    client.add(&mut upload, Bytes::from_static(b"x")).await.unwrap();
    client.abort(&upload).await.unwrap();
    assert!(lock(&server.state).uploads.is_empty());
    let error = client.complete(&upload).await.unwrap_err();
    assert!(error.message().contains("NoSuchUpload"), "{error}");
    // A key that cannot read the object does not learn that it was completed. What the server said last is the error.
    let mut upload = client.begin("third").await.unwrap();
    client.add(&mut upload, Bytes::from_static(b"x")).await.unwrap();
    server.replies([
        Reply::Lost,
        Reply::Normal,
        Reply::Response(response("403 Forbidden", "", "")),
    ]);
    let error = client.complete(&upload).await.unwrap_err();
    assert!(error.message().contains("NoSuchUpload"), "{error}");
    assert!(error.hints()[0].contains("s3:GetObject"), "{error}");
}

#[test]
fn a_server_that_names_a_time_is_not_asked_earlier() {
    let seconds = Duration::from_secs;
    for (wait, named, jitter, expected) in [
        (seconds(2), None, 0.0, seconds(1)),
        (seconds(2), None, 1.0, seconds(2)),
        (seconds(2), Some(seconds(3)), 0.0, seconds(3)),
        (seconds(2), Some(seconds(3)), 1.0, seconds(3)),
        (seconds(2), Some(seconds(0)), 0.0, seconds(1)),
        (seconds(2), Some(seconds(60)), 0.0, seconds(5)),
    ] {
        assert_eq!(pause(wait, named, jitter), expected, "{wait:?} {named:?} {jitter}");
    }
}

#[tokio::test]
async fn an_object_is_read_in_pieces_of_one_content() {
    let server = Server::start().await;
    let client = server.client();
    let length = usize::try_from(PIECE_BYTES).unwrap();
    let content: Vec<u8> = (0..length * 2 + 5).map(|n| (n % 251) as u8).collect();
    client.put("long", content.clone().into()).await.unwrap();
    let mut reader = client.read("long").await.unwrap().unwrap();
    assert_eq!(reader.size(), content.len() as u64);
    let mut read = Vec::new();
    while let Some(piece) = reader.piece().await.unwrap() {
        read.push(piece);
    }
    assert_eq!(read.iter().map(Bytes::len).collect::<Vec<_>>(), [length, length, 5]);
    assert!(read.concat() == content);
    // One request returns the size and the first bytes.
    assert_eq!(server.requests().len(), 4);
    client.put("empty", Bytes::new()).await.unwrap();
    let mut empty = client.read("empty").await.unwrap().unwrap();
    assert_eq!((empty.size(), empty.piece().await.unwrap()), (0, None));
    assert!(client.read("none").await.unwrap().is_none());
    // It is replaced or deleted meanwhile.
    let other: Vec<u8> = content.iter().map(|byte| byte + 1).collect();
    let mut replaced = client.read("long").await.unwrap().unwrap();
    let mut deleted = client.read("long").await.unwrap().unwrap();
    client.put("long", other.into()).await.unwrap();
    assert!(replaced.piece().await.unwrap().unwrap() == content[..length]);
    let error = replaced.piece().await.unwrap_err();
    assert!(error.message().contains("changed while it was read"), "{error}");
    assert_eq!((error.place(), error.is_retryable()), (Some("s3://mitt-files/runs/long"), true));
    client.delete("long").await.unwrap();
    deleted.piece().await.unwrap();
    assert!(deleted.piece().await.unwrap_err().is_retryable());
}

#[tokio::test]
async fn a_server_without_ranges_or_sizes_is_understood_or_refused() {
    let server = Server::start().await;
    let client = server.client();
    server.replies([Reply::Response(response("200 OK", "", "0123456789"))]);
    let mut whole = client.read("key").await.unwrap().unwrap();
    assert_eq!((whole.size(), whole.piece().await.unwrap().unwrap().len()), (10, 10));
    for reply in [
        response("206 Partial Content", "", "0123456789"),
        response("206 Partial Content", "Content-Range: bytes 0-9/20\r\n", "0123456789"),
        response("206 Partial Content", "Content-Range: bytes 0-9/*\r\n", "0123456789"),
        response("200 OK", "", &"0".repeat(5 << 20)),
    ] {
        server.replies([Reply::Response(reply)]);
        let error = client.read("key").await.unwrap_err();
        assert!(error.message().contains("answered with something else"), "{error}");
    }
    // All of an object stands for its beginning, and for no other part.
    let all = || [Reply::Response(response("200 OK", "", "0123456789"))];
    server.replies(all());
    assert_eq!(client.range("key", 0, 10).await.unwrap().unwrap(), "0123456789");
    server.replies(all());
    let error = client.range("key", 3, 10).await.unwrap_err();
    assert!(error.message().contains("answered with something else"), "{error}");
    // What may not be read is not an empty object.
    server.replies([Reply::Response(refusal("403 Forbidden", "AccessDenied", "no"))]);
    assert!(client.read("key").await.is_err());
}

#[tokio::test]
async fn another_bucket_of_a_server_has_its_own_client() {
    let server = Server::start().await;
    let client = server.client();
    let other = client.at(&S3Address::parse("s3://other-files").unwrap()).unwrap();
    other.put_as("a.pdf", Bytes::from_static(b"%PDF"), Some("application/pdf")).await.unwrap();
    let mut upload = other.begin_as("b.csv", Some("text/csv")).await.unwrap();
    other.add(&mut upload, Bytes::from_static(b"x")).await.unwrap();
    other.abort(&upload).await.unwrap();
    assert_eq!(server.requests()[0], "PUT /other-files/a.pdf");
    assert_eq!(lock(&server.state).media_types, ["application/pdf", "text/csv"]);
    assert_eq!(
        (other.address().to_string(), client.address().key),
        ("s3://other-files".into(), "runs".into())
    );
}

#[tokio::test]
async fn what_may_succeed_soon_is_tried_again() {
    let server = Server::start().await;
    let client = server.client();
    let busy = || {
        Reply::Response(refusal("503 Slow Down", "SlowDown", "Please reduce your request rate."))
    };
    let ill = || Reply::Response(response("502 Bad Gateway", "", "<html>"));
    server.replies([busy(), ill(), Reply::Lost]);
    client.put("one", Bytes::from_static(b"content")).await.unwrap();
    assert_eq!(server.requests().len(), 4);
    assert_eq!(client.range("one", 0, 7).await.unwrap().unwrap(), "content");
    // A failure after the status of success.
    let mut upload = client.begin("two").await.unwrap();
    client.add(&mut upload, Bytes::from_static(b"x")).await.unwrap();
    server.requests();
    server.replies([Reply::Response(refusal("200 OK", "InternalError", "We failed."))]);
    client.complete(&upload).await.unwrap();
    assert_eq!(server.requests().len(), 2);
    // A server that names a time, in seconds or as a date.
    let later = |after: &str| {
        let headers = format!("Retry-After: {after}\r\n");
        Reply::Response(response("503 Slow Down", &headers, "<Error><Code>SlowDown</Code></Error>"))
    };
    server.replies([later("0"), later("Mon, 30 Nov 2026 02:00:00 GMT")]);
    client.put("one", Bytes::from_static(b"content")).await.unwrap();
    assert_eq!(server.requests().len(), 3);
    // Not for ever.
    server.replies((0..100).map(|_| busy()));
    let error = client.delete("one").await.unwrap_err();
    assert_eq!(server.requests().len(), 6);
    assert!(error.is_retryable() && error.message().contains("SlowDown"), "{error}");
    assert_eq!(error.place(), Some("s3://mitt-files/runs/one"));
}

#[tokio::test]
async fn a_refusal_names_the_place_and_the_way_out() {
    let server = Server::start().await;
    let client = server.client();
    let cases = [
        (refusal("404 Not Found", "NoSuchBucket", "no"), "create the bucket"),
        (refusal("403 Forbidden", "InvalidAccessKeyId", "no"), "AWS_ACCESS_KEY_ID"),
        (refusal("403 Forbidden", "SignatureDoesNotMatch", "no"), "AWS_SECRET_ACCESS_KEY"),
        (refusal("400 Bad Request", "ExpiredToken", "no"), "AWS_SESSION_TOKEN"),
        (refusal("403 Forbidden", "RequestTimeTooSkewed", "no"), "the clock of this machine"),
        (
            refusal("403 Forbidden", "AccessDenied", "Request has expired"),
            "the clock of this machine",
        ),
        (refusal("403 Forbidden", "AccessDenied", "Access Denied"), "s3:PutObject"),
        (
            response("301 Moved", "x-amz-bucket-region: eu-west-1\r\n", ""),
            "set AWS_REGION to `eu-west-1`",
        ),
        (
            response(
                "400 Bad Request",
                "",
                "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-2</Region></Error>",
            ),
            "`eu-west-2`",
        ),
        (response("418 Teapot", "", &"x".repeat(1 << 20)), "see the documentation"),
    ];
    for (reply, hint) in cases {
        server.replies([Reply::Response(reply)]);
        server.requests();
        let error = client.put("key", Bytes::from_static(b"x")).await.unwrap_err();
        assert_eq!(server.requests().len(), 1, "{error}");
        assert_eq!((error.kind(), error.is_retryable()), (&ErrorKind::Host, false));
        assert_eq!(error.place(), Some("s3://mitt-files/runs/key"));
        assert!(error.hints()[0].contains(hint), "{:?}", error.hints());
        assert!(error.message().contains(&format!("127.0.0.1:{}", server.port)), "{error}");
        is_without_secrets(&error);
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_named() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let error = client(port).put("key", Bytes::new()).await.unwrap_err();
    assert!(error.is_retryable() && error.message().contains(&format!("127.0.0.1:{port}")));
    assert!(error.hints()[0].contains("AWS_ENDPOINT_URL_S3"));
    is_without_secrets(&error);
}

/// No part of an error has a key or a signature.
#[track_caller]
fn is_without_secrets(error: &Error) {
    let text = format!("{} {error:?}", error.render());
    for secret in ["s3cret", "AKIDEXAMPLE", "X-Amz"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[tokio::test]
async fn a_response_that_is_not_the_range_is_refused() {
    let server = Server::start().await;
    let client = server.client();
    let cases = [
        response("200 OK", "", "0123456789"),
        response("206 Partial Content", "", "01"),
        response("206 Partial Content", "", &"0".repeat(1 << 20)),
        response("200 OK", "", "01234"),
    ];
    for reply in cases {
        server.replies([Reply::Response(reply)]);
        let error = client.range("key", 2, 5).await.unwrap_err();
        assert!(error.message().contains("answered with something else"), "{error}");
    }
}

#[test]
fn addresses_and_settings_are_checked() {
    let parse = |address: &str| S3Address::parse(address).map(|address| address.to_string());
    assert_eq!(parse("s3://bucket").unwrap(), "s3://bucket");
    assert_eq!(parse("s3://my.bucket/a/b/").unwrap(), "s3://my.bucket/a/b");
    let long = format!("s3://bucket/{}", "x".repeat(1025));
    for wrong in [
        "bucket",
        "s3://",
        "s3://b",
        "s3:///a",
        "s3://bu cket/a",
        "s3://bucket/a//b",
        "s3://bucket/../b",
        "s3://bucket/a\nb",
        &long,
    ] {
        let error = parse(wrong).unwrap_err();
        assert_eq!((error.kind(), error.hints().len()), (&ErrorKind::Input, 1), "{wrong}");
    }
    assert!(client(9000).link("../other/secret", NOW).is_err());
    for (name, value, message) in [
        ("AWS_REGION", "", "AWS_REGION is not set"),
        ("AWS_REGION", "eu.central/1", "expected a region"),
        ("AWS_ENDPOINT_URL", "minio:9000", "expected the address of a server"),
        ("AWS_ENDPOINT_URL", "http://me:s3cret@minio:9000", "without a name and a password"),
        ("AWS_SECRET_ACCESS_KEY", " ", "AWS_SECRET_ACCESS_KEY is not set"),
    ] {
        let error = settings(&[(name, value)]).unwrap_err();
        assert!(error.message().contains(message), "{error}");
        is_without_secrets(&error);
    }
    let debug = format!("{:?}", settings(&[("AWS_REGION", "eu-central-1")]).unwrap());
    assert!(!debug.contains("s3cret"), "{debug}");
}

#[test]
fn an_endpoint_is_a_server_and_nothing_else() {
    let with = |endpoint: &str| settings(&[("AWS_ENDPOINT_URL_S3", endpoint)]);
    for endpoint in ["https://s3.test", "http://127.0.0.1:9000", "https://s3.test/below"] {
        let shown = format!("{:?}", with(endpoint).unwrap());
        assert!(shown.contains("region") && !shown.contains("s3cret"), "{shown}");
        let address = S3Address::parse("s3://mitt-files").unwrap();
        let client = S3Client::new(&address, &with(endpoint).unwrap(), Arc::new(|| NOW)).unwrap();
        let shown = format!("{client:?}");
        assert!(shown.contains("s3://mitt-files at ") && !shown.contains("s3cret"), "{shown}");
    }
    for endpoint in [
        "ftp://s3.test",
        "https://s3.test/?a=1",
        "https://s3.test/#a",
        "https://name@s3.test",
        "https://:word@s3.test",
        "https://name:word@s3.test",
        "s3.test",
    ] {
        let error = with(endpoint).unwrap_err();
        assert_eq!(error.place(), Some("AWS_ENDPOINT_URL_S3"), "{endpoint}");
        assert!(!error.render().contains("word@"), "{error}");
    }
}
