//! Pairs of equal markers in two lists whose clocks differ.
//!
//! Each pair of markers with the same name is a candidate. From a candidate, the search goes forward and backward in time and
//! takes the next marker of the same name that is nearest to the expected time. The expected time follows from the markers
//! that are paired already, so that a slow drift of the clocks does not add up. The result is a line of the time on one
//! clock by the time on the other one. The candidate whose line pairs most markers wins.
//!
//! Two guards keep a wrong pairing from being used. The line has to pair at least half of the markers that it could pair. And
//! no other line may explain the lists nearly as well: otherwise a marker that is missing in a regular sequence would
//! shift all pairs after it.

use std::collections::{BTreeMap, HashSet};

/// The number of markers of the recording from which the search starts, if there are as many.
const STARTS: usize = 64;
/// The number of markers from which the search starts before [`MAX_STEPS`] ends it.
const MIN_STARTS: usize = 8;
/// The number of steps of the search, which bounds its time to seconds.
const MAX_STEPS: usize = 50_000_000;
/// The number of times that the pairs of a line are computed again from a better line.
const REFINEMENTS: usize = 10;
/// The markers without a partner count as evidence against an alignment. The best alignment must have less of it than the second
/// best, by this natural logarithm of a ratio of probabilities: a ratio of about 50.
const CLEARLY: f64 = 4.0;

/// A marker of one of the lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The time in seconds, which is finite.
    pub(super) time: f64,
    /// The index of the name.
    pub(super) name: usize,
    /// The index in the list of the caller.
    pub(super) index: usize,
}

/// The bounds of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The largest distance of a marker from the line, in seconds.
    pub(super) tolerance: f64,
    /// The largest difference of the slope from 1.
    pub(super) max_drift: f64,
    /// The times of the other clock at t = 0 that are accepted.
    pub(super) offset: [f64; 2],
    /// `true` to fit no slope.
    pub(super) offset_only: bool,
}

/// A time of the other clock by the time of the recording.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    time: f64,
    other: f64,
    /// Seconds of the other clock per second of the recording.
    pub(super) slope: f64,
    /// `true` if the slope comes from the markers.
    pub(super) has_slope: bool,
    /// The standard error of the slope, from three markers on.
    pub(super) slope_error: Option<f64>,
}

impl Line {
    /// Returns the time of the other clock, in seconds, minus `zero`.
    pub(super) fn at(&self, time: f64, zero: f64) -> f64 {
        (self.other - zero) + self.slope * (time - self.time)
    }
}

/// The pairs of an alignment: indices of [`Lists::recording`] and [`Lists::other`].
type Pairs = Vec<(usize, usize)>;

/// The result of the search.
#[derive(Debug)]
pub(super) struct Alignment {
    pub(super) line: Line,
    /// The indices of the entries in both lists, in order of the recording.
    pub(super) pairs: Pairs,
}

/// The reason why no alignment is certain.
#[derive(Debug)]
pub(super) enum Failure {
    /// Two alignments explain the lists equally well, each as its line and its number of pairs.
    Ambiguous([(Line, usize); 2]),
    /// The best alignment pairs only `pairs` of the `possible` markers.
    Inconsistent { pairs: usize, possible: usize },
    /// The best alignment pairs only `pairs` of the `fewer` markers of the shorter list.
    HardlyOverlap { pairs: usize, fewer: usize },
    /// The search would take too long.
    TooMany,
    /// No pair is within the accepted offsets.
    Outside,
}

/// At least one of this many markers of the shorter list needs a partner.
const LEAST_SHARE: usize = 10;

/// Two lists of markers, in order of time. All names are in both lists.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) recording: Vec<Entry>,
    pub(super) other: Vec<Entry>,
    /// For each name, the indices of its markers in `other`.
    by_name: Vec<Vec<usize>>,
    /// For each name, the evidence of a pair: the logarithm of how unlikely it is by chance.
    weights: Vec<f64>,
}

/// A line with its pairs and the evidence for and against it.
struct Solution {
    line: Line,
    pairs: Pairs,
    matched: f64,
    missing: f64,
    /// The number of markers that could be paired, in the list with fewer of them.
    possible: usize,
}

