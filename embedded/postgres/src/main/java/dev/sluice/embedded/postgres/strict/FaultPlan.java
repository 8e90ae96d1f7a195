package dev.sluice.embedded.postgres.strict;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Decides by a seed which statements fail. Threadsafe. */
final class FaultPlan {
  private static final Fault[] OF_COMMITS = Fault.values();
  private static final int OF_OTHERS = Fault.LOST_AFTER_COMMIT.ordinal();

  /** Of many statements one is a COMMIT, and what befalls it matters most. */
  private static final int COMMITS_FAIL_MORE_OFTEN = 5;

  private final Random random;
  private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);

  /** Guarded by this. */
  private int perThousand;

  /** Guarded by this. */
  private int definitionsPerThousand;

  /** Guarded by this. */
  private int overtakenPerThousand;

  /** So each kind comes after a few of them. Guarded by this. */
  private int failedCommits;

  /** How the statement begins that fails next. Guarded by this, as its fault. */
  private String failing = "";

  /** Null if none is to fail. */
  private Fault once;

  /** How the statements begin of which each fails. Guarded by this, as their refusal. */
  private String failingEach = "";

  private Optional<RefusedStatement> each = Optional.empty();

  FaultPlan(long seed) {
    this.random = new Random(seed);
  }

  /** From now on, so many of a thousand statements fail, and more of the commits. */
  synchronized void set(int statementsOfThousand) {
    perThousand = statementsOfThousand;
    definitionsPerThousand = statementsOfThousand;
  }

  /** From now on, so many of a thousand definitions fail; others as before. */
  synchronized void setDefinitions(int ofThousand) {
    definitionsPerThousand = ofThousand;
  }

  /**
   * From now on, so many of a thousand statements of any kind fail with an error that asks for a
   * retry.
   */
  synchronized void setOvertaken(int ofThousand) {
    overtakenPerThousand = ofThousand;
  }

  /** From now on, each statement that begins so fails, or none. */
  synchronized void setEach(String begin, Optional<RefusedStatement> refusal) {
    failingEach = begin;
    each = refusal;
  }

  /** Why the statement fails whenever it comes. */
  synchronized Optional<RefusedStatement> lasting(StatementText sql) {
    return each.filter(refusal -> sql.begins(failingEach));
  }

  /** The next statement that begins so fails, once. */
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

  /** How many there were of each. */
  synchronized Map<Fault, Integer> done() {
    return Map.copyOf(done);
  }
}
