//! `mitt run --plan` and `mitt plan show`: a recorded plan, and one that waits for a decision.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::models::{Server, run};
use crate::support::{mitt, root, text};

const EXCEL: &str = "2024-2025年经营对比.xlsx";
const PDF: &str = "2024-2025年经营对比.pdf";

#[test]
fn two_reports_are_compared_by_a_plan_without_a_model() {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(root().join("examples/yoy")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    let output = mitt(folder.path(), &["run", "plan.yaml", "--json"]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    let done: Value = serde_json::from_str(&stdout).unwrap();
    for file in [EXCEL, PDF] {
        assert!(done["artifacts"].to_string().contains(file), "{stdout}");
    }
    assert_eq!(done["missing"], json!([]));
    for line in [
        "plan 1  2024-2025年经营对比  4 steps",
        "· compare  计算两年同比并生成 Excel  (needs read-2024, read-2025)  waiting",
        "▸ read-2024  查看 2024 年报告的表  running",
        "look    compare  attempt 1 passed",
        "✓ months  找出增速最高和最低的月份  (needs read-2024, read-2025)  done: passed",
    ] {
        assert!(stderr.contains(line), "{line} is missing:\n{stderr}");
    }
    // The numbers of the recorded report are those that the scripts print, and are exact.
    let pdf = crate::render::pdf_text(&fs::read(folder.path().join("out").join(PDF)).unwrap());
    let result = |index: usize| done["steps"][index]["result"].as_str().unwrap();
    for (index, part) in [
        (2, "1,590.24"),
        (2, "173,410.00"),
        (2, "38.47%"),
        (2, "22.55%"),
        (3, "41.12%"),
        (3, "34.52%"),
    ] {
        assert!(result(index).contains(part), "{part} is missing:\n{}", result(index));
        assert!(pdf.contains(part), "{part} is missing:\n{pdf}");
    }
    assert!(result(3).contains("收入同比增速最高：11月，41.12%"), "{}", result(3));
}

fn plan_of(title: &str) -> Value {
    json!({
        "thought": "", "title": title, "has_enough_context": false, "steps": [
            { "id": "look", "title": "Look", "description": "Look at it.", "kind": "research", "needs": [] },
        ],
    })
}

fn says(text: &str) -> Value {
    json!({ "text": text })
}

fn show(folder: &Path, args: &[&str]) -> String {
    let (code, stdout, stderr) = run(folder, &[&["plan", "show"], args].concat());
    assert_eq!(code, 0, "{stderr}");
    stdout
}

#[test]
fn a_plan_waits_for_a_decision_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let sales = folder.path().join("sales.csv");
    fs::write(&sales, "month,dau\nJanuary,12\n").unwrap();
    let server = Server::start(vec![says(&plan_of("First").to_string())]);
    let args =
        ["run", "-m", &server.model(), "--plan", "--review", "-d", "sales.csv", "What grew?"];
    let (code, stdout, stderr) = run(folder.path(), &args);
    assert_eq!((code, stdout.as_str()), (11, ""), "{stderr}");
    assert!(stderr.contains("the plan waits for a decision"), "{stderr}");
    assert!(
        stderr.contains("with `--accept`, `--reject TEXT` or `--change FILE` goes on"),
        "{stderr}"
    );
    let shown = show(folder.path(), &[]);
    assert!(
        shown.contains("plan 1 waits for a decision: First\n  · look  Look  waiting"),
        "{shown}"
    );

    // Rejected: another plan is made, which waits again.
    let server = Server::start(vec![says(&plan_of("Second").to_string())]);
    let args = ["run", "-m", &server.model(), "--resume", "--reject", "look at 2024 too"];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 11, "{stderr}");
    assert!(server.body(0).to_string().contains("The plan was rejected: look at 2024 too"));

    // Changed by hand.
    let mut changed: Value = serde_json::from_str(&show(folder.path(), &["--plan"])).unwrap();
    assert_eq!(changed["title"], "Second");
    changed["title"] = "Third".into();
    let mut wrong = changed.clone();
    wrong["steps"][0]["needs"] = json!(["nothing"]);
    fs::write(folder.path().join("wrong.json"), wrong.to_string()).unwrap();
    let server = Server::start(vec![
        says("It was 12."),
        says(r#"{"passed": true, "feedback": ""}"#),
        says("# Growth\n\nJanuary had 12."),
    ]);
    let model = server.model();
    let args = ["run", "-m", &model, "--resume", "--change", "wrong.json"];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("steps[0].needs[0]: expected the id of another step"), "{stderr}");
    fs::write(folder.path().join("plan.json"), changed.to_string()).unwrap();
    let args = ["run", "-m", &model, "--resume", "--change", "plan.json", "--attempts", "1"];
    let (code, stdout, stderr) = run(folder.path(), &args);
    assert_eq!((code, stdout.as_str()), (0, "# Growth\n\nJanuary had 12.\n"), "{stderr}");
    assert!(server.body(0).to_string().contains("sales.csv"), "the documents are those of the run");

    let shown: Value = serde_json::from_str(&show(folder.path(), &["last", "--json"])).unwrap();
    assert_eq!((&shown["number"], &shown["done"]), (&json!(3), &json!(true)));
    assert_eq!(shown["plan"]["title"], "Third");
    let step = &shown["steps"][0];
    assert_eq!((&step["state"], &step["acceptance"]), (&json!("done"), &json!("passed")));
    assert_eq!(
        (&step["result"], &shown["rejected"][0]["text"]),
        (&json!("It was 12."), &json!("look at 2024 too"))
    );
    let (code, _, stderr) = run(folder.path(), &["run", "-m", &model, "--resume", "--accept"]);
    assert_eq!((code, stderr.contains("was followed to its end")), (3, true), "{stderr}");
}

