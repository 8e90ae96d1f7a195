package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.type.DeclaredColumn;
import java.util.Optional;
import java.util.Set;

/**
 * The columns of a table, as parts of expressions. Immutable.
 *
 * @param made columns that are generated on the target as well; there, another generated column
 *     cannot use them
 */
record ComputedColumns(MariadbTable table, Set<String> made) {

  ComputedColumns {
    made = Set.copyOf(made);
  }

  /**
   * The value of a column.
   *
   * @throws NotComputed if its type is not one whose values are the same on both servers
   */
  Computed of(String name) throws NotComputed {
    MariadbColumn column = column(name);
    String sql = TableId.quote(column.name());
    DeclaredColumn declared = column.declared();
    Optional<ExactNumberRange> numbers = numbers(column);
    if (numbers.isPresent()) {
      return new ComputedNumber(
              sql + "::numeric", numbers.get(), declared.isUnsigned(), column.nullable())
          .required();
    }
    // A CHAR has trailing spaces in a session with PAD_CHAR_TO_FULL_LENGTH.
    if (declared.dataType().equals("varchar") && column.characterSet().isPresent()) {
      return new ComputedText(
          sql + "::text",
          declared.length(),
          Set.of(column.characterSet().get()),
          column.nullable());
    }
    throw new NotComputed(
        "%s is of type %s, whose values may count otherwise in PostgreSQL"
            .formatted(name, column.columnType()));
  }

  private MariadbColumn column(String name) throws NotComputed {
    MariadbColumn column =
        table.columns().stream()
            .filter(each -> each.name().equalsIgnoreCase(name))
            .findFirst()
            .orElseThrow(() -> new NotComputed("column %s is not known".formatted(name)));
    if (made.contains(column.name())) {
      throw new NotComputed(
          "it uses %s, and PostgreSQL computes no generated column from another one"
              .formatted(column.name()));
    }
    return column;
  }

  /** The values of a column of exact numbers; empty if it has others. */
  static Optional<ExactNumberRange> numbers(MariadbColumn column) {
    DeclaredColumn declared = column.declared();
    boolean unsigned = declared.isUnsigned();
    return switch (declared.dataType()) {
      case "tinyint" -> Optional.of(ExactNumberRange.ofBits(8, unsigned));
      case "smallint" -> Optional.of(ExactNumberRange.ofBits(16, unsigned));
      case "mediumint" -> Optional.of(ExactNumberRange.ofBits(24, unsigned));
      case "int" -> Optional.of(ExactNumberRange.ofBits(32, unsigned));
      case "bigint" -> Optional.of(ExactNumberRange.ofBits(64, unsigned));
      case "decimal" ->
          Optional.of(ExactNumberRange.ofDecimal(declared.precision(), declared.scale(), unsigned));
      default -> Optional.empty();
    };
  }
}
