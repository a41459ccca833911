use super::*;

fn event(data: EventData) -> RunEvent {
    RunEvent { number: 1, time_ms: 9_000, agent: None, data }
}

fn text(text: &str) -> EventData {
    EventData::Text { turn: 1, text: text.into() }
}

fn turn() -> EventData {
    EventData::TurnStarted { turn: 1 }
}

fn ended(status: RunStatus, text: &str, failure: Option<&str>) -> EventData {
    let failure =
        failure.map(|code| Failure { code: code.into(), message: "it broke".into(), hint: None });
    EventData::Ended {
        status,
        text: Some(text.into()),
        output: None,
        has_output: false,
        files: vec![],
        missing: vec![],
        citations: vec![],
        failure,
        usage: RunUsage { input_tokens: 7, output_tokens: 2, ..RunUsage::default() },
    }
}

fn translated(data: Vec<EventData>) -> (Vec<Value>, ChatTranslator) {
    translated_as(false, data)
}

fn translated_as(has_form: bool, data: Vec<EventData>) -> (Vec<Value>, ChatTranslator) {
    let head = ChatHead { id: "c".into(), run: "run_a".into(), has_form, ..ChatHead::default() };
    let mut translator = ChatTranslator::new(ChatHead { includes_usage: true, ..head });
    translator.start();
    for data in data {
        let file = match &data {
            EventData::File { file, .. } => Some(FileLink {
                name: file.name.clone(),
                url: "http://x/l".into(),
                file_id: "f".into(),
                container: None,
            }),
            _ => None,
        };
        translator.event(&event(data), file);
    }
    assert!(translator.is_done());
    (translator.take(), translator)
}

fn content(chunks: &[Value]) -> String {
    chunks.iter().filter_map(|it| it["choices"][0]["delta"]["content"].as_str()).collect()
}

#[test]
fn turns_are_one_text() {
    let (chunks, translator) = translated(vec![
        turn(),
        text("First"),
        turn(),
        text("sec"),
        text("ond"),
        ended(RunStatus::Completed, "second", None),
    ]);
    assert_eq!(content(&chunks), "First\n\nsecond");
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let last = chunks.last().unwrap();
    assert_eq!((&last["choices"], &last["usage"]["total_tokens"]), (&json!([]), &json!(9)));
    assert_eq!(chunks[chunks.len() - 2]["choices"][0]["finish_reason"], "stop");
    let completion = translator.completion().unwrap();
    assert_eq!(completion["choices"][0]["message"]["content"], "First\n\nsecond");
    assert_eq!(completion["usage"]["prompt_tokens"], 7);
}

fn file(name: &str) -> EventData {
    EventData::File {
        file: crate::run::RunFile {
            name: name.into(),
            media_type: String::new(),
            sha256: String::new(),
            size: 0,
            pages: None,
            url: None,
        },
        warnings: vec![],
    }
}

#[test]
fn an_answer_with_a_form_is_json_alone() {
    let turns = [turn(), text("I look."), file("a.xlsx"), turn(), text("It is 7."), turn()];
    let done = ended(RunStatus::Completed, "{\"sum\": 7}", None);
    let last = [text("```\n{\"sum\": 7}\n```"), done];
    let (chunks, translator) = translated_as(true, turns.into_iter().chain(last).collect());
    assert_eq!(content(&chunks), "{\"sum\": 7}");
    let message = &translator.completion().unwrap()["choices"][0]["message"];
    assert_eq!(message["content"], "{\"sum\": 7}");
    let citation = &message["annotations"][0]["url_citation"];
    assert_eq!((&citation["title"], &citation["url"]), (&json!("a.xlsx"), &json!("http://x/l")));
    let sent = chunks.iter().find(|it| !it["choices"][0]["delta"]["annotations"].is_null());
    assert_eq!(sent.unwrap()["choices"][0]["delta"]["annotations"], message["annotations"]);
    assert!(translator.needs_run());
    // A run that fails says nothing that is not JSON.
    let failed = ended(RunStatus::Failed, "", Some("model"));
    let (chunks, translator) = translated_as(true, vec![text("It is "), failed]);
    assert_eq!((content(&chunks).as_str(), translator.completion().is_err()), ("", true));
}

