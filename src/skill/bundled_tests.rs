//! What was computed ahead of bundled skills is right. `BLESS=1` writes it again, after `skill.yaml` or the component has changed.

use std::fs;
use std::path::Path;

use mitt_skills::ALL;

use super::manifest::Manifest;

const HINT: &str = "run the tests `bundled_tests` of `mitt-skill` with BLESS=1";

/// Writes a file of a skill if `BLESS` is set, and returns whether it is.
fn blessed(skill: &str, file: &str, content: &str) -> bool {
    let bless = std::env::var_os("BLESS").is_some();
    if bless {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills").join(skill);
        fs::write(folder.join(file), content).unwrap();
    }
    bless
}

#[test]
fn manifests_are_the_same_as_json() {
    for skill in ALL {
        let checked = Manifest::parse(skill.manifest, skill.name).unwrap();
        let value: serde_json::Value = serde_saphyr::from_str(skill.manifest).unwrap();
        if !blessed(skill.name, "skill.json", &format!("{value}\n")) {
            let read = Manifest::of_bundled(skill.manifest_json, skill.name).expect(HINT);
            assert_eq!(read, checked, "{}: {HINT}", skill.name);
        }
    }
}

#[test]
fn hashes_are_those_of_the_components() {
    for skill in ALL {
        let hash = blake3::hash(skill.component).to_hex();
        if !blessed(skill.name, "component.blake3", &hash) {
            assert_eq!(skill.component_blake3, hash.as_str(), "{}: {HINT}", skill.name);
        }
    }
}
