package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * UUIDs of tables that older releases made, which store the bytes in another order. The server
 * reads the release from the file with the table's definition.
 */
class OldUuidTest {
  private static final int RELEASE_AT = 51;

  /** One of each version and variant, with zeros at both ends, and some that no generator makes. */
  private static final List<String> UUIDS =
      List.of(
          "123e4567-e89b-12d3-a456-426614174000",
          "ffffffff-ffff-4fff-bfff-0123456789ab",
          "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
          "01020304-0506-0708-090a-0b0c0d0e0f10",
          "00000000-0000-4000-8000-000000000001",
          "10000000-0000-0000-0000-000000000000",
          "01020304-0506-8708-890a-0b0c0d0e0f10",
          // The server refuses these as texts, and takes them as bytes. In a table of a new release
          // it then shows them in another order itself.
          "01020304-0506-8708-1900-0b0c0d0e0f10",
          "01020304-0506-f708-5000-0b0c0d0e0f00");

  @ParameterizedTest
  @ValueSource(ints = {101104, 110405})
  void aUuidIsReadFromTheLogAsItIsSelectedWhicheverReleaseMadeTheTable(int release)
      throws IOException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (LogFixture fixture = new LogFixture("CREATE TABLE t (u UUID PRIMARY KEY, n INT)")) {
      setRelease(fixture, release);
      assertThat(fixture.row("CHECK TABLE t FOR UPGRADE", 4)[3])
          .as("the server takes the table for one of that release")
          .contains(release < 101105 ? "rebuild required" : "OK");
      fixture.capturing();
      for (int i = 0; i < UUIDS.size(); i++) {
        fixture.execute(
            "INSERT INTO t VALUES (x'%s', %d)".formatted(UUIDS.get(i).replace("-", ""), i));
      }
      List<String> selected = fixture.values("SELECT u FROM t ORDER BY n");
      if (release < 101105) {
        assertThat(selected).isEqualTo(UUIDS);
      }
      fixture.execute("UPDATE t SET n = n + 10 ORDER BY n", "DELETE FROM t ORDER BY n");
      List<String> logged = new ArrayList<>();
      try (JournalReader reader = fixture.reader()) {
        reader
            .read(UUIDS.size() + 2)
            .forEach(read -> read.changes().forEach(change -> logged.add(uuid(change))));
      }
      List<String> expected = new ArrayList<>(selected);
      expected.addAll(selected);
      expected.addAll(selected);
      assertThat(logged).isEqualTo(expected);
    }
  }

  private static String uuid(ChangeEvent change) {
    RowChange row = (RowChange) change;
    return (row.row() == null ? row.match() : row.row()).text(0);
  }

  private static void setRelease(LogFixture fixture, int release) throws IOException {
    fixture.execute("FLUSH TABLES");
    Path file = LogFixture.server().directory().resolve(fixture.database).resolve("t.frm");
    byte[] definition = Files.readAllBytes(file);
    ByteBuffer.wrap(definition).order(ByteOrder.LITTLE_ENDIAN).putInt(RELEASE_AT, release);
    Files.write(file, definition);
    fixture.execute("FLUSH TABLES");
  }
}
