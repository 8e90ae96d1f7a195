package dev.sluice.embedded.postgres.strict;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Decides by a seed which statements fail. Threadsafe. */
final class FaultPlan {
  private static final Fault[] OF_COMMITS = Fault.values();
  private static final int OF_OTHERS = Fault.LOST_AFTER_COMMIT.ordinal();

  private final Random random;
  private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);

  /** Guarded by this. */
  private int perThousand;

  FaultPlan(long seed) {
    this.random = new Random(seed);
  }

  /** From now on, so many of a thousand statements fail. */
  synchronized void set(int statementsOfThousand) {
    perThousand = statementsOfThousand;
  }

  /** The fault of the next statement; mostly none. */
  synchronized Optional<Fault> next(SqlText sql) {
    boolean commit = sql.begins("commit");
    if (!commit && !sql.begins("select", "insert", "update", "delete", "with", "copy")) {
      return Optional.empty();
    }
    if (random.nextInt(1000) >= perThousand) {
      return Optional.empty();
    }
    Fault fault = OF_COMMITS[random.nextInt(commit ? OF_COMMITS.length : OF_OTHERS)];
    done.merge(fault, 1, Integer::sum);
    return Optional.of(fault);
  }

  /** How many there were of each. */
  synchronized Map<Fault, Integer> done() {
    return Map.copyOf(done);
  }
}