impl Lists {
    /// Sorts both lists by time. Both contain only names that both have, numbered from 0 to `names` - 1.
    pub(super) fn new(
        mut recording: Vec<Entry>,
        mut other: Vec<Entry>,
        names: usize,
        tolerance: f64,
    ) -> Lists {
        for list in [&mut recording, &mut other] {
            list.sort_by(|a, b| a.time.total_cmp(&b.time));
        }
        let mut by_name = vec![Vec::new(); names];
        for (index, entry) in other.iter().enumerate() {
            by_name[entry.name].push(index);
        }
        let length = span(&other);
        let weight = |markers: &Vec<usize>| {
            let chance = 2.0 * tolerance * markers.len() as f64 / length;
            // A list of one instant says nothing about chance.
            let chance = if length > 0.0 { chance } else { 0.01 };
            -chance.clamp(1e-4, 0.5).ln()
        };
        let weights = by_name.iter().map(weight).collect();
        Lists {
            recording,
            other,
            by_name,
            weights,
        }
    }

    /// Finds the alignment of both lists.
    pub(super) fn align(&self, bounds: &Bounds) -> Result<Alignment, Failure> {
        let mut solutions = self.solutions(bounds)?;
        let value = |solution: &Solution| solution.matched - solution.missing;
        solutions.sort_by(|a, b| value(b).total_cmp(&value(a)));
        let mut solutions = solutions.into_iter();
        let Some(best) = solutions.next() else {
            return Err(Failure::Outside);
        };
        if 2 * best.pairs.len() < best.possible {
            return Err(Failure::Inconsistent {
                pairs: best.pairs.len(),
                possible: best.possible,
            });
        }
        // Lists that hardly overlap may agree by chance.
        let fewer = self.recording.len().min(self.other.len());
        if LEAST_SHARE * best.pairs.len() < fewer {
            return Err(Failure::HardlyOverlap {
                pairs: best.pairs.len(),
                fewer,
            });
        }
        let is_complete =
            best.pairs.len() == self.recording.len() && best.pairs.len() == self.other.len();
        let own: HashSet<_> = best.pairs.iter().copied().collect();
        let rival = solutions.find(|rival| {
            let shared = rival.pairs.iter().filter(|pair| own.contains(pair)).count();
            // Lists that overlap less have fewer markers without a partner, so these are compared by the number of pairs.
            let is_as_likely =
                rival.missing * best.matched < (best.missing + CLEARLY) * rival.matched;
            2 * shared < rival.pairs.len() && 2.0 * rival.matched > best.matched && is_as_likely
        });
        match rival {
            Some(rival) if !is_complete => {
                let of = |solution: &Solution| (solution.line, solution.pairs.len());
                Err(Failure::Ambiguous([of(&best), of(&rival)]))
            }
            _ => Ok(Alignment {
                line: best.line,
                pairs: best.pairs,
            }),
        }
    }

    /// Returns the alignments that start at candidates, each once.
    fn solutions(&self, bounds: &Bounds) -> Result<Vec<Solution>, Failure> {
        let mut solutions: Vec<Solution> = Vec::new();
        let mut known: HashSet<(usize, usize)> = HashSet::new();
        let mut used = vec![false; self.other.len()];
        let mut most_evidence = 0.0_f64;
        let mut starts = self.starts();
        // The number of steps from each start, and from all starts before it.
        let costs = starts.iter().scan(0_usize, |sum, &start| {
            let candidates = self.by_name[self.recording[start].name].len();
            *sum = sum.saturating_add(candidates.saturating_mul(self.recording.len()));
            Some(*sum)
        });
        let possible = costs.take_while(|&sum| sum <= MAX_STEPS).count();
        if possible < starts.len().min(MIN_STARTS) {
            return Err(Failure::TooMany);
        }
        starts.truncate(possible);
        let is_start: HashSet<usize> = starts.iter().copied().collect();
        for start in starts {
            let candidates = &self.by_name[self.recording[start].name];
            for &candidate in candidates {
                if known.contains(&(start, candidate)) {
                    continue;
                }
                let pairs = self.track(start, candidate, bounds, &mut used);
                // The search from another start would find the same pairs.
                known.extend(pairs.iter().filter(|(own, _)| is_start.contains(own)));
                let solution = self.refined(pairs, bounds);
                let [least, most] = bounds.offset;
                let offset = solution.line.at(0.0, 0.0);
                // Alignments with little evidence are neither the best one nor its rival.
                let is_possible = 4.0 * solution.matched >= most_evidence;
                if is_possible && (least..=most).contains(&offset) {
                    most_evidence = most_evidence.max(solution.matched);
                    solutions.push(solution);
                }
            }
        }
        Ok(solutions)
    }

