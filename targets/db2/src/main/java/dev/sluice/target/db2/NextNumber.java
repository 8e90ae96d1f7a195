package dev.sluice.target.db2;

import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.load.SequenceState.Form;
import java.math.BigInteger;
import java.util.Optional;

/** The next number of a counter that replaces a sequence of the source. Pure. */
final class NextNumber {
  private NextNumber() {}

  /**
   * At least the counter's first number. After its last number it starts again if it cycles. A
   * counter in the other direction starts after all numbers that the sequence can have given.
   *
   * @return empty if the counter has no number left
   */
  static Optional<BigInteger> of(SequenceState state, Form counter) {
    boolean rises = counter.increment() > 0;
    BigInteger min = BigInteger.valueOf(counter.min());
    BigInteger max = BigInteger.valueOf(counter.max());
    BigInteger next = behind(state, counter);
    boolean before = rises ? next.compareTo(min) < 0 : next.compareTo(max) > 0;
    boolean within = next.compareTo(min) >= 0 && next.compareTo(max) <= 0;
    if (before || !within && counter.cycles()) {
      return Optional.of(rises ? min : max);
    }
    return within ? Optional.of(next) : Optional.empty();
  }

  private static BigInteger behind(SequenceState state, Form counter) {
    BigInteger last = BigInteger.valueOf(state.lastValue());
    boolean rises = counter.increment() > 0;
    if (rises == state.form().increment() > 0) {
      return state.called() ? after(last, counter) : last;
    }
    return after(
        rises
            ? last.max(BigInteger.valueOf(state.form().max()))
            : last.min(BigInteger.valueOf(state.form().min())),
        counter);
  }

  /** One step of the counter after a number, whatever its bounds. */
  static BigInteger after(BigInteger value, Form counter) {
    return value.add(BigInteger.valueOf(counter.increment()));
  }
}
