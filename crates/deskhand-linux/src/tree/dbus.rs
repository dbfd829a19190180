//! A D-Bus client that keeps many calls pending at once, up to a limit.
//!
//! A round trip to an app takes 40 to 270 µs, mostly waiting, so calls are sent in batches and
//! replies are matched as they arrive. LibreOffice hangs with about 10,000 pending calls, so at
//! most `MAX_PENDING_CALLS` are pending.

use std::{
    collections::{HashMap, VecDeque},
    num::NonZeroU32,
    time::{Duration, Instant},
};

use deskhand_platform::Deadline;
use futures_util::{FutureExt, StreamExt};
use serde::{Serialize, de::DeserializeOwned};
use zbus::{Connection, DynamicType, Message, MessageStream, Type, message};
use zruntime::SharedRuntime;

/// Maximum number of pending calls.
const MAX_PENDING_CALLS: usize = 64;

/// The reason why a call has no result.
#[derive(Debug, Clone)]
pub(crate) enum CallError {
    /// The deadline passed first.
    TimedOut,
    /// The app replied with an error, such as "no such object".
    Refused(String),
    /// The connection is closed.
    Disconnected(String),
}

/// The result of one call.
pub(crate) type CallResult = Result<Message, CallError>;

/// The destination of calls: a name on a bus, or the app at the other end of a direct connection.
#[derive(Debug, Clone)]
pub(crate) enum Peer {
    /// A name on the bus.
    Named(String),
    /// The app at the other end of the connection.
    Direct,
}

/// A D-Bus connection that one caller uses at a time.
pub(crate) struct DbusClient {
    connection: Connection,
    messages: MessageStream,
    runtime: SharedRuntime,
}

impl DbusClient {
    /// Connects to a message bus.
    pub(crate) fn connect_to_bus(address: &str, deadline: Deadline) -> Result<Self, CallError> {
        Self::open(zbus::connection::Builder::address(address), deadline)
    }

    /// Connects to an app directly, without a bus.
    pub(crate) fn connect_to_app(address: &str, deadline: Deadline) -> Result<Self, CallError> {
        Self::open(zbus::connection::Builder::address(address).p2p(), deadline)
    }

    fn open(builder: zbus::connection::Builder<'_>, deadline: Deadline) -> Result<Self, CallError> {
        let broken = |why: String| CallError::Disconnected(why);
        zbus::block_on(async {
            // A thread that waits on the runtime of the connection also drives the connection and
            // the timers. With timers on another runtime, each wait would start a thread.
            let runtime = SharedRuntime::current().map_err(|e| broken(e.to_string()))?;
            let connection = runtime
                .timeout(deadline.remaining(), builder.build())
                .await
                .map_err(|_late| CallError::TimedOut)?
                .map_err(|e| broken(e.to_string()))?;
            let messages = MessageStream::from(&connection);
            Ok(Self { connection, messages, runtime })
        })
    }

