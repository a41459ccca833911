//! Grants of `skill.yaml`: a capability by its name, or with bounds.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess};

use super::quantity::parse_size;
use crate::capability::Capability;
use mitt_base::text;

/// How far grants go. The default bounds nothing beyond the limits of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantBounds {
    /// Most bytes of the session's workspace after a write of this skill.
    pub workspace_bytes: Option<u64>,
    /// Most files of the session's workspace after a write of this skill.
    pub workspace_files: Option<u64>,
    /// Whether it can only read the workspace.
    pub workspace_read_only: bool,
    /// Extensions of the files that it may deliver, in lower case.
    pub formats: Option<Vec<String>>,
    /// Most files that one call may deliver.
    pub files: Option<u64>,
    /// The tools that it may call, or skills, whose tools they then are.
    pub tools: Option<Vec<String>>,
}

impl GrantBounds {
    /// Whether it may call `tool`.
    pub(crate) fn may_call(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|names| {
            let skill = tool.split("__").next().unwrap_or(tool);
            names.iter().any(|name| name == tool || name.replace('-', "_") == skill)
        })
    }

    /// Whether it may call any tool of `skill`, which is in snake case.
    pub(crate) fn may_import(&self, skill: &str) -> bool {
        self.tools.as_ref().is_none_or(|names| {
            names.iter().any(|name| {
                name.split("__").next() == Some(skill) || name.replace('-', "_") == skill
            })
        })
    }

    /// The grant of `capability` as people read it: `workspace (at most 1024 bytes)`.
    pub fn describe(&self, capability: Capability) -> String {
        let mut bounds = Vec::new();
        match capability {
            Capability::Workspace => {
                if self.workspace_read_only {
                    bounds.push("reading only".to_owned());
                }
                bounds.extend(self.workspace_files.map(|most| format!("at most {most} files")));
                bounds.extend(self.workspace_bytes.map(|most| format!("at most {most} bytes")));
            }
            Capability::Render => {
                bounds.extend(
                    self.formats.as_ref().map(|formats| format!("only {}", formats.join(" "))),
                );
                bounds.extend(self.files.map(|most| format!("at most {most} files a call")));
            }
            Capability::Tools => {
                bounds.extend(self.tools.as_ref().map(|tools| format!("only {}", tools.join(" "))));
            }
            Capability::Documents | Capability::Log => {}
        }
        match bounds.is_empty() {
            true => capability.name().to_owned(),
            false => format!("{} ({})", capability.name(), bounds.join("; ")),
        }
    }
}

/// A grant as it is written.
pub(super) struct WireGrant {
    pub(super) capability: Capability,
    bounds: WireBounds,
}

enum WireBounds {
    None,
    Workspace(Workspace),
    Render(Render),
    Tools(Tools),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Workspace {
    bytes: Option<Size>,
    files: Option<u64>,
    #[serde(default)]
    read_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Render {
    formats: Option<Vec<String>>,
    files: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    only: Vec<String>,
}

/// `64KiB`, or a number of bytes.
struct Size(u64);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_size(&text).map(Size).ok_or_else(|| {
            de::Error::custom(format!(
                "a size such as `64MiB`, `512KiB` or a number of bytes expected, got `{text}`"
            ))
        })
    }
}

impl WireGrant {
    /// Add what it says to `bounds`.
    pub(super) fn add_to(self, bounds: &mut GrantBounds) {
        match self.bounds {
            WireBounds::None => {}
            WireBounds::Workspace(workspace) => {
                bounds.workspace_bytes = workspace.bytes.map(|Size(bytes)| bytes);
                bounds.workspace_files = workspace.files;
                bounds.workspace_read_only = workspace.read_only;
            }
            WireBounds::Render(render) => {
                bounds.formats = render.formats;
                bounds.files = render.files;
            }
            WireBounds::Tools(tools) => bounds.tools = Some(tools.only),
        }
    }
}

impl<'de> Deserialize<'de> for WireGrant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WireGrant, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = WireGrant;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a capability, or `{name: {bounds}}`")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<WireGrant, E> {
                Ok(WireGrant { capability: capability(name)?, bounds: WireBounds::None })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WireGrant, A::Error> {
                let Some(name) = map.next_key::<String>()? else {
                    return Err(de::Error::custom("grants: a capability expected, got `{}`"));
                };
                let capability = capability(&name)?;
                let bounds = match capability {
                    Capability::Workspace => WireBounds::Workspace(map.next_value()?),
                    Capability::Render => WireBounds::Render(map.next_value()?),
                    Capability::Tools => WireBounds::Tools(map.next_value()?),
                    Capability::Documents | Capability::Log => {
                        return Err(de::Error::custom(format!(
                            "grants: `{name}` has no bounds; write its name alone"
                        )));
                    }
                };
                if let Some(more) = map.next_key::<String>()? {
                    return Err(de::Error::custom(format!(
                        "grants: one capability in each entry expected, got `{name}` and `{more}`"
                    )));
                }
                Ok(WireGrant { capability, bounds })
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

fn capability<E: de::Error>(name: &str) -> Result<Capability, E> {
    Capability::from_name(name).ok_or_else(|| {
        let known = Capability::ALL.map(Capability::name);
        E::custom(match text::nearest(name, known).first() {
            Some(nearest) => format!("grants: there is no `{name}`; did you mean `{nearest}`?"),
            None => format!("grants: one of {} expected, got `{name}`", known.join(", ")),
        })
    })
}
