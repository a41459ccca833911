//! Our own interface over real connections: runs, events, files, links, uploads, and the OpenAPI document.

mod answers;
mod audit;
mod document;
mod events;
mod files;
mod forms;
mod imports;
mod login;
mod metrics;
mod outputs;
mod page;
mod quotas;
mod runs;
mod tenants;
mod uploads;
