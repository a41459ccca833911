//! Logins of browsers: the cookie, and links that log in once.

use hyper::Method;
use serde_json::json;

use crate::service::support::{Call, Reply, Server};

const SESSION: &str = "/v1/session";

fn cookie_of(reply: &Reply) -> String {
    reply.headers["set-cookie"].split(';').next().unwrap().to_owned()
}

fn with(cookie: &str) -> Call {
    Call::get(SESSION).header("cookie", cookie)
}

async fn logged_in(server: &Server) -> String {
    let login = json!({ "token": server.alice });
    let reply = server.post_json(SESSION, &login).await;
    assert_eq!(reply.status, 204, "{reply:?}");
    let set = &reply.headers["set-cookie"];
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    cookie_of(&reply)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_logs_in_and_out() {
    let server = Server::for_tenants().await;
    server.get(SESSION).await.problem(401, "unauthorized");
    let wrong = server.post_json(SESSION, &json!({ "token": "mitt_wrong" })).await;
    assert!(wrong.status == 401 && !wrong.headers.contains_key("set-cookie"), "{wrong:?}");
    for body in [json!({}), json!({ "token": 1 }), json!("x".repeat(10_000))] {
        assert!((400..500).contains(&server.post_json(SESSION, &body).await.status));
    }
    let cookie = logged_in(&server).await;
    let session = server.send(with(&cookie)).await;
    assert_eq!(session.json()["tenant"], "alice", "{session:?}");
    let out = server.send(Call::new(Method::DELETE, SESSION).header("cookie", &cookie)).await;
    assert!(out.headers["set-cookie"].contains("Max-Age=0"), "{out:?}");
    server.send(with(&cookie_of(&out))).await.problem(401, "unauthorized");
}

/// A page of another port of this machine is of the same site for a browser, which sends it the cookie.
#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_counts_only_for_the_page_itself() {
    let server = Server::for_tenants().await;
    let cookie = logged_in(&server).await;
    for (site, status) in
        [("same-origin", 200), ("none", 200), ("same-site", 401), ("cross-site", 401)]
    {
        let reply = server.send(with(&cookie).header("sec-fetch-site", site)).await;
        assert_eq!(reply.status, status, "{site}: {reply:?}");
    }
    let other = cookie.replacen("mitt_session_", "mitt_session_1", 1);
    server.send(with(&other)).await.problem(401, "unauthorized");
    // MCP and a token of its own do not look at the cookie.
    let mcp = Call::new(Method::POST, "/mcp").header("cookie", &cookie);
    assert_eq!(server.send(mcp).await.status, 401);
    let bob = server.send(with(&cookie).token(&server.bob)).await;
    assert_eq!(bob.json()["tenant"], "bob", "{bob:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_ends_the_login() {
    let server = Server::for_tenants().await;
    let cookie = logged_in(&server).await;
    server.revoke_alice();
    server.send(with(&cookie)).await.problem(401, "unauthorized");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_logs_in_once() {
    let server = Server::for_tenants().await;
    let links = Call::new(Method::POST, "/v1/session/links");
    assert_eq!(server.send(links).await.status, 401);
    let links = Call::new(Method::POST, "/v1/session/links").token(&server.alice);
    let made = server.send(links).await;
    assert_eq!(made.status, 201, "{made:?}");
    let url = made.json()["url"].as_str().unwrap().to_owned();
    let path = &url[url.find("/open").unwrap()..];
    // A program that looks at the link does not use it up.
    assert_eq!(server.send(Call::new(Method::HEAD, path)).await.status, 200);
    let opened = server.get(path).await;
    assert_eq!((opened.status, opened.headers["location"].as_str()), (303, "/"), "{opened:?}");
    let session = server.send(with(&cookie_of(&opened))).await;
    assert_eq!(session.json()["tenant"], "alice", "{session:?}");
    let again = server.get(path).await;
    assert_eq!(again.headers["location"], "/#/expired-link");
    assert!(!again.headers.contains_key("set-cookie"), "{again:?}");
}

/// The page of an attacker must not log the browser in as somebody else.
#[tokio::test(flavor = "multi_thread")]
async fn pages_from_elsewhere_log_nobody_in_or_out() {
    let server = Server::for_tenants().await;
    let cookie = logged_in(&server).await;
    let login = Call::post(SESSION, &json!({ "token": server.bob }));
    let login = login.header("sec-fetch-site", "same-site");
    assert_eq!(server.send(login).await.status, 403);
    let out = Call::new(Method::DELETE, SESSION).header("sec-fetch-site", "cross-site");
    assert_eq!(server.send(out.header("cookie", &cookie)).await.status, 403);
    let links = Call::new(Method::POST, "/v1/session/links").token(&server.bob);
    let url = server.send(links).await.json()["url"].as_str().unwrap().to_owned();
    let path = &url[url.find("/open").unwrap()..];
    let asked = server.send(Call::get(path).header("sec-fetch-site", "cross-site")).await;
    assert!(asked.status == 200 && !asked.headers.contains_key("set-cookie"), "{asked:?}");
    assert!(asked.text().contains("Log in as <bdi>bob</bdi>?"), "{asked:?}");
    let form = |site: &str| Call::new(Method::POST, path).header("sec-fetch-site", site);
    assert_eq!(server.send(form("cross-site")).await.status, 405);
    let confirmed = server.send(form("same-origin")).await;
    assert_eq!(confirmed.headers["location"], "/", "{confirmed:?}");
    let wrong = Call::new(Method::DELETE, "/v1/session/links");
    assert_eq!(server.send(wrong).await.status, 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_needs_no_token_and_allows_nothing_from_elsewhere() {
    let server = Server::for_tenants().await;
    let page = server.get("/").await;
    assert_eq!(page.status, 200, "{page:?}");
    let policy = &page.headers["content-security-policy"];
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let text = page.text();
    let start = text.find("/assets/").unwrap();
    let version = &text[start..start + "/assets/".len() + 16];
    let script = Call::get(&format!("{version}/main.js")).header("accept-encoding", "gzip");
    let script = server.send(script).await;
    assert_eq!(script.headers["content-encoding"], "gzip");
    assert!(script.headers["cache-control"].contains("immutable"), "{:?}", script.headers);
    server.get(&format!("{version}/none.js")).await.problem(404, "not_found");
    server.get("/assets/0000000000000000/main.js").await.problem(404, "not_found");
}
