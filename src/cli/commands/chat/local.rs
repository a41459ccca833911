//! Sets up a model on this machine: finds the servers, asks which model, tries it, and writes it to the settings on request.
//!
//! Sends nothing to another machine.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::model::{Checks, checks, in_words};
use super::line::{LineEditor, LineInput};
use crate::interrupt::unless_interrupted;
use crate::model_args::ModelArgs;
use crate::output::note;
use crate::person;
use crate::settings::{Key, Settings, Whose};
use mitt_agent::model::http::{LocalServer, local_servers};
use mitt_base::output_folder::{OutputFolder, Readable};
use mitt_base::rows::counted;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};

/// Most models in the question.
const MOST: usize = 40;

/// Most bytes of a file of settings that is changed.
const MAX_BYTES: u64 = 1024 * 1024;

/// How to get each server.
const SERVERS: &str = "one of these is enough, for a laptop with 8 GB of memory or more:\n\
    Ollama: install it from https://ollama.com/download, then `ollama pull qwen3:4b`; it is started with the machine, else by `ollama serve`\n\
    LM Studio: install it from https://lmstudio.ai, download a model in it, then `lms server start`, or its tab Developer\n\
    llama.cpp: `brew install llama.cpp` or `winget install llama.cpp`, then `llama-server -hf ggml-org/Qwen3-4B-GGUF --jinja -c 16384`\n\
    then `mitt chat --local` again; a server at another port is named by `OLLAMA_HOST`, `LMSTUDIO_BASE_URL`, `LLAMACPP_BASE_URL` or \
    `VLLM_BASE_URL`";

/// Returns the name of the model that the user has chosen.
///
/// # Errors
///
/// [`ErrorKind::Model`] - no server answers, none has a model, or the model that was chosen does not answer.
/// [`ErrorKind::Cancelled`] - the user chose none.
pub(super) async fn choose(
    line: &LineEditor,
    model_args: &ModelArgs,
    settings: &Settings,
) -> Result<String> {
    note("looking for models on this machine: Ollama, LM Studio, llama.cpp, vLLM");
    let servers = unless_interrupted(local_servers()).await?;
    let models = offered(&servers)?;
    let name = match &models[..] {
        [only] => only.clone(),
        several => ask_which(line, several).await?,
    };
    note(&format!("trying {name}; the first answer takes longer, as the server loads the model"));
    let model = model_args.open(&name, settings)?;
    let done = unless_interrupted(checks(model.as_ref())).await??;
    in_words(&done).iter().for_each(|line| note(line));
    tell_of_failures(&done, &name);
    remember(line, settings, &name).await?;
    Ok(name)
}

/// Returns all models of all servers.
fn offered(servers: &[LocalServer]) -> Result<Vec<String>> {
    if servers.is_empty() {
        return Err(Error::model("no server of models answers on this machine").hint(SERVERS));
    }
    let mut models = Vec::new();
    for LocalServer { service, base_url, models: own } in servers {
        note(&format!(
            "{service} at {base_url}: {}",
            match own.len() {
                0 => "no model".to_owned(),
                count => counted(count as u64, "model"),
            }
        ));
        models.extend(own.iter().cloned());
    }
    if models.is_empty() {
        let error = Error::model("the server on this machine has no model yet");
        return Err(error.hint(
            "get one: `ollama pull qwen3:4b`, or in LM Studio by its search; then `mitt chat --local` again",
        ));
    }
    Ok(models)
}

async fn ask_which(line: &LineEditor, models: &[String]) -> Result<String> {
    if !person::is_there() {
        let error =
            Error::model("several models are on this machine, and no terminal to choose one");
        return Err(error.hint(format!("name one: `--model {}`", models[0])));
    }
    for (at, name) in models.iter().take(MOST).enumerate() {
        note(&format!("{:>3}  {}", at + 1, text::single_line(name)));
    }
    if models.len() > MOST {
        note(&format!("     and {} more, which can be named", models.len() - MOST));
    }
    loop {
        let LineInput::Line(answer) = line.read("Which one? [1] ", false).await? else {
            return Err(Error::new(ErrorKind::Cancelled, "no model was chosen"));
        };
        match chosen(&answer, models) {
            Some(name) => return Ok(name),
            None => note(&format!("a number from 1 to {}, or a name", models.len())),
        }
    }
}

/// Returns the model that an answer means: its number, its name or a part of it that no other has. An empty answer means the first.
fn chosen(answer: &str, models: &[String]) -> Option<String> {
    let answer = answer.trim();
    if answer.is_empty() {
        return models.first().cloned();
    }
    if let Ok(number) = answer.parse::<usize>() {
        return models.get(number.checked_sub(1)?).cloned();
    }
    let with: Vec<&String> = models.iter().filter(|name| name.contains(answer)).collect();
    match &with[..] {
        [only] => Some((*only).clone()),
        _ => models.iter().find(|name| *name == answer).cloned(),
    }
}

fn tell_of_failures(done: &Checks, name: &str) {
    if done.iter().any(|(what, done)| *what == "calls tools" && done.is_err()) {
        note(&format!(
            "{name} does not call tools well: it can talk, but its work with documents may fail. A larger model does better, such as \
             `qwen3:4b`; one that was not trained for tools may be asked in words: `--model spelled+{name}`"
        ));
    }
}

