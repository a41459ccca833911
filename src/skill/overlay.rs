//! Overlays: an operator's settings for skills, without changes to the skills, in layers from the system to a tenant.
//!
//! An overlay enables and disables skills, pins versions, lowers limits, narrows parameters and splits sessions between versions.
//! It can never widen what a skill's manifest allows.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;

use super::manifest::{WireLimits, yaml_error};
use super::{Skill, VersionRange, to_snake};
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Result};

/// Overlay format that this version reads.
const SCHEMA: u32 = 1;

/// Layer of an overlay. A later layer overrides earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Settings of the machine.
    System,
    /// Settings of the user.
    User,
    /// Settings of the project.
    Project,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layer::System => "system",
            Layer::User => "user",
            Layer::Project => "project",
        })
    }
}

/// Settings of an operator. Skills are named in kebab case, tools as models see them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Skills to disable.
    pub disable: Vec<String>,
    /// Skills to enable, although their manifest or an earlier layer disables them.
    pub enable: Vec<String>,
    /// Skills whose bundled or approved version may be replaced by one from another place.
    pub replace: Vec<String>,
    /// Versions of a skill that may be used; they must satisfy the pins of all layers.
    pub pin: BTreeMap<String, VersionRange>,
    /// Limits of each call of a skill; a limit above the manifest's is refused.
    pub limits: BTreeMap<String, OverlayLimits>,
    /// Narrower bounds for parameters of tools.
    pub tools: Vec<OverlayTool>,
    /// Skills whose sessions are split between versions.
    pub experiments: Vec<Experiment>,
    /// Default script engine of its language, in place of the most complete one.
    pub engine: Option<String>,
}

/// Limits that replace those of a manifest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverlayLimits(WireLimits);

/// Settings for a tool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OverlayTool {
    /// Name of the tool as models see it.
    pub name: String,
    /// Narrower bounds, defaults, titles and examples of its parameters; see [`Function::narrowed`].
    ///
    /// [`Function::narrowed`]: mitt_wit::value::Function::narrowed
    pub input_schema: serde_json::Value,
}

/// Experiment that splits sessions between versions of a skill.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Name of the skill.
    pub skill: String,
    /// Versions with their shares.
    pub variants: Vec<Variant>,
}

/// Variant of an [`Experiment`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Allowed versions; among them, the one of the last place is used.
    pub version: VersionRange,
    /// Share of the sessions, relative to the other variants.
    pub weight: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    schema: u32,
    #[serde(default)]
    disable: Vec<String>,
    #[serde(default)]
    enable: Vec<String>,
    #[serde(default)]
    replace: Vec<String>,
    #[serde(default)]
    pin: BTreeMap<String, VersionRange>,
    #[serde(default)]
    limits: BTreeMap<String, WireLimits>,
    #[serde(default)]
    tools: Vec<OverlayTool>,
    #[serde(default)]
    experiments: Vec<Experiment>,
    engine: Option<String>,
}

impl Overlay {
    /// Parses an overlay. `place` names the file in errors.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - invalid YAML, an unknown key, or a value out of range.
    pub fn parse(yaml: &str, place: &str) -> Result<Overlay> {
        let wire: Wire = serde_saphyr::from_str(yaml).map_err(|error| yaml_error(&error, place))?;
        let wrong = |problem: String| Error::new(ErrorKind::Load, format!("{place}: {problem}"));
        if wire.schema != SCHEMA {
            return Err(wrong(format!("schema: expected {SCHEMA}, got {}", wire.schema)));
        }
        if let Some(both) = wire.disable.iter().find(|name| wire.enable.contains(name)) {
            return Err(wrong(format!("`{both}` is both enabled and disabled")));
        }
        if let Some(tool) = wire.tools.iter().find(|tool| !tool.name.contains("__")) {
            return Err(wrong(format!(
                "tools: expected a name such as `excel_tool__create_excel`, got `{}`",
                tool.name
            )));
        }
        for experiment in &wire.experiments {
            let total: u64 = experiment.variants.iter().map(|it| u64::from(it.weight)).sum();
            if total == 0 {
                return Err(wrong(format!(
                    "experiments: `{}`: expected variants with a weight above 0",
                    experiment.skill
                )));
            }
        }
        for (skill, limits) in &wire.limits {
            // Checks only the format; whether they are lower than the skill's is checked with the skill.
            limits
                .clone()
                .over(CallLimits::default())
                .map_err(|problem| wrong(format!("limits: {skill}: {problem}")))?;
        }
        Ok(Overlay {
            disable: wire.disable,
            enable: wire.enable,
            replace: wire.replace,
            pin: wire.pin,
            limits: wire.limits.into_iter().map(|(name, it)| (name, OverlayLimits(it))).collect(),
            tools: wire.tools,
            experiments: wire.experiments,
            engine: wire.engine,
        })
    }
}

