//! Logged runs with a model: resumed, replayed, continued as a conversation.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::models::{Server, WISH, recorded, run};
use crate::script_approval::wiper;
use crate::support::{command, root, text};

const FILES: [&str; 2] = ["2024-2025年经营对比.xlsx", "2024-2025年经营总结.pdf"];

fn reports() -> [String; 2] {
    ["examples/yoy/2024年经营报告.xlsx", "examples/yoy/2025年经营报告.docx"]
        .map(|path| root().join(path).to_str().unwrap().to_owned())
}

fn runs(folder: &Path) -> Vec<Value> {
    let (code, stdout, stderr) = run(folder, &["replay", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// Runs a conversation over a pipe, line by line.
fn chat(folder: &Path, args: &[&str], lines: &str) -> (i32, String, String) {
    let mut command = command(folder, &[&["chat"], args].concat());
    command.env_remove("MITT_MODEL").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_run_that_failed_is_resumed_and_its_calls_are_not_made_again() {
    let turns = recorded();
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = reports();
    // The server goes away after the last call.
    let (calls, words) = turns.split_at(turns.len() - 1);
    let server = Server::start(calls.to_vec());
    let args = ["run", "-m", &server.model(), "-d", &old, "-d", &new, WISH];
    let (code, stdout, stderr) = run(folder.path(), &args);
    assert_eq!(code, 9, "{stderr}");
    assert!(FILES.iter().all(|file| stdout.contains(file)), "what was made is told: {stdout}");
    let [kept] = runs(folder.path()).try_into().unwrap();
    assert_eq!((&kept["finished"], &kept["instructions"]), (&json!(false), &json!([WISH])));
    let name = kept["run"].as_str().unwrap();
    assert!(stderr.contains(&format!("`mitt run --resume {name}` goes on with it")), "{stderr}");
    let written = |file: &str| {
        fs::metadata(folder.path().join("out").join(file)).unwrap().modified().unwrap()
    };
    let before = FILES.map(written);

    // Another server replaces it, and the process starts elsewhere.
    let server = Server::start(words.to_vec());
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let state = folder.path().join(".state");
    let mut command = command(&elsewhere, &["run", "-m", &server.model(), "--resume"]);
    let output = command.env("MITT_STATE_DIR", &state).output().unwrap();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    assert!(FILES.iter().all(|file| stdout.contains(file)), "{stdout}");
    assert_eq!(FILES.map(written), before, "nothing is written again");
    let asked = server.body(0).to_string();
    assert!(asked.contains(WISH) && asked.contains(FILES[0]), "{asked}");
    assert_eq!(runs(folder.path())[0]["finished"], true);
    let (code, _, stderr) = run(folder.path(), &["run", "--resume", name]);
    assert_eq!((code, stderr.contains("was followed to its end")), (3, true), "{stderr}");
}

/// The service keeps logs of the same form. Its own log stays as it is, because the service may still write to it.
#[test]
fn a_run_of_the_service_goes_on_in_the_program() {
    let turns = recorded();
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = reports();
    let (calls, words) = turns.split_at(turns.len() - 1);
    let server = Server::start(calls.to_vec());
    let args = ["run", "-m", &server.model(), "-d", &old, "-d", &new, WISH];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 9, "{stderr}");
    let state = folder.path().join(".state");
    let [kept] = runs(folder.path()).try_into().unwrap();
    let log = state.join("runs").join(format!("{}.jsonl", kept["run"].as_str().unwrap()));
    let of_service = state.join("service/runs/t-local/run_abc");
    fs::create_dir_all(&of_service).unwrap();
    let of_service = of_service.join("log.jsonl");
    // The service was killed while it wrote a line.
    let mut content = fs::read(&log).unwrap();
    fs::remove_file(&log).unwrap();
    content.extend_from_slice(b"{\"torn");
    fs::write(&of_service, &content).unwrap();

    let server = Server::start(words.to_vec());
    let args = ["run", "-m", &server.model(), "--resume", "run_abc"];
    let (code, stdout, stderr) = run(folder.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    assert!(FILES.iter().all(|file| stdout.contains(file)), "{stdout}");
    assert!(server.body(0).to_string().contains(WISH));
    assert_eq!(fs::read(&of_service).unwrap(), content, "the log of the service is read alone");
    let [copy] = runs(folder.path()).try_into().unwrap();
    assert_eq!(copy["finished"], true);
    for wrong in ["run_abd", "run_../x", "run_"] {
        let args = ["run", "-m", &server.model(), "--resume", wrong];
        let (code, _, stderr) = run(folder.path(), &args);
        assert_eq!(
            (code, stderr.contains("the service on this machine has no run")),
            (3, true),
            "{stderr}"
        );
    }
}

#[test]
fn a_run_is_replayed_and_tells_where_it_differs() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = reports();
    let moved = folder.path().join("2024年经营报告.xlsx");
    fs::copy(old, &moved).unwrap();
    let server = Server::start(recorded());
    let args = ["run", "-m", &server.model(), "-d", moved.to_str().unwrap(), "-d", &new, WISH];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 0, "{stderr}");

    let (code, stdout, stderr) = run(folder.path(), &["replay", "last", "-o", "again"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("all as they were"), "{stdout}");
    for file in FILES {
        let read = |out: &str| fs::read(folder.path().join(out).join(file)).unwrap();
        assert!(read("out") == read("again"), "{file}: also what it says of when it was made");
    }

    fs::copy(root().join("tests/it/README.md"), &moved).unwrap();
    let (code, stdout, _) = run(folder.path(), &["replay", "last", "--json"]);
    assert_eq!(code, 1, "{stdout}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let differences = report["differences"].as_array().unwrap();
    assert_eq!(differences[0]["of"], "2024年经营报告.xlsx");
    assert_eq!(differences[0]["how"], "its content is not what it was");
    assert!(differences.len() > 1, "{stdout}");
    let (code, _, stderr) = run(folder.path(), &["run", "--resume"]);
    assert_eq!(
        (code, stderr.contains("is not what it was when this run began")),
        (3, true),
        "{stderr}"
    );
    fs::remove_file(moved).unwrap();
    let (code, _, stderr) = run(folder.path(), &["replay", "last"]);
    assert_eq!((code, stderr.contains("is not where it was")), (3, true), "{stderr}");
    assert!(stderr.contains("name the file with `--doc`"), "{stderr}");
}

#[test]
fn a_run_of_the_service_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = reports();
    let server = Server::start(recorded());
    let args = ["run", "-m", &server.model(), "-d", &old, "-d", &new, WISH];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    let state = folder.path().join(".state");
    let [kept] = runs(folder.path()).try_into().unwrap();
    let log = state.join("runs").join(format!("{}.jsonl", kept["run"].as_str().unwrap()));
    let of_service = state.join("service/runs/t-local/run_abc");
    fs::create_dir_all(&of_service).unwrap();
    let of_service = of_service.join("log.jsonl");
    let mut content = fs::read(&log).unwrap();
    fs::remove_file(&log).unwrap();
    content.extend_from_slice(b"{\"torn");
    fs::write(&of_service, &content).unwrap();
    let (code, stdout, stderr) = run(folder.path(), &["replay", "run_abc"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(stdout.contains("run run_abc: ") && stdout.contains("all as they were"), "{stdout}");
    assert_eq!(fs::read(&of_service).unwrap(), content, "the log of the service is only read");
    assert!(runs(folder.path()).is_empty(), "nothing is copied");
    for wrong in ["run_abd", "run_../x", "run_"] {
        let (code, _, stderr) = run(folder.path(), &["replay", wrong]);
        let is_told = stderr.contains("the service on this machine has no run");
        assert_eq!((code, is_told), (3, true), "{stderr}");
    }
}

#[test]
fn a_conversation_takes_documents_goes_on_after_failures_and_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my sales.csv"), "month,dau\nJanuary,12\n").unwrap();
    let make = json!({ "calls": [{
        "id": "c1", "name": "excel_tool__create_excel",
        "arguments": { "data": { "$ref": "my sales.csv" }, "filename": "a.xlsx" },
    }] });
    let server = Server::start(vec![json!({ "text": "Good day." }), make]);
    let model = server.model();
    let (code, stdout, stderr) = chat(
        folder.path(),
        &["-m", &model, "--tools", "all"],
        "Hello\n/docs\nMake an Excel file of @\"my sales.csv\" and @none.csv\n/what\n",
    );
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout, "Good day.\nout/a.xlsx\n");
    for told in
        ["there is no file none.csv", "/continue goes on with it", "there is no skill `/what`"]
    {
        assert!(stderr.contains(told), "{told}: {stderr}");
    }
    let asked = server.body(1)["messages"].to_string();
    assert!(asked.contains("New documents:\\n- my sales.csv: "), "{asked}");

    let server =
        Server::start(vec![json!({ "text": "There it is." }), json!({ "text": "Nothing." })]);
    let (code, stdout, stderr) = chat(
        folder.path(),
        &["-m", &server.model(), "--resume"],
        "/docs\n/continue\n/continue\nAnd \\\nnow?\n/usage\n/log\n/quit\nnever read\n",
    );
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout, "my sales.csv  1 table\nThere it is.\nNothing.\n");
    for told in [
        "said something 2 times",
        "nothing to go on with",
        "2 000 tokens read",
        "mitt chat --resume 2",
    ] {
        assert!(stderr.contains(told), "{told}: {stderr}");
    }
    let asked = server.body(1)["messages"].as_array().unwrap().clone();
    let last = asked.last().unwrap();
    assert_eq!(last["content"], "And \nnow?", "{last}");
    let n_results = asked.iter().filter(|message| message["role"] == "tool").count();
    assert_eq!(n_results, 1, "the finished call was not made again: {asked:?}");
}

#[test]
fn a_run_without_a_log_leaves_none_and_one_that_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let one = || Server::start(vec![json!({ "text": "Yes." })]);
    let (code, _, stderr) =
        run(folder.path(), &["run", "-m", &one().model(), "--no-log", "Is it?"]);
    assert_eq!((code, folder.path().join(".state").exists()), (0, false), "{stderr}");
    let (_, stdout, _) = run(folder.path(), &["replay"]);
    assert!(stdout.starts_with("no run yet"), "{stdout}");
    fs::write(folder.path().join(".state"), "a file").unwrap();
    let (code, stdout, stderr) = run(folder.path(), &["run", "-m", &one().model(), "Is it?"]);
    assert_eq!((code, stdout.as_str()), (0, "Yes.\n"), "{stderr}");
    assert!(stderr.contains("warning: the log of this run cannot be written to "), "{stderr}");
    assert!(stderr.contains("MITT_STATE_DIR") && stderr.contains("--no-log"), "{stderr}");
}

#[test]
fn pictures_go_to_models_that_look_at_them() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.png"), b"\x89PNG\r\n\x1a\n and more").unwrap();
    let server = Server::start(vec![json!({ "text": "A dot." })]);
    let (code, stdout, stderr) =
        run(folder.path(), &["run", "-m", &server.model(), "-d", "a.png", "What is it?"]);
    assert_eq!((code, stdout.as_str()), (0, "A dot.\n"), "{stderr}");
    let shows = |server: &Server, n: usize| {
        server.body(n)["messages"].to_string().matches("data:image/png;base64,").count()
    };
    assert_eq!(shows(&server, 0), 1, "{}", server.body(0));
    // A resumed run has no new message, so a picture has nothing to be shown with.
    let args = ["run", "-m", &server.model(), "--resume", "last", "-d", "a.png"];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!((code, stderr.contains("takes no picture")), (3, true), "{stderr}");
    assert!(stderr.contains("mitt chat --resume 2"), "{stderr}");

    let server = Server::start(vec![json!({ "text": "A dot." }), json!({ "text": "A dot." })]);
    let args = ["-m", &server.model(), "-d", "a.png"];
    let (code, _, stderr) = chat(folder.path(), &args, "What is it?\nSure?\n");
    assert_eq!((code, shows(&server, 0), shows(&server, 1)), (0, 1, 1), "{stderr}");
}

