package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.validate.repair.ConflictGroups;
import dev.sluice.engine.validate.verdict.RowText;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.target.TargetIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class RepairRoundsTest {
  private static final TableId TABLE = new TableId("public", "seat");

  @Test
  void rowsThatExchangeAUniqueValueAreInOneRoundHoweverFarApartTheyAre() {
    List<RowFailure> rows = new ArrayList<>();
    int last = 3 * RepairRounds.ROWS;
    for (int id = 1; id <= last; id++) {
      rows.add(row(id, "p" + (last + 1 - id), "p" + id));
    }
    List<List<RowFailure>> rounds = rounds(name -> name, "id", "place").of(rows);

    assertThat(rounds).hasSize(3).allMatch(round -> round.size() == RepairRounds.ROWS);
    for (List<RowFailure> round : rounds) {
      Set<Integer> ids = new java.util.HashSet<>();
      round.forEach(row -> ids.add(id(row)));
      assertThat(ids).allMatch(id -> ids.contains(last + 1 - id));
    }
    assertThat(rounds.stream().flatMap(List::stream).map(RepairRoundsTest::id).distinct())
        .hasSize(last);
  }

  @Test
  void aChainOfRowsIsOneRoundHoweverLongItIs() {
    List<RowFailure> rows = new ArrayList<>();
    for (int id = 1; id <= 3 * RepairRounds.ROWS; id++) {
      rows.add(row(id, "p" + (id + 1), "p" + id));
    }
    assertThat(rounds(name -> name, "place").of(rows)).hasSize(1);
  }

  @Test
  void aColumnIsComparedByItsNameOnTheTarget() {
    List<RowFailure> rows = new ArrayList<>();
    int last = 2 * RepairRounds.ROWS;
    for (int id = 1; id <= last; id++) {
      rows.add(
          failure(
              id,
              "{\"id\":\"%d\",\"place\":\"p%d\"}".formatted(id, last + 1 - id),
              "{\"id\":\"%d\",\"place\":\"p%d\"}".formatted(id, id)));
    }
    List<List<RowFailure>> rounds =
        rounds(name -> name.equals("place") ? "seat" : name, "seat").of(rows);
    assertThat(rounds).hasSize(2);
    assertThat(rounds.get(0)).extracting(RepairRoundsTest::id).contains(1, last);
  }

  @Test
  void rowsWithLargeValuesAreInSmallRounds() {
    List<RowFailure> rows = new ArrayList<>();
    for (int id = 1; id <= 100; id++) {
      rows.add(row(id, "length 4000000, sha256 00", "length 10000, sha256 00"));
    }
    assertThat(rounds(name -> name).of(rows)).hasSize(25).allMatch(round -> round.size() == 4);
  }

  @Test
  void rowsWithoutAValueInAUniqueIndexAreNotInOneGroup() {
    List<RowFailure> rows = new ArrayList<>();
    for (int id = 1; id <= 2 * RepairRounds.ROWS; id++) {
      String image = "{\"id\":\"%d\",\"place\":null}".formatted(id);
      rows.add(failure(id, image, image));
    }
    assertThat(rounds(name -> name, "place").of(rows)).hasSize(2);
  }

  /** A target that takes no longer texts lists the beginning of a row. */
  @Test
  void rowsThatAreListedCutAreNotInOneGroup() {
    List<RowFailure> rows = new ArrayList<>();
    for (int id = 1; id <= 2 * RepairRounds.ROWS; id++) {
      String image = "{\"cut\":\"{\\\"id…\",\"characters\":\"60020\"}";
      rows.add(failure(id, image, image));
    }
    assertThat(rounds(name -> name, "id").of(rows)).hasSizeGreaterThan(1);
  }

  private static RepairRounds rounds(UnaryOperator<String> names, String... unique) {
    return new RepairRounds(
        new ConflictGroups(
            Arrays.stream(unique)
                .map(column -> new TargetIndex(column, Set.of(column), List.of(column)))
                .toList(),
            names));
  }

  private static int id(RowFailure row) {
    return Integer.parseInt(RowText.values(row.key()).get("id"));
  }

  private static RowFailure row(int id, String source, String target) {
    return failure(
        id,
        "{\"id\":\"%d\",\"place\":\"%s\"}".formatted(id, source),
        "{\"id\":\"%d\",\"place\":\"%s\"}".formatted(id, target));
  }

  private static RowFailure failure(int id, String source, String target) {
    return new RowFailure(
        TABLE,
        TABLE,
        FailureKind.RECORD_DIFF,
        "{\"id\":\"%d\"}".formatted(id),
        Optional.of(source),
        Optional.of(target),
        "{}",
        new ReadAt(new Position(1), new Position(1)),
        1,
        Optional.empty(),
        Optional.empty());
  }
}
