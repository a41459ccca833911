//! Tests documents, files and skills as resources; prompts and completion.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::client::{Client, text_of};

fn read(client: &mut Client, uri: &str) -> Value {
    client.request("resources/read", json!({ "uri": uri }))
}

#[track_caller]
fn content(answer: &Value) -> &Value {
    let contents = answer["result"]["contents"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(contents.len(), 1);
    &contents[0]
}

#[test]
fn documents_are_given_listed_and_read_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("月报.csv");
    std::fs::write(&file, "月份,收入\n1月,1.2亿\n").unwrap();
    std::fs::write(folder.path().join("more.txt"), "on disk").unwrap();
    let args = [
        "--doc".to_owned(),
        file.display().to_string(),
        "--folder".to_owned(),
        folder.path().display().to_string(),
    ];
    let mut client = Client::initialized(&args);
    let list = client.request("resources/list", json!({}));
    let first = &list["result"]["resources"][0];
    assert_eq!(first["name"], "月报.csv");
    let uri = first["uri"].as_str().unwrap().to_owned();
    assert_eq!(uri, "mitt://documents/%E6%9C%88%E6%8A%A5.csv");
    let answer = read(&mut client, &uri);
    let text = content(&answer)["text"].as_str().unwrap().to_owned();
    assert_eq!(first["size"], text.len());
    assert!(text.contains("| 1月 | 1.2亿 |"), "{text}");
    // A part consists of characters, not bytes.
    let answer = read(&mut client, &format!("{uri}?offset=2&length=2"));
    assert_eq!(content(&answer)["text"], "月份");
    assert_eq!(
        content(&answer)["_meta"]["mitt/part"],
        json!({ "offset": 2, "length": 2, "size": text.chars().count() })
    );
    let answer = read(&mut client, &format!("{uri}?offset=100000"));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");

    let answer = client.call("documents__add", json!({ "name": "a.txt", "text": "hello" }));
    assert_eq!(answer["result"]["structuredContent"]["uri"], "mitt://documents/a.txt", "{answer}");
    client.told("notifications/resources/list_changed");
    let encoded = STANDARD.encode("a,b\n1,2\n");
    let answer = client.call("documents__add", json!({ "name": "a.csv", "base64": encoded }));
    assert_eq!(answer["result"]["structuredContent"]["tables"], 1, "{answer}");
    let answer = client.call("documents__add", json!({ "path": "more.txt" }));
    assert_eq!(answer["result"]["structuredContent"]["name"], "more.txt", "{answer}");
    let answer = client.call("documents__add", json!({ "path": "../../etc/passwd" }));
    assert_eq!(answer["result"]["_meta"]["mitt/error"]["kind"], "denied", "{answer}");
    let answer =
        client.call("documents__add", json!({ "name": "x.pdf", "text": "%PDF-1.7 broken" }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let answer = client.call("document_tool__read_table", json!({ "name": "a.csv" }));
    assert_eq!(text_of(&answer), r#"{"columns":["a","b"],"rows":[[1,2]],"$ref":"t:1"}"#);
}

#[test]
fn files_are_linked_and_read_in_parts() {
    let mut client = Client::initialized(&[]);
    let deliver = |client: &mut Client, filename: &str, markdown: &str| {
        let answer =
            client.call("report__deliver", json!({ "markdown": markdown, "filename": filename }));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["content"][1]["uri"].as_str().unwrap().to_owned()
    };
    let uri = deliver(&mut client, "a b.md", "# Title\n");
    assert_eq!(uri, "mitt://artifacts/a%20b.md");
    client.told("notifications/resources/list_changed");
    let answer = read(&mut client, &uri);
    assert_eq!(content(&answer)["text"], "# Title\n");
    assert_eq!(content(&answer)["mimeType"], "text/markdown");
    let answer = read(&mut client, &format!("{uri}?offset=2&length=5"));
    assert_eq!(content(&answer)["blob"], STANDARD.encode("Title"));

    let uri = deliver(&mut client, "a.pdf", "# Title\n\ntext\n");
    client.told("notifications/resources/list_changed");
    let answer = read(&mut client, &uri);
    let whole = STANDARD.decode(content(&answer)["blob"].as_str().unwrap()).unwrap();
    assert!(whole.starts_with(b"%PDF-"));
    let mut parts = Vec::new();
    while parts.len() < whole.len() {
        let answer = read(&mut client, &format!("{uri}?offset={}&length=4096", parts.len()));
        let part = &content(&answer);
        assert_eq!(part["_meta"]["mitt/part"]["size"], whole.len());
        parts.extend(STANDARD.decode(part["blob"].as_str().unwrap()).unwrap());
    }
    assert!(parts == whole);
    // Reading past the end fails, but not exactly at the end.
    let answer = read(&mut client, &format!("{uri}?offset={}", whole.len()));
    assert_eq!(content(&answer)["blob"], "");
    let answer = read(&mut client, &format!("{uri}?offset={}", whole.len() + 1));
    assert_eq!(answer["error"]["code"], -32602);

    // Another document under the same name changes the content of the same resource.
    client.request("resources/subscribe", json!({ "uri": uri }));
    deliver(&mut client, "a.pdf", "# Another\n");
    assert_eq!(client.told("notifications/resources/updated")["params"]["uri"], uri);
}

/// Also if the first call follows directly after the client's `initialized`, because the service handles both concurrently.
#[test]
fn what_the_first_call_did_is_told_before_its_answer() {
    for _ in 0..10 {
        let mut client = Client::initialized(&[]);
        let arguments = json!({ "markdown": "# A", "filename": "a.md" });
        let call = json!({ "name": "report__deliver", "arguments": arguments });
        let id = client.begin("tools/call", call);
        assert!(!client.until_answer(&json!(id)).is_empty());
    }
}

/// Notifications of a call come before its answer, because some clients leave after it.
#[test]
fn what_a_call_did_is_told_before_its_answer() {
    let mut client = Client::initialized(&[]);
    for (tool, arguments) in [
        ("report__deliver", json!({ "markdown": "# A", "filename": "a.md" })),
        ("report__deliver", json!({ "markdown": "# B", "filename": "b.md" })),
        ("documents__add", json!({ "name": "a.txt", "text": "x" })),
    ] {
        let id = client.begin("tools/call", json!({ "name": tool, "arguments": arguments }));
        let seen = client.until_answer(&json!(id));
        let told = "notifications/resources/list_changed";
        assert!(seen.iter().any(|message| message["method"] == told), "{tool}: {seen:?}");
    }
    // The first one is enough; nothing is repeated.
    client.request("ping", json!({}));
    let late = client.all_within(Duration::from_millis(300));
    assert!(late.is_empty(), "{late:?}");
}

#[test]
fn files_are_in_data_and_text_and_links_can_be_left_out() {
    let named = |name: &str| json!({ "name": name, "version": "0.1.0" });
    for (client_name, args, has_links) in [
        ("test", &[][..], true),
        ("mcp", &[][..], false),
        ("mcp", &["--resource-links", "always"][..], true),
        ("test", &["--resource-links", "never"][..], false),
    ] {
        let args: Vec<String> =
            args.iter().chain(&["--out", "files"]).map(|arg| (*arg).to_owned()).collect();
        let mut client = Client::start(&args);
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": named(client_name),
        });
        // A client that never says that it is ready is not waited for.
        client.request("initialize", params);
        let answer =
            client.call("report__deliver", json!({ "markdown": "# A", "filename": "月 报.md" }));
        let result = &answer["result"];
        let file = &result["structuredContent"]["files"][0];
        assert_eq!(file["name"], "月 报.md", "{answer}");
        assert_eq!(file["uri"], "mitt://artifacts/%E6%9C%88%20%E6%8A%A5.md");
        let path = Path::new(file["path"].as_str().unwrap());
        assert_eq!(std::fs::read_to_string(path).unwrap(), "# A");
        assert!(file.get("url").is_none(), "there is no browser at standard input");
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
        let links = result["content"].as_array().unwrap().iter().skip(1);
        let kinds: Vec<&Value> = links.map(|block| &block["type"]).collect();
        assert_eq!(!kinds.is_empty(), has_links, "{client_name} {args:?}: {kinds:?}");
        // A document that is added is also a link, and its result always names it.
        let answer = client.call("documents__add", json!({ "name": "a.txt", "text": "x" }));
        let count = answer["result"]["content"].as_array().unwrap().len();
        assert_eq!((count == 2, count == 1), (has_links, !has_links), "{answer}");
        assert_eq!(answer["result"]["structuredContent"]["uri"], "mitt://documents/a.txt");
    }
}

#[test]
fn files_are_written_where_the_user_finds_them() {
    let home = tempfile::tempdir().unwrap();
    let deliver = |args: &[&str], home: &Path| {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let mut client = Client::start_at_home(&args, home);
        client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        let answer =
            client.call("report__deliver", json!({ "markdown": "# A", "filename": "a.md" }));
        answer["result"]["structuredContent"]["files"][0].clone()
    };
    let file = deliver(&[], home.path());
    let path = home.path().join("Mitt/a.md");
    assert_eq!(file["path"], path.display().to_string(), "{file}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "# A");
    assert!(file.get("warnings").is_none(), "{file}");
    let told = json!(["in memory only, until the session ends"]);
    for (args, home) in [(&["--no-out"][..], home.path()), (&[], &home.path().join("absent"))] {
        let file = deliver(args, home);
        assert!(file.get("path").is_none() && file["warnings"] == told, "{file}");
    }
}

#[test]
fn skills_are_served_with_digests_that_are_right() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("a-skill");
    std::fs::create_dir_all(folder.join("references/deep")).unwrap();
    let text =
        "---\nname: a-skill\ndescription: shows\nlicense: MIT\nmetadata: {x: '1'}\n---\n\n# A\n";
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
    std::fs::write(folder.join("references/deep/b c.bin"), [0, 255, 1]).unwrap();
    let args =
        ["--skills".to_owned(), root.path().display().to_string(), "--no-bundled-skills".into()];
    let mut client = Client::initialized(&args);
    let answer = client.request("skills/list", json!({}));
    let skills = answer["result"]["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 1, "{answer}");
    let skill = &skills[0];
    assert_eq!(skill["uri"], "skill://a-skill/SKILL.md");
    assert_eq!(skill["frontmatter"]["license"], "MIT");
    assert_eq!(skill["frontmatter"]["metadata"], json!({ "x": "1" }));
    let files = skill["resources"].as_array().unwrap();
    let uris: Vec<&str> = files.iter().map(|file| file["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["skill://a-skill/SKILL.md", "skill://a-skill/references/deep/b%20c.bin"]);
    for file in files {
        let uri = file["uri"].as_str().unwrap();
        let answer = read(&mut client, uri);
        let bytes = match (content(&answer)["text"].as_str(), content(&answer)["blob"].as_str()) {
            (Some(text), None) => text.as_bytes().to_vec(),
            (None, Some(blob)) => STANDARD.decode(blob).unwrap(),
            other => panic!("{other:?}"),
        };
        let entry = rmcp::model::SkillResource::new(
            uri,
            file["digest"].as_str().unwrap(),
            file["size"].as_u64().unwrap(),
        );
        entry.verify(&bytes).unwrap();
    }
    let answer = client.request("skills/get", json!({ "uri": "skill://a-skill/SKILL.md" }));
    assert_eq!(answer["result"]["skill"], *skill);
    let children = |client: &mut Client, uri: &str| -> Vec<String> {
        let answer = client.request("resources/directory/read", json!({ "uri": uri }));
        let list = answer["result"]["resources"].as_array().unwrap_or_else(|| panic!("{answer}"));
        list.iter()
            .map(|it| {
                format!("{} {}", it["name"].as_str().unwrap(), it["mimeType"].as_str().unwrap())
            })
            .collect()
    };
    assert_eq!(children(&mut client, "skill://"), ["a-skill inode/directory"]);
    assert_eq!(
        children(&mut client, "skill://a-skill"),
        ["SKILL.md text/markdown", "references inode/directory"]
    );
    assert_eq!(
        children(&mut client, "skill://a-skill/references/deep/"),
        ["b%20c.bin application/octet-stream"]
    );
    // No spelling reaches files that do not belong to a skill.
    for uri in
        ["skill://a-skill/../a-skill/SKILL.md", "skill://a-skill/skill.yaml", "skill://a-skill/"]
    {
        assert_eq!(read(&mut client, uri)["error"]["code"], -32002, "{uri}");
    }
}

#[test]
fn prompts_are_slash_commands_and_their_values_are_completed() {
    let root = tempfile::tempdir().unwrap();
    for (name, front) in [
        (
            "shown",
            "arguments:\n- {name: kind, description: Which, required: true, enum: [pdf, pptx, xlsx]}\n- {name: document}",
        ),
        ("hidden", "user-invocable: false"),
    ] {
        let folder = root.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: shows\n{front}\n---\n\nWrite $kind of $document.\n"
        );
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    let args =
        ["--skills".to_owned(), root.path().display().to_string(), "--no-bundled-skills".into()];
    let mut client = Client::initialized(&args);
    let answer = client.request("prompts/list", json!({}));
    let prompts = answer["result"]["prompts"].as_array().unwrap();
    assert_eq!(prompts.len(), 1, "{answer}");
    assert_eq!(
        prompts[0]["arguments"][0],
        json!({ "name": "kind", "description": "Which", "required": true })
    );
    let answer = client.request(
        "prompts/get",
        json!({ "name": "shown", "arguments": { "kind": "pdf", "document": "a.txt" } }),
    );
    assert_eq!(answer["result"]["messages"][0]["content"]["text"], "Write pdf of a.txt.");
    let answer =
        client.request("prompts/get", json!({ "name": "shown", "arguments": { "kid": "x" } }));
    assert_eq!(
        answer["error"]["message"],
        "unknown argument `kid`; did you mean `kind`?; `kind` is missing"
    );
    client.call("documents__add", json!({ "name": "Plan.txt", "text": "x" }));
    let complete = |client: &mut Client, reference: Value, name: &str, value: &str| {
        let answer = client.request(
            "completion/complete",
            json!({ "ref": reference, "argument": { "name": name, "value": value } }),
        );
        answer["result"]["completion"]["values"].clone()
    };
    let prompt = json!({ "type": "ref/prompt", "name": "shown" });
    assert_eq!(complete(&mut client, prompt.clone(), "kind", "P"), json!(["pdf", "pptx"]));
    assert_eq!(complete(&mut client, prompt.clone(), "kind", "z"), json!([]));
    assert_eq!(complete(&mut client, prompt, "document", "pl"), json!(["Plan.txt"]));
    let template = |uri: &str| json!({ "type": "ref/resource", "uri": uri });
    let documents = template("mitt://documents/{name}{?offset,length}");
    assert_eq!(complete(&mut client, documents, "name", ""), json!(["Plan.txt"]));
    let skills = template("skill://{skill}/SKILL.md");
    assert_eq!(complete(&mut client, skills, "skill", ""), json!(["hidden", "shown"]));
    let listed = client.request("resources/templates/list", json!({}));
    for template in listed["result"]["resourceTemplates"].as_array().unwrap() {
        let uri = template["uriTemplate"].as_str().unwrap();
        assert!(uri.starts_with("mitt://") || uri.starts_with("skill://"), "{uri}");
    }
}
