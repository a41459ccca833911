//! `mitt compile`

use std::process::ExitCode;

use crate::Result;
use crate::cli::args::{Compile, Global};
use crate::cli::output::Output;

/// Write skills with native code in place of their component.
#[cfg(feature = "compile")]
pub(in crate::cli) async fn compile(
    global: &Global,
    command: Compile,
    output: &Output,
) -> Result<ExitCode> {
    use serde_json::json;

    use super::host;
    use crate::cli::progress::Progress;
    use crate::engine::{PrivateKey, Signer};

    if let Some(file) = &command.new_key {
        return new_key(file, output);
    }
    let Some(folder) = &command.output else {
        return Err(crate::Error::bug("a command line without its output"));
    };
    // Before anything is compiled, which takes long.
    let key = command.sign_key.as_deref().map(PrivateKey::read).transpose()?;
    let signer = key.as_ref().map_or(Signer::Installation, Signer::Key);
    let host = host(global)?;
    let skills = match command.names.is_empty() {
        true => {
            let registry = host.registry();
            let with_component = registry.skills().filter(|it| it.manifest().component.is_some());
            with_component.cloned().collect::<Vec<_>>()
        }
        false => {
            let found: Result<Vec<_>> =
                command.names.iter().map(|name| host.registry().skill(name)).collect();
            found?
        }
    };
    let progress = Progress::new(output.is_quiet());
    let mut written = Vec::new();
    for skill in skills {
        progress.doing(&format!("compiling {}", skill.manifest().name));
        written.push(compile_one(&host, &skill, folder, signer)?);
    }
    progress.finish();
    if output.is_json() {
        output.value(&json!(written))?;
    } else {
        for path in written {
            output.line(&path)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Make a key, and print the public one.
#[cfg(feature = "compile")]
fn new_key(file: &std::path::Path, output: &Output) -> Result<ExitCode> {
    let key = crate::engine::PrivateKey::generate()?;
    key.write(file)?;
    let public = key.public().to_string();
    match output.is_json() {
        true => output.value(&serde_json::json!({ "public_key": public }))?,
        false => output.line(&public)?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(feature = "compile")]
fn compile_one(
    host: &crate::session::Host,
    skill: &crate::skill::Skill,
    out: &std::path::Path,
    signer: crate::engine::Signer<'_>,
) -> Result<String> {
    use crate::session::write_whole;
    use crate::skill::SkillSource;
    use crate::{Error, ErrorKind};

    let name = &skill.manifest().name;
    let at = |error: Error| error.at(format!("skill `{name}`"));
    let (code, record) = host.engine().precompile(name, &skill.component()?, signer).map_err(at)?;
    let folder = out.join(name);
    std::fs::create_dir_all(&folder).map_err(|error| {
        Error::new(ErrorKind::Host, format!("cannot create the folder {}", folder.display()))
            .caused_by(error)
    })?;
    let record = serde_json::to_vec(&record)
        .map_err(|error| Error::bug(format!("a record cannot be written as JSON: {error}")))?;
    // In place the manifest is there already; and it may hold comments that only its author's file has.
    let same = matches!(skill.source(), SkillSource::Folder(source) if *source == folder);
    if !same {
        write_whole(&folder, "skill.yaml", skill.manifest_text().as_bytes())?;
        write_whole(&folder, "SKILL.md", skill.instructions().as_bytes())?;
    }
    write_whole(&folder, &format!("{name}.cwasm.json"), &record)?;
    write_whole(&folder, &format!("{name}.cwasm"), &code)?;
    Ok(folder.display().to_string())
}

/// This build has no compiler.
#[cfg(not(feature = "compile"))]
pub(in crate::cli) async fn compile(_: &Global, _: Compile, _: &Output) -> Result<ExitCode> {
    use crate::{Error, ErrorKind};

    Err(Error::new(ErrorKind::Disabled("compile"), "this build of mitt has no compiler")
        .hint("use a build with the feature `compile` of the same version"))
}
