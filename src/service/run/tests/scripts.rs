//! Scripts of a run with a container: requests to the owner of the container, and what the run has afterwards.

use super::*;
use mitt::Session;
use mitt_agent::MakeScript;
use std::sync::atomic::AtomicBool;

/// Runs another script than the model's in each container, and says that it wrote a file.
struct Stub {
    asked: Mutex<Vec<(String, Vec<String>)>>,
    file: RunFile,
}

struct Stubs(Arc<Stub>);

impl Containers for Stubs {
    fn session(&self, _: &Session, _: Arc<AtomicBool>) -> Arc<dyn ContainerSession> {
        self.0.clone()
    }
}

#[async_trait]
impl ContainerSession for Stub {
    async fn run(
        &self,
        container: &str,
        documents: &[RunDocument],
        arguments: &str,
        make: MakeScript<'_>,
    ) -> ContainerDone {
        assert_eq!(arguments, r#"{"code":"1 + 1"}"#);
        let names = documents.iter().map(|it| it.name.clone()).collect();
        self.asked.lock().unwrap().push((container.to_owned(), names));
        let report = make(json!({ "code": "40 + 2" }).to_string()).await;
        let notes = vec!["a note of the container".to_owned()];
        ContainerDone { report, written: vec![self.file.clone()], notes }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scripts_of_a_run_with_a_container_go_through_it() {
    let script = |id: &str| calls(id, "python__run", &json!({ "code": "1 + 1" }));
    let turns = vec![script("c1"), says("Done."), script("c2"), says("Plain.")];
    let mut stage = Stage::new(turns);
    let files = crate::files::Files::new(stage.store.clone());
    let written = files.add("acme", "out.csv", "text/csv", b"x\n1\n", 0).await.unwrap();
    let file = RunFile {
        name: "out.csv".into(),
        media_type: "text/csv".into(),
        sha256: written.sha256.clone(),
        size: written.size,
        pages: None,
        url: None,
    };
    let stub = Arc::new(Stub { asked: Mutex::default(), file: file.clone() });
    stage.options.containers = Some(Arc::new(Stubs(stub.clone())));
    let runs = stage.start();
    let document = DocumentSource::Text { name: "a.csv".into(), text: "a\n1\n".into() };
    let given = CreateRun {
        documents: vec![document],
        container: Some("cntr_a".into()),
        ..request("Calculate")
    };
    let id = create(&runs, given).await.id;
    let events = follow(&runs, &id, 0).await;
    let state = get(&runs, &id).await;
    assert_eq!((state.status, &state.failure), (RunStatus::Completed, &None));
    assert_eq!(state.files, [file]);
    assert_eq!(*stub.asked.lock().unwrap(), [("cntr_a".to_owned(), vec!["a.csv".to_owned()])]);
    let seen = stage.model.asked(1).join("\n");
    for part in ["42", "out.csv", "a note of the container"] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    let delivered = events.iter().find_map(|event| match &event.data {
        EventData::Ended { files, .. } => Some(files.clone()),
        _ => None,
    });
    assert_eq!(delivered.unwrap(), ["out.csv"]);
    assert!(types(&events).contains(&"file".to_owned()));
    // The run keeps the content.
    files.delete("acme", &written.id).await.unwrap();
    assert_eq!(content(&stage, &state.files[0]).await, b"x\n1\n");
    // A run without a container is as before.
    let plain = create(&runs, request("Calculate")).await.id;
    follow(&runs, &plain, 0).await;
    assert_eq!(get(&runs, &plain).await.status, RunStatus::Completed);
    assert!(stage.model.asked(3).join("\n").contains('2'));
    assert_eq!(stub.asked.lock().unwrap().len(), 1);
}
