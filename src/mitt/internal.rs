//! Internal interface for Mitt's own crates: the program, the server, the agent.
//!
//! Embedders must not use it; it may change with every version.

pub use crate::check::Check;
pub use crate::engine::{BOUNDS, Bound, MAX_COMPONENT_BYTES, WASMTIME_VERSION};
pub use crate::host::{Admission, Permit, TenantCharge, engine_alone};
pub use crate::session::{DEFAULT_TENANT, make_subfolder, state_file, write_private};
pub use crate::worker::{FillJob, Job, JobEnd, Page, Workers, is_named_worker};
pub use mitt_ingest::fill::{
    FillOrder, value_of_file, value_of_json, value_of_table, values_of_json,
};
pub use mitt_types::json_rows::{JsonNumbers, json_number_warnings, push_json_row};
