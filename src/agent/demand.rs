//! What the caller demands of the answer to an instruction.
//!
//! Knows no conversations: [`crate::required`] holds the model to it.

use std::sync::Arc;

use crate::answer_form::AnswerForm;
use crate::model::{ModelResponse, ToolChoice};

/// Demand of the caller on the answer to an instruction: [`Conversation::demand`](crate::Conversation::demand). Default: none.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Demand {
    /// How the first request of the model may call tools. Further requests leave the choice to the model. If the model ends
    /// without the required call, it is asked once more; then the instruction fails.
    pub choice: ToolChoice,
    /// Tools of which one must be called if the choice is [`ToolChoice::Required`]. Calls of other tools are made, and are not
    /// enough. Default: none; a call of any tool is enough.
    pub one_of: Vec<String>,
    /// Form of the final answer. If the answer does not follow it, the model reads why and is asked again, twice at most; then
    /// the instruction fails with an error whose source is an [`AnswerMismatch`](crate::AnswerMismatch). The form is in the log,
    /// and holds when the instruction is continued. Default: free text.
    pub form: Option<Arc<AnswerForm>>,
}

impl Demand {
    /// Returns `true` if the calls of an answer are what is demanded.
    pub(crate) fn is_met_by(&self, answer: &ModelResponse) -> bool {
        let mut names = answer.calls.iter().map(|call| call.name.as_str());
        match &self.choice {
            ToolChoice::Auto | ToolChoice::None => true,
            ToolChoice::Required if self.one_of.is_empty() => names.next().is_some(),
            ToolChoice::Required => names.any(|name| self.one_of.iter().any(|it| it == name)),
            ToolChoice::Tool(tool) => names.any(|name| name == tool),
        }
    }
}

/// State of the demanded call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DueCall {
    /// It was made, or none is demanded.
    #[default]
    None,
    /// What was said last decides: another process may have got the call.
    Unknown,
    /// The next request requires it.
    Now,
    /// The model made other calls first. The answer must not end without it.
    Later,
}

/// Demand that a conversation holds its model to.
#[derive(Debug, Default)]
pub(crate) struct HeldDemand {
    pub(crate) demand: Demand,
    /// `true` if the caller has set it, so that the form in the log does not count.
    pub(crate) is_set: bool,
    pub(crate) due: DueCall,
    /// `true` if the model was asked for the call once more.
    pub(crate) is_repeated: bool,
    /// `true` if the next request is for the same answer in the demanded form, which needs no calls.
    pub(crate) is_mending: bool,
    /// Times that the model was asked for the demanded form.
    pub(crate) mended: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelCall;

    #[test]
    fn calls_meet_a_demand_by_their_names() {
        let demand = |choice, one_of: &[&str]| Demand {
            choice,
            one_of: one_of.iter().map(|it| (*it).to_owned()).collect(),
            form: None,
        };
        let required = ToolChoice::Required;
        for (demand, called, is_met) in [
            (demand(ToolChoice::Auto, &["f"]), &[][..], true),
            (demand(ToolChoice::None, &[]), &[], true),
            (demand(required.clone(), &[]), &[], false),
            (demand(required.clone(), &[]), &["x"], true),
            (demand(required.clone(), &["f", "g"]), &["x"], false),
            (demand(required, &["f", "g"]), &["x", "g"], true),
            (demand(ToolChoice::Tool("f".into()), &[]), &["g"], false),
            (demand(ToolChoice::Tool("f".into()), &[]), &["g", "f"], true),
        ] {
            let call = |name: &&str| ModelCall {
                id: String::new(),
                name: (*name).to_owned(),
                arguments: String::new(),
            };
            let calls = called.iter().map(call).collect();
            let answer = ModelResponse { calls, ..ModelResponse::default() };
            assert_eq!(demand.is_met_by(&answer), is_met, "{demand:?} {called:?}");
        }
    }
}
