//! Runs, sandboxes and tools over HTTP beside MCP: the operator's models and agents, and the folder of the state.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::managed_models::PersonModels;
use super::operator_models::OperatorModels;
use crate::agents::Agents;
use crate::args::{Global, Serve, ServiceArgs};
use crate::commands::recorded_example;
use crate::model_args::ModelArgs;
use crate::runs::service_folder;
use crate::settings::{Key, Settings};
use mitt::Host;
use mitt_agent::route::GuardrailMode;
use mitt_agent::{Team, ToolMode};
use mitt_base::{Error, ErrorKind, Result};
use mitt_serve::http::{HttpServer, TenantLimits};
use mitt_service::run::{Limits, Models, Policy, RunDefaults, Teams};
#[cfg(feature = "cluster-nats")]
use mitt_service::store::NatsStore;
use mitt_service::store::{FolderStore, Store};
#[cfg(feature = "cluster")]
use mitt_service::store::{ObjectStore, PostgresStore};
use mitt_service::{Login, Problem, Role, Service, ServiceOptions};

/// Adds the service to a server, unless its folder cannot be used.
///
/// # Errors
///
/// A model or an agent cannot be used, or the folder that was named cannot.
pub(super) async fn add(
    server: &HttpServer,
    host: &Host,
    global: &Global,
    command: &Serve,
) -> Result<()> {
    let args = &command.service;
    if args.no_service {
        return Ok(());
    }
    let link_life = link_life(command.link_life)?;
    let models = OperatorModels::new(&args.models, &global.settings)?;
    let teams = OperatorTeams::new(args.agents.clone(), &global.settings)?;
    let Some(opened) = open_state(host, args).await? else { return Ok(()) };
    // Only where all clients are one person: others would use the keys of this one.
    let is_personal = command.tokens.is_none() || command.is_open;
    let models: Arc<dyn Models> = match &opened.folder {
        Some(folder) if is_personal => Arc::new(PersonModels::load(folder, models)?),
        _ => Arc::new(models),
    };
    let defaults = defaults(&global.settings, &*models);
    let limits = server.tenant_limits();
    let service = Service::start(ServiceOptions {
        store: opened.store,
        host: host.clone(),
        models,
        teams: teams.map(|teams| Arc::new(teams) as Arc<dyn Teams>),
        defaults,
        examples: vec![recorded_example()?],
        policies: Arc::new(move |tenant| policy(limits(tenant))),
        login: login(command),
        workers: args.max_runs,
        role: opened.role,
        tries_after_loss: opened.tries_after_loss,
        link_life,
        upload_bytes: args.max_upload,
    });
    let service = service.await.map_err(failed)?;
    server.add_routes(Arc::new(service));
    tracing::info!(state = opened.place, "runs, sandboxes and tools are at /v1; see /openapi.json");
    Ok(())
}

/// Returns what the operator's settings say of runs.
fn defaults(settings: &Settings, models: &dyn Models) -> RunDefaults {
    let named = settings.text(Key::AskedModel).map(str::to_owned);
    let is_there = |name: &String| models.list().iter().any(|model| model.name == *name);
    if let Some(name) = named.as_ref().filter(|name| !is_there(name)) {
        tracing::warn!(
            name,
            "guardrail-model is no model of this service, so runs ask their own; add it with --model"
        );
    }
    RunDefaults {
        limits: settings.agent_limits(),
        most: Limits {
            turns: settings.number(Key::RunTurns),
            calls: settings.number(Key::RunCalls),
            tokens: settings.number(Key::RunTokens),
            seconds: settings.time(Key::RunTime).map(|time| time.as_secs().max(1)),
            dollars: None,
        },
        tools: settings.text(Key::Tools).and_then(ToolMode::from_name).unwrap_or_default(),
        guardrail: settings.text(Key::Asked).and_then(GuardrailMode::from_name).unwrap_or_default(),
        guardrail_model: named.filter(is_there),
    }
}

/// Returns how people log in to the page.
fn login(command: &Serve) -> Login {
    match (command.is_open, &command.tokens) {
        (true, _) => Login::Link,
        (false, Some(_)) => Login::Token,
        (false, None) => Login::None,
    }
}

/// Returns the life of links to the files of runs.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it is zero. Clients get the files by their links.
fn link_life(given: Duration) -> Result<Duration> {
    if given.is_zero() {
        let error = Error::new(ErrorKind::Input, "expected more than 0s, got 0s");
        return Err(error.at("--link-life").hint(
            "clients get the files of runs by links; `--no-service` serves MCP alone, without links",
        ));
    }
    Ok(given)
}

