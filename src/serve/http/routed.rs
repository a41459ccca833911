//! Lets a request reach a route of another crate, after the checks that every request of a client passes.

use std::sync::Arc;

use hyper::body::{Body as _, Incoming};
use hyper::header::{AUTHORIZATION, COOKIE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Request, StatusCode};

use super::body::{HttpResponse, RoutedBody, hold, until};
use super::refusals::{unauthorized, way_in};
use super::routes::{BodyReading, Route, RoutedRequest, Routes};
use super::shared::{Bearer, Shared};
use super::token_client::LastClient;
use super::token_headers::API_KEY;
use crate::mcp::raw_message::{self, MessageCharge};
use mitt::Host;

/// Answers a request to a route of another crate.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    routes: &Arc<dyn Routes>,
    connection: &LastClient,
    request: Request<Incoming>,
    route: Route,
) -> HttpResponse {
    let path = request.uri().path().to_owned();
    let refused = |status, message: &str, retry| {
        let mut answer = routes.refused(&path, status, message);
        if retry {
            let soon = HeaderValue::from_static("1");
            answer.headers_mut().insert(RETRY_AFTER, soon);
        }
        answer
    };
    if shared.is_closing() {
        let answer = refused(StatusCode::SERVICE_UNAVAILABLE, "shutting down", true);
        return shared.refuse("closing", answer);
    }
    let sender = if route.is_public {
        None
    } else {
        match shared.sender(request.headers(), &route) {
            Ok(Bearer::Client(client)) => Some(client),
            Ok(Bearer::Metrics) => {
                let message = "this token is for /metrics alone";
                return shared.refuse("token", refused(StatusCode::FORBIDDEN, message, false));
            }
            Err(none) => {
                let challenge = unauthorized(&none);
                let mut answer = routes.refused(&path, challenge.status(), &way_in(&none));
                for (name, value) in challenge.headers() {
                    if name == WWW_AUTHENTICATE {
                        answer.headers_mut().insert(name, value.clone());
                    }
                }
                return shared.refuse("token", answer);
            }
        }
    };
    let mut place = None;
    if let Some(client) = &sender {
        if !client.takes(connection) {
            let message = "too many connections of this client; send several requests over one";
            let answer = refused(StatusCode::TOO_MANY_REQUESTS, message, true);
            return shared.refuse_client(client, "connections-of-client", answer);
        }
        place = client.routed_place(route.is_stream);
        if place.is_none() {
            let message = "too many requests of this client at once";
            let answer = refused(StatusCode::TOO_MANY_REQUESTS, message, true);
            return shared.refuse_client(client, "requests-of-client", answer);
        }
    }
    let (mut parts, body) = request.into_parts();
    // Code behind this must not be able to leak or log them.
    parts.headers.remove(AUTHORIZATION);
    parts.headers.remove(COOKIE);
    parts.headers.remove(API_KEY);
    let base = shared.base(&parts.headers).map_or_else(|| "".into(), |base| base.0);
    let request = RoutedRequest {
        method: parts.method,
        uri: parts.uri,
        headers: parts.headers,
        client: sender.as_ref().map(|sender| sender.who.clone()),
        base,
        body: RoutedBody::new(body),
        reading: BodyReading {
            bodies: shared.bodies.clone(),
            account: sender.as_ref().map(|sender| sender.bodies.clone()),
            metrics: shared.metrics.clone(),
            limits: shared.limits.clone(),
            host: shared.server().host().clone(),
        },
    };
    let mut kept = None;
    let answer = match sender {
        // The token may be revoked while the request waits.
        Some(sender) => match sender.stop.run_until_cancelled(routes.answer(request)).await {
            Some(answer) => {
                kept = charged(shared.server().host(), sender.who.tenant.as_deref(), &answer);
                // An open stream ends with its token.
                if route.is_stream { until(answer, &sender.stop) } else { answer }
            }
            None if shared.is_closing() => {
                let answer = refused(StatusCode::SERVICE_UNAVAILABLE, "shutting down", true);
                return shared.refuse("closing", answer);
            }
            None => {
                let message = "the token is no longer valid";
                let answer = refused(StatusCode::UNAUTHORIZED, message, false);
                return shared.refuse_client(&sender, "token", answer);
            }
        },
        None => routes.answer(request).await,
    };
    hold(answer, (place, kept))
}

/// Charges a response that stays in memory until its client reads it. Of a stream, nothing is there yet; what it sends at once
/// is bounded.
fn charged(host: &Host, tenant: Option<&str>, answer: &HttpResponse) -> Option<MessageCharge> {
    let size = answer.body().size_hint().exact().filter(|size| *size > 0)?;
    Some(raw_message::kept(host, tenant, size))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::stream;
    use http_body_util::{BodyExt as _, StreamBody};
    use hyper::Response;
    use hyper::body::Frame;

    use super::super::body::text;
    use super::*;

    #[test]
    fn a_response_is_charged_until_it_is_read() {
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        let before = host.memory().used;
        let answer = text(StatusCode::OK, "x".repeat(100_000));
        let kept = charged(&host, Some("a"), &answer);
        let answer = hold(answer, kept);
        assert_eq!(host.memory().used, before + 100_000);
        drop(answer);
        assert_eq!(host.memory().used, before);
        let pieces = stream::iter([Ok(Frame::data(Bytes::from_static(b"x")))]);
        let answer: HttpResponse = Response::new(StreamBody::new(pieces).boxed());
        assert!(charged(&host, Some("a"), &answer).is_none());
        assert!(charged(&host, Some("a"), &text(StatusCode::OK, "")).is_none());
    }
}
