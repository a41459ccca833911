use std::collections::BTreeMap;

use super::*;
use crate::run::{RunFile, RunOptions};

fn echo() -> Map<String, Value> {
    let tools = json!([{"type": "function", "name": "weather"}]);
    json!({"tools": tools, "store": true}).as_object().cloned().unwrap()
}

fn record(begin: Begin) -> ResponseRecord {
    ResponseRecord {
        run: "run_a".into(),
        number: 2,
        begin,
        created_ms: 5_000,
        model: "m".into(),
        usage: RunUsage { input_tokens: 10, output_tokens: 1, ..RunUsage::default() },
        ..ResponseRecord::default()
    }
}

fn event(data: EventData) -> RunEvent {
    RunEvent { number: 1, time_ms: 9_000, agent: None, data }
}

fn text(text: &str) -> EventData {
    EventData::Text { turn: 1, text: text.into() }
}

fn call(id: &str, name: &str, arguments: &str) -> FunctionCall {
    FunctionCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn turn(text: &str, calls: Vec<FunctionCall>) -> EventData {
    EventData::TurnEnded { turn: 1, text: text.into(), calls }
}

fn result(id: &str, content: &str, is_error: bool) -> EventData {
    EventData::CallResult { model_call: id.into(), content: content.into(), is_error }
}

fn ended(status: RunStatus, text: Option<&str>, failure: Option<&str>) -> EventData {
    let failure = failure.map(|code| Failure {
        code: code.into(),
        message: "it broke".into(),
        hint: Some("mend it".into()),
    });
    EventData::Ended {
        status,
        text: text.map(str::to_owned),
        output: None,
        has_output: false,
        files: vec![],
        missing: vec![],
        citations: vec![],
        failure,
        usage: RunUsage { input_tokens: 30, output_tokens: 8, ..RunUsage::default() },
    }
}

fn done(text: &str) -> EventData {
    ended(RunStatus::Completed, Some(text), None)
}

fn functions(calls: Vec<FunctionCall>) -> EventData {
    EventData::Question { question: Question::Functions { id: "q".into(), calls } }
}

/// Translates events, checks what holds for every stream, and returns its events and the response.
fn translated_as(record: ResponseRecord, data: Vec<EventData>) -> (Vec<Value>, Value) {
    translated_with(record, echo(), data)
}

fn translated_with(
    record: ResponseRecord,
    echo: Map<String, Value>,
    data: Vec<EventData>,
) -> (Vec<Value>, Value) {
    let mut translator = Translator::new(record, echo);
    translator.start();
    for data in data {
        let file = match &data {
            EventData::File { file, .. } => Some(link(&file.name)),
            _ => None,
        };
        translator.event(&event(data), file);
    }
    let events = translator.take();
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], json!(number));
    }
    assert_eq!(events[0]["type"], "response.created");
    let is_end = |it: &&Value| {
        matches!(
            it["type"].as_str(),
            Some("response.completed" | "response.failed" | "response.incomplete" | "error")
        )
    };
    assert_eq!(events.iter().filter(is_end).count(), usize::from(translator.is_done()));
    if translator.is_done() {
        let last = events.last().unwrap();
        assert!(is_end(&last));
        assert_eq!(last["response"], translator.response());
        let output = translator.output.len();
        for kind in ["response.output_item.added", "response.output_item.done"] {
            let count = events.iter().filter(|it| it["type"] == kind).count();
            assert_eq!(count, output, "{kind}");
        }
        for (index, item) in translator.output.iter().enumerate() {
            let done = events.iter().rev().find(|it| {
                it["type"] == "response.output_item.done" && it["output_index"] == json!(index)
            });
            assert_eq!(done.unwrap()["item"], *item);
            assert_ne!(item["status"], "in_progress");
        }
    }
    let response = translator.response();
    (events, response)
}

