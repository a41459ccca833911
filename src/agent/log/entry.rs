//! Entries of a conversation's log: one for each step, as JSON lines.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::earlier::EarlierMessage;
use crate::model::{Image, ModelCall, ModelResponse, OutputFormat, Usage};
use crate::plan_record::PlanEntry;
use crate::route::Trace;
use mitt::Artifact;
use mitt::skill::ToolFilter;

/// Format that this version reads and writes.
pub(super) const FORMAT: &str = "mitt-run@1";

/// Step of a conversation. The state of a conversation follows from its entries alone: see [`History`](super::History).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogEntry {
    /// The system message.
    System { text: String },
    /// Origin of a document.
    Document(LoggedDocument),
    /// Form that the caller demands of the answer to the next instruction, or to the one that goes on; `None` for free text.
    Demanded {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        form: Option<OutputFormat>,
    },
    /// Instruction of the user.
    User {
        text: String,
        /// Text that the host added to it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        with: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty", with = "images")]
        images: Vec<Image>,
    },
    /// Further instruction of the user while the model worked.
    Steered {
        text: String,
        /// Text that the host added to it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        with: String,
    },
    /// Message from before the conversation began.
    Earlier(EarlierMessage),
    /// Decisions about the instruction so far.
    Routed { trace: Trace },
    /// Message of the host in place of the user.
    Host { text: String },
    /// Turn of the model.
    Answer { answer: ModelResponse, usage: Usage },
    /// A call is about to have its first effect that a second call would repeat.
    Making { call_id: String },
    /// Result of a call.
    Result(LoggedResult),
    /// Event of the plan that the instruction is followed by.
    Plan(PlanEntry),
    /// Summary, by a model, of everything that was done before.
    Summary { text: String },
    /// An agent is about to do a task.
    Delegated(LoggedAgent),
    /// Step of such an agent.
    #[serde(rename = "of")]
    FromAgent { agent: u64, entry: Box<LogEntry> },
    /// Steps of agents are no longer recorded after this, because there is no space.
    LeftOut,
    /// The conversation was transferred: to an agent, or back to the session's own model.
    Transferred { to: Option<LoggedAgent> },
    /// The process ended, and another one continues.
    Resumed {
        /// Number of the first table after that.
        next_table: u64,
    },
    /// An instruction ended.
    Ended {
        /// Kind and message of the error that ended it early.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<(String, String)>,
    },
}

/// Document of a logged run.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LoggedDocument {
    /// Name in the session.
    pub name: String,
    /// File that it was read from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Size of the file in bytes.
    pub size: u64,
}

/// Agent of a logged run, with its restrictions.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct LoggedAgent {
    /// Number of the agent, which identifies its steps.
    pub(crate) agent: u64,
    /// Agent that gave it the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<u64>,
    pub(crate) name: String,
    /// Step of a plan that it worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) of_plan: Option<LoggedAttempt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    only: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    read_only: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    servers: Option<Vec<String>>,
}

impl LoggedAgent {
    pub(crate) fn new(
        agent: u64,
        parent: Option<u64>,
        name: &str,
        has: &ToolFilter,
    ) -> LoggedAgent {
        LoggedAgent {
            agent,
            parent,
            name: name.to_owned(),
            of_plan: None,
            only: has.names().map(<[String]>::to_vec),
            without: has.left_out().to_vec(),
            read_only: has.reads_only(),
            servers: has.server_names().map(<[String]>::to_vec),
        }
    }

    /// Returns its restrictions.
    pub(crate) fn tool_filter(&self) -> ToolFilter {
        let mut filter = ToolFilter::new().agent(self.name.as_str());
        filter = filter.without(self.without.iter().cloned());
        if let Some(servers) = &self.servers {
            filter = filter.servers(servers.iter().cloned());
        }
        if let Some(only) = &self.only {
            filter = filter.only(only.iter().cloned());
        }
        if self.read_only { filter.read_only() } else { filter }
    }
}

/// Attempt of a plan's step, made by an agent.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct LoggedAttempt {
    pub(crate) step: String,
    /// Number of the attempt, from 1.
    pub(crate) attempt: u64,
}

/// Result of a call.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct LoggedResult {
    pub(crate) call_id: String,
    /// Text for the model.
    pub(crate) content: String,
    pub(crate) is_error: bool,
    /// Delivered files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) delivered: Vec<Delivered>,
    /// Creation time that the files state, in milliseconds after 1970.
    pub(crate) created_ms: u64,
    /// Number of the call in its session, which names its result; 0 if the call was not made.
    #[serde(default)]
    pub(crate) number: u64,
    /// Number of its first table, or of the next one if it has none.
    pub(crate) first_table: u64,
    /// Number of the next table after it.
    pub(crate) next_table: u64,
}

/// Delivered file.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct Delivered {
    pub(crate) name: String,
    pub(crate) sha256: String,
}

impl From<&Artifact> for Delivered {
    fn from(artifact: &Artifact) -> Delivered {
        Delivered { name: artifact.name.clone(), sha256: artifact.sha256.clone() }
    }
}

impl LoggedResult {
    /// Returns the result of a call that was not made, or whose result is unknown.
    pub(crate) fn none(call: &ModelCall, is_begun: bool) -> LoggedResult {
        let content = if is_begun {
            "cancelled: the work was stopped while this call was made: it may have taken effect or not. Look before you make it again."
        } else {
            "cancelled: the work was stopped before this call was made."
        };
        LoggedResult {
            call_id: call.id.clone(),
            content: content.to_owned(),
            is_error: true,
            delivered: Vec::new(),
            created_ms: 0,
            number: 0,
            first_table: 1,
            next_table: 1,
        }
    }
}

mod images {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::model::Image;

    #[derive(Deserialize, Serialize)]
    struct Wire {
        media_type: String,
        data: String,
    }

    pub(super) fn serialize<S: Serializer>(images: &[Image], to: S) -> Result<S::Ok, S::Error> {
        let wire = |image: &Image| Wire {
            media_type: image.media_type.clone(),
            data: STANDARD.encode(&image.data),
        };
        images.iter().map(wire).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Image>, D::Error> {
        let read = |wire: Wire| {
            let data = STANDARD.decode(&wire.data).map_err(D::Error::custom)?;
            Ok(Image { media_type: wire.media_type, data: data.into() })
        };
        Vec::<Wire>::deserialize(from)?.into_iter().map(read).collect()
    }
}
