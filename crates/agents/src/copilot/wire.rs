//! The lines of `--output-format json`, as far as they are read.

use crate::json::{Text, lenient_object};

lenient_object! {
    /// Any line.
    Event<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        ephemeral: bool,
        #[serde(rename = "sessionId")]
        session: Text<'a>,
        #[serde(rename = "exitCode")]
        exit_code: i64,
        data: Data<'a>,
    }
}

lenient_object! {
    /// What an event tells, all kinds together.
    Data<'a> {
        content: Text<'a>,
        #[serde(rename = "toolCallId")]
        call: Text<'a>,
        #[serde(rename = "toolName")]
        tool: Text<'a>,
        #[serde(rename = "shellExecution")]
        shell: Shell,
        success: bool,
        result: Answer<'a>,
        error: Trouble<'a>,
        reason: Text<'a>,
        #[serde(rename = "errorType")]
        error_type: Text<'a>,
        #[serde(rename = "errorCode")]
        error_code: Text<'a>,
        message: Text<'a>,
        #[serde(rename = "statusCode")]
        status: u64,
    }
    raw {
        arguments,
    }
}

lenient_object! {
    /// What a command exited with.
    Shell {
        #[serde(rename = "exitCode")]
        exit_code: i64,
    }
}

lenient_object! {
    /// What a tool answered.
    Answer<'a> {
        content: Text<'a>,
    }
}

lenient_object! {
    /// Why a tool did not answer.
    Trouble<'a> {
        message: Text<'a>,
        code: Text<'a>,
    }
}
