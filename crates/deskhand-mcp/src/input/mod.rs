//! Requests to the client and its user: elicitation, sampling and roots. In protocol 2025-11-25 and
//! older, the server sends a request and waits. In 2026-07-28, the call ends with an
//! `InputRequiredResult`, and the client makes it again with the responses.
#![expect(deprecated, reason = "sampling and roots are used by the conformance fixtures")]

mod question;
mod request;
pub(crate) mod roots;
mod round_trips;
mod sampling;
mod state_signer;

use std::sync::Arc;

use deskhand_engine::{ElicitResponse, Question, QuestionPurpose, WaitMode};
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams,
    ElicitRequest, ErrorData, InputRequest, InputRequiredResult, ListRootsRequest,
};
use serde_json::Value;

use crate::{
    server::client::{Client, Era},
    task::store::Task,
};
pub(crate) use request::send as send_request;
use round_trips::RoundTrips;
pub(crate) use state_signer::StateSigner;

/// An input request to a client.
#[derive(Debug, Clone)]
pub(crate) enum InputQuery {
    /// Elicitation in form mode.
    ElicitForm {
        /// The message shown to the user.
        message: String,
        /// The requested schema.
        schema: Value,
    },
    /// Elicitation in URL mode.
    ElicitUrl {
        /// The message shown to the user.
        message: String,
        /// The URL to open.
        url: String,
    },
    /// A message from the client's model.
    Sampling(Box<CreateMessageRequestParams>),
    /// The client's roots.
    #[cfg_attr(not(feature = "conformance"), expect(dead_code, reason = "used by fixtures"))]
    Roots,
}

/// The outcome of an input request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum InputOutcome {
    /// The client's result, as its method defines it.
    Answer(Value),
    /// The client does not support the request.
    Unsupported,
    /// The call ends here, and the client makes it again with the response.
    Deferred,
    /// The client sent no usable response.
    NoAnswer,
}

impl InputQuery {
    /// Returns `true` if the client declares the capability this request needs.
    pub(crate) fn is_supported_by(&self, capabilities: &ClientCapabilities) -> bool {
        let elicits = capabilities.elicitation.as_ref();
        match self {
            // Versions before 2025-11-25 declare no mode and mean form mode.
            Self::ElicitForm { .. } => {
                elicits.is_some_and(|it| it.form.is_some() || it.url.is_none())
            }
            Self::ElicitUrl { .. } => elicits.is_some_and(|it| it.url.is_some()),
            Self::Sampling(params) => sampling::is_supported(params, capabilities),
            Self::Roots => capabilities.roots.is_some(),
        }
    }

    /// Converts this into the request of the protocol.
    ///
    /// # Errors
    ///
    /// Returns an error if the form's schema is not one the protocol allows.
    pub(crate) fn into_request(self) -> Result<InputRequest, ErrorData> {
        Ok(match self {
            Self::ElicitForm { message, schema } => InputRequest::Elicitation(ElicitRequest::new(
                rmcp::model::ElicitRequestParams::FormElicitationParams {
                    meta: None,
                    message,
                    requested_schema: serde_json::from_value(schema)
                        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
                },
            )),
            Self::ElicitUrl { message, url } => InputRequest::Elicitation(ElicitRequest::new(
                rmcp::model::ElicitRequestParams::UrlElicitationParams {
                    meta: None,
                    message,
                    url,
                    elicitation_id: uuid::Uuid::new_v4().simple().to_string(),
                },
            )),
            Self::Sampling(params) => {
                InputRequest::CreateMessage(CreateMessageRequest::new(*params))
            }
            Self::Roots => InputRequest::ListRoots(ListRootsRequest::default()),
        })
    }
}

/// Sends input requests for one call.
#[derive(Debug)]
pub(crate) struct ClientPrompt {
    /// The client.
    pub(crate) client: Client,
    channel: Channel,
}

#[derive(Debug)]
enum Channel {
    Request,
    Rounds(Mutex<RoundTrips>),
    Task(Arc<Task>),
}

impl ClientPrompt {
    /// Creates the prompt of a call that is answered directly.
    ///
    /// # Errors
    ///
    /// Returns an error if the client sends a request state that is not valid for this call.
    pub(crate) fn for_call(
        client: Client,
        params: &CallToolRequestParams,
        signer: &StateSigner,
    ) -> Result<Self, ErrorData> {
        let bound_data = round_trips::bound_data(&params.name, params.arguments.as_ref());
        let (responses, state) = (params.input_responses.clone(), params.request_state.as_deref());
        Self::new(client, bound_data, responses, state, signer)
    }

