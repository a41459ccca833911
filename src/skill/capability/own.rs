//! Capabilities that an embedder adds to its host.
//!
//! Knows their names, interfaces and link functions. `link.rs` decides whether one is granted, as for any other.

use std::fmt;
use std::sync::Arc;

use wasmtime::component::Linker;

use super::context::CallContext;
use super::name::{Capability, is_name};
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_engine::{Engine, EngineInternal as _};

/// Namespaces of packages that an embedder cannot provide: their interfaces are Mitt's, or not available.
const RESERVED: [&str; 2] = ["mitt", "wasi"];

/// Function that adds the functions of a capability to a linker.
type Link = dyn Fn(&mut Linker<CallContext>) -> wasmtime::Result<()> + Send + Sync;

/// Capability of an embedder.
#[derive(Clone)]
pub struct OwnCapability {
    name: String,
    interfaces: Vec<String>,
    link: Arc<Link>,
}

impl OwnCapability {
    /// Returns a capability of this name. `link` adds the functions of its interfaces to a linker.
    pub fn new(
        name: String,
        interfaces: Vec<String>,
        link: impl Fn(&mut Linker<CallContext>) -> wasmtime::Result<()> + Send + Sync + 'static,
    ) -> OwnCapability {
        OwnCapability { name, interfaces, link: Arc::new(link) }
    }

    fn has(&self, interface: &str) -> bool {
        self.interfaces.iter().any(|own| without_version(own) == interface)
    }
}

impl fmt::Debug for OwnCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnCapability")
            .field("name", &self.name)
            .field("interfaces", &self.interfaces)
            .finish_non_exhaustive()
    }
}

/// Capabilities that an embedder has added to a host. Clones are shallow. Default: none.
#[derive(Clone, Debug, Default)]
pub struct OwnCapabilities(Arc<[OwnCapability]>);

impl OwnCapabilities {
    /// Checks an embedder's capabilities, and links each one once as a test.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - a name or an interface is invalid, is one of Mitt's own or occurs twice; or linking failed.
    pub fn new(engine: &Engine, all: Vec<OwnCapability>) -> Result<OwnCapabilities> {
        for (index, own) in all.iter().enumerate() {
            let shown = text::one_line(text::cut_bytes(&own.name, 128));
            let refused = |problem: String| {
                Error::new(ErrorKind::Load, format!("capability `{shown}`: {problem}"))
            };
            check(own, &all[..index]).map_err(refused)?;
            let mut linker = engine.linker();
            (own.link)(&mut linker)
                .map_err(|error| refused(format!("its functions cannot be linked: {error:#}")))?;
        }
        Ok(OwnCapabilities(all.into()))
    }

    /// Returns the capability that provides an import.
    pub(super) fn wanted_by(&self, import: &str) -> Option<Capability> {
        let interface = without_version(import);
        let own = self.0.iter().find(|own| own.has(interface))?;
        Some(Capability::Own(own.name.as_str().into()))
    }

    /// Links the capability of this name. Does nothing if there is none.
    pub(super) fn link(
        &self,
        name: &str,
        linker: &mut Linker<CallContext>,
    ) -> wasmtime::Result<()> {
        self.0.iter().find(|own| own.name == name).map_or(Ok(()), |own| (own.link)(linker))
    }

    /// Refuses grants of capabilities that this host does not have, and lists those that it has.
    ///
    /// # Errors
    ///
    /// The text of the problem, for an error about `skill.yaml`.
    pub fn check_grants(&self, grants: &[Capability]) -> Result<(), String> {
        let missing = grants.iter().find(|grant| match grant {
            Capability::Own(name) => self.0.iter().all(|own| own.name != **name),
            _ => false,
        });
        let Some(missing) = missing.map(Capability::name) else { return Ok(()) };
        let built_in = Capability::ALL;
        let known = built_in.iter().map(Capability::name);
        let known: Vec<_> = known.chain(self.0.iter().map(|own| own.name.as_str())).collect();
        Err(match text::nearest(missing, known.iter().copied()).first() {
            Some(nearest) => format!(
                "grants: there is no `{missing}`; did you mean `{nearest}`? This host has {}",
                known.join(", ")
            ),
            None => format!("grants: expected one of {}, got `{missing}`", known.join(", ")),
        })
    }
}

fn without_version(import: &str) -> &str {
    import.split_once('@').map_or(import, |(interface, _)| interface)
}

