//! Answers the calls of a script from the record of earlier rounds, and ends the script at a call that has no answer yet.
//!
//! Knows no store and no HTTP. The prelude of the script calls the tool with one or more calls at once: those that the
//! script awaits together.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::ToolCall;
use mitt::skill::{HostCall, HostFunction, HostTool};
use mitt::value::{Field, Json, Type};
use mitt_base::{Error, ErrorKind, Result, lock};

/// Largest calls that a script makes at once, in bytes of JSON.
const MOST_BYTES: u64 = 2 * 1024 * 1024;

/// A call that a script made.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Call {
    /// Identifier, such as `call_001`.
    pub(super) id: String,
    /// Name of the tool.
    name: String,
    /// Hash of its arguments.
    input: String,
}

/// Answer of the caller.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The result.
    Result(Value),
    /// Why the tool failed.
    Error(String),
}

/// One round of a script.
#[derive(Clone, Default)]
pub(super) struct Replay {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    recorded: Vec<(Call, Option<Answer>)>,
    /// Calls that were made in this round.
    made: usize,
    waits_for: Vec<ToolCall>,
    differs: Option<String>,
}

/// How a round ended, beside the result of the script.
#[derive(Debug, PartialEq)]
pub(super) enum Round {
    /// All calls were answered.
    Answered,
    /// The script waits for these calls. The calls of all rounds, with these.
    Waits(Vec<ToolCall>, Vec<Call>),
    /// The script did something else than in an earlier round.
    Differs(String),
}

impl Replay {
    /// Returns a round of a script that made these calls in earlier ones.
    pub(super) fn new(recorded: Vec<(Call, Option<Answer>)>) -> Replay {
        Replay { state: Arc::new(Mutex::new(State { recorded, ..State::default() })) }
    }

    /// Returns how the round ended.
    pub(super) fn round(&self) -> Round {
        let state = lock(&self.state);
        if let Some(problem) = &state.differs {
            return Round::Differs(problem.clone());
        }
        if !state.waits_for.is_empty() {
            let calls = state.recorded.iter().map(|(call, _)| call.clone()).collect();
            return Round::Waits(state.waits_for.clone(), calls);
        }
        match state.recorded.get(state.made) {
            None => Round::Answered,
            Some((call, _)) => Round::Differs(format!(
                "the script ended before it called `{}` as in an earlier round",
                call.name
            )),
        }
    }
}

#[derive(Deserialize)]
struct Wanted {
    name: String,
    input: Value,
}

#[async_trait]
impl HostTool for Replay {
    fn function(&self) -> HostFunction {
        described().unwrap_or_else(|error| unreachable!("the name is a constant: {error}"))
    }

    async fn run(&self, _call: &dyn HostCall, arguments: Json) -> Result<Json> {
        let calls = arguments.get("calls").and_then(Json::as_str).unwrap_or_default();
        let calls: Vec<Wanted> = serde_json::from_str(calls).map_err(|error| {
            Error::new(ErrorKind::Arguments, format!("calls: expected a list of calls: {error}"))
        })?;
        lock(&self.state).answer(calls).map(Json::from)
    }
}

impl State {
    /// Returns the answers of calls as JSON text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`], which a script cannot catch - a call has no answer yet, or differs from an earlier round.
    fn answer(&mut self, calls: Vec<Wanted>) -> Result<String> {
        let ended = |text: &str| Error::new(ErrorKind::Denied, text.to_owned());
        if self.differs.is_some() || !self.waits_for.is_empty() {
            return Err(ended("the script waits for its caller"));
        }
        let mut answers = Vec::new();
        for Wanted { name, input } in calls {
            let hash = blake3::hash(input.to_string().as_bytes()).to_hex()[..32].to_owned();
            match self.recorded.get_mut(self.made) {
                Some((call, _)) if call.name != name || call.input != hash => {
                    let number = self.made + 1;
                    let text = if call.name == name {
                        format!(
                            "call {number}: the arguments of `{name}` are not those of an earlier round"
                        )
                    } else {
                        format!(
                            "call {number}: expected `{}` as in an earlier round, got `{name}`",
                            call.name
                        )
                    };
                    let error = ended(&text);
                    self.differs = Some(text);
                    return Err(error);
                }
                Some((_, Some(answer))) => answers.push(match answer {
                    Answer::Result(value) => json!({ "result": value }),
                    Answer::Error(text) => json!({ "error": text }),
                }),
                Some((call, None)) => {
                    self.waits_for.push(ToolCall { id: call.id.clone(), name, input });
                }
                None => {
                    let id = format!("call_{:03}", self.made + 1);
                    let call = Call { id: id.clone(), name: name.clone(), input: hash };
                    self.recorded.push((call, None));
                    self.waits_for.push(ToolCall { id, name, input });
                }
            }
            self.made += 1;
        }
        if !self.waits_for.is_empty() {
            return Err(ended("the script waits for its caller"));
        }
        Ok(Value::from(answers).to_string())
    }
}