    /// Returns `true` if the connection is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.connection.is_closed()
    }

    /// Waits for the next message. Returns `None` if the deadline passes first.
    pub(crate) fn next_signal(&mut self, deadline: Deadline) -> Result<Option<Message>, CallError> {
        let Self { messages, runtime, .. } = self;
        match runtime.block_on(runtime.timeout(deadline.remaining(), messages.next())) {
            Err(_late) => Ok(None),
            Ok(Some(Ok(message))) => Ok(Some(message)),
            Ok(Some(Err(error))) => Err(CallError::Disconnected(error.to_string())),
            Ok(None) => Err(CallError::Disconnected("the peer closed the connection".to_owned())),
        }
    }

    /// Makes one call and waits for its reply.
    pub(crate) fn call(&mut self, call: Message, deadline: Deadline) -> CallResult {
        let mut result = Err(CallError::TimedOut);
        self.call_streaming(VecDeque::from([((), call)]), deadline, |(), reply, _| result = reply);
        result
    }

    /// Makes one call and waits for its reply like [`call`](Self::call), but asks `may_wait` after each
    /// `interval` whether to wait any longer.
    pub(crate) fn call_while(
        &mut self,
        call: Message,
        deadline: Deadline,
        interval: Duration,
        mut may_wait: impl FnMut() -> bool,
    ) -> CallResult {
        let end = Instant::now() + deadline.remaining();
        let serial = call.primary_header().serial_num();
        let Self { connection, runtime, .. } = self;
        runtime
            .block_on(runtime.timeout_at(end, connection.send(&call)))
            .map_err(|_late| CallError::TimedOut)?
            .map_err(|e| CallError::Disconnected(e.to_string()))?;
        loop {
            let pause =
                Deadline::after(interval.min(end.saturating_duration_since(Instant::now())));
            while let Some(message) = self.next_signal(pause)? {
                if message.header().reply_serial() == Some(serial) {
                    return check_reply(message);
                }
            }
            if Instant::now() >= end || !may_wait() {
                return Err(CallError::TimedOut);
            }
        }
    }

    /// Makes many calls. The results have the order of the calls.
    pub(crate) fn call_all(&mut self, calls: Vec<Message>, deadline: Deadline) -> Vec<CallResult> {
        let mut results: Vec<CallResult> = calls.iter().map(|_| Err(CallError::TimedOut)).collect();
        let queue = calls.into_iter().enumerate().collect();
        self.call_streaming(queue, deadline, |at, reply, _| results[at] = reply);
        results
    }

    /// Makes calls whose replies can lead to further calls, until none is left.
    ///
    /// `on_reply` gets each result with the tag of its call, in any order, and may queue more
    /// calls. It is called exactly once per call, with `TimedOut` if the deadline passes first.
    pub(crate) fn call_streaming<T>(
        &mut self,
        mut queue: VecDeque<(T, Message)>,
        deadline: Deadline,
        mut on_reply: impl FnMut(T, CallResult, &mut VecDeque<(T, Message)>),
    ) {
        let Self { connection, messages, runtime } = self;
        let end = Instant::now() + deadline.remaining();
        let mut pending: HashMap<NonZeroU32, T> = HashMap::with_capacity(MAX_PENDING_CALLS);
        let mut batch = Vec::with_capacity(MAX_PENDING_CALLS);
        let outcome: Result<(), CallError> = runtime.block_on(async {
            while !queue.is_empty() || !pending.is_empty() {
                // At least half the capacity must be free before more is sent, so that batches stay
                // large.
                if !queue.is_empty() && pending.len() <= MAX_PENDING_CALLS / 2 {
                    let capacity = MAX_PENDING_CALLS - pending.len();
                    for (tag, call) in queue.drain(..capacity.min(queue.len())) {
                        pending.insert(call.primary_header().serial_num(), tag);
                        batch.push(call);
                    }
                    runtime
                        .timeout_at(end, connection.send_all(&batch))
                        .await
                        .map_err(|_late| CallError::TimedOut)?
                        .map_err(|e| CallError::Disconnected(e.to_string()))?;
                    batch.clear();
                }
                // A message that has already been read needs no timer.
                let received = match messages.next().now_or_never() {
                    Some(received) => received,
                    None => runtime
                        .timeout_at(end, messages.next())
                        .await
                        .map_err(|_late| CallError::TimedOut)?,
                };
                let received = received
                    .ok_or_else(|| {
                        CallError::Disconnected("the peer closed the connection".to_owned())
                    })?
                    .map_err(|e| CallError::Disconnected(e.to_string()))?;
                // A signal, or the reply to a call that timed out earlier, has no tag.
                let tag =
                    received.header().reply_serial().and_then(|serial| pending.remove(&serial));
                if let Some(tag) = tag {
                    on_reply(tag, check_reply(received), &mut queue);
                }
            }
            Ok(())
        });
        if let Err(error) = outcome {
            let mut ignored = VecDeque::new();
            for tag in pending.into_values().chain(queue.into_iter().map(|(tag, _)| tag)) {
                on_reply(tag, Err(error.clone()), &mut ignored);
            }
        }
    }
}

fn check_reply(reply: Message) -> CallResult {
    match reply.message_type() {
        message::Type::Error => {
            let name = reply.header().error_name().map(ToString::to_string).unwrap_or_default();
            Err(CallError::Refused(name))
        }
        message::Type::MethodReturn | message::Type::MethodCall | message::Type::Signal => {
            Ok(reply)
        }
    }
}

/// Builds a method call to an object.
pub(crate) fn method_call<B: Serialize + DynamicType>(
    peer: &Peer,
    path: &str,
    interface: &str,
    method: &str,
    body: &B,
) -> Result<Message, CallError> {
    let builder = Message::method_call(path, method).interface(interface);
    let builder = match peer {
        Peer::Named(name) => builder.destination(name.as_str()),
        Peer::Direct => builder,
    };
    builder.build(body).map_err(|e| CallError::Refused(e.to_string()))
}

/// Deserializes the body of a message.
pub(crate) fn body<T: DeserializeOwned + Type>(reply: &Message) -> Result<T, CallError> {
    reply.body().deserialize().map_err(|e| CallError::Refused(e.to_string()))
}