    /// Creates the prompt of any request that can be made again with input responses.
    pub(crate) fn new(
        client: Client,
        mut bound_data: Vec<u8>,
        responses: Option<rmcp::model::InputResponses>,
        state: Option<&str>,
        signer: &StateSigner,
    ) -> Result<Self, ErrorData> {
        // A request state is bound to its principal.
        bound_data.extend_from_slice(client.principal.name.as_bytes());
        let channel = match client.era {
            Era::Handshake(_) => Channel::Request,
            Era::Stateless => {
                Channel::Rounds(Mutex::new(RoundTrips::open(signer, bound_data, responses, state)?))
            }
        };
        Ok(Self { client, channel })
    }

    /// Creates the prompt of a call that runs as a task.
    pub(crate) fn for_task(client: Client, task: Arc<Task>) -> Self {
        Self { client, channel: Channel::Task(task) }
    }

    /// Sends an input request. `key` identifies it within this call.
    ///
    /// # Errors
    ///
    /// Returns an error if the request is invalid.
    #[cfg(feature = "conformance")]
    pub(crate) async fn ask(
        &self,
        key: &str,
        query: InputQuery,
    ) -> Result<InputOutcome, ErrorData> {
        self.request_input(key, QuestionPurpose::Information, query).await
    }

    async fn request_input(
        &self,
        key: &str,
        asks: QuestionPurpose,
        query: InputQuery,
    ) -> Result<InputOutcome, ErrorData> {
        if !query.is_supported_by(&self.client.capabilities) {
            return Ok(InputOutcome::Unsupported);
        }
        let fingerprint = round_trips::fingerprint(&query);
        let request = query.into_request()?;
        match &self.channel {
            Channel::Request => Ok(request::send(&self.client, request, None).await),
            Channel::Rounds(rounds) => {
                let mut rounds = rounds.lock();
                Ok(rounds.ask(key, asks, fingerprint, request))
            }
            Channel::Task(task) => Ok(task
                .request_input(key, request)
                .await
                .map_or(InputOutcome::NoAnswer, InputOutcome::Answer)),
        }
    }

    /// Sets the status message of the call, if it runs as a task.
    pub(crate) fn set_status_message(&self, message: &str) {
        if let Channel::Task(task) = &self.channel {
            task.set_status_message(message);
        }
    }

    /// Returns the task of the call, if it runs as one.
    pub(crate) fn task(&self) -> Option<Arc<Task>> {
        match &self.channel {
            Channel::Request | Channel::Rounds(_) => None,
            Channel::Task(task) => Some(Arc::clone(task)),
        }
    }

    /// Returns how long the call waits for background work: a task waits until it is done.
    pub(crate) fn wait_mode(&self) -> WaitMode {
        match &self.channel {
            Channel::Request | Channel::Rounds(_) => WaitMode::Default,
            Channel::Task(_) => WaitMode::UntilDone,
        }
    }

    /// Sends a question of a tool to the client.
    ///
    /// # Errors
    ///
    /// Returns an error if the question is invalid.
    pub(crate) async fn ask_question(
        &self,
        question: &Question,
    ) -> Result<ElicitResponse, ErrorData> {
        let outcome =
            self.request_input(question.key, question.purpose, InputQuery::from(question)).await?;
        Ok(question::answer(question, outcome))
    }

    /// Returns the keys of the questions whose answers came with the call.
    pub(crate) fn answered_keys(&self) -> Vec<String> {
        match &self.channel {
            Channel::Request | Channel::Task(_) => Vec::new(),
            Channel::Rounds(rounds) => rounds.lock().answered_keys(),
        }
    }

    /// Returns the input the client must provide before it makes the call again, if there is any.
    ///
    /// # Errors
    ///
    /// Returns an error if the request state cannot be sealed.
    pub(crate) fn required_input(
        &self,
        signer: &StateSigner,
    ) -> Result<Option<InputRequiredResult>, ErrorData> {
        match &self.channel {
            Channel::Request | Channel::Task(_) => Ok(None),
            Channel::Rounds(rounds) => rounds.lock().required_input(signer),
        }
    }
}