#[test]
fn a_document_is_found_again_beside_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let archive = root().join("plugins/reader-archive/tests/fixtures/nested.zip");
    fs::copy(archive, folder.path().join("nested.zip")).unwrap();
    fs::write(folder.path().join("b.csv"), "month,dau\nJanuary,12\n").unwrap();
    let server = Server::start(Vec::new());
    let model = server.model();
    let args = ["run", "-m", &model, "-d", "nested.zip", "-d", "b.csv", "What is in it?"];
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 9, "{stderr}");
    let server = Server::start(vec![json!({ "text": "Reports." })]);
    let (code, stdout, stderr) = run(folder.path(), &["run", "-m", &server.model(), "--resume"]);
    assert_eq!((code, stdout.as_str()), (0, "Reports.\n"), "{stderr}");
}

#[test]
fn a_document_that_comes_with_resuming_is_there_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "b.csv"] {
        fs::write(folder.path().join(name), "month,dau\nJanuary,12\n").unwrap();
    }
    let say = |args: &[&str]| {
        let server = Server::start(vec![json!({ "text": "Good day." })]);
        let model = server.model();
        let (code, stdout, stderr) =
            chat(folder.path(), &[&["-m", &model], args].concat(), "Hello\n/docs\n");
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    assert_eq!(say(&["-d", "a.csv"]), "Good day.\na.csv  1 table\n");
    say(&["--resume", "-d", "b.csv"]);
    let docs = say(&["--resume"]);
    assert!(docs.contains("a.csv") && docs.contains("b.csv"), "{docs}");
}

