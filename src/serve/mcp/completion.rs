//! Completes the argument of a prompt or a part of a URI from its first characters.

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::catalogue::Catalogue;
use super::resources;
use mitt::Session;

/// Returns the values with this prefix, in order, at most as many as an answer may hold.
pub(super) fn complete(
    session: &Session,
    catalogue: &Catalogue,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let argument = &request.argument;
    let unknown = |what: &str, name: &str| {
        Err(ErrorData::invalid_params(format!("unknown {what} `{name}`"), None))
    };
    let mut values: Vec<String> = match &request.r#ref {
        Reference::Prompt(reference) => {
            let Some(prompt) =
                catalogue.prompts.iter().find(|prompt| prompt.prompt.name == reference.name)
            else {
                return unknown("prompt", &reference.name);
            };
            match prompt.arguments.iter().find(|it| it.name == argument.name) {
                None => return unknown("argument", &argument.name),
                Some(known) if known.values.is_empty() && known.name == "document" => {
                    documents(session)
                }
                Some(known) => known.values.clone(),
            }
        }
        Reference::Resource(reference) => match (reference.uri.as_str(), argument.name.as_str()) {
            (resources::DOCUMENTS, "name") => documents(session),
            (resources::ARTIFACTS, "name") => {
                session.artifacts().into_iter().map(|artifact| artifact.name).collect()
            }
            (resources::SKILLS, "skill") => {
                catalogue.skills.iter().map(|skill| skill.name().to_owned()).collect()
            }
            (resources::DOCUMENTS | resources::ARTIFACTS, "offset" | "length") => Vec::new(),
            (resources::DOCUMENTS | resources::ARTIFACTS | resources::SKILLS, name) => {
                return unknown("argument", name);
            }
            (uri, _) => return unknown("template", uri),
        },
        _ => return unknown("reference", request.r#ref.reference_type()),
    };
    let begins = |value: &str| {
        let mut value = value.chars().flat_map(char::to_lowercase);
        argument.value.chars().flat_map(char::to_lowercase).all(|it| value.next() == Some(it))
    };
    values.retain(|value| begins(value));
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let has_more = total > values.len();
    let total = u32::try_from(total).ok();
    let completion = CompletionInfo::with_pagination(values, total, has_more)
        .map_err(|problem| ErrorData::internal_error(problem, None))?;
    Ok(CompleteResult::new(completion))
}

fn documents(session: &Session) -> Vec<String> {
    session.documents().iter().map(|document| document.name.clone()).collect()
}
