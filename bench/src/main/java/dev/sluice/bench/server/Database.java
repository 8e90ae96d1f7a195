package dev.sluice.bench.server;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One database of a loopback server, with its superuser. Immutable. */
public record Database(Kind kind, int port, String name) {
  /** PostgreSQL's. */
  public static final String USER = "postgres";

  /** Which server has it. */
  public enum Kind {
    POSTGRESQL("postgresql", USER, "postgres"),
    MARIADB("mariadb", "root", "mysql");

    private final String type;
    private final String user;

    /** Connected to while other databases are made and dropped. */
    private final String maintenance;

    Kind(String type, String user, String maintenance) {
      this.type = type;
      this.user = user;
      this.maintenance = maintenance;
    }

    /** By its name in arguments. */
    public static Kind of(String name) {
      return valueOf(name.toUpperCase(Locale.ROOT));
    }
  }

  /** A database of PostgreSQL. */
  public Database(int port, String name) {
    this(Kind.POSTGRESQL, port, name);
  }

  public boolean isMariadb() {
    return kind == Kind.MARIADB;
  }

  public String user() {
    return kind.user;
  }

  /** As a task file names it. */
  public Endpoint endpoint() {
    return new Endpoint(kind.type, "127.0.0.1", port, name, kind.user, Secret.NONE, Map.of());
  }

  public String jdbcUrl() {
    return endpoint().jdbcUrl();
  }

  /** The schema of its tables: MariaDB's databases have none but themselves. */
  public String schema() {
    return isMariadb() ? name : "public";
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl() + "?user=" + kind.user);
  }

  /** The same server's other database. */
  public Database sibling(String other) {
    return new Database(kind, port, other);
  }

  Database maintenance() {
    return sibling(kind.maintenance);
  }

  /** How PostgreSQL's own replication connects to it. */
  public String connectionString() {
    return "host=127.0.0.1 port=" + port + " user=" + USER + " dbname=" + name;
  }

  /** Runs each statement in a transaction of its own, all on one connection. */
  public void execute(List<String> statements) throws SQLException {
    try (Connection connection = connect()) {
      execute(connection, statements);
    }
  }

  public void execute(String... statements) throws SQLException {
    execute(List.of(statements));
  }

  public static void execute(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first column of a query's only row. */
  public static String single(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getString(1);
    }
  }

  /** The first column of a query's rows. */
  public static List<String> column(Connection connection, String query) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      while (result.next()) {
        values.add(result.getString(1));
      }
    }
    return values;
  }
}
