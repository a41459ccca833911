//! Records of the gates' decisions, and their form as one line.
//!
//! Knows no gate: each gate adds its record.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::intent::Intent;

/// Decision of a gate.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Record {
    /// Gate 0: a skill was named.
    Named {
        /// How it was named.
        by: NamedBy,
        /// What was found.
        outcome: NameOutcome,
        /// The skill, if one was found.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skill: Option<String>,
    },
    /// Gate 1: intent of the message.
    Intent {
        /// Intent, judging by the words.
        intent: Intent,
        /// Reason why small talk keeps its tools, if it does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<Kept>,
    },
    /// A sub-agent or a plan is about to start.
    Fork {
        /// Which of the two.
        kind: ForkKind,
        /// Decision about the start: allowed, refused, or left to gate 2.
        forks: Forks,
    },
    /// Gate 2: whether it may start.
    Guardrail {
        /// The small model's answer, or the reason why there is none.
        outcome: GuardrailOutcome,
        /// `true` if it may start.
        is_allowed: bool,
    },
}

/// How a skill was named.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedBy {
    /// By a command, `/skill`.
    Slash,
    /// By a hint that was sent with the message.
    Hint,
}

/// Result of looking a name up.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NameOutcome {
    /// The skill is used.
    Direct,
    /// There is no skill of this name.
    NotFound,
    /// There are several.
    Ambiguous,
    /// Users may not invoke it.
    NotUserInvocable,
    /// Its arguments are invalid.
    WrongArguments,
}

/// Reason why small talk keeps its tools.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kept {
    /// Documents came with it.
    NewDocuments,
    /// Pictures came with it.
    Pictures,
    /// The model has asked something, and the message may be the answer.
    QuestionPending,
    /// Calls were made before, and some services refuse a request with their results but without tools.
    ToolsUsed,
    /// A skill is active.
    ActiveSkill,
}

/// Work that is started next to the conversation.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkKind {
    /// A sub-agent.
    SubAgent,
    /// A plan, whose steps run in sub-agents and scripts.
    Plan,
}

/// Decision about the start of sub-agents and plans for a message.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Forks {
    /// They may start.
    Allowed,
    /// Those that write or are expensive start only if gate 2 allows it.
    NeedConfirmation,
    /// They may not start.
    Suppressed,
}

/// Outcome of asking the small model.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GuardrailOutcome {
    /// The guardrail is off.
    Off,
    /// The model says that work on data is wanted.
    Passed,
    /// The model says that it is not wanted.
    Refused,
    /// The model did not answer in time.
    Timeout,
    /// The answer does not have the requested form.
    ParseError,
    /// The model could not be asked, or refused to answer.
    Failed,
}

impl GuardrailOutcome {
    /// Returns the name, such as `parse_error`.
    pub const fn name(self) -> &'static str {
        match self {
            GuardrailOutcome::Off => "off",
            GuardrailOutcome::Passed => "passed",
            GuardrailOutcome::Refused => "refused",
            GuardrailOutcome::Timeout => "timeout",
            GuardrailOutcome::ParseError => "parse_error",
            GuardrailOutcome::Failed => "failed",
        }
    }
}

/// Records of a message, in the order of the gates.
///
/// `Display` formats them on one line: what gate 0 found, then a part for each further decision, such as
/// `confident_direct+fork+fork_plan+fork_needs_confirm`. The line depends on the records only.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Trace(Vec<Record>);

impl Trace {
    /// Returns a trace of these records.
    pub fn new(records: Vec<Record>) -> Trace {
        Trace(records)
    }

    /// Returns the records.
    pub fn records(&self) -> &[Record] {
        &self.0
    }

    /// Adds the decision of the next gate.
    pub fn push(&mut self, record: Record) {
        self.0.push(record);
    }

    /// Returns whether no gate changed anything.
    pub fn is_plain(&self) -> bool {
        let is_plain = |record: &Record| {
            matches!(record, Record::Intent { intent: Intent::Action | Intent::Ambiguous, .. })
        };
        self.0.iter().all(is_plain)
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.0.iter().find_map(|record| match record {
            Record::Named { by, outcome, .. } => Some((*by, *outcome)),
            _ => None,
        });
        let Some((by, outcome)) = named else {
            out.write_str("confident_direct")?;
            return self.0.iter().try_for_each(|record| suffix(record, out));
        };
        out.write_str(match by {
            NamedBy::Slash => "slash_",
            NamedBy::Hint => "hint_",
        })?;
        out.write_str(match outcome {
            NameOutcome::Direct => "direct",
            NameOutcome::NotFound => "not_found",
            NameOutcome::Ambiguous => "ambiguous",
            NameOutcome::NotUserInvocable => "not_user_invocable",
            NameOutcome::WrongArguments => "wrong_arguments",
        })?;
        self.0.iter().try_for_each(|record| suffix(record, out))
    }
}

