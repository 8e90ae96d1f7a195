package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import java.math.BigInteger;

/**
 * A sequence of the target. Immutable.
 *
 * @param settable true if the user may set it
 */
public record TargetSequence(TableId name, boolean settable, SequenceState.Form form) {

  /** The state after some more values; at most the last one, and the same if it cycles. */
  public SequenceState further(SequenceState state, long values) {
    if (form.cycles() || values == 0) {
      return state;
    }
    BigInteger wanted =
        BigInteger.valueOf(state.lastValue())
            .add(BigInteger.valueOf(form.increment()).multiply(BigInteger.valueOf(values)));
    long value =
        wanted
            .max(BigInteger.valueOf(form.min()))
            .min(BigInteger.valueOf(form.max()))
            .longValueExact();
    return new SequenceState(state.sequence(), state.use(), value, state.called(), state.form());
  }
}
