package dev.sluice.connector.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange.Whole;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SegmentationTest {
  private static final TableId TABLE = new TableId("app", "t");
  private static final long PAGE = 8192;

  @Test
  void aTableOfTheSegmentSizeIsOneSegmentAndALargerOneIsDivided() {
    assertThat(cut(100, leaf(TABLE, 100, true)))
        .extracting(Segment::rows)
        .containsOnly(new Whole());
    assertThat(cut(100, leaf(TABLE, 101, true)))
        .extracting(Segment::rows)
        .containsExactly(
            new PageRange(0, OptionalLong.of(50)), new PageRange(50, OptionalLong.empty()));
  }

  @Test
  void aTableThatCannotBeReadByPageIsOneSegment() {
    assertThat(cut(10, leaf(TABLE, 1000, false)))
        .extracting(Segment::rows)
        .containsExactly(new Whole());
  }

  @Test
  void theSegmentsOfAllPartitionsAreNumberedThrough() {
    TableId first = new TableId("app", "t1");
    TableId second = new TableId("app", "t2");

    List<Segment> segments = cut(10, leaf(first, 25, true), leaf(second, 5, true));

    assertThat(segments).extracting(Segment::number).containsExactly(0, 1, 2, 3);
    assertThat(segments).extracting(Segment::leaf).containsExactly(first, first, first, second);
  }

  @Test
  void everyPageIsInExactlyOneSegment() {
    Random random = new Random(20261122);
    for (int i = 0; i < 2_000; i++) {
      long pages = 1 + random.nextInt(5_000);
      long large = random.nextInt(3) == 0 ? pages * PAGE * random.nextInt(50) : 0;
      RecordedLeaf leaf =
          new RecordedLeaf(TABLE, 1, 1, List.of(), pages * PAGE + large, pages, true);
      long next = 0;
      List<Segment> segments =
          new Segmentation(DataSize.ofBytes(PAGE * (1 + random.nextInt(300)))).of(table(leaf));
      for (Segment segment : segments) {
        if (segment.rows() instanceof PageRange range) {
          assertThat(range.from()).isEqualTo(next);
          next = range.before().orElse(Long.MAX_VALUE);
          assertThat(next).isGreaterThan(range.from());
        } else {
          assertThat(segments).hasSize(1);
          next = Long.MAX_VALUE;
        }
      }
      assertThat(next).isEqualTo(Long.MAX_VALUE);
    }
  }

  private static List<Segment> cut(long pages, RecordedLeaf... leaves) {
    return new Segmentation(DataSize.ofBytes(pages * PAGE)).of(table(leaves));
  }

  private static RecordedTable table(RecordedLeaf... leaves) {
    return new RecordedTable(
        TABLE, 1, List.of(), List.of(), leaves.length > 1, Arrays.asList(leaves));
  }

  private static RecordedLeaf leaf(TableId name, long pages, boolean byPage) {
    return new RecordedLeaf(name, 1, 1, List.of(), pages * PAGE, pages, byPage);
  }
}
