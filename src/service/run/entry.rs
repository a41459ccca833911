//! What a store keeps of a run: its state for clients, and what the service needs to go on with it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::spec::AnswerDemand;
use super::state::{Answer, Question, RunFile, RunState, RunStatus};
use crate::store::{Record, RunKey};
use mitt_base::{Error, Result};

const STATE: &str = "state";
const WORK: &str = "work";

/// A run as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The record without its body.
    record: Record,
    /// What clients see.
    pub(super) state: RunState,
    /// What only the service sees.
    pub(super) work: Work,
}

/// What the service needs to go on with a run.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(super) struct Work {
    /// Origins of the documents, in the order of [`RunState::documents`].
    pub(super) documents: Vec<DocumentOrigin>,
    /// The instruction that is followed or waits to be followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) current: Option<Current>,
    /// SHA-256 of the request that created the run, if it is too long for the record. The store has it as a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) request: Option<String>,
    /// Calls of the caller's functions whose results are in the inbox.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) given: Vec<String>,
    /// The question of a session that has ended, while its answer is on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parked: Option<Question>,
    /// Number of the last event before the work began that was last begun. Later events are of this work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) begun_after: Option<u64>,
    /// What the tenant may use in a day.
    pub(super) budget: DayBudget,
    /// `true` if the client brought the key of the model's service, which is never stored.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) has_own_key: bool,
    /// Number of the last record of the inbox when the title was set. Earlier titles in the inbox do not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) titled: u64,
    /// Earlier versions of delivered files, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) versions: Vec<RunFile>,
    /// The container in which scripts of the model run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) container: Option<String>,
    /// What the caller demands of the answer to the current instruction.
    #[serde(skip_serializing_if = "AnswerDemand::is_none")]
    pub(super) demand: AnswerDemand,
    /// The last instructions that clients wanted back, as far as the owner has read that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) withdrawals: Vec<Withdrawal>,
    /// Times that a process ended during the work that is under way, and another one went on with it.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) losses: u64,
    /// `true` if the next owner goes on with the work that was under way, without a client.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) goes_on: bool,
}

/// An instruction that a client wants back.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Withdrawal {
    /// Number of the record of the inbox that says so.
    pub(super) record: u64,
    /// `false` if the model had the instruction already.
    pub(super) is_done: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Where the content of a document is.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DocumentOrigin {
    /// In the store.
    Stored,
    /// At an address, from which it was not fetched yet.
    Url {
        /// The address.
        url: String,
        /// Name that the client wants for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// In the store, as it was fetched.
    Fetched {
        /// Address after redirects.
        url: String,
        /// Media type that the server declared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
    },
}

/// An instruction that is followed.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Current {
    /// Number of its record in the inbox; `None` for the instruction of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) inbox: Option<u64>,
    /// Number of instructions in the log before it. If the log has more, this one was begun.
    pub(super) before: u64,
}

/// What a tenant may use in a day; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
pub(super) struct DayBudget {
    /// Tokens of requests and answers together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<u64>,
    /// Cost in units of 10^-12 dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) picodollars: Option<u64>,
}

/// A document that arrives with a message.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct NewDocument {
    /// Name in the run.
    pub(super) name: String,
    /// SHA-256 of the content; empty until it is fetched.
    #[serde(default)]
    pub(super) sha256: String,
    /// Size in bytes.
    #[serde(default)]
    pub(super) size: u64,
    /// Where its content is.
    pub(super) origin: DocumentOrigin,
}

/// Identifies a further instruction that may be sent twice.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct MessageKey {
    /// The client's key.
    pub(super) key: String,
    /// Hash of the request.
    pub(super) request: String,
}

/// A record of the inbox: a request to the owner of a run.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum InboxRecord {
    /// A further instruction.
    Message {
        /// Its text.
        text: String,
        /// Documents that come with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        documents: Vec<NewDocument>,
        /// The container in which scripts run from then on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        container: Option<String>,
        /// What the caller demands of the answer.
        #[serde(default, skip_serializing_if = "AnswerDemand::is_none")]
        demand: AnswerDemand,
        /// Time at which it was sent, in milliseconds after 1970; 0 in records of earlier versions.
        #[serde(default)]
        sent_ms: u64,
        /// Identifies a request that may be sent twice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<MessageKey>,
    },
    /// An instruction is taken back, if the model has not begun it.
    Withdraw {
        /// Number of its record.
        message: u64,
    },
    /// An answer to a question.
    Answer(Answer),
    /// Result of a call of the caller's function.
    Output {
        /// Identifier of the call.
        call: String,
        /// Text for the model.
        output: String,
    },
    /// Another title.
    Title {
        /// The title.
        title: String,
    },
    /// Go on with what was interrupted.
    Resume,
    /// Stop.
    Cancel,
}

