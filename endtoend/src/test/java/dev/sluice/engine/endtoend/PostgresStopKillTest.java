package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A stop of a task of PostgreSQL stays where it is while daemons are killed. */
class PostgresStopKillTest {
  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  /** The journal has the time and more when the daemon is killed, and the target has neither. */
  @Test
  @Timeout(900)
  void aTimeOfCommitsThatTheJournalHasStaysTheStopAfterAKill(@TempDir Path folder)
      throws Exception {
    Path task = loaded(folder, "passed");
    try (Connection source = SERVERS.source().connect("passed");
        Connection target = SERVERS.target().connect("passed")) {
      insert(source, 1);
      insert(source, 2);
      String time =
          text(
              source,
              "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC',"
                  + " 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')");
      insert(source, 3);
      insert(source, 4);
      Path passed =
          Files.writeString(
              folder.resolve("passed.yaml"),
              Files.readString(task) + "cdc-stop-position: commit_time:" + time + "\n");
      DaemonProcess.killAhead(passed, target, "noted", 4);
      assertThat(applied(target)).isNull();
      DaemonProcess.Finished finished = DaemonProcess.commandHere("run", passed.toString());
      assertThat(finished.exitCode()).as(finished.output()).isZero();
      assertThat(applied(target)).as("committed until the time").isEqualTo("1,2");
      goesOn(task);
      assertThat(applied(target)).as("once each").isEqualTo("1,2,3,4");
    }
  }

  @Test
  @Timeout(1800)
  void aTimeThatIsStillToComeStaysTheStopAfterAKill(@TempDir Path folder) throws Exception {
    Path task = loaded(folder, "coming");
    try (Connection source = SERVERS.source().connect("coming");
        Connection target = SERVERS.target().connect("coming")) {
      ComingStop stop = new ComingStop(task, id -> insert(source, id), target, "noted", 1);
      stop.stopsWhereItIsAfterAKill("server_time:");
      goesOn(task);
      stop.stopsWhereItIsAfterAKill("commit_time:");
      goesOn(task);
      assertThat(applied(target))
          .as("once each")
          .isEqualTo(
              stop.committed().stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
  }

  /** A task that has loaded its table, without a row, and does not run. */
  private static Path loaded(Path folder, String name) throws Exception {
    SERVERS.source().createDatabase(name);
    SERVERS.target().createDatabase(name);
    for (EmbeddedPostgres server : List.of(SERVERS.source(), SERVERS.target())) {
      try (Connection connection = server.connect(name);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE noted (id int PRIMARY KEY)");
      }
    }
    Path task =
        TaskFolder.of(folder, name, SERVERS.source(), SERVERS.target(), name, "public")
            .settings("{ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
            .write();
    goesOn(task);
    // Notes each row that is put in.
    try (Connection connection = SERVERS.target().connect(name);
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          CREATE TABLE seen (id int);
          CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO public.seen VALUES (NEW.id); RETURN NEW; END $$;
          CREATE TRIGGER note BEFORE INSERT ON noted FOR EACH ROW EXECUTE FUNCTION note();
          ALTER TABLE noted ENABLE ALWAYS TRIGGER note
          """);
    }
    return task;
  }

  /** Applies all that is committed. */
  private static void goesOn(Path task) {
    DaemonProcess.Finished finished =
        DaemonProcess.commandHere("run", task.toString(), "--until", "now");
    assertThat(finished.exitCode()).as(finished.output()).isZero();
  }

  private static void insert(Connection source, int id) throws SQLException {
    try (Statement statement = source.createStatement()) {
      statement.execute("INSERT INTO noted VALUES (" + id + ")");
    }
  }

  private static String applied(Connection target) throws SQLException {
    return text(target, "SELECT string_agg(id::text, ',' ORDER BY id) FROM seen");
  }

  private static String text(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }
}
