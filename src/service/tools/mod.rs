//! One route for each tool, with its JSON Schema: for tool servers of chat programs, workflow programs and generated
//! clients.
//!
//! `POST /v1/tools/{tool}` makes a call. `GET /v1/tools/openapi.json` describes the tools that exist now as one OpenAPI
//! document, and `GET /v1/tools` as a list. Knows sandboxes and uploaded files. Knows no models and no runs.

mod arguments;
mod call;
mod catalogue;
mod document;
mod files;
mod outcome;
mod routes;
mod schemas;

#[allow(unused_imports, reason = "the OpenAPI document of the whole service may append them")]
pub(crate) use routes::documented;
pub(crate) use routes::endpoints;
