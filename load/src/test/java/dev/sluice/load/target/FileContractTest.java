package dev.sluice.load.target;

import static dev.sluice.load.target.LoadTestTables.ITEM;
import static dev.sluice.load.target.LoadTestTables.PART;
import static dev.sluice.load.target.LoadTestTables.run;
import static dev.sluice.load.target.LoadTestTables.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.FileFormat;
import dev.sluice.load.BatchLoader;
import dev.sluice.load.ImportTables;
import dev.sluice.load.file.BadRowFiles;
import dev.sluice.load.file.BatchReader;
import dev.sluice.load.file.DataFile;
import dev.sluice.load.file.RowBatch;
import dev.sluice.load.file.UnreadRange;
import dev.sluice.load.log.ImportLog;
import dev.sluice.load.log.ImportedBatch;
import dev.sluice.sink.target.TargetServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How any target takes the records of a file. A kind of target passes it on its own server. */
abstract class FileContractTest {
  private static final BatchReader.Bounds ALL = new BatchReader.Bounds(1000, 1 << 20, 1 << 20);
  private static final ImportTarget TARGET = new ImportTarget(ITEM, List.of("id", "name"));

  @TempDir Path folder;

  private TargetServer server;
  private ImportLog log;
  private long epoch;

  abstract LoadContractLab lab();

  @BeforeEach
  void create() throws SQLException {
    lab().createTables();
    server = lab().target();
    log = new ImportLog(server, "file_control", "t");
    epoch = log.claim();
    log.forget(epoch);
  }

  /** A wrong value, a doubled key, what a rule forbids, and a missing value. */
  @ParameterizedTest
  @ValueSource(strings = {"x,c", "1,c", "3,no", "3"})
  void aBadRowIsNamedWithItsLineAndNothingOfItsBatchIsThere(String bad) throws Exception {
    RowBatch batch = batch("1,a\n2,\"two\nlines\"\n" + bad + "\n4,d\n");
    try (BatchLoader loader = open(Optional.empty())) {
      assertThatThrownBy(() -> loader.load(batch, TARGET))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageStartingWith("items.csv, line 4: dst.item does not take the row: ");
    }
    assertThat(texts(server, "SELECT id FROM dst.item")).isEmpty();
    assertThat(noted()).isEmpty();
  }

