//! Words and personal data at every edge of a session: redacted text does not leave, a block ends the operation, which is
//! never retried, and no message contains the word.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::stream;
use mitt::guard::RuleSet;
use mitt::skill::{HostCall, HostFunction, HostTool};
use mitt::value::{Field, Json, Type};
use mitt::{CacheDir, Error, ErrorKind, Event, Host, HostBuilder, Result, Session, SessionOptions};
use mitt_agent::model::{ChatEvent, ChatModel, ChatRequest, ChatStream, ModelCall};
use mitt_agent::{Agent, RunEvent};
use serde_json::{Value, json};

use crate::script_approval::wiper;
use crate::support::{cache, engines, kind, mitt, script, text};

const RULES: &str = "
rules:
  - {word: 机密文件, id: b}
  - {word: heron, action: redact, id: r}
  - {word: egret, action: flag, severity: low, id: f}
personal-data: {phone: redact}
";

/// `desk__say`: returns its argument, as a result or as a retryable error.
struct Desk;

#[async_trait]
impl HostTool for Desk {
    fn function(&self) -> HostFunction {
        let text = |name| Field::new(name, Type::String, None);
        HostFunction::new("desk", "say", "Says it.")
            .unwrap()
            .param(text("what"))
            .result(Type::String)
    }

    async fn run(&self, _: &dyn HostCall, arguments: Json) -> Result<Json> {
        let what = arguments.get("what").and_then(Json::as_str).unwrap_or_default();
        match what.strip_prefix("fail ") {
            None => Ok(Json::from(what)),
            Some(why) => Err(Error::tool(why).detail(why).hint(why).retryable(true)),
        }
    }
}

fn builder() -> HostBuilder {
    Host::builder().cache(CacheDir::new(cache()))
}

fn session() -> Session {
    let host = builder().guard(RuleSet::yaml("t", RULES).unwrap()).tool(Desk).build().unwrap();
    host.session(SessionOptions::default()).unwrap()
}

/// Checks that neither a word nor redacted text is in the journal.
fn assert_told_nothing(session: &Session) {
    let journal = serde_json::to_string(&session.journal()).unwrap();
    for word in ["机密", "heron", "egret", "13812345678"] {
        assert!(!journal.contains(word), "{word}: {journal}");
    }
}

fn notes(session: &Session) -> Vec<Value> {
    session.journal().into_iter().filter(|entry| entry["kind"] == "guard").collect()
}

#[tokio::test]
async fn documents_are_checked_before_anybody_reads_them() {
    let session = session();
    let table = "bird,phone\nheron,13812345678\negret,1\n";
    let document = session.add_document_bytes("heron.csv", table.into()).await.unwrap();
    assert_eq!(document.name, "[███].csv");
    let cells = &document.tables[0].data;
    let cell = |row, column| cells.cell(row, column, &mut String::new()).as_str().to_owned();
    assert_eq!([cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)], ["[███]", "[███]", "egret", "1"]);
    assert!(
        !document.text.contains("heron") && document.text.contains("[███]"),
        "{}",
        document.text
    );
    assert!(
        document.warnings.iter().any(|it| it.starts_with("rules about content left out ")),
        "{:?}",
        document.warnings
    );
    let found = notes(&session).iter().map(|note| note["found"].to_string()).collect::<String>();
    assert!(
        found.contains("\"r\"") && found.contains("t/phone") && found.contains("\"flag\""),
        "{found}"
    );

    let plain = session.add_document_bytes("a.md", "# A Heron\n\ntext".into()).await.unwrap();
    assert_eq!(plain.text, "# A [███]\n\ntext");
    assert_eq!(plain.characters, plain.text.chars().count() as u64);
    assert!(plain.title.as_ref().is_none_or(|title| !title.contains("Heron")));
    for (name, content, told) in [
        ("a.txt", "這是機 密 文 件", "document `a.txt`: text: blocked by the rule `b`"),
        ("b.csv", "a,b\n1,机密文件\n", "document `b.csv`: text: blocked by the rule `b`"),
        ("机密文件.txt", "x", "the name of a file: blocked by the rule `b`"),
    ] {
        let error = session.add_document_bytes(name, content.into()).await.unwrap_err();
        assert_eq!((error.kind(), error.render().as_str()), (&ErrorKind::Blocked, told));
    }
    assert_eq!(session.documents().len(), 2);
    let clean = session.add_document_bytes("c.csv", b"a,b\n1,2024-01-02\n".to_vec()).await.unwrap();
    assert!(clean.warnings.is_empty());
    let journal = serde_json::to_string(&session.journal()).unwrap();
    assert!(!journal.contains("机密") && !journal.contains("heron"), "{journal}");
}

