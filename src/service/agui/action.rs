//! What a request does to its thread. Decides, and does nothing.

use super::content::{self, Instruction};
use super::input::{InputMessage, RunAgentInput};
use super::interrupts;
use super::thread::{Thread, context_hash, tools_hash};
use crate::problem::Problem;
use crate::run::{Answer, Question, RunState, RunStatus, ToolOutput};

/// Text for the model if the user went on without a result of the page's tool.
const NO_RESULT: &str = "error: no result, because the user went on without it";

/// What a request does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// A new run begins.
    Create(Instruction),
    /// The thread goes on with a new run, because its tools are others.
    Renew(Instruction),
    /// The run gets a further instruction.
    Say(Instruction),
    /// The run gets results of the page's tools, and perhaps a further instruction.
    Provide(Vec<ToolOutput>, Option<Instruction>),
    /// A question is answered, and perhaps a further instruction given.
    Answer(Answer, Option<Instruction>),
    /// What was interrupted goes on.
    Resume,
    /// Nothing is done: the events are sent again from those of the last run of AG-UI on.
    Replay,
    /// Nothing is done: the events are sent from now on.
    Watch,
}

/// Decides what a request does. `known` is the thread with its run, if there is one.
///
/// # Errors
///
/// There is nothing to do; the run waits for something else; a body is wrong.
pub(super) fn decide(
    input: &RunAgentInput,
    known: Option<(&Thread, &RunState)>,
) -> Result<Action, Problem> {
    let seen = known.and_then(|(thread, _)| thread.seen.as_deref());
    let first_new = input.first_new(seen);
    let fresh = || -> Result<Option<Instruction>, Problem> {
        let instruction = content::instruction(input.of_user(first_new))?;
        Ok((!instruction.text.is_empty()).then_some(instruction))
    };
    let Some((thread, run)) = known else {
        if !input.resume().is_empty() {
            return Err(Problem::conflict("no_interrupt", "the thread has no open interrupt"));
        }
        return match fresh()? {
            Some(instruction) => Ok(Action::Create(instruction)),
            None => Err(nothing_new()),
        };
    };
    if thread.last_run == input.run_id {
        return Ok(Action::Replay);
    }
    let question = run.question.as_ref().filter(|_| run.status == RunStatus::Waiting);
    if !input.resume().is_empty() {
        return match question {
            Some(question @ (Question::Approval { .. } | Question::Plan { .. })) => {
                let answer = interrupts::answer(question, input.resume())?;
                Ok(Action::Answer(answer, with_context(fresh()?, input, thread)))
            }
            _ => Err(Problem::conflict("no_interrupt", "the thread has no open interrupt")),
        };
    }
    match question {
        Some(Question::Functions { calls, .. }) => {
            let fresh = with_context(fresh()?, input, thread);
            let mut outputs = Vec::with_capacity(calls.len());
            let mut missing = Vec::new();
            for call in calls {
                let output = match (output(input, &call.id), &fresh) {
                    (Some(output), _) => output,
                    (None, Some(_)) => NO_RESULT.to_owned(),
                    (None, None) => {
                        missing.push(format!("`{}`", call.id));
                        continue;
                    }
                };
                outputs.push(ToolOutput { call: call.id.clone(), output });
            }
            if missing.is_empty() {
                return Ok(Action::Provide(outputs, fresh));
            }
            let detail =
                format!("the thread waits for results of the calls {}", missing.join(", "));
            Err(Problem::conflict("tool_results_missing", detail)
                .hint("add a message of role `tool` with the `toolCallId` of each"))
        }
        Some(question) => {
            let detail = format!("the thread waits for an answer to `{}`", question.id());
            Err(Problem::conflict("interrupt_pending", detail)
                .hint("answer or cancel it with an entry in `resume`"))
        }
        None => match (fresh()?, run.status) {
            (Some(instruction), status) => {
                if thread.tools != tools_hash(input) && !status.is_active() {
                    return Ok(Action::Renew(instruction));
                }
                let instruction = with_context(Some(instruction), input, thread);
                Ok(Action::Say(instruction.unwrap_or_default()))
            }
            (None, status) if status.is_active() => Ok(Action::Watch),
            (None, RunStatus::Failed | RunStatus::Cancelled | RunStatus::Interrupted) => {
                Ok(Action::Resume)
            }
            (None, _) => Err(nothing_new()),
        },
    }
}

