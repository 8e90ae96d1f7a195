package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * One thing that a table needs beside its rows, made on the target in one transaction. Immutable.
 *
 * @param table the target table that was loaded; of a partition's things the root's name
 * @param stage when it may be made
 * @param place steps of a lower place come before it: those of its table in {@link Stage#TABLE},
 *     all in {@link Stage#CONSTRAINTS}; steps of one place may be made at the same time
 * @param name of what is made, for people
 * @param references a table without which it cannot be made, and is left out
 * @param leftOut why the target cannot have it, where that is known beforehand
 */
public record CompletionStep(
    TableId table,
    Stage stage,
    int place,
    Kind kind,
    String name,
    Optional<TableId> references,
    Optional<String> leftOut,
    List<DefinitionStatement> statements) {

  /** When a step may be made. */
  public enum Stage {
    /** As soon as its table has all rows. */
    TABLE,
    /** When nothing more is loaded or applied: what could refuse a row, or act on one. */
    CONSTRAINTS;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What is made. */
  public enum Kind {
    /** A primary key, or the index that is the replica identity: changes cannot do without. */
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
    Objects.requireNonNull(leftOut, "leftOut");
    statements = List.copyOf(statements);
  }

  /** A step that rests on nothing but its table. */
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

  public CompletionStep at(int other) {
    return new CompletionStep(table, stage, other, kind, name, references, leftOut, statements);
  }

  public CompletionStep referencing(TableId other) {
    return new CompletionStep(
        table, stage, place, kind, name, Optional.of(other), leftOut, statements);
  }

  public CompletionStep leftOutAs(Optional<String> reason) {
    return new CompletionStep(table, stage, place, kind, name, references, reason, statements);
  }
}
