package dev.sluice.engine.validate.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PartSizeTest {
  private static final int PARTITION_SIZE = 10_000;

  @Test
  void partsAreHalvedUntilTheTableGetsFurtherAndKeepThatSize() {
    PartSize size = PartSize.WHOLE;
    assertThat(size.rows(PARTITION_SIZE)).isEqualTo(10_000);
    size = size.after(outOfTime(1), false, true);
    assertThat(size.rows(PARTITION_SIZE)).isEqualTo(5_000);
    size = size.after(outOfTime(0), false, true);
    assertThat(size.rows(PARTITION_SIZE)).isEqualTo(2_500);
    assertThat(size.after(outOfTime(1), true, true)).isEqualTo(size);
  }

  @Test
  void partsGrowAgainOnceManyFitIntoASession() {
    PartSize small = new PartSize(2);
    assertThat(small.after(outOfTime(3), true, true)).isEqualTo(small);
    PartSize larger = small.after(outOfTime(4), true, true);
    assertThat(larger.rows(PARTITION_SIZE)).isEqualTo(5_000);
    assertThat(larger.after(outOfTime(4), true, true).after(outOfTime(4), true, true))
        .isEqualTo(PartSize.WHOLE);
  }

  @Test
  void noPartIsSmallerThanAHundredRowsOrThanPartitionSize() {
    PartSize size = PartSize.WHOLE;
    for (int i = 0; i < 50; i++) {
      size = size.after(outOfTime(1), false, true);
    }
    assertThat(size.rows(PARTITION_SIZE)).isEqualTo(100);
    assertThat(size.rows(60)).isEqualTo(60);
  }

  @Test
  void aTableThatOthersHaveLockedKeepsTheSizeOfItsParts() {
    assertThat(PartSize.WHOLE.after(found(End.BLOCKED, 0), false, true)).isEqualTo(PartSize.WHOLE);
  }

  @Test
  void aTableForWhichOthersLeftNoTimeKeepsTheSizeOfItsParts() {
    assertThat(PartSize.WHOLE.after(outOfTime(0), false, false)).isEqualTo(PartSize.WHOLE);
    assertThat(PartSize.WHOLE.after(outOfTime(1), false, false).halvings()).isEqualTo(1);
  }

  private static TableFindings outOfTime(int chunks) {
    return found(End.OUT_OF_TIME, chunks);
  }

  private static TableFindings found(End end, int chunks) {
    ChunkSums sums = ChunkSums.NONE;
    ChunkProof chunk = new ChunkProof(KeyRange.ALL, sums, sums, 0, true, Optional.empty());
    return new TableFindings(
        new TableId("public", "item"),
        end,
        Optional.empty(),
        List.of(),
        Collections.nCopies(chunks, chunk),
        List.of(KeyRange.ALL),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }
}
