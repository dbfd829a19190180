//! Selects the lines to show within a token budget: breadth first, most important first.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    OutlineOptions,
    fold::{FoldedTree, LineContent},
    role_groups,
};
use crate::{Role, State};

/// A list with more items than this is shortened.
const LONG_LIST: usize = 12;
/// The number of items shown of a long list.
const FIRST_FEW: usize = 6;
/// The token cost of a note such as `(312 elements)`.
const NOTE_COST: usize = 5;
/// The token cost of a line such as `… 88 more items in e30`.
const MORE_COST: usize = 14;

/// The lines to show.
pub(crate) struct LineSelection {
    pub(crate) shown: Vec<bool>,
}

impl LineSelection {
    /// Selects lines within the budget. `costs` holds the token cost of each line.
    pub(crate) fn of(
        tree: &FoldedTree<'_>,
        options: &OutlineOptions,
        budget: usize,
        costs: &[usize],
    ) -> Self {
        let eligible = eligible(tree, options);
        let cost_of_all: usize =
            costs.iter().zip(&eligible).filter(|(_, on)| **on).map(|(cost, _)| cost).sum();
        let cuts = (0..tree.items.len())
            .filter(|at| eligible[*at] && tree.children_of(*at).any(|kid| !eligible[kid]))
            .count();
        if cost_of_all + cuts * MORE_COST <= budget {
            return Self { shown: eligible };
        }
        LineChooser::new(tree, eligible, costs, budget).choose()
    }
}

/// Returns the lines that neither the depth limit nor a long list excludes.
fn eligible(tree: &FoldedTree<'_>, options: &OutlineOptions) -> Vec<bool> {
    let mut eligible = vec![true; tree.items.len()];
    for at in 0..tree.items.len() {
        let item = &tree.items[at];
        let above_out = item.parent.is_some_and(|parent| !eligible[parent]);
        if above_out || options.depth.is_some_and(|depth| item.depth > depth) {
            eligible[at] = false;
        }
        let is_root = item.parent.is_none();
        if eligible[at] && !is_root && options.max_tokens.is_some() {
            for kid in beyond_first_items(tree, at) {
                eligible[kid] = false;
            }
        }
    }
    eligible
}

fn beyond_first_items(tree: &FoldedTree<'_>, list: usize) -> Vec<usize> {
    let node = |at: usize| tree.snapshot.node(tree.items[at].at);
    let any = role_groups::is_list(node(list).role);
    let alike: Vec<usize> = tree
        .children_of(list)
        .filter(|kid| match &tree.items[*kid].content {
            LineContent::Row(_) => true,
            LineContent::Header(_) => false,
            LineContent::Element | LineContent::Named(_) | LineContent::Text(_) => {
                any || role_groups::is_item(node(*kid).role)
            }
        })
        .collect();
    if alike.len() <= LONG_LIST {
        return Vec::new();
    }
    let stands_out = |kid: &usize| {
        let states = node(*kid).states;
        states.has(State::Selected) || states.has(State::Focused)
    };
    let mut spared = 0;
    alike
        .into_iter()
        .skip(FIRST_FEW)
        .filter(|kid| {
            let spare = spared < FIRST_FEW && stands_out(kid);
            spared += usize::from(spare);
            !spare
        })
        .collect()
}

struct LineChooser<'v, 'a> {
    tree: &'v FoldedTree<'a>,
    eligible: Vec<bool>,
    costs: &'v [usize],
    left: usize,
    shown: Vec<bool>,
    weight: Vec<usize>,
    controls: Vec<usize>,
    focus_path: Vec<bool>,
    queue: BinaryHeap<Reverse<(i64, usize)>>,
}

impl<'v, 'a> LineChooser<'v, 'a> {
    fn new(
        tree: &'v FoldedTree<'a>,
        eligible: Vec<bool>,
        costs: &'v [usize],
        budget: usize,
    ) -> Self {
        let total = tree.items.len();
        let mut weight = vec![0; total];
        let mut controls = vec![0; total];
        let mut focus_path = vec![false; total];
        for at in (0..total).rev() {
            let item = &tree.items[at];
            let node = tree.snapshot.node(item.at);
            weight[at] += item.covers;
            controls[at] += usize::from(node.role.is_control());
            focus_path[at] |= node.states.has(State::Focused);
            if let Some(parent) = item.parent {
                weight[parent] += weight[at];
                controls[parent] += controls[at];
                focus_path[parent] |= focus_path[at];
            }
        }
        let shown = vec![false; total];
        let queue = BinaryHeap::new();
        Self { tree, eligible, costs, left: budget, shown, weight, controls, focus_path, queue }
    }

