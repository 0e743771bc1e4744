"use strict";

// The token comes once, behind the mark of the address, and stays in this tab.
const view = document.getElementById("view");
const note = document.getElementById("note");
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", "/#/");
}
const headers = { Authorization: `Bearer ${sessionStorage.getItem("token") ?? ""}` };
const signs = { Closed: "●", Watching: "◐", Open: "✖", Probing: "◌", Complete: "✔" };

async function get(path, options = {}) {
  const answer = await fetch(path, { headers, ...options });
  if (answer.status === 401) throw new Error("the token is missing or wrong: open the address that `fusebox serve` printed");
  if (!answer.ok) throw new Error(`the answer was ${answer.status}`);
  return answer;
}

// Everything that is made here is made of text nodes: whatever a loop, a task or
// an error is called, it is shown and never read as markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function table(caption, names, rows) {
  const head = element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name))));
  const body = element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell)))));
  const whole = element("table", {}, element("caption", { class: "skip" }, caption), head, body);
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, whole);
}

function page(title, ...parts) {
  document.title = `fusebox: ${title}`;
  view.replaceChildren(element("h1", {}, title), ...parts);
}

function state(one) {
  const name = one.status ? one.status.state : "Open";
  const label = one.status ? one.status.label : one.trouble === "busy" ? "busy" : "UNREADABLE";
  return element("span", { class: `state ${name}` }, `${signs[name] ?? ""} ${label}`);
}

async function overview() {
  const loops = await (await get("/api/loops")).json();
  if (loops.length === 0) return page("Loops", element("p", {}, "No loop has a memory here yet."));
  const urgent = (one) => (one.status?.state === "Open" || !one.readable ? 0 : 2) + (one.running ? 0 : 1);
  loops.sort((a, b) => urgent(a) - urgent(b) || a.workspace.localeCompare(b.workspace));
  const rows = loops.map((one) => {
    const status = one.status;
    const name = one.circuit === "default" ? one.workspace : `${one.workspace} (${one.circuit})`;
    const calls = status?.limits.calls;
    return [
      element("a", { href: `#/loops/${one.id}` }, name),
      state(one),
      status?.risk ?? "",
      one.running ? "yes" : "no",
      `${status?.iterations ?? ""}`,
      status ? status.reason : one.trouble,
      calls ? `${calls.left} of ${calls.limit}${calls.next_slot ? `, next ${calls.next_slot}` : ""}` : "",
      status ? `$${(status.totals.cost_micro_usd / 1e6).toFixed(2)}` : "",
    ];
  });
  const names = ["loop", "state", "risk", "running", "iterations", "why", "calls left", "cost"];
  page("Loops", table("All loops of this machine", names, rows));
}

async function incidents() {
  const found = await (await get("/api/incidents")).json();
  if (found.length === 0) return page("Incidents", element("p", {}, "No breaker has opened lately."));
  const rows = found.map((one) => [
    one.opened,
    element("a", { href: `#/loops/${one.loop}` }, one.workspace),
    one.reason,
    one.rule,
    one.evidence.map((row) => row.found).join("; "),
    one.closed ? new Date(one.closed.at_ms).toISOString() : "not yet",
  ]);
  page("Incidents", table("Incidents, the latest first", ["opened", "loop", "why", "rule", "evidence", "closed"], rows));
}

// These pages are rendered, and escaped, by the server.
async function piece(path) {
  view.innerHTML = await (await get(path)).text();
  document.title = `fusebox: ${view.querySelector("h1")?.textContent ?? ""}`;
}

async function show() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  for (const link of document.querySelectorAll("nav a")) {
    const current = link.getAttribute("href") === (parts[0] === "incidents" ? "#/incidents" : "#/");
    if (current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    if (parts[0] === "loops") await piece(`/pages/${parts.map(encodeURIComponent).join("/")}`);
    else if (parts[0] === "incidents") await incidents();
    else await overview();
    note.textContent = `as of ${new Date().toISOString().slice(11, 19)}Z`;
  } catch (error) {
    note.textContent = `Not shown: ${error.message}`;
  }
}

// Events only say that there is something new; what it is, the page asks anew.
let due = null;
function soon() {
  due ??= setTimeout(() => {
    due = null;
    if (!location.hash.includes("/iterations/")) show();
  }, 300);
}

async function follow() {
  for (;;) {
    try {
      const reader = (await get("/api/events")).body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        if (new TextDecoder().decode(part.value).includes("data:")) soon();
      }
    } catch {
      note.textContent = "Not connected: what is shown may be old";
    }
    await new Promise((again) => setTimeout(again, 2000));
  }
}

addEventListener("hashchange", async () => {
  await show();
  view.focus({ preventScroll: true });
  scrollTo(0, 0);
});
show();
follow();
