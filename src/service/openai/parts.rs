//! Small parts of responses: content of items, failures as texts, what was used.

use serde_json::{Value, json};

use crate::run::{Failure, RunUsage};

/// Returns a part of a message.
pub(super) fn text_part(text: &str, annotations: &[Value]) -> Value {
    json!({"type": "output_text", "text": text, "annotations": annotations, "logprobs": []})
}

/// Returns a part of the reasoning.
pub(super) fn summary_part(text: &str) -> Value {
    json!({"type": "summary_text", "text": text})
}

/// Returns a failure as one text.
pub(super) fn sentence(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("{}; {hint}", failure.message),
        None => failure.message.clone(),
    }
}

/// Returns the words that say where the files of a failed run are.
pub(super) fn place_of_files(run: &str) -> String {
    format!("its files are at `GET /v1/runs/{run}/files`")
}

/// Returns what was used between two sums.
pub(super) fn usage(now: &RunUsage, before: &RunUsage) -> Value {
    let input = now.input_tokens.saturating_sub(before.input_tokens);
    let output = now.output_tokens.saturating_sub(before.output_tokens);
    json!({
        "input_tokens": input,
        "input_tokens_details": {
            "cached_tokens": now.cached_tokens.saturating_sub(before.cached_tokens),
            "cache_write_tokens": 0,
        },
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input + output,
    })
}
