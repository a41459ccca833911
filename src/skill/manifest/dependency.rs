//! Dependencies of a skill: `depends_on` in `skill.yaml`.

use std::fmt;

use semver::{Version, VersionReq};
use serde::Deserialize;
use serde::de::{self, Deserializer};

/// Dependency on another skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Name of the skill, in kebab case.
    pub name: String,
    /// Accepted versions. Default: all.
    pub version: VersionRange,
}

/// Range of versions in Cargo's syntax: `^1.2`, `~1.2.3`, `>=1, <3`, `=1.0.0`, `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRange(VersionReq);

impl VersionRange {
    /// Returns the range of all versions.
    pub fn any() -> VersionRange {
        VersionRange(VersionReq::STAR)
    }

    /// Parses a range.
    ///
    /// # Errors
    ///
    /// The text of the problem.
    pub fn parse(text: &str) -> Result<VersionRange, String> {
        match VersionReq::parse(text) {
            Ok(range) => Ok(VersionRange(range)),
            Err(error) => Err(format!(
                "expected a range of versions such as `^1.2` or `>=1, <3`, got `{text}`: {error}"
            )),
        }
    }

    /// Returns whether `version`, such as `1.2.3`, is within the range; `false` if it is not a version.
    pub fn contains(&self, version: &str) -> bool {
        Version::parse(version).is_ok_and(|version| self.0.matches(&version))
    }

    /// Returns whether the range includes all versions.
    pub fn is_any(&self) -> bool {
        self.0 == VersionReq::STAR
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for VersionRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<VersionRange, D::Error> {
        VersionRange::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// Accepts a name alone, or a name with a range.
impl<'de> Deserialize<'de> for Dependency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Dependency, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Dependency;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a skill, or `{name, version}`")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Dependency, E> {
                Ok(Dependency { name: name.to_owned(), version: VersionRange::any() })
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Dependency, A::Error> {
                #[derive(Deserialize)]
                #[serde(deny_unknown_fields)]
                struct Wire {
                    name: String,
                    #[serde(default = "VersionRange::any")]
                    version: VersionRange,
                }
                let wire = Wire::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Dependency { name: wire.name, version: wire.version })
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}
