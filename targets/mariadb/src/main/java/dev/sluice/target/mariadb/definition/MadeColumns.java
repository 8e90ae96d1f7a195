package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.IndexedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.target.mariadb.catalog.MariadbTypes;
import dev.sluice.target.mariadb.catalog.Shown;
import dev.sluice.target.mariadb.server.ServerKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The columns of a table that Sluice creates: their types, and the key. A type keeps every value of
 * the source's type. So a key of texts without a maximum length is a problem: no index contains
 * such texts completely. Immutable.
 */
final class MadeColumns {
  private static final Pattern CHARACTERS = Pattern.compile("(?:var)?char\\((\\d+)\\).*");

  /**
   * A row has at most 65,535 bytes without its large values; this leaves some for other columns.
   */
  private static final int MOST_BYTES_OF_TEXTS = 48_000;

  private static final int BYTES_PER_CHARACTER = 4;
  private static final Set<String> COUNTING = Set.of("smallint", "int", "bigint");

  private final ServerKind server;
  private final TableOutline table;
  private final Map<String, String> types = new LinkedHashMap<>();

  MadeColumns(ServerKind server, TableOutline table) {
    this.server = server;
    this.table = table;
    table
        .columns()
        .forEach(column -> types.put(column.name(), MariadbTypes.of(server, column.type())));
    shorten();
  }

  /**
   * Makes columns of texts that are in no index large ones, the longest first, until a row is small
   * enough.
   */
  private void shorten() {
    Set<String> indexed = new HashSet<>(table.key());
    table.indexes().forEach(index -> index.columns().forEach(part -> indexed.add(part.name())));
    table.foreignKeys().forEach(key -> indexed.addAll(key.columns()));
    List<String> longest =
        types.keySet().stream()
            .filter(name -> !indexed.contains(name) && bytes(types.get(name)) > 0)
            .sorted(Comparator.comparingInt((String name) -> bytes(types.get(name))).reversed())
            .toList();
    int sum = types.values().stream().mapToInt(MadeColumns::bytes).sum();
    for (String name : longest) {
      if (sum <= MOST_BYTES_OF_TEXTS) {
        return;
      }
      sum -= bytes(types.get(name));
      types.put(name, MariadbTypes.of(server, "text"));
    }
  }

  /** The maximum bytes of a text type with a length; 0 for other types. */
  private static int bytes(String type) {
    Matcher characters = CHARACTERS.matcher(type);
    return characters.matches() ? Integer.parseInt(characters.group(1)) * BYTES_PER_CHARACTER : 0;
  }

  ServerKind server() {
    return server;
  }

  /** The type of a column on the target; empty if the table has no such column. */
  Optional<String> type(String column) {
    return Optional.ofNullable(types.get(column));
  }

  /** Whether a column is too large to be in an index completely. */
  boolean isLarge(String column) {
    return type(column).filter(MadeColumns::isLargeType).isPresent();
  }

  private static boolean isLargeType(String type) {
    return type.startsWith("longtext") || type.startsWith("longblob");
  }

  /** About how many bytes a column needs in an index. */
  int bytesInIndex(String column) {
    return Math.max(Long.BYTES, type(column).map(MadeColumns::bytes).orElse(0));
  }

  /** The columns and the key, as they are written in CREATE TABLE. */
  String body() {
    String columns =
        table.columns().stream().map(this::definition).collect(Collectors.joining(", "));
    return table.key().isEmpty()
        ? columns
        : "%s, %s (%s)"
            .formatted(
                columns,
                table.primary() ? "PRIMARY KEY" : "UNIQUE KEY",
                table.key().stream().map(TableId::quote).collect(Collectors.joining(", ")));
  }

  /** A column as it is written in CREATE TABLE. */
  String definition(OutlinedColumn column) {
    String type = types.get(column.name());
    StringBuilder sql = new StringBuilder(TableId.quote(column.name())).append(' ').append(type);
    sql.append(column.notNull() ? " NOT NULL" : " NULL");
    if (isCounted(column)) {
      sql.append(" AUTO_INCREMENT");
    }
    column
        .defaultValue()
        .flatMap(expression -> ConstantDefault.of(expression, type))
        .ifPresent(value -> sql.append(" DEFAULT ").append(constant(type, value)));
    return sql.toString();
  }

