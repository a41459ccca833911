//! Direct events `render`: a text that becomes a file.

use serde_json::{Map, Value};

use super::answer::Answer;
use super::fields::Fields;
use super::function::{Function, Task};
use super::render_options::{RenderOptions, check_format};
use mitt_base::Result;
use mitt_base::file_name::check_file_name;

/// A text to be made a file.
pub(super) struct RenderEvent {
    text: String,
    name: String,
    options: RenderOptions,
}

impl std::fmt::Debug for RenderEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RenderEvent").field("name", &self.name).finish_non_exhaustive()
    }
}

impl RenderEvent {
    /// Reads the fields of the event.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - it has another form.
    pub(super) fn read(mut fields: Fields) -> Result<RenderEvent> {
        let text = fields.required("text")?;
        let name = fields.required("name")?;
        check_format(&name).map_err(|problem| fields.wrong("name", &problem))?;
        check_file_name(&name).map_err(|problem| fields.wrong("name", &problem))?;
        let options = RenderOptions::read(&mut fields)?;
        fields.finish()?;
        Ok(RenderEvent { text, name, options })
    }

    /// Makes the file, before the deadline of the task.
    ///
    /// # Errors
    ///
    /// Those of [`RenderOptions::make`] and [`Answer::of_file`].
    pub(super) async fn run(self, function: &Function, task: &Task<'_>) -> Result<Answer> {
        let RenderEvent { text, name, options } = self;
        let made = options.make(function.global_for(task), &name, text).await?;
        let mut result = Map::new();
        if let Some(pages) = made.pages {
            result.insert("pages".to_owned(), Value::from(pages));
        }
        let file = (name, made.bytes);
        Answer::of_file(function, task, file, Value::Object(result), made.warnings).await
    }
}
