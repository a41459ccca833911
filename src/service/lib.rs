//! Mitt as a service over HTTP: runs of agents, execution of scripts, and tools, in Mitt's own interface and in those that
//! other programs speak.
//!
//! | folder | contents |
//! |---|---|
//! | `store` | the trait of storage, and storage in a folder |
//! | `files` | uploaded files, and signed links to stored ones |
//! | `run` | runs: their options, records, events and execution |
//! | `code` | sandboxes: sessions in which scripts run, with files that outlive a process |
//! | `http` | requests, responses, problems, forms, event streams |
//! | `api` | `/v1/runs`, `/v1/uploads` |
//! | `openai` | `/v1/responses`, `/v1/chat/completions`, `/v1/models`, `/v1/files`, `/v1/containers` |
//! | `librechat` | LibreChat's Code API |
//! | `tools` | one route for each tool |
//! | `agui` | AG-UI |
//! | `page` | what the page for people needs: settings, usage, examples, sources of numbers |
//!
//! | file | contents |
//! |---|---|
//! | `service` | the parts, which the interfaces share |
//! | `interfaces` | the endpoints of all interfaces, behind the HTTP server |
//! | `script_containers` | sandboxes as the containers of scripts of runs |
//! | `kept_totals` | totals of the store that are used again if counting takes long |
//! | `metrics` | what `/metrics` says of the service |
//! | `problem` | why a request was refused |
//!
//! Arrows go up: `store` knows nothing above it, `run` and `code` know `store`, the interfaces know `run`, `code` and `http`.

#![forbid(unsafe_code)]

mod agui;
mod api;
mod code;
pub mod files;
mod http;
mod interfaces;
mod kept_totals;
mod librechat;
pub mod metrics;
mod openai;
mod page;
mod problem;
pub mod run;
mod script_containers;
mod service;
pub mod store;
mod tools;

pub use problem::{BodyProblem, Problem, ProblemDetails};
pub use service::{Login, Role, Service, ServiceOptions};
