//! The pipeline that every call goes through: look up the tool, check policy and limits, ask for
//! consent, run, sanitize the result, write the audit log.
//!
//! [`Engine::call`] is the entry point. [`Gate`] holds everything that decides if a call may run.

pub mod approvals;
pub mod audit_log;
mod background;
mod call;
mod catalogue;
mod consent;
mod cost;
mod failure;
mod gate;
pub mod halt;
mod limits;
mod outcome;
mod policy;
mod recorder;
mod remedies;
mod request;
mod sanitize;
mod session;
mod timing;

pub use approvals::Approvals;
pub use audit_log::AuditLog;
pub use call::Engine;
pub use catalogue::Catalogue;
pub use cost::Cost;
pub use deskhand_model::{App, AppId, Delivery, Event, EventKind, TextPosition};
pub use deskhand_platform::{ClipboardChanges, EventStream};
pub use deskhand_run as run;
pub use deskhand_tools::{
    Annotations, BuiltinTool, DynamicTool, Effect, Offer, Requirement, TaskSupport, ToolEntry,
    ToolKey, ToolOutput, ToolSpec, Toolset, Vocabulary, defined, spell_advice,
};
pub use deskhand_verbs::{
    AnswerMethod, CallerSession, CancelToken, Choice, Connection, ElicitResponse, Elicitor,
    FieldType, FormField, Image, Instance, NoElicitor, Origin, OutputForm, ProgressEvent,
    ProgressSink, Question, QuestionPurpose, RiskCause, Severity, Style, StyledLine, StyledSpan,
    StyledText, TextBlock, Verbosity, WaitMode, elicitation::questions, elicitation::sampling,
    input::keys::parse_keys,
};
pub use failure::CallFailure;
pub use gate::Gate;
pub use halt::{Halt, Halted};
pub use limits::{CallLimiter, ConcurrencyPermit, Limit, LimitExceeded, RateLimits};
pub use outcome::{CallError, CallResult, Pause};
pub use policy::{
    AppRules, Confirmation, CurrentPolicy, Policy, PolicyViolation, RulesError, SecurityMode,
    WriteAccess,
};
pub use request::{Call, CallOptions};
pub use session::SessionKey;
