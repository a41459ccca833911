//! The integration tests: one binary, one module per subject.
#![allow(
    missing_docs,
    clippy::disallowed_methods,
    clippy::print_stderr,
    unreachable_pub,
    reason = "tests run the program, and print why they are skipped"
)]

mod adversarial;
mod agents;
mod budget;
mod bundled;
mod cache;
mod capabilities;
mod chinese;
mod citations;
mod cli;
mod commands;
mod compare;
mod config;
mod configured;
mod conformance;
mod drift;
mod edited_files;
mod errors;
mod examples;
mod execution;
mod fetch;
mod files;
mod fill;
mod fill_tools;
mod foreign;
mod fuzz;
mod grants;
mod guard;
mod guarded_files;
mod handles;
mod host_tools;
mod http;
mod ingest;
mod inside;
mod inspect;
mod lambda;
mod local;
mod mcp;
mod model_network;
mod models;
mod narrow;
mod numbers;
mod ocr;
mod overwriting;
mod packages;
mod page_pictures;
mod parquet;
mod pdf;
mod pictures;
mod planned;
mod plug_ins;
mod preview1;
mod progress;
mod redact;
mod reload;
mod render;
mod render_cli;
mod researched;
mod rooms;
mod runs;
mod script;
mod script_approval;
mod script_cli;
mod script_hostile;
mod script_modules;
mod script_state;
mod script_tables;
mod service;
mod shown;
mod signing;
mod skill_check;
mod skill_new;
mod skill_pack;
mod skill_reference;
mod skills;
mod soak;
mod sources;
mod sql;
mod support;
mod tables;
mod tables_cli;
mod tenants;
mod tidy;
mod trust;
mod typescript_stubs;
mod warm;
mod wave;
mod word;
mod workbooks;
mod yoy;
