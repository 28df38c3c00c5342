//! Chooses between the two rotations that each key without its w can have, along a chain of
//! joints and over time at once.
//!
//! Method: a hidden Markov model whose state is the sign of w of every joint of the chain at its
//! latest key; the keys of all joints are gone through in order of time. A key costs what its
//! rotation differs from what the positions say, from the rotation of the key before, and from
//! the rotations of its neighbours in the chain at that time. Two passes, forwards and backwards,
//! give for each key the cost of the best choice with either sign, so the choice is the best of
//! all, not the best step by step; and their difference says how sure it is.
//! What keys cost beside their neighbours is worked out once, however often choices are made.
//! Cost: 4 × 2^n operations and 4 × 2^n + 112 bytes for each key of a chain of n joints.

use glam::DQuat;

/// The rotations of one joint of a chain.
pub(super) struct Link {
    /// When its keys are, in order, in seconds.
    pub(super) times: Vec<f32>,
    /// The two rotations that each key can have.
    pub(super) rotations: Vec<[DQuat; 2]>,
    /// What each of them costs by itself.
    pub(super) costs: Vec<[f64; 2]>,
}

/// Which rotation a key has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    /// 0 or 1: which of the two.
    pub(super) which: usize,
    /// What the other one would cost more.
    pub(super) margin: f64,
}

impl Choice {
    /// The cheaper of the two.
    pub(super) fn of(totals: [f64; 2]) -> Choice {
        Choice {
            which: usize::from(totals[1] < totals[0]),
            margin: (totals[1] - totals[0]).abs(),
        }
    }
}

/// What it costs to be off by some times of what is usual: as the square for what is likely, and
/// ever less for what is not, so that an odd key does not outweigh all others.
pub(super) fn surprise(off: f64) -> f64 {
    (1.0 + off * off / 2.0).ln()
}

/// What two rotations that follow each other in time cost, or that hang on each other.
pub(super) trait Costs {
    /// `seconds` lie between the two.
    fn in_time(&self, before: DQuat, after: DQuat, seconds: f64) -> f64;
    /// `link` is the number of the child in its chain.
    fn in_chain(&self, link: usize, parent: DQuat, child: DQuat) -> f64;
}

impl Link {
    /// The rotation at a time, if the latest key before it has the sign `which`: on the shorter
    /// way to the nearer rotation of the next key.
    pub(super) fn at(&self, time: f32, which: usize) -> Option<DQuat> {
        let next = self.times.partition_point(|&key| key <= time);
        let latest = next.saturating_sub(1);
        let from = self.rotations.get(latest)?[which];
        if next == 0 || self.times[latest] == time {
            return Some(from);
        }
        let Some(to) = self.rotations.get(next) else {
            return Some(from);
        };
        let [a, b] = to.map(|to| from.dot(to));
        let (to, dot) = if a.abs() >= b.abs() {
            (to[0], a)
        } else {
            (to[1], b)
        };
        let length = f64::from(self.times[next]) - f64::from(self.times[latest]);
        let part = (f64::from(time) - f64::from(self.times[latest])) / length;
        Some((from * (1.0 - part) + to * (part * dot.signum())).normalize())
    }
}

/// The states of a chain, as bits.
const MOST_LINKS: usize = 5;
const STATES: usize = 1 << MOST_LINKS;

