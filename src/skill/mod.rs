//! Skills: folders with a manifest and a plugin, and the registry that turns their functions into tools.
//!
//! Knows manifests, components and grants. Does not know sessions: a tool found here is only described and prepared.

mod bundled;
mod manifest;
mod name;
mod policy;
mod registry;

pub use manifest::{
    Manifest, ReaderManifest, ScriptManifest, ToolManifest, parse_duration, parse_size,
};
pub use name::{ToolName, to_snake};
pub use policy::{Backoff, Jitter, RetryPolicy, ToolPolicy};
pub use registry::{Reader, Registry, Skill, SkillSource, Tool};
