package dev.sluice.sink.apply.plan;

import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The temporary tables of one connection. They live as long as it does and are empty at the
 * beginning of each transaction. Owned by the apply thread.
 */
public final class Staging {
  /** PostgreSQL empties and locks each of them at every commit. */
  private static final int KEPT_TABLES = 100;

  /** Equal to nothing that is wanted. */
  private static final Object UNKNOWN = new Object();

  private final TargetConnection connection;

  /** By table, the definition it was created with; the one not used for longest comes first. */
  private final Map<String, String> created = new LinkedHashMap<>(16, 0.75f, true);

  private final Set<String> createdInTransaction = new HashSet<>();

  /** By table that is not empty, what it holds. */
  private final Map<String, Object> content = new HashMap<>();

  Staging(TargetConnection connection) {
    this.connection = connection;
  }

  /** The full name of a temporary table of that name and these columns. */
  public String table(String name, String columns) throws SQLException {
    String table = "pg_temp." + name;
    String known = created.get(table);
    if (!columns.equals(known)) {
      connection.execute("DROP TABLE IF EXISTS " + table);
      content.remove(table);
      if (created.size() >= KEPT_TABLES) {
        dropLeastUsed();
      }
      connection.execute(
          "CREATE TEMPORARY TABLE " + name + " (" + columns + ") ON COMMIT DELETE ROWS");
      created.put(table, columns);
      createdInTransaction.add(table);
    }
    return table;
  }

  public boolean holds(String table, Object wanted) {
    return wanted.equals(content.get(table));
  }

  /** Empties the table where it is not empty, and notes what will be in it. */
  public void fill(String table, Object newContent) throws SQLException {
    if (content.put(table, newContent) != null) {
      connection.execute("TRUNCATE " + table);
    }
  }

  void committed() {
    content.clear();
    createdInTransaction.clear();
  }

  void rolledBack() {
    content.clear();
    createdInTransaction.forEach(created::remove);
    createdInTransaction.clear();
  }

  /** After the transaction went back to a savepoint: what any table holds is not known. */
  void rolledBackToSavepoint() {
    content.replaceAll((table, before) -> UNKNOWN);
    createdInTransaction.forEach(created::remove);
    createdInTransaction.clear();
  }

  private void dropLeastUsed() throws SQLException {
    for (String table : created.keySet()) {
      if (!content.containsKey(table)) {
        created.remove(table);
        createdInTransaction.remove(table);
        connection.execute("DROP TABLE " + table);
        return;
      }
    }
  }
}
