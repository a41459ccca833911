//! Tests of what clients get that show apps.

use super::*;

fn capabilities(value: Value) -> ClientCapabilities {
    serde_json::from_value(value).unwrap()
}

#[test]
fn clients_declare_that_they_show_apps() {
    let declared = |settings: Value| {
        shows_apps(Some(&capabilities(json!({ "extensions": { EXTENSION: settings } }))))
    };
    assert!(declared(json!({ "mimeTypes": [MEDIA_TYPE] })));
    assert!(declared(json!({})));
    assert!(!declared(json!({ "mimeTypes": ["text/html"] })));
    assert!(!shows_apps(Some(&capabilities(json!({})))));
    assert!(!shows_apps(None));
}

#[test]
fn tools_that_deliver_name_the_viewer() {
    let schema = Arc::new(JsonObject::new());
    let mut tools = [Tool::new("a", "", schema.clone()), Tool::new("b", "", schema)];
    tools[1].annotations = Some(ToolAnnotations::new().read_only(true));
    mark(&mut tools);
    let meta = tools[0].meta.as_ref().unwrap();
    assert_eq!(meta["ui"]["resourceUri"], VIEWER);
    assert_eq!(tools[1].meta, None);
}

#[test]
fn a_table_of_a_result_is_shown() {
    let mut answer = CallToolResult::success(Vec::new());
    let table = json!({ "columns": ["a"], "rows": [[1], [2]] });
    for (result, name) in
        [(table.clone(), json!(null)), (json!({ "data": table, "n": 1 }), json!("data"))]
    {
        answer.structured_content = Some(result);
        add_table(&mut answer);
        let shown = &answer.meta.as_ref().unwrap()[VIEW]["table"];
        let expected = json!({ "name": name, "columns": ["a"], "rows": [[1], [2]], "total": 2 });
        assert_eq!(*shown, expected);
    }
    let mut other = CallToolResult::success(Vec::new());
    other.structured_content = Some(json!({ "rows": 3 }));
    add_table(&mut other);
    assert_eq!(other.meta, None);
}

#[test]
fn tools_of_the_viewer_are_for_it_alone() {
    for tool in tools() {
        assert!(is_app_tool(&tool.name));
        assert_eq!(tool.meta.unwrap()["ui"], json!({ "visibility": ["app"] }));
    }
    assert!(!is_app_tool("table_tool__growth"));
}

#[test]
fn the_viewer_is_one_resource() {
    assert!(read("ui://mitt/other.html").is_none());
    let Some(ResourceContents::TextResourceContents { text, mime_type, .. }) = read(VIEWER) else {
        panic!("the viewer is text");
    };
    assert!(text.starts_with("<!doctype html>"));
    assert_eq!(mime_type.as_deref(), Some(MEDIA_TYPE));
}

async fn preview(name: &str, content: &str) -> Preview {
    let host = mitt::Host::builder().no_cache().bundled_skills(false).build().unwrap();
    let content = content.as_bytes().to_vec();
    let file = PreviewFile {
        tenant: "a",
        name,
        media_type: "",
        sha256: "0123",
        size: content.len() as u64,
        is_rendered: true,
    };
    let load = || async move { Ok::<_, Error>(content) };
    Previews::new(host).open(file, load).await.unwrap()
}

#[tokio::test]
async fn what_a_result_shows_of_files_is_bounded() {
    let csv = "month,amount\n".to_owned() + &"January,1\n".repeat(50);
    for (name, content, member) in [("a.txt", "words ".repeat(500), "text"), ("a.csv", csv, "rows")]
    {
        let preview = preview(name, &content).await;
        for (bytes, members) in
            [(100_000, &["outline", member][..]), (1_000, &["outline"]), (9, &[])]
        {
            let never = || async { Err::<Vec<u8>, _>(Error::bug("loaded again")) };
            let mut room = Room(bytes);
            let shown = beginning(&preview, &mut room, never).await.unwrap();
            let names: Vec<&str> = shown.keys().map(String::as_str).collect();
            assert_eq!(names, members, "{name} {bytes}");
        }
    }
}

#[test]
fn a_long_table_is_cut_at_a_row() {
    let rows: Vec<Value> = (0..900).map(|row| json!([row, "x".repeat(1_000)])).collect();
    let mut answer = CallToolResult::success(Vec::new());
    answer.structured_content = Some(json!({ "columns": ["a", "b"], "rows": rows }));
    add_table(&mut answer);
    let table = &answer.meta.as_ref().unwrap()[VIEW]["table"];
    let shown = table["rows"].as_array().unwrap().len();
    assert!((100..200).contains(&shown) && table["total"] == 900, "{shown}");
    assert!(table.to_string().len() < MAX_TABLE_BYTES + 1_000);
    let wide = json!({ "columns": ["x".repeat(MAX_TABLE_BYTES)], "rows": [[1]] });
    let mut answer = CallToolResult::success(Vec::new());
    answer.structured_content = Some(wide);
    add_table(&mut answer);
    assert_eq!(answer.meta, None);
}

#[test]
fn the_content_of_another_file_is_refused() {
    let digest = sha256(b"a");
    assert_eq!(unchanged(b"a".to_vec(), &digest).unwrap(), b"a");
    assert_eq!(*unchanged(b"b".to_vec(), &digest).unwrap_err().kind(), ErrorKind::Input);
}
