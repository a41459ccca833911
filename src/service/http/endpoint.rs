//! Endpoints: method, path, documentation and handler in one value.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{ALLOW, HeaderValue};

use super::audit::Audited;
use super::request::{PathParameters, Request};
use super::response::problem;
use super::schema::{Schema, schema_of};
use crate::problem::Problem;
use mitt_serve::http::HttpResponse;

/// What a handler returns.
pub(crate) type Answered = Result<HttpResponse, Problem>;

type Handler<S> =
    Box<dyn Fn(S, Request) -> Pin<Box<dyn Future<Output = Answered> + Send>> + Send + Sync>;

/// The body that an endpoint reads.
#[derive(Clone)]
pub(crate) enum Body {
    /// No body.
    None,
    /// JSON of this schema.
    Json(Schema),
    /// A form with files, of this schema: files are strings of format `binary`.
    Form(Schema),
    /// JSON, or a form with the same fields.
    JsonOrForm(Schema, Schema),
    /// Raw bytes.
    Bytes,
}

/// The body that an endpoint returns on success.
#[derive(Clone)]
pub(crate) enum Responds {
    /// No body, with this status.
    Empty(u16),
    /// JSON of this schema, with this status.
    Json(u16, Schema),
    /// A stream of events, each with JSON of this schema as its data.
    Events(Schema),
    /// JSON with this status, or a stream of events.
    JsonOrEvents(u16, Schema, Schema),
    /// A file of one of these media types.
    File(&'static [&'static str]),
}

/// Media types of a file that may be of any type.
pub(crate) const ANY_FILE: &[&str] = &["application/octet-stream", "*/*"];

/// The body of a further response of an endpoint.
#[derive(Clone)]
pub(crate) enum Content {
    /// No body.
    None,
    /// JSON of this schema.
    Json(Schema),
    /// A file of this media type.
    File(&'static str),
    /// A problem in our own form, also where the interface has another one.
    Problem,
}

/// A method of a path.
pub(crate) struct Endpoint<S> {
    pub(crate) method: Method,
    /// Path with parameters in braces, such as `/v1/runs/{run}`. A last parameter `{name...}` takes the rest of the path.
    pub(crate) path: String,
    /// Name of the operation in the OpenAPI document, unique, such as `create_run`.
    pub(crate) operation: String,
    /// One line.
    pub(crate) summary: String,
    /// More about it; may be empty.
    pub(crate) description: String,
    /// Group in the OpenAPI document, also the name in metrics.
    pub(crate) tag: &'static str,
    /// Query parameters with their descriptions.
    pub(crate) query: &'static [(&'static str, &'static str)],
    pub(crate) body: Body,
    pub(crate) responds: Responds,
    /// Other statuses of success, with the same body.
    pub(crate) also: &'static [u16],
    /// Further responses by their statuses, beside those of success or instead of problems.
    pub(crate) further: Vec<(u16, Content)>,
    /// `true` if the path is a signed link that needs no token.
    pub(crate) is_public: bool,
    /// `true` if the response may stay open and wait for events.
    pub(crate) is_stream: bool,
    handler: Handler<S>,
}

impl<S: 'static> Endpoint<S> {
    /// Returns an endpoint that reads and returns nothing.
    pub(crate) fn new<F>(
        tag: &'static str,
        method: Method,
        path: &str,
        operation: &str,
        summary: &str,
        handler: impl Fn(S, Request) -> F + Send + Sync + 'static,
    ) -> Endpoint<S>
    where
        F: Future<Output = Answered> + Send + 'static,
    {
        Endpoint {
            method,
            path: path.to_owned(),
            operation: operation.to_owned(),
            summary: summary.to_owned(),
            description: String::new(),
            tag,
            query: &[],
            body: Body::None,
            responds: Responds::Empty(204),
            also: &[],
            further: Vec::new(),
            is_public: false,
            is_stream: false,
            handler: Box::new(move |service, request| Box::pin(handler(service, request))),
        }
    }

    #[must_use]
    pub(crate) fn describe(mut self, description: &str) -> Endpoint<S> {
        self.description = description.to_owned();
        self
    }

    #[must_use]
    pub(crate) fn query(mut self, query: &'static [(&'static str, &'static str)]) -> Endpoint<S> {
        self.query = query;
        self
    }

    #[must_use]
    pub(crate) fn reads(mut self, body: Body) -> Endpoint<S> {
        self.body = body;
        self
    }

    #[must_use]
    pub(crate) fn responds(mut self, responds: Responds) -> Endpoint<S> {
        self.responds = responds;
        self
    }

    #[must_use]
    pub(crate) fn also(mut self, statuses: &'static [u16]) -> Endpoint<S> {
        self.also = statuses;
        self
    }

