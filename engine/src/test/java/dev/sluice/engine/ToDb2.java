package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.derby.EmbeddedDerby;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.target.db2.Db2Dialect;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A PostgreSQL source and a server of Derby, which IBM's driver takes for a Db2: of a test class,
 * started before it and ended after it, or of one test.
 */
public final class ToDb2 implements BeforeAllCallback, AfterAllCallback, MovedSides {
  private final Supplier<EmbeddedDerby> start;
  private EmbeddedPostgres source;
  private EmbeddedDerby target;

  public ToDb2() {
    this(EmbeddedDerby::start);
  }

  /**
   * @param start starts the target
   */
  public ToDb2(Supplier<EmbeddedDerby> start) {
    this.start = start;
  }

  /** Those of one test, which closes them. */
  public static ToDb2 started(Supplier<EmbeddedDerby> start) {
    ToDb2 sides = new ToDb2(start);
    sides.launch();
    return sides;
  }

  private void launch() {
    source = EmbeddedPostgres.start();
    target = start.get();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    launch();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close();
  }

  @Override
  public EmbeddedPostgres source() {
    return source;
  }

  public EmbeddedDerby target() {
    return target;
  }

  /** The target's url in a task file. */
  public String url() {
    return "db2://app@127.0.0.1:%d/%s?securityMechanism=3"
        .formatted(target.port(), EmbeddedDerby.DATABASE);
  }

  @Override
  public TaskFolder task(Path folder, String database, String settings) throws Exception {
    return task(folder, database, database, "shop", settings);
  }

  public TaskFolder task(Path folder, String task, String database, String schema, String settings)
      throws Exception {
    return TaskFolder.of(folder.resolve(task), task, source.port(), target.port(), database, schema)
        .target("db2", url())
        .settings(settings);
  }

  public Connection connectToTarget() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:db2://127.0.0.1:%d/%s:securityMechanism=3;"
            .formatted(target.port(), EmbeddedDerby.DATABASE),
        "app",
        "app");
  }

  /** A session that quotes the names in lower case, as those of a task do. */
  public Connection connectQuoting() throws SQLException {
    return Db2Dialect.INSTANCE
        .sessions()
        .connect(
            new TargetLogin(
                "jdbc:db2://127.0.0.1:%d/%s?securityMechanism=3"
                    .formatted(target.port(), EmbeddedDerby.DATABASE),
                "app",
                null,
                "application",
                50));
  }

  @Override
  public List<String> onTarget(String... statements) throws SQLException {
    try (Connection session = connectToTarget()) {
      return Sql.texts(session, statements);
    }
  }

  /** Drops what an earlier test has left, and creates the schema again. */
  @Override
  public void createShop() throws SQLException {
    for (String schema : List.of("shop", "sluice_control", "sluice_cutover")) {
      drop(schema);
    }
    onTarget("CREATE SCHEMA \"shop\"");
  }

  /** Drops a schema with its tables and sequences, if it is there. */
  public void drop(String schema) throws SQLException {
    String of = " JOIN SYS.SYSSCHEMAS USING (SCHEMAID) WHERE SCHEMANAME = '%s'".formatted(schema);
    for (String table : onTarget("SELECT TABLENAME FROM SYS.SYSTABLES" + of)) {
      onTarget("DROP TABLE \"%s\".\"%s\"".formatted(schema, table));
    }
    for (String sequence : onTarget("SELECT SEQUENCENAME FROM SYS.SYSSEQUENCES" + of)) {
      onTarget("DROP SEQUENCE \"%s\".\"%s\" RESTRICT".formatted(schema, sequence));
    }
    if (!onTarget("SELECT SCHEMANAME FROM SYS.SYSSCHEMAS WHERE SCHEMANAME = '%s'".formatted(schema))
        .isEmpty()) {
      onTarget("DROP SCHEMA \"%s\" RESTRICT".formatted(schema));
    }
  }

  /** Requires that tables have rows, and the same on both sides. */
  public void requireEqual(String database, String schema, List<String> tables)
      throws SQLException {
    for (String table : tables) {
      try (Connection expected = source.connect(database);
          Connection found = connectToTarget()) {
        assertThat(rows(found, schema, table))
            .as(table)
            .containsExactlyInAnyOrderElementsOf(rows(expected, schema, table))
            .isNotEmpty();
      }
    }
  }

  private static List<String> rows(Connection session, String schema, String table)
      throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = session.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT * FROM \"%s\".\"%s\"".formatted(schema, table))) {
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          values.add(text(row.getObject(i)));
        }
        rows.add(String.join("|", values));
      }
    }
    return rows;
  }

  /** The same for values of both sides that are equal. */
  private static String text(Object value) {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof BigDecimal number) {
      return number.toPlainString();
    }
    if (value instanceof Timestamp time) {
      return time.toLocalDateTime().toString();
    }
    if (value instanceof Boolean truth) {
      return truth ? "1" : "0";
    }
    return String.valueOf(value);
  }

  /** A daemon in a process of its own, which a test may kill. */
  public static Process daemon(Path taskFile) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx512m",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.sluice.engine.Main",
            "run",
            taskFile.toString())
        .redirectErrorStream(true)
        .redirectOutput(taskFile.resolveSibling("daemon.out").toFile())
        .start();
  }

  @Override
  public void close() {
    if (source != null) {
      source.close();
    }
    if (target != null) {
      target.close();
    }
  }
}
