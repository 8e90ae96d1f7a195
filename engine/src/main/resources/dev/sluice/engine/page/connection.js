// The connection to the daemon: samples as they come, the status after each, and what happens when
// the daemon goes away and comes back.

/** The daemon sends a sample every two seconds. */
const SILENCE = 8000;
const RETRY = 2000;
const POLLING_INTERVAL = 5000;
const HIDDEN_INTERVAL = 15000;
const TIMEOUT = 10000;

/** So much longer than a status takes to get is the pause before the next one. */
const PAUSE_FACTOR = 4;

/**
 * States: connecting, live (samples come), polling (the daemon answers, but has no room for live
 * updates, or the page is hidden), lost (it does not answer).
 */
export class Connection {
  #onSample;
  #onStatus;
  #onState;
  #events = null;
  #heard = 0;
  #asking = false;
  #askAfter = 0;
  #state = 'connecting';

  constructor({ onSample, onStatus, onState }) {
    this.#onSample = onSample;
    this.#onStatus = onStatus;
    this.#onState = onState;
  }

  start() {
    this.#listen();
    this.#ask();
    setInterval(() => this.#check(), 1000);
    document.addEventListener('visibilitychange', () => this.#visibilityChanged());
  }

  get state() {
    return this.#state;
  }

  /** A browser has few connections to a server: a page that nobody sees gives up its own. */
  #visibilityChanged() {
    if (document.hidden) {
      this.#stopListening();
      this.#askAfter = performance.now() + HIDDEN_INTERVAL;
    } else {
      this.#askAfter = 0;
      this.#listen();
      this.#ask();
    }
  }

  #listen() {
    this.#stopListening();
    this.#heard = performance.now();
    this.#events = new EventSource('events');
    this.#events.addEventListener('sample', (event) => {
      this.#heard = performance.now();
      this.#enter('live');
      this.#onSample(JSON.parse(event.data));
      this.#ask();
    });
    this.#events.addEventListener('error', () => {
      this.#stopListening();
      // What was live may be gone. What never was is refused: the next try comes in its time.
      if (this.#state === 'live') {
        this.#askAfter = 0;
      }
      this.#ask();
    });
  }

  #stopListening() {
    this.#events?.close();
    this.#events = null;
  }

  #check() {
    const now = performance.now();
    if (this.#events && now - this.#heard > SILENCE) {
      this.#stopListening();
      this.#askAfter = 0;
    }
    if (!this.#events) {
      this.#ask();
    }
  }

  /** Asks for the status; if that works and no samples come, tries to listen again. */
  async #ask() {
    if (this.#asking || performance.now() < this.#askAfter) {
      return;
    }
    this.#asking = true;
    const begun = performance.now();
    try {
      const answer = await fetch('status', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT) });
      if (!answer.ok) {
        throw new Error(`status ${answer.status}`);
      }
      const status = await answer.json();
      this.#askAfter = performance.now() + PAUSE_FACTOR * (performance.now() - begun);
      this.#answered(status);
    } catch {
      this.#askAfter = performance.now() + RETRY;
      if (!this.#events || this.#state !== 'live') {
        this.#stopListening();
        this.#enter('lost');
      }
    } finally {
      this.#asking = false;
    }
  }

  #answered(status) {
    if (!this.#events) {
      this.#askAfter = Math.max(
        this.#askAfter,
        performance.now() + (document.hidden ? HIDDEN_INTERVAL : POLLING_INTERVAL),
      );
      this.#enter('polling');
      if (!document.hidden) {
        this.#listen();
      }
    }
    this.#onStatus(status);
  }

  #enter(state) {
    if (state !== this.#state) {
      const before = this.#state;
      this.#state = state;
      this.#onState(state, before);
    }
  }
}
