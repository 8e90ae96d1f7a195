package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A foreign key. Immutable.
 *
 * @param onUpdate the action of ON UPDATE, such as {@code RESTRICT}
 * @param onDelete the action of ON DELETE
 */
public record MariadbForeignKey(
    TableId table,
    String name,
    List<String> columns,
    TableId referenced,
    List<String> referencedColumns,
    String onUpdate,
    String onDelete) {
  /*
   * REFERENTIAL_CONSTRAINTS, which has the rules, shows nothing to a user that may only read the
   * tables. InnoDB's views show them to a user with PROCESS.
   */
  private static final String ALL =
      """
      SELECT k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_SCHEMA,
        k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, f.TYPE
      FROM information_schema.KEY_COLUMN_USAGE k
      LEFT JOIN (SELECT CAST(ID AS BINARY) AS ID, TYPE FROM information_schema.INNODB_SYS_FOREIGN) f
        ON f.ID = concat(CAST(convert(k.CONSTRAINT_SCHEMA USING filename) AS BINARY), '/',
          CAST(k.CONSTRAINT_NAME AS BINARY))
      WHERE k.CONSTRAINT_SCHEMA = ? AND k.REFERENCED_TABLE_NAME IS NOT NULL
      ORDER BY k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION
      """;

  /** MySQL shows the rules to a user that may read the tables. */
  private static final String OF_MYSQL =
      """
      SELECT k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_SCHEMA,
        k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.UPDATE_RULE, r.DELETE_RULE
      FROM information_schema.KEY_COLUMN_USAGE k
      LEFT JOIN information_schema.REFERENTIAL_CONSTRAINTS r
        ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.TABLE_NAME = k.TABLE_NAME
        AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME
      WHERE k.CONSTRAINT_SCHEMA = ? AND k.REFERENCED_TABLE_NAME IS NOT NULL
      ORDER BY k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION
      """;

  /** InnoDB's bits of a rule; those for DELETE are followed by those for UPDATE. */
  private static final int CASCADE = 1;

  private static final int SET_NULL = 2;
  private static final int NO_ACTION = 16;
  private static final String UNKNOWN = "UNKNOWN";

  private static final Set<String> CHANGE_ROWS =
      Set.of("CASCADE", "SET NULL", "SET DEFAULT", UNKNOWN);

  public MariadbForeignKey {
    columns = List.copyOf(columns);
    referencedColumns = List.copyOf(referencedColumns);
  }

  /** All foreign keys of a database. Needs the right PROCESS. */
  public static List<MariadbForeignKey> read(Connection connection, String database)
      throws SQLException {
    Map<List<String>, List<String[]>> rows = new LinkedHashMap<>();
    MariadbQuery query = new MariadbQuery(connection);
    boolean mysql = query.flavour() == Flavour.MYSQL;
    for (String[] row : query.rows(mysql ? OF_MYSQL : ALL, database)) {
      rows.computeIfAbsent(List.of(row[0], row[1]), name -> new ArrayList<>()).add(row);
    }
    return rows.values().stream().map(of -> of(database, of, mysql)).toList();
  }

  private static MariadbForeignKey of(String database, List<String[]> rows, boolean mysql) {
    String[] first = rows.get(0);
    return new MariadbForeignKey(
        new TableId(database, first[0]),
        first[1],
        rows.stream().map(row -> row[2]).toList(),
        new TableId(first[3], first[4]),
        rows.stream().map(row -> row[5]).toList(),
        mysql ? Objects.requireNonNullElse(first[6], UNKNOWN) : rule(first[6], 2, 1),
        mysql ? Objects.requireNonNullElse(first[7], UNKNOWN) : rule(first[6], 0, 0));
  }

  /**
   * The rule in SQL.
   *
   * @param bits null if InnoDB does not know the foreign key
   */
  private static String rule(String bits, int shift, int noActionShift) {
    if (bits == null) {
      return UNKNOWN;
    }
    int type = Integer.parseInt(bits);
    if ((type & CASCADE << shift) != 0) {
      return "CASCADE";
    }
    if ((type & SET_NULL << shift) != 0) {
      return "SET NULL";
    }
    return (type & NO_ACTION << noActionShift) != 0 ? "NO ACTION" : "RESTRICT";
  }

  /**
   * Whether a change of a referenced row changes rows of this table, which the log does not have.
   */
  public boolean changesRows() {
    return CHANGE_ROWS.contains(onUpdate) || CHANGE_ROWS.contains(onDelete);
  }
}