fn translated(data: Vec<EventData>) -> (Vec<String>, Value) {
    let (events, response) = translated_as(record(Begin::Created), data);
    let kinds = events
        .iter()
        .skip(2)
        .map(|it| it["type"].as_str().unwrap().trim_start_matches("response.").to_owned())
        .collect();
    (kinds, response)
}

fn link(name: &str) -> FileLink {
    FileLink {
        name: name.into(),
        url: "http://x/l".into(),
        file_id: "file-1".into(),
        container: None,
    }
}

fn file(name: &str) -> EventData {
    let file = RunFile {
        name: name.into(),
        media_type: "text/plain".into(),
        sha256: "s".into(),
        size: 1,
        pages: None,
        url: None,
    };
    EventData::File { file, warnings: vec![] }
}

const MESSAGE: [&str; 2] = ["output_item.added", "content_part.added"];
const MESSAGE_END: [&str; 3] = ["output_text.done", "content_part.done", "output_item.done"];

#[test]
fn a_text_is_a_message() {
    let (kinds, response) =
        translated(vec![text("Hel"), text("lo"), turn("Hello", vec![]), done("Hello")]);
    let deltas = ["output_text.delta", "output_text.delta"];
    let expected: Vec<&str> =
        MESSAGE.into_iter().chain(deltas).chain(MESSAGE_END).chain(["completed"]).collect();
    assert_eq!(kinds, expected);
    assert_eq!(response["id"], "resp_a_2");
    assert_eq!(response["status"], "completed");
    assert_eq!((&response["created_at"], &response["completed_at"]), (&json!(5), &json!(9)));
    assert_eq!(response["output"][0]["id"], "msg_a_2_0");
    assert_eq!(response["output"][0]["content"][0]["text"], "Hello");
    assert_eq!(response["usage"]["input_tokens"], 20);
    assert_eq!(response["usage"]["total_tokens"], 27);
    assert_eq!(response["usage"]["input_tokens_details"]["cached_tokens"], 0);
    assert_eq!(response["store"], true);
}

#[test]
fn text_that_did_not_come_in_parts_is_there_too() {
    for data in [
        vec![turn("Hello", vec![]), done("Hello")],
        vec![text("Hel"), turn("Hello", vec![]), done("Hello")],
        vec![done("Hello")],
        vec![text("Hello"), done("Hello\n")],
    ] {
        let (_, response) = translated(data);
        assert_eq!(response["output"].as_array().unwrap().len(), 1);
        assert_eq!(response["output"][0]["content"][0]["text"], "Hello");
    }
    // The answer of a plan differs from what the model said last.
    let (_, response) =
        translated(vec![text("planning"), turn("planning", vec![]), done("Result")]);
    assert_eq!(response["output"][1]["content"][0]["text"], "Result");
    // A short answer may be part of a longer text that is not the answer.
    let (_, response) = translated(vec![text("12 rows"), turn("12 rows", vec![]), done("2")]);
    assert_eq!(response["output"][1]["content"][0]["text"], "2");
}

#[test]
fn reasoning_has_its_own_item() {
    let reasoning = EventData::Reasoning { turn: 1, text: "hm".into() };
    let (kinds, response) = translated(vec![reasoning, text("Hello"), done("Hello")]);
    let expected = [
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
    ];
    assert_eq!(kinds[..6], expected);
    assert_eq!(response["output"][0]["summary"][0]["text"], "hm");
    assert_eq!(response["output"][0]["id"], "rs_a_2_0");
}

#[test]
fn functions_of_the_caller_end_the_response() {
    let calls = vec![call("1", "weather", "{\"a\":1}"), call("2", "weather", "{}")];
    let (kinds, response) =
        translated(vec![text("Let me see"), turn("Let me see", calls.clone()), functions(calls)]);
    let tail = &kinds[kinds.len() - 5..];
    let expected = [
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ];
    assert_eq!(tail, expected);
    let item = &response["output"][1];
    assert_eq!((&item["type"], &item["status"]), (&json!("function_call"), &json!("completed")));
    assert_eq!(item["arguments"], "{\"a\":1}");
    assert_eq!(item["call_id"], json!(call_id("run_a", "1")));
    assert_eq!(response["output"].as_array().unwrap().len(), 3);
    assert_eq!(response["status"], "completed");
}