    fn choose(mut self) -> LineSelection {
        let mut top_lines: Vec<usize> = self.tree.top_lines().collect();
        top_lines.sort_by_key(|at| self.rank(*at));
        for (nth, top) in top_lines.into_iter().enumerate() {
            let cost = self.cost(top);
            if nth == 0 || cost + MORE_COST <= self.left {
                self.show(top, cost);
            }
        }
        let mut partly: Vec<usize> = Vec::new();
        while let Some(Reverse((_, at))) = self.queue.pop() {
            let share = if self.queue.is_empty() { self.left } else { self.left / 2 };
            if !self.expand(at, share) {
                partly.push(at);
            }
        }
        for at in partly {
            self.expand(at, self.left);
            while let Some(Reverse((_, below))) = self.queue.pop() {
                self.expand(below, self.left);
            }
        }
        LineSelection { shown: self.shown }
    }

    /// Shows the lines directly below a line, as far as `share` allows. Returns `true` if all of
    /// them fit.
    fn expand(&mut self, at: usize, share: usize) -> bool {
        let mut kids: Vec<usize> = self
            .tree
            .children_of(at)
            .filter(|kid| self.eligible[*kid] && !self.shown[*kid])
            .collect();
        let total: usize = kids.iter().map(|kid| self.cost(*kid)).sum();
        if total <= self.left && (total <= share || total <= 2 * MORE_COST) {
            for kid in kids {
                let cost = self.cost(kid);
                self.show(kid, cost);
            }
            self.left += NOTE_COST;
            return true;
        }
        let mut share = share.saturating_sub(MORE_COST);
        kids.sort_by_key(|kid| self.rank(*kid));
        let mut any = false;
        for kid in kids {
            let cost = self.cost(kid);
            if cost > share {
                break;
            }
            share -= cost;
            any = true;
            self.show(kid, cost);
        }
        if any {
            self.left = self.left.saturating_sub(MORE_COST);
        }
        false
    }

    fn show(&mut self, at: usize, cost: usize) {
        self.shown[at] = true;
        self.left = self.left.saturating_sub(cost);
        if self.tree.children_of(at).any(|kid| self.eligible[kid]) {
            self.queue.push(Reverse((self.score(at), at)));
        }
    }

    fn cost(&self, at: usize) -> usize {
        let has_more = self.tree.items[at].end > at + 1;
        self.costs[at] + if has_more { NOTE_COST } else { 0 }
    }

    /// Returns the rank among siblings, lowest first: the focused element, then controls, then the
    /// rest.
    fn rank(&self, at: usize) -> u8 {
        let node = self.tree.snapshot.node(self.tree.items[at].at);
        let urgent = node.states.has(State::Modal) || node.role == Role::Alert;
        if urgent || self.focus_path[at] {
            0
        } else if node.states.has(State::Active) && node.role.is_window() {
            1
        } else if node.role == Role::Dialog {
            2
        } else if self.controls[at] > 0 || node.role.is_window() {
            3
        } else {
            4
        }
    }

    /// Returns the order in which lines are expanded, lowest first. Deep lines, large subtrees,
    /// subtrees without controls and background windows come later.
    fn score(&self, at: usize) -> i64 {
        let item = &self.tree.items[at];
        let node = self.tree.snapshot.node(item.at);
        let mut top = at;
        while let Some(parent) = self.tree.items[top].parent {
            top = parent;
        }
        let mut score = 8 * i64::from(item.depth) + 2 * i64::from(self.weight[at].ilog2());
        if self.controls[at] == 0 {
            score += 20;
        }
        if role_groups::is_list(node.role) || node.role == Role::StatusBar {
            score += 6;
        }
        if item.depth > 0 && self.rank(top) > 2 {
            score += 12;
        }
        if self.focus_path[at] || self.rank(at) == 0 {
            score -= 40;
        }
        score
    }
}
