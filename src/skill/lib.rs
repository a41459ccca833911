//! Skills of [Mitt](https://docs.rs/mitt): folders with a manifest and a plugin, the host interfaces that plugins may import, and the
//! registry that turns their functions into tools.
//!
//! Knows manifests, components and grants, and the tools of the embedder. Does not know sessions: a tool is only described and
//! prepared here.
//!
//! Its interface is for Mitt's own crates and changes with them. `mitt` re-exports what is meant for others, such as
//! `mitt::skill::Registry`, and its version speaks for those items alone. A method that only Mitt's own crates call is a method of
//! a trait with a name such as [`ToolInternal`].

#![forbid(unsafe_code)]

mod arguments;
pub mod author;
#[cfg(not(feature = "bundled"))]
#[path = "bundled_disabled.rs"]
mod bundled;
#[cfg(all(test, feature = "bundled"))]
mod bundled_tests;
pub mod capability;
mod change;
mod clashes;
mod component;
#[cfg(feature = "extism")]
mod contract;
#[cfg(not(feature = "extism"))]
#[path = "contract_disabled.rs"]
mod contract;
mod engines;
mod filter_matching;
mod filtered_registry;
mod finding;
pub mod front_matter;
mod graph;
mod hidden_skills;
mod host_tool;
#[cfg(feature = "compile")]
pub mod inspect;
mod internal;
mod languages;
mod listed;
mod loaded;
mod loader;
mod loading;
mod manifest;
mod name;
mod native;
mod overlay;
mod plain;
#[cfg(feature = "extism")]
mod plug_in;
#[cfg(not(feature = "extism"))]
#[path = "plug_in_disabled.rs"]
mod plug_in;
mod policy;
mod pool;
mod ready;
mod registry;
mod script_tool;
mod scripted;
mod scripts;
mod skill_md;
mod tool;
mod tool_filter;
mod toolbox;
mod trust;
#[cfg(feature = "extism")]
mod xtp;

#[cfg(feature = "bundled")]
use mitt_skills as bundled;

pub use arguments::{
    FilledInstructions, GivenArguments, MAX_ARGUMENTS, fill_arguments, split_arguments,
};
pub use change::{SkillChange, SkillChangeInternal};
pub use component::ComponentSource;
#[cfg(feature = "extism")]
pub use contract::Contracted;
pub use contract::{Contract, Form};
pub use engines::Engines;
pub use filtered_registry::FilteredRegistryInternal;
pub use finding::{Finding, Severity};
pub use graph::Blocked;
pub use hidden_skills::HiddenSkill;
pub use host_tool::{HostCall, HostFunction, HostTool, HostTools, RegisteredTool};
pub use internal::RegistryInternal;
pub use loaded::{Skill, SkillSource};
pub use loader::{Loader, Sources};
pub use loading::{Compiling, CompilingSink};
pub use manifest::{
    Dependency, Manifest, ReaderManifest, Role, ScriptManifest, ToolManifest, VersionRange,
    parse_duration, parse_size,
};
pub use name::{ToolName, to_snake};
pub use overlay::{Applied, Experiment, Layer, Overlay, OverlayLimits, OverlayTool, Variant};
pub use policy::{Backoff, Jitter, RetryPolicy, ToolPolicy};
pub use ready::SkillInternal;
pub use registry::{Registry, SkillState};
pub use script_tool::{RUN, ScriptArguments};
pub use scripts::{HelpersInternal, MAX_HELPER_BYTES, MAX_HELPERS, MAX_HELPERS_BYTES};
pub(crate) use skill_md::forked_agent;
pub use skill_md::{Invocation, Reading, SkillMd};
pub use tool::{Reader, ReaderInternal, Runs, Tool, ToolInternal};
pub use tool_filter::ToolFilter;
pub use trust::{Approval, TrustStore};
