//! The interfaces that every client of OpenAI speaks: `/v1/responses` (Open Responses), `/v1/chat/completions`,
//! `/v1/models`, `/v1/files` and `/v1/containers`.

mod begin;
mod chat;
mod chat_translate;
mod containers;
mod continued;
mod documents;
mod error;
mod files;
mod follow;
mod format;
mod ids;
mod input;
mod models;
mod parts;
mod record;
mod request;
mod responses;
mod tools;
mod translate;

pub(crate) use error::problem_form;
pub(crate) use record::clear;

use hyper::Method;

use crate::problem::Problem;
use crate::service::{Endpoint, Service};

/// Operations of OpenAI that do not exist here although their paths look like those of a response, and the ways out.
const ABSENT: [(&str, &str); 2] = [
    (
        "/v1/responses/compact",
        "name the last response in `previous_response_id`; a run shortens a conversation that becomes too long by itself",
    ),
    (
        "/v1/responses/input_tokens",
        "`usage` of a response has the tokens that its models used; `GET /v1/usage` those of the day",
    ),
];

/// Returns the problem of an operation that does not exist here, where a route would answer that only its method is wrong.
pub(crate) fn absent(method: &Method, path: &str) -> Option<Problem> {
    let (path, hint) = ABSENT.iter().find(|(it, _)| *it == path && *method == Method::POST)?;
    Some(Problem::new(404, "not_found", format!("nothing is served at `{path}`")).hint(*hint))
}

/// Returns the endpoints of the interface.
pub(crate) fn endpoints(service: &Service) -> Vec<Endpoint> {
    let mut endpoints = responses::endpoints();
    endpoints.extend(chat::endpoints());
    endpoints.extend(models::endpoints());
    endpoints.extend(files::endpoints());
    endpoints.extend(containers::endpoints(service));
    endpoints
}
