//! Calls that the end of their process stopped: no effect is repeated, and what has none is made again.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::memory_log::MemoryLog;
use crate::replay;
use mitt::skill::{HostCall, HostFunction, HostTool, ToolPolicy};
use mitt::value::{Json, Type};
use mitt::{ApprovalRequest, Approver, Decision};

const UNKNOWN: &str = "it may have taken effect or not";

/// A tool that counts its calls. The first call does not return.
#[derive(Clone, Default)]
struct Notes {
    policy: ToolPolicy,
    made: Arc<AtomicUsize>,
}

impl Notes {
    fn new(policy: ToolPolicy) -> Notes {
        Notes { policy, made: Arc::default() }
    }

    fn made(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl HostTool for Notes {
    fn function(&self) -> HostFunction {
        let function = HostFunction::new("notes", "add", "Adds a note.").unwrap();
        let function = function.result(Type::String).policy(self.policy.clone());
        function.time(Duration::from_secs(60))
    }

    async fn run(&self, _: &dyn HostCall, _: Json) -> Result<Json> {
        if self.made.fetch_add(1, Ordering::SeqCst) == 0 {
            std::future::pending::<()>().await;
        }
        Ok(Json::from("added"))
    }
}

/// Counts the questions. Approves each call, refuses it, or never decides.
#[derive(Clone, Default)]
struct Person {
    asked: Arc<AtomicUsize>,
    never_decides: bool,
    refuses: bool,
}

#[async_trait]
impl Approver for Person {
    async fn decide(&self, _: &ApprovalRequest) -> Decision {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.never_decides {
            std::future::pending::<()>().await;
        }
        if self.refuses { Decision::Deny("no".to_owned()) } else { Decision::Approve }
    }
}

/// Returns a stage with the tool, and the notices for people.
fn stage(
    tool: &Notes,
    person: &Person,
    turns: impl IntoIterator<Item = Vec<ChatEvent>>,
) -> (Stage, Arc<Mutex<Vec<String>>>) {
    let notices = Arc::<Mutex<Vec<String>>>::default();
    let heard = notices.clone();
    let options = SessionOptions {
        approver: Some(Arc::new(person.clone())),
        events: Some(Arc::new(move |event| {
            if let Some(RunEvent::ModelNote { text, .. }) = RunEvent::from_event(event) {
                heard.lock().unwrap().push(text.clone());
            }
        })),
        ..SessionOptions::default()
    };
    let host = crate::memory_log::host().tool(tool.clone()).build().unwrap();
    let session = host.session(options).unwrap();
    (Stage { session, ..Stage::new(turns) }, notices)
}

fn directly() -> Vec<ChatEvent> {
    calls(&[("notes__add", json!({}))])
}

/// A script that delivers a file and then calls the tool.
fn by_script() -> Vec<ChatEvent> {
    let code = "import excel_tool\nimport notes\n\
        excel_tool.create_excel(data=[{'a': 1}], filename='a.xlsx')\nnotes.add()";
    calls(&[("python__run", json!({ "code": code, "language": "python-lite" }))])
}

/// Says something, and stops when this holds.
async fn stopped(conversation: &mut Conversation<'_>, holds: impl Fn() -> bool) {
    let until = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        done = conversation.say("Note it") => panic!("it ended: {done:?}"),
        () = until => {}
    }
}

fn is_told(notices: &Mutex<Vec<String>>) -> bool {
    notices.lock().unwrap().iter().any(|text| text.starts_with("it is unknown whether"))
}

#[tokio::test]
async fn only_a_call_that_may_have_had_an_effect_is_not_made_again() {
    let policies = [
        (ToolPolicy::default(), false),
        (ToolPolicy { destructive: true, ..ToolPolicy::default() }, false),
        (ToolPolicy { idempotent: true, ..ToolPolicy::default() }, true),
        (ToolPolicy { read_only: true, ..ToolPolicy::default() }, true),
    ];
    for (policy, is_repeated) in policies {
        for turn in [directly(), by_script()] {
            let (tool, written) = (Notes::new(policy.clone()), MemoryLog::default());
            let (first, _) = stage(&tool, &Person::default(), [turn]);
            let agent = first.agent().tools(ToolMode::All).build();
            let mut conversation = agent.conversation(&first.session).await;
            conversation.log_to(written.log());
            stopped(&mut conversation, || tool.made() == 1).await;
            assert_eq!(written.text().contains("{\"making\""), !is_repeated, "{policy:?}");
            // Another process.
            let (second, notices) = stage(&tool, &Person::default(), [says("Noted.")]);
            let agent = second.agent().tools(ToolMode::All).build();
            let mut conversation = agent.resume(&second.session, &written.read()).await;
            assert_eq!(conversation.go_on().await.unwrap().unwrap().text, "Noted.");
            assert_eq!(tool.made(), 1 + usize::from(is_repeated), "{policy:?}");
            let asked = second.asked(0);
            assert_eq!(asked.last().unwrap().contains(UNKNOWN), !is_repeated, "{asked:?}");
            assert_eq!(is_told(&notices), !is_repeated, "{notices:?}");
        }
    }
}

#[tokio::test]
async fn a_call_has_not_begun_while_its_approval_waits() {
    for turn in [directly(), by_script()] {
        let tool = Notes::new(ToolPolicy { destructive: true, ..ToolPolicy::default() });
        // None of its calls hangs.
        tool.made.store(1, Ordering::SeqCst);
        let (written, person) =
            (MemoryLog::default(), Person { never_decides: true, ..Person::default() });
        let (first, _) = stage(&tool, &person, [turn]);
        let agent = first.agent().tools(ToolMode::All).build();
        let mut conversation = agent.conversation(&first.session).await;
        conversation.log_to(written.log());
        stopped(&mut conversation, || person.asked.load(Ordering::SeqCst) == 1).await;
        assert!(!written.text().contains("{\"making\""), "{}", written.text());
        // Another process, in which somebody decides.
        let (second, notices) = stage(&tool, &Person::default(), [says("Noted.")]);
        let agent = second.agent().tools(ToolMode::All).build();
        let mut conversation = agent.resume(&second.session, &written.read()).await;
        conversation.go_on().await.unwrap().unwrap();
        assert_eq!((tool.made(), is_told(&notices)), (2, false));
    }
}

#[tokio::test]
async fn a_stopped_call_is_unknown_in_the_same_process_too() {
    let tool = Notes::new(ToolPolicy::default());
    let (stage, notices) =
        stage(&tool, &Person::default(), [directly(), says("Sorry."), directly(), says("Done.")]);
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    stopped(&mut conversation, || tool.made() == 1).await;
    // The user says something else in place of going on.
    assert_eq!(conversation.say("Never mind").await.unwrap().text, "Sorry.");
    let asked = stage.asked(1);
    assert!(asked[asked.len() - 2].contains(UNKNOWN), "{asked:?}");
    assert!(is_told(&notices), "{notices:?}");
    // A later call may have the same id.
    assert_eq!(conversation.say("Note it").await.unwrap().text, "Done.");
    assert_eq!(tool.made(), 2);
}

#[tokio::test]
async fn a_result_with_files_is_logged_after_its_files_are_stored() {
    let describe = ("table_tool__describe", json!({ "data": [{ "a": 1 }] }));
    let stage = Stage::new([calls(&[describe]), excel(), says("Done.")]);
    let written = MemoryLog::default();
    let seen = Arc::<Mutex<Vec<usize>>>::default();
    let log = {
        let (written, seen) = (written.clone(), seen.clone());
        written.log().after_files(move || {
            let (written, seen) = (written.clone(), seen.clone());
            async move {
                tokio::task::yield_now().await;
                seen.lock().unwrap().push(written.text().matches("{\"result\"").count());
            }
        })
    };
    let agent = stage.agent().tools(ToolMode::All).build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.log_to(log);
    conversation.say("Give me an Excel file").await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [1], "asked once, when the first result was logged");
    assert_eq!(written.text().matches("{\"result\"").count(), 2);
}

/// An approval counts once, and a denial counts for ever.
#[tokio::test]
async fn a_replay_makes_no_destructive_call() {
    for approves in [true, false] {
        let policy = ToolPolicy { destructive: true, ..ToolPolicy::default() };
        let (tool, written) = (Notes::new(policy.clone()), MemoryLog::default());
        // Its first call would not return.
        tool.made.store(1, Ordering::SeqCst);
        let person = Person { refuses: !approves, ..Person::default() };
        let (stage, _) = stage(&tool, &person, [directly(), says("Done.")]);
        let agent = stage.agent().tools(ToolMode::All).build();
        let mut conversation = agent.conversation(&stage.session).await;
        conversation.log_to(written.log());
        conversation.say("Note it").await.unwrap();
        assert_eq!(tool.made(), 1 + usize::from(approves));
        let again = Notes::new(policy);
        let host = crate::memory_log::host().tool(again.clone()).build().unwrap();
        let session = host.session(SessionOptions::default()).unwrap();
        let replayed = replay(&session, &written.read()).await;
        assert_eq!((replayed.calls, replayed.destructive, again.made()), (0, 1, 0), "{replayed:?}");
        assert!(replayed.differences.is_empty(), "{replayed:?}");
    }
}
