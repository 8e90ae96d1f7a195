package dev.sluice.engine.page;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class HistoryFileTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  @TempDir Path folder;

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void stopListening() {
    logger().detachAppender(log);
  }

  @Test
  void whatIsWrittenIsReadAgainAndNobodyElseReadsIt() throws IOException {
    StatusHistory history = history();
    new HistoryFile(folder).write(history);

    assertThat(new HistoryFile(folder).read(NOON).all()).isEqualTo(history.all());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    assertThat(folder).isDirectoryContaining(path -> path.endsWith("history.json"));
    assertThat(folder.toFile().list()).hasSize(1);
    assertThat(log.list).isEmpty();
  }

  @Test
  void samplesOfLaterThanNowAreDropped() {
    new HistoryFile(folder).write(history());
    StatusHistory read = new HistoryFile(folder).read(NOON.minusSeconds(5));
    assertThat(read.series(Span.QUARTER).at()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "{",
        "[1, 2]",
        "\u0000\u0000\u0000",
        "{\"form\":2,\"spans\":[]}",
        "{\"form\":1}",
        "{\"form\":1,\"spans\":[null]}",
        "{\"form\":1,\"spans\":[{\"span\":\"15m\"}]}",
        "{\"form\":1,\"spans\":[{\"span\":\"3d\",\"at\":[],\"figures\":{}}]}",
        "{\"form\":1,\"spans\":[{\"span\":\"15m\",\"at\":[5],\"figures\":{}}]}",
        "{\"form\":1,\"spans\":[{\"span\":\"15m\",\"at\":[5,4],\"figures\":{}}]}"
      })
  void aDamagedFileIsThrownAwayWithOneLine(String damaged) throws IOException {
    Files.writeString(file(), damaged);

    assertThat(new HistoryFile(folder).read(NOON).all()).isEqualTo(new StatusHistory().all());
    assertThat(file()).doesNotExist();
    assertThat(log.list).hasSize(1);
    assertThat(log.list.get(0).getFormattedMessage())
        .contains("history.json is thrown away")
        .doesNotContain("\n");
  }

  @Test
  void aFileThatIsFarTooLargeIsNotRead() throws IOException {
    byte[] spaces = new byte[5 << 20];
    Arrays.fill(spaces, (byte) ' ');
    Files.write(file(), spaces);
    assertThat(new HistoryFile(folder).read(NOON).all()).isEqualTo(new StatusHistory().all());
    assertThat(file()).doesNotExist();
  }

  @Test
  void aDiskThatTakesNothingIsReportedOnce() throws IOException {
    Files.createDirectory(file());
    HistoryFile blocked = new HistoryFile(folder);
    assertThat(blocked.read(NOON).all()).isEqualTo(new StatusHistory().all());
    blocked.write(history());
    blocked.write(history());
    assertThat(log.list).hasSize(1);
    assertThat(log.list.get(0).getFormattedMessage()).contains("cannot be written");
    assertThat(folder.toFile().list()).containsExactly("history.json");
  }

  private static StatusHistory history() {
    StatusHistory history = new StatusHistory();
    history.add(new Sample(NOON.minusSeconds(4), Map.of(Figure.BACKLOG_CHANGES, 7.0)));
    history.add(new Sample(NOON, Map.of(Figure.TARGET_LATENCY_SECONDS, 0.25)));
    return history;
  }

  private Path file() {
    return folder.resolve("history.json");
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(HistoryFile.class);
  }
}
