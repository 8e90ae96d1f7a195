package dev.sluice.engine.endtoend;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.Relay;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A PostgreSQL server with durable commits. Applications reach it past the network. */
final class FailingPostgres implements Outage.Server {
  private final EmbeddedPostgres.Builder builder;
  private final Relay network;
  private volatile EmbeddedPostgres running;

  private FailingPostgres(EmbeddedPostgres.Builder builder) throws IOException {
    this.builder = builder;
    this.running = builder.start();
    this.network = new Relay(running.port());
    builder.port(running.port());
  }

  static FailingPostgres start(Path directory, String database) throws Exception {
    FailingPostgres started =
        new FailingPostgres(EmbeddedPostgres.builder().directory(directory).fsync());
    started.running.createDatabase(database);
    return started;
  }

  int port() {
    return running.port();
  }

  EmbeddedPostgres server() {
    return running;
  }

  /** A session of an application, which no lock holds for ever. */
  Connection application(String database) throws SQLException {
    return DriverManager.getConnection(
        running.jdbcUrl(database) + "&options=-c%20statement_timeout%3D20s");
  }

  @Override
  public Relay network() {
    return network;
  }

  @Override
  public void freeze() {
    running.freeze();
  }

  @Override
  public void thaw() {
    running.thaw();
  }

  @Override
  public void stop() {
    running.close();
  }

  @Override
  public void kill() {
    running.crash();
  }

  @Override
  public void start() {
    running = builder.start();
  }

  @Override
  public void close() throws IOException {
    network.close();
    running.close();
  }
}
