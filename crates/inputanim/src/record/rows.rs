//! A queue of rows in blocks of memory that never move. Rows are removed at the front; emptied
//! blocks are reused at the back, so that a full rolling buffer does not allocate.

use std::collections::VecDeque;

use super::row::{MAX_LEN, Row};

/// Number of words of a block (256 KiB): 166 frames of two hands with head and gaze, or thousands
/// of frames of a head alone.
const BLOCK: usize = 1 << 16;
const _: () = assert!(MAX_LEN <= BLOCK);

/// Rows in order of time.
#[derive(Clone, Default)]
pub(super) struct Rows {
    full: VecDeque<Block>,
    open: Block,
    spare: Vec<Block>,
}

#[derive(Clone, Default)]
pub(super) struct Block {
    words: Vec<u32>,
    /// Number of words of removed rows.
    removed: usize,
    /// Number of remaining rows.
    rows: usize,
}

impl Rows {
    /// Returns the number of rows, which are recorded frames.
    pub(super) fn count(&self) -> usize {
        self.blocks().map(|block| block.rows).sum()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Row<'_>> + Clone {
        self.blocks().flat_map(Block::rows)
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> + Clone {
        self.full.iter().chain([&self.open])
    }

    pub(super) fn into_blocks(self) -> impl Iterator<Item = Block> {
        self.full.into_iter().chain([self.open])
    }

    /// Appends a row, which is a recorded frame, given as its 32-bit words.
    #[inline]
    pub(super) fn push(&mut self, row: &[u32]) {
        if self.open.words.capacity() - self.open.words.len() < row.len() {
            let block = self.spare.pop().unwrap_or_else(Block::with_capacity);
            let full = std::mem::replace(&mut self.open, block);
            // The first block is the empty default, without capacity.
            if full.rows > 0 {
                self.full.push_back(full);
            }
        }
        self.open.words.extend_from_slice(row);
        self.open.rows += 1;
    }

    /// Removes all rows (recorded frames) at or before a time in seconds, except the last of them. Returns `true` if it
    /// removed any.
    pub(super) fn drop_before(&mut self, time: f64) -> bool {
        let mut has_removed = false;
        while self.second().is_some_and(|row| f64::from(row.time) <= time) {
            self.remove_first();
            has_removed = true;
        }
        has_removed
    }

    pub(super) fn first(&self) -> Option<Row<'_>> {
        self.full.front().unwrap_or(&self.open).rows().next()
    }

    fn second(&self) -> Option<Row<'_>> {
        // The second row is in the front block, unless that block has only one row left.
        let front = self.full.front().unwrap_or(&self.open);
        front.rows().nth(1).or_else(|| self.iter().nth(1))
    }

    fn remove_first(&mut self) {
        let front = self.full.front_mut().unwrap_or(&mut self.open);
        front.remove_first();
        if front.rows == 0
            && let Some(mut block) = self.full.pop_front()
        {
            block.clear();
            self.spare.push(block);
        }
    }

    pub(super) fn clear(&mut self) {
        self.spare.extend(self.full.drain(..));
        self.spare.iter_mut().for_each(Block::clear);
        self.open.clear();
    }
}

impl Block {
    fn with_capacity() -> Block {
        Block {
            words: Vec::with_capacity(BLOCK),
            ..Block::default()
        }
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> + Clone {
        let mut words = &self.words[self.removed..];
        std::iter::from_fn(move || {
            let (row, rest) = Row::split(words)?;
            words = rest;
            Some(row)
        })
    }

    fn remove_first(&mut self) {
        if let Some((row, _)) = Row::split(&self.words[self.removed..]) {
            self.removed += row.len();
            self.rows -= 1;
        }
    }

    fn clear(&mut self) {
        self.words.clear();
        (self.removed, self.rows) = (0, 0);
    }
}
