//! Addresses of resources, subscriptions, completions, prompts, and tasks.

use super::{
    Row,
    Step::{Ask, Vault},
    row,
};

pub(super) const ROWS: &[Row] = &[
    row(
        "the resource of its tree",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/$V/tree"}"#)],
    ),
    row(
        "the resource of its state",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/$V/state"}"#)],
    ),
    row(
        "the resource of its picture",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/$V/screenshot"}"#)],
    ),
    row(
        "the resource of its window",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/$V/window/0/tree"}"#)],
    ),
    row("the other scheme", &[Ask("resources/read", r#"{"uri":"axterminator://app/$V/tree"}"#)]),
    row(
        "a name in the address",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/gtk3_vault.py/tree"}"#)],
    ),
    row(
        "a percent sign before each letter",
        &[Ask(
            "resources/read",
            r#"{"uri":"deskhand://app/%67%74%6b%33%5f%76%61%75%6c%74%2e%70%79/tree"}"#,
        )],
    ),
    row(
        "a name encoded twice",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/gtk3%255fvault.py/tree"}"#)],
    ),
    row(
        "steps up and down again",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/$C/../$V/tree"}"#)],
    ),
    row(
        "encoded steps up",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/$C%2F..%2F$V/tree"}"#)],
    ),
    row(
        "a sign before the pid",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/%2B$V/state"}"#)],
    ),
    row(
        "something nobody sees in the name",
        &[Ask("resources/read", r#"{"uri":"deskhand://app/gtk3_va%E2%80%8Bult.py/tree"}"#)],
    ),
    row(
        "a host before it",
        &[Ask("resources/read", r#"{"uri":"deskhand://localhost/app/$V/tree"}"#)],
    ),
    row("capitals in the scheme", &[Ask("resources/read", r#"{"uri":"DESKHAND://app/$V/tree"}"#)]),
    row("a cursor", &[Ask("resources/read", r#"{"uri":"deskhand://app/$V/tree?cursor=1"}"#)]),
    row("a file", &[Ask("resources/read", r#"{"uri":"file:///proc/$V/environ"}"#)]),
    row("all apps as a resource", &[Ask("resources/read", r#"{"uri":"deskhand://apps"}"#)]),
    row(
        "the state of the server",
        &[Ask("resources/read", r#"{"uri":"deskhand://system/status"}"#)],
    ),
    row("a result of somebody else", &[Ask("resources/read", r#"{"uri":"deskhand://result/1"}"#)]),
    row("all resources", &[Ask("resources/list", "{}")]),
    row(
        "a subscription to its tree",
        &[
            Ask("resources/subscribe", r#"{"uri":"deskhand://app/$V/tree"}"#),
            Vault("title KCalc"),
            Ask("ping", "{}"),
            Vault("title ledger-9127"),
        ],
    ),
    row(
        "a subscription to its events",
        &[Ask("resources/subscribe", r#"{"uri":"deskhand://app/$V/events"}"#)],
    ),
    row(
        "a subscription to the editor's state",
        &[Ask("resources/subscribe", r#"{"uri":"deskhand://app/mousepad/state"}"#)],
    ),
    row(
        "names completed in prompts",
        &[Ask(
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"test-app"},"argument":{"name":"app_name","value":""}}"#,
        )],
    ),
    row(
        "names completed in addresses",
        &[Ask(
            "completion/complete",
            r#"{"ref":{"type":"ref/resource","uri":"deskhand://app/{name}/tree"},"argument":{"name":"name","value":"g"}}"#,
        )],
    ),
    row(
        "its windows completed",
        &[Ask(
            "completion/complete",
            r#"{"ref":{"type":"ref/resource","uri":"deskhand://app/{name}/window/{index}/tree"},"argument":{"name":"index","value":""},"context":{"arguments":{"name":"$V"}}}"#,
        )],
    ),
    row(
        "its parts completed",
        &[Ask(
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"find-element"},"argument":{"name":"description","value":"P"},"context":{"arguments":{"app":"$V","app_name":"$V"}}}"#,
        )],
    ),
    row(
        "a prompt about it",
        &[Ask("prompts/get", r#"{"name":"test-app","arguments":{"app_name":"$V","app":"$V"}}"#)],
    ),
    row(
        "a task that reads it",
        &[
            Ask(
                "tools/call",
                r#"{"name":"ax_get_tree","arguments":{"app":"$V"},"task":{"ttl":60000}}"#,
            ),
            Ask("tasks/list", "{}"),
        ],
    ),
    row(
        "a task that clicks",
        &[Ask(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"task":{}}"#,
        )],
    ),
    row(
        "a task by its inner name",
        &[Ask(
            "deskhand/task/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    row("the result of a task nobody began", &[Ask("tasks/result", r#"{"taskId":"1"}"#)]),
    row(
        "a task that waits for its rest",
        &[Ask(
            "tools/call",
            r#"{"name":"ax_wait_idle","arguments":{"app":"$V","timeout_ms":200},"task":{"ttl":-1}}"#,
        )],
    ),
    row(
        "a subscription of the later era",
        &[Ask("resources/unsubscribe", r#"{"uri":"deskhand://app/$V/tree"}"#)],
    ),
];
