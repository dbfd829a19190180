//! Resource URIs, subscriptions, completions, prompts and tasks.

use super::{
    Attack,
    Step::{Request, VaultCommand},
    attack,
};

pub(super) const ATTACKS: &[Attack] = &[
    attack(
        "the resource with its tree",
        &[Request("resources/read", r#"{"uri":"deskhand://app/$V/tree"}"#)],
    ),
    attack(
        "the resource with its state",
        &[Request("resources/read", r#"{"uri":"deskhand://app/$V/state"}"#)],
    ),
    attack(
        "the resource with a screenshot of it",
        &[Request("resources/read", r#"{"uri":"deskhand://app/$V/screenshot"}"#)],
    ),
    attack(
        "the resource with its window",
        &[Request("resources/read", r#"{"uri":"deskhand://app/$V/window/0/tree"}"#)],
    ),
    attack(
        "the other URI scheme",
        &[Request("resources/read", r#"{"uri":"axterminator://app/$V/tree"}"#)],
    ),
    attack(
        "a name in the URI",
        &[Request("resources/read", r#"{"uri":"deskhand://app/gtk3_vault.py/tree"}"#)],
    ),
    attack(
        "a percent-encoded name",
        &[Request(
            "resources/read",
            r#"{"uri":"deskhand://app/%67%74%6b%33%5f%76%61%75%6c%74%2e%70%79/tree"}"#,
        )],
    ),
    attack(
        "a name encoded twice",
        &[Request("resources/read", r#"{"uri":"deskhand://app/gtk3%255fvault.py/tree"}"#)],
    ),
    attack(
        ".. in the path",
        &[Request("resources/read", r#"{"uri":"deskhand://app/$C/../$V/tree"}"#)],
    ),
    attack(
        "encoded .. in the path",
        &[Request("resources/read", r#"{"uri":"deskhand://app/$C%2F..%2F$V/tree"}"#)],
    ),
    attack(
        "a sign before the pid",
        &[Request("resources/read", r#"{"uri":"deskhand://app/%2B$V/state"}"#)],
    ),
    attack(
        "an invisible character in the name",
        &[Request("resources/read", r#"{"uri":"deskhand://app/gtk3_va%E2%80%8Bult.py/tree"}"#)],
    ),
    attack(
        "a host in the URI",
        &[Request("resources/read", r#"{"uri":"deskhand://localhost/app/$V/tree"}"#)],
    ),
    attack(
        "the URI scheme in upper case",
        &[Request("resources/read", r#"{"uri":"DESKHAND://app/$V/tree"}"#)],
    ),
    attack(
        "a cursor",
        &[Request("resources/read", r#"{"uri":"deskhand://app/$V/tree?cursor=1"}"#)],
    ),
    attack("a file", &[Request("resources/read", r#"{"uri":"file:///proc/$V/environ"}"#)]),
    attack("all apps as a resource", &[Request("resources/read", r#"{"uri":"deskhand://apps"}"#)]),
    attack(
        "the resource with the server status",
        &[Request("resources/read", r#"{"uri":"deskhand://system/status"}"#)],
    ),
    attack(
        "the result of another session",
        &[Request("resources/read", r#"{"uri":"deskhand://result/1"}"#)],
    ),
    attack("all resources", &[Request("resources/list", "{}")]),
    attack(
        "a subscription to its tree",
        &[
            Request("resources/subscribe", r#"{"uri":"deskhand://app/$V/tree"}"#),
            VaultCommand("title KCalc"),
            Request("ping", "{}"),
            VaultCommand("title ledger-9127"),
        ],
    ),
    attack(
        "a subscription to its events",
        &[Request("resources/subscribe", r#"{"uri":"deskhand://app/$V/events"}"#)],
    ),
    attack(
        "a subscription to the editor's state",
        &[Request("resources/subscribe", r#"{"uri":"deskhand://app/mousepad/state"}"#)],
    ),
    attack(
        "app names completed in prompts",
        &[Request(
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"test-app"},"argument":{"name":"app_name","value":""}}"#,
        )],
    ),
    attack(
        "app names completed in URIs",
        &[Request(
            "completion/complete",
            r#"{"ref":{"type":"ref/resource","uri":"deskhand://app/{name}/tree"},"argument":{"name":"name","value":"g"}}"#,
        )],
    ),
    attack(
        "its windows completed",
        &[Request(
            "completion/complete",
            r#"{"ref":{"type":"ref/resource","uri":"deskhand://app/{name}/window/{index}/tree"},"argument":{"name":"index","value":""},"context":{"arguments":{"name":"$V"}}}"#,
        )],
    ),
    attack(
        "its elements completed",
        &[Request(
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"find-element"},"argument":{"name":"description","value":"P"},"context":{"arguments":{"app":"$V","app_name":"$V"}}}"#,
        )],
    ),
    attack(
        "a prompt about it",
        &[Request(
            "prompts/get",
            r#"{"name":"test-app","arguments":{"app_name":"$V","app":"$V"}}"#,
        )],
    ),
    attack(
        "a task that reads it",
        &[
            Request(
                "tools/call",
                r#"{"name":"ax_get_tree","arguments":{"app":"$V"},"task":{"ttl":60000}}"#,
            ),
            Request("tasks/list", "{}"),
        ],
    ),
    attack(
        "a task that clicks",
        &[Request(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"task":{}}"#,
        )],
    ),
    attack(
        "a task by the internal method name",
        &[Request(
            "deskhand/task/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    attack("the result of an unknown task", &[Request("tasks/result", r#"{"taskId":"1"}"#)]),
    attack(
        "a task that waits until it is idle",
        &[Request(
            "tools/call",
            r#"{"name":"ax_wait_idle","arguments":{"app":"$V","timeout_ms":200},"task":{"ttl":-1}}"#,
        )],
    ),
    attack(
        "unsubscribing without a subscription",
        &[Request("resources/unsubscribe", r#"{"uri":"deskhand://app/$V/tree"}"#)],
    ),
];
