//! Names of the columns of segments in tables that have other columns.

use std::collections::HashSet;

/// A column of a trial table that cannot be part of a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentColumnError {
    /// Other columns have the name, and the name with the prefix.
    #[error(
        "column {name:?} of the trial table: the result already has the columns {name:?} and {prefixed:?}; rename it \
         in the trial table"
    )]
    Taken {
        /// The name in the trial table.
        name: String,
        /// The name with the prefix.
        prefixed: String,
    },
    /// Several columns of the trial table have one name.
    #[error("the trial table has several columns {name:?}; rename all except one")]
    Repeated {
        /// The name.
        name: String,
    },
}

/// Returns the names that columns of segments get in a result, such as the columns of a trial table. `others` are the
/// names of the other columns of the result. A column that has one of these names gets the prefix `segment_`. Case does
/// not matter, since SQL ignores it.
///
/// ```
/// use inputanim_scan::segment_column_names;
/// let names = segment_column_names(&["condition", "Kind"], ["kind", "start_s"])?;
/// assert_eq!(names, ["condition", "segment_Kind"]);
/// # Ok::<(), inputanim_scan::SegmentColumnError>(())
/// ```
///
/// # Errors
/// When another column has the name with the prefix too, or two columns of segments have one name.
pub fn segment_column_names<'n>(
    names: &[impl AsRef<str>],
    others: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<String>, SegmentColumnError> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let mut seen = HashSet::new();
    if let Some(&name) = names.iter().find(|&&name| !seen.insert(name)) {
        let name = name.to_owned();
        return Err(SegmentColumnError::Repeated { name });
    }
    let others: HashSet<String> = others.into_iter().map(str::to_lowercase).collect();
    let is_taken = |name: &str| others.contains(&name.to_lowercase());
    let kept = names.iter().filter(|name| !is_taken(name));
    let kept: HashSet<String> = kept.map(|name| name.to_lowercase()).collect();
    let names = names.iter().map(|&name| {
        if !is_taken(name) {
            return Ok(name.to_owned());
        }
        let prefixed = format!("segment_{name}");
        if is_taken(&prefixed) || kept.contains(&prefixed.to_lowercase()) {
            let name = name.to_owned();
            return Err(SegmentColumnError::Taken { name, prefixed });
        }
        Ok(prefixed)
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_with_the_name_of_another_one_get_a_prefix() {
        let names = |names: &[&str]| segment_column_names(names, ["kind", "segment_start_s"]);
        assert_eq!(
            names(&["a", "A", "kind"]).unwrap(),
            ["a", "A", "segment_kind"]
        );
        assert_eq!(names(&["KIND"]).unwrap(), ["segment_KIND"]);
        assert_eq!(
            names(&["kind", "segment_kind"]).unwrap_err().to_string(),
            "column \"kind\" of the trial table: the result already has the columns \"kind\" and \"segment_kind\"; \
             rename it in the trial table"
        );
        assert_eq!(
            names(&["a", "b", "a"]).unwrap_err().to_string(),
            "the trial table has several columns \"a\"; rename all except one"
        );
    }
}
