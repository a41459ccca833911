//! The service over HTTP: runs, uploads and documents, with tenants that may try to reach each other's data.

mod api;
mod librechat;
mod openai;
mod support;