fn described() -> Result<HostFunction> {
    let docs = "Calls tools of the program that sent the script.";
    let calls = Field::new("calls", Type::String, None);
    let function = HostFunction::new("mitt-service", "calls", docs)?;
    Ok(function.param(calls).result(Type::String).arguments_bytes(MOST_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(name: &str, input: Value) -> Wanted {
        Wanted { name: name.to_owned(), input }
    }

    fn asked(replay: &Replay, calls: Vec<Wanted>) -> Result<String> {
        lock(&replay.state).answer(calls)
    }

    /// Returns the record after a round, with these answers for the calls that had none.
    fn answered(round: Round, answers: &[Answer]) -> Vec<(Call, Option<Answer>)> {
        let Round::Waits(_, calls) = round else { panic!("{round:?}") };
        let missing = calls.len() - answers.len();
        let answer = |at: usize| at.checked_sub(missing).map(|at| answers[at].clone());
        calls.into_iter().enumerate().map(|(at, call)| (call, answer(at))).collect()
    }

    #[test]
    fn a_call_waits_and_is_answered_in_the_next_round() {
        let first = Replay::default();
        let both = || vec![wanted("a", json!({ "x": 1 })), wanted("b", json!({}))];
        assert_eq!(*asked(&first, both()).unwrap_err().kind(), ErrorKind::Denied);
        let round = first.round();
        let Round::Waits(calls, _) = &round else { panic!() };
        assert_eq!(
            calls.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(),
            ["call_001", "call_002"]
        );
        assert_eq!((calls[0].name.as_str(), &calls[0].input), ("a", &json!({ "x": 1 })));
        // A script that goes on after the end of its round changes nothing.
        asked(&first, vec![wanted("c", json!({}))]).unwrap_err();
        assert_eq!(first.round(), round);
        let answers = [Answer::Result(json!([1])), Answer::Error("no".into())];
        let second = Replay::new(answered(round, &answers));
        let text = asked(&second, both()).unwrap();
        assert_eq!(text, r#"[{"result":[1]},{"error":"no"}]"#);
        assert_eq!(second.round(), Round::Answered);
        asked(&second, vec![wanted("c", json!({}))]).unwrap_err();
        let Round::Waits(calls, all) = second.round() else { panic!() };
        assert_eq!((calls[0].id.as_str(), all.len()), ("call_003", 3));
    }

    #[test]
    fn calls_without_an_answer_are_asked_for_again() {
        let first = Replay::default();
        asked(&first, vec![wanted("a", json!({})), wanted("b", json!({}))]).unwrap_err();
        let mut record = answered(first.round(), &[]);
        record[0].1 = Some(Answer::Result(json!(1)));
        let second = Replay::new(record);
        asked(&second, vec![wanted("a", json!({})), wanted("b", json!({}))]).unwrap_err();
        let Round::Waits(calls, all) = second.round() else { panic!() };
        assert_eq!((calls.len(), calls[0].id.as_str(), all.len()), (1, "call_002", 2));
    }

    #[test]
    fn a_script_that_behaves_differently_is_told_so() {
        let first = Replay::default();
        asked(&first, vec![wanted("a", json!({ "x": 1 }))]).unwrap_err();
        let record = answered(first.round(), &[Answer::Result(json!(1))]);
        for (calls, word) in [
            (vec![wanted("b", json!({ "x": 1 }))], "expected `a`"),
            (vec![wanted("a", json!({ "x": 2 }))], "the arguments of `a`"),
            (vec![], "ended before"),
        ] {
            let second = Replay::new(record.clone());
            let _ = if calls.is_empty() { Ok(String::new()) } else { asked(&second, calls) };
            let Round::Differs(text) = second.round() else { panic!() };
            assert!(text.contains(word), "{text}");
        }
    }

    #[test]
    fn the_tool_can_be_described() {
        described().unwrap();
    }
}
