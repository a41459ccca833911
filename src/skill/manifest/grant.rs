//! Grants in `skill.yaml`: a capability by its name, or with bounds.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess};

use super::quantity::parse_size;
use crate::capability::{
    Capability, FetchBounds, GrantBounds, RenderBounds, ToolBounds, WorkspaceBounds,
};
use mitt_base::text;

/// Most hosts of a grant `fetch`, and most bytes of one.
const MAX_HOSTS: usize = 64;
const MAX_HOST_BYTES: usize = 255;

const NO_HOSTS: &str = "grants: `fetch` needs the hosts that may be asked, such as `fetch: {hosts: [api.example.com]}`; at most 64";

/// Grant as it is written.
pub(super) struct WireGrant {
    pub(super) capability: Capability,
    bounds: WireBounds,
}

enum WireBounds {
    None,
    Fetch(Fetch),
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
struct Fetch {
    hosts: Vec<String>,
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

/// Size such as `64KiB`, or a number of bytes.
struct Size(u64);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_size(&text).map(Size).ok_or_else(|| {
            de::Error::custom(format!(
                "expected a size such as `64MiB`, `512KiB` or a number of bytes, got `{text}`"
            ))
        })
    }
}

impl WireGrant {
    /// Adds its bounds to `bounds`.
    pub(super) fn add_to(self, bounds: &mut GrantBounds) {
        match self.bounds {
            WireBounds::None => {}
            WireBounds::Fetch(Fetch { hosts }) => bounds.fetch = FetchBounds { hosts },
            WireBounds::Workspace(Workspace { bytes, files, read_only }) => {
                let bytes = bytes.map(|Size(bytes)| bytes);
                bounds.workspace = WorkspaceBounds { bytes, files, read_only };
            }
            WireBounds::Render(Render { formats, files }) => {
                bounds.render = RenderBounds { formats, files };
            }
            WireBounds::Tools(Tools { only }) => bounds.tools = ToolBounds { only: Some(only) },
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
                let capability = capability(name)?;
                if capability == Capability::Fetch {
                    return Err(E::custom(NO_HOSTS));
                }
                Ok(WireGrant { capability, bounds: WireBounds::None })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WireGrant, A::Error> {
                let Some(name) = map.next_key::<String>()? else {
                    return Err(de::Error::custom("grants: expected a capability, got `{}`"));
                };
                let capability = capability(&name)?;
                let bounds = match capability {
                    Capability::Fetch => {
                        let fetch: Fetch = map.next_value()?;
                        let is_host = |host: &String| {
                            (1..=MAX_HOST_BYTES).contains(&host.len()) && host.trim() == host
                        };
                        if !(1..=MAX_HOSTS).contains(&fetch.hosts.len())
                            || !fetch.hosts.iter().all(is_host)
                        {
                            return Err(de::Error::custom(NO_HOSTS));
                        }
                        WireBounds::Fetch(fetch)
                    }
                    Capability::Workspace => WireBounds::Workspace(map.next_value()?),
                    Capability::Render => WireBounds::Render(map.next_value()?),
                    Capability::Tools => WireBounds::Tools(map.next_value()?),
                    Capability::Catalog
                    | Capability::Documents
                    | Capability::Files
                    | Capability::Log
                    | Capability::Signing
                    | Capability::Tables
                    | Capability::Own(_) => {
                        return Err(de::Error::custom(format!(
                            "grants: `{name}` has no bounds; write its name alone"
                        )));
                    }
                };
                if let Some(more) = map.next_key::<String>()? {
                    return Err(de::Error::custom(format!(
                        "grants: expected one capability in each entry, got `{name}` and `{more}`"
                    )));
                }
                Ok(WireGrant { capability, bounds })
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

fn capability<E: de::Error>(name: &str) -> Result<Capability, E> {
    // Only the host knows which capabilities its embedder has added.
    Capability::granted_as(name).ok_or_else(|| {
        let known = Capability::ALL;
        let known: Vec<_> = known.iter().map(Capability::name).collect();
        E::custom(match text::nearest(name, known.iter().copied()).first() {
            Some(nearest) => format!("grants: there is no `{name}`; did you mean `{nearest}`?"),
            None => format!("grants: expected one of {}, got `{name}`", known.join(", ")),
        })
    })
}
