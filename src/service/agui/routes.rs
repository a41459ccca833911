//! The route of AG-UI.

use std::collections::BTreeSet;
use std::time::Duration;

use hyper::Method;

use super::action::{self, Action};
use super::content::{self, Instruction};
use super::events::StampedEvent;
use super::input::{MOST_ID_BYTES, RunAgentInput};
use super::stream::translated;
use super::thread::{self, StoredThread, Thread};
use super::translation::Translation;
use super::translator::Translator;
use crate::files::{Files, UploadedFile};
use crate::http::{Answered, Body, MODEL_KEY, Request, Responds, event_stream, schema_of};
use crate::problem::Problem;
use crate::run::{CreateRun, DocumentSource, Message, RunFile, RunState, Runs};
use crate::service::{Endpoint, Service};

const TAG: &str = "ag-ui";

/// Time for which documents and files of a run stand ready for the run that follows it.
const HANDOVER: Duration = Duration::from_secs(60 * 60);

const WORDS: &str = "\
Follows an instruction, and answers with the events of AG-UI 1.0. A thread is a run of `GET /v1/runs`; the member `mitt` of \
the state has its id, documents, files and plan. A closed connection cancels nothing: a second request with the same \
`runId` returns the same events again. `POST /v1/runs/{run}/cancel` cancels.

The page's tools are called by their names: the run finishes with `pendingToolCallIds`, and the next one brings messages of \
role `tool`. Approvals and plans are interrupts, which the next run answers in `resume`. Documents are parts of messages; \
delivered files are `CUSTOM` events `mitt.file`, and links in a message. Settings are in `forwardedProps.mitt`.";

/// Returns the endpoint of the interface.
pub(crate) fn endpoints(_service: &Service) -> Vec<Endpoint> {
    let run = Endpoint::new(TAG, Method::POST, "/v1/ag-ui", "run_ag_ui", "Run AG-UI", run)
        .describe(WORDS)
        .reads(Body::Json(schema_of::<RunAgentInput>()))
        .responds(Responds::Events(schema_of::<StampedEvent>()))
        .stream();
    vec![run]
}

/// A request with what it needs to act.
struct Acting<'a> {
    service: &'a Service,
    tenant: &'a str,
    input: &'a RunAgentInput,
    model_key: Option<String>,
}

async fn run(service: Service, request: Request) -> Answered {
    let (tenant, base) = (request.tenant(), request.base());
    let model_key = request.header(MODEL_KEY).map(str::to_owned);
    let parsed = request.json::<RunAgentInput>(&schema_of::<RunAgentInput>()).await?;
    let input = &parsed.value;
    for (name, id) in [("threadId", &input.thread_id), ("runId", &input.run_id)] {
        if id.len() > MOST_ID_BYTES {
            let detail = format!("/{name}: expected at most {MOST_ID_BYTES} bytes");
            return Err(Problem::new(422, "invalid_body", detail));
        }
    }
    let acting = Acting { service: &service, tenant: &tenant, input, model_key };
    let (thread, run, notes) = acting.act().await?;
    let events = service.runs().events(&tenant, &run.id, thread.after, true).await?;
    let provided = input.messages.iter().filter_map(|message| message.tool_call_id.clone());
    let translation = Translation {
        thread_id: input.thread_id.clone(),
        run_id: input.run_id.clone(),
        parent_run_id: input.parent_run_id.clone(),
        usage_before: thread.usage,
        awaits_instruction: thread.is_instruction,
        provided: provided.collect::<BTreeSet<String>>(),
        notes,
    };
    let linking = (service.clone(), tenant.clone());
    let link = Box::new(move |file: &RunFile| {
        let (service, tenant) = &linking;
        let named = (file.name.as_str(), file.media_type.as_str(), file.sha256.as_str());
        format!("{base}{}", service.links().make(tenant, named, service.now()))
    });
    let now_ms = service.now_ms();
    let (translator, first) = Translator::new(translation, &run, input.state.clone(), link, now_ms);
    Ok(event_stream(translated(translator, first, events, move || service.now_ms())))
}