fn check(own: &OwnCapability, others: &[OwnCapability]) -> Result<(), String> {
    if Capability::from_name(&own.name).is_some() {
        return Err("every host has one of this name; choose another".into());
    }
    if !is_name(&own.name) {
        return Err("expected a name of lower-case words joined by `-`".into());
    }
    if others.iter().any(|other| other.name == own.name) {
        return Err("it was added twice".into());
    }
    if own.interfaces.is_empty() {
        return Err("expected an interface, such as `acme:crm/customers@1.2.0`".into());
    }
    for interface in &own.interfaces {
        let shown = text::one_line(text::cut_bytes(interface, 128));
        let Some(namespace) = namespace_of(interface) else {
            return Err(format!(
                "expected an interface such as `acme:crm/customers@1.2.0`, got `{shown}`"
            ));
        };
        if RESERVED.contains(&namespace) {
            return Err(format!("an embedder cannot offer `{shown}`"));
        }
        if let Some(other) = others.iter().find(|other| other.has(without_version(interface))) {
            return Err(format!("`{shown}` belongs to `{}` already", other.name));
        }
    }
    Ok(())
}

/// Returns whether an embedder could provide an import.
pub(crate) fn is_ones_own(import: &str) -> bool {
    namespace_of(import).is_some_and(|namespace| !RESERVED.contains(&namespace))
}

/// Returns the namespace of an interface's package: `acme` for `acme:crm/customers@1.2.0`. `None` if the text is not the name of
/// an interface.
fn namespace_of(interface: &str) -> Option<&str> {
    if let Some((_, version)) = interface.split_once('@') {
        semver::Version::parse(version).ok()?;
    }
    let (package, name) = without_version(interface).split_once('/')?;
    let (namespace, package) = package.split_once(':')?;
    [namespace, package, name].into_iter().all(is_name).then_some(namespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_engine::EngineOptions;

    fn added(all: &[(&str, &[&str])]) -> Result<OwnCapabilities> {
        let own = |(name, interfaces): &(&str, &[&str])| {
            let interfaces = interfaces.iter().map(|&it| it.to_owned()).collect();
            OwnCapability::new((*name).to_owned(), interfaces, |_| Ok(()))
        };
        let engine = Engine::new(EngineOptions::default()).unwrap();
        OwnCapabilities::new(&engine, all.iter().map(own).collect())
    }

    #[test]
    fn names_and_interfaces_are_ones_own_and_there_once() {
        const CRM: &[&str] = &["acme:crm/customers@1.2.0"];
        for (all, problem) in [
            (&[("log", CRM)][..], "every host has one of this name"),
            (&[("Crm", CRM)], "lower-case words"),
            (&[("crm-", CRM)], "lower-case words"),
            (&[("crm", &[])], "expected an interface"),
            (&[("crm", &["acme:crm"])], "got `acme:crm`"),
            (&[("crm", &["acme:crm/customers@1"])], "got `acme:crm/customers@1`"),
            (&[("crm", &["wasi:http/handler@0.2.0"])], "an embedder cannot offer"),
            (&[("crm", &["mitt:host/tools@0.1.0"])], "an embedder cannot offer"),
            (&[("crm", CRM), ("crm", &["acme:crm/orders"])], "added twice"),
            (&[("crm", CRM), ("crm-2", &["acme:crm/customers"])], "belongs to `crm` already"),
        ] {
            let error = added(all).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Load);
            assert!(error.to_string().contains(problem), "{problem}: {error}");
        }
        let both = added(&[("crm", CRM), ("erp", &["acme:erp/a", "acme:erp/b@0.1.0"])]).unwrap();
        let wanted = |import| both.wanted_by(import).map(|it| it.name().to_owned());
        assert_eq!(wanted("acme:crm/customers@1.0.0").as_deref(), Some("crm"));
        assert_eq!(wanted("acme:erp/b@0.1.0").as_deref(), Some("erp"));
        assert_eq!(wanted("acme:crm/orders@1.2.0"), None);
    }

    #[test]
    fn what_is_granted_must_be_there() {
        let own = added(&[("crm", &["acme:crm/customers"])]).unwrap();
        let check = |names: &[&str]| {
            let grants: Vec<_> =
                names.iter().map(|name| Capability::granted_as(name).unwrap()).collect();
            own.check_grants(&grants)
        };
        assert_eq!(check(&["log", "crm"]), Ok(()));
        let known =
            "catalog, documents, fetch, files, log, render, signing, tables, tools, workspace, crm";
        assert_eq!(check(&["shell"]), Err(format!("grants: expected one of {known}, got `shell`")));
        assert!(check(&["rendr"]).unwrap_err().contains("did you mean `render`?"));
    }
}
