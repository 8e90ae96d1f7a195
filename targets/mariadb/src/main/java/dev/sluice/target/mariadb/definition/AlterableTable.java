package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.value.ColumnType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/**
 * An existing table of the target that is to be altered. Immutable.
 *
 * @param create its definition, as SHOW CREATE TABLE prints it
 * @param filled whether it has rows
 */
record AlterableTable(TargetTable table, List<FoundIndex> indexes, String create, boolean filled) {
  private static final String PRIMARY = "PRIMARY";

  AlterableTable {
    indexes = List.copyOf(indexes);
  }

  static AlterableTable read(TargetConnection connection, TableId name) throws SQLException {
    TargetTable table =
        connection
            .dialect()
            .catalog()
            .table(connection.jdbc(), name)
            .orElseThrow(() -> new SQLException("table " + name + " is gone", "42S02", 1146));
    return new AlterableTable(
        table,
        FoundIndex.read(connection, name),
        create(connection, name),
        connection.exists("SELECT 1 FROM " + name.quoted() + " LIMIT 1"));
  }

  private static String create(TargetConnection connection, TableId name) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery("SHOW CREATE TABLE " + name.quoted())) {
      row.next();
      return row.getString(2);
    }
  }

  Optional<TargetColumn> column(String name) {
    return table.column(name);
  }

  /** The column as the server prints it; empty if the text does not have the expected form. */
  Optional<PresentColumn> written(TargetColumn column) {
    ColumnType type = ColumnType.of(column);
    String bare =
        column.storedType().substring(0, column.storedType().length() - type.characters().length());
    return PresentColumn.in(create, column.name(), bare, type.characters());
  }

  /** The columns of the primary key, in its order; empty if there is none. */
  List<String> key() {
    return indexes.stream()
        .filter(index -> index.name().equals(PRIMARY))
        .findFirst()
        .map(FoundIndex::columns)
        .orElse(List.of());
  }

  /** The other indexes that contain a column together with others. */
  List<String> indexesWith(String column) {
    return indexes.stream()
        .filter(index -> !index.name().equals(PRIMARY))
        .filter(index -> index.columns().size() > 1 && index.columns().contains(column))
        .map(FoundIndex::name)
        .toList();
  }
}
