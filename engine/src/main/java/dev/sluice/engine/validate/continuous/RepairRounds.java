package dev.sluice.engine.validate.continuous;

import dev.sluice.engine.validate.repair.ConflictGroups;
import dev.sluice.engine.validate.verdict.RowText;
import dev.sluice.sink.control.validation.RowFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Divides the rows of a table that are to be repaired into rounds. A round is one transaction, and
 * its values are in memory. Pure.
 *
 * @param conflicts groups rows that must be in one round
 */
record RepairRounds(ConflictGroups conflicts) {
  /** Rows of a round, unless more of them exchange values. */
  static final int ROWS = 5_000;

  /** Characters of a round's rows, unless one row has more. */
  static final long WEIGHT = 16L << 20;

  /** How a large value is listed; its length is not that of the text. */
  private static final Pattern LARGE = Pattern.compile("length ([0-9]{1,12}), sha256 ");

  /** The rounds, in the order of their first rows. */
  List<List<RowFailure>> of(List<RowFailure> rows) {
    List<List<RowFailure>> rounds = new ArrayList<>();
    List<RowFailure> round = new ArrayList<>();
    long weight = 0;
    for (List<RowFailure> together : conflicts.of(rows, RepairRounds::images)) {
      long more = together.stream().mapToLong(RepairRounds::weight).sum();
      if (!round.isEmpty() && (round.size() + together.size() > ROWS || weight + more > WEIGHT)) {
        rounds.add(round);
        round = new ArrayList<>();
        weight = 0;
      }
      round.addAll(together);
      weight += more;
    }
    if (!round.isEmpty()) {
      rounds.add(round);
    }
    return rounds;
  }

  private static long weight(RowFailure row) {
    return weight(row.source()) + weight(row.targetRow());
  }

  private static long weight(Optional<String> image) {
    return image.map(RepairRounds::weight).orElse(0L);
  }

  private static long weight(String image) {
    return image.length()
        + LARGE.matcher(image).results().mapToLong(value -> Long.parseLong(value.group(1))).sum();
  }

  private static List<Map<String, String>> images(RowFailure row) {
    return Stream.of(row.source(), row.targetRow())
        .flatMap(Optional::stream)
        .map(RowText::values)
        .toList();
  }
}
