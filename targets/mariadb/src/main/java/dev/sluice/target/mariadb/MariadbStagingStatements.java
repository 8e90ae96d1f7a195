package dev.sluice.target.mariadb;

import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagingStatements;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.server.ServerKind;
import dev.sluice.target.mariadb.value.ColumnType;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Temporary tables of MariaDB, in the database of the url. They keep their rows at a commit, and
 * still exist after a rollback. CREATE and DROP of temporary tables do not commit; TRUNCATE would.
 * Stateless.
 */
final class MariadbStagingStatements implements StagingStatements {
  /** A row must fit into a page; only values of these types are stored outside of it. */
  private static final Set<String> LONG_TEXTS =
      Set.of("varchar", "tinytext", "text", "mediumtext", "longtext");

  private static final Set<String> LONG_BYTES =
      Set.of("varbinary", "tinyblob", "blob", "mediumblob", "longblob");

  private final ServerKind server;

  MariadbStagingStatements(ServerKind server) {
    this.server = server;
  }

  @Override
  public String table(String name) {
    return "sluice_" + name.replace('-', '_');
  }

  @Override
  public String create(String name, String columns) {
    return "CREATE TEMPORARY TABLE " + definition(table(name), columns);
  }

  private String definition(String table, String columns) {
    return "%s (%s) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COLLATE = %s"
        .formatted(table, columns, server.binaryCollation());
  }

  @Override
  public String drop(String table) {
    return "DROP TEMPORARY TABLE " + table;
  }

  @Override
  public List<String> dropIfExists(String table) {
    return List.of("DROP TEMPORARY TABLE IF EXISTS " + table);
  }

  @Override
  public boolean emptiedAtCommit() {
    return false;
  }

  /**
   * Creates the table again. After a DELETE each later statement would read the deleted rows until
   * they are purged, which takes long after a large set.
   */
  @Override
  public List<String> clear(String table, String columns) {
    return server == ServerKind.MARIADB
        ? List.of("CREATE OR REPLACE TEMPORARY TABLE " + definition(table, columns))
        : List.of(
            "DROP TEMPORARY TABLE IF EXISTS " + table,
            "CREATE TEMPORARY TABLE " + definition(table, columns));
  }

  @Override
  public String columns(List<StagedColumn> columns) {
    List<StagedColumn> key =
        columns.stream().filter(column -> column.kind() == StagedColumn.Kind.KEY).toList();
    boolean found =
        KeyLiterals.of(server, key.stream().map(StagedColumn::column).toList()).isPresent();
    String definitions =
        columns.stream()
            .map(
                column ->
                    switch (column.kind()) {
                      case NUMBER -> column.name() + " bigint";
                      case BITS ->
                          column.name() + " longtext CHARACTER SET ascii COLLATE ascii_bin";
                      case VALUE -> column.name() + " " + stored(column.column()) + " NULL";
                      case KEY ->
                          column.name()
                              + " "
                              + (found
                                  ? column.column().storedType() + " NOT NULL"
                                  : stored(column.column()) + " NULL");
                    })
            .collect(Collectors.joining(", "));
    return found
        ? key.stream()
            .map(StagedColumn::name)
            .collect(Collectors.joining(", ", definitions + ", PRIMARY KEY (", ")"))
        : definitions;
  }

  @Override
  public String keptColumns(List<TargetColumn> columns) {
    StringBuilder definition = new StringBuilder("n bigint, KEY (n)");
    for (TargetColumn column : columns) {
      definition
          .append(", ")
          .append(column.keptName())
          .append(' ')
          .append(stored(column))
          .append(" NULL");
    }
    return definition.toString();
  }

  private static String stored(TargetColumn column) {
    ColumnType type = ColumnType.of(column);
    if (column.number() == 0 || LONG_TEXTS.contains(type.name())) {
      return "longtext" + type.characters();
    }
    return LONG_BYTES.contains(type.name()) ? "longblob" : column.storedType();
  }
}
