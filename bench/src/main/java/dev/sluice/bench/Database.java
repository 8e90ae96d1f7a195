package dev.sluice.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** One database of a loopback server, with its superuser. Immutable. */
record Database(int port, String name) {
  static final String USER = "postgres";

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + name + "?user=" + USER);
  }

  /** The same server's other database. */
  Database sibling(String other) {
    return new Database(port, other);
  }

  /** How PostgreSQL's own replication connects to it. */
  String connectionString() {
    return "host=127.0.0.1 port=" + port + " user=" + USER + " dbname=" + name;
  }
}
