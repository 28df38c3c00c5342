//! The names of the files of a recording in a dataset.

use super::RecordingFile;
use crate::shared::Remedy;

/// A part of the name of a file: a key and a label, such as `sub-p01`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Entity {
    /// The participant.
    Subject,
    /// The visit of a participant.
    Session,
    /// The task.
    Task,
    /// The system that tracks the movement.
    TrackingSystem,
    /// A variant of the recording, such as other settings of the device.
    Acquisition,
    /// The number of a repetition.
    Run,
}

impl Entity {
    /// Every entity, in the order of a file's name.
    pub const ALL: &[Entity] = &[
        Entity::Subject,
        Entity::Session,
        Entity::Task,
        Entity::TrackingSystem,
        Entity::Acquisition,
        Entity::Run,
    ];

    /// Returns the key: `sub`, `ses`, `task`, `tracksys`, `acq` or `run`.
    pub const fn key(self) -> &'static str {
        match self {
            Entity::Subject => "sub",
            Entity::Session => "ses",
            Entity::Task => "task",
            Entity::TrackingSystem => "tracksys",
            Entity::Acquisition => "acq",
            Entity::Run => "run",
        }
    }

    /// Returns a description of valid labels for an error message.
    pub(super) const fn expected(self) -> &'static str {
        match self {
            Entity::Run => "a number",
            _ => "letters from A to Z or digits",
        }
    }

    fn of_key(key: &str) -> Option<Entity> {
        Entity::ALL
            .iter()
            .copied()
            .find(|entity| entity.key() == key)
    }
}

/// The labels of a recording, from which the names of its files are made.
///
/// ```
/// use inputanim_convert::motion_bids::{Entities, Entity, RecordingFile};
/// let mut entities = Entities::from_path("p01/visit 2/pick_up.bin")?;
/// entities.set(Entity::Run, "3")?;
/// assert_eq!(
///     entities.path(RecordingFile::Events),
///     "sub-p01/ses-visit2/motion/sub-p01_ses-visit2_task-pickup_tracksys-unknown_run-3_events.tsv"
/// );
/// // Names of BIDS are kept.
/// let entities = Entities::from_path("sub-07_task-grasp_run-2.bin")?;
/// assert_eq!(entities.get(Entity::Subject), Some("07"));
/// # Ok::<(), inputanim_convert::motion_bids::MotionBidsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entities([Option<String>; 6]);

impl Default for Entities {
    /// Returns the subject, the task and the tracking system `unknown`.
    fn default() -> Entities {
        let mut entities = Entities(Default::default());
        entities.fill_missing();
        entities
    }
}

