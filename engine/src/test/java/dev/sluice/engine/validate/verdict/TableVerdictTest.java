package dev.sluice.engine.validate.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.ChunkProof;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.RowDifference.Image;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.TableCoverage.RunningPass;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TableVerdictTest {
  private static final TableId TABLE = new TableId("public", "t");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Position W = new Position(100);
  private static final Proof PROOF =
      new Proof(
          W,
          "1:1:",
          new Position(110),
          new RowHash(new HashSeeds(1, 2), RowHash.Function.FAST, RowHash.RowForm.UTF8));

  private final TableCoverage unread = TableCoverage.none(TABLE, "shape");

  @Test
  void aPassContinuesAfterTheLastChunkThatWasRead() {
    TableCoverage read =
        verdict(unread, findings(End.OUT_OF_TIME, equal("a", 10), equal("b", 20))).now();

    assertThat(read.running()).hasValue(new RunningPass(NOW, W, 30, "[\"b\"]"));
    assertThat(read.complete()).isEmpty();
  }

  @Test
  void aChunkWithoutAnUpperEndCompletesThePassAsOfItsFirstPosition() {
    TableCoverage begun = unread.read(new Position(50), 70, Optional.of("[\"b\"]"), NOW);

    TableCoverage read = verdict(begun, findings(End.DONE, last(5, true, true))).now();

    assertThat(read.running()).isEmpty();
    assertThat(read.complete()).hasValue(new CompletePass(NOW, new Position(50), 75));
  }

  @Test
  void anUnequalChunkWhoseRowsWereNotLookedAtIsReadAgain() {
    TableCoverage read =
        verdict(unread, findings(End.OUT_OF_TIME, equal("a", 10), unequal("b", false))).now();

    assertThat(read.running()).map(RunningPass::next).hasValue("[\"a\"]");
  }

  @Test
  void aTableThatChangedInTheMidstGivesUpItsPassAndKeepsTheEarlierOne() {
    TableCoverage before =
        unread
            .read(new Position(10), 5, Optional.empty(), NOW)
            .read(new Position(50), 70, Optional.of("[\"b\"]"), NOW);

    Outcome outcome = verdict(before, findings(End.VOID, equal("c", 10)));

    assertThat(outcome.now().running()).isEmpty();
    assertThat(outcome.now().complete()).hasValue(new CompletePass(NOW, new Position(10), 5));
  }

  @Test
  void aDifferenceIsConfirmedByASecondSessionThatFindsTheSame() {
    TableFindings found = different(new RowDifference(key("1"), image("1", "x"), image("1", "y")));

    RowFailure first = verdict(unread, found).found().get(0);
    RowFailure second = verdict(unread, found, first).found().get(0);

    assertThat(first.isConfirmed()).isFalse();
    assertThat(second.isConfirmed()).isTrue();
    assertThat(second.kind()).isEqualTo(FailureKind.RECORD_DIFF);
    assertThat(second.key()).isEqualTo("{\"id\":\"1\"}");
    assertThat(second.source()).hasValue("{\"id\":\"1\",\"v\":\"x\"}");
    assertThat(second.differing()).isEqualTo("{\"v\":{\"source\":\"x\",\"target\":\"y\"}}");
  }

  @Test
  void anotherDifferenceOfTheSameRowIsNotAConfirmation() {
    RowFailure first =
        verdict(unread, different(new RowDifference(key("1"), image("1", "x"), image("1", "y"))))
            .found()
            .get(0);

    RowFailure second =
        verdict(
                unread,
                different(new RowDifference(key("1"), image("1", "x"), Optional.empty())),
                first)
            .found()
            .get(0);

    assertThat(second.isConfirmed()).isFalse();
    assertThat(second.kind()).isEqualTo(FailureKind.MISSING_TARGET);
  }

  @Test
  void nullAndTheEmptyTextAreDifferentAndStoredAsWhatTheyAre() {
    RowFailure failure =
        verdict(
                unread,
                different(
                    new RowDifference(
                        key("1"),
                        Optional.of(new Image(Arrays.asList("1", null))),
                        image("1", ""))))
            .found()
            .get(0);

    assertThat(failure.differing()).isEqualTo("{\"v\":{\"source\":null,\"target\":\"\"}}");
  }

  @Test
  void aListedRowThatKeepsChangingIsPendingSinceItsFirstMiss() {
    RowFailure listed =
        verdict(unread, different(new RowDifference(key("1"), image("1", "x"), image("1", "y"))))
            .found()
            .get(0);
    TableFindings hot =
        new TableFindings(
            TABLE,
            End.DONE,
            Optional.empty(),
            List.of("id", "v"),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(key("1"), key("2")),
            List.of(),
            List.of());

    RowFailure once = verdict(unread, hot, listed).found().get(0);
    RowFailure twice =
        new TableVerdict(TABLE, List.of("id"), unread, List.of(once))
            .of(hot, PROOF, NOW.plusSeconds(60))
            .found()
            .get(0);

    assertThat(once.pendingSince()).hasValue(NOW);
    assertThat(twice.pendingSince()).hasValue(NOW);
    assertThat(verdict(unread, hot, listed).found()).hasSize(1);
  }

  @Test
  void aListedRowThatIsEqualNowIsTakenOffTheList() {
    TableFindings found =
        new TableFindings(
            TABLE,
            End.DONE,
            Optional.empty(),
            List.of("id", "v"),
            List.of(),
            List.of(),
            List.of(key("1")),
            List.of(),
            List.of(),
            List.of(),
            List.of());

    assertThat(verdict(unread, found).equal()).containsExactly("{\"id\":\"1\"}");
  }

  @Test
  void nothingOfATableThatChangedInTheMidstCounts() {
    TableFindings found =
        new TableFindings(
            TABLE,
            End.VOID,
            Optional.of("it was truncated"),
            List.of("id", "v"),
            List.of(),
            List.of(),
            List.of(key("1")),
            List.of(new RowDifference(key("2"), image("2", "x"), Optional.empty())),
            List.of(),
            List.of(),
            List.of());

    Outcome outcome = verdict(unread, found);

    assertThat(outcome.found()).isEmpty();
    assertThat(outcome.equal()).isEmpty();
  }

  private static Outcome verdict(TableCoverage before, TableFindings found, RowFailure... listed) {
    return new TableVerdict(TABLE, List.of("id"), before, List.of(listed)).of(found, PROOF, NOW);
  }

  private static TableFindings findings(End end, ChunkProof... chunks) {
    return new TableFindings(
        TABLE,
        end,
        Optional.empty(),
        List.of("id", "v"),
        List.of(chunks),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  private static TableFindings different(RowDifference difference) {
    return new TableFindings(
        TABLE,
        End.DONE,
        Optional.empty(),
        List.of("id", "v"),
        List.of(),
        List.of(),
        List.of(),
        List.of(difference),
        List.of(),
        List.of(),
        List.of());
  }

  private static ChunkProof equal(String upTo, long rows) {
    ChunkSums sums = new ChunkSums(rows, BigInteger.ONE, BigInteger.TEN);
    return new ChunkProof(range(Optional.of(key(upTo))), sums, sums, 0, false, Optional.empty());
  }

  private static ChunkProof unequal(String upTo, boolean resolved) {
    return new ChunkProof(
        range(Optional.of(key(upTo))),
        new ChunkSums(5, BigInteger.ONE, BigInteger.TEN),
        new ChunkSums(5, BigInteger.TWO, BigInteger.TEN),
        0,
        resolved,
        Optional.empty());
  }

  private static ChunkProof last(long rows, boolean equal, boolean resolved) {
    ChunkSums sums = new ChunkSums(rows, BigInteger.ONE, BigInteger.TEN);
    return new ChunkProof(
        range(Optional.empty()),
        sums,
        equal ? sums : ChunkSums.NONE,
        0,
        resolved,
        Optional.empty());
  }

  private static KeyRange range(Optional<RowKey> upTo) {
    return new KeyRange(Optional.empty(), upTo);
  }

  private static RowKey key(String id) {
    return RowKey.of(id);
  }

  private static Optional<Image> image(String... values) {
    return Optional.of(new Image(List.of(values)));
  }
}
