package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.continuous.PassResult.Verdict;
import dev.sluice.engine.validate.session.ChunkProof;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.touched.TouchedRows;
import dev.sluice.sink.touched.Uncompared;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ValidationPassTest {
  private static final TableId TABLE = new TableId("public", "item");
  private static final Position BEGUN = new Position(100);

  private final ValidationPass pass = new ValidationPass(PassScope.ALL, BEGUN);

  @Test
  void rowsThatAreComparedBeforeTheTableIsReadToItsEndAreNoObstacle() {
    pass.compared(TABLE, List.of(row("1")));
    assertThat(pass.isDone(List.of(read(99)))).isFalse();

    pass.completed(read(100), touched(0));

    assertThat(pass.isDone(List.of(read(100)))).isTrue();
    assertThat(pass.result(List.of(read(100))).verdict()).isEqualTo(Verdict.EQUAL);
  }

  @Test
  void rowsThatWereTouchedWhenTheTableWasReadToItsEndAreWaitedFor() {
    pass.completed(read(100), touched(2, "1", "2"));
    assertThat(pass.isDone(List.of(read(100)))).isFalse();

    pass.compared(TABLE, List.of(row("2"), row("3"), row("1")));

    assertThat(pass.isDone(List.of(read(100)))).isTrue();
  }

  @Test
  void rowsBeyondThoseThatAreWaitedForAtOnceAreWaitedForAsWell() {
    pass.completed(read(100), touched(3, "1", "2"));
    pass.compared(TABLE, List.of(row("1"), row("2")));
    assertThat(pass.isDone(List.of(read(100)))).isFalse();
    assertThat(pass.result(List.of(read(100))).verdict()).isEqualTo(Verdict.NOT_PROVEN);

    assertThat(pass.unlisted()).containsExactly(TABLE);
    pass.awaits(TABLE, touched(1, "3"));
    assertThat(pass.isDone(List.of(read(100)))).isFalse();
    pass.compared(TABLE, List.of(row("3")));

    assertThat(pass.isDone(List.of(read(100)))).isTrue();
    assertThat(pass.result(List.of(read(100))).verdict()).isEqualTo(Verdict.EQUAL);
  }

  @Test
  void aTableOfWhichChangedRowsWereForgottenIsReadAgain() {
    pass.completed(read(100), forgotten(150));
    assertThat(pass.isDone(List.of(read(100)))).isFalse();
    assertThat(pass.needs(read(100))).isTrue();
    assertThat(pass.needs(read(150))).isFalse();

    pass.completed(read(150), touched(0));

    assertThat(pass.isDone(List.of(read(150)))).isTrue();
    assertThat(pass.result(List.of(read(150))).verdict()).isEqualTo(Verdict.EQUAL);
  }

  @Test
  void aTableOfWhichChangedRowsAreForgottenAgainAndAgainIsNotProven() {
    pass.completed(read(100), forgotten(101));
    assertThat(pass.isDone(List.of(read(100)))).isFalse();
    pass.completed(read(101), forgotten(102));
    assertThat(pass.isDone(List.of(read(101)))).isFalse();
    pass.completed(read(102), forgotten(103));

    assertThat(pass.isDone(List.of(read(102)))).isTrue();
    PassResult result = pass.result(List.of(read(102)));
    assertThat(result.verdict()).isEqualTo(Verdict.NOT_PROVEN);
    assertThat(result.lines().get(0)).contains("fit into memory");
  }

  @Test
  void aRowThatChangesInManySessionsIsNotProvenButOneThatSessionsHadNoTimeForIsWaitedFor() {
    List<TableState> tables = List.of(read(100));
    pass.completed(read(100), touched(1, "1"));

    for (int i = 0; i < 100; i++) {
      pass.ended(tables, Set.of(TABLE));
    }
    assertThat(pass.isDone(tables)).isFalse();
    for (int i = 0; i < 29; i++) {
      pass.ended(tables, Set.of());
    }
    assertThat(pass.isDone(tables)).isFalse();
    pass.ended(tables, Set.of());

    assertThat(pass.isDone(tables)).isTrue();
    assertThat(pass.result(tables).lines().get(0)).contains("1 row kept changing");
  }

  @Test
  void aTableThatIsSuspendedOrRefusedOrKeepsChangingDoesNotHoldThePassUp() {
    List<TableState> unread = List.of(read(99));

    pass.suspended(Set.of(TABLE));
    assertThat(pass.isDone(unread)).isTrue();
    assertThat(pass.result(unread).verdict()).isEqualTo(Verdict.NOT_PROVEN);
    pass.suspended(Set.of());
    assertThat(pass.isDone(unread)).isFalse();

    for (int i = 0; i < 29; i++) {
      pass.ended(List.of(ended(End.VOID)));
    }
    assertThat(pass.isDone(unread)).isFalse();
    pass.ended(List.of(ended(End.DONE)));
    pass.ended(List.of(ended(End.VOID)));
    assertThat(pass.isDone(unread)).isFalse();

    pass.ended(List.of(ended(End.REFUSED)));
    assertThat(pass.isDone(unread)).isTrue();
    assertThat(pass.result(unread).verdict()).isEqualTo(Verdict.NOT_PROVEN);
  }

  @Test
  void aTableThatNoSessionReadsInTimeDoesNotHoldThePassUp() {
    List<TableState> unread = List.of(read(99));
    for (int i = 0; i < 29; i++) {
      pass.ended(List.of(ended(End.OUT_OF_TIME)));
    }
    assertThat(pass.isDone(unread)).isFalse();
    pass.ended(List.of(ended(End.OUT_OF_TIME)));
    assertThat(pass.isDone(unread)).isTrue();
    PassResult result = pass.result(unread);
    assertThat(result.verdict()).isEqualTo(Verdict.NOT_PROVEN);
    assertThat(result.lines().get(0)).contains("ValidationSnapshotAge", "the server said why");
  }

  /** As one that has to be read at once, behind a large one that is read in parts. */
  @Test
  void aTableThatHasOnlyTheTimeThatAPartOfAnotherOneLeavesIsNotGivenUp() {
    List<TableState> unread = List.of(read(99));
    for (int i = 0; i < 100; i++) {
      pass.ended(List.of(partRead(), ended(End.OUT_OF_TIME)));
    }
    assertThat(pass.gaveUp(TABLE)).isFalse();
    for (int i = 0; i < 30; i++) {
      assertThat(pass.isDone(unread)).isFalse();
      pass.ended(List.of(ended(End.OUT_OF_TIME), partRead()));
    }
    assertThat(pass.gaveUp(TABLE)).isTrue();
  }

  /** A part of a large table, as long as the session's time lasts. */
  private static TableFindings partRead() {
    ChunkSums sums = new ChunkSums(1, BigInteger.ONE, BigInteger.ONE);
    return new TableFindings(
        new TableId("public", "large"),
        End.OUT_OF_TIME,
        Optional.empty(),
        List.of("id"),
        List.of(new ChunkProof(KeyRange.ALL, sums, sums, 0, false, Optional.empty())),
        List.of(KeyRange.ALL),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  @Test
  void aTableThatSessionsHaveNoTimeForDoesNotHoldThePassUp() {
    List<TableState> unread = List.of(read(99));
    for (int i = 0; i < 29; i++) {
      pass.hadNoTime(TABLE);
    }
    assertThat(pass.isDone(unread)).isFalse();
    pass.hadNoTime(TABLE);
    assertThat(pass.isDone(unread)).isTrue();
    assertThat(pass.result(unread).verdict()).isEqualTo(Verdict.NOT_PROVEN);
  }

  @Test
  void rowsThatAreLookedUpAreNoProgressOfATableThatIsNotReadInTime() {
    List<TableState> unread = List.of(read(99));
    for (int i = 0; i < 30; i++) {
      assertThat(pass.isDone(unread)).isFalse();
      pass.ended(List.of(ended(End.OUT_OF_TIME, List.of(KeyRange.ALL), List.of(RowKey.of("1")))));
    }
    assertThat(pass.gaveUp(TABLE)).isTrue();
    pass.ended(List.of(ended(End.DONE, List.of(), List.of(RowKey.of("1")))));

    assertThat(pass.isDone(unread)).isTrue();
  }

  private static TableFindings ended(End end) {
    return ended(end, List.of(), List.of());
  }

  private static TableFindings ended(End end, List<ChunkBounds> rest, List<RowKey> equal) {
    return new TableFindings(
        TABLE,
        end,
        Optional.of("the server said why"),
        List.of(),
        List.of(),
        rest,
        equal,
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  private static Uncompared touched(int all, String... keys) {
    return new Uncompared(
        new TouchedRows(List.of("id"), Stream.of(keys).map(ValidationPassTest::row).toList()),
        all,
        Optional.empty());
  }

  private static Uncompared forgotten(long since) {
    return new Uncompared(TouchedRows.NONE, 0, Optional.of(new Position(since)));
  }

  /** The table, read completely from that position on. */
  private static TableState read(long position) {
    return new TableState(
        TABLE,
        List.of("id"),
        TableCoverage.none(TABLE, "")
            .read(new Position(position), 2, Optional.empty(), Instant.EPOCH),
        List.of(),
        0,
        true,
        List.of(),
        Optional.empty(),
        false,
        Optional.empty());
  }

  private static Row row(String key) {
    RowBuilder row = new RowBuilder(8);
    row.add(key);
    return row.build();
  }
}
