package dev.sluice.engine;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A PostgreSQL source and a MariaDB target, whose schema is {@code shop}: of a test class, started
 * before it and ended after it, or of one test.
 */
public final class ToMariadb implements BeforeAllCallback, AfterAllCallback, AutoCloseable {
  private EmbeddedPostgres source;
  private EmbeddedMariadb target;

  /** Those of a class, which names them with RegisterExtension. */
  public ToMariadb() {}

  /** Servers that somebody else has started, and ends. */
  public ToMariadb(EmbeddedPostgres source, EmbeddedMariadb target) {
    this.source = source;
    this.target = target;
  }

  /** Those of one test, which closes them. */
  public static ToMariadb start() {
    return new ToMariadb(EmbeddedPostgres.start(), EmbeddedMariadb.builder().fsync().start());
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    source = EmbeddedPostgres.start();
    target = EmbeddedMariadb.builder().fsync().start();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close();
  }

  public EmbeddedPostgres source() {
    return source;
  }

  public EmbeddedMariadb target() {
    return target;
  }

  /**
   * A task that is named like the source's database.
   *
   * @param settings of DMS
   */
  public TaskFolder task(Path folder, String database, String settings) throws Exception {
    return TaskFolder.of(
            folder.resolve(database), database, source.port(), target.port(), database, "shop")
        .target("mariadb", "mariadb://root@127.0.0.1:%d/shop".formatted(target.port()))
        .settings(settings);
  }

  /** What the last statement returns: the first column of its rows. */
  public List<String> onSource(String database, String... statements) throws SQLException {
    try (Connection session = source.connect(database)) {
      return Sql.texts(session, statements);
    }
  }

  /** The same on the target. */
  public List<String> onTarget(String... statements) throws SQLException {
    try (Connection session = target.connect()) {
      return Sql.texts(session, statements);
    }
  }

  @Override
  public void close() {
    source.close();
    target.close();
  }
}
