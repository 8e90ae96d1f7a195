package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.RepairPolicy;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.control.validation.TableCoverage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class DueRepairTest {
  private static final TableId TABLE = new TableId("public", "item");
  private static final Position BEGUN = new Position(100);
  private static final PassScope REPAIR = new PassScope(Set.of(), RepairPolicy.REPAIR);

  private final ValidationPass pass = new ValidationPass(REPAIR, BEGUN);

  @Test
  void rowsOfATableThatIsReadToItsEndAreRepairedAtOnce() {
    List<DueRepair> due = due(REPAIR, read(), rows(1, FailureKind.MISSING_TARGET));

    assertThat(due).hasSize(1);
    assertThat(due.get(0).rows()).accepts(row(1, FailureKind.MISSING_TARGET));
  }

  @Test
  void rowsOfATableThatIsBeingReadWaitUntilTheyFillARound() {
    int round = RepairRounds.ROWS;

    assertThat(due(REPAIR, unread(), rows(round - 1, FailureKind.RECORD_DIFF))).isEmpty();
    List<DueRepair> due = due(REPAIR, unread(), rows(round, FailureKind.RECORD_DIFF));
    assertThat(due).hasSize(1);
    assertThat(due.get(0).rows())
        .accepts(row(1, FailureKind.RECORD_DIFF))
        .rejects(row(1, FailureKind.MISSING_TARGET));
    assertThat(due(REPAIR, unread(), rows(round, FailureKind.MISSING_TARGET))).isEmpty();
  }

  @Test
  void missingRowsOfATableThatIsBeingReadWaitUntilAllAreMany() {
    List<RowFailure> rows = rows(DueRepair.MANY, FailureKind.MISSING_TARGET);

    assertThat(due(REPAIR, unread(), rows)).hasSize(1);
    assertThat(due(REPAIR, unread(), rows.subList(1, rows.size()))).isEmpty();
  }

  @Test
  void repairedRowsAreNotRepairedAgainNorCounted() {
    List<RowFailure> repaired =
        rows(DueRepair.MANY, FailureKind.RECORD_DIFF).stream().map(RowFailure::repaired).toList();

    assertThat(due(REPAIR, unread(), repaired)).isEmpty();
    assertThat(due(REPAIR, read(), repaired)).isEmpty();
  }

  @Test
  void extraRowsAreRepairedOnlyIfTheyMayBeDeleted() {
    List<RowFailure> extra = rows(RepairRounds.ROWS, FailureKind.MISSING_SOURCE);
    PassScope delete = new PassScope(Set.of(), RepairPolicy.REPAIR_AND_DELETE_EXTRA);

    assertThat(due(REPAIR, read(), extra)).isEmpty();
    assertThat(due(REPAIR, unread(), extra)).isEmpty();
    assertThat(due(delete, read(), extra)).hasSize(1);
    assertThat(due(delete, unread(), extra)).hasSize(1);
  }

  @Test
  void theSettingRepairsWhatIsConfirmedUnlessItIsHeldBack() {
    List<RowFailure> confirmed =
        rows(2, FailureKind.RECORD_DIFF).stream().map(row -> row.after(row)).toList();

    assertThat(byPolicy(rows(2, FailureKind.RECORD_DIFF), row -> false)).isEmpty();
    assertThat(byPolicy(confirmed, row -> false)).hasSize(1);
    assertThat(byPolicy(confirmed, row -> true)).isEmpty();
    List<DueRepair> one = byPolicy(confirmed, row -> row.key().contains("1"));
    assertThat(one).hasSize(1);
    assertThat(one.get(0).rows()).rejects(confirmed.get(0)).accepts(confirmed.get(1));
  }

  @Test
  void rowsThatTheTargetRefusesDoNotMakeARepairDue() {
    assertThat(
            DueRepair.atOnce(
                REPAIR,
                Optional.of(pass),
                List.of(state(read(), rows(2, FailureKind.RECORD_DIFF))),
                row -> true))
        .isEmpty();
  }

  private static List<DueRepair> byPolicy(List<RowFailure> rows, Predicate<RowFailure> held) {
    return DueRepair.byPolicy(RepairPolicy.REPAIR, List.of(state(read(), rows)), held);
  }

  private List<DueRepair> due(PassScope scope, TableCoverage coverage, List<RowFailure> rows) {
    return DueRepair.atOnce(scope, Optional.of(pass), List.of(state(coverage, rows)), row -> false);
  }

  private static TableState state(TableCoverage coverage, List<RowFailure> rows) {
    return new TableState(
        TABLE,
        List.of("id"),
        coverage,
        rows,
        0,
        true,
        List.of(),
        Optional.empty(),
        false,
        Optional.empty());
  }

  private static TableCoverage unread() {
    return TableCoverage.none(TABLE, "");
  }

  private static TableCoverage read() {
    return unread().read(BEGUN, 2, Optional.empty(), Instant.EPOCH);
  }

  private static List<RowFailure> rows(int number, FailureKind kind) {
    List<RowFailure> rows = new ArrayList<>();
    for (int id = 1; id <= number; id++) {
      rows.add(row(id, kind));
    }
    return rows;
  }

  private static RowFailure row(int id, FailureKind kind) {
    return new RowFailure(
        TABLE,
        TABLE,
        kind,
        "{\"id\":\"%d\"}".formatted(id),
        Optional.empty(),
        Optional.empty(),
        "{}",
        new ReadAt(new Position(1), new Position(1)),
        1,
        Optional.empty(),
        Optional.empty());
  }
}
