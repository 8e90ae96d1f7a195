package dev.sluice.engine.validate.continuous;

import dev.sluice.config.settings.RepairPolicy;
import dev.sluice.engine.validate.continuous.PassResult.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when a resync reads the tables again, and when it has ended. Used by the thread of the
 * validation; whether all is equal may be asked by any.
 */
final class ResyncPasses {
  private static final Logger LOG = LoggerFactory.getLogger(ResyncPasses.class);

  /** Between two passes of which the first has left what only a person can change. */
  static final Duration WAIT_FOR_PERSON = Duration.ofMinutes(1);

  private final PassScope scope;

  /** The rows that were repaired since the pass began. */
  private long repaired;

  private Optional<Instant> notBefore = Optional.empty();

  /** The newest rejected change when the pass began. */
  private long rejected;

  private volatile OptionalLong provenWith = OptionalLong.empty();

  /**
   * @param deleteExtra whether rows that only the target has are deleted
   */
  ResyncPasses(boolean deleteExtra) {
    this.scope =
        new PassScope(
            Set.of(), deleteExtra ? RepairPolicy.REPAIR_AND_DELETE_EXTRA : RepairPolicy.REPAIR);
  }

  /** What is repaired at once. */
  PassScope scope() {
    return scope;
  }

  /** Whether a pass is to begin. */
  boolean isDue(Instant now) {
    return provenWith.isEmpty() && notBefore.filter(now::isBefore).isEmpty();
  }

  /**
   * A pass begins.
   *
   * @param newestRejected the number of the newest rejected change, read before the pass begins
   */
  void begun(long newestRejected) {
    repaired = 0;
    rejected = newestRejected;
  }

  void repaired(long rows) {
    repaired += rows;
  }

  /** Somebody has changed what the last pass has left: the next one need not wait. */
  void hurry() {
    notBefore = Optional.empty();
  }

  /**
   * A pass has ended. After one that could repair something the next begins at once.
   *
   * @param tables that were to be compared
   */
  void ended(PassResult result, int tables, Instant now) {
    result.lines().forEach(line -> LOG.info("resync: {}", line));
    if (result.verdict() == Verdict.EQUAL && tables > 0) {
      provenWith = OptionalLong.of(rejected);
    } else if (repaired == 0) {
      notBefore = Optional.of(now.plus(WAIT_FOR_PERSON));
      LOG.warn(
          "the resync cannot end: the tables above are not equal, and there is nothing that it may"
              + " repair. They are read again in {} s, or after sluice repair",
          WAIT_FOR_PERSON.toSeconds());
    }
  }

  /**
   * The number of the newest rejected change before every row of every table was proven equal;
   * empty until that is proven.
   */
  OptionalLong provenWith() {
    return provenWith;
  }
}
