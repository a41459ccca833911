use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::run::{FunctionCall, RunOptions, RunStatus, RunUsage};

fn waiting(question: Option<Question>) -> RunState {
    RunState {
        id: "run_a".into(),
        status: RunStatus::Waiting,
        title: String::new(),
        model: String::new(),
        created_ms: 0,
        updated_ms: 0,
        documents: vec![],
        files: vec![],
        text: None,
        output: None,
        has_output: false,
        missing: vec![],
        citations: vec![],
        question,
        waiting: vec![],
        failure: None,
        usage: RunUsage::default(),
        options: RunOptions::default(),
        metadata: BTreeMap::new(),
        request: None,
        inbox_done: 0,
    }
}

fn calls(ids: &[&str]) -> Option<Question> {
    let call =
        |id: &&str| FunctionCall { id: (*id).to_owned(), name: "f".into(), arguments: "{}".into() };
    Some(Question::Functions { id: "q".into(), calls: ids.iter().map(call).collect() })
}

fn output(id: &str) -> Output {
    Output { call_id: call_id("run_a", id), name: None, output: format!("of {id}") }
}

#[test]
fn all_results_are_handed_in_or_none() {
    let state = waiting(calls(&["1", "2"]));
    let mut input = Input { outputs: vec![output("2")], ..Input::default() };
    assert_eq!(hand_in(&state, &input).unwrap_err().code, "missing_function_call_output");
    input.outputs.push(output("1"));
    let expected = |id: &str| ToolOutput { call: id.into(), output: format!("of {id}") };
    let handed_in = hand_in(&state, &input).unwrap();
    assert_eq!(handed_in, HandedIn::Outputs(vec![expected("1"), expected("2")]));
    assert_eq!(handed_in.begin(), Begin::Provided);
}

#[test]
fn a_question_needs_its_answer() {
    let question =
        Question::Approval { id: "q".into(), tool: "t".into(), title: None, arguments: json!({}) };
    let state = waiting(Some(question));
    assert_eq!(hand_in(&state, &Input::default()).unwrap_err().code, "missing_approval");
    for (approve, decision) in [(true, "accept"), (false, "reject")] {
        let approval = Approval { request: "mcpr".into(), approve, reason: None };
        let input = Input { approvals: vec![approval], ..Input::default() };
        let HandedIn::Answer(answer) = hand_in(&state, &input).unwrap() else { panic!() };
        assert_eq!((answer.question.as_str(), answer.decision.as_str()), ("q", decision));
    }
}

#[test]
fn a_run_that_waits_for_nothing_takes_an_instruction_alone() {
    let state = waiting(None);
    assert_eq!(hand_in(&state, &Input::default()).unwrap(), HandedIn::Nothing);
    let input = Input { outputs: vec![output("1")], ..Input::default() };
    assert_eq!(hand_in(&state, &input).unwrap_err().code, "unknown_function_call");
    let approval = Approval { request: "mcpr".into(), approve: true, reason: None };
    let input = Input { approvals: vec![approval], ..Input::default() };
    assert_eq!(hand_in(&state, &input).unwrap_err().code, "unknown_approval");
}

#[test]
fn functions_do_not_change_within_a_run() {
    let echo = |name: &str, choice: &str| {
        json!({"tools": [{"type": "function", "name": name}], "tool_choice": choice})
            .as_object()
            .cloned()
            .unwrap()
    };
    check_unchanged(&echo("a", "auto"), &echo("a", "auto")).unwrap();
    assert!(check_unchanged(&echo("a", "auto"), &echo("b", "auto")).is_err());
    assert!(check_unchanged(&echo("a", "auto"), &echo("a", "none")).is_err());
}

#[test]
fn a_call_is_required_for_one_response_and_what_there_is_for_the_run() {
    let echo =
        |choice: Value| json!({"tools": [], "tool_choice": choice}).as_object().cloned().unwrap();
    let named = json!({"type": "function", "name": "a"});
    for choice in [json!("required"), json!("auto"), named.clone()] {
        for other in [json!("required"), json!("auto"), named.clone()] {
            check_unchanged(&echo(choice.clone()), &echo(other)).unwrap();
        }
    }
    let allowed = |mode: &str, tools: Value| {
        echo(json!({"type": "allowed_tools", "mode": mode, "tools": tools}))
    };
    check_unchanged(&allowed("auto", json!([1])), &allowed("required", json!([1]))).unwrap();
    assert!(check_unchanged(&allowed("auto", json!([1])), &allowed("auto", json!([2]))).is_err());
    assert!(check_unchanged(&allowed("auto", json!([1])), &echo(named)).is_err());
    assert_eq!(lasting_choice(Some(&json!("required"))), json!("auto"));
}

#[test]
fn an_answer_to_a_question_demands_nothing() {
    let echo =
        |name: &str| json!({"text": {"format": {"name": name}}}).as_object().cloned().unwrap();
    let call = Some(crate::run::RequiredCall::OneOf(Vec::new()));
    let output = Some(crate::run::OutputForm { name: "a".into(), schema: None });
    let demand = AnswerDemand { call, output: None };
    let of_form = AnswerDemand { call: None, output };
    let (a, b) = (echo("a"), echo("b"));
    check_demand(&HandedIn::Nothing, &demand, (Some(&a), &b)).unwrap();
    let answer = Answer { question: "q".into(), decision: "accept".into(), text: None, plan: None };
    let answer = HandedIn::Answer(answer);
    check_demand(&answer, &AnswerDemand::default(), (Some(&a), &b)).unwrap();
    check_demand(&answer, &of_form, (Some(&a), &a)).unwrap();
    let place = |demand, echoes| {
        check_demand(&answer, demand, echoes).unwrap_err().errors[0].pointer.clone()
    };
    assert_eq!(place(&demand, (Some(&a), &a)), "/tool_choice");
    assert_eq!(place(&of_form, (Some(&a), &b)), "/text/format");
    assert_eq!(place(&of_form, (None, &b)), "/text/format");
}