    /// Returns indices of markers of the recording at which the search starts: first the names that the other list has
    /// least often, and markers of one name evenly over time.
    fn starts(&self) -> Vec<usize> {
        let mut of_names: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (index, entry) in self.recording.iter().enumerate() {
            let count = self.by_name[entry.name].len();
            of_names.entry((count, entry.name)).or_default().push(index);
        }
        let mut starts = Vec::new();
        for markers in of_names.values() {
            let wanted = markers.len().min(STARTS - starts.len());
            starts.extend((0..wanted).map(|number| markers[number * markers.len() / wanted]));
            if starts.len() == STARTS {
                break;
            }
        }
        starts
    }

    /// Returns the pairs of the line through one candidate. `used` is scratch memory: one `false` for each marker of the
    /// other list.
    fn track(&self, start: usize, candidate: usize, bounds: &Bounds, used: &mut [bool]) -> Pairs {
        let first = (self.recording[start].time, self.other[candidate].time);
        // The earliest and the latest pair.
        let mut ends = [first, first];
        let mut pairs = vec![(start, candidate)];
        used[candidate] = true;
        for (is_forward, indices) in [
            (
                true,
                Box::new(start + 1..self.recording.len()) as Box<dyn Iterator<Item = usize>>,
            ),
            (false, Box::new((0..start).rev())),
        ] {
            for index in indices {
                let entry = self.recording[index];
                let length = ends[1].0 - ends[0].0;
                let exact = bounds.tolerance / length;
                let (slope, uncertainty) = if exact < bounds.max_drift {
                    ((ends[1].1 - ends[0].1) / length, exact)
                } else {
                    (1.0, bounds.max_drift)
                };
                let near = ends[usize::from(is_forward)];
                let expected = near.1 + slope * (entry.time - near.0);
                let window = bounds.tolerance + uncertainty * (entry.time - near.0).abs();
                if let Some(found) = self.nearest(entry.name, expected, window, used) {
                    used[found] = true;
                    ends[usize::from(is_forward)] = (entry.time, self.other[found].time);
                    pairs.push((index, found));
                }
            }
        }
        for &(_, found) in &pairs {
            used[found] = false;
        }
        pairs.sort_unstable();
        pairs
    }

    /// Returns the index of the unused marker of a name that is nearest to a time, within `window` seconds.
    fn nearest(&self, name: usize, time: f64, window: f64, used: &[bool]) -> Option<usize> {
        let markers = &self.by_name[name];
        let distance = |&index: &usize| (self.other[index].time - time).abs();
        let after = markers.partition_point(|&index| self.other[index].time < time);
        let free = |index: &&usize| !used[**index];
        let before = markers[..after].iter().rev();
        let before = before.take_while(|index| distance(index) <= window);
        let later = markers[after..].iter();
        let later = later.take_while(|index| distance(index) <= window);
        let found = [before.clone().find(free), later.clone().find(free)];
        let found = found.into_iter().flatten().copied();
        found.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// Fits a line to pairs, and pairs the markers again by the line, until both agree.
    fn refined(&self, mut pairs: Pairs, bounds: &Bounds) -> Solution {
        let mut line = self.line(&pairs, bounds);
        for _ in 0..REFINEMENTS {
            let again = self.pairs_of(&line, bounds);
            if again.is_empty() || again == pairs {
                break;
            }
            pairs = again;
            line = self.line(&pairs, bounds);
        }
        // After the last fit, a pair may be further away than the tolerance.
        pairs.retain(|&(a, b)| self.residual(&line, a, b).abs() <= bounds.tolerance);
        self.judged(line, pairs, bounds)
    }

    fn residual(&self, line: &Line, recording: usize, other: usize) -> f64 {
        self.other[other].time - line.at(self.recording[recording].time, 0.0)
    }

    /// Returns the pairs that a line gives: each marker with the nearest one of its name, and each marker once.
    fn pairs_of(&self, line: &Line, bounds: &Bounds) -> Pairs {
        let none = vec![false; self.other.len()];
        let mut owner: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, entry) in self.recording.iter().enumerate() {
            let expected = line.at(entry.time, 0.0);
            let Some(found) = self.nearest(entry.name, expected, bounds.tolerance, &none) else {
                continue;
            };
            let distance = |index: usize| self.residual(line, index, found).abs();
            match owner.get(&found) {
                Some(&other) if distance(other) <= distance(index) => {}
                _ => _ = owner.insert(found, index),
            }
        }
        let mut pairs: Pairs = owner.into_iter().map(|(b, a)| (a, b)).collect();
        pairs.sort_unstable();
        pairs
    }

