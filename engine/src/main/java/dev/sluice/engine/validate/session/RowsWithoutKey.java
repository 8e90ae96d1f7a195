package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.HashedRow;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView;
import dev.sluice.engine.validate.session.BothSides.Both;
import dev.sluice.engine.validate.session.RowDifference.Image;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the values of rows that one side has more often than the other, for tables without a key.
 * Owned by the session's thread.
 *
 * @param most rows that are read of each side
 */
record RowsWithoutKey(BothSides sides, RowHash hash, int most) {
  private static final RowKey NO_KEY = RowKey.of();

  /**
   * @param missing rows of the source that the target lacks, once for each time
   * @param extra rows of the target that the source lacks, once for each time
   */
  List<RowDifference> read(
      ComparedRows source, List<HashedRow> missing, ComparedRows target, List<HashedRow> extra)
      throws InterruptedException {
    Both<List<Image>, List<Image>> images =
        sides.ask(
            () -> images(sides.source(), source, missing),
            () -> images(sides.target(), target, extra));
    List<RowDifference> differences = new ArrayList<>();
    for (Image image : images.source()) {
      differences.add(new RowDifference(NO_KEY, Optional.of(image), Optional.empty()));
    }
    for (Image image : images.target()) {
      differences.add(new RowDifference(NO_KEY, Optional.empty(), Optional.of(image)));
    }
    return differences;
  }

  private List<Image> images(SideView view, ComparedRows rows, List<HashedRow> wanted) {
    List<HashedRow> some = wanted.subList(0, Math.min(most, wanted.size()));
    if (some.isEmpty()) {
      return List.of();
    }
    List<Image> images = new ArrayList<>();
    Set<Integer> found = new HashSet<>();
    // Equal rows have equal hashes: each wanted one takes one of them.
    for (FoundRow row : view.read(rows, hash, some, most * 100)) {
      if (found.add(row.number())) {
        images.add(new Image(row.values()));
      }
    }
    return images;
  }
}
