//! Selects one of the two possible rotations for each key without its w, for a chain of joints and
//! over time together.
//!
//! Method: a hidden Markov model. Its state is the sign of w of every joint of the chain at its
//! latest key; the keys of all joints are processed in order of time. The cost of a key is the sum
//! of its own cost (from the positions), the cost of the change since the key before, and the costs
//! between neighbours in the chain at that time. A forward and a backward pass give, for each key,
//! the cost of the best sequence with either sign. So the choice is the global optimum. The
//! difference between the two costs, compared with the cost of the key, says how certain the choice
//! is.
//!
//! Cost for a chain of n joints: about 2 × 2^n operations per key for each of the two passes, and
//! 4 × 2^n + 120 bytes per key.

use glam::DQuat;

/// The keys of one joint of a chain.
pub(super) struct Link {
    /// Times in seconds, in order.
    pub(super) times: Vec<f32>,
    /// The two possible rotations of each key.
    pub(super) rotations: Vec<[DQuat; 2]>,
    /// The own costs of the two rotations of each key.
    pub(super) costs: Vec<[f64; 2]>,
}

/// The rotation that was selected for a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    /// The index of the rotation: 0 or 1.
    pub(super) index: usize,
    /// The additional cost of the other rotation.
    pub(super) margin: f64,
    /// The cost of the key with this rotation: its own cost, and the costs of the changes from the
    /// key before and to the next key. It is high if neither rotation fits the model well.
    pub(super) cost: f64,
}

impl Choice {
    /// Selects the rotation with the lower total cost. `totals` are the least costs of all sequences with the first and
    /// with the second rotation of the key.
    pub(super) fn of(totals: [f64; 2]) -> Choice {
        Choice {
            index: usize::from(totals[1] < totals[0]),
            margin: (totals[1] - totals[0]).abs(),
            cost: 0.0,
        }
    }

    /// Returns `true` if the other rotation is improbable.
    pub(super) fn is_certain(self) -> bool {
        /// A cost is the negative logarithm of a probability, so this is 1 in 20.
        const MIN_MARGIN: f64 = 3.0;
        /// The least margin as a share of the cost of the key. At a tracking jump, both rotations
        /// disagree with the positions and with the neighbouring keys. There a difference between
        /// their costs says little: the robust loss of a large residual has no known distribution.
        const MIN_SHARE: f64 = 0.2;
        self.margin >= f64::max(MIN_MARGIN, MIN_SHARE * self.cost)
    }
}

/// Returns the robust cost (Cauchy loss) of a residual, which is given in multiples of its typical size. An outlier
/// cannot outweigh all other evidence, since the cost grows only with the logarithm.
pub(super) fn robust_cost(residual: f64) -> f64 {
    (1.0 + residual * residual / 2.0).ln()
}

/// The costs between two rotations that are neighbours in time or in a chain.
pub(super) trait Costs {
    /// Returns the cost of a change of a joint's rotation from one key to the next, `seconds` later.
    fn in_time(&self, before: DQuat, after: DQuat, seconds: f64) -> f64;
    /// Returns the cost of the rotation of a child, given the rotation of its parent at the same time. `link` is the
    /// index of the child in the chain.
    fn in_chain(&self, link: usize, parent: DQuat, child: DQuat) -> f64;
}

impl Link {
    /// Returns the rotation at a time for either candidate of the latest key: interpolated along the shorter arc to the
    /// nearer candidate of the next key. `None` without keys.
    pub(super) fn at(&self, time: f32) -> Option<[DQuat; 2]> {
        let next = self.times.partition_point(|&key| key <= time);
        let latest = next.saturating_sub(1);
        let from = *self.rotations.get(latest)?;
        if next == 0 || self.times[latest] == time {
            return Some(from);
        }
        let Some(to) = self.rotations.get(next) else {
            return Some(from);
        };
        let length = f64::from(self.times[next]) - f64::from(self.times[latest]);
        let part = (f64::from(time) - f64::from(self.times[latest])) / length;
        Some(from.map(|from| {
            let [a, b] = to.map(|to| from.dot(to));
            // q and −q are the same rotation, so the nearer candidate has the product of greater
            // magnitude.
            let (to, dot) = if a.abs() >= b.abs() {
                (to[0], a)
            } else {
                (to[1], b)
            };
            (from * (1.0 - part) + to * (part * dot.signum())).normalize()
        }))
    }
}

