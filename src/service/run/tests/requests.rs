//! Requests: what is refused, and what is the same.

use super::*;
use crate::run::agent;
use crate::run::shared::Shared;
use mitt::{Fetch, FetchRequest, Fetched, FetchedBody};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_request_reports_all_of_its_problems_at_once() {
    let stage = Stage::new(Vec::new());
    let runs = stage.start();
    let mut wrong = request(" ");
    wrong.model = Some("gpt".into());
    wrong.title = Some("x".repeat(201));
    wrong.metadata = BTreeMap::from([("k".repeat(65), String::new())]);
    wrong.history = vec![("system".into(), "x".into())];
    wrong.documents = vec![
        DocumentSource::Url { url: "file:///etc/passwd".into(), name: None },
        DocumentSource::Text { name: "../x".into(), text: "x".repeat(8 * 1024 * 1024 + 1) },
    ];
    wrong.functions = vec![FunctionTool {
        name: "a b".into(),
        description: String::new(),
        parameters: json!({}),
    }];
    let options = &mut wrong.options;
    options.plan = Some(PlanOptions {
        steps: Some(0),
        workers: Some(65),
        attempts: Some(21),
        evaluator: Some("none".into()),
        review: false,
    });
    options.tools = Some("some".into());
    options.guardrail = Some("on".into());
    options.guardrail_model = Some("none".into());
    options.approvals = Some("maybe".into());
    options.agents = Some(vec!["analyst".into()]);
    options.documents_tokens = Some(0);
    options.words = Some(WordRules { rules: vec!["x".into(), "!".into()] });
    options.limits = Limits {
        turns: Some(0),
        calls: Some(0),
        tokens: Some(0),
        dollars: Some("1e3".into()),
        seconds: Some(0),
    };
    let problem = runs.create("acme", &Policy::default(), wrong, None, None).await.unwrap_err();
    assert_eq!((problem.status, problem.code.as_str()), (422, "invalid_body"));
    let mut places: Vec<_> = problem.errors.iter().map(|it| it.pointer.as_str()).collect();
    places.dedup();
    assert_eq!(
        places,
        [
            "/instruction",
            "/title",
            "/metadata",
            "/history/0",
            "/functions",
            "/options/plan/steps",
            "/options/plan/workers",
            "/options/plan/attempts",
            "/options/plan/evaluator",
            "/options/tools",
            "/options/guardrail",
            "/options/guardrail_model",
            "/options/approvals",
            "/options/agents",
            "/options/limits/turns",
            "/options/limits/tokens",
            "/options/limits/seconds",
            "/options/documents_tokens",
            "/options/limits/dollars",
            "/options/words/rules",
            "/documents/0/url",
            "/documents/1/text",
            "/documents/1/name",
            "/model",
        ],
        "{problem:#?}"
    );
    let of = |pointer: &str| {
        problem.errors.iter().find(|it| it.pointer == pointer).unwrap().detail.clone()
    };
    assert_eq!(of("/model"), "expected one of main, other, got `gpt`");
    assert_eq!(of("/options/plan/workers"), "expected 1 to 64, got 65");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_that_are_missing_or_no_base64_are_named_together() {
    let stage = Stage::new(Vec::new());
    let runs = stage.start();
    let documents = vec![
        DocumentSource::File { file: "file-none".into(), name: None },
        DocumentSource::Content { name: "a.csv".into(), content: "%%".into() },
    ];
    let wrong = CreateRun { documents, ..request("Read them") };
    let problem = runs.create("acme", &Policy::default(), wrong, None, None).await.unwrap_err();
    let places: Vec<_> = problem.errors.iter().map(|it| it.pointer.as_str()).collect();
    assert_eq!(places, ["/documents/0/file", "/documents/1/content"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uploaded_file_is_kept_by_its_run() {
    let stage = Stage::new(vec![says("Read.")]);
    let runs = stage.start();
    let files = crate::files::Files::new(stage.store.clone());
    let file = files.add("acme", "sales.csv", "text/csv", b"a\n1\n", 0).await.unwrap();
    let source =
        |file: &str| DocumentSource::File { file: file.to_owned(), name: Some("s.csv".into()) };
    let documents = vec![source(&file.id)];
    let theirs = CreateRun { documents: documents.clone(), ..request("Read it") };
    let problem =
        runs.create("other", &Policy::default(), theirs.clone(), None, None).await.unwrap_err();
    assert_eq!(problem.errors[0].pointer, "/documents/0/file");
    let id = create(&runs, theirs).await.id;
    files.delete("acme", &file.id).await.unwrap();
    follow(&runs, &id, 0).await;
    let state = get(&runs, &id).await;
    assert_eq!(state.documents[0].name, "s.csv");
    stage.store.blob("acme", &file.sha256).await.unwrap();
    runs.delete("acme", &id).await.unwrap();
    assert!(stage.store.blob("acme", &file.sha256).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_with_the_same_key_is_made_once() {
    let stage = Stage::new(vec![says("Done."), says("Done.")]);
    let runs = stage.start();
    let policy = Policy::default();
    let document = DocumentSource::Text { name: "a.csv".into(), text: "a\n1\n".into() };
    let given = CreateRun { documents: vec![document], ..request("Once") };
    let first = runs.create("acme", &policy, given.clone(), None, Some("k1")).await.unwrap();
    let second = runs.create("acme", &policy, given.clone(), None, Some("k1")).await.unwrap();
    assert!(first.1 && !second.1);
    assert_eq!(first.0.id, second.0.id);
    let other = runs.create("acme", &policy, request("Twice"), None, Some("k1")).await;
    assert_eq!(other.unwrap_err().code, "idempotency_key_reused");
    let theirs = runs.create("other", &policy, given, None, Some("k1")).await.unwrap();
    assert!(theirs.1, "keys of tenants are apart");
    let long = "k".repeat(256);
    let problem = runs.create("acme", &policy, request("x"), None, Some(&long)).await.unwrap_err();
    assert_eq!((problem.status, problem.code.as_str()), (400, "invalid_idempotency_key"));
    until(&runs, &first.0.id, RunStatus::Completed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_uses_only_its_models() {
    let stage = Stage::new(Vec::new());
    let runs = stage.start();
    let policy = Policy { models: Some(vec!["other".into()]), ..Policy::default() };
    let names: Vec<_> = runs.models(&policy).into_iter().map(|model| model.name).collect();
    assert_eq!(names, ["other"]);
    let named = |name: &str| CreateRun { model: Some(name.into()), ..request("Hi") };
    let problem = runs.create("acme", &policy, named("main"), None, None).await.unwrap_err();
    assert_eq!(problem.errors[0].detail, "expected one of other, got `main`");
    let (state, _) = runs.create("acme", &policy, request("Hi"), None, None).await.unwrap();
    assert_eq!(state.model, "other", "the first one that it may use");
    let none = Policy { models: Some(Vec::new()), ..Policy::default() };
    let problem = runs.create("acme", &none, request("Hi"), None, None).await.unwrap_err();
    assert_eq!(problem.code, "no_model");
    let cost = Policy { cost_per_day: Some("1".parse().unwrap()), ..Policy::default() };
    let problem = runs.create("acme", &cost, request("Hi"), None, None).await.unwrap_err();
    assert_eq!(problem.code, "price_unknown");
}

/// Models of services: two of one, one of another, and one of an unknown service.
struct Services(TestModels);

impl Models for Services {
    fn list(&self) -> Vec<ModelInfo> {
        self.0.list()
    }

    fn open(&self, name: &str, key: Option<&str>) -> Result<Arc<dyn ChatModel>> {
        self.0.open(name, key)
    }

    fn service_of(&self, name: &str) -> Option<String> {
        match name {
            "main" | "same" => Some("http://a:80".to_owned()),
            "elsewhere" => Some("http://b:80".to_owned()),
            _ => None,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_of_the_client_goes_only_to_the_service_of_the_runs_own_model() {
    let models = ["main", "same", "elsewhere", "unknown", "unknown-too"]
        .map(|name| (name.to_owned(), model(name, Vec::new())));
    let mut stage = Stage::new(Vec::new());
    stage.options.models = Arc::new(Services(TestModels(models.to_vec())));
    let shared = Shared::new(stage.options.clone(), stage.park);
    let has_key = |own: &str| {
        models.each_ref().map(|(name, model)| {
            let opened = agent::opened(&shared, name, (own, Some("sk-secret")));
            drop(opened.unwrap());
            model.key.lock().unwrap().is_some()
        })
    };
    assert_eq!(has_key("main"), [true, true, false, false, false]);
    assert_eq!(has_key("elsewhere"), [false, false, true, false, false]);
    assert_eq!(has_key("unknown"), [false, false, false, true, false]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_price_of_each_model_of_a_request_is_known_if_the_cost_is_limited() {
    let mut stage = Stage::new(Vec::new());
    let priced = model("anthropic/claude-haiku-4-5-20251001", vec![says("Done.")]);
    let addressed = model("http://10.0.0.5:8080/v1#qwen3", Vec::new());
    stage.options.models =
        Arc::new(TestModels(vec![("main".into(), priced), ("other".into(), addressed)]));
    let runs = stage.start();
    let cost = Policy { cost_per_day: Some("1".parse().unwrap()), ..Policy::default() };
    let mut guarded = request("Hi");
    guarded.options.guardrail_model = Some("other".to_owned());
    let evaluator = Some("other".to_owned());
    let mut planned = request("Hi");
    planned.options.plan = Some(PlanOptions { evaluator, ..PlanOptions::default() });
    let mut limited = guarded.clone();
    limited.options.limits.dollars = Some("1".to_owned());
    let own = CreateRun { model: Some("other".to_owned()), ..request("Hi") };
    let free = Policy::default();
    for (policy, request) in [(&cost, guarded), (&cost, planned), (&free, limited), (&cost, own)] {
        let problem = runs.create("acme", policy, request, None, None).await.unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (422, "price_unknown"));
        let detail = "no price of other is known, so that its cost cannot be limited";
        assert_eq!(problem.detail, detail, "the address is not in it");
    }
    runs.create("acme", &cost, request("Hi"), None, None).await.unwrap();
}

/// Fetches a table, and counts how often.
#[derive(Debug)]
struct Counting(Arc<AtomicU64>);

struct Body(Option<Vec<u8>>);

#[async_trait]
impl FetchedBody for Body {
    async fn piece(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(self.0.take())
    }
}

#[async_trait]
impl Fetch for Counting {
    async fn fetch(&self, request: &FetchRequest<'_>) -> Result<Fetched> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let body = Box::new(Body(Some(b"a,b\n1,2\n".to_vec())));
        Ok(Fetched::new(request.url.to_owned(), "sales.csv".to_owned(), body))
    }

    fn hosts(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_is_fetched_once_and_kept() {
    let fetched = Arc::new(AtomicU64::new(0));
    let fetcher = Counting(fetched.clone());
    let scripted = model("test/scripted", vec![says("One."), says("Two.")]);
    let stage = Stage::with(scripted, |host| host.fetch(Arc::new(fetcher)));
    let runs = stage.start();
    let url = DocumentSource::Url {
        url: "https://example.org/q?secret=1".into(),
        name: Some("q3.csv".into()),
    };
    let id = create(&runs, CreateRun { documents: vec![url], ..request("Read it") }).await.id;
    follow(&runs, &id, 0).await;
    let document = get(&runs, &id).await.documents[0].clone();
    assert_eq!((document.name.as_str(), document.size), ("q3.csv", 8));
    runs.close(Duration::from_secs(5)).await;
    drop(runs);
    let runs = stage.start();
    runs.say("acme", &Policy::default(), &id, message("Again"), None).await.unwrap();
    until_true(|| stage.model.n_asked() == 2).await;
    let state = until(&runs, &id, RunStatus::Completed).await;
    assert_eq!((fetched.load(Ordering::SeqCst), state.text.as_deref()), (1, Some("Two.")));
    assert_eq!(state.documents, [document]);
}