/// Adds the page's context to an instruction if the model does not know it.
fn with_context(
    instruction: Option<Instruction>,
    input: &RunAgentInput,
    thread: &Thread,
) -> Option<Instruction> {
    let mut instruction = instruction?;
    let context = content::context(input);
    if context_hash(&context) != thread.context {
        content::append(&mut instruction.text, &context);
    }
    Some(instruction)
}

/// Returns the result of a call that the page sent.
fn output(input: &RunAgentInput, call: &str) -> Option<String> {
    let is_of_call = |message: &&InputMessage| {
        message.role == "tool" && message.tool_call_id.as_deref() == Some(call)
    };
    input.messages.iter().rev().find(is_of_call).map(content::tool_output)
}

fn nothing_new() -> Problem {
    Problem::new(422, "nothing_new", "/messages: there is no new message of the user")
        .hint("add a message of role `user`, results of tools, or answers in `resume`")
}

#[cfg(test)]
mod tests {
    use super::super::input::tests::message;
    use super::super::input::{InputContext, InputTool, ResumeEntry};
    use super::super::interrupts::tests::{approval, plan_question};
    use super::super::translator::tests::{functions_question, run_state};
    use super::*;

    fn input(messages: Vec<InputMessage>) -> RunAgentInput {
        RunAgentInput { run_id: "r2".into(), messages, ..RunAgentInput::default() }
    }

    fn talk() -> Vec<InputMessage> {
        vec![message("1", "user", "a"), message("2", "assistant", "b")]
    }

    fn more() -> Vec<InputMessage> {
        [talk(), vec![message("3", "user", "c")]].concat()
    }

    fn thread() -> Thread {
        Thread { last_run: "r1".into(), seen: Some("1".into()), ..Thread::default() }
    }

    fn run(status: RunStatus) -> RunState {
        RunState { status, ..run_state() }
    }

    fn waiting(question: Question) -> RunState {
        RunState { question: Some(question), ..run(RunStatus::Waiting) }
    }

    fn said(text: &str) -> Instruction {
        Instruction { text: text.into(), ..Instruction::default() }
    }

    fn decided(input: &RunAgentInput, run: &RunState) -> Result<Action, String> {
        decide(input, Some((&thread(), run))).map_err(|problem| problem.code.clone())
    }

    #[test]
    fn a_new_thread_begins_with_the_last_messages_of_the_user() {
        assert_eq!(decide(&input(more()), None), Ok(Action::Create(said("c"))));
        assert_eq!(decide(&input(talk()), None).unwrap_err().code, "nothing_new");
        assert_eq!(decide(&input(Vec::new()), None).unwrap_err().status, 422);
        let answered =
            RunAgentInput { resume: Some(vec![ResumeEntry::default()]), ..input(more()) };
        assert_eq!(decide(&answered, None).unwrap_err().code, "no_interrupt");
    }

    #[test]
    fn a_new_message_is_a_further_instruction() {
        for status in [RunStatus::Completed, RunStatus::Running, RunStatus::Failed] {
            assert_eq!(decided(&input(more()), &run(status)), Ok(Action::Say(said("c"))));
        }
        let again = RunAgentInput { run_id: "r1".into(), ..input(more()) };
        assert_eq!(decided(&again, &run(RunStatus::Completed)), Ok(Action::Replay));
    }

