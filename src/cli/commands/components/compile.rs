//! `mitt compile`

use std::process::ExitCode;

use crate::args::{Compile, Global};
use crate::delivery::Delivery;
use crate::output::Output;
use mitt_base::Result;

/// Writes skills with native code instead of their component.
pub(crate) async fn compile(
    global: &Global,
    command: Compile,
    output: &Output,
) -> Result<ExitCode> {
    use serde_json::json;

    use crate::commands::{delivery, host};
    use crate::progress::Progress;
    use mitt::{PrivateKey, Signer};

    if let Some(file) = &command.new_key {
        return new_key(file, output);
    }
    let Some(folder) = &command.output else {
        return Err(mitt_base::Error::bug("a command line without its output"));
    };
    // Checked first, because compiling takes long.
    let key = command.sign_key.as_deref().map(PrivateKey::read).transpose()?;
    let signer = key.as_ref().map_or(Signer::Installation, Signer::Key);
    let delivery = delivery(global, &command.force);
    let host = host(global)?;
    let skills = if command.names.is_empty() {
        let registry = host.registry();
        let with_component = registry.skills().filter(|it| it.manifest().component().is_some());
        with_component.cloned().collect::<Vec<_>>()
    } else {
        let found: Result<Vec<_>> =
            command.names.iter().map(|name| host.registry().skill(name)).collect();
        found?
    };
    for skill in &skills {
        targets(skill, folder).iter().try_for_each(|path| delivery.check(path))?;
    }
    let progress = Progress::new(output.is_quiet());
    let mut written = Vec::new();
    for skill in skills {
        progress.doing(&format!("compiling {}", skill.manifest().name));
        written.push(compile_one(&host, &skill, folder, (command.target, signer), &delivery)?);
    }
    progress.finish();
    if output.is_json() {
        output.value(&json!(written))?;
    } else {
        for path in written {
            output.data_line(&path)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes a key, and prints the public one.
fn new_key(file: &std::path::Path, output: &Output) -> Result<ExitCode> {
    let key = mitt::PrivateKey::generate()?;
    key.write(file)?;
    let public = key.public().to_string();
    if output.is_json() {
        output.value(&serde_json::json!({ "public_key": public }))?
    } else {
        output.line(&public)?
    }
    Ok(ExitCode::SUCCESS)
}

fn compile_one(
    host: &mitt::Host,
    skill: &mitt::skill::Skill,
    out: &std::path::Path,
    (target, signer): (mitt::Target, mitt::Signer<'_>),
    delivery: &Delivery,
) -> Result<String> {
    use mitt::internal::make_subfolder;
    use mitt_base::Error;

    let name = &skill.manifest().name;
    let at = |error: Error| error.at(format!("skill `{name}`"));
    let made = host.engine().precompile_for(target, name, &skill.component()?, signer);
    let (code, record) = made.map_err(at)?;
    let folder = out.join(name);
    // Another user could have put a link there.
    make_subfolder(out, name)?;
    let record = serde_json::to_vec(&record)
        .map_err(|error| Error::bug(format!("a record cannot be written as JSON: {error}")))?;
    let manifest = skill.plug_in_manifest().map_err(at)?;
    // If it is compiled in place, the manifest already exists.
    let is_elsewhere = targets(skill, out).iter().any(|path| path.ends_with("skill.yaml"));
    if let Some((file, content)) = manifest.filter(|_| is_elsewhere) {
        delivery.write(&folder.join(file), &content)?;
    }
    for path in targets(skill, out) {
        let content: &[u8] = match path.extension().and_then(|it| it.to_str()) {
            Some("yaml") if path.ends_with("schema.yaml") => skill.contracts_text().as_bytes(),
            Some("yaml") => skill.manifest_text().as_bytes(),
            Some("md") => skill.instructions().as_bytes(),
            Some("json") => &record,
            _ => &code,
        };
        delivery.write(&path, content)?;
    }
    Ok(folder.display().to_string())
}

/// Returns the files that are written for a skill.
fn targets(skill: &mitt::skill::Skill, out: &std::path::Path) -> Vec<std::path::PathBuf> {
    use mitt::skill::SkillSource;

    let name = &skill.manifest().name;
    let folder = out.join(name);
    let mut names = vec![format!("{name}.cwasm.json"), format!("{name}.cwasm")];
    // In place, the manifest exists already, perhaps with comments that only the author's file has.
    if !matches!(skill.source(), SkillSource::Folder(source) if *source == folder) {
        names.splice(0..0, ["skill.yaml".to_owned(), "SKILL.md".to_owned()]);
        if !skill.contracts_text().is_empty() {
            names.insert(0, "schema.yaml".to_owned());
        }
    }
    names.iter().map(|name| folder.join(name)).collect()
}
