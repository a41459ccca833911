//! Documents by address, for clients.

use serde_json::json;

use super::client::Client;
use crate::fetch::Server;

#[test]
fn a_client_may_name_addresses_where_hosts_are_allowed() {
    let server = Server::start();
    let url = server.url("/sales.csv");
    let mut closed = Client::initialized(&[]);
    let listed = closed.request("tools/list", json!({})).to_string();
    assert!(
        !listed.contains("address to fetch it from"),
        "nothing of it costs tokens where nothing is fetched"
    );
    let answer = closed.call("documents__add", json!({ "url": url }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let mut args = server.allowed().to_vec();
    args.extend(["--doc".to_owned(), server.url("/report")]);
    let mut client = Client::initialized(&args);
    let listed = client.request("tools/list", json!({})).to_string();
    assert!(listed.contains(&format!("hosts: `{}`", server.url(""))), "{listed}");
    let answer = client.call("documents__add", json!({ "url": url }));
    assert_eq!(answer["result"]["structuredContent"]["tables"], 1, "{answer}");
    let answer = client.call("documents__add", json!({ "url": "https://example.com/" }));
    let told = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(told.contains("the host example.com is not allowed"), "{answer}");
    let list = client.request("resources/list", json!({}));
    let names: Vec<_> =
        list["result"]["resources"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert!(names.contains(&&json!("report.pdf")), "{list}");
}
