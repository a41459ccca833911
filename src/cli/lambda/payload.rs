//! What Lambda accepts of an invocation.

/// Most bytes of an event, and of an answer: what Lambda accepts of a synchronous invocation, 6 MB and some.
pub(super) const MAX_PAYLOAD_BYTES: usize = 6_291_556;

/// Most bytes of a streamed answer. Lambda takes 200 MB, but a function may have 128 MiB of memory, and an answer with files is there
/// several times while it is made.
#[cfg(feature = "serve")]
pub(super) const MAX_STREAMED_BYTES: usize = 20 << 20;

/// Bytes of a response over HTTP around its body: status, headers, and the keys of its members.
#[cfg(feature = "serve")]
const AROUND_BODY: u64 = 512;

/// Who reads an answer. That decides how many bytes it has when Lambda counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The caller of the function.
    Caller,
    /// A client over HTTP: the answer is a text in the JSON of the response, which escapes quotes and backslashes again.
    #[cfg(feature = "serve")]
    HttpClient,
    /// A client over HTTP whose answer is streamed: its body is sent as it is.
    #[cfg(feature = "serve")]
    StreamClient,
    /// Nobody, as for a message of a queue.
    Nobody,
}

impl Reader {
    /// Returns the most bytes that an answer may have.
    pub(super) fn most(self) -> u64 {
        match self {
            #[cfg(feature = "serve")]
            Reader::StreamClient => MAX_STREAMED_BYTES as u64,
            _ => MAX_PAYLOAD_BYTES as u64,
        }
    }

    /// Returns the bytes that this part of an answer takes.
    pub(super) fn size(self, json: &str) -> u64 {
        let length = json.len() as u64;
        match self {
            #[cfg(feature = "serve")]
            Reader::HttpClient => {
                let escaped = json.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
                length + escaped as u64
            }
            _ => length,
        }
    }

    /// Returns the bytes that an answer has in addition to its parts.
    pub(super) fn around(self) -> u64 {
        match self {
            #[cfg(feature = "serve")]
            Reader::HttpClient => AROUND_BODY,
            _ => 0,
        }
    }
}

#[cfg(all(test, feature = "serve"))]
mod tests {
    use super::*;

    #[test]
    fn a_response_over_http_escapes_its_body() {
        let body = r#"{"a":"\u0001 \\ 年"}"#;
        let wrapped = serde_json::Value::from(body).to_string();
        assert_eq!(Reader::HttpClient.size(body), wrapped.len() as u64 - 2);
        assert_eq!(Reader::Caller.size(body), body.len() as u64);
        assert_eq!(Reader::StreamClient.size(body), body.len() as u64);
        assert!(Reader::StreamClient.most() > Reader::HttpClient.most());
    }
}
