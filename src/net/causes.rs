//! Describes why a connection failed.

/// Returns all causes of a connection error, without the address, which may hold a secret.
pub fn causes(error: &reqwest::Error) -> String {
    let mut messages: Vec<String> = Vec::new();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let text = error.to_string();
        if !messages.iter().any(|known| known.contains(&text)) {
            messages.push(text);
        }
        cause = error.source();
    }
    if messages.is_empty() { "the connection failed".to_owned() } else { messages.join(": ") }
}
