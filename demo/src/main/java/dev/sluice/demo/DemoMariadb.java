package dev.sluice.demo;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.ServerBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * A MariaDB server, as a source or as a target. Owned by {@link DemoServers}.
 *
 * @param user of the task
 */
record DemoMariadb(EmbeddedMariadb server, String user) implements DemoServer {
  private static final String PASSWORD = "of-the-demo";

  static DemoMariadb start(ServerBuilder<EmbeddedMariadb> builder, String user)
      throws SQLException {
    return DemoServer.withDatabase(new DemoMariadb(builder.start(), user));
  }

  /**
   * Creates the task's user.
   *
   * @param rights statements, in which the first argument is the user and the second the database
   */
  void grant(List<String> rights) throws SQLException {
    run("CREATE USER %s@'%%' IDENTIFIED BY '%s'".formatted(user, PASSWORD));
    for (String right : rights) {
      run(right.formatted(user, DATABASE));
    }
  }

  @Override
  public void createDatabase() throws SQLException {
    server.createDatabase(DATABASE);
  }

  @Override
  public Connection connect() throws SQLException {
    return server.connect(DATABASE);
  }

  @Override
  public String section(String side) {
    return section(side, "mariadb", user, server.port(), PASSWORD);
  }

  @Override
  public void close() {
    server.close();
  }
}
