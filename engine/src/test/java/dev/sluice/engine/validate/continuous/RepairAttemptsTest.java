package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.repair.RepairOutcome;
import dev.sluice.engine.validate.repair.RepairOutcome.Refused;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.control.validation.TableCoverage;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RepairAttemptsTest {
  private static final TableId TABLE = new TableId("public", "item");
  private static final List<String> KEY = List.of("id");

  private final RowFailure one = row(1, FailureKind.RECORD_DIFF);
  private final RowFailure two = row(2, FailureKind.RECORD_DIFF);
  private List<RowFailure> listed = List.of(one, two);
  private final RepairAttempts attempts =
      new RepairAttempts(this::state, new DueRepair(TABLE, row -> true, false));

  @Test
  void aRowThatChangedInEachAttemptIsHot() {
    for (int i = 1; i < RepairAttempts.MOST; i++) {
      tried(left("they keep changing", Set.of(key(1)), Set.of()));
    }
    assertThat(attempts.hot()).isEmpty();

    tried(left("they keep changing", Set.of(key(1)), Set.of()));

    assertThat(attempts.hot()).containsExactly(one);
    attempts.held();
    assertThat(attempts.words())
        .isEqualTo(
            "public.item: 0 rows repaired, 2 left: they keep changing, also while windows were held"
                + " for a moment: {\"id\":\"1\"}");
  }

  @Test
  void aRowThatTheTargetRefusesIsNotTriedAgainAndItsReasonIsKept() {
    attempts.tried(KEY, listed, refused(), Set.of(), Set.of(one.key()));
    assertThat(attempts.open()).containsExactly(two);

    tried(left("later", Set.of(), Set.of()));

    assertThat(attempts.words()).endsWith("2 left: the target refuses it");
  }

  @Test
  void rowsThatOthersHadWhenTheyWereTriedLastAreNamed() {
    tried(left("others are changing them on the target", Set.of(), Set.of(key(1), key(2))));
    tried(left("others are changing them on the target", Set.of(), Set.of(key(2))));

    assertThat(attempts.words())
        .endsWith("; rows in open transactions of others: {\"id\":\"2\"}")
        .doesNotContain("{\"id\":\"1\"}");
  }

  @Test
  void rejectedChangesOfRepairedRowsAreStillListed() {
    RowFailure rejected = one.rejected(Optional.of("too long"));
    listed = List.of();

    attempts.tried(
        KEY,
        List.of(rejected, two),
        left("", Set.of(), Set.of()),
        Set.of(one.key(), two.key()),
        Set.of());

    assertThat(attempts.words())
        .contains("still lists rejected changes of 1 of them")
        .doesNotContain("left");
  }

  @Test
  void extraRowsThatAreNotDeletedAreLeft() {
    listed = List.of(row(1, FailureKind.MISSING_SOURCE));

    assertThat(attempts.open()).isEmpty();
    assertThat(attempts.words())
        .endsWith("1 left: only the target has them; --delete-extra deletes them");
  }

  @Test
  void missingRowsAreTriedLast() {
    RowFailure missing = row(0, FailureKind.MISSING_TARGET);
    listed = List.of(missing, one, two);

    assertThat(attempts.open()).containsExactly(one, two, missing);
  }

  private void tried(RepairOutcome outcome) {
    attempts.tried(KEY, listed, outcome, Set.of(), Set.of());
  }

  private static RepairOutcome left(String why, Set<RowKey> hot, Set<RowKey> inOthersHands) {
    return new RepairOutcome(List.of(), 2, Optional.of(why), List.of(), hot, inOthersHands);
  }

  private static RepairOutcome refused() {
    Proof proof =
        new Proof(
            Position.ZERO,
            "",
            Position.ZERO,
            new RowHash(new HashSeeds(1, 2), RowHash.Function.SHA256, RowHash.RowForm.UTF8));
    RowDifference row = new RowDifference(key(1), Optional.empty(), Optional.empty());
    return new RepairOutcome(
        List.of(),
        2,
        Optional.of("the target refuses it"),
        List.of(new Refused(KEY, row, proof, "no")),
        Set.of(),
        Set.of());
  }

  private static RowKey key(int id) {
    return RowKey.of(Integer.toString(id));
  }

  private TableState state() {
    return new TableState(
        TABLE,
        KEY,
        TableCoverage.none(TABLE, ""),
        listed,
        0,
        true,
        List.of(),
        Optional.empty(),
        false,
        Optional.empty());
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
        new ReadAt(Position.ZERO, Position.ZERO),
        1,
        Optional.empty(),
        Optional.empty());
  }
}
