package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SqlDialect;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.IndexedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedIndex;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/*
 * YugabyteDB creates an index while others write, in several transactions. An index that fails
 * stays, and is INVALID. Its name is needed by the next attempt, which therefore drops it first.
 */
/** The indexes of a table that Sluice creates, without that of its key. Immutable. */
record YugabyteIndexes(TableOutline table) {
  static final SqlDialect DIALECT = new SqlDialect(YugabyteDialect.INSTANCE.type());

  private static final int PLACE = 1;

  /** The state of an index; no row if it does not exist. */
  private static final String FOUND =
      "SELECT 1 FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid"
          + " JOIN pg_catalog.pg_class t ON t.oid = i.indrelid"
          + " JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace"
          + " WHERE n.nspname = %s AND t.relname = %s AND c.relname = %s";

  /** Its columns, in order. */
  private static final String COLUMNS =
      "(SELECT pg_catalog.string_agg(a.attname, ',' ORDER BY k.place)"
          + " FROM unnest(i.indkey::int2[]) WITH ORDINALITY k (number, place)"
          + " JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number"
          + " WHERE k.place <= i.indnkeyatts)";

  private static final String UNIQUE =
      """
      SELECT c.relname, ARRAY(SELECT a.attname::text
        FROM unnest(i.indkey::int2[]) WITH ORDINALITY k (number, place)
        LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
        WHERE k.place <= i.indnkeyatts ORDER BY k.place)
      FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
      JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE n.nspname = ? AND t.relname = ? AND i.indisunique ORDER BY 1
      """;

  List<CompletionStep> steps() {
    return table.indexes().stream().map(this::step).toList();
  }

  private CompletionStep step(OutlinedIndex index) {
    String name = table.table() + "." + index.name();
    Optional<String> unable = unable(index);
    if (unable.isPresent()) {
      return CompletionStep.leftOut(table.table(), Stage.TABLE, Kind.INDEX, name, unable.get());
    }
    String found = found(index.name());
    return CompletionStep.of(
        table.table(),
        Stage.TABLE,
        PLACE,
        Kind.INDEX,
        name,
        List.of(
            new DefinitionStatement(
                DIALECT,
                "what is left of index " + name,
                "SELECT 1 WHERE NOT EXISTS (%s AND NOT i.indisvalid)".formatted(found),
                "DROP INDEX " + new TableId(table.table().schema(), index.name()).quoted()),
            new DefinitionStatement(
                DIALECT,
                "index " + name,
                "%s AND i.indisvalid AND i.indisunique = %s AND %s = %s"
                    .formatted(found, index.unique(), COLUMNS, Literal.of(names(index))),
                "CREATE %sINDEX %s ON %s (%s)"
                    .formatted(
                        index.unique() ? "UNIQUE " : "",
                        TableId.quote(index.name()),
                        table.table().quoted(),
                        index.columns().stream()
                            .map(YugabyteIndexes::part)
                            .collect(Collectors.joining(", "))))));
  }

  private String found(String index) {
    return FOUND.formatted(
        Literal.of(table.table().schema()), Literal.of(table.table().name()), Literal.of(index));
  }

  private static String names(OutlinedIndex index) {
    return index.columns().stream().map(IndexedColumn::name).collect(Collectors.joining(","));
  }

  private static String part(IndexedColumn column) {
    return TableId.quote(column.name()) + (column.descending() ? " DESC" : "");
  }

  /** Why an index is not created; empty if it is. */
  private Optional<String> unable(OutlinedIndex index) {
    if (index.special().isPresent()) {
      return Optional.of(
          "%s, which Sluice does not create here; create one by hand if it is needed"
              .formatted(index.special().get()));
    }
    for (IndexedColumn column : index.columns()) {
      Optional<OutlinedColumn> found = table.column(column.name());
      if (found.isEmpty()) {
        return Optional.of("transformation rules remove columns of it");
      }
      if (!MadeTypes.isIndexed(found.get().type())) {
        return Optional.of(
            "column %s is of type %s, which YugabyteDB does not allow in such an index"
                .formatted(column.name(), found.get().type()));
      }
    }
    return Optional.empty();
  }

  /** The names of existing unique indexes with columns that no unique index of the source has. */
  List<String> inTheWay(Connection session) throws SQLException {
    List<String> names = new ArrayList<>();
    try (PreparedStatement statement = session.prepareStatement(UNIQUE)) {
      statement.setString(1, table.table().schema());
      statement.setString(2, table.table().name());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          List<String> columns = new ArrayList<>();
          for (Object column : (Object[]) row.getArray(2).getArray()) {
            columns.add(String.valueOf(column));
          }
          if (!isUnique(columns)) {
            names.add(row.getString(1));
          }
        }
      }
    }
    return names;
  }

  /** Whether the source's table has a unique index with these columns. */
  private boolean isUnique(List<String> columns) {
    return sameColumns(table.key(), columns)
        || table.indexes().stream()
            .filter(index -> index.unique() && index.special().isEmpty())
            .anyMatch(
                index ->
                    sameColumns(
                        index.columns().stream().map(IndexedColumn::name).toList(), columns));
  }

  private static boolean sameColumns(List<String> some, List<String> others) {
    return some.size() == others.size() && some.containsAll(others);
  }
}
