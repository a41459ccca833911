//! A request with its path parameters, query, client and body.

use std::sync::Arc;
use std::time::Duration;

use hyper::{HeaderMap, Method};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::form::Form;
use super::refusal::refused;
use super::schema::Schema;
use crate::problem::Problem;
use mitt_serve::http::{BodyPieces, RoutedRequest, WholeBody};

/// Header with the caller's own key of a model's service.
pub(crate) const MODEL_KEY: &str = "x-model-key";

/// Tenant of a client without a token.
const LOCAL_TENANT: &str = "local";

/// Parameters of a path by their names.
pub(super) type PathParameters = Vec<(String, String)>;

/// A request that passed the checks of the server.
pub(crate) struct Request {
    routed: RoutedRequest,
    parameters: PathParameters,
}

impl Request {
    pub(crate) fn new(routed: RoutedRequest) -> Request {
        Request { routed, parameters: PathParameters::new() }
    }

    pub(super) fn set_parameters(&mut self, parameters: PathParameters) {
        self.parameters = parameters;
    }

    pub(super) fn parameters(&self) -> &PathParameters {
        &self.parameters
    }

    pub(crate) fn method(&self) -> &Method {
        &self.routed.method
    }

    pub(crate) fn path(&self) -> &str {
        self.routed.uri.path()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.routed.headers
    }

    /// Returns a header as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.routed.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns `true` if the client accepts this media type by its name; `*/*` does not count.
    pub(crate) fn accepts(&self, media_type: &str) -> bool {
        accepts(self.header("accept").unwrap_or_default(), media_type)
    }

    /// Returns how long the client wants to wait for a result (`Prefer: wait`, or `wait=10` in seconds, RFC 7240).
    pub(crate) fn prefers_wait(&self) -> Option<Wait> {
        let values = self.routed.headers.get_all("prefer");
        values.iter().filter_map(|it| it.to_str().ok()).find_map(preferred_wait)
    }

    /// Returns the tenant of the client.
    pub(crate) fn tenant(&self) -> String {
        let tenant = self.routed.client.as_ref().and_then(|client| client.tenant.clone());
        tenant.unwrap_or_else(|| LOCAL_TENANT.to_owned())
    }

    /// Returns the prefix of links, such as `http://127.0.0.1:6488`.
    pub(crate) fn base(&self) -> Arc<str> {
        self.routed.base.clone()
    }

    /// Returns the path parameter of this name; an empty text if the endpoint has no such parameter.
    pub(crate) fn parameter(&self, name: &str) -> &str {
        let found = self.parameters.iter().find(|(it, _)| it == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// Returns a parameter of the query, decoded.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        query_value(self.routed.uri.query()?, name)
    }

    /// Returns a number of the query.
    pub(crate) fn query_number(&self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(text) = self.query(name) else { return Ok(None) };
        match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => {
                let got = mitt_base::text::one_line(mitt_base::text::cut_bytes(&text, 100));
                let detail = format!("`{name}`: expected a number, got `{got}`");
                Err(Problem::bad("invalid_query", detail))
            }
        }
    }

    /// Returns `true` for a flag of the query: `true`, `1` or no value.
    pub(crate) fn query_flag(&self, name: &str) -> bool {
        self.query(name).is_some_and(|it| matches!(it.as_str(), "" | "1" | "true"))
    }

    /// Returns `true` if the body is a form with files.
    pub(crate) fn has_form(&self) -> bool {
        is_form(self.header("content-type").unwrap_or_default())
    }

    /// Returns the announced length of the body in bytes.
    pub(crate) fn content_length(&self) -> Option<u64> {
        self.routed.content_length()
    }

    /// Reads a body of JSON, checks it against a schema, and reports all of its problems.
    pub(crate) async fn json<T: DeserializeOwned>(
        self,
        schema: &Schema,
    ) -> Result<Parsed<T>, Problem> {
        let body = self.routed.json_body().await.map_err(refused)?;
        let value: Value = parse(body.bytes())?;
        schema.check(&value)?;
        typed(value, body)
    }

    /// Reads a body of JSON whose form only serde checks.
    pub(crate) async fn lenient_json<T: DeserializeOwned>(self) -> Result<Parsed<T>, Problem> {
        let body = self.routed.json_body().await.map_err(refused)?;
        let value: Value = parse(body.bytes())?;
        typed(value, body)
    }

    /// Reads the whole body.
    pub(crate) async fn whole(self) -> Result<WholeBody, Problem> {
        self.routed.whole_body().await.map_err(refused)
    }

