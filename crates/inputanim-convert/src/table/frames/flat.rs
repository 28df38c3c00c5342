//! JSON objects of other programs as rows of a table, whose columns are the members, also in nested objects and lists.

use std::collections::HashSet;
use std::io::BufRead;

use serde_json::Value;

use super::{FrameOptions, RowTexts};
use crate::shared::Mapping;
use crate::shared::mapping::{MARKER, TIME_S, Target};
use crate::table::table_error::{Place, TableError};
use crate::table::text::Objects;

/// The largest number of members of an object that have names.
const MAX_MEMBERS: usize = 4096;

/// Returns `true` if mappings assign other members than the time and the marker, so that the objects are rows of another program.
pub(super) fn is_flat(mappings: &[Mapping]) -> bool {
    let is_pose = |mapping: &Mapping| ![TIME_S, MARKER].contains(&&*mapping.column);
    mappings.iter().any(is_pose)
}

/// Reads object by object. The name of a nested member has dots, such as `pose.x`, or `landmarks.8` for an element of a list.
#[derive(Debug)]
pub(super) struct FlatRows<R> {
    objects: Objects<R>,
    /// The names of the members.
    members: Vec<String>,
    /// For each member, `true` if an object so far has a value of it.
    is_found: Vec<bool>,
    cells: Vec<String>,
    /// The names of all values that objects had so far.
    known: HashSet<String>,
    /// The values of the current object that no earlier object had, and that belong to none of the members.
    new: Vec<String>,
    /// `true` before the first object is returned, which the names need.
    is_first: bool,
    is_empty: bool,
}

impl<R: BufRead> FlatRows<R> {
    /// Creates a reader of rows, and reads the first object. The columns are its members, and the members that mappings name: an
    /// object lacks members whose values are unknown.
    pub(super) fn new(input: R, options: &FrameOptions) -> Result<FlatRows<R>, TableError> {
        let mut objects = Objects::new(input, options.max_line);
        let is_empty = !objects.advance()?;
        let mut names = Vec::new();
        if !is_empty {
            add_names("", &parsed(&objects)?, &mut names);
        }
        let mut known: HashSet<String> = names.iter().cloned().collect();
        // A mapped member may be missing in the first object if another member beside it exists.
        for mapping in &options.mappings {
            for binding in mapping.bindings(|name| known.contains(name)) {
                let is_beside = match binding.source.rsplit_once('.') {
                    Some((group, _)) => names.iter().any(|name| name.starts_with(group)),
                    None => false,
                };
                if (is_beside || is_empty) && known.insert(binding.source.clone()) {
                    names.push(binding.source);
                }
            }
        }
        let mut rows = FlatRows {
            known,
            new: Vec::new(),
            objects,
            is_found: vec![false; names.len()],
            cells: Vec::new(),
            members: names,
            is_first: true,
            is_empty,
        };
        if !is_empty {
            rows.read_cells()?;
        }
        Ok(rows)
    }

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> Vec<String> {
        self.members.iter().map(|name| column_name(name)).collect()
    }

    /// Returns the number of the line in which the object starts, counted from 1.
    pub(super) fn line(&self) -> u64 {
        self.objects.line()
    }

    /// Reads the next object, and returns `false` at the end of the input.
    pub(super) fn advance(&mut self) -> Result<bool, TableError> {
        if std::mem::take(&mut self.is_first) {
            return Ok(!self.is_empty);
        }
        if !self.objects.advance()? {
            return Ok(false);
        }
        self.read_cells()?;
        Ok(true)
    }

    /// Returns the names of the values of the current object that no earlier object had, with the names of columns as in
    /// [`names`](Self::names). They are not read, because the members of the first object are the columns.
    pub(super) fn take_new(&mut self) -> Vec<String> {
        let new = std::mem::take(&mut self.new);
        new.iter().map(|name| column_name(name)).collect()
    }

    fn read_cells(&mut self) -> Result<(), TableError> {
        let object = parsed(&self.objects)?;
        if !self.is_first {
            self.find_new(&mut String::new(), &object);
        }
        let cells = self
            .members
            .iter()
            .map(|name| member(&object, name).map_or_else(String::new, text));
        self.cells = cells.collect();
        for (is_found, cell) in self.is_found.iter_mut().zip(&self.cells) {
            *is_found |= !cell.is_empty();
        }
        Ok(())
    }