    /// Returns a file of one of these media types, the part of it that `Range` names, or nothing if the client has it.
    #[must_use]
    pub(crate) fn downloads(self, media_types: &'static [&'static str]) -> Endpoint<S> {
        self.responds(Responds::File(media_types))
            .also(&[206])
            .further(304, Content::None)
            .further(416, Content::Problem)
    }

    /// Adds a body that a response with this status may have.
    #[must_use]
    pub(crate) fn further(mut self, status: u16, content: Content) -> Endpoint<S> {
        self.further.push((status, content));
        self
    }

    #[must_use]
    pub(crate) fn public(mut self) -> Endpoint<S> {
        self.is_public = true;
        self
    }

    #[must_use]
    pub(crate) fn stream(mut self) -> Endpoint<S> {
        self.is_stream = true;
        self
    }
}

/// Finds the endpoint of a request.
pub(crate) struct Router<S> {
    endpoints: Vec<Endpoint<S>>,
    /// The document about the endpoints, once it was made.
    document: OnceLock<Bytes>,
}

impl<S: Clone + 'static> Router<S> {
    pub(crate) fn new(endpoints: Vec<Endpoint<S>>) -> Router<S> {
        Router { endpoints, document: OnceLock::new() }
    }

    /// Returns the document about the endpoints, which `make` makes the first time.
    pub(super) fn document(&self, make: impl FnOnce() -> Bytes) -> &Bytes {
        self.document.get_or_init(make)
    }

    pub(crate) fn endpoints(&self) -> &[Endpoint<S>] {
        &self.endpoints
    }

    /// Returns the endpoints of a path, for any method. Paths without parameters come first.
    pub(crate) fn of_path(&self, path: &str) -> Vec<(&Endpoint<S>, PathParameters)> {
        let mut found: Vec<_> =
            self.endpoints.iter().filter_map(|it| Some((it, matched(&it.path, path)?))).collect();
        let least = found.iter().map(|(_, parameters)| parameters.len()).min();
        found.retain(|(_, parameters)| Some(parameters.len()) == least);
        found
    }

    /// Answers a request. `render` writes a problem in the form of the path's interface.
    pub(crate) async fn answer(
        &self,
        service: &S,
        render: RenderProblem,
        mut request: Request,
    ) -> HttpResponse {
        let path = request.path().to_owned();
        let found = self.of_path(&path);
        if found.is_empty() {
            let path = mitt_base::text::one_line(mitt_base::text::cut_bytes(&path, 200));
            let detail = format!("nothing is served at `{path}`");
            let hint = "`GET /openapi.json` lists everything that is served";
            return render(&Problem::new(404, "not_found", detail).hint(hint));
        }
        let Some((endpoint, parameters)) = of_method(&found, request.method()) else {
            let allowed = allowed(&found);
            let path = mitt_base::text::one_line(mitt_base::text::cut_bytes(&path, 200));
            let detail = format!("expected one of {allowed}, got {}", request.method());
            let problem = Problem::new(405, "method_not_allowed", detail);
            let mut answer = render(&problem.hint(format!("use another method for `{path}`")));
            if let Ok(allowed) = HeaderValue::from_str(&allowed) {
                answer.headers_mut().insert(ALLOW, allowed);
            }
            return answer;
        };
        request.set_parameters(parameters.clone());
        let gets_file = matches!(endpoint.responds, Responds::File(_));
        let audited = Audited::of(&request, &endpoint.operation, gets_file, endpoint.is_public);
        let answered = (endpoint.handler)(service.clone(), request).await;
        audited.report(&answered);
        match answered {
            Ok(answer) => answer,
            Err(problem) => render(&problem),
        }
    }
}

/// Returns the endpoint for a method. An endpoint for `GET` answers `HEAD` too, unless there is one for it.
pub(crate) fn of_method<'a, 'b, S>(
    found: &'a [(&'b Endpoint<S>, PathParameters)],
    method: &Method,
) -> Option<&'a (&'b Endpoint<S>, PathParameters)> {
    let of = |method: &Method| found.iter().find(|(endpoint, _)| endpoint.method == *method);
    of(method).or_else(|| if *method == Method::HEAD { of(&Method::GET) } else { None })
}

