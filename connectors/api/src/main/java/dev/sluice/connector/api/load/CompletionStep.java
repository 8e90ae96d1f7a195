package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A step that creates one object of a loaded table, such as an index, in one transaction of the
 * target. Immutable.
 *
 * @param table the target table that was loaded; for objects of a partition its root
 * @param stage when it may run
 * @param place its rank: steps of lower ranks run before it, those of its table in {@link
 *     Stage#TABLE}, all in {@link Stage#CONSTRAINTS}; steps of the same rank may run in parallel
 * @param name of the object, for messages
 * @param references a table that it needs; without that table the step is skipped
 * @param skipped why the step is skipped, if that is known in advance
 */
public record CompletionStep(
    TableId table,
    Stage stage,
    int place,
    Kind kind,
    String name,
    Optional<TableId> references,
    Optional<String> skipped,
    List<DefinitionStatement> statements) {

  /** When a step may run. */
  public enum Stage {
    /** As soon as its table is loaded. */
    TABLE,
    /** After the last row is loaded or applied: for objects that may reject a row or act on it. */
    CONSTRAINTS;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The kind of object. */
  public enum Kind {
    /** A primary key, or the index of the replica identity; changes need it. */
    KEY,
    INDEX,
    STATISTICS,
    ANALYZE,
    CHECK,
    FOREIGN_KEY,
    TRIGGER,
    VALIDATION;

    /** As status and log spell it: {@code foreign key}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  public CompletionStep {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(stage, "stage");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(references, "references");
    Objects.requireNonNull(skipped, "skipped");
    statements = List.copyOf(statements);
  }

  /** A step that needs only its table. */
  public static CompletionStep of(
      TableId table,
      Stage stage,
      int place,
      Kind kind,
      String name,
      List<DefinitionStatement> statements) {
    return new CompletionStep(
        table, stage, place, kind, name, Optional.empty(), Optional.empty(), statements);
  }

  /**
   * A step for what is not made, which only says so.
   *
   * @param name of what is left out, for messages
   */
  public static CompletionStep leftOut(
      TableId table, Stage stage, Kind kind, String name, String reason) {
    return of(table, stage, 0, kind, name, List.of()).skippedFor(Optional.of(reason));
  }

  /** The first dialect of its statements that the target does not have; empty if it has all. */
  public Optional<SqlDialect> foreignTo(SqlDialect target) {
    return statements.stream()
        .map(DefinitionStatement::dialect)
        .filter(dialect -> !dialect.equals(target))
        .findFirst();
  }

  public CompletionStep at(int other) {
    return new CompletionStep(table, stage, other, kind, name, references, skipped, statements);
  }

  public CompletionStep referencing(TableId other) {
    return new CompletionStep(
        table, stage, place, kind, name, Optional.of(other), skipped, statements);
  }

  /** The same step, skipped if there is a reason. */
  public CompletionStep skippedFor(Optional<String> reason) {
    return new CompletionStep(table, stage, place, kind, name, references, reason, statements);
  }
}
