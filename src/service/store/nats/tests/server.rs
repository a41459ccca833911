//! Servers of NATS that a test starts, kills and starts again.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// Returns the program of the server; `None` if there is none, which is printed.
#[expect(clippy::print_stderr, reason = "a test that does nothing says why")]
pub(super) fn program() -> Option<PathBuf> {
    let program = std::env::var_os("MITT_TEST_NATS_SERVER").filter(|program| !program.is_empty());
    if program.is_none() {
        eprintln!("skipped: MITT_TEST_NATS_SERVER names no program; tests/cluster/run sets it");
    }
    program.map(PathBuf::from)
}

/// One or several servers with a folder each.
pub(super) struct Servers {
    program: PathBuf,
    folder: TempDir,
    ports: Vec<[u16; 2]>,
    running: Vec<Option<Child>>,
    more: String,
}

impl Servers {
    /// Starts servers, which are a cluster if they are several.
    pub(super) fn start(program: &Path, count: usize) -> Servers {
        Servers::start_with(program, count, "")
    }

    /// Starts servers with more in their configuration.
    pub(super) fn start_with(program: &Path, count: usize, more: &str) -> Servers {
        // All at once, so that they differ.
        let listeners: Vec<_> =
            (0..count * 2).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<_> = listeners.iter().map(|it| it.local_addr().unwrap().port()).collect();
        drop(listeners);
        let mut servers = Servers {
            program: program.to_owned(),
            folder: TempDir::new().unwrap(),
            ports: ports.chunks(2).map(|pair| [pair[0], pair[1]]).collect(),
            running: (0..count).map(|_| None).collect(),
            more: more.to_owned(),
        };
        for number in 0..count {
            servers.run(number);
        }
        servers
    }

    /// Starts a server, also one that was killed.
    #[expect(clippy::disallowed_methods, reason = "a server ends with its test")]
    pub(super) fn run(&mut self, number: usize) {
        let [port, route] = self.ports[number];
        let folder = self.folder.path().join(number.to_string());
        let mut config = format!(
            "listen: \"127.0.0.1:{port}\"\nserver_name: s{number}\n\
             jetstream {{ store_dir: \"{}\", sync_interval: always }}\n{}\n",
            folder.display(),
            self.more
        );
        if self.ports.len() > 1 {
            let routes: Vec<_> =
                self.ports.iter().map(|[_, route]| format!("nats://127.0.0.1:{route}")).collect();
            config += &format!(
                "cluster {{ name: tests, listen: \"127.0.0.1:{route}\", routes: [{}] }}\n",
                routes.join(", ")
            );
        }
        let path = self.folder.path().join(format!("{number}.conf"));
        std::fs::write(&path, config).unwrap();
        let child = Command::new(&self.program)
            .arg("-c")
            .arg(path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.running[number] = Some(child.unwrap());
    }

    /// Kills a server as `kill -9` does.
    pub(super) fn kill(&mut self, number: usize) {
        if let Some(mut child) = self.running[number].take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Returns the address of all servers.
    pub(super) fn address(&self, options: &str) -> String {
        let hosts: Vec<_> =
            self.ports.iter().map(|[port, _]| format!("127.0.0.1:{port}")).collect();
        format!("nats://{}{options}", hosts.join(","))
    }

    /// Returns the number of the server of this name.
    pub(super) fn number_of(name: &str) -> usize {
        name.trim_start_matches('s').parse().unwrap()
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for number in 0..self.running.len() {
            self.kill(number);
        }
    }
}
