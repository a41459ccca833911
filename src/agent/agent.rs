//! Agent: a model with its settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::caller_function::{self, CallerFunction};
use crate::model::{ChatModel, Cost, Prices, ToolSpec, Usage};
use crate::options::AgentLimits;
use crate::route::Router;
use crate::scripts::AroundScripts;
use crate::team::{AgentMd, Team};
use mitt::offer::ToolMode;
use mitt_base::Result;

/// Model with the tools that it is shown, and its limits. One value can serve many sessions.
pub struct Agent {
    model: Arc<dyn ChatModel>,
    mode: ToolMode,
    /// `false` if the model gets only the functions of the caller.
    has_tools: bool,
    /// Functions of the caller.
    functions: Arc<[ToolSpec]>,
    limits: AgentLimits,
    /// `None` for the prices that come with this version.
    prices: Option<Arc<Prices>>,
    has_tags: bool,
    /// Instructions in addition to those of every agent.
    instructions: Option<Arc<str>>,
    /// Skills whose instructions it has from the beginning.
    skills: Vec<String>,
    team: Option<Arc<Team>>,
    /// Agents of the team that can take the conversation over, by name.
    heads: BTreeMap<String, Agent>,
    router: Option<Router>,
    /// What is done around the scripts of the model.
    scripts: Option<Arc<dyn AroundScripts>>,
}

/// Builder of an [`Agent`].
pub struct AgentBuilder {
    agent: Agent,
    has_heads: bool,
}

impl Agent {
    /// Returns a builder for an agent with this model.
    pub fn builder(model: Arc<dyn ChatModel>) -> AgentBuilder {
        let (mode, limits) = (ToolMode::default(), AgentLimits::default());
        let agent = Agent {
            model,
            mode,
            has_tools: true,
            functions: Arc::default(),
            limits,
            prices: None,
            has_tags: false,
            instructions: None,
            skills: Vec::new(),
            team: None,
            heads: BTreeMap::new(),
            router: None,
            scripts: None,
        };
        AgentBuilder { agent, has_heads: false }
    }

    /// Returns a builder for the same agent with another model, without delegation and functions of the caller.
    pub(crate) fn with(&self, model: Arc<dyn ChatModel>) -> AgentBuilder {
        let mut builder = Agent::builder(model);
        let agent = &mut builder.agent;
        (agent.mode, agent.has_tags) = (self.mode, self.has_tags);
        (agent.limits, agent.prices) = (self.limits.clone(), self.prices.clone());
        (agent.instructions, agent.skills) = (self.instructions.clone(), self.skills.clone());
        builder
    }

    pub(crate) fn model(&self) -> &dyn ChatModel {
        self.model.as_ref()
    }

    pub(crate) fn shared_model(&self) -> Arc<dyn ChatModel> {
        self.model.clone()
    }

    pub(crate) fn shared_prices(&self) -> Option<Arc<Prices>> {
        self.prices.clone()
    }

    pub(crate) fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    pub(crate) fn skills(&self) -> &[String] {
        &self.skills
    }

    pub(crate) fn team(&self) -> Option<&Arc<Team>> {
        self.team.as_ref()
    }

    /// Returns the agent of this name that can take the conversation over.
    pub(crate) fn head(&self, name: &str) -> Option<&Agent> {
        self.heads.get(name)
    }

    pub(crate) fn prices(&self) -> &Prices {
        self.prices.as_deref().unwrap_or(Prices::known())
    }

    pub(crate) fn mode(&self) -> ToolMode {
        self.mode
    }

    /// Returns `true` if tags count. Without tools, no tag can stand for a call.
    pub(crate) fn has_tags(&self) -> bool {
        self.has_tags && self.has_tools
    }

    /// Returns `true` if the model gets the tools of the session.
    pub(crate) fn has_tools(&self) -> bool {
        self.has_tools
    }

    /// Returns the functions of the caller, as they are described to the model.
    pub(crate) fn functions(&self) -> &Arc<[ToolSpec]> {
        &self.functions
    }

    /// Returns the gates for instructions, if any.
    pub(crate) fn router(&self) -> Option<&Router> {
        self.router.as_ref()
    }

    /// Returns what is done around the scripts of the model, if anything.
    pub(crate) fn scripts(&self) -> Option<&Arc<dyn AroundScripts>> {
        self.scripts.as_ref()
    }

    pub(crate) fn limits(&self) -> &AgentLimits {
        &self.limits
    }

    /// Returns the cost of these requests; `None` if the model's price is unknown.
    pub(crate) fn cost(&self, requests: &[Usage]) -> Option<Cost> {
        let prices = self.prices();
        let costs = requests.iter().map(|usage| prices.cost(self.model.name(), usage));
        costs.sum()
    }
}

impl AgentBuilder {
    /// Sets how tools are shown. Default: [`ToolMode::Script`].
    #[must_use]
    pub fn tools(mut self, mode: ToolMode) -> AgentBuilder {
        self.agent.mode = mode;
        self
    }