impl Acting<'_> {
    /// Does what the request asks for. Returns the thread as it is then, its run, and notes for the user.
    async fn act(&self) -> Result<(Thread, RunState, Vec<String>), Problem> {
        let (runs, store) = (self.service.runs(), &**self.service.store());
        let stored = thread::read(store, self.tenant, &self.input.thread_id).await?;
        let run = match &stored {
            None => None,
            Some(stored) => match runs.get(self.tenant, &stored.thread.run).await {
                Ok(run) => Some(run),
                // It was deleted, and the thread begins again.
                Err(problem) if problem.status == 404 => None,
                Err(problem) => return Err(problem),
            },
        };
        let StoredThread { thread, version } = stored.unwrap_or_default();
        let known = run.as_ref().map(|run| (&thread, run));
        let action = action::decide(self.input, known)?;
        let (mut next, notes) = match (action, run) {
            (Action::Create(instruction), _) => {
                let notes = instruction.left_out.clone();
                (self.create(instruction, Vec::new()).await?, notes)
            }
            (Action::Renew(instruction), Some(run)) => {
                let notes = instruction.left_out.clone();
                let documents = self.handed_over(&run).await?;
                (self.create(instruction, documents).await?, notes)
            }
            (Action::Replay, Some(run)) => return Ok((thread, run, Vec::new())),
            (action, Some(run)) => {
                let after = runs.last_event(self.tenant, &run.id).await?;
                let next =
                    Thread { run: run.id.clone(), after, usage: run.usage, ..thread.clone() };
                self.go_on(action, run, next).await?
            }
            (_, None) => return Err(Problem::conflict("conflict", "the run was deleted")),
        };
        next.0.last_run.clone_from(&self.input.run_id);
        let written =
            thread::write(store, self.tenant, &self.input.thread_id, &next.0, version).await;
        match written {
            Ok(()) => {}
            Err(problem) if problem.status == 409 && thread.run != next.0.run => {
                // Another request of the thread was first.
                self.service.delete_run(self.tenant, &next.0.run).await?;
                return Err(problem);
            }
            Err(problem) => return Err(problem),
        }
        Ok((next.0, next.1, notes))
    }

    /// Goes on with the run of a thread.
    async fn go_on(
        &self,
        action: Action,
        run: RunState,
        mut next: Thread,
    ) -> Result<((Thread, RunState), Vec<String>), Problem> {
        let (runs, tenant, id) = (self.service.runs(), self.tenant, run.id.clone());
        next.is_instruction = false;
        let (run, instruction) = match action {
            Action::Say(instruction) => {
                next.is_instruction = true;
                (run, Some(instruction))
            }
            Action::Provide(outputs, instruction) => {
                let key = self.model_key.clone();
                (runs.provide(tenant, &id, outputs, key).await?, instruction)
            }
            Action::Answer(answer, instruction) => {
                (runs.answer(tenant, &id, answer).await?, instruction)
            }
            Action::Resume => {
                let policy = self.service.policy(tenant);
                (runs.resume(tenant, &policy, &id, self.model_key.clone()).await?, None)
            }
            Action::Watch | Action::Replay | Action::Create(_) | Action::Renew(_) => (run, None),
        };
        let Some(instruction) = instruction else { return Ok(((next, run), Vec::new())) };
        let policy = self.service.policy(tenant);
        let message = Message {
            instruction: instruction.text,
            documents: instruction.documents,
            ..Message::default()
        };
        let run = runs.say(tenant, &policy, &id, message, self.model_key.clone()).await?;
        self.sent(&mut next);
        Ok(((next, run), instruction.left_out))
    }

    /// Notes that all messages of the user were sent.
    fn sent(&self, thread: &mut Thread) {
        let last = self.input.of_user(0).last();
        thread.seen = last.map(|message| message.id.clone());
        thread.context = thread::context_hash(&content::context(self.input));
    }

    /// Creates a run with these documents beside those of the messages.
    async fn create(
        &self,
        instruction: Instruction,
        mut documents: Vec<DocumentSource>,
    ) -> Result<(Thread, RunState), Problem> {
        let props = content::props(self.input)?;
        documents.extend(instruction.documents);
        documents.extend(props.documents);
        let first = self.input.messages.iter().rposition(|message| message.role == "assistant");
        let before = self.input.messages.get(..first.map_or(0, |place| place + 1));
        let request = CreateRun {
            instruction: instruction.text,
            documents,
            model: props.model,
            options: props.options,
            instructions: content::instructions(self.input),
            functions: content::functions(self.input)?,
            history: content::history(before.unwrap_or_default()),
            ..CreateRun::default()
        };
        let policy = self.service.policy(self.tenant);
        // The same request again finds the run that it created.
        let key = blake3::hash(
            format!(
                "{}\n{}\n{}",
                self.input.thread_id.len(),
                self.input.thread_id,
                self.input.run_id
            )
            .as_bytes(),
        );
        let key = format!("ag-ui:{}", key.to_hex());
        // Documents that are handed over have other identifiers in each attempt.
        let once = Runs::once(&key, &key)?;
        let model_key = self.model_key.clone();
        let created =
            self.service.runs().create_once(self.tenant, &policy, request, model_key, Some(once));
        let (run, _) = created.await?;
        let mut thread = Thread {
            run: run.id.clone(),
            tools: thread::tools_hash(self.input),
            ..Thread::default()
        };
        self.sent(&mut thread);
        Ok((thread, run))
    }

    /// Returns the documents and files of a run as documents for the run that follows it.
    async fn handed_over(&self, run: &RunState) -> Result<Vec<DocumentSource>, Problem> {
        let mut documents = Vec::new();
        let of_documents = run.documents.iter().map(|document| {
            (&document.name, "application/octet-stream", &document.sha256, document.size)
        });
        let of_files = run
            .files
            .iter()
            .map(|file| (&file.name, file.media_type.as_str(), &file.sha256, file.size));
        for (name, media_type, sha256, size) in of_documents.chain(of_files) {
            // One that was never fetched has no content.
            if sha256.is_empty() {
                continue;
            }
            let id = Files::new_id()?;
            let created_ms = self.service.now_ms();
            self.service.store().keep(self.tenant, sha256, &id).await?;
            let file = UploadedFile {
                id: id.clone(),
                name: name.clone(),
                media_type: media_type.to_owned(),
                sha256: sha256.clone(),
                size,
                created_ms,
                expires_ms: Some(created_ms + HANDOVER.as_secs() * 1_000),
                purpose: "run".to_owned(),
            };
            self.service.files().enter(self.tenant, file, Some(HANDOVER)).await?;
            documents.push(DocumentSource::File { file: id, name: Some(name.clone()) });
        }
        Ok(documents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn nothing(_: Service, _: Request) -> Answered {
        Err(Problem::bad("test", "not called"))
    }

    #[test]
    fn the_document_of_the_interface_is_valid() {
        let endpoint = Endpoint::new(TAG, Method::POST, "/v1/ag-ui", "run_ag_ui", "Run", nothing)
            .reads(Body::Json(schema_of::<RunAgentInput>()))
            .responds(Responds::Events(schema_of::<StampedEvent>()));
        let document = crate::http::checked(&[endpoint]);
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["RunAgentInput"]["properties"]["threadId"]["type"], "string");
    }
}
