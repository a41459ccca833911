//! Files below `--folder` are documents by name, and the folder for results is made with the first of them.

use serde_json::json;

use super::client::{Client, text_of};

#[test]
fn a_file_of_the_folder_is_a_document_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("2024")).unwrap();
    std::fs::write(at("sales.csv"), "City,Sales\nA,1\nB,2\n").unwrap();
    std::fs::write(at("2024/报告.md"), "# 年报\n\n收入 12").unwrap();
    std::fs::write(at("broken.pdf"), "%PDF-1.7 broken").unwrap();
    let path = folder.path().display().to_string();
    let mut client = Client::initialized(&["--folder".into(), path.clone()]);
    let listed = client.call("documents__list", json!({}));
    let listed = &listed["result"]["structuredContent"];
    let names: Vec<_> = listed["files"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["2024/报告.md", "broken.pdf", "sales.csv"], "{listed}");
    // By a reference to a table, by the name in a script, by the path of a resource.
    let query = json!({ "sql": "select sum(Sales) as s from sales" });
    let answer = client.call("sql_tool__query", query);
    assert!(text_of(&answer).contains('3'), "{answer}");
    let code = "import document_tool\ndocument_tool.read_document('2024/报告.md')";
    let answer = client.call("python__run", json!({ "code": code }));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let listed = client.call("documents__list", json!({}))["result"]["structuredContent"].clone();
    assert_eq!(listed["documents"].as_array().unwrap().len(), 2, "{listed}");
    assert_eq!(listed["files"], json!([{ "name": "broken.pdf", "bytes": 15 }]));
    // The answer to the call that names an unreadable file says why.
    let answer =
        client.call("document_tool__search", json!({ "text": "x", "names": ["broken.pdf"] }));
    let said = answer["result"]["content"].to_string();
    assert!(said.contains("`broken.pdf` cannot be read"), "{answer}");
    // Naming the same file again gives the same document.
    let again = client.call("documents__add", json!({ "path": "sales.csv" }));
    assert_eq!(again["result"]["structuredContent"]["name"], "sales.csv", "{again}");
    let answer = client.call("documents__add", json!({ "path": "sales.cvs" }));
    assert!(text_of(&answer).contains("did you mean `sales.csv`?"), "{answer}");
}

/// A file is read once, and again when it has changed, as the answer says; a name that several files share is not guessed.
#[test]
fn files_are_read_once_and_new_versions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for sub in ["a", "b"] {
        std::fs::create_dir(at(sub)).unwrap();
        std::fs::write(at(sub).join("x.csv"), "n\n1\n").unwrap();
    }
    std::fs::write(at("a/u.csv"), "n\n1\n").unwrap();
    let path = folder.path().display().to_string();
    let mut client = Client::initialized(&["--folder".into(), path]);
    let documents = |client: &mut Client| {
        let listed = client.call("documents__list", json!({}));
        let listed = listed["result"]["structuredContent"]["documents"].clone();
        let names: Vec<_> =
            listed.as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
        json!(names).to_string()
    };
    for _ in 0..3 {
        let answer = client.call("sql_tool__query", json!({ "sql": "select n from u" }));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    assert_eq!(documents(&mut client), r#"["u.csv"]"#);
    std::fs::write(at("a/u.csv"), "n\n1\n2\n").unwrap();
    for has_note in [true, false] {
        let answer = client.call("sql_tool__query", json!({ "sql": "select n from u" }));
        let said = answer["result"]["content"].to_string();
        assert_eq!(
            said.contains("its new version is the document `u (2).csv`"),
            has_note,
            "{said}"
        );
    }
    assert_eq!(documents(&mut client), r#"["u.csv","u (2).csv"]"#);
    let answer = client.call("sql_tool__query", json!({ "sql": "select n from x" }));
    let said = answer["result"]["content"].to_string();
    assert!(said.contains("several files are called `x`") && said.contains("`b/x.csv`"), "{said}");
    // A document that the client handed over keeps its name.
    client.call("documents__add", json!({ "name": "t.csv", "text": "n\n7\n" }));
    std::fs::write(at("t.csv"), "n\n1\n").unwrap();
    let answer = client.call("sql_tool__query", json!({ "sql": "select n from t" }));
    assert!(text_of(&answer).contains('7'), "{answer}");
    let answer = client.call("document_tool__read_document", json!({ "name": "a/xx.csv" }));
    let said = answer["result"]["content"].to_string();
    assert!(said.contains("files of the folder are read when a call has their names"), "{said}");
}

#[test]
fn files_of_the_folder_are_resources() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a b.csv"), "x\n1\n").unwrap();
    let path = folder.path().display().to_string();
    let mut client = Client::initialized(&["--folder".into(), path.clone()]);
    let list = client.request("resources/list", json!({})).to_string();
    assert!(list.contains("mitt://documents/a%20b.csv"), "{list}");
    let read = client.request("resources/read", json!({ "uri": "mitt://documents/a%20b.csv" }));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("| x |"), "{read}");
    let read = client.request("resources/read", json!({ "uri": "mitt://documents/no.csv" }));
    assert!(read["error"].is_object(), "{read}");
}

#[test]
fn a_folder_for_results_is_made_with_the_first_of_them() {
    let parent = tempfile::tempdir().unwrap();
    let out = parent.path().join("out");
    let mut client = Client::initialized(&["--out".into(), out.display().to_string()]);
    client.call("documents__add", json!({ "name": "a.csv", "text": "a\n1\n" }));
    client.call("sql_tool__query", json!({ "sql": "select 1 as a" }));
    assert!(!out.exists());
    client.call("report__deliver", json!({ "markdown": "# A", "filename": "a.md" }));
    assert!(out.join("a.md").is_file());
    // The journal has earlier entries, too.
    let journal = std::fs::read_to_string(out.join("journal.jsonl")).unwrap();
    let kinds: Vec<String> = journal
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(kinds[..3], ["session", "document", "call"], "{journal}");
    assert!(kinds.contains(&"artifact".to_owned()), "{journal}");
}
