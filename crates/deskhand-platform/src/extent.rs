//! How much of a tree a look takes in.

/// The costly parts of an element, each read only when asked for.
///
/// Role, name, description, states and the tree itself always come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facets {
    /// Where elements are on the screen.
    pub bounds: bool,
    /// Texts and numbers.
    pub values: bool,
    /// The names programmers gave elements.
    pub identifiers: bool,
    /// What can be done to elements.
    pub actions: bool,
    /// How elements point at each other.
    pub relations: bool,
    /// All of this also for elements no person could see now.
    pub hidden: bool,
}

impl Facets {
    /// Only what always comes.
    pub const NAMES: Facets = Facets {
        bounds: false,
        values: false,
        identifiers: false,
        actions: false,
        relations: false,
        hidden: false,
    };
    /// What a first look shows.
    pub const LOOK: Facets = Facets { bounds: true, values: true, ..Self::NAMES };
    /// Everything there is.
    pub const ALL: Facets = Facets {
        bounds: true,
        values: true,
        identifiers: true,
        actions: true,
        relations: true,
        hidden: true,
    };

    /// Whether all that another asks for is among it.
    pub fn covers(self, other: Facets) -> bool {
        self.and(other) == self
    }

    /// What either of two asks for.
    #[must_use]
    pub fn and(self, other: Facets) -> Self {
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

/// The bounds of a look: however large the app's tree, no more than this is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// How many levels below the root are read; `None` is all of them.
    pub depth: Option<u32>,
    /// How many elements are read in all.
    pub nodes: usize,
    /// How many children of one element are read.
    pub children: usize,
    /// The first child read of the root of the look, to page through a long list.
    pub first_child: usize,
    /// What is read of each element.
    pub facets: Facets,
}

impl Extent {
    /// A whole app, as far as one can want it at once.
    pub const fn of(facets: Facets) -> Self {
        Self { depth: None, nodes: 20_000, children: 1_000, first_child: 0, facets }
    }
}
