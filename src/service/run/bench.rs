//! The session of a run with its agent, and the documents in it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::agent::{agent, header, planner};
use super::context::{KEY_MISSING, RunContext};
use super::desk::Review;
use super::documents::{Added, MAX_PICTURE_BYTES, add};
use super::entry::{DocumentOrigin, NewDocument};
use super::event::EventData;
use super::events::run_document;
use super::keeper::Lost;
use super::scripts::RunScripts;
use super::state::{Failure, RunDocument};
use super::words;
use mitt::{Approver, Document, Event, Session, SessionOptions};
use mitt_agent::model::Image;
use mitt_agent::plan::{PlanReview, Planner};
use mitt_agent::{Agent, AroundScripts, RunHeader};
use mitt_base::lock;
use serde_json::json;

/// The session of a run with its agent.
pub(super) struct Bench {
    pub(super) session: Session,
    pub(super) mind: Mind,
    /// What the log says of the agent.
    pub(super) header: RunHeader,
    takes_pictures: bool,
    given: Mutex<Given>,
    /// Lets go of the session.
    _session_of_files: SessionOfFiles,
}

/// Who follows the instructions of a run.
pub(super) enum Mind {
    /// An agent, in a conversation.
    Agent(Agent),
    /// A planner, each by a plan.
    Planner(Planner),
}

/// What was added to the session, and not handed on yet.
#[derive(Default)]
struct Given {
    /// Pictures for the model.
    pictures: Vec<Image>,
    /// Documents that the log may not name yet.
    documents: Vec<Arc<Document>>,
}

/// Takes the session out of the outbox, which the session would otherwise keep by its listener.
struct SessionOfFiles(Arc<super::writer::Outbox>);

impl Drop for SessionOfFiles {
    fn drop(&mut self) {
        self.0.set_session(None);
    }
}

/// Opens a session for a run, with its documents and its agent.
///
/// # Errors
///
/// Why the instruction cannot be followed.
pub(super) async fn open(context: &RunContext) -> Result<Bench, Failure> {
    let entry = context.keeper.entry().await;
    if entry.work.has_own_key && context.shared.key_of(&context.key).is_none() {
        return Err(Failure {
            code: KEY_MISSING.to_owned(),
            message: "the key of the model's service is kept in memory only, and is gone"
                .to_owned(),
            hint: Some("continue the run, and send the key again".to_owned()),
        });
    }
    let request = (context.model.as_str(), &context.request);
    let is_quiet = Arc::new(AtomicBool::new(false));
    let scripts = scripts(context, is_quiet.clone());
    let made = agent(&context.shared, &context.key, &context.meter, request, scripts)
        .map_err(|it| context.failure(&it))?;
    let now = context.shared.options.host.environment().now();
    let model = context.shared.options.models.log_name(&made.model);
    let header = header(now, model, made.tools, &context.request.options);
    // The agents of a plan get their own instructions, and no pictures.
    let takes_pictures = made.takes_pictures && context.request.options.plan.is_none();
    let mind = match context.request.options.plan {
        None => Mind::Agent(made.agent),
        Some(_) => {
            let review = Arc::new(Review(context.desk.clone()));
            let parts = (made.agent, review as Arc<dyn PlanReview>);
            let planner = planner(&context.shared, &context.key, &context.meter, request, parts);
            Mind::Planner(planner.map_err(|it| context.failure(&it))?)
        }
    };
    let known = entry.state.documents.iter().filter(|document| document.summary.is_some());
    context.translator.begin(known.map(|document| document.name.clone()));
    let translator = context.translator.clone();
    let (store, own) = (&*context.shared.options.store, context.request.options.words.clone());
    let all_rules = words::rules_of_run(store, &context.key.tenant, own).await;
    let all_rules = all_rules.map_err(|it| context.failure(&it))?;
    let options = SessionOptions {
        tenant: Some(context.key.tenant.clone()),
        events: Some(Arc::new(move |event: &Event| {
            if !(is_of_call(event) && is_quiet.load(Ordering::Relaxed)) {
                translator.event(event);
            }
        })),
        approver: Some(context.desk.clone() as Arc<dyn Approver>),
        keeps_sources: true,
        rules: all_rules,
        ..SessionOptions::default()
    };
    let session =
        context.shared.options.host.session(options).map_err(|it| context.failure(&it))?;
    context.outbox.set_session(Some(session.clone()));
    let guard = SessionOfFiles(context.outbox.clone());
    let given = Mutex::default();
    let bench = Bench { session, mind, header, takes_pictures, given, _session_of_files: guard };
    let documents = entry.state.documents.iter().zip(&entry.work.documents).enumerate();
    for (index, (document, origin)) in documents {
        let RunDocument { name, sha256, size, .. } = document.clone();
        let new = NewDocument { name, sha256, size, origin: origin.clone() };
        let added = add_one(context, &bench, &new, takes_pictures, Some(index)).await;
        added.map_err(|error| context.failure(&error))?;
    }
    context.translator.has_read_known();
    Ok(bench)
}

