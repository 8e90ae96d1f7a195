package dev.sluice.embedded.postgres.strict;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Decides by a seed which statements fail. Threadsafe. */
final class FaultPlan {
  private static final Fault[] OF_COMMITS = Fault.values();
  private static final int OF_OTHERS = Fault.LOST_AFTER_COMMIT.ordinal();

  /** Only one of many statements is a COMMIT, and its failures matter the most. */
  private static final int COMMITS_FAIL_MORE_OFTEN = 5;

  private final Random random;
  private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);

  /** Guarded by this. */
  private int perThousand;

  /** Guarded by this. */
  private int definitionsPerThousand;

  /** Guarded by this. */
  private int overtakenPerThousand;

  /** The number of failed commits, so that each kind of failure comes in turn. Guarded by this. */
  private int failedCommits;

  /** The beginning of the statement that fails next. Guarded by this, like its fault. */
  private String failing = "";

  /** Null if no statement should fail. */
  private Fault once;

  /** The beginning of statements that always fail. Guarded by this, like their refusal. */
  private String failingEach = "";

  private Optional<RefusedStatement> each = Optional.empty();

  FaultPlan(long seed) {
    this.random = new Random(seed);
  }

  /** From now on, this many of a thousand statements fail, and more of the commits. */
  synchronized void set(int statementsOfThousand) {
    perThousand = statementsOfThousand;
    definitionsPerThousand = statementsOfThousand;
  }

  /** From now on, this many of a thousand definitions fail; other statements as before. */
  synchronized void setDefinitions(int ofThousand) {
    definitionsPerThousand = ofThousand;
  }

  /**
   * From now on, this many of a thousand statements of any kind fail with an error that can be
   * retried.
   */
  synchronized void setOvertaken(int ofThousand) {
    overtakenPerThousand = ofThousand;
  }

  /** From now on, each statement with this beginning fails, or none. */
  synchronized void setEach(String begin, Optional<RefusedStatement> refusal) {
    failingEach = begin;
    each = refusal;
  }

  /** The refusal of a statement that always fails. */
  synchronized Optional<RefusedStatement> lasting(StatementText sql) {
    return each.filter(refusal -> sql.begins(failingEach));
  }

  /** The next statement with this beginning fails, once. */
  synchronized void setOnce(String begin, Fault fault) {
    failing = begin;
    once = fault;
  }

  /** The fault of the next statement; mostly none. */
  synchronized Optional<Fault> next(StatementText sql) {
    if (once != null && sql.begins(failing)) {
      Fault fault = once;
      once = null;
      done.merge(fault, 1, Integer::sum);
      return Optional.of(fault);
    }
    boolean commit = sql.begins("commit");
    if (!commit && !sql.isDefinition() && !sql.isWrite() && !sql.begins("select")) {
      return Optional.empty();
    }
    if (overtakenPerThousand > 0 && random.nextInt(1000) < overtakenPerThousand) {
      Fault fault = random.nextBoolean() ? Fault.CONFLICT : Fault.CATALOG_MISMATCH;
      done.merge(fault, 1, Integer::sum);
      return Optional.of(fault);
    }
    if (random.nextInt(1000) >= perThousand(sql, commit)) {
      return Optional.empty();
    }
    Fault fault =
        commit
            ? OF_COMMITS[failedCommits++ % OF_COMMITS.length]
            : OF_COMMITS[random.nextInt(OF_OTHERS)];
    done.merge(fault, 1, Integer::sum);
    return Optional.of(fault);
  }

  private int perThousand(StatementText sql, boolean commit) {
    if (sql.isDefinition()) {
      return definitionsPerThousand;
    }
    return perThousand * (commit ? COMMITS_FAIL_MORE_OFTEN : 1);
  }

  /** The number of faults of each kind. */
  synchronized Map<Fault, Integer> done() {
    return Map.copyOf(done);
  }
}
