//! What clients see of runs: states and events with links to files, and without what is internal.

use std::sync::Arc;

use serde_json::Value;

use crate::http::{Request, SseEvent};
use crate::run::{EventData, RunEvent, RunFile, RunState};
use crate::service::Service;

/// Fields of a state that no client sees.
const INTERNAL: [&str; 2] = ["request", "inbox_done"];

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
    pub(super) fn state(&self, mut state: RunState) -> Value {
        state.files = state.files.into_iter().map(|file| self.file(file)).collect();
        without_internal(&state)
    }

    /// Returns an event as JSON.
    pub(super) fn event(&self, event: &RunEvent) -> Value {
        let shown = match &event.data {
            EventData::File { file, warnings } => {
                let (file, warnings) = (self.file(file.clone()), warnings.clone());
                let data = EventData::File { file, warnings };
                serde_json::to_value(RunEvent { data, ..event.clone() })
            }
            _ => serde_json::to_value(event),
        };
        shown.unwrap_or_default()
    }

    /// Returns an event for a stream.
    pub(super) fn sse(&self, event: &RunEvent) -> SseEvent {
        let shown = self.event(event);
        SseEvent {
            id: Some(event.number),
            event: shown["type"].as_str().map(str::to_owned),
            data: shown.to_string(),
        }
    }
}

fn without_internal(state: &RunState) -> Value {
    let mut shown = serde_json::to_value(state).unwrap_or_default();
    if let Some(fields) = shown.as_object_mut() {
        for name in INTERNAL {
            fields.remove(name);
        }
    }
    shown
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
        let shown = without_internal(&state);
        assert_eq!(shown["id"], "run_1");
        assert!(!shown.to_string().contains("secret"), "{shown}");
        assert_eq!(shown.get("inbox_done"), None);
    }
}
