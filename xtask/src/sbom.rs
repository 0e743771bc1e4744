//! `cargo xtask sbom`: what the program is made of, for tools that look for known flaws.
//!
//! CycloneDX, made from what cargo itself says of the locked build: only what ends up in the
//! program, nothing that tests or builds need. There is no date in it, so the same sources give
//! the same list.

use crate::place;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;

const PROGRAM: &str = "fusebox";

pub(crate) fn run(file: Option<&Path>) -> Result<ExitCode> {
    let metadata = metadata()?;
    let bom = serde_json::to_string_pretty(&bom(&metadata)?)? + "\n";
    match file {
        Some(file) => std::fs::write(file, bom)
            .with_context(|| format!("{} cannot be written", file.display()))?,
        None => print!("{bom}"),
    }
    Ok(ExitCode::SUCCESS)
}

fn metadata() -> Result<Value> {
    let output = place::cargo(&["metadata", "--locked", "--format-version", "1"])?
        .output()
        .context("`cargo` cannot be started")?;
    ensure!(output.status.success(), "`cargo metadata` failed");
    serde_json::from_slice(&output.stdout).context("`cargo metadata` answers something else")
}

fn bom(metadata: &Value) -> Result<Value> {
    let packages: BTreeMap<&str, &Value> = list(&metadata["packages"])
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let needs: BTreeMap<&str, Vec<&str>> = list(&metadata["resolve"]["nodes"])
        .filter_map(|node| Some((node["id"].as_str()?, needed(node))))
        .collect();
    let root = packages
        .iter()
        .find(|(_, package)| package["name"] == PROGRAM)
        .map(|(id, _)| *id)
        .context("there is no such package")?;
    let mut reached = BTreeSet::from([root]);
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        for needed in needs.get(id).into_iter().flatten() {
            if reached.insert(needed) {
                pending.push(needed);
            }
        }
    }
    let component = |id: &&str| packages.get(id).map(|package| component(package));
    let dependency = |id: &&str| {
        let name = reference(packages.get(id)?);
        let on = needs.get(id).into_iter().flatten();
        let on = on.filter_map(|id| packages.get(id).map(|package| reference(package)));
        Some(json!({"ref": name, "dependsOn": on.collect::<BTreeSet<_>>()}))
    };
    let others = reached.iter().filter(|id| **id != root);
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(&root) },
        "components": others.filter_map(component).collect::<Vec<_>>(),
        "dependencies": reached.iter().filter_map(dependency).collect::<Vec<_>>(),
    }))
}

/// The packages that a package has in it when it is built to be shipped.
fn needed(node: &Value) -> Vec<&str> {
    let shipped =
        |dependency: &&Value| list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
    list(&node["deps"])
        .filter(shipped)
        .filter_map(|dependency| dependency["pkg"].as_str())
        .collect()
}

fn component(package: &Value) -> Value {
    let kind = if package["name"] == PROGRAM {
        "application"
    } else {
        "library"
    };
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    });
    if let Some(licence) = package["license"].as_str() {
        component["licenses"] = json!([{ "expression": licence }]);
    }
    component
}

fn reference(package: &Value) -> String {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shipped_is_listed_and_what_tests_need_is_not() {
        let package =
            |name: &str| json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT"});
        let packages = ["fusebox", "a", "b", "t"].map(package);
        let kinds = |kind: Value| json!([{ "kind": kind }]);
        let metadata = json!({
            "packages": packages,
            "resolve": {"nodes": [
                {"id": "fusebox", "deps": [
                    {"pkg": "a", "dep_kinds": kinds(Value::Null)},
                    {"pkg": "t", "dep_kinds": kinds(json!("dev"))},
                ]},
                {"id": "a", "deps": [{"pkg": "b", "dep_kinds": kinds(Value::Null)}]},
                {"id": "b", "deps": []},
                {"id": "t", "deps": []},
            ]},
        });
        let bom = bom(&metadata).unwrap();
        assert_eq!(
            bom["metadata"]["component"]["purl"],
            "pkg:cargo/fusebox@1.0.0"
        );
        let names: Vec<_> = list(&bom["components"]).map(|one| &one["name"]).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(
            bom["dependencies"][0]["dependsOn"],
            json!(["pkg:cargo/b@1.0.0"])
        );
        assert_eq!(bom["components"][0]["licenses"][0]["expression"], "MIT");
    }
}
