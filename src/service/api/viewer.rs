//! What clients see of runs: states and events with links to files, and without what is internal.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::{Request, SseEvent};
use crate::run::{EventData, RunEvent, RunFile, RunOutput, RunState};
use crate::service::Service;

/// Fields of a state that no client sees.
const INTERNAL: [&str; 3] = ["request", "inbox_done", "has_output"];

/// The client that sees something.
#[derive(Clone)]
pub(super) struct Viewer {
    service: Service,
    pub(super) tenant: String,
    /// Prefix of links.
    base: Arc<str>,
}

impl Viewer {
    pub(super) fn of(service: &Service, request: &Request) -> Viewer {
        Viewer { service: service.clone(), tenant: request.tenant(), base: request.base() }
    }

    pub(super) fn service(&self) -> &Service {
        &self.service
    }

    /// Returns the address of a path of this server.
    pub(super) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Returns the address of a run.
    pub(super) fn run_address(&self, id: &str) -> String {
        self.address(&format!("/v1/runs/{id}"))
    }

    /// Returns a file with a new link.
    pub(super) fn file(&self, mut file: RunFile) -> RunFile {
        let named = (file.name.as_str(), file.media_type.as_str(), file.sha256.as_str());
        let path = self.service.links().make(&self.tenant, named, self.service.now());
        file.url = Some(self.address(&path));
        file
    }

    /// Returns a state as JSON.
    pub(super) fn state(&self, mut state: RunState) -> ShownState {
        state.files = state.files.into_iter().map(|file| self.file(file)).collect();
        without_internal(state)
    }

    /// Returns an event as clients see it.
    pub(super) fn event(&self, event: &RunEvent) -> RunEvent {
        let mut shown = event.clone();
        match &mut shown.data {
            EventData::File { file, .. } => *file = self.file(file.clone()),
            EventData::Ended { text: Some(text), output, has_output, .. } if *has_output => {
                (*output, *has_output) = (RunOutput::of(text), false);
            }
            _ => {}
        }
        shown
    }

    /// Returns an event for a stream.
    pub(super) fn sse(&self, event: &RunEvent) -> SseEvent {
        let data = serde_json::to_string(&self.event(event)).unwrap_or_default();
        let named: Option<Named> = serde_json::from_str(&data).ok();
        SseEvent { id: Some(event.number), event: named.map(|it| it.kind.to_owned()), data }
    }
}

/// The type of an event.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
}

/// A state without what is internal, with the exact value of its answer.
#[derive(Debug, Serialize)]
pub(super) struct ShownState {
    #[serde(flatten)]
    fields: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<RunOutput>,
}

fn without_internal(mut state: RunState) -> ShownState {
    // A tree of values would round its numbers.
    let output = state.output.take();
    let mut fields = match serde_json::to_value(&state) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    for name in INTERNAL {
        fields.remove(name);
    }
    ShownState { fields, output }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_state_is_shown_without_what_is_internal() {
        let state: RunState = serde_json::from_value(json!({
            "id": "run_1", "status": "completed", "title": "t", "model": "m",
            "created_ms": 1, "updated_ms": 2, "documents": [], "files": [],
            "usage": {}, "options": {},
            "request": { "instruction": "secret" }, "inbox_done": 7,
        }))
        .unwrap();
        assert!(state.request.is_some());
        let output = RunOutput::of(r#"{"a": 1234567890123456789012.50}"#);
        let state = RunState { output, has_output: true, ..state };
        let shown = serde_json::to_string(&without_internal(state)).unwrap();
        assert!(shown.contains(r#""id":"run_1""#), "{shown}");
        assert!(shown.contains(r#""output":{"a":1234567890123456789012.50}"#), "{shown}");
        for internal in ["secret", "inbox_done", "has_output"] {
            assert!(!shown.contains(internal), "{shown}");
        }
    }
}
