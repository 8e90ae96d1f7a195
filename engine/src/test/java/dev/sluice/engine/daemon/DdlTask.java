package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A task over all tables of a database of its own, and what both sides have. */
public record DdlTask(
    String name, Path file, EmbeddedPostgres sourceServer, EmbeddedPostgres targetServer) {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String NO_GUARD = "GuardProblemHours: 0";

  private static final String DEFINITIONS =
      """
      SELECT format('%s.%s %s %s', n.nspname, c.relname, pg_get_partkeydef(c.oid),
               pg_get_expr(c.relpartbound, c.oid))
             || coalesce(string_agg(format(' %s:%s:%s', a.attname,
               format_type(a.atttypid, a.atttypmod), a.attnotnull), '' ORDER BY a.attnum), '')
             || coalesce((SELECT pg_get_constraintdef(oid) FROM pg_constraint
                          WHERE conrelid = c.oid AND contype = 'p'), '')
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^(pg_|information_schema|sluice_)'
      GROUP BY c.oid, n.nspname, c.relname ORDER BY 1
      """;

  private static final String TABLES =
      """
      SELECT format('%I.%I', n.nspname, c.relname)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^(pg_|information_schema|sluice_)' ORDER BY 1
      """;

  /** With the table {@code item} on the source. */
  public static DdlTask make(
      Path folder, String name, EmbeddedPostgres source, EmbeddedPostgres target, String setting)
      throws SQLException, IOException {
    source.createDatabase(name);
    target.createDatabase(name);
    Path file =
        Files.writeString(
            folder.resolve(name + ".yaml"),
            """
            task: %s
            migration-type: full-load-and-cdc
            source:
              type: postgresql
              url: postgresql://postgres@127.0.0.1:%d/%s
            target:
              type: postgresql
              url: postgresql://postgres@127.0.0.1:%d/%s
            data-dir: %s
            http: 127.0.0.1:0
            table-mappings:
              rules:
                - rule-type: selection
                  rule-id: "1"
                  rule-name: all
                  rule-action: include
                  object-locator: { schema-name: "%%", table-name: "%%" }
            task-settings:
              FullLoadSettings: { TargetTablePrepMode: DROP_AND_CREATE }
              ChangeProcessingTuning: { BatchApplyTimeoutMin: 0.1 }
              ErrorBehavior: { RecoverableErrorInterval: 0.2 }
              %s
            """
                    .formatted(
                        name,
                        source.port(),
                        name,
                        target.port(),
                        name,
                        folder.resolve(name),
                        withoutGuard(setting))
                + SharedBroker.line(name));
    DdlTask task = new DdlTask(name, file, source, target);
    task.onSource("CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10,2))");
    return task;
  }

  /** What else fills the disk of the machine is no problem of a test. */
  private static String withoutGuard(String setting) {
    return setting.contains("Sluice: {")
        ? setting.replace("Sluice: {", "Sluice: { " + NO_GUARD + ",")
        : "Sluice: { %s }\n  %s".formatted(NO_GUARD, setting);
  }

  /** The same with a broker of its own. */
  public DdlTask withOwnBroker() throws IOException {
    SharedBroker.removeFrom(file);
    return this;
  }

  public TaskConfig config() {
    return TaskFile.read(file, Map.of());
  }

  /** The same with another load setting. */
  public DdlTask withLoadSetting(String setting) throws IOException {
    return replacing("DROP_AND_CREATE", "DROP_AND_CREATE, " + setting);
  }

  /** The same with all views. */
  public DdlTask withViews() throws IOException {
    return replacing("table-name: \"%\"", "table-name: \"%\", table-type: all");
  }

  /** The same with more of the change processing tuning, beginning with a comma. */
  public DdlTask withTuning(String tuning) throws IOException {
    return replacing("BatchApplyTimeoutMin: 0.1", "BatchApplyTimeoutMin: 0.1" + tuning);
  }

  /** The same with more settings of Sluice's own. */
  public DdlTask withSluice(String settings) throws IOException {
    return replacing(NO_GUARD, NO_GUARD + ", " + settings);
  }

  /** The same with more of the error behaviour, beginning with a comma. */
  public DdlTask withErrors(String errors) throws IOException {
    return replacing("RecoverableErrorInterval: 0.2", "RecoverableErrorInterval: 0.2" + errors);
  }

  /** The same that lets the target run functions of the source. */
  public DdlTask runningSourceCode() throws IOException {
    return replacing("data-dir:", "run-source-code: true\ndata-dir:");
  }

  /** The same with a way back, which the role applies on the source. */
  public DdlTask withFallback(String role) throws IOException {
    return replacing("data-dir:", "fallback: { user: %s }\ndata-dir:".formatted(role));
  }

  /** The same with a target at another port. */
  public DdlTask withTargetPort(int port) throws IOException {
    return replacing("127.0.0.1:" + targetServer.port(), "127.0.0.1:" + port);
  }

  /** The task of the way back. */
  public TaskConfig fallback() {
    return TaskFile.readFallback(file, Map.of());
  }

  /** The same with a hook of the cutover that runs commands; each is a line of a shell. */
  public DdlTask withHook(String pause, String switchOver, String resume) throws IOException {
    return replacing(
        "data-dir:",
        """
        cutover:
          hooks:
            - exec:
                name: till
                pause: [sh, -c, %s]
                switch: [sh, -c, %s]
                resume: [sh, -c, %s]
                timeout: 10s
        data-dir:"""
            .formatted(quoted(pause), quoted(switchOver), quoted(resume)));
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  /** The same with another text in its file. */
  DdlTask replacing(String part, String replacement) throws IOException {
    Files.writeString(file, Files.readString(file).replace(part, replacement));
    return this;
  }

  /** The same with another user on the source. */
  public TaskConfig configAs(String user) throws IOException {
    String text = Files.readString(file);
    Files.writeString(
        file,
        text.replaceFirst(
            "postgres@127.0.0.1:" + sourceServer.port(),
            user + "@127.0.0.1:" + sourceServer.port()));
    return config();
  }

  public void onSource(String... statements) throws SQLException {
    run(sourceServer, statements);
  }

  public void onTarget(String... statements) throws SQLException {
    run(targetServer, statements);
  }

  private void run(EmbeddedPostgres server, String... statements) throws SQLException {
    try (Connection connection = server.connect(name);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  public String source(String sql) throws SQLException {
    return texts(sourceServer, sql).get(0);
  }

  public String target(String sql) throws SQLException {
    return texts(targetServer, sql).get(0);
  }

  /** Definitions and rows of both sides, once all is applied. */
  public void assertEqual(RunningDaemon running) throws Exception {
    assertRowsEqual(running);
    assertThat(texts(targetServer, DEFINITIONS)).isEqualTo(texts(sourceServer, DEFINITIONS));
  }

  /** The rows of both sides, once all is applied. */
  public void assertRowsEqual(RunningDaemon running) throws Exception {
    running.awaitApplied();
    for (String table : texts(sourceServer, TABLES)) {
      String rows = "SELECT t::text FROM " + table + " t ORDER BY t::text COLLATE \"C\"";
      assertThat(texts(targetServer, rows)).as(table).isEqualTo(texts(sourceServer, rows));
    }
  }

  /** What {@code stop --drop} does. */
  public void remove() {
    TaskConfig config = config();
    try (TaskLock lock = TaskLock.take(name, config.dataDir())) {
      assertThat(TaskRemoval.of(config).remove(lock)).isNotEmpty();
    }
  }

  private List<String> texts(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect(name);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    }
  }

  /** Records a step on the target, as a daemon that died has left it. */
  void record(String step, String state, String detail) {
    TaskContext context = TaskContext.of(config());
    context
        .steps()
        .record(context.checkpoints().read(context.task()).orElseThrow(), step, state, detail);
  }
}
