//! Requests and responses: endpoints with their documentation, JSON bodies that are checked against their schemas, forms,
//! event streams, downloads.
//!
//! An [`Endpoint`] is both what the router knows and what the OpenAPI document says, so they cannot differ.

mod audit;
mod endpoint;
mod form;
mod openapi;
mod refusal;
mod request;
mod response;
mod schema;
mod sse;

pub(crate) use endpoint::{
    ANY_FILE, Answered, Body, Content, Endpoint, ProblemForm, Responds, Router, of_method, own_form,
};
pub(crate) use form::{Form, FormField};
#[cfg(test)]
pub(crate) use openapi::tests::checked;
pub(crate) use openapi::{document_schema, openapi};
pub(crate) use refusal::refused;
pub(crate) use request::{MODEL_KEY, Request, Wait};
pub(crate) use response::{Download, bytes, download, empty, json, problem, streamed, with_retry};
pub(crate) use schema::{Schema, refusal, schema_of};
pub(crate) use sse::{SseEvent, event_stream};

pub(crate) use mitt_serve::http::HttpResponse;
