//! Identifiers of responses, items and calls. They contain the run, so that nothing has to be stored to find it, and the
//! same response always has the same ones.

/// Prefix of the identifiers of runs.
const RUN: &str = "run_";

/// A response: the run, and the number of the response in it, from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ResponseId {
    pub(super) run: String,
    pub(super) number: u64,
}

impl ResponseId {
    /// Returns the response of an identifier such as `resp_…_1`; `None` if it is not one of ours.
    pub(super) fn parse(id: &str) -> Option<ResponseId> {
        let (run, number) = id.strip_prefix("resp_")?.rsplit_once('_')?;
        // One response has one identifier: `01` and `+1` are none.
        let number = number.parse().ok().filter(|it: &u64| *it > 0 && it.to_string() == number)?;
        (!run.is_empty()).then(|| ResponseId { run: format!("{RUN}{run}"), number })
    }

    /// Returns the response of an item's identifier, such as `msg_…_1_0`.
    pub(super) fn of_item(id: &str) -> Option<ResponseId> {
        let (_, rest) = id.split_once('_')?;
        let (response, _) = rest.rsplit_once('_')?;
        ResponseId::parse(&format!("resp_{response}"))
    }

    /// Returns the beginning of the identifiers of all responses of a run.
    pub(super) fn prefix(run: &str) -> String {
        format!("resp_{}_", tail(run))
    }

    /// Returns the identifier of an item of the response: `prefix` is `msg`, `fc` and so on.
    pub(super) fn item(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}_{}_{}_{index}", tail(&self.run), self.number)
    }
}

impl std::fmt::Display for ResponseId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "resp_{}_{}", tail(&self.run), self.number)
    }
}

/// Returns the identifier of a call for clients. Models repeat their own identifiers from run to run, and clients that keep
/// no state send nothing else back. It has 43 characters; clients take 64.
pub(super) fn call_id(run: &str, call: &str) -> String {
    let hash = blake3::hash(call.as_bytes()).to_hex();
    format!("call_{}_{}", tail(run), &hash.as_str()[..16])
}

/// Returns the run of a call's identifier.
pub(super) fn run_of_call(id: &str) -> Option<String> {
    let (run, hash) = id.strip_prefix("call_")?.rsplit_once('_')?;
    (hash.len() == 16 && !run.is_empty()).then(|| format!("{RUN}{run}"))
}

fn tail(run: &str) -> &str {
    run.strip_prefix(RUN).unwrap_or(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_found_by_its_own_identifier_and_by_those_of_its_items() {
        let id = ResponseId { run: "run_a_b-c".into(), number: 12 };
        assert_eq!(id.to_string(), "resp_a_b-c_12");
        assert_eq!(ResponseId::parse("resp_a_b-c_12"), Some(id.clone()));
        assert_eq!(ResponseId::of_item(&id.item("msg", 3)), Some(id));
        for wrong in
            ["resp_1", "resp__1", "resp_a_0", "resp_a_01", "resp_a_+1", "resp_a_x", "msg_a_1", ""]
        {
            assert_eq!(ResponseId::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_call_leads_to_its_run_and_differs_from_the_same_call_of_another_run() {
        let id = call_id("run_V1StGXR8_Z5jdHi6B-myT", "call_0");
        assert_eq!(run_of_call(&id).as_deref(), Some("run_V1StGXR8_Z5jdHi6B-myT"));
        assert!(id.len() <= 64, "{id}");
        assert_ne!(id, call_id("run_V1StGXR8_Z5jdHi6B-myU", "call_0"));
        assert_ne!(id, call_id("run_V1StGXR8_Z5jdHi6B-myT", "call_1"));
        assert_eq!(run_of_call("call_abc"), None);
    }
}
