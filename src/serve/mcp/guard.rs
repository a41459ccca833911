//! The edge of the protocol: every request gets an answer, even if its handler panics.
#![expect(
    deprecated,
    reason = "log messages and `resources/subscribe` leave the protocol after 2025-11-25"
)]

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse,
    GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use tokio_util::sync::CancellationToken;

use super::client::ClientSession;
use super::connection::Handler;
use super::options::Client;
use super::raw_message::{FindArguments, FindBase};
use super::results;
use super::server::Server;
use mitt_base::panics;

/// Answers one connection or, in 2026-07-28, one request.
pub struct Connection(pub(super) Handler);

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("client", self.0.client()).finish_non_exhaustive()
    }
}

impl Server {
    /// Makes the handler of one connection or, in 2026-07-28, of one request. Cheap: a session is opened only when a request
    /// needs it.
    pub fn connection(&self, client: Client) -> Connection {
        Connection(Handler::new(self.clone(), client))
    }
}

impl Connection {
    /// Takes the text of calls' arguments and the address of the server from where the transport puts them.
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "only the transport over HTTP, which is rmcp's, needs it")
    )]
    pub(crate) fn finding(mut self, arguments: FindArguments, base: FindBase) -> Connection {
        (self.0.find_arguments, self.0.find_base) = (arguments, base);
        self
    }

    pub(super) fn gone(&self) -> &CancellationToken {
        self.0.gone()
    }

    /// Opens the connection's own session, so that its documents are read before the first request.
    ///
    /// # Errors
    ///
    /// Those of [`Host::session`](mitt::Host::session), and errors of documents that cannot be read.
    pub(super) async fn open(&self) -> mitt_base::Result<Arc<ClientSession>> {
        self.0.open().await
    }
}

/// Methods that the handler implements.
macro_rules! handled {
    ($($method:ident($($name:ident: $kind:ty),+) -> $result:ty;)+) => {
        $(async fn $method(&self, $($name: $kind),+) -> Result<$result, ErrorData> {
            results::answered(self.0.$method($($name),+)).await
        })+
    };
}

type Context = RequestContext<RoleServer>;
type Paged = Option<PaginatedRequestParams>;

impl ServerHandler for Connection {
    handled! {
        initialize(request: InitializeRequestParams, context: Context) -> InitializeResult;
        set_level(request: SetLevelRequestParams, context: Context) -> ();
        list_tools(request: Paged, context: Context) -> ListToolsResult;
        call_tool(request: CallToolRequestParams, context: Context) -> CallToolResponse;
        list_resources(request: Paged, context: Context) -> ListResourcesResult;
        list_resource_templates(request: Paged, context: Context) -> ListResourceTemplatesResult;
        read_resource(request: ReadResourceRequestParams, context: Context) -> ReadResourceResponse;
        read_resource_directory(request: ReadResourceDirectoryRequestParams, context: Context)
            -> ReadResourceDirectoryResult;
        subscribe(request: SubscribeRequestParams, context: Context) -> ();
        unsubscribe(request: UnsubscribeRequestParams, context: Context) -> ();
        listen(context: SubscriptionContext) -> ();
        list_prompts(request: Paged, context: Context) -> ListPromptsResult;
        get_prompt(request: GetPromptRequestParams, context: Context) -> GetPromptResponse;
        complete(request: CompleteRequestParams, context: Context) -> CompleteResult;
        list_skills(request: Paged, context: Context) -> ListSkillsResult;
        get_skill(request: GetSkillRequestParams, context: Context) -> GetSkillResult;
        get_task(request: GetTaskParams, context: Context) -> GetTaskResult;
        update_task(request: UpdateTaskParams, context: Context) -> ();
        cancel_task(request: CancelTaskParams, context: Context) -> ();
        on_custom_request(request: CustomRequest, context: Context) -> CustomResult;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // A notification has no answer; only the news is lost.
        let _ = panics::caught("the request", self.0.on_initialized(context)).await;
    }

    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.supported_protocol_versions()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.get_tool(name)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.0.accepted_subscription_filter(requested)
    }
}