#[tokio::test]
async fn results_are_checked_and_a_block_is_final() {
    let session = session();
    let say =
        async |what: &str| session.call("desk__say", &json!({ "what": what }).to_string()).await;
    assert_eq!(say("a heron").await.result.unwrap().to_string(), "\"a [███]\"");
    assert_eq!(say("an egret").await.result.unwrap().to_string(), "\"an egret\"");
    let error = say("fail the heron 13812345678").await.result.unwrap_err();
    assert_eq!(error.render(), "the [███] [███]\nthe [███] [███]\nhint: the [███] [███]");
    for what in ["机密文件", "fail 机密文件"] {
        let report = say(what).await;
        assert_eq!(report.attempts.len(), 1);
        let text = report.for_model(1_000).to_string();
        let error = report.result.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Blocked);
        assert!(!error.is_retryable());
        assert_eq!(text, "blocked: tool `desk__say`: blocked by the rule `b`");
    }
    assert_told_nothing(&session);
    // Not even as the name of a tool.
    let error = session.call("机密文件__say", "{}").await.result.unwrap_err();
    assert_eq!(error.render(), "the call: blocked by the rule `b`");
}

#[tokio::test]
async fn output_of_scripts_is_checked_while_it_is_written() {
    for engine in engines() {
        let heard = Arc::new(Mutex::new(String::new()));
        let hears = heard.clone();
        let host = builder().guard(RuleSet::yaml("t", RULES).unwrap()).tool(Desk).build().unwrap();
        let events: mitt::EventSink = Arc::new(move |event: &Event| {
            if let Event::Output { text, .. } = event {
                hears.lock().unwrap().push_str(text);
            }
        });
        let options = SessionOptions { events: Some(events), ..SessionOptions::default() };
        let session = host.session(options).unwrap();
        let code = "print('a her', end='')\nprint('on, 1381234', end='')\nprint('5678')\n'heron'";
        let report = script(&session, &engine, code).await;
        let answer: Value = report.result.unwrap().into();
        assert_eq!(answer["stdout"], "a [███], [███]\n", "{engine}");
        assert_eq!(answer["result"], "[███]", "{engine}");
        assert_eq!(*heard.lock().unwrap(), "a [███], [███]\n", "{engine}");
        let report = script(&session, &engine, "raise ValueError('heron')").await;
        let told = format!("{:?} {}", report.script_error, report.result.unwrap());
        assert!(told.contains("[███]") && !told.contains("heron"), "{engine}: {told}");
        heard.lock().unwrap().clear();
        for code in [
            "try:\n    print('so: 机密')\n    print('文件')\n    print('more')\nexcept BaseException:\n    pass\nprint('on')",
            "import sys\nprint('机密文件', file=sys.stderr)\nprint('on')",
            "'机密文件'",
            "raise ValueError('机密文件')",
        ] {
            let report = script(&session, &engine, code).await;
            assert!(report.script_error.is_none());
            let told = report.result.as_ref().unwrap_err().render();
            assert!(!told.contains("机密"), "{engine}: {told}");
            assert_eq!(kind(&report), ErrorKind::Blocked, "{engine}: {code}");
            assert!(!heard.lock().unwrap().contains("机"), "{engine}: {}", heard.lock().unwrap());
        }
        assert_told_nothing(&session);
    }
}

#[tokio::test]
async fn a_script_cannot_catch_a_block() {
    let session = session();
    let code = "import report\ntry:\n    report.deliver(markdown='机密文件', filename='a.md')\nexcept BaseException:\n    pass\n1";
    for engine in engines() {
        let report = script(&session, &engine, code).await;
        assert_eq!(kind(&report), ErrorKind::Blocked, "{engine}");
        assert!(report.script_error.is_none(), "{engine}");
    }
    assert!(session.artifacts().is_empty());
}

/// Held-back output of a paused script is checked before anybody is asked.
#[tokio::test]
async fn a_script_that_is_blocked_waits_for_nothing() {
    let wiper = wiper();
    let rules = RuleSet::yaml("t", RULES).unwrap();
    let host = builder().skills(wiper.path()).guard(rules).build().unwrap();
    for engine in engines() {
        let session = host.session(SessionOptions::default()).unwrap();
        let code = "import wiper\nprint('机密文件', end='')\nwiper.run()";
        let report = script(&session, &engine, code).await;
        assert_eq!(kind(&report), ErrorKind::Blocked, "{engine}");
        assert!(report.approval.is_none() && session.pending().is_empty(), "{engine}");
        let report =
            script(&session, &engine, "import wiper\nprint('heron', end='')\nwiper.run()").await;
        assert_eq!(session.pending().len(), 1, "{engine}: {:?}", report.result);
    }
}

