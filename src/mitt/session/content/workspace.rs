//! The workspace: named files in memory, bounded in number and size.

use std::collections::BTreeMap;
use std::sync::Arc;

use mitt_base::file_name::check_file_name;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Limit, Resource};
use mitt_skill::capability::ServiceError;

pub(in crate::session) struct Workspace {
    files: BTreeMap<String, File>,
    bytes: u64,
    max_bytes: u64,
    max_files: u64,
    budget: Account,
}

/// File whose content readers share.
struct File {
    content: Arc<Vec<u8>>,
    _charge: Charge,
}

impl File {
    fn size(&self) -> u64 {
        self.content.len() as u64
    }
}

/// Bytes charged for a file in addition to its content: its name, its place in the tree.
const FILE_BYTES: u64 = 512;

impl Workspace {
    pub(in crate::session) fn new(max_bytes: u64, max_files: u64, budget: Account) -> Workspace {
        Workspace { files: BTreeMap::new(), bytes: 0, max_bytes, max_files, budget }
    }

    pub(in crate::session) fn list(&self) -> Vec<(String, u64)> {
        self.files.iter().map(|(name, file)| (name.clone(), file.size())).collect()
    }

    pub(in crate::session) fn read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        let file = self.files.get(name).ok_or_else(|| self.missing(name))?;
        Ok(file.content.clone())
    }

    pub(in crate::session) fn write(
        &mut self,
        name: &str,
        mut content: Vec<u8>,
    ) -> Result<(), ServiceError> {
        check_file_name(name).map_err(ServiceError::InvalidArgument)?;
        let quota =
            |what, limit, used| Err(ServiceError::Quota(Limit::new(what, limit, used).to_string()));
        let old = self.files.get(name);
        if old.is_none() && self.files.len() as u64 >= self.max_files {
            return quota(Resource::WorkspaceFiles, self.max_files, self.files.len() as u64 + 1);
        }
        let bytes = self.bytes - old.map_or(0, File::size) + content.len() as u64;
        if bytes > self.max_bytes {
            return quota(Resource::Workspace, self.max_bytes, bytes);
        }
        // The old content stays charged until it is replaced.
        let charge = self
            .budget
            .charge(content.len() as u64 + FILE_BYTES)
            .map_err(|limit| ServiceError::Quota(mitt_base::Error::reached(limit).to_string()))?;
        self.bytes = bytes;
        content.shrink_to_fit();
        self.files.insert(name.to_owned(), File { content: Arc::new(content), _charge: charge });
        Ok(())
    }

    pub(in crate::session) fn remove(&mut self, name: &str) -> Result<(), ServiceError> {
        let file = self.files.remove(name).ok_or_else(|| self.missing(name))?;
        self.bytes -= file.size();
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
        let budget = Account::root(Resource::SessionMemory, 2_000);
        let mut workspace = Workspace::new(10, 2, budget.clone());
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
        assert_eq!(budget.usage().used, 9 + FILE_BYTES);
        // While a file is replaced, both versions are charged.
        let _others = budget.charge(1_200).unwrap();
        let Err(ServiceError::Quota(message)) = workspace.write("b", vec![0; 5]) else { panic!() };
        assert!(message.starts_with("session-memory limit of 2000 bytes reached"), "{message}");
        assert_eq!(workspace.read("b").unwrap().len(), 9);
        workspace.remove("b").unwrap();
        assert_eq!(budget.usage().used, 1_200);
    }
}
