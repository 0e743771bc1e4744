// A loop of your own around any agent, with the breaker asked over a pipe.
//
//     node loop.ts ./agent.sh        (Node 22.18 or later; 22.6 with --experimental-strip-types)
//
// `loop.mjs` is the same program without the types. Ends with the exit code that
// `fusebox check` would have ended with: 42 is an open breaker.

import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

/** `fusebox serve --stdio`: a JSON-RPC request a line, an answer a line. */
function fusebox(...options) {
  const server = spawn("fusebox", [...options, "serve", "--stdio"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let asked = 0;
  return {
    async ask(method, params) {
      asked += 1;
      const request = { jsonrpc: "2.0", id: asked, method, params };
      server.stdin.write(JSON.stringify(request) + "\n");
      const line = await lines.next();
      // No answer is never a yes.
      if (line.done) throw new Error("fusebox has ended");
      const reply = JSON.parse(line.value);
      if (!reply.result) throw new Error(reply.error?.message ?? "no result");
      return reply.result;
    },
    close() {
      server.stdin.end();
    },
  };
}

async function loop(command) {
  const breaker = fusebox();
  try {
    let answer = await breaker.ask("check", { from_git: true });
    while (answer.gate !== "deny") {
      const ended = spawnSync(command[0], command.slice(1), { stdio: "inherit" });
      const report = { exit_code: ended.status ?? 1 };
      answer = await breaker.ask("record", { from_git: true, report });
      if (answer.gate === "deny") break;
      answer = await breaker.ask("check", { from_git: true });
    }
    console.error(`stopped: ${answer.reason}`);
    return answer.exit_code;
  } catch (why) {
    console.error(`stopped: ${why}`);
    return 4;
  } finally {
    breaker.close();
  }
}

const command = process.argv.slice(2);
process.exitCode = await loop(command.length > 0 ? command : ["./agent.sh"]);