/// Returns what is done around the scripts of the run's model, if the service has containers.
fn scripts(context: &RunContext, is_quiet: Arc<AtomicBool>) -> Option<Arc<dyn AroundScripts>> {
    let options = &context.shared.options;
    let containers = options.containers.clone()?;
    Some(Arc::new(RunScripts {
        containers,
        store: options.store.clone(),
        key: context.key.clone(),
        keeper: context.keeper.clone(),
        outbox: context.outbox.clone(),
        is_quiet,
        open: Mutex::default(),
    }))
}

/// Returns `true` for the steps of a call that clients do not see if the call is not the model's.
fn is_of_call(event: &Event) -> bool {
    matches!(event, Event::CallStarted { .. } | Event::CallFinished { .. } | Event::Output { .. })
}

/// Adds a document to the session and enters it in the run: at `index`, or at the end.
async fn add_one(
    context: &RunContext,
    bench: &Bench,
    new: &NewDocument,
    takes_pictures: bool,
    index: Option<usize>,
) -> mitt_base::Result<()> {
    let store = &*context.shared.options.store;
    let picture_bytes = if takes_pictures {
        let given = lock(&bench.given);
        let used: usize = given.pictures.iter().map(|picture| picture.data.len()).sum();
        MAX_PICTURE_BYTES.saturating_sub(used as u64)
    } else {
        0
    };
    let (document, origin) =
        match add(store, &context.key, &bench.session, new, picture_bytes).await? {
            Added::Picture(image) => {
                let summary = Some(json!({ "media_type": image.media_type }));
                lock(&bench.given).pictures.push(image);
                let NewDocument { name, sha256, size, .. } = new.clone();
                (RunDocument { name, sha256, size, summary }, new.origin.clone())
            }
            Added::Document { document, stored } => {
                lock(&bench.given).documents.push(document.clone());
                // The content in the store, which may have been converted before it was read.
                let of_store = (stored.sha256.clone(), stored.size);
                let mut shown = run_document(&document);
                (shown.sha256, shown.size) = of_store;
                (shown, stored.origin)
            }
        };
    let entered = context.keeper.change(|entry| {
        let (documents, origins) = (&mut entry.state.documents, &mut entry.work.documents);
        match index {
            Some(index) => {
                if let (Some(at), Some(of)) = (documents.get_mut(index), origins.get_mut(index)) {
                    (*at, *of) = (document, origin);
                }
            }
            None => {
                documents.push(document);
                origins.push(origin);
            }
        }
    });
    match entered.await {
        Ok(_) => Ok(()),
        // Its future is dropped.
        Err(Lost) => std::future::pending().await,
    }
}

impl Bench {
    /// Takes the pictures that the model has not seen.
    pub(super) fn take_pictures(&self) -> Vec<Image> {
        std::mem::take(&mut lock(&self.given).pictures)
    }

    /// Takes the documents that the log may not name yet.
    pub(super) fn take_documents(&self) -> Vec<Arc<Document>> {
        std::mem::take(&mut lock(&self.given).documents)
    }

    /// Adds the documents of the first instruction that waits. The model reads which of them cannot be read. Pictures are
    /// documents unless the model may look at them.
    pub(super) async fn add_waiting(&self, context: &RunContext, may_look: bool) {
        let takes_pictures = may_look && self.takes_pictures;
        while let Some((number, new)) = context.inbox.next_document() {
            let problem = match add_one(context, self, &new, takes_pictures, None).await {
                Ok(()) => None,
                Err(error) => Some(format!("The document {} cannot be read: {error}", new.name)),
            };
            if let Some(problem) = &problem {
                context.outbox.push(None, EventData::Note { text: problem.clone() });
            }
            context.inbox.document_done(number, problem.as_deref());
        }
    }

    /// Returns the file of a document for the log, if the store keeps it as a file of this machine.
    pub(super) async fn path(
        context: &RunContext,
        document: &Document,
    ) -> Option<std::path::PathBuf> {
        let entry = context.keeper.entry().await;
        let mut known = entry.state.documents.iter().zip(&entry.work.documents);
        let (known, origin) = known.find(|(known, _)| known.name == document.name)?;
        match origin {
            DocumentOrigin::Stored | DocumentOrigin::Fetched { .. } => {
                context.shared.options.store.blob_path(&context.key.tenant, &known.sha256)
            }
            DocumentOrigin::Url { .. } => None,
        }
    }
}
