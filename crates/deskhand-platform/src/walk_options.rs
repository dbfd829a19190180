//! The scope of a tree read: which nodes, and which fields of each.

/// The expensive fields of a node. Each one is read only on request.
///
/// Role, name, description, states and the tree structure are always read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeFields {
    /// The area on the screen.
    pub bounds: bool,
    /// Text and numeric values.
    pub values: bool,
    /// The developer-assigned identifiers.
    pub identifiers: bool,
    /// The actions that the node offers.
    pub actions: bool,
    /// The relations between nodes.
    pub relations: bool,
    /// Read the requested fields also for nodes that are not visible.
    pub hidden: bool,
}

impl NodeFields {
    /// Only the fields that are always read.
    pub const MINIMAL: NodeFields = NodeFields {
        bounds: false,
        values: false,
        identifiers: false,
        actions: false,
        relations: false,
        hidden: false,
    };
    /// The fields of an ordinary snapshot: bounds and values.
    pub const STANDARD: NodeFields = NodeFields { bounds: true, values: true, ..Self::MINIMAL };
    /// Every field.
    pub const ALL: NodeFields = NodeFields {
        bounds: true,
        values: true,
        identifiers: true,
        actions: true,
        relations: true,
        hidden: true,
    };

    /// Returns `true` if every field of `other` is also in `self`.
    pub fn contains(self, other: NodeFields) -> bool {
        self.union(other) == self
    }

    /// Returns the fields that are in `self` or in `other`.
    #[must_use]
    pub fn union(self, other: NodeFields) -> Self {
        Self {
            bounds: self.bounds || other.bounds,
            values: self.values || other.values,
            identifiers: self.identifiers || other.identifiers,
            actions: self.actions || other.actions,
            relations: self.relations || other.relations,
            hidden: self.hidden || other.hidden,
        }
    }
}

/// The limits of a tree read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkOptions {
    /// The maximum depth below the root; `None` means no limit.
    pub max_depth: Option<u32>,
    /// The maximum number of nodes in total.
    pub max_nodes: usize,
    /// The maximum number of children per node.
    pub max_children: usize,
    /// The index of the first child of the root to read, to page through a long list.
    pub first_child: usize,
    /// The number of children of the root to read, beginning with `first_child`. `None` reads all
    /// of them, or the first ones of a long list.
    pub page_size: Option<usize>,
    /// Also returns what exceeds `max_nodes` and `max_children` if the app delivers it anyway, in one
    /// reply with the rest.
    pub keep_cached: bool,
    /// The fields to read of each node.
    pub fields: NodeFields,
}

impl WalkOptions {
    /// Reads a whole app, up to 20,000 nodes and 1,000 children per node.
    pub const fn with_fields(fields: NodeFields) -> Self {
        Self {
            max_depth: None,
            max_nodes: 20_000,
            max_children: 1_000,
            first_child: 0,
            page_size: None,
            keep_cached: false,
            fields,
        }
    }
}