#[test]
fn an_answer_that_never_has_the_form_is_an_error_that_clients_do_not_repeat() {
    let failed = || ended(RunStatus::Failed, "It is 7.", Some(OUTPUT_MISMATCH));
    let (chunks, translator) = translated_as(true, vec![file("a.xlsx"), failed()]);
    assert_eq!(content(&chunks), "");
    let error = &chunks.last().unwrap()["error"];
    assert_eq!(
        (&error["code"], &error["type"]),
        (&json!(JSON_VALIDATE_FAILED), &json!("invalid_request_error"))
    );
    assert_eq!(error["failed_generation"], "It is 7.");
    assert_eq!(error["message"], "it broke; its files are at `GET /v1/runs/run_a/files`");
    assert_eq!(translator.completion().unwrap_err().status, 400);
    let (chunks, _) = translated_as(true, vec![failed()]);
    assert_eq!(chunks.last().unwrap()["error"]["message"], "it broke");
}

#[test]
fn files_are_links_at_the_end() {
    let done = ended(RunStatus::Completed, "Done", None);
    let (chunks, translator) = translated(vec![file("a.pdf"), file("b.pdf"), text("Done"), done]);
    assert_eq!(content(&chunks), "Done\n\n[a.pdf](http://x/l)\n[b.pdf](http://x/l)");
    assert!(translator.needs_run());
}

#[test]
fn functions_are_tool_calls() {
    let calls = ["1", "2"].map(|id| FunctionCall {
        id: id.into(),
        name: "f".into(),
        arguments: "{}".into(),
    });
    let question = Question::Functions { id: "q".into(), calls: calls.to_vec() };
    let (chunks, translator) = translated(vec![text("a"), EventData::Question { question }]);
    let deltas: Vec<&Value> = chunks
        .iter()
        .map(|it| &it["choices"][0]["delta"]["tool_calls"][0])
        .filter(|it| !it.is_null())
        .collect();
    assert_eq!((&deltas[0]["index"], &deltas[1]["index"]), (&json!(0), &json!(1)));
    assert_eq!(deltas[0]["id"], json!(call_id("run_a", "1")));
    assert_eq!(chunks[chunks.len() - 2]["choices"][0]["finish_reason"], "tool_calls");
    let message = &translator.completion().unwrap()["choices"][0]["message"];
    assert_eq!(message["tool_calls"].as_array().unwrap().len(), 2);
    assert_eq!(message["tool_calls"][0]["index"], Value::Null);
    assert!(translator.needs_run());
}

#[test]
fn failures_are_errors_of_the_request() {
    for (status, failure, expected) in [
        (RunStatus::Failed, Some("model"), 500),
        (RunStatus::Failed, Some("busy"), 503),
        (RunStatus::Failed, Some("limit"), 400),
        (RunStatus::Cancelled, None, 409),
        (RunStatus::Interrupted, None, 503),
    ] {
        let (chunks, translator) = translated(vec![ended(status, "", failure)]);
        assert_eq!(translator.completion().unwrap_err().status, expected, "{failure:?}");
        assert!(chunks.last().unwrap()["error"]["message"].is_string());
    }
    let (_, translator) =
        translated(vec![text("half"), ended(RunStatus::Failed, "half", Some("limit"))]);
    let completion = translator.completion().unwrap();
    assert_eq!(completion["choices"][0]["finish_reason"], "length");
}

#[test]
fn reasoning_is_beside_the_text() {
    let reasoning = EventData::Reasoning { turn: 1, text: "hm".into() };
    let done = ended(RunStatus::Completed, "a", None);
    let (chunks, translator) = translated(vec![reasoning, text("a"), done]);
    assert_eq!(chunks[1]["choices"][0]["delta"]["reasoning_content"], "hm");
    let message = &translator.completion().unwrap()["choices"][0]["message"];
    assert_eq!((&message["reasoning_content"], &message["content"]), (&json!("hm"), &json!("a")));
}
