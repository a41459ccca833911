//! Answers one client: each method of the protocol is passed to the file that handles it.
#![expect(
    deprecated,
    reason = "log messages and `resources/subscribe` leave the protocol after 2025-11-25"
)]

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, LoggingLevel, PaginatedRequestParams,
    ProtocolVersion, ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig,
    SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    TASKS_EXTENSION_ID, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::activation::{self, Dispatch};
use super::apps;
use super::calls::{Audience, Call, RetriedCall, progress_token};
use super::catalogue::Catalogue;
use super::changes::{Listener, Promises};
use super::client::ClientSession;
use super::elicitation::ElicitationSupport;
use super::methods::REVISIONS;
use super::options::{Client, Schemas};
use super::pages::page;
use super::pictures;
use super::raw_message::{FindArguments, FindBase};
use super::request::{is_modern, session_name};
use super::server::Server;
use super::tool_lists::ADD_DOCUMENT;
use super::{
    completion, files, long_calls, methods, raw_message, resources, results, schemas, skills,
    traces,
};
use mitt_base::lock;

/// How long a client that does not listen may cache what depends on skills, in milliseconds.
const FRESH_MS: u64 = 30_000;
/// Most resources that a connection can subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1_024;

/// The handler of one connection or, in 2026-07-28, of one request.
pub(super) struct Handler {
    server: Server,
    client: Client,
    /// Finds the text of a call's arguments, where the transport has put it.
    pub(super) find_arguments: FindArguments,
    /// Finds the address of the server, where the transport has put it.
    pub(super) find_base: FindBase,
    /// `true` after an `initialize`: the connection then has its own session.
    is_initialized: AtomicBool,
    own: OnceCell<Arc<ClientSession>>,
    /// Set from `initialize` until the client says that it is ready.
    listener: Mutex<Option<Listener>>,
    teller: Mutex<Option<AbortOnDropHandle<()>>>,
    subscriptions: Arc<Mutex<HashSet<String>>>,
    promised: Promises,
    level: Mutex<Option<LoggingLevel>>,
    /// Cancelled when the client can send no more requests, so that nothing waits for streams that only it can end.
    gone: CancellationToken,
}

impl Drop for Handler {
    fn drop(&mut self) {
        // Tasks may keep the session alive.
        if let Some(own) = self.own.get() {
            own.end();
        }
    }
}

