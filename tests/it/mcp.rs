//! `mitt mcp`: the program, driven as agents drive it.

mod approvals;
mod apps;
mod client;
mod fetch;
mod first_run;
mod folders;
mod hostile;
mod isolation;
mod modern;
mod modes;
mod reload;
mod resources;
mod sdk;
mod tools;
