package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.type.DeclaredColumn;
import dev.sluice.connector.mariadb.type.PostgresType;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A column as MariaDB's catalog describes it. Immutable.
 *
 * @param flavour which server it is of
 * @param declared its name and type
 * @param characterSet of texts
 * @param collation of texts
 * @param fixedDefault the default as an expression of MariaDB; empty if there is none
 * @param extra further properties, such as {@code auto_increment}
 * @param generation the expression of a generated column
 */
public record MariadbColumn(
    Flavour flavour,
    DeclaredColumn declared,
    Optional<String> characterSet,
    Optional<String> collation,
    boolean nullable,
    Optional<String> fixedDefault,
    String extra,
    Optional<String> generation,
    String comment) {
  /** The catalog quotes names as the session's sql_mode says. */
  private static final Pattern NEXT_VALUE =
      Pattern.compile(
          "(?i)nextval\\(([`\"])(?<database>(?:(?!\\1).|\\1\\1)+)\\1\\.\\1(?<name>(?:(?!\\1).|\\1\\1)+)\\1\\)");

  public String name() {
    return declared.name();
  }

  /** Without modifiers, such as {@code int}. */
  public String dataType() {
    return declared.dataType();
  }

  /** With modifiers, such as {@code int(10) unsigned}. */
  public String columnType() {
    return declared.columnType();
  }

  /**
   * Its type in PostgreSQL. If there is none, its own type; {@link #problemOfType} then has the
   * problem.
   */
  public String mappedType() {
    return problemOfType().isPresent() ? columnType() : PostgresType.of(declared);
  }

  /** The problem that PostgreSQL has no type for it; empty if it has one. */
  public Optional<Problem> problemOfType() {
    return PostgresType.problem(declared);
  }

  public boolean isZerofill() {
    return declared.isZerofill();
  }

  public boolean isAutoIncrement() {
    return extra.toLowerCase(Locale.ROOT).contains("auto_increment");
  }

  /** Whether it is invisible: statements see it only by its name. */
  public boolean isInvisible() {
    return extra.toLowerCase(Locale.ROOT).contains("invisible");
  }

  /** The sequence whose next value is its default. */
  public Optional<TableId> sequence() {
    Matcher next = NEXT_VALUE.matcher(fixedDefault.orElse(""));
    if (!next.matches()) {
      return Optional.empty();
    }
    String quote = next.group(1);
    return Optional.of(
        new TableId(
            next.group("database").replace(quote + quote, quote),
            next.group("name").replace(quote + quote, quote)));
  }

  /** Whether each update sets it to the current time. */
  public boolean isSetByUpdates() {
    return extra.toLowerCase(Locale.ROOT).contains("on update");
  }

  /** Whether its values come from other columns of the row. */
  public boolean isComputed() {
    return generation.filter(expression -> !expression.isBlank()).isPresent();
  }

  /** Whether the server fills it, for tables with system versions. */
  public boolean isRowPeriod() {
    String upper = generation.orElse("").toUpperCase(Locale.ROOT);
    return upper.equals("ROW START") || upper.equals("ROW END");
  }

  /** Whether its collation finds different texts equal, such as {@code a} and {@code A}. */
  public boolean equalsOtherTexts() {
    return collation.filter(name -> !name.endsWith("_bin") && !name.equals("binary")).isPresent();
  }
}
