//! Skills: folders with a manifest and a plugin, and the registry that turns their functions into tools.
//!
//! The crate `mitt-skill` has the code. This module names what of it is for users of the library.

#[cfg(feature = "compile")]
pub use mitt_skill::inspect;
pub use mitt_skill::{
    Approval, Backoff, Blocked, Compiling, CompilingSink, ComponentSource, Contract, Dependency,
    Experiment, FilledInstructions, Finding, Form, GivenArguments, HiddenSkill, HostCall,
    HostFunction, HostTool, Invocation, Jitter, Layer, MAX_ARGUMENTS, MAX_HELPER_BYTES,
    MAX_HELPERS, MAX_HELPERS_BYTES, Manifest, Overlay, OverlayLimits, OverlayTool, Reader,
    ReaderManifest, Reading, Registry, RetryPolicy, Role, ScriptManifest, Severity, Skill,
    SkillChange, SkillMd, SkillSource, SkillState, Tool, ToolFilter, ToolManifest, ToolName,
    ToolPolicy, TrustStore, Variant, VersionRange, author, fill_arguments, parse_duration,
    parse_size, split_arguments, to_snake,
};
