//! What people do on the page: titles, the search, words of a tenant, and examples.

use super::*;
use crate::store::ListRuns;

/// Follows a run of any tenant to its end, and returns it.
async fn ended(runs: &Runs, tenant: &str, id: &str) -> RunState {
    let events = runs.events(tenant, id, 0, true).await.unwrap();
    tokio::time::timeout(SOON, events.collect::<Vec<_>>()).await.unwrap();
    runs.get(tenant, id).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_renamed_while_it_works_and_at_rest() {
    let gate = Arc::new(Semaphore::new(0));
    let stage = Stage::new(vec![says("One.").after(&gate), says("Two.")]);
    let runs = stage.start();
    let id = create(&runs, request("First")).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    for title in ["Working", "Still working"] {
        let renamed = runs.rename("acme", &id, title).await.unwrap();
        assert_eq!((renamed.title.as_str(), renamed.status), (title, RunStatus::Running));
        assert_eq!(get(&runs, &id).await.title, title);
    }
    gate.add_permits(1);
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!((state.title.as_str(), state.text.as_deref()), ("Still working", Some("One.")));
    let renamed = runs.rename("acme", &id, "At rest").await.unwrap();
    assert_eq!((renamed.title.as_str(), renamed.status), ("At rest", RunStatus::Completed));
    // The titles in the inbox are older, and are not read again.
    runs.say("acme", &Policy::default(), &id, message("Second"), None).await.unwrap();
    until_true(|| stage.model.n_asked() == 2).await;
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!((state.title.as_str(), state.text.as_deref()), ("At rest", Some("Two.")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_title_survives_that_its_run_is_cancelled() {
    let stage = Stage::new(Vec::new());
    let runs = stage.start();
    let id = create(&runs, request("Wait")).await.id;
    until_true(|| stage.model.n_asked() == 1).await;
    runs.rename("acme", &id, "Mine").await.unwrap();
    assert_eq!(runs.cancel("acme", &id).await.unwrap().status, RunStatus::Cancelled);
    assert_eq!(get(&runs, &id).await.title, "Mine");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_title_is_one_short_line_of_the_tenants_own_run() {
    let stage = Stage::new(vec![says("Done.")]);
    let runs = stage.start();
    let id = create(&runs, request("Go")).await.id;
    until(&runs, &id, RunStatus::Completed).await;
    for wrong in [" ", "a\nb", "\u{7}", &"x".repeat(201)] {
        let problem = runs.rename("acme", &id, wrong).await.unwrap_err();
        assert_eq!((problem.status, problem.errors[0].pointer.as_str()), (422, "/title"));
    }
    assert_eq!(runs.rename("other", &id, "Mine").await.unwrap_err().status, 404);
    let longest = "年".repeat(200);
    assert_eq!(runs.rename("acme", &id, &longest).await.unwrap().title, longest);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_are_found_by_their_titles_instructions_and_answers() {
    let stage = Stage::new(vec![says("A heron."), says("Done."), says("Done."), says("Done.")]);
    let runs = stage.start();
    let mut ids = Vec::new();
    for (instruction, title) in [
        ("Which bird?", None),
        ("Name a Heron", Some("Birds")),
        ("Compare", Some("HERONS and others")),
        ("Compare", None),
    ] {
        let new = CreateRun { title: title.map(str::to_owned), ..request(instruction) };
        let id = create(&runs, new).await.id;
        until(&runs, &id, RunStatus::Completed).await;
        ids.insert(0, id);
    }
    let search = async |text: &str, limit: usize, before: Option<&String>| {
        let list = ListRuns { limit, before: before.cloned(), status: None };
        let (found, next) = runs.search("acme", &list, text).await.unwrap();
        assert!(found.iter().all(|state| state.request.is_none()));
        (found.into_iter().map(|state| state.id).collect::<Vec<_>>(), next)
    };
    assert_eq!(search("heron", 10, None).await, (ids[1..].to_vec(), None));
    assert_eq!(search("HERON", 2, None).await, (ids[1..3].to_vec(), Some(ids[2].clone())));
    assert_eq!(search("heron", 2, Some(&ids[2])).await, (vec![ids[3].clone()], None));
    assert_eq!(search("nothing", 2, None).await, (Vec::new(), None));
    let list = ListRuns { limit: 10, before: None, status: Some("failed".to_owned()) };
    assert!(runs.search("acme", &list, "heron").await.unwrap().0.is_empty());
    let list = ListRuns { status: None, ..list };
    assert!(runs.search("other", &list, "heron").await.unwrap().0.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_of_a_tenant_count_in_all_of_its_runs() {
    let said = || says("The heron flew.");
    let stage = Stage::new(vec![said(), said(), said()]);
    let runs = stage.start();
    let words =
        |rules: &[&str]| WordRules { rules: rules.iter().map(|rule| (*rule).to_owned()).collect() };
    assert_eq!(runs.words("acme").await.unwrap(), WordRules::default());
    let problem = runs.set_words("acme", &words(&["heron", "!"])).await.unwrap_err();
    assert_eq!((problem.status, problem.errors[0].pointer.as_str()), (422, "/rules/1"));
    runs.set_words("acme", &words(&["heron"])).await.unwrap();
    assert_eq!(runs.words("acme").await.unwrap(), words(&["heron"]));
    let id = create(&runs, request("Go")).await.id;
    let state = ended(&runs, "acme", &id).await;
    let failure = state.failure.expect("the answer is blocked");
    assert_eq!((state.status, failure.code.as_str()), (RunStatus::Failed, "blocked"));
    assert!(failure.message.contains("settings/1"), "{failure:?}");
    let policy = Policy::default();
    let theirs = runs.create("other", &policy, request("Go"), None, None).await.unwrap().0;
    assert_eq!(ended(&runs, "other", &theirs.id).await.status, RunStatus::Completed);
    runs.set_words("acme", &words(&[" "])).await.unwrap();
    assert_eq!(runs.words("acme").await.unwrap(), WordRules::default());
    let id = create(&runs, request("Go")).await.id;
    assert_eq!(ended(&runs, "acme", &id).await.status, RunStatus::Completed);
}

fn example(recorded: &Arc<Scripted>) -> Example {
    Example {
        name: "yoy".to_owned(),
        title: "Two years".to_owned(),
        instruction: "Compare both years".to_owned(),
        documents: vec![("sales.csv".to_owned(), b"a\n1\n".to_vec())],
        model: recorded.clone(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_example_needs_no_model_and_its_model_serves_nothing_else() {
    let recorded = model("recorded", vec![says("Growth is 12.5 %.")]);
    let mut stage = Stage::new(Vec::new());
    stage.options.models = Arc::new(TestModels(Vec::new()));
    stage.options.examples = vec![example(&recorded)];
    let runs = stage.start();
    let policy = Policy::default();
    assert_eq!(runs.create_example("acme", &policy, "other").await.unwrap_err().status, 404);
    let state = runs.create_example("acme", &policy, "yoy").await.unwrap();
    assert_eq!((state.model.as_str(), state.title.as_str()), ("example", "Two years"));
    let state = ended(&runs, "acme", &state.id).await;
    assert_eq!(state.text.as_deref(), Some("Growth is 12.5 %."));
    assert_eq!(state.documents[0].name, "sales.csv");
    let problem = runs.say("acme", &policy, &state.id, message("More"), None).await.unwrap_err();
    assert_eq!((problem.status, problem.code.as_str()), (409, "example_over"));
    assert!(runs.models(&policy).is_empty());
    let metadata = BTreeMap::from([("example".to_owned(), "yoy".to_owned())]);
    let named = CreateRun { model: Some("example".into()), metadata, ..request("Go") };
    let problem = runs.create("acme", &policy, named, None, None).await.unwrap_err();
    assert_eq!(problem.errors[0].pointer, "/model");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_of_the_operator_is_not_mistaken_for_the_one_of_the_example() {
    let recorded = model("recorded", Vec::new());
    let own = model("test/own", vec![says("Mine.")]);
    let mut stage = Stage::new(Vec::new());
    stage.options.models = Arc::new(TestModels(vec![("example".to_owned(), own)]));
    stage.options.examples = vec![example(&recorded)];
    let runs = stage.start();
    let policy = Policy::default();
    assert_eq!(runs.create_example("acme", &policy, "yoy").await.unwrap_err().status, 404);
    let metadata = BTreeMap::from([("example".to_owned(), "yoy".to_owned())]);
    let id = create(&runs, CreateRun { metadata, ..request("Go") }).await.id;
    assert_eq!(ended(&runs, "acme", &id).await.text.as_deref(), Some("Mine."));
    assert_eq!(recorded.n_asked(), 0);
}
