use super::*;
use crate::problem::Problem;

fn responses(input: Value) -> Result<Input, Problem> {
    let mut problems = Problems::default();
    let input = Reader::responses(&input, &mut problems);
    problems.result().map(|()| input)
}

fn chat(messages: Value) -> Result<Input, Problem> {
    let mut problems = Problems::default();
    let input = Reader::chat(messages.as_array().unwrap(), &mut problems);
    problems.result().map(|()| input)
}

fn pair(role: &str, text: &str) -> (String, String) {
    (role.to_owned(), text.to_owned())
}

#[test]
fn a_string_is_the_instruction() {
    let input = responses(json!("hello")).unwrap();
    assert_eq!(input.instruction, "hello");
    assert_eq!(input.items[0]["content"][0]["text"], "hello");
}

#[test]
fn earlier_messages_are_history_and_the_last_ones_the_instruction() {
    let input = responses(json!([
        {"role": "developer", "content": "be brief"},
        {"type": "message", "role": "user", "content": "My name is Alice."},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"role": "user", "content": [{"type": "input_text", "text": "What"}]},
        {"role": "user", "content": "is my name?"},
    ]))
    .unwrap();
    assert_eq!(input.instruction, "What\n\nis my name?");
    assert_eq!(input.system, ["be brief"]);
    assert_eq!(input.history, [pair("user", "My name is Alice."), pair("assistant", "Hello")]);
    assert_eq!(input.items.len(), 5);
}

#[test]
fn files_of_three_kinds_and_images() {
    let input = responses(json!([{"role": "user", "content": [
        {"type": "input_file", "file_id": "file-a", "filename": "a.pdf"},
        {"type": "input_file", "file_data": "data:text/csv;base64,YSxi", "filename": "b.csv"},
        {"type": "input_file", "file_data": "data:application/pdf;base64,YQ=="},
        {"type": "input_file", "file_url": "https://example.org/c.pdf"},
        {"type": "input_image", "image_url": "data:image/png;base64,YQ==", "detail": "auto"},
        {"type": "input_image", "file_id": "file-b"},
    ]}]))
    .unwrap();
    let name = |it: &str| Some(it.to_owned());
    assert_eq!(
        input.documents,
        [
            DocumentSource::File { file: "file-a".into(), name: name("a.pdf") },
            DocumentSource::Content { name: "b.csv".into(), content: "YSxi".into() },
            DocumentSource::Content { name: "document-3.pdf".into(), content: "YQ==".into() },
            DocumentSource::Url { url: "https://example.org/c.pdf".into(), name: None },
            DocumentSource::Content { name: "image-5.png".into(), content: "YQ==".into() },
            DocumentSource::File { file: "file-b".into(), name: None },
        ]
    );
    // The list of items repeats no contents.
    assert!(!input.items[0].to_string().contains("base64"));
}

#[test]
fn results_count_until_the_assistant_has_seen_them() {
    let input = responses(json!([
        {"role": "user", "content": "weather?"},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "rain"},
        {"role": "assistant", "content": "It rains."},
        {"type": "function_call", "call_id": "c2", "name": "weather", "arguments": "{\"d\":1}"},
        {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "sun"}]},
    ]))
    .unwrap();
    assert_eq!(input.outputs.len(), 1);
    assert_eq!(
        (input.outputs[0].call_id.as_str(), input.outputs[0].output.as_str()),
        ("c2", "sun")
    );
    assert_eq!(input.outputs_as_text(), "Result of weather:\nsun");
    assert_eq!(input.history[2], pair("user", "Result of weather:\nrain"));
    assert_eq!(input.history[4], pair("assistant", "I called weather with {\"d\":1}."));
}

#[test]
fn references_lead_to_the_latest_response() {
    let input = responses(json!([
        {"type": "item_reference", "id": "msg_abc_1_0"},
        {"id": "fc_abc_2_1"},
        {"role": "user", "content": "go on"},
    ]))
    .unwrap();
    assert_eq!(input.references, [ResponseId { run: "run_abc".into(), number: 2 }]);
    assert_eq!(input.instruction, "go on");
}

#[test]
fn answers_to_questions() {
    let input = responses(json!([
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true, "reason": "ok"},
    ]))
    .unwrap();
    let expected = Approval { request: "mcpr_1".into(), approve: true, reason: Some("ok".into()) };
    assert_eq!(input.approvals, [expected]);
}

#[test]
fn messages_of_chat_with_calls_and_results() {
    let input = chat(json!([
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "weather?"},
            {"type": "file", "file": {"file_data": "data:text/plain;base64,YQ==", "filename": "a.txt"}},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    ]))
    .unwrap();
    assert_eq!(input.documents.len(), 2);
    assert_eq!(input.outputs[0].name.as_deref(), Some("weather"));
    assert_eq!(input.history[0], pair("user", "weather?"));
    assert!(input.instruction.is_empty());
}

#[test]
fn what_cannot_be_read_is_refused_at_its_place() {
    for (input, place) in [
        (json!(1), "/input"),
        (json!([{"role": "boss", "content": "x"}]), "/input/0/role"),
        (json!([{"role": "user", "content": 1}]), "/input/0/content"),
        (
            json!([{"role": "user", "content": [{"type": "input_audio"}]}]),
            "/input/0/content/0/type",
        ),
        (json!([{"role": "user", "content": [{"type": "input_file"}]}]), "/input/0/content/0"),
        (
            json!([{"role": "user", "content": [{"type": "input_file", "file_data": "data:a,b"}]}]),
            "/input/0/content/0/file_data",
        ),
        (
            json!([{"role": "user", "content": [{"type": "input_file", "file_data": "%%"}]}]),
            "/input/0/content/0/file_data",
        ),
        (
            json!([{"role": "user", "content": [{"type": "input_file", "file_url": "file:///etc"}]}]),
            "/input/0/content/0/file_url",
        ),
        (
            json!([{"role": "user", "content": [{"type": "input_image"}]}]),
            "/input/0/content/0/image_url",
        ),
        (json!([{"type": "computer_call"}]), "/input/0/type"),
        (json!([{"type": "item_reference", "id": "x"}]), "/input/0/id"),
        (json!([{"type": "function_call", "name": "x"}]), "/input/0"),
        (json!([{"type": "function_call_output"}]), "/input/0/call_id"),
        (json!([{}]), "/input/0"),
    ] {
        let problem = responses(input.clone()).unwrap_err();
        assert_eq!(problem.errors[0].pointer, place, "{input}");
    }
}

#[test]
fn numbers_and_sizes_have_bounds() {
    let item = json!({"role": "user", "content": ""});
    responses(vec![item.clone(); MOST_ITEMS].into()).unwrap();
    assert!(responses(vec![item.clone(); MOST_ITEMS + 1].into()).is_err());
    assert!(chat(vec![item; MOST_ITEMS + 1].into()).is_err());
    responses(json!("a".repeat(MOST_INSTRUCTION))).unwrap();
    assert!(responses(json!("a".repeat(MOST_INSTRUCTION + 1))).is_err());
    let file = json!({"type": "input_file", "file_id": "file-a"});
    let files = |count| json!([{"role": "user", "content": vec![file.clone(); count]}]);
    assert_eq!(responses(files(MOST_DOCUMENTS)).unwrap().documents.len(), MOST_DOCUMENTS);
    assert!(responses(files(MOST_DOCUMENTS + 1)).is_err());
}
