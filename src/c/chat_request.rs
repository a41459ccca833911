//! Requests to a model in the form of OpenAI's chat completions, which most services take as they are.

use mitt_agent::model::{ChatRequest, Message, ModelCall, ModelResponse, ToolChoice};
use serde_json::{Value, json};

/// Returns the body of a request.
pub(crate) fn json(model: &str, request: &ChatRequest<'_>) -> Value {
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    let mut body = json!({ "model": model, "messages": messages });
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let function = json!({
                "name": tool.name, "description": tool.description, "parameters": tool.parameters,
            });
            json!({ "type": "function", "function": function })
        });
        body["tools"] = tools.collect();
        body["tool_choice"] = match request.tool_choice {
            ToolChoice::None => "none".into(),
            ToolChoice::Required => "required".into(),
            ToolChoice::Tool(name) => json!({ "type": "function", "function": { "name": name } }),
            _ => "auto".into(),
        };
    }
    if let Some(output) = request.output {
        let schema = json!({ "name": output.name, "schema": output.schema });
        body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
    }
    if let Some(most) = request.max_tokens {
        body["max_tokens"] = most.into();
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({ "role": "system", "content": text }),
        // The model says that it takes no images, so there are none.
        Message::User { text, .. } => json!({ "role": "user", "content": text }),
        Message::Assistant(ModelResponse { text, calls, .. }) => {
            let mut turn = json!({ "role": "assistant", "content": text });
            if !calls.is_empty() {
                turn["tool_calls"] = calls.iter().map(call).collect();
            }
            turn
        }
        Message::Tool { call_id, content, .. } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": content })
        }
        _ => Value::Null,
    }
}

fn call(call: &ModelCall) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments });
    json!({ "id": call.id, "type": "function", "function": function })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_agent::model::ToolSpec;

    #[test]
    fn a_request_is_one_of_chat_completions() {
        let call = ModelCall { id: "c1".into(), name: "a__b".into(), arguments: "{}".into() };
        let turn =
            ModelResponse { text: "t".into(), calls: vec![call], ..ModelResponse::default() };
        let messages = [
            Message::System("s".into()),
            Message::user("u"),
            Message::Assistant(turn),
            Message::Tool { call_id: "c1".into(), content: "r".into(), is_error: false },
        ];
        let parameters = json!({ "type": "object" });
        let tool = |name: &str| ToolSpec {
            name: name.into(),
            description: "d".into(),
            parameters: parameters.clone(),
            is_strict: false,
        };
        let body = json("m", &ChatRequest::new(&messages, &[tool("a__b")]));
        let function = json!({ "name": "a__b", "arguments": "{}" });
        assert_eq!(
            body,
            json!({
                "model": "m",
                "messages": [
                    { "role": "system", "content": "s" },
                    { "role": "user", "content": "u" },
                    { "role": "assistant", "content": "t", "tool_calls": [
                        { "id": "c1", "type": "function", "function": function },
                    ] },
                    { "role": "tool", "tool_call_id": "c1", "content": "r" },
                ],
                "tools": [{ "type": "function", "function": {
                    "name": "a__b", "description": "d", "parameters": parameters,
                } }],
                "tool_choice": "auto",
            })
        );
        assert_eq!(json("m", &ChatRequest::new(&[], &[])), json!({ "model": "m", "messages": [] }));
    }
}