#[test]
fn scripts_in_a_container_are_code_interpreter_calls() {
    let mut record = record(Begin::Created);
    record.container = Some("cntr_a".into());
    let run = call("1", "python__run", "{\"code\":\"print(1)\"}");
    let data = vec![turn("", vec![run]), result("1", "1\n", false), text("Done"), done("Done")];
    let (events, response) = translated_as(record.clone(), data);
    let kinds: Vec<&str> = events[2..9].iter().filter_map(|it| it["type"].as_str()).collect();
    let expected = [
        "response.output_item.added",
        "response.code_interpreter_call.in_progress",
        "response.code_interpreter_call_code.delta",
        "response.code_interpreter_call_code.done",
        "response.code_interpreter_call.interpreting",
        "response.code_interpreter_call.completed",
        "response.output_item.done",
    ];
    assert_eq!(kinds, expected);
    let item = &response["output"][0];
    assert_eq!(item["type"], "code_interpreter_call");
    assert_eq!((&item["code"], &item["container_id"]), (&json!("print(1)"), &json!("cntr_a")));
    assert_eq!(item["outputs"], json!([{"type": "logs", "logs": "1\n"}]));
    assert_eq!(item["status"], "completed");
    let run = call("1", "python__run", "not json");
    let data = vec![turn("", vec![run]), result("1", "Traceback", true), done("")];
    let (_, response) = translated_as(record, data);
    assert_eq!(response["output"][0]["status"], "failed");
}

#[test]
fn other_tools_are_mcp_calls() {
    let calls = vec![call("1", "report__deliver", "{}"), call("2", "python__run", "{}")];
    let (kinds, response) = translated(vec![
        turn("", calls),
        result("2", "bad", true),
        result("1", &"x".repeat(100_000), false),
        done(""),
    ]);
    assert_eq!(kinds.iter().filter(|it| *it == "mcp_call.completed").count(), 1);
    assert_eq!(kinds.iter().filter(|it| *it == "mcp_call.failed").count(), 1);
    let output = &response["output"];
    assert_eq!(
        (&output[0]["type"], &output[0]["status"]),
        (&json!("mcp_call"), &json!("completed"))
    );
    assert_eq!(output[0]["output"].as_str().unwrap().len(), MOST_OUTPUT_BYTES);
    assert_eq!(output[1]["error"]["content"][0]["text"], "bad");
}

#[test]
fn files_are_links_with_annotations_at_their_places() {
    let (_, response) =
        translated(vec![file("a.pdf"), file("b.pdf"), file("a.pdf"), text("né"), done("né")]);
    let part = &response["output"][0]["content"][0];
    assert_eq!(part["text"], "né\n\n[b.pdf](http://x/l)\n[a.pdf](http://x/l)");
    let characters: Vec<char> = part["text"].as_str().unwrap().chars().collect();
    let annotations = part["annotations"].as_array().unwrap();
    assert_eq!(annotations.len(), 4);
    let at = |key: &str| usize::try_from(annotations[3][key].as_u64().unwrap()).unwrap();
    let cited: String = characters[at("start_index")..at("end_index")].iter().collect();
    assert_eq!(cited, "[a.pdf](http://x/l)");
    // A file without a word is delivered as well.
    let (_, response) = translated(vec![file("a.pdf"), done("")]);
    assert_eq!(response["output"][0]["content"][0]["text"], "[a.pdf](http://x/l)");
}

