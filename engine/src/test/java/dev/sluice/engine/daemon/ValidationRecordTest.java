package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.command.CommandLines;
import dev.sluice.engine.command.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The command that writes the record of a validation, beside a running daemon on real servers. */
@ExtendWith(SharedBroker.class)
class ValidationRecordTest {
  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void theRecordHasTheFiguresOfBothSidesAndTheKeysOfDifferingRowsAndNoOtherValues()
      throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            "differs",
            SERVERS.source(),
            SERVERS.target(),
            "ValidationSettings: { PartitionSize: 100 }");
    task.onSource(
        "INSERT INTO item SELECT i, 'secret ' || i, i FROM generate_series(1, 1000) i",
        "CREATE TABLE empty (id int PRIMARY KEY)",
        "CREATE TABLE bare (t text)",
        "ALTER TABLE bare REPLICA IDENTITY FULL",
        "INSERT INTO bare VALUES ('secret'), ('secret 2')");
    Path file = folder.resolve("differs.record");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      task.onTarget("UPDATE item SET price = -1 WHERE id = 150", "DELETE FROM bare");

      Said said = run("validate", task.file().toString(), "--record", file.toString());

      assertThat(said.code()).as(said.toString()).isEqualTo(ExitCode.FAILED);
      assertThat(said.text()).contains("the record is in " + file);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(leftBeside(file)).isEmpty();
    assertThat(leftIn(task.config().dataDir())).isEmpty();
    List<String> record = Files.readAllLines(file);
    assertThat(record)
        .contains("#   differs: RECORD_DIFF {\"id\":\"150\"}")
        .contains("#   differing rows, without a key: 2")
        .anyMatch(line -> line.equals("#   rows compared: 1000"))
        .anyMatch(line -> line.matches("# part \\d+: keys after \\[\"100\"\\] up to \\[\"200\"\\]"))
        .noneMatch(line -> line.contains("secret"));

    assertThat(again(record, "source", "differs"))
        .isEqualTo(expected(record, "source"))
        .hasSize(13);
    assertThat(again(record, "target", "differs"))
        .isEqualTo(expected(record, "target"))
        .hasSize(13);
    assertThat(expected(record, "source")).isNotEqualTo(expected(record, "target"));

    assertThat(typed(file, "source", SERVERS.source().port())).isEmpty();
    assertThat(typed(file, "target", SERVERS.target().port())).isEmpty();

    task.onSource("UPDATE item SET name = 'other' WHERE id = 900");
    assertThat(typed(file, "source", SERVERS.source().port())).contains("> ");
    assertThat(again(record, "source", "differs")).isNotEqualTo(expected(record, "source"));
  }

  @Test
  void afterTheCutoverTheCommandReadsBothSidesAndMakesTheRecordItself() throws Exception {
    DdlTask task = DdlTask.make(folder, "over", SERVERS.source(), SERVERS.target(), "");
    task.onSource("INSERT INTO item SELECT i, 'secret ' || i, i FROM generate_series(1, 1000) i");
    Path equal = folder.resolve("equal.record");
    Path written = folder.resolve("written.record");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      assertThat(running.daemon().cutover(Duration.ofMinutes(5)).success()).isTrue();

      Said said = run("validate", task.file().toString(), "--record", equal.toString());
      assertThat(said.code()).as(said.toString()).isEqualTo(ExitCode.DONE);
      assertThat(said.text()).contains("the task is cut over").contains("equal: 1 table");

      // An application of the target.
      task.onTarget("UPDATE item SET price = -1 WHERE id = 150");
      said = run("validate", task.file().toString(), "--record", written.toString());
      assertThat(said.code()).as(said.toString()).isEqualTo(ExitCode.FAILED);
    }
    List<String> record = Files.readAllLines(equal);
    assertThat(record)
        .anyMatch(line -> line.startsWith("# result: equal: 1 table, 1,000 rows"))
        .anyMatch(line -> line.endsWith("; target as it was"))
        .contains("#   verdict: equal")
        .noneMatch(line -> line.contains("secret"));
    assertThat(again(record, "source", "over")).isEqualTo(expected(record, "source")).isNotEmpty();
    assertThat(again(record, "target", "over")).isNotEqualTo(expected(record, "target"));
    record = Files.readAllLines(written);
    assertThat(record).contains("#   differs: RECORD_DIFF {\"id\":\"150\"}");
    assertThat(again(record, "target", "over")).isEqualTo(expected(record, "target"));
    assertThat(leftBeside(equal)).isEmpty();
    assertThat(task.target("SELECT count(*) FROM sluice_control.sluice_validation_failures_v2"))
        .isEqualTo("0");
  }

  @Test
  void aTaskThatDoesNotRunIsComparedAsItIsAndByTableToo() throws Exception {
    DdlTask task = DdlTask.make(folder, "stopped", SERVERS.source(), SERVERS.target(), "");
    task.onSource(
        "INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 1000) i",
        "CREATE TABLE other (id int PRIMARY KEY)");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    task.onSource("UPDATE item SET price = -1 WHERE id = 150", "DELETE FROM item WHERE id = 7");

    Said all = run("validate", task.file().toString());
    assertThat(all.code()).as(all.toString()).isEqualTo(ExitCode.FAILED);
    assertThat(all.text())
        .contains("public.item: 999 rows: 1 differ, 0 missing, 1 extra: ")
        .contains("NOT equal: 2 tables, ");
    Said one = run("validate", task.file().toString(), "public.other");
    assertThat(one.code()).as(one.toString()).isEqualTo(ExitCode.DONE);
    assertThat(one.text()).contains("equal: 1 table, 0 rows");
    Said unknown = run("validate", task.file().toString(), "public.othre");
    assertThat(unknown.code()).isNotZero();
    assertThat(unknown.text()).contains("is not replicated");
    assertThat(task.target("SELECT count(*) FROM sluice_control.sluice_validation_failures_v2"))
        .isEqualTo("0");
  }

  @Test
  void whatIsInTheWayOfARecordIsSaidBeforeAnythingIsCompared() throws Exception {
    DdlTask task = DdlTask.make(folder, "refusals", SERVERS.source(), SERVERS.target(), "");
    Path file = folder.resolve("refusals.record");

    Said stopped = run("validate", task.file().toString(), "--record", file.toString());
    assertThat(stopped.code()).isNotZero();
    assertThat(stopped.text()).contains("the task does not run").contains("sluice run TASK.yaml");

    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      Files.writeString(file, "mine");
      Said exists = run("validate", task.file().toString(), "--record", file.toString());
      assertThat(exists.code()).isNotZero();
      assertThat(exists.text()).contains("found:    exists").contains("never overwritten");
      assertThat(Files.readString(file)).isEqualTo("mine");

      Path nowhere = folder.resolve("nowhere").resolve("a.record");
      Said noFolder = run("validate", task.file().toString(), "--record", nowhere.toString());
      assertThat(noFolder.code()).isNotZero();
      assertThat(noFolder.text()).contains("is no directory, or is not writable");
    }
    assertThat(leftBeside(file)).isEmpty();
    assertThat(leftIn(task.config().dataDir())).isEmpty();
  }

  /** What the documented commands print. */
  private static String typed(Path file, String side, int port) throws Exception {
    String commands =
        """
        grep -E '^expected(-%2$s)?: ' %1$s | cut -d' ' -f2- > %1$s.expected
        grep -E '^(settings|%2$s): ' %1$s | cut -d' ' -f2- | psql -qAtX %3$s | diff %1$s.expected -
        test "sha256: $(head -n -1 %1$s | sha256sum | cut -d' ' -f1)" = "$(tail -n 1 %1$s)" || echo sum
        """
            .formatted(file, side, "postgresql://postgres@127.0.0.1:" + port + "/differs");
    Process shell = new ProcessBuilder("bash", "-c", commands).redirectErrorStream(true).start();
    String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    shell.waitFor();
    assumeFalse(said.contains("psql: command not found"), "there is no psql here");
    return said;
  }

  private static List<Path> leftBeside(Path file) throws IOException {
    try (Stream<Path> files = Files.list(file.getParent())) {
      return files.filter(each -> each.getFileName().toString().startsWith(".")).toList();
    }
  }

  private static List<Path> leftIn(Path dataDirectory) throws IOException {
    try (Stream<Path> files = Files.list(dataDirectory)) {
      return files.filter(each -> each.toString().contains(".record")).toList();
    }
  }

  private static List<String> expected(List<String> record, String side) {
    return record.stream()
        .filter(line -> line.matches("expected(-" + side + ")?: .*"))
        .map(line -> line.substring(line.indexOf(' ') + 1))
        .toList();
  }

  /** The results of a side's statements, as psql prints them. */
  private static List<String> again(List<String> record, String side, String database)
      throws SQLException {
    List<String> results = new ArrayList<>();
    try (Connection connection =
            (side.equals("source") ? SERVERS.source() : SERVERS.target()).connect(database);
        Statement statement = connection.createStatement()) {
      for (String line : record) {
        if (line.startsWith("settings: ")) {
          statement.execute(line.substring("settings: ".length()));
        } else if (line.startsWith(side + ": ")) {
          try (ResultSet row = statement.executeQuery(line.substring(side.length() + 2))) {
            row.next();
            List<String> values = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
              values.add(Objects.toString(row.getString(i), ""));
            }
            results.add(String.join("|", values));
          }
        }
      }
    }
    return results;
  }

  /** What a command printed, and its exit code. */
  private record Said(int code, String text) {}

  private static Said run(String... words) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(said, true, StandardCharsets.UTF_8);
    System.setOut(both);
    System.setErr(both);
    try {
      return new Said(CommandLines.run(words), said.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }
}
