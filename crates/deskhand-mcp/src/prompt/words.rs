// long: a table of words
//! The prompts and their words. A step names tools in backquotes and is said only where all of them
//! are offered; the first way of a step that fits is taken.

use super::{Argument, Kind, Parts, Prompt, Step, When};

const APP: Argument = Argument {
    name: "app_name",
    about: "The app: its name or its pid",
    kind: Kind::App,
    required: true,
};

const fn needed(name: &'static str, about: &'static str, kind: Kind) -> Argument {
    Argument { name, about, kind, required: true }
}

const fn part(of: &'static str, parts: Parts) -> Kind {
    Kind::Part { of, parts }
}

const fn free(name: &'static str, about: &'static str, kind: Kind) -> Argument {
    Argument { name, about, kind, required: false }
}

const fn step(ways: &'static [&'static str]) -> Step {
    Step { when: When::Always, ways }
}

const fn given(name: &'static str, ways: &'static [&'static str]) -> Step {
    Step { when: When::Given(name), ways }
}

const fn yes(name: &'static str, ways: &'static [&'static str]) -> Step {
    Step { when: When::Yes(name), ways }
}

const fn no(name: &'static str, ways: &'static [&'static str]) -> Step {
    Step { when: When::No(name), ways }
}

const CONNECT: Step = step(&["Connect to \"{app_name}\" with `ax_connect`."]);

const OUTLINE: &str = "Read the outline with `ax_get_tree`; each element has a ref such as e12, which \
                       names it from here on.";

/// The prompts, in the order they are listed.
pub(super) const ALL: &[Prompt] = &[
    Prompt {
        name: "test-app",
        title: "Test an Application",
        about: "Explore a running app, try what it offers, check what came of it and report.",
        arguments: &[
            APP,
            free(
                "focus_area",
                "The part to test, such as a toolbar or a dialog",
                part("app_name", Parts::Regions),
            ),
            free("include_a11y_audit", "Look for accessibility faults, too", Kind::YesOrNo),
        ],
        task: "Test the app \"{app_name}\" and report what works and what does not.",
        shows_app: true,
        steps: &[
            step(&[
                "Ask `ax_is_accessible` whether apps can be seen at all; if not, pass its advice on \
                    and stop.",
            ]),
            CONNECT,
            step(&["Where your client can subscribe to resources, subscribe to \
                    {events of app_name}, so that you hear what the app does on its \
                    own."]),
            step(&[OUTLINE]),
            step(&[
                "Take a picture with `ax_screenshot` and compare: what is on the picture and not in \
                    the outline is a finding.",
            ]),
            given(
                "focus_area",
                &[
                    "Stay within \"{focus_area}\": find it in the outline and give its ref as root_query \
                 when you look again with `ax_get_tree`.",
                    "Stay within \"{focus_area}\".",
                ],
            ),
            step(&[
                "Try what can be used, one thing at a time: press with `ax_click`, fill in with \
                 `ax_type` and `ax_set_value`. Read `effect` in each answer, and leave alone what \
                 deletes, sends or pays.",
                "Try what can be used, one thing at a time: press with `ax_click`, fill in with \
                 `ax_type`. Read `effect` in each answer, and leave alone what deletes, sends or pays.",
                "Try what can be pressed, one thing at a time, with `ax_click`. Read `effect` in each \
                 answer, and leave alone what deletes, sends or pays.",
                "Nothing that acts is offered here: say for each thing that can be used what you would \
                 try and what should come of it.",
            ]),
            step(&[
                "After each try wait with `ax_wait_idle` until the app rests, then state with \
                 `ax_assert` what must hold.",
                "After each try state with `ax_assert` what must hold.",
                "After each try look with `ax_find` whether what must be there is there.",
            ]),
            yes(
                "include_a11y_audit",
                &[
                    "Run `ax_a11y_audit` and take its findings into the report.",
                    "Go through the outline once more for accessibility faults: controls without a name, \
                 pictures without a description, things a keyboard cannot reach.",
                ],
            ),
            step(&[
                "Report: what you tried, what you expected, what happened, and for each fault how to \
                    see it again.",
            ]),
        ],
    },
    Prompt {
        name: "navigate-to",
        title: "Navigate to a Screen",
        about: "Bring an app to a screen, dialog or state, and prove that it is there.",
        arguments: &[
            APP,
            needed(
                "destination",
                "Where to go, such as `Settings > General` or `File > New`",
                part("app_name", Parts::Places),
            ),
        ],
        task: "Bring the app \"{app_name}\" to \"{destination}\".",
        shows_app: false,
        steps: &[
            CONNECT,
            step(&[
                "Look where the app is now with `ax_get_tree`. If it is there already, say so and stop.",
                "Look where the app is now with `ax_find`. If it is there already, say so and stop.",
            ]),
            step(&[
                "A destination written with `>` is a way: take its parts one after the other. What \
                    is in a menu can be used without opening the menu first.",
            ]),
            step(&[
                "Go one step at a time with `ax_click`, or with a shortcut by `ax_key_press`; after each, \
                 wait with `ax_wait_idle` and look again, since refs of a closed dialog are gone.",
                "Go one step at a time with `ax_click`, and look again after each, since refs of a \
                 closed dialog are gone.",
                "Nothing that acts is offered here: say which elements lead there, one after the other.",
            ]),
            step(&["If a step has no effect, do not repeat it blindly: take a picture with \
                    `ax_screenshot` and see what stands in the way."]),
            step(&[
                "Prove that you are there with `ax_assert` on something only that place has.",
                "Prove that you are there with `ax_find` on something only that place has.",
            ]),
        ],
    },
    Prompt {
        name: "extract-data",
        title: "Extract Data from Application",
        about: "Read data out of what an app shows: tables, lists, fields.",
        arguments: &[
            APP,
            needed("data_description", "Which data", Kind::Text),
            free(
                "output_format",
                "How to write it: json, csv or markdown",
                Kind::OneOf(&["json", "csv", "markdown"]),
            ),
        ],
        task: "Read this out of the app \"{app_name}\": {data_description}.",
        shows_app: false,
        steps: &[
            CONNECT,
            step(&[
                "Find where it stands with `ax_get_tree`; give the ref of its table, list or form as \
                 root_query to read on there. A page that ends with a cursor goes on: ask for the next \
                 until there is none.",
                "Find where it stands with `ax_find`.",
            ]),
            step(&[
                "Values the outline cuts short come whole with `ax_get_value`, everything else about an \
                 element with `ax_get_attributes`.",
                "Values the outline cuts short come whole with `ax_get_value`.",
            ]),
            step(&[
                "What is not on the screen yet comes into view with `ax_scroll`: many apps know only \
                    the rows they show.",
            ]),
            step(&["Compare with a picture from `ax_screenshot` where the outline seems to lack \
                    something."]),
            given("output_format", &["Write the result as {output_format} and nothing around it."]),
            step(&[
                "Make nothing up: what cannot be read is left empty, and you say so below the \
                    result.",
            ]),
        ],
    },
    Prompt {
        name: "automate-workflow",
        title: "Automate a Workflow",
        about: "Carry out several steps in one app or in several, and check each.",
        arguments: &[
            needed("workflow", "What is to be done, in your own words", Kind::Text),
            free("apps", "The apps it takes, separated by commas", Kind::Apps),
            free("dry_run", "Only plan it", Kind::YesOrNo),
        ],
        task: "Do this: {workflow}.",
        shows_app: false,
        steps: &[
            given("apps", &["The apps it takes: {apps}."]),
            step(&[
                "See with `ax_list_apps` that they run, and connect to each with `ax_connect` under a \
                 short alias.",
                "See with `ax_list_apps` which apps run.",
            ]),
            step(&[
                "Look at each with `ax_get_tree` before you plan; write the plan as numbered steps, \
                    each with the element it needs and the sign that it worked.",
            ]),
            yes(
                "dry_run",
                &["Stop here: show the plan, and what could go wrong in each step. Change \
                              nothing."],
            ),
            no(
                "dry_run",
                &[
                    "Hand the plan to `ax_workflow` in one piece, so that a step that fails is undone.",
                    "Go through it step by step with `ax_click`, `ax_type` and `ax_key_press`; wait with \
                 `ax_wait_idle` in between. Read `effect` each time: only what is `confirmed` is done.",
                    "Go through it step by step with `ax_click`. Read `effect` each time: only what is \
                 `confirmed` is done.",
                    "Nothing that acts is offered here: show the plan for a person to carry out.",
                ],
            ),
            no(
                "dry_run",
                &[
                    "When a step fails, stop, look what state things are in, and put right what you did \
                 before you try another way. Ask before anything that deletes, sends or pays.",
                ],
            ),
            no(
                "dry_run",
                &[
                    "At the end prove the result with `ax_assert`, and tell what was done.",
                    "At the end look whether the result is there, and tell what was done.",
                ],
            ),
        ],
    },
    Prompt {
        name: "debug-ui",
        title: "Debug UI Element",
        about: "Find out why an element cannot be found, and what finds it.",
        arguments: &[
            APP,
            needed(
                "element_description",
                "The element, as a person would describe it",
                part("app_name", Parts::Elements),
            ),
            free("query_tried", "The query that failed", Kind::Text),
        ],
        task: "Find out why this cannot be found in \"{app_name}\": {element_description}.",
        shows_app: true,
        steps: &[
            step(&["Ask `ax_is_accessible` whether apps can be seen at all."]),
            CONNECT,
            given(
                "query_tried",
                &[
                    "Try `{query_tried}` again with `ax_find` and read the error: near misses, candidates \
                 and refs are in it.",
                ],
            ),
            step(&[
                "Take a picture with `ax_screenshot`: is the element on the screen at all, or behind \
                    a tab, a menu or a scroll bar?",
            ]),
            step(&[
                "Read the outline with `ax_get_tree`, and once more with include_invisible: what is \
                    there only then is hidden, not missing.",
            ]),
            step(&[
                "Try other ways with `ax_find`, from narrow to wide: identifier, exact title, part of \
                    the title, role, a regular expression, XPath. Pass explain to have a model look when \
                    nothing matches.",
            ]),
            step(&[
                "Read all its attributes with `ax_get_attributes` once you have it, and compare them \
                    with what was asked for.",
            ]),
            step(&[
                "Answer with the reason, the query that finds it and nothing else, and what to do \
                    when the element comes late or changes its name.",
            ]),
        ],
    },
    Prompt {
        name: "accessibility-audit",
        title: "Accessibility Audit",
        about: "Look for what keeps people from using an app with a keyboard or a screen reader.",
        arguments: &[
            APP,
            free("standard", "The level of WCAG: A, AA or AAA", Kind::OneOf(&["A", "AA", "AAA"])),
        ],
        task: "Look for accessibility faults in the app \"{app_name}\".",
        shows_app: false,
        steps: &[
            CONNECT,
            given("standard", &["Judge by WCAG, level {standard}."]),
            step(&[
                "Run `ax_a11y_audit`, and look at each finding in the app before you pass it on.",
                "Read the whole outline with `ax_get_tree`, with include_invisible once: every control \
                 needs a name that says what it does, every picture a description, every field a label; \
                 no two things side by side may share a name, and each role must fit what the thing is.",
            ]),
            step(&[
                "Read the details of doubtful elements with `ax_get_attributes`: states, actions, \
                    label relations.",
            ]),
            step(&[
                "Walk through with `ax_key_press` and the tab key, and look each time what has the \
                    focus: everything must be reached, in a sensible order, and nothing may hold the \
                    focus.",
            ]),
            step(&["Judge contrast and size of text on a picture from `ax_screenshot`."]),
            step(&[
                "Report each fault with the element and its ref, whom it keeps out, the rule it \
                    breaks and how to put it right; the worst first.",
            ]),
        ],
    },
    Prompt {
        name: "cross-app-copy",
        title: "Copy Data Between Apps",
        about: "Take something from one app and put it into another, and prove that it arrived.",
        arguments: &[
            needed("source_app", "The app it comes from", Kind::App),
            needed("source_element", "What to copy", part("source_app", Parts::Elements)),
            needed("target_app", "The app it goes to", Kind::App),
            needed("target_element", "Where to put it", part("target_app", Parts::Elements)),
        ],
        task: "Copy \"{source_element}\" of \"{source_app}\" to \"{target_element}\" of \
               \"{target_app}\".",
        shows_app: false,
        steps: &[
            step(&["Connect to both apps with `ax_connect`, under the aliases from and to."]),
            step(&[
                "Find what to copy with `ax_find` and read it with `ax_get_value`; nothing need be \
                 selected for that.",
                "Find what to copy with `ax_find`; its value is in the answer.",
                "Read what to copy with `ax_get_tree`.",
            ]),
            step(&[
                "Put it into its place with `ax_set_value`, or with `ax_type` where other text must \
                 stay.",
                "Put it into its place with `ax_type`.",
                "Nothing that writes is offered here: say what is to be put where.",
            ]),
            step(&[
                "What is no plain text goes by `ax_clipboard`; remember what was on the clipboard and \
                    put it back.",
            ]),
            step(&[
                "Prove with `ax_assert` that the target holds it, and that the source is as it was.",
                "Look again whether the target holds it, and whether the source is as it was.",
            ]),
        ],
    },
];
