package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.catalog.Shown;
import dev.sluice.target.mariadb.value.Slice;
import dev.sluice.target.mariadb.value.ValueForm;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A column that was added to the source's table. Existing rows must get the value that older rows
 * have on the source, so this value is the default in the statement that adds the column. If the
 * column's own default is another one, a second statement sets it. Immutable.
 */
final class NewColumn {
  /** The zeros at the end of the fraction of a number or a time. */
  private static final Pattern FRACTION =
      Pattern.compile("^([-0-9: ]*[0-9])(?:\\.0+|(\\.[0-9]*?[1-9])0*)$");

  /** Types of numbers that round, with their digits after the point. */
  private static final Pattern DIGITS =
      Pattern.compile("(?:smallint|int|bigint|decimal\\(\\d+,(\\d+)\\))");

  private final ColumnDefinition column;
  private final OutlinedColumn outline;
  private final MadeColumns made;
  private final boolean filled;
  private final boolean rewritten;
  private final String type;
  private final Optional<String> wanted;
  private final Optional<String> existing;

  /**
   * @param made the columns of the table after the change
   * @param filled whether the table has rows
   * @param rewritten whether the source rewrote its rows, so that each may have another value
   */
  NewColumn(ColumnDefinition column, MadeColumns made, boolean filled, boolean rewritten) {
    this.column = column;
    this.outline = Outlines.of(column);
    this.made = made;
    this.filled = filled;
    this.rewritten = rewritten;
    this.type = made.type(column.name()).orElseThrow();
    this.wanted =
        outline
            .defaultValue()
            .flatMap(value -> ConstantDefault.of(value, type))
            .map(value -> stored(value, type));
    this.existing = Optional.ofNullable(column.existing()).flatMap(this::literal);
  }

  /** Why existing rows cannot get their values; empty if they can. */
  Optional<String> objection() {
    if (!filled) {
      return Optional.empty();
    }
    Optional<String> computed = column.computedForOlderRows(rewritten);
    if (computed.isPresent()) {
      return Optional.of(
          "column %s was added with values that the source computed for each row (%s), which are not in the log"
              .formatted(column.name(), computed.get()));
    }
    if (column.existing() != null && existing.isEmpty()) {
      return Optional.of(
          "column %s was added, and the value of older rows cannot be a default of type %s"
              .formatted(column.name(), type));
    }
    return column.notNull() && existing.isEmpty()
        ? Optional.of(
            "column %s was added, and the log does not have the values of older rows"
                .formatted(column.name()))
        : Optional.empty();
  }

  String definition() {
    if (!filled) {
      return made.definition(outline);
    }
    return "%s %s %s%s"
        .formatted(
            TableId.quote(column.name()),
            type,
            column.notNull() ? "NOT NULL" : "NULL",
            existing.map(value -> " DEFAULT " + made.constant(type, value)).orElse(""));
  }

  /**
   * The clause that gives the added column its own default; empty if it already has it.
   *
   * @param present the column as it is on the target
   */
  Optional<String> defaultBehind(PresentColumn present) {
    boolean isOfUser = present.hasDefault() && present.constant().isEmpty();
    if (isOfUser || !areSame(present.constant(), existing) || areSame(wanted, existing)) {
      return Optional.empty();
    }
    return Optional.of(
        "ALTER COLUMN %s %s"
            .formatted(
                TableId.quote(column.name()),
                wanted
                    .map(value -> "SET DEFAULT " + made.constant(type, value))
                    .orElse("DROP DEFAULT")));
  }

  /** Rounds: the source's default may have more digits than its type keeps. */
  private static String stored(String literal, String type) {
    Matcher digits = DIGITS.matcher(type);
    if (digits.lookingAt()) {
      int scale = digits.group(1) == null ? 0 : Integer.parseInt(digits.group(1));
      return new BigDecimal(literal).setScale(scale, RoundingMode.HALF_UP).toPlainString();
    }
    return switch (type) {
      case "float" -> new BigDecimal(Float.toString(Float.parseFloat(literal))).toPlainString();
      case "double" -> new BigDecimal(Double.toString(Double.parseDouble(literal))).toPlainString();
      default -> literal;
    };
  }

  /** The server may print zeros at the end of a number or a time. */
  private static boolean areSame(Optional<String> one, Optional<String> other) {
    return one.map(NewColumn::bare).equals(other.map(NewColumn::bare));
  }

  private static String bare(String literal) {
    return FRACTION.matcher(PresentColumn.unquoted(literal)).replaceFirst("$1$2");
  }

  private Optional<String> literal(String text) {
    TargetColumn target =
        new TargetColumn(
            column.name(),
            1,
            type,
            false,
            type,
            type.replaceFirst("[ (].*", ""),
            ',',
            "=",
            true,
            column.notNull(),
            false,
            false,
            false,
            false);
    Optional<ValueForm> form = ValueForm.of(target);
    if (form.isEmpty() || form.get().expression("x").isPresent()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Shown.text(form.get().loaded(Slice.of(text)).text()));
    } catch (SQLException e) {
      // The column would change the value.
      return Optional.empty();
    }
  }
}
