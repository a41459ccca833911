//! Answers system calls of monty with the session's workspace, a flat folder of small files.

use crate::context::Context;
use crate::contract::types::Error;
use monty_types::{
    ExcType, ExtFunctionResult, MontyException, MontyFileHandle, MontyObject, OsFunctionCall,
    dir_stat, file_stat,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// Most random bytes of one call.
const MAX_RANDOM: usize = 1 << 20;

/// Files that the script wrote and the host does not have yet.
#[derive(Default)]
pub(crate) struct Files {
    changed: BTreeMap<String, Vec<u8>>,
}

type Answer = Result<MontyObject, MontyException>;

impl Context {
    /// Answers a system call of the script.
    pub(crate) fn os_call(&self, call: &OsFunctionCall) -> ExtFunctionResult {
        match self.answer(call) {
            Ok(value) => ExtFunctionResult::Return(value),
            Err(error) => ExtFunctionResult::Error(error),
        }
    }

    /// Sends written files to the host, so that tools and later scripts find them.
    ///
    /// # Errors
    /// The host refuses a file. It keeps the old content.
    pub(crate) fn settle_files(&self) -> Result<(), MontyException> {
        while let Some((name, content)) = self.files.borrow_mut().changed.pop_first() {
            self.host.write_file(&name, &content).map_err(|error| self.failure(&error, &name))?;
        }
        Ok(())
    }

    /// Returns names and sizes of the files in the workspace, sorted by name.
    pub(crate) fn workspace(&self) -> Result<Vec<(String, u64)>, MontyException> {
        self.settle_files()?;
        Ok(self.host.files())
    }

    /// Removes a file.
    pub(crate) fn remove_file(&self, name: &str) -> Result<(), MontyException> {
        self.settle_files()?;
        self.host.remove(name).map_err(|error| self.failure(&error, name))
    }

    fn answer(&self, call: &OsFunctionCall) -> Answer {
        Ok(match call {
            OsFunctionCall::Open(open) => {
                let name = plain_name(open.path.as_str())?;
                if open.mode.truncate() {
                    self.change(name, Vec::new());
                } else if open.mode.create() {
                    let content = self.content_or_empty(name)?;
                    self.change(name, content);
                } else {
                    self.content(name)?;
                }
                MontyObject::file_handle(MontyFileHandle {
                    path: open.path.as_str().to_owned(),
                    mode: open.mode,
                    position: 0,
                })
            }
            OsFunctionCall::ReadText(path) => {
                let content = self.content(plain_name(path.as_str())?)?;
                let text = String::from_utf8(content).map_err(|error| {
                    let place = error.utf8_error().valid_up_to();
                    let problem = format!(
                        "'utf-8' codec can't decode byte in position {place}: the file is not UTF-8"
                    );
                    MontyException::new(ExcType::UnicodeDecodeError, Some(problem))
                })?;
                MontyObject::string(text)
            }
            OsFunctionCall::ReadBytes(path) => {
                MontyObject::bytes(self.content(plain_name(path.as_str())?)?)
            }
            OsFunctionCall::WriteText(write) => {
                self.change(plain_name(write.path.as_str())?, write.data.clone().into_bytes());
                count(write.data.chars().count())
            }
            OsFunctionCall::WriteBytes(write) => {
                self.change(plain_name(write.path.as_str())?, write.data.clone());
                count(write.data.len())
            }
            OsFunctionCall::AppendText(write) => {
                self.append(plain_name(write.path.as_str())?, write.data.as_bytes())?;
                count(write.data.chars().count())
            }
            OsFunctionCall::AppendBytes(write) => {
                self.append(plain_name(write.path.as_str())?, &write.data)?;
                count(write.data.len())
            }
            OsFunctionCall::Exists(path) => {
                MontyObject::bool(is_root(path.as_str()) || self.size(path.as_str())?.is_some())
            }
            OsFunctionCall::IsFile(path) => MontyObject::bool(self.size(path.as_str())?.is_some()),
            OsFunctionCall::IsDir(path) => MontyObject::bool(is_root(path.as_str())),
            OsFunctionCall::IsSymlink(_) => MontyObject::bool(false),
            OsFunctionCall::Stat(path) if is_root(path.as_str()) => dir_stat(0o755, 0.0),
            OsFunctionCall::Stat(path) => {
                let size = self.size(path.as_str())?;
                let size =
                    size.map_or_else(|| Err(self.missing(plain_name(path.as_str())?)), Ok)?;
                file_stat(0o644, i64::try_from(size).unwrap_or(i64::MAX), 0.0)
            }
            OsFunctionCall::Iterdir(path) if is_root(path.as_str()) => {
                let names = self
                    .workspace()?
                    .into_iter()
                    .map(|(name, _)| MontyObject::path(format!("/{name}")));
                MontyObject::list(names)
            }
            OsFunctionCall::Resolve(path) | OsFunctionCall::Absolute(path) => {
                MontyObject::path(path.as_str())
            }
            OsFunctionCall::Unlink(path) => {
                self.remove_file(plain_name(path.as_str())?)?;
                MontyObject::none()
            }
            OsFunctionCall::Rename(rename) => {
                let (from, to) =
                    (plain_name(rename.src.as_str())?, plain_name(rename.dst.as_str())?);
                let content = self.content(from)?;
                self.change(to, content);
                self.remove_file(from)?;
                MontyObject::path(rename.dst.as_str())
            }
            OsFunctionCall::Urandom(wanted) => MontyObject::bytes(random(wanted.size)?),
            OsFunctionCall::Getenv(get) => get.default.clone(),
            OsFunctionCall::GetEnviron => MontyObject::dict([]),
            OsFunctionCall::Sleep(delay)
            | OsFunctionCall::SystemSleep(delay)
            | OsFunctionCall::AsyncSleep(delay)
            | OsFunctionCall::AsyncSystemSleep(delay) => self.sleep(*delay),
            _ => return Err(call.on_no_handler()),
        })
    }

    fn sleep(&self, delay: Duration) -> MontyObject {
        self.flush_output();
        std::thread::sleep(delay);
        MontyObject::none()
    }

    fn change(&self, name: &str, content: Vec<u8>) {
        self.files.borrow_mut().changed.insert(name.to_owned(), content);
    }

    fn append(&self, name: &str, data: &[u8]) -> Result<(), MontyException> {
        let known = self.files.borrow().changed.contains_key(name);
        if !known {
            let content = self.content_or_empty(name)?;
            self.change(name, content);
        }
        if let Some(content) = self.files.borrow_mut().changed.get_mut(name) {
            content.extend_from_slice(data);
        }
        Ok(())
    }

    fn content(&self, name: &str) -> Result<Vec<u8>, MontyException> {
        if let Some(content) = self.files.borrow().changed.get(name) {
            return Ok(content.clone());
        }
        self.host.read(name).map_err(|error| self.failure(&error, name))
    }

    fn content_or_empty(&self, name: &str) -> Result<Vec<u8>, MontyException> {
        if let Some(content) = self.files.borrow().changed.get(name) {
            return Ok(content.clone());
        }
        match self.host.read(name) {
            Ok(content) => Ok(content),
            Err(Error::NotFound(_)) => Ok(Vec::new()),
            Err(error) => Err(self.failure(&error, name)),
        }
    }

    fn size(&self, path: &str) -> Result<Option<u64>, MontyException> {
        let Ok(name) = plain_name(path) else { return Ok(None) };
        Ok(self.workspace()?.into_iter().find(|(file, _)| file == name).map(|(_, size)| size))
    }

    fn missing(&self, name: &str) -> MontyException {
        self.failure(&Error::NotFound(String::new()), name)
    }

    fn failure(&self, error: &Error, name: &str) -> MontyException {
        let (class, message) = match error {
            Error::NotFound(_) => {
                let message = if self.host.documents().iter().any(|document| document.name == name)
                {
                    format!("'{name}' is a document: read documents['{name}'].text or .tables")
                } else {
                    let files: Vec<String> =
                        self.host.files().iter().map(|(name, _)| format!("'{name}'")).collect();
                    let files = if files.is_empty() { "none".to_owned() } else { files.join(", ") };
                    format!("no file '{name}' in the workspace; there are: {files}")
                };
                (ExcType::FileNotFoundError, message)
            }
            Error::InvalidArgument(text) => (ExcType::PermissionError, text.clone()),
            Error::AlreadyExists(text)
            | Error::Unsupported(text)
            | Error::Malformed(text)
            | Error::Quota(text)
            | Error::Other(text) => (ExcType::OSError, text.clone()),
        };
        MontyException::new(class, Some(message))
    }
}

/// Returns random bytes of the host.
fn random(size: u64) -> Result<Vec<u8>, MontyException> {
    let refused = |message: String| MontyException::new(ExcType::OSError, Some(message));
    let size = usize::try_from(size).ok().filter(|&size| size <= MAX_RANDOM);
    let size = size.ok_or_else(|| refused(format!("at most {MAX_RANDOM} random bytes at once")))?;
    let mut bytes = vec![0; size];
    getrandom::fill(&mut bytes).map_err(|error| refused(error.to_string()))?;
    Ok(bytes)
}

fn count(number: usize) -> MontyObject {
    MontyObject::int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn is_root(path: &str) -> bool {
    path.trim_end_matches('/').is_empty()
}

/// Returns the name of a file in the only folder.
fn plain_name(path: &str) -> Result<&str, MontyException> {
    let name = path.strip_prefix('/').unwrap_or(path);
    if !name.contains('/') {
        return Ok(name);
    }
    let example = name
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .filter(|part| !part.is_empty())
        .unwrap_or("totals.csv");
    let message = format!("'{path}' is a path; files have plain names here: '{example}'");
    Err(MontyException::new(ExcType::PermissionError, Some(message)))
}
