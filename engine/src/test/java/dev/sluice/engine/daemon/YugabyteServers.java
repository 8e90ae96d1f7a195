package dev.sluice.engine.daemon;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.engine.SentToYugabyte;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A PostgreSQL source and a target that is as strict as YugabyteDB, of a test class. After each of
 * its tests only what the page for operators lists was sent, and nothing that YugabyteDB refuses.
 */
final class YugabyteServers implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  private EmbeddedPostgres source;
  private EmbeddedPostgres target;
  private StrictProxy proxy;

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    source = EmbeddedPostgres.start();
    // The proxy hears of waits.
    target =
        EmbeddedPostgres.builder()
            .setting("deadlock_timeout", "10ms")
            .setting("log_lock_waits", "on")
            .setting("client_min_messages", "log")
            .start();
    proxy = new StrictProxy(target.port(), 0);
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    SentToYugabyte.requireListed(proxy);
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    proxy.close();
    target.close();
    source.close();
  }

  /** Who stands between a task and the target. */
  StrictProxy proxy() {
    return proxy;
  }

  /** Another server of the cluster: with the same data, and a proxy of its own. */
  StrictProxy another() throws IOException {
    return new StrictProxy(target.port(), 0);
  }

  EmbeddedPostgres source() {
    return source;
  }

  Connection connectToSource(String database) throws SQLException {
    return source.connect(database);
  }

  Connection connectToTarget(String database) throws SQLException {
    return target.connect(database);
  }

  /** On both sides. */
  void createDatabase(String database) throws SQLException {
    source.createDatabase(database);
    target.createDatabase(database);
  }

  /** A task that is named like its database on both sides. */
  TaskFolder task(Path folder, String database) throws Exception {
    return TaskFolder.of(folder, database, source.port(), proxy.port(), database, "shop")
        .target(
            "yugabytedb",
            "yugabytedb://postgres@127.0.0.1:%d/%s".formatted(proxy.port(), database));
  }

  /** What the last statement returns: the first column of its rows. */
  List<String> onSource(String database, String... statements) throws SQLException {
    return texts(source, database, statements);
  }

  /** The same on the target, past the proxy. */
  List<String> onTarget(String database, String... statements) throws SQLException {
    return texts(target, database, statements);
  }

  private static List<String> texts(EmbeddedPostgres server, String database, String... statements)
      throws SQLException {
    try (Connection session = server.connect(database)) {
      return Sql.texts(session, statements);
    }
  }
}
