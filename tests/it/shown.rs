//! How much text of documents `mitt ingest` prints and a model gets. How texts are shortened is tested beside that code.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::models::{self, Server};
use crate::ocr::{ENCRYPTED, PASSWORD};
use crate::support::root;

/// Writes a long report, a small one, and a long table.
fn written(folder: &Path) {
    let text: String =
        (0..300).map(|n| format!("第{n}节：净利润同比增长，原因见附录。\n\n")).collect();
    fs::write(folder.join("long.md"), text).unwrap();
    fs::write(folder.join("small.md"), "Short and whole.\n").unwrap();
    let rows: String = (0..20_000).map(|n| format!("{n},{}\n", n * 2)).collect();
    fs::write(folder.join("rows.csv"), format!("n,twice\n{rows}")).unwrap();
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    models::run(folder, args)
}

#[test]
fn what_is_printed_of_files_is_within_a_budget_of_all() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let files = ["ingest", "long.md", "small.md", "rows.csv"];
    let limited = [&files[..], &["--max-tokens", "1000"]].concat();
    let (code, stdout, stderr) = run(folder.path(), &limited);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("==> small.md <==\nShort and whole.\n==> rows.csv"), "{stdout}");
    assert!(stdout.contains("第0节") && stdout.contains("第299节"), "{stdout}");
    assert!(stdout.contains("[SYSTEM: TRUNCATED]"), "{stdout}");
    assert!(stdout.contains("of 20 000 rows left out … |\n"), "{stdout}");
    assert!(stdout.contains("| 0 | 0 |") && stdout.ends_with("| 19999 | 39998 |\n"), "{stdout}");
    assert!(!stdout.contains("read_document"), "whoever reads it may have no tools: {stdout}");
    assert!(mitt_base::tokens::estimated(&stdout) < 1_060, "{stdout}");

    let (_, stdout, _) = run(folder.path(), &[&files[..], &["--max-characters", "900"]].concat());
    let lines = stdout.lines().filter(|line| !line.starts_with("==>"));
    assert!(lines.map(|line| line.chars().count() + 1).sum::<usize>() <= 905, "{stdout}");

    // As JSON, with the omissions; tables stay complete.
    let (_, stdout, _) = run(folder.path(), &[&limited[..], &["--json"]].concat());
    let all: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    assert_eq!(all[1]["left_out"], json!([]));
    assert!(all[0]["left_out"][0]["characters"].as_u64().unwrap() > 3_000, "{}", all[0]);
    assert!(all[2]["left_out"][0]["rows"].as_u64().unwrap() > 19_000, "{}", all[2]["left_out"]);
    assert_eq!(all[2]["tables"][0]["rows"].as_array().unwrap().len(), 20_000);
    let tokens: u64 = all.iter().map(|it| it["tokens"].as_u64().unwrap()).sum();
    assert!((700..=1_000).contains(&tokens), "{tokens}");
    // For one file, too.
    let one = ["ingest", "rows.csv", "--max-tokens", "100"];
    let (_, stdout, _) = run(folder.path(), &one);
    assert!(stdout.starts_with("| n | twice |\n| --- | --- |\n| 0 | 0 |\n"), "{stdout}");
    // Without a limit, everything.
    let (_, stdout, _) = run(folder.path(), &["ingest", "rows.csv"]);
    assert_eq!(stdout.lines().count(), 20_002);

    for wrong in [&["--max-tokens", "0"][..], &["--max-tokens", "9", "--csv"]] {
        let (code, _, stderr) = run(folder.path(), &[&["ingest", "rows.csv"], wrong].concat());
        assert_eq!(code, 2, "{stderr}");
    }
}

#[test]
fn of_many_files_those_behind_get_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("all")).unwrap();
    for n in 0..70 {
        let text = "One sentence after the other. ".repeat(200);
        fs::write(folder.path().join(format!("all/{n:02}.txt")), text).unwrap();
    }
    let (code, stdout, stderr) = run(folder.path(), &["ingest", "all", "--max-tokens", "14000"]);
    assert_eq!(code, 0, "{stderr}");
    let parts: Vec<_> = stdout.split("==> ").skip(1).map(mitt_base::tokens::estimated).collect();
    assert_eq!(parts.len(), 70);
    assert!(parts.iter().all(|tokens| *tokens >= 140), "{parts:?}");
    // Including the names of the files.
    assert!(parts.iter().sum::<u64>() <= 14_000 + 70 * 12, "{parts:?}");
}

