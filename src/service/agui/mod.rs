//! AG-UI 1.0, the protocol between agents and pages: `POST /v1/ag-ui`.
//!
//! A thread of AG-UI is a run of ours, and a run of AG-UI is one instruction, one answer to a question, or the results of
//! the page's own tools. The events are a translation of those of the run, made while the client reads them. Knows runs,
//! stores and links. Knows no models.

mod action;
mod content;
mod events;
mod input;
mod interrupts;
mod routes;
mod shared_state;
mod stream;
mod thread;
mod translation;
mod translator;

pub(crate) use routes::endpoints;
pub(crate) use thread::clear;
