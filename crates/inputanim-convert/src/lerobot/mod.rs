//! LeRobot.

/// Content that is not LeRobot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeRobotError {}