impl Handler {
    pub(super) fn new(server: Server, client: Client) -> Handler {
        Handler {
            server,
            client,
            find_arguments: raw_message::from_extensions,
            find_base: |_| None,
            is_initialized: AtomicBool::new(false),
            own: OnceCell::new(),
            listener: Mutex::default(),
            teller: Mutex::default(),
            subscriptions: Arc::default(),
            promised: Promises::default(),
            level: Mutex::default(),
            gone: CancellationToken::new(),
        }
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn gone(&self) -> &CancellationToken {
        &self.gone
    }

    /// Opens the connection's own session, so that its documents are read before the first request, unless their reader must
    /// be compiled first.
    ///
    /// # Errors
    ///
    /// Those of [`Host::session`](mitt::Host::session), and errors of documents that cannot be read.
    pub(super) async fn open(&self) -> mitt_base::Result<Arc<ClientSession>> {
        // Boxed: it is rare and large, and a part of every request's future.
        let open = || Box::pin(self.server.open(&self.client));
        self.own.get_or_try_init(open).await.cloned()
    }

    /// Returns the session of a request, and opens it if it does not exist.
    async fn session(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<ClientSession>, ErrorData> {
        // The connection's own session has no name.
        let name = if self.is_alone() { "" } else { session_name(context)? };
        with_documents(self.own_or_shared(name).await?).await
    }

    /// Returns the connection's own session, or the session `name` that connections of the client share. Opens it if it does
    /// not exist.
    async fn own_or_shared(&self, name: &str) -> Result<Arc<ClientSession>, ErrorData> {
        let opened = if self.is_alone() {
            self.open().await
        } else {
            self.server.shared_session(&self.client, name).await
        };
        opened.map_err(|error| results::refused(&error))
    }

    /// Returns the session of a request that only looks, without opening one.
    async fn seen(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<ClientSession>, ErrorData> {
        with_documents(self.looked_at(context, true).await?).await
    }

    /// Returns the catalogue for the session of a request. It says nothing about the session itself, so the end of an
    /// earlier session is still to be reported.
    async fn catalogue(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<Catalogue>, ErrorData> {
        Ok(self.looked_at(context, false).await?.catalogue(self.server.catalogues()).await)
    }

    async fn looked_at(
        &self,
        context: &RequestContext<RoleServer>,
        is_told: bool,
    ) -> Result<Arc<ClientSession>, ErrorData> {
        if self.is_alone() {
            return self.open().await.map_err(|error| results::refused(&error));
        }
        let name = session_name(context)?;
        let seen = self.server.seen_session(&self.client, name, is_told).await;
        seen.map_err(|error| results::refused(&error))
    }

    /// Returns `true` if the connection has its own session.
    fn is_alone(&self) -> bool {
        let is_initialized = self.is_initialized.load(Ordering::Relaxed);
        self.client.id.is_none() || is_initialized && !self.server.options().shares_sessions
    }

    /// Returns the least important level of messages that a request wants.
    fn level(&self, context: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        if is_modern(context) {
            return context.meta.log_level();
        }
        *lock(&self.level)
    }

    /// Returns the audience of a call that `context` requests.
    fn audience(&self, context: &RequestContext<RoleServer>) -> Result<Audience, ErrorData> {
        let client = context.client_info().map(|client| client.name);
        Ok(Audience {
            token: progress_token(context)?,
            is_answered: Arc::default(),
            level: self.level(context),
            has_images: pictures::has_images(self.server.options().images, client.as_deref()),
            reads_content: !client.as_deref().is_some_and(|name| name.contains("codex")),
            has_apps: apps::shows_apps(context.client_capabilities().as_ref()),
            has_links: files::has_links(self.server.options().resource_links, client.as_deref()),
            base: (self.find_base)(&context.extensions),
            peer: context.peer.clone(),
        })
    }

    /// Returns the text of a call's arguments: as sent if the transport kept it, otherwise as rmcp read it.
    fn arguments(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<str>, ErrorData> {
        match ((self.find_arguments)(&context.extensions), &request.arguments) {
            (Some(raw_message::Arguments(text)), Some(_)) => Ok(text),
            (_, None) => Ok("{}".into()),
            (None, Some(arguments)) => serde_json::to_string(arguments)
                .map(Arc::from)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None)),
        }
    }
}

/// Returns the session once it has the documents that every session has.
async fn with_documents(client: Arc<ClientSession>) -> Result<Arc<ClientSession>, ErrorData> {
    client.ready().await.map_err(|error| results::refused(&error))?;
    Ok(client)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.server.about()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Owned(REVISIONS.to_vec())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        self.is_initialized.store(true, Ordering::Relaxed);
        let session = self.own_or_shared("").await?;
        if self.is_alone() {
            session.listens(false);
        }
        let listener = Listener::new(&self.server, &session);
        *lock(&self.listener) = Some(listener);
        // Revisions with a handshake have another kind of tasks.
        if let Some(extensions) = &mut result.capabilities.extensions {
            extensions.remove(TASKS_EXTENSION_ID);
        }
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let listener = lock(&self.listener).take();
        let Some(listener) = listener else { return };
        if let Some(session) = self.own.get() {
            session.listens(true);
        }
        let subscriptions = self.subscriptions.clone();
        let task = tokio::spawn(listener.notify(context.peer, subscriptions));
        *lock(&self.teller) = Some(AbortOnDropHandle::new(task));
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *lock(&self.level) = Some(request.level);
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let client = self.looked_at(&context, false).await?;
        let catalogue = client.catalogue(self.server.catalogues()).await;
        let (mut tools, next) = page(&catalogue.listed(&client.active()), request)?;
        let is_python = context.client_info().is_some_and(|client| client.name == files::UNNAMED);
        if is_python && self.server.options().schemas == Schemas::Portable {
            for tool in &mut tools {
                tool.input_schema = Arc::new(schemas::with_nullable(&tool.input_schema));
            }
        }
        apps::add_to(&mut tools, context.client_capabilities().as_ref(), next.is_none());
        let mut result = ListToolsResult::with_all_items(tools);
        result.next_cursor = next;
        Ok(if is_modern(&context) {
            let fresh = activation::fresh_ms(&self.server, FRESH_MS);
            result.with_ttl_ms(fresh).with_cache_scope(CacheScope::Private)
        } else {
            result
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.own.get()?.known_catalogue()?.tool(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.session(&context).await?;
        let is_modern = is_modern(&context);
        let capabilities = context.client_capabilities();
        // Other clients were not given these tools.
        if apps::is_app_tool(&request.name) && apps::shows_apps(capabilities.as_ref()) {
            let arguments = self.arguments(&request, &context)?;
            let called = apps::call(self.server.previews(), &client, &request.name, &arguments);
            return called.await.map(Into::into);
        }
        let peer = (!is_modern).then_some(&context.peer);
        let retried = request.request_state.as_ref().filter(|_| is_modern);
        let call = Call {
            arguments: self.arguments(&request, &context)?,
            elicitation: ElicitationSupport::of(capabilities.as_ref(), peer),
            parent: traces::Parent::of(&context),
            retried: retried.map(|state| RetriedCall {
                state: state.clone(),
                responses: request.input_responses.clone(),
            }),
            tool: request.name.into_owned(),
            is_indirect: false,
            audience: self.audience(&context)?,
            server: self.server.clone(),
            client,
        };
        let call = match activation::dispatch(call).await {
            Dispatch::Call(call) => *call,
            Dispatch::Answered(answer) => return Ok(*answer),
        };
        let takes_tasks = is_modern
            && call.tool != ADD_DOCUMENT
            && capabilities.is_some_and(|it| it.supports_tasks());
        // Boxed, because rmcp would otherwise move a future of this size again and again.
        if takes_tasks {
            Box::pin(long_calls::make(call, &context.ct)).await
        } else {
            Box::pin(call.make(&context.ct)).await
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let client = self.seen(&context).await?;
        let catalogue = client.catalogue(self.server.catalogues()).await;
        let mut all = resources::list(&client.session, &catalogue, self.server.folders());
        if apps::shows_apps(context.client_capabilities().as_ref()) {
            all.push(apps::resource());
        }
        let (list, next) = page(&all, request)?;
        let mut result = ListResourcesResult::with_all_items(list);
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (list, _) = page(&resources::templates(), request)?;
        Ok(ListResourceTemplatesResult::with_all_items(list))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let shows_apps = apps::shows_apps(context.client_capabilities().as_ref());
        if let Some(viewer) = apps::read(&request.uri).filter(|_| shows_apps) {
            return Ok(ReadResourceResult::new(vec![viewer]).into());
        }
        let client = self.seen(&context).await?;
        let catalogue = client.catalogue(self.server.catalogues()).await;
        let most = self.server.host().session_limits().document_bytes;
        let read = self.server.folders().read_resource(&client.session, &request.uri, most);
        read.await.map_err(|error| results::refused(&error))?;
        let contents = resources::read(&client.session, &catalogue, &request.uri)?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let catalogue = self.catalogue(&context).await?;
        let children = skills::children(&catalogue.skills, &request.uri)?;
        let mut page_of = PaginatedRequestParams::default();
        page_of.cursor = request.cursor;
        let (list, next) = page(&children, Some(page_of))?;
        let mut result = ListResourcesResult::with_all_items(list);
        result.next_cursor = next;
        Ok(result)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        resources::check_subscription(&request.uri)?;
        let mut subscriptions = lock(&self.subscriptions);
        if subscriptions.len() >= MAX_SUBSCRIPTIONS && !subscriptions.contains(&request.uri) {
            let message = format!("at most {MAX_SUBSCRIPTIONS} subscriptions; end others first");
            return Err(ErrorData::invalid_params(message, None));
        }
        subscriptions.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        lock(&self.subscriptions).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| resources::check_subscription(uri).is_ok());
            uris.truncate(MAX_SUBSCRIPTIONS);
        }
        // rmcp confirms to the client before it calls `listen`.
        self.promised.make();
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let promised = self.promised.take();
        let client = self.session(context.request_context()).await?;
        let mut listener = Listener::since(&self.server, &client, promised);
        let (sink, accepted) = (context.sink(), context.accepted());
        let wants = |kind: Option<bool>| kind == Some(true);
        let uris = accepted.resource_subscriptions.clone().unwrap_or_default();
        loop {
            let changes = tokio::select! {
                biased;
                () = context.cancelled() => return Ok(()),
                () = self.gone.cancelled() => return Ok(()),
                changes = listener.next() => changes,
            };
            let Some(changes) = changes else { return Ok(()) };
            let mut sent = Ok(());
            if changes.tools && wants(accepted.tools_list_changed) {
                sent = sent.and(sink.notify_tool_list_changed().await);
            }
            if changes.prompts && wants(accepted.prompts_list_changed) {
                sent = sent.and(sink.notify_prompt_list_changed().await);
            }
            if changes.resources && wants(accepted.resources_list_changed) {
                sent = sent.and(sink.notify_resource_list_changed().await);
            }
            let is_updated = |uri: &&String| changes.all_updated || changes.updated.contains(uri);
            for uri in uris.iter().filter(is_updated) {
                sent = sent.and(sink.notify_resource_updated(uri.clone()).await);
            }
            if sent.is_err() {
                return Ok(());
            }
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let catalogue = self.catalogue(&context).await?;
        let prompts: Vec<_> = catalogue.prompts.iter().map(|it| it.prompt.clone()).collect();
        let (prompts, next) = page(&prompts, request)?;
        let mut result = ListPromptsResult::with_all_items(prompts);
        result.next_cursor = next;
        Ok(if is_modern(&context) {
            result.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private)
        } else {
            result
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let catalogue = self.catalogue(&context).await?;
        let known = || catalogue.prompts.iter().map(|it| it.prompt.name.as_str());
        let Some(prompt) = catalogue.prompts.iter().find(|it| it.prompt.name == request.name)
        else {
            let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(&request.name, 64));
            let message = match mitt_base::text::nearest(&request.name, known()).first() {
                Some(nearest) => format!("unknown prompt `{shown}`; did you mean `{nearest}`?"),
                None => format!("unknown prompt `{shown}`"),
            };
            return Err(ErrorData::invalid_params(message, None));
        };
        prompt.said(request.arguments.as_ref()).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let client = self.seen(&context).await?;
        let catalogue = client.catalogue(self.server.catalogues()).await;
        completion::complete(&client.session, &catalogue, &request)
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let catalogue = self.catalogue(&context).await?;
        let entries: Vec<_> = catalogue.skills.iter().map(|it| it.entry.clone()).collect();
        let (entries, next) = page(&entries, request)?;
        let mut result = ListSkillsResult::with_all_items(entries);
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let catalogue = self.catalogue(&context).await?;
        match catalogue.skills.iter().find(|it| it.entry.uri == request.uri) {
            Some(skill) => Ok(GetSkillResult::new(skill.entry.clone())),
            None => {
                let data = serde_json::json!({ "uri": request.uri });
                Err(ErrorData::invalid_params("no skill is served there", Some(data)))
            }
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.seen(&context).await?.tasks.get(&request.task_id)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let now = self.server.host().environment().now();
        let tasks = &self.seen(&context).await?.tasks;
        tasks.update(&request.task_id, request.input_responses, now)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let now = self.server.host().environment().now();
        self.seen(&context).await?.tasks.cancel(&request.task_id, now)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.as_str();
        // A known method gets here only if its parameters do not fit.
        if methods::has(method, is_modern(&context)) {
            let message = format!("the parameters do not fit `{}`", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(&request.method, 128));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("no method `{shown}`"), None))
    }
}
