// long: a table of texts
//! The texts of the prompts. A step names tools in backquotes. Of its variants, the first one whose
//! tools are all offered is used.

use super::{Argument, ArgumentKind, Prompt, PromptStep, UiParts, When};

const APP: Argument = Argument {
    name: "app_name",
    about: "The app: its name or its pid",
    kind: ArgumentKind::App,
    required: true,
};

const fn required(name: &'static str, about: &'static str, kind: ArgumentKind) -> Argument {
    Argument { name, about, kind, required: true }
}

const fn part(of: &'static str, parts: UiParts) -> ArgumentKind {
    ArgumentKind::Part { of, parts }
}

const fn optional(name: &'static str, about: &'static str, kind: ArgumentKind) -> Argument {
    Argument { name, about, kind, required: false }
}

const fn step(variants: &'static [&'static str]) -> PromptStep {
    PromptStep { when: When::Always, variants }
}

const fn if_given(name: &'static str, variants: &'static [&'static str]) -> PromptStep {
    PromptStep { when: When::Given(name), variants }
}

const fn if_true(name: &'static str, variants: &'static [&'static str]) -> PromptStep {
    PromptStep { when: When::Yes(name), variants }
}

const fn if_false(name: &'static str, variants: &'static [&'static str]) -> PromptStep {
    PromptStep { when: When::No(name), variants }
}

const CONNECT: PromptStep = step(&["Connect to \"{app_name}\" with `ax_connect`."]);

const READ_TREE: &str = "Read the app's tree with `ax_get_tree`. Each element has a ref such as e12; use it to \
                     refer to the element.";

/// The prompts, in the order they are listed.
pub(super) const ALL: &[Prompt] = &[
    Prompt {
        name: "test-app",
        title: "Test an Application",
        about: "Explore a running app, test its functions, verify the results and report.",
        arguments: &[
            APP,
            optional(
                "focus_area",
                "Part of the app to test, such as a toolbar or a dialog",
                part("app_name", UiParts::Regions),
            ),
            optional(
                "include_a11y_audit",
                "Also check for accessibility problems",
                ArgumentKind::Bool,
            ),
        ],
        task: "Test the app \"{app_name}\". Report what works and what does not.",
        includes_tree: true,
        steps: &[
            step(&[
                "Check with `ax_is_accessible` that apps can be read. If not, report its advice and stop.",
            ]),
            CONNECT,
            step(&[
                "If your client can subscribe to resources, subscribe to {events of app_name} to be \
                            notified of the app's events.",
            ]),
            step(&[READ_TREE]),
            step(&[
                "Take a screenshot with `ax_screenshot` and compare it with the tree. Anything visible that \
                                is missing in the tree is a finding.",
            ]),
            if_given(
                "focus_area",
                &[
                    "Test only \"{focus_area}\": find it in the tree and pass its ref as root_query when you call \
                         `ax_get_tree` again.",
                    "Test only \"{focus_area}\".",
                ],
            ),
            step(&[
                "Test the controls one at a time: press with `ax_click`, enter text with `ax_type` and \
                     `ax_set_value`. Read `effect` in each reply. Do not use controls that delete, send or pay.",
                "Test the controls one at a time: press with `ax_click`, enter text with `ax_type`. Read \
                     `effect` in each reply. Do not use controls that delete, send or pay.",
                "Press the controls one at a time with `ax_click`. Read `effect` in each reply. Do not use \
                     controls that delete, send or pay.",
                "No tool that acts is available: for each control, describe what you would test and the \
                     expected result.",
            ]),
            step(&[
                "After each test, wait with `ax_wait_idle` until the app is idle. Then check the expected \
                     result with `ax_assert`.",
                "After each test, check the expected result with `ax_assert`.",
                "After each test, check with `ax_find` that the expected element exists.",
            ]),
            if_true(
                "include_a11y_audit",
                &[
                    "Run `ax_a11y_audit` and include its findings in the report.",
                    "Check the tree for accessibility problems: controls without a name, images without a \
                         description, and elements that cannot be reached by keyboard.",
                ],
            ),
            step(&[
                "Report what you tested, what you expected and what happened. For each problem, add the steps \
                                to reproduce it.",
            ]),
        ],
    },
    Prompt {
        name: "navigate-to",
        title: "Navigate to a Screen",
        about: "Navigate an app to a screen, dialog or state, and verify that it is there.",
        arguments: &[
            APP,
            required(
                "destination",
                "Where to go, such as `Settings > General` or `File > New`",
                part("app_name", UiParts::Places),
            ),
        ],
        task: "Navigate the app \"{app_name}\" to \"{destination}\".",
        includes_tree: false,
        steps: &[
            CONNECT,
            step(&[
                "Read the current state with `ax_get_tree`. If the app is already there, say so and stop.",
                "Read the current state with `ax_find`. If the app is already there, say so and stop.",
            ]),
            step(&[
                "A destination written with `>` is a path: follow its parts in order. A menu item can be used \
                                without opening its menu first.",
            ]),
            step(&[
                "Take one step at a time with `ax_click`, or with a shortcut by `ax_key_press`. After each step, \
                     wait with `ax_wait_idle` and read the tree again: refs of a closed dialog are no longer valid.",
                "Take one step at a time with `ax_click`. Read the app again after each step: refs of a closed \
                     dialog are no longer valid.",
                "No tool that acts is available: list the elements that lead there, in order.",
            ]),
            step(&[
                "If a step has no effect, do not repeat it. Take a screenshot with `ax_screenshot` and find \
                            out what blocks it.",
            ]),
            step(&[
                "Verify the result with `ax_assert` on an element that exists only there.",
                "Verify the result with `ax_find` on an element that exists only there.",
            ]),
        ],
    },
    Prompt {
        name: "extract-data",
        title: "Extract Data from Application",
        about: "Extract data from an app: tables, lists and fields.",
        arguments: &[
            APP,
            required("data_description", "The data to extract", ArgumentKind::Text),
            optional(
                "output_format",
                "Output format: json, csv or markdown",
                ArgumentKind::OneOf(&["json", "csv", "markdown"]),
            ),
        ],
        task: "Extract this data from the app \"{app_name}\": {data_description}.",
        includes_tree: false,
        steps: &[
            CONNECT,
            step(&[
                "Find the data with `ax_get_tree`. Pass the ref of its table, list or form as root_query to read \
                     only that part. If a page ends with a cursor, read the next page, until there is none.",
                "Find the data with `ax_find`.",
            ]),
            step(&[
                "Read values that the tree truncates with `ax_get_value`, and all other attributes of an element \
                     with `ax_get_attributes`.",
                "Read values that the tree truncates with `ax_get_value`.",
            ]),
            step(&[
                "Scroll to rows that are not visible with `ax_scroll`: many apps expose only the visible \
                                rows.",
            ]),
            step(&[
                "If the tree seems incomplete, compare it with a screenshot from `ax_screenshot`.",
            ]),
            if_given(
                "output_format",
                &["Write the result as {output_format}, without any text around it."],
            ),
            step(&[
                "Do not invent data: leave values empty that you cannot read, and list them below the result.",
            ]),
        ],
    },
    Prompt {
        name: "automate-workflow",
        title: "Automate a Workflow",
        about: "Perform several steps in one or more apps, and verify each step.",
        arguments: &[
            required("workflow", "The task, in your own words", ArgumentKind::Text),
            optional("apps", "The apps to use, separated by commas", ArgumentKind::Apps),
            optional("dry_run", "Only plan, change nothing", ArgumentKind::Bool),
        ],
        task: "Perform this task: {workflow}.",
        includes_tree: false,
        steps: &[
            if_given("apps", &["Use these apps: {apps}."]),
            step(&[
                "Check with `ax_list_apps` that the apps are running, and connect to each with `ax_connect` \
                     under a short alias.",
                "Check with `ax_list_apps` which apps are running.",
            ]),
            step(&[
                "Read each app with `ax_get_tree` before you plan. Write the plan as numbered steps, each with \
                                the element it needs and the expected result.",
            ]),
            if_true(
                "dry_run",
                &["Stop here: show the plan and what could go wrong in each step. Change nothing."],
            ),
            if_false(
                "dry_run",
                &[
                    "Pass the whole plan to `ax_workflow`, so that a failed step is undone.",
                    "Perform the steps in order with `ax_click`, `ax_type` and `ax_key_press`, and wait with \
                         `ax_wait_idle` in between. Read `effect` each time: a step is done only if it is `confirmed`.",
                    "Perform the steps in order with `ax_click`. Read `effect` each time: a step is done only if \
                         it is `confirmed`.",
                    "No tool that acts is available: show the plan for the user to perform.",
                ],
            ),
            if_false(
                "dry_run",
                &[
                    "If a step fails, stop and read the state of the apps. Undo what you did before you try \
                         another approach. Ask before anything that deletes, sends or pays.",
                ],
            ),
            if_false(
                "dry_run",
                &[
                    "Finally, verify the result with `ax_assert` and report what was done.",
                    "Finally, check that the result is there and report what was done.",
                ],
            ),
        ],
    },
    Prompt {
        name: "debug-ui",
        title: "Debug UI Element",
        about: "Find out why an element cannot be found, and which query finds it.",
        arguments: &[
            APP,
            required(
                "element_description",
                "The element, as a user would describe it",
                part("app_name", UiParts::Elements),
            ),
            optional("query_tried", "The query that failed", ArgumentKind::Text),
        ],
        task: "Find out why this element cannot be found in \"{app_name}\": {element_description}.",
        includes_tree: true,
        steps: &[
            step(&["Check with `ax_is_accessible` that apps can be read."]),
            CONNECT,
            if_given(
                "query_tried",
                &[
                    "Try `{query_tried}` again with `ax_find` and read the error: it contains similar elements, \
                         candidates and refs.",
                ],
            ),
            step(&[
                "Take a screenshot with `ax_screenshot`: is the element visible, or is it behind a tab, a \
                                menu or a scroll bar?",
            ]),
            step(&[
                "Read the tree with `ax_get_tree`, and again with include_invisible. An element that appears \
                                only then is hidden, not missing.",
            ]),
            step(&[
                "Try other queries with `ax_find`, from narrow to wide: identifier, exact title, part of the \
                                title, role, regular expression, XPath. Pass explain to have a model inspect the app when \
                                nothing matches.",
            ]),
            step(&[
                "When you have found it, read all its attributes with `ax_get_attributes` and compare them \
                                with the failed query.",
            ]),
            step(&[
                "Answer with the cause, the query that matches only this element, and what to do if the \
                                element appears late or changes its name.",
            ]),
        ],
    },
    Prompt {
        name: "accessibility-audit",
        title: "Accessibility Audit",
        about: "Find what keeps people from using an app with a keyboard or a screen reader.",
        arguments: &[
            APP,
            optional(
                "standard",
                "WCAG level: A, AA or AAA",
                ArgumentKind::OneOf(&["A", "AA", "AAA"]),
            ),
        ],
        task: "Audit the accessibility of the app \"{app_name}\".",
        includes_tree: false,
        steps: &[
            CONNECT,
            if_given("standard", &["Apply WCAG level {standard}."]),
            step(&[
                "Run `ax_a11y_audit`, and verify each finding in the app before you report it.",
                "Read the whole tree with `ax_get_tree`, and again with include_invisible. Every control needs a \
                     name that says what it does, every image a description, every field a label. Neighbours must \
                     not share a name, and every role must fit its element.",
            ]),
            step(&[
                "Read the details of doubtful elements with `ax_get_attributes`: states, actions and label \
                                relations.",
            ]),
            step(&[
                "Move through the app with `ax_key_press` and the tab key, and check the focus each time: \
                                every control must be reachable in a sensible order, and none may trap the focus.",
            ]),
            step(&["Check contrast and text size on a screenshot from `ax_screenshot`."]),
            step(&[
                "Report each problem with the element and its ref, the users it affects, the rule it breaks \
                                and how to fix it. List the most severe problems first.",
            ]),
        ],
    },
    Prompt {
        name: "cross-app-copy",
        title: "Copy Data Between Apps",
        about: "Copy data from one app to another, and verify that it arrived.",
        arguments: &[
            required("source_app", "The app to copy from", ArgumentKind::App),
            required(
                "source_element",
                "The element to copy",
                part("source_app", UiParts::Elements),
            ),
            required("target_app", "The app to copy to", ArgumentKind::App),
            required(
                "target_element",
                "The element to fill in",
                part("target_app", UiParts::Elements),
            ),
        ],
        task: "Copy \"{source_element}\" from \"{source_app}\" to \"{target_element}\" in \"{target_app}\".",
        includes_tree: false,
        steps: &[
            step(&["Connect to both apps with `ax_connect`, under the aliases from and to."]),
            step(&[
                "Find the source with `ax_find` and read it with `ax_get_value`. You need not select anything.",
                "Find the source with `ax_find`; the reply contains its value.",
                "Read the source with `ax_get_tree`.",
            ]),
            step(&[
                "Set the target with `ax_set_value`, or use `ax_type` if existing text must stay.",
                "Enter the text into the target with `ax_type`.",
                "No tool that writes is available: list each field and the text to enter.",
            ]),
            step(&[
                "Copy anything but plain text with `ax_clipboard`. Save the previous clipboard content and \
                                restore it.",
            ]),
            step(&[
                "Verify with `ax_assert` that the target has the value and that the source is unchanged.",
                "Check that the target has the value and that the source is unchanged.",
            ]),
        ],
    },
];
