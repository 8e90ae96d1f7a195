package dev.sluice.engine.validate.continuous;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.TouchedLimits;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The rows that are touched while somebody validates. Begun and ended under the lock of {@link
 * Validations}, fed by the threads that fill windows.
 */
final class TouchedRecord implements ChangeObserver.Factory {
  private final Supplier<OptionalLong> transactionIds;

  /** Null while nobody validates. */
  private volatile TouchedKeys keys;

  /**
   * @param transactionIds takes an id that is above that of each transaction in the source's log
   */
  TouchedRecord(Supplier<OptionalLong> transactionIds) {
    this.transactionIds = transactionIds;
  }

  /**
   * Records from now on; the checkpoint was claimed before. Transactions are recorded before the id
   * is taken from which on the record is complete. The other way round, a change that is decoded in
   * between would be missing.
   *
   * @throws SluiceException if the source's transactions have no ids
   */
  TouchedKeys begin() {
    TouchedKeys begun =
        new TouchedKeys(TouchedLimits.of(DataSize.ofBytes(Runtime.getRuntime().maxMemory())));
    keys = begun;
    try {
      begun.completeFrom(transactionIds.get().orElseThrow(TouchedRecord::withoutIds));
      return begun;
    } catch (RuntimeException e) {
      end();
      throw e;
    }
  }

  void end() {
    keys = null;
  }

  @Override
  public ChangeObserver of(TransactionEnd end) {
    TouchedKeys recording = keys;
    return recording == null ? ChangeObserver.NONE : recording.of(end);
  }

  private static SluiceException withoutIds() {
    return new SluiceException.Fatal(
        List.of(
            new Problem(
                "the validation",
                "the source's transactions have no ids",
                "a source whose transactions have ids, such as PostgreSQL",
                "Set EnableValidation to false")));
  }
}
