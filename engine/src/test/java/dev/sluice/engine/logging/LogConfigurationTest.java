package dev.sluice.engine.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.util.ContextInitializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.document.SluiceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import org.apache.kafka.common.errors.DisconnectException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The configuration of the log as a daemon has it. */
class LogConfigurationTest {
  private static final String FORMAT = "sluice.log.format";
  private static final String LEVEL = "sluice.log.level";
  private static final String OWN_FILE = "logback.configurationFile";
  private static final String TIME =
      "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d ";

  private final String levelBefore = System.getProperty(LEVEL);
  private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();

  /** The tests after this one log as they did. */
  @AfterEach
  void restore() throws Exception {
    System.clearProperty(FORMAT);
    System.clearProperty(LEVEL);
    context.reset();
    new ContextInitializer(context).autoConfig();
    // A test that ran a command in this process has left it, and the log was as it is without.
    if (levelBefore != null) {
      System.setProperty(LEVEL, levelBefore);
    }
  }

  @Test
  void aBrokenConnectionIsExpectedHoweverDeepItIs() {
    assertThat(
            List.of(
                new IOException("reset"),
                new RuntimeException(new SQLException("gone", "08006")),
                new SQLException("shutting down", "57P01"),
                new DisconnectException("away"),
                new SluiceException.Retryable("away", new IOException("reset"))))
        .allSatisfy(failure -> assertThat(ExpectedBreak.isIn(failure)).isTrue());
    assertThat(
            List.of(
                new NullPointerException("bug"),
                new SQLException("no such table", "42P01"),
                new SQLException("none"),
                new SluiceException.Fatal("wrong", null),
                new StackOverflowError()))
        .allSatisfy(failure -> assertThat(ExpectedBreak.isIn(failure)).isFalse());
  }

  @Test
  void aSentenceIsOneLineAndBelowItIsTheStackTraceOfAnUnexpectedFailure() throws Exception {
    List<String> lines =
        logged(
            "text",
            () -> {
              own().warn("the target answers:\n  Detail: a key\r\n  Hint: none");
              own().error("BUG: failed", new IllegalStateException("never"));
            });
    assertThat(lines.get(0))
        .matches(TIME + "WARN  \\[[^\\]]+\\] Own: the target answers: Detail: a key Hint: none");
    assertThat(lines.get(1)).matches(TIME + "ERROR .* Own: BUG: failed");
    assertThat(lines.get(2)).isEqualTo("java.lang.IllegalStateException: never");
    assertThat(lines.get(3)).startsWith("\tat " + LogConfigurationTest.class.getName());
  }

  @Test
  void whatALibrarySaysOfABrokenConnectionIsLeftOutUnlessSomebodyDebugsIt() throws Exception {
    assertThat(
            logged(
                "text",
                () -> {
                  library().error("producer failure", new IOException("reset"));
                  library().error("The maximum number of 0 retries has been attempted");
                  controller()
                      .error(
                          "[QuorumController id=1] processExpiredBrokerHeartbeat: controller event"
                              + " queue overloaded. Timed out heartbeat from broker 1.");
                  controller().error("Unexpected deleteTopics error");
                  broker()
                      .warn(
                          "Broker {} sent a heartbeat request but received error {}.",
                          1,
                          "NOT_CONTROLLER");
                  broker()
                      .warn(
                          "Broker {} sent a heartbeat request but received error {}.",
                          1,
                          "REQUEST_TIMED_OUT");
                  library().error("broken", new NullPointerException("bug"));
                }))
        .noneSatisfy(line -> assertThat(line).contains("producer failure"))
        .noneSatisfy(line -> assertThat(line).contains("retries"))
        .noneSatisfy(line -> assertThat(line).contains("overloaded"))
        .noneSatisfy(line -> assertThat(line).contains("REQUEST_TIMED_OUT"))
        .anySatisfy(line -> assertThat(line).contains("NOT_CONTROLLER"))
        .anySatisfy(line -> assertThat(line).contains("Unexpected deleteTopics error"))
        .anySatisfy(line -> assertThat(line).contains("broken"))
        .contains("java.lang.NullPointerException: bug");
    assertThat(
            logged(
                "text",
                () -> {
                  library().setLevel(Level.DEBUG);
                  library().error("producer failure", new IOException("reset"));
                }))
        .anySatisfy(line -> assertThat(line).contains("producer failure"))
        .contains("java.io.IOException: reset");
  }

  @Test
  void whatTheDriverLogsIsInTheSameFormAndUnderTheSameLevels() throws Exception {
    ProcessLog.begin("INFO");
    java.util.logging.Logger driver = java.util.logging.Logger.getLogger("org.postgresql.Driver");
    List<String> lines =
        logged(
            "text",
            () -> {
              driver.warning("a property is not known");
              driver.info("connecting");
              context.getLogger("org.postgresql").setLevel(Level.DEBUG);
              driver.fine("a statement");
            });
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).matches(TIME + "WARN  .* Driver: a property is not known");
    assertThat(lines.get(1)).matches(TIME + "DEBUG .* Driver: a statement");
  }

  @Test
  void asJsonEachMessageIsAnObjectOnALineOfItsOwn() throws Exception {
    List<String> lines =
        logged(
            "json",
            () -> {
              context.putProperty("task", "orders");
              own().warn("two\nlines \"quoted\"");
              own().error("BUG: failed", new IllegalStateException("never"));
            });
    assertThat(lines).hasSize(2);
    JsonNode first = new ObjectMapper().readTree(lines.get(0));
    assertThat(first.fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder("time", "level", "logger", "thread", "message", "task");
    OffsetDateTime.parse(first.path("time").asText());
    assertThat(first.path("level").asText()).isEqualTo("WARN");
    assertThat(first.path("logger").asText()).isEqualTo("dev.sluice.Own");
    assertThat(first.path("thread").asText()).isEqualTo(Thread.currentThread().getName());
    assertThat(first.path("message").asText()).isEqualTo("two\nlines \"quoted\"");
    assertThat(first.path("task").asText()).isEqualTo("orders");
    assertThat(new ObjectMapper().readTree(lines.get(1)).path("exception").asText())
        .contains("IllegalStateException: never", "\tat ");
  }

  @Test
  void aFileOfTheUsersOwnReplacesIt() {
    String before = System.getProperty(OWN_FILE);
    System.setProperty(OWN_FILE, "mine.xml");
    try {
      assertThat(new LogSetup().configure(context)).isEqualTo(ExecutionStatus.INVOKE_NEXT_IF_ANY);
    } finally {
      if (before == null) {
        System.clearProperty(OWN_FILE);
      } else {
        System.setProperty(OWN_FILE, before);
      }
    }
  }

  private ch.qos.logback.classic.Logger own() {
    return context.getLogger("dev.sluice.Own");
  }

  private ch.qos.logback.classic.Logger library() {
    return context.getLogger("io.debezium.pipeline.ErrorHandler");
  }

  private ch.qos.logback.classic.Logger controller() {
    return context.getLogger("org.apache.kafka.controller.ReplicationControlManager");
  }

  private ch.qos.logback.classic.Logger broker() {
    return context.getLogger("org.apache.kafka.server.BrokerLifecycleManager");
  }

  /** What is written to the standard error under the daemon's configuration. */
  private List<String> logged(String format, Runnable logging) throws Exception {
    PrintStream error = System.err;
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      System.setErr(out);
      System.setProperty(FORMAT, format);
      System.setProperty(LEVEL, "INFO");
      context.reset();
      assertThat(new LogSetup().configure(context))
          .isEqualTo(ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY);
      logging.run();
    } finally {
      System.setErr(error);
    }
    return text.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