  /** In records before it, in the first one, in the bad one itself; and as Windows writes them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1,a\n2,'b\nb'\n3,c\nx,d\n5,e\n",
        "1,'a\na\na'\n2,'b\nb'\nx,c\n4,d\n",
        "1,a\n2,b\n3,'c\nc'\nx,'d\nd'\n5,e\n",
        "x,'a\na'\n2,b\n",
        "1,'a\r\na'\r\n2,'b\r\nb'\r\nx,c\r\n4,d\r\n",
      })
  void theLineOfABadRowIsThatOfTheFileWhereverValuesHaveLineBreaks(String text) throws Exception {
    long line = text.substring(0, text.indexOf("x,")).lines().count() + 1;
    RowBatch batch = batch(text.replace('\'', '"'));
    try (BatchLoader loader = open(Optional.empty())) {
      assertThatThrownBy(() -> loader.load(batch, TARGET))
          .hasMessageStartingWith("items.csv, line " + line + ": ");
    }
  }

  @Test
  void theRowsOfABatchAreThereOnceWithItsEntryInTheLogOrNeitherIs() throws Exception {
    RowBatch batch = batch("1,a\n2,b\n");
    try (BatchLoader loader = open(Optional.empty())) {
      loader.load(batch, TARGET);
      assertThatThrownBy(() -> loader.load(batch, TARGET)).isInstanceOf(SluiceException.class);
      RowBatch late = batch("3,c\n");
      log.claim();
      assertThatThrownBy(() -> loader.load(late, TARGET))
          .isInstanceOf(SluiceException.Fenced.class);
    }
    assertThat(texts(server, "SELECT id FROM dst.item ORDER BY id")).containsExactly("1", "2");
    assertThat(noted()).containsExactly("2");
  }

  /** Random rows with doubled keys, wrong values and wrong numbers of columns. */
  @RepeatedTest(12)
  void everyAcceptableRowIsLoadedAndEachOtherIsStashedInOrder() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    List<String> bad = new ArrayList<>();
    TreeSet<Integer> good = new TreeSet<>();
    int rows = 1 + random.nextInt(200);
    int badShare = random.nextInt(100);
    for (int row = 0; row < rows; row++) {
      int id = random.nextInt(300);
      String value = random.nextBoolean() ? "\"a\n\"\"b" + row + "\"" : "v" + row;
      boolean isBad = random.nextInt(100) < badShare;
      String record = (isBad ? badRecord(random, id, value) : id + "," + value) + "\n";
      text.append(record);
      if (isBad || !good.add(id)) {
        bad.add(record);
      }
    }
    RowBatch batch = batch(text.toString());
    try (BadRowFiles files = new BadRowFiles("t", 1000, 0);
        BatchLoader loader = open(Optional.of(files))) {
      ImportedBatch imported = loader.load(batch, TARGET);
      assertThat(imported.badRows()).as("seed " + seed).isEqualTo(bad.size());
    }
    assertThat(texts(server, "SELECT id FROM dst.item ORDER BY id"))
        .as("seed " + seed)
        .containsExactlyElementsOf(good.stream().map(String::valueOf).toList());
    Path put = BadRowFiles.of(batch.file().path());
    String aside = Files.exists(put) ? Files.readString(put) : "";
    assertThat(aside.replaceAll("(?m)^#.*\n", ""))
        .as("seed " + seed)
        .isEqualTo(String.join("", bad));
  }

  @Test
  void rowsWithoutTheRowThatTheyReferToAreFoundAfterwards() throws SQLException {
    run(
        server,
        "INSERT INTO dst.item VALUES (1, 'a')",
        "INSERT INTO dst.part VALUES (1, 1)",
        "INSERT INTO dst.part VALUES (2, NULL)",
        "INSERT INTO dst.part VALUES (3, 8)",
        "INSERT INTO dst.part VALUES (4, 9)");
    try (ImportTables tables = ImportTables.open(server)) {
      assertThat(tables.unreadable(PART)).isEmpty();
      List<BrokenForeignKey> broken = tables.brokenForeignKeys(List.of(ITEM, PART));
      assertThat(broken).hasSize(1);
      assertThat(broken.get(0).table()).isEqualTo(PART);
      assertThat(broken.get(0).references()).isEqualTo(ITEM);
      assertThat(broken.get(0).rows()).isEqualTo(2);
    }
  }

  @Test
  void loadsAreAlikeIfTableColumnsAndFormatAre() {
    FileRows files = LoadDialects.of(server.dialect()).files();
    ImportTarget same = new ImportTarget(ITEM, List.of("id", "name"));
    ImportTarget turned = new ImportTarget(ITEM, List.of("name", "id"));
    String layout = files.layout(TARGET, FileFormat.CSV);
    assertThat(files.layout(same, FileFormat.CSV)).isEqualTo(layout);
    assertThat(files.layout(turned, FileFormat.CSV)).isNotEqualTo(layout);
    assertThat(files.layout(TARGET, FileFormat.TEXT)).isNotEqualTo(layout);
  }

  private List<String> noted() throws SQLException {
    return texts(server, "SELECT \"rows\" FROM file_control.import_batch");
  }

  private static String badRecord(Random random, int id, String value) {
    return switch (random.nextInt(4)) {
      case 0 -> "x" + id + "," + value;
      case 1 -> id + "," + value + ",more";
      case 2 -> id + ",no";
      default -> String.valueOf(id);
    };
  }

  private BatchLoader open(Optional<BadRowFiles> badRows) {
    return BatchLoader.open(server, log, epoch, badRows, false);
  }

  private RowBatch batch(String text) throws IOException {
    DataFile file =
        DataFile.open(
            Files.writeString(folder.resolve("items.csv"), text), FileFormat.CSV, 1 << 20);
    log.begin(epoch, List.of(new ImportLog.Beginning(file, ITEM, "as it is")));
    try (BatchReader reader = BatchReader.open(file, UnreadRange.of(file, List.of()), ALL)) {
      return reader.next().orElseThrow();
    }
  }
}
