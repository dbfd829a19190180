//! One connection that keeps many calls under way at once, never more than a bound.
//!
//! A round trip to an app costs 40 to 270 µs, most of it waiting, so calls are sent in batches and
//! answers are matched as they come. LibreOffice wedges under about 10,000 unanswered calls, so no
//! more than `IN_FLIGHT` are ever unanswered.

use std::{
    collections::{HashMap, VecDeque},
    num::NonZeroU32,
    time::Instant,
};

use deskhand_platform::Deadline;
use futures_util::{FutureExt, StreamExt};
use serde::{Serialize, de::DeserializeOwned};
use zbus::{Connection, DynamicType, Message, MessageStream, Type, message};
use zruntime::SharedRuntime;

/// How many calls may be unanswered at any moment.
const IN_FLIGHT: usize = 64;

/// Why a single call has no answer.
#[derive(Debug, Clone)]
pub(crate) enum Silence {
    /// The deadline came first.
    Late,
    /// The app answered with an error, such as "no such object".
    Refused(String),
    /// The connection is no more.
    Broken(String),
}

/// The answer to one call.
pub(crate) type Answer = Result<Message, Silence>;

/// Where calls on a pipe go: to a name on a bus, or straight to the app at the other end.
#[derive(Debug, Clone)]
pub(crate) enum Peer {
    /// A name on the bus.
    Named(String),
    /// The other end of the connection.
    Direct,
}

/// One connection, used by one caller at a time.
pub(crate) struct Pipe {
    connection: Connection,
    answers: MessageStream,
    runtime: SharedRuntime,
}

impl Pipe {
    /// Connects to a message bus.
    pub(crate) fn to_bus(address: &str, by: Deadline) -> Result<Self, Silence> {
        Self::open(zbus::connection::Builder::address(address), by)
    }

    /// Connects to an app without a bus between.
    pub(crate) fn to_app(address: &str, by: Deadline) -> Result<Self, Silence> {
        Self::open(zbus::connection::Builder::address(address).p2p(), by)
    }

    fn open(builder: zbus::connection::Builder<'_>, by: Deadline) -> Result<Self, Silence> {
        let broken = |why: String| Silence::Broken(why);
        zbus::block_on(async {
            // The runtime the connection is made on: who waits on it runs the connection and the
            // timers by itself. With timers on another, each wait would start a thread.
            let runtime = SharedRuntime::current().map_err(|e| broken(e.to_string()))?;
            let connection = runtime
                .timeout(by.left(), builder.build())
                .await
                .map_err(|_late| Silence::Late)?
                .map_err(|e| broken(e.to_string()))?;
            let answers = MessageStream::from(&connection);
            Ok(Self { connection, answers, runtime })
        })
    }

    /// Whether the other end hung up.
    pub(crate) fn is_broken(&self) -> bool {
        self.connection.is_closed()
    }

    /// Waits for the next signal; `None` when the deadline came first.
    pub(crate) fn listen(&mut self, by: Deadline) -> Result<Option<Message>, Silence> {
        let Self { answers, runtime, .. } = self;
        match runtime.block_on(runtime.timeout(by.left(), answers.next())) {
            Err(_late) => Ok(None),
            Ok(Some(Ok(message))) => Ok(Some(message)),
            Ok(Some(Err(error))) => Err(Silence::Broken(error.to_string())),
            Ok(None) => Err(Silence::Broken("hung up".to_owned())),
        }
    }

    /// Makes one call and waits for its answer.
    pub(crate) fn ask(&mut self, call: Message, by: Deadline) -> Answer {
        let mut answer = Err(Silence::Late);
        self.flow(VecDeque::from([((), call)]), by, |(), got, _| answer = got);
        answer
    }

    /// Makes many calls; the answers stand in the order of the calls.
    pub(crate) fn ask_all(&mut self, calls: Vec<Message>, by: Deadline) -> Vec<Answer> {
        let mut answers: Vec<Answer> = calls.iter().map(|_| Err(Silence::Late)).collect();
        let queue = calls.into_iter().enumerate().collect();
        self.flow(queue, by, |at, got, _| answers[at] = got);
        answers
    }

    /// Makes calls whose answers lead to further calls, until none is left.
    ///
    /// `take` gets each answer with the tag of its call, in any order, and may queue more. Every
    /// call is answered for: with `Late` where the deadline came first.
    pub(crate) fn flow<T>(
        &mut self,
        mut queue: VecDeque<(T, Message)>,
        by: Deadline,
        mut take: impl FnMut(T, Answer, &mut VecDeque<(T, Message)>),
    ) {
        let Self { connection, answers, runtime } = self;
        let end = Instant::now() + by.left();
        let mut waiting: HashMap<NonZeroU32, T> = HashMap::with_capacity(IN_FLIGHT);
        let mut batch = Vec::with_capacity(IN_FLIGHT);
        let outcome: Result<(), Silence> = runtime.block_on(async {
            while !queue.is_empty() || !waiting.is_empty() {
                // Half the room must be free before more is sent, so that batches stay large.
                if !queue.is_empty() && waiting.len() <= IN_FLIGHT / 2 {
                    let room = IN_FLIGHT - waiting.len();
                    for (tag, call) in queue.drain(..room.min(queue.len())) {
                        waiting.insert(call.primary_header().serial_num(), tag);
                        batch.push(call);
                    }
                    runtime
                        .timeout_at(end, connection.send_all(&batch))
                        .await
                        .map_err(|_late| Silence::Late)?
                        .map_err(|e| Silence::Broken(e.to_string()))?;
                    batch.clear();
                }
                // What has been read already needs no timer.
                let got = match answers.next().now_or_never() {
                    Some(got) => got,
                    None => runtime
                        .timeout_at(end, answers.next())
                        .await
                        .map_err(|_late| Silence::Late)?,
                };
                let got = got
                    .ok_or_else(|| Silence::Broken("hung up".to_owned()))?
                    .map_err(|e| Silence::Broken(e.to_string()))?;
                // A signal, or the answer to a call that was given up on, has no tag.
                let tag = got.header().reply_serial().and_then(|serial| waiting.remove(&serial));
                if let Some(tag) = tag {
                    take(tag, sort(got), &mut queue);
                }
            }
            Ok(())
        });
        if let Err(silence) = outcome {
            let mut unwanted = VecDeque::new();
            for tag in waiting.into_values().chain(queue.into_iter().map(|(tag, _)| tag)) {
                take(tag, Err(silence.clone()), &mut unwanted);
            }
        }
    }
}

fn sort(answer: Message) -> Answer {
    match answer.message_type() {
        message::Type::Error => {
            let name = answer.header().error_name().map(ToString::to_string).unwrap_or_default();
            Err(Silence::Refused(name))
        }
        message::Type::MethodReturn | message::Type::MethodCall | message::Type::Signal => {
            Ok(answer)
        }
    }
}

/// Builds a call of a method of an object.
pub(crate) fn call<B: Serialize + DynamicType>(
    peer: &Peer,
    path: &str,
    interface: &str,
    method: &str,
    body: &B,
) -> Result<Message, Silence> {
    let builder = Message::method_call(path, method).interface(interface);
    let builder = match peer {
        Peer::Named(name) => builder.destination(name.as_str()),
        Peer::Direct => builder,
    };
    builder.build(body).map_err(|e| Silence::Refused(e.to_string()))
}

/// Takes the body of an answer as a type of ours.
pub(crate) fn body<T: DeserializeOwned + Type>(answer: &Message) -> Result<T, Silence> {
    answer.body().deserialize().map_err(|e| Silence::Refused(e.to_string()))
}
