//! Ways out of errors, which each interface puts into its own words.
//!
//! Knows no option of the program: `mitt-cli` has the words of the program.

use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// A way out of an error that reads differently in each interface: the library names its functions, the program its options.
///
/// [`Error::remedy`](super::Error::remedy) adds one to an error, [`Error::remedies`](super::Error::remedies) returns
/// them, and [`Error::hints`](super::Error::hints) has their texts. `Display` is the text for embedders.
///
/// # Example: words of your own
///
/// ```
/// # extern crate mitt_base as mitt;
/// use mitt::{Error, Remedy};
///
/// let error = Error::input("the host example.com is not allowed")
///     .remedy(Remedy::AllowHost { host: "example.com".into() });
/// assert!(error.hints()[0].contains("`FetchPolicy::host`"));
///
/// let error = error.reworded(|remedy| match remedy {
///     Remedy::AllowHost { host } => Some(format!("add {host} in the settings of this application")),
///     _ => None,
/// });
/// assert_eq!(error.hints(), ["add example.com in the settings of this application"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remedy {
    /// Raise the limit on the size of a document.
    DocumentSize,
    /// Allow the host of an address, with its scheme and port where they are not `https` and 443.
    AllowHost {
        /// Pattern that allows the host.
        host: String,
    },
    /// Use TLS, or allow the host without it.
    AllowPlainHost {
        /// Pattern that allows the host.
        host: String,
    },
    /// Allow the host of a plugin's request; so far none is allowed.
    AllowHosts,
    /// Name a key for signatures.
    SigningKey,
    /// Have a person approve signatures.
    SigningApproval,
    /// Allow an address of this machine or of a private network.
    AllowNetwork {
        /// The address.
        address: String,
    },
    /// Give a server that others can reach a file of tokens.
    TokenFile,
    /// Write a line of the file of tokens as it is expected.
    TokenLine,
    /// Listen on another port.
    ListenElsewhere,
    /// Serve requests with this `Host`.
    ServeHostName,
    /// Serve pages of this `Origin`.
    ServeOrigin,
    /// Name a folder for the files of sessions that have ended.
    FilesFolder,
    /// Serve a folder whose files clients may name.
    ServeFolder,
    /// Look up which models a service has.
    ListModels,
    /// Go on in a new conversation, which may have further models.
    NewConversation,
    /// Show the model one tool for scripts in place of all tools.
    FewerTools,
    /// Compile for the processors of all machines.
    CompileForProcessors,
    /// Give the cache folder whose secret sealed native code.
    CacheFolder,
    /// Remove native code of another installation, or compile the skill in this one.
    CompileHere,
    /// Trust the key that signed native code.
    TrustKey,
    /// Compile native code again with this version.
    CompileAgain,
    /// Compile native code again for this build and processor.
    CompileForBuild,
    /// Compile a skill again, or remove its native code.
    CompileSkillAgain,
    /// Keep native code beside its record.
    KeepRecord,
    /// Give a cache folder whose secret seals native code, or a key that signs it.
    SealOrSign,
    /// Make a private key.
    MakeKey,
    /// Take the public key from where it was written with its private key.
    PublicKeyFile,
    /// Protect a folder whose native code is trusted as the program.
    ProtectTrusted,
    /// Compile and sign a skill with a full build.
    CompileElsewhere,
    /// Compile a skill ahead of time, or use a build with a compiler.
    CompileAhead,
    /// Give a cache folder that can be written.
    KeepCompiled,
    /// Give a cache folder whose secret seals the variables of scripts.
    SecretFolder,
    /// Do the work without a worker process.
    OptionalWorker,
    /// Clear the folder of a session, or give it another one.
    OutFolder,
    /// Move away a file that is in the place of the journal, or give the session another folder.
    OutFolderJournal,
    /// Free some disk space, or give the session another folder.
    OutFolderSpace,
    /// Approve a skill.
    TrustSkill {
        /// Name of the skill.
        name: String,
    },
    /// Approve a skill that replaces another one of its name.
    TrustReplacement {
        /// Name of the skill.
        name: String,
    },
    /// Use a skill in place of another one of its name.
    ReplaceSkill {
        /// Name of the skill.
        name: String,
    },
    /// Approve skills again after the file of approvals was repaired.
    TrustAgain,
    /// Use the bundled skills, or add a folder of skills.
    AddSkills,
    /// Check a skill by itself.
    CheckSkill,
    /// Pack a skill.
    PackSkill,
    /// Get the digest of a packed skill.
    SkillDigest,
    /// Replace an installed skill.
    ReplaceInstalled,
    /// Free some disk space, or install a skill into another folder.
    InstallElsewhere,
    /// Name a folder for skills that can be written.
    SkillFolder,
    /// Name the folder behind a link.
    SkillFolderLink,
    /// Choose another name or another folder for a new skill.
    SkillFolderTaken,
    /// Save a template without macros, or fill it as it is.
    KeepMacros,
    /// Typeset with Typst.
    FullTypesetter,
    /// Give a font that has the missing characters. `packages` names packages that have one.
    Font {
        /// Packages and files that have such fonts.
        packages: String,
    },
    /// Give the file of a font that a theme names.
    FontFile,
    /// Give a font of emoji.
    EmojiFont,
    /// Give a document a title.
    Title,
    /// Approve the tools of an MCP server.
    ApproveSource {
        /// Name of the server.
        name: String,
    },
    /// Approve a tool of an MCP server again.
    ApproveSourceAgain {
        /// Name of the server.
        name: String,
    },
    /// Name the file that describes an MCP server.
    SourceFile,
    /// Describe MCP servers in a file of their own.
    DescribeSource,
    /// Give arguments in JSON as such, not as WAVE.
    JsonArguments,
}

