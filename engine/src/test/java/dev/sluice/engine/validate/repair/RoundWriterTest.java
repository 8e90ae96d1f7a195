package dev.sluice.engine.validate.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.sink.apply.CorrectionErrors;
import dev.sluice.sink.apply.RowCorrections.HeldTooLong;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which rows of a round are written beside rows that the target rejects. */
class RoundWriterTest {
  private final List<RowDifference> rows =
      IntStream.range(0, 1_000)
          .mapToObj(i -> new RowDifference(RowKey.of("" + i), Optional.empty(), Optional.empty()))
          .toList();

  private int attempts;

  private RoundWriter written(Set<RowDifference> rejected) {
    return written(
        part -> {
          attempts++;
          if (part.stream().anyMatch(rejected::contains)) {
            throw new SluiceException.Data("rejected", null);
          }
          return part;
        });
  }

  private RoundWriter written(RoundWriter.Transaction transaction) {
    RoundWriter writer =
        new RoundWriter(
            transaction,
            new CorrectionErrors() {
              @Override
              public boolean isOfRow(SluiceException.Data error) {
                return true;
              }

              @Override
              public boolean isOvertaken(SluiceException.Retryable error) {
                return error.getMessage().equals("overtaken");
              }

              @Override
              public boolean isConflict(SluiceException.Data error) {
                return false;
              }
            },
            part -> part.stream().map(List::of).toList());
    writer.write(rows);
    return writer;
  }

  @Test
  void rowsThatAreRejectedKeepNoOtherOneFromBeingWritten() {
    Set<RowDifference> rejected = Set.of(rows.get(0), rows.get(500), rows.get(999));
    RoundWriter writer = written(rejected);
    assertThat(writer.refused().keySet()).isEqualTo(rejected);
    List<RowDifference> others = new ArrayList<>(rows);
    others.removeAll(rejected);
    assertThat(writer.written()).isEqualTo(others);
    assertThat(writer.why()).isEmpty();
  }

  @Test
  void moreRowsThanAnyoneReadsAreNotTriedOneByOne() {
    RoundWriter writer = written(Set.copyOf(rows));
    assertThat(writer.refused()).hasSize(RoundWriter.MOST_REFUSED);
    assertThat(writer.written()).isEmpty();
    assertThat(writer.why()).contains("the target rejects too many others");
    assertThat(attempts).isLessThan(2 * RoundWriter.MOST_REFUSED + 20);
  }

  @Test
  void whatAnotherTransactionHasOvertakenIsTriedAgainAsAWholeAndNotForEver() {
    RoundWriter writer =
        written(
            part -> {
              assertThat(part).isEqualTo(rows);
              if (++attempts <= RoundWriter.MOST_OVERTAKEN) {
                throw new SluiceException.Retryable("overtaken", null);
              }
              return part;
            });
    assertThat(writer.written()).isEqualTo(rows);
    assertThat(writer.why()).isEmpty();
    RoundWriter never =
        written(
            part -> {
              throw new SluiceException.Retryable("overtaken", null);
            });
    assertThat(never.written()).isEmpty();
    assertThat(never.why()).contains("not possible now: overtaken");
  }

  @Test
  void aRowThatHoldsTheLaneForTooLongIsLeftAlone() {
    RoundWriter writer = heldUpBy(Set.of(rows.get(500)));
    assertThat(writer.written()).hasSize(rows.size() - 1).doesNotContain(rows.get(500));
    assertThat(writer.why()).contains("it takes longer than 10 s");
  }

  @Test
  void theLaneIsNotHeldForTooLongAgainAndAgain() {
    RoundWriter writer = heldUpBy(Set.copyOf(rows));
    assertThat(attempts).isEqualTo(RoundWriter.MOST_WAITS);
    assertThat(writer.written()).isEmpty();
    assertThat(writer.why()).contains("not possible now: it takes longer than 10 s");
  }

  private RoundWriter heldUpBy(Set<RowDifference> slow) {
    return written(
        part -> {
          attempts++;
          if (part.stream().anyMatch(slow::contains)) {
            throw new HeldTooLong(Duration.ofSeconds(10), null);
          }
          return part;
        });
  }

  @Test
  void whatPassesWithoutAConflictEndsTheRound() {
    RoundWriter writer =
        written(
            part -> {
              attempts++;
              throw new SluiceException.Retryable("the connection is lost", null);
            });
    assertThat(attempts).isOne();
    assertThat(writer.why()).contains("not possible now: the connection is lost");
  }
}
