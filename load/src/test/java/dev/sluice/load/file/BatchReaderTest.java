package dev.sluice.load.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.FileFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchReaderTest {
  private static final BatchReader.Bounds TWO_ROWS = new BatchReader.Bounds(2, 1 << 20, 1 << 20);

  @TempDir Path folder;

  @Test
  void aLineBreakInQuotesEndsNoRecord() throws IOException {
    assertThat(batches("1,\"a\nb\"\n2,\"\"\"\n\"\n3,x\n", FileFormat.CSV, TWO_ROWS))
        .containsExactly("1,\"a\nb\"\n2,\"\"\"\n\"\n", "3,x\n");
  }

  @Test
  void anEscapeOfItsOwnTakesTheQuoteBehindItAway() throws IOException {
    FileFormat format = new FileFormat(FileFormat.Kind.CSV, ',', '"', '\\', false, "", "UTF8");
    assertThat(batches("\"a\\\"\nb\"\n\"c\\\\\"\nd\n", format, new BatchReader.Bounds(1, 99, 99)))
        .containsExactly("\"a\\\"\nb\"\n", "\"c\\\\\"\n", "d\n");
  }

  @Test
  void aBackslashTakesTheLineBreakOfTextAwayAndTheMarkerEndsTheRows() throws IOException {
    assertThat(batches("1\ta\\\nb\n2\tc\\\\\n3\t\\.\n\\.\n", FileFormat.TEXT, TWO_ROWS))
        .containsExactly("1\ta\\\nb\n2\tc\\\\\n", "3\t\\.\n");
    assertThat(batches("1\n\\.", FileFormat.TEXT, TWO_ROWS)).containsExactly("1\n");
    assertThatThrownBy(() -> batches("1\n\\.\n2\n", FileFormat.TEXT, TWO_ROWS))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("line 2");
  }

  @Test
  void headerByteOrderMarkAndAMissingLastLineBreakAreNoRows() throws IOException {
    FileFormat format = new FileFormat(FileFormat.Kind.CSV, ';', '"', '"', true, "", "UTF8");
    Path path = write("t.csv", "\uFEFFid;\"na\"\"m\ne\"\r\n1;a\r\n2;b");
    DataFile file = DataFile.open(path, format, 1 << 20);
    assertThat(file.header()).containsExactly("id", "na\"m\ne");
    assertThat(file.firstLine()).isEqualTo(3);
    assertThat(texts(read(file, all(file), TWO_ROWS))).containsExactly("1;a\r\n2;b");
  }

  @Test
  void aCarriageReturnAloneEndsRecordsWhereTheFirstOneEndsSo() throws IOException {
    assertThat(batches("1\r2\r3\r", FileFormat.CSV, TWO_ROWS)).containsExactly("1\r2\r", "3\r");
  }

  @Test
  void theSecondByteOfACharacterIsNoBackslash() throws IOException {
    // 0x95 0x5C is one character of Shift JIS that ends in what is a backslash alone.
    FileFormat format = new FileFormat(FileFormat.Kind.TEXT, '\t', '"', '"', false, "\\N", "SJIS");
    Path path = folder.resolve("t.txt");
    Files.write(path, new byte[] {'a', (byte) 0x95, 0x5C, '\n', 'b', '\n', 'c', '\n'});
    DataFile file = DataFile.open(path, format, 1 << 20);
    assertThat(read(file, all(file), TWO_ROWS))
        .extracting(batch -> batch.place().rows())
        .containsExactly(2L, 1L);
  }

  @Test
  void aBatchEndsAtItsBytesAndALongerRecordIsOneAlone() throws IOException {
    assertThat(
            batches(
                "aaaa\nbbbb\nc\n" + "d".repeat(40) + "\ne\n",
                FileFormat.CSV,
                new BatchReader.Bounds(100, 10, 100)))
        .containsExactly("aaaa\nbbbb\n", "c\n" + "d".repeat(40) + "\n", "e\n");
  }

  @Test
  void aQuoteThatIsNeverClosedIsNamedByItsLine() throws IOException {
    Path path = write("t.csv", "1,a\n2,\"b\n" + "3,c\n".repeat(500_000));
    DataFile file = DataFile.open(path, FileFormat.CSV, 1 << 20);
    assertThatThrownBy(() -> read(file, all(file), new BatchReader.Bounds(9, 1 << 16, 1 << 20)))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("t.csv, line 2: the record that begins here does not end within 1.0")
        .hasMessageContaining("a quote is probably never closed");
  }

  @Test
  void whatIsLeftIsReadAgainInTheSameRecordsAlsoOutOfAPackedFile() throws IOException {
    String text = "1,\"a\n\n\"\n2,b\n3,c\n4,d\n5,e\n6,f\n7,g\n";
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    Path path = folder.resolve("t.csv.gz");
    Files.write(path, packed.toByteArray());
    for (Path one : List.of(path, write("t.csv", text))) {
      DataFile file = DataFile.open(one, FileFormat.CSV, 1 << 20);
      List<RowBatch> whole = read(file, all(file), new BatchReader.Bounds(1, 1 << 20, 1 << 20));
      List<BatchOffset> done =
          List.of(whole.get(3).place(), whole.get(1).place(), whole.get(2).place());
      List<RowBatch> rest = read(file, UnreadRange.of(file, done), TWO_ROWS);
      assertThat(texts(rest)).containsExactly("1,\"a\n\n\"\n", "5,e\n6,f\n", "7,g\n");
      assertThat(rest).extracting(batch -> batch.place().firstLine()).containsExactly(1L, 7L, 9L);
    }
  }

  private List<String> batches(String text, FileFormat format, BatchReader.Bounds bounds)
      throws IOException {
    DataFile file = DataFile.open(write("t.csv", text), format, bounds.longestRecord());
    return texts(read(file, all(file), bounds));
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  static List<UnreadRange> all(DataFile file) {
    return UnreadRange.of(file, List.of());
  }

  static List<RowBatch> read(DataFile file, List<UnreadRange> left, BatchReader.Bounds bounds)
      throws IOException {
    List<RowBatch> batches = new ArrayList<>();
    try (BatchReader reader = BatchReader.open(file, left, bounds)) {
      for (Optional<RowBatch> next = reader.next(); next.isPresent(); next = reader.next()) {
        batches.add(next.get());
      }
    }
    return batches;
  }

  private static List<String> texts(List<RowBatch> batches) {
    return batches.stream()
        .map(batch -> new String(batch.bytes(), StandardCharsets.UTF_8))
        .toList();
  }
}
