//! Logs of runs with a model: their folder, their names, and how many are kept.
//!
//! They contain text of documents, so that a run can be resumed. So only their owner may read them, and they lie in the
//! user's own folder and not beside delivered files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mitt::Environment;
use mitt_agent::{LoggedRun, MAX_LOG_BYTES, RunHeader, RunLog};
use mitt_base::output_folder::{OutputFolder, Readable};
use mitt_base::time::timestamp;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Prefix of a recording's path where logs name the model. No service has a blank in its name.
pub(super) const RECORDING: &str = "recording ";

/// Runs that are kept. The oldest are removed when another one begins.
const KEPT: usize = 200;

/// Most runs that begin in the same second.
const ALIKE: usize = 1_000;

const ENDING: &str = ".jsonl";

/// Prefix of the names of the service's runs.
const OF_SERVICE: &str = "run_";

/// The folder with the logs of a user.
pub(super) struct Runs {
    folder: PathBuf,
}

/// A log that is open to be continued, locked against other processes.
pub(super) struct OpenRun {
    pub(super) name: String,
    pub(super) run: LoggedRun,
    file: File,
}

/// Returns the user's folder for state that outlives the program and is not a setting; `None` if the system has no place for
/// it.
pub(super) fn state_folder() -> Option<PathBuf> {
    match std::env::var_os("MITT_STATE_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => Some(folder.into()),
        None => Some(dirs::state_dir().or_else(dirs::data_local_dir)?.join("mitt")),
    }
}

/// Returns the folder of the service's state: the variable names the one of `mitt serve --state`.
pub(super) fn service_folder() -> Option<PathBuf> {
    match std::env::var_os("MITT_SERVICE_STATE").filter(|folder| !folder.is_empty()) {
        Some(folder) => Some(folder.into()),
        None => Some(state_folder()?.join("service")),
    }
}

/// Makes a folder that only its owner may read.
pub(super) fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut made = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut made, 0o700);
    made.recursive(true).create(folder)
}

impl Runs {
    /// Returns the runs of the user.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no place for them.
    pub(super) fn of_user() -> Result<Runs> {
        let Some(state) = state_folder() else {
            let error = Error::new(ErrorKind::Host, "there is no folder for the logs of runs");
            return Err(error.hint("name one in the variable MITT_STATE_DIR"));
        };
        Ok(Runs { folder: state.join("runs") })
    }

    /// Begins the log of a new run. Returns its name too.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the log cannot be written.
    pub(super) fn begin(&self, now: Duration, header: &RunHeader) -> Result<(String, RunLog)> {
        let failed = |error: std::io::Error| {
            let message =
                format!("the log of this run cannot be written to {}", self.folder.display());
            Error::new(ErrorKind::Host, message)
                .hint("name a folder that you may write to in the variable MITT_STATE_DIR, or keep none with `--no-log`")
                .caused_by(error)
        };
        make_private(&self.folder).map_err(failed)?;
        let folder = OutputFolder::create(&self.folder).map_err(failed)?;
        self.forget_oldest();
        let time = name_of(now);
        let names = (1..ALIKE).map(|number| match number {
            1 => time.clone(),
            _ => format!("{time}-{number}"),
        });
        for name in names {
            let file = format!("{name}{ENDING}");
            if folder.has(OsStr::new(&file)) {
                continue;
            }
            let file = folder.append(OsStr::new(&file), Readable::Owner).map_err(failed)?;
            // Another process may have made it just now.
            if file.try_lock().is_ok() && file.metadata().is_ok_and(|data| data.len() == 0) {
                return Ok((name, RunLog::begin(file, header)?));
            }
        }
        Err(failed(std::io::ErrorKind::AlreadyExists.into()))
    }

    /// Reads a run, also one of the service on this machine; without a name, the last one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - there is no such run, or it is damaged.
    pub(super) fn read(&self, name: Option<&str>) -> Result<(String, LoggedRun)> {
        if let Some(id) = name.filter(|name| name.starts_with(OF_SERVICE)) {
            return Ok((id.to_owned(), read_of_service(id)?.0));
        }
        let name = self.named(name)?;
        let file = self.open(&name)?;
        let run = LoggedRun::read(&file).map_err(|error| error.at(format!("run {name}")))?;
        Ok((name, run))
    }

