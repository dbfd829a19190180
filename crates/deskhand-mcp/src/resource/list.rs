//! `resources/list` and `resources/templates/list`: a few resources of the desktop, and some of
//! every connected app.

use std::collections::BTreeMap;

use deskhand_engine::Connection;
use rmcp::model::{
    Annotations, CacheScope, ErrorData, ListResourceTemplatesResult, ListResourcesResult,
    PaginatedRequestParams, Resource, ResourceTemplate, Role,
};

use super::uri::{AppView, SCHEME, Uri};
use crate::{server::paging, timing};

/// Maximum number of resources per page.
const PAGE_SIZE: usize = 100;

const JSON: &str = "application/json";

/// The description of one kind of resource.
struct ResourceInfo {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    mime: &'static str,
    priority: f32,
    audience: &'static [Role],
}

/// Describes a resource in JSON for the model.
const fn json_resource(
    name: &'static str,
    title: &'static str,
    about: &'static str,
    priority: f32,
) -> ResourceInfo {
    ResourceInfo { name, title, about, mime: JSON, priority, audience: &[Role::Assistant] }
}

const STATUS: ResourceInfo = ResourceInfo {
    audience: &[Role::User, Role::Assistant],
    ..json_resource(
        "system-status",
        "System Accessibility Status",
        "Accessibility status, connected apps, versions and security mode.",
        0.9,
    )
};
const APPS: ResourceInfo = json_resource(
    "running-apps",
    "Running Applications",
    "The running apps with pid and desktop-file id. Subscribe to be notified when apps start \
                and exit.",
    0.7,
);
const CLIPBOARD: ResourceInfo = json_resource(
    "clipboard",
    "System Clipboard",
    "The clipboard content; secrets are omitted. Subscribe to be notified of changes.",
    0.3,
);
const TREE: ResourceInfo = json_resource(
    "app-element-tree",
    "Application Element Tree",
    "All elements of an app with role, title, value and position. Long trees are paged: read on \
                at nextCursor.",
    0.8,
);
const SCREENSHOT: ResourceInfo = ResourceInfo {
    mime: "image/png",
    ..json_resource(
        "app-screenshot",
        "Application Screenshot",
        "A screenshot of an app's frontmost window.",
        0.5,
    )
};
const STATE: ResourceInfo = json_resource(
    "app-ui-state",
    "Application UI State",
    "A summary of an app: windows, focused element, menus, and whether it is idle.",
    0.8,
);
const WINDOW: ResourceInfo = json_resource(
    "window-element-tree",
    "Window Element Tree",
    "All elements of one window. Index 0 is the frontmost window.",
    0.7,
);
const EVENTS: ResourceInfo = json_resource(
    "app-events",
    "Application Event Stream",
    "The latest events of an app. Subscribe to be notified of windows, dialogs, focus and value \
                changes.",
    0.6,
);

/// The resources listed for every connected app.
const APP_RESOURCES: [(&ResourceInfo, AppView); 4] = [
    (&TREE, AppView::Tree(None)),
    (&SCREENSHOT, AppView::Screenshot),
    (&STATE, AppView::State),
    (&EVENTS, AppView::Events),
];

/// Returns the resources for a client connected to these apps.
///
/// # Errors
///
/// Returns an error if the cursor does not belong to this list.
pub(crate) fn list_resources(
    connected: &[Connection],
    page_request: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    let page = paging::paginate(all(connected), page_request, PAGE_SIZE, |one: &Resource| {
        one.uri.clone()
    })?;
    let mut list = ListResourcesResult::with_all_items(page.items)
        .with_ttl_ms(timing::RESOURCE_LIST_TTL_MS)
        // The list names the apps of one client.
        .with_cache_scope(CacheScope::Private);
    list.next_cursor = page.next;
    Ok(list)
}

/// Returns the resource templates.
///
/// # Errors
///
/// Returns an error if the cursor does not belong to this list.
pub(crate) fn list_templates(
    page_request: Option<PaginatedRequestParams>,
) -> Result<ListResourceTemplatesResult, ErrorData> {
    let one = |path: &str, info: &ResourceInfo| {
        ResourceTemplate::new(format!("{SCHEME}app/{{name}}/{path}"), info.name)
            .with_title(info.title)
            .with_description(info.about)
            .with_mime_type(info.mime)
            .with_annotations(info.annotations())
    };
    let all = vec![
        one("events", &EVENTS),
        one("screenshot", &SCREENSHOT),
        one("state", &STATE),
        one("tree", &TREE),
        one("window/{index}/tree", &WINDOW),
    ];
    let page = paging::paginate(all, page_request, PAGE_SIZE, |one: &ResourceTemplate| {
        one.uri_template.clone()
    })?;
    let mut list = ListResourceTemplatesResult::with_all_items(page.items)
        .with_ttl_ms(timing::RESOURCE_LIST_TTL_MS)
        .with_cache_scope(CacheScope::Public);
    list.next_cursor = page.next;
    Ok(list)
}

/// Returns the media type of a resource.
pub(crate) fn mime(uri: &Uri) -> &'static str {
    match uri {
        Uri::App { view: AppView::Screenshot, .. } => SCREENSHOT.mime,
        Uri::App {
            view: AppView::Tree(_) | AppView::Window(..) | AppView::State | AppView::Events,
            ..
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
        // Apps with the same name are addressed by their pid.
        let name = match names.get(one.name.as_str()) {
            Some(1) => one.name.clone(),
            Some(_) | None => one.pid.to_string(),
        };
        for (info, view) in APP_RESOURCES {
            let title = format!("{}: {}", one.name, info.title);
            all.push(resource(&Uri::App { name: name.clone(), view }, info, title));
        }
    }
    all.sort_by(|one, other| one.uri.cmp(&other.uri));
    all
}

fn resource(uri: &Uri, info: &ResourceInfo, title: String) -> Resource {
    Resource::new(uri.to_string(), info.name)
        .with_title(title)
        .with_description(info.about)
        .with_mime_type(info.mime)
        .with_annotations(info.annotations())
}

impl ResourceInfo {
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
    fn the_list_is_complete_and_sorted() {
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
    fn long_lists_are_paged() {
        let many: Vec<Connection> =
            (0..60).map(|at| connection(&format!("app {at}"), at)).collect();
        let (mut sizes, mut cursor) = (Vec::new(), None);
        loop {
            let page_request = PaginatedRequestParams::default().with_cursor(cursor.clone());
            let page = list_resources(&many, Some(page_request.clone())).unwrap();
            sizes.push(page.resources.len());
            if cursor.is_some() {
                assert_eq!(
                    list_resources(&many[1..], Some(page_request)).unwrap_err().code.0,
                    -32602
                );
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(sizes, [100, 100, 43]);
    }

    #[test]
    fn templates_have_all_fields() {
        let list = serde_json::json!(list_templates(None).unwrap());
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
