"use strict";

// The token comes once, behind the mark of the address, and stays in this tab.
const view = document.getElementById("view");
const note = document.getElementById("note");
// What came of one's own wish, which no news may write over.
const came = document.getElementById("answer");
const pulse = document.getElementById("pulse");
const asOf = document.getElementById("as-of");
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", "/#/");
}
const headers = { Authorization: `Bearer ${sessionStorage.getItem("token") ?? ""}` };
// The one place where text becomes markup: pieces that the server has rendered and
// escaped. The policy of the page lets nothing else do so.
const pieces = window.trustedTypes?.createPolicy("pieces", { createHTML: (text) => text }) ?? { createHTML: (text) => text };
let about = { actions: false };

async function get(path, options = {}) {
  const answer = await fetch(path, { headers, ...options });
  if (answer.status === 401) throw new Error("the token is missing or wrong: open the address that `fusebox serve` printed");
  if (answer.status === 404) throw new Error("there is no such page");
  if (answer.status === 503) throw new Error("it is being written just now; it is asked for again soon");
  if (!answer.ok) throw new Error(`the answer was ${answer.status}`);
  return answer;
}

// Everything that is made here is made of text nodes.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function field(label, name, attributes = {}) {
  return element("label", {}, label, element("input", { name, autocomplete: "off", ...attributes }));
}