/// Writes the model to the user's settings if the user agrees.
async fn remember(line: &LineEditor, settings: &Settings, name: &str) -> Result<()> {
    let Some(file) = own_file(settings) else { return Ok(()) };
    let before = settings.text(Key::Model);
    if before == Some(name) || !person::is_there() {
        return Ok(());
    }
    let question = match before {
        Some(before) => format!("Take {name} from now on, in place of {before}?"),
        None => format!("Take {name} from now on, without an option?"),
    };
    note(&format!("{} (writes `model` to {})", text::single_line(&question), file.display()));
    let LineInput::Line(answer) = line.read("[y/N] ", false).await? else { return Ok(()) };
    if person::is_yes(&answer) {
        write_model(&file, name)?;
        note("done: `mitt chat`, `mitt run 'What is in …' --doc …` ask it from now on");
    } else {
        note(&format!("again: `mitt chat --model {name}`"));
    }
    Ok(())
}

/// Returns the file of the user's settings, which may not exist yet.
fn own_file(settings: &Settings) -> Option<PathBuf> {
    let own = settings.searched_files().iter().find(|searched| searched.whose == Whose::User);
    own.map(|searched| searched.file.clone())
}

/// Sets `model` in a file of settings; all else in it stays as it is.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the file cannot be read or written, or is no TOML.
fn write_model(file: &Path, name: &str) -> Result<()> {
    let wrong = |what: &str| Error::new(ErrorKind::Input, format!("{what} {}", file.display()));
    let hint = format!("write it yourself: `model = \"{name}\"`");
    let text = match plain_file::read(file, MAX_BYTES) {
        Ok(bytes) if bytes.len() as u64 > MAX_BYTES => {
            return Err(wrong("more than 1 MiB is in").hint(hint));
        }
        Ok(bytes) => {
            String::from_utf8(bytes).map_err(|_| wrong("expected UTF-8 in").hint(&hint))?
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(wrong("cannot read").caused_by(error).hint(hint)),
    };
    let parsed = text.parse::<toml_edit::DocumentMut>();
    let mut document =
        parsed.map_err(|error| wrong("no TOML is in").caused_by(error).hint(&hint))?;
    document["model"] = toml_edit::value(name);
    // A link is kept, because settings may be part of a repository of dotfiles.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let (Some(folder), Some(file_name)) = (file.parent(), file.file_name()) else {
        return Err(wrong("no folder around").hint(hint));
    };
    let written = write_into(folder, file_name, &document.to_string());
    written.map_err(|error| wrong("cannot write").caused_by(error).hint(hint))
}

fn write_into(folder: &Path, name: &OsStr, text: &str) -> std::io::Result<()> {
    let folder = if folder.exists() {
        OutputFolder::existing(folder)?
    } else {
        OutputFolder::create(folder)?
    };
    // Settings may name files of keys: they are the user's own.
    let written = Arc::new(folder).write(text.as_bytes(), Readable::Owner)?;
    written.persist(name, true)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models() -> Vec<String> {
        ["ollama/qwen3:4b", "ollama/gemma3", "lmstudio/qwen3:4b"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_model_is_chosen_by_number_or_by_name() {
        for (answer, expected) in [
            ("", Some("ollama/qwen3:4b")),
            (" 2 ", Some("ollama/gemma3")),
            ("gemma", Some("ollama/gemma3")),
            ("lmstudio/qwen3:4b", Some("lmstudio/qwen3:4b")),
            ("qwen3", None),
            ("0", None),
            ("4", None),
            ("llama", None),
        ] {
            assert_eq!(chosen(answer, &models()).as_deref(), expected, "{answer}");
        }
    }

    #[test]
    fn without_a_server_or_a_model_the_way_to_one_is_told() {
        let none = offered(&[]).unwrap_err().render();
        for part in ["Ollama", "LM Studio", "llama-server", "OLLAMA_HOST", "mitt chat --local"] {
            assert!(none.contains(part), "{none}");
        }
        let server = |models: Vec<String>| LocalServer {
            service: "ollama".into(),
            base_url: "http://127.0.0.1:11434".into(),
            models,
        };
        let empty = offered(&[server(Vec::new())]).unwrap_err().render();
        assert!(empty.contains("ollama pull"), "{empty}");
        assert_eq!(offered(&[server(Vec::new()), server(models())]).unwrap(), models());
    }

    #[test]
    fn the_settings_keep_all_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mitt/config.toml");
        let read = || std::fs::read_to_string(&file).unwrap();
        write_model(&file, "ollama/qwen3").unwrap();
        assert_eq!(read(), "model = \"ollama/qwen3\"\n");
        std::fs::write(
            &file,
            "# mine\nmodel = \"old\" # why\nout = \"o\"\n\n[limits.run]\nturns = 3\n",
        )
        .unwrap();
        write_model(&file, "llamacpp/a \"b\"").unwrap();
        let text = read();
        assert!(
            text.starts_with("# mine\nmodel = ")
                && text.ends_with("out = \"o\"\n\n[limits.run]\nturns = 3\n"),
            "{text}"
        );
        let document: toml_edit::DocumentMut = text.parse().unwrap();
        assert_eq!(document["model"].as_str(), Some("llamacpp/a \"b\""));
        // A table before it does not take it in.
        std::fs::write(&file, "[limits.run]\nturns = 3\n").unwrap();
        write_model(&file, "m/n").unwrap();
        let document: toml_edit::DocumentMut = read().parse().unwrap();
        assert_eq!(document["model"].as_str(), Some("m/n"));
        #[cfg(unix)]
        {
            let link = folder.path().join("link.toml");
            std::os::unix::fs::symlink(&file, &link).unwrap();
            write_model(&link, "of/link").unwrap();
            assert!(link.is_symlink() && read().contains("of/link"), "{}", read());
        }
        std::fs::write(&file, "no toml at all").unwrap();
        let refused = write_model(&file, "m/n").unwrap_err().render();
        assert!(refused.contains("no TOML") && refused.contains("write it yourself"), "{refused}");
        assert_eq!(read(), "no toml at all");
    }
}