    /// Fits a line by least squares. The slope is fitted only if the markers are so far apart that the tolerance
    /// permits no larger slope than the bound.
    fn line(&self, pairs: &Pairs, bounds: &Bounds) -> Line {
        let points = pairs
            .iter()
            .map(|&(a, b)| (self.recording[a].time, self.other[b].time));
        let count = pairs.len().max(1) as f64;
        // The differences to a pair are small, so that sums of large times of a clock lose no digits.
        let first = points.clone().next().unwrap_or_default();
        let mean = |of: fn((f64, f64)) -> f64| {
            let sum: f64 = points.clone().map(|point| of(point) - of(first)).sum();
            of(first) + sum / count
        };
        let (time, other) = (mean(|point| point.0), mean(|point| point.1));
        let products = points.clone().map(|(a, b)| (a - time) * (b - other));
        let (square, product): (f64, f64) = (
            points.clone().map(|(a, _)| (a - time).powi(2)).sum(),
            products.sum(),
        );
        let times = points.clone().map(|(a, _)| a);
        let length =
            times.clone().fold(f64::NEG_INFINITY, f64::max) - times.fold(f64::INFINITY, f64::min);
        let has_slope = !bounds.offset_only && length * bounds.max_drift >= bounds.tolerance;
        let mut line = Line {
            time,
            other,
            slope: if has_slope { product / square } else { 1.0 },
            has_slope,
            slope_error: None,
        };
        if has_slope && pairs.len() > 2 {
            let squares = points.map(|(a, b)| (b - line.at(a, 0.0)).powi(2));
            let variance = squares.sum::<f64>() / (count - 2.0);
            line.slope_error = Some((variance / square).sqrt());
        }
        line
    }

    /// Adds the evidence for and against a line.
    fn judged(&self, line: Line, pairs: Pairs, bounds: &Bounds) -> Solution {
        let weight = |entry: &Entry| self.weights[entry.name];
        let matched = pairs.iter().map(|&(a, _)| weight(&self.recording[a])).sum();
        let mut is_paired = [
            vec![false; self.recording.len()],
            vec![false; self.other.len()],
        ];
        for &(a, b) in &pairs {
            is_paired[0][a] = true;
            is_paired[1][b] = true;
        }
        let mut missing = 0.0;
        let mut possible = [0, 0];
        let lists = [(&self.recording, true), (&self.other, false)];
        let time = |entry: &Entry, is_recording: bool| {
            if is_recording {
                line.at(entry.time, 0.0)
            } else {
                entry.time
            }
        };
        for (number, (list, is_recording)) in lists.into_iter().enumerate() {
            let (others, others_are_recording) = lists[1 - number];
            let ends = [others.first(), others.last()];
            let [Some(first), Some(last)] =
                ends.map(|entry| entry.map(|entry| time(entry, others_are_recording)))
            else {
                continue;
            };
            let shared = first - bounds.tolerance..=last + bounds.tolerance;
            for (index, entry) in list.iter().enumerate() {
                if shared.contains(&time(entry, is_recording)) {
                    possible[number] += 1;
                    if !is_paired[number][index] {
                        missing += weight(entry);
                    }
                }
            }
        }
        let [a, b] = possible;
        Solution {
            line,
            pairs,
            matched,
            missing,
            possible: a.min(b),
        }
    }
}

/// Returns the time from the first to the last marker of a list in order of time.
fn span(list: &[Entry]) -> f64 {
    match (list.first(), list.last()) {
        (Some(first), Some(last)) => last.time - first.time,
        _ => 0.0,
    }
}
