//! What the page does: titles and the search, words, models, usage, examples, and the sources of numbers.

use hyper::Method;
use serde_json::{Value, json};

use crate::service::support::{Call, Server, run};

fn call(method: Method, path: &str, body: &Value) -> Call {
    Call::new(method, path).header("content-type", "application/json").body(body.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_renamed_and_found_again() {
    let server = Server::start().await;
    let id = server.finished_run("Go.", "").await["id"].as_str().unwrap().to_owned();
    server.finished_run("Go.", "").await;
    let path = format!("/v1/runs/{id}");
    let reply = server.send(call(Method::PATCH, &path, &json!({ "title": " Herons " }))).await;
    assert_eq!((reply.status, &reply.json()["title"]), (200, &json!("Herons")), "{reply:?}");
    for wrong in [json!({ "title": "" }), json!({ "title": "a\nb" }), json!({ "titel": "a" })] {
        server.send(call(Method::PATCH, &path, &wrong)).await.problem(422, "invalid_body");
    }
    let renamed = call(Method::PATCH, "/v1/runs/run_none", &json!({ "title": "a" }));
    server.send(renamed).await.problem(404, "not_found");
    let found = server.get("/v1/runs?search=HERON").await.json();
    assert_eq!((found["runs"].as_array().unwrap().len(), &found["runs"][0]["id"]), (1, &json!(id)));
    assert!(found["runs"][0].get("request").is_none() && found.get("next").is_none(), "{found}");
    assert_eq!(server.get("/v1/runs?search=kingfisher").await.json(), json!({ "runs": [] }));
    assert_eq!(server.get("/v1/runs?search=+").await.json()["runs"].as_array().unwrap().len(), 2);
    let long = format!("/v1/runs?search={}", "x".repeat(201));
    server.get(&long).await.problem(400, "invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_the_settings_count_in_the_runs_of_their_tenant() {
    let server = Server::for_tenants().await;
    let put = |rules: Value, token: &str| {
        call(Method::PUT, "/v1/settings/words", &json!({ "rules": rules })).token(token)
    };
    let reply = server.send(put(json!(["heron", "!"]), &server.alice)).await;
    let problem = reply.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/rules/1");
    let reply = server.send(put(json!(["done"]), &server.alice)).await;
    assert_eq!((reply.status, reply.json()), (200, json!({ "rules": ["done"] })), "{reply:?}");
    let blocked = server.finished_run("Go.", &server.alice).await;
    assert_eq!(
        (&blocked["status"], &blocked["failure"]["code"]),
        (&json!("failed"), &json!("blocked"))
    );
    assert_eq!(server.finished_run("Go.", &server.bob).await["status"], "completed");
    let settings = |token: &str| Call::get("/v1/settings").token(token);
    let of_alice = server.send(settings(&server.alice)).await.json();
    assert_eq!(of_alice["words"], json!({ "rules": ["done"] }));
    let of_bob = server.send(settings(&server.bob)).await.json();
    let model = json!({
        "name": "scripted", "model": null, "provider": "test", "is_default": true, "managed": false,
        "has_key": false, "problem": null,
    });
    let expected = json!({
        "may_manage": false, "words": { "rules": [] }, "operator_rules": 0, "models": [model],
        "limits": { "tokens_per_day": null, "dollars_per_day": null },
    });
    assert_eq!(of_bob, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_models_cannot_be_managed() {
    let server = Server::start().await;
    let new = json!({ "name": "mine", "model": "ollama/qwen3", "key": "sk-secret-123" });
    let model = "/v1/settings/models/scripted";
    for call in [
        call(Method::POST, "/v1/settings/models", &new),
        call(Method::PATCH, model, &json!({ "is_default": true })),
        Call::new(Method::DELETE, model),
        Call::new(Method::POST, "/v1/settings/models/scripted/check"),
        Call::get("/v1/settings/models/found"),
    ] {
        server.send(call).await.problem(403, "not_manageable");
    }
    let reply = server.post_json("/v1/examples/yoy", &json!({})).await;
    reply.problem(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_usage_has_each_day() {
    let server = Server::start().await;
    server.finished_run("Go.", "").await;
    let usage = server.get("/v1/usage").await.json();
    let days = usage["days"].as_array().unwrap();
    assert_eq!((days.len(), &days[29]), (30, &usage["today"]));
    assert_eq!(days[0]["dollars"], "0.00");
    assert_eq!(server.get("/v1/usage?days=1").await.json()["days"].as_array().unwrap().len(), 1);
    for wrong in ["0", "367", "many"] {
        let path = format!("/v1/usage?days={wrong}");
        server.get(&path).await.problem(400, "invalid_query");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_leads_to_the_cell_that_it_comes_from() {
    let server = Server::start().await;
    let mut new = run("Go.");
    new["documents"] =
        json!([{ "name": "sales.csv", "text": "month,amount\nMay,1452.3\nJune,9.5\n" }]);
    let state = server.post_json("/v1/runs?wait=true", &new).await.json();
    let path = format!("/v1/runs/{}/sources", state["id"].as_str().unwrap());
    let sources = server.get(&format!("{path}?value=%C2%A51,452.30")).await.json();
    assert_eq!((&sources["value"], &sources["more"]), (&json!("¥1,452.30"), &json!(false)));
    let matches = sources["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 1, "{sources}");
    let found = &matches[0];
    assert_eq!((&found["kind"], &found["name"]), (&json!("document"), &json!("sales.csv")));
    assert_eq!(
        (&found["sheet"], &found["row"], &found["column"]),
        (&json!(0), &json!(1), &json!(1))
    );
    assert_eq!(
        (&found["excerpt"], &found["is_exact"]),
        (&json!("May · amount: 1452.3"), &json!(true))
    );
    assert_eq!(server.get(&format!("{path}?value=77")).await.json()["matches"], json!([]));
    server.get(&path).await.problem(400, "invalid_query");
    server.get("/v1/runs/run_none/sources?value=1").await.problem(404, "not_found");
}
