//! Progress events that arrive after a call has returned. They are sanitized like an answer, and the
//! end of a background operation is written to the audit log.

use std::sync::Arc;

use deskhand_verbs::{CallerSession, Origin, ProgressEvent, ProgressSink, Severity, Verbosity};
use serde_json::json;

use crate::{
    AuditLog, Call,
    audit_log::{CallEnd, CallStart, CallTarget},
    sanitize,
};

/// Creates the sink for later progress events. It forwards them to `client`, if there is one, and
/// records the end of operations.
pub(crate) fn sink(
    call: &Call,
    caller: &Arc<CallerSession>,
    audit_log: &AuditLog,
    client: Option<&ProgressSink>,
) -> ProgressSink {
    let (caller, audit_log, client) = (Arc::clone(caller), audit_log.clone(), client.cloned());
    let (tool, principal) = (call.tool.clone(), call.principal.clone());
    let session = call.session.clone();
    let origin = call.origin;
    // Without a client, only the ends of operations are needed, for the audit log.
    let hears = client.as_ref().map_or(Verbosity::ResultsOnly, ProgressSink::verbosity);
    ProgressSink::new(hears, move |mut said: ProgressEvent| {
        caller.add_flags(&sanitize::sanitize_progress(&mut said));
        if said.severity == Severity::Output {
            let start = CallStart {
                principal: principal.as_deref(),
                session: session.name(),
                origin: origin_name(origin),
                tool: tool.name(),
                args: &json!({ "operation_id": said.data["operation_id"] }),
                target: CallTarget::default(),
            };
            let end = CallEnd {
                result: "ok",
                effect: said.data["status"].as_str(),
                delivery: None,
                target: CallTarget::default(),
                flags: &[],
            };
            // The operation has ended even if this cannot be recorded. Its start is on record.
            let _ = audit_log.begin(start).and_then(|open| open.end(end));
        }
        client.as_ref().is_none_or(|client| client.send(said))
    })
}

/// Returns the name of a call's origin in the audit log.
pub(crate) fn origin_name(origin: Origin) -> &'static str {
    match origin {
        Origin::Cli => "cli",
        Origin::Mcp => "mcp",
        Origin::Library => "library",
        Origin::Internal => "own",
    }
}
