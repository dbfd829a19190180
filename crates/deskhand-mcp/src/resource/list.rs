//! Which resources there are: a few for everybody, and some of every app a client connected to.

use std::collections::BTreeMap;

use deskhand_engine::Connection;
use rmcp::model::{
    Annotations, CacheScope, ErrorData, ListResourceTemplatesResult, ListResourcesResult,
    PaginatedRequestParams, Resource, ResourceTemplate, Role,
};

use super::uri::{SCHEME, Uri, View};
use crate::server::paging;

/// How many are on a page.
const PAGE: usize = 100;

/// How long a list may be kept.
const FRESH_MS: u64 = 5_000;

const JSON: &str = "application/json";

/// What one kind of resource is called, and whom it is for.
struct Words {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    mime: &'static str,
    priority: f32,
    audience: &'static [Role],
}

const STATUS: Words = Words {
    name: "system-status",
    title: "System Accessibility Status",
    about: "Whether apps can be seen, which are connected, versions and security mode.",
    mime: JSON,
    priority: 0.9,
    audience: &[Role::User, Role::Assistant],
};
const APPS: Words = Words {
    name: "running-apps",
    title: "Running Applications",
    about: "The running apps with pid and desktop-file id; subscribe to hear of starts and ends.",
    mime: JSON,
    priority: 0.7,
    audience: &[Role::Assistant],
};
const CLIPBOARD: Words = Words {
    name: "clipboard",
    title: "System Clipboard",
    about: "What was copied; secrets are not read. Subscribe to hear of changes.",
    mime: JSON,
    priority: 0.3,
    audience: &[Role::Assistant],
};
const TREE: Words = Words {
    name: "app-element-tree",
    title: "Application Element Tree",
    about: "Every element of an app with role, title, value and place; long ones go on at nextCursor.",
    mime: JSON,
    priority: 0.8,
    audience: &[Role::Assistant],
};
const SCREENSHOT: Words = Words {
    name: "app-screenshot",
    title: "Application Screenshot",
    about: "A picture of an app's frontmost window.",
    mime: "image/png",
    priority: 0.5,
    audience: &[Role::Assistant],
};
const STATE: Words = Words {
    name: "app-ui-state",
    title: "Application UI State",
    about: "An app in few words: windows, focused element, menus, whether it is idle.",
    mime: JSON,
    priority: 0.8,
    audience: &[Role::Assistant],
};
const WINDOW: Words = Words {
    name: "window-element-tree",
    title: "Window Element Tree",
    about: "Every element of one window, counted from 0, the frontmost first.",
    mime: JSON,
    priority: 0.7,
    audience: &[Role::Assistant],
};
const EVENTS: Words = Words {
    name: "app-events",
    title: "Application Event Stream",
    about: "What happened in an app last; subscribe to hear of windows, dialogs, focus and values.",
    mime: JSON,
    priority: 0.6,
    audience: &[Role::Assistant],
};

/// The resources of one app that are listed.
const OF_APP: [(&Words, View); 4] = [
    (&TREE, View::Tree(None)),
    (&SCREENSHOT, View::Screenshot),
    (&STATE, View::State),
    (&EVENTS, View::Events),
];

/// The resources there are for a client connected to these apps.
///
/// # Errors
///
/// When the cursor is not one of this list.
pub(crate) fn resources(
    connected: &[Connection],
    asked: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    let page = paging::page(all(connected), asked, PAGE, |one: &Resource| one.uri.clone())?;
    let mut list = ListResourcesResult::with_all_items(page.items)
        .with_ttl_ms(FRESH_MS)
        // It names the apps of one client.
        .with_cache_scope(CacheScope::Private);
    list.next_cursor = page.next;
    Ok(list)
}

/// The templates there are.
///
/// # Errors
///
/// When the cursor is not one of this list.
pub(crate) fn templates(
    asked: Option<PaginatedRequestParams>,
) -> Result<ListResourceTemplatesResult, ErrorData> {
    let one = |path: &str, words: &Words| {
        ResourceTemplate::new(format!("{SCHEME}app/{{name}}/{path}"), words.name)
            .with_title(words.title)
            .with_description(words.about)
            .with_mime_type(words.mime)
            .with_annotations(words.annotations())
    };
    let all = vec![
        one("events", &EVENTS),
        one("screenshot", &SCREENSHOT),
        one("state", &STATE),
        one("tree", &TREE),
        one("window/{index}/tree", &WINDOW),
    ];
    let page = paging::page(all, asked, PAGE, |one: &ResourceTemplate| one.uri_template.clone())?;
    let mut list = ListResourceTemplatesResult::with_all_items(page.items)
        .with_ttl_ms(FRESH_MS)
        .with_cache_scope(CacheScope::Public);
    list.next_cursor = page.next;
    Ok(list)
}

