package dev.sluice.engine.context;

import dev.sluice.sink.control.schema.Checkpoint;
import java.util.function.Supplier;

/** Claims the task's next epoch; no other thread writes under the previous one meanwhile. */
@FunctionalInterface
public interface EpochClaim {
  Checkpoint claim(Supplier<Checkpoint> next);
}
