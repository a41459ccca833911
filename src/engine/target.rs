//! Processors that native code is compiled for.
//!
//! Code for the current processor uses all its features, and does not run on a lesser one. A baseline is a set of features that
//! many processors have: its code runs on each of them. The record lists what the code needs, so that a missing feature is
//! reported before anything is loaded; wasmtime checks it once more against the code itself.

use std::fmt;
use std::str::FromStr;

use mitt_base::{Error, ErrorKind};

/// Processor that native code is compiled for. The operating system is the current one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// The current processor, with all its features.
    #[default]
    Native,
    /// All 64-bit x86 processors.
    #[serde(rename = "x86-64")]
    X86_64,
    /// x86-64 processors since about 2009.
    #[serde(rename = "x86-64-v2")]
    X86_64V2,
    /// x86-64 processors since about 2015, with AVX2.
    #[serde(rename = "x86-64-v3")]
    X86_64V3,
    /// x86-64 processors with AVX-512.
    #[serde(rename = "x86-64-v4")]
    X86_64V4,
    /// All 64-bit ARM processors.
    Aarch64,
}

/// Features that each level of x86-64 adds to the one before, as far as the compiler knows them.
const V2: &[&str] = &["sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cmpxchg16b"];
const V3: &[&str] = &["avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt"];
const V4: &[&str] = &["avx512f", "avx512dq", "avx512vl"];

impl Target {
    /// All targets, in the order of lists.
    pub const ALL: [Target; 6] = [
        Target::Native,
        Target::X86_64,
        Target::X86_64V2,
        Target::X86_64V3,
        Target::X86_64V4,
        Target::Aarch64,
    ];

    /// Returns the name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Target::Native => "native",
            Target::X86_64 => "x86-64",
            Target::X86_64V2 => "x86-64-v2",
            Target::X86_64V3 => "x86-64-v3",
            Target::X86_64V4 => "x86-64-v4",
            Target::Aarch64 => "aarch64",
        }
    }

    /// Returns the architecture, by its name in Rust.
    pub(super) fn architecture(self) -> &'static str {
        match self {
            Target::Native => std::env::consts::ARCH,
            Target::Aarch64 => "aarch64",
            Target::X86_64 | Target::X86_64V2 | Target::X86_64V3 | Target::X86_64V4 => "x86_64",
        }
    }

    /// Returns the features that the processor must have beyond the baseline of its architecture, by their names in Rust.
    pub(super) fn needs(self) -> Vec<&'static str> {
        let levels: &[&[&str]] = match self {
            Target::Native => return KNOWN.iter().copied().filter(|name| has(name)).collect(),
            Target::X86_64 | Target::Aarch64 => &[],
            Target::X86_64V2 => &[V2],
            Target::X86_64V3 => &[V2, V3],
            Target::X86_64V4 => &[V2, V3, V4],
        };
        levels.concat()
    }

    /// Returns triple and flags for the compiler; `None` for the current processor, which the compiler detects itself.
    #[cfg(feature = "compile")]
    pub(super) fn settings(self) -> Option<(String, Vec<String>)> {
        if self == Target::Native {
            return None;
        }
        let system = match std::env::consts::OS {
            "macos" => "apple-darwin",
            "windows" => "pc-windows-msvc",
            _ => "unknown-linux-gnu",
        };
        let flag = |name: &str| format!("has_{}", name.replace('.', ""));
        let flags = self.needs().into_iter().map(flag).collect();
        Some((format!("{}-{system}", self.architecture()), flags))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(name: &str) -> Result<Target, Error> {
        Target::ALL.into_iter().find(|target| target.name() == name).ok_or_else(|| {
            let names: Vec<_> = Target::ALL.into_iter().map(Target::name).collect();
            Error::new(ErrorKind::Input, format!("expected one of {}", names.join(", ")))
        })
    }
}

/// Returns the features in `needs` that a processor, whose features `has` tests, does not have.
pub(super) fn lacking(needs: &[String], has: impl Fn(&str) -> bool) -> Vec<&str> {
    needs.iter().map(String::as_str).filter(|name| !has(name)).collect()
}

macro_rules! features {
    ($($name:tt)*) => {
        /// Features that the compiler uses if the processor has them.
        #[cfg(target_arch = "x86_64")]
        const KNOWN: &[&str] = &[$($name),*];

        /// Returns whether this processor has the feature. Unknown features count as missing.
        #[cfg(target_arch = "x86_64")]
        pub(super) fn has(feature: &str) -> bool {
            match feature {
                $($name => std::arch::is_x86_feature_detected!($name),)*
                _ => false,
            }
        }
    };
}

features! {
    "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "cmpxchg16b" "avx" "avx2" "bmi1" "bmi2" "fma" "lzcnt" "avxvnni"
    "avx512f" "avx512dq" "avx512vl" "avx512bitalg" "avx512vbmi" "avx512vnni"
}

/// On other processors only wasmtime reports missing features.
#[cfg(not(target_arch = "x86_64"))]
const KNOWN: &[&str] = &[];

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has(_: &str) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_told_what_it_lacks() {
        let needs: Vec<String> = Target::X86_64V3.needs().into_iter().map(Into::into).collect();
        let of_2009 = |name: &str| V2.contains(&name);
        assert_eq!(lacking(&needs, of_2009), V3);
        assert_eq!(lacking(&needs, |_| true), [""; 0]);
        assert_eq!(lacking(&needs, |name| name != "bmi2"), ["bmi2"]);
        // The baselines need no features.
        assert!(Target::X86_64.needs().is_empty() && Target::Aarch64.needs().is_empty());
        // A feature that only a later version knows counts as missing.
        assert_eq!(lacking(&["avx10".to_owned()], has), ["avx10"]);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for target in Target::ALL {
            assert_eq!(target.to_string().parse::<Target>().unwrap(), target);
            assert_eq!(serde_json::to_value(target).unwrap(), target.name());
        }
        let error = "x86-64-v5".parse::<Target>().unwrap_err().to_string();
        assert!(error.ends_with("x86-64-v3, x86-64-v4, aarch64"), "{error}");
    }

    /// The lists above match those of the compiler.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_processor_at_hand_has_what_it_needs() {
        let needs: Vec<String> = Target::Native.needs().into_iter().map(Into::into).collect();
        assert_eq!(lacking(&needs, has), [""; 0]);
        assert!(V4.iter().chain(V3).chain(V2).all(|name| KNOWN.contains(name)));
    }
}
