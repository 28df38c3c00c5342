//! The adaptive model of fpzip: probabilities of symbols that change with the symbols that were decoded.

/// The probabilities of symbols, as parts of 2^16.
///
/// The model is quasi-static (Michael Schindler, 1998): it counts symbols, and its probabilities follow the counts only
/// once in an interval. The intervals grow from a few symbols to [`MAX_INTERVAL`] symbols. Counts are halved at the end
/// of an interval. The increment is chosen so that the counts add up to 2^16 at the end of the next interval.
pub(super) struct Model {
    /// For each symbol, the sum of the probabilities before it; at the end, the sum of all.
    starts: Vec<u32>,
    counts: Vec<u32>,
    /// For each multiple of 2^[`SLOT`], the symbol that contains it.
    slots: [u16; SLOTS],
    /// The amount by which a symbol increases its count.
    increment: u32,
    /// The number of symbols until the increment or the probabilities change.
    left: u32,
    /// The number of symbols after them, for which the increment is larger by 1.
    left_larger: u32,
    interval: u32,
}

/// A symbol, with the start and the width of its part of the cumulative probabilities.
pub(super) struct Symbol {
    pub(super) index: u32,
    pub(super) start: u32,
    pub(super) width: u32,
}

/// The number of symbols after which the probabilities are computed again.
const MAX_INTERVAL: u32 = 1024;

/// The bits that a search does not look up. Most symbols are wider than 2^6 parts, so that few steps remain.
const SLOT: u32 = 6;
const SLOTS: usize = 1 << (Model::BITS - SLOT);

impl Model {
    /// The sum of all probabilities is 2^16.
    pub(super) const BITS: u32 = 16;
    const SUM: u32 = 1 << Model::BITS;

    /// Returns a model of a number of symbols, which all have the same probability.
    pub(super) fn new(symbols: u32) -> Model {
        let (each, rest) = (Model::SUM / symbols, Model::SUM % symbols);
        let mut model = Model {
            starts: vec![0; symbols as usize + 1],
            counts: (0..symbols)
                .map(|symbol| each + u32::from(symbol < rest))
                .collect(),
            slots: [0; SLOTS],
            increment: 0,
            left: 0,
            left_larger: 0,
            interval: symbols >> 4 | 2,
        };
        model.update();
        model
    }

    /// Finds the symbol by `target`, a number below 2^16 that is in the symbol's part of the cumulative probabilities.
    /// Increases the count of the symbol.
    #[inline(always)]
    pub(super) fn take(&mut self, target: u32) -> Symbol {
        let slot = (target >> SLOT) as usize % SLOTS;
        let mut index = usize::from(self.slots[slot]);
        let mut end = self.starts[index + 1];
        while end <= target {
            index += 1;
            end = self.starts[index + 1];
        }
        let start = self.starts[index];
        if self.left == 0 {
            self.update();
        }
        self.left -= 1;
        self.counts[index] += self.increment;
        Symbol {
            index: index as u32,
            start,
            width: end - start,
        }
    }

    /// Begins the next interval: computes the probabilities from the counts, and halves the counts. If the current
    /// interval has a second part, begins this part instead, in which the increment is larger by 1.
    #[cold]
    fn update(&mut self) {
        if self.left_larger > 0 {
            self.left = self.left_larger;
            self.left_larger = 0;
            self.increment += 1;
            return;
        }
        self.interval = (2 * self.interval).min(MAX_INTERVAL);
        let mut start = 0;
        let mut missing = Model::SUM;
        let mut slot = 0;
        for (index, count) in self.counts.iter_mut().enumerate() {
            self.starts[index] = start;
            start += *count;
            // The slots that begin within the symbol.
            let next = start.div_ceil(1 << SLOT) as usize;
            self.slots[slot..next].fill(index as u16);
            slot = next;
            // A count of 0 would make a symbol impossible.
            *count = *count >> 1 | 1;
            missing -= *count;
        }
        self.starts[self.counts.len()] = start;
        self.increment = missing / self.interval;
        self.left_larger = missing % self.interval;
        self.left = self.interval - self.left_larger;
    }
}