    /// Opens a run to continue it; without a name, the last one.
    ///
    /// # Errors
    ///
    /// Those of [`Runs::read`]; [`ErrorKind::Busy`] - another process is writing it.
    pub(super) fn resume(&self, name: Option<&str>) -> Result<OpenRun> {
        if let Some(id) = name.filter(|name| name.starts_with(OF_SERVICE)) {
            return self.of_service(id);
        }
        let name = self.named(name)?;
        let file = self.open(&name)?;
        file.try_lock().map_err(|error| {
            let retry_after = Duration::from_secs(1);
            Error::new(
                ErrorKind::Busy { retry_after },
                format!("run {name} is used by another mitt"),
            )
            .hint("wait until it has ended, or name another run; `mitt replay` lists them")
            .caused_by(error)
        })?;
        let run = LoggedRun::read(&file).map_err(|error| error.at(format!("run {name}")))?;
        Ok(OpenRun { name, run, file })
    }

    /// Opens a copy of a run of the service, because the service may still write to its own log.
    fn of_service(&self, id: &str) -> Result<OpenRun> {
        let (run, content) = read_of_service(id)?;
        let (name, copy) = self.begin(Environment::default().now(), run.header())?;
        // The copy has the header already.
        drop(copy);
        let file = self.open(&name)?;
        let failed = |error: std::io::Error| {
            Error::new(ErrorKind::Host, format!("run {name} cannot be written")).caused_by(error)
        };
        file.try_lock().map_err(|error| failed(error.into()))?;
        file.set_len(0).map_err(failed)?;
        let whole = usize::try_from(run.length()).unwrap_or(usize::MAX).min(content.len());
        (&file).write_all(&content[..whole]).map_err(failed)?;
        Ok(OpenRun { name, run, file })
    }

    /// Returns the names of all runs, newest first.
    pub(super) fn names(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let mut names: Vec<_> = entries
            .map_while(std::io::Result::ok)
            .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(ENDING).map(str::to_owned))
            .collect();
        // `20261123-093000-10` is newer than `20261123-093000-9`.
        names.sort_by_key(|name| std::cmp::Reverse((name.len(), name.clone())));
        names.sort_by(|a, b| b.get(..15).cmp(&a.get(..15)));
        names
    }

    fn named(&self, name: Option<&str>) -> Result<String> {
        let none = |message: String| {
            Error::new(ErrorKind::Input, message).hint(
                "`mitt replay` lists the runs that there are; only runs with a model, and plans, are kept",
            )
        };
        let names = self.names();
        match name {
            None => names.into_iter().next().ok_or_else(|| none("there is no run yet".to_owned())),
            // Only listed runs are opened: a name is never a path.
            Some(name) => names
                .into_iter()
                .find(|it| it == name)
                .ok_or_else(|| none(format!("there is no run `{}`", text::one_line(name)))),
        }
    }

    fn open(&self, name: &str) -> Result<File> {
        let open = || {
            OutputFolder::existing(&self.folder)?
                .append(OsStr::new(&format!("{name}{ENDING}")), Readable::Owner)
        };
        open().map_err(|error| {
            Error::new(ErrorKind::Input, format!("run {name} cannot be read")).caused_by(error)
        })
    }

    /// Makes room for one more run.
    fn forget_oldest(&self) {
        for name in self.names().into_iter().skip(KEPT - 1) {
            let _ = std::fs::remove_file(self.folder.join(format!("{name}{ENDING}")));
        }
    }
}

impl OpenRun {
    /// Returns the log, to be continued after what was read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - an incomplete last line cannot be removed.
    pub(super) fn log(self) -> Result<RunLog> {
        let length = self.run.length();
        self.file.set_len(length).map_err(|error| {
            Error::new(ErrorKind::Host, format!("run {} cannot be written", self.name))
                .caused_by(error)
        })?;
        Ok(RunLog::go_on(self.file, length))
    }
}

