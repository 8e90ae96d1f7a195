// Sends commands to the daemon, as the command line does: the same paths, and the token in the same
// header. The daemon decides whether it executes them.

import { enterToken, forgetToken, token } from './token.js';

const HEADER = 'X-Sluice-Token';
const REFUSED = 403;

/** How the daemon names an ending, and what else may come of a request. */
export const DONE = 'DONE';
export const FAILED = 'FAILED';
export const UNDECIDED = 'UNDECIDED';
export const NOT_COVERED = 'NOT_COVERED';
export const NOT_SENT = 'NOT_SENT';
export const UNANSWERED = 'UNANSWERED';

/**
 * Sends a command, if necessary after asking for the token; never rejects.
 *
 * @param parameters pairs of name and value
 * @returns ending, message, details; and in body what the daemon answered
 */
export async function request(path, parameters = []) {
  let why = null;
  while (true) {
    const shown = token() ?? (await enterToken(why, refusal));
    if (shown === null) {
      return outcome(NOT_SENT, 'Nothing was sent to the daemon: it needs the token.');
    }
    const answer = await send(path, parameters, shown);
    if (answer === null) {
      return outcome(
        UNANSWERED,
        'The daemon’s answer did not arrive. It may have got the command: look at what the page shows before you give it again.',
      );
    }
    if (answer.status !== REFUSED) {
      return read(answer);
    }
    // Another tab or dialog may have given a new one meanwhile.
    if (token() === shown) {
      forgetToken();
    }
    why = refusedBecause(answer);
  }
}

/** Asks for the token without a command. */
export async function enter() {
  await enterToken(null, refusal);
}

/** Why the daemon does not accept a token; null if it does. */
async function refusal(text) {
  const answer = await send('token', [], text);
  if (answer === null) {
    return 'The daemon does not answer. Try again once it runs.';
  }
  return answer.status === REFUSED ? refusedBecause(answer) : null;
}

function refusedBecause({ body }) {
  return `The daemon refuses it: ${body.error ?? 'it gives no reason'}. A daemon that was started again has a new token.`;
}

/** The answer; null if none arrived. */
async function send(path, parameters, shown) {
  const query = new URLSearchParams(parameters).toString();
  try {
    const answer = await fetch(query === '' ? path : `${path}?${query}`, {
      method: 'POST',
      headers: { [HEADER]: shown },
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
    });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return null;
  }
}

function read({ status, body }) {
  if (body.error) {
    return status < 500
      ? outcome(FAILED, `The daemon refuses it: ${body.error}`)
      : outcome(UNDECIDED, `The daemon failed at it: ${body.error}`);
  }
  return { ...outcome(body.ending ?? DONE, body.message ?? '', body.details ?? []), body };
}

function outcome(ending, message, details = []) {
  return { ending, message, details, body: null };
}
