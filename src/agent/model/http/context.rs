//! Finds out how long a request may be for a model on this machine's server. Each kind of server states it in another place.
//! Services on the network are not asked, because their models have large contexts.

use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::super::preset::Wire;
use super::HttpModel;
use super::body::{self, Bounds};
use tokio::time::Instant;

/// Time limit of one question.
const TIME: Duration = Duration::from_secs(2);

/// Most bytes of an answer. Ollama's holds the licence and the template of the model.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Context that Ollama is asked for, in tokens, if the model supports more and no one has chosen: each token costs memory of
/// the graphics card. Its own default is 4 096, half of which our instructions and tools take.
const OLLAMA_TOKENS: u64 = 16_384;

/// A smaller context is taken for a mistake of the server.
const LEAST: u64 = 256;

impl HttpModel {
    /// Asks the server how many tokens a request and its answer may have together. Returns `None` if it does not say.
    pub(super) async fn ask_context(&self) -> Option<u64> {
        let spec = &self.options.spec;
        if !spec.is_local() {
            return None;
        }
        let base = spec.base_url.strip_suffix("/v1").unwrap_or(&spec.base_url);
        let found = match spec.wire {
            Wire::Ollama => {
                let body = json!({ "model": spec.model }).to_string();
                let request = self.client.post(format!("{base}/api/show")).body(body);
                of_ollama(&self.said_by(request).await?)
            }
            Wire::Chat | Wire::Responses | Wire::Messages => {
                // llama.cpp.
                let props = self.client.get(format!("{base}/props"));
                let props = self.said_by(props).await?;
                match of_llama_cpp(&props) {
                    Some(tokens) => Some(tokens),
                    None => self.of_list(base).await,
                }
            }
        };
        found.filter(|tokens| *tokens >= LEAST)
    }

    /// Returns the context in a list of models: vLLM's, or LM Studio's own.
    async fn of_list(&self, base: &str) -> Option<u64> {
        for path in ["/v1/models", "/api/v0/models"] {
            let list = self.said_by(self.client.get(format!("{base}{path}"))).await?;
            let found = of_models(&list, &self.options.spec.model);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Returns the answer to a request as JSON; null if the server has no such path. Returns `None` if it should be asked
    /// nothing more: it cannot be reached or is overloaded.
    pub(super) async fn said_by(&self, request: RequestBuilder) -> Option<Value> {
        let request = match &self.options.key {
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        };
        let deadline = Instant::now() + TIME;
        let bounds = Bounds { between: TIME, deadline, total: TIME, bytes: MAX_BYTES as u64 };
        let mut response = tokio::time::timeout(TIME, request.send()).await.ok()?.ok()?;
        let status = response.status();
        if !status.is_success() {
            let is_busy = status.is_server_error() || status.as_u16() == 429;
            return (!is_busy).then_some(Value::Null);
        }
        let (body, is_cut) = body::beginning(&mut response, &bounds, MAX_BYTES).await;
        let said = serde_json::from_slice(&body).ok().filter(|_| !is_cut);
        Some(said.unwrap_or(Value::Null))
    }
}

/// Reads `/api/show` of Ollama: the context that the model's file sets, or else the one of its training, up to a limit.
fn of_ollama(shown: &Value) -> Option<u64> {
    let parameters = shown["parameters"].as_str().unwrap_or_default();
    let set = parameters.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("num_ctx")).then(|| words.next()?.parse().ok())?
    });
    let info = shown["model_info"].as_object()?;
    let trained = info
        .iter()
        .find(|(key, _)| key.ends_with(".context_length"))
        .and_then(|(_, value)| value.as_u64());
    set.or(trained.map(|tokens| tokens.min(OLLAMA_TOKENS)))
}

/// Reads `/props` of llama.cpp: the context of one slot.
fn of_llama_cpp(props: &Value) -> Option<u64> {
    let settings = &props["default_generation_settings"];
    settings["n_ctx"].as_u64().or(settings["params"]["n_ctx"].as_u64()).or(props["n_ctx"].as_u64())
}

/// Reads the entry of this model: `max_model_len` of vLLM, `loaded_context_length` of LM Studio, `meta.n_ctx` of llama.cpp.
fn of_models(list: &Value, model: &str) -> Option<u64> {
    let entries = list["data"].as_array()?;
    let is_it = |entry: &&Value| entry["id"] == model;
    let entry = entries.iter().find(is_it).or(entries.first().filter(|_| entries.len() == 1))?;
    let known = [&entry["max_model_len"], &entry["loaded_context_length"], &entry["meta"]["n_ctx"]];
    known.into_iter().find_map(Value::as_u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_say_it_in_their_own_places() {
        let shown = |parameters: &str, trained: u64| {
            of_ollama(
                &json!({ "parameters": parameters, "model_info": { "general.architecture": "qwen3", "qwen3.context_length": trained } }),
            )
        };
        assert_eq!(shown("temperature 0.6\nnum_ctx   8192\n", 40_960), Some(8_192));
        assert_eq!(shown("temperature 0.6", 40_960), Some(OLLAMA_TOKENS));
        assert_eq!(shown("", 2_048), Some(2_048));
        assert_eq!(of_ollama(&json!({})), None);
        assert_eq!(
            of_llama_cpp(&json!({ "default_generation_settings": { "n_ctx": 4096 } })),
            Some(4_096)
        );
        assert_eq!(of_llama_cpp(&json!({ "error": "x" })), None);
        let list = json!({ "data": [
            { "id": "a", "max_model_len": 32_768 }, { "id": "b", "loaded_context_length": 4_096, "max_context_length": 131_072 },
        ] });
        assert_eq!(of_models(&list, "a"), Some(32_768));
        assert_eq!(of_models(&list, "b"), Some(4_096));
        assert_eq!(of_models(&list, "c"), None);
        let one = json!({ "data": [{ "id": "other-name.gguf", "meta": { "n_ctx": 8_192, "n_ctx_train": 131_072 } }] });
        assert_eq!(of_models(&one, "any"), Some(8_192));
    }
}
