//! `${…}` in its many forms.

use brush_parser::word::{
    Parameter, ParameterExpr, ParameterTestType, SpecialParameter, SubstringMatchKind,
};

use super::{Engine, Variable, slices};
use crate::commands::hosts::own_name;
use crate::glob;
use crate::stop::Stop;
use crate::text::{Part, Text};

impl Engine<'_> {
    /// The values of an expansion: one, or those of a list.
    pub(crate) fn parameter(&mut self, expression: &ParameterExpr) -> Result<Vec<Text>, Stop> {
        use ParameterExpr as E;
        match expression {
            E::Parameter {
                parameter,
                indirect,
            } => self.values(parameter, *indirect),
            E::UseDefaultValues {
                parameter,
                indirect,
                test_type,
                default_value,
            } => self.defaulted(parameter, *indirect, test_type, default_value.as_deref()),
            E::AssignDefaultValues {
                parameter,
                indirect,
                test_type,
                default_value,
            } => {
                let value =
                    self.defaulted(parameter, *indirect, test_type, default_value.as_deref())?;
                if let (Parameter::Named(name), [only]) = (parameter, value.as_slice()) {
                    self.shell.set_text(name, only.clone());
                }
                Ok(value)
            }
            E::IndicateErrorIfNullOrUnset {
                parameter,
                indirect,
                error_message,
                ..
            } => {
                self.follow_only(error_message.as_deref())?;
                self.values(parameter, *indirect)
            }
            E::UseAlternativeValue {
                parameter,
                indirect,
                test_type,
                alternative_value: value,
            } => self.alternative(parameter, *indirect, test_type, value.as_deref()),
            E::ParameterLength {
                parameter,
                indirect,
            } => self.length(parameter, *indirect),
            _ => self.changed(expression),
        }
    }

    /// A value of which a part is taken or replaced.
    fn changed(&mut self, expression: &ParameterExpr) -> Result<Vec<Text>, Stop> {
        use ParameterExpr as E;
        match expression {
            E::RemoveSmallestSuffixPattern {
                parameter,
                indirect,
                pattern,
            } => self.trimmed(
                parameter,
                *indirect,
                pattern.as_deref(),
                slices::without_short_end,
            ),
            E::RemoveLargestSuffixPattern {
                parameter,
                indirect,
                pattern,
            } => self.trimmed(
                parameter,
                *indirect,
                pattern.as_deref(),
                slices::without_long_end,
            ),
            E::RemoveSmallestPrefixPattern {
                parameter,
                indirect,
                pattern,
            } => self.trimmed(
                parameter,
                *indirect,
                pattern.as_deref(),
                slices::without_short_start,
            ),
            E::RemoveLargestPrefixPattern {
                parameter,
                indirect,
                pattern,
            } => self.trimmed(
                parameter,
                *indirect,
                pattern.as_deref(),
                slices::without_long_start,
            ),
            E::ReplaceSubstring {
                parameter,
                indirect,
                pattern,
                replacement: new,
                match_kind,
            } => self.replaced(parameter, *indirect, pattern, new.as_deref(), match_kind),
            E::Substring {
                parameter,
                indirect,
                offset,
                length,
            } => self.slice(parameter, *indirect, offset, length.as_ref()),
            E::UppercasePattern {
                parameter,
                indirect,
                ..
            } => self.mapped(parameter, *indirect, str::to_uppercase),
            E::LowercasePattern {
                parameter,
                indirect,
                ..
            } => self.mapped(parameter, *indirect, str::to_lowercase),
            _ => Ok(vec![Text::unknown()]),
        }
    }

    /// `${a:+b}`.
    fn alternative(
        &mut self,
        parameter: &Parameter,
        indirect: bool,
        test: &ParameterTestType,
        value: Option<&str>,
    ) -> Result<Vec<Text>, Stop> {
        let alternative = self.text(value.unwrap_or(""))?;
        Ok(vec![match self.counts(parameter, indirect, test)? {
            Some(true) => alternative,
            Some(false) => Text::default(),
            None => alternative.or(&Text::default()),
        }])
    }

    /// `${#a}`.
    fn length(&mut self, parameter: &Parameter, indirect: bool) -> Result<Vec<Text>, Stop> {
        let values = self.values(parameter, indirect)?;
        if is_several(parameter) {
            return Ok(vec![Text::fixed(values.len().to_string())]);
        }
        Ok(values
            .iter()
            .map(|value| value.map(|text| text.chars().count().to_string()))
            .collect())
    }

    fn mapped(
        &mut self,
        parameter: &Parameter,
        indirect: bool,
        change: impl Fn(&str) -> String,
    ) -> Result<Vec<Text>, Stop> {
        let values = self.values(parameter, indirect)?;
        Ok(values.iter().map(|value| value.map(&change)).collect())
    }

    fn trimmed(
        &mut self,
        parameter: &Parameter,
        indirect: bool,
        pattern: Option<&str>,
        cut: impl for<'t> Fn(&'t str, &str) -> &'t str,
    ) -> Result<Vec<Text>, Stop> {
        let pattern = self.text(pattern.unwrap_or(""))?;
        match pattern.known() {
            Some(pattern) => {
                self.mapped(parameter, indirect, |text| cut(text, &pattern).to_owned())
            }
            None => Ok(vec![Text::unknown()]),
        }
    }

    fn replaced(
        &mut self,
        parameter: &Parameter,
        indirect: bool,
        pattern: &str,
        replacement: Option<&str>,
        kind: &SubstringMatchKind,
    ) -> Result<Vec<Text>, Stop> {
        let pattern = self.text(pattern)?.known();
        let replacement = self.text(replacement.unwrap_or(""))?.known();
        match (pattern, replacement) {
            (Some(pattern), Some(new)) if !glob::is_pattern(&pattern) && !pattern.is_empty() => {
                for value in self.values(parameter, indirect)? {
                    let most = value.bytes() / pattern.len() * new.len();
                    self.budget.grow(most)?;
                }
                self.mapped(parameter, indirect, |text| match kind {
                    SubstringMatchKind::Anywhere => text.replace(&pattern, &new),
                    SubstringMatchKind::FirstOccurrence => text.replacen(&pattern, &new, 1),
                    SubstringMatchKind::Prefix => text
                        .strip_prefix(&pattern)
                        .map_or_else(|| text.to_owned(), |rest| format!("{new}{rest}")),
                    SubstringMatchKind::Suffix => text
                        .strip_suffix(&pattern)
                        .map_or_else(|| text.to_owned(), |rest| format!("{rest}{new}")),
                })
            }
            _ => Ok(vec![Text::unknown()]),
        }
    }

    fn defaulted(
        &mut self,
        parameter: &Parameter,
        indirect: bool,
        test: &ParameterTestType,
        default: Option<&str>,
    ) -> Result<Vec<Text>, Stop> {
        let default = self.text(default.unwrap_or(""))?;
        if !self.is_set(parameter) {
            self.borrows = true;
            // It may still be set by something that is not seen from here, such as a profile.
            return Ok(vec![default]);
        }
        let value = self.values(parameter, indirect)?;
        Ok(
            match (self.counts(parameter, indirect, test)?, value.as_slice()) {
                (Some(true), _) => value,
                (None, [only]) if !only.is_unknown() => vec![only.or(&default)],
                (None, _) => value,
                (Some(false), _) => vec![default],
            },
        )
    }

    /// Whether a parameter has a value as far as `test` asks for one, if that can be told.
    fn counts(
        &mut self,
        parameter: &Parameter,
        indirect: bool,
        test: &ParameterTestType,
    ) -> Result<Option<bool>, Stop> {
        let null_counts = matches!(test, ParameterTestType::Unset);
        let may_be_unset = match parameter {
            Parameter::Named(name) => self.shell.may_be_unset.contains(name),
            _ => false,
        };
        let value = self.values(parameter, indirect)?;
        Ok(match self.is_set(parameter) {
            false if is_certain(&value) => Some(false),
            true if null_counts && !may_be_unset => Some(true),
            true if !null_counts && is_empty(&value) => Some(false),
            true if !may_be_unset && value.iter().any(has_something) => Some(true),
            _ => None,
        })
    }

    fn follow_only(&mut self, word: Option<&str>) -> Result<(), Stop> {
        word.map_or(Ok(()), |word| self.text(word).map(drop))
    }

    fn is_set(&self, parameter: &Parameter) -> bool {
        match parameter {
            Parameter::Named(name)
            | Parameter::NamedWithIndex { name, .. }
            | Parameter::NamedWithAllIndices { name, .. } => {
                self.shell.get(name).is_some() || name == "PWD"
            }
            Parameter::Positional(index) => (*index as usize) <= self.shell.arguments.len(),
            Parameter::Special(_) => true,
        }
    }

    pub(super) fn values(
        &mut self,
        parameter: &Parameter,
        indirect: bool,
    ) -> Result<Vec<Text>, Stop> {
        let values = self.direct_values(parameter)?;
        if !indirect {
            return Ok(values);
        }
        let name = values.first().and_then(Text::known);
        Ok(vec![name.map_or_else(Text::unknown, |name| {
            self.variable_or_unknown(&name)
        })])
    }

    fn direct_values(&mut self, parameter: &Parameter) -> Result<Vec<Text>, Stop> {
        self.borrows |= match parameter {
            Parameter::Named(name) => !self.shell.has_own(name),
            _ => true,
        };
        Ok(match parameter {
            Parameter::Positional(0) => vec![self.shell.name.clone()],
            Parameter::Positional(index) => {
                let value = self.shell.arguments.get(*index as usize - 1);
                vec![value.cloned().unwrap_or_default()]
            }
            Parameter::Special(SpecialParameter::AllPositionalParameters { .. }) => {
                self.shell.arguments.clone()
            }
            Parameter::Special(SpecialParameter::ShellName) => vec![self.shell.name.clone()],
            Parameter::Special(SpecialParameter::PositionalParameterCount) => {
                let all = self.shell.arguments.len();
                let may_lack = self
                    .shell
                    .arguments
                    .iter()
                    .filter(|text| text.may_be_nothing());
                let counts = all - may_lack.count()..=all;
                vec![Text::one_of(
                    counts.map(|count| count.to_string()).collect(),
                )]
            }
            Parameter::Special(SpecialParameter::ProcessId) => vec![some_number()],
            Parameter::Special(_) => vec![Text::unknown()],
            Parameter::Named(name) => vec![self.named(name)],
            Parameter::NamedWithIndex { name, index } => vec![self.element(name, index)?],
            Parameter::NamedWithAllIndices { name, .. } => match self.shell.get(name) {
                Some(Variable::Array(items)) => items.clone(),
                Some(other) => vec![other.first()],
                None => Vec::new(),
            },
        })
    }

    fn named(&self, name: &str) -> Text {
        match name {
            "PWD" => self.working_directory(),
            "OLDPWD" => self.previous_directory(),
            "IFS" => Text::fixed(self.shell.separators()),
            "RANDOM" | "SECONDS" | "BASHPID" | "UID" | "EUID" | "PPID" | "LINENO" => some_number(),
            _ => match self.shell.get(name) {
                Some(value) => value.first(),
                None if name == "HOSTNAME" => Text::fixed(own_name()),
                // Nothing here set it: most likely it is empty, but a profile may have.
                None => {
                    let mut text = Text::default();
                    text.push(Part::Unknown);
                    text
                }
            },
        }
    }
}

/// A number of which nothing else is known.
fn some_number() -> Text {
    Text::one_of(vec!["0".to_owned(), "1".to_owned()])
}

fn is_empty(values: &[Text]) -> bool {
    values
        .iter()
        .all(|value| value.known().is_some_and(|text| text.is_empty()))
}

/// Whether it cannot be the empty text.
fn has_something(value: &Text) -> bool {
    let texts = value.alternatives();
    texts.iter().all(|text| {
        text.parts().iter().any(|part| match part {
            Part::Fixed(piece) | Part::Glob(piece) => !piece.is_empty(),
            Part::OneOf(_) | Part::Unknown => false,
        })
    })
}

/// Whether it stands for a list: `@`, `*`, `a[@]`.
pub(super) fn is_several(parameter: &Parameter) -> bool {
    matches!(
        parameter,
        Parameter::Special(SpecialParameter::AllPositionalParameters { .. })
            | Parameter::NamedWithAllIndices { .. }
    )
}

fn is_certain(values: &[Text]) -> bool {
    values.iter().all(|value| value.known().is_some())
}