/// The greatest number of joints of a chain.
const MAX_LINKS: usize = 5;
/// The number of states, whose bits are the signs of the joints.
const STATES: usize = 1 << MAX_LINKS;

/// Selects a rotation for each key of each link, so that the total cost is minimal. Returns the choices by link and
/// key. `steps` are the [`steps`] of these links, after [`set_chain_costs`].
pub(super) fn choose(links: &[Link], steps: &[Step]) -> Vec<Vec<Choice>> {
    // A shorter chain uses only the first states of the arrays of fixed size.
    let states = 1 << links.len().min(MAX_LINKS);
    // The cost of the best sequence up to the current step, by the state in which it ends.
    let mut costs = [0.0; STATES];
    let mut forwards: Vec<[f32; STATES]> = Vec::with_capacity(steps.len());
    for step in steps {
        let own = links[step.link].costs[step.key];
        let [[t00, t01], [t10, t11]] = step.in_time;
        step.for_each_pair(states, |s0, s1, between| {
            let (b0, b1) = (costs[s0], costs[s1]);
            costs[s0] = f64::min(b0 + t00, b1 + t10) + own[0] + between[0];
            costs[s1] = f64::min(b0 + t01, b1 + t11) + own[1] + between[1];
        });
        normalise(&mut costs[..states]);
        // Single precision halves the memory. The costs are small after the subtraction of the
        // least one.
        forwards.push(costs.map(|cost| cost as f32));
    }
    let mut choices: Vec<Vec<Choice>> = links
        .iter()
        .map(|link| vec![Choice::of([0.0; 2]); link.times.len()])
        .collect();
    // The cost of the best sequence after the current step, by the state in which it begins.
    let mut costs = [0.0; STATES];
    for (step, forwards) in steps.iter().zip(&forwards).rev() {
        let own = links[step.link].costs[step.key];
        let [[t00, t01], [t10, t11]] = step.in_time;
        let mut best = [f64::INFINITY; 2];
        step.for_each_pair(states, |s0, s1, between| {
            best[0] = f64::min(best[0], f64::from(forwards[s0]) + costs[s0]);
            best[1] = f64::min(best[1], f64::from(forwards[s1]) + costs[s1]);
            let (c0, c1) = (
                costs[s0] + own[0] + between[0],
                costs[s1] + own[1] + between[1],
            );
            costs[s0] = f64::min(c0 + t00, c1 + t01);
            costs[s1] = f64::min(c0 + t10, c1 + t11);
        });
        choices[step.link][step.key] = Choice::of(best);
        normalise(&mut costs[..states]);
    }
    for step in steps {
        let choices = &mut choices[step.link];
        let key = step.key;
        let index = choices[key].index;
        choices[key].cost += links[step.link].costs[key][index];
        if let Some(last) = key.checked_sub(1) {
            let change = step.in_time[choices[last].index][index];
            choices[last].cost += change;
            choices[key].cost += change;
        }
    }
    choices
}

/// Subtracts the least of the costs from all of them, so that single precision is enough to store them.
fn normalise(costs: &mut [f64]) {
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    for cost in costs {
        *cost -= least;
    }
}

/// Returns a step for each key of a chain of at most five joints, in order of time. The costs between joints are still
/// 0; [`set_chain_costs`] computes them.
pub(super) fn steps(links: &[Link], costs: &impl Costs) -> Vec<Step> {
    let mut keys: Vec<(f32, usize, usize)> = Vec::new();
    for (link, of_link) in links.iter().enumerate() {
        let times = of_link.times.iter().enumerate();
        keys.extend(times.map(|(key, &time)| (time, link, key)));
    }
    // Each link is a run in order of time, which the stable sort merges.
    // At equal times a parent comes before its child, which then reuses the costs of the pair.
    keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let steps = keys.into_iter();
    steps
        .map(|(_, link, key)| Step {
            link,
            key,
            in_time: in_time(&links[link], key, costs),
            to_parent: [[0.0; 2]; 2],
            to_child: [[0.0; 2]; 2],
        })
        .collect()
}