    /// Adds functions that the caller carries out, next to the tools of the session. Default: none.
    ///
    /// If the model calls some, Mitt makes its own calls of that turn first. Then [`Conversation::say`](crate::Conversation::say)
    /// returns a report whose [`pending`](crate::RunReport::pending) has the calls, and the instruction waits:
    /// [`Conversation::provide`](crate::Conversation::provide) hands in each result, and
    /// [`Conversation::go_on`](crate::Conversation::go_on) continues, also in another process. If the user says something else
    /// instead, the calls count as cancelled.
    ///
    /// Agents that get a task, or take the conversation over, do not have these functions, because their tools are restricted by
    /// their own files. Plans do not have them either. A function with the name of a tool of the session is refused when an
    /// instruction begins, because the tools are those of the session.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - there are more than [`MAX_FUNCTIONS`](crate::MAX_FUNCTIONS), or one has
    /// a wrong name, the name of another one, parameters that are no object, or more than
    /// [`MAX_FUNCTION_BYTES`](crate::MAX_FUNCTION_BYTES).
    pub fn functions(mut self, functions: Vec<CallerFunction>) -> Result<AgentBuilder> {
        self.agent.functions = caller_function::specs(functions)?.into();
        Ok(self)
    }

    /// Sets whether the model gets only the [functions](AgentBuilder::functions) of the caller and the plain conversation, for
    /// clients that want a model and no agent. Default: no.
    ///
    /// There are no rules of Mitt in the system message then, only [instructions](AgentBuilder::instructions) and the list of
    /// documents, if there are any; [`AgentLimits::documents`] decides whether their texts are shown. Calls of tools are refused.
    /// Teams, routing and tags have no effect, and no file is missed.
    #[must_use]
    pub fn without_tools(mut self, without: bool) -> AgentBuilder {
        self.agent.has_tools = !without;
        self
    }

    /// Changes the limits of a run.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut AgentLimits)) -> AgentBuilder {
        change(&mut self.agent.limits);
        self
    }

    /// Sets the prices of models. Default: [`Prices::known`].
    #[must_use]
    pub fn prices(mut self, prices: Prices) -> AgentBuilder {
        self.agent.prices = Some(Arc::new(prices));
        self
    }

    /// Sets instructions that precede everything else. Default: none.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> AgentBuilder {
        self.agent.instructions = Some(instructions.into().into());
        self
    }

    /// Allows the model to delegate tasks to these agents, and to transfer the conversation to them. Default: none.
    #[must_use]
    pub fn team(mut self, team: Team) -> AgentBuilder {
        self.agent.team = Some(Arc::new(team));
        self.has_heads = true;
        self
    }

    /// Makes it a member of an existing team.
    pub(crate) fn of_team(
        mut self,
        team: Option<Arc<Team>>,
        prices: Option<Arc<Prices>>,
        skills: Vec<String>,
    ) -> AgentBuilder {
        (self.agent.team, self.agent.prices, self.agent.skills) = (team, prices, skills);
        self
    }

    /// Sets whether tags in the model's answer count, for models that were trained to deliver files by them: `<<<RENDER:pdf>>>`
    /// alone on the last line renders the answer, as if the model had called `report__deliver`; `[FILE_GENERATED: report.xlsx]`
    /// names a file that must have been delivered. Default: no; they are text then.
    #[must_use]
    pub fn tags(mut self, count: bool) -> AgentBuilder {
        self.agent.has_tags = count;
        self
    }

    /// Sends instructions through these gates before the model sees them: `/skill arguments` uses a skill, small talk gets no
    /// tools, and questions about abilities start no sub-agents. Default: none; a slash is text then, and every instruction has
    /// all tools.
    #[must_use]
    pub fn routing(mut self, router: Router) -> AgentBuilder {
        self.agent.router = Some(router);
        self
    }

    /// Has the calls of scripts made by `scripts`. Default: none; they are made like any other call. Agents that get a task, or
    /// take the conversation over, make their own calls.
    #[must_use]
    pub fn around_scripts(mut self, scripts: Arc<dyn AroundScripts>) -> AgentBuilder {
        self.agent.scripts = Some(scripts);
        self
    }

    /// Builds the agent.
    pub fn build(self) -> Agent {
        let AgentBuilder { mut agent, has_heads } = self;
        let Some(team) = agent.team.clone().filter(|_| has_heads) else { return agent };
        let head = |name: &str, file: &AgentMd, model: Option<&Arc<dyn ChatModel>>| {
            let head = Agent {
                model: model.cloned().unwrap_or_else(|| agent.model.clone()),
                mode: agent.mode,
                has_tools: agent.has_tools,
                functions: Arc::default(),
                limits: agent.limits.clone(),
                prices: agent.prices.clone(),
                has_tags: agent.has_tags,
                router: agent.router.clone(),
                instructions: Some(file.instructions.as_str().into()),
                skills: file.skills.clone(),
                team: agent.team.clone(),
                heads: BTreeMap::new(),
                scripts: None,
            };
            (name.to_owned(), head)
        };
        agent.heads = team.members().map(|(name, file, model)| head(name, file, model)).collect();
        agent
    }
}
