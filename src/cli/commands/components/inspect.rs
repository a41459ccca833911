//! `mitt inspect`

use std::process::ExitCode;

use crate::args::{Global, Inspect};
use crate::output::Output;
use mitt_base::Result;

/// Prints what a component contains: exports, tools, imports, grants, lints.
pub(crate) fn inspect(global: &Global, command: &Inspect, output: &Output) -> Result<ExitCode> {
    use mitt_base::Error;

    /// Exit code for lints, if requested; the same as for a tool that failed.
    const LINTED: u8 = 1;

    let inspection = find(global, command)?;
    if output.is_json() {
        let value = serde_json::to_value(&inspection)
            .map_err(|error| Error::bug(format!("an inspection cannot be written: {error}")))?;
        output.value(&value)?;
    } else {
        output.line(text::of(&inspection, command.schemas).trim_end_matches('\n'))?;
    }
    let sound = inspection.lints.is_empty() && inspection.obstacles.is_empty();
    Ok(if command.strict && !sound { ExitCode::from(LINTED) } else { ExitCode::SUCCESS })
}

/// Finds a file, the folder of a skill, or the name of a skill.
fn find(global: &Global, command: &Inspect) -> Result<mitt::skill::inspect::Inspection> {
    use crate::commands::host;
    use mitt::skill::Skill;
    use mitt::skill::inspect::Inspection;

    let path = &command.component;
    if path.join("skill.yaml").is_file() {
        let skill = Skill::from_folder(host(global)?.engine(), path)?;
        return Inspection::of_skill(&skill);
    }
    match path.to_str() {
        Some(name) if !path.exists() && !name.contains(['/', '\\', '.']) => {
            let skill = host(global)?.registry().skill(name)?;
            Inspection::of_skill(&skill)
        }
        _ => Inspection::of_path(path),
    }
}

mod text {
    use std::fmt::Write as _;

    use crate::progress::bytes;
    use mitt::skill::inspect::{Export, Import, Inspection, Lint, Provider};

    /// Returns an inspection for display. Writing to a string cannot fail.
    pub(super) fn of(inspection: &Inspection, schemas: bool) -> String {
        let is_plug_in = inspection.imports.iter().any(|it| it.provider == Provider::Extism);
        let what = if is_plug_in { "Extism plug-in" } else { "component" };
        let mut text =
            format!("{}: {what} of {}", inspection.name, bytes(inspection.component_bytes));
        if inspection.stored_bytes != inspection.component_bytes {
            let _ = write!(text, ", stored as {}", bytes(inspection.stored_bytes));
        }
        text.push('\n');
        inspection.exports.iter().for_each(|export| add_export(&mut text, export, schemas));
        if !inspection.types.is_empty() {
            text.push_str("\ntypes\n");
            inspection.types.iter().for_each(|ty| add_line(&mut text, 2, ty));
        }
        add_imports(&mut text, &inspection.imports);
        if !inspection.grants.is_empty() {
            text.push_str("\nneeds in `skill.yaml`\n");
            add_line(&mut text, 2, &format!("grants: [{}]", inspection.grants.join(", ")));
        }
        if !inspection.obstacles.is_empty() {
            text.push_str("\ncannot be loaded\n");
            inspection.obstacles.iter().for_each(|obstacle| add_line(&mut text, 2, obstacle));
        }
        add_lints(&mut text, &inspection.lints);
        text
    }

    fn add_line(text: &mut String, indent: usize, line: &str) {
        let line = format!("{:indent$}{line}", "");
        text.push_str(line.trim_end());
        text.push('\n');
    }

    fn add_export(text: &mut String, export: &Export, schemas: bool) {
        let _ = match &export.interface {
            Some(interface) => writeln!(text, "\nexports `{interface}`"),
            None => writeln!(text, "\nexports at the root"),
        };
        for function in &export.functions {
            add_line(text, 2, function.signature.as_deref().unwrap_or(&function.name));
            if let Some(tool) = &function.tool {
                add_line(text, 4, &format!("tool: {tool}"));
            }
            if let Some(reason) = &function.reason {
                add_line(text, 4, &format!("no tool: {reason}"));
            }
            function.docs.lines().for_each(|line| add_line(text, 4, line));
            let both = [("arguments", &function.input_schema), ("result", &function.output_schema)];
            for (what, schema) in both.iter().filter(|_| schemas) {
                if let Some(schema) = schema {
                    let lines = format!("{what}: {schema:#}");
                    lines.lines().for_each(|line| add_line(text, 4, line));
                }
            }
        }
    }

    fn add_imports(text: &mut String, imports: &[Import]) {
        if imports.is_empty() {
            return;
        }
        text.push_str("\nimports\n");
        for (provider, what) in [
            (Provider::Capability, "a capability that must be granted"),
            (Provider::Wasi, "WASI in its smallest form, without a grant"),
            (Provider::Extism, "for plug-ins of Extism, without a grant"),
            (Provider::ScriptEngine, "for engines of scripts, without a grant"),
            (Provider::Types, "only types, nothing to grant"),
            (Provider::Nobody, "NOBODY OFFERS IT"),
        ] {
            for import in imports.iter().filter(|import| import.provider == provider) {
                add_line(text, 2, &format!("{}: {what}", import.name));
            }
        }
    }

    /// Adds the text of each rule once, followed by all of its places.
    fn add_lints(text: &mut String, lints: &[Lint]) {
        if lints.is_empty() {
            return;
        }
        let _ = writeln!(text, "\nlints: {}", lints.len());
        for group in lints.chunk_by(|one, other| one.name == other.name) {
            let Lint { name, why, way_out, .. } = &group[0];
            add_line(text, 2, &format!("{name}: {why}; {way_out}"));
            for Lint { place, detail, .. } in group {
                let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
                add_line(text, 4, &format!("{place}{detail}"));
            }
        }
    }
}
