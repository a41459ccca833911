//! How far grants go, all together. What a bound means is in the file of its capability.

use super::fetch::FetchBounds;
use super::name::Capability;
use super::render::RenderBounds;
use super::services::Services;
use super::tools::ToolBounds;
use super::workspace::WorkspaceBounds;

/// How far grants go. The default bounds nothing beyond the limits of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantBounds {
    /// Of the grant `fetch`.
    pub fetch: FetchBounds,
    /// Of the grant `workspace`.
    pub workspace: WorkspaceBounds,
    /// Of the grant `render`.
    pub render: RenderBounds,
    /// Of the grant `tools`.
    pub tools: ToolBounds,
}

impl GrantBounds {
    /// The grant of `capability` as people read it: `workspace (at most 1024 bytes)`.
    pub fn describe(&self, capability: &Capability) -> String {
        let bounds = match capability {
            Capability::Fetch => self.fetch.describe(),
            Capability::Workspace => self.workspace.describe(),
            Capability::Render => self.render.describe(),
            Capability::Tools => self.tools.describe(),
            Capability::Catalog
            | Capability::Documents
            | Capability::Log
            | Capability::Tables
            | Capability::Own(_) => Vec::new(),
        };
        match bounds.is_empty() {
            true => capability.name().to_owned(),
            false => format!("{} ({})", capability.name(), bounds.join("; ")),
        }
    }
}

impl Services {
    /// The same within `bounds`. What is counted for each call is counted from here on.
    pub(crate) fn within(self, bounds: &GrantBounds) -> Services {
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