#[test]
fn ends_have_their_status() {
    for (status, failure, expected, last) in [
        (RunStatus::Completed, None, "completed", "completed"),
        (RunStatus::Failed, Some("model"), "failed", "failed"),
        (RunStatus::Failed, Some("limit"), "incomplete", "incomplete"),
        (RunStatus::Cancelled, None, "cancelled", "incomplete"),
        (RunStatus::Interrupted, None, "failed", "failed"),
    ] {
        let pending = turn("", vec![call("1", "report__deliver", "{}")]);
        let (kinds, response) = translated(vec![text("a"), pending, ended(status, None, failure)]);
        assert_eq!(
            (response["status"].as_str(), kinds.last().unwrap().as_str()),
            (Some(expected), last)
        );
        // What was not carried out to its end is not left open.
        assert_eq!(response["output"][1]["status"], "incomplete");
        if failure.is_some() {
            assert_eq!(response["error"]["message"], "it broke; mend it");
        }
        assert_eq!(response["incomplete_details"].is_null(), expected != "incomplete");
    }
}

#[test]
fn a_question_can_be_answered() {
    let question = Question::Approval {
        id: "q".into(),
        tool: "mail__send".into(),
        title: None,
        arguments: json!({"to": "a"}),
    };
    let (kinds, response) = translated(vec![EventData::Question { question }]);
    assert_eq!(kinds, ["output_item.added", "output_item.done", "completed"]);
    let item = &response["output"][0];
    assert_eq!(item["type"], "mcp_approval_request");
    assert_eq!(item["arguments"], "{\"to\":\"a\"}");
}

#[test]
fn the_end_of_the_response_before_is_left_out() {
    let before = vec![text("old"), done("old"), EventData::Status { status: RunStatus::Completed }];
    for (begin, first) in [
        (Begin::Said, EventData::Instruction { text: "go on".into() }),
        (Begin::Provided, EventData::Status { status: RunStatus::Queued }),
        (Begin::Provided, result("1", "7", false)),
    ] {
        let mut data = if begin == Begin::Said { before.clone() } else { before[1..].to_vec() };
        data.push(EventData::Status { status: RunStatus::Waiting });
        data.extend([first, text("new"), done("new")]);
        let (_, response) = translated_as(record(begin), data);
        assert_eq!(response["output"].as_array().unwrap().len(), 1);
        assert_eq!(response["output"][0]["content"][0]["text"], "new");
    }
}

#[test]
fn other_agents_work_out_of_sight() {
    let mut translator = Translator::new(record(Begin::Created), echo());
    translator.start();
    let event = RunEvent { agent: Some(1), ..event(text("secret")) };
    translator.event(&event, None);
    assert_eq!(translator.take().len(), 2);
}

#[test]
fn in_the_background_the_response_waits_first() {
    let background = ResponseRecord { background: true, ..record(Begin::Created) };
    let mut translator = Translator::new(background, echo());
    assert_eq!(translator.response()["status"], "queued");
    assert_eq!(translator.response()["usage"], Value::Null);
    translator.start();
    let kinds: Vec<Value> = translator.take().iter().map(|it| it["type"].clone()).collect();
    assert_eq!(kinds, ["response.created", "response.queued", "response.in_progress"]);
    assert_eq!(translator.response()["status"], "in_progress");
}

#[test]
fn a_run_that_ended_without_an_event_ends_the_response() {
    let state = |status, question| RunState {
        id: "run_a".into(),
        status,
        title: String::new(),
        model: "m".into(),
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
    };
    let calls = Question::Functions { id: "q".into(), calls: vec![call("1", "weather", "{}")] };
    for (state, expected) in [
        (state(RunStatus::Interrupted, None), "failed"),
        (state(RunStatus::Cancelled, None), "cancelled"),
        (state(RunStatus::Waiting, Some(calls)), "completed"),
    ] {
        let mut translator = Translator::new(record(Begin::Created), echo());
        translator.start();
        translator.event(&event(text("half")), None);
        translator.end(&state);
        assert!(translator.is_done());
        let events = translator.take();
        assert_eq!(events.last().unwrap()["response"]["status"], expected);
        // Nothing follows the end.
        translator.event(&event(text("more")), None);
        translator.fail(&Problem::new(500, "x", "x"));
        assert!(translator.take().is_empty());
    }
}

