//! Bounds of all grants together. The file of each capability explains its bounds.

use super::fetch::FetchBounds;
use super::name::Capability;
use super::render::RenderBounds;
use super::services::Services;
use super::tools::ToolBounds;
use super::workspace::WorkspaceBounds;

/// Bounds of grants. The default sets none beyond the limits of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantBounds {
    /// Bounds of the grant `fetch`.
    pub fetch: FetchBounds,
    /// Bounds of the grant `workspace`.
    pub workspace: WorkspaceBounds,
    /// Bounds of the grant `render`.
    pub render: RenderBounds,
    /// Bounds of the grant `tools`.
    pub tools: ToolBounds,
}

impl GrantBounds {
    /// Returns the grant of `capability` as text for people: `workspace (at most 1024 bytes)`.
    pub fn describe(&self, capability: &Capability) -> String {
        let bounds = match capability {
            Capability::Fetch => self.fetch.describe(),
            Capability::Workspace => self.workspace.describe(),
            Capability::Render => self.render.describe(),
            Capability::Tools => self.tools.describe(),
            Capability::Catalog
            | Capability::Documents
            | Capability::Files
            | Capability::Log
            | Capability::Signing
            | Capability::Tables
            | Capability::Own(_) => Vec::new(),
        };
        if bounds.is_empty() {
            capability.name().to_owned()
        } else {
            format!("{} ({})", capability.name(), bounds.join("; "))
        }
    }
}

impl Services {
    /// Returns the services within `bounds`. Counts per call begin at zero.
    pub fn within(self, bounds: &GrantBounds) -> Services {
        if *bounds == GrantBounds::default() {
            return self;
        }
        Services {
            web: bounds.fetch.bound(self.web),
            workspace: bounds.workspace.bound(self.workspace),
            render: bounds.render.bound(self.render),
            tools: bounds.tools.bound(self.tools),
            ..self
        }
    }
}
