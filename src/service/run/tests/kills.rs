//! What a run is after its process was killed at a certain moment.

use super::mortal::{Death, killed, killed_by};
use super::*;
use crate::run::entry::Entry;
use crate::store::{RunKey, Stream};

/// A lease that ends soon after the process.
const LEASE: Duration = Duration::from_secs(3);

fn stage(turns: Vec<Turn>) -> Stage {
    let mut stage = Stage::new(turns);
    stage.options.lease = LEASE;
    stage
}

/// Waits until a record of a run has this text.
async fn until_stored(store: &FolderStore, id: &str, stream: Stream, text: &str) {
    let key = RunKey { tenant: "acme".to_owned(), id: id.to_owned() };
    let waited = async {
        loop {
            let records = store.read(&key, stream, 0, 1_000).await.unwrap();
            if records.iter().any(|it| String::from_utf8_lossy(it).contains(text)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(SOON, waited).await.expect("it is not stored");
}

async fn resumed(runs: &Runs, id: &str) -> RunState {
    until(runs, id, RunStatus::Interrupted).await;
    runs.resume("acme", &Policy::default(), id, None).await.unwrap();
    until(runs, id, RunStatus::Completed).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_stored_before_the_result_that_names_it_is_logged() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = stage(vec![excel("c1", "a.xlsx"), says("Never.").after(&gate), says("Done.")]);
    let store = stage.store.clone();
    // Longer than the moment between the result and the end.
    let slow = Death { blob_delay: Duration::from_millis(500), ..Death::default() };
    let id = killed_by(slow, &stage, async move |runs: Runs| {
        let id = create(&runs, request("A file")).await.id;
        until_stored(&store, &id, Stream::Log, "{\"result\"").await;
        id
    });
    // The model may not have been asked again.
    gate.add_permits(1);
    let runs = stage.start();
    let state = resumed(&runs, &id).await;
    assert_eq!(state.files.len(), 1, "{state:?}");
    assert!(content(&stage, &state.files[0]).await.starts_with(b"PK"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_had_ended_stays_as_it_ended() {
    let stage = stage(vec![says("Done."), says("More.")]);
    let store = stage.store.clone();
    let end = "\"type\":\"ended\"";
    let death = Death { after: Some(end), ..Death::default() };
    let id = killed_by(death, &stage, async move |runs: Runs| {
        let id = create(&runs, request("Go on")).await.id;
        until_stored(&store, &id, Stream::Events, end).await;
        id
    });
    let runs = stage.start();
    let events = follow(&runs, &id, 0).await;
    assert_no_gaps(&events, 1);
    assert_eq!(types(&events).iter().filter(|it| *it == "ended").count(), 1);
    let state = get(&runs, &id).await;
    assert_eq!((state.status, state.text.as_deref()), (RunStatus::Completed, Some("Done.")));
    assert_eq!((state.usage.turns, state.usage.input_tokens), (1, 90));
    let problem = runs.resume("acme", &Policy::default(), &id, None).await.unwrap_err();
    assert_eq!(problem.code, "nothing_to_continue");
    // It goes on like one whose process was not killed.
    runs.say("acme", &Policy::default(), &id, message("More"), None).await.unwrap();
    let after = events.len() as u64;
    until_true(|| stage.model.n_asked() == 2).await;
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!(state.text.as_deref(), Some("More."));
    assert_no_gaps(&follow(&runs, &id, after).await, after + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_earlier_work_is_not_the_end_of_later_work() {
    let stage = stage(vec![says("One."), says("Two."), says("Three.")]);
    // A record that says so, one that does not, and one of an earlier version.
    for (is_later, expected) in [
        (Some(true), RunStatus::Interrupted),
        (Some(false), RunStatus::Completed),
        (None, RunStatus::Interrupted),
    ] {
        let runs = stage.start();
        let id = create(&runs, request("Go on")).await.id;
        follow(&runs, &id, 0).await;
        runs.close(Duration::from_secs(5)).await;
        drop(runs);
        let key = RunKey { tenant: "acme".to_owned(), id: id.clone() };
        let last = stage.store.last(&key, Stream::Events).await.unwrap();
        let mut entry = Entry::read(stage.store.get(&key).await.unwrap()).unwrap();
        assert_eq!((entry.state.status, entry.work.begun_after), (RunStatus::Completed, Some(0)));
        entry.state.status = RunStatus::Running;
        entry.work.begun_after = is_later.map(|is_later| if is_later { last } else { 0 });
        entry.set_owner("worker_gone");
        let record = entry.to_record().unwrap();
        stage.store.update(&record, Some(Duration::from_millis(1))).await.unwrap();
        let runs = stage.start();
        let state = until(&runs, &id, expected).await;
        assert_eq!((state.usage.turns, state.failure), (1, None));
        runs.close(Duration::from_secs(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_goes_on_by_itself_when_its_process_was_lost() {
    let gate = Arc::new(Semaphore::new(0));
    let mut stage = stage(vec![wipe("c1"), says("Never.").after(&gate), says("Done.")]);
    stage.options.tries_after_loss = 2;
    let store = stage.store.clone();
    let id = killed(&stage, async move |runs: Runs| {
        let mut request = request("Wipe it");
        request.options.approvals = Some("allow".to_owned());
        let id = create(&runs, request).await.id;
        until_stored(&store, &id, Stream::Events, "\"type\":\"usage\"").await;
        id
    });
    // The model may not have been asked again.
    gate.add_permits(1);
    let runs = stage.start();
    until(&runs, &id, RunStatus::Completed).await;
    let events = follow(&runs, &id, 0).await;
    assert_no_gaps(&events, 1);
    assert_eq!(types(&events).iter().filter(|it| *it == "ended").count(), 1);
    assert!(stage.wiped() <= 1, "no call that had an effect is made again");
    let key = RunKey { tenant: "acme".to_owned(), id };
    let entry = Entry::read(stage.store.get(&key).await.unwrap()).unwrap();
    assert_eq!((entry.work.losses, entry.work.goes_on), (0, false), "it came to its end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_ends_its_processes_is_set_aside() {
    let gate = Arc::new(Semaphore::new(0));
    let turns = (0..3).map(|_| says("Never.").after(&gate)).chain([says("Done.")]);
    let mut stage = stage(turns.collect());
    stage.options.tries_after_loss = 2;
    let model = stage.model.clone();
    let id = killed(&stage, async move |runs: Runs| {
        let id = create(&runs, request("Go on")).await.id;
        until_true(|| model.n_asked() == 1).await;
        id
    });
    for asked in 2..4 {
        let model = stage.model.clone();
        killed(&stage, async move |_runs: Runs| until_true(|| model.n_asked() == asked).await);
    }
    gate.add_permits(3);
    let runs = stage.start();
    let state = until(&runs, &id, RunStatus::Failed).await;
    let failure = state.failure.unwrap();
    assert_eq!(failure.code, "process_lost_again");
    assert!(failure.message.contains("2 others"), "{failure:?}");
    // A client may still decide that it goes on.
    runs.resume("acme", &Policy::default(), &id, None).await.unwrap();
    until(&runs, &id, RunStatus::Completed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_ends_hands_its_runs_over() {
    let gate = Arc::new(Semaphore::new(0));
    let mut stage = stage(vec![says("Never.").after(&gate), says("Done.")]);
    stage.options.tries_after_loss = 2;
    let runs = stage.start();
    let id = create(&runs, request("Go on")).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    runs.close(Duration::ZERO).await;
    drop(runs);
    let key = RunKey { tenant: "acme".to_owned(), id: id.clone() };
    let entry = Entry::read(stage.store.get(&key).await.unwrap()).unwrap();
    assert_eq!((entry.state.status, entry.work.losses), (RunStatus::Queued, 0));
    let runs = stage.start();
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!(state.text.as_deref(), Some("Done."));
    assert_no_gaps(&follow(&runs, &id, 0).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_models_used_is_known() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = stage(vec![wipe("c1"), says("Never.").after(&gate), says("Done.")]);
    let store = stage.store.clone();
    let id = killed(&stage, async move |runs: Runs| {
        let mut request = request("Wipe it");
        request.options.approvals = Some("allow".to_owned());
        let id = create(&runs, request).await.id;
        until_stored(&store, &id, Stream::Events, "\"type\":\"usage\"").await;
        id
    });
    // The model may not have been asked again.
    gate.add_permits(1);
    let runs = stage.start();
    let state = until(&runs, &id, RunStatus::Interrupted).await;
    assert_eq!((state.usage.turns, state.usage.input_tokens), (1, 90));
    let events = follow(&runs, &id, 0).await;
    let Some(EventData::Ended { usage, .. }) = events.last().map(|event| &event.data) else {
        panic!("{:?}", types(&events))
    };
    assert_eq!(usage.output_tokens, 10);
    let state = resumed(&runs, &id).await;
    assert_eq!((state.usage.turns, state.usage.input_tokens), (2, 180));
}

/// The log is written in the middle of the script.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_that_had_an_effect_is_not_run_again() {
    let code = "import ledger\nledger.wipe()\nwhile True:\n    pass\n";
    let script = calls("c1", "python__run", &json!({ "code": code, "language": "python-lite" }));
    let stage = stage(vec![script, says("Wiped once.")]);
    let wiped = stage.wiped.clone();
    let id = killed(&stage, async move |runs: Runs| {
        let mut request = request("Wipe it");
        request.options.approvals = Some("allow".to_owned());
        let id = create(&runs, request).await.id;
        until_true(|| wiped.load(Ordering::SeqCst) == 1).await;
        id
    });
    let runs = stage.start();
    let state = resumed(&runs, &id).await;
    assert_eq!((state.text.as_deref(), stage.wiped()), (Some("Wiped once."), 1));
    let asked = stage.model.asked(1);
    assert!(asked[2].contains("may have taken effect"), "{asked:?}");
    let is_note = |event: &RunEvent| match &event.data {
        EventData::Note { text } => text.starts_with("it is unknown whether"),
        _ => false,
    };
    assert!(follow(&runs, &id, 0).await.iter().any(is_note));
}
