//! Questions to the client and the person behind it. Both eras ask here: one sends a request and
//! waits, the other ends the call and is called again with the answers.
#![expect(deprecated, reason = "sampling and roots are asked for by the conformance fixtures")]

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

/// Something to ask a client for.
#[derive(Debug, Clone)]
pub(crate) enum Query {
    /// What a person fills in.
    Form {
        /// What the person reads.
        message: String,
        /// The form.
        schema: Value,
    },
    /// What a person does on a page.
    Page {
        /// What the person reads.
        message: String,
        /// The page.
        url: String,
    },
    /// What the client's model says.
    Sample(Box<CreateMessageRequestParams>),
    /// The folders the client works in.
    Roots,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    /// The client's result, in the form of its method.
    Answer(Value),
    /// The client cannot be asked this.
    Nobody,
    /// The call ends here and is made again.
    Later,
    /// The client did not answer, or not in a way that can be used.
    Silence,
}

impl Query {
    /// Whether a client says that it can be asked this.
    pub(crate) fn fits(&self, capabilities: &ClientCapabilities) -> bool {
        let elicits = capabilities.elicitation.as_ref();
        match self {
            // A client of before there were two ways declares neither of them and means forms.
            Self::Form { .. } => elicits.is_some_and(|it| it.form.is_some() || it.url.is_none()),
            Self::Page { .. } => elicits.is_some_and(|it| it.url.is_some()),
            Self::Sample(params) => sampling::fits(params, capabilities),
            Self::Roots => capabilities.roots.is_some(),
        }
    }

    /// The request as it goes out.
    ///
    /// # Errors
    ///
    /// When the form is none the protocol knows.
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

/// The voice of one call: how it speaks to its client.
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
    /// The voice of a call that is answered directly.
    ///
    /// # Errors
    ///
    /// When the state of an earlier round is not one of ours.
    pub(crate) fn of_call(
        client: Client,
        params: &CallToolRequestParams,
        seals: &Seals,
    ) -> Result<Self, ErrorData> {
        let subject = rounds::subject(&params.name, params.arguments.as_ref());
        let (given, state) = (params.input_responses.clone(), params.request_state.as_deref());
        Self::of(client, subject, given, state, seals)
    }

    /// The voice of any request that can be made again with answers.
    pub(crate) fn of(
        client: Client,
        mut subject: Vec<u8>,
        given: Option<rmcp::model::InputResponses>,
        state: Option<&str>,
        seals: &Seals,
    ) -> Result<Self, ErrorData> {
        // What one was asked, nobody else can answer.
        subject.extend_from_slice(client.principal.name.as_bytes());
        let way = match client.era {
            Era::Handshake(_) => Way::Live,
            Era::Modern => Way::Rounds(Mutex::new(Rounds::open(seals, subject, given, state)?)),
        };
        Ok(Self { client, way })
    }

    /// The voice of a call that has become a task.
    pub(crate) fn of_task(client: Client, task: Arc<Task>) -> Self {
        Self { client, way: Way::Task(task) }
    }

    /// Asks something; `key` names the question within this call.
    ///
    /// # Errors
    ///
    /// When the question cannot be put at all.
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

    /// Says what the call is about now, where somebody can look at it.
    pub(crate) fn say(&self, words: &str) {
        if let Way::Task(task) = &self.way {
            task.say(words);
        }
    }

    /// The task the call has become, if it has.
    pub(crate) fn task(&self) -> Option<Arc<Task>> {
        match &self.way {
            Way::Live | Way::Rounds(_) => None,
            Way::Task(task) => Some(Arc::clone(task)),
        }
    }

    /// How long a call stays with what goes on in the background: a task is over when that is.
    pub(crate) fn pace(&self) -> Pace {
        match &self.way {
            Way::Live | Way::Rounds(_) => Pace::AsDeclared,
            Way::Task(_) => Pace::ToTheEnd,
        }
    }

    /// Puts a question of a tool.
    ///
    /// # Errors
    ///
    /// When the question cannot be put at all.
    pub(crate) async fn put(&self, question: &Question) -> Result<Asked, ErrorData> {
        let heard = self.ask_for(question.key, question.asks, Query::from(question)).await?;
        Ok(question::asked(question, heard))
    }

    /// The questions whose answers came with the call.
    pub(crate) fn known(&self) -> Vec<String> {
        match &self.way {
            Way::Live | Way::Task(_) => Vec::new(),
            Way::Rounds(rounds) => rounds.lock().unwrap_or_else(PoisonError::into_inner).known(),
        }
    }

    /// What the client must answer before the call is made again, where it must.
    ///
    /// # Errors
    ///
    /// When the state cannot be sealed.
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
