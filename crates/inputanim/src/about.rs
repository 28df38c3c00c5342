//! Texts about a recording: the format it was read from, the program, device and tracking system, the task, and others.

/// Texts about a recording: where it comes from and what it shows. Each text has a name.
///
/// Five names have a fixed meaning: [`FORMAT`](About::FORMAT), [`PROGRAM`](About::PROGRAM), [`DEVICE`](About::DEVICE),
/// [`SYSTEM`](About::SYSTEM) and [`TASK`](About::TASK). Sources may state others, such as `user.handedness`. A text that
/// the source does not state is absent, and never a default. MRTK's files cannot hold any of them.
///
/// Texts are in the order of their names. No text and no name is empty.
///
/// ```
/// use inputanim::{About, Layout, Recording};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// assert_eq!(recording.about.get(About::TASK), None);
/// recording.about.set(About::TASK, "pick up the cube");
/// assert_eq!(recording.about.get("task"), Some("pick up the cube"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Names and texts, sorted by names. A map would take more code, which matters in web pages.
    texts: Vec<(String, String)>,
}

impl About {
    /// No texts.
    pub const NONE: About = About { texts: Vec::new() };
    /// The name of the text that names the format of the file in which the recording was made, such as `xdf`.
    pub const FORMAT: &str = "format";
    /// The name of the text that names the program that made the recording, with its version.
    pub const PROGRAM: &str = "program";
    /// The name of the text that names the device, such as `HoloLens 2`.
    pub const DEVICE: &str = "device";
    /// The name of the text that names the tracking system, such as `OptiTrack`.
    pub const SYSTEM: &str = "system";
    /// The name of the text that describes what the person does, such as `pick up the cube`.
    pub const TASK: &str = "task";
    /// The name of the text with the intrinsic matrix of the camera whose pose is the pose of the head: nine numbers separated by
    /// spaces, rows first, in pixels of the video that it films. It maps the axes +X right, +Y down and +Z ahead to +X right and
    /// +Y down from the upper left corner of the picture. Readers set it only if the file states both the pose and the matrix.
    pub const CAMERA_INTRINSIC: &str = "camera.intrinsic";
    /// The names with a fixed meaning, in the order in which people read them.
    pub const NAMES: [&str; 5] = [
        About::TASK,
        About::DEVICE,
        About::SYSTEM,
        About::PROGRAM,
        About::FORMAT,
    ];

    /// Returns `true` if there are no texts.
    pub const fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns the text with a name; `None` if nothing states it.
    pub fn get(&self, name: &str) -> Option<&str> {
        let place = self.place(name).ok()?;
        Some(&self.texts[place].1)
    }

    /// Sets the text with a name. White space around name and text is removed. An empty text removes the name; an empty name
    /// does nothing.
    pub fn set(&mut self, name: &str, text: &str) {
        let (name, text) = (name.trim(), text.trim());
        match (self.place(name), text.is_empty()) {
            (Ok(place), true) => {
                self.texts.remove(place);
            }
            (Ok(place), false) => text.clone_into(&mut self.texts[place].1),
            (Err(place), false) if !name.is_empty() => {
                let entry = (name.to_owned(), text.to_owned());
                self.texts.insert(place, entry);
            }
            (Err(_), _) => {}
        }
    }

    /// Sets the text with a name, as [`set`](About::set), unless there is a text with this name.
    pub fn add(&mut self, name: &str, text: &str) {
        if self.get(name.trim()).is_none() {
            self.set(name, text);
        }
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.texts
            .binary_search_by(|(other, _)| other.as_str().cmp(name))
    }

    /// Returns the names and texts, in the order of the names.
    pub fn iter(&self) -> AboutTexts<'_> {
        AboutTexts {
            texts: self.texts.iter(),
        }
    }

    /// Adds the texts of a recording that follows. Two different texts of one name become one, with `; ` between them.
    pub fn join(&mut self, next: &About) {
        let mut all = std::mem::take(&mut self.texts);
        all.extend_from_slice(&next.texts);
        // Texts of one name stay in order.
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        all.dedup_by(|(later, text), (name, own)| {
            let is_same = later == name;
            if is_same && own.split("; ").all(|part| part != text) {
                own.push_str("; ");
                own.push_str(text);
            }
            is_same
        });
        self.texts = all;
    }
}

impl<'a> IntoIterator for &'a About {
    type Item = (&'a str, &'a str);
    type IntoIter = AboutTexts<'a>;

    fn into_iter(self) -> AboutTexts<'a> {
        self.iter()
    }
}

/// The later one of two texts with the same name counts.
impl<N: AsRef<str>, T: AsRef<str>> FromIterator<(N, T)> for About {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(texts: I) -> About {
        let texts = texts.into_iter().map(|(name, text)| {
            let (name, text) = (name.as_ref().trim(), text.as_ref().trim());
            (name.to_owned(), text.to_owned())
        });
        let mut texts: Vec<(String, String)> = texts.collect();
        // In one pass, because a file may have very many texts.
        texts.sort_by(|(a, _), (b, _)| a.cmp(b));
        texts.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        texts.retain(|(name, text)| !name.is_empty() && !text.is_empty());
        About { texts }
    }
}

/// The names and texts of [`About`], in the order of the names.
#[derive(Clone, Debug)]
pub struct AboutTexts<'a> {
    texts: std::slice::Iter<'a, (String, String)>,
}

impl<'a> Iterator for AboutTexts<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let (name, text) = self.texts.next()?;
        Some((name, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_one_form() {
        let mut about = About::default();
        about.set(" task ", "  pick \n");
        assert_eq!(about.iter().collect::<Vec<_>>(), [("task", "pick")]);
        about.add("task", "other");
        assert_eq!(about.get("task"), Some("pick"));
        let collected: About = [
            ("b", "1"),
            ("a", " 2"),
            ("b", "3"),
            ("c", "4"),
            ("c", ""),
            ("", "5"),
        ]
        .into_iter()
        .collect();
        let expected = [("a", "2"), ("b", "3")];
        assert_eq!(collected.iter().collect::<Vec<_>>(), expected);
        about.set("", "nothing");
        about.set("task", " ");
        assert_eq!(about, About::default());
    }

    #[test]
    fn joined_texts_lose_nothing_and_repeat_nothing() {
        let mut about: About = [("task", "pick"), ("user", "P1")].into_iter().collect();
        let place: About = [("task", "place"), ("device", "Quest 3")]
            .into_iter()
            .collect();
        for next in [&place, &place, &about.clone()] {
            about.join(next);
        }
        let texts = [
            ("device", "Quest 3"),
            ("task", "pick; place"),
            ("user", "P1"),
        ];
        assert_eq!(about.iter().collect::<Vec<_>>(), texts);
    }
}
