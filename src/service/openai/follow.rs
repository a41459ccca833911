//! Follows a run for a client: reads its events, makes links to its files, and translates both.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::files::delivered_id;
use crate::problem::Problem;
use crate::run::{EventData, EventStream, RunEvent, RunFile, RunState, RunStatus};
use crate::service::Service;
use crate::store::Blob;

/// Time between two looks at a run whose events ended while it is active.
const PAUSE: Duration = Duration::from_millis(50);
/// Most pauses until a run goes on after a request to do so: 10 s.
const MOST_PAUSES: u32 = 200;

/// Turns events of a run into those of an interface.
pub(super) trait Translate: Send {
    /// Begins.
    fn start(&mut self);

    /// Takes an event; `file` is the link to the file of [`EventData::File`].
    fn event(&mut self, event: &RunEvent, file: Option<FileLink>);

    /// Ends because the run does not go on: it is not active, or waits for the client.
    fn end(&mut self, state: &RunState);

    /// Ends because the run cannot be followed any more.
    fn fail(&mut self, problem: &Problem);

    /// Returns `true` if an event belonged to what is translated.
    fn has_begun(&self) -> bool;

    /// Returns `true` after the last event.
    fn is_done(&self) -> bool;

    /// Takes the translated events.
    fn take(&mut self) -> Vec<Value>;
}

/// A delivered file, as clients reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileLink {
    pub(super) name: String,
    /// Signed link.
    pub(super) url: String,
    /// Identifier for `/v1/files`, or for the files of the container.
    pub(super) file_id: String,
    pub(super) container: Option<String>,
}

impl FileLink {
    /// Returns the link in Markdown.
    pub(super) fn markdown(&self) -> String {
        let mut name = String::with_capacity(self.name.len());
        for character in self.name.chars() {
            if matches!(character, '[' | ']' | '\\' | '*' | '_' | '`' | '<') {
                name.push('\\');
            }
            name.push(character);
        }
        format!("[{name}]({})", self.url)
    }

    /// Returns the annotations of a link that stands between two characters of a text.
    pub(super) fn annotations(&self, start: usize, end: usize) -> Vec<Value> {
        let file = match &self.container {
            Some(container) => json!({
                "type": "container_file_citation", "container_id": container, "file_id": self.file_id,
                "filename": self.name, "start_index": start, "end_index": end,
            }),
            None => json!({
                "type": "file_citation", "file_id": self.file_id, "filename": self.name, "index": start,
            }),
        };
        let url = json!({
            "type": "url_citation", "url": self.url, "title": self.name,
            "start_index": start, "end_index": end,
        });
        vec![file, url]
    }
}

/// Which run is followed, and for whom.
#[derive(Clone)]
pub(super) struct Followed {
    pub(super) service: Service,
    pub(super) tenant: String,
    pub(super) run: String,
    /// The last event before the first one that is translated.
    pub(super) after: u64,
    /// Prefix of links.
    pub(super) base: Arc<str>,
    /// The container that gets the delivered files.
    pub(super) container: Option<String>,
}

/// A run that is followed.
pub(super) struct Follower<T> {
    followed: Followed,
    pub(super) translator: T,
    events: Option<EventStream>,
    ready: VecDeque<Value>,
    /// `true` if an event came since the stream was opened.
    has_progress: bool,
    pauses: u32,
}

impl<T: Translate> Follower<T> {
    pub(super) fn new(followed: Followed, mut translator: T) -> Follower<T> {
        translator.start();
        let ready = translator.take().into();
        Follower { followed, translator, events: None, ready, has_progress: true, pauses: 0 }
    }

    /// Returns the next translated event; `None` after the last one.
    pub(super) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.translator.is_done() {
                return None;
            }
            if let Err(problem) = self.step().await {
                self.translator.fail(&problem);
            }
            self.ready.extend(self.translator.take());
        }
    }

    /// Follows the run to the end of the translation.
    pub(super) async fn follow_to_end(&mut self) {
        while self.next().await.is_some() {}
    }

    /// Translates the events that exist, without waiting for more.
    pub(super) async fn so_far(&mut self) -> Result<(), Problem> {
        let Followed { service, tenant, run, after, .. } = &self.followed;
        // The state is read first: what happens meanwhile is not taken for the end.
        let state = service.runs().get(tenant, run).await?;
        let mut events = service.runs().events(tenant, run, *after, false).await?;
        while let Some(event) = events.next().await {
            self.translate(&*event?).await;
            if self.translator.is_done() {
                break;
            }
        }
        if !self.translator.is_done() && is_at_rest(&state, self.translator.has_begun()) {
            self.translator.end(&state);
        }
        self.ready.clear();
        self.translator.take();
        Ok(())
    }

    async fn step(&mut self) -> Result<(), Problem> {
        if let Some(events) = &mut self.events {
            match events.next().await {
                Some(event) => {
                    self.has_progress = true;
                    self.translate(&*event?).await;
                }
                None => {
                    self.events = None;
                    let Followed { service, tenant, run, .. } = &self.followed;
                    let state = service.runs().get(tenant, run).await?;
                    let has_begun = self.translator.has_begun() || self.pauses >= MOST_PAUSES;
                    if is_at_rest(&state, has_begun) {
                        self.at_rest(&state).await?;
                    }
                }
            }
            return Ok(());
        }
        if !self.has_progress {
            self.pauses += 1;
            tokio::time::sleep(PAUSE).await;
        }
        self.has_progress = false;
        let Followed { service, tenant, run, after, .. } = &self.followed;
        self.events = Some(service.runs().events(tenant, run, *after, true).await?);
        Ok(())
    }

    /// Translates what happened between the end of the events and the look at the state, and ends.
    async fn at_rest(&mut self, state: &RunState) -> Result<(), Problem> {
        let Followed { service, tenant, run, after, .. } = &self.followed;
        let mut events = service.runs().events(tenant, run, *after, false).await?;
        while let Some(event) = events.next().await {
            self.translate(&*event?).await;
        }
        self.translator.end(state);
        Ok(())
    }

    async fn translate(&mut self, event: &RunEvent) {
        self.followed.after = event.number;
        let file = match &event.data {
            EventData::File { file, .. } => Some(self.followed.link(event, file).await),
            _ => None,
        };
        self.translator.event(event, file);
    }
}

