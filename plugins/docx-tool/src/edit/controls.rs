//! Values of content controls.

use super::{Batch, Done, bound, dates};
use crate::controls::{self, Control, ControlKind};
use crate::diff;
use crate::error::{Error, Result, invalid};
use crate::props;
use crate::story::shorten;
use crate::text::{self, new_run};
use crate::xml::{Id, Tree};

/// Most names of controls in a message.
const MAX_NAMES: usize = 40;

impl Batch<'_> {
    /// Sets the controls with a tag or a title, which must have the value `before`.
    pub(super) fn set_control(
        &mut self,
        name: &str,
        before: &str,
        value: &str,
        occurrence: Option<u32>,
    ) -> Result<Done> {
        let found = self.controls(name)?;
        let chosen = match occurrence {
            None => found,
            Some(number) => match found.get((number as usize).wrapping_sub(1)) {
                Some(one) => vec![one.clone()],
                None => {
                    return invalid(format!(
                        "expected an occurrence from 1 to {}, got {number}",
                        found.len()
                    ));
                }
            },
        };
        let is_same = |found: &str| {
            let plain = |text: &str| -> String { text.trim().chars().map(diff::plain).collect() };
            plain(found) == plain(before)
        };
        for (part, control) in &chosen {
            let found = controls::value(
                self.document.tree(*part),
                control,
                &self.document.parts[*part].codes,
            );
            if !is_same(&found) {
                return invalid(format!(
                    "the content control `{name}` has the value \"{}\", not \"{}\"",
                    shorten(&found, 120),
                    shorten(before, 120)
                ));
            }
        }
        let mut shown = String::new();
        for (part, control) in &chosen {
            self.prepare(*part)?;
            shown = self.set_one(*part, control, name, value)?;
        }
        let place = match chosen.len() {
            1 => format!("content control {name}"),
            count => format!("{count} content controls {name}"),
        };
        Ok(Done { place, before: shorten(before, 300), after: shorten(&shown, 300) })
    }

    /// Finds the controls with a tag or a title.
    fn controls(&self, name: &str) -> Result<Vec<(usize, Control)>> {
        let wanted = name.trim();
        let mut all = Vec::new();
        for part in 0..self.document.parts.len() {
            let found = controls::find(self.document.tree(part));
            all.extend(found.into_iter().map(|it| (part, it)));
        }
        let has = |control: &Control, is_exact: bool| {
            [&control.tag, &control.title].into_iter().flatten().any(|it| {
                if is_exact { it == wanted } else { it.to_lowercase() == wanted.to_lowercase() }
            })
        };
        for is_exact in [true, false] {
            let found: Vec<_> = all.iter().filter(|it| has(&it.1, is_exact)).cloned().collect();
            if !found.is_empty() && !wanted.is_empty() {
                return Ok(found);
            }
        }
        let mut names: Vec<String> = all
            .iter()
            .filter_map(|(_, it)| it.tag.as_deref().or(it.title.as_deref()))
            .map(|it| format!("`{}`", shorten(it, 60)))
            .collect();
        names.dedup();
        names.truncate(MAX_NAMES);
        invalid(if names.is_empty() {
            format!(
                "there is no content control `{wanted}`; the document has none with a tag or a title"
            )
        } else {
            format!("there is no content control `{wanted}`; there are {}", names.join(", "))
        })
    }

    /// Sets one control. Returns what it shows.
    fn set_one(
        &mut self,
        part: usize,
        control: &Control,
        name: &str,
        value: &str,
    ) -> Result<String> {
        if control.is_locked {
            self.warn(format!("the content control `{name}` is locked against changes"));
        }
        let mut data = value.to_owned();
        let shown = match control.kind {
            ControlKind::Text | ControlKind::RichText => value.to_owned(),
            ControlKind::DropDown | ControlKind::ComboBox => {
                let (shown, stored) = self.chosen(part, control, name, value)?;
                data = stored;
                shown
            }
            ControlKind::CheckBox => {
                let is_on = switch(value).ok_or_else(|| {
                    Error::Invalid(format!(
                        "expected `true` or `false` for the check box `{name}`, got `{}`",
                        shorten(value, 60)
                    ))
                })?;
                self.check(part, control, name, is_on);
                data = is_on.to_string();
                self.put_bound(part, control, name, &data)?;
                return Ok(data);
            }
            ControlKind::Date => self.dated(part, control, name, value)?,
            ControlKind::Other(kind) => {
                return invalid(format!(
                    "the content control `{name}` is a {kind}, which has no text to set"
                ));
            }
        };
        self.show(part, control, name, &shown)?;
        self.put_bound(part, control, name, &data)?;
        Ok(shown)
    }

    /// Returns what a list shows for a value, and the value behind it.
    fn chosen(
        &mut self,
        part: usize,
        control: &Control,
        name: &str,
        value: &str,
    ) -> Result<(String, String)> {
        let tree = self.tree(part);
        let choices = controls::choices(tree, control.node);
        let wanted = value.trim();
        let found = choices
            .iter()
            .find(|it| it.0 == wanted || it.1 == wanted)
            .or_else(|| choices.iter().find(|it| it.0.to_lowercase() == wanted.to_lowercase()));
        let chosen = match found {
            Some(found) => found.clone(),
            None if control.kind == ControlKind::ComboBox => (value.to_owned(), value.to_owned()),
            None => {
                let names: Vec<String> =
                    choices.iter().take(MAX_NAMES).map(|it| format!("`{}`", it.0)).collect();
                return invalid(format!(
                    "the drop-down `{name}` has no choice `{}`; it has {}",
                    shorten(wanted, 60),
                    names.join(", ")
                ));
            }
        };
        let list = tree
            .child(control.node, "sdtPr")
            .and_then(|it| tree.child(it, "dropDownList").or_else(|| tree.child(it, "comboBox")));
        if let Some(list) = list
            && tree.attr(list, "lastValue").is_some()
        {
            tree.set_attr(list, "w:lastValue", &chosen.1);
        }
        Ok(chosen)
    }

    /// Sets the state of a check box, and the sign that it shows.
    fn check(&mut self, part: usize, control: &Control, name: &str, is_on: bool) {
        let (tree, marks) = self.parts_of(part);
        let is_tracked = marks.is_tracked;
        let Some(state) = controls::check_box(tree, control.node) else { return };
        let prefix = match tree.prefix(state) {
            "" => String::new(),
            prefix => format!("{prefix}:"),
        };
        match tree.any_child(state, "checked") {
            Some(it) => tree.set_attr(it, &format!("{prefix}val"), if is_on { "1" } else { "0" }),
            None => {
                let value = if is_on { "1" } else { "0" };
                let new = tree.element(&format!("<{prefix}checked {prefix}val=\"{value}\"/>"));
                tree.prepend(state, new);
            }
        }
        let sign = tree.any_child(state, if is_on { "checkedState" } else { "uncheckedState" });
        let code = sign.and_then(|it| tree.attr(it, "val")).map(|it| it.into_owned());
        let font = sign.and_then(|it| tree.attr(it, "font")).map(|it| it.into_owned());
        let code = code.unwrap_or_else(|| if is_on { "2612" } else { "2610" }.to_owned());
        let character = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
        let shown: Vec<Id> = tree
            .descendants(control.node)
            .filter(|&it| tree.is(it, "t") || tree.is(it, "sym"))
            .collect();
        for it in shown {
            if tree.is(it, "sym") {
                tree.set_attr(it, "w:char", &code);
                if let Some(font) = &font {
                    tree.set_attr(it, "w:font", font);
                }
            } else if let Some(character) = character {
                tree.set_text(it, &character.to_string());
            }
        }
        if is_tracked {
            self.warn(format!(
                "the state of the check box `{name}` is not a tracked change, so it cannot be rejected"
            ));
        }
    }

    /// Sets the date of a control. Returns how it is shown.
    fn dated(&mut self, part: usize, control: &Control, name: &str, value: &str) -> Result<String> {
        let date = dates::Date::parse(value.trim()).ok_or_else(|| {
            Error::Invalid(format!(
                "expected a date such as `2026-11-27` for `{name}`, got `{}`",
                shorten(value, 60)
            ))
        })?;
        let tree = self.tree(part);
        let properties = tree.child(control.node, "sdtPr");
        let Some(node) = properties.and_then(|it| tree.child(it, "date")) else {
            return Ok(value.to_owned());
        };
        tree.set_attr(node, "w:fullDate", &format!("{}T00:00:00Z", date.iso()));
        let format = tree.value(node, "dateFormat").map(|it| it.into_owned());
        let language = tree.value(node, "lid").map(|it| it.into_owned());
        let shown =
            dates::format(&date, format.as_deref().unwrap_or("yyyy-MM-dd"), language.as_deref());
        Ok(shown.unwrap_or_else(|| {
            self.warn(format!(
                "the date of `{name}` is shown as {}, because its format has names in another language",
                date.iso()
            ));
            date.iso()
        }))
    }

    /// Writes the text of a control.
    fn show(&mut self, part: usize, control: &Control, name: &str, shown: &str) -> Result<()> {
        let tree = self.document.tree(part);
        let inner = controls::paragraphs(tree, control.node);
        if inner.len() > 1 {
            let places = self.document.paragraphs.iter();
            let anchors: Vec<String> = places
                .filter(|it| it.part == part && inner.contains(&it.node))
                .take(20)
                .map(|it| format!("`{}`", self.document.anchor(it)))
                .collect();
            return invalid(format!(
                "the content control `{name}` has several paragraphs; change them by their anchors: {}",
                anchors.join(", ")
            ));
        }
        let around = tree.ancestors(control.node).find(|&it| tree.is(it, "p"));
        let Some(paragraph) = inner.first().copied().or(around) else {
            return invalid(format!("the content control `{name}` has no text to set"));
        };
        let is_hint = controls::is_placeholder(tree, control.node);
        let (tree, marks) = self.parts_of(part);
        if let Some(properties) = tree.child(control.node, "sdtPr") {
            props::remove(tree, properties, "showingPlcHdr");
        }
        let content = match tree.child(control.node, "sdtContent") {
            Some(content) => content,
            None => {
                let new = tree.element("<w:sdtContent></w:sdtContent>");
                tree.append(control.node, new);
                new
            }
        };
        let container = inner.first().copied().unwrap_or(content);
        if is_hint {
            // The hint is no text of the document, so its removal is no change.
            for run in runs(tree, container) {
                tree.detach(run);
            }
        }
        let is_tracked = marks.is_tracked;
        let editor = self.editor(part, paragraph);
        let line = editor.line();
        let own: Vec<_> = line
            .pieces
            .iter()
            .filter(|it| it.deleted.is_none() && !it.text.is_empty())
            .filter(|it| {
                !inner.is_empty() || editor.tree.ancestors(it.run).any(|it| it == control.node)
            })
            .collect();
        let range = own.first().map(|it| it.start).zip(own.last().map(|it| it.end()));
        match range {
            Some((start, end)) => {
                if line.text.get(start..end) != Some(shown) {
                    let mut editor = editor;
                    editor.replace(start..end, shown);
                }
            }
            None if shown.is_empty() => {}
            None => {
                let tree = &mut *editor.tree;
                let format = tree.child(control.node, "sdtPr").and_then(|it| tree.child(it, "rPr"));
                let run = new_run(tree, format, shown);
                let run = text::inserted(tree, run, editor.marks);
                tree.append(container, run);
            }
        }
        let has_state = matches!(
            control.kind,
            ControlKind::Date | ControlKind::DropDown | ControlKind::ComboBox
        );
        if is_tracked && (is_hint || has_state) {
            self.warn(format!(
                "only the text of the content control `{name}` is a tracked change; its state stays when that is rejected"
            ));
        }
        Ok(())
    }

    /// Sets the data that a control is filled from.
    fn put_bound(&mut self, part: usize, control: &Control, name: &str, value: &str) -> Result<()> {
        if !control.is_bound {
            return Ok(());
        }
        let tree = self.document.tree(part);
        let binding = tree
            .child(control.node, "sdtPr")
            .and_then(|it| tree.elements(it).find(|&it| tree.local(it) == "dataBinding"));
        let Some(binding) = binding else { return Ok(()) };
        let attribute = |name: &str| tree.attr(binding, name).unwrap_or_default().into_owned();
        let (path, store) = (attribute("xpath"), attribute("storeItemID"));
        if !bound::set(&mut self.document.package, &path, &store, value)? {
            self.warn(format!(
                "the content control `{name}` is bound to data of the document that was not found; Word may show the old value"
            ));
        }
        Ok(())
    }
}

/// Returns the runs and marked runs in a container, but not in nested content controls.
fn runs(tree: &Tree, container: Id) -> Vec<Id> {
    let wanted = ["r", "ins", "del", "hyperlink", "smartTag", "fldSimple"];
    tree.elements(container).filter(|&it| wanted.contains(&tree.name(it))).collect()
}

/// Reads the state of a check box.
fn switch(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "true" | "1" | "yes" | "on" | "checked" | "x" | "☒" | "☑" => Some(true),
        "false" | "0" | "no" | "off" | "unchecked" | "☐" | "" => Some(false),
        _ => None,
    }
}
