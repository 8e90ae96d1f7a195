package dev.sluice.target.mariadb;

import dev.sluice.connector.api.load.SequenceState;

/**
 * The next number of a sequence or counter on the target, after those that the source's sequence
 * has given. Pure.
 */
final class NumberBehind {
  /** The largest bound of a sequence: one less than PostgreSQL's. */
  static final long LARGEST_BOUND = Long.MAX_VALUE - 1;

  static final long SMALLEST_BOUND = Long.MIN_VALUE + 1;

  private NumberBehind() {}

  /** For a sequence. One that cycles starts again after its last number. */
  static long of(SequenceState state, SequenceState.Form form) {
    boolean rises = form.increment() > 0;
    long first = Math.max(form.min(), SMALLEST_BOUND);
    long last = Math.min(form.max(), LARGEST_BOUND);
    boolean ended =
        state.called()
            && (rises
                ? state.lastValue() > last - form.increment()
                : state.lastValue() < first - form.increment());
    if (ended && form.cycles()) {
      return rises ? first : last;
    }
    return of(state);
  }

  private static long of(SequenceState state) {
    if (!state.called()) {
      return state.lastValue();
    }
    return state.form().increment() == 1
        ? after(state.lastValue())
        : state.lastValue() + state.form().increment();
  }

  /**
   * For a counter. It only goes up, and must not repeat a number that a descending sequence has
   * given.
   */
  static long ofCounter(SequenceState state) {
    return state.form().increment() > 0
        ? of(state)
        : after(Math.max(state.form().max(), state.lastValue()));
  }

  /** After the largest number there is none. */
  private static long after(long value) {
    return value == Long.MAX_VALUE ? value : value + 1;
  }
}
