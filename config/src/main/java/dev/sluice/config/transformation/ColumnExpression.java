package dev.sluice.config.transformation;

import dev.sluice.config.TableId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The expression of an added column, translated from DMS's SQLite syntax to PostgreSQL. Only what
 * both have in common is allowed. Immutable.
 *
 * <p>The value must depend on the row only: the target computes the column again whenever the row
 * changes.
 */
public final class ColumnExpression {

  /** A part of the expression: SQL, a column of the source, or the table's name. */
  sealed interface Part {
    record Sql(String text) implements Part {}

    record Reference(String column) implements Part {}

    /** The source table's schema or name, as a text constant. */
    record OfTable(boolean schema) implements Part {}
  }

  private final String written;
  private final List<Part> parts;

  ColumnExpression(String written, List<Part> parts) {
    this.written = written;
    this.parts = List.copyOf(parts);
  }

  /**
   * @throws IllegalArgumentException with what is not supported, and why
   */
  static ColumnExpression parse(String text) {
    return new ColumnExpression(text, new ColumnExpressionParser(text).parts());
  }

  /** The columns that it uses, as the source's catalog spells them. */
  public Set<String> references() {
    Set<String> columns = new LinkedHashSet<>();
    for (Part part : parts) {
      if (part instanceof Part.Reference reference) {
        columns.add(reference.column());
      }
    }
    return columns;
  }

  /**
   * The expression for PostgreSQL.
   *
   * @param source the table on the source
   * @param nameOf gives the target's name of a column of the source
   */
  public String sql(TableId source, UnaryOperator<String> nameOf) {
    List<String> words = new ArrayList<>();
    for (Part part : parts) {
      if (part instanceof Part.Sql sql) {
        words.add(sql.text());
      } else if (part instanceof Part.Reference reference) {
        words.add(TableId.quote(nameOf.apply(reference.column())));
      } else if (part instanceof Part.OfTable of) {
        String name = of.schema() ? source.schema() : source.name();
        words.add("'" + name.replace("'", "''") + "'::text");
      }
    }
    return String.join(" ", words);
  }

  /** The expression in the rule's spelling. */
  @Override
  public String toString() {
    return written;
  }
}
