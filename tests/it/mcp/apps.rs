//! MCP Apps: what clients get that show the viewer of documents.

use serde_json::{Value, json};

use super::client::Client;

const VIEWER: &str = "ui://mitt/viewer.html";

fn with_apps() -> Client {
    let settings = json!({ "mimeTypes": ["text/html;profile=mcp-app"] });
    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/ui": settings } });
    Client::initialized_with(&[], capabilities)
}

fn tools(client: &mut Client) -> Vec<Value> {
    let answer = client.request("tools/list", json!({}));
    answer["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn only_clients_that_show_apps_get_the_viewer() {
    let mut plain = Client::initialized(&[]);
    assert!(tools(&mut plain).iter().all(|it| it["_meta"]["ui"].is_null()));
    // Nor do they find what they were not given.
    let mut read = |uri: &str| plain.request("resources/read", json!({ "uri": uri }));
    let (hidden, missing) = (read(VIEWER), read("ui://mitt/other.html"));
    assert!(hidden["error"]["code"].is_number(), "{hidden}");
    assert_eq!(hidden["error"]["code"], missing["error"]["code"]);
    let hidden = plain.call("view__outline", json!({ "id": "x" }));
    let missing = plain.call("view__nothing", json!({ "id": "x" }));
    assert_eq!(hidden["error"]["code"], missing["error"]["code"], "{hidden} {missing}");
    assert_eq!(hidden["result"]["isError"], missing["result"]["isError"], "{hidden} {missing}");
    assert!(hidden.to_string().contains("view__outline"), "{hidden}");
    let mut client = with_apps();
    let tools = tools(&mut client);
    let find = |name: &str| tools.iter().find(|it| it["name"] == name).unwrap();
    assert_eq!(find("report__deliver")["_meta"]["ui"]["resourceUri"], VIEWER);
    assert_eq!(find("sql_tool__query")["_meta"]["ui"]["resourceUri"], VIEWER);
    assert!(find("document_tool__outline")["_meta"]["ui"].is_null());
    assert_eq!(find("view__rows")["_meta"]["ui"], json!({ "visibility": ["app"] }));
    let read = client.request("resources/read", json!({ "uri": VIEWER }));
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "text/html;profile=mcp-app");
    assert!(contents["text"].as_str().unwrap().starts_with("<!doctype html>"));
}

#[test]
fn a_result_carries_what_the_viewer_shows_and_the_rest_comes_by_its_tools() {
    let rows: Vec<Value> = (0..300).map(|row| json!({ "n": row, "名": "值" })).collect();
    let book = json!({ "sheets": [{ "name": "A", "data": rows }], "filename": "a.xlsx" });
    let mut plain = Client::initialized(&[]);
    let answer = plain.call("excel_tool__create_workbook", book.clone());
    assert!(answer["result"].get("_meta").is_none(), "{answer}");
    let mut client = with_apps();
    let answer = client.call("excel_tool__create_workbook", book);
    let result = &answer["result"];
    // Everything is in the result as well.
    assert_eq!(result["structuredContent"]["files"][0]["name"], "a.xlsx", "{answer}");
    let file = &result["_meta"]["mitt/view"]["files"][0];
    assert_eq!(file["name"], "a.xlsx");
    let id = file["id"].as_str().unwrap();
    // The reader may have to be compiled first; the viewer then asks for the outline.
    let outline = client.call("view__outline", json!({ "id": id }));
    let outline = &outline["result"]["structuredContent"];
    assert_eq!(
        (&outline["kind"], &outline["sheets"][0]["name"]),
        (&json!("workbook"), &json!("A"))
    );
    let part = json!({ "id": id, "sheet": 0, "from": 299, "count": 10 });
    let part = client.call("view__rows", part);
    let cells = &part["result"]["structuredContent"]["rows"][0];
    assert!(cells.to_string().contains("298"), "{part}");
    // A later file of the name is another one.
    let other = json!({ "sheets": [{ "name": "B", "data": [{ "n": 1 }] }], "filename": "a.xlsx" });
    client.call("excel_tool__create_workbook", other);
    let gone = client.call("view__outline", json!({ "id": id }));
    assert_eq!(gone["result"]["isError"], true, "{gone}");
    let unknown = client.call("view__outline", json!({ "id": "x:b.xlsx" }));
    assert_eq!(unknown["result"]["isError"], true, "{unknown}");
}

#[test]
fn pages_of_a_pdf_are_pictures_and_tables_are_shown() {
    let mut client = with_apps();
    let page = json!({ "markdown": "# 标题\n\ntext", "filename": "a.pdf" });
    let answer = client.call("report__deliver", page);
    let file = &answer["result"]["_meta"]["mitt/view"]["files"][0];
    let id = file["id"].as_str().unwrap();
    let page = client.call("view__page", json!({ "id": id, "page": 1, "width": 2400 }));
    let image = &page["result"]["content"][0];
    assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
    let none = client.call("view__page", json!({ "id": id, "page": 2, "width": 800 }));
    assert_eq!(none["result"]["isError"], true, "{none}");
    let query = json!({ "sql": "select 1 as a, 'x' as b" });
    let answer = client.call("sql_tool__query", query);
    let table = &answer["result"]["_meta"]["mitt/view"]["table"];
    assert_eq!((&table["columns"], &table["total"]), (&json!(["a", "b"]), &json!(1)), "{answer}");
}
