//! Skills: folders with a manifest and a plugin, and the registry that turns their functions into tools.
//!
//! Knows manifests, components and grants. Does not know sessions: a tool found here is only described and prepared.

pub mod author;
mod bundled;
mod finding;
mod manifest;
mod name;
mod registry;
mod skill_md;

pub use finding::{Finding, Severity};
pub use manifest::{
    Manifest, ReaderManifest, ScriptManifest, ToolManifest, parse_duration, parse_size,
};
pub use name::{ToolName, to_snake};
pub use registry::{Reader, Registry, Skill, SkillSource, Tool};
pub use skill_md::{Reading, SkillMd};
