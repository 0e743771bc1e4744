// Asks fusebox before every tool, and tells it what came of it.
// `fusebox hooks uninstall opencode` removes this file.
import { spawnSync } from "node:child_process";

const PROGRAM = "fusebox";
const OPTIONS = [];

const call = (point, payload) =>
  spawnSync(PROGRAM, ["hook", "opencode", point, ...OPTIONS], {
    input: JSON.stringify(payload),
    encoding: "utf8",
    timeout: 10000,
    killSignal: "SIGKILL",
  });

export const Fusebox = async ({ directory }) => {
  const tool = (input, args) => ({
    session_id: input.sessionID,
    cwd: directory,
    tool_name: input.tool,
    tool_input: args,
    tool_use_id: input.callID,
  });
  return {
    "tool.execute.before": async (input, output) => {
      const answer = call("pre-tool-use", tool(input, output.args));
      if (answer.status !== 0) {
        throw new Error(answer.stderr?.trim() || "fusebox gave no answer, so this is not allowed");
      }
    },
    "tool.execute.after": async (input, output) => {
      const response = { output: output.output, metadata: output.metadata };
      const answer = call("post-tool-use", { ...tool(input, input.args), tool_response: response });
      if (answer.status === 0 && answer.stdout) output.output += `\n${answer.stdout}`;
    },
    event: async ({ event }) => {
      const session = { session_id: event.properties?.sessionID, cwd: directory };
      if (event.type === "session.idle") call("stop", session);
    },
  };
};
