package dev.sluice.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.DataSize;
import dev.sluice.engine.journal.JournalUpkeep.Extent;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class KeptJournalTest {
  private static final DataSize NONE = DataSize.ofBytes(0);
  private static final KeptJournal OF_USERS = new KeptJournal(NONE, DataSize.ofMebibytes(10));
  private static final KeptJournal EMBEDDED =
      new KeptJournal(DataSize.ofMebibytes(400), DataSize.ofMebibytes(10));

  @Test
  void aQuarterOfTheLimitIsKept() {
    assertThat(EMBEDDED.hasRoom(journal(200, 1000), 500, 1000)).isTrue();
    assertThat(EMBEDDED.hasRoom(journal(200, 1000), 400, 1000)).isFalse();
  }

  @Test
  void withoutALimitOneGibibyteIsKept() {
    assertThat(OF_USERS.hasRoom(journal(2000, 10_000), 500, 1000)).isTrue();
    assertThat(OF_USERS.hasRoom(journal(2100, 10_000), 0, 500)).isFalse();
  }

  @Test
  void nothingIsKeptOnADiskThatIsNearItsReserve() {
    assertThat(EMBEDDED.hasRoom(journal(1, 39), 999, 1000)).isFalse();
    assertThat(EMBEDDED.hasRoom(journal(1, 40), 999, 1000)).isTrue();
  }

  @Test
  void whatCannotBeMeasuredIsNotKept() {
    Extent unknown = new Extent(0, 1000, OptionalLong.empty(), OptionalLong.empty());
    assertThat(OF_USERS.hasRoom(unknown, 999, 1000)).isFalse();
    assertThat(OF_USERS.hasRoom(unknown, 1000, 1000)).isTrue();
  }

  /** A thousand records, all of which are there. */
  private static Extent journal(long megabytes, long free) {
    return new Extent(
        0,
        1000,
        OptionalLong.of(DataSize.ofMebibytes(megabytes).bytes()),
        OptionalLong.of(DataSize.ofMebibytes(free).bytes()));
  }
}