/// Overlays in order, with the session that they are applied for.
#[derive(Clone, Copy)]
pub struct Applied<'a> {
    /// The overlays, in order.
    pub overlays: &'a [Arc<Overlay>],
    /// Constant for all calls of a session; it selects the variants of experiments.
    pub assignment: &'a str,
    /// Prefixes of the embedder's tools, which no tool of a skill may have.
    pub taken: &'a [String],
}

impl Applied<'_> {
    /// Returns whether the skill `name` is enabled, given `enabled` of its manifest.
    pub(super) fn enabled(&self, name: &str, enabled: bool) -> bool {
        self.overlays.iter().fold(enabled, |enabled, overlay| {
            let is_in = |names: &[String]| names.iter().any(|other| other == name);
            (enabled || is_in(&overlay.enable)) && !is_in(&overlay.disable)
        })
    }

    /// Returns whether a skill from another place may replace the bundled or approved one of this name.
    pub(super) fn replaces(&self, name: &str) -> bool {
        self.overlays.iter().any(|overlay| overlay.replace.iter().any(|other| other == name))
    }

    /// Returns the ranges that versions of `name` must satisfy.
    pub(super) fn pins<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n VersionRange> {
        let pinned = self.overlays.iter().filter_map(move |overlay| overlay.pin.get(name));
        let variants = self.overlays.iter().flat_map(|overlay| &overlay.experiments);
        let variants = variants.filter(move |experiment| experiment.skill == name);
        pinned.chain(variants.filter_map(|experiment| experiment.variant(self.assignment)))
    }

    /// Returns all skills that the overlays name.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.overlays.iter().flat_map(|overlay| {
            let listed = overlay.disable.iter().chain(&overlay.enable).chain(&overlay.replace);
            let experiments = overlay.experiments.iter().map(|it| it.skill.as_str());
            let kept = overlay.pin.keys().chain(overlay.limits.keys());
            let listed = listed.chain(kept).chain(&overlay.engine).map(String::as_str);
            listed.chain(experiments)
        })
    }

    /// Returns the default engines; if there are several for one language, the last one counts.
    pub(super) fn engines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.overlays.iter().filter_map(|overlay| overlay.engine.as_deref())
    }

    /// Returns the variants of all experiments, with their skills.
    pub(super) fn variants(&self) -> impl Iterator<Item = (&str, &VersionRange)> {
        let experiments = self.overlays.iter().flat_map(|overlay| &overlay.experiments);
        let used = |variant: &&Variant| variant.weight > 0;
        experiments.flat_map(move |it| {
            it.variants.iter().filter(used).map(|variant| (it.skill.as_str(), &variant.version))
        })
    }

    /// Returns a key of all choices in experiments and all taken prefixes: sessions with the same key have the same skills.
    pub fn choices(&self) -> String {
        let experiments = self.overlays.iter().flat_map(|overlay| &overlay.experiments);
        let choices = experiments.map(|experiment| {
            let variant = experiment.variant(self.assignment);
            let variant = variant.map(ToString::to_string).unwrap_or_default();
            format!("{}={variant}", experiment.skill)
        });
        let taken = self.taken.iter().map(|prefix| format!("{prefix}__"));
        choices.chain(taken).collect::<Vec<_>>().join("\n")
    }

    /// Returns `skill` with lower limits and narrower tools; unchanged if no overlay names it.
    pub(super) fn adjusted(&self, skill: &Arc<Skill>) -> Result<Arc<Skill>> {
        let name = &skill.manifest().name;
        let mut limits = skill.manifest().limits.clone();
        let mut tools = Vec::new();
        for overlay in self.overlays {
            if let Some(OverlayLimits(wire)) = overlay.limits.get(name) {
                limits = lowered(&limits, wire).map_err(|problem| {
                    Error::new(ErrorKind::Load, format!("overlay: {name}: {problem}"))
                })?;
            }
            let narrowed = overlay.tools.iter().filter_map(|tool| {
                let (skill, function) = tool.name.split_once("__")?;
                (skill == to_snake(name)).then(|| (function.to_owned(), tool.input_schema.clone()))
            });
            tools.extend(narrowed);
        }
        if tools.is_empty() && limits == skill.manifest().limits {
            return Ok(skill.clone());
        }
        Ok(Arc::new(skill.adjusted(limits, tools)))
    }
}