#[tokio::test]
async fn files_are_checked_before_they_are_drawn() {
    let session = session();
    let deliver =
        async |tool: &str, arguments: Value| session.call(tool, &arguments.to_string()).await;
    let report =
        deliver("report__deliver", json!({ "markdown": "# A heron", "filename": "heron.md" }))
            .await;
    assert_eq!(report.artifacts[0].name, "[███].md");
    assert_eq!(session.artifact_content("[███].md").unwrap(), "# A [███]".as_bytes());
    let data = json!([{ "bird": "heron", "n": 1 }, { "bird": "egret", "n": 13_812_345_678_u64 }]);
    let arguments = json!({ "data": data, "filename": "a.xlsx" });
    deliver("excel_tool__create_excel", arguments).await.result.unwrap();
    use calamine::{Data, Reader as _};
    let content = session.artifact_content("a.xlsx").unwrap();
    let mut book = calamine::Xlsx::new(std::io::Cursor::new(content)).unwrap();
    let sheet = book.worksheet_range("Sheet1").unwrap();
    let redacted = Some(&Data::String("[███]".into()));
    assert_eq!((sheet.get_value((1, 0)), sheet.get_value((2, 1))), (redacted, redacted));
    assert_eq!(sheet.get_value((1, 1)), Some(&Data::Float(1.0)));
    // A long result is checked in another place.
    let rows: Vec<Value> = (0..2_000).map(|n| json!({ "a": n, "b": "heron" })).collect();
    deliver("excel_tool__create_excel", json!({ "data": rows, "filename": "b.xlsx" }))
        .await
        .result
        .unwrap();
    let content = session.artifact_content("b.xlsx").unwrap();
    let mut book = calamine::Xlsx::new(std::io::Cursor::new(content)).unwrap();
    let sheet = book.worksheet_range("Sheet1").unwrap();
    assert_eq!(
        (sheet.get_value((2_000, 1)), sheet.get_value((2_000, 0))),
        (redacted, Some(&Data::Float(1_999.0)))
    );
    let before = session.artifacts().len();
    for (tool, arguments) in [
        ("report__deliver", json!({ "markdown": "机**密**文件", "filename": "b.md" })),
        ("report__deliver", json!({ "markdown": "x", "filename": "机密文件.md" })),
        ("report__deliver", json!({ "markdown": "机密文件", "filename": "b.pdf" })),
        ("excel_tool__create_excel", json!({ "data": [{ "a": "机密文件" }] })),
        ("excel_tool__create_excel", json!({ "data": [{ "机密文件": 1 }] })),
    ] {
        let report = deliver(tool, arguments).await;
        assert_eq!(kind(&report), ErrorKind::Blocked, "{tool}");
        assert_eq!(report.attempts.len(), 1, "{tool}");
    }
    assert_eq!(session.artifacts().len(), before);
    assert_told_nothing(&session);
}

/// Says what it is given.
struct Scripted(Mutex<VecDeque<Vec<ChatEvent>>>);

#[async_trait]
impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn chat<'a>(&'a self, _: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        let turn = self.0.lock().unwrap().pop_front().expect("nothing more is asked");
        Ok(Box::pin(stream::iter(turn.into_iter().map(Ok))))
    }
}

fn says(pieces: &[&str]) -> Vec<ChatEvent> {
    pieces.iter().map(|piece| ChatEvent::Text((*piece).into())).collect()
}

#[tokio::test]
async fn a_model_says_nothing_that_is_blocked_and_hears_nothing_of_it() {
    let told = Arc::new(Mutex::new(String::new()));
    let run = async |turns: Vec<Vec<ChatEvent>>| {
        let hears = told.clone();
        hears.lock().unwrap().clear();
        let events: mitt::EventSink = Arc::new(move |event: &Event| {
            let event = RunEvent::from_event(event);
            if let Some(RunEvent::ModelText { text, .. } | RunEvent::ModelReasoning { text, .. }) =
                event
            {
                hears.lock().unwrap().push_str(text);
            }
        });
        let host = builder().guard(RuleSet::yaml("t", RULES).unwrap()).tool(Desk).build().unwrap();
        let options = SessionOptions { events: Some(events), ..SessionOptions::default() };
        let session = host.session(options).unwrap();
        let model = Arc::new(Scripted(Mutex::new(turns.into())));
        let ended = Agent::builder(model.clone()).build().run(&session, "go").await;
        let left = model.0.lock().unwrap().len();
        (ended.map(|report| report.text), left, notes(&session).len())
    };
    let (answer, ..) = run(vec![says(&["A he", "r", "on and 138", "12345678", "."])]).await;
    assert_eq!(answer.unwrap(), "A [███] and [███].");
    assert_eq!(*told.lock().unwrap(), "A [███] and [███].");
    let (answer, _, noted) = run(vec![says(&["an egret"])]).await;
    assert_eq!((answer.unwrap().as_str(), noted), ("an egret", 1));
    for turn in [
        says(&["It says 机", "密", "文", "件", ", as you know"]),
        says(&["It says 机密文件"]),
        vec![
            ChatEvent::Reasoning("机密".into()),
            ChatEvent::Reasoning("文件".into()),
            ChatEvent::Text("so".into()),
        ],
    ] {
        let (answer, left, _) = run(vec![turn, says(&["again"])]).await;
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Blocked);
        assert_eq!(error.render(), "the model's answer: blocked by the rule `b`");
        assert_eq!(left, 1, "it was not asked again");
        assert!(!told.lock().unwrap().contains('机'), "{}", told.lock().unwrap());
    }
    // A blocked call ends the loop too.
    let arguments = json!({ "what": "机密文件" }).to_string();
    let call = ModelCall { id: "c".into(), name: "desk__say".into(), arguments };
    let (answer, left, _) = run(vec![vec![ChatEvent::Call(call)], says(&["again"])]).await;
    assert_eq!((answer.unwrap_err().kind(), left), (&ErrorKind::Blocked, 1));
}

