// Who is signed in, in this window only: sessionStorage is not shared, so two tenants never meet.
// Locally a token comes in the address's fragment, which browsers send to nobody, or is pasted.
// On AWS it comes from the pool's page alone, by an authorisation code with PKCE.

import { root } from "./root.js";
import { t } from "./words.js";

const TOKEN = "pulsedocs.token";
const RENEWAL = "pulsedocs.renewal";
const PROOF = "pulsedocs.proof";

let configuration = { sign_in_page: null, client_id: null };

export const token = () => sessionStorage.getItem(TOKEN);
export const hasSignInPage = () => Boolean(configuration.sign_in_page);

export function claims(text = token()) {
  try {
    const part = text.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (c) => c.charCodeAt(0))));
  } catch {
    return {};
  }
}

/** A person by name and by tenant: two tenants have people of one name. */
export const called = ({ sub, tenant_id: tenant }) => [sub, tenant?.slice(0, 8)].filter(Boolean).join(" · ");

/** Who is signed in, in one text. */
export const who = ({ iss, tenant_id: tenant, sub } = claims()) => [iss, tenant, sub].join(" ");

const CHOSEN = "pulsedocs.chosen";

/** What this person chose and typed, also before the page was loaded anew; kept where the token is, and never in the address. */
export const chosen = { who: "", only: null, collection: "", draft: "", key: "", value: "", filters: {} };

export function recall(now) {
  const kept = JSON.parse(sessionStorage.getItem(CHOSEN) ?? "{}");
  Object.assign(chosen, kept.who === now ? kept : { who: now });
}

window.addEventListener("pagehide", () => chosen.who && chosen.who === who() && sessionStorage.setItem(CHOSEN, JSON.stringify(chosen)));

export function keep(text) {
  const given = text.trim();
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(given)) return false;
  sessionStorage.setItem(TOKEN, given);
  return true;
}

export function forget() {
  sessionStorage.removeItem(TOKEN);
  sessionStorage.removeItem(RENEWAL);
}

/** Takes what the address brings, and takes it out of the address. Throws where a code is refused. */
export async function begin() {
  configuration = await (await fetch(new URL("console/config.json", root))).json();
  const handed = new URLSearchParams(location.hash.slice(1)).get("token");
  if (handed) {
    history.replaceState(null, "", location.pathname + location.search);
    if (isWelcome(handed)) {
      forget();
      keep(handed);
      return;
    }
  }
  const answer = new URLSearchParams(location.search);
  if (!answer.has("code") && !answer.has("error")) return;
  history.replaceState(null, "", location.pathname);
  if (answer.has("error")) throw new Error(answer.get("error"));
  const proof = JSON.parse(sessionStorage.getItem(PROOF) ?? "{}");
  sessionStorage.removeItem(PROOF);
  // An answer that nobody here asked for is somebody else's sign-in.
  if (!proof.state || proof.state !== answer.get("state")) throw new Error("state");
  history.replaceState(null, "", location.pathname + (proof.hash ?? ""));
  await exchange({ grant_type: "authorization_code", code: answer.get("code"), code_verifier: proof.verifier, redirect_uri: here() });
}

/** A link of somebody else would make their files of what this person adds: as them they would be signed in. */
function isWelcome(handed) {
  if (hasSignInPage()) return false;
  const [now, then] = [claims(), claims(handed)];
  const isSame = now.tenant_id === then.tenant_id && now.sub === then.sub;
  return !token() || isSame || confirm(t("replaceSession", { now: called(now), then: called(then) }));
}

/** Leaves for the pool's page. */
export async function leaveToSignIn() {
  const proof = { verifier: random(48), state: random(24), hash: location.hash };
  sessionStorage.setItem(PROOF, JSON.stringify(proof));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(proof.verifier));
  const page = new URL("/oauth2/authorize", configuration.sign_in_page);
  page.search = new URLSearchParams({
    response_type: "code", client_id: configuration.client_id, redirect_uri: here(), scope: "openid",
    state: proof.state, code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: "S256",
  });
  location.assign(page);
}

export function signOut() {
  forget();
  sessionStorage.removeItem(CHOSEN);
  history.replaceState(null, "", location.pathname); // the next person's are other conversations
  if (!hasSignInPage()) return;
  const page = new URL("/logout", configuration.sign_in_page);
  page.search = new URLSearchParams({ client_id: configuration.client_id, logout_uri: here() });
  location.assign(page);
}

/** Says whether the session could be prolonged. */
export async function renewed() {
  const renewal = sessionStorage.getItem(RENEWAL);
  if (!renewal || !hasSignInPage()) return false;
  try {
    await exchange({ grant_type: "refresh_token", refresh_token: renewal });
    return true;
  } catch {
    return false;
  }
}

async function exchange(fields) {
  const answer = await fetch(new URL("/oauth2/token", configuration.sign_in_page), {
    method: "POST",
    body: new URLSearchParams({ ...fields, client_id: configuration.client_id }),
  });
  const given = await answer.json();
  if (!answer.ok) throw new Error(given.error ?? answer.status);
  sessionStorage.setItem(TOKEN, given.access_token);
  if (given.refresh_token) sessionStorage.setItem(RENEWAL, given.refresh_token);
}

const here = () => root.href;
const random = (bytes) => base64url(crypto.getRandomValues(new Uint8Array(bytes)));
const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
