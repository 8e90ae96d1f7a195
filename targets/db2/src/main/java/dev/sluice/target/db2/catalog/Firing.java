package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.target.db2.session.Derby;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/*
 * The driver's metadata have no triggers. If the server's catalog cannot be read for them, the
 * check of each table fails: an unknown trigger would act on applied changes.
 */
/**
 * What the server runs at each change of a table: triggers, and checks of foreign keys, for which
 * the order of changes within a round is wrong. Immutable.
 */
record Firing(List<String> names) {
  private static final String OF_DB2 =
      "SELECT TRIGNAME FROM SYSCAT.TRIGGERS WHERE TABSCHEMA = ? AND TABNAME = ?";

  private static final String OF_DERBY =
      "SELECT G.TRIGGERNAME FROM SYS.SYSTRIGGERS AS G, SYS.SYSTABLES AS T, SYS.SYSSCHEMAS AS S"
          + " WHERE G.TABLEID = T.TABLEID AND T.SCHEMAID = S.SCHEMAID AND S.SCHEMANAME = ?"
          + " AND T.TABLENAME = ?";

  static Firing of(Connection session, TableId id) throws SQLException {
    List<String> names = new ArrayList<>();
    try (PreparedStatement statement =
        session.prepareStatement(Derby.isIt(session) ? OF_DERBY : OF_DB2)) {
      statement.setString(1, id.schema());
      statement.setString(2, id.name());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          names.add("trigger " + row.getString(1));
        }
      }
    }
    TreeSet<String> keys = new TreeSet<>();
    try (ResultSet row = session.getMetaData().getImportedKeys(null, id.schema(), id.name())) {
      while (row.next()) {
        keys.add("foreign key " + row.getString("FK_NAME"));
      }
    }
    try (ResultSet row = session.getMetaData().getExportedKeys(null, id.schema(), id.name())) {
      while (row.next()) {
        keys.add(
            "foreign key %s of %s"
                .formatted(row.getString("FK_NAME"), row.getString("FKTABLE_NAME")));
      }
    }
    names.addAll(keys);
    return new Firing(List.copyOf(names));
  }
}