/// For each key of each link the best choice; the steps are those of the same links.
pub(super) fn choose(links: &[Link], steps: &[Step]) -> Vec<Vec<Choice>> {
    let states = 1 << links.len().min(MOST_LINKS);
    let own = |step: &Step| links[step.link].costs[step.key];
    // What it costs to come to a state after each step.
    let mut before = [0.0; STATES];
    let mut forwards: Vec<[f32; STATES]> = Vec::with_capacity(steps.len());
    for step in steps {
        let by_itself = own(step);
        let mut after = [f64::INFINITY; STATES];
        for (state, before) in before.iter().enumerate().take(states) {
            let old = (state >> step.link) & 1;
            for (new, own) in by_itself.iter().enumerate() {
                let next = (state & !(1 << step.link)) | (new << step.link);
                let cost = before + own + step.cost(links.len(), old, next);
                after[next] = f64::min(after[next], cost);
            }
        }
        let least = after.iter().copied().fold(f64::INFINITY, f64::min);
        after = after.map(|cost| cost - least);
        forwards.push(after.map(|cost| cost as f32));
        before = after;
    }
    // What it costs to go on from a state after each step.
    let mut choices: Vec<Vec<Choice>> = links
        .iter()
        .map(|link| vec![Choice::of([0.0; 2]); link.times.len()])
        .collect();
    let mut onwards = [0.0; STATES];
    for (step, forwards) in steps.iter().zip(&forwards).rev() {
        let mut best = [f64::INFINITY; 2];
        for state in 0..states {
            let new = (state >> step.link) & 1;
            best[new] = f64::min(best[new], f64::from(forwards[state]) + onwards[state]);
        }
        choices[step.link][step.key] = Choice::of(best);
        let by_itself = own(step);
        let mut earlier = [f64::INFINITY; STATES];
        for (state, earlier) in earlier.iter_mut().enumerate().take(states) {
            let old = (state >> step.link) & 1;
            for (new, own) in by_itself.iter().enumerate() {
                let next = (state & !(1 << step.link)) | (new << step.link);
                let cost = onwards[next] + own + step.cost(links.len(), old, next);
                *earlier = earlier.min(cost);
            }
        }
        let least = earlier.iter().copied().fold(f64::INFINITY, f64::min);
        onwards = earlier.map(|cost| cost - least);
    }
    choices
}

/// Every key of a chain in order of time. `root` is the rotation on which the first link hangs; a
/// chain has at most five links.
pub(super) fn steps(
    links: &[Link],
    costs: &impl Costs,
    root: impl Fn(f32) -> Option<DQuat>,
) -> Vec<Step> {
    let mut keys: Vec<(f32, usize, usize)> = Vec::new();
    for (link, of_link) in links.iter().enumerate() {
        let times = of_link.times.iter().enumerate();
        keys.extend(times.map(|(key, &time)| (time, link, key)));
    }
    keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let steps = keys.into_iter();
    steps
        .map(|(time, link, key)| Step::new(links, costs, &root, time, link, key))
        .collect()
}

/// What one key of one joint costs beside its neighbours, by the signs that take part in it.
pub(super) struct Step {
    link: usize,
    key: usize,
    /// By the sign before and the sign after.
    in_time: [[f64; 2]; 2],
    /// By this sign and the parent's; the root has but one.
    to_parent: [[f64; 2]; 2],
    /// By this sign and the child's.
    to_child: [[f64; 2]; 2],
}

impl Step {
    fn new(
        links: &[Link],
        costs: &impl Costs,
        root: &impl Fn(f32) -> Option<DQuat>,
        time: f32,
        link: usize,
        key: usize,
    ) -> Step {
        let here = &links[link];
        let rotations = here.rotations[key];
        let table = |cost: &dyn Fn(usize, usize) -> f64| {
            [[cost(0, 0), cost(0, 1)], [cost(1, 0), cost(1, 1)]]
        };
        let in_time = match key.checked_sub(1) {
            Some(last) => {
                let seconds = f64::from(time) - f64::from(here.times[last]);
                table(&|old, new| costs.in_time(here.rotations[last][old], rotations[new], seconds))
            }
            // Before its first key a joint has the sign of that key.
            None => [[0.0, f64::INFINITY], [f64::INFINITY, 0.0]],
        };
        let parents = match link.checked_sub(1) {
            Some(parent) => [0, 1].map(|which| links[parent].at(time, which)),
            None => [root(time); 2],
        };
        let children = [0, 1].map(|which| links.get(link + 1)?.at(time, which));
        let to_parent = table(&|this, other| {
            let cost = |parent| costs.in_chain(link, parent, rotations[this]);
            parents[other].map_or(0.0, cost)
        });
        let to_child = table(&|this, other| {
            let cost = |child| costs.in_chain(link + 1, rotations[this], child);
            children[other].map_or(0.0, cost)
        });
        Step {
            link,
            key,
            in_time,
            to_parent,
            to_child,
        }
    }

    /// To come to the state `next` from one that differs from it at most in this joint's sign.
    fn cost(&self, links: usize, old: usize, next: usize) -> f64 {
        let sign = |link: usize| (next >> link) & 1;
        let this = sign(self.link);
        let parent = self.link.checked_sub(1).map_or(0, sign);
        let child = match self.link + 1 < links {
            true => sign(self.link + 1),
            false => 0,
        };
        self.in_time[old][this] + self.to_parent[this][parent] + self.to_child[this][child]
    }
}
