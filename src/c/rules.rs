//! Rules about content in options: objects `{"name": "words.txt", "text": "..."}`.

use mitt::Result;
use mitt::guard::RuleSet;

use crate::fields::Fields;

/// Returns the sets of a key. The ending of the name says which form the text has: YAML for `.yaml` and `.yml`, otherwise
/// one word per line.
pub(crate) fn sets(given: &mut Fields, key: &'static str) -> Result<Vec<RuleSet>> {
    let sets = given.items(key)?.into_iter().map(|(place, item)| {
        let mut set = Fields::of_item(place.clone(), item)?;
        let (name, text) = (set.required("name")?, set.required("text")?);
        set.finish()?;
        RuleSet::parse(&name, &text).map_err(|error| error.at(place))
    });
    sets.collect()
}
