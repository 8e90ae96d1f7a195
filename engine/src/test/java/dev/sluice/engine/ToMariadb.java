package dev.sluice.engine;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A PostgreSQL source and a target of MariaDB or MySQL, whose schema is {@code shop}: of a test
 * class, started before it and ended after it, or of one test.
 */
public final class ToMariadb implements BeforeAllCallback, AfterAllCallback, MovedSides {
  private final boolean mysql;
  private EmbeddedPostgres source;
  private EmbeddedServer target;

  /** Those of a class, which names them with RegisterExtension. */
  public ToMariadb() {
    this(false);
  }

  private ToMariadb(boolean mysql) {
    this.mysql = mysql;
  }

  /** Those of a class, whose target is MySQL; the class is skipped where there is none. */
  public static ToMariadb mysql() {
    return new ToMariadb(true);
  }

  /** A server of MySQL as a target needs it; the test is skipped where there is none. */
  public static EmbeddedServer startMysql() {
    assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
    return EmbeddedMysql.builder().setting("local-infile", "ON").fsync().start();
  }

  /** Servers that somebody else has started, and ends. */
  public ToMariadb(EmbeddedPostgres source, EmbeddedServer target) {
    this(target instanceof EmbeddedMysql);
    this.source = source;
    this.target = target;
  }

  /** Those of one test, which closes them. */
  public static ToMariadb start() {
    return new ToMariadb(EmbeddedPostgres.start(), EmbeddedMariadb.builder().fsync().start());
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    target = mysql ? startMysql() : EmbeddedMariadb.builder().fsync().start();
    source = EmbeddedPostgres.start();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (source != null) {
      close();
    }
  }

  @Override
  public EmbeddedPostgres source() {
    return source;
  }

  public EmbeddedServer target() {
    return target;
  }

  @Override
  public TaskFolder task(Path folder, String database, String settings) throws Exception {
    return TaskFolder.of(
            folder.resolve(database), database, source.port(), target.port(), database, "shop")
        .target(type(), "%s://root@127.0.0.1:%d/shop".formatted(type(), target.port()))
        .settings(settings);
  }

  /**
   * A task whose windows close soon.
   *
   * @param load the settings of its load
   */
  public TaskFolder loading(Path folder, String database, String load) throws Exception {
    return task(
        folder,
        database,
        "{FullLoadSettings: %s, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}"
            .formatted(load));
  }

  /** Whether the target is MySQL. */
  public boolean isMysql() {
    return mysql;
  }

  /** A table with the numbers from 1 to a highest one in the column {@code seq}. */
  public static String numbers(int highest) {
    return "JSON_TABLE(CONCAT('[', REPEAT('0,', %d), '0]'), '$[*]' COLUMNS (seq FOR ORDINALITY)) AS numbers"
        .formatted(highest - 1);
  }

  private String type() {
    return mysql ? "mysql" : "mariadb";
  }

  /** Creates the target's database again, empty. */
  @Override
  public void createShop() throws SQLException {
    onTarget(
        "SET foreign_key_checks = 0",
        "DROP DATABASE IF EXISTS shop",
        "CREATE DATABASE shop COLLATE " + (mysql ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin"));
  }

  @Override
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