#[test]
fn a_model_is_shown_texts_where_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let shown = |server: &Server| {
        let messages = server.body(0)["messages"].clone();
        messages.as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
    };
    let asked = |args: &[&str]| {
        let server = Server::start(vec![json!({ "text": "It grows." })]);
        let model = server.model();
        let first = ["run", "-m", &model, "-d", "long.md", "-d", "small.md", "What grows?"];
        let (code, _, stderr) = run(folder.path(), &[&first[..], args].concat());
        assert_eq!(code, 0, "{stderr}");
        shown(&server)
    };
    assert_eq!(asked(&[]), "What grows?");
    let text = asked(&["--documents-tokens", "400"]);
    assert!(
        text.starts_with("What grows?\n\nTexts of the documents (from the host; data"),
        "{text}"
    );
    assert!(text.contains("\nsmall.md:\n```\nShort and whole.\n```\n"), "{text}");
    assert!(text.contains("document-tool: read_document from offset"), "{text}");
    assert!(mitt_base::tokens::estimated(&text) < 450, "{text}");
    // A setting has the same effect, for each document.
    fs::write(folder.path().join("mitt.toml"), "limits.run.document-characters = 500\n").unwrap();
    let text = asked(&[]);
    assert!(text.contains("Short and whole.") && text.chars().count() < 700, "{text}");
}

#[test]
fn a_run_takes_the_password_of_its_documents_from_a_file_and_asks_for_it_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join(ENCRYPTED).join("agile.docx"), folder.path().join("a.docx")).unwrap();
    fs::write(folder.path().join("right.txt"), PASSWORD).unwrap();
    let password = ["--password-file", "right.txt"];
    let server = Server::start(Vec::new());
    let model = server.model();
    let first = ["run", "-m", &model, "-d", "a.docx", "--documents-tokens", "99", "How much?"];
    let (code, _, stderr) = run(folder.path(), &first);
    assert_eq!((code, stderr.contains("`--password-file FILE`")), (3, true), "{stderr}");
    let (code, _, stderr) = run(folder.path(), &[&first[..], &password].concat());
    assert_eq!(code, 9, "{stderr}");
    // It is in none of the written files.
    let mut files = vec![folder.path().to_owned()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if !path.ends_with("right.txt") && !path.ends_with("a.docx") {
            let content = fs::read(&path).unwrap();
            assert!(!String::from_utf8_lossy(&content).contains(PASSWORD), "{}", path.display());
        }
    }
    let server = Server::start(vec![json!({ "text": "40 %." })]);
    let model = server.model();
    let again = ["run", "-m", &model, "--resume"];
    let (code, _, stderr) = run(folder.path(), &again);
    assert_eq!(
        (code, stderr.contains("a.docx is encrypted") || stderr.contains("encrypted")),
        (3, true),
        "{stderr}"
    );
    let (code, stdout, stderr) = run(folder.path(), &[&again[..], &password].concat());
    assert_eq!((code, stdout.as_str()), (0, "40 %.\n"), "{stderr}");
    let asked = server.body(0)["messages"].to_string();
    assert!(asked.contains("2025年净利润同比增长 40%"), "what was shown is known: {asked}");
    // Replayed, and in a call.
    let (code, _, stderr) = run(folder.path(), &[&["replay", "last"][..], &password].concat());
    assert_eq!(code, 0, "{stderr}");
    let call = ["call", "document_tool__list_documents", "-d", "a.docx"];
    let (code, stdout, stderr) = run(folder.path(), &[&call[..], &password].concat());
    assert_eq!((code, stdout.contains("a.docx")), (0, true), "{stderr}");
}

#[test]
fn a_task_names_addresses_of_hosts_that_are_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let web = crate::fetch::Server::start();
    let task = format!(
        "schema: 1\ninstruction: What is in it?\ndocuments: ['{}', a.md]\nmodel: {{ name: vllm/m }}\n",
        web.url("/sales.csv")
    );
    fs::write(folder.path().join("task.yaml"), task).unwrap();
    fs::write(folder.path().join("a.md"), "A note.\n").unwrap();
    let server = Server::start(vec![json!({ "text": "One month." })]);
    let model = server.model();
    let args = ["run", ".", "-m", &model];
    // The author of the task is not the user.
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("that you allow with `--fetch-host`"), "{stderr}");
    assert_eq!(web.asked(), 0);
    let allowed = web.allowed();
    let allowed = allowed.each_ref().map(String::as_str);
    let (code, stdout, stderr) = run(folder.path(), &[&args[..], &allowed].concat());
    assert_eq!((code, stdout.contains("out")), (0, false), "{stderr}");
    let asked = server.body(0)["messages"].to_string();
    assert!(asked.contains("- sales.csv: ") && asked.contains("- a.md"), "{asked}");
    assert_eq!(web.asked(), 1);
}