#[test]
fn a_run_that_cannot_be_followed_is_an_error() {
    let mut translator = Translator::new(record(Begin::Created), echo());
    translator.start();
    translator.fail(&Problem::not_found("run", "run_a"));
    let events = translator.take();
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["code"]), (&json!("error"), &json!("not_found")));
    assert_eq!(last["sequence_number"], 2);
}

/// Translates the events of a response whose answer has a form.
fn in_form(data: Vec<EventData>) -> (Vec<Value>, Value) {
    let mut echo = echo();
    echo.insert("text".into(), json!({"format": {"type": "json_schema", "name": "sum"}}));
    translated_with(record(Begin::Created), echo, data)
}

#[test]
fn an_answer_with_a_form_is_one_message_of_json() {
    let begun = EventData::TurnStarted { turn: 1 };
    let (events, response) = in_form(vec![
        begun.clone(),
        text("I look."),
        turn("I look.", vec![call("1", "excel_tool__x", "{}")]),
        result("1", "made", false),
        file("a.xlsx"),
        begun.clone(),
        text("It is "),
        turn("It is 7.", vec![]),
        begun,
        text("```json\n{\"sum\": 7}\n```"),
        turn("```json\n{\"sum\": 7}\n```", vec![]),
        done("{\"sum\": 7}"),
    ]);
    let output = response["output"].as_array().unwrap();
    assert_eq!(output.len(), 2, "{response}");
    let part = &output[1]["content"][0];
    assert_eq!(part["text"], "{\"sum\": 7}");
    // Files are beside the text, not in it.
    let kinds: Vec<_> =
        part["annotations"].as_array().unwrap().iter().map(|it| &it["type"]).collect();
    assert_eq!(kinds, ["file_citation", "url_citation"]);
    assert_eq!(part["annotations"][1]["start_index"], 10);
    let deltas = events.iter().filter(|it| it["type"] == "response.output_text.delta");
    let deltas: Vec<_> = deltas.map(|it| it["delta"].as_str().unwrap()).collect();
    assert_eq!(deltas, ["{\"sum\": 7}"]);
}

#[test]
fn what_a_model_says_without_the_form_is_in_the_error() {
    let failed = || ended(RunStatus::Failed, Some("It is 7."), Some(OUTPUT_MISMATCH));
    let (events, response) = in_form(vec![file("a.xlsx"), failed()]);
    assert_eq!((&response["status"], &response["output"]), (&json!("failed"), &json!([])));
    let expected = json!({
        "code": "server_error", "type": "server_error", "failed_generation": "It is 7.",
        "message": "it broke; mend it; its files are at `GET /v1/runs/run_a/files`",
    });
    assert_eq!(response["error"], expected);
    assert_eq!(events.last().unwrap()["type"], "response.failed");
    let (_, response) = in_form(vec![failed()]);
    assert_eq!(response["error"]["message"], "it broke; mend it");
}

#[test]
fn a_response_without_its_answer_has_no_text_that_is_not_json() {
    let failed = ended(RunStatus::Failed, None, Some("model"));
    let (_, response) = in_form(vec![text("{\"sum\": "), file("a.xlsx"), failed]);
    assert_eq!((&response["status"], &response["output"]), (&json!("failed"), &json!([])));
    let asked = functions(vec![call("1", "weather", "{}")]);
    let (_, response) = in_form(vec![text("One moment."), file("a.xlsx"), asked]);
    let output = response["output"].as_array().unwrap();
    assert_eq!((output.len(), &output[0]["type"]), (1, &json!("function_call")));
}