/// Reads a run of the service on this machine, and returns the content of its log too. The service may still write to it: the
/// log is read up to its last whole line.
fn read_of_service(id: &str) -> Result<(LoggedRun, Vec<u8>)> {
    let none = || {
        let message = format!("the service on this machine has no run `{}`", text::one_line(id));
        Error::new(ErrorKind::Input, message)
            .hint("`GET /v1/runs` lists its runs; with `mitt serve --state FOLDER`, set MITT_SERVICE_STATE to this folder")
    };
    let is_id =
        id.len() < 64 && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let folder = service_folder().filter(|_| is_id).ok_or_else(none)?;
    let tenants = std::fs::read_dir(folder.join("runs")).map_err(|_| none())?;
    let mut logs =
        tenants.filter_map(|tenant| Some(tenant.ok()?.path().join(id).join("log.jsonl")));
    let log = logs.find(|log| log.is_file()).ok_or_else(none)?;
    let content = plain_file::read(&log, MAX_LOG_BYTES)
        .map_err(|error| none().at(log.display()).caused_by(error))?;
    let run = LoggedRun::read(&*content).map_err(|error| error.at(format!("run {id}")))?;
    Ok((run, content))
}

/// Returns `20261123-093000` for a time after 1970.
fn name_of(time: Duration) -> String {
    let time = timestamp(time);
    let digits = |part: &str| part.chars().filter(char::is_ascii_digit).collect::<String>();
    let (day, clock) = time.split_once('T').unwrap_or((&time, ""));
    format!("{}-{}", digits(day), digits(clock.split('.').next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use mitt_agent::ToolMode;

    use super::*;

    fn runs() -> (tempfile::TempDir, Runs) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("runs");
        (root, Runs { folder })
    }

    fn begin(runs: &Runs, seconds: u64) -> (String, RunLog) {
        let header = RunHeader::new("t".into(), "m".into(), ToolMode::Script);
        runs.begin(Duration::from_secs(seconds), &header).unwrap()
    }

    #[test]
    fn runs_are_named_by_their_time_and_the_oldest_go() {
        let (_root, runs) = runs();
        assert!(runs.read(None).unwrap_err().render().starts_with("there is no run yet"));
        let names: Vec<_> = (0..12).map(|_| begin(&runs, 1_735_689_599).0).collect();
        assert_eq!(
            (names[0].as_str(), names[11].as_str()),
            ("20241231-235959", "20241231-235959-12")
        );
        assert_eq!(
            runs.names()[..3],
            ["20241231-235959-12", "20241231-235959-11", "20241231-235959-10"]
        );
        for n in 0..KEPT {
            begin(&runs, 1_735_689_600 + n as u64);
        }
        assert_eq!(runs.names().len(), KEPT);
        assert_eq!(runs.names().last().unwrap(), "20250101-000000");
        assert_eq!(runs.read(None).unwrap().0, "20250101-000319");
        for wrong in ["../x", "20250101-000000.jsonl", ""] {
            let error = runs.read(Some(wrong)).unwrap_err();
            assert!(error.to_string().starts_with("there is no run `"), "{error}");
        }
    }

    #[test]
    fn a_run_is_gone_on_with_by_one_process_and_behind_its_last_whole_line() {
        let (_root, runs) = runs();
        let (name, log) = begin(&runs, 0);
        assert!(matches!(runs.resume(None).err().unwrap().kind(), ErrorKind::Busy { .. }));
        assert_eq!(runs.read(None).unwrap().0, name, "it can be looked at meanwhile");
        drop(log);
        let path = runs.folder.join(format!("{name}{ENDING}"));
        let whole = std::fs::read_to_string(&path).unwrap();
        File::options().append(true).open(&path).unwrap().write_all(b"{\"us").unwrap();
        let open = runs.resume(Some(&name)).unwrap();
        drop(open.log().unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_them() {
        use std::os::unix::fs::PermissionsExt as _;

        let (_root, runs) = runs();
        let (name, _log) = begin(&runs, 0);
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&runs.folder), 0o700);
        assert_eq!(mode(&runs.folder.join(format!("{name}{ENDING}"))), 0o600);
    }
}
