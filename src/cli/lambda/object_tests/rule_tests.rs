//! Rules at their edges: large objects, keys that cannot be written, templates in S3, deadlines.

use std::io::Read as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mitt_base::lock;
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::super::event::Event;
use super::super::function::Function;
use super::super::object_work;
use super::super::payload::Reader;
use super::server::Server;
use super::{created, directly, function, handled, rules};

/// Starts a function with these rules, and a folder for them.
fn with_rules(server: &Server, yaml: &str) -> (Function, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("order.xlsx"), "").unwrap();
    let rules = rules(folder.path(), yaml);
    (function(server, &["--rules", &rules]), folder)
}

#[tokio::test]
async fn an_object_that_is_read_whole_has_a_bound() {
    let server = Server::start().await;
    let yaml = "  - { from: 's3://in-box/*.md', do: render, to: 's3://out-box/{name}.html' }
  - { from: 's3://in-box/*.json', do: fill, template: order.xlsx, to: 's3://out-box/{name}.xlsx' }
";
    let (function, _folder) = with_rules(&server, yaml);
    for (key, most) in [("a.md", 2 << 20), ("a.json", 8 << 20)] {
        server.put(&format!("/in-box/{key}"), vec![b' '; most + 1]);
        let failure = handled(&function, created(&[key])).await.unwrap_err();
        let error = failure.error.render();
        assert_eq!(failure.error_type(), "Mitt.limit", "{error}");
        assert!(error.starts_with(&format!("s3://in-box/{key}: ")), "{error}");
        assert!(error.contains(&most.to_string()), "{error}");
    }
    // The size came with the first bytes, so no others were asked for.
    assert_eq!(lock(&server.state).requests.len(), 2);
}

#[tokio::test]
async fn a_key_with_an_empty_part_is_refused_by_name() {
    let server = Server::start().await;
    let yaml = "  - { from: 's3://in-box/*', do: text, to: 's3://in-box/{ext}/{name}.md' }\n";
    let (function, _folder) = with_rules(&server, yaml);
    server.put("/in-box/README", "text");
    server.put("/in-box/a.csv", "n\n1\n");
    let failure = handled(&function, created(&["README", "a.csv"])).await.unwrap_err();
    let error = failure.error.render();
    assert!(error.contains("this key of an object cannot be used: `/README.md`"), "{error}");
    assert!(server.text("/in-box/csv/a.md").is_some(), "{:?}", server.paths());
    assert_eq!(server.paths().len(), 3);
}

#[tokio::test]
async fn at_the_deadline_an_output_is_given_up_first() {
    let server = Server::start().await;
    let yaml = "  - { from: 's3://in-box/*.csv', do: text, to: 's3://out-box/{name}.md' }\n";
    let (function, _folder) = with_rules(&server, yaml);
    server.put("/in-box/a.csv", "n\n1\n");
    lock(&server.state).silent.insert("/out-box/a.md".to_owned());
    let event = created(&["a.csv"]).to_string();
    let Ok(Event::Objects(event)) = Event::read(event.as_bytes()) else { panic!("{event}") };
    let deadline = Instant::now() + Duration::from_secs(3);
    let work = object_work::handle(&function, &["request-1"], deadline, event);
    let failure = timeout(Duration::from_secs(60), work).await.unwrap().unwrap_err();
    let error = failure.error.render();
    assert_eq!(failure.error_type(), "Mitt.limit", "{error}");
    // The work around it would have ended later, as `invocation`.
    assert!(error.starts_with("s3://out-box/a.md: "), "{error}");
}

#[tokio::test]
async fn a_word_template_may_be_an_object() {
    let server = Server::start().await;
    let yaml = "  - { from: 's3://in-box/*.json', do: fill, template: 's3://in-box/t/order.docx', \
                to: 's3://out-box/{name}.docx' }\n";
    let (function, _folder) = with_rules(&server, yaml);
    let template = json!({ "render": { "text": "Order of {{customer}}.", "name": "t.docx" } });
    let template = directly(&function, template, Reader::Caller).await.unwrap();
    let template = STANDARD.decode(template["files"][0]["base64"].as_str().unwrap()).unwrap();
    server.put("/in-box/t/order.docx", template);
    server.put("/in-box/x.json", r#"{"customer": "公司"}"#);
    let report = handled(&function, created(&["x.json"])).await;
    let report = report.unwrap_or_else(|failure| panic!("{}", failure.error.render()));
    assert_eq!(report["objects"][0]["outputs"][0]["s3"], "s3://out-box/x.docx", "{report}");
    let made = lock(&server.state).objects["/out-box/x.docx"].clone();
    let mut made = zip::ZipArchive::new(std::io::Cursor::new(made)).unwrap();
    let mut text = String::new();
    made.by_name("word/document.xml").unwrap().read_to_string(&mut text).unwrap();
    assert!(text.contains("公司") && !text.contains("customer"), "{text}");
    // One that is gone is named.
    lock(&server.state).objects.remove("/in-box/t/order.docx");
    let failure = handled(&function, created(&["x.json"])).await.unwrap_err();
    let error = failure.error.render();
    assert!(error.starts_with("s3://in-box/t/order.docx: there is no such object"), "{error}");
}
