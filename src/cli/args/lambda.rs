//! The arguments of `mitt lambda`.

use std::path::PathBuf;
#[cfg(feature = "lambda-s3")]
use std::time::Duration;

use crate::agent_args::AgentArgs;
#[cfg(feature = "lambda-s3")]
use mitt_net::s3::{MAX_LINK_LIFE, S3Address};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt lambda --skills precompiled --trust-precompiled precompiled --precompiled-key key.pub \
                  --trust-skills\n  mitt lambda --out /mnt/files"
)]
pub(crate) struct Lambda {
    /// Where to write the files of an invocation, such as a mounted file system: each has its own folder below it, named by its
    /// request [default: files are in the answer, which has at most 6 MB]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Stream answers over HTTP, for function URLs with the invoke mode RESPONSE_STREAM. They have at most 20 MiB in place of 6 MB, and
    /// notifications of MCP come while a tool works
    #[cfg(feature = "serve")]
    #[arg(long)]
    pub(crate) stream: bool,
    #[cfg(feature = "lambda-s3")]
    #[command(flatten)]
    pub(crate) s3: LambdaS3,
    // The model of events `run`. `--tools` also decides what clients of MCP see.
    #[command(flatten)]
    pub(crate) agent_args: AgentArgs,
}

/// Options about objects of S3.
#[cfg(feature = "lambda-s3")]
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LambdaS3 {
    /// Objects that events may name as documents: `s3://bucket/prefix`, or `s3://bucket` for all of a bucket. May be given several
    /// times [default: none]
    #[arg(long = "s3", value_name = "ADDRESS", value_parser = s3_address)]
    pub(crate) readable: Vec<S3Address>,
    /// Where files go that do not fit into an answer, and those of messages of SQS: `s3://bucket/prefix`. The answer has signed
    /// links to them [default: nowhere]
    #[arg(long, value_name = "ADDRESS", value_parser = s3_address, conflicts_with = "out")]
    pub(crate) results: Option<S3Address>,
    /// How long these links are good, at most 7 days. They end earlier if the key of the function does
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = link_life)]
    pub(crate) link_life: Duration,
    /// File of rules: what is made of an object when an event of S3 says that it was created
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Region of the buckets [default: AWS_REGION, which Lambda sets to that of the function]
    #[arg(long, value_name = "REGION")]
    pub(crate) s3_region: Option<String>,
}

#[cfg(feature = "lambda-s3")]
fn s3_address(text: &str) -> Result<S3Address, String> {
    S3Address::parse(text).map_err(|error| error.render())
}

/// Parses the life of a link.
#[cfg(feature = "lambda-s3")]
fn link_life(text: &str) -> Result<Duration, String> {
    match super::duration(text)? {
        life if life < Duration::from_secs(1) => Err("expected at least `1s`".to_owned()),
        life if life > MAX_LINK_LIFE => Err("expected at most 7 days (`168h`)".to_owned()),
        life => Ok(life),
    }
}

#[cfg(all(test, feature = "lambda-s3"))]
mod tests {
    use super::*;

    #[test]
    fn links_live_between_a_second_and_a_week() {
        assert_eq!(link_life("168h").unwrap(), MAX_LINK_LIFE);
        assert_eq!(link_life("1s").unwrap(), Duration::from_secs(1));
        for wrong in ["169h", "999ms", "0s", "soon"] {
            assert!(link_life(wrong).unwrap_err().starts_with("expected"), "{wrong}");
        }
    }

    #[test]
    fn an_address_that_is_wrong_is_refused_with_the_way_out() {
        assert_eq!(s3_address("s3://bucket/a/").unwrap().to_string(), "s3://bucket/a");
        let error = s3_address("https://bucket/a").unwrap_err();
        assert!(error.contains("s3://bucket/prefix"), "{error}");
    }
}
