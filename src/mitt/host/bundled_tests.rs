//! Native code of bundled skills.

use std::fs;

use crate::{Host, HostBuilder, PrivateKey, Signer};
use mitt_skill::SkillSource;

/// The skill itself, compiled ahead of time, is no other skill; one with other texts or an unknown signature is.
#[test]
fn native_code_of_a_bundled_skill_takes_its_place() {
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
