//! Requests to the client and its user: elicitation, sampling and roots. In protocol 2025-11-25 and
//! older, the server sends a request and waits. In 2026-07-28, the call ends with an
//! `InputRequiredResult`, and the client makes it again with the responses.
#![expect(deprecated, reason = "sampling and roots are used by the conformance fixtures")]

mod live;
mod question;
pub(crate) mod roots;
mod rounds;
mod sampling;
mod seals;

use std::sync::{Arc, Mutex, PoisonError};

use deskhand_engine::{Asked, Asks, Pace, Question};
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams,
    ElicitRequest, ErrorData, InputRequest, InputRequiredResult, ListRootsRequest,
};
use serde_json::Value;

use crate::{
    server::client::{Client, Era},
    task::store::Task,
};
pub(crate) use live::ask as ask_live;
use rounds::Rounds;
pub(crate) use seals::Seals;

/// An input request to a client.
#[derive(Debug, Clone)]
pub(crate) enum Query {
    /// Elicitation in form mode.
    Form {
        /// The message shown to the user.
        message: String,
        /// The requested schema.
        schema: Value,
    },
    /// Elicitation in URL mode.
    Page {
        /// The message shown to the user.
        message: String,
        /// The URL to open.
        url: String,
    },
    /// A message from the client's model.
    Sample(Box<CreateMessageRequestParams>),
    /// The client's roots.
    Roots,
}

/// The outcome of an input request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    /// The client's result, as its method defines it.
    Answer(Value),
    /// The client does not support the request.
    Nobody,
    /// The call ends here, and the client makes it again with the response.
    Later,
    /// The client sent no usable response.
    Silence,
}

impl Query {
    /// Returns `true` if the client declares the capability this request needs.
    pub(crate) fn fits(&self, capabilities: &ClientCapabilities) -> bool {
        let elicits = capabilities.elicitation.as_ref();
        match self {
            // Versions before 2025-11-25 declare no mode and mean form mode.
            Self::Form { .. } => elicits.is_some_and(|it| it.form.is_some() || it.url.is_none()),
            Self::Page { .. } => elicits.is_some_and(|it| it.url.is_some()),
            Self::Sample(params) => sampling::fits(params, capabilities),
            Self::Roots => capabilities.roots.is_some(),
        }
    }

    /// Converts this into the request of the protocol.
    ///
    /// # Errors
    ///
    /// Returns an error if the form's schema is not one the protocol allows.
    pub(crate) fn request(self) -> Result<InputRequest, ErrorData> {
        Ok(match self {
            Self::Form { message, schema } => InputRequest::Elicitation(ElicitRequest::new(
                rmcp::model::ElicitRequestParams::FormElicitationParams {
                    meta: None,
                    message,
                    requested_schema: serde_json::from_value(schema)
                        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
                },
            )),
            Self::Page { message, url } => InputRequest::Elicitation(ElicitRequest::new(
                rmcp::model::ElicitRequestParams::UrlElicitationParams {
                    meta: None,
                    message,
                    url,
                    elicitation_id: uuid::Uuid::new_v4().simple().to_string(),
                },
            )),
            Self::Sample(params) => InputRequest::CreateMessage(CreateMessageRequest::new(*params)),
            Self::Roots => InputRequest::ListRoots(ListRootsRequest::default()),
        })
    }
}

/// Sends input requests for one call.
#[derive(Debug)]
pub(crate) struct Voice {
    /// The client.
    pub(crate) client: Client,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Live,
    Rounds(Mutex<Rounds>),
    Task(Arc<Task>),
}

impl Voice {
    /// Creates the prompt of a call that is answered directly.
    ///
    /// # Errors
    ///
    /// Returns an error if the client sends a request state that is not valid for this call.
    pub(crate) fn of_call(
        client: Client,
        params: &CallToolRequestParams,
        seals: &Seals,
    ) -> Result<Self, ErrorData> {
        let subject = rounds::subject(&params.name, params.arguments.as_ref());
        let (given, state) = (params.input_responses.clone(), params.request_state.as_deref());
        Self::of(client, subject, given, state, seals)
    }

