//! Opens a conversation with its log: a new one, or one resumed from an earlier process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folders::expand;
use super::pictures::{give, picture};
use super::start_options::StartOptions;
use super::work::{Work, lasting};
use crate::output::note;
use crate::runs::{OpenRun, Runs};
use mitt::{Document, url_of};
use mitt_agent::model::Image;
use mitt_agent::{Agent, Conversation, LoggedRun, RunHeader, RunLog, ToolMode};
use mitt_base::time::timestamp;
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// The log of a conversation.
pub(super) struct ConversationLog {
    /// The name of its run; `None` if no log is kept.
    pub(super) name: Option<String>,
}

/// The first entry in the log of a new conversation.
#[derive(Clone)]
pub(super) struct NewConversation<'a> {
    /// The model, by a name with which it is found again.
    pub(super) model: &'a str,
    pub(super) tools: ToolMode,
    /// The options of its start.
    pub(super) options: StartOptions,
}

/// Documents that the user named, with their locations.
pub(super) type LocatedDocuments = [(Arc<Document>, PathBuf)];

/// Reads what the user named: documents with their locations, and pictures for the model.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a file cannot be read, or a picture is too large.
pub(super) async fn read_given(
    work: &Work,
    paths: &[PathBuf],
) -> Result<(Vec<(Arc<Document>, PathBuf)>, Vec<Image>)> {
    let (mut documents, mut images) = (Vec::new(), Vec::new());
    for path in &expand(paths)? {
        match picture(path)? {
            Some(image) => {
                give(&work.session, path, &image);
                images.push(image);
            }
            None => documents.push((work.add_file(path).await?, path.clone())),
        }
    }
    Ok((documents, images))
}

/// Resumes a run or begins a conversation; without `new`, a new one has no log.
///
/// # Errors
///
/// Those of [`OpenRun::log`].
pub(super) async fn open<'a>(
    agent: &'a Agent,
    work: &'a Work,
    resumed: Option<OpenRun>,
    new: Option<NewConversation<'_>>,
    documents: &LocatedDocuments,
) -> Result<(Conversation<'a>, ConversationLog)> {
    let Some(open) = resumed else {
        let mut conversation = agent.conversation(&work.session).await;
        let logged = match new {
            Some(new) => ConversationLog::begin(work, &mut conversation, new, documents),
            None => ConversationLog { name: None },
        };
        return Ok((conversation, logged));
    };
    let mut conversation = agent.resume(&work.session, &open.run).await;
    let name = Some(open.name.clone());
    let logged: Vec<String> = open.run.documents().map(|it| it.name.clone()).collect();
    conversation.log_to(open.log()?);
    for (document, path) in documents {
        // The log has the location from the start of the run.
        if !logged.contains(&document.name) {
            log_document(&mut conversation, document, path);
        }
    }
    Ok((conversation, ConversationLog { name }))
}

impl ConversationLog {
    /// Begins a log for a new conversation.
    fn begin(
        work: &Work,
        conversation: &mut Conversation<'_>,
        new: NewConversation<'_>,
        documents: &LocatedDocuments,
    ) -> ConversationLog {
        let Some((name, log)) = new_log(work, new) else { return ConversationLog { name: None } };
        conversation.log_to(log);
        for (document, path) in documents {
            log_document(conversation, document, path);
        }
        ConversationLog { name: Some(name) }
    }

    /// Prints how to resume after a failure.
    pub(super) fn note_how_to_resume(&self, command: &str) {
        if let Some(name) = &self.name {
            note(&format!(
                "`mitt {command} --resume {name}` goes on with it: calls that were made are not made again"
            ));
        }
    }
}

/// Begins a log, and returns it with the name of its run. If it cannot be written, prints a warning and returns `None`.
pub(super) fn new_log(work: &Work, new: NewConversation<'_>) -> Option<(String, RunLog)> {
    let NewConversation { model, tools, options } = new;
    let now = work.session.host().environment().now();
    let mut header = RunHeader::new(timestamp(now), model.to_owned(), tools);
    let folder = work.session.folder();
    header.options = options;
    header.folder = folder.and_then(|folder| std::path::absolute(folder).ok());
    let log = Runs::of_user().and_then(|runs| runs.begin(now, &header));
    log.inspect_err(|error| note(&format!("warning: {}", error.render()))).ok()
}

/// Returns the documents that the run does not know yet, with their lasting locations.
pub(super) fn only_new<'a>(
    run: &LoggedRun,
    documents: &'a LocatedDocuments,
) -> impl Iterator<Item = (&'a Document, Option<PathBuf>)> + use<'a> {
    let logged: Vec<String> = run.documents().map(|it| it.name.clone()).collect();
    let new = documents.iter().filter(move |(document, _)| !logged.contains(&document.name));
    new.map(|(document, path)| (document.as_ref(), lasting(path)))
}

/// Logs the location of a document, independently of the working folder.
pub(super) fn log_document(conversation: &mut Conversation<'_>, document: &Document, path: &Path) {
    conversation.log_document(document, lasting(path));
}

/// Opens a run to resume it.
///
/// # Errors
///
/// Those of [`Runs::resume`].
pub(super) fn resume(name: &str) -> Result<OpenRun> {
    Runs::of_user()?.resume((name != LAST).then_some(name))
}

/// Stands for the last run.
pub(super) const LAST: &str = "last";

/// Adds the documents of a run to the session, from their logged locations, unless it has them already. With `strict`, they
/// must be unchanged.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a document is missing or has changed.
pub(super) async fn add_documents(work: &Work, run: &LoggedRun, strict: bool) -> Result<()> {
    for logged in run.documents() {
        let is_here = |it: &Arc<Document>| it.name == logged.name;
        if let Some(here) = work.session.documents().into_iter().find(is_here) {
            if strict && here.sha256 != logged.sha256 {
                return Err(changed(&logged.name));
            }
            continue;
        }
        let missing = || {
            let message = format!("the document {} of this run is not where it was", logged.name);
            Error::new(ErrorKind::Input, message)
                .hint("name the file with `--doc`, under its own name")
        };
        let path = logged.path.as_ref().ok_or_else(missing)?;
        let most = work.session.host().session_limits().document_bytes;
        if url_of(path).is_some() {
            let fetched = work.add_file(path).await;
            let fetched = fetched.map_err(|error| missing().caused_by(error))?;
            if strict && fetched.sha256 != logged.sha256 {
                return Err(changed(&logged.name).at(path.display()));
            }
            continue;
        }
        let content = plain_file::read(path, most)
            .map_err(|error| missing().at(path.display()).caused_by(error))?;
        let read = work.add_bytes(path, &logged.name, content).await;
        let document = read.map_err(|error| error.at(path.display()))?;
        if strict && document.sha256 != logged.sha256 {
            return Err(changed(&logged.name).at(path.display()));
        }
    }
    Ok(())
}

fn changed(name: &str) -> Error {
    let message = format!("the document {name} is not what it was when this run began");
    Error::new(ErrorKind::Input, message)
        .hint("name the file as it was with `--doc`, or begin anew")
}
