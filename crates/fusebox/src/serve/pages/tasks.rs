//! The tasks of every workspace that has a list of them.

use fusebox_tasks::Item;
use fusebox_view::document::{Block, Document, Text};
use fusebox_view::phrase;

use super::name;
use crate::serve::collect::TaskList;
use crate::speech::shown;
use crate::tasks::table::Rows;

/// The most tasks of one list that are shown.
const MOST: usize = 500;

pub(super) fn page(lists: &[TaskList]) -> Document {
    let mut blocks = Vec::new();
    if lists.is_empty() {
        let words = "No workspace here has a task list. Create one with `fusebox tasks add TITLE`.";
        blocks.push(Block::Paragraph(Text::ours(words)));
    }
    for list in lists {
        blocks.extend(of_list(list));
    }
    Document {
        title: Text::ours("Tasks"),
        blocks,
    }
}

fn of_list(list: &TaskList) -> Vec<Block> {
    let heading = Text::theirs(name(&list.root));
    if let Some(why) = &list.trouble {
        return vec![
            Block::Heading(heading),
            Block::Paragraph(Text::ours("Not to be read: ").then(Text::theirs(why.as_str()))),
        ];
    }
    let rows = Rows {
        items: &list.items,
        now: &list.now,
    };
    let ready = list.items.iter().filter(|item| item.is_ready()).count();
    let tasks = phrase::count(list.items.len() as u64, "task");
    let words = Text::ours(format!("{tasks}, {ready} can be begun. The list is "))
        .then(Text::theirs(list.name.as_str()))
        .then(Text::ours(" in "))
        .then(Text::theirs(shown(&list.root)));
    vec![
        Block::Heading(heading),
        Block::Paragraph(words),
        Block::Table {
            name: "Tasks",
            head: vec!["task", "status", "title", "who", "more"],
            rows: list
                .items
                .iter()
                .take(MOST)
                .map(|item| row(&rows, item))
                .collect(),
        },
    ]
}

fn row(rows: &Rows<'_>, item: &Item) -> Vec<Text> {
    let claim = item.record.claim.as_ref().map(|claim| claim.actor.as_str());
    let holder = claim.or(item.task.holder.name.as_deref());
    let notes = rows.notes(item);
    vec![
        Text::theirs(item.task.id.as_str()),
        Text::ours(Rows::status(item)),
        Text::theirs(item.task.title.as_str()),
        holder.map_or_else(Text::default, Text::theirs),
        Text::theirs(notes.join(" · ")),
    ]
}