/// Returns `true` if a run does not go on by itself. A run that was asked to go on may show its former state for a moment.
fn is_at_rest(state: &RunState, has_begun: bool) -> bool {
    match state.status {
        RunStatus::Failed | RunStatus::Cancelled | RunStatus::Interrupted => true,
        RunStatus::Completed => has_begun,
        RunStatus::Queued | RunStatus::Running | RunStatus::Waiting => {
            has_begun && state.question.is_some()
        }
    }
}

impl Followed {
    async fn link(&self, event: &RunEvent, file: &RunFile) -> FileLink {
        let parts = (file.name.as_str(), file.media_type.as_str(), file.sha256.as_str());
        let path = self.service.links().make(&self.tenant, parts, self.service.now());
        let url = format!("{}{path}", self.base);
        if let Some(container) = &self.container {
            match self.add_to_container(container, event, file).await {
                Ok(file_id) => {
                    let container = Some(container.clone());
                    return FileLink { name: file.name.clone(), url, file_id, container };
                }
                // The container is gone, or full. The file is reached without it.
                Err(problem) => {
                    tracing::debug!(code = problem.code, "a file is not in its container");
                }
            }
        }
        let file_id = delivered_id(&self.run, &file.name);
        FileLink { name: file.name.clone(), url, file_id, container: None }
    }

    /// Adds a delivered file to the container, unless it is there, or a later one of its name is. Returns its identifier, or that
    /// of the later one.
    async fn add_to_container(
        &self,
        container: &str,
        event: &RunEvent,
        file: &RunFile,
    ) -> Result<String, Problem> {
        // Two watchers of a run see the same file.
        static ADDING: Mutex<()> = Mutex::const_new(());
        let _adding = ADDING.lock().await;
        let sandboxes = self.service.sandboxes();
        let files = sandboxes.get(&self.tenant, container).await?.files;
        let id = container_file_id(&self.run, event.number);
        if let Some(known) = files
            .iter()
            .find(|it| it.id == id || (it.name == file.name && it.sha256 == file.sha256))
        {
            return Ok(known.id.clone());
        }
        let named = files.iter().find(|it| it.name == file.name);
        if let Some(later) = named.filter(|it| it.created_ms >= event.time_ms) {
            return Ok(later.id.clone());
        }
        let last = self.service.runs().file(&self.tenant, &self.run, &file.name, None).await;
        if last.is_ok_and(|last| last.sha256 != file.sha256) {
            let missing = || Problem::not_found("file", &file.name);
            return named.map(|it| it.id.clone()).ok_or_else(missing);
        }
        self.service.store().keep(&self.tenant, &file.sha256, &id).await?;
        let blob = Blob { sha256: file.sha256.clone(), size: file.size };
        let (name, media_type) = (&file.name, &file.media_type);
        let added =
            sandboxes.add_file(&self.tenant, container, id.clone(), name, media_type, blob).await;
        match added {
            Ok(file) => Ok(file.id),
            Err(problem) => {
                let _ = self.service.store().release(&self.tenant, &id).await;
                Err(problem)
            }
        }
    }
}

/// Returns the identifier of a delivered file in a container: 21 characters, always the same.
fn container_file_id(run: &str, event: u64) -> String {
    let hash = blake3::hash(format!("{run}/{event}").as_bytes());
    URL_SAFE_NO_PAD.encode(&hash.as_bytes()[..16])[..21].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_markdown_that_shows_the_name() {
        let mut link = FileLink {
            name: "a_b[1].pdf".into(),
            url: "http://x/y".into(),
            file_id: "f".into(),
            container: None,
        };
        assert_eq!(link.markdown(), "[a\\_b\\[1\\].pdf](http://x/y)");
        assert_eq!(link.annotations(3, 9)[0]["type"], "file_citation");
        link.container = Some("cntr_a".into());
        let annotations = link.annotations(3, 9);
        assert_eq!(annotations[0]["type"], "container_file_citation");
        assert_eq!(
            (&annotations[0]["start_index"], &annotations[0]["end_index"]),
            (&json!(3), &json!(9))
        );
        assert_eq!(annotations[1]["url"], "http://x/y");
    }

    #[test]
    fn files_of_containers_have_lasting_identifiers() {
        let id = container_file_id("run_a", 7);
        assert_eq!((id.len(), &id), (21, &container_file_id("run_a", 7)));
        assert_ne!(id, container_file_id("run_a", 8));
        assert_ne!(id, container_file_id("run_b", 7));
    }
}