/// Returns the methods of a path, for `Allow`.
fn allowed<S>(found: &[(&Endpoint<S>, PathParameters)]) -> String {
    let mut names: Vec<&str> = found.iter().map(|(it, _)| it.method.as_str()).collect();
    if names.contains(&"GET") && !names.contains(&"HEAD") {
        names.push("HEAD");
    }
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// Turns a problem into a response, in the form of an interface.
pub(crate) type RenderProblem = fn(&Problem) -> HttpResponse;

/// The form in which an interface writes problems.
#[derive(Clone, Copy)]
pub(crate) struct ProblemForm {
    /// Writes a problem.
    pub(crate) render: RenderProblem,
    /// Media type of what it writes.
    pub(crate) media_type: &'static str,
    /// Returns the schema of what it writes.
    pub(crate) schema: fn() -> Schema,
}

/// Returns our own form of problems, that of RFC 9457.
pub(crate) fn own_form() -> ProblemForm {
    ProblemForm {
        render: problem,
        media_type: "application/problem+json",
        schema: schema_of::<Problem>,
    }
}

fn matched(template: &str, path: &str) -> Option<PathParameters> {
    let mut parameters = Vec::new();
    let (mut template, mut path) = (template.split('/'), path.split('/'));
    loop {
        match (template.next(), path.next()) {
            (None, None) => return Some(parameters),
            (Some(part), Some(value)) => {
                let Some(name) = part.strip_prefix('{').and_then(|it| it.strip_suffix('}')) else {
                    if part == value {
                        continue;
                    }
                    return None;
                };
                let decode = |text: &str| {
                    percent_encoding::percent_decode_str(text)
                        .decode_utf8()
                        .ok()
                        .map(std::borrow::Cow::into_owned)
                };
                if let Some(name) = name.strip_suffix("...") {
                    let rest: Vec<&str> = std::iter::once(value).chain(path).collect();
                    parameters.push((name.to_owned(), decode(&rest.join("/"))?));
                    return Some(parameters);
                }
                if value.is_empty() {
                    return None;
                }
                parameters.push((name.to_owned(), decode(value)?));
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(method: Method, path: &str) -> Endpoint<()> {
        let handler = |_, _| async { Ok(crate::http::empty(204)) };
        Endpoint::new("test", method, path, "test", "Does nothing.", handler)
    }

    fn router() -> Router<()> {
        Router::new(vec![
            endpoint(Method::GET, "/v1/runs/{run}"),
            endpoint(Method::DELETE, "/v1/runs/{run}"),
            endpoint(Method::GET, "/v1/runs/{run}/files/{name...}"),
            endpoint(Method::GET, "/v1/runs/all"),
            endpoint(Method::GET, "/v1/uploads/{upload}"),
            endpoint(Method::HEAD, "/v1/uploads/{upload}"),
        ])
    }

    #[test]
    fn an_exact_path_comes_before_a_parameter() {
        let router = router();
        let found = router.of_path("/v1/runs/all");
        assert_eq!(found.iter().map(|it| it.0.path.as_str()).collect::<Vec<_>>(), ["/v1/runs/all"]);
        assert_eq!(router.of_path("/v1/runs/a").len(), 2);
        assert!(router.of_path("/v1/run").is_empty());
    }

    #[test]
    fn head_is_answered_by_get_unless_it_has_its_own_endpoint() {
        let router = router();
        for (path, method, expected) in [
            ("/v1/runs/a", Method::HEAD, Some(Method::GET)),
            ("/v1/runs/a", Method::DELETE, Some(Method::DELETE)),
            ("/v1/runs/a", Method::POST, None),
            ("/v1/uploads/a", Method::HEAD, Some(Method::HEAD)),
            ("/v1/uploads/a", Method::OPTIONS, None),
        ] {
            let found = router.of_path(path);
            let of = of_method(&found, &method).map(|(endpoint, _)| endpoint.method.clone());
            assert_eq!(of, expected, "{method} {path}");
        }
    }

    #[test]
    fn allow_names_every_method_once() {
        let router = router();
        assert_eq!(allowed(&router.of_path("/v1/runs/a")), "DELETE, GET, HEAD");
        assert_eq!(allowed(&router.of_path("/v1/uploads/a")), "GET, HEAD");
    }

    #[test]
    fn paths_are_matched_with_their_parameters() {
        let found = |template, path| {
            matched(template, path).map(|it: PathParameters| {
                it.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
            })
        };
        assert_eq!(found("/v1/runs", "/v1/runs"), Some(vec![]));
        assert_eq!(found("/v1/runs/{run}", "/v1/runs/a%20b"), Some(vec!["run=a b".to_owned()]));
        assert_eq!(
            found("/v1/runs/{run}/files/{name...}", "/v1/runs/r/files/a/%E6%9C%88.pdf"),
            Some(vec!["run=r".to_owned(), "name=a/月.pdf".to_owned()])
        );
        for (template, path) in [
            ("/v1/runs", "/v1/runs/"),
            ("/v1/runs/{run}", "/v1/runs/"),
            ("/v1/runs/{run}", "/v1/runs/a/b"),
            ("/v1/runs/{run}", "/v1/runs/%ff"),
        ] {
            assert_eq!(found(template, path), None, "{template} {path}");
        }
    }
}
