package dev.sluice.connector.mariadb.capture.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.GtidSet;
import dev.sluice.connector.mariadb.capture.position.MysqlGtid;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What begins behind the last wanted transaction is told before its end: where a file is longer
 * than a position can say, the place behind the last one is never reached.
 */
class GtidBoundaryTest {
  private static final BinlogPosition ANYWHERE = new BinlogPosition(1, BinlogPosition.FIRST_EVENT);
  private static final UUID SERVER = UUID.fromString("3e11fa47-71ca-11e1-9e33-c80aa9429562");

  @Test
  void aBoundaryOfMariadbIsPassedOnceTheNextTransactionBegins() {
    Gtid last = new Gtid(0, 1, 5);
    GtidBoundary boundary =
        new MariadbNamedGtids.Boundary(new TreeMap<>(Map.of(0L, last)), new TreeMap<>());
    boundary.begin(last);
    boundary.committed(ANYWHERE);
    assertThat(boundary.isComplete()).isTrue();
    assertThat(boundary.isPassed()).isFalse();
    boundary.begin(new Gtid(0, 1, 6));
    assertThat(boundary.isPassed()).isTrue();
    assertThat(boundary.foreign()).isEmpty();
  }

  @Test
  void aBoundaryOfMysqlIsPassedOnceTheNextTransactionBegins() {
    GtidBoundary boundary = behindTheFirst();
    boundary.begin(transaction(Optional.of(new MysqlGtid(SERVER, "", 2))));
    assertThat(boundary.isPassed()).isTrue();
    assertThat(boundary.foreign()).isEmpty();
  }

  @Test
  void aTransactionWithoutAGtidMayBelongToTheBackupOrNot() {
    GtidBoundary boundary = behindTheFirst();
    boundary.begin(transaction(Optional.empty()));
    assertThat(boundary.isPassed()).isTrue();
    assertThat(boundary.foreign()).contains("without a GTID");
  }

  private static GtidBoundary behindTheFirst() {
    GtidBoundary boundary =
        new MysqlNamedGtids.Boundary(GtidSet.parse(SERVER + ":1"), GtidSet.parse(""));
    boundary.begin(transaction(Optional.of(new MysqlGtid(SERVER, "", 1))));
    boundary.committed(ANYWHERE);
    assertThat(boundary.isComplete()).isTrue();
    assertThat(boundary.isPassed()).isFalse();
    return boundary;
  }

  private static MysqlTransaction transaction(Optional<MysqlGtid> gtid) {
    return new MysqlTransaction("any", 0, gtid, 0);
  }
}
