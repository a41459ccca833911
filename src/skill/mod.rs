//! Skills: folders with a manifest and a plugin, and the registry that turns their functions into tools.
//!
//! Knows manifests, components and grants. Does not know sessions: a tool found here is only described and prepared.

mod bundled;
mod component;
#[allow(dead_code, reason = "wired in next")]
mod graph;
#[cfg(feature = "compile")]
mod inspect;
mod manifest;
mod name;
mod registry;
mod toolbox;

pub use component::ComponentSource;
#[cfg(feature = "compile")]
pub use inspect::{Export, ExportedFunction, Import, Inspection, Lint, Provider};
pub use manifest::{
    Dependency, Manifest, ReaderManifest, ScriptManifest, ToolManifest, VersionRange,
    parse_duration, parse_size,
};
pub use name::{ToolName, to_snake};
pub use registry::{Reader, Registry, Skill, SkillSource, Tool};
