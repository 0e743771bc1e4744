//! JSON, with the comments and trailing commas that people put into it.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

/// Some editors put this before the first character.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Why a text cannot be changed. Nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It is no UTF-8.
    #[error("it is not valid UTF-8")]
    NotText,
    /// It is no JSON, not even with comments.
    #[error("it is not valid JSON: {0}")]
    NotJson(String),
    /// Something else stands where an object or a list must be.
    #[error("`{at}` is not {expected}")]
    Misfit {
        /// The keys that lead there.
        at: String,
        /// What must be there.
        expected: &'static str,
    },
    /// A key stands there twice, and readers differ in which one they take.
    #[error("`{0}` stands there twice")]
    Twice(String),
}

/// A JSON text that can be changed in places.
#[derive(Debug)]
pub struct Json {
    root: CstRootNode,
    marked: bool,
}

impl Json {
    /// Reads a text whose outermost value is an object. A text that holds nothing at all is
    /// taken for an empty one.
    pub fn parse(bytes: &[u8]) -> Result<Self, JsonError> {
        let text = str::from_utf8(bytes).map_err(|_| JsonError::NotText)?;
        let (marked, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let root = CstRootNode::parse(text, &TAKEN)
            .map_err(|error| JsonError::NotJson(error.to_string()))?;
        if root.object_value_or_create().is_none() {
            return Err(misfit(&[], "an object"));
        }
        Ok(Self { root, marked })
    }

    /// The text as it is now.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let mark = if self.marked { BYTE_ORDER_MARK } else { "" };
        format!("{mark}{}", self.root).into_bytes()
    }

    /// What the text says.
    #[must_use]
    pub fn value(&self) -> Value {
        self.root.to_serde_value().unwrap_or(Value::Null)
    }

    /// Writes a key of the outermost object, unless it is there.
    pub fn set_default(&self, key: &str, value: &Value) -> Result<(), JsonError> {
        let object = self.object(&[])?;
        if property(&object, key, &[])?.is_none() {
            object.append(key, input(value));
        }
        Ok(())
    }

    /// Adds an element at the end of the list at `path`. The list, and the objects on the way
    /// to it, are made where they are missing.
    pub fn push(&self, path: &[&str], element: &Value) -> Result<(), JsonError> {
        let (&last, above) = path.split_last().ok_or_else(|| misfit(path, "a list"))?;
        let object = self.object(above)?;
        let list = match property(&object, last, above)? {
            Some(node) => node.as_array().ok_or_else(|| misfit(path, "a list"))?,
            None => {
                let list = object.array_value_or_set(last);
                list.ensure_multiline();
                list
            }
        };
        list.append(input(element));
        Ok(())
    }

    /// Removes every element that is `ours` from the lists beneath `key`, however deep they
    /// are, and then the lists and objects in which nothing is left because of that. Answers
    /// how many elements went.
    pub fn remove_elements(
        &self,
        key: &str,
        ours: &dyn Fn(&Value) -> bool,
    ) -> Result<usize, JsonError> {
        let object = self.object(&[])?;
        let Some(node) = property(&object, key, &[])? else {
            return Ok(0);
        };
        let removed = remove_from(&node, ours);
        if removed > 0
            && is_hollow(&node)
            && let Some(property) = object.get(key)
        {
            property.remove();
        }
        Ok(removed)
    }

    /// The object at `path`, made if it is missing.
    fn object(&self, path: &[&str]) -> Result<CstObject, JsonError> {
        let mut object = self
            .root
            .object_value()
            .ok_or_else(|| misfit(&[], "an object"))?;
        for (depth, key) in path.iter().enumerate() {
            object = match property(&object, key, &path[..depth])? {
                Some(node) => node
                    .as_object()
                    .ok_or_else(|| misfit(&path[..=depth], "an object"))?,
                None => object.object_value_or_set(key),
            };
        }
        Ok(object)
    }
}

/// What is taken beyond JSON: comments and trailing commas, which people write and most
/// programs read. The rest would be taken by us alone.
const TAKEN: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The value of a key, which may stand there once.
fn property(object: &CstObject, key: &str, above: &[&str]) -> Result<Option<CstNode>, JsonError> {
    let named = |name: &Option<String>| name.as_deref() == Some(key);
    let all = object.properties();
    let mut found = all
        .iter()
        .filter(|property| named(&property.decoded_name()));
    let first = found.next();
    if found.next().is_some() {
        return Err(JsonError::Twice(told(&[above, &[key]].concat())));
    }
    Ok(first.and_then(jsonc_parser::cst::CstObjectProp::value))
}

fn remove_from(node: &CstNode, ours: &dyn Fn(&Value) -> bool) -> usize {
    if let Some(list) = node.as_array() {
        return remove_from_list(&list, ours);
    }
    let Some(object) = node.as_object() else {
        return 0;
    };
    let mut removed = 0;
    for property in object.properties() {
        let Some(value) = property.value() else {
            continue;
        };
        let here = remove_from(&value, ours);
        if here > 0 && is_hollow(&value) {
            property.remove();
        }
        removed += here;
    }
    removed
}

fn remove_from_list(list: &CstArray, ours: &dyn Fn(&Value) -> bool) -> usize {
    let mut removed = 0;
    for element in list.elements() {
        if element.to_serde_value().is_some_and(|value| ours(&value)) {
            element.remove();
            removed += 1;
        } else {
            removed += remove_from(&element, ours);
        }
    }
    removed
}

fn is_hollow(node: &CstNode) -> bool {
    let empty_list = node
        .as_array()
        .is_some_and(|list| list.elements().is_empty());
    let empty_object = node
        .as_object()
        .is_some_and(|object| object.properties().is_empty());
    empty_list || empty_object
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(object) => {
            let property = |(key, value): (&String, &Value)| (key.clone(), input(value));
            CstInputValue::Object(object.iter().map(property).collect())
        }
    }
}

fn misfit(path: &[&str], expected: &'static str) -> JsonError {
    let at = told(path);
    JsonError::Misfit { at, expected }
}

fn told(path: &[&str]) -> String {
    if path.is_empty() {
        "the outermost value".to_owned()
    } else {
        path.join(".")
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
