package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LogFencesTest {
  private static final BinlogPosition END = new BinlogPosition(7, 420);

  @Test
  void aFenceIsBehindThoseOfAnEarlierProcessWhoseClockWasAhead() {
    LogFences fences = new LogFences();
    Position journaled = END.position(3_900_000_000L, 7);
    fences.continueAfter(journaled);
    assertThat(fences.set(END, Instant.now()).isAfter(journaled)).isTrue();
    assertThat(fences.set(END, Instant.now()).isAfter(END.position(3_900_000_001L, 7))).isTrue();
  }

  @Test
  void theEndOfAllFencesIsNotOneOfThem() {
    LogFences fences = new LogFences();
    fences.continueAfter(END.position(0xFFFF_FFFFL, 7));
    assertThat(fences.set(END, Instant.now()).isAfter(END.position())).isTrue();
  }
}
