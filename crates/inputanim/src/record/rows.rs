//! Rows one after the other, in blocks that are never moved: the past is let go of at the front,
//! and its blocks are filled again at the back.

use std::collections::VecDeque;

use super::row::{LONGEST, Row};

/// Words of a block, 256 kB: 166 frames of two hands with a camera and a gaze, or thousands of a
/// camera alone.
const BLOCK: usize = 1 << 16;
const _: () = assert!(LONGEST <= BLOCK);

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
    /// Words of rows that are gone.
    gone: usize,
    /// Rows that are there.
    rows: usize,
}

impl Rows {
    /// Rows that are there.
    pub(super) fn count(&self) -> usize {
        self.blocks().map(|block| block.rows).sum()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.blocks().flat_map(Block::rows)
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.full.iter().chain([&self.open])
    }

    pub(super) fn into_blocks(self) -> impl Iterator<Item = Block> {
        self.full.into_iter().chain([self.open])
    }

    /// Adds the words of a row.
    #[inline]
    pub(super) fn push(&mut self, row: &[u32]) {
        if self.open.words.capacity() - self.open.words.len() < row.len() {
            let block = self.spare.pop().unwrap_or_else(Block::with_room);
            let full = std::mem::replace(&mut self.open, block);
            if full.rows > 0 {
                self.full.push_back(full);
            }
        }
        self.open.words.extend_from_slice(row);
        self.open.rows += 1;
    }

    /// Lets go of all rows at or before the time but the last of them. Whether there were any.
    pub(super) fn roll(&mut self, time: f64) -> bool {
        let mut has_rolled = false;
        while self.second().is_some_and(|row| f64::from(row.time) <= time) {
            self.remove_first();
            has_rolled = true;
        }
        has_rolled
    }

    pub(super) fn first(&self) -> Option<Row<'_>> {
        self.full.front().unwrap_or(&self.open).rows().next()
    }

    fn second(&self) -> Option<Row<'_>> {
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
    fn with_room() -> Block {
        Block {
            words: Vec::with_capacity(BLOCK),
            ..Block::default()
        }
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let mut words = &self.words[self.gone..];
        std::iter::from_fn(move || {
            let (row, rest) = Row::split(words)?;
            words = rest;
            Some(row)
        })
    }

    fn remove_first(&mut self) {
        if let Some((row, _)) = Row::split(&self.words[self.gone..]) {
            self.gone += row.len();
            self.rows -= 1;
        }
    }

    fn clear(&mut self) {
        self.words.clear();
        (self.gone, self.rows) = (0, 0);
    }
}
