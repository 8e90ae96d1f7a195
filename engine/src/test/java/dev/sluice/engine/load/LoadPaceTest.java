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
          look(second, EXPECTED, loading(NARROW, second * 20_000L, second * MB))
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
    LoadPace.Picture picture = null;
    for (int second = 0; second <= 10; second++) {
      picture =
          look(
              second,
              EXPECTED,
              done(NARROW, 1_000_000),
              loading(WIDE, second * 10L, second * 9 * MB));
    }
    assertThat(picture.all().name()).isEqualTo("1 of 2 tables");
    assertThat(picture.all().fraction()).isCloseTo(0.19, within(1e-6));
    assertThat(picture.all().left()).contains(Duration.ofSeconds(90));
    assertThat(picture.all().expectedRows()).isEqualTo(OptionalLong.of(1_001_000));
  }

  @Test
  void aTableWithMoreRowsThanExpectedIsNotDoneBeforeItIs() {
    ProgressItem narrow = look(0, EXPECTED, loading(NARROW, 1_500_000, MB)).tables().get(NARROW);
    assertThat(narrow.fraction()).isLessThan(1);
    assertThat(look(1, EXPECTED, done(NARROW, 1_500_000)).all().state()).isEqualTo("done");
  }

  @Test
  void aTableWithoutAnEstimateOfRowsIsMeasuredByItsSize() {
    Map<TableId, LoadExpectation> expected =
        Map.of(NARROW, new LoadExpectation(OptionalLong.empty(), 10 * MB));
    assertThat(look(0, expected, loading(NARROW, 7, 5 * MB)).tables().get(NARROW).fraction())
        .isEqualTo(0.5);
  }

  @Test
  void aTableWithoutProgressHasNoTimeLeft() {
    LoadPace.Picture picture = null;
    for (int second = 0; second <= 60; second++) {
      picture = look(second, EXPECTED, loading(NARROW, 5, 5));
    }
    assertThat(picture.all().left()).isEmpty();
    assertThat(picture.tables().get(NARROW).left()).isEmpty();
  }

  private LoadPace.Picture look(
      int second, Map<TableId, LoadExpectation> expected, LoadProgress... tables) {
    return pace.look(START.plusSeconds(second), List.of(tables), expected);
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
