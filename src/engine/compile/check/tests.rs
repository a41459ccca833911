use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use super::bounds::{self, Bound};
use super::*;

thread_local! {
    /// Largest value that was compared with each bound.
    static SEEN: RefCell<BTreeMap<&'static str, u64>> = const { RefCell::new(BTreeMap::new()) };
}

pub(super) fn seen(bound: Bound, value: u64) {
    SEEN.with_borrow_mut(|seen| {
        let most = seen.entry(bound.name).or_default();
        *most = value.max(*most);
    });
}

fn bundled() -> Vec<(String, Vec<u8>)> {
    let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills");
    let mut found = Vec::new();
    for skill in std::fs::read_dir(skills).unwrap() {
        // The crate that holds the skills lies in the same folder.
        let Ok(files) = std::fs::read_dir(skill.unwrap().path()) else { continue };
        for file in files {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let stored = || std::fs::read(&path).unwrap();
            let bytes = match () {
                () if name.ends_with(".wasm") => crate::PluginBytes::Wasm(stored().into()),
                () if name.ends_with(".zst") => crate::PluginBytes::Zstd(stored().into()),
                () => continue,
            };
            found.push((name, bytes.component().unwrap().into_owned()));
        }
    }
    assert!(found.len() >= 8, "{}", found.len());
    found
}

#[test]
fn bundled_components_use_at_most_half_of_every_bound() {
    let mut most: BTreeMap<&'static str, (u64, String)> = BTreeMap::new();
    for (name, component) in bundled() {
        SEEN.take();
        let checked = Checked::new(&component);
        let checked = checked.unwrap_or_else(|error| panic!("{name}: {}", error.render()));
        assert!(checked.instance_bytes() < 2 * 1024 * 1024, "{name}: {}", checked.instance_bytes());
        for (bound, value) in SEEN.take() {
            if most.get(bound).is_none_or(|(known, _)| value > *known) {
                most.insert(bound, (value, name.clone()));
            }
        }
    }
    for bound in bounds::ALL {
        let (value, name) = most.get(bound.name).cloned().unwrap_or_default();
        assert!(value * 2 <= bound.most, "{}: {name} has {value} of {}", bound.name, bound.most);
    }
}
