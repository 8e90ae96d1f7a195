package dev.sluice.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.DiskGuardSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.engine.journal.JournalUpkeep.Extent;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Which of the limits counts, and when it is time to tell. */
class DiskGuardLimitsTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final long MB = 1024 * 1024;

  private final DiskGuards guards = guards(100, 200);

  @Test
  void ofTheSourcesLimitAndTheTasksOwnTheNarrowerCounts() {
    guards.retention(START, slot(10, OptionalLong.of(50 * MB), false));
    assertThat(source().reading().limitedBy()).contains("max_slot_wal_keep_size");
    assertThat(source().reading().room()).hasValue(50 * MB);

    guards.retention(START, slot(70, OptionalLong.of(50 * MB), false));
    assertThat(source().reading().limitedBy()).contains("SourceLogLimit");
    assertThat(source().reading().room()).hasValue(30 * MB);

    DiskGuards unlimited = guards(0, 0);
    unlimited.retention(START, slot(70, OptionalLong.empty(), false));
    assertThat(unlimited.report().source().get().reading().room()).isEmpty();
  }

  @Test
  void aSlotThatTheSourceMayGiveUpIsAProblemHoweverMuchRoomThereIs() {
    guards.retention(START, slot(1, OptionalLong.empty(), false));
    assertThat(guards.report().problem()).isEmpty();
    guards.retention(START, slot(1, OptionalLong.empty(), true));
    assertThat(guards.report().problem().get())
        .contains(
            "source log", "may drop it at its next checkpoint", "The replication slot sluice_x");
  }

  @Test
  void aLogThatIsSoonRemovedByItsAgeIsToldThoughItDoesNotGrow() {
    guards.retention(START, expiring(Duration.ofHours(25)));
    assertThat(source().level()).isEqualTo(GuardLevel.FINE);
    guards.retention(START, expiring(Duration.ofHours(23)));
    assertThat(source().level()).isEqualTo(GuardLevel.WARNING);
    assertThat(source().words()).contains("removed in 23.0 hours by its age");
    assertThat(source().left()).contains(Duration.ofHours(23));
    guards.retention(START, expiring(Duration.ofHours(1)));
    assertThat(guards.report().problem()).isPresent();
  }

  @Test
  void ofTheBrokersDiskAndTheJournalsLimitTheNarrowerCounts() {
    guards.journal(START, journal(50, OptionalLong.of(1_000 * MB)));
    assertThat(kafka().reading().limitedBy()).contains("JournalLimit");
    assertThat(kafka().reading().room()).hasValue(150 * MB);

    guards.journal(START, journal(50, OptionalLong.of(5 * MB)));
    assertThat(kafka().reading().limitedBy()).contains("the broker's disk");
    assertThat(kafka().reading().room()).hasValue(5 * MB);

    guards.journal(START, journal(50, OptionalLong.of(0)));
    assertThat(guards.report().problem().get()).contains("kafka disk", "the broker's disk");
  }

  @Test
  void aJournalWhoseSizeIsNotKnownIsNotTakenForAnEmptyOne() {
    guards.journal(START, new Extent(0, 0, OptionalLong.empty(), OptionalLong.empty()));
    assertThat(guards.report().kafka()).isEmpty();
  }

  @Test
  void itIsAWarningOrAProblemByTheHoursThatAreLeft() {
    DiskGuards large = guards(30 * 3600, 0);
    GuardLevel[] levels = new GuardLevel[30];
    for (int minute = 0; minute < 30 * 60; minute++) {
      // A megabyte in a second, so that as many hours are left as there are 3600 MB.
      long held = minute * 60;
      large.retention(START.plusSeconds(held), slot(held, OptionalLong.empty(), false));
      levels[minute / 60] = large.report().source().get().level();
    }
    assertThat(levels[4]).isEqualTo(GuardLevel.FINE);
    assertThat(levels[6]).isEqualTo(GuardLevel.WARNING);
    assertThat(levels[26]).isEqualTo(GuardLevel.WARNING);
    assertThat(levels[28]).isEqualTo(GuardLevel.PROBLEM);
  }

  private GuardState source() {
    return guards.report().source().get();
  }

  private GuardState kafka() {
    return guards.report().kafka().get();
  }

  private static DiskGuards guards(long sourceMegabytes, long journalMegabytes) {
    return new DiskGuards(
        new DiskGuardSettings(
            DataSize.ofMebibytes(sourceMegabytes),
            DataSize.ofBytes(0),
            Duration.ofHours(24),
            Duration.ofHours(2)),
        "The replication slot sluice_x holds it back",
        "max_slot_wal_keep_size",
        DataSize.ofMebibytes(journalMegabytes));
  }

  private static RetentionState slot(long megabytes, OptionalLong room, boolean unreserved) {
    return new RetentionState(
        Position.ZERO, OptionalLong.empty(), false, megabytes * MB, 0, room, unreserved);
  }

  private static RetentionState expiring(Duration time) {
    return new RetentionState(
        Position.ZERO,
        OptionalLong.empty(),
        false,
        MB,
        0,
        OptionalLong.empty(),
        false,
        Optional.of(time));
  }

  private static Extent journal(long megabytes, OptionalLong usable) {
    return new Extent(0, 0, OptionalLong.of(megabytes * MB), usable);
  }
}
