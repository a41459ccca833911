//! Processors that native code is made for.
//!
//! What is compiled for the processor at hand uses all that it can, and runs on no lesser one. A baseline names what many have:
//! its code runs on each of them. What code needs stands in its record, so that a processor that lacks it is told before
//! anything is loaded; wasmtime compares it once more with what stands in the code itself.

use std::fmt;
use std::str::FromStr;

use mitt_base::{Error, ErrorKind};

/// The processor that native code is made for. The system is the one that it is made on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// The one at hand, with all that it can.
    #[default]
    Native,
    /// Every x86 processor of 64 bits.
    #[serde(rename = "x86-64")]
    X86_64,
    /// Those since about 2009.
    #[serde(rename = "x86-64-v2")]
    X86_64V2,
    /// Those since about 2015, with AVX2.
    #[serde(rename = "x86-64-v3")]
    X86_64V3,
    /// Those with AVX-512.
    #[serde(rename = "x86-64-v4")]
    X86_64V4,
    /// Every ARM processor of 64 bits.
    Aarch64,
}

/// What the levels of x86-64 have beyond the one before, of what the compiler knows.
const V2: &[&str] = &["sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cmpxchg16b"];
const V3: &[&str] = &["avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt"];
const V4: &[&str] = &["avx512f", "avx512dq", "avx512vl"];

impl Target {
    /// All of them, in the order in which lists name them.
    pub const ALL: [Target; 6] = [
        Target::Native,
        Target::X86_64,
        Target::X86_64V2,
        Target::X86_64V3,
        Target::X86_64V4,
        Target::Aarch64,
    ];

    /// Its name on the command line and in records.
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

    /// The architecture, as Rust calls it.
    pub(super) fn architecture(self) -> &'static str {
        match self {
            Target::Native => std::env::consts::ARCH,
            Target::Aarch64 => "aarch64",
            Target::X86_64 | Target::X86_64V2 | Target::X86_64V3 | Target::X86_64V4 => "x86_64",
        }
    }

    /// What the processor must have beyond every one of its architecture, as Rust calls it.
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

    /// What the compiler is told: the triple and its flags; nothing for the processor at hand, which it looks at itself.
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
            Error::new(ErrorKind::Input, format!("one of {} expected", names.join(", ")))
        })
    }
}

/// What of `needs` is not among what a processor `has`.
pub(super) fn lacking(needs: &[String], has: impl Fn(&str) -> bool) -> Vec<&str> {
    needs.iter().map(String::as_str).filter(|name| !has(name)).collect()
}

macro_rules! features {
    ($($name:tt)*) => {
        /// What the compiler uses where a processor has it.
        #[cfg(target_arch = "x86_64")]
        const KNOWN: &[&str] = &[$($name),*];

        /// Whether this processor has it. What is not known is not there.
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

/// Of other processors wasmtime alone says what is lacking.
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
        // Those of every processor need nothing.
        assert!(Target::X86_64.needs().is_empty() && Target::Aarch64.needs().is_empty());
        // A name that a later version writes is not there before it is known.
        assert_eq!(lacking(&["avx10".to_owned()], has), ["avx10"]);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for target in Target::ALL {
            assert_eq!(target.to_string().parse::<Target>().unwrap(), target);
            assert_eq!(serde_json::to_value(target).unwrap(), target.name());
        }
        let error = "x86-64-v5".parse::<Target>().unwrap_err().to_string();
        assert!(error.ends_with("x86-64-v3, x86-64-v4, aarch64 expected"), "{error}");
    }

    /// The lists above are those of the compiler.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_processor_at_hand_has_what_it_needs() {
        let needs: Vec<String> = Target::Native.needs().into_iter().map(Into::into).collect();
        assert_eq!(lacking(&needs, has), [""; 0]);
        assert!(V4.iter().chain(V3).chain(V2).all(|name| KNOWN.contains(name)));
    }
}
