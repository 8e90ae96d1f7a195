package dev.sluice.engine.task;

import dev.sluice.sink.checkpoint.Checkpoint;
import java.util.function.Supplier;

/** Claims the task's next epoch, and lets nobody write under the one before meanwhile. */
@FunctionalInterface
interface EpochClaim {
  Checkpoint claim(Supplier<Checkpoint> next);
}
