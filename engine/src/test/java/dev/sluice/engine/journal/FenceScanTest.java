package dev.sluice.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.TransactionEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FenceScanTest {
  private static final TableId ORDERS = new TableId("shop", "orders");
  private static final RowSchema SCHEMA =
      new RowSchema(ORDERS, List.of(new Column("id", "text", false, true)));

  private static final Position FIRST = new Position(100);
  private static final Position SECOND = new Position(200);

  private final FenceScan scan = new FenceScan(FIRST, SECOND, fingerprint -> SCHEMA);
  private TransactionEncoder encoder = newTerm(1);
  private long position = 1;

  @Test
  void aQuietSourceHasNothingBetweenTheFences() {
    transaction(insert("before"));
    transaction(fence(FIRST));
    transaction(fence(new Position(101)));
    transaction();
    transaction(fence(SECOND));
    assertThat(scan.isEnded()).isTrue();
    assertThat(scan.changes()).isEmpty();
  }

  @Test
  void everyChangeBetweenIsCountedByItsTable() {
    transaction(fence(FIRST));
    transaction(insert("one"), insert("two"));
    transaction(new ChangeEvent.Truncate(List.of(new ChangeEvent.Emptied(ORDERS, null))));
    transaction(fence(SECOND), insert("after"));
    assertThat(scan.changes()).isEqualTo(Map.of(ORDERS, 3L));
  }

  @Test
  void aLargeChangeInPiecesCountsToo() {
    transaction(fence(FIRST));
    transaction(insert("x".repeat(2 * JournalRecord.PIECE_BYTES)));
    transaction(fence(SECOND));
    assertThat(scan.changes()).isNotEmpty();
  }

  @Test
  void whatANewTermRepeatsFromBeforeTheFirstFenceIsNotCounted() {
    transaction(insert("before"));
    transaction(fence(FIRST));
    encoder = newTerm(2);
    transaction(insert("before"));
    transaction(fence(FIRST));
    transaction(fence(SECOND));
    assertThat(scan.changes()).isEmpty();
  }

  @Test
  void itHasNotEndedBeforeBothFencesInTheirOrder() {
    transaction(fence(SECOND));
    transaction(fence(FIRST));
    assertThat(scan.isEnded()).isFalse();
  }

  private TransactionEncoder newTerm(long term) {
    return new TransactionEncoder(term, 1, scan::read);
  }

  private void transaction(ChangeEvent... changes) {
    encoder.begin();
    for (ChangeEvent change : changes) {
      encoder.add(change);
    }
    encoder.end(new Position(position++), 0);
  }

  private static ChangeEvent insert(String id) {
    return new ChangeEvent.RowChange(SCHEMA, null, RowBuilder.rowOf(id));
  }

  private static ChangeEvent fence(Position place) {
    return new ChangeEvent.Message(
        "sluice.orders.fence", place.toString().getBytes(StandardCharsets.US_ASCII));
  }
}