#[test]
fn what_says_something_of_plans_is_refused_without_one() {
    let folder = tempfile::tempdir().unwrap();
    for option in [&["--workers", "2"][..], &["--review"], &["--attempts", "0"]] {
        let args = [&["run", "-m", "http://127.0.0.1:9/v1#m", "Do it"], option].concat();
        let (code, _, stderr) = run(folder.path(), &args);
        assert_eq!(code, 3, "{stderr}");
        assert!(stderr.contains(&format!("`{}` says something of plans", option[0])), "{stderr}");
    }
    for args in [&["run", "--plan", "--steps", "201", "Do it"][..], &["run", "--accept", "Do it"]] {
        assert_eq!(run(folder.path(), args).0, 2, "{args:?}");
    }
    let (code, _, stderr) = run(folder.path(), &["plan", "show"]);
    assert_eq!((code, stderr.contains("there is no run yet")), (3, true), "{stderr}");
}

#[test]
fn calls_of_steps_are_told_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let sales = folder.path().join("sales.csv");
    fs::write(&sales, "month,dau\nJanuary,12\n").unwrap();
    let script = |id: &str, code: &str| json!({ "calls": [{ "id": id, "name": "python__run", "arguments": { "code": code } }] });
    let mut plan = plan_of("Sums");
    plan["steps"][0]["kind"] = "processing".into();
    let read = "print(documents['sales.csv'].tables[0].to_dicts())";
    let server = Server::start(vec![
        says(&plan.to_string()),
        script("c1", "1 / 0"),
        script("c2", read),
        says("It failed, and then it did not."),
        says("# Sums\n\nDone."),
    ]);
    let model = server.model();
    let args = ["run", "-m", &model, "--plan", "--attempts", "0", "-d", "sales.csv", "Add it up"];
    let args = [&args[..], &["--guardrail", "off"]].concat();
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 0, "{stderr}");

    let shown = show(folder.path(), &[]);
    assert!(shown.contains("\n        calls: python__run ×2 (1 failed)\n"), "{shown}");
    let shown: Value = serde_json::from_str(&show(folder.path(), &["last", "--json"])).unwrap();
    let calls = &shown["steps"][0]["attempts"][0]["calls"];
    assert_eq!(calls.as_array().unwrap().len(), 2, "{shown}");
    assert_eq!((&calls[0]["tool"], &calls[0]["failed"]), (&json!("python__run"), &json!(true)));
    assert!(calls[0]["result"].to_string().contains("ZeroDivisionError"), "{shown}");
    assert_eq!(shown["calls_left_out"], false);

    let (code, stdout, stderr) = run(folder.path(), &["replay", "last"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("2 calls made again: all as they were"), "{stdout}");
    assert!(stdout.contains("its report is not written again"), "{stdout}");
    // Another document gives another result.
    fs::write(&sales, "month,dau\nJanuary,120\n").unwrap();
    let (code, stdout, _) = run(folder.path(), &["replay", "last"]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("sales.csv: its content is not what it was"), "{stdout}");
}
