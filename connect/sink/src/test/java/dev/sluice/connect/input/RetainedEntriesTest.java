package dev.sluice.connect.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connect.join.CheckedBytes;
import dev.sluice.connect.settings.RetainedSpace;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.replay.JournalRecords.Reading;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RetainedEntriesTest {
  private static final int LARGE = 9 * 1024 * 1024;

  @TempDir Path directory;

  @Test
  void entriesAreReadAgainFromAnOffsetOnAlsoThoseThatShareOne() {
    try (RetainedEntries entries = new RetainedEntries(space(1 << 30))) {
      entries.add(List.of(entry(5, 1), entry(7, 2), entry(7, 3)));
      entries.add(List.of(entry(9, 4)));
      try (Reading reading = entries.open(6)) {
        assertThat(reading.next().value()).containsExactly(2);
        assertThat(reading.next().value()).containsExactly(3);
        entries.add(List.of(entry(10, 5)));
        assertThat(reading.next().value()).containsExactly(4);
        assertThat(reading.next().offset()).isEqualTo(10);
      }
    }
  }

  @Test
  void filesAreDeletedWhenNothingInThemIsNeededAndNothingStaysBehind() throws IOException {
    Files.writeString(directory.resolve("entries-1"), "left by a killed task");
    try (RetainedEntries entries = new RetainedEntries(space(1 << 30))) {
      for (int offset = 1; offset <= 6; offset++) {
        entries.add(List.of(new JournalEntry(offset, new byte[LARGE])));
      }
      assertThat(files()).isEqualTo(3);
      entries.forgetBefore(3);
      assertThat(files()).isEqualTo(2);
      try (Reading reading = entries.open(3)) {
        assertThat(reading.next().offset()).isEqualTo(3);
      }
    }
    assertThat(files()).isZero();
  }

  @Test
  void entriesAreFullAboveTheLimitUntilSomeAreForgotten() throws IOException {
    try (RetainedEntries entries = new RetainedEntries(space(1_000))) {
      entries.add(List.of(new JournalEntry(1, new byte[400]), new JournalEntry(2, new byte[400])));
      assertThat(entries.full()).isEmpty();
      entries.add(List.of(new JournalEntry(3, new byte[400])));
      assertThat(entries.full()).hasValueSatisfying(why -> assertThat(why).contains("SwapLimit"));
      entries.forgetBefore(2);
      assertThat(entries.full()).isEmpty();
      entries.add(List.of(new JournalEntry(4, new byte[2_000])));
      assertThat(entries.full()).isPresent();
      entries.forgetBefore(5);
      assertThat(entries.full()).isEmpty();
      assertThat(files()).isZero();
      entries.add(List.of(entry(5, 7)));
      try (Reading reading = entries.open(5)) {
        assertThat(reading.next().value()).containsExactly(7);
      }
    }
  }

  @Test
  void aLateEndLeavesTheFilesOfTheSuccessor() {
    RetainedEntries before = new RetainedEntries(space(1 << 30));
    before.add(List.of(entry(5, 1)));
    try (RetainedEntries after = new RetainedEntries(space(1 << 30))) {
      after.add(List.of(entry(5, 2)));
      before.add(List.of(entry(6, 3)));
      before.close();
      try (Reading reading = after.open(5)) {
        assertThat(reading.next().value()).containsExactly(2);
      }
    }
  }

  @Test
  void aFileDamagedAnywhereIsLostAndNotReadAsItsEnd() throws IOException {
    for (int damaged = 0; damaged < 60; damaged++) {
      try (RetainedEntries entries = new RetainedEntries(space(1 << 30))) {
        entries.add(List.of(entry(5, 1), entry(6, 2), entry(7, 3)));
        Path file = onlyFile();
        byte[] bytes = Files.readAllBytes(file);
        if (damaged < bytes.length) {
          bytes[damaged] ^= 0x40;
        } else {
          // Cut between two entries, and gone.
          bytes = Arrays.copyOf(bytes, (damaged - bytes.length) % 3 * (bytes.length / 3));
        }
        Files.write(file, bytes);
        assertThatThrownBy(() -> readAll(entries, 3))
            .isInstanceOf(SluiceException.LostCache.class)
            .hasMessageContaining("read from the topics again");
      }
    }
  }

  @Test
  void aTruncatedFileIsLostEvenIfOthersFollow() throws IOException {
    try (RetainedEntries entries = new RetainedEntries(space(1 << 30))) {
      entries.add(List.of(entry(1, 1), new JournalEntry(2, new byte[LARGE])));
      Path first = onlyFile();
      entries.add(List.of(new JournalEntry(3, new byte[LARGE]), entry(4, 4)));
      try (FileChannel channel = FileChannel.open(first, StandardOpenOption.WRITE)) {
        channel.truncate(CheckedBytes.size(1, 1));
      }
      assertThatThrownBy(() -> readAll(entries, 4)).isInstanceOf(SluiceException.LostCache.class);
    }
  }

  private static void readAll(RetainedEntries entries, int count) {
    try (Reading reading = entries.open(0)) {
      for (int i = 0; i < count; i++) {
        reading.next();
      }
    }
  }

  private Path onlyFile() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList().get(0);
    }
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.count();
    }
  }

  private static JournalEntry entry(long offset, int value) {
    return new JournalEntry(offset, new byte[] {(byte) value});
  }

  private RetainedSpace space(long bytes) {
    return new RetainedSpace(directory, DataSize.ofBytes(bytes));
  }
}
