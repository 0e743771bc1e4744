//! The JSON Schema of the file, for editors that check as one types.

use fusebox_core::Preset;
use fusebox_guard::Mode;
use serde_json::{Map, Value, json};

use super::key::Key;
use super::kind::Kind;

/// A schema that accepts what the reader accepts, key by key.
pub(crate) fn schema() -> Value {
    let mut root = object();
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("fusebox.toml and fusebox/config.toml");
    for key in Key::all() {
        let path = key.path();
        let mut names = path.split('.').peekable();
        let mut place = &mut root;
        while let Some(name) = names.next() {
            let below = if names.peek().is_some() {
                object()
            } else {
                described(key)
            };
            place = entry(place, name, below);
        }
    }
    root
}

/// The property `name` of a schema, put there if it is not there yet.
fn entry<'a>(schema: &'a mut Value, name: &str, new: Value) -> &'a mut Value {
    let properties = &mut schema["properties"];
    if properties[name].is_null() {
        properties[name] = new;
    }
    &mut properties[name]
}

fn object() -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": Map::new()})
}

fn described(key: Key) -> Value {
    let mut schema = match key.kind() {
        Kind::Preset => json!({"enum": Preset::ALL.map(Preset::name)}),
        Kind::Hash => json!({"type": "string", "pattern": "^\\s*[0-9a-fA-F]{64}\\s*$"}),
        Kind::Number { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Kind::Time => json!({"type": "string", "pattern": "^[0-9]+(s|m|min|h|d)?$"}),
        Kind::Money => json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000}),
        Kind::Size { .. } => json!({"type": "string", "pattern": "^[0-9]+ *([kKmMgGtT]?[bB])?$"}),
        Kind::Switch => json!({"type": "boolean"}),
        Kind::Action => json!({"enum": ["alert", "escalate", "pause", "abort"]}),
        Kind::Text => json!({"type": "string", "minLength": 1}),
        Kind::List => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Paths => {
            let path = json!({"type": "string", "minLength": 1});
            let modes = Mode::ALL.map(Mode::name);
            let rule = json!({"type": "object", "additionalProperties": false, "required": ["path"],
                "properties": {"path": path, "mode": {"enum": modes}}});
            json!({"type": "array", "items": {"anyOf": [path, rule]}})
        }
    };
    schema["description"] = json!(key.about());
    schema
}
