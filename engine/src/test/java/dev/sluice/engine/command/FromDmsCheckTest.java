package dev.sluice.engine.command;

import static dev.sluice.engine.command.DmsAnswers.endpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What from-dms makes of a task passes check, on servers that are there. */
class FromDmsCheckTest {
  private static final String PASSWORD = "of-the-test";

  private static EmbeddedMariadb mariadb;
  private static EmbeddedPostgres postgres;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    mariadb = EmbeddedMariadb.builder().fsync().start();
    postgres = EmbeddedPostgres.start();
    postgres.createDatabase("shop");
    try (Connection session = mariadb.connect()) {
      Sql.texts(
          session,
          "CREATE USER dms@'%' IDENTIFIED BY '" + PASSWORD + "'",
          "GRANT ALL PRIVILEGES ON *.* TO dms@'%'",
          "CREATE DATABASE shop COLLATE utf8mb4_nopad_bin",
          "CREATE TABLE shop.orders (id int PRIMARY KEY, item varchar(20) NOT NULL)",
          "CREATE DATABASE web COLLATE utf8mb4_nopad_bin");
    }
    Sql.execute(postgres, "shop", "CREATE ROLE dms SUPERUSER LOGIN");
    Sql.execute(
        postgres,
        "shop",
        "CREATE SCHEMA web; CREATE TABLE web.visit (id int PRIMARY KEY, page varchar(20))");
  }

  @AfterAll
  static void stop() {
    if (postgres != null) {
      postgres.close();
    }
    if (mariadb != null) {
      mariadb.close();
    }
  }

  @Test
  void ofATaskFromMariadbWhoseEndpointNamesNoDatabase() throws Exception {
    assertPasses(
        DmsAnswers.of(
            folder,
            "shop",
            endpoint("mariadb", "127.0.0.1", mariadb.port(), "", "\"SslMode\": \"none\""),
            endpoint("postgres", "127.0.0.1", postgres.port(), "shop", "")),
        "dms@127.0.0.1:%d/shop to dms@127.0.0.1:%d/shop"
            .formatted(mariadb.port(), postgres.port()));
  }

  @Test
  void ofATaskOntoMariadbWhoseEndpointNamesNoDatabase() throws Exception {
    assertPasses(
        DmsAnswers.of(
            folder,
            "web",
            endpoint("aurora-postgresql", "127.0.0.1", postgres.port(), "shop", ""),
            endpoint("mariadb", "127.0.0.1", mariadb.port(), "", "\"SslMode\": \"none\"")),
        "dms@127.0.0.1:%d/shop to dms@127.0.0.1:%d/web".formatted(postgres.port(), mariadb.port()));
  }

  private void assertPasses(DmsAnswers dms, String sides) throws IOException {
    Path task = folder.resolve("shop.yaml");
    String made =
        printed(
            ExitCode.DONE,
            "from-dms",
            dms.tasks().toString(),
            "--endpoints",
            dms.endpoints().toString(),
            "--output",
            task.toString());
    assertThat(made).contains("written: " + task);
    Path password = Files.writeString(folder.resolve("password"), PASSWORD);
    Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(
        task,
        Files.readString(task).replaceAll("\\$\\{env:[A-Z_]+}", "\\${file:" + password + "}")
            + "data-dir: "
            + folder.resolve("data"));
    assertThat(printed(ExitCode.DONE, "check", task.toString()))
        .contains("task shop can run: 1 table of " + sides);
  }

  /** All that the command prints, if it ends as expected. */
  private static String printed(int expected, String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(printed, true, StandardCharsets.UTF_8);
    int exitCode;
    try {
      System.setOut(both);
      System.setErr(both);
      exitCode = CommandLines.run(arguments);
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    String text = printed.toString(StandardCharsets.UTF_8);
    assertThat(exitCode).as(text).isEqualTo(expected);
    return text;
  }
}
