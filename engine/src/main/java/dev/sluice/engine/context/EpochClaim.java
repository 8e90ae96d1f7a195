package dev.sluice.engine.context;

import dev.sluice.sink.control.schema.Checkpoint;
import java.util.function.Supplier;

/** Claims the task's next epoch, and lets nobody write under the one before meanwhile. */
@FunctionalInterface
public interface EpochClaim {
  Checkpoint claim(Supplier<Checkpoint> next);
}