/// The media type of a resource.
pub(crate) fn mime(uri: &Uri) -> &'static str {
    match uri {
        Uri::App { view: View::Screenshot, .. } => SCREENSHOT.mime,
        Uri::App {
            view: View::Tree(_) | View::Window(..) | View::State | View::Events, ..
        }
        | Uri::Status
        | Uri::Apps
        | Uri::Clipboard
        | Uri::Result(_) => JSON,
    }
}

fn all(connected: &[Connection]) -> Vec<Resource> {
    let mut all = vec![
        resource(&Uri::Status, &STATUS, STATUS.title.to_owned()),
        resource(&Uri::Apps, &APPS, APPS.title.to_owned()),
        resource(&Uri::Clipboard, &CLIPBOARD, CLIPBOARD.title.to_owned()),
    ];
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for one in connected {
        *names.entry(&one.name).or_default() += 1;
    }
    for one in connected {
        // Where two share a name, only the process tells them apart.
        let name = match names.get(one.name.as_str()) {
            Some(1) => one.name.clone(),
            Some(_) | None => one.pid.to_string(),
        };
        for (words, view) in OF_APP {
            let title = format!("{}: {}", one.name, words.title);
            all.push(resource(&Uri::App { name: name.clone(), view }, words, title));
        }
    }
    all.sort_by(|one, other| one.uri.cmp(&other.uri));
    all
}

fn resource(uri: &Uri, words: &Words, title: String) -> Resource {
    Resource::new(uri.to_string(), words.name)
        .with_title(title)
        .with_description(words.about)
        .with_mime_type(words.mime)
        .with_annotations(words.annotations())
}

impl Words {
    fn annotations(&self) -> Annotations {
        Annotations::default().with_audience(self.audience.to_vec()).with_priority(self.priority)
    }
}

#[cfg(test)]
mod tests {
    use deskhand_engine::AppId;

    use super::*;

    fn connection(name: &str, pid: u32) -> Connection {
        Connection { id: AppId(format!(":{pid}")), name: name.to_owned(), pid, alias: None }
    }

    fn uris(connected: &[Connection]) -> Vec<String> {
        all(connected).into_iter().map(|one| one.uri).collect()
    }

    #[test]
    fn a_list_has_everything_that_can_be_read_and_is_sorted() {
        assert_eq!(
            uris(&[]),
            ["deskhand://apps", "deskhand://clipboard", "deskhand://system/status"]
        );
        let two = uris(&[connection("Notes", 7), connection("A b", 3)]);
        assert!(two.is_sorted() && two.len() == 11, "{two:?}");
        assert!(two.contains(&"deskhand://app/A%20b/events".to_owned()), "{two:?}");
        assert!(two.iter().all(|uri| Uri::parse(uri).is_some()));
        let same = uris(&[connection("Notes", 7), connection("Notes", 8)]);
        assert!(same.contains(&"deskhand://app/7/tree".to_owned()), "{same:?}");
    }

    #[test]
    fn long_lists_come_in_pages() {
        let many: Vec<Connection> =
            (0..60).map(|at| connection(&format!("app {at}"), at)).collect();
        let (mut sizes, mut cursor) = (Vec::new(), None);
        loop {
            let asked = PaginatedRequestParams::default().with_cursor(cursor.clone());
            let page = resources(&many, Some(asked.clone())).unwrap();
            sizes.push(page.resources.len());
            if cursor.is_some() {
                assert_eq!(resources(&many[1..], Some(asked)).unwrap_err().code.0, -32602);
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(sizes, [100, 100, 43]);
    }

    #[test]
    fn templates_are_told_with_all_their_words() {
        let list = serde_json::json!(templates(None).unwrap());
        let all = list["resourceTemplates"].as_array().unwrap();
        assert_eq!(all.len(), 5);
        for one in all {
            for field in ["uriTemplate", "name", "title", "description", "mimeType"] {
                assert!(one[field].is_string(), "{one}");
            }
            assert_eq!(one["annotations"]["audience"], serde_json::json!(["assistant"]));
        }
    }
}