    /// Returns a reader of the body in pieces of at most `most` bytes together.
    pub(crate) fn pieces(self, most: u64) -> BodyPieces {
        self.routed.pieces(most)
    }

    /// Returns a reader of a form with files, of at most `most` bytes together.
    pub(crate) fn form(self, most: u64) -> Result<Form, Problem> {
        let media_type = self.header("content-type").unwrap_or_default().to_owned();
        Form::of_body(&media_type, self.routed.pieces(most))
    }
}

/// How long a client wants to wait for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Until it is there.
    Forever,
    /// For this time; then it wants what there is.
    AtMost(Duration),
}

fn accepts(header: &str, media_type: &str) -> bool {
    header.split(',').any(|it| {
        let mut parts = it.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        // A weight of 0 means "not acceptable".
        let is_refused = parts.any(|it| {
            let weight = it.strip_prefix("q=").and_then(|it| it.parse::<f32>().ok());
            weight.is_some_and(|weight| weight <= 0.0)
        });
        name.eq_ignore_ascii_case(media_type) && !is_refused
    })
}

fn preferred_wait(header: &str) -> Option<Wait> {
    header.split(',').find_map(|preference| {
        let preference = preference.split(';').next().unwrap_or_default().trim();
        let (name, value) = preference.split_once('=').unwrap_or((preference, ""));
        if !name.trim().eq_ignore_ascii_case("wait") {
            return None;
        }
        match value.trim().trim_matches('"') {
            "" => Some(Wait::Forever),
            value => value.parse().ok().map(|it| Wait::AtMost(Duration::from_secs(it))),
        }
    })
}

fn query_value(query: &str, name: &str) -> Option<String> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = (key == name).then_some(value)?;
        let value = value.replace('+', " ");
        let value = percent_encoding::percent_decode_str(&value).decode_utf8().ok()?;
        Some(value.into_owned())
    })
}

fn is_form(content_type: &str) -> bool {
    let name = content_type.split(';').next().unwrap_or_default().trim();
    name.eq_ignore_ascii_case("multipart/form-data")
}

/// A value with the body that it was parsed from, whose memory stays charged.
pub(crate) struct Parsed<T> {
    pub(crate) value: T,
    _body: WholeBody,
}

fn parse(bytes: &[u8]) -> Result<Value, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        let detail = format!("expected JSON: {error}");
        Problem::bad("invalid_json", detail)
    })
}

fn typed<T: DeserializeOwned>(value: Value, body: WholeBody) -> Result<Parsed<T>, Problem> {
    match serde_json::from_value(value) {
        Ok(value) => Ok(Parsed { value, _body: body }),
        Err(error) => Err(Problem::new(422, "invalid_body", error.to_string())),
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_media_type_is_accepted_by_its_name() {
        for (header, expected) in [
            ("text/event-stream", true),
            ("application/json, Text/Event-Stream;q=0.5", true),
            ("text/event-stream;q=0", false),
            ("text/event-stream; q=0.0, */*", false),
            ("*/*", false),
            ("text/*", false),
            ("text/event-streams", false),
            ("", false),
        ] {
            assert_eq!(accepts(header, "text/event-stream"), expected, "{header}");
        }
    }

    #[test]
    fn a_client_can_prefer_to_wait() {
        for (header, expected) in [
            ("wait", Some(Wait::Forever)),
            ("respond-async, wait=10", Some(Wait::AtMost(Duration::from_secs(10)))),
            ("Wait=\"5\"; strict", Some(Wait::AtMost(Duration::from_secs(5)))),
            ("wait=soon", None),
            ("waits", None),
            ("", None),
        ] {
            assert_eq!(preferred_wait(header), expected, "{header}");
        }
    }

    #[test]
    fn values_of_a_query_are_decoded() {
        let query = "after=3&name=a+b%20%E6%9C%88&wait&bad=%ff&after=4";
        for (name, expected) in [
            ("after", Some("3")),
            ("name", Some("a b 月")),
            ("wait", Some("")),
            ("bad", None),
            ("missing", None),
            ("aft", None),
        ] {
            assert_eq!(query_value(query, name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn forms_are_known_by_their_media_type() {
        assert!(is_form("multipart/form-data; boundary=x"));
        assert!(is_form("Multipart/Form-Data"));
        assert!(!is_form("multipart/form-data-x"));
        assert!(!is_form("application/json"));
    }
}
