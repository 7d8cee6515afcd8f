mod answer;
mod failure;
mod request;

use std::collections::HashMap;
use std::fmt;

use ::genai::adapter::AdapterKind;
use ::genai::chat::{ChatOptions, ChatStreamEvent};
use ::genai::resolver::{AuthData, Endpoint};
use ::genai::{Client, ModelIden, ModelSpec, ServiceTarget};
use futures_util::StreamExt;
use hook_sdk::hook::BoxFuture;
use serde_json::Value;

use super::{Deltas, Model, ModelAnswer, ModelCall, ModelError};

/// A model of any provider that the crate `genai` supports, or of a server with an OpenAI-compatible API. Requires the
/// feature `genai`.
///
/// The name determines the provider: `gpt-…`, `claude-…`, `gemini-…`, `deepseek-…`, `grok-…`, or any name with the
/// provider as a prefix, such as `groq::llama-3.3-70b-versatile`. Any other name is a model of Ollama. For most models,
/// a suffix (`-low`, `-high`, `-max`, …) sets the reasoning effort and is removed from the name. API keys are read from
/// the usual environment variables, such as `OPENAI_API_KEY` and `ANTHROPIC_API_KEY`.
///
/// ```
/// use hooks_agent::model::Genai;
/// use hooks_agent::Harness;
/// use hook_sdk::prelude::*;
///
/// let harness = Harness::builder(Registry::empty())
///     .model("main", Genai::new("claude-sonnet-4-5").max_tokens(8_000))
///     .model("local", Genai::new("qwen3").base_url("http://127.0.0.1:8080/v1"))
///     .build()?;
/// # Ok::<(), ConfigError>(())
/// ```
///
/// Thinking is part of the answer as `{"type": "thinking", …}` blocks. The blocks are sent back to the same model,
/// because some providers require it, and are not sent to other models. Images in messages are sent if they are in the
/// format of OpenAI or Anthropic. Other blocks of unknown types are skipped with a warning in the log.
#[derive(Clone)]
pub struct Genai {
    /// The platform's TLS may be unusable. Each call then returns this error.
    client: Result<Client, String>,
    model: String,
    base_url: Option<String>,
    api_key: Option<String>,
    options: ChatOptions,
    cached: bool,
}

impl Genai {
    /// Creates a client for the model `name`. Its TLS uses the process's default provider of rustls, which becomes `ring`
    /// if the program has not installed one.
    pub fn new(model: impl Into<String>) -> Self {
        crate::tls::install_provider();
        Self {
            client: Client::new().map_err(|error| error.to_string()),
            model: model.into(),
            base_url: None,
            api_key: None,
            options: ChatOptions::default()
                .with_capture_content(true)
                .with_capture_tool_calls(true)
                .with_capture_reasoning_content(true)
                .with_capture_usage(true),
            cached: false,
        }
    }

    /// Sets the URL of the server, such as `http://127.0.0.1:8080/v1`. The server needs an OpenAI-compatible API,
    /// unless the model's name has a provider as a prefix.
    ///
    /// API keys of the environment are not sent to this server. If it needs a key, set it with
    /// [`api_key`](Self::api_key).
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        let mut url = url.into();
        // Joining a URL replaces everything after the last slash of the base.
        if !url.ends_with('/') && !url.contains('?') {
            url.push('/');
        }
        self.base_url = Some(url);
        self
    }

    /// Sets the API key, which replaces the one of the environment.
    #[must_use]
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Sets the maximum number of tokens of an answer. Default: the limit of the provider.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.options = self.options.with_max_tokens(tokens);
        self
    }

    /// Sets the sampling temperature, from 0.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.options = self.options.with_temperature(temperature);
        self
    }

    /// Enables prompt caching for providers that require explicit marks (Anthropic). It marks the tools with the system
    /// prompt, and the last message. The cache is effective as long as no hook rewrites old messages.
    #[must_use]
    pub fn cached(mut self) -> Self {
        self.cached = true;
        self
    }

    /// Adds provider-specific fields to each call. They override fields with the same name.
    #[must_use]
    pub fn extra(mut self, fields: Value) -> Self {
        self.options = self.options.with_extra_body(fields);
        self
    }

    /// Determines the server, model and key of a call.
    async fn target(&self, client: &Client) -> Result<ServiceTarget, ::genai::Error> {
        let Some(url) = &self.base_url else {
            let mut target = client.resolve_service_target(self.model.as_str()).await?;
            if let Some(key) = &self.api_key {
                target.auth = AuthData::from_single(key);
            }
            return Ok(target);
        };
        let provider = self.model.split_once("::").and_then(|(provider, _)| AdapterKind::from_lower_str(provider));
        let model = ModelIden::new(provider.unwrap_or(AdapterKind::OpenAI), self.model.as_str());
        // The protocol requires a key in each call. Servers that need none ignore it.
        let auth = AuthData::from_single(self.api_key.as_deref().unwrap_or("none"));
        Ok(ServiceTarget { endpoint: Endpoint::from_owned(url.as_str()), auth, model })
    }

    async fn ask(&self, call: &ModelCall, deltas: Deltas<'_>) -> Result<ModelAnswer, ModelError> {
        let client = self.client.as_ref().map_err(|error| ModelError::Unanswered(error.clone()))?;
        if let Some(url) = self.base_url.as_deref().filter(|url| !url.starts_with("http")) {
            return Err(ModelError::Unanswered(format!(
                "the base URL `{}` is not a URL; write one such as `http://127.0.0.1:8080/v1`",
                url.trim_end_matches('/')
            )));
        }
        let target = self.target(client).await.map_err(|error| failure::of(error, false))?;
        let mut request = request::of(call, target.model.model_name.as_str());
        if self.cached {
            request = request::marked(request);
        }
        let options = request::options(&self.options, call);
        let asked = client.exec_chat_stream(ModelSpec::from_target(target), request, Some(&options)).await;
        let mut asked = asked.map_err(|error| failure::of(error, false))?;
        let (mut begun, mut inputs) = (false, HashMap::<String, String>::new());
        while let Some(event) = asked.stream.next().await {
            match event.map_err(|error| failure::of(error, begun))? {
                // Sent before any content.
                ChatStreamEvent::Start => {}
                ChatStreamEvent::Chunk(chunk) => {
                    begun = true;
                    deltas.text(&chunk.content);
                }
                ChatStreamEvent::ReasoningChunk(chunk) => {
                    begun = true;
                    deltas.thinking(&chunk.content);
                }
                ChatStreamEvent::ToolCallChunk(chunk) => {
                    begun = true;
                    let call = chunk.tool_call;
                    let so_far = call.fn_arguments.as_str().unwrap_or_default();
                    // Some providers send the accumulated input each time, others only the new part.
                    let known = inputs.entry(call.call_id.clone()).or_default();
                    let fresh = so_far.strip_prefix(known.as_str()).unwrap_or(so_far);
                    if !fresh.is_empty() {
                        deltas.tool_input(&call.call_id, &call.fn_name, fresh);
                    }
                    let fresh = fresh.to_owned();
                    known.push_str(&fresh);
                }
                ChatStreamEvent::End(end) => return Ok(answer::of(end, asked.model_iden.model_name.as_str())),
                _ => begun = true,
            }
        }
        // A connection can be closed cleanly in the middle of an answer.
        Err(ModelError::Broken("the stream ended before the answer did".to_owned()))
    }
}

impl Model for Genai {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(self.ask(call, deltas))
    }
}

impl fmt::Debug for Genai {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Genai").field("model", &self.model).field("base_url", &self.base_url).finish_non_exhaustive()
    }
}
