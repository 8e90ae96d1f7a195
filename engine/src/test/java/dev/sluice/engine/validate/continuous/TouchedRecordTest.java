package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.touched.TouchedKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TouchedRecordTest {
  private static final TransactionEnd TRANSACTION = new TransactionEnd(1, new Position(1), 0, 7);

  @Test
  void whatIsDecodedWhileTheTransactionIdIsTakenIsRecorded() {
    List<TouchedRecord> records = new ArrayList<>();
    List<ChangeObserver> meanwhile = new ArrayList<>();
    TouchedRecord record =
        new TouchedRecord(
            () -> {
              meanwhile.add(records.get(0).of(TRANSACTION));
              return OptionalLong.of(8);
            });
    records.add(record);
    assertThat(record.of(TRANSACTION)).isSameAs(ChangeObserver.NONE);

    TouchedKeys keys = record.begin();

    assertThat(meanwhile).doesNotContain(ChangeObserver.NONE);
    assertThat(keys.covers(VisibleTransactions.parse("8:8:"))).isTrue();
    assertThat(keys.covers(VisibleTransactions.parse("7:8:7"))).isFalse();

    record.end();
    assertThat(record.of(TRANSACTION)).isSameAs(ChangeObserver.NONE);
  }

  @Test
  void withoutTransactionIdsNothingIsRecorded() {
    TouchedRecord record = new TouchedRecord(OptionalLong::empty);

    assertThatThrownBy(record::begin)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("EnableValidation");
    assertThat(record.of(TRANSACTION)).isSameAs(ChangeObserver.NONE);
  }
}