/// The wording of this process.
///
/// It is one for the process, because many texts are written where no interface is near: in journals, warnings, the output
/// of scripts and the results of tools.
static WORDING: OnceLock<fn(&Remedy) -> Option<String>> = OnceLock::new();

impl Remedy {
    /// Sets the words for remedies in all texts of this process: hints of errors, warnings, results of tools, journals.
    /// `None` stands for the words of the library.
    ///
    /// This is for an application with settings of its own in place of the library's functions. It calls this once at the
    /// start of `main`, and in a worker process before `serve_as_worker`. Errors that were made before keep their texts. Only
    /// the first call has an effect; any other returns `false`.
    pub fn set_wording(wording: fn(&Remedy) -> Option<String>) -> bool {
        WORDING.set(wording).is_ok()
    }

    /// Returns the text in the words of this process: those of [`Remedy::set_wording`], or those for embedders.
    pub fn text(&self) -> String {
        WORDING.get().and_then(|wording| wording(self)).unwrap_or_else(|| self.to_string())
    }
}

/// Writes the text for embedders.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::DocumentSize => f.write_str(
                "give the part that is needed, or divide the file; the operator can raise the \
                 limit (`SessionLimits::document_bytes`)",
            ),
            Remedy::AllowHost { host } => {
                write!(
                    f,
                    "allow it with `FetchPolicy::host`, as `{host}`, or download the file and \
                     name that"
                )
            }
            Remedy::AllowPlainHost { host } => {
                write!(
                    f,
                    "write `https://`, or allow it with `FetchPolicy::host`, as `{host}`, or \
                     download the file and name that"
                )
            }
            Remedy::AllowHosts => f.write_str(
                "allow its host in a `FetchPolicy`, and give a fetcher with it to \
                 `HostBuilder::fetch`",
            ),
            Remedy::SigningKey => f.write_str(
                "name one with `SessionOptions::signing_keys`, or for all sessions with \
                 `HostBuilder::signing_keys`",
            ),
            Remedy::SigningApproval => f.write_str(
                "give an approver in `SessionOptions::approver` or `CallOptions::approver`; if your \
                 user makes the call, `SigningKeys::without_approval` needs none",
            ),
            Remedy::AllowNetwork { address } => {
                write!(
                    f,
                    "if it is yours, allow it with `FetchPolicy::network`, as `{address}`, or \
                     download the file and name that"
                )
            }
            Remedy::TokenFile => f.write_str("name a file of tokens in `HttpOptions::tokens`"),
            Remedy::TokenLine => f.write_str(
                "a token of the file has a `tenant` or `metrics`, and its digest in `blake3` or its \
                 variable in `env`",
            ),
            Remedy::ListenElsewhere => f.write_str("choose another port in `HttpOptions::listen`"),
            Remedy::ServeHostName => {
                f.write_str("the server's operator can allow it in `HttpOptions::hosts`")
            }
            Remedy::ServeOrigin => {
                f.write_str("its operator can allow it in `HttpOptions::origins`")
            }
            Remedy::FilesFolder => f.write_str(
                "free some disk space, or name a folder for them in `ServerOptions::files`",
            ),
            Remedy::ServeFolder => f.write_str(
                "or have the server started with a folder in `ServerOptions::folders`, and \
                 name a file below that",
            ),
            Remedy::ListModels => {
                f.write_str("check the name of the model; check the address, too")
            }
            Remedy::NewConversation => f.write_str(
                "begin a new conversation, or go on with this one from its log, as \
                 `LoggedRun` reads it",
            ),
            Remedy::FewerTools => f.write_str("show the model fewer tools: `ToolMode::Script`"),
            Remedy::CompileForProcessors => f.write_str(
                "compile it for a `Target` that all of your machines have, such as \
                 `x86-64-v2` or `x86-64`",
            ),
            Remedy::CacheFolder => f.write_str("give the folder with `HostBuilder::cache`"),
            Remedy::CompileHere => f.write_str(
                "remove the `.cwasm`, or compile the skill here; native code for other \
                 machines is signed with a `PrivateKey`",
            ),
            Remedy::TrustKey => f.write_str(
                "if you know whose key it is, give it to `HostBuilder::precompiled_key`; \
                 otherwise remove the `.cwasm`",
            ),
            Remedy::CompileAgain => f.write_str("compile it again with this version"),
            Remedy::CompileForBuild => f.write_str(
                "compile it again on a build of the same version for the same processor",
            ),
            Remedy::CompileSkillAgain => {
                f.write_str("compile the skill again, or remove the `.cwasm`")
            }
            Remedy::KeepRecord => f.write_str(
                "native code is loaded only beside its record, which compiling makes with it; \
                 compile the skill again, or remove the `.cwasm`",
            ),
            Remedy::SealOrSign => {
                f.write_str("give one with `HostBuilder::cache`, or sign with a `PrivateKey`")
            }
            Remedy::MakeKey => f.write_str("make one with `PrivateKey::generate`"),
            Remedy::PublicKeyFile => f.write_str("`PrivateKey::public` returns it"),
            Remedy::ProtectTrusted => f.write_str(
                "let only you or the administrator own it and write to it, or leave out \
                 `HostBuilder::trusted_folder`",
            ),
            Remedy::CompileElsewhere => f.write_str(
                "compile and sign the skill ahead of time with a full build of the same \
                 version, and give the public key to `HostBuilder::precompiled_key`",
            ),
            Remedy::CompileAhead => f.write_str(
                "compile the skill ahead of time, or use a build with the feature `compile`",
            ),
            Remedy::KeepCompiled => f.write_str(
                "they are compiled again at every start; give a folder that only you can \
                 write to with `HostBuilder::cache`",
            ),
            Remedy::SecretFolder => {
                f.write_str("give a folder that only you can read with `HostBuilder::cache`")
            }
            Remedy::OptionalWorker => f.write_str(
                "the operator has asked for worker processes (`WorkerOptions::required`); \
                 without that, the work is done in this process",
            ),
            Remedy::OutFolder => f.write_str(
                "look at what is there and remove it, or give the session another folder",
            ),
            Remedy::OutFolderJournal => f.write_str(
                "its first line is not that of a journal of mitt: move it away, or give the \
                 session another folder",
            ),
            Remedy::OutFolderSpace => f.write_str(
                "free some disk space, or give the session another folder; nothing was left \
                 half-written",
            ),
            Remedy::TrustSkill { .. } => f.write_str(
                "the host's operator can look at it, and approve it: `TrustStore::approve`",
            ),
            Remedy::TrustReplacement { .. } => f.write_str(
                "the host's operator can look at it, and approve it as a replacement: \
                 `TrustStore::approve_replacement`",
            ),
            Remedy::ReplaceSkill { name } => {
                write!(
                    f,
                    "if it is to be used, approve it as a replacement with `TrustStore`, name it \
                     with `HostBuilder::replace_skill`, or write `replace: [{name}]` in an \
                     overlay"
                )
            }
            Remedy::TrustAgain => f.write_str(
                "repair or remove the file; skills must then be approved again: \
                 `TrustStore::approve`",
            ),
            Remedy::AddSkills => f.write_str(
                "use a build with the feature `bundled`, or add a folder of skills with \
                 `HostBuilder::skills`",
            ),
            Remedy::CheckSkill => f.write_str("`author::check` returns warnings too"),
            Remedy::PackSkill => f.write_str("pack a skill with `author::pack`"),
            Remedy::SkillDigest => f.write_str("`author::pack` returns it"),
            Remedy::ReplaceInstalled => f.write_str("install it with `replace` to replace it"),
            Remedy::InstallElsewhere => {
                f.write_str("free some disk space, or install into another folder")
            }
            Remedy::SkillFolder => f.write_str("name a folder that you may write to"),
            Remedy::SkillFolderLink => f.write_str("name the folder that it leads to"),
            Remedy::SkillFolderTaken => {
                f.write_str("choose another name, or another folder; nothing is ever overwritten")
            }
            Remedy::KeepMacros => f.write_str(
                "save it in Excel as `.xlsx`, or fill it without `FillOptions::as_xlsx`",
            ),
            Remedy::FullTypesetter => f.write_str(
                "leave them out, or use `TypstBackend` of a build with the feature `pdf`",
            ),
            Remedy::Font { packages } => {
                write!(
                    f,
                    "give a font that has them (`HostBuilder::font` or `FontSet::with_extra`; \
                     {packages}), or leave them out"
                )
            }
            Remedy::FontFile => {
                f.write_str("give its file: `HostBuilder::font` or `FontSet::with_extra`")
            }
            Remedy::EmojiFont => f.write_str(
                "with a font of them, such as that of `fonts-noto-color-emoji` of Debian, \
                 emoji are drawn",
            ),
            Remedy::Title => f.write_str("give a title"),
            Remedy::ApproveSource { .. } => {
                f.write_str("look at its tools, and approve them: `Approved::approve`")
            }
            Remedy::ApproveSourceAgain { .. } => {
                f.write_str("look at it, and approve it again: `Approved::approve`")
            }
            Remedy::SourceFile => f.write_str("read the file that has it, too: `Servers::merged`"),
            Remedy::DescribeSource => {
                f.write_str("describe them in a file of MCP servers, and name them here")
            }
            Remedy::JsonArguments => f.write_str(
                "names of fields stand without quotes, as in `{month: \"Jan\"}`; arguments in \
                 JSON are given as JSON, not in this notation; a table whose column names are \
                 no labels is written `{columns: [\"…\"], rows: [[…]]}`",
            ),
        }
    }
}
