package dev.sluice.target.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.SideColumn;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.comparison.printed.PrintedColumn;
import dev.sluice.connector.comparison.printed.PrintedTable;
import dev.sluice.connector.comparison.printed.TypeReading;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetIndex;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.catalog.MariadbCatalog;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A table of the target, whose values are printed as the source prints its own. Immutable.
 *
 * @param described as the catalog has it
 * @param engine the storage engine
 * @param bytes on disk, as InnoDB estimates them
 */
record PrintedTarget(TargetTable described, String engine, long bytes) implements PrintedTable {
  private static final String STORED =
      "SELECT ENGINE, COALESCE(DATA_LENGTH, 0) FROM information_schema.TABLES"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";

  /**
   * The table as it is now; empty if there is none of that name.
   *
   * @throws NotReadable if others hold a lock on its definition: the catalog then shows it
   *     incompletely
   */
  static Optional<PrintedTarget> read(ServerKind server, Connection present, TableId id)
      throws SQLException {
    Optional<TargetTable> described = new MariadbCatalog(server).table(present, id);
    if (described.isEmpty()) {
      return Optional.empty();
    }
    try (PreparedStatement statement = present.prepareStatement(STORED)) {
      statement.setString(1, id.schema());
      statement.setString(2, id.name());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        if (row.getString(1) == null || described.get().columns().isEmpty()) {
          throw new NotReadable(
              Reason.BLOCKED,
              "target table %s: its definition cannot be read now; others hold a lock on it, unless it is damaged"
                  .formatted(id),
              null);
        }
        return Optional.of(new PrintedTarget(described.get(), row.getString(1), row.getLong(2)));
      }
    }
  }

  @Override
  public SideTable table() {
    return new SideTable(
        false,
        described.columns().stream().map(PrintedTarget::sideColumn).toList(),
        described.indexes().stream()
            .map(TargetIndex::uniqueKey)
            .filter(key -> !key.isEmpty())
            .toList(),
        bytes,
        refusals(),
        List.of());
  }

  private List<String> refusals() {
    return engine.equalsIgnoreCase("InnoDB")
        ? List.of()
        : List.of(
            "target table %s: is of engine %s, of which there are no snapshots; expected InnoDB"
                .formatted(described.id(), engine));
  }

  private static SideColumn sideColumn(TargetColumn column) {
    return TypeReading.sideColumn(
        column.name(), column.type(), column.generated(), ColumnReading.of(column));
  }

  /**
   * Whether InnoDB stores the rows in the index of these columns. It uses the primary key, or
   * without one the first unique index whose columns are NOT NULL.
   */
  boolean isStoredBy(List<String> key) {
    List<TargetIndex> unique = described.indexes();
    List<TargetIndex> primary =
        unique.stream().filter(index -> index.name().equals("PRIMARY")).toList();
    // The catalog does not say which of several unique indexes is the first.
    List<TargetIndex> candidates = primary.isEmpty() && unique.size() == 1 ? unique : primary;
    return candidates.stream()
        .anyMatch(
            index ->
                Set.copyOf(index.uniqueKey()).equals(Set.copyOf(key))
                    && key.stream().noneMatch(this::takesNull));
  }

  @Override
  public boolean takesNull(String column) {
    return described.column(column).map(found -> !found.notNull()).orElse(false);
  }

  @Override
  public PrintedColumn column(ComparedRows rows, ComparedValue value) {
    TargetColumn column =
        described
            .column(value.column())
            .orElseThrow(() -> new IllegalStateException("BUG: no column " + value.column()));
    return TypeReading.required(ColumnReading.of(column), rows, value, column.type());
  }
}
