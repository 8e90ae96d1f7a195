package dev.sluice.engine.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.config.TableId;
import dev.sluice.engine.progress.ProgressItem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class LoadPaceTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final TableId NARROW = new TableId("shop", "narrow");
  private static final TableId WIDE = new TableId("shop", "wide");
  private static final long MB = 1024 * 1024;
  private static final Map<TableId, LoadExpectation> EXPECTED =
      Map.of(
          NARROW, new LoadExpectation(OptionalLong.of(1_000_000), 100 * MB),
          WIDE, new LoadExpectation(OptionalLong.of(1_000), 900 * MB));

  private final LoadPace pace = new LoadPace();

  @Test
  void aTablesTimeLeftIsItsMissingRowsAtItsRate() {
    ProgressItem narrow = null;
    for (int second = 0; second <= 10; second++) {
      narrow =
          sample(second, EXPECTED, loading(NARROW, second * 20_000L, second * MB))
              .tables()
              .get(NARROW);
    }
    assertThat(narrow.rowsPerSecond()).isEqualTo(20_000);
    assertThat(narrow.bytesPerSecond()).isCloseTo(MB, within(0.1));
    assertThat(narrow.fraction()).isCloseTo(0.2, within(1e-9));
    assertThat(narrow.left()).contains(Duration.ofSeconds(40));
  }

  @Test
  void theTotalIsMeasuredBySizeAndNotByRows() {
    LoadPace.Report report = null;
    for (int second = 0; second <= 10; second++) {
      report =
          sample(
              second,
              EXPECTED,
              done(NARROW, 1_000_000),
              loading(WIDE, second * 10L, second * 9 * MB));
    }
    assertThat(report.all().name()).isEqualTo("1 of 2 tables");
    assertThat(report.all().fraction()).isCloseTo(0.19, within(1e-6));
    assertThat(report.all().left()).contains(Duration.ofSeconds(90));
    assertThat(report.all().expectedRows()).isEqualTo(OptionalLong.of(1_001_000));
  }

  @Test
  void aTableWithMoreRowsThanExpectedIsNotDoneBeforeItIs() {
    ProgressItem narrow = sample(0, EXPECTED, loading(NARROW, 1_500_000, MB)).tables().get(NARROW);
    assertThat(narrow.fraction()).isLessThan(1);
    assertThat(sample(1, EXPECTED, done(NARROW, 1_500_000)).all().state()).isEqualTo("done");
  }

  @Test
  void aTableWithoutAnEstimateOfRowsIsMeasuredByItsSize() {
    Map<TableId, LoadExpectation> expected =
        Map.of(NARROW, new LoadExpectation(OptionalLong.empty(), 10 * MB));
    assertThat(sample(0, expected, loading(NARROW, 7, 5 * MB)).tables().get(NARROW).fraction())
        .isEqualTo(0.5);
  }

  @Test
  void aTableWithoutProgressHasNoTimeLeft() {
    LoadPace.Report report = null;
    for (int second = 0; second <= 60; second++) {
      report = sample(second, EXPECTED, loading(NARROW, 5, 5));
    }
    assertThat(report.all().left()).isEmpty();
    assertThat(report.tables().get(NARROW).left()).isEmpty();
  }

  private LoadPace.Report sample(
      int second, Map<TableId, LoadExpectation> expected, LoadProgress... tables) {
    return pace.sample(START.plusSeconds(second), List.of(tables), expected);
  }

  private static LoadProgress loading(TableId table, long rows, long bytes) {
    return new LoadProgress(
        table, table, LoadState.FULL_LOAD, rows, bytes, 0, Optional.of(START), Optional.empty());
  }

  private static LoadProgress done(TableId table, long rows) {
    return new LoadProgress(
        table, table, LoadState.COMPLETED, rows, 1, 0, Optional.of(START), Optional.of(START));
  }
}
