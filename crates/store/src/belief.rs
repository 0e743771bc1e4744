//! What is believed, what is repaired, and what is called tampering.
//!
//! An update writes in one order: record (flushed), slot, head. Before it
//! writes a record it brings slot and head up to the log. So a process that
//! dies leaves a sound store plus at most one update that stopped on its way,
//! and a power cut besides may lose or tear any slot and head written since
//! the boot. Everything else is somebody's hand:
//!
//! | found | in the boot that wrote it | after another boot |
//! |---|---|---|
//! | log ahead of slot or head, chain whole | repaired | repaired |
//! | last batch incomplete and unknown to slot and head | cut | cut |
//! | last batch complete in length, wrong, unknown to slot and head | tampered | cut |
//! | newest slot behind the head, or both unreadable | tampered | rebuilt from the log |
//! | head unreadable | tampered | rewritten, if a slot vouches for the boot |
//! | head in the log, but older than both slots | tampered | repaired |
//! | head, or a slot, ahead of the log or not in its chain | tampered | tampered |
//! | head or slots missing, log longer than genesis | tampered | tampered |
//! | head or slots missing, log is genesis | creation is finished | the same |
//! | newest slot older than the live log, head not older than what it follows | folded from the log's own state | the same |
//! | head older than what the live log follows | tampered | tampered |
//!
//! A head or slot ahead of the log is damning in any boot, because the log is
//! flushed before either is written. A missing head or slots file is, because
//! both are flushed, with their names, before the first record is taken.

use crate::disk::DiskFile;
use crate::folded::Folded;
use crate::frame::{self, MAX_BATCH, MAX_FRAME, Mark};
use crate::head::Head;
use crate::header::Beginning;
use crate::segment::Segment;
use crate::slots::{self, Newest, SLOTS_LEN, Slot, Which};
use crate::store::{Location, View};
use crate::version::Writer;
use crate::walker::{Step, Walker};
use crate::{BootId, Error, Repair, Tamper};

/// The files of a circuit, as far as they exist, under the log's lock.
pub(crate) struct Files {
    pub(crate) log: Segment,
    pub(crate) slots: Option<DiskFile>,
    pub(crate) head: Option<DiskFile>,
}

/// A verified state and what has to be written to make the files say the same.
pub(crate) struct Belief<S> {
    pub(crate) view: View<S>,
    pub(crate) last: Last,
    /// The slot that may be overwritten.
    pub(crate) spare: Which,
    /// Whether the newest slot covers the last record.
    pub(crate) slot_is_current: bool,
    /// Whether the head names the last record.
    pub(crate) head_is_current: bool,
}

/// The last record of the log: where it starts, and where and as what it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Last {
    pub(crate) start: u64,
    pub(crate) mark: Mark,
}

/// Verifies the files and folds what the slots do not know yet.
pub(crate) fn form<S: Folded>(files: &Files, location: &Location) -> Result<Belief<S>, Error> {
    let (Some(slots_file), Some(head_file)) = (&files.slots, &files.head) else {
        return unfinished_creation(files, location);
    };
    if slots_file.len() != SLOTS_LEN {
        return Err(Tamper::SlotsResized {
            path: slots_file.path().to_owned(),
            len: slots_file.len(),
        }
        .into());
    }
    let witnesses = Witnesses {
        files,
        slots_file,
        head: Head::read(head_file)?,
        newest: slots::read_newest(slots_file)?,
        boot: location.boot,
    };
    witnesses.refuse_damage(head_file)?;
    witnesses.judge(head_file)
}

/// A log that holds nothing but genesis may lack the files that are created
/// after it; any other log had them.
fn unfinished_creation<S: Folded>(files: &Files, location: &Location) -> Result<Belief<S>, Error> {
    let beginning = &files.log.beginning;
    let is_new = beginning.is_genesis() && files.log.end() == beginning.opening.mark.end;
    if files.slots.is_none() && (files.head.is_some() || !is_new) {
        let path = location.slots_path();
        return Err(Tamper::SlotsMissing { path }.into());
    }
    if !is_new {
        let path = location.head_file.clone();
        return Err(Tamper::HeadMissing { path }.into());
    }
    Ok(Belief {
        view: View {
            state: S::genesis(),
            seq: beginning.first_seq(),
            repairs: vec![Repair::CreationFinished],
        },
        last: beginning.opening,
        spare: Which::First,
        slot_is_current: false,
        head_is_current: false,
    })
}