impl Entry {
    /// Returns a new run.
    pub(super) fn new(tenant: &str, state: RunState, work: Work) -> Entry {
        let record = Record {
            tenant: tenant.to_owned(),
            id: state.id.clone(),
            version: 0,
            created_ms: state.created_ms,
            status: state.status.name().to_owned(),
            owner: None,
            lease_until_ms: 0,
            body: Map::new(),
        };
        Entry { record, state, work }
    }

    /// Reads a record.
    ///
    /// # Errors
    ///
    /// The record was not written by this version of the service.
    pub(super) fn read(mut record: Record) -> Result<Entry> {
        let mut body = std::mem::take(&mut record.body);
        let state = body.remove(STATE).unwrap_or_default();
        let work = body.remove(WORK).unwrap_or_default();
        let state = serde_json::from_value(state).map_err(Error::bug)?;
        let work = serde_json::from_value(work).map_err(Error::bug)?;
        Ok(Entry { record, state, work })
    }

    /// Returns the record to write.
    ///
    /// # Errors
    ///
    /// It cannot be written as JSON.
    pub(super) fn to_record(&self) -> Result<Record> {
        let value = |value: serde_json::Result<Value>| value.map_err(Error::bug);
        let mut body = Map::new();
        body.insert(STATE.to_owned(), value(serde_json::to_value(&self.state))?);
        body.insert(WORK.to_owned(), value(serde_json::to_value(&self.work))?);
        let status = self.state.status.name().to_owned();
        Ok(Record { status, body, ..self.record.clone() })
    }

    /// Takes version, owner and lease of a record that was written.
    pub(super) fn written_as(&mut self, record: Record) {
        self.record = Record { body: Map::new(), ..record };
    }

    /// Returns the key of the run.
    pub(super) fn key(&self) -> RunKey {
        self.record.key()
    }

    /// Makes `owner` the owner with the next update.
    pub(super) fn set_owner(&mut self, owner: &str) {
        self.record.owner = Some(owner.to_owned());
    }

    /// Lets the next owner go on with the work that is under way. It asks a question that waits again.
    pub(super) fn hand_over(&mut self) {
        self.state.status = RunStatus::Queued;
        self.work.parked = self.state.question.take();
        self.work.goes_on = true;
    }

    /// Sets the title that record `number` of the inbox has, unless a later one was set.
    pub(super) fn set_title(&mut self, number: u64, title: &str) {
        if number > self.work.titled {
            self.work.titled = number;
            title.clone_into(&mut self.state.title);
        }
    }

    /// Returns `true` if a worker had the run when this was last written.
    pub(super) fn is_owned(&self) -> bool {
        self.record.owner.is_some()
    }

    /// Returns `true` if this worker has the run.
    pub(super) fn is_of(&self, worker: &str) -> bool {
        self.record.owner.as_deref() == Some(worker)
    }

    /// Returns `true` if a worker has the run, and its lease has not ended.
    pub(super) fn has_owner(&self, now_ms: u64) -> bool {
        self.record.owner.is_some() && self.record.lease_until_ms > now_ms
    }

    /// Returns `true` if a process had the run and ended without giving it back.
    pub(super) fn is_abandoned(&self, now_ms: u64) -> bool {
        matches!(self.state.status, RunStatus::Running | RunStatus::Waiting)
            && self.record.owner.is_some()
            && self.record.lease_until_ms <= now_ms
    }

    /// Returns `true` if the run waits, and no worker has it.
    pub(super) fn is_parked(&self, now_ms: u64) -> bool {
        self.state.status == RunStatus::Waiting && !self.has_owner(now_ms)
    }

    /// Returns `true` if the run waits for functions of the caller.
    pub(super) fn waits_for_functions(&self) -> bool {
        self.state.status == RunStatus::Waiting
            && matches!(self.state.question, Some(Question::Functions { .. }))
    }
}