/// Returns the costs of all pairs of signs, 0 or 1: the entry `[a][b]` is `cost(a, b)`.
fn table(cost: impl Fn(usize, usize) -> f64) -> [[f64; 2]; 2] {
    [[cost(0, 0), cost(0, 1)], [cost(1, 0), cost(1, 1)]]
}

/// Returns the costs of the change from the previous key of a link to `key`, indexed by the sign before and the sign
/// after. At the first key, the signs must be equal: the other costs are infinite.
fn in_time(link: &Link, key: usize, costs: &impl Costs) -> [[f64; 2]; 2] {
    let Some(last) = key.checked_sub(1) else {
        // Before its first key a joint has the sign of that key.
        return [[0.0, f64::INFINITY], [f64::INFINITY, 0.0]];
    };
    let seconds = f64::from(link.times[key]) - f64::from(link.times[last]);
    let [before, after] = [last, key].map(|key| link.rotations[key]);
    table(|old, new| costs.in_time(before[old], after[new], seconds))
}

/// Computes the costs between neighbouring joints of a chain, and stores them in `steps`. `root` returns the rotation
/// of the parent of the first link at a time, or `None` if it is not known.
pub(super) fn set_chain_costs(
    steps: &mut [Step],
    links: &[Link],
    costs: &impl Costs,
    root: impl Fn(f32) -> Option<DQuat>,
) {
    // The time, the link and the costs to the child of the last step.
    let mut last = (f32::NAN, 0, [[0.0; 2]; 2]);
    for step in steps {
        let link = step.link;
        let time = links[link].times[step.key];
        let rotations = links[link].rotations[step.key];
        step.to_parent = match last {
            // The parent has computed these costs with this key.
            (last_time, parent, [[c00, c01], [c10, c11]])
                if last_time == time && parent + 1 == link =>
            {
                [[c00, c10], [c01, c11]]
            }
            _ => {
                let parents = match link.checked_sub(1) {
                    Some(parent) => links[parent].at(time),
                    None => root(time).map(|root| [root; 2]),
                };
                let cost = |parents: [DQuat; 2]| {
                    table(|this, other| costs.in_chain(link, parents[other], rotations[this]))
                };
                parents.map(cost).unwrap_or_default()
            }
        };
        let children = links.get(link + 1).and_then(|child| child.at(time));
        let cost = |children: [DQuat; 2]| {
            table(|this, other| costs.in_chain(link + 1, rotations[this], children[other]))
        };
        step.to_child = children.map(cost).unwrap_or_default();
        last = (time, link, step.to_child);
    }
}

/// The costs of one key of one joint, except its own cost. They are indexed by the signs that they
/// depend on.
pub(super) struct Step {
    link: usize,
    key: usize,
    /// By the sign before and the sign after.
    in_time: [[f64; 2]; 2],
    /// By this sign and the parent's sign; the parent of the first link counts too.
    to_parent: [[f64; 2]; 2],
    /// By this sign and the child's sign.
    to_child: [[f64; 2]; 2],
}

impl Step {
    /// Calls `visit` with each pair of states that differ only in the sign of this joint. Its arguments are the state
    /// with the first rotation, the state with the second, and the costs of both between this joint and its neighbours
    /// in the chain.
    fn for_each_pair(&self, states: usize, mut visit: impl FnMut(usize, usize, [f64; 2])) {
        let bit = 1 << self.link;
        // The bits above this joint's bit; the lowest of them is the child's bit.
        for high in 0..states / (2 * bit) {
            let child = high & 1;
            // The bits below; the highest of them is the parent's bit.
            for low in 0..bit {
                let parent = (low << 1) >> self.link & 1;
                let first = high * 2 * bit + low;
                let between =
                    [0, 1].map(|this| self.to_parent[this][parent] + self.to_child[this][child]);
                visit(first, first + bit, between);
            }
        }
    }
}