// Where we are: `#/loops/ID?before=7` is the path and the question behind it.
function place() {
  const [path, question = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").filter(Boolean), question: new URLSearchParams(question) };
}

// Somebody who reads with the keyboard keeps their place when a page is renewed.
function focused() {
  const at = document.activeElement;
  if (!view.contains(at)) return null;
  const alike = (name) => [...view.querySelectorAll(name)];
  const name = at.getAttribute("href") ? "a" : at.localName;
  const index = alike(name).indexOf(at);
  const href = at.getAttribute("href");
  return () => at.isConnected ? at.focus({ preventScroll: true }) : (alike(name).find((one) => href && one.getAttribute("href") === href) ?? alike(name)[index])?.focus({ preventScroll: true });
}

// Answers may come in another order than they were asked for; the last question counts.
let shown = 0;
async function show() {
  const turn = ++shown;
  const { parts, question } = place();
  const page = parts[0] ?? "overview";
  for (const link of document.querySelectorAll("nav a")) {
    const own = link.getAttribute("href").slice(2) || "overview";
    if (own === page || (own === "overview" && page === "loops")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const path = (parts.length ? parts : ["overview"]).map(encodeURIComponent).join("/");
  try {
    const text = await (await get(`/pages/${path}?${question}`)).text();
    if (turn !== shown) return;
    const refocus = focused();
    const asking = view.querySelector(`form.asking[data-loop="${CSS.escape(parts[1] ?? "")}"]`);
    view.innerHTML = pieces.createHTML(text);
    document.title = `fusebox: ${view.querySelector("h1")?.textContent ?? ""}`;
    if (page === "history") view.querySelector("h1").after(search(question));
    if (page === "loops" && parts.length === 2 && about.actions) view.querySelector("h1").after(asking ?? actions(parts[1]));
    refocus?.();
    asOf.textContent = `as of ${new Date().toISOString().slice(11, 19)}Z`;
    if (note.dataset.about === "page") say("");
  } catch (error) {
    if (turn === shown) say(`Not shown: ${error.message}`, "page");
  }
}

function say(text, what = "") {
  note.textContent = text;
  note.dataset.about = what;
}

function search(question) {
  const value = (name) => ({ value: question.get(name) ?? "" });
  const kinds = ["", "reported", "granted", "tripped", "reset", "taken", "began", "completed"];
  const options = kinds.map((kind) => {
    const option = element("option", { value: kind }, kind || "anything");
    if (kind === (question.get("kind") ?? "")) option.setAttribute("selected", "");
    return option;
  });
  const form = element("form", { role: "search", "aria-label": "History" },
    field("Words in task, reason or error", "words", { type: "search", ...value("words") }),
    field("Task", "task", value("task")),
    element("label", {}, "What", element("select", { name: "kind" }, ...options)),
    element("button", {}, "Search"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const asked = [...new FormData(form)].filter(([, text]) => text);
    location.hash = `#/history?${new URLSearchParams(asked)}`;
  });
  return form;
}

// What can be asked of a loop; the server asks for the token, a reason, and who asks.
const verbs = [
  ["pause", "Pause", "Wait when this iteration has ended"],
  ["resume", "Go on", "Go on after a pause"],
  ["stop", "Stop", "End when this iteration has ended"],
  ["skip", "Skip the task", "Give the task up and end"],
  ["trip", "Trip", "Open the breaker"],
  ["reset", "Reset", "Close the breaker and count anew"],
];

function actions(id) {
  const bar = element("div", { class: "actions", role: "group", "aria-label": "Ask of this loop" });
  for (const [word, label, meaning] of verbs) {
    const grave = word === "trip" || word === "reset" ? { class: "grave" } : {};
    const button = element("button", { type: "button", title: meaning, ...grave }, label);
    button.addEventListener("click", () => bar.replaceWith(asking(id, word, label, meaning)));
    bar.append(button);
  }
  return bar;
}

function asking(id, word, label, meaning) {
  const key = word === "reset" ? [field("Operator's key", "key", { type: "password", required: "" })] : [];
  const leave = element("button", { type: "button" }, "Leave it");
  const form = element("form", { "aria-label": meaning, class: "asking", "data-loop": id },
    field(`${meaning}, because`, "reason", { required: "", maxlength: "500" }), ...key,
    element("button", { class: "grave" }, label), leave);
  leave.addEventListener("click", () => form.replaceWith(actions(id)));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wish = Object.fromEntries([...new FormData(form)].filter(([, text]) => text));
    const answer = await fetch(`/api/loops/${encodeURIComponent(id)}/${word}`, {
      method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(wish),
    });
    const told = await answer.json();
    came.textContent = answer.ok ? `${label}: ${told.said}` : `Refused: ${told.error}`;
    form.replaceWith(actions(id));
    show();
  });
  came.textContent = "";
  setTimeout(() => form.elements.reason.focus());
  return form;
}

// Events say that there is something new; what it is, the page asks anew. What
// somebody is reading or typing is left alone.
let due = null;
function soon() {
  due ??= setTimeout(() => {
    due = null;
    const { parts, question } = place();
    const resting = parts[0] === "history" || parts.length > 2 || question.has("before") || view.querySelector("form.asking");
    if (!resting) show();
  }, 300);
}

// What happens on other machines is no event here.
setInterval(() => { if (place().parts[0] === "fleet") soon(); }, 3000);

function tell(event) {
  if (event.opened) say(`Open: ${event.workspace}: ${event.opened.reason}`);
  soon();
}

async function follow() {
  for (;;) {
    try {
      const reader = (await get("/api/events")).body.pipeThrough(new TextDecoderStream()).getReader();
      pulse.className = "live";
      if (note.dataset.about === "line") say("");
      let rest = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const whole = (rest + part.value).split("\n\n");
        rest = whole.pop();
        for (const one of whole) if (one.startsWith("data: ")) tell(JSON.parse(one.slice(6)));
      }
      throw new Error("closed");
    } catch {
      pulse.className = "lost";
      if (!note.textContent) say("Not connected: what is shown may be old", "line");
    }
    await new Promise((again) => setTimeout(again, 2000));
    show();
  }
}

async function begin() {
  about = await get("/api/about").then((answer) => answer.json()).catch(() => about);
  await show();
  follow();
}

addEventListener("hashchange", async () => {
  say("");
  came.textContent = "";
  await show();
  view.focus({ preventScroll: true });
  scrollTo(0, 0);
});
begin();