impl Entities {
    /// Returns the labels for a path that is relative to the folder of a study, with slashes.
    ///
    /// Parts such as `sub-01` keep their meaning. Among all other parts, the first folder is the subject, further
    /// folders are the session, and the name of the file is the task. A file without a folder is the subject,
    /// and its task is `unknown`. Characters other than ASCII letters and digits are dropped.
    ///
    /// # Errors
    /// Fails when a part contains no letter and no digit, or a run is not a number.
    pub fn from_path(path: &str) -> Result<Entities, MotionBidsError> {
        let path = crate::shared::without_extension(path);
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut entities = Entities(Default::default());
        let mut others = Vec::new();
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            others.extend(entities.take(folder)?);
        }
        let mut words = Vec::new();
        for word in name.split('_') {
            words.extend(entities.take(word)?);
        }
        let mut others = others.into_iter();
        if entities.get(Entity::Subject).is_none()
            && let Some(folder) = others.next()
        {
            entities.set(Entity::Subject, folder)?;
        }
        let rest: String = others.collect();
        if entities.get(Entity::Session).is_none() && !rest.is_empty() {
            entities.set(Entity::Session, &rest)?;
        }
        let name = words.concat();
        if !name.is_empty() {
            let missing = [Entity::Subject, Entity::Task].into_iter();
            let mut missing = missing.filter(|entity| entities.get(*entity).is_none());
            if let Some(entity) = missing.next() {
                entities.set(entity, &name)?;
            }
        }
        entities.fill_missing();
        Ok(entities)
    }

    /// Sets the label of an entity from a part of a path such as `sub-01`, and returns `None`. A part without a known
    /// key is returned.
    fn take<'p>(&mut self, part: &'p str) -> Result<Option<&'p str>, MotionBidsError> {
        let pair = part.split_once('-');
        let pair = pair.and_then(|(key, label)| Some((Entity::of_key(key)?, label)));
        let Some((entity, label)) = pair else {
            return Ok(Some(part));
        };
        self.set(entity, label)?;
        Ok(None)
    }

    /// Sets the labels that every file name needs and that are missing to `unknown`: the subject, the task and the tracking
    /// system.
    fn fill_missing(&mut self) {
        for entity in [Entity::Subject, Entity::Task, Entity::TrackingSystem] {
            self.0[entity as usize].get_or_insert_with(|| "unknown".to_owned());
        }
    }

    /// Returns the label of an entity, such as `p01` for the subject; `None` if it is not set.
    pub fn get(&self, entity: Entity) -> Option<&str> {
        self.0[entity as usize].as_deref()
    }

    /// Sets the label of an entity. Characters of `label` other than ASCII letters and digits are dropped.
    ///
    /// # Errors
    /// Fails when no character remains, or a run is not a number.
    pub fn set(&mut self, entity: Entity, label: &str) -> Result<(), MotionBidsError> {
        let mut text = label.to_owned();
        text.retain(|letter| letter.is_ascii_alphanumeric());
        let is_number = text.bytes().all(|letter| letter.is_ascii_digit());
        if text.is_empty() || (entity == Entity::Run && !is_number) {
            let label = label.to_owned();
            return Err(MotionBidsError::Label { entity, label });
        }
        self.0[entity as usize] = Some(text);
        Ok(())
    }

    /// Sets the label of an entity. The entity is given by its key, such as `sub`, or by another common word:
    /// `participant` or `subject` for `sub`, `session` for `ses`, `condition` for `acq`.
    ///
    /// # Errors
    /// Fails when the key is unknown or the label invalid.
    pub fn set_key(&mut self, key: &str, label: &str) -> Result<(), MotionBidsError> {
        let entity = match key {
            "participant" | "subject" => Some(Entity::Subject),
            "session" => Some(Entity::Session),
            "condition" => Some(Entity::Acquisition),
            key => Entity::of_key(key),
        };
        let entity = entity.ok_or_else(|| MotionBidsError::UnknownEntity(key.to_owned()))?;
        self.set(entity, label)
    }

    /// Returns the path of one of the recording's files, relative to the dataset, with slashes.
    pub fn path(&self, file: RecordingFile) -> String {
        let (folder, _) = self.session();
        let parts = Entity::ALL.iter().copied();
        let parts = parts.filter_map(|entity| self.part(entity));
        let name: String = parts.map(|part| part + "_").collect();
        format!("{folder}motion/{name}{}", file.suffix())
    }

    /// Returns the path of the table of [`scans`](super::scans) in the dataset, with slashes.
    pub fn scans_path(&self) -> String {
        let (folder, name) = self.session();
        format!("{folder}{name}scans.tsv")
    }

    /// Returns the path of the samples, `*_motion.tsv`, relative to the folder of the session.
    pub(super) fn scan(&self) -> String {
        let (folder, _) = self.session();
        self.path(RecordingFile::Motion).split_off(folder.len())
    }

    /// Returns the folder of the session, such as `sub-p01/ses-2/`, and the start of the names of its files, such as
    /// `sub-p01_ses-2_`. Without a session, both contain only the subject.
    fn session(&self) -> (String, String) {
        let entities = [Entity::Subject, Entity::Session].into_iter();
        let (mut folder, mut name) = (String::new(), String::new());
        for part in entities.filter_map(|entity| self.part(entity)) {
            folder = folder + &part + "/";
            name = name + &part + "_";
        }
        (folder, name)
    }

    /// Returns the key and label of an entity, such as `sub-p01`; `None` if it has no label.
    fn part(&self, entity: Entity) -> Option<String> {
        let label = self.get(entity)?;
        Some(format!("{}-{label}", entity.key()))
    }
}

