use std::net::SocketAddr;
use std::sync::Mutex;

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

/// A server that answers by path and records its requests.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (heard, answer) = (requests.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (heard, answer) = (heard.clone(), answer.clone());
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    while !request.ends_with(b"\r\n\r\n") {
                        let mut byte = [0];
                        if stream.read(&mut byte).await.unwrap_or(0) == 0 {
                            return;
                        }
                        request.extend(byte);
                    }
                    let request = String::from_utf8(request).unwrap();
                    let path = request.split(' ').nth(1).unwrap().to_owned();
                    heard.lock().unwrap().push(request);
                    let _ = stream.write_all(&answer(&path)).await;
                    if path == "/stalls" {
                        std::future::pending::<()>().await;
                    }
                });
            }
        });
        Server { port, requests }
    }

    fn url(&self, path: &str) -> String {
        format!("http://wiki.test:{}{path}", self.port)
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n").into_bytes();
    answer.extend(body);
    answer
}

fn to(location: &str) -> Vec<u8> {
    answer(&format!("302 Found\r\nLocation: {location}\r\nContent-Length: 0"), b"")
}

/// Returns a fetcher that resolves every name to `addresses`.
fn fetcher(policy: FetchPolicy, addresses: &[&str]) -> Fetcher {
    let found: Vec<SocketAddr> =
        addresses.iter().map(|ip| SocketAddr::new(ip.parse().unwrap(), 0)).collect();
    let look_up: LookUp = Arc::new(move |_| {
        let found = found.clone();
        Box::pin(async move { Ok(found) })
    });
    let common = Arc::new(PolicyClient::new(policy, look_up));
    Fetcher { common, tenants: BTreeMap::new(), limits: Arc::new(FetchLimits::with(1, 1)) }
}

fn local(server: &Server) -> FetchPolicy {
    let host = format!("http://wiki.test:{}", server.port);
    FetchPolicy::new().host(&host).unwrap().network("127.0.0.0/8").unwrap()
}

