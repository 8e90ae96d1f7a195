package dev.sluice.engine;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * A target that is as strict as YugabyteDB. Closing it expects that nothing was refused, and that
 * the page for operators lists what was sent.
 */
public final class ToYugabyte implements MovedSides {
  private static final String DATABASE = "shop";

  private final EmbeddedPostgres source = EmbeddedPostgres.start();
  private final EmbeddedPostgres target = EmbeddedPostgres.start();
  private final StrictProxy proxy;

  public ToYugabyte() throws Exception {
    proxy = new StrictProxy(target.port(), 0);
  }

  @Override
  public EmbeddedPostgres source() {
    return source;
  }

  @Override
  public TaskFolder task(Path folder, String database, String settings) throws Exception {
    return TaskFolder.of(
            folder.resolve(database), database, source.port(), proxy.port(), database, "shop")
        .target(
            "yugabytedb", "yugabytedb://postgres@127.0.0.1:%d/%s".formatted(proxy.port(), DATABASE))
        .settings(settings);
  }

  @Override
  public List<String> onTarget(String... statements) throws SQLException {
    try (Connection session = target.connect(DATABASE)) {
      return Sql.texts(session, statements);
    }
  }

  @Override
  public void createShop() throws SQLException {
    target.createDatabase(DATABASE);
  }

  @Override
  public void close() {
    try {
      proxy.close();
    } catch (Exception e) {
      throw new IllegalStateException("the proxy does not end", e);
    }
    source.close();
    target.close();
    try {
      SentToYugabyte.requireListed(proxy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