  /** MySQL accepts a constant default of a text without a maximum length only as an expression. */
  String constant(String type, String value) {
    return server == ServerKind.MYSQL && isLargeType(type) ? "(" + value + ")" : value;
  }

  /**
   * Whether the column becomes AUTO_INCREMENT. The server allows one such column in a table, and it
   * must be the first one of an index.
   */
  private boolean isCounted(OutlinedColumn column) {
    return column.counted()
        && column.notNull()
        && COUNTING.contains(types.get(column.name()))
        && !table.key().isEmpty()
        && table.key().get(0).equals(column.name());
  }

  /** Why the columns cannot be created; empty if they can. */
  List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    for (OutlinedColumn column : table.columns()) {
      String thing = "table %s, column %s".formatted(table.source(), column.name());
      if (column.generated()) {
        problems.add(
            new Problem(
                thing,
                "is generated, and %s may compute other values from its expression"
                    .formatted(server.label()),
                "columns that are not generated",
                "Remove it by a remove-column rule; or create the table on the target by hand,"
                    + " and set TRUNCATE_BEFORE_LOAD or DO_NOTHING"));
      } else if (table.key().contains(column.name()) && isLarge(column.name())) {
        problems.add(
            new Problem(
                thing,
                "is of type %s and belongs to the key, and a key of %s needs values with a maximum length"
                    .formatted(typeForPeople(column), server.label()),
                "key columns whose values have a maximum length",
                fixOfKey(column)));
      }
    }
    return problems;
  }

  private String typeForPeople(OutlinedColumn column) {
    return column
        .ownType()
        .map(own -> "%s, which becomes %s".formatted(own, types.get(column.name())))
        .orElse(column.type());
  }

  /** Bytes always become a longblob here, so a length on the source would not help. */
  private String fixOfKey(OutlinedColumn column) {
    if (types.get(column.name()).startsWith("longblob")) {
      return "Make another primary key on the source, of whole numbers or texts with a length;"
          + " or deselect the table";
    }
    return "Give it a length on the source: "
        + (column.ownType().isPresent()
            ? "ALTER TABLE %s MODIFY %s varchar(n) NOT NULL"
                .formatted(Shown.table(table.source()), Shown.name(column.name()))
            : "ALTER TABLE %s ALTER COLUMN %s TYPE varchar(n)"
                .formatted(table.source().quoted(), TableId.quote(column.name())))
        + "; or deselect the table";
  }

  /** Defaults and counters that are not created. */
  List<CompletionStep> leftOut() {
    List<CompletionStep> steps = new ArrayList<>();
    for (OutlinedColumn column : table.columns()) {
      String type = types.get(column.name());
      column
          .defaultValue()
          .filter(expression -> !ConstantDefault.isNull(expression))
          .filter(expression -> ConstantDefault.of(expression, type).isEmpty())
          .ifPresent(
              expression ->
                  steps.add(
                      leftOut(
                          "default of " + table.table() + "." + column.name(),
                          "it has no known counterpart, set it by hand: " + expression)));
      if (column.counted() && !isCounted(column)) {
        steps.add(
            leftOut(
                "counter of " + table.table() + "." + column.name(),
                server.label()
                    + " counts only whole numbers in the first column of a key; "
                    + (server == ServerKind.MARIADB
                        ? "make a sequence by hand"
                        : "and it has no sequences")));
      }
    }
    return steps;
  }

  private CompletionStep leftOut(String name, String reason) {
    return CompletionStep.leftOut(table.table(), Stage.CONSTRAINTS, Kind.TRIGGER, name, reason);
  }

  /** The names of an index's columns. */
  static List<String> names(List<IndexedColumn> columns) {
    return columns.stream().map(IndexedColumn::name).toList();
  }
}