#[test]
fn what_comes_over_a_pipe_approves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let wiper = wiper();
    let skills = wiper.path().to_str().unwrap();
    let wipe = json!({ "calls": [{ "id": "c1", "name": "wiper__run", "arguments": {} }] });
    let server = Server::start(vec![wipe, json!({ "text": "No." })]);
    let args = ["-m", &server.model(), "--tools", "all", "--skills", skills, "--trust-skills"];
    let (code, stdout, stderr) = chat(folder.path(), &args, "Wipe it\ny\ny\n");
    assert_eq!((code, stdout.lines().next()), (0, Some("No.")), "{stderr}");
    let asked = server.body(1)["messages"].to_string();
    assert!(asked.contains("was not approved: there is no terminal to ask on"), "{asked}");
}

#[test]
fn a_single_word_is_an_instruction_where_a_model_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let turns = recorded();
    let server = Server::start(turns[turns.len() - 1..].to_vec());
    let (code, _, stderr) = run(folder.path(), &["run", "-m", &server.model(), "continue"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("there is no task `continue`, so it is the instruction"), "{stderr}");
    // What may be a mistyped task is not sent to a model.
    fs::write(folder.path().join("monthly.yaml"), "").unwrap();
    for word in ["monthly", "./monthly", "monthly.yml", "month-ly"] {
        let (code, _, stderr) = run(folder.path(), &["run", "-m", &server.model(), word]);
        assert_eq!(code, 3, "{word}: {stderr}");
        assert!(stderr.contains("cannot read the task"), "{word}: {stderr}");
    }
}
