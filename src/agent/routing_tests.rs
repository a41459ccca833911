//! Conversations behind the gates: what the model receives, which events are sent, what is logged.

use super::*;
use crate::memory_log::MemoryLog;
use crate::route::{Fork, ForkKind, Forks, Guardrail, Router};
use crate::run_usage::RunUsage;

const LETTER: &str = "---\nname: letter\ndescription: Writes letters.\narguments: to year\n---\nWrite to $to ($0) about $year; all: $ARGUMENTS. \\$to, $5.\n";
const HIDDEN: &str =
    "---\nname: hidden-one\ndescription: Helps others.\nuser-invocable: false\n---\nFor models.\n";

/// Returns a stage with skills of a user.
fn stage(turns: impl IntoIterator<Item = Vec<ChatEvent>>) -> (Stage, tempfile::TempDir) {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in [("letter", LETTER), ("hidden-one", HIDDEN)] {
        std::fs::create_dir(root.path().join(name)).unwrap();
        std::fs::write(root.path().join(name).join("SKILL.md"), text).unwrap();
    }
    let host = crate::memory_log::host().skills(root.path()).build().unwrap();
    let stage = Stage::new(turns);
    (Stage { session: host.session(SessionOptions::default()).unwrap(), ..stage }, root)
}

fn agent(stage: &Stage) -> Agent {
    let guardrail = Guardrail::new(stage.model.clone());
    stage.agent().routing(Router::new().guardrail(guardrail)).build()
}

fn system(stage: &Stage, index: usize) -> String {
    let asked = stage.model.asked.lock().unwrap();
    match asked[index].messages.first() {
        Some(Message::System(text)) => text.clone(),
        _ => String::new(),
    }
}

#[tokio::test]
async fn small_talk_costs_few_tokens_and_work_has_all_tools() {
    let stage = Stage::new([says("Hello!"), says("It grew."), says("Bye!"), says("Bye again!")]);
    let agent = agent(&stage);
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.say("Hi there!").await.unwrap();
    assert!(stage.tools(0).is_empty() && stage.size(0) < 600, "{}", stage.size(0));
    assert_eq!(stage.asked(0), ["user: Hi there!"]);
    conversation.say("Which month grew most?").await.unwrap();
    assert!(!stage.tools(1).is_empty() && stage.size(1) > 3 * stage.size(0));
    assert!(system(&stage, 1).contains("# Documents"), "the host's instructions are back");
    assert_eq!(stage.asked(1)[..2], ["user: Hi there!", "model: Hello!"]);
    // With documents that the model does not know yet, nothing is small talk.
    stage.document("a.csv", "a,b\n1,2\n").await;
    conversation.say("thanks").await.unwrap();
    assert!(!stage.tools(2).is_empty() && stage.asked(2).last().unwrap().contains("a.csv"));
    conversation.say("thank you").await.unwrap();
    assert!(stage.tools(3).is_empty());
    // Without routing nothing changes.
    let stage = Stage::new([says("Hello!")]);
    stage.run("Hi there!").await.unwrap();
    assert!(!stage.tools(0).is_empty());
}

#[tokio::test]
async fn what_may_be_an_answer_keeps_its_tools() {
    for asks in
        ["Shall I also make a PDF?", "要不要也导出 PDF？", "Let me know which one.", "请确认一下。"]
    {
        let stage = Stage::new([says(asks), says("Fine.")]);
        let agent = agent(&stage);
        let mut conversation = agent.conversation(&stage.session).await;
        conversation.say("Compare the numbers").await.unwrap();
        conversation.say("ok thanks").await.unwrap();
        assert!(!stage.tools(1).is_empty(), "{asks}");
    }
    // There are results of calls, with which services require tools.
    let list = calls(&[("document_tool__list_documents", json!({}))]);
    let stage = Stage::new([list, says("None."), says("Bye.")]);
    let agent = agent(&stage);
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.say("Which documents are there").await.unwrap();
    conversation.say("thanks").await.unwrap();
    assert!(!stage.tools(2).is_empty());
}

#[tokio::test]
async fn a_model_that_calls_in_small_talk_has_its_tools_from_then_on() {
    let list = calls(&[("document_tool__list_documents", json!({}))]);
    let stage = Stage::new([list, says("Hello!")]);
    agent(&stage).run(&stage.session, "hello").await.unwrap();
    assert!(stage.tools(0).is_empty() && !stage.tools(1).is_empty());
    assert!(system(&stage, 1).contains("# Documents"));
}

#[tokio::test]
async fn a_question_about_abilities_says_so_to_the_model() {
    let stage = Stage::new([says("This and that."), says("Done.")]);
    let agent = agent(&stage);
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.say("你能做什么").await.unwrap();
    let asked = stage.asked(0);
    assert!(asked[0].starts_with("user: 你能做什么\n\n[Intent:Meta] (From the host"), "{asked:?}");
    assert!(!stage.tools(0).is_empty(), "it may look at its skills");
    conversation.say("帮我分析一下好吗").await.unwrap();
    assert_eq!(stage.asked(1).last().unwrap(), "user: 帮我分析一下好吗");
}

