//! Mitt's page: its files, and what it needs beside runs, tools and files: logins, previews, settings, usage, the recorded example,
//! and the sources of numbers.
//!
//! Knows runs and stored files. Knows no models by themselves, and no HTTP server.

mod assets;
mod example;
mod previews;
mod session;
mod settings;
mod sources;
mod usage;

use crate::service::{Endpoint, Service};

/// Returns the endpoints of the page.
pub(crate) fn endpoints(_: &Service) -> Vec<Endpoint> {
    let mut endpoints = assets::endpoints();
    endpoints.extend(session::endpoints());
    endpoints.extend(previews::endpoints());
    endpoints.extend(settings::endpoints());
    endpoints.extend(usage::endpoints());
    endpoints.extend(example::endpoints());
    endpoints.extend(sources::endpoints());
    endpoints
}
