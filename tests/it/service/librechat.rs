//! Users of LibreChat as tenants: the tokens that LibreChat signs for them.

use serde_json::{Value, json};

use crate::service::support::{Call, Reply, Server, Setup};

/// The key of a LibreChat, in the file of tokens.
const TRUST: &str = "librechat:
  public_key: |
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEA5DqZdXU5Gqh+iibfquJKkta283ZNziOLTpwnKQVuEew=
    -----END PUBLIC KEY-----
  claim: sub";

/// Tokens that OpenSSL signed with the private key, with the claims that LibreChat 0.8.7 sends. The first two are of two users
/// of one organisation, until 2100.
const ANN: &str = "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImxjLWNvZGVhcGktMjAyNi0wNSJ9.eyJpc3MiOiJsaWJyZWNoYXQiLCJhdWQiOiJjb\
    2RlYXBpIiwiaWF0IjoxNzY0NDYwODAwLCJuYmYiOjE3NjQ0NjA4MDAsImV4cCI6NDEwMjQ0NDgwMCwicm9sZSI6IlVTRVIiLCJzdWIiOiI2NmE\
    wYzFmMmU0YjBhMWIyYzNkNGU1ZjYiLCJ0ZW5hbnRfaWQiOiJhY21lIn0.66oBoStAbXe1ltFDYd0xCZjB44lxsaRG-Hs_nVgfaXl-xaKOxz8_n\
    AGX7oqDejffVCQ3dyavui55BtbZe_nWBw";
const BEN: &str = "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImxjLWNvZGVhcGktMjAyNi0wNSJ9.eyJpc3MiOiJsaWJyZWNoYXQiLCJhdWQiOiJjb\
    2RlYXBpIiwiaWF0IjoxNzY0NDYwODAwLCJuYmYiOjE3NjQ0NjA4MDAsImV4cCI6NDEwMjQ0NDgwMCwicm9sZSI6IlVTRVIiLCJzdWIiOiI2NmE\
    wYzFmMmU0YjBhMWIyYzNkNGU1ZjciLCJ0ZW5hbnRfaWQiOiJhY21lIn0.46CXUku0hS1amjFL6P5drfh8iGevIw8J68fBVdhhgB_VgdtralnsE\
    OnxyFmzgvYFJ3ZsGQbtl3CUiwwlYSbhDg";
const EXPIRED: &str = "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImxjLWNvZGVhcGktMjAyNi0wNSJ9.eyJpc3MiOiJsaWJyZWNoYXQiLCJhdWQiOiJjb\
    2RlYXBpIiwiaWF0IjoxNzY0NDYwODAwLCJuYmYiOjE3NjQ0NjA4MDAsImV4cCI6MTc2NDQ2MTEwMCwicm9sZSI6IlVTRVIiLCJzdWIiOiI2NmE\
    wYzFmMmU0YjBhMWIyYzNkNGU1ZjYifQ.34NDkp6-Z3nbKj-jw2aPQNehhfqVYqjAWv7-1Dqn0ZnsWb5R9NLMI68sAXj_BgNroIymOPFdqB6Gug\
    KfTsAvBA";
const WITHOUT_USER: &str = "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImxjLWNvZGVhcGktMjAyNi0wNSJ9.eyJpc3MiOiJsaWJyZWNoYXQiLCJhdWQiOiJjb\
    2RlYXBpIiwiaWF0IjoxNzY0NDYwODAwLCJuYmYiOjE3NjQ0NjA4MDAsImV4cCI6NDEwMjQ0NDgwMCwicm9sZSI6IlVTRVIiLCJ0ZW5hbnRfaWQ\
    iOiJhY21lIn0.BlFp7EYm7zpx9WqJhxeDTwUqeLTn8bo-9C5vzMTrrnxtsHmUJ6phFA-16kqpZwROf042PbVuQXUu3WBCX_L4Dw";