/// Where the service keeps what it has.
struct Opened {
    store: Arc<dyn Store>,
    /// Folder of this machine, for models that a person adds.
    folder: Option<PathBuf>,
    /// Name of the folder or the database for the log.
    place: String,
    role: Role,
    tries_after_loss: u64,
}

/// Opens the state; `None` if there is no place for it that was not named.
///
/// # Errors
///
/// The place that was named cannot be used.
async fn open_state(host: &Host, args: &ServiceArgs) -> Result<Option<Opened>> {
    if let Some(opened) = open_cluster(host, args).await? {
        return Ok(Some(opened));
    }
    let Some(folder) = args.state.clone().or_else(service_folder) else {
        tracing::warn!("no folder for the state, so there is no /v1; name one with --state");
        return Ok(None);
    };
    match FolderStore::open(&folder, clock(host)) {
        Ok(store) => Ok(Some(Opened {
            store: Arc::new(store),
            place: folder.display().to_string(),
            folder: Some(folder),
            role: Role::Both,
            tries_after_loss: 0,
        })),
        // Without `--state` a second server on this machine still serves MCP.
        Err(error) if args.state.is_none() => {
            let error = error.render();
            tracing::warn!(error, "there is no /v1; name another folder with --state");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Opens the store that several servers share; `None` if none is named.
#[cfg(feature = "cluster")]
async fn open_cluster(host: &Host, args: &ServiceArgs) -> Result<Option<Opened>> {
    /// Times that a run goes on by itself after its process has ended.
    const TRIES: u64 = 5;

    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let address = cluster_address(args.cluster.clone(), variable("MITT_CLUSTER_URL"), args.role)?;
    let Some(address) = address else {
        return match &args.blobs {
            Some(_) => Err(blobs_alone()),
            None => Ok(None),
        };
    };
    let engine = engine(&address)?;
    let objects = match args.blobs.clone().or_else(|| variable("MITT_BLOBS")) {
        Some(blobs) => Some(open_blobs(&blobs, host).await?),
        None => None,
    };
    let (store, place): (Arc<dyn Store>, String) = match engine {
        Engine::Nats => open_nats(&address, objects, host).await?,
        Engine::Postgres => {
            let store = PostgresStore::open(&address, objects, clock(host)).await?;
            let place = store.place();
            (Arc::new(store), place)
        }
    };
    Ok(Some(Opened {
        place,
        store,
        folder: args.state.clone(),
        role: args.role,
        tries_after_loss: TRIES,
    }))
}

/// Opens the object store in which servers keep the content of files.
#[cfg(feature = "cluster")]
async fn open_blobs(address: &str, host: &Host) -> Result<ObjectStore> {
    let opened = ObjectStore::open(address, |name| std::env::var(name).ok(), clock(host)).await;
    opened.map_err(|error| error.detail("the object store of --blobs or MITT_BLOBS"))
}

#[cfg(feature = "cluster")]
#[cold]
fn blobs_alone() -> Error {
    let error = Error::new(ErrorKind::Input, "expected --cluster with --blobs, got nothing");
    error.at("--blobs").hint("a server alone keeps files in the folder of --state")
}

/// What several servers share.
#[cfg(feature = "cluster")]
#[derive(Debug, PartialEq)]
enum Engine {
    Postgres,
    Nats,
}

/// Returns the engine of an address.
///
/// # Errors
///
/// [`ErrorKind::Input`] - no engine has this scheme. The message does not quote the address, because it may have a password.
#[cfg(feature = "cluster")]
fn engine(address: &str) -> Result<Engine> {
    match address.split_once("://").map(|(scheme, _)| scheme) {
        Some("postgres" | "postgresql") => Ok(Engine::Postgres),
        Some("nats" | "tls") => Ok(Engine::Nats),
        _ => {
            let message =
                "expected an address that begins with `postgres://`, `nats://` or `tls://`";
            let hint = "write `postgres://user:password@host:5432/database` or `nats://user:password@host:4222`";
            Err(Error::new(ErrorKind::Input, message).at("--cluster").hint(hint))
        }
    }
}

#[cfg(feature = "cluster-nats")]
async fn open_nats(
    address: &str,
    objects: Option<ObjectStore>,
    host: &Host,
) -> Result<(Arc<dyn Store>, String)> {
    let store = NatsStore::open(address, objects, clock(host)).await?;
    let place = store.place();
    Ok((Arc::new(store), place))
}

/// Refuses the address of NATS servers.
#[cfg(all(feature = "cluster", not(feature = "cluster-nats")))]
async fn open_nats(_: &str, _: Option<ObjectStore>, _: &Host) -> Result<(Arc<dyn Store>, String)> {
    let error = Error::new(ErrorKind::Input, "this program was built without NATS");
    let hint = "build it with the feature `cluster-nats`, or name a database with `postgres://`";
    Err(error.at("--cluster").hint(hint))
}

/// Returns the address of the database: the one of the option, or the one of the variable.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there is none, and the role is one of several servers.
#[cfg(feature = "cluster")]
fn cluster_address(
    option: Option<String>,
    variable: Option<String>,
    role: Role,
) -> Result<Option<String>> {
    let address = option.or(variable.filter(|url| !url.is_empty()));
    if address.is_none() && role != Role::Both {
        let error = Error::new(ErrorKind::Input, "expected --cluster with this role, got nothing");
        return Err(error.at("--role").hint("a server alone answers requests and works on runs"));
    }
    Ok(address)
}

#[cfg(not(feature = "cluster"))]
async fn open_cluster(_: &Host, _: &ServiceArgs) -> Result<Option<Opened>> {
    Ok(None)
}

/// Returns the clock of a store: time after 1970.
fn clock(host: &Host) -> Arc<dyn Fn() -> Duration + Send + Sync> {
    let environment = host.environment().clone();
    Arc::new(move || environment.now())
}

fn failed(problem: Problem) -> Error {
    Error::new(ErrorKind::Host, format!("the service does not start: {}", problem.detail))
}

fn policy(limits: TenantLimits) -> Policy {
    Policy {
        models: limits.models,
        tokens_per_day: limits.tokens_per_day,
        // The file of tokens was checked when it was read.
        cost_per_day: limits.dollars_per_day.and_then(|text| text.parse().ok()),
        may_bring_key: limits.own_model_key,
        stored_bytes: limits.stored_bytes,
        runs: limits.runs,
        active_runs: limits.active_runs,
    }
}

/// The agents of the command line and the settings.
struct OperatorTeams {
    folders: Vec<PathBuf>,
    settings: Settings,
}

impl OperatorTeams {
    /// Returns the agents, after it has read them once; `None` if there are none.
    fn new(folders: Vec<PathBuf>, settings: &Settings) -> Result<Option<OperatorTeams>> {
        let agents = Agents { folders };
        let is_there = agents.roster(settings)?.is_some();
        Ok(is_there.then(|| OperatorTeams { folders: agents.folders, settings: settings.clone() }))
    }
}

impl Teams for OperatorTeams {
    fn team(&self, names: Option<&[String]>) -> Result<Option<Team>> {
        let agents = Agents { folders: self.folders.clone() };
        let Some(mut roster) = agents.roster(&self.settings)? else { return Ok(None) };
        match names {
            Some([]) => return Ok(None),
            Some(names) => roster.keep(names)?,
            None => {}
        }
        let settings = self.settings.clone();
        let open = |model: &str| ModelArgs { model: None, key_file: None }.open(model, &settings);
        Ok(Some(Team::new(roster, open).limits(|limits| settings.limit_team(limits))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "cluster")]
    #[test]
    fn a_role_of_several_servers_needs_their_database() {
        let text = |text: &str| Some(text.to_owned());
        for role in [Role::Front, Role::Worker] {
            let error = cluster_address(None, text(""), role).unwrap_err();
            assert_eq!((error.kind(), error.hints().len()), (&ErrorKind::Input, 1));
            let address = cluster_address(None, text("of variable"), role).unwrap();
            assert_eq!(address, text("of variable"));
        }
        let address = cluster_address(text("of option"), text("of variable"), Role::Both).unwrap();
        assert_eq!(address, text("of option"));
        assert_eq!(cluster_address(None, None, Role::Both).unwrap(), None);
    }

    #[cfg(feature = "cluster")]
    #[test]
    fn addresses_of_nats_and_of_databases_differ() {
        for address in ["nats://host", "tls://user:password@host:4222,two?replicas=3"] {
            assert_eq!(engine(address).unwrap(), Engine::Nats, "{address}");
        }
        for address in ["postgres://host/db", "postgresql://host/db"] {
            assert_eq!(engine(address).unwrap(), Engine::Postgres, "{address}");
        }
        for address in ["nats", "", "redis://me:s3cret@host", "me:s3cret@host://x"] {
            let error = engine(address).unwrap_err();
            assert_eq!((error.kind(), error.hints().len()), (&ErrorKind::Input, 1));
            assert!(!error.render().contains("s3cret"), "{}", error.render());
        }
    }

    #[test]
    fn links_without_a_life_are_refused() {
        let hour = Duration::from_secs(3_600);
        assert_eq!(link_life(hour).unwrap(), hour);
        let error = link_life(Duration::ZERO).unwrap_err();
        assert_eq!((error.kind(), error.hints().len()), (&ErrorKind::Input, 1));
        assert_eq!(error.to_string(), "--link-life: expected more than 0s, got 0s");
    }
}
