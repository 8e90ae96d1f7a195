package dev.sluice.engine.monitor;

import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.DiskGuardSettings;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.engine.journal.JournalUpkeep.Extent;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Guards the disks that a task fills when it falls behind: the source's, with the log that is kept
 * for the task, and Kafka's, with the journal. Owned by the monitor thread.
 */
final class DiskGuards {
  private static final Logger LOG = LoggerFactory.getLogger(DiskGuards.class);

  private static final String SOURCE_LOG = "source log";
  private static final String KAFKA_DISK = "kafka disk";

  private final Guard sourceGuard;
  private final Guard kafkaGuard;
  private final String roomLimit;
  private final DataSize sourceLimit;
  private final DataSize journalLimit;

  private Optional<GuardState> source = Optional.empty();
  private Optional<GuardState> kafka = Optional.empty();

  /**
   * @param fix what a user can do about the source's log
   * @param roomLimit the source's setting that limits it
   * @param journalLimit of the embedded journal; 0 if the journal is in the user's own cluster
   */
  DiskGuards(DiskGuardSettings settings, String fix, String roomLimit, DataSize journalLimit) {
    this.roomLimit = roomLimit;
    this.sourceLimit = settings.sourceLogLimit();
    this.journalLimit = journalLimit;
    this.sourceGuard = new Guard(SOURCE_LOG, fix, settings.warning(), settings.problem());
    this.kafkaGuard =
        new Guard(
            KAFKA_DISK,
            "What is applied is deleted: find out why the target is behind, or make room. Without"
                + " room the capture pauses, and the source has to keep its log instead",
            settings.warning(),
            settings.problem());
  }

  void retention(Instant now, RetentionState kept) {
    GuardReading reading = GuardReading.unlimited(kept.retainedBytes()).expiringIn(kept.expiry());
    if (kept.room().isPresent()) {
      reading = reading.limited(kept.room().getAsLong(), roomLimit);
    }
    if (sourceLimit.bytes() > 0) {
      reading = reading.limited(sourceLimit.bytes() - kept.retainedBytes(), "SourceLogLimit");
    }
    if (kept.unreserved()) {
      reading = reading.inDanger("the source may drop it at its next checkpoint");
    }
    source = Optional.of(measure(sourceGuard, now, reading));
  }

  /** Nothing is known of a disk whose size the broker does not tell. */
  void journal(Instant now, Extent journal) {
    if (journal.bytes().isEmpty()) {
      return;
    }
    long held = journal.bytes().getAsLong();
    GuardReading reading = GuardReading.unlimited(held);
    if (journal.usableBytes().isPresent()) {
      reading = reading.limited(journal.usableBytes().getAsLong(), "the broker's disk");
    }
    if (journalLimit.bytes() > 0) {
      reading = reading.limited(journalLimit.bytes() - held, "JournalLimit");
    }
    kafka = Optional.of(measure(kafkaGuard, now, reading));
  }

  /** The states measured last. */
  Report report() {
    return new Report(
        source,
        kafka,
        Stream.of(problem(sourceGuard, source), problem(kafkaGuard, kafka))
            .flatMap(Optional::stream)
            .findFirst());
  }

  private static GuardState measure(Guard guard, Instant now, GuardReading reading) {
    GuardState state = guard.measure(now, reading);
    guard
        .news(now, state)
        .ifPresent(
            line -> {
              if (state.level() == GuardLevel.FINE) {
                LOG.info(line);
              } else {
                LOG.warn(line);
              }
            });
    return state;
  }

  private static Optional<String> problem(Guard guard, Optional<GuardState> state) {
    return state.filter(now -> now.level() == GuardLevel.PROBLEM).map(guard::problem);
  }

  /**
   * The states of both disks. Immutable.
   *
   * @param source empty before it was measured, and for a task that keeps no log
   * @param kafka empty before it was measured
   * @param problem a message, if one is at level {@code PROBLEM}
   */
  record Report(Optional<GuardState> source, Optional<GuardState> kafka, Optional<String> problem) {
    static final Report NOTHING = new Report(Optional.empty(), Optional.empty(), Optional.empty());

    Stream<GuardState> states() {
      return Stream.of(source, kafka).flatMap(Optional::stream);
    }
  }
}