fn suffix(record: &Record, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    match record {
        Record::Named { .. } => Ok(()),
        Record::Intent { intent: Intent::Chitchat, kept } => {
            out.write_str("+chitchat")?;
            match kept {
                None => Ok(()),
                Some(Kept::NewDocuments) => out.write_str("+tools_kept_new_documents"),
                Some(Kept::Pictures) => out.write_str("+tools_kept_pictures"),
                Some(Kept::QuestionPending) => out.write_str("+tools_kept_question_pending"),
                Some(Kept::ToolsUsed) => out.write_str("+tools_kept_tools_used"),
                Some(Kept::ActiveSkill) => out.write_str("+tools_kept_active_skill"),
            }
        }
        Record::Intent { intent: Intent::Meta, .. } => out.write_str("+meta"),
        Record::Intent { .. } => Ok(()),
        Record::Fork { kind, forks } => {
            out.write_str("+fork")?;
            if *kind == ForkKind::Plan {
                out.write_str("+fork_plan")?;
            }
            match forks {
                Forks::Allowed => Ok(()),
                Forks::NeedConfirmation => out.write_str("+fork_needs_confirm"),
                Forks::Suppressed => out.write_str("+fork_suppressed"),
            }
        }
        Record::Guardrail { outcome, is_allowed } => {
            let state = if *is_allowed { "open" } else { "closed" };
            match outcome {
                GuardrailOutcome::Passed | GuardrailOutcome::Refused | GuardrailOutcome::Off => {
                    write!(out, "+guardrail_{}", outcome.name())
                }
                failed => write!(out, "+guardrail_{}_{state}", failed.name()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(by: NamedBy, outcome: NameOutcome) -> Record {
        Record::Named { by, outcome, skill: None }
    }

    fn intent(intent: Intent) -> Record {
        Record::Intent { intent, kept: None }
    }

    fn fork(kind: ForkKind, forks: Forks) -> Record {
        Record::Fork { kind, forks }
    }

    fn guardrail(outcome: GuardrailOutcome, is_allowed: bool) -> Record {
        Record::Guardrail { outcome, is_allowed }
    }

    /// Strings of the reference, and Mitt's own in the same form.
    #[test]
    fn traces_are_shown_as_the_reference_does() {
        let kept = Record::Intent { intent: Intent::Chitchat, kept: Some(Kept::QuestionPending) };
        for (records, shown) in [
            (vec![intent(Intent::Action)], "confident_direct"),
            (vec![intent(Intent::Ambiguous)], "confident_direct"),
            (vec![intent(Intent::Meta)], "confident_direct+meta"),
            (vec![intent(Intent::Chitchat)], "confident_direct+chitchat"),
            (vec![kept], "confident_direct+chitchat+tools_kept_question_pending"),
            (
                vec![intent(Intent::Action), fork(ForkKind::Plan, Forks::Allowed)],
                "confident_direct+fork+fork_plan",
            ),
            (
                vec![intent(Intent::Ambiguous), fork(ForkKind::Plan, Forks::NeedConfirmation)],
                "confident_direct+fork+fork_plan+fork_needs_confirm",
            ),
            (
                vec![
                    intent(Intent::Ambiguous),
                    fork(ForkKind::SubAgent, Forks::NeedConfirmation),
                    guardrail(GuardrailOutcome::Passed, true),
                ],
                "confident_direct+fork+fork_needs_confirm+guardrail_passed",
            ),
            (
                vec![
                    fork(ForkKind::SubAgent, Forks::NeedConfirmation),
                    guardrail(GuardrailOutcome::Timeout, false),
                    fork(ForkKind::SubAgent, Forks::NeedConfirmation),
                    guardrail(GuardrailOutcome::ParseError, true),
                ],
                "confident_direct+fork+fork_needs_confirm+guardrail_timeout_closed+fork+fork_needs_confirm+guardrail_parse_error_open",
            ),
            (
                vec![intent(Intent::Meta), fork(ForkKind::SubAgent, Forks::Suppressed)],
                "confident_direct+meta+fork+fork_suppressed",
            ),
            (vec![named(NamedBy::Slash, NameOutcome::Direct)], "slash_direct"),
            (vec![named(NamedBy::Slash, NameOutcome::NotFound)], "slash_not_found"),
            (vec![named(NamedBy::Slash, NameOutcome::Ambiguous)], "slash_ambiguous"),
            (vec![named(NamedBy::Slash, NameOutcome::WrongArguments)], "slash_wrong_arguments"),
            (
                vec![named(NamedBy::Slash, NameOutcome::NotUserInvocable)],
                "slash_not_user_invocable",
            ),
            (vec![named(NamedBy::Hint, NameOutcome::Direct)], "hint_direct"),
            (vec![named(NamedBy::Hint, NameOutcome::NotFound)], "hint_not_found"),
            (vec![], "confident_direct"),
        ] {
            let trace = Trace::new(records);
            assert_eq!(trace.to_string(), shown);
            // The line depends on the records only, which can be serialised.
            let written = serde_json::to_string(&trace).unwrap();
            assert_eq!(serde_json::from_str::<Trace>(&written).unwrap(), trace, "{written}");
        }
    }
}