/// Claims of Ann with `alg` `none`, and no signature.
const UNSIGNED: &str = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJpc3MiOiJsaWJyZWNoYXQiLCJhdWQiOiJjb2RlYXBpIiwiaWF0Ij\
    oxNzY0NDYwODAwLCJuYmYiOjE3NjQ0NjA4MDAsImV4cCI6NDEwMjQ0NDgwMCwicm9sZSI6IlVTRVIiLCJzdWIiOiI2\
    NmEwYzFmMmU0YjBhMWIyYzNkNGU1ZjYiLCJ0ZW5hbnRfaWQiOiJhY21lIn0.";

async fn server() -> Server {
    let setup = Setup { tokens: true, more_of_tokens: TRUST, ..Setup::default() };
    Server::with(setup).await
}

/// Uploads a file as a user, and returns the session and the file.
async fn uploaded(server: &Server, token: &str) -> (String, String) {
    let form = Call::form("/librechat/upload", &[], &[("file", "a.csv", "a\n1\n")]);
    let reply = server.send(form.token(token)).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let uploaded = reply.json();
    (text(&uploaded["session_id"]), text(&uploaded["files"][0]["fileId"]))
}

async fn get(server: &Server, path: &str, token: &str) -> Reply {
    server.send(Call::get(path).token(token)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_user_has_files_of_their_own() {
    let server = server().await;
    let (session, file) = uploaded(&server, ANN).await;
    let paths = [
        format!("/librechat/files/{session}"),
        format!("/librechat/download/{session}/{file}"),
        format!("/sessions/{session}/objects/{file}"),
    ];
    for path in &paths {
        assert_eq!(get(&server, path, ANN).await.status, 200, "{path}");
        for other in [BEN, &server.alice] {
            assert_eq!(get(&server, path, other).await.status, 404, "{path}");
        }
    }
    // A script reads the files of its user alone.
    let script = |token: &str| {
        let files = json!([{ "id": file, "name": "a.csv", "storage_session_id": session }]);
        let code = "print(open('/mnt/data/a.csv').read())";
        let body = json!({ "lang": "py", "code": code, "files": files });
        server.send(Call::post("/librechat/exec", &body).token(token))
    };
    assert!(script(ANN).await.json()["stdout"].as_str().unwrap().contains('1'));
    let of_other = script(BEN).await;
    assert!(!of_other.text().contains("a\\n1"), "{of_other:?}");
    // The key of the operator decides where a proxy adds it.
    let call = Call::get(&paths[0]).token(ANN).header("x-api-key", &server.alice);
    assert_eq!(server.send(call).await.status, 404);
    // When the operator takes the key away, nobody is let in by it any more.
    server.revoke_alice();
    assert_eq!(get(&server, &paths[0], ANN).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_not_right_is_refused_with_the_claim() {
    let server = server().await;
    let (head, _) = ANN.rsplit_once('.').unwrap();
    let (_, other) = BEN.rsplit_once('.').unwrap();
    let forged = format!("{head}.{other}");
    for (token, expected) in [
        (forged.as_str(), "its signature does not belong to the `public_key`"),
        (UNSIGNED, "`alg` of its header: expected `EdDSA`, got `none`"),
        (EXPIRED, "the claim `exp`: it expired "),
        (WITHOUT_USER, "the claim `sub` is missing"),
        ("a.b.c", "expected three parts in base64url"),
    ] {
        let reply = get(&server, "/librechat/files/none", token).await;
        let error = reply.json();
        assert_eq!((reply.status, &error["code"]), (401, &json!("unauthorized")), "{reply:?}");
        assert!(error["message"].as_str().unwrap().contains(expected), "{expected}: {error}");
        assert!(reply.headers["www-authenticate"].contains("invalid_token"), "{reply:?}");
    }
    // The other interfaces know no users of LibreChat.
    for path in ["/v1/runs", "/v1/files", "/v1/tools"] {
        assert_eq!(get(&server, path, ANN).await.status, 401, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_of_librechat_its_tokens_are_refused() {
    let server = Server::for_tenants().await;
    let reply = get(&server, "/librechat/files/none", ANN).await;
    assert_eq!(reply.status, 401, "{reply:?}");
    assert!(!reply.text().contains("claim"), "{reply:?}");
}
