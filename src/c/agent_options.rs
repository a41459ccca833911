//! Options of an instruction to a model.

use std::sync::Arc;

use mitt::offer::ToolMode;
use mitt::{Result, Session};
use mitt_agent::{Agent, AgentLimits, AnswerForm, Demand, RunReport, Speaker};

use crate::answer::Answer;
use crate::fields::Fields;
use crate::model::AnsweredModel;

/// Name of the form of an answer in requests to the model.
const FORM_NAME: &str = "output";

/// An instruction to a model.
pub(crate) struct Instruction {
    agent: Agent,
    earlier: Vec<(Speaker, String)>,
    text: String,
    /// Form of the answer; `None` for free text.
    form: Option<AnswerForm>,
}

impl Instruction {
    /// Reads the options of an instruction.
    pub(crate) fn new(
        mut given: Fields,
        text: &str,
        answer: Arc<dyn Answer>,
    ) -> Result<Instruction> {
        let name = given.text("model")?.unwrap_or_else(|| "callback".to_owned());
        let mut builder = Agent::builder(Arc::new(AnsweredModel { name, answer }));
        if let Some(mode) = given.text("tools")? {
            let mode = ToolMode::from_name(&mode).ok_or_else(|| {
                let names = ToolMode::ALL.map(|mode| format!("`{}`", mode.name())).join(", ");
                given.wrong("tools", &format!("expected one of {names}, got `{mode}`"))
            })?;
            builder = builder.tools(mode);
        }
        if let Some(instructions) = given.text("instructions")? {
            builder = builder.instructions(instructions);
        }
        let limits = limits(given.object("limits")?)?;
        builder = builder.limits(|to| *to = limits);
        let earlier = given.items("earlier")?.into_iter().map(|(place, item)| {
            let mut message = Fields::of_item(place, item)?;
            let speaker = match message.required("role")?.as_str() {
                "user" => Speaker::User,
                "assistant" => Speaker::Assistant,
                other => {
                    let expected = format!("expected `user` or `assistant`, got `{other}`");
                    return Err(message.wrong("role", &expected));
                }
            };
            let text = message.required("content")?;
            message.finish()?;
            Ok((speaker, text))
        });
        let earlier = earlier.collect::<Result<_>>()?;
        let form = form(&mut given)?;
        given.finish()?;
        Ok(Instruction { agent: builder.build(), earlier, text: text.to_owned(), form })
    }

    /// Lets the model follow the instruction in a session.
    ///
    /// # Errors
    ///
    /// Those of [`mitt_agent::Conversation::seed`] and [`mitt_agent::Conversation::say`].
    pub(crate) async fn follow(self, session: Session) -> Result<RunReport> {
        let mut conversation = self.agent.conversation(&session).await;
        conversation.seed(self.earlier).map_err(|error| error.at("options.earlier"))?;
        if let Some(form) = self.form {
            let mut demand = Demand::default();
            demand.form = Some(Arc::new(form));
            conversation.demand(demand);
        }
        conversation.say(&self.text).await
    }
}

/// Reads the schema that the answer must follow.
fn form(given: &mut Fields) -> Result<Option<AnswerForm>> {
    const KEY: &str = "output_schema";
    let Some(schema) = given.value(KEY) else { return Ok(None) };
    if !schema.is_object() {
        let message = "expected a JSON Schema, which is an object";
        return Err(given.wrong(KEY, message));
    }
    let form = AnswerForm::new(FORM_NAME, schema).map_err(|problems| {
        let wrong = given.wrong(KEY, "the JSON Schema cannot be applied");
        problems.into_iter().fold(wrong, |wrong, problem| {
            let place = if problem.pointer.is_empty() { "the schema" } else { &problem.pointer };
            wrong.detail(format!("{place}: {}", problem.message))
        })
    });
    form.map(Some)
}

fn limits(mut given: Fields) -> Result<AgentLimits> {
    let mut limits = AgentLimits::default();
    limits.turns = given.number("turns")?;
    given.set("calls", &mut limits.calls)?;
    given.set("tokens", &mut limits.tokens)?;
    given.set_millis("time_ms", &mut limits.time)?;
    given.set("wrong_turns", &mut limits.wrong_turns)?;
    limits.script_repairs = given.number("script_repairs")?;
    if let Some(characters) = given.number("context_characters")? {
        limits.context_characters = usize::try_from(characters).unwrap_or(usize::MAX);
    }
    given.set("context_tokens", &mut limits.context_tokens)?;
    given.finish()?;
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::tests::fields;

    fn read(json: &'static str) -> Result<Option<AnswerForm>> {
        let Ok(mut given) = fields(json) else { panic!("{json} is no object") };
        form(&mut given)
    }

    #[test]
    fn a_schema_that_cannot_be_applied_is_refused_with_its_places() {
        assert!(read("{}").unwrap().is_none());
        assert!(read(r#"{"output_schema": {"type": "object"}}"#).unwrap().is_some());
        let error = read(r#"{"output_schema": "object"}"#).unwrap_err();
        assert_eq!(error.place(), Some("options.output_schema"));
        let error = read(r#"{"output_schema": {"properties": {"a": {"if": {}}}}}"#).unwrap_err();
        assert_eq!(error.place(), Some("options.output_schema"));
        assert!(error.details()[0].starts_with("/properties/a/if: "), "{:?}", error.details());
    }
}
