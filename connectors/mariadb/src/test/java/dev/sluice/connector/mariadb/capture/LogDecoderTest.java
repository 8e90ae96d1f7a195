package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.SourceEvent;
import dev.sluice.connector.mariadb.type.Collations;
import dev.sluice.connector.mariadb.type.ValuePolicy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that the server in the tests does not write. */
class LogDecoderTest {
  private static final Truncate CHANGE =
      new Truncate(List.of(new Emptied(new TableId("shop", "t"), null)));

  private static final LogHistory HISTORY = new LogHistory("binlog", 0, "");

  private int end = 4;
  private int seconds;

  /** Each statement that is none of a transaction's frame is a change. */
  private final LogDecoder decoder =
      new LogDecoder(
          new BinlogPosition(1, end),
          HISTORY,
          new CapturedTables(
              CaptureScope.of(new SourceCatalog(List.of())),
              new Collations(Map.of()),
              ValuePolicy.REFUSE),
          statement -> List.of(CHANGE));

  @ParameterizedTest
  @CsvSource({
    "26, an incident",
    "39, binlog_row_value_options=PARTIAL_JSON",
    "40, binlog_transaction_compression=ON",
    "33, the unknown type 33",
    "200, the unknown type 200"
  })
  void anEventThatCannotBeReadStopsTheCaptureAndIsNamedWithItsPlace(int type, String named) {
    assertThatThrownBy(() -> decode(type, new byte[20]))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(named)
        .hasMessageContaining("before offset 104");
  }

  @Test
  void aRollbackOfChangesThatWerePassedOnStopsTheCapture() {
    begin();
    statement("a change");
    assertThatThrownBy(() -> statement("ROLLBACK"))
        .hasMessageContaining("ROLLBACK after changes of captured tables");
  }

  @Test
  void aRollbackWithoutChangesEndsATransaction() {
    begin();
    statement("ROLLBACK");
    begin();
    statement("a change");
    statement("COMMIT");
    assertThat(decoder.take().events())
        .containsExactly(committed(204), new SourceEvent.Changed(CHANGE), committed(504));
  }

  @Test
  void onlyChangesBehindTheSavepointStopTheCapture() {
    begin();
    statement("a change");
    statement("SAVEPOINT `One`");
    statement("ROLLBACK TO `one`");
    statement("another change");
    assertThatThrownBy(() -> statement("ROLLBACK TO `one`"))
        .hasMessageContaining("ROLLBACK TO SAVEPOINT after changes of captured tables");
  }

  @Test
  void aTransactionThatIsCutOffStopsTheCaptureIfItHadChanges() {
    begin();
    decode(EventType.FORMAT_DESCRIPTION, new byte[80]);
    begin();
    statement("a change");
    assertThatThrownBy(() -> decode(EventType.FORMAT_DESCRIPTION, new byte[80]))
        .hasMessageContaining("inside of a transaction");
  }

  @Test
  void aTransactionBeyondFourGibibytesOfItsFileStopsTheCapture() {
    begin();
    statement("a change");
    end = -100;
    assertThatThrownBy(() -> statement("COMMIT")).hasMessageContaining("beyond 4 GiB");
  }

  @Test
  void aLogOfAnotherServerThanWasAskedStopsTheCapture() {
    seconds = 1;
    assertThatThrownBy(() -> decode(EventType.FORMAT_DESCRIPTION, new byte[80]))
        .hasMessageContaining("begun at another time than the server has just said");
  }

  @Test
  void aLaterFileIsBegunLater() {
    decode(EventType.FORMAT_DESCRIPTION, new byte[80]);
    seconds = 1;
    decode(EventType.FORMAT_DESCRIPTION, new byte[80]);
    assertThat(decoder.take().events())
        .containsExactly(
            new SourceEvent.Committed(new BinlogPosition(1, 104).position(HISTORY), 0, 0),
            new SourceEvent.Committed(
                new BinlogPosition(1, 204).position(new LogHistory("binlog", 1, "")),
                1_000_000,
                0));
  }

  private static SourceEvent committed(long offset) {
    return new SourceEvent.Committed(
        new BinlogPosition(1, offset).position(HISTORY.after(0, 0, 0)), 0, 0);
  }

  private void begin() {
    decode(EventType.GTID, new byte[19]);
  }

  private void statement(String text) {
    byte[] statement = text.getBytes(StandardCharsets.UTF_8);
    byte[] body = Arrays.copyOf(new byte[14], 14 + statement.length);
    System.arraycopy(statement, 0, body, 14, statement.length);
    decode(EventType.QUERY, body);
  }

  /** Decodes an event that ends 100 bytes behind the one before. */
  private void decode(int type, byte[] body) {
    end += 100;
    byte[] event = new byte[LogEvent.HEADER_BYTES + body.length];
    event[0] = (byte) seconds;
    event[4] = (byte) type;
    for (int i = 0; i < 4; i++) {
      event[13 + i] = (byte) (end >> 8 * i);
    }
    System.arraycopy(body, 0, event, LogEvent.HEADER_BYTES, body.length);
    decoder.decode(LogEvent.read(event, event.length));
  }
}
