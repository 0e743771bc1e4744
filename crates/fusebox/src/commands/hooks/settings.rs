//! The settings with our registration, and without it: bytes in, bytes out.

use fusebox_agents::hook::{Caller, Registered};
use fusebox_edit::json::Json;
use serde_json::Value;

/// The settings with our registration in them; `before` is free of it.
pub(super) fn with(
    registered: &Registered,
    before: Option<&[u8]>,
    caller: &Caller<'_>,
) -> Result<Vec<u8>, String> {
    match registered {
        Registered::File { text, .. } => match before {
            None => Ok(text(caller).into_bytes()),
            Some(_) => Err("it is somebody else's file of the same name".into()),
        },
        Registered::Elements {
            defaults, elements, ..
        } => {
            let json = Json::parse(before.unwrap_or(b"{}\n")).map_err(|why| why.to_string())?;
            let change = || {
                for (key, value) in *defaults {
                    json.set_default(key, &Value::from(*value))?;
                }
                elements(caller)
                    .iter()
                    .try_for_each(|element| json.push(&element.path, &element.value))
            };
            change().map_err(|why| why.to_string())?;
            Ok(json.into_bytes())
        }
    }
}

/// The settings without our registration; `None` where the file was nothing but that.
pub(super) fn without(
    registered: &Registered,
    standing: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, String> {
    let Some(standing) = standing else {
        return Ok(None);
    };
    match registered {
        Registered::File { mark, .. } => {
            let ours = String::from_utf8_lossy(standing).contains(mark);
            Ok((!ours).then(|| standing.to_vec()))
        }
        Registered::Elements { ours, .. } => {
            let json = Json::parse(standing).map_err(|why| why.to_string())?;
            let removed = json
                .remove_elements("hooks", ours)
                .map_err(|why| why.to_string())?;
            Ok(Some(match removed {
                0 => standing.to_vec(),
                _ => json.into_bytes(),
            }))
        }
    }
}
