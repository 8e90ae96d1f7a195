package dev.sluice.sink.sorter;

import static dev.sluice.sink.JournalScript.SCHEMAS;
import static dev.sluice.sink.JournalScript.insert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.sink.JournalScript;
import dev.sluice.sink.SmallDisk;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.lane.Lane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SorterTest {
  private static final Instant START = Instant.EPOCH;
  private static final Duration KEEP = Duration.ofSeconds(60);

  @TempDir Path directory;

  @Test
  void aSmallTransactionStaysInMemoryUntilItIsReleased() throws SwapFullException {
    MemoryBudget memory = memory(1_000_000);
    Sorter sorter = sorter(memory, swap(1_000_000));
    CommittedTransaction transaction = commit(sorter, journal(10, "a"), START);
    assertThat(transaction.isInSwap()).isFalse();
    assertThat(memory.used()).isPositive();
    assertThat(changesOf(transaction)).isEqualTo(10);
    sorter.release(transaction);
    assertThat(memory.used()).isZero();
  }

  @Test
  void aTransactionAboveTheMemoryLimitGoesToSwapAndIsReadBackUnchanged() throws SwapFullException {
    MemoryBudget memory = memory(2_000);
    SwapSpace swap = swap(100_000_000);
    Sorter sorter = sorter(memory, swap);
    CommittedTransaction transaction = commit(sorter, journal(20_000, "wide"), START);
    assertThat(transaction.isInSwap()).isTrue();
    assertThat(memory.used()).isZero();
    assertThat(memory.peak()).isLessThan(3_000);
    assertThat(swap.bytes()).isPositive().isEqualTo(sizeOnDisk());
    assertThat(changesOf(transaction)).isEqualTo(20_000);
    assertThat(changesOf(transaction)).as("read again").isEqualTo(20_000);
    sorter.release(transaction);
    assertThat(swap.bytes()).isZero();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aTransactionOlderThanTheKeepTimeGoesToSwap() throws SwapFullException {
    Sorter sorter = sorter(memory(1_000_000), swap(1_000_000));
    List<JournalEntry> entries = journal(100, "a");
    add(sorter, entries.get(1), START);
    add(sorter, entries.get(2), START.plus(KEEP));
    assertThat(sorter.spilled()).isEqualTo(SpillCounts.NONE);
    add(sorter, entries.get(3), START.plus(KEEP).plusMillis(1));
    assertThat(sorter.spilled()).isEqualTo(new SpillCounts(0, 1));
  }

  @Test
  void aTornTransactionLeavesNothingBehind() throws SwapFullException {
    MemoryBudget memory = memory(2_000);
    SwapSpace swap = swap(100_000_000);
    Sorter sorter = sorter(memory, swap);
    List<JournalEntry> entries = journal(20_000, "a");
    for (JournalEntry entry : entries.subList(1, entries.size() - 1)) {
      add(sorter, entry, START);
    }
    assertThat(swap.files()).isEqualTo(1);
    sorter.discard();
    assertThat(memory.used()).isZero();
    assertThat(swap.bytes()).isZero();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void whereTheSwapIsFullNothingIsLostAndTheSameRecordMayBeOfferedAgain() throws SwapFullException {
    SwapSpace swap = swap(2_000_000);
    Sorter sorter = sorter(memory(600_000), swap);
    swap.reserve(1_900_000);
    List<JournalEntry> entries = journal(20_000, "random");
    int refused = 0;
    CommittedTransaction transaction = null;
    for (JournalEntry entry : entries.subList(1, entries.size())) {
      while (true) {
        try {
          add(sorter, entry, START);
          break;
        } catch (SwapFullException e) {
          assertThat(e).hasMessageContaining("1.9 MiB");
          refused++;
          swap.unreserve(1_900_000 / 4);
        }
      }
    }
    Frame last = (Frame) JournalRecord.parse(entries.get(entries.size() - 1).value());
    while (transaction == null) {
      try {
        transaction = sorter.commit(last, last.end(), 0);
      } catch (SwapFullException e) {
        refused++;
        swap.unreserve(1_900_000 / 4);
      }
    }
    assertThat(refused).isBetween(1, 4);
    assertThat(changesOf(transaction)).isEqualTo(20_000);
  }

  @Test
  void aDiskThatGetsFullAgainAndAgainLosesNothing() throws SwapFullException {
    SmallDisk disk = new SmallDisk();
    disk.room(0);
    SwapSpace swap = new SwapSpace(directory, DataSize.ofMebibytes(100), disk);
    MemoryBudget memory = memory(2_000);
    Sorter sorter = sorter(memory, swap);
    List<JournalEntry> entries = journal(40_000, "random");
    int refused = 0;
    for (JournalEntry entry : entries.subList(1, entries.size())) {
      boolean added = false;
      while (!added) {
        try {
          add(sorter, entry, START);
          added = true;
        } catch (SwapFullException e) {
          assertThat(e.reason()).isEqualTo(SwapFullException.Reason.DISK);
          assertThat(++refused).isLessThan(100);
          disk.moreRoom(100_000);
        }
      }
    }
    disk.moreRoom(1_000_000);
    Frame last = (Frame) JournalRecord.parse(entries.get(entries.size() - 1).value());
    CommittedTransaction transaction = sorter.commit(last, last.end(), 0);
    assertThat(refused).isGreaterThan(3);
    assertThat(swap.bytes()).isEqualTo(sizeOnDisk());
    assertThat(changesOf(transaction)).isEqualTo(40_000);
    assertThat(memory.used()).isZero();
  }

  @Test
  void aDiskThatIsBrokenEndsTheTask() {
    SwapDisk broken =
        new SwapDisk() {
          @Override
          public SeekableByteChannel create(Path file) throws IOException {
            throw new IOException("Input/output error");
          }

          @Override
          public long free(Path folder) {
            return Long.MAX_VALUE;
          }
        };
    Sorter sorter = sorter(memory(10), new SwapSpace(directory, DataSize.ofMebibytes(1), broken));
    assertThatThrownBy(() -> commit(sorter, journal(1_000, "a"), START))
        .isInstanceOf(SluiceException.LostCache.class)
        .hasMessageContaining("Input/output error")
        .hasMessageContaining(directory.toString());
  }

  @Test
  void aSwapFileWithAFlippedBitIsNotBelieved() throws Exception {
    CommittedTransaction transaction =
        commit(sorter(memory(2_000), swap(100_000_000)), journal(5_000, "a"), START);
    Path file = transaction.swapFile().path();
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 4;
    Files.write(file, bytes);
    assertThatThrownBy(() -> changesOf(transaction))
        .isInstanceOf(SluiceException.LostCache.class)
        .hasMessageContaining("checksum")
        .hasMessageContaining(file.toString());
  }

  @Test
  void aSwapFileThatWasCutIsNotBelieved() throws Exception {
    CommittedTransaction transaction =
        commit(sorter(memory(2_000), swap(100_000_000)), journal(5_000, "a"), START);
    Path file = transaction.swapFile().path();
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
    assertThatThrownBy(() -> changesOf(transaction))
        .isInstanceOf(SluiceException.LostCache.class)
        .hasMessageContaining("missing");
  }

  @Test
  void swapFilesLeftByAnEarlierRunAreDeletedAndNothingElseIs() throws IOException {
    Files.writeString(directory.resolve("transaction-1.swap"), "left");
    Files.writeString(directory.resolve("mine.txt"), "kept");
    Path lane = Files.createDirectory(directory.resolve("lane-2"));
    Files.writeString(lane.resolve("transaction-1.swap"), "left");
    swap(1);
    assertThat(lane).isEmptyDirectory();
    assertThat(directory).isDirectoryContaining("glob:**mine.txt");
    assertThat(directory).isDirectoryNotContaining("glob:**.swap");
  }

  @Test
  void aLateEndLeavesTheFilesOfTheSuccessor() throws SwapFullException {
    SwapSpace before = swap(100_000_000);
    commit(sorter(memory(2_000), before), journal(5_000, "a"), START);
    CommittedTransaction transaction =
        commit(sorter(memory(2_000), swap(100_000_000)), journal(5_000, "a"), START);
    before.discard();
    assertThat(changesOf(transaction)).isEqualTo(5_000);
  }

  private MemoryBudget memory(long bytes) {
    return new MemoryBudget("MemoryLimitTotal", DataSize.ofBytes(bytes));
  }

  private SwapSpace swap(long bytes) {
    return new SwapSpace(directory, DataSize.ofBytes(bytes), SwapDisk.LOCAL);
  }

  private static Sorter sorter(MemoryBudget memory, SwapSpace swap) {
    return new Sorter(memory, KEEP, swap, JournalScript.SCHEMAS, Lane.WHOLE);
  }

  /** A term's beginning and one transaction. */
  private static List<JournalEntry> journal(int changes, String name) {
    Random random = new Random(1);
    List<ChangeEvent> events = new ArrayList<>();
    for (int id = 1; id <= changes; id++) {
      events.add(insert(id, name.equals("random") ? "" + random.nextLong() : name));
    }
    return new JournalScript()
        .term(1, 0)
        .transaction(10, events.toArray(new ChangeEvent[0]))
        .next();
  }

  private static CommittedTransaction commit(Sorter sorter, List<JournalEntry> entries, Instant now)
      throws SwapFullException {
    for (JournalEntry entry : entries.subList(1, entries.size())) {
      add(sorter, entry, now);
    }
    Frame last = (Frame) JournalRecord.parse(entries.get(entries.size() - 1).value());
    return sorter.commit(last, last.end(), entries.size());
  }

  private static void add(Sorter sorter, JournalEntry entry, Instant now) throws SwapFullException {
    sorter.add(JournalRecord.parse(entry.value()), entry.value(), now);
  }

  /** Counts the changes, which have to come with the ids 1, 2, … */
  private static long changesOf(CommittedTransaction transaction) {
    long count = 0;
    try (TransactionChanges changes = transaction.changes(SCHEMAS)) {
      for (ChangeEvent change = changes.next(); change != null; change = changes.next()) {
        count++;
        assertThat(((ChangeEvent.RowChange) change).row().text(0)).isEqualTo("" + count);
      }
    }
    return count;
  }

  private long sizeOnDisk() {
    try (var files = Files.list(directory)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
