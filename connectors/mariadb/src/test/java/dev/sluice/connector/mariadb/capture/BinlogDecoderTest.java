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
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.capture.table.Cascades;
import dev.sluice.connector.mariadb.capture.table.KnownTables;
import dev.sluice.connector.mariadb.capture.table.NumberedTables;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.type.Collations;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that the server in the tests does not write. */
class BinlogDecoderTest {
  private static final Truncate CHANGE =
      new Truncate(List.of(new Emptied(new TableId("shop", "t"), null)));

  private static final CaptureScope NOTHING = CaptureScope.of(new SourceCatalog(List.of()));

  private static final LogHistory HISTORY = new LogHistory("binlog", 0, "");

  private long end = 4;
  private int seconds;

  /** Each statement that is none of a transaction's frame is a change. */
  private final BinlogDecoder decoder =
      new BinlogDecoder(
          Flavour.MARIADB,
          new BinlogPosition(1, end),
          HISTORY,
          new NumberedTables(
              Flavour.MARIADB,
              KnownTables.byTheLog(NOTHING, false),
              NOTHING,
              new Collations(Map.of()),
              ValuePolicy.REFUSE,
              Cascades.NONE),
          statement -> List.of(CHANGE),
          new EmptyPreparations());

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
  void theEndOfATransactionIsTheSumOfItsEventsWhereTheyDoNotSayIt() {
    begin();
    end += 1_000;
    decode(event(EventType.ANNOTATE_ROWS, new byte[9], 1_000, 0));
    statement("a change");
    statement("COMMIT");
    assertThat(decoder.take().events())
        .containsExactly(new SourceEvent.Changed(CHANGE), committed(1_304));
  }

  @Test
  void aTransactionOfMoreThanFourGibibytesIsCommittedAtTheBeginningOfTheNextFile() {
    begin();
    statement("a change");
    statement("COMMIT");
    begin();
    statement("a large change");
    gibibytes(3);
    gibibytes(1);
    statement("COMMIT");
    // Committed together with it, and still in the same file.
    begin();
    statement("another change");
    statement("COMMIT");
    assertThat(decoder.boundary()).isEqualTo(new BinlogPosition(1, 304));
    rotate(2);
    decode(EventType.FORMAT_DESCRIPTION, new byte[80]);
    begin();
    statement("a change");
    statement("COMMIT");
    assertThat(decoder.take().events())
        .containsExactly(
            new SourceEvent.Changed(CHANGE),
            committed(304),
            new SourceEvent.Changed(CHANGE),
            new SourceEvent.Changed(CHANGE),
            committed(new BinlogPosition(2, 104), HISTORY.after("0-0-0"), 0),
            new SourceEvent.Changed(CHANGE),
            committed(new BinlogPosition(2, 404), HISTORY.after("0-0-0"), 0));
  }

  @Test
  void anEventThatWasLeftOutOfATransactionStopsTheCapture() {
    begin();
    end += 500;
    assertThatThrownBy(() -> statement("a change"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("ends at offset 704 modulo 4 GiB by its header, and at 204");
  }

  @Test
  void theServerMayLeaveOutALittleBetweenTransactionsOnly() {
    end += 500;
    begin();
    statement("COMMIT");
    assertThat(decoder.boundary()).isEqualTo(new BinlogPosition(1, 704));
    end += 100_000;
    assertThatThrownBy(this::begin).hasMessageContaining("ends at offset 100804");
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
            committed(new BinlogPosition(1, 104), HISTORY, 0),
            committed(new BinlogPosition(1, 204), new LogHistory("binlog", 1, ""), 1_000_000));
  }

  private static SourceEvent committed(long offset) {
    return committed(new BinlogPosition(1, offset), HISTORY.after("0-0-0"), 0);
  }

  private static SourceEvent committed(BinlogPosition place, LogHistory history, long micros) {
    return new SourceEvent.Committed(place.position(history), micros, place.number());
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

  /** A part of a transaction, of which only the header says how large it is. */
  private void gibibytes(int count) {
    long size = count * 1024L * 1024 * 1024;
    end += size;
    decode(event(EventType.ANNOTATE_ROWS, new byte[9], size, 0));
  }

  /** The server goes on with another file. */
  private void rotate(int file) {
    byte[] name = "binlog.%06d".formatted(file).getBytes(StandardCharsets.UTF_8);
    byte[] body = Arrays.copyOf(new byte[] {4}, 8 + name.length);
    System.arraycopy(name, 0, body, 8, name.length);
    decode(EventType.ROTATE, body);
    end = 4;
  }

  /** Decodes an event that ends 100 bytes behind the one before. */
  private void decode(int type, byte[] body) {
    end += 100;
    decode(event(type, body, 100, end));
  }

  private void decode(byte[] event) {
    decoder.decode(LogEvent.read(event, event.length));
  }

  /**
   * @param end 0 for an event that does not say it
   */
  private byte[] event(int type, byte[] body, long size, long end) {
    byte[] event = new byte[LogEvent.HEADER_BYTES + body.length];
    event[0] = (byte) seconds;
    event[4] = (byte) type;
    for (int i = 0; i < 4; i++) {
      event[9 + i] = (byte) (size >> 8 * i);
      event[13 + i] = (byte) (end >> 8 * i);
    }
    System.arraycopy(body, 0, event, LogEvent.HEADER_BYTES, body.length);
    return event;
  }
}
