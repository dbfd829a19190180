//! `view_tree`: returns every element of an app or a window in pages, or a digest for comparison.

use deskhand_model::json::{NodeJson, NoticeJson};
use deskhand_platform::{NodeFields, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Int, Requirement, Result, Tool, ToolSpec,
    verbs::tree::{
        page::page_elements,
        sanitize::HiddenTextPolicy,
        view::{TreeRequest, TreeStart, read_tree, tree_digest},
    },
};

pub(crate) struct TreeResource;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid or desktop-file id.
    app: String,
    /// Only this window, by index; 0 is the frontmost.
    window: Option<Int<0, 10_000>>,
    /// Continue after this element: the ref at the end of the previous page.
    cursor: Option<String>,
    /// Return a digest instead, which changes when the tree changes.
    #[serde(default)]
    mark: bool,
}

/// A page of a tree, or its digest.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum TreeView {
    /// The first page.
    First {
        /// The root element with the descendants that fit.
        #[serde(flatten)]
        root: Box<NodeJson>,
        /// Notices about the snapshot as a whole.
        notices: Vec<NoticeJson>,
        /// The cursor of the next page.
        #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
    },
    /// A later page.
    Later {
        /// Elements with the refs of their parents, and the descendants that fit.
        elements: Vec<NodeJson>,
        /// The cursor of the next page.
        #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
    },
    /// Only the digest.
    Mark {
        /// The digest; it changes when the tree changes.
        mark: String,
    },
}

impl Tool for TreeResource {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_tree",
        command: "",
        about: "Every element of an app or a window, in pages.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = TreeView;

    fn run(cx: &Context<'_>, args: Args) -> Result<TreeView> {
        let request = TreeRequest {
            app: Some(&args.app),
            start: args.window.map_or(TreeStart::App, |index| TreeStart::Window(index.count())),
            walk: WalkOptions::with_fields(NodeFields::ALL),
            hidden_text: HiddenTextPolicy::Omit,
        };
        if args.mark {
            return Ok(TreeView::Mark { mark: tree_digest(cx, &request)? });
        }
        let mut view = read_tree(cx, &request)?;
        let cursor = args.cursor.as_deref();
        let page = page_elements(view.flat()?, cursor).ok_or_else(|| Error::BadArguments {
            tool: Self::SPEC.name,
            why: format!(
                "cursor: nothing follows {}: start again without a cursor",
                cursor.unwrap_or("")
            ),
        })?;
        let (mut elements, next_cursor) = (page.elements, page.next);
        match (cursor, elements.len()) {
            (None, 1) => {
                let root = Box::new(elements.remove(0));
                Ok(TreeView::First { root, notices: view.notices(), next_cursor })
            }
            (None | Some(_), _) => Ok(TreeView::Later { elements, next_cursor }),
        }
    }
}
