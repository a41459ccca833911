//! Length of a request for the context of its model. Tokens are estimated ([`mitt_base::tokens`]).

use mitt_base::Error;

/// Tokens reserved for the answer: a quarter of the context, within these bounds.
const ANSWER_TOKENS: [u64; 2] = [256, 4_000];

/// Default contexts of servers. Ollama silently cuts the beginning of longer requests.
const DEFAULTS: [u64; 2] = [2_048, 4_096];

/// Context of a model, and the part that the tools take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) context: u64,
    pub(crate) tools: u64,
}

impl Window {
    /// Returns how many tokens the conversation may have.
    pub(crate) fn room(self) -> u64 {
        let [least, most] = ANSWER_TOKENS;
        self.context.saturating_sub(self.tools + (self.context / 4).clamp(least, most))
    }

    /// Returns whether a conversation of this many tokens cannot be sent. Slightly above the limit it is sent, since tokens are
    /// estimated.
    pub(crate) fn is_exceeded(self, conversation: u64) -> bool {
        (conversation + self.tools) * 100 > self.context * 115
    }

    /// Returns the error for a conversation that cannot be sent.
    pub(crate) fn exceeded(self, conversation: u64) -> Error {
        let Window { context, tools } = self;
        Error::model(format!(
            "the request has about {} tokens, {tools} of them for tools, and the context of the model has {context}",
            conversation + tools
        ))
    }

    /// Returns a warning if the server's count of `input` tokens shows that the request was cut.
    pub(crate) fn cut(self, conversation: u64, input: u64) -> Option<String> {
        let sent = conversation + self.tools;
        let is_near = |bound: u64| input.abs_diff(bound) * 20 <= bound;
        let is_cut = sent > 2 * input && DEFAULTS.into_iter().chain([self.context]).any(is_near);
        is_cut.then(|| {
            format!(
                "the server read {input} tokens of about {sent} that were sent: it cut the beginning off; start it with a longer context"
            )
        })
    }
}

/// Returns whether a service refused a request because of its length.
pub(crate) fn is_about_length(error: &Error) -> bool {
    let said = error.to_string().to_lowercase();
    [
        // llama.cpp, OpenAI, vLLM, Anthropic, LM Studio.
        "exceeds the available context size",
        "exceed_context_size",
        "context_length_exceeded",
        "maximum context length",
        "prompt is too long",
        "context length",
        "context window",
        "input is too long",
    ]
    .iter()
    .any(|words| said.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_and_the_tools_have_their_part() {
        let window = |context, tools| Window { context, tools };
        assert_eq!(window(4_096, 1_000).room(), 2_072);
        assert_eq!(window(128_000, 0).room(), 124_000);
        assert_eq!(window(2_048, 30_000).room(), 0);
        assert!(window(8_192, 27_000).is_exceeded(1_000));
        assert!(!window(8_192, 2_000).is_exceeded(6_500));
        let error = window(8_192, 27_000).exceeded(1_000).to_string();
        assert!(error.contains("about 28000 tokens, 27000 of them for tools"), "{error}");
    }

    #[test]
    fn a_request_that_was_cut_is_noticed() {
        let window = Window { context: 16_384, tools: 2_000 };
        assert!(window.cut(8_000, 4_096).unwrap().contains("read 4096 tokens of about 10000"));
        // All of it was read, or the rest was cached.
        assert!(window.cut(8_000, 9_200).is_none());
        assert!(window.cut(8_000, 310).is_none());
    }

    #[test]
    fn services_say_in_many_words_that_a_request_is_too_long() {
        for said in [
            "the request exceeds the available context size. try increasing the context size or enable context shift",
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
            "prompt is too long: 208310 tokens > 200000 maximum",
            "The number of tokens to keep from the initial prompt is greater than the context length",
        ] {
            assert!(is_about_length(&Error::model(said)), "{said}");
        }
        assert!(!is_about_length(&Error::model("the text is too long for a name")));
    }
}
