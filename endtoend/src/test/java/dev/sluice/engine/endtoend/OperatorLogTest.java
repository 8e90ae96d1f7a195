package dev.sluice.engine.endtoend;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator reads in the log of a real daemon. */
class OperatorLogTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String DATABASE = "logged";

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String TIME =
      "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d";

  /** Time with offset, level, thread, logger, and a sentence. */
  private static final String LINE = TIME + " (ERROR|WARN |INFO ) \\[[^\\]]+\\] [\\w.$]+: \\S.*";

  @TempDir Path folder;

  private int written;

  @Test
  void restartsOfSourceTargetAndBrokerLeaveSentencesAndNoStackTrace() throws Exception {
    try (FailingPostgres source = FailingPostgres.start(folder.resolve("source"), DATABASE);
        FailingPostgres target = FailingPostgres.start(folder.resolve("target"), DATABASE);
        BrokerProcess kafka = BrokerProcess.start(folder.resolve("kafka"))) {
      run(
          source,
          "CREATE SCHEMA shop; CREATE TABLE shop.log (n int PRIMARY KEY);"
              + " CREATE TABLE shop.other (n int PRIMARY KEY)");
      Path task =
          TaskFolder.of(
                  folder,
                  "logged",
                  source.network().port(),
                  target.network().port(),
                  DATABASE,
                  "shop")
              .replacing(
                  "data-dir:",
                  "kafka:\n  bootstrap.servers: " + kafka.bootstrapServers() + "\ndata-dir:")
              .settings(
                  "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                      + " ValidationSettings: {EnableValidation: true},"
                      + " ErrorBehavior: {RecoverableErrorInterval: 0.2,"
                      + " RecoverableErrorThrottlingMax: 1}}")
              .write();
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        for (Outage.Server server : List.of(source, target, kafka)) {
          write(source);
          daemon.awaitAllApplied();
          server.stop();
          await().atMost(PATIENCE).until(() -> daemon.answerOf("/ready") == 503);
          server.start();
          write(source);
          daemon.awaitAllApplied();
          server.kill();
          await().atMost(PATIENCE).until(() -> daemon.answerOf("/ready") == 503);
          server.start();
          write(source);
          daemon.awaitAllApplied();
          await().atMost(PATIENCE).until(() -> daemon.answerOf("/ready") == 200);
        }
        assertThat(daemon.terminate()).isZero();
      }
      assertThat(text(target.server(), DATABASE, "SELECT count(*) FROM shop.log"))
          .isEqualTo(Integer.toString(written));
    }
    assertThat(lines())
        .hasSizeGreaterThan(20)
        .allSatisfy(line -> assertThat(line).matches(LINE))
        .anySatisfy(line -> assertThat(line).contains(" WARN "))
        .noneSatisfy(line -> assertThat(line).contains(" ERROR "));
  }

  @Test
  void asJsonEveryLineIsAnObjectAlsoTheOneThatSaysWhyTheDaemonFails() throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      Path task = task(source, target, "json");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        assertThat(daemon.terminate()).isZero();
      }
      List<String> lines = lines();
      assertThat(lines).hasSizeGreaterThan(10);
      for (String line : lines) {
        JsonNode message = JSON.readTree(line);
        OffsetDateTime.parse(message.path("time").asText());
        assertThat(message.path("level").asText()).as(line).isIn("INFO", "WARN");
        assertThat(message.path("logger").asText()).startsWith("dev.sluice.");
        assertThat(message.path("thread").asText()).isNotEmpty();
        assertThat(message.path("message").asText()).isNotEmpty();
        assertThat(message.path("task").asText()).isEqualTo("logged");
      }

      Files.delete(folder.resolve("daemon.out"));
      Files.writeString(
          task, Files.readString(task).replaceFirst("/" + DATABASE + "\n", "/missing\n"));
      try (DaemonProcess failing = DaemonProcess.run(task)) {
        assertThat(failing.awaitEnd()).isEqualTo(2);
      }
      List<String> failed = lines();
      JsonNode last = JSON.readTree(failed.get(failed.size() - 1));
      assertThat(last.path("level").asText()).isEqualTo("ERROR");
      assertThat(last.path("task").asText()).isEqualTo("logged");
      assertThat(last.path("message").asText()).contains("missing", "found:", "fix:");
    }
  }

  @Test
  void aLevelIsChangedAndListedWhileTheDaemonRuns() throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      Path task = task(source, target, "text");
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        assertThat(logging(task).output())
            .contains("dev.sluice info", "root warn", "org.apache.kafka warn");
        execute(source, DATABASE, "INSERT INTO shop.log VALUES (1)");
        daemon.awaitAllApplied();
        assertThat(lines()).noneMatch(line -> line.contains(" DEBUG "));

        assertThat(logging(task, "dev.sluice.sink=debug", "org.postgresql=error").output())
            .contains("dev.sluice.sink info -> debug", "org.postgresql warn -> error");
        execute(source, DATABASE, "INSERT INTO shop.log VALUES (2)");
        daemon.awaitAllApplied();
        assertThat(lines())
            .anyMatch(line -> line.matches(TIME + " DEBUG \\[sluice-apply-logged\\] .*"));

        DaemonProcess.Finished wrong = logging(task, "dev.sluice.sink=loud");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.output()).contains("nothing is changed", "loud", "debug");
        assertThat(logging(task, "dev.sluice.sink=default").exitCode()).isZero();
        assertThat(logging(task).output()).doesNotContain("dev.sluice.sink");
      }
    }
  }

  private Path task(EmbeddedPostgres source, EmbeddedPostgres target, String format)
      throws Exception {
    source.createDatabase(DATABASE);
    target.createDatabase(DATABASE);
    execute(source, DATABASE, "CREATE SCHEMA shop; CREATE TABLE shop.log (n int PRIMARY KEY)");
    return TaskFolder.of(folder, "logged", source, target, DATABASE, "shop")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, Sluice: {LogFormat: %s}}"
                .formatted(format))
        .write();
  }

  private static DaemonProcess.Finished logging(Path task, String... levels) {
    List<String> words = new ArrayList<>(List.of("logging", task.toString()));
    words.addAll(List.of(levels));
    return DaemonProcess.commandHere(words.toArray(String[]::new));
  }

  private List<String> lines() throws IOException {
    return Files.readAllLines(folder.resolve("daemon.out"));
  }

  private void write(FailingPostgres source) throws Exception {
    run(source, "INSERT INTO shop.log VALUES (" + written++ + ")");
  }

  private static void run(FailingPostgres server, String sql) throws Exception {
    try (Connection connection = server.application(DATABASE);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
