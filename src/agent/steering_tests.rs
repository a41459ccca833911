//! Further instructions of the user while a model works.

use super::*;
use crate::Steering;
use crate::memory_log::MemoryLog;
use crate::route::Router;

/// Stage whose user says something during turns of the model.
struct Steered {
    stage: Stage,
    /// Handle of the conversation, once it exists.
    steering: Arc<Mutex<Option<Steering>>>,
    /// Notes for people.
    notes: Arc<Mutex<Vec<String>>>,
    /// Texts that the model was given.
    read: Arc<Mutex<Vec<String>>>,
    log: MemoryLog,
}

impl Steered {
    /// `said` are the user's words by the number of the turn during which they come.
    fn new(
        turns: impl IntoIterator<Item = Vec<ChatEvent>>,
        said: &'static [(u64, &'static str)],
    ) -> Steered {
        let steering = Arc::new(Mutex::new(None::<Steering>));
        let notes = Arc::new(Mutex::new(Vec::new()));
        let (handle, noted) = (steering.clone(), notes.clone());
        let sink = move |event: &Event| match RunEvent::from_event(event) {
            Some(RunEvent::Turn { number, .. }) => {
                let handle = handle.lock().unwrap().clone();
                for (_, text) in said.iter().filter(|(turn, _)| turn == number) {
                    handle.as_ref().unwrap().say(*text).unwrap();
                }
            }
            Some(RunEvent::ModelNote { text, .. }) => noted.lock().unwrap().push(text.clone()),
            _ => {}
        };
        let options = SessionOptions { events: Some(Arc::new(sink)), ..SessionOptions::default() };
        let session = crate::memory_log::host().build().unwrap().session(options).unwrap();
        let stage = Stage { session, ..Stage::new(turns) };
        let (read, log) = (Arc::default(), MemoryLog::default());
        Steered { stage, steering, notes, read, log }
    }

    async fn conversation<'a>(&self, agent: &'a Agent) -> Conversation<'a> {
        let mut conversation = agent.conversation(&self.stage.session).await;
        conversation.log_to(self.log.log());
        let steering = conversation.steer();
        let read = self.read.clone();
        steering.on_read(move |text| read.lock().unwrap().push(text.to_owned()));
        *self.steering.lock().unwrap() = Some(steering);
        conversation
    }
}

#[tokio::test]
async fn the_model_reads_further_words_before_its_next_turn() {
    let read = ("document_tool__list_documents", json!({}));
    let turns = [calls(&[read]), says("First."), says("Second.")];
    let steered = Steered::new(turns, &[(1, "Only 2025"), (1, "in euros"), (2, "Thanks")]);
    let agent = steered.stage.agent().tools(ToolMode::All).build();
    let mut conversation = steered.conversation(&agent).await;
    let report = conversation.say("Compare").await.unwrap();
    // The third text came with what would have been the last answer.
    assert_eq!((report.text.as_str(), report.turns), ("Second.", 3));
    let asked = steered.stage.asked(1);
    assert!(asked[asked.len() - 3].starts_with("tool: "), "after the results: {asked:?}");
    assert_eq!(asked[asked.len() - 2..], ["user: Only 2025", "user: in euros"]);
    let asked = steered.stage.asked(2);
    assert_eq!(asked[asked.len() - 2..], ["model: First.", "user: Thanks"]);
    assert_eq!(*steered.read.lock().unwrap(), ["Only 2025", "in euros", "Thanks"]);
    let note = "the model reads a further instruction of the user now";
    assert_eq!(*steered.notes.lock().unwrap(), [note; 3]);
    let journal = json!(steered.stage.session.journal()).to_string();
    assert!(!journal.contains("euros"), "{journal}");

    let run = steered.log.read();
    assert!(run.is_finished());
    assert_eq!(run.instructions().collect::<Vec<_>>(), ["Compare"]);
    let text = steered.log.text();
    assert_eq!(text.lines().filter(|line| line.starts_with("{\"ended\"")).count(), 1);
    // Wherever the process died, the messages are the same.
    let lines: Vec<_> = text.lines().collect();
    let third = lines.iter().position(|line| line.contains("Thanks")).unwrap();
    for (n, is_read) in [(third, false), (third + 1, true)] {
        let run = steered.log.lines(n);
        assert!(!run.is_finished());
        let stage = Stage::new([says("Second.")]);
        let agent = stage.agent().tools(ToolMode::All).build();
        let mut resumed = agent.resume(&stage.session, &run).await;
        let report = resumed.go_on().await.unwrap().unwrap();
        assert_eq!(report.text, if is_read { "Second." } else { "First." });
        if is_read {
            assert_eq!(stage.asked(0), asked);
        }
    }
}

