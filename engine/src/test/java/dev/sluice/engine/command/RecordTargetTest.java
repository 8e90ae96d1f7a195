package dev.sluice.engine.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordTargetTest {
  @TempDir Path folder;

  @Test
  void aCompleteRecordGetsItsName() throws Exception {
    Path wanted = folder.resolve("a.record");
    try (RecordTarget target = RecordTarget.of(wanted)) {
      assertThat(wanted).doesNotExist();
      assertThat(target.receive(file -> write(file, record("part 1\n")))).isTrue();
    }
    assertThat(Files.readString(wanted)).startsWith("part 1\nsha256: ");
    assertThat(files()).containsExactly(wanted);
  }

  @Test
  void aRecordThatBreaksOffOrIsAlteredLeavesNoFile() throws Exception {
    String complete = record("part 1\npart 2\n");
    for (String received :
        new String[] {
          "", "part 1\n", complete.substring(0, complete.length() - 1), complete.replace('2', '3')
        }) {
      try (RecordTarget target = RecordTarget.of(folder.resolve("a.record"))) {
        assertThatThrownBy(() -> target.receive(file -> write(file, received)))
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("its checksum is missing or wrong");
      }
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void aFileThatWasMadeMeanwhileIsNotOverwritten() throws Exception {
    Path wanted = folder.resolve("a.record");
    try (RecordTarget target = RecordTarget.of(wanted)) {
      Files.writeString(wanted, "mine");
      assertThatThrownBy(() -> target.receive(file -> write(file, record("part 1\n"))))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("exists; expected a file that does not exist yet");
    }
    assertThat(Files.readString(wanted)).isEqualTo("mine");
    assertThat(files()).containsExactly(wanted);
  }

  @Test
  void withoutARecordOfTheDaemonThereIsNoFile() throws Exception {
    try (RecordTarget target = RecordTarget.of(folder.resolve("a.record"))) {
      assertThat(target.receive(file -> false)).isFalse();
    }
    assertThat(files()).isEmpty();
  }

  private static boolean write(Path file, String text) throws IOException {
    Files.writeString(file, text);
    return true;
  }

  private static String record(String lines) throws IOException {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(lines.getBytes(StandardCharsets.UTF_8));
      return lines + "sha256: " + HexFormat.of().formatHex(digest) + "\n";
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }

  private Path[] files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toArray(Path[]::new);
    }
  }
}
