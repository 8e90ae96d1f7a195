package dev.sluice.engine.validate.continuous;

import dev.sluice.engine.validate.verdict.RowText;
import dev.sluice.sink.control.validation.RowFailure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Divides the rows of a table that are to be repaired into rounds. A round is one transaction, and
 * its values are in memory. Rows that exchange values of a unique index must be in one round: the
 * first of two rounds would set a value that another row still has. Pure.
 *
 * @param conflicts for each unique or exclusion index, the columns that decide whether rows
 *     conflict, by their names on the target
 * @param nameOnTarget of a column of the source
 */
record RepairRounds(List<Set<String>> conflicts, UnaryOperator<String> nameOnTarget) {
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
    for (List<RowFailure> together : groups(rows)) {
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

  /** Rows that must be in one round. */
  private Collection<List<RowFailure>> groups(List<RowFailure> rows) {
    int[] leaders = new int[rows.size()];
    Map<List<Object>, Integer> holders = new HashMap<>();
    for (int i = 0; i < rows.size(); i++) {
      leaders[i] = i;
      join(leaders, holders, i, rows.get(i).source(), nameOnTarget);
      join(leaders, holders, i, rows.get(i).targetRow(), name -> name);
    }
    Map<Integer, List<RowFailure>> groups = new LinkedHashMap<>();
    for (int i = 0; i < rows.size(); i++) {
      groups.computeIfAbsent(leader(leaders, i), any -> new ArrayList<>()).add(rows.get(i));
    }
    return groups.values();
  }

  /** Joins a row with those that have the same values in an index, on either side. */
  private void join(
      int[] leaders,
      Map<List<Object>, Integer> holders,
      int row,
      Optional<String> image,
      UnaryOperator<String> names) {
    if (image.isEmpty() || conflicts.isEmpty()) {
      return;
    }
    Map<String, String> values = new HashMap<>();
    RowText.values(image.get()).forEach((name, value) -> values.put(names.apply(name), value));
    for (int index = 0; index < conflicts.size(); index++) {
      List<Object> held = new ArrayList<>();
      held.add(index);
      conflicts.get(index).stream().sorted().map(values::get).forEach(held::add);
      Integer other = holders.putIfAbsent(held, row);
      if (other != null) {
        leaders[leader(leaders, row)] = leader(leaders, other);
      }
    }
  }

  private static int leader(int[] leaders, int row) {
    int at = row;
    while (leaders[at] != at) {
      leaders[at] = leaders[leaders[at]];
      at = leaders[at];
    }
    return at;
  }
}
