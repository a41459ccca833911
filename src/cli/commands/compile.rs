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
        written.push(compile_one(&host, &skill, &command.output)?);
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

#[cfg(feature = "compile")]
fn compile_one(
    host: &crate::session::Host,
    skill: &crate::skill::Skill,
    out: &std::path::Path,
) -> Result<String> {
    use crate::Error;
    use crate::session::{make_subfolder, write_whole};
    use crate::skill::SkillSource;

    let name = &skill.manifest().name;
    let at = |error: Error| error.at(format!("skill `{name}`"));
    let (code, record) = host.engine().precompile(&skill.component()?).map_err(at)?;
    let folder = out.join(name);
    // Whoever filled the folder before could have put a link there.
    make_subfolder(out, name)?;
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
