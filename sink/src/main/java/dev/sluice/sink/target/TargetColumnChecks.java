package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.TargetChecks.Expected;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks that the columns of a target table can take the source's rows. Immutable. */
public final class TargetColumnChecks {
  private final ColumnFixes fixes;

  public TargetColumnChecks(ColumnFixes fixes) {
    this.fixes = fixes;
  }

  /** The problems of the columns of an existing table. */
  List<Problem> problems(Expected expected, TargetTable table) {
    List<Problem> problems = new ArrayList<>();
    String thing = "target table " + table.id();
    Set<String> source = new HashSet<>();
    for (Column column : expected.columns()) {
      source.add(column.name());
      Optional<TargetColumn> target = table.column(column.name());
      if (target.isEmpty()) {
        problems.add(
            expected.beforeImages().contains(column.name())
                ? lacks(table, column, "the before-image columns that a rule adds")
                : lacks(table, column, expected.source()));
      } else if (target.get().generated() && !expected.recomputed().contains(column.name())) {
        problems.add(
            new Problem(
                thing,
                "column " + column.name() + " is generated, the source's is not",
                "a column that can be written",
                fixes.makePlain(table, column.name())));
      } else if (expected.beforeImages().contains(column.name())) {
        checkBeforeImage(thing, column, target.get(), table).ifPresent(problems::add);
      }
    }
    for (TargetColumn column : table.columns()) {
      if (expected.computed().contains(column.name()) && !column.generated()) {
        problems.add(
            new Problem(
                thing,
                "column %s is a plain one but generated on the source: nothing would fill it"
                    .formatted(column.name()),
                "a generated column, as in " + expected.source(),
                fixes.makeGenerated(table, column.name())
                    + "; or remove it by a remove-column rule"));
      }
      if (!source.contains(column.name())
          && column.notNull()
          && !column.hasDefault()
          && !column.generated()) {
        problems.add(
            new Problem(
                thing,
                "column " + column.name() + " is NOT NULL without a default",
                "a value for rows of the source, which has no such column",
                fixes.makeOptional(table, column.name())));
      }
    }
    return problems;
  }

  /** The problems of columns that accept no NULL, and get it in place of some values. */
  List<Problem> refusedNulls(Expected expected, TargetTable table) {
    return table.columns().stream()
        .filter(column -> column.notNull() && expected.nulled().contains(column.name()))
        .map(
            column ->
                new Problem(
                    "target table " + table.id(),
                    "column %s is NOT NULL, and NULL is replicated in place of some values of %s"
                        .formatted(column.name(), expected.source()),
                    "a column that accepts NULL, or another setting of section source",
                    fixes.acceptNull(table, column.name())))
        .toList();
  }

  /** Checks a before-image column, which must be NULL in loaded rows. */
  private Optional<Problem> checkBeforeImage(
      String thing, Column column, TargetColumn found, TargetTable table) {
    List<String> findings = new ArrayList<>();
    if (!found.type().equals(column.type())) {
      findings.add("of type " + found.type());
    }
    if (found.notNull()) {
      findings.add("NOT NULL");
    }
    // A column of a domain with a default may need DEFAULT NULL.
    if (found.hasDefault() && !found.domain()) {
      findings.add("filled by a default or as an identity");
    }
    return findings.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                thing,
                "the before-image column %s is %s"
                    .formatted(column.name(), String.join(" and ", findings)),
                "a plain column of type %s that may be NULL".formatted(column.type()),
                fixes.makeBeforeImage(table, found, column)));
  }

  /** A column that the source has and the target lacks, with the statement that adds it. */
  public Problem lacks(TargetTable table, Column column, TableId source) {
    return lacks(table, column, "every column of the source table " + source);
  }

  private Problem lacks(TargetTable table, Column column, String expected) {
    return new Problem(
        "target table " + table.id(),
        "has no column " + column.name(),
        expected,
        fixes.add(table, column));
  }
}