/// A recording that cannot be part of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionBidsError {
    /// The name of an entity that BIDS does not have, or that motion data cannot have.
    #[error("unknown entity \"{0}\"; expected sub, ses, task, tracksys, acq or run")]
    UnknownEntity(String),
    /// A label without letters and digits.
    #[error("invalid label {label:?} of \"{}\": expected {}", entity.key(), entity.expected())]
    Label {
        /// The entity.
        entity: Entity,
        /// The label.
        label: String,
    },
    /// A recording without curves.
    #[error("nothing is recorded: a motion file needs at least one channel")]
    NoChannels,
}

impl MotionBidsError {
    /// Returns an action that may fix the cause of the error, for a hint to the user.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            MotionBidsError::UnknownEntity(_) => Remedy::NamePathParts { is_label: false },
            MotionBidsError::Label { .. } => Remedy::NamePathParts { is_label: true },
            MotionBidsError::NoChannels => Remedy::OtherContent,
        })
    }
}

impl crate::shared::error::OfFormat for MotionBidsError {
    fn remedy(&self) -> Option<Remedy> {
        self.remedy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(recording: &str) -> String {
        let entities = Entities::from_path(recording).unwrap();
        entities.path(RecordingFile::Motion)
    }

    #[test]
    fn folders_and_names_become_labels() {
        let paths = [
            (
                "wave.bin",
                "sub-wave/motion/sub-wave_task-unknown_tracksys-unknown_motion.tsv",
            ),
            (
                "p1/s 1/a/pick-up_2.bin",
                "sub-p1/ses-s1a/motion/sub-p1_ses-s1a_task-pickup2_tracksys-unknown_motion.tsv",
            ),
            (
                "sub-01/ses-2/sub-01_ses-2_task-grasp_acq-hl2_run-03_motion.bin",
                "sub-01/ses-2/motion/sub-01_ses-2_task-grasp_tracksys-unknown_acq-hl2_run-03_motion.tsv",
            ),
            (
                "p1/run-4_reach.bin",
                "sub-p1/motion/sub-p1_task-reach_tracksys-unknown_run-4_motion.tsv",
            ),
        ];
        for (recording, expected) in paths {
            assert_eq!(path(recording), expected);
        }
        assert!(Entities::from_path("_.bin").is_ok());
        assert!(Entities::from_path("ü.bin").is_err());
        assert!(Entities::from_path("p1/run-a.bin").is_err());
    }

    #[test]
    fn usual_words_mean_the_keys_of_bids() {
        let mut entities = Entities::default();
        for (word, label) in [
            ("participant", "p1"),
            ("session", "2"),
            ("condition", "far"),
        ] {
            entities.set_key(word, label).unwrap();
        }
        assert_eq!(
            entities.path(RecordingFile::Motion),
            "sub-p1/ses-2/motion/sub-p1_ses-2_task-unknown_tracksys-unknown_acq-far_motion.tsv"
        );
        assert!(entities.set_key("trial", "1").is_err());
    }

    #[test]
    fn the_name_of_a_file_has_its_labels() {
        for recording in ["a/b/c_run-1.bin", "x.bin"] {
            let entities = Entities::from_path(recording).unwrap();
            let path = entities.path(RecordingFile::Motion);
            let (_, name) = path.rsplit_once('/').unwrap();
            assert_eq!(Entities::from_path(name), Ok(entities));
        }
    }
}