fn lowered(limits: &CallLimits, wire: &WireLimits) -> Result<CallLimits, String> {
    let wanted = wire.clone().over(limits.clone())?;
    let higher = [
        ("time", wanted.time > limits.time),
        ("fuel", wanted.fuel > limits.fuel),
        ("memory", wanted.memory_bytes > limits.memory_bytes),
    ];
    match higher.iter().find(|(_, higher)| *higher) {
        Some((key, _)) => Err(format!(
            "limits.{key}: expected at most the skill's own limit; an overlay only lowers"
        )),
        None => Ok(wanted),
    }
}

impl Experiment {
    /// Returns the versions for a session: always the same for one assignment, and in proportion to the weights over many.
    fn variant(&self, assignment: &str) -> Option<&VersionRange> {
        let total: u64 = self.variants.iter().map(|it| u64::from(it.weight)).sum();
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.skill.as_bytes()).update(&[0]).update(assignment.as_bytes());
        let bytes = hasher.finalize();
        let number =
            bytes.as_bytes().iter().take(8).fold(0, |all, byte| all << 8 | u64::from(*byte));
        let mut place = number.checked_rem(total)?;
        self.variants.iter().find_map(|variant| {
            let weight = u64::from(variant.weight);
            if place < weight {
                return Some(&variant.version);
            }
            place -= weight;
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_layer_has_the_last_word() {
        let overlay = |yaml: &str| Arc::new(Overlay::parse(yaml, "overlay.yaml").unwrap());
        let overlays = [
            overlay("{schema: 1, disable: [a, b], pin: {c: '^1'}}"),
            overlay("{schema: 1, enable: [a, d], pin: {c: '<1.5'}}"),
        ];
        let applied = Applied { overlays: &overlays, assignment: "", taken: &[] };
        assert!(
            applied.enabled("a", true) && applied.enabled("d", false) && applied.enabled("e", true)
        );
        assert!(!applied.enabled("b", true) && !applied.enabled("e", false));
        let allowed = |version: &str| applied.pins("c").all(|range| range.contains(version));
        assert!(allowed("1.4.0") && !allowed("1.6.0") && !allowed("0.9.0"));
    }

    #[test]
    fn sessions_are_split_by_weight_and_stay_where_they_are() {
        let yaml = "{schema: 1, experiments: [{skill: a, variants: [{version: '=1.0.0', weight: 3}, {version: '=2.0.0', weight: 1}, \
            {version: '=3.0.0', weight: 0}]}]}";
        let overlays = [Arc::new(Overlay::parse(yaml, "x").unwrap())];
        let mut counts = [0; 3];
        for session in 0..4_000 {
            let assignment = format!("session {session}");
            let applied = Applied { overlays: &overlays, assignment: &assignment, taken: &[] };
            assert_eq!(applied.choices(), applied.choices());
            for (count, version) in counts.iter_mut().zip(["1.0.0", "2.0.0", "3.0.0"]) {
                *count += usize::from(applied.pins("a").all(|range| range.contains(version)));
            }
        }
        assert_eq!(counts.iter().sum::<usize>(), 4_000);
        assert!((2_850..3_150).contains(&counts[0]) && counts[2] == 0, "{counts:?}");
    }

    #[test]
    fn what_is_no_overlay() {
        for (yaml, problem) in [
            ("{schema: 2}", "schema: expected 1, got 2"),
            ("{schema: 1, disabel: [a]}", "unknown key `disabel`"),
            ("{schema: 1, disable: [a], enable: [a]}", "`a` is both"),
            ("{schema: 1, pin: {a: latest}}", "a range of versions"),
            ("{schema: 1, limits: {a: {time: 5}}}", "limits.time"),
            (
                "{schema: 1, experiments: [{skill: a, variants: [{version: '*', weight: 0}]}]}",
                "above 0",
            ),
        ] {
            let error = Overlay::parse(yaml, "o.yaml").unwrap_err();
            assert!(error.render().contains(problem), "{yaml}: {}", error.render());
        }
    }
}
