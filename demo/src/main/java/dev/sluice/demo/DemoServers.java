package dev.sluice.demo;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.postgres.PostgresReader;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.validate.TableComparison;
import dev.sluice.sink.target.kind.TargetServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** The demo's two PostgreSQL servers. Owned by the demo's thread. */
final class DemoServers implements AutoCloseable {
  static final String DATABASE = "shop";

  private static final String USER = "postgres";

  private final EmbeddedPostgres source;
  private final EmbeddedPostgres target;

  private DemoServers(EmbeddedPostgres source, EmbeddedPostgres target) {
    this.source = source;
    this.target = target;
  }

  static DemoServers start(Path folder) throws SQLException {
    EmbeddedPostgres source =
        EmbeddedPostgres.builder().directory(folder.resolve("source")).start();
    try {
      EmbeddedPostgres target =
          EmbeddedPostgres.builder().directory(folder.resolve("target")).start();
      DemoServers servers = new DemoServers(source, target);
      source.createDatabase(DATABASE);
      target.createDatabase(DATABASE);
      return servers;
    } catch (SQLException | RuntimeException e) {
      source.close();
      throw e;
    }
  }

  int sourcePort() {
    return source.port();
  }

  int targetPort() {
    return target.port();
  }

  Connection connectSource() throws SQLException {
    return source.connect(DATABASE);
  }

  Connection connectTarget() throws SQLException {
    return target.connect(DATABASE);
  }

  /** Compares the demo's database on both servers. */
  TableComparison comparison() {
    return new TableComparison(
        new PostgresReader(new SourceServer(source.jdbcUrl(DATABASE), USER, null, "sluice-demo")),
        TargetServers.postgres(target.jdbcUrl(DATABASE), USER, null, "sluice-demo", 0),
        TableMappings.EVERYTHING);
  }

  @Override
  public void close() {
    try {
      target.close();
    } finally {
      source.close();
    }
  }
}