    /// Creates the prompt of any request that can be made again with input responses.
    pub(crate) fn of(
        client: Client,
        mut subject: Vec<u8>,
        given: Option<rmcp::model::InputResponses>,
        state: Option<&str>,
        seals: &Seals,
    ) -> Result<Self, ErrorData> {
        // A request state is bound to its principal.
        subject.extend_from_slice(client.principal.name.as_bytes());
        let way = match client.era {
            Era::Handshake(_) => Way::Live,
            Era::Modern => Way::Rounds(Mutex::new(Rounds::open(seals, subject, given, state)?)),
        };
        Ok(Self { client, way })
    }

    /// Creates the prompt of a call that runs as a task.
    pub(crate) fn of_task(client: Client, task: Arc<Task>) -> Self {
        Self { client, way: Way::Task(task) }
    }

    /// Sends an input request. `key` identifies it within this call.
    ///
    /// # Errors
    ///
    /// Returns an error if the request is invalid.
    pub(crate) async fn ask(&self, key: &str, query: Query) -> Result<Heard, ErrorData> {
        self.ask_for(key, Asks::What, query).await
    }

    async fn ask_for(&self, key: &str, asks: Asks, query: Query) -> Result<Heard, ErrorData> {
        if !query.fits(&self.client.capabilities) {
            return Ok(Heard::Nobody);
        }
        let words = rounds::words(&query);
        let request = query.request()?;
        match &self.way {
            Way::Live => Ok(live::ask(&self.client, request, None).await),
            Way::Rounds(rounds) => {
                let mut rounds = rounds.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(rounds.ask(key, asks, words, request))
            }
            Way::Task(task) => {
                Ok(task.ask(key, request).await.map_or(Heard::Silence, Heard::Answer))
            }
        }
    }

    /// Sets the status message of the call, if it runs as a task.
    pub(crate) fn say(&self, words: &str) {
        if let Way::Task(task) = &self.way {
            task.say(words);
        }
    }

    /// Returns the task of the call, if it runs as one.
    pub(crate) fn task(&self) -> Option<Arc<Task>> {
        match &self.way {
            Way::Live | Way::Rounds(_) => None,
            Way::Task(task) => Some(Arc::clone(task)),
        }
    }

    /// Returns how long the call waits for background work: a task waits until it is done.
    pub(crate) fn pace(&self) -> Pace {
        match &self.way {
            Way::Live | Way::Rounds(_) => Pace::AsDeclared,
            Way::Task(_) => Pace::ToTheEnd,
        }
    }

    /// Sends a question of a tool to the client.
    ///
    /// # Errors
    ///
    /// Returns an error if the question is invalid.
    pub(crate) async fn put(&self, question: &Question) -> Result<Asked, ErrorData> {
        let heard = self.ask_for(question.key, question.asks, Query::from(question)).await?;
        Ok(question::asked(question, heard))
    }

    /// Returns the keys of the questions whose answers came with the call.
    pub(crate) fn known(&self) -> Vec<String> {
        match &self.way {
            Way::Live | Way::Task(_) => Vec::new(),
            Way::Rounds(rounds) => rounds.lock().unwrap_or_else(PoisonError::into_inner).known(),
        }
    }

    /// Returns the input the client must provide before it makes the call again, if there is any.
    ///
    /// # Errors
    ///
    /// Returns an error if the request state cannot be sealed.
    pub(crate) fn unanswered(
        &self,
        seals: &Seals,
    ) -> Result<Option<InputRequiredResult>, ErrorData> {
        match &self.way {
            Way::Live | Way::Task(_) => Ok(None),
            Way::Rounds(rounds) => {
                rounds.lock().unwrap_or_else(PoisonError::into_inner).required(seals)
            }
        }
    }
}
