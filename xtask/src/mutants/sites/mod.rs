//! Where in a file its mutants are, and what is written there so that each can be switched on.

use super::listing::{Genre, Mutant};
use super::rewriting::{Kind, Part, Site};
use anyhow::{Context, Result};
use proc_macro2::{LineColumn, Span};
use std::collections::HashMap;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Pat, ReturnType, Signature};

/// Finds the sites of these mutants, each with its number, in the file they are of. A mutant
/// that is in no site cannot be switched on: it would be in a constant, or is part of a
/// condition that binds names.
pub(super) fn find<'a>(
    source: &str,
    mutants: impl IntoIterator<Item = (usize, &'a Mutant)>,
) -> Result<Vec<Site>> {
    let file = syn::parse_file(source).context("it cannot be read as Rust")?;
    let mut search = Search {
        mutants: HashMap::new(),
        found: Vec::new(),
        has_catchall: false,
    };
    for (number, mutant) in mutants {
        let place = (mutant.genre, mutant.at);
        let change = (number, mutant.replacement.clone());
        search.mutants.entry(place).or_default().push(change);
    }
    search.visit_file(&file);
    Ok(search.found)
}

/// A mutant's number, and what it puts in the place of what was.
type Change = (usize, String);

struct Search {
    mutants: HashMap<(Genre, (usize, usize)), Vec<Change>>,
    /// The sites in what is being looked at, in the order of the source.
    found: Vec<Site>,
    /// The match that is being looked at takes what its arms leave.
    has_catchall: bool,
}

impl Search {
    fn at(&self, genre: Genre, start: LineColumn) -> Vec<Change> {
        let place = (genre, (start.line, start.column + 1));
        self.mutants.get(&place).cloned().unwrap_or_default()
    }

    /// Notes a site around whatever is found by `look`.
    fn within(
        &mut self,
        range: Range<usize>,
        kind: Kind,
        parts: Vec<Part>,
        look: impl FnOnce(&mut Self),
    ) {
        let outer = std::mem::take(&mut self.found);
        look(self);
        let inner = std::mem::replace(&mut self.found, outer);
        self.found.push(Site {
            range,
            parts,
            inner,
            kind,
        });
    }

    /// Notes an expression that each of these mutants makes another.
    fn choose(
        &mut self,
        range: Range<usize>,
        mutants: Vec<(usize, Vec<Part>)>,
        look: impl FnOnce(&mut Self),
    ) {
        let numbers: Vec<usize> = mutants.iter().map(|(number, _)| *number).collect();
        let Some(site) = numbers.first() else {
            return look(self);
        };
        let mut parts = vec![words(&format!("({}", asking(*site)))];
        for (number, written) in mutants {
            let mut only = vec![words(&format!("{number} => "))];
            only.extend(written);
            parts.extend([Part::Only(number, only), words(", ")]);
        }
        parts.extend([words("_ => "), Part::Rewritten(range.clone()), words(" })")]);
        self.within(range, Kind::Choice(numbers), parts, look);
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        // What is worked out while compiling cannot ask which mutant is on.
        if signature.constness.is_some() {
            return;
        }
        let (Some(first), Some(last)) = (block.stmts.first(), block.stmts.last()) else {
            return;
        };
        let range = first.span().byte_range().start..last.span().byte_range().end;
        let mut changes = self.at(Genre::FnValue, first.span().start());
        if hides_its_type(&signature.output) {
            changes.clear();
        }
        let numbers: Vec<usize> = changes.iter().map(|(number, _)| *number).collect();
        let mut parts = Vec::new();
        if let Some(site) = numbers.first() {
            parts.push(words(&asking(*site)));
            for (number, replacement) in &changes {
                let only = words(&format!("{number} => return {replacement}, "));
                parts.push(Part::Only(*number, vec![only]));
            }
            parts.push(words("_ => {} }; "));
        }
        parts.push(Part::Rewritten(range.clone()));
        let look = |search: &mut Self| visit::visit_block(search, block);
        let body = |search: &mut Self| {
            if numbers.is_empty() {
                return look(search);
            }
            search.within(range.clone(), Kind::Choice(numbers), parts, look);
        };
        let all = vec![Part::Rewritten(range.clone())];
        self.within(range.clone(), Kind::Body, all, body);
    }
}

