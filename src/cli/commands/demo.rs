//! `mitt demo`: runs the example of the README, which is part of the program. Needs no network and no model.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;

use super::delivery;
use crate::args::{Args, Command, Demo, Force, Global};
use crate::output::{Output, note};
use mitt_base::{Error, ErrorKind, Result};

/// The files of the example: copies of `examples/yoy`, because a package of this crate has no files from outside of its
/// folder.
const FILES: [(&str, &[u8]); 4] = [
    ("2024年经营报告.xlsx", include_bytes!("../demo/2024.xlsx")),
    ("2025年经营报告.docx", include_bytes!("../demo/2025.docx")),
    ("task.yaml", include_bytes!("../demo/task.yaml")),
    ("model.jsonl", include_bytes!("../demo/model.jsonl")),
];

/// Advice on the next step.
const NEXT: &str = "the figures were read from the two reports just now; only the model's words were recorded. With a model of your own: \
`mitt model list`, then `mitt run \"…\" --doc report.xlsx --model …`, or `mitt chat`";

/// The part of the task that runs of the service need.
#[cfg(feature = "service")]
#[derive(serde::Deserialize)]
struct ExampleTask {
    instruction: String,
}

/// Returns the example for the service: the same documents and the same recording.
///
/// # Errors
///
/// The files of the example are not of their form.
#[cfg(feature = "service")]
pub(crate) fn recorded_example() -> Result<mitt_service::run::Example> {
    use mitt_agent::model::ReplayModel;

    let [first, second, (_, task), (_, model)] = FILES;
    let task: ExampleTask = serde_saphyr::from_str(text_of(task)?).map_err(Error::bug)?;
    let model = ReplayModel::from_jsonl(text_of(model)?)?;
    let document = |(name, content): (&str, &[u8])| (name.to_owned(), content.to_vec());
    Ok(mitt_service::run::Example {
        name: "yoy".to_owned(),
        title: TITLE.to_owned(),
        instruction: task.instruction.trim().to_owned(),
        documents: [first, second].map(document).into(),
        model: std::sync::Arc::new(model),
    })
}

/// Title of the example's runs.
#[cfg(feature = "service")]
const TITLE: &str = "2024 → 2025 年经营对比 · year over year";

#[cfg(feature = "service")]
fn text_of(file: &'static [u8]) -> Result<&'static str> {
    std::str::from_utf8(file).map_err(Error::bug)
}

/// Writes the example and runs it.
pub(crate) async fn demo(global: &Global, command: Demo, output: &Output) -> Result<ExitCode> {
    let folder = &command.folder;
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::new(ErrorKind::Host, format!("cannot make the folder {}", folder.display()))
            .hint("name another folder: `mitt demo <folder>`")
            .caused_by(error)
    })?;
    let delivery = delivery(global, &Force { force: false });
    for (name, content) in FILES {
        delivery.write(&folder.join(name), content)?;
    }
    let out = folder.join("out");
    let text = |path: &Path| path.as_os_str().to_owned();
    let words = ["mitt".into(), "run".into(), text(folder), "--out".into(), text(&out)];
    let parsed = Args::try_parse_from(words).map_err(Error::bug)?;
    let Command::Run(mut run) = parsed.command else {
        return Err(Error::bug("another command than `run`"));
    };
    run.json.json = command.json.json;
    let code = Box::pin(super::run(global, run, output)).await?;
    if !output.is_quiet() && code == ExitCode::SUCCESS {
        note(NEXT);
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_example_of_the_repository() {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/yoy");
        // A package of the crate has no `examples` folder beside it.
        if !example.exists() {
            return;
        }
        for (name, content) in FILES {
            assert!(std::fs::read(example.join(name)).unwrap() == content, "{name}");
        }
    }

    #[cfg(feature = "service")]
    #[test]
    fn the_service_has_its_documents_and_its_instruction() {
        let example = recorded_example().unwrap();
        assert_eq!(example.name, "yoy");
        let names: Vec<_> = example.documents.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["2024年经营报告.xlsx", "2025年经营报告.docx"]);
        assert!(example.instruction.starts_with("这是") && example.instruction.ends_with('。'));
    }
}