#[tokio::test]
async fn a_command_puts_a_skill_into_the_message_without_a_model_choosing() {
    let (stage, _root) =
        stage([says("Dear Ann"), says("Dear Bob"), says("As it is"), says("Ready")]);
    let agent = agent(&stage);
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.say("/Letter 'Ann Lee' $ARGUMENTS").await.unwrap();
    let asked = stage.asked(0).remove(0);
    assert!(asked.starts_with("user: /Letter 'Ann Lee' $ARGUMENTS\n\n(From the host"), "{asked}");
    let body = "Write to Ann Lee (Ann Lee) about $ARGUMENTS; all: 'Ann Lee' $ARGUMENTS. $to, $5.";
    assert!(asked.contains(body), "{asked}");
    // A hint does the same for the next words, and for no others.
    conversation.use_skill("LETTER");
    conversation.say("Bob, about 2025").await.unwrap();
    let asked = stage.asked(1).pop().unwrap();
    assert!(asked.contains("Write to Bob, about 2025 (Bob, about 2025) about ;"), "{asked}");
    conversation.say("//letter Carl").await.unwrap();
    assert_eq!(stage.asked(2).pop().unwrap(), "user: /letter Carl");
    conversation.say("/etc/hosts is what?").await.unwrap();
    assert_eq!(stage.asked(3).pop().unwrap(), "user: /etc/hosts is what?");
}

#[tokio::test]
async fn a_command_of_the_catalogue_brings_its_tools() {
    let stage = Stage::new([says("Ready.")]);
    let router = Router::new();
    let agent = stage.agent().tools(ToolMode::Catalogue).routing(router).build();
    agent.run(&stage.session, "/excel_tool the totals").await.unwrap();
    assert!(stage.tools(0).iter().any(|tool| tool == "excel_tool__create_excel"));
    let asked = stage.asked(0).remove(0);
    assert!(asked.contains("Its tools, which you can call now: excel_tool__"), "{asked}");
}

#[tokio::test]
async fn a_command_that_cannot_be_followed_asks_no_model_and_begins_nothing() {
    let (stage, _root) = stage([]);
    let agent = agent(&stage);
    let routed_traces = Arc::new(Mutex::new(Vec::new()));
    let mut conversation = agent.conversation(&stage.session).await;
    let n_messages = conversation.messages().len();
    for (said, message, trace) in [
        (
            "/lettre x",
            "there is no skill `/lettre`\nhint: did you mean `/letter`?",
            "slash_not_found",
        ),
        (
            "/hidden_one",
            "the skill `hidden-one` is not for people to call",
            "slash_not_user_invocable",
        ),
        (
            "/letter \"x",
            "/letter: argument 1: the quote `\"` at character 1 is not closed",
            "slash_wrong_arguments",
        ),
    ] {
        let seen = routed_traces.clone();
        let sink = Arc::new(move |event: &Event| {
            if let Some(RunEvent::Routed { trace, .. }) = RunEvent::from_event(event) {
                seen.lock().unwrap().push(trace.clone());
            }
        });
        let error = conversation.say_with_sink(said, sink).await.unwrap_err();
        assert!(error.render().starts_with(message), "{}", error.render());
        assert_eq!(routed_traces.lock().unwrap().pop().unwrap(), trace);
    }
    assert!(conversation.messages().len() == n_messages && !conversation.is_unfinished());
    assert_eq!(stage.model.asked.lock().unwrap().len(), 0);
    let journal = serde_json::to_string(&stage.session.journal()).unwrap();
    assert!(journal.contains("slash_not_found"), "{journal}");
}

#[tokio::test]
async fn traces_are_written_down_and_a_resumed_run_knows_them() {
    let (stage, _root) = stage([
        says("Dear Ann"),
        says("Hello"),
        vec![ChatEvent::Note("broken".into())],
        says("Hi"),
    ]);
    let (agent, written) = (agent(&stage), MemoryLog::default());
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    conversation.say("/letter Ann").await.unwrap();
    conversation.say("hello").await.unwrap();
    conversation.say("hello again").await.unwrap_err();
    drop(conversation);
    let run = written.read();
    let traces =
        [(1, "slash_direct"), (2, "confident_direct+chitchat"), (3, "confident_direct+chitchat")];
    assert_eq!(run.traces(), traces.map(|(number, trace)| (number, trace.to_owned())));
    let mut conversation = agent.resume(&stage.session, &run).await;
    assert_eq!(conversation.routed().forks, Forks::Suppressed);
    conversation.go_on().await.unwrap();
    assert!(stage.tools(3).is_empty());
}

#[tokio::test]
async fn what_is_started_passes_the_gates_and_the_guardrail_is_paid_for() {
    const WRITES: Fork = Fork { kind: ForkKind::Plan, writes: true, is_expensive: true };
    let no = r#"{"needs_data_operation": false, "reason": "unclear"}"#;
    let usage = Usage { input: 70, ..Usage::default() };
    let stage = Stage::new([vec![ChatEvent::Text(no.into()), ChatEvent::Usage(usage)]]);
    let (agent, written) = (agent(&stage), MemoryLog::default());
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(written.log());
    let mut run_usage = RunUsage::default();
    for (said, n_asked, is_done, trace) in [
        ("帮我分析销售数据.xlsx", 0, true, "confident_direct+fork+fork_plan"),
        ("你能做什么", 0, false, "confident_direct+meta+fork+fork_plan+fork_suppressed"),
        (
            "python excel",
            1,
            false,
            "confident_direct+fork+fork_plan+fork_needs_confirm+guardrail_refused",
        ),
    ] {
        conversation.begin(said, Vec::new()).await.unwrap();
        let gated = conversation.run_gated(WRITES, async { 7 }).await;
        let started = conversation.gate_result(gated, &mut run_usage);
        assert_eq!(started.is_ok(), is_done, "{said}");
        assert_eq!(stage.model.asked.lock().unwrap().len(), n_asked);
        assert_eq!(conversation.routed().trace.to_string(), trace);
    }
    assert_eq!(written.read().traces().len(), 3);
    let report = run_usage.report(String::new(), Vec::new(), Vec::new());
    assert_eq!(report.usage.input, 70);
}
