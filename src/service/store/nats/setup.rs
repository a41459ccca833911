//! The two streams, and the version of what is in them.
//!
//! A later version adds, and takes nothing away that the version before it reads or writes, so that old processes work on
//! beside new ones. If one must break this, its `oldest` is its own number, and old processes do not start any more.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::StoreResult;
use super::address::Address;
use super::connection::{Connection, Failure, Place, Tried, Trouble, tried};
use mitt_base::{Error, ErrorKind};

/// Version of the streams that this program makes, and the oldest version whose programs can use them.
const VERSION: u64 = 1;
const OLDEST: u64 = 1;

/// The oldest server: atomic batches, and messages with a life.
const SERVER: (u64, u64) = (2, 12);

/// Smallest `max_payload` of a server, which is its default.
const MIN_PAYLOAD: usize = 1024 * 1024;

/// Time for which changes of an earlier server are recognised. Nothing here relies on it.
const DUPLICATES: Duration = Duration::from_secs(1);

/// Keys of the metadata of the stream of entries.
const VERSION_KEY: &str = "mitt_version";
const OLDEST_KEY: &str = "mitt_oldest";

/// Connects, and makes the streams if they are not there.
///
/// # Errors
///
/// [`ErrorKind::Host`] - the servers cannot be reached, refuse or are too old, or the streams are those of a later version.
pub(super) async fn open(address: &Address, name: &str) -> StoreResult<Connection> {
    tried!(Opening(address), async {
        let connection = Connection::open(address.clone(), name).await?;
        check_server(&connection)?;
        prepare(&connection).await?;
        Ok(connection)
    })
}

/// What is opened, for [`tried`].
struct Opening<'a>(&'a Address);

impl Opening<'_> {
    fn address(&self) -> &Address {
        self.0
    }
}

/// Refuses a server that is too old, or takes too short messages.
fn check_server(connection: &Connection) -> Tried<()> {
    let info = connection.client().server_info();
    match refusal(&info.version, info.max_payload) {
        None => Ok(()),
        Some((message, hint)) => {
            let error = Error::new(ErrorKind::Host, message).at(connection.address());
            Err(error.hint(hint).into())
        }
    }
}

/// Returns why a server of this version and `max_payload` cannot be used, and a way out.
fn refusal(version: &str, max_payload: usize) -> Option<(String, &'static str)> {
    let mut numbers = version.split(['.', '-', '+']).map_while(|number| number.parse().ok());
    let found: (u64, u64) =
        (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    if found < SERVER {
        let message =
            format!("expected nats-server {}.{} or later, got {version}", SERVER.0, SERVER.1);
        return Some((
            message,
            "Mitt changes several entries in one atomic batch; update the server",
        ));
    }
    if max_payload < MIN_PAYLOAD {
        let message =
            format!("expected a max_payload of at least {MIN_PAYLOAD} bytes, got {max_payload}");
        return Some((message, "change it in the configuration of the server"));
    }
    None
}

async fn prepare(connection: &Connection) -> Tried<()> {
    // The stream of entries last: it says that all is there.
    for place in [Place::Data, Place::Entries] {
        let Some(info) = connection.info(place).await? else {
            create(connection, place).await?;
            continue;
        };
        let config = &info["config"];
        if place == Place::Entries {
            check_version(connection, config)?;
        }
        let replicas = connection.address().replicas.map(|count| count as u64);
        if let Some(replicas) = replicas.filter(|count| config["num_replicas"] != *count) {
            let mut config = config.clone();
            config["num_replicas"] = replicas.into();
            let update = format!("STREAM.UPDATE.{}", connection.stream(place));
            connection.api(&update, &config).await?;
        }
    }
    Ok(())
}

async fn create(connection: &Connection, place: Place) -> Tried<()> {
    let name = &connection.name;
    let mut config = json!({
        "name": connection.stream(place),
        "storage": "file",
        "retention": "limits",
        "discard": "new",
        "num_replicas": connection.address().replicas.unwrap_or(1),
        "duplicate_window": DUPLICATES.as_nanos() as u64,
    });
    match place {
        Place::Entries => {
            config["subjects"] = json!([format!("{name}.m.>")]);
            config["max_msgs_per_subject"] = 1.into();
            config["allow_atomic"] = true.into();
            config["allow_msg_ttl"] = true.into();
            config["metadata"] = json!({
                VERSION_KEY: VERSION.to_string(), OLDEST_KEY: OLDEST.to_string(),
            });
        }
        Place::Data => {
            config["subjects"] = json!([format!("{name}.l.>"), format!("{name}.c.>")]);
            config["allow_direct"] = true.into();
        }
    }
    let create = format!("STREAM.CREATE.{}", connection.stream(place));
    let created = connection.api(&create, &config).await;
    // Another process may have made it just now.
    match (created, connection.info(place).await?) {
        (Ok(_), _) | (_, Some(_)) => Ok(()),
        (Err(trouble), None) => Err(trouble.into()),
    }
}

fn check_version(connection: &Connection, config: &Value) -> Tried<()> {
    let number = |key: &str| config["metadata"][key].as_str()?.parse::<u64>().ok();
    let (Some(version), Some(oldest)) = (number(VERSION_KEY), number(OLDEST_KEY)) else {
        let message =
            format!("the stream {} was not made by Mitt", connection.stream(Place::Entries));
        let error = Error::new(ErrorKind::Host, message).at(connection.address());
        return Err(error.hint("use an account of NATS for Mitt alone").into());
    };
    if version > VERSION && oldest > VERSION {
        let message = format!(
            "the streams have version {version}, and this program knows versions up to {VERSION}"
        );
        let error = Error::new(ErrorKind::Host, message).at(connection.address());
        return Err(Failure::from(
            error.hint("start the version of Mitt that the other processes have"),
        ));
    }
    Ok(())
}

/// Returns the trouble of a stream that is not there.
pub(super) fn no_stream() -> Trouble {
    Trouble::passing("the stream of entries is not there")
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn servers_that_cannot_be_used_are_refused() {
        for version in ["2.12.0", "2.15.1", "2.100.0-beta.1", "3.0.0"] {
            assert_eq!(refusal(version, MIN_PAYLOAD), None, "{version}");
        }
        for version in ["2.11.9", "1.99.0", "", "x"] {
            let (message, _) = refusal(version, MIN_PAYLOAD).unwrap();
            assert_eq!(message, format!("expected nats-server 2.12 or later, got {version}"));
        }
        let (message, _) = refusal("2.12.0", 65_536).unwrap();
        assert_eq!(message, "expected a max_payload of at least 1048576 bytes, got 65536");
    }
}