#[tokio::test]
async fn a_tenant_has_the_rules_of_all_and_its_own() {
    let set = |name, word| RuleSet::lines(name, word).unwrap();
    let host = builder()
        .guard(set("all", "heron"))
        .tenant_guard("a", set("own", "egret"))
        .build()
        .unwrap();
    let blocked = async |tenant: &str, text: &str| {
        let options = SessionOptions { tenant: Some(tenant.into()), ..SessionOptions::default() };
        let session = host.session(options).unwrap();
        session.add_document_bytes("a.txt", text.into()).await.is_err()
    };
    assert!(
        blocked("a", "heron").await && blocked("a", "egret").await && blocked("b", "heron").await
    );
    assert!(!blocked("b", "egret").await);
}

#[tokio::test]
async fn files_of_rules_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("words.txt");
    fs::write(&file, "heron\n").unwrap();
    let host =
        Host::builder().no_cache().bundled_skills(false).guard(file.as_path()).build().unwrap();
    let session = host.session(SessionOptions::default()).unwrap();
    let is_blocked = |text: &str| session.guard().apply(text).is_err();
    assert!(is_blocked("heron") && !is_blocked("egret"));
    let mut changes = host.changes();
    let _watch = host.watch().await.unwrap();
    fs::write(&file, "egret\n").unwrap();
    for _ in 0..100 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        if is_blocked("egret") {
            break;
        }
    }
    assert!(is_blocked("egret") && !is_blocked("heron"));
    // After a mistake the last valid rules stay, and the mistake is reported.
    fs::write(&file, "egret\n*\n").unwrap();
    let change = tokio::time::timeout(std::time::Duration::from_secs(10), changes.next()).await;
    let problems = &change.unwrap().unwrap().problems;
    assert!(problems[0].1.contains("words.txt:2: this word cannot be looked for"), "{problems:?}");
    assert!(is_blocked("egret"));
    assert!(
        Host::builder()
            .no_cache()
            .bundled_skills(false)
            .guard(Path::new("nowhere.txt"))
            .build()
            .is_err()
    );
}

#[test]
fn the_program_blocks_redacts_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| fs::write(folder.path().join(name), content).unwrap();
    write("words.txt", "机密文件\n");
    write("rules.yaml", RULES);
    write("a.txt", "a heron");
    write("b.txt", "這是機密文件");
    let run = |args: &[&str]| {
        let output = mitt(folder.path(), args);
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, _) =
        run(&["ingest", "a.txt", "--words", "words.txt", "--words", "rules.yaml"]);
    assert_eq!((code, stdout.trim()), (0, "a [███]"));
    let (code, stdout, stderr) = run(&["ingest", "b.txt", "--words", "words.txt"]);
    assert_eq!((code, stdout.as_str()), (12, ""));
    assert_eq!(stderr, "error: document `b.txt`: text: blocked by the rule `words/1`\n");
    let (code, stdout, _) = run(&["ingest", "b.txt", "--json", "--words", "words.txt"]);
    assert_eq!(code, 12);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json["error"]["kind"], "blocked");
    let arguments = json!({ "markdown": "机密文件", "filename": "c.md" }).to_string();
    let (code, ..) =
        run(&["call", "report__deliver", "--json", &arguments, "--words", "words.txt"]);
    assert_eq!(code, 12);
    assert!(!folder.path().join("out/c.md").exists());
    let (code, _, stderr) = run(&["ingest", "a.txt", "--words", "nowhere.txt"]);
    assert_eq!(code, 3);
    assert!(stderr.contains("nowhere.txt"), "{stderr}");
    write("mitt.toml", "words = \"words.txt\"\n");
    assert_eq!(run(&["ingest", "b.txt"]).0, 12);
}
