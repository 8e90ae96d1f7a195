package dev.sluice.sink.apply;

import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The statements that are prepared on one connection for changes of single rows, kept over windows;
 * the one not used for longest makes room (StatementCacheSize). Owned by the apply thread.
 *
 * <p>A statement is known by its text. PostgreSQL plans it anew where its table was altered; none
 * gives rows, so no plan has a result that must not change.
 */
final class StatementCache {
  private static final String PREFIX = "sluice_";

  /** By SQL, the name; the one not used for longest comes first. */
  private final Map<String, String> names = new LinkedHashMap<>(16, 0.75f, true);

  private long named;

  /** Whether something was to be prepared or given up, and no answer has come. */
  private boolean unconfirmed;

  /** Runs a statement in its turn. */
  interface Turn {
    void take(String sql) throws SQLException;
  }

  /** Names found on the connection. */
  interface Query {
    List<String> texts(String sql) throws SQLException;
  }

  /**
   * The name of a prepared statement.
   *
   * @param sql with {@code $1} and so on for its parameters
   * @param size how many may be kept, from 1 on
   * @param turn takes what has to be run before the statement is used
   */
  String name(String sql, int size, Turn turn) throws SQLException {
    String known = names.get(sql);
    if (known != null) {
      return known;
    }
    Iterator<String> leastUsed = names.values().iterator();
    while (names.size() >= size) {
      unconfirmed = true;
      turn.take("DEALLOCATE " + leastUsed.next());
      leastUsed.remove();
    }
    String name = PREFIX + ++named;
    unconfirmed = true;
    turn.take("PREPARE " + name + " AS " + sql);
    names.put(sql, name);
    return name;
  }

  /** All that was prepared on the connection is given up. */
  void givenUp() {
    names.clear();
    unconfirmed = false;
  }

  /** What was to be run has been run. */
  void confirm() {
    unconfirmed = false;
  }

  /**
   * To be called before a first statement is sent. Where the last ones were broken off nobody knows
   * what is prepared: it is given up.
   */
  void settle(Query query, Turn turn) throws SQLException {
    if (!unconfirmed) {
      return;
    }
    names.clear();
    for (String name :
        query.texts(
            "SELECT name FROM pg_catalog.pg_prepared_statements WHERE starts_with(name, '%s')"
                .formatted(PREFIX))) {
      turn.take("DEALLOCATE " + name);
    }
  }
}
