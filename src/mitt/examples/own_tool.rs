//! Gives models a tool that is a Rust function of the host. Its calls are checked, limited and recorded like those of skills.
//!
//! Run it with `cargo run -p mitt --example own_tool`.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::collections::BTreeMap;
use std::error::Error;

use async_trait::async_trait;
use mitt::skill::{HostCall, HostFunction, HostTool};
use mitt::value::{Field, Json, Type};
use mitt::{ErrorKind, Host, SessionOptions};

/// The host's prices in cents, by article.
struct Prices(BTreeMap<String, u32>);

#[async_trait]
impl HostTool for Prices {
    fn function(&self) -> HostFunction {
        let article = Field::new("article", Type::String, Some("Its name.".to_owned()));
        HostFunction::new("shop", "price", "Price of an article in cents.")
            .expect("`shop` and `price` make a tool name")
            .param(article)
            .result(Type::U32)
    }

    async fn run(&self, _call: &dyn HostCall, arguments: Json) -> mitt::Result<Json> {
        // The host has checked that it is there, and a string.
        let article = arguments.get("article").and_then(Json::as_str).unwrap_or_default();
        let price = self.0.get(article).ok_or_else(|| {
            let names: Vec<_> = self.0.keys().map(String::as_str).collect();
            mitt::Error::new(ErrorKind::Input, format!("there is no article `{article}`"))
                .hint(format!("the articles are {}", names.join(", ")))
        })?;
        Ok(Json::from(*price))
    }
}

/// Runs the example.
///
/// # Errors
///
/// The example does not behave as described.
#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn Error>> {
    let prices = Prices(BTreeMap::from([("tea".to_owned(), 450), ("rice".to_owned(), 299)]));
    let host = Host::builder().no_cache().bundled_skills(false).tool(prices).build()?;
    let session = host.session(SessionOptions::default())?;
    for (arguments, expected) in [
        (r#"{"article": "tea"}"#, Ok("450")),
        (r#"{"article": "coffee"}"#, Err(ErrorKind::Input)),
        (r#"{"article": 7}"#, Err(ErrorKind::Arguments)),
    ] {
        let result = session.call("shop__price", arguments).await.result;
        println!("{arguments}: {result:?}");
        let result = result.map(|price| price.to_string()).map_err(|error| error.kind().clone());
        assert_eq!(result, expected.map(str::to_owned));
    }
    Ok(())
}
