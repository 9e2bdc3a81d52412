// The HTTP API, as a person waits for it: a stage that wakes up is asked again for 90 s, and every
// refusal is a Problem with words to act on.

import { root } from "./root.js";
import { renewed, token } from "./session.js";
import { language, t } from "./words.js";

const PATIENCE_MS = 90_000;
const PAUSE_MS = 3_000;

export class Problem extends Error {
  constructor({ status = 0, code = "", detail = "", guidance = "", request_id = "" }) {
    super(detail);
    Object.assign(this, { status, code, guidance, requestId: request_id });
  }
}

/** Passes by itself: nobody was reached, or the stage could not. */
export const isPassing = ({ code, status }) => code === "OFFLINE" || status === 429 || status >= 500;

export const events = new EventTarget();
const tell = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));
export let isOffline = false;

function away() {
  isOffline = true;
  tell("offline");
}

function reached() {
  if (!isOffline) return;
  isOffline = false;
  tell("back");
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const noSession = () => new Problem({ status: 401, detail: t("wasExpired") });

async function problemOf(answer) {
  if (answer.status === 401) return noSession(); // what a gateway says of a token is for programs
  try {
    return new Problem({ ...(await answer.json()), status: answer.status });
  } catch {
    return new Problem({ status: answer.status, detail: `HTTP ${answer.status}` });
  }
}

/** Sends a request and returns its answer once it is no refusal. Throws Problem, or AbortError. */
export async function send(method, path, { body, query, signal } = {}) {
  const address = new URL(path, root);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== "" && value !== null && value !== undefined) address.searchParams.set(name, value);
  const until = performance.now() + PATIENCE_MS;
  let mayRenew = true;
  // One key for all tries: a deletion that is asked for twice is one deletion.
  const key = method === "POST" || method === "DELETE" ? { "Idempotency-Key": crypto.randomUUID() } : {};
  for (;;) {
    if (!token()) throw noSession();
    let answer;
    try {
      answer = await fetch(address, {
        method,
        signal,
        cache: "no-store",
        headers: { Authorization: `Bearer ${token()}`, "Accept-Language": language(), ...key, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      away();
      throw new Problem({ code: "OFFLINE", detail: t("unreachable") });
    }
    reached();
    if (answer.ok) {
      tell("ready");
      return answer;
    }
    if (answer.status === 401 && mayRenew && (await renewed())) {
      mayRenew = false;
      continue;
    }
    const problem = await problemOf(answer);
    if (answer.status === 401) tell("expired");
    const wait = 1000 * Number(answer.headers.get("Retry-After")) || PAUSE_MS;
    // A budget that is used up says when the day ends: nobody waits for that.
    if ((answer.status !== 503 && answer.status !== 429) || performance.now() + wait > until) throw problem;
    tell("waiting", t(answer.status === 503 ? "warming" : "throttled"));
    await pause(wait);
  }
}

/** Of requests for one place: the signal of the next ends the one before, whose answer would come too late. */
export class Latest {
  #controller = new AbortController();
  next() {
    this.end();
    this.#controller = new AbortController();
    return this.#controller.signal;
  }
  end() {
    this.#controller.abort();
  }
}

/** A filter of documents by a part of what they are called. */
export const withName = (part) => ({ $or: ["source", "title"].map((field) => ({ [field]: { $contains: part } })) });

export const call = async (method, path, options) => (await send(method, path, options)).json();

/** Yields the lines of an answer as they come. Throws Problem where it ends before its last one. */
export async function* lines(path, options) {
  const answer = await send("POST", path, options);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let isWhole = false;
  for (;;) {
    const { value, done } = await read(reader);
    rest += value ?? "";
    const found = rest.split("\n");
    rest = found.pop();
    for (const text of found) {
      if (!text.trim()) continue;
      const line = JSON.parse(text);
      isWhole = line.type === "done" || line.type === "error";
      yield line;
    }
    if (done && isWhole) return;
    if (done) throw new Problem({ code: "CUT_OFF", detail: t("cutOff") });
  }
}

async function read(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    away();
    throw new Problem({ code: "CUT_OFF", detail: t("cutOff") });
  }
}