    #[test]
    fn without_a_new_message_the_run_is_watched_or_goes_on() {
        let status = |status| decided(&input(talk()), &run(status));
        assert_eq!(status(RunStatus::Running), Ok(Action::Watch));
        assert_eq!(status(RunStatus::Queued), Ok(Action::Watch));
        assert_eq!(status(RunStatus::Interrupted), Ok(Action::Resume));
        assert_eq!(status(RunStatus::Failed), Ok(Action::Resume));
        assert_eq!(status(RunStatus::Completed), Err("nothing_new".into()));
    }

    #[test]
    fn other_tools_are_for_a_new_run() {
        let tools = Some(vec![InputTool { name: "a".into(), ..InputTool::default() }]);
        let with_tools = RunAgentInput { tools, ..input(more()) };
        let renewed = decided(&with_tools, &run(RunStatus::Completed));
        assert_eq!(renewed, Ok(Action::Renew(said("c"))));
        // A run that works keeps its tools.
        let said_now = decided(&with_tools, &run(RunStatus::Running));
        assert_eq!(said_now, Ok(Action::Say(said("c"))));
    }

    #[test]
    fn a_new_context_comes_with_the_instruction() {
        let context = vec![InputContext { description: "d".into(), value: "v".into() }];
        let with_context = RunAgentInput { context: Some(context), ..input(more()) };
        let Ok(Action::Say(instruction)) = decided(&with_context, &run(RunStatus::Completed))
        else {
            panic!("it is an instruction")
        };
        assert_eq!(instruction.text, "c\n\nContext from the application:\n- d: v");
        let hash = context_hash(&content::context(&with_context));
        let thread = Thread { context: hash, ..thread() };
        let known = decide(&with_context, Some((&thread, &run(RunStatus::Completed))));
        assert_eq!(known, Ok(Action::Say(said("c"))));
    }

    #[test]
    fn results_of_the_pages_tools_are_provided() {
        let run = waiting(functions_question(&["c1", "c2"]));
        let result = |id: &str, call: &str, text: &str| InputMessage {
            tool_call_id: Some(call.into()),
            ..message(id, "tool", text)
        };
        let output =
            |call: &str, output: &str| ToolOutput { call: call.into(), output: output.into() };
        let both = vec![result("3", "c1", "old"), result("4", "c1", "x"), result("5", "c2", "y")];
        let provided = decided(&input([talk(), both].concat()), &run);
        let outputs = vec![output("c1", "x"), output("c2", "y")];
        assert_eq!(provided, Ok(Action::Provide(outputs, None)));
        let one = [talk(), vec![result("3", "c1", "x")]].concat();
        assert_eq!(decided(&input(one.clone()), &run), Err("tool_results_missing".into()));
        let went_on = [one, vec![message("4", "user", "stop")]].concat();
        let outputs = vec![output("c1", "x"), output("c2", NO_RESULT)];
        assert_eq!(
            decided(&input(went_on), &run),
            Ok(Action::Provide(outputs, Some(said("stop"))))
        );
    }

    #[test]
    fn interrupts_are_answered_before_anything_else() {
        for question in [approval(), plan_question()] {
            let id = question.id().to_owned();
            let run = waiting(question);
            assert_eq!(decided(&input(more()), &run), Err("interrupt_pending".into()));
            let entry =
                |id: &str| ResumeEntry { interrupt_id: id.into(), ..ResumeEntry::default() };
            let with = |resume| RunAgentInput { resume: Some(vec![resume]), ..input(more()) };
            let Ok(Action::Answer(answer, instruction)) = decided(&with(entry(&id)), &run) else {
                panic!("it is an answer")
            };
            assert_eq!((answer.decision.as_str(), instruction), ("reject", Some(said("c"))));
            assert_eq!(decided(&with(entry("other")), &run), Err("no_interrupt".into()));
        }
        let nothing = RunAgentInput { resume: Some(vec![ResumeEntry::default()]), ..input(more()) };
        assert_eq!(decided(&nothing, &run(RunStatus::Completed)), Err("no_interrupt".into()));
    }
}
