package dev.sluice.demo;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** A PostgreSQL server, as a source or as a target. Owned by {@link DemoServers}. */
record PostgresServer(EmbeddedPostgres server) implements DemoServer {
  static final String USER = "postgres";

  static PostgresServer start(Path folder) throws SQLException {
    return DemoServer.withDatabase(
        new PostgresServer(EmbeddedPostgres.builder().directory(folder).start()));
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
    return section(side, "postgresql", USER, server.port(), "the-servers-trust-this-machine");
  }

  String jdbcUrl() {
    return server.jdbcUrl(DATABASE);
  }

  @Override
  public void close() {
    server.close();
  }
}