/// Everything that was read before the first judgement.
struct Witnesses<'a> {
    files: &'a Files,
    slots_file: &'a DiskFile,
    /// `None` when the head does not check.
    head: Option<Head>,
    newest: Newest,
    boot: BootId,
}

/// Where the log ends once what was never acknowledged is left out.
struct Tail {
    last: Last,
    /// A complete frame that is wrong stands behind `last`.
    unsound: bool,
}

impl Witnesses<'_> {
    /// Damage that no crash of the present boot can have done.
    fn refuse_damage(&self, head_file: &DiskFile) -> Result<(), Error> {
        let path = head_file.path().to_owned();
        match (&self.head, &self.newest.slot) {
            (None, Some(slot)) if slot.boot != self.boot => Ok(()),
            (None, _) => Err(Tamper::HeadDamaged { path }.into()),
            (Some(head), _) if head.boot != self.boot => Ok(()),
            (Some(head), Some(slot)) if slot.last.mark.seq == head.mark.seq => Ok(()),
            (Some(head), Some(slot)) if slot.last.mark.seq > head.mark.seq => {
                // Only the last step of the last update can be missing, so the
                // head must still agree with the slot before the newest.
                let before = slots::read_one(self.slots_file, self.newest.spare)?;
                if before.is_some_and(|before| before.last.mark == head.mark) {
                    return Ok(());
                }
                Err(Tamper::HeadStale {
                    path,
                    head: head.mark.seq,
                    slot: slot.last.mark.seq,
                }
                .into())
            }
            (Some(head), _) => Err(Tamper::SlotDamaged {
                path: self.slots_file.path().to_owned(),
                seq: head.mark.seq,
            }
            .into()),
        }
    }

    fn judge<S: Folded>(&self, head_file: &DiskFile) -> Result<Belief<S>, Error> {
        let slot = self.slot_in_log();
        if let Some(slot) = slot {
            self.confirm_record_of(slot)?;
        }
        let base = slot.map_or(self.beginning().opening, |slot| slot.last);
        if let Some(head) = &self.head {
            self.confirm_head_before(head, base.mark, head_file)?;
        }
        let tail = self.follow_tail(base, head_file)?;
        let last = tail.last;
        Ok(Belief {
            view: View {
                state: self.fold_between(slot, base.mark, last.mark.seq)?,
                seq: last.mark.seq,
                repairs: self.repairs(&tail)?,
            },
            last,
            spare: self.newest.spare,
            slot_is_current: slot.is_some_and(|slot| slot.last == last),
            head_is_current: self.head.is_some_and(|head| head.mark == last.mark),
        })
    }

    fn beginning(&self) -> &Beginning {
        &self.files.log.beginning
    }

    /// The newest slot, unless it is older than the live log, which then knows
    /// better: it was sealed with a later state.
    fn slot_in_log(&self) -> Option<&Slot> {
        let first = self.beginning().first_seq();
        let slot = self.newest.slot.as_ref();
        slot.filter(|slot| slot.last.mark.seq >= first)
    }

    /// The record the slot was written for must still be in the log.
    fn confirm_record_of(&self, slot: &Slot) -> Result<(), Error> {
        let log = &self.files.log;
        let Last { start, mark } = slot.last;
        let (path, seq) = (log.path().to_owned(), mark.seq);
        if mark.end > log.end() {
            return Err(Tamper::LogCut { path, seq }.into());
        }
        let len = mark
            .end
            .checked_sub(start)
            .and_then(|len| usize::try_from(len).ok());
        let mut frame = vec![0; len.filter(|len| *len <= MAX_FRAME).unwrap_or(0)];
        log.read_at(&mut frame, start)?;
        if frame::mark_of(&frame, start) == Some(mark) {
            Ok(())
        } else {
            Err(Tamper::RecordDamaged { path, seq }.into())
        }
    }

    /// A head that is not ahead of the base must lead to it through the chain.
    /// It is never older than the record before the live log: it was flushed
    /// before that log came into being.
    fn confirm_head_before(
        &self,
        head: &Head,
        base: Mark,
        head_file: &DiskFile,
    ) -> Result<(), Error> {
        if head.mark.seq > base.seq {
            return Ok(());
        }
        let Beginning {
            before, opening, ..
        } = self.beginning();
        let from = match head.mark {
            mark if mark == *before => opening.mark,
            mark if mark.seq < opening.mark.seq => return Err(mismatch(head_file, head)),
            mark => mark,
        };
        let mut walker = Walker::new(&self.files.log, from, base.end);
        while let Step::Record { .. } = walker.step()? {}
        if walker.last() == base {
            Ok(())
        } else {
            Err(mismatch(head_file, head))
        }
    }

    /// Follows the chain from the base to the last complete batch.
    fn follow_tail(&self, base: Last, head_file: &DiskFile) -> Result<Tail, Error> {
        let log = &self.files.log;
        let mut walker = Walker::new(log, base.mark, log.end());
        let mut tail = Tail {
            last: base,
            unsound: false,
        };
        loop {
            let start = walker.last().end;
            match walker.step()? {
                Step::Record {
                    record,
                    batch_goes_on,
                } => {
                    if let Some(head) = &self.head
                        && head.mark.seq == record.seq
                        && head.mark != record.mark
                    {
                        return Err(mismatch(head_file, head));
                    }
                    if !batch_goes_on {
                        tail.last = Last {
                            start,
                            mark: record.mark,
                        };
                    }
                }
                Step::End | Step::Incomplete => break,
                Step::Unsound => {
                    tail.unsound = true;
                    break;
                }
            }
        }
        match &self.head {
            Some(head) if head.mark.seq > tail.last.mark.seq => Err(Tamper::HeadAhead {
                path: head_file.path().to_owned(),
                head: head.mark.seq,
                log: tail.last.mark.seq,
            }
            .into()),
            _ => Ok(tail),
        }
    }

    /// The state at record `until`, from the slot or else from what the log
    /// begins with.
    fn fold_between<S: Folded>(
        &self,
        slot: Option<&Slot>,
        base: Mark,
        until: u64,
    ) -> Result<S, Error> {
        let log = &self.files.log;
        let decode = |state: &[u8], file: &DiskFile, writer| {
            S::decode(state).map_err(|why| Error::refused(file.path(), writer, why))
        };
        let mut state = match slot {
            Some(slot) => decode(&slot.state, self.slots_file, slot.writer)?,
            None => match log.state()? {
                Some(state) => decode(&state, &log.file, log.beginning.writer)?,
                None => S::genesis(),
            },
        };
        let mut walker = Walker::new(log, base, log.end());
        while walker.last().seq < until
            && let Step::Record { record, .. } = walker.step()?
        {
            state
                .fold(&record)
                .map_err(|why| Error::refused(log.path(), self.writer(), why))?;
        }
        Ok(state)
    }

    /// Who wrote last, as far as anybody noted it.
    fn writer(&self) -> Writer {
        let slot = self.newest.slot.as_ref();
        slot.map_or(self.beginning().writer, |slot| slot.writer)
    }

    fn repairs(&self, tail: &Tail) -> Result<Vec<Repair>, Error> {
        let mut repairs = Vec::new();
        let last = tail.last.mark.seq;
        match self.newest.slot.as_ref().map(|slot| slot.last.mark.seq) {
            None => repairs.push(Repair::Rebuilt {
                records: last - self.beginning().first_seq(),
            }),
            Some(slot) if slot < last => repairs.push(Repair::LogAhead {
                records: last - slot,
            }),
            Some(_) => {}
        }
        match &self.head {
            None => repairs.push(Repair::HeadRewritten),
            Some(head) if head.mark.seq < last => repairs.push(Repair::HeadBehind {
                records: last - head.mark.seq,
            }),
            Some(_) => {}
        }
        repairs.extend(self.judge_rest(tail)?);
        Ok(repairs)
    }

    /// What stands behind the last complete batch was never acknowledged. It
    /// may be a torn write, unless it is longer than any write or was plainly
    /// completed in this boot and is wrong all the same.
    fn judge_rest(&self, tail: &Tail) -> Result<Option<Repair>, Error> {
        let log = &self.files.log;
        let bytes = log.end() - tail.last.mark.end;
        let written_in_this_boot = self.head.is_some_and(|head| head.boot == self.boot)
            || self
                .newest
                .slot
                .as_ref()
                .is_some_and(|slot| slot.boot == self.boot);
        if (tail.unsound && written_in_this_boot) || bytes > MAX_BATCH as u64 {
            return Err(Tamper::ChainBroken {
                path: log.path().to_owned(),
                offset: tail.last.mark.end,
            }
            .into());
        }
        Ok((bytes > 0).then_some(Repair::TornTail { bytes }))
    }
}

fn mismatch(head_file: &DiskFile, head: &Head) -> Error {
    Tamper::HeadMismatch {
        path: head_file.path().to_owned(),
        seq: head.mark.seq,
    }
    .into()
}