async fn fetch(fetcher: &Fetcher, url: &str, most: u64) -> Result<(Fetched, Vec<u8>)> {
    let mut fetched = fetcher.fetch(&FetchRequest::new(url, "local", most)).await?;
    let mut bytes = Vec::new();
    while let Some(piece) = fetched.body.piece().await? {
        bytes.extend(piece);
        if bytes.len() as u64 > most {
            return Err(Error::limit(Resource::Document, most, bytes.len() as u64));
        }
    }
    Ok((fetched, bytes))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// All typed addresses share one client.
#[tokio::test]
async fn typed_addresses_share_connections_and_allow_no_other_host() {
    let server = Server::start(|_| answer("200 OK\r\nContent-Length: 2", b"ok")).await;
    let fetcher = fetcher(local(&server), &["127.0.0.1"]);
    let typed = fetcher.typed("https://other.test/a");
    assert!(Arc::ptr_eq(&fetcher.common.client, &typed.common.client));
    assert!(Arc::ptr_eq(&fetcher.limits, &typed.limits));
    fetch(&typed, &server.url("/"), 10).await.unwrap();
    assert!(fetcher.common.client.initialized());
    assert_eq!(typed.hosts("local").len(), fetcher.hosts("local").len() + 2);
    let error = fetch(&fetcher, "https://other.test/a", 10).await.err().unwrap();
    assert_eq!(error.input_problem(), Some("fetch-refused"), "{error}");
}

#[tokio::test]
async fn a_document_comes_with_its_name_and_nothing_is_told_of_who_asks() {
    let server = Server::start(|_| {
        let head = "200 OK\r\nContent-Type: TEXT/CSV; charset=utf-8\r\nContent-Disposition: attachment; filename=a.csv";
        answer(head, b"a,b\n1,2\n")
    })
    .await;
    let fetcher = fetcher(local(&server), &["127.0.0.1"]);
    let url = server.url("/export?token=secret#part");
    let (fetched, bytes) = fetch(&fetcher, &url, 100).await.unwrap();
    assert_eq!(bytes, b"a,b\n1,2\n");
    assert_eq!(fetched.name, "a.csv");
    assert_eq!(fetched.media_type.as_deref(), Some("text/csv"));
    assert_eq!(fetched.url, url);
    let request = server.requests().concat().to_lowercase();
    assert!(request.starts_with("get /export?token=secret http/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("host: wiki.test:{}\r\n", server.port)), "{request}");
    for header in ["cookie", "authorization", "referer"] {
        assert!(!request.contains(header), "{request}");
    }
}

#[tokio::test]
async fn redirects_are_checked_as_the_first_address_is() {
    let server = Server::start(|path| match path {
        "/a" => to("/b"),
        "/b" => to("c.csv"),
        "/c.csv" => answer("200 OK", b"x,y\n"),
        "/elsewhere" => to("http://other.test/secret"),
        "/inside" => to("http://169.254.169.254/latest/meta-data/"),
        "/file" => to("file:///etc/passwd"),
        "/user" => to("http://u:p@wiki.test/"),
        "/port" => to("http://wiki.test:22/"),
        "/nowhere" => answer("302 Found", b""),
        other => to(&format!("{other}x")),
    })
    .await;
    let fetcher = fetcher(local(&server), &["127.0.0.1"]);
    let (fetched, _) = fetch(&fetcher, &server.url("/a"), 100).await.unwrap();
    assert_eq!((fetched.url, &*fetched.name), (server.url("/c.csv"), "c.csv"));
    for (path, expected) in [
        ("/elsewhere", "the host other.test is not allowed"),
        ("/inside", "the host 169.254.169.254 is not allowed"),
        ("/file", "`file` addresses are not fetched"),
        ("/user", "the address holds a name or a password, which would be sent"),
        ("/port", "port 22 of wiki.test is not allowed"),
        ("/more", "more than 5 redirects, the last one to "),
    ] {
        let error = fetch(&fetcher, &server.url(path), 100).await.err().unwrap();
        assert_eq!(error.input_problem(), Some("fetch-refused"), "{error}");
        assert!(error.to_string().starts_with(expected), "{path}: {error}");
    }
    let error = fetch(&fetcher, &server.url("/nowhere"), 100).await.err().unwrap();
    assert_eq!(error.input_problem(), Some("fetch-failed"), "{error}");
    // Even if all hosts are allowed, a redirect to an address of this machine is refused.
    let host = format!("http://wiki.test:{}", server.port);
    let all = FetchPolicy::new().host(&host).unwrap().host("http://*").unwrap();
    let all = all.network("127.0.0.1").unwrap();
    let error = fetch(&self::fetcher(all, &["127.0.0.1"]), &server.url("/inside"), 100)
        .await
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("is an address of this machine, of a private network"),
        "{error}"
    );
}

#[tokio::test]
async fn names_at_addresses_that_are_not_public_are_refused_before_anything_connects() {
    let server = Server::start(|_| answer("200 OK", b"secret")).await;
    let host = format!("http://wiki.test:{}", server.port);
    for addresses in [
        &["127.0.0.1"][..],
        &["1.1.1.1", "127.0.0.1"],
        &["::ffff:127.0.0.1"],
        &["::1"],
        &["10.0.0.1"],
    ] {
        let policy = FetchPolicy::new().host(&host).unwrap();
        let error = fetch(&fetcher(policy, addresses), &server.url("/"), 100).await.err().unwrap();
        assert_eq!(error.input_problem(), Some("fetch-refused"), "{error}");
        assert!(
            matches!(error.remedies().next(), Some(mitt_base::Remedy::AllowNetwork { .. })),
            "{error:?}"
        );
    }
    assert!(server.requests().is_empty());
}

/// The client connects to the address that was checked. If a name moves, its next request is checked again.
#[tokio::test]
async fn a_name_that_moves_is_checked_each_time() {
    let server = Server::start(|path| match path {
        "/" => to("/again"),
        _ => answer("200 OK", b"secret"),
    })
    .await;
    let times = Arc::new(Mutex::new(0));
    let look_up: LookUp = Arc::new(move |_| {
        let mut times = times.lock().unwrap();
        *times += 1;
        let ip = if *times == 1 { "127.0.0.1" } else { "127.0.0.2" };
        let found = vec![SocketAddr::new(ip.parse().unwrap(), 0)];
        Box::pin(async move { Ok(found) })
    });
    let host = format!("http://wiki.test:{}", server.port);
    let policy = FetchPolicy::new().host(&host).unwrap().network("127.0.0.1").unwrap();
    let common = Arc::new(PolicyClient::new(policy, look_up));
    let fetcher =
        Fetcher { common, tenants: BTreeMap::new(), limits: Arc::new(FetchLimits::with(1, 1)) };
    let error = fetch(&fetcher, &server.url("/"), 100).await.err().unwrap();
    assert!(error.to_string().contains("wiki.test is at 127.0.0.2"), "{error}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn what_is_too_much_is_not_taken() {
    let server = Server::start(|path| match path {
        "/said" => answer("200 OK\r\nContent-Length: 1000", &[b'x'; 1000]),
        "/unsaid" => answer("200 OK", &[b'x'; 1000]),
        "/packed" => answer("200 OK\r\nContent-Encoding: gzip", &gzip(&vec![b'x'; 64 << 20])),
        "/small" => answer("200 OK\r\nContent-Encoding: gzip", &gzip(b"small")),
        "/cut" => answer("200 OK\r\nContent-Encoding: gzip", &gzip(&[b'x'; 1000])[..20]),
        "/short" => answer("200 OK\r\nContent-Length: 1000", b"x"),
        "/br" => answer("200 OK\r\nContent-Encoding: br", b"x"),
        _ => answer("404 Not Found", b""),
    })
    .await;
    let fetcher = fetcher(local(&server), &["127.0.0.1"]);
    for path in ["/said", "/unsaid", "/packed"] {
        let error = fetch(&fetcher, &server.url(path), 100).await.err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{path}: {error}");
    }
    assert_eq!(fetch(&fetcher, &server.url("/small"), 100).await.unwrap().1, b"small");
    for (path, expected) in [
        ("/cut", "/cut is packed and damaged"),
        ("/short", "/short was cut off"),
        ("/br", "/br is sent packed as `br`, which was not asked for"),
        ("/gone", "/gone answered 404 Not Found"),
    ] {
        let error = fetch(&fetcher, &server.url(path), 10_000).await.err().unwrap();
        assert_eq!(error.input_problem(), Some("fetch-failed"), "{error}");
        assert!(error.to_string().ends_with(expected), "{path}: {error}");
    }
}

#[tokio::test]
async fn who_takes_too_long_is_left() {
    let server = Server::start(|_| answer("200 OK", b"x")).await;
    let policy = local(&server).time(Duration::from_millis(300));
    let fetcher = fetcher(policy, &["127.0.0.1"]);
    let url = server.url("/stalls");
    let mut first = fetcher.fetch(&FetchRequest::new(&url, "local", 100)).await.unwrap();
    assert_eq!(first.body.piece().await.unwrap().unwrap(), b"x");
    // The only place is in use.
    let error = fetcher.fetch(&FetchRequest::new(&url, "local", 100)).await.err().unwrap();
    assert!(
        error.to_string().ends_with("took longer than 0.3 s") && error.is_retryable(),
        "{error}"
    );
    let error = first.body.piece().await.unwrap_err();
    assert!(error.to_string().ends_with("took longer than 0.3 s"), "{error}");
}

#[tokio::test]
async fn tenants_have_policies_of_their_own() {
    let fetcher = Fetcher::new(FetchPolicy::new().host("a.test").unwrap())
        .tenant("acme", FetchPolicy::new().host("b.test").unwrap())
        .tenant("none", FetchPolicy::new());
    assert_eq!(fetcher.hosts("local"), ["a.test"]);
    assert_eq!(fetcher.hosts("acme"), ["b.test"]);
    let text = format!("{fetcher:?}");
    assert!(text.contains("a.test") && text.contains("acme"), "{text}");
    for tenant in ["acme", "none"] {
        let request = FetchRequest::new("https://a.test/", tenant, 100);
        let error = fetcher.fetch(&request).await.err().unwrap();
        assert_eq!(error.to_string(), "the host a.test is not allowed");
    }
    let request = FetchRequest::new("no address", "local", 100);
    assert_eq!(fetcher.fetch(&request).await.err().unwrap().input_problem(), Some("fetch-refused"));
}

fn http_request(
    method: &str,
    url: String,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
) -> HttpRequest {
    let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    HttpRequest { url, method: method.into(), headers, body: body.map(<[u8]>::to_vec) }
}

async fn exchanged(
    fetcher: &Fetcher,
    request: &HttpRequest,
    hosts: &[&str],
) -> Result<HttpResponse> {
    let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
    fetcher.exchange(request, &HttpBounds { tenant: "local", hosts: &hosts, bytes: 10 }).await
}

/// A plugin's request needs the permission of the operator and of its skill.
#[tokio::test]
async fn requests_of_plug_ins_go_where_both_allow_it() {
    let server = Server::start(|path| match path {
        "/moved" => to("http://169.254.169.254/"),
        "/large" => answer("200 OK\r\nContent-Length: 11", b"12345678901"),
        _ => {
            answer("418 I'm a teapot\r\nX-Tea: green\r\nX-Tea: black\r\nContent-Length: 3", b"tea")
        }
    })
    .await;
    let fetcher = fetcher(local(&server), &["127.0.0.1"]);
    let skill = format!("http://*.test:{}", server.port);
    let skill = [skill.as_str()];
    let get = |path: &str| http_request("GET", server.url(path), &[("X-Key", "k")], None);
    let answered = exchanged(&fetcher, &get("/pot?q=1"), &skill).await.unwrap();
    assert_eq!((answered.status, answered.body.as_slice()), (418, &b"tea"[..]));
    let tea: Vec<_> = answered.headers.iter().filter(|(name, _)| name == "x-tea").collect();
    assert_eq!(tea.len(), 2);
    // A redirect is returned and not followed.
    let answered = exchanged(&fetcher, &get("/moved"), &skill).await.unwrap();
    assert_eq!(answered.status, 302);
    assert!(server.requests()[0].contains("x-key: k"), "{:?}", server.requests());
    for (request, hosts, problem) in [
        (get("/"), &[][..], "its skill may not ask it: the host wiki.test is not allowed"),
        (get("/"), &["wiki.test"], "port"),
        (
            http_request("GET", "https://other.test/".into(), &[], None),
            &["other.test"],
            "the host other.test is not allowed",
        ),
        (get("/"), &["::"], "grants: fetch"),
        (http_request("TRACE", server.url("/"), &[], None), &skill, "got the method `TRACE`"),
        (
            http_request("GET", server.url("/"), &[("Host", "x")], None),
            &skill,
            "the header `Host` is not a plug-in's to set",
        ),
        (
            http_request("GET", server.url("/"), &[("Proxy-X", "x")], None),
            &skill,
            "not a plug-in's to set",
        ),
        (
            http_request("GET", server.url("/"), &[("A", "a\r\nB: b")], None),
            &skill,
            "is none that can be sent",
        ),
        (
            http_request("GET", server.url("/"), &[("A", &"a".repeat(70_000))], None),
            &skill,
            "at most 100 headers",
        ),
        (get("/large"), &skill, "10"),
    ] {
        let error = exchanged(&fetcher, &request, hosts).await.unwrap_err();
        assert!(error.render().contains(problem), "{problem}: {}", error.render());
    }
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_failed_connection_says_why_and_repeats_no_secret_of_the_address() {
    // Nobody listens there.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = taken.local_addr().unwrap().port();
    let silent = Server::start(|_| Vec::new()).await;
    for (port, expected, cause) in [
        (port, "no connection to wiki.test", "os error"),
        (silent.port, "no answer from wiki.test", "connection closed"),
    ] {
        let host = format!("http://wiki.test:{port}");
        let policy = FetchPolicy::new().host(&host).unwrap().network("127.0.0.1").unwrap();
        let url = format!("{host}/?token=secret");
        let error = fetch(&fetcher(policy, &["127.0.0.1"]), &url, 10).await.err().unwrap();
        assert!(error.to_string() == expected && error.is_retryable(), "{error}");
        let text = error.render();
        assert!(text.contains(cause) && !text.contains("secret"), "{text}");
    }
}

#[tokio::test]
async fn each_status_says_what_can_be_done() {
    let server = Server::start(|path| match path {
        "/there" => answer("200 OK", b"x"),
        _ if path.starts_with("/to") => {
            answer(&format!("{} X\r\nLocation: /there\r\nContent-Length: 0", &path[3..]), b"")
        }
        _ => answer(&format!("{} X\r\nContent-Length: 0", &path[1..]), b""),
    })
    .await;
    let fetcher = fetcher(local(&server), &["127.0.0.1"]);
    for status in [301, 302, 303, 307, 308] {
        let (_, bytes) = fetch(&fetcher, &server.url(&format!("/to{status}")), 1).await.unwrap();
        assert_eq!(bytes, b"x", "{status}");
    }
    for (status, hint, is_retryable) in [
        (401, "hint: it wants to know who asks", false),
        (403, "hint: it wants to know who asks", false),
        (407, "hint: it wants to know who asks", false),
        (404, "hint: check the address", false),
        (410, "hint: check the address", false),
        (408, "hint: try again later", true),
        (429, "hint: try again later", true),
        (500, "hint: try again later", true),
        (599, "hint: try again later", true),
        (206, "answered 206", false),
        (304, "answered 304", false),
        (400, "answered 400", false),
    ] {
        let url = server.url(&format!("/{status}"));
        let error = fetch(&fetcher, &url, 10).await.err().unwrap();
        assert_eq!(error.input_problem(), Some("fetch-failed"), "{error}");
        assert_eq!(error.is_retryable(), is_retryable, "{status}");
        let text = error.render();
        assert!(text.contains(hint), "{status}: {text}");
        assert_eq!(text.contains("hint"), hint.starts_with("hint"), "{status}: {text}");
    }
}

#[tokio::test]
async fn bounds_are_what_is_taken_at_most() {
    // `connection: close` has 15 bytes, and the name `a` has one.
    const HEADER: usize = 64 * 1024 - 15 - 1;
    let server = Server::start(|path| match path {
        "/full" => answer(&format!("200 OK\r\nA: {}", "x".repeat(HEADER)), b"1234567890"),
        "/over" => answer(&format!("200 OK\r\nA: {}", "x".repeat(HEADER + 1)), b""),
        "/both" => {
            let half = "x".repeat(40_000);
            answer(&format!("200 OK\r\nA: {half}\r\nB: {half}"), b"")
        }
        _ => answer("200 OK\r\nContent-Length: 10", b"1234567890"),
    })
    .await;
    let fetcher = fetcher(local(&server), &["127.0.0.1"]);
    let skill = format!("http://*.test:{}", server.port);
    let get = |path: &str, headers: Vec<(String, String)>| HttpRequest {
        headers,
        ..http_request("GET", server.url(path), &[], None)
    };
    let many = |count| (0..count).map(|n| (format!("x-{n}"), "y".to_owned())).collect::<Vec<_>>();
    let large = |size: usize| vec![("x".to_owned(), "y".repeat(size - 1))];
    for (request, problem) in [
        (get("/full", vec![]), ""),
        (get("/over", vec![]), "answers with more headers than are read"),
        (get("/both", vec![]), "answers with more headers than are read"),
        (get("/", many(100)), ""),
        (get("/", many(101)), "expected at most 100 headers of 65536 bytes together"),
        (get("/", large(64 * 1024)), ""),
        (get("/", large(64 * 1024 + 1)), "expected at most 100 headers of 65536 bytes together"),
    ] {
        match exchanged(&fetcher, &request, &[&skill]).await {
            Ok(answered) => assert_eq!((problem, answered.body.len()), ("", 10)),
            Err(error) => {
                let text = error.render();
                assert!(!problem.is_empty() && text.contains(problem), "{problem}: {text}");
            }
        }
    }
    assert_eq!(fetch(&fetcher, &server.url("/"), 10).await.unwrap().1.len(), 10);
    let long = server.url("/");
    let long = format!("{long}{}", "x".repeat(8 * 1024 - long.len()));
    assert_eq!(fetch(&fetcher, &long, 10).await.unwrap().1.len(), 10);
    let error = fetch(&fetcher, &format!("{long}x"), 10).await.err().unwrap();
    assert_eq!(error.to_string(), "the address is longer than 8192 bytes");
}

#[tokio::test]
async fn a_media_type_is_taken_over_without_parameters_and_if_it_is_one() {
    let longest = format!("text/{}", "x".repeat(95));
    for (sent, taken) in [
        ("Text/CSV ; header=present", Some("text/csv")),
        (longest.as_str(), Some(longest.as_str())),
        (&format!("{longest}x"), None),
        ("; charset=utf-8", None),
    ] {
        let head = format!("200 OK\r\nContent-Type: {sent}");
        let server = Server::start(move |_| answer(&head, b"x")).await;
        let fetcher = fetcher(local(&server), &["127.0.0.1"]);
        let (fetched, _) = fetch(&fetcher, &server.url("/"), 10).await.unwrap();
        assert_eq!(fetched.media_type.as_deref(), taken, "{sent}");
    }
}

#[tokio::test]
async fn a_policy_bounds_redirects_and_its_certificates_have_to_be_some() {
    let server = Server::start(|path| match path {
        "/a" => to("/b"),
        "/b" => to("/c"),
        _ => answer("200 OK", b"x"),
    })
    .await;
    let url = server.url("/a");
    for (most, refused) in [(2, None), (1, Some("/c")), (0, Some("/b"))] {
        let fetcher = fetcher(local(&server).redirects(most), &["127.0.0.1"]);
        let error = fetch(&fetcher, &url, 10).await.err().map(|error| error.to_string());
        let expected = refused.map(|last| {
            format!("more than {most} redirects, the last one to {}", server.url(last))
        });
        assert_eq!(error, expected);
    }
    let policy = local(&server).certificates("no PEM");
    let error = fetch(&fetcher(policy, &["127.0.0.1"]), &url, 10).await.err().unwrap();
    assert_eq!(error.to_string(), "there is no certificate in this PEM text");
}

/// Slow documents of one tenant do not block other tenants.
#[tokio::test]
async fn each_tenant_has_places_of_its_own() {
    let limits = FetchLimits::with(4, 2);
    let slow = [limits.take("slow").await.unwrap(), limits.take("slow").await.unwrap()];
    let waits = tokio::time::timeout(Duration::from_millis(20), limits.take("slow"));
    assert!(waits.await.is_err());
    let _other = limits.take("other").await.unwrap();
    drop(slow);
    drop(limits.take("slow").await.unwrap());
    assert_eq!(limits.of_tenants.lock().unwrap().len(), 2);
    let _third = limits.take("third").await.unwrap();
    // Nobody holds a place of the first tenant any more.
    assert_eq!(limits.of_tenants.lock().unwrap().len(), 2);
}
