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
mod ids;
mod input;
mod models;
mod record;
mod request;
mod responses;
mod tools;
mod translate;

pub(crate) use error::problem_renderer;
pub(crate) use record::clear;

use crate::service::{Endpoint, Service};

/// Returns the endpoints of the interface.
pub(crate) fn endpoints(service: &Service) -> Vec<Endpoint> {
    let mut endpoints = responses::endpoints();
    endpoints.extend(chat::endpoints());
    endpoints.extend(models::endpoints());
    endpoints.extend(files::endpoints());
    endpoints.extend(containers::endpoints(service));
    endpoints
}