#[tokio::test]
async fn words_that_come_too_late_stay_in_the_queue() {
    let stage = Stage::new([says("One."), says("Two."), says("Three.")]);
    let agent = stage.agent().build();
    let mut conversation = agent.conversation(&stage.session).await;
    let steering = conversation.steer();
    conversation.say("First").await.unwrap();
    steering.say("late").unwrap();
    assert_eq!(steering.take(), ["late"]);
    conversation.say("Second").await.unwrap();
    assert_eq!(stage.asked(1).last().unwrap(), "user: Second");
    // The next instruction reads what the host does not take.
    steering.say("later").unwrap();
    conversation.say("Third").await.unwrap();
    let asked = stage.asked(2);
    assert_eq!(asked[asked.len() - 2..], ["user: Third", "user: later"]);
    assert!(steering.take().is_empty());
}

#[tokio::test]
async fn files_that_further_words_ask_for_are_missed_like_others() {
    // A file that was made before the words is not what they ask for, and the model is reminded once for each request.
    let turns = [excel(), says("Done."), says("No."), says("Still no.")];
    let steered = Steered::new(turns, &[(2, "Create another Excel file, and a PDF of it")]);
    let agent = steered.stage.agent().tools(ToolMode::All).build();
    let mut conversation = steered.conversation(&agent).await;
    let report = conversation.say("Create an Excel file").await.unwrap();
    assert_eq!(report.missing, ["an Excel file", "a PDF file"]);
    assert_eq!((report.turns, report.delivered), (4, vec!["a.xlsx".to_owned()]));
    let reminder = steered.stage.asked(3).pop().unwrap();
    assert!(reminder.contains("an Excel file and a PDF file were asked for"), "{reminder}");

    // What was missed before is not asked for again with the next request.
    let turns = [says("No."), says("No PDF."), says("No CSV."), says("Neither.")];
    let steered = Steered::new(turns, &[(2, "Save the table as CSV")]);
    let agent = steered.stage.agent().build();
    let mut conversation = steered.conversation(&agent).await;
    let report = conversation.say("Export it as PDF").await.unwrap();
    assert_eq!(report.missing, ["a PDF file", "a CSV file"]);
    let reminder = steered.stage.asked(3).pop().unwrap();
    assert!(reminder.contains("a CSV file was asked for") && !reminder.contains("PDF"));

    // A file that is made after both requests is what both ask for.
    let turns = [calls(&[("document_tool__list_documents", json!({}))]), excel(), says("Done.")];
    let steered = Steered::new(turns, &[(1, "Give me the Excel file as an Excel sheet soon")]);
    let agent = steered.stage.agent().tools(ToolMode::All).build();
    let mut conversation = steered.conversation(&agent).await;
    let report = conversation.say("Create an Excel file").await.unwrap();
    assert_eq!((report.text.as_str(), report.missing.len()), ("Done.", 0));
}

#[tokio::test]
async fn new_documents_are_announced_with_further_words_and_small_talk_gets_tools() {
    let steered =
        Steered::new([says("Hello!"), says("It grew.")], &[(1, "Which month grew most?")]);
    let agent = steered.stage.agent().routing(Router::new()).build();
    let mut conversation = steered.conversation(&agent).await;
    let said = conversation.say("Hi there!");
    let report = said.await.unwrap();
    assert_eq!(report.text, "It grew.");
    assert!(steered.stage.tools(0).is_empty() && !steered.stage.tools(1).is_empty());
    assert_eq!(conversation.history.open().map(|_| ()), None);

    let stage = Stage::new([says("Done.")]);
    let agent = stage.agent().build();
    let mut conversation = agent.conversation(&stage.session).await;
    conversation.steer().say("And this file").unwrap();
    let prepared = conversation.begin("Look", Vec::new()).await;
    prepared.unwrap();
    stage.document("b.csv", "x\n1\n").await;
    conversation.go_on().await.unwrap();
    let said = stage.asked(0).pop().unwrap();
    assert!(said.starts_with("user: And this file\n\nNew documents:\n- b.csv"), "{said}");
}

#[tokio::test]
async fn a_text_waits_with_the_functions_of_the_caller() {
    let function = crate::CallerFunction::new("ask", "", json!({ "type": "object" }));
    // Turns are counted anew after the wait, so the user says it twice.
    let turns = [calls(&[("ask", json!({}))]), says("Soon."), says("Done.")];
    let steered = Steered::new(turns, &[(1, "Hurry")]);
    let agent = steered.stage.agent().functions(vec![function]).unwrap().build();
    let mut conversation = steered.conversation(&agent).await;
    assert_eq!(conversation.say("Look").await.unwrap().pending.len(), 1);
    conversation.provide("c0", "yes", false).unwrap();
    assert_eq!(conversation.go_on().await.unwrap().unwrap().text, "Done.");
    let asked = steered.stage.asked(1);
    assert_eq!(asked[asked.len() - 2..], ["tool: yes", "user: Hurry"]);
}
