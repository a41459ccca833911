//! The ways out of errors in the words of the program: its commands and options.

use mitt_base::Remedy;

/// Second argument of a worker process that the program started. A worker of an embedder's host has the words of the library, as
/// warnings about a document must not depend on the process that made it.
pub(super) const OF_PROGRAM: &str = "of-program";

/// Uses the words of the program in all texts of this process.
pub(super) fn use_words_of_program() {
    let is_of_program = || std::env::args_os().nth(2).is_some_and(|it| it == OF_PROGRAM);
    if !mitt::internal::is_named_worker() || is_of_program() {
        Remedy::set_wording(wording);
    }
}

/// Returns the words of the program for a remedy; `None` for a remedy that it has no words for. `tests/it/tidy.rs` checks that
/// there is none.
fn wording(remedy: &Remedy) -> Option<String> {
    let text = match remedy {
        Remedy::DocumentSize => {
            "give the part that is needed, or divide the file; the operator can raise the \
             limit (`--document-size`)"
        }
        Remedy::AllowHost { host } => {
            return Some(format!(
                "allow it with `--fetch-host {host}`, or download the file and name that"
            ));
        }
        Remedy::AllowPlainHost { host } => {
            return Some(format!(
                "write `https://`, or allow it with `--fetch-host {host}`, or download the \
                 file and name that"
            ));
        }
        Remedy::AllowHosts => "allow its host, as with `--fetch-host`",
        Remedy::SigningKey => {
            "the operator names one with `--signing-key NAME=FILE`, or with `signing-key` in their \
             own file of settings"
        }
        Remedy::SigningApproval => {
            "`mitt chat` and `mitt exec --ask` ask a person; `mitt pdf sign` signs a file of yours"
        }
        Remedy::AllowNetwork { address } => {
            return Some(format!(
                "if it is yours, allow it with `--fetch-network {address}`, or download the \
                 file and name that"
            ));
        }
        Remedy::TokenFile => {
            "name a file of tokens with `--tokens`; `mitt token TENANT` prints a line of \
             it"
        }
        Remedy::TokenLine => "`mitt token TENANT` prints a token and its line of the file",
        Remedy::ListenElsewhere => "choose another port with `--listen`",
        Remedy::ServeHostName => "the server's operator can allow it with --allow-host",
        Remedy::ServeOrigin => "its operator can allow it with --allow-origin",
        Remedy::FilesFolder => "free some disk space, or name a folder for them with `--out`",
        Remedy::ServeFolder => {
            "or have the server started with `--folder <folder>`, and name a file below \
             that"
        }
        Remedy::ListModels => "`mitt model list` shows what there is; check the address, too",
        Remedy::NewConversation => {
            "begin a new conversation, or go on with this one: `mitt chat --resume`"
        }
        Remedy::FewerTools => "show the model fewer tools: `--tools script`",
        Remedy::CompileForProcessors => {
            "compile it with `mitt compile --target` for what all of your machines have, \
             such as `x86-64-v2` or `x86-64`"
        }
        Remedy::CacheFolder => "leave out `--no-cache`, or name the folder with `--cache-dir`",
        Remedy::CompileHere => {
            "remove the `.cwasm`, or compile the skill here with `mitt compile`; native \
             code for other machines is signed with `--sign-key`"
        }
        Remedy::TrustKey => {
            "if you know whose key it is, name it with `--precompiled-key`; otherwise \
             remove the `.cwasm`"
        }
        Remedy::CompileAgain => "compile it again with `mitt compile` of this version",
        Remedy::CompileForBuild => {
            "compile it again with `mitt compile` on a build of the same version for the \
             same processor"
        }
        Remedy::CompileSkillAgain => {
            "compile the skill again with `mitt compile`, or remove the `.cwasm`"
        }
        Remedy::KeepRecord => {
            "native code is loaded only beside its record, as `mitt compile` writes them; \
             compile the skill again, or remove the `.cwasm`"
        }
        Remedy::SealOrSign => "name one with `--cache-dir`, or sign with `--sign-key`",
        Remedy::MakeKey => "make one with `mitt compile --new-key <file>`",
        Remedy::PublicKeyFile => "`mitt compile --new-key <file>` writes it to `<file>.pub`",
        Remedy::ProtectTrusted => {
            "let only you or the administrator own it and write to it, or leave out \
             `--trust-precompiled`"
        }
        Remedy::CompileElsewhere => {
            "compile the skill ahead of time with `mitt compile --sign-key` of a full \
             build of the same version, and name the public key with `--precompiled-key`"
        }
        Remedy::CompileAhead => {
            "compile the skill ahead of time with `mitt compile`, or use a build with a \
             compiler"
        }
        Remedy::KeepCompiled => {
            "they are compiled again at every start; name a folder that only you can \
             write to with `--cache-dir` or `MITT_CACHE_DIR`"
        }
        Remedy::SecretFolder => {
            "leave out `--no-cache`, or give a folder that only you can read with \
             `--cache-dir`"
        }
        Remedy::OptionalWorker => {
            "the operator has asked for worker processes (`--worker always`); `auto` does \
             the work without"
        }
        Remedy::OutFolder => {
            "look at what is there and remove it, or name another folder with `--out`"
        }
        Remedy::OutFolderJournal => {
            "its first line is not that of a journal of mitt: move it away, or name \
             another folder with `--out`"
        }
        Remedy::OutFolderSpace => {
            "free some disk space, or name another folder with `--out`; nothing was left \
             half-written"
        }
        Remedy::TrustSkill { name } => {
            return Some(format!(
                "look at it with `mitt skill show {name}`, then approve it with `mitt skill \
                 trust {name}`"
            ));
        }
        Remedy::TrustReplacement { name } => {
            return Some(format!(
                "look at it with `mitt skill show {name} --replace-skill {name}`, then \
                 approve it with `mitt skill trust {name} --replace`"
            ));
        }
        Remedy::ReplaceSkill { name } => {
            return Some(format!(
                "if it is to be used, approve it with `mitt skill trust {name} --replace`, \
                 name it with `--replace-skill {name}`, or write `replace: [{name}]` in an \
                 overlay"
            ));
        }
        Remedy::TrustAgain => {
            "repair or remove the file; skills must then be approved again with `mitt \
             skill trust`"
        }
        Remedy::AddSkills => {
            "use a build with the feature `bundled`, or name a folder of skills with \
             `--skills`"
        }
        Remedy::CheckSkill => "`mitt skill check` shows warnings too",
        Remedy::PackSkill => "pack a skill with `mitt skill pack`",
        Remedy::SkillDigest => "`mitt skill pack` prints it",
        Remedy::ReplaceInstalled => "replace it with `--force`",
        Remedy::InstallElsewhere => {
            "free some disk space, or install into another folder with `--to`"
        }
        Remedy::SkillFolder => "name a folder that you may write to with `--to`",
        Remedy::SkillFolderLink => "name the folder that it leads to with `--to`",
        Remedy::SkillFolderTaken => {
            "choose another name, or another folder with `--to`; nothing is ever \
             overwritten"
        }
        Remedy::KeepMacros => "save it in Excel as `.xlsx`, or fill it with `mitt fill` as `.xlsm`",
        Remedy::FullTypesetter => {
            "leave them out, or take a build with Typst (`--pdf-backend typst`)"
        }
        Remedy::Font { packages } => {
            return Some(format!(
                "give a font that has them (`mitt fonts` says what is there; then `mitt fonts \
                 add <folder>`, `--font-folder <folder>`, `--font <file>` or \
                 `HostBuilder::font`; {packages}), or leave them out"
            ));
        }
        Remedy::FontFile => "give its file or folder: `--font <file>`, `--font-folder <folder>`",
        Remedy::EmojiFont => {
            "with `--font` or `--font-folder` and `fonts-noto-color-emoji` of Debian \
             emoji are drawn"
        }
        Remedy::Title => "give `--title`",
        Remedy::ApproveSource { name } => {
            return Some(format!("look at its tools with `mitt source approve {name}`"));
        }
        Remedy::ApproveSourceAgain { name } => {
            return Some(format!("look at it, and approve it again: `mitt source approve {name}`"));
        }
        Remedy::SourceFile => "name the file that has it with `--mcp-config`",
        Remedy::DescribeSource => "describe them in a file of `--mcp-config`, and name them here",
        Remedy::JsonArguments => {
            "names of fields stand without quotes, as in `{month: \"Jan\"}`; arguments in \
             JSON are given with `--json`; a table whose column names are no labels is \
             written `{columns: [\"…\"], rows: [[…]]}`"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one remedy of each variant.
    fn remedies() -> Vec<Remedy> {
        let text = || "text-of-a-field".to_owned();
        vec![
            Remedy::DocumentSize,
            Remedy::AllowHost { host: text() },
            Remedy::AllowPlainHost { host: text() },
            Remedy::AllowHosts,
            Remedy::SigningKey,
            Remedy::SigningApproval,
            Remedy::AllowNetwork { address: text() },
            Remedy::TokenFile,
            Remedy::TokenLine,
            Remedy::ListenElsewhere,
            Remedy::ServeHostName,
            Remedy::ServeOrigin,
            Remedy::FilesFolder,
            Remedy::ServeFolder,
            Remedy::ListModels,
            Remedy::NewConversation,
            Remedy::FewerTools,
            Remedy::CompileForProcessors,
            Remedy::CacheFolder,
            Remedy::CompileHere,
            Remedy::TrustKey,
            Remedy::CompileAgain,
            Remedy::CompileForBuild,
            Remedy::CompileSkillAgain,
            Remedy::KeepRecord,
            Remedy::SealOrSign,
            Remedy::MakeKey,
            Remedy::PublicKeyFile,
            Remedy::ProtectTrusted,
            Remedy::CompileElsewhere,
            Remedy::CompileAhead,
            Remedy::KeepCompiled,
            Remedy::SecretFolder,
            Remedy::OptionalWorker,
            Remedy::OutFolder,
            Remedy::OutFolderJournal,
            Remedy::OutFolderSpace,
            Remedy::TrustSkill { name: text() },
            Remedy::TrustReplacement { name: text() },
            Remedy::ReplaceSkill { name: text() },
            Remedy::TrustAgain,
            Remedy::AddSkills,
            Remedy::CheckSkill,
            Remedy::PackSkill,
            Remedy::SkillDigest,
            Remedy::ReplaceInstalled,
            Remedy::InstallElsewhere,
            Remedy::SkillFolder,
            Remedy::SkillFolderLink,
            Remedy::SkillFolderTaken,
            Remedy::KeepMacros,
            Remedy::FullTypesetter,
            Remedy::Font { packages: text() },
            Remedy::FontFile,
            Remedy::EmojiFont,
            Remedy::Title,
            Remedy::ApproveSource { name: text() },
            Remedy::ApproveSourceAgain { name: text() },
            Remedy::SourceFile,
            Remedy::DescribeSource,
            Remedy::JsonArguments,
        ]
    }

    #[test]
    fn each_remedy_names_an_option_or_a_command_of_the_program() {
        for remedy in remedies() {
            let text = wording(&remedy).unwrap_or_else(|| panic!("no words for {remedy:?}"));
            assert!(text.contains("--") || text.contains("`mitt "), "{remedy:?}: {text}");
            assert_ne!(text, remedy.to_string(), "{remedy:?}");
            let library = remedy.to_string();
            assert!(
                !library.contains("--") && !library.contains("`mitt "),
                "{remedy:?}: {library}"
            );
        }
    }
}
