package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.repair.RepairOutcome.Refused;
import dev.sluice.engine.validate.repair.RepairedRow;
import dev.sluice.engine.validate.repair.RepairedRows;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.RowDifference.Image;
import dev.sluice.engine.validate.verdict.RowText;
import dev.sluice.engine.validate.verdict.ShownValue;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.control.validation.ValidationStore.RepairNote;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The listed rows of a table that are to be repaired: matches them with the rows of a repair's
 * session, and makes the notes about them. A table without a key is compared completely, so its
 * session also finds rows that are not listed. Pure.
 *
 * @param key columns of the table's key on the source; empty if it has none
 */
record RowsToRepair(TableId target, TableId table, List<String> key, List<RowFailure> listed) {

  /**
   * The rows that are repaired.
   *
   * @param columns of the rows' values
   * @param found by the session of the repair
   * @param deleteExtra whether rows that only the target has are among them
   */
  List<RowDifference> of(List<String> columns, List<RowDifference> found, boolean deleteExtra) {
    List<RowDifference> wanted =
        found.stream().filter(row -> deleteExtra || row.source().isPresent()).toList();
    return key.isEmpty() ? inListedCounts(columns, wanted) : wanted;
  }

  private List<RowDifference> inListedCounts(List<String> columns, List<RowDifference> found) {
    WithoutKey rows = new WithoutKey(columns);
    Map<RowFailure, Integer> left = new HashMap<>();
    listed.forEach(row -> left.put(row, RowText.copies(row.differing())));
    List<RowDifference> some = new ArrayList<>();
    for (RowDifference row : found) {
      if (rows.listed(row).filter(one -> left.merge(one, -1, Integer::sum) >= 0).isPresent()) {
        some.add(row);
      }
    }
    return some;
  }

  /** The notes about repaired rows, in their order; equal rows without a key have one note. */
  List<RepairNote> notes(RepairedRows rows) {
    return key.isEmpty() ? ofCopies(rows) : ofKeys(rows);
  }

  private List<RepairNote> ofKeys(RepairedRows rows) {
    Map<RowKey, String> texts = new HashMap<>();
    listed.forEach(row -> texts.put(RowText.key(key, row.key()), row.key()));
    return rows.rows().stream()
        .map(
            row -> {
              String text = texts.get(row.key());
              return note(
                  rows,
                  row,
                  text == null ? RowText.of(key, row.key().values()) : text,
                  differing(rows.columns(), row.difference()));
            })
        .toList();
  }

  /** Rows that the target rejects, in the form in which they are listed. */
  List<RowFailure> refused(List<Refused> rows) {
    Map<RowKey, RowFailure> byKey = new HashMap<>();
    if (!key.isEmpty()) {
      listed.forEach(row -> byKey.put(RowText.key(key, row.key()), row));
    }
    List<RowFailure> all = new ArrayList<>();
    for (Refused row : rows) {
      Optional<RowFailure> known =
          key.isEmpty()
              ? new WithoutKey(row.columns()).listed(row.row())
              : Optional.ofNullable(byKey.get(row.row().key()));
      known
          .or(() -> key.isEmpty() ? Optional.empty() : Optional.of(joined(row)))
          .map(failure -> failure.refused(row.why()))
          .ifPresent(all::add);
    }
    return all;
  }

  /** A row that is not listed, but has a value that a listed one should get. */
  private RowFailure joined(Refused row) {
    RowDifference shown =
        new RowDifference(
            row.row().key(),
            row.row().source().map(image -> new Image(shown(image.values()))),
            row.row().target().map(image -> new Image(shown(image.values()))));
    return note(
            new RepairedRows(row.columns(), List.of(), row.proof()),
            new RepairedRow(shown),
            RowText.of(key, shown.key().values()),
            differing(row.columns(), shown))
        .row();
  }

  private static String differing(List<String> columns, RowDifference row) {
    return row.source().isPresent() && row.target().isPresent()
        ? RowText.differing(
            columns, shown(row.source().get().values()), shown(row.target().get().values()))
        : "{}";
  }

  private static List<String> shown(List<String> values) {
    return values.stream().map(ShownValue::of).collect(Collectors.toList());
  }

  private List<RepairNote> ofCopies(RepairedRows rows) {
    WithoutKey without = new WithoutKey(rows.columns());
    Map<RowFailure, RepairedRow> one = new LinkedHashMap<>();
    Map<RowFailure, Integer> copies = new HashMap<>();
    for (RepairedRow row : rows.rows()) {
      RowFailure failure = without.listed(row.difference()).orElseThrow();
      one.put(failure, row);
      copies.merge(failure, 1, Integer::sum);
    }
    return one.entrySet().stream()
        .map(
            row ->
                note(
                    rows,
                    row.getValue(),
                    row.getKey().key(),
                    RowText.copies(copies.get(row.getKey()))))
        .toList();
  }

  private RepairNote note(RepairedRows rows, RepairedRow row, String text, String differing) {
    RowDifference difference = row.difference();
    return new RepairNote(
        new RowFailure(
            table,
            target,
            switch (difference.kind()) {
              case DIFFERENT -> FailureKind.RECORD_DIFF;
              case MISSING -> FailureKind.MISSING_TARGET;
              case EXTRA -> FailureKind.MISSING_SOURCE;
            },
            text,
            text(rows.columns(), difference.source()),
            text(rows.columns(), difference.target()),
            differing,
            new ReadAt(rows.proof().source(), rows.proof().target()),
            1,
            Optional.empty(),
            Optional.empty()),
        row.action().name());
  }

  private static Optional<String> text(List<String> columns, Optional<Image> image) {
    return image.map(row -> RowText.of(columns, row.values()));
  }

  /** Finds the listed row of a complete one: large values are listed by their digests. */
  private final class WithoutKey {
    private final List<String> columns;
    private final Map<List<Object>, List<Listed>> byShape = new HashMap<>();

    /** A listed row with its values in the order of the columns. */
    private record Listed(RowFailure row, List<String> values) {}

    WithoutKey(List<String> columns) {
      this.columns = columns;
      for (RowFailure row : listed) {
        Map<String, String> byName = RowText.values(row.key());
        if (byName.keySet().equals(Set.copyOf(columns))) {
          List<String> values = columns.stream().map(byName::get).collect(Collectors.toList());
          byShape
              .computeIfAbsent(
                  shape(row.kind() == FailureKind.MISSING_SOURCE, values), any -> new ArrayList<>())
              .add(new Listed(row, values));
        }
      }
    }

    Optional<RowFailure> listed(RowDifference row) {
      List<String> values = row.source().or(row::target).orElseThrow().values();
      return byShape.getOrDefault(shape(row.source().isEmpty(), values), List.of()).stream()
          .filter(
              one ->
                  IntStream.range(0, columns.size())
                      .allMatch(i -> ShownValue.isOf(one.values().get(i), values.get(i))))
          .map(Listed::row)
          .findFirst();
    }

    /** A form that is the same for two equal rows of which one has digests. */
    private List<Object> shape(boolean extra, List<String> values) {
      List<Object> shape = new ArrayList<>();
      shape.add(extra);
      values.forEach(value -> shape.add(ShownValue.isLarge(value) ? Boolean.TRUE : value));
      return shape;
    }
  }
}
