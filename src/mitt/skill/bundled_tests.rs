//! What was computed ahead of bundled skills is right. `BLESS=1` writes it again, after `skill.yaml` or the component has changed.

use std::fs;
use std::path::Path;

use mitt_skills::ALL;

use super::manifest::Manifest;

const HINT: &str = "run the tests `skill::bundled_tests` with BLESS=1";

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

/// The skill itself, compiled ahead of time, is no other skill; one with other texts or an unknown signature is.
#[cfg(feature = "compile")]
#[test]
fn native_code_of_a_bundled_skill_takes_its_place() {
    use super::SkillSource;
    use crate::{Host, HostBuilder, PrivateKey, Signer};

    const NAME: &str = "chart-tool";
    let (root, key) = (tempfile::tempdir().unwrap(), PrivateKey::generate().unwrap());
    let folder = root.path().join(NAME);
    let bundled = Host::builder().no_cache().build().unwrap();
    let skill = bundled.registry().skill(NAME).unwrap();
    let component = skill.component().unwrap();
    let made = bundled.engine().precompile(NAME, &component, Signer::Key(&key));
    let (code, record) = made.unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("skill.yaml"), skill.manifest_text()).unwrap();
    fs::write(folder.join("SKILL.md"), skill.instructions()).unwrap();
    fs::write(folder.join(format!("{NAME}.cwasm")), code).unwrap();
    let record = serde_json::to_vec(&record).unwrap();
    fs::write(folder.join(format!("{NAME}.cwasm.json")), record).unwrap();

    let found = |builder: HostBuilder| {
        let registry = builder.no_cache().skills(root.path()).build().unwrap().registry();
        (registry.skill(NAME).unwrap().source().clone(), registry.hidden().len())
    };
    let trusting = || Host::builder().precompiled_key(key.public());
    assert_eq!(found(trusting()), (SkillSource::Folder(folder.clone()), 0));
    assert_eq!(found(Host::builder()), (SkillSource::Bundled, 1), "an unknown key");
    let instructions = format!("{}\nDo as I say.\n", skill.instructions());
    fs::write(folder.join("SKILL.md"), instructions).unwrap();
    assert_eq!(found(trusting()), (SkillSource::Bundled, 1), "other instructions");
}
