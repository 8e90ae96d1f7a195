package dev.sluice.load.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.FileFormat;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.postgresql.PGConnection;

/**
 * Random files, cut at random sizes: the batches joined are the file, and each holds as many rows
 * as a proven reader of CSV, and the server's own COPY, find in it.
 */
class BatchReaderPropertiesTest {
  private static EmbeddedPostgres postgres;
  private static Connection connection;

  @BeforeContainer
  static void start() throws SQLException {
    postgres = EmbeddedPostgres.start();
    connection = postgres.connect();
    try (var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (a text, b text, c text)");
    }
  }

  @AfterContainer
  static void stop() throws SQLException {
    connection.close();
    postgres.close();
  }

  @Property(tries = 120)
  void csvIsCutWhereACsvReaderEndsItsRecords(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    char escape = random.nextInt(3) == 0 ? '\\' : '"';
    String encoding =
        escape == '"' ? List.of("UTF8", "LATIN1", "EUC_JP", "SJIS").get(random.nextInt(4)) : "UTF8";
    char delimiter = List.of(',', ';', '\t', '|').get(random.nextInt(4));
    FileFormat format =
        new FileFormat(FileFormat.Kind.CSV, delimiter, '"', escape, false, "", encoding);
    String lineEnd = random.nextInt(3) == 0 ? "\r\n" : "\n";
    StringBuilder text = new StringBuilder();
    int rows = random.nextInt(60);
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < 3; column++) {
        text.append(column == 0 ? "" : delimiter).append(csv(random, format, lineEnd));
      }
      text.append(row == rows - 1 && random.nextBoolean() ? "" : lineEnd);
    }

    List<RowBatch> batches = cut(random, text.toString(), format);

    int before = 0;
    List<CSVRecord> records = records(text.toString(), format);
    assertThat(records).hasSize(rows);
    for (RowBatch batch : batches) {
      before += (int) batch.place().rows();
      assertThat(copied(batch)).isEqualTo(batch.place().rows());
      long end = text.toString().getBytes(charset(encoding)).length;
      if (before < rows) {
        end =
            text.substring(0, (int) records.get(before).getCharacterPosition())
                .getBytes(charset(encoding))
                .length;
      }
      assertThat(batch.place().endByte()).isEqualTo(end);
    }
    assertThat(before).isEqualTo(rows);
  }

  @Property(tries = 80)
  void textIsCutWhereCopyEndsItsRecords(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    String encoding = List.of("UTF8", "SJIS", "GB18030", "BIG5").get(random.nextInt(4));
    FileFormat format =
        new FileFormat(FileFormat.Kind.TEXT, '\t', '"', '"', false, "\\N", encoding);
    StringBuilder text = new StringBuilder();
    int rows = random.nextInt(60);
    for (int row = 0; row < rows; row++) {
      text.append(row)
          .append('\t')
          .append(text(random, encoding))
          .append('\t')
          .append(text(random, encoding));
      text.append(row == rows - 1 && random.nextBoolean() ? "" : "\n");
    }

    long found = 0;
    for (RowBatch batch : cut(random, text.toString(), format)) {
      found += batch.place().rows();
      assertThat(copied(batch)).isEqualTo(batch.place().rows());
    }
    assertThat(found).isEqualTo(rows);
  }

  private static List<RowBatch> cut(Random random, String text, FileFormat format)
      throws IOException {
    byte[] bytes = text.getBytes(charset(format.encoding()));
    boolean packed = random.nextInt(3) == 0;
    Path path = Files.createTempFile("cut", packed ? ".csv.gz" : ".csv");
    try {
      Files.write(path, packed ? packed(bytes) : bytes);
      DataFile file = DataFile.open(path, format, 1 << 20);
      BatchReader.Bounds bounds =
          new BatchReader.Bounds(
              1 + random.nextInt(20),
              1 + random.nextInt(random.nextBoolean() ? 40 : 4000),
              1 << 20);
      List<RowBatch> batches = BatchReaderTest.read(file, BatchReaderTest.all(file), bounds);
      assertThat(joined(batches)).isEqualTo(bytes);
      List<BatchOffset> done = new ArrayList<>();
      batches.stream()
          .filter(batch -> random.nextBoolean())
          .forEach(batch -> done.add(batch.place()));
      List<RowBatch> rest = BatchReaderTest.read(file, UnreadRange.of(file, done), bounds);
      assertThat(rest.stream().mapToLong(batch -> batch.place().rows()).sum())
          .isEqualTo(
              batches.stream().mapToLong(batch -> batch.place().rows()).sum()
                  - done.stream().mapToLong(BatchOffset::rows).sum());
      for (RowBatch batch : batches) {
        RecordIndex index = batch.index();
        assertThat(index.start(index.size())).isEqualTo(batch.bytes().length);
      }
      return batches;
    } finally {
      Files.delete(path);
    }
  }

  private static byte[] packed(byte[] bytes) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    }
    return packed.toByteArray();
  }

  private static byte[] joined(List<RowBatch> batches) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    batches.forEach(batch -> joined.writeBytes(batch.bytes()));
    return joined.toByteArray();
  }

  private static long copied(RowBatch batch) throws Exception {
    return connection
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn(
            "COPY t FROM STDIN WITH " + batch.file().format().copyOptions(),
            new ByteArrayInputStream(batch.bytes()));
  }

  private static List<CSVRecord> records(String text, FileFormat format) throws IOException {
    CSVFormat csv =
        CSVFormat.DEFAULT
            .builder()
            .setDelimiter(format.delimiter())
            .setQuote('"')
            .setEscape(format.escape() == '"' ? null : format.escape())
            .setIgnoreEmptyLines(false)
            .get();
    try (CSVParser parser = CSVParser.parse(new StringReader(text), csv)) {
      return parser.getRecords();
    }
  }

  private static Charset charset(String encoding) {
    return switch (encoding) {
      case "UTF8" -> StandardCharsets.UTF_8;
      case "LATIN1" -> StandardCharsets.ISO_8859_1;
      case "EUC_JP" -> Charset.forName("EUC-JP");
      case "BIG5" -> Charset.forName("Big5");
      case "GB18030" -> Charset.forName("GB18030");
      default -> Charset.forName("windows-31j");
    };
  }

  private static String csv(Random random, FileFormat format, String lineEnd) {
    StringBuilder value = new StringBuilder();
    boolean quoted = random.nextBoolean();
    int length = random.nextInt(12);
    for (int i = 0; i < length; i++) {
      int kind = random.nextInt(quoted ? 6 : 2);
      value.append(
          switch (kind) {
            case 0 -> "x";
            case 1 -> character(random, format.encoding());
            case 2 -> lineEnd;
            case 3 -> format.escape() + "\"";
            case 4 -> String.valueOf(format.delimiter());
            default -> format.escape() == '"' ? "\"\"" : "\\\\";
          });
    }
    return quoted ? "\"" + value + "\"" : value.isEmpty() ? "e" : value.toString();
  }

  /** Some end in a byte that is a backslash or a letter when it stands alone. */
  private static String character(Random random, String encoding) {
    return switch (encoding) {
      case "LATIN1" -> "é";
      case "EUC_JP" -> "日";
      case "SJIS" -> random.nextBoolean() ? "表" : "ｱ";
      case "BIG5" -> random.nextBoolean() ? "許" : "功";
      case "GB18030" -> random.nextBoolean() ? "啊" : "㐂";
      default -> random.nextBoolean() ? "日" : "\uD83D\uDE80";
    };
  }

  private static String text(Random random, String encoding) {
    StringBuilder value = new StringBuilder();
    int length = random.nextInt(12);
    for (int i = 0; i < length; i++) {
      value.append(
          switch (random.nextInt(6)) {
            case 0 -> "x";
            case 1 -> "\\\n";
            case 2 -> "\\\\";
            case 3 -> "\\t";
            case 4 -> "\"";
            default -> character(random, encoding);
          });
    }
    return value.toString();
  }
}