impl<'ast> Visit<'ast> for Search {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let look = |search: &mut Self| visit::visit_expr_binary(search, binary);
        if binds_names(&binary.left) || binds_names(&binary.right) {
            return look(self);
        }
        let changes = self.at(Genre::BinaryOperator, binary.op.span().start());
        let (left, right) = (bytes(&binary.left), bytes(&binary.right));
        let mutants = changes.into_iter().map(|(number, operator)| {
            // Behind a type, `<` would begin a list of more types.
            let (open, close) = match operator.starts_with('<') {
                true => ("(", ")"),
                false => ("", ""),
            };
            let written = vec![
                words(open),
                Part::Original(left.clone()),
                words(&format!("{close} {operator} ")),
                Part::Original(right.clone()),
            ];
            (number, written)
        });
        self.choose(left.start..right.end, mutants.collect(), look);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let changes = self.at(Genre::UnaryOperator, unary.op.span().start());
        let operand = bytes(&unary.expr);
        let range = unary.op.span().byte_range().start..operand.end;
        let without = |(number, _)| (number, vec![Part::Original(operand.clone())]);
        let mutants = changes.into_iter().map(without);
        let look = |search: &mut Self| visit::visit_expr_unary(search, unary);
        self.choose(range, mutants.collect(), look);
    }

    fn visit_expr_struct(&mut self, made: &'ast syn::ExprStruct) {
        let whole = bytes(made);
        let mut mutants = Vec::new();
        for pair in made.fields.pairs() {
            let field = pair.value().span();
            let end = pair.punct().map_or(field, |comma| comma.span());
            for (number, _) in self.at(Genre::StructField, field.start()) {
                let without = vec![
                    Part::Original(whole.start..field.byte_range().start),
                    Part::Original(end.byte_range().end..whole.end),
                ];
                mutants.push((number, without));
            }
        }
        let look = |search: &mut Self| visit::visit_expr_struct(search, made);
        self.choose(whole, mutants, look);
    }

    fn visit_expr_match(&mut self, matched: &'ast syn::ExprMatch) {
        self.visit_expr(&matched.expr);
        for arm in &matched.arms {
            let mut others = matched.arms.iter();
            self.has_catchall = others.any(|other| matches!(other.pat, Pat::Wild(_)));
            self.visit_arm(arm);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let deleted = self.at(Genre::MatchArm, arm.span().start());
        // Where nothing takes what the arm leaves, the match would not be complete.
        let deletable = self.has_catchall && !matches!(arm.pat, Pat::Guard(_));
        self.visit_pat(&arm.pat);
        if let ([(number, _)], true) = (&deleted[..], deletable) {
            let end = bytes(&arm.pat).end;
            let guard = format!(" if crate::mutant::active({number}) != {number}");
            let only = Part::Only(*number, vec![words(&guard)]);
            self.within(end..end, Kind::Choice(vec![*number]), vec![only], |_| {});
        }
        self.visit_expr(&arm.body);
    }

    fn visit_pat_guard(&mut self, guarded: &'ast syn::PatGuard) {
        let guard = &*guarded.guard;
        let look = |search: &mut Self| search.visit_expr(guard);
        if binds_names(guard) {
            return look(self);
        }
        let changes = self.at(Genre::MatchArmGuard, guard.span().start());
        let instead = |(number, replacement): Change| (number, vec![words(&replacement)]);
        self.choose(
            bytes(guard),
            changes.into_iter().map(instead).collect(),
            look,
        );
    }

    /// Nothing in a pattern is worked out when it is met, but for its guard.
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Guard(guarded) = pattern {
            self.visit_pat_guard(guarded);
        }
    }

    // All of these are worked out while compiling.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_expr_repeat(&mut self, repeated: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeated.expr);
    }
}

fn bytes(of: &impl Spanned) -> Range<usize> {
    Span::byte_range(&of.span())
}

fn words(words: &str) -> Part {
    Part::Words(words.to_owned())
}

/// How a choice begins. A site goes by the number of its first mutant.
fn asking(site: usize) -> String {
    format!("match crate::mutant::active({site}) {{ ")
}

/// `let` in a condition: the names it binds are known to what follows in the same one.
fn binds_names(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => {
            matches!(binary.op, BinOp::And(_))
                && (binds_names(&binary.left) || binds_names(&binary.right))
        }
        _ => false,
    }
}

/// `impl Trait` is one type, and what a mutant returns would be another.
fn hides_its_type(output: &ReturnType) -> bool {
    struct Hidden(bool);
    impl Visit<'_> for Hidden {
        fn visit_type_impl_trait(&mut self, _: &syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut hidden = Hidden(false);
    hidden.visit_return_type(output);
    hidden.0
}

#[cfg(test)]
mod tests;
