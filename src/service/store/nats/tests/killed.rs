//! Servers that are killed during work.

use std::time::Duration;

use super::super::connection::Place;
use super::faults::{check_work, work};
use super::opened_at;
use super::server::{Servers, program};
use crate::store::contract::{key, submitted};
use crate::store::{Store, StoreError, Stream};

/// Changes of each kind.
const COUNT: u64 = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_when_the_server_is_killed() {
    let Some(program) = program() else { return };
    let mut servers = Servers::start(&program, 1);
    let opened = opened_at(servers.address("")).await;
    let other = opened.other().await;
    let kill = async {
        for _ in 0..5 {
            tokio::time::sleep(Duration::from_millis(150)).await;
            servers.kill(0);
            tokio::time::sleep(Duration::from_millis(50)).await;
            servers.run(0);
        }
    };
    tokio::join!(kill, work(&opened.store, COUNT, Duration::from_millis(5)));
    check_work(&opened.store, COUNT).await;
    // Another process, and one that starts after all, know the same.
    check_work(&other, COUNT).await;
    check_work(&opened.other().await, COUNT).await;
    let run = key("a", "run_1");
    let mut watch = other.watch(&run, Stream::Inbox).await.unwrap();
    let (seen, _) = tokio::join!(watch.last_after(COUNT), async {
        opened.store.append(&run, Stream::Inbox, None, &["x".into()]).await.unwrap()
    });
    assert_eq!(seen.unwrap(), COUNT + 1, "notes are heard again");
    opened.store.delete(&run).await.unwrap();
    drop(opened);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_when_a_server_of_three_is_killed() {
    let Some(program) = program() else { return };
    let mut servers = Servers::start(&program, 3);
    let opened = opened_at(servers.address("?replicas=3")).await;
    let connection = opened.store.shared().connection.clone();
    for place in [Place::Entries, Place::Data] {
        let info = connection.info(place).await.unwrap().unwrap();
        assert_eq!(info["config"]["num_replicas"], 3);
    }
    let kill = async {
        for place in [Place::Entries, Place::Data, Place::Entries] {
            tokio::time::sleep(Duration::from_millis(400)).await;
            let info = loop {
                if let Ok(Some(info)) = connection.info(place).await
                    && info["cluster"]["leader"].is_string()
                {
                    break info;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            };
            let leader = info["cluster"]["leader"].as_str().unwrap().to_owned();
            servers.kill(Servers::number_of(&leader));
            // Longer than an election takes: two servers work on.
            tokio::time::sleep(Duration::from_secs(5)).await;
            servers.run(Servers::number_of(&leader));
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
    };
    tokio::join!(kill, work(&opened.store, COUNT, Duration::from_millis(100)));
    check_work(&opened.store, COUNT).await;
    check_work(&opened.other().await, COUNT).await;
    drop(opened);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_that_are_there_get_more_copies() {
    let Some(program) = program() else { return };
    let servers = Servers::start(&program, 3);
    let opened = opened_at(servers.address("")).await;
    submitted(&opened.store, "a", "run_1", 1).await;
    let copies = async || {
        let connection = &opened.store.shared().connection;
        let info = connection.info(Place::Entries).await.unwrap().unwrap();
        info["config"]["num_replicas"].as_u64()
    };
    assert_eq!(copies().await, Some(1));
    let address = servers.address("?replicas=3");
    let other = super::open((&address, &opened.name), &None, &opened.now_ms).await;
    assert_eq!(copies().await, Some(3));
    assert_eq!(other.count("a", None, 10).await.unwrap(), 1);
    drop(opened);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_waits_for_a_server_that_comes_back() {
    let Some(program) = program() else { return };
    let mut servers = Servers::start(&program, 1);
    let opened = opened_at(servers.address("")).await;
    submitted(&opened.store, "a", "run_1", 1).await;
    servers.kill(0);
    let back = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        servers.run(0);
    };
    let (submitted, ()) = tokio::join!(submitted(&opened.store, "a", "run_2", 2), back);
    assert_eq!(submitted.version, 1);
    assert_eq!(opened.store.count("a", None, 10).await.unwrap(), 2);
    servers.kill(0);
    let error = opened.store.count("a", None, 10).await.unwrap_err();
    let StoreError::Failed(error) = error else { panic!("{error:?}") };
    assert!(error.is_retryable() && error.hints().len() == 1, "{}", error.render());
    servers.run(0);
    assert_eq!(opened.store.count("a", None, 10).await.unwrap(), 2);
    drop(opened);
}
