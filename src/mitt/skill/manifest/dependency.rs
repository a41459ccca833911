//! What a skill needs of others: `depends_on` of `skill.yaml`.

use std::fmt;

use semver::{Version, VersionReq};
use serde::Deserialize;
use serde::de::{self, Deserializer};

/// A skill that another one needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its name, in kebab case.
    pub name: String,
    /// Which versions of it will do. Default all.
    pub version: VersionRange,
}

/// A range of versions, as Cargo writes it: `^1.2`, `~1.2.3`, `>=1, <3`, `=1.0.0`, `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRange(VersionReq);

impl VersionRange {
    /// Every version.
    pub fn any() -> VersionRange {
        VersionRange(VersionReq::STAR)
    }

    /// Read a range.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<VersionRange, String> {
        match VersionReq::parse(text) {
            Ok(range) => Ok(VersionRange(range)),
            Err(error) => Err(format!(
                "a range of versions such as `^1.2` or `>=1, <3` expected, got `{text}`: {error}"
            )),
        }
    }

    /// Whether `version`, such as `1.2.3`, is within the range. False for what is no version.
    pub fn contains(&self, version: &str) -> bool {
        Version::parse(version).is_ok_and(|version| self.0.matches(&version))
    }

    /// Whether every version will do.
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

/// A name alone, or a name with a range.
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
