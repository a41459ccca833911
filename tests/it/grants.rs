//! Bounds on grants: how far a capability goes for one skill.

use std::fs;

use mitt::skill::Manifest;
use mitt::{CacheDir, ErrorKind, Host, Session, SessionOptions};

use crate::support::{cache, kind, root};

/// Opens a session with a bundled skill whose grants are replaced.
fn session(skill: &str, grants: &str) -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join(skill);
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(root().join("skills").join(skill)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
        }
    }
    let yaml = fs::read_to_string(copy.join("skill.yaml")).unwrap();
    let lines = yaml.lines().map(|line| if line.starts_with("grants:") { grants } else { line });
    fs::write(copy.join("skill.yaml"), lines.collect::<Vec<_>>().join("\n")).unwrap();
    let host = Host::builder()
        .cache(CacheDir::new(cache()))
        .skills(folder.path())
        .replace_skill(skill)
        .build()
        .unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    (folder, session)
}

#[tokio::test]
async fn formats_of_files() {
    let (_folder, session) =
        session("report", "grants: [documents, log, {render: {formats: [md, txt]}}]");
    let report =
        session.call("report__deliver", r##"{"markdown": "# a", "filename": "a.md"}"##).await;
    assert!(report.result.is_ok(), "{:?}", report.result);
    let report =
        session.call("report__deliver", r##"{"markdown": "# a", "filename": "a.pdf"}"##).await;
    assert_eq!(kind(&report), ErrorKind::Plugin);
    let text = report.result.unwrap_err().to_string();
    assert!(text.contains("the skill is granted files of `md`, `txt` only, got `pdf`"), "{text}");
}

#[tokio::test]
async fn number_of_files() {
    let (_folder, session) = session("report", "grants: [documents, log, {render: {files: 0}}]");
    let report =
        session.call("report__deliver", r##"{"markdown": "# a", "filename": "a.md"}"##).await;
    let text = report.result.unwrap_err().to_string();
    assert!(text.contains("at most 0 files in one call"), "{text}");
}

#[tokio::test]
async fn tools_that_may_be_called() {
    let grants = "grants: [catalog, documents, log, tables, {tools: {only: [table-tool, report__deliver]}}, workspace]";
    let (_folder, session) = session("python", grants);
    let run = async |code: &str| {
        let report = session.run_script("python", code, None).await.unwrap();
        match &report.script_error {
            Some(error) => Err(error.to_string()),
            None => report.result.map(|json| json.to_string()).map_err(|error| error.render()),
        }
    };
    let sorted = "import table_tool\ntable_tool.sort([{'a': 2}, {'a': 1}], [{'column': 'a'}])";
    assert!(run(sorted).await.is_ok(), "{:?}", run(sorted).await);
    // A capability that is not granted does not exist.
    let error = run("import excel_tool").await.unwrap_err();
    assert!(error.contains("excel_tool"), "{error}");
}

#[tokio::test]
async fn how_much_of_the_workspace() {
    let write = |name: &str, size: usize| format!("open('{name}', 'w').write('x' * {size})");
    for (bounds, code, refusal) in [
        ("{workspace: {bytes: 1KiB}}", write("a", 1024), None),
        ("{workspace: {bytes: 1KiB}}", write("a", 1025), Some("at most 1024 bytes")),
        ("{workspace: {files: 1}}", format!("{}\n{}", write("a", 1), write("a", 2)), None),
        (
            "{workspace: {files: 1}}",
            format!("{}\n{}", write("a", 1), write("b", 1)),
            Some("at most 1 files"),
        ),
        ("{workspace: {readOnly: true}}", write("a", 1), Some("for reading only")),
    ] {
        let (_folder, session) = session(
            "python",
            &format!("grants: [catalog, documents, log, tables, tools, {bounds}]"),
        );
        let report = session.run_script("python", &code, None).await.unwrap();
        match (refusal, report.script_error) {
            (None, error) => assert!(error.is_none(), "{bounds}: {error:?}"),
            (Some(refusal), error) => {
                let error = error.map(|error| error.to_string()).unwrap_or_default();
                assert!(error.contains(refusal), "{bounds}: {error}");
            }
        }
    }
}

#[test]
fn what_is_no_grant() {
    for (grants, problem) in [
        ("[Rendr]", "did you mean `render`?"),
        ("[{render: {format: [md]}}]", "unknown key `format`"),
        ("[{log: {lines: 1}}]", "`log` has no bounds"),
        ("[{workspace: {bytes: 1MB}}]", "a size such as"),
        ("[{workspace: {}, render: {}}]", "one capability in each entry"),
        ("[{tools: {}}]", "only"),
        ("[log, log]", "`log` is named twice"),
        ("[5]", "the name of a capability"),
    ] {
        let yaml = format!(
            "schema: 1\nname: a\nversion: 1.0.0\ndescription: x\ncomponent: a.wasm\ngrants: {grants}\n"
        );
        let error = Manifest::parse(&yaml, "skill.yaml").unwrap_err();
        assert!(error.render().contains(problem), "{grants}: {}", error.render());
    }
}