    /// Adds the values in `value`, a member with the name `name`, that no earlier object had to the new ones. Changes `name` only
    /// during the call.
    fn find_new(&mut self, name: &mut String, value: &Value) {
        let is_group = |value: &Value| value.is_object() || value.is_array();
        let mut find = |part: &str, value: &Value| {
            let length = name.len();
            if length > 0 {
                name.push('.');
            }
            name.push_str(part);
            self.find_new(name, value);
            name.truncate(length);
        };
        match value {
            Value::Null => {}
            Value::Object(members) => members.iter().for_each(|(part, value)| find(part, value)),
            Value::Array(elements) if elements.iter().any(is_group) => {
                let elements = elements.iter().enumerate().take(MAX_MEMBERS);
                elements.for_each(|(index, value)| find(&index.to_string(), value));
            }
            _ if self.known.contains(&**name) || self.known.len() > 2 * MAX_MEMBERS => {}
            _ => {
                let mut groups = name.match_indices('.').map(|(dot, _)| &name[..dot]);
                if !groups.any(|group| self.members.iter().any(|member| member == group)) {
                    self.new.push(name.clone());
                }
                self.known.insert(name.clone());
            }
        }
    }

    /// Returns the members that mappings name, and of which no object so far has a value.
    pub(super) fn missing<'m>(&self, mappings: &'m [Mapping]) -> Vec<(String, &'m Mapping)> {
        let has = |name: &str| self.members.iter().any(|member| member == name);
        let bindings = mappings.iter().flat_map(|mapping| {
            let bindings = mapping.bindings(has).into_iter();
            bindings.map(move |binding| (binding.source, mapping))
        });
        let is_missing = |(source, _): &(String, &Mapping)| {
            let mut members = self.members.iter().zip(&self.is_found);
            !members.any(|(member, is_found)| member == source && *is_found)
        };
        let mut missing: Vec<(String, &Mapping)> = bindings.filter(is_missing).collect();
        missing.dedup_by(|(a, _), (b, _)| a == b);
        missing
    }
}

impl<R: BufRead> RowTexts for FlatRows<R> {
    fn place(&self) -> Place {
        self.objects.place()
    }

    fn cell(&self, column: usize) -> Result<&str, TableError> {
        Ok(self.cells.get(column).map_or("", String::as_str))
    }
}

/// Returns the name of the column that is a member. A frame of this library has joints, and the poses and inputs of devices, in
/// members of their own.
fn column_name(member: &str) -> String {
    let name = match member.strip_prefix("devices.") {
        Some(name) => name
            .replacen(".poses.", ".", 1)
            .replacen(".inputs.", ".", 1),
        None => member.replacen(".joints.", ".", 1),
    };
    if Target::parse(&name).is_some() {
        name
    } else {
        member.to_owned()
    }
}

/// Parses the current object.
fn parsed<R: BufRead>(objects: &Objects<R>) -> Result<Value, TableError> {
    let (line, text) = (objects.line(), objects.text()?);
    let value: Value = serde_json::from_str(text).map_err(|error| {
        if objects.is_truncated() && error.is_eof() {
            return TableError::Truncated { line };
        }
        let message = error.to_string();
        let message = message
            .rsplit_once(" at line ")
            .map_or(&*message, |(message, _)| message);
        TableError::Json {
            line: line + (error.line() as u64).saturating_sub(1),
            column: error.column(),
            field: String::new(),
            message: message.to_owned(),
        }
    })?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(TableError::value(
            objects.place(),
            "line",
            "a JSON object",
            text,
        ))
    }
}

/// Adds the names of the members that are neither objects nor lists of objects or lists.
pub(super) fn add_names(group: &str, value: &Value, names: &mut Vec<String>) {
    let is_group = |value: &Value| value.is_object() || value.is_array();
    let name_of = |name: &str| match group {
        "" => name.to_owned(),
        group => format!("{group}.{name}"),
    };
    match value {
        _ if names.len() >= MAX_MEMBERS => {}
        Value::Object(members) => {
            for (name, value) in members {
                add_names(&name_of(name), value, names);
            }
        }
        Value::Array(elements) if elements.iter().any(is_group) => {
            for (index, value) in elements.iter().enumerate().take(MAX_MEMBERS) {
                add_names(&name_of(&index.to_string()), value, names);
            }
        }
        _ => names.push(group.to_owned()),
    }
}

/// Returns the member or element with a name; `None` if it is missing or null. Names of members may contain dots.
fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    if let Value::Array(elements) = value {
        let (index, rest) = match name.split_once('.') {
            Some((index, rest)) => (index, Some(rest)),
            None => (name, None),
        };
        let element = elements.get(index.parse::<usize>().ok()?)?;
        let found = rest.map_or(Some(element), |rest| member(element, rest));
        return found.filter(|member| !member.is_null());
    }
    let members = value.as_object()?;
    if let Some(member) = members.get(name) {
        return Some(member).filter(|member| !member.is_null());
    }
    let mut dots = name.match_indices('.');
    dots.find_map(|(dot, _)| member(members.get(&name[..dot])?, &name[dot + 1..]))
}

/// Returns a value as the text of a cell. The numbers x, y, z and w of an object are a vector.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(members) => {
            let axes = ["x", "y", "z", "w"]
                .iter()
                .filter_map(|axis| members.get(*axis));
            let numbers: Vec<String> = axes.map(Value::to_string).collect();
            format!("({})", numbers.join(", "))
        }
        value => value.to_string(),
    }
}
