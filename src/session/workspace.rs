//! The workspace: named files in memory, bounded in number and size.

use std::collections::BTreeMap;

use super::check_file_name;
use crate::capability::ServiceError;
use crate::{Limit, Resource};

pub(super) struct Workspace {
    files: BTreeMap<String, Vec<u8>>,
    bytes: u64,
    max_bytes: u64,
    max_files: u64,
}

impl Workspace {
    pub(super) fn new(max_bytes: u64, max_files: u64) -> Workspace {
        Workspace { files: BTreeMap::new(), bytes: 0, max_bytes, max_files }
    }

    pub(super) fn list(&self) -> Vec<(String, u64)> {
        self.files.iter().map(|(name, content)| (name.clone(), content.len() as u64)).collect()
    }

    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, ServiceError> {
        self.files.get(name).cloned().ok_or_else(|| self.missing(name))
    }

    pub(super) fn write(&mut self, name: &str, content: Vec<u8>) -> Result<(), ServiceError> {
        check_file_name(name).map_err(ServiceError::InvalidArgument)?;
        let quota =
            |what, limit, used| Err(ServiceError::Quota(Limit::new(what, limit, used).to_string()));
        let old = self.files.get(name);
        if old.is_none() && self.files.len() as u64 >= self.max_files {
            return quota(Resource::WorkspaceFiles, self.max_files, self.files.len() as u64 + 1);
        }
        let bytes = self.bytes - old.map_or(0, |old| old.len() as u64) + content.len() as u64;
        if bytes > self.max_bytes {
            return quota(Resource::Workspace, self.max_bytes, bytes);
        }
        self.bytes = bytes;
        self.files.insert(name.to_owned(), content);
        Ok(())
    }

    pub(super) fn remove(&mut self, name: &str) -> Result<(), ServiceError> {
        let content = self.files.remove(name).ok_or_else(|| self.missing(name))?;
        self.bytes -= content.len() as u64;
        Ok(())
    }

    fn missing(&self, name: &str) -> ServiceError {
        let names: Vec<_> = self.files.keys().map(|name| format!("`{name}`")).collect();
        let existing = if names.is_empty() {
            "it is empty".into()
        } else {
            format!("there are {}", names.join(", "))
        };
        ServiceError::NotFound(format!("no file `{name}` in the workspace; {existing}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_and_keep_what_was_there() {
        let mut workspace = Workspace::new(10, 2);
        workspace.write("a", vec![0; 6]).unwrap();
        workspace.write("b", vec![0; 4]).unwrap();
        assert!(matches!(workspace.write("c", vec![]), Err(ServiceError::Quota(_))));
        assert!(matches!(workspace.write("b", vec![0; 5]), Err(ServiceError::Quota(_))));
        assert_eq!(workspace.read("b").unwrap().len(), 4);
        workspace.write("a", vec![0; 1]).unwrap();
        workspace.write("b", vec![0; 9]).unwrap();
        workspace.remove("a").unwrap();
        assert_eq!(workspace.list(), [("b".to_owned(), 9)]);
        assert!(matches!(workspace.remove("a"), Err(ServiceError::NotFound(_))));
        assert!(matches!(workspace.write("../a", vec![]), Err(ServiceError::InvalidArgument(_))));
    }
}
