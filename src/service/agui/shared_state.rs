//! The state that a page shares: what it sent, and the member `mitt` with documents, files and plan of the run.

use serde_json::{Map, Value, json};

use crate::run::{RunDocument, RunFile, RunState};

/// Member of the state that is Mitt's.
const MITT: &str = "mitt";

/// The state. If the page's state is not an object, it is left alone, and no event is sent.
pub(super) struct SharedState {
    is_shared: bool,
    /// Names of the documents, in the order of the list in the state.
    documents: Vec<String>,
    /// Files, in the order of the list in the state.
    files: Vec<RunFile>,
    /// Identifiers of the plan's steps, in their order.
    steps: Vec<String>,
    /// Titles of the plan's steps.
    titles: Vec<String>,
}

impl SharedState {
    /// Returns the state of a run with the page's own `state`, and the snapshot to send.
    pub(super) fn new(
        run: &RunState,
        files: Vec<RunFile>,
        state: Value,
    ) -> (SharedState, Option<Value>) {
        let shared = |is_shared| SharedState {
            is_shared,
            documents: run.documents.iter().map(|document| document.name.clone()).collect(),
            files: files.clone(),
            steps: Vec::new(),
            titles: Vec::new(),
        };
        let mut members = match state {
            Value::Null => Map::new(),
            Value::Object(members) => members,
            _ => return (shared(false), None),
        };
        let documents: Vec<Value> = run.documents.iter().map(document).collect();
        let listed: Vec<Value> = files.iter().map(file).collect();
        members.insert(
            MITT.to_owned(),
            json!({
                "run": run.id,
                "model": run.model,
                "status": run.status.name(),
                "documents": documents,
                "files": listed,
                "plan": null,
            }),
        );
        (shared(true), Some(Value::Object(members)))
    }

    /// Returns the file of this name.
    pub(super) fn file(&self, name: &str) -> Option<&RunFile> {
        self.files.iter().find(|file| file.name == name)
    }

    /// Returns the name of a step for people: its identifier and its title.
    pub(super) fn step_name(&self, id: &str) -> String {
        let place = self.steps.iter().position(|step| step == id);
        match place.and_then(|place| self.titles.get(place)).filter(|title| !title.is_empty()) {
            Some(title) => format!("{id}: {title}"),
            None => id.to_owned(),
        }
    }

    /// Returns the change for a new status.
    pub(super) fn status(&self, status: &str) -> Vec<Value> {
        self.patch("replace", "/status", status.into())
    }

    /// Returns the change for a document that was read.
    pub(super) fn add_document(&mut self, added: &RunDocument) -> Vec<Value> {
        match self.documents.iter().position(|name| *name == added.name) {
            Some(place) => self.patch("replace", &format!("/documents/{place}"), document(added)),
            None => {
                self.documents.push(added.name.clone());
                self.patch("add", "/documents/-", document(added))
            }
        }
    }

    /// Returns the change for a file that was delivered.
    pub(super) fn add_file(&mut self, added: RunFile) -> Vec<Value> {
        let value = file(&added);
        match self.files.iter_mut().enumerate().find(|(_, file)| file.name == added.name) {
            Some((place, file)) => {
                *file = added;
                self.patch("replace", &format!("/files/{place}"), value)
            }
            None => {
                self.files.push(added);
                self.patch("add", "/files/-", value)
            }
        }
    }

    /// Returns the change for a plan.
    pub(super) fn set_plan(&mut self, number: u64, title: &str, steps: &Value) -> Vec<Value> {
        let text = |step: &Value, key: &str| {
            step.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let listed = steps.as_array().map(Vec::as_slice).unwrap_or_default();
        self.steps = listed.iter().map(|step| text(step, "id")).collect();
        self.titles = listed.iter().map(|step| text(step, "title")).collect();
        let steps: Vec<Value> = listed
            .iter()
            .map(|step| {
                let mut step = step.clone();
                if let Some(step) = step.as_object_mut() {
                    step.insert("state".to_owned(), "waiting".into());
                }
                step
            })
            .collect();
        let plan = json!({ "number": number, "title": title, "steps": steps });
        self.patch("replace", "/plan", plan)
    }

    /// Returns the change for the state of a step.
    pub(super) fn set_step(&self, id: &str, state: &str) -> Vec<Value> {
        match self.steps.iter().position(|step| step == id) {
            Some(place) => self.patch("add", &format!("/plan/steps/{place}/state"), state.into()),
            None => Vec::new(),
        }
    }

    fn patch(&self, op: &str, path: &str, value: Value) -> Vec<Value> {
        if !self.is_shared {
            return Vec::new();
        }
        vec![json!({ "op": op, "path": format!("/{MITT}{path}"), "value": value })]
    }
}

fn document(document: &RunDocument) -> Value {
    json!({ "name": document.name, "size": document.size })
}

/// Returns a file for the page.
pub(super) fn file(file: &RunFile) -> Value {
    json!({
        "name": file.name,
        "mediaType": file.media_type,
        "size": file.size,
        "url": file.url,
    })
}

#[cfg(test)]
mod tests {
    use super::super::translator::tests::{run_file, run_state};
    use super::*;

    #[test]
    fn the_page_keeps_its_own_state() {
        let (_, snapshot) =
            SharedState::new(&run_state(), vec![run_file("a.pdf")], json!({ "a": 1, "mitt": 2 }));
        let snapshot = snapshot.unwrap();
        assert_eq!(snapshot["a"], 1);
        assert_eq!(snapshot["mitt"]["run"], "run_1");
        assert_eq!(snapshot["mitt"]["files"][0]["name"], "a.pdf");
        let (_, snapshot) = SharedState::new(&run_state(), Vec::new(), Value::Null);
        assert_eq!(snapshot.unwrap()["mitt"]["files"], json!([]));
        for state in [json!([1]), json!("a"), json!(1)] {
            let (mut shared, snapshot) = SharedState::new(&run_state(), Vec::new(), state);
            assert_eq!(snapshot, None);
            assert!(shared.add_file(run_file("a.pdf")).is_empty());
        }
    }

    #[test]
    fn later_files_of_a_name_replace_it() {
        let (mut shared, _) = SharedState::new(&run_state(), vec![run_file("a.pdf")], Value::Null);
        let path = |delta: Vec<Value>| (delta[0]["op"].clone(), delta[0]["path"].clone());
        assert_eq!(
            path(shared.add_file(run_file("b.pdf"))),
            (json!("add"), json!("/mitt/files/-"))
        );
        let replaced = RunFile { size: 9, ..run_file("b.pdf") };
        assert_eq!(path(shared.add_file(replaced)), (json!("replace"), json!("/mitt/files/1")));
        assert_eq!(shared.file("b.pdf").unwrap().size, 9);
    }

    #[test]
    fn steps_have_states_and_names() {
        let (mut shared, _) = SharedState::new(&run_state(), Vec::new(), Value::Null);
        assert_eq!(shared.step_name("s1"), "s1");
        assert!(shared.set_step("s1", "running").is_empty());
        let steps = json!([{ "id": "s1", "title": "Read" }, { "id": "s2", "title": "" }]);
        let delta = shared.set_plan(1, "T", &steps);
        assert_eq!(delta[0]["value"]["steps"][0]["state"], "waiting");
        assert_eq!(shared.set_step("s2", "done")[0]["path"], "/mitt/plan/steps/1/state");
        assert_eq!(
            (shared.step_name("s1"), shared.step_name("s2")),
            ("s1: Read".into(), "s2".into())
        );
    }
}
